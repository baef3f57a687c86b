"""Tokenizer tables on this disk; nothing is ever downloaded."""

from __future__ import annotations

import hashlib
import importlib.util
import os
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING

from core.tokens import toktok_counter

if TYPE_CHECKING:
    import tiktoken

DEFAULT = "o200k_base"

# Name and SHA-256 of the file in tiktoken's cache folder. With any other content tiktoken would delete it
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


def model_encoding(model: str) -> str | None:
    """Return the encoding of an OpenAI model (provider prefixes allowed), None for all others."""
    from tiktoken.model import encoding_name_for_model

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


@cache
def text_counter(encoding: str) -> Callable[[str], int]:
    """Return a function that counts the tokens of a text; without an encoding a quarter of its characters.

    Loading toktok's table stops all threads for half a second.
    """
    if not encoding:
        return _quarter
    if toktok_counter.has_toktok():
        return partial(toktok_counter.count_text, encoding=encoding)
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
    if encoding and toktok_counter.has_toktok():
        return partial(toktok_counter.count_texts, encoding=encoding)
    count = text_counter(encoding)
    return lambda texts: [count(text) for text in texts]


def _quarter(text: str) -> int:
    return (len(text) + 3) // 4
