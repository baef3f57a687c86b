"""Opens the bytes of a transcript and refuses what cannot be one in one sentence."""

from __future__ import annotations

import codecs
import io
import os
import stat
import sys
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple

from core.common.atomic_file import ends_digest
from core.common.confined_path import open_handle
from core.common.errors import InputError
from core.common.json_value import MISSING, Json
from core.formats.common import compressed_files as packed
from core.formats.common import late
from core.formats.common.compressed_files import (
    MAX_JSON_SIZE,
    check_file_size,
    open_unpacked,
    packing_of,
    read_to_memory,
)
from core.formats.common.databases import SQLITE_SIGNATURE
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.messages import ImportNotes
from core.transcript.model import Source, SourceDocument

# Refuses what is plainly no transcript in one sentence: paths that are no readable file, other
# content.


class _Condition(NamedTuple):
    """A condition on a value; ``texts`` are whole, ``starts`` beginnings; any value if both are
    empty."""

    path: tuple[str, ...]
    texts: tuple[str, ...]
    starts: tuple[str, ...]
    is_absent: bool

    def holds(self, record: Mapping[str, Json]) -> bool:
        value: Json = record.get(self.path[0], MISSING)
        for name in self.path[1:]:
            if isinstance(value, dict):
                value = value.get(name, MISSING)
            else:
                value = MISSING
        if value is MISSING or self.is_absent or not (self.texts or self.starts):
            return (value is MISSING) is self.is_absent
        return isinstance(value, str) and (
            value in self.texts or value.startswith(self.starts)
        )


class RecordShapes:
    """Several shapes, for records that have any of them."""

    def __init__(self, *shapes: str) -> None:
        self._shapes = [_parse_shape(shape) for shape in shapes]

    def match(self, record: Json) -> bool:
        # The exact type is the cheapest check, and parsers make no subclasses.
        if type(record) is dict:
            names = record.keys()
            for required, conditions in self._shapes:
                # A set of names decides nearly all records before a value is looked at.
                if names >= required and (
                    not conditions
                    or all(condition.holds(record) for condition in conditions)
                ):
                    return True
        return False


def _parse_shape(text: str) -> tuple[Set[str], Sequence[_Condition]]:
    """Return the fields that must be there, whatever is in them, and the other conditions."""
    parts = text.split()
    required = frozenset(part for part in parts if part.isidentifier())
    return required, [_parse_condition(part) for part in parts if part not in required]


def _parse_condition(text: str) -> _Condition:
    path, _, values = text.removeprefix("!").partition("=")
    texts = tuple(
        value for value in values.split("|") if value and not value.endswith("*")
    )
    starts = tuple(value[:-1] for value in values.split("|") if value.endswith("*"))
    return _Condition(tuple(path.split(".")), texts, starts, text.startswith("!"))


_DECLARED = tomllib.loads(
    Path(__file__).with_name("record_shapes.toml").read_text("utf-8")
)
UNSUPPORTED_SHAPES = {
    kind: RecordShapes(*shapes) for kind, shapes in _DECLARED["unsupported"].items()
}
_FORMAT_SHAPES = tuple(
    (entry["names"], entry["label"], RecordShapes(*entry["shapes"]))
    for entry in _DECLARED["formats"]
)


class UnreadableKindError(InputError):
    def __init__(self, name: str, kind: str) -> None:
        super().__init__(
            f"{name} looks like {kind}, which Foldline does not read yet.",
            "Choose another file; --format forces a reader.",
        )


def unsupported_kind(
    records: Sequence[Json], *, is_majority_needed: bool = True
) -> str:
    """Return the unsupported kind of at least half of the records (with ``is_majority_needed``
    False: of any), else ""."""
    counts = {
        kind: sum(map(shapes.match, records))
        for kind, shapes in UNSUPPORTED_SHAPES.items()
    }
    kind = max(counts, key=counts.__getitem__)
    return (
        kind
        # A file with a few foreign records is still what most of it is.
        if counts[kind] and (not is_majority_needed or 2 * counts[kind] >= len(records))
        else ""
    )


def unsupported_database_kind(columns: Set[str]) -> str:
    """Return the kind of a database by its columns, "" for any other."""
    databases: Mapping[str, list[str]] = _DECLARED["databases"]
    return next(
        (kind for kind, names in databases.items() if set(names) <= columns), ""
    )


def format_shapes(format: str) -> RecordShapes:
    return next(shapes for formats, _, shapes in _FORMAT_SHAPES if format in formats)


