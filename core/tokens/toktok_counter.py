"""The optional faster tokenizer toktok, which counts as tiktoken does."""

from __future__ import annotations

from collections.abc import Callable

from core.common.errors import InputError

PACKAGE = "toktok-rs"
RELEASE = "0.3.0"
"""The release whose counts the tests compare with tiktoken's."""
_NO_LIMIT = 1 << 40  # tokens: more than any text has


def has_toktok() -> bool:
    """Return True if it is installed in the release known to count like tiktoken.

    It has no wheels for a few machines, where tiktoken counts.
    """
    from importlib import metadata  # late: a large module that the counting process does not need

    try:
        return metadata.version(PACKAGE) == RELEASE
    except metadata.PackageNotFoundError:
        return False


def load_toktok(encoding: str) -> Callable[[str], int]:
    """Return a function that counts the tokens of a text.

    Requires ``has_toktok``; not for the window's process, since loading stops all threads for 0.4 s. Raises
    InputError if the package is broken.
    """
    try:
        from toktok import truncate

        truncate("", _NO_LIMIT, encoding)  # loads the table
    except Exception as error:
        hint = f"Install it again (pip install --force-reinstall {PACKAGE}=={RELEASE}) or uninstall it."
        raise InputError(f"{PACKAGE} is installed but cannot be loaded: {error}.", hint) from error

    def count(text: str) -> int:
        try:
            counted: int = truncate(text, _NO_LIMIT, encoding)[1]
        except UnicodeEncodeError:  # a lone surrogate counts as U+FFFD, as in tiktoken
            replaced_text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
            counted = truncate(replaced_text, _NO_LIMIT, encoding)[1]
        return counted

    return count
