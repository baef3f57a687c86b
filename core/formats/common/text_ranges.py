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
from core.formats.common.media import MIN_TRIMMED_SIZE as TRIMMED
from core.formats.common.media import find_text_bytes
from core.transcript.model import SourceDocument, ToolCall, ToolResponse

MIN_FILE_SIZE = 200 << 20
"""Bytes of a file from which its long results stay in it."""
MIN_TEXT_LENGTH = 1_024
"""Characters of a long result."""
_PIECE_SIZE = 1 << 20  # bytes


class FileTextStore:
    """A file that texts are left in. It stays open, so that a moved file can still be read."""

    def __init__(self, document: SourceDocument) -> None:
        self._name, self._path = document.name, document.path
        self._is_used = document.data is None and not document.packing and document.size >= MIN_FILE_SIZE
        self._handle = -1
        self._last_read: tuple[int, str] = (-1, "")

    @property
    def min_record_size(self) -> int:
        """Bytes from which a record may hold a text to leave in the file, or to trim."""
        return MIN_TEXT_LENGTH if self._is_used else TRIMMED

    def store_text(self, text: str, data: bytes, start: int) -> str | StoredText:
        """Return the text's place if its JSON form is in ``data``, from byte ``start`` of the file; else the
        text. Any place with the same text will do."""
        if len(text) < MIN_TEXT_LENGTH or not self._is_used:
            return text
        try:
            text_json = orjson.dumps(text)
        except TypeError:  # a lone surrogate
            return text
        at = find_text_bytes(data, text_json)
        if at < 0 or not self._is_open():
            return text
        return StoredText(self, start + at + 1, len(text_json) - 2, hash(text))  # without the quotes

    def read(self, stored_text: StoredText) -> str:
        """Return the text at a place. Raises InputError if it is not there any more."""
        start, text = self._last_read
        if start == stored_text.start:
            return text
        self._last_read, text = (-1, ""), ""  # frees a long text before the next is read
        try:
            text = "".join(self._pieces(stored_text.start, stored_text.size))
        except (OSError, orjson.JSONDecodeError):
            text = ""
        if hash(text) != stored_text.hash:
            raise InputError(f"{self._name} has changed since it was read.", "Open it again.")
        self._last_read = (stored_text.start, text)
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
        unread_end = b""
        while size and (piece := self._read_bytes(start, min(size, _PIECE_SIZE))):
            start, size = start + len(piece), size - len(piece)
            piece = unread_end + piece
            end = piece.rfind(b" ") + 1 if size else len(piece)
            yield orjson.loads(b'"%b"' % piece[:end])
            unread_end = piece[end:]

    def _read_bytes(self, start: int, size: int) -> bytes:
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
        stored_text = self._place
        return stored_text.store.read(stored_text) if type(stored_text) is StoredText else stored_text

    @result.setter
    def result(self, value: Json) -> None:  # called once, by the dataclass
        object.__setattr__(self, "_place", value)

    def with_call(self, call: ToolCall) -> ToolResponse:
        return StoredTextResponse(call.id, call.name, self._place, self.error, self.extra)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ToolResponse):
            return NotImplemented
        return _fields(self) == _fields(other)

    def __hash__(self) -> int:
        return hash(_fields(self))


def result_or_place(response: ToolResponse) -> Json:
    """Return the result, or its place if it was left in the file. Equal places mean equal texts."""
    return response._place if type(response) is StoredTextResponse else response.result


def _fields(response: ToolResponse) -> tuple[Json, ...]:
    return response.call_id, response.name, response.result, response.error, response.extra