def record_kind(records: Sequence[Json]) -> str:
    """Return the name of the first format whose shape one of these records has; "" if there is
    none."""
    return next(
        (name for _, name, shapes in _FORMAT_SHAPES if any(map(shapes.match, records))),
        "",
    )


def without_foreign_records(
    records: Iterable[JsonRecord], format: str, notes: ImportNotes
) -> Iterable[JsonRecord]:
    """Return the records of a format; foreign ones are counted as skipped, with a warning."""
    # A format without shapes of its own takes everything.
    own_shapes = [shapes for formats, _, shapes in _FORMAT_SHAPES if format in formats]
    if not own_shapes:
        return records
    foreign_shapes_by_name = {
        name: shapes
        for formats, name, shapes in _FORMAT_SHAPES
        if format not in formats
    }
    foreign_shapes_by_name |= UNSUPPORTED_SHAPES
    return filter(
        partial(_belongs_to_format, own_shapes, foreign_shapes_by_name, notes), records
    )


def _belongs_to_format(
    own_shapes: Iterable[RecordShapes],
    foreign_shapes_by_name: Mapping[str, RecordShapes],
    notes: ImportNotes,
    record: JsonRecord,
) -> bool:
    value: Json = record.value
    for shapes in own_shapes:
        # Own shapes first: a record may fit several formats.
        if shapes.match(value):
            return True
    name = next(
        (
            name
            for name, shapes in foreign_shapes_by_name.items()
            if shapes.match(value)
        ),
        "",
    )
    if name:
        notes.warn(record.line, f"a record of another format ({name}); it was skipped")
        notes.skip(f"record of another format ({name})", line=record.line)
    return not name


BLANKS = b" \t\r\n\x0b\x0c"
_HEAD_SIZE = 65536
# The second signature is that of a zip without files.
_ZIP_SIGNATURES = (b"PK\x03\x04", b"PK\x05\x06")
_BINARY_SIGNATURES: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"%PDF", "a PDF document"),
    (SQLITE_SIGNATURE, "an SQLite database"),
    (b"\x7fELF", "a program"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive"),
    (b"\xfd7zXZ\x00", "xz compressed data"),
    (b"BZh", "bzip2 compressed data"),
    # Probably packed twice by mistake; it would also hide a bomb.
    (b"\x1f\x8b", "gzip compressed data inside packed data"),
    (b"\x28\xb5\x2f\xfd", "zst compressed data inside packed data"),
)
_KINDS: Mapping[int, str] = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
}


def is_zip_head(head: bytes) -> bool:
    return head.startswith(_ZIP_SIGNATURES)


def refuse_content(name: str, stream: BinaryIO, path: Path | None = None) -> None:
    """Raise InputError for content that is empty, binary, a web page or a known unsupported kind. A
    zip and a database on disk pass. ``path`` is the unpacked file on disk, if there is one."""
    head = stream.read(_HEAD_SIZE)
    is_blank = not head.removeprefix(codecs.BOM_UTF8).strip(BLANKS)
    # A file may begin with any amount of blank lines.
    while is_blank and (next_bytes := stream.read(_HEAD_SIZE)):
        head = next_bytes.lstrip(BLANKS)
        is_blank = not head
    if is_blank:
        raise InputError(
            f"{name} is empty.", "Choose a transcript that holds at least one record."
        )
    if is_zip_head(head) or (path and head.startswith(SQLITE_SIGNATURE)):
        return
    kind = _binary_kind(head)
    if kind or _has_zeros(head):
        raise InputError(
            f"{name} is not a text file: it looks like {kind or 'binary data'}.",
            "Choose a transcript in JSON or JSONL.",
        )
    # A failed download leaves a web page under the name of the transcript.
    text_start = head.removeprefix(codecs.BOM_UTF8).lstrip()[:200].lower()
    if text_start.startswith((b"<!doctype html", b"<html")):
        raise InputError(
            f"{name} is a web page (HTML), not a transcript; perhaps a download saved an error "
            "page.",
            "Download the transcript again.",
        )


def _has_zeros(head: bytes) -> bool:
    """Return whether the head has zero bytes, except in later lines of a log, which a crash may
    leave."""
    # A crash of the system leaves zeros between records of a log, which can be read around.
    is_json = head.removeprefix(codecs.BOM_UTF8).lstrip(BLANKS).startswith((b"{", b"["))
    return b"\x00" in (head.partition(b"\n")[0] if is_json else head)


def _binary_kind(head: bytes) -> str:
    # The mark of tar stands behind the name of its first file.
    if head[257:262] == b"ustar":
        return "a tar archive; unpack it first"
    return next(
        (kind for signature, kind in _BINARY_SIGNATURES if head.startswith(signature)),
        "",
    )


