"""The faster tokenizer, where it is installed: counts as tiktoken does, several times faster."""

from __future__ import annotations

from collections.abc import Callable

from core.common.errors import InputError

PACKAGE = "toktok-rs"
RELEASE = "0.3.0"
"""The one whose counts were compared with tiktoken's; tests compare them again."""
_NO_LIMIT = 1 << 40  # tokens: more than any text has


def has_fast() -> bool:
    """True where it is installed, in the release known to count like tiktoken. It has no wheels for a few
    machines; tiktoken counts there."""
    from importlib import metadata  # late: it is large, and the process that counts has no use for it

    try:
        return metadata.version(PACKAGE) == RELEASE
    except metadata.PackageNotFoundError:
        return False


def load_fast(encoding: str) -> Callable[[str], int]:
    """A function that counts the tokens of a text.

    Only where ``has_fast``, and never in the window's process: loading stops all threads for 0.4 s.
    Raises InputError where the package is broken.
    """
    try:
        from toktok import truncate

        truncate("", _NO_LIMIT, encoding)  # loads the table
    except Exception as error:
        hint = f"Install it again (pip install --force-reinstall {PACKAGE}=={RELEASE}) or take it away."
        raise InputError(f"{PACKAGE} is installed but cannot be loaded: {error}.", hint) from error

    def count(text: str) -> int:
        try:
            counted: int = truncate(text, _NO_LIMIT, encoding)[1]
        except UnicodeEncodeError:  # a lone surrogate counts as U+FFFD, as tiktoken has it
            plain = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            counted = truncate(plain, _NO_LIMIT, encoding)[1]
        return counted

    return count
