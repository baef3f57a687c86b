"""Leaves long tool results of a large file in the file and reads them again on demand.

In a session of hundreds of megabytes a fifth is text of results, and strategies read little of it. Only its
place in the file and its hash are kept; ``result`` reads the text again, or raises InputError if the file has
changed. Smaller files are kept in memory.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import orjson

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.common.media import LONG as TRIMMED
from core.formats.common.media import find_long
from core.transcript.model import SourceDocument, ToolCall, ToolResponse

LARGE = 200 << 20
"""Bytes of a file from which its long results stay in it."""
LONG = 1_024
"""Characters of a long result."""
_PIECE = 1 << 20  # bytes


class FileTextStore:
    """A file that texts are left in. It stays open, so that a moved file can still be read."""

    def __init__(self, document: SourceDocument) -> None:
        self._name, self._path = document.name, document.path
        self._is_used = document.data is None and not document.packing and document.size >= LARGE
        self._handle = -1
        self._last: tuple[int, str] = (-1, "")

    @property
    def least(self) -> int:
        """Bytes from which a record may hold a text to leave in the file, or to trim."""
        return LONG if self._is_used else TRIMMED

    def leave(self, text: str, data: bytes, start: int) -> str | StoredText:
        """Return the text's place if its JSON form is in ``data``, from byte ``start`` of the file; else the
        text. Any place with the same text will do."""
        if len(text) < LONG or not self._is_used:
            return text
        try:
            written = orjson.dumps(text)
        except TypeError:  # a lone surrogate
            return text
        at = find_long(data, written)
        if at < 0 or not self._is_open():
            return text
        return StoredText(self, start + at + 1, len(written) - 2, hash(text))  # without the quotes

    def read(self, place: StoredText) -> str:
        """Return the text at a place. Raises InputError if it is not there any more."""
        start, text = self._last
        if start == place.start:
            return text
        self._last, text = (-1, ""), ""  # frees a long text before the next is read
        try:
            text = "".join(self._pieces(place.start, place.size))
        except (OSError, orjson.JSONDecodeError):
            text = ""
        if hash(text) != place.hash:
            raise InputError(f"{self._name} has changed since it was read.", "Open it again.")
        self._last = (place.start, text)
        return text

    def _is_open(self) -> bool:
        if self._handle < 0 and self._path is not None:
            try:
                self._handle = os.open(self._path, os.O_RDONLY | getattr(os, "O_BINARY", 0))
            except OSError:
                self._is_used = False
        return self._handle >= 0

    def _pieces(self, start: int, size: int) -> Iterator[str]:
        """Yield the text in pieces that end at a blank, which is part of no other character and no escape."""
        rest = b""
        while size and (piece := self._bytes(start, min(size, _PIECE))):
            start, size = start + len(piece), size - len(piece)
            piece = rest + piece
            end = piece.rfind(b" ") + 1 if size else len(piece)
            yield orjson.loads(b'"%b"' % piece[:end])
            rest = piece[end:]

    def _bytes(self, start: int, size: int) -> bytes:
        if hasattr(os, "pread"):
            return os.pread(self._handle, size, start)
        os.lseek(self._handle, start, os.SEEK_SET)
        return os.read(self._handle, size)

    def __del__(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)


class StoredText:
    """The place of a text in a file, and the hash of the text in this process."""

    __slots__ = ("hash", "size", "start", "store")

    def __init__(self, store: FileTextStore, start: int, size: int, hash_: int) -> None:
        self.store, self.start, self.size, self.hash = store, start, size, hash_


class StoredTextResponse(ToolResponse):
    """A response whose result was left in its file. Equal to any response with the same fields."""

    __slots__ = ("_place",)
    _place: Json  # StoredText, or the result itself after ``dataclasses.replace``

    @property
    def result(self) -> Json:
        """The text, read again. Raises InputError if the file has changed."""
        place = self._place
        return place.store.read(place) if type(place) is StoredText else place

    @result.setter
    def result(self, value: Json) -> None:  # called once, by the dataclass
        object.__setattr__(self, "_place", value)

    def of_call(self, call: ToolCall) -> ToolResponse:
        return StoredTextResponse(call.id, call.name, self._place, self.error, self.extra)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ToolResponse):
            return NotImplemented
        return _fields(self) == _fields(other)

    def __hash__(self) -> int:
        return hash(_fields(self))


def content_of(response: ToolResponse) -> Json:
    """Return the result, or its place if it was left in the file. Equal places mean equal texts."""
    return response._place if type(response) is StoredTextResponse else response.result


def _fields(response: ToolResponse) -> tuple[Json, ...]:
    return response.call_id, response.name, response.result, response.error, response.extra