def not_a_file_error(path: Path, mode: int) -> InputError:
    if stat.S_ISDIR(mode):
        return InputError(
            f"{path.name or path} is a folder, not a transcript.", _folder_hint(path)
        )
    kind = _KINDS.get(stat.S_IFMT(mode), "a special file")
    return InputError(
        f"{path.name} is {kind}, not a file.",
        "Give - as the file to read a transcript from standard input.",
    )


def unreadable_error(path: Path, error: OSError | ValueError) -> InputError:
    if isinstance(error, FileNotFoundError):
        if path.is_symlink():
            problem = f"{path} is a link to a file that is not there."
        else:
            problem = f"There is no file {path}."
        return InputError(problem, "Check the path.")
    if isinstance(error, PermissionError):
        return InputError(
            f"You are not allowed to read {path}.", "Change its permissions or copy it."
        )
    reason = error.strerror if isinstance(error, OSError) else ""
    return InputError(
        f"{path} cannot be read: {(reason or str(error)).lower()}.", "Check the path."
    )


def _folder_hint(path: Path) -> str:
    """Suggest what to open in a folder, worded for command line and window."""
    try:
        if any((path / "events").glob("event-*.json")) or any(
            # The folder of a conversation is what a person has; its events are files of their
            # own.
            path.glob("event-*.json")
        ):
            name = path.resolve().name
            packed = late.shlex.quote(f"{name}.zip")
            folder = late.shlex.quote(name)
            return (
                f"It is an OpenHands conversation: zip it and choose the zip (zip -r {packed} "
                f"{folder})."
            )
        sessions = [file for file in path.glob("*.jsonl") if file.is_file()]
    except OSError:
        sessions = []
    if not sessions:
        return "Choose a file in it."
    newest = max(sessions, key=_modified_at)
    if len(sessions) == 1:
        return f"Choose the session in it: {newest.name}."
    return f"Choose a session in it; the newest .jsonl file of {len(sessions):,} is {newest.name}."


def _modified_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


_BUFFER = 1 << 20
_START_SIZE = 4096  # bytes
_ZEROS = BLANKS + b"\0"
_ENCODINGS: tuple[tuple[bytes, str], ...] = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_GUESSED_RATIO = 8  # a packed transcript is about an eighth of itself
_BRACE = ord("{")
STDIN = "-"


class LongLineError(InputError):
    """A line is longer than the limit."""


class DocumentLine(
    NamedTuple
):  # faster than a dataclass; there are hundreds of thousands
    """One line of a document without its line end: number from 1, byte range, bytes."""

    number: int
    start: int
    end: int
    data: bytes
    has_line_end: bool  # False for a last line without a line end


def open_document(path: Path | str) -> SourceDocument:
    """Open a path ("-": standard input). Raises InputError for content that cannot be JSON. gzip
    and zst files are read in place. Files in UTF-16 or UTF-32 become UTF-8 in memory: the document
    then has ``data``, and byte ranges refer to that. Bytes appended to the file later are not
    read."""
    if str(path) == STDIN:
        # One byte more than the limit tells that there is more.
        data = sys.stdin.buffer.read(packed.MAX_JSON_SIZE + 1)
        check_file_size("standard input", len(data))
        return utf8_document(
            SourceDocument(name="standard input", path=None, data=data)
        )
    if isinstance(path, str):
        path = Path(path)
    try:
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise not_a_file_error(path, status.st_mode)
        # Files in /proc have the size 0 and bytes nevertheless.
        if not status.st_size and _gives_bytes(path) and not path.stat().st_size:
            raise not_a_file_error(path, 0)
        with path.open("rb") as file:
            head = file.read(_HEAD_SIZE)
            digest = ends_digest(file, status.st_size)
    except (OSError, ValueError) as error:
        raise unreadable_error(path, error) from error
    document = SourceDocument(
        name=path.name,
        path=path,
        data=None,
        size=status.st_size,
        mtime_ns=status.st_mtime_ns,
        ends_digest=digest,
        packing=packing_of(head),
    )
    return utf8_document(document)


