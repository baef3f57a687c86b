"""Opens a document, finds its container (lines, array or object), and iterates over its records."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, fields, is_dataclass, replace
from enum import StrEnum
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import orjson

from core.common.errors import InputError
from core.common.json_value import MISSING, Json
from core.formats.common.archives import archive_members
from core.formats.common.databases import open_database
from core.formats.common.json_parsing import (
    InvalidJsonError,
    JsonDocument,
    JsonRecord,
    NoRecordsError,
    parse_bytes,
    parse_clean_json,
    parse_json_document,
)
from core.formats.common.messages import ImportNotes
from core.formats.common.open_document import (
    BLANKS,
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
    read_part,
    read_range,
    without_foreign_records,
)
from core.transcript.images import (
    DIGEST_MARK,
    header_part,
    media_data,
    media_digest,
)
from core.transcript.model import Message, Progress, SourceDocument

if TYPE_CHECKING:
    from core.formats.common.archives import ArchiveMember


# Leaves long base64 of images in the file, with what is needed to find it again.
#
# A session may hold hundreds of megabytes of images, and only their size is counted. Their text
# is replaced by its beginning and a digest; ``restore_images`` reads it again for an export.


MIN_TRIMMED_SIZE = 65_536
"""Bytes: shorter records and shorter base64 stay unchanged."""

# The fields in which all known formats keep base64.
_DATA_FIELDS = ("data", "base64", "url", "image_url")
# Images may share their header; this much tells most of them apart.
_SEARCH_PREFIX_SIZE = 100  # bytes
# A hostile file must not exhaust the stack.
_MAX_DEPTH = 20  # levels of JSON that are searched for images


class TruncatedText(str):
    """The beginning of a long text and its digest; the text is ``size`` bytes from ``start`` of the
    document. Two are equal if the whole texts are."""

    __slots__ = ("size", "start")
    start: int
    size: int


def trim_images(value: Json, data: bytes, start: int) -> None:
    """Replace the long base64 of images in a value just parsed from ``data`` at byte ``start``.
    Only text that appears verbatim in ``data`` is replaced."""
    # Measured in bytes first: nearly all records are short, and a walk of each costs time.
    if len(data) < MIN_TRIMMED_SIZE:
        return
    stack: list[tuple[Json, int]] = [(value, 0)]
    search_start = 0
    while stack:
        container, depth = stack.pop()
        if isinstance(container, dict):
            search_start = _trim_fields(container, data, start, search_start)
            container = [*container.values()]
        if isinstance(container, list) and depth < _MAX_DEPTH:
            stack.extend(
                (item, depth + 1)
                # Reversed for the stack, so that texts are found in the order of the file.
                for item in reversed(container)
                if isinstance(item, dict | list)
            )


def _trim_fields(
    item: dict[str, Json], data: bytes, start: int, search_start: int
) -> int:
    """Trim the media of an object; return where in ``data`` to search next."""
    if not media_data(item):
        return search_start
    for key in _DATA_FIELDS:
        text = item.get(key)
        if (
            type(text) is str
            and len(text) >= MIN_TRIMMED_SIZE
            # Only pure base64 stands in the file as it is in memory; other text may be escaped.
            and text.isascii()
            and " " not in text
        ):
            at = find_text_bytes(data, text.encode(), search_start)
            if at >= 0:
                trimmed_text = TruncatedText(
                    f"{header_part(text)}{DIGEST_MARK}{media_digest(text)}"
                )
                trimmed_text.start = start + at
                trimmed_text.size = len(text)
                item[key] = trimmed_text
                search_start = at + len(text)
    return search_start


def find_text_bytes(data: bytes, text: bytes, search_start: int = 0) -> int:
    """Return where a long text is in ``data``, from ``search_start`` on or anywhere; -1 if it is
    not."""
    # A search for a short text is much faster.
    found_at = data.find(text[:_SEARCH_PREFIX_SIZE], search_start)
    if found_at >= 0 and data.startswith(text, found_at):
        return found_at
    found_at = data.find(text, search_start)
    if found_at >= 0:
        return found_at
    # Fields that were read in another order than written are found from the beginning.
    return data.find(text, 0, search_start + len(text))


def text_length(text: str) -> int:
    """Return the characters of a text, of the whole one if it is trimmed."""
    if isinstance(text, TruncatedText):
        return text.size
    return len(text)


def restore_images(message: Message, document: SourceDocument) -> Message:
    """Return the message with every trimmed text read again; the same object if there is none.
    Raises InputError if the file has changed."""
    if message.sources and all(
        source.end - source.start < MIN_TRIMMED_SIZE for source in message.sources
    ):
        return message  # short records are never trimmed

    def read(text: str) -> str:
        if not isinstance(text, TruncatedText):
            return text
        return read_range(document, text.start, text.start + text.size).decode()

    result: Message = map_texts(message, read)
    return result


def map_texts(value: Any, change: Callable[[str], str], depth: int = 0) -> Any:
    """Apply ``change`` to each text in a frozen dataclass, tuple, list, dict or text; what holds no
    changed text is returned as the same object."""
    if isinstance(value, str):
        return change(value)
    if depth > _MAX_DEPTH + 10:
        return value
    if is_dataclass(value) and not isinstance(value, type):
        old = {item.name: getattr(value, item.name) for item in fields(value)}
        changed = _changed_entries(old, change, depth)
        if changed:
            return replace(value, **changed)
        return value
    if type(value) is dict:
        changed = _changed_entries(value, change, depth)
        if changed:
            return {**value, **changed}
        return value
    if type(value) in (list, tuple):
        return _map_items(value, change, depth)
    return value


def _map_items(value: Any, change: Callable[[str], str], depth: int) -> Any:
    items = [map_texts(item, change, depth + 1) for item in value]
    is_unchanged = all(item is old for item, old in zip(items, value, strict=True))
    if is_unchanged:
        return value
    return type(value)(items)


def _changed_entries(
    entries: Mapping[Any, Any], change: Callable[[str], str], depth: int
) -> dict[Any, Any]:
    """Return the entries that are another object after ``map_texts``."""
    changed = {}
    for name, item in entries.items():
        new = map_texts(item, change, depth + 1)
        if new is not item:
            changed[name] = new
    return changed


# Reads what is whole in damaged lines of a JSONL file: a record behind a start that was cut off,
# several records on one line, and a record whose texts hold line breaks that were not escaped.
#
# What is found must have the fields of the file's other records, so that no part of a record is
# taken for one.


Trim: TypeAlias = Callable[[Json, bytes, int], None]
_KNOWN_RECORDS = 200  # first lines whose fields are noted
_MIN_COMMON = 2  # least fields that a record has in common with others
# Damage repeats itself: each of these limits ends a search that finds nothing.
_MAX_STARTS = 2_000  # objects of a line that are tried
_MAX_LINES, _MAX_SIZE = 1_000, 16_000_000  # of a record with line breaks
_MAX_TRIES, _MAX_FAILURES = 20, 50  # for one record, for a file


def line_records(
    document: SourceDocument,
    lines: Iterable[DocumentLine],
    notes: ImportNotes,
    trim: Trim | None = None,
) -> Iterator[JsonRecord]:
    """Yield the records of the lines of a document. Lines without one are noted and left out;
    ``trim`` gets each value with its bytes and their place."""
    waiting = _LookAhead(lines)
    mender = _LineMender(document, waiting, notes)
    for line in waiting:
        value = parse_clean_json(line.data)
        if value is MISSING:
            # Probably blanks are cut so that an error at the end counts as unfinished.
            parsed = parse_bytes(line.data.rstrip(BLANKS))
            if parsed.error:
                mended = mender.records(line)
                yield from mended
                if not mended:
                    _note_error(line, parsed.error, notes)
                continue
            if parsed.note:
                notes.repair(line.number, parsed.note)
            value = parsed.value
        if trim is not None:
            trim(value, line.data, line.start)
        yield JsonRecord(line.number, line.start, line.end, value)


def _note_error(line: DocumentLine, error: str, notes: ImportNotes) -> None:
    """Note a line that holds no record."""
    is_unfinished = error == "incomplete JSON" and not line.has_line_end
    # The agent writes while the file is read, so a half last line is no damage.
    if is_unfinished:
        hint = " (file still being written?)"
    else:
        hint = "; the line was skipped"
    notes.warn(line.number, f"{error}{hint}")
    notes.skip("not JSON", line=line.number)


class _LookAhead(Iterator[DocumentLine]):
    """Lines that can be put back."""

    def __init__(self, lines: Iterable[DocumentLine]) -> None:
        self._lines = iter(lines)
        self._waiting = deque[DocumentLine]()

    def __next__(self) -> DocumentLine:
        if self._waiting:
            return self._waiting.popleft()
        return next(self._lines)

    def put_back(self, lines: Iterable[DocumentLine]) -> None:
        self._waiting.extendleft(reversed([*lines]))


@dataclass(slots=True)
class _LineMender:
    document: SourceDocument
    lines: _LookAhead
    notes: ImportNotes
    _starts: set[str] = field(default_factory=set)  # first fields of records
    _names: set[str] = field(default_factory=set)  # all of their fields
    _failures: int = 0

    def records(self, line: DocumentLine) -> list[JsonRecord]:
        """Return the whole records of a line that is not JSON, and of the lines that continue
        it."""
        self._learn()
        data = line.data.rstrip(BLANKS)
        found = [*self._leading(line, data)]
        if found:
            rest = found[-1].end - line.start
        else:
            rest = 0
        if (behind := self._at_end(line, data, rest)) is not None:
            found.append(behind)
            if behind.start - line.start > rest:
                self.notes.repair(
                    line.number,
                    "a record that was cut off stands in front of a whole one",
                )
        if found and behind is None and rest < len(data):
            self.notes.repair(
                line.number, "a part of a record stands after a whole one"
            )
        if len(found) > 1:
            self.notes.repair(line.number, f"{len(found)} records stand on one line")
        return found or self._with_line_breaks(line, data)

    def _learn(self) -> None:
        """Note the fields of the first clean records."""
        for line in islice(
            document_lines(self.document), 0 if self._starts else _KNOWN_RECORDS
        ):
            value = parse_clean_json(line.data)
            if isinstance(value, dict) and value:
                self._starts.add(next(iter(value)))
                self._names.update(value)

    def _is_record(self, value: Json) -> bool:
        if (
            not isinstance(value, dict)
            or not value
            # A part of a record may be valid JSON, but does not begin like a record.
            or next(iter(value)) not in self._starts
        ):
            return False
        common = sum(name in self._names for name in value)
        # Half of the fields: newer records have fields that the first lines lack.
        return common >= _MIN_COMMON and 2 * common >= len(value)

    def _leading(self, line: DocumentLine, data: bytes) -> Iterator[JsonRecord]:
        """Yield the whole records with which a line begins."""
        # Broken bytes must keep their length, or all places behind them are wrong.
        text = data.decode("utf-8", "surrogateescape")
        at = 0
        while text.startswith("{", at):
            try:
                value, end = _DECODER.raw_decode(text, at)
            except (ValueError, RecursionError):
                return
            if not self._is_record(value):
                return
            start, length = (
                len(part.encode("utf-8", "surrogateescape"))
                for part in (text[:at], text[at:end])
            )
            yield JsonRecord(
                # Places are bytes, the decoder counts characters.
                line.number,
                line.start + start,
                line.start + start + length,
                value,
            )
            at = end

    def _at_end(self, line: DocumentLine, data: bytes, start: int) -> JsonRecord | None:
        """Return the whole record with which a line ends."""
        # A view saves a copy of the rest for each try.
        view = memoryview(data)
        at = start
        for _ in range(_MAX_STARTS if data.endswith(b"}") else 0):
            at = data.find(b'{"', at + 1)
            if at < 0:
                return None
            try:
                value = orjson.loads(view[at:])
            except orjson.JSONDecodeError:
                continue
            if self._is_record(value):
                return JsonRecord(
                    line.number, line.start + at, line.start + len(data), value
                )
        return None

    def _with_line_breaks(self, line: DocumentLine, data: bytes) -> list[JsonRecord]:
        """Return the record that a line begins and later ones continue."""
        if (
            self._failures >= _MAX_FAILURES
            # A last line without an end is still being written.
            or not line.has_line_end
            or not _ends_in_text(data)
        ):
            return []
        taken: list[DocumentLine] = []
        tries = 0
        for following in self.lines:
            taken.append(following)
            if (
                len(taken) > _MAX_LINES
                or following.end - line.start > _MAX_SIZE
                or tries > _MAX_TRIES
            ):
                break
            body = following.data.rstrip(BLANKS)
            # A whole record here means that the broken one ended without a rest.
            if self._is_record(parse_clean_json(body)):
                break
            # Only a line that could end the record is worth parsing all again.
            if body.endswith(b"}"):
                tries += 1
                value = parse_bytes(
                    read_part(self.document, line.start, following.end)
                ).value
                if self._is_record(value):
                    self.notes.repair(
                        line.number,
                        f"line breaks in a text; {len(taken) + 1} lines are one record",
                    )
                    return [
                        JsonRecord(
                            line.number,
                            line.start,
                            line.start + _size(line, following),
                            value,
                        )
                    ]
        # A file of broken lines would be read once for each of them.
        self._failures += 1
        # The lines were read ahead and have to be read as they are.
        self.lines.put_back(taken)
        return []


# Raw line breaks in a text are taken, as some agents write them.
_DECODER = json.JSONDecoder(strict=False)


def _size(first: DocumentLine, last: DocumentLine) -> int:
    return last.start + len(last.data.rstrip(BLANKS)) - first.start


def _ends_in_text(data: bytes) -> bool:
    """Return whether a line breaks off inside a text."""
    try:
        # The parser of the standard library says where it broke off.
        json.loads(data.decode("utf-8", "replace"), strict=False)
    except json.JSONDecodeError as error:
        return error.msg.startswith("Unterminated string")
    except (ValueError, RecursionError):
        return False
    return False


_LINES_KEY = "loglines"
"""Field of an object that holds the lines of a session's log, as Claude Code on the web gives
them."""
_TEXT_STARTS = (b"# aider chat started at ",)
_TEXT_LINES = (b"user:", b"assistant:")
_JSON_STARTS = (b"{", b"[")
HEAD_LINES = 200
_HEAD_BYTES = 4_000_000
# Logs of a program may stand between records; a first JSON line tells enough.
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
        # Detection would guess; a reader chosen by hand may know better.
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
        # A file that is one JSON value on one line may be longer than a line of a log may be.
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
    # JSON on the first line with more behind it are lines, whatever follows.
    if not parsed.error and len(first) > 1:
        problem = "is not a transcript: most of its first lines are not JSON objects"
        return _open_lines(document, problem, _MIN_OBJECT_SHARE)
    if first[0].data[:1] in b"[{":
        del first, parsed  # free a long line before the file is read again
        return _open_value(document)
    if parsed.error:
        return _open_lines(
            document, f"is not a transcript: line {first[0].number} is {parsed.error}"
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
    # Only text that begins with no JSON may have a chat further on.
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
            position = f"in line {error.line}, column {error.column}, "
        else:
            position = ""
        # JSON that does not parse may be lines whose first one is broken.
        return _open_lines(document, f"is not JSON: {position}{error.reason}")
    if json_document.records is None and (
        lines := json_document.arrays.get(_LINES_KEY)
    ):
        json_document = replace(json_document, records=lines)
    # Trimmed at once: the whole text is freed with the data.
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
        # The first megabytes are enough to judge by, and a line alone may hold them.
        if line.end > _HEAD_BYTES:
            break
    if sum(isinstance(value, dict) for value in values) < min_share * count:
        if values and all(isinstance(value, list) for value in values):
            raise InputError(
                f"{document.name} has a list in each line. No known format has that.",
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
        # Asked by bytes and not by lines, which may be short or long.
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
    # Only the end of the file is gone then; what was read is right.
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
