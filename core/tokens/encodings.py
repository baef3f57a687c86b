"""Tokenizer tables on this disk; nothing is ever downloaded."""

from __future__ import annotations

import hashlib
import importlib.util
import os
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from core.common.characters import with_whole_characters

if TYPE_CHECKING:
    import tiktoken


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
        tokens = truncate(with_whole_characters(text), _NO_LIMIT, encoding)[1]
    return tokens


def count_texts(texts: Sequence[str], encoding: str) -> list[int]:
    """Return the tokens of each text; counts on all cores without the interpreter lock."""
    from toktok import batch_count

    try:
        counts: list[int] = batch_count(texts, encoding)
    except UnicodeEncodeError:
        counts = batch_count(map(with_whole_characters, texts), encoding)
    return counts


DEFAULT = "o200k_base"

BLANK_RUN = 100_000
"""Characters: tiktoken fails on about a million blanks in a row, so such runs are cut here."""

_BLANK_PROBE = 500
_PIECE = 400_000  # characters counted at once, so that counting a huge text can be cancelled
_SEAM = re.compile(
    r"[a-z](?=[ (\[{<,;:.=/])|[0-9](?=[A-Za-z])"
)  # no token of any encoding spans it
_SEAM_PROBE = 10_000

# Name and SHA-256 of the file in tiktoken's cache folder. With any other content tiktoken would
# delete it
# and download it again, so both are checked here first.
_O200K = (
    "fb374d419588a4632f3f557e76b4b70aebbca790",
    "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d",
)
_FILES = {
    "o200k_base": _O200K,
    "o200k_harmony": _O200K,
    "cl100k_base": (
        "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
        "223921b76ee99bde995b7ff738513eef100fb51d18c93597a113bcffe865b2a7",
    ),
}

_FOLDER_VARIABLE = "TIKTOKEN_CACHE_DIR"
_OTHER_MAKERS = ("claude", "gemini", "anthropic/", "google/")


def litellm_folder() -> Path | None:
    """Return litellm's folder without importing it; None if it is not installed."""
    spec = importlib.util.find_spec("litellm")
    return Path(spec.origin).parent if spec and spec.origin else None


@cache
def encoding_folder(encoding: str) -> Path | None:
    """Return the folder with the intact table of an encoding, or None."""
    if encoding not in _FILES:
        return None
    name, digest = _FILES[encoding]
    for folder in _folders():
        try:
            data = (folder / name).read_bytes()
        except OSError:
            continue
        if hashlib.sha256(data).hexdigest() == digest:
            return folder
    return None


def has_encoding(encoding: str) -> bool:
    """Return whether texts can be counted with an encoding: toktok brings its own tables."""
    return encoding in _FILES and (has_toktok() or encoding_folder(encoding) is not None)


def model_encoding(model: str) -> str | None:
    """Return the encoding of an OpenAI model (provider prefixes allowed), None for all others."""
    if model.startswith(_OTHER_MAKERS):
        return None
    from tiktoken.model import encoding_name_for_model  # late: it loads all of tiktoken

    try:
        return encoding_name_for_model(model.rpartition("/")[2].lower())
    except KeyError:
        return None


def load_encoding(encoding: str) -> tiktoken.Encoding:
    """Load an encoding that has an ``encoding_folder``; takes about 0.3 s the first time.

    Raises LookupError if the table is not on this disk.
    """
    import tiktoken

    folder = encoding_folder(encoding)
    if folder is None:
        raise LookupError(encoding)
    before = os.environ.get(_FOLDER_VARIABLE)
    os.environ[_FOLDER_VARIABLE] = str(folder)
    try:
        table = tiktoken.get_encoding(encoding)
        table._mergeable_ranks.clear()  # 26 MB that counting does not need
        return table
    finally:
        if before is None:
            del os.environ[_FOLDER_VARIABLE]
        else:
            os.environ[_FOLDER_VARIABLE] = before


def _folders() -> Iterator[Path]:
    """Yield the folder that the user set for tiktoken, then the tables that litellm ships."""
    if user_folder := os.environ.get(_FOLDER_VARIABLE):
        yield Path(user_folder)
    if (litellm := litellm_folder()) is not None:
        yield litellm / "litellm_core_utils" / "tokenizers"


def text_pieces(text: str) -> Iterator[str]:
    """Yield a text in pieces.

    It is cut inside long runs of blanks, which costs at most one token each, and sometimes between
    two tokens, which costs none.
    """
    start = 0
    for place in range(BLANK_RUN, len(text), BLANK_RUN):
        if text[place - _BLANK_PROBE : place + _BLANK_PROBE].isspace():
            yield text[start:place]
            start = place
        elif place - start >= _PIECE and (seam := _SEAM.search(text, place, place + _SEAM_PROBE)):
            yield text[start : seam.end()]
            start = seam.end()
    yield text[start:] if start else text


@cache
def text_counter(encoding: str) -> Callable[[str], int]:
    """Return a function that counts the tokens of a text; without an encoding a quarter of its
    characters.

    Loading toktok's table stops all threads for half a second.
    """
    if not encoding:
        return _quarter
    if has_toktok():
        return partial(count_text, encoding=encoding)
    tokenizer = load_encoding(encoding)

    def count(text: str) -> int:
        try:
            return len(tokenizer.encode_ordinary(text))
        except BaseException as error:
            # A panic of the tokenizer's Rust code is no Exception; all else is not ours to catch.
            if type(error).__name__ != "PanicException":
                raise
            return _quarter(text)

    return count


@cache
def batch_counter(encoding: str) -> Callable[[Sequence[str]], list[int]]:
    """Return a function that counts each of some texts, with toktok on all cores and without the
    interpreter lock."""
    if encoding and has_toktok():
        return partial(count_texts, encoding=encoding)
    count = text_counter(encoding)
    return lambda texts: [count(text) for text in texts]


def _quarter(text: str) -> int:
    return (len(text) + 3) // 4