def _gives_bytes(path: Path) -> bool:
    """Return True if a file without a size has bytes or waits for them, as those of a kernel in
    /proc do."""
    # A pipe without a writer would wait for ever.
    handle = open_handle(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    # The mark of a waiting file is None, not an empty read.
    with open(handle, "rb", buffering=0) as file:
        return file.read(1) != b""  # None: it waits


def utf8_document(document: SourceDocument) -> SourceDocument:
    """Return the document in UTF-8, with its packing. Raises InputError if it is not text."""
    if document.data is not None:
        if document.path:
            size = document.size
        else:
            size = len(document.data)
        document = replace(document, size=size, packing=packing_of(document.data))
    head = first_bytes(document)
    # UTF-32 begins with the bytes of UTF-16, so it is looked for first.
    encoding = next((name for mark, name in _ENCODINGS if head.startswith(mark)), "")
    if encoding:
        data = _decode(document.name, read_all(document), encoding)
        document = replace(document, data=data, packing="", member="")
    with open_binary(document) as stream:
        refuse_content(
            document.name,
            stream,
            None if document.data is not None or document.packing else document.path,
        )
    return document


def is_zip(document: SourceDocument) -> bool:
    return is_zip_head(first_bytes(document))


def is_database(document: SourceDocument) -> bool:
    """Return whether a file on disk is a database of SQLite."""
    if document.data is not None or document.packing:
        return False
    with open_binary(document) as stream:
        return stream.read(len(SQLITE_SIGNATURE)) == SQLITE_SIGNATURE


def first_bytes(document: SourceDocument, blanks: bytes = b"") -> bytes:
    """Return the first four bytes; with ``blanks`` the first one that is none of these."""
    with open_binary(document) as stream:
        if not blanks:
            return stream.read(4)
        return stream.read(_START_SIZE).removeprefix(codecs.BOM_UTF8).lstrip(blanks)[:1]


def open_binary(document: SourceDocument) -> BinaryIO:
    """Open the document as a binary stream; the caller closes it."""
    stream: BinaryIO
    if document.data is not None:
        stream = io.BytesIO(document.data)
    else:
        assert document.path is not None, "a document has a path or data"
        try:
            stream = document.path.open("rb", buffering=_BUFFER)
        except OSError as error:
            raise unreadable_error(document.path, error) from error
    if not document.packing:
        return stream
    return open_unpacked(document.name, stream, document.packing, document.member)


def document_length(document: SourceDocument) -> int:
    """Return the bytes of the document as it was opened; for a packed file an estimate, for
    progress."""
    if document.packing:
        return _unpacked_size(document)
    if document.data is not None:
        return len(document.data)
    return document.size


def _unpacked_size(document: SourceDocument) -> int:
    """Return about how many bytes are in a packed file: from its trailer, else a guess."""
    guess = _GUESSED_RATIO * document.size
    # Only gzip writes the size at its end.
    if (
        document.packing != "gzip"
        or document.size < 4
        or document.path is None
        or document.data is not None
    ):
        return guess
    try:
        with document.path.open("rb") as file:
            file.seek(document.size - 4)
            # Modulo 4 GB, of the last member.
            size = int.from_bytes(file.read(4), "little")
    except OSError:
        return guess
    # Above 4 GB the figure begins at 0 again.
    return size if size > document.size else guess


def read_all(document: SourceDocument, max_size: int = 0) -> bytes:
    """Return all unpacked bytes of the document as it was opened. Raises InputError if they are too
    many. ``max_size`` limits bytes from packed data, by default to the limit of one JSON value."""
    if document.data is not None and not document.packing:
        return document.data
    if not document.packing:
        check_file_size(document.name, document.size)
    with open_binary(document) as stream:
        if document.packing:
            return read_to_memory(
                document.name, stream, max_size or packed.MAX_SIZE_IN_MEMORY
            )
        return stream.read(document.size)


def read_part(document: SourceDocument, start: int, end: int) -> bytes:
    """Return unpacked bytes ``start`` to ``end``; in a packed file all before them is unpacked,
    too."""
    with open_binary(document) as stream:
        if document.packing:
            # Packed data has no places; it is unpacked up to there.
            while start > 0 and (skipped_size := len(stream.read(min(start, _BUFFER)))):
                start = start - skipped_size
                end = end - skipped_size
        else:
            stream.seek(start)
        return stream.read(max(0, end - start))


def document_lines(
    document: SourceDocument,
    *,
    with_ends: bool = False,
    on_repair: Callable[[int, str], None] | None = None,
) -> Iterator[DocumentLine]:
    """Yield the lines of a document that are not blank, up to its size when it was opened. Only LF
    ends a line. ``with_ends`` leaves it in ``data`` if that saves a copy. ``on_repair`` is called
    with number and message for lines that begin with zeros, as a crash leaves them. Raises
    LongLineError."""
    # Hundreds of thousands of lines are made, so each call counts.
    new_tuple = tuple.__new__  # at half the cost of DocumentLine(…)
    is_bounded = document.data is None and not document.packing
    end = 0
    document_end = document.size if is_bounded else sys.maxsize
    with open_binary(document) as stream:
        for number, data in enumerate(
            iter(partial(stream.readline, packed.MAX_LINE_SIZE + 1), b""), 1
        ):
            start = end
            end = end + len(data)
            # Nearly always.
            if data[0] == _BRACE and end <= document_end and data.endswith(b"}\n"):
                yield new_tuple(
                    DocumentLine,
                    (number, start, end - 1, data if with_ends else data[:-1], True),
                )
                continue
            # The agent may write on; what came after the opening is not part of it.
            if end > document_end:  # the file has grown since
                data = data[: document_end - start]
                end = document_end
            if len(data) > packed.MAX_LINE_SIZE and not data.endswith(b"\n"):
                raise _long_line_error(document, number)
            body = data.lstrip(BLANKS)
            if body[:1] == b"\0":  # a crash leaves zeros in front of later records
                body = body.lstrip(_ZEROS) or body
                if body[0] and on_repair is not None:
                    on_repair(number, "zero bytes in front of the record were left out")
            while body.startswith(codecs.BOM_UTF8):  # some files have two
                body = body.removeprefix(codecs.BOM_UTF8).lstrip(BLANKS)
            body_start = end - len(body)
            body = body.rstrip(BLANKS)
            if body:
                yield DocumentLine(
                    number,
                    body_start,
                    body_start + len(body),
                    body,
                    data.endswith(b"\n"),
                )
            if end >= document_end:
                return


def has_shrunk(document: SourceDocument) -> bool:
    """Return whether a file has lost bytes since it was opened."""
    if document.data is not None or document.path is None:
        return False
    try:
        return document.path.stat().st_size < document.size
    except OSError:
        # The handle still has all bytes of the old file.
        return False  # removed or replaced: the open file was read to its end


def _long_line_error(document: SourceDocument, number: int) -> LongLineError:
    hint = "Remove that line, then open the file."
    if document.packing:
        hint = f"Unpack it{', then' if number == 1 else ', remove that line, then'} open the file."
    return LongLineError(
        f"Line {number:,} of {document.name} is longer than {packed.MAX_LINE_SIZE >> 20} MB, and "
        "Foldline reads no longer one.",
        hint,
    )


def _decode(name: str, data: bytes, encoding: str) -> bytes:
    try:
        # Probably some files written on Windows hold half of a pair, which JSON takes.
        return data.decode(encoding).encode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} begins as text in {encoding.upper()}, but byte {error.start} is damaged.",
            "Save it again as UTF-8.",
        ) from error


