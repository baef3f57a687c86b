"""Reads the records of the source again: first the few fields that a writer goes by, then those it
writes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from typing import BinaryIO

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.common.json_access import string_of
from core.formats.common.json_parsing import parse_bytes
from core.formats.common.message_lists import iterate_source_records
from core.formats.common.open_document import read_document
from core.formats.writing.plain_text import dump_json
from core.transcript.model import Conversation, SourceDocument


@dataclass(frozen=True, slots=True)
class _Source:
    stream: BinaryIO
    name: str
    is_array: bool


@dataclass(frozen=True, slots=True)
class SourceLine:
    """A record of the source that is an object, from byte ``start`` to ``end``. ``fields`` are
    those of its own fields that were asked for; the rest stays in the file."""

    start: int
    end: int
    fields: Mapping[str, Json]
    _source: _Source

    @property
    def data(self) -> bytes:
        """The record on one line: its bytes, unless it is an element of an array or holds line
        breaks."""
        data = b"" if self._source.is_array else self._read()
        return data if data and b"\n" not in data else dump_json(self.value)

    @property
    def value(self) -> dict[str, Json]:
        """The record, parsed anew. Raises InputError if the file changed."""
        value = parse_bytes(self._read()).value
        if not isinstance(value, dict):
            raise InputError(
                f"{self._source.name} changed since it was read.", "Open it again, then export."
            )
        return value

    def text(self, name: str) -> str:
        """Return one of the ``fields`` that is a text, "" if it is absent or no text."""
        return string_of(self.fields.get(name))

    def _read(self) -> bytes:
        self._source.stream.seek(self.start)
        return self._source.stream.read(self.end - self.start)


@contextmanager
def source_lines(
    conversation: Conversation, names: Sequence[str]
) -> Iterator[Iterator[SourceLine]]:
    """Open the source and yield its records that are objects, in file order, each with the fields
    ``names``.

    Raises InputError if the file changed. The records can be read as long as the source is open.
    """
    is_array = conversation.layout.get("container") == "array"
    with _open_source(conversation.document) as stream:
        source = _Source(stream, conversation.document.name, is_array)
        yield (
            SourceLine(record.start, record.end, _chosen(record.value, names), source)
            for record in iterate_source_records(conversation)
            if isinstance(record.value, dict)
        )


def _chosen(value: Mapping[str, Json], names: Sequence[str]) -> dict[str, Json]:
    return {name: value[name] for name in names if name in value}


def _open_source(document: SourceDocument) -> BinaryIO:
    """Open the bytes that records refer to: packed ones are unpacked in memory, as no part can be
    reached."""
    if document.path is None or document.data is not None or document.packing:
        return BytesIO(read_document(document))
    return document.path.open("rb")
