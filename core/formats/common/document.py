"""Opens a document, finds its container (lines, array or object), and iterates over its records."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.common.damaged_lines import line_records
from core.formats.common.databases import open_database
from core.formats.common.json_parsing import (
    InvalidJsonError,
    JsonDocument,
    JsonRecord,
    NoRecordsError,
    parse_bytes,
    parse_json_document,
)
from core.formats.common.media import trim_images
from core.formats.common.messages import ImportNotes
from core.formats.common.open_document import (
    DocumentLine,
    LongLineError,
    document_length,
    document_lines,
    first_bytes,
    has_shrunk,
    is_database,
    is_zip,
    open_document,
    read_all,
)
from core.formats.common.refused_files import BLANKS, without_foreign_records
from core.transcript.model import Progress, SourceDocument

if TYPE_CHECKING:
    from core.formats.common.archives import ArchiveMember

_LINES_KEY = "loglines"
"""Field of an object that holds the lines of a session's log, as Claude Code on the web gives
them."""
_TEXT_STARTS = (b"# aider chat started at ",)
_TEXT_LINES = (b"user:", b"assistant:")
_JSON_STARTS = (b"{", b"[")
HEAD_LINES = 200
_HEAD_BYTES = 4_000_000
_MIN_OBJECT_SHARE = (
    0.05  # share of early lines that must be objects if the first line is JSON
)
_CHECK_EVERY = 500_000  # bytes


class DocumentContainer(StrEnum):
    LINES = "jsonl"
    ARRAY = "array"
    OBJECT = "object"
    ARCHIVE = "archive"  # a zip; its files are ``OpenedDocument.members``
    # that is no JSON, of a kind that a reader knows by its ``OpenedDocument.first_line``
    TEXT = "text"
    DATABASE = "database"  # of SQLite; ``OpenedDocument.columns`` tells whose


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenedDocument:
    """A document ready for a reader. ``head`` holds its first values: parsed lines, elements of the
    array, or the single object. ``json`` is set unless it is lines; a zip has only ``members``, a
    database only ``columns``. ``format`` is the chosen format; records of others are left out."""

    document: SourceDocument
    container: DocumentContainer
    head: tuple[Json, ...]
    json: JsonDocument | None = None
    members: tuple[ArchiveMember, ...] = ()
    format: str = ""
    columns: frozenset[str] = frozenset()
    first_line: str = (
        ""  # of a text; of a history of aider the one that starts its first chat
    )

    @property
    def objects(self) -> tuple[dict[str, Json], ...]:
        return tuple(value for value in self.head if isinstance(value, dict))

    @property
    def layout(self) -> dict[str, Json]:
        """The layout (FORMATS.md) of a conversation whose records are all those of the document."""
        is_array = self.container is DocumentContainer.ARRAY
        return {"container": "array" if is_array else "jsonl", "path": []}


def open_transcript(path: Path | str, *, is_forced: bool = False) -> OpenedDocument:
    """Open a document and detect its container by content. ``is_forced``: a reader was chosen by
    hand, which tries text that holds no JSON, too. Raises InputError."""
    return open_container(open_document(path), is_forced=is_forced)


def open_container(
    document: SourceDocument, *, is_forced: bool = False
) -> OpenedDocument:
    """Do as ``open_transcript`` for a document in UTF-8, a zip or a database."""
    if is_zip(document):
        from core.formats.common.archives import (
            archive_members,
        )  # late: few transcripts are zipped

        return OpenedDocument(
            document=document,
            container=DocumentContainer.ARCHIVE,
            head=(),
            json=None,
            members=archive_members(document),
        )
    if document.path and is_database(document):
        with open_database(document.path) as database:
            return OpenedDocument(
                document=document,
                container=DocumentContainer.DATABASE,
                head=(),
                columns=database.columns,
            )
    try:
        return open_text(document)
    except NotATranscriptError:
        if not is_forced:
            raise
        return OpenedDocument(
            document=document, container=DocumentContainer.LINES, head=()
        )


def open_text(document: SourceDocument) -> OpenedDocument:
    """Do as ``open_transcript`` for a document that is text."""
    try:
        first = list(islice(document_lines(document), 2))
    except LongLineError:
        if document.packing or first_bytes(document, BLANKS) not in (b"[", b"{"):
            raise
        return _open_value(document)
    if not first:  # emptied since it was checked
        raise InputError(
            f"{document.name} is empty.",
            "Choose a transcript that holds at least one record.",
        )
    if first_line := _text_line(document, first[0].data):
        return OpenedDocument(
            document=document,
            container=DocumentContainer.TEXT,
            head=(),
            first_line=first_line.decode("utf-8", "replace"),
        )
    parsed = parse_bytes(first[0].data)
    if not parsed.error and len(first) > 1:
        problem = "is not a transcript: most of its first lines are not JSON objects"
        return _open_lines(document, problem, _MIN_OBJECT_SHARE)
    if first[0].data[:1] in b"[{":
        del first, parsed  # free a long line before the file is read again
        return _open_value(document)
    if parsed.error:
        return _open_lines(
            document, f"is not JSON: line {first[0].number} is {parsed.error}"
        )
    kind = {type(None): "null", bool: "true or false", str: "text"}.get(
        type(parsed.value), "number"
    )
    raise NotATranscriptError(
        document, f"is JSON, but not a transcript: it holds one {kind}"
    )


def _text_line(document: SourceDocument, first: bytes) -> bytes:
    """Return the line by which a text is known, b"" for other content: its first one, or one of the
    first that starts a chat."""
    if first.strip() in _TEXT_LINES:
        return first
    if first.lstrip()[:1] in _JSON_STARTS:
        return b""
    lines = islice(document_lines(document), HEAD_LINES)
    return next(
        (line.data for line in lines if line.data.startswith(_TEXT_STARTS)), b""
    )


class NotATranscriptError(InputError):
    """Text that holds no records."""

    def __init__(self, document: SourceDocument, problem: str) -> None:
        super().__init__(
            f"{document.name} {problem}.", "Choose a transcript in JSON or JSONL."
        )


def _open_value(document: SourceDocument) -> OpenedDocument:
    data = read_all(document)
    try:
        json_document = parse_json_document(data)
    except NoRecordsError as error:
        problem = f"is JSON, but not a transcript: {error.reason}"
        raise NotATranscriptError(document, problem) from error
    except InvalidJsonError as error:
        if error.line:
            position = f"line {error.line}, column {error.column}: "
        else:
            position = ""
        return _open_lines(document, f"is not JSON: {position}{error.reason}")
    if json_document.records is None and (
        lines := json_document.arrays.get(_LINES_KEY)
    ):
        json_document = replace(json_document, records=lines)
    for record in chain(json_document.records or (), *json_document.arrays.values()):
        trim_images(record.value, data[record.start : record.end], record.start)
    if json_document.records is not None:
        head = tuple(record.value for record in json_document.records[:HEAD_LINES])
        return OpenedDocument(
            document=document,
            container=DocumentContainer.ARRAY,
            head=head,
            json=json_document,
        )
    return OpenedDocument(
        document=document,
        container=DocumentContainer.OBJECT,
        head=(json_document.value,),
        json=json_document,
    )


def _open_lines(
    document: SourceDocument, problem: str, min_share: float = 0.5
) -> OpenedDocument:
    """Open a file that is not one JSON value as lines, if that share of early lines are objects."""
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
    if sum(isinstance(value, dict) for value in values) < min_share * count:
        if values and all(isinstance(value, list) for value in values):
            raise InputError(
                f"{document.name} has a list in each line, which no known format has.",
                'Put each list under "messages" of an object, or write one list to a file.',
            )
        raise NotATranscriptError(document, problem)
    return OpenedDocument(
        document=document, container=DocumentContainer.LINES, head=tuple(values)
    )


def iterate_records(
    file: OpenedDocument,
    notes: ImportNotes,
    progress: Progress,
    stop: Callable[[], bool],
) -> Iterator[JsonRecord]:
    """Yield all records in file order: lines, elements of the array, or the single object. Lines
    that are not JSON are noted and skipped. ``stop()`` true ends it with a warning."""
    records: Iterable[JsonRecord]
    if file.json is None:
        lines = _lines_with_progress(file.document, notes, progress, stop)
        records = line_records(file.document, lines, notes, trim_images)
    else:
        note_problems(file.json, notes)
        whole = JsonRecord(1, 0, document_length(file.document), file.json.value)
        if file.json.records is None:
            records = (whole,)
        else:
            records = file.json.records
    return notes.track_lines(without_foreign_records(records, file.format, notes))


def object_records(
    file: OpenedDocument,
    notes: ImportNotes,
    progress: Progress,
    stop: Callable[[], bool],
) -> Iterator[JsonRecord]:
    """Yield and count the records that are objects; others are skipped with a warning."""
    for record in iterate_records(file, notes, progress, stop):
        notes.records += 1
        if isinstance(record.value, dict):
            yield record
        else:
            notes.warn(
                record.line, "the line is JSON but not an object; it was skipped"
            )
            notes.skip("not an object")


def _lines_with_progress(
    document: SourceDocument,
    notes: ImportNotes,
    progress: Progress,
    stop: Callable[[], bool],
) -> Iterator[DocumentLine]:
    """Yield the lines of a document, report progress and check ``stop`` regularly."""
    size = document_length(document)
    checked_end = -_CHECK_EVERY
    for line in document_lines(document, with_ends=True, on_repair=notes.repair):
        if line.end - checked_end >= _CHECK_EVERY:
            checked_end = line.end
            if stop():
                notes.warn(
                    line.number,
                    "reading was stopped here; the rest of the file was not read",
                )
                return
            progress(
                min(1.0, line.start / max(1, size)), f"reading line {line.number:,}"
            )
        yield line
    if has_shrunk(document):
        notes.warn(
            0,
            "the file became shorter while it was read; only the remaining part was read",
        )
    progress(1.0, "read")


def note_problems(json_document: JsonDocument, notes: ImportNotes) -> None:
    for line, text in json_document.warnings:
        notes.warn(line, text)
    for line, text in json_document.repairs:
        notes.repair(line, text)
