"""Reads what is whole in damaged lines of a JSONL file: a record behind a start that was cut off,
several records on one line, and a record whose texts hold line breaks that were not escaped.

What is found must have the fields of the file's other records, so that no part of a record is taken
for one.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import islice
from typing import TypeAlias

import orjson

from core.common.json_value import MISSING, Json
from core.formats.common.json_parsing import JsonRecord, parse_bytes, parse_clean_json
from core.formats.common.messages import ImportNotes
from core.formats.common.open_document import DocumentLine, document_lines, read_part
from core.formats.common.refused_files import BLANKS
from core.transcript.model import SourceDocument

Trim: TypeAlias = Callable[[Json, bytes, int], None]
_KNOWN_RECORDS = 200  # first lines whose fields are noted
_MIN_COMMON = 2  # least fields that a record has in common with others
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
    if is_unfinished:
        hint = " (file still being written?)"
    else:
        hint = "; the line was skipped"
    notes.warn(line.number, f"{error}{hint}")
    notes.skip("not JSON", line=line.number)


class _LookAhead(Iterator[DocumentLine]):
    """Lines that can be put back."""

    def __init__(self, lines: Iterable[DocumentLine]) -> None:
        self._lines, self._waiting = iter(lines), deque[DocumentLine]()

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
                line.number, "a part of a record stands behind a whole one"
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
            or next(iter(value)) not in self._starts
        ):
            return False
        common = sum(name in self._names for name in value)
        return common >= _MIN_COMMON and 2 * common >= len(value)

    def _leading(self, line: DocumentLine, data: bytes) -> Iterator[JsonRecord]:
        """Yield the whole records with which a line begins."""
        text, at = data.decode("utf-8", "surrogateescape"), 0
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
                line.number, line.start + start, line.start + start + length, value
            )
            at = end

    def _at_end(self, line: DocumentLine, data: bytes, start: int) -> JsonRecord | None:
        """Return the whole record with which a line ends."""
        view, at = memoryview(data), start
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
            if self._is_record(parse_clean_json(body)):
                break
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
        self._failures += 1
        self.lines.put_back(taken)
        return []


_DECODER = json.JSONDecoder(strict=False)


def _size(first: DocumentLine, last: DocumentLine) -> int:
    return last.start + len(last.data.rstrip(BLANKS)) - first.start


def _ends_in_text(data: bytes) -> bool:
    """Return whether a line breaks off inside a text."""
    try:
        json.loads(data.decode("utf-8", "replace"), strict=False)
    except json.JSONDecodeError as error:
        return error.msg.startswith("Unterminated string")
    except (ValueError, RecursionError):
        return False
    return False
