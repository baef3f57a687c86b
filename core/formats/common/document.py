"""Opens a document, finds its container (lines, array or object), and iterates over its records."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, islice
from pathlib import Path
from typing import TypeAlias

from core.common.errors import InputError
from core.common.json_value import MISSING, Json
from core.formats.common.archives import ArchiveMember, archive_members
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_parsing import KeptNumber, parse_bytes, plain_value
from core.formats.common.json_ranges import (
    InvalidJsonError,
    JsonDocument,
    JsonRecord,
    NoRecordsError,
    read_whole,
)
from core.formats.common.media import LONG, SHORT, trim_images
from core.formats.common.open_document import (
    DocumentLine,
    LongLineError,
    document_length,
    document_lines,
    is_shorter,
    is_zip,
    open_binary,
    open_document,
    read_all,
)
from core.formats.common.refused_files import BLANKS
from core.formats.common.stray_records import without_strays
from core.transcript.model import Progress, SourceDocument

HEAD_LINES = 200
_HEAD_BYTES = 4_000_000
_START = 4096  # bytes
_LEAST_SHARE = 0.05  # share of early lines that must be objects if the first line is JSON
_CHECK_EVERY = 500_000  # bytes

Shorten: TypeAlias = Callable[[Json, bytes, int], None]
"""Takes a value, the bytes it was parsed from, and their start in the document."""


class DocumentContainer(StrEnum):
    LINES = "jsonl"
    ARRAY = "array"
    OBJECT = "object"
    ARCHIVE = "archive"  # a zip; its files are ``OpenedDocument.members``


@dataclass(frozen=True, slots=True)
class OpenedDocument:
    """A document ready for a reader.

    ``head`` holds its first values: parsed lines, elements of the array, or the single object. ``json`` is
    set unless it is lines; a zip has only ``members`` (core.formats.common.archives). ``format`` is the
    chosen format; records of others are left out. ``shorten`` overrides the reader's own (see
    ``iterate_records``).
    """

    document: SourceDocument
    container: DocumentContainer
    head: tuple[Json, ...]
    json: JsonDocument | None = None
    members: tuple[ArchiveMember, ...] = ()
    format: str = ""
    shorten: Shorten | None = None

    @property
    def objects(self) -> tuple[dict[str, Json], ...]:
        return tuple(value for value in self.head if isinstance(value, dict))


def open_transcript(path: Path | str) -> OpenedDocument:
    """Open a document and detect its container by content. Raises InputError."""
    document = open_document(path)
    if is_zip(document):
        return OpenedDocument(document, DocumentContainer.ARCHIVE, (), None, archive_members(document))
    return open_text(document)


def open_text(document: SourceDocument) -> OpenedDocument:
    """Do as ``open_transcript`` for a document that is text."""
    try:
        first = list(islice(document_lines(document), 2))
    except LongLineError:
        if document.packing or not _is_json(document):
            raise
        return _open_value(document)
    if not first:  # emptied since it was checked
        raise InputError(f"{document.name} is empty.", "Choose a transcript that holds at least one record.")
    parsed = parse_bytes(first[0].data)
    if not parsed.error and len(first) > 1:
        return _as_lines(
            document, "is not a transcript: most of its first lines are not JSON objects", _LEAST_SHARE
        )
    if first[0].data[:1] not in b"[{":
        if not parsed.error:
            raise InputError(
                f"{document.name} is JSON, but not a transcript: it holds one {_kind(parsed.value)}.",
                "Choose a transcript in JSON or JSONL.",
            )
        return _as_lines(
            document, f"is not JSON: line {first[0].number} is {parsed.error or 'not an object'}"
        )
    del first, parsed  # free a long line before the file is read again
    return _open_value(document)


def _is_json(document: SourceDocument) -> bool:
    with open_binary(document) as stream:
        return stream.read(_START).removeprefix(BOM_UTF8).lstrip(BLANKS)[:1] in (b"[", b"{")


def _open_value(document: SourceDocument) -> OpenedDocument:
    data = read_all(document)
    try:
        whole = read_whole(data)
    except NoRecordsError as error:
        raise InputError(
            f"{document.name} is JSON, but not a transcript: {error.reason}.",
            "Choose a transcript in JSON or JSONL.",
        ) from error
    except InvalidJsonError as error:
        place = f"line {error.line}, column {error.column}: " if error.line else ""
        return _as_lines(document, f"is not JSON: {place}{error.reason}")
    for record in chain(whole.records or (), *whole.arrays.values()):
        if record.end - record.start >= LONG:
            trim_images(record.value, data[record.start : record.end], record.start)
    if whole.records is not None:
        head = tuple(record.value for record in whole.records[:HEAD_LINES])
        return OpenedDocument(document, DocumentContainer.ARRAY, head, whole)
    return OpenedDocument(document, DocumentContainer.OBJECT, (whole.value,), whole)


def iterate_records(
    opened: OpenedDocument,
    notes: ImportNotes,
    progress: Progress,
    stop: Callable[[], bool],
    shorten: Shorten = trim_images,
    *,
    least: int = LONG,
    kept: KeptNumber | None = None,
) -> Iterator[JsonRecord]:
    """Yield all records in file order: lines, elements of the array, or the single object.

    Lines that are not JSON are noted and skipped. ``stop()`` true ends it with a warning. ``shorten`` removes
    long texts from the value of a line of at least ``least`` bytes; ``kept`` returns the parts of a line's
    value that must be exact, by default all.
    """
    if opened.json is not None:
        note_problems(opened.json, notes)
        records = _whole_records(opened, opened.json)
    else:
        lines = _lines_with_progress(opened.document, notes, progress, stop)
        if opened.shorten is not None:
            shorten, least = opened.shorten, SHORT
        records = _line_records(lines, notes, shorten, least, kept)
    return notes.each(without_strays(records, opened.format, notes))


def _lines_with_progress(
    document: SourceDocument, notes: ImportNotes, progress: Progress, stop: Callable[[], bool]
) -> Iterator[DocumentLine]:
    """Yield the lines of a document, report progress and check ``stop`` regularly."""
    size = document_length(document)
    checked = -_CHECK_EVERY
    for line in document_lines(document, with_ends=True, repaired=notes.repair):
        if line.end - checked >= _CHECK_EVERY:
            checked = line.end
            if stop():
                notes.warn(line.number, "reading was stopped here; the rest of the file was not read")
                return
            progress(min(1.0, line.start / max(1, size)), f"reading line {line.number:,}")
        yield line
    if is_shorter(document):
        notes.warn(0, "the file became shorter while it was read; only the remaining part was read")
    progress(1.0, "read")


def _line_records(
    lines: Iterable[DocumentLine], notes: ImportNotes, shorten: Shorten, least: int, kept: KeptNumber | None
) -> Iterator[JsonRecord]:
    new = tuple.__new__  # at half the cost of JsonRecord(…)
    for line in lines:
        number, start, end, data, _ = line
        value = plain_value(data, kept)
        if value is MISSING and (value := _parse_with_notes(line, notes)) is MISSING:
            continue
        if len(data) >= least:
            shorten(value, data, start)
        yield new(JsonRecord, (number, start, end, value))


def note_problems(whole: JsonDocument, notes: ImportNotes) -> None:
    for line, text in whole.warnings:
        notes.warn(line, text)
    for line, text in whole.repairs:
        notes.repair(line, text)


def _whole_records(opened: OpenedDocument, whole: JsonDocument) -> Iterator[JsonRecord]:
    if whole.records is not None:
        yield from whole.records
    else:
        yield JsonRecord(1, 0, document_length(opened.document), whole.value)


def _parse_with_notes(line: DocumentLine, notes: ImportNotes) -> Json:
    """Return the value of an unusual line; MISSING, with a note, if it has none."""
    data = line.data.rstrip(BLANKS)
    if notes.is_full and data[:1] not in b"{[":  # no record, and no room for a warning
        notes.miss()
        notes.skip("not JSON", line=line.number)
        return MISSING
    parsed = parse_bytes(data)
    if parsed.error:
        writing = parsed.error == "incomplete JSON" and not line.ended
        hint = " (file still being written?)" if writing else "; the line was skipped"
        notes.warn(line.number, f"{parsed.error}{hint}")
        notes.skip("not JSON", line=line.number)
        return MISSING
    if parsed.note:
        notes.repair(line.number, parsed.note)
    return parsed.value


def _head(document: SourceDocument) -> tuple[tuple[Json, ...], int]:
    values: list[Json] = []
    count = 0
    for line in islice(document_lines(document), HEAD_LINES):
        count += 1
        parsed = parse_bytes(line.data)
        if not parsed.error:
            trim_images(parsed.value, line.data, line.start)
            values.append(parsed.value)
        if line.end > _HEAD_BYTES:
            break
    return tuple(values), count


def _kind(value: Json) -> str:
    if value is None:
        return "null"
    return "true or false" if isinstance(value, bool) else "text" if isinstance(value, str) else "number"


def _as_lines(document: SourceDocument, reason: str, share: float = 0.5) -> OpenedDocument:
    """Open a file that is not one JSON value as lines, if that share of early lines are objects."""
    head, count = _head(document)
    if sum(1 for value in head if isinstance(value, dict)) >= share * count:
        return OpenedDocument(document, DocumentContainer.LINES, head)
    raise InputError(f"{document.name} {reason}.", "Choose a transcript in JSON or JSONL.")
