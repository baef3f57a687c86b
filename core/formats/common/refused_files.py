"""Refuses what is plainly no transcript in one sentence: paths that are no readable file, other
content."""

from __future__ import annotations

import codecs
import stat
import tomllib
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import partial
from pathlib import Path
from typing import BinaryIO, NamedTuple

from core.common.errors import InputError
from core.common.json_value import MISSING, Json
from core.formats.common.databases import SQLITE_SIGNATURE
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.messages import ImportNotes


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
        if type(record) is dict:
            names = record.keys()
            for required, conditions in self._shapes:
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
            f"{name} is not a text or JSON file (it looks like {kind or 'binary data'}).",
            "Choose a transcript in JSON or JSONL.",
        )
    text_start = head.removeprefix(codecs.BOM_UTF8).lstrip()[:200].lower()
    if text_start.startswith((b"<!doctype html", b"<html")):
        raise InputError(
            f"{name} is HTML, not JSON: a web page, perhaps an error page saved by a download.",
            "Download the transcript again.",
        )


def _has_zeros(head: bytes) -> bool:
    """Return whether the head has zero bytes, except in later lines of a log, which a crash may
    leave."""
    is_json = head.removeprefix(codecs.BOM_UTF8).lstrip(BLANKS).startswith((b"{", b"["))
    return b"\x00" in (head.partition(b"\n")[0] if is_json else head)


def _binary_kind(head: bytes) -> str:
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
            problem = "is a link to a file that is not there"
        else:
            problem = "was not found"
        return InputError(f"{path} {problem}.", "Check the path.")
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
    import shlex  # late: only for a refusal

    try:
        if any((path / "events").glob("event-*.json")) or any(
            path.glob("event-*.json")
        ):
            name = path.resolve().name
            packed, folder = shlex.quote(f"{name}.zip"), shlex.quote(name)
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
    return f"Choose a session in it; the newest of {len(sessions):,} is {newest.name}."


def _modified_at(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0
