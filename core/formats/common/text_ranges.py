"""Long results of a large file: left in the file, read again where they are asked for.

Of a session of hundreds of megabytes a fifth is text of results, of which strategies read little. Of it
only the place in the file is held and the hash of the text; whoever asks for ``result`` gets the text as
ever, or the sentence that the file has changed. Smaller files are held as they are.
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
"""Bytes from which on a file keeps its long results."""
LONG = 1_024
"""Characters of a long result."""
_PIECE = 1 << 20  # bytes


class FileTextStore:
    """One file that texts are left in. It stays open, so that a file that is moved can still be read."""

    def __init__(self, document: SourceDocument) -> None:
        self._name, self._path = document.name, document.path
        self._is_used = document.data is None and not document.packing and document.size >= LARGE
        self._handle = -1
        self._last: tuple[int, str] = (-1, "")

    @property
    def least(self) -> int:
        """Bytes from which on a record may hold something to leave in the file, or to trim."""
        return LONG if self._is_used else TRIMMED

    def leave(self, text: str, data: bytes, start: int) -> str | StoredText:
        """The text, or its place where it can be left: it stands in ``data``, from byte ``start`` of the
        file, as it would be written. Any place with the same text will do."""
        if len(text) < LONG or not self._is_used:
            return text
        try:
            written = orjson.dumps(text)
        except TypeError:  # half a character
            return text
        at = find_long(data, written)
        if at < 0 or not self._is_open():
            return text
        return StoredText(self, start + at + 1, len(written) - 2, hash(text))  # without the quotes

    def read(self, place: StoredText) -> str:
        """The text at a place. InputError where it is not there any more."""
        start, text = self._last
        if start == place.start:
            return text
        self._last, text = (-1, ""), ""  # two of them may be long
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
        """The text, a long one piece by piece: a blank is part of no other character and no escape."""
        rest = b""
        while size and (found := self._bytes(start, min(size, _PIECE))):
            start, size = start + len(found), size - len(found)
            found = rest + found
            end = found.rfind(b" ") + 1 if size else len(found)
            yield orjson.loads(b'"%b"' % found[:end])
            rest = found[end:]

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

    __slots__ = ("hash", "shelf", "size", "start")

    def __init__(self, shelf: FileTextStore, start: int, size: int, hash_: int) -> None:
        self.shelf, self.start, self.size, self.hash = shelf, start, size, hash_


class StoredTextResponse(ToolResponse):
    """A response whose result is a text left in its file. Equal to any response with the same fields."""

    __slots__ = ("_place",)
    _place: Json  # Shelved; the result itself in what ``dataclasses.replace`` makes of one

    @property
    def result(self) -> Json:
        """The text, read again. Raises InputError where the file has changed."""
        place = self._place
        return place.shelf.read(place) if type(place) is StoredText else place

    @result.setter
    def result(self, value: Json) -> None:  # for the dataclass, which sets it once
        object.__setattr__(self, "_place", value)

    def of_call(self, call: ToolCall) -> ToolResponse:
        """The same response, with the id and name of its call."""
        return StoredTextResponse(call.id, call.name, self._place, self.error, self.extra)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ToolResponse):
            return NotImplemented
        return _fields(self) == _fields(other)

    def __hash__(self) -> int:
        return hash(_fields(self))


def content_of(response: ToolResponse) -> Json:
    """The result as it is held: where it was left in the file, that place. Responses with the very same one
    have the same text."""
    return response._place if type(response) is StoredTextResponse else response.result


def _fields(response: ToolResponse) -> tuple[Json, ...]:
    return response.call_id, response.name, response.result, response.error, response.extra
