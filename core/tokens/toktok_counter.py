"""The optional faster tokenizer toktok, which counts as tiktoken does."""

from __future__ import annotations

from collections.abc import Sequence

RELEASE = "0.3.0"
"""The release whose counts the tests compare with tiktoken's."""
_NO_LIMIT = 1 << 40  # tokens: more than any text has


def has_toktok() -> bool:
    """Return True if it is installed in the release known to count like tiktoken.

    It has no wheels for a few machines, where tiktoken counts.
    """
    try:
        import toktok
    except ImportError:
        return False
    return bool(toktok.__version__ == RELEASE)


def count_text(text: str, encoding: str) -> int:
    """Return the tokens of one text, faster than a batch of one."""
    from toktok import truncate

    try:
        tokens: int = truncate(text, _NO_LIMIT, encoding)[1]
    except UnicodeEncodeError:
        tokens = truncate(_without_lone_surrogates(text), _NO_LIMIT, encoding)[1]
    return tokens


def count_texts(texts: Sequence[str], encoding: str) -> list[int]:
    """Return the tokens of each text; counts on all cores without the interpreter lock."""
    from toktok import batch_count

    try:
        counts: list[int] = batch_count(texts, encoding)
    except UnicodeEncodeError:
        counts = batch_count(map(_without_lone_surrogates, texts), encoding)
    return counts


def _without_lone_surrogates(text: str) -> str:
    """Return the text with U+FFFD for each lone surrogate, as tiktoken counts it."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