def read_source(document: SourceDocument, source: Source) -> bytes:
    """Return the bytes of one record, without a line end. Raises InputError."""
    return read_range(document, source.start, source.end)


def read_range(document: SourceDocument, start: int, end: int) -> bytes:
    """Return bytes ``start`` to ``end`` of the document (UTF-8, unpacked). Raises InputError."""
    check_unchanged(document)
    return read_part(document, start, end)


def read_line(document: SourceDocument, number: int) -> DocumentLine:
    """Return the line of that number (from 1), repaired as by ``document_lines``. Raises
    InputError."""
    check_unchanged(document)
    line = next(
        (line for line in document_lines(document) if line.number >= number), None
    )
    if line is None or line.number > number:
        raise _changed_error(document)
    return line


def read_document(document: SourceDocument) -> bytes:
    """Return all bytes (UTF-8, unpacked) of the document as it was opened. Raises InputError."""
    check_unchanged(document)
    return read_all(document, MAX_JSON_SIZE)


def check_unchanged(document: SourceDocument) -> None:
    """Raise InputError if the file has changed since it was opened, other than grown."""
    if not is_same_or_grown(document):
        raise _changed_error(document)


def _changed_error(document: SourceDocument) -> InputError:
    return InputError(
        f"{document.name} was changed or removed after Foldline read it.",
        "Open it again.",
    )


def is_same_or_grown(document: SourceDocument) -> bool:
    """Return whether the bytes that a document had when it was opened are still there."""
    if document.data is not None or document.path is None:
        return True
    try:
        with document.path.open("rb") as file:
            status = os.fstat(file.fileno())
            if (status.st_size, status.st_mtime_ns) == (
                document.size,
                document.mtime_ns,
            ):
                return True
            # A log that has grown still has its old bytes, which its ends prove.
            return (
                status.st_size > document.size
                and ends_digest(file, document.size) == document.ends_digest
            )
    except OSError:
        return False
