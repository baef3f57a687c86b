"""Collects a reader's notes into one import report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from core.formats.common.json_parsing import JsonRecord
from core.transcript.model import ImportNote, ImportReport

_MAX_WARNINGS = 200
_MAX_CHARACTERS = 300


class ImportNotes:
    """Records read, records skipped by kind, and warnings with their line (0: the whole file)."""

    def __init__(self) -> None:
        self.records = 0
        self._current_line = 0  # line of the current record
        self._first_lines: dict[str, int] = {}  # line by kind
        self._skipped: Counter[str] = Counter()
        self._warnings: dict[ImportNote, None] = {}
        self._repaired: dict[ImportNote, None] = {}
        self._dropped_count = 0

    def track_lines(self, records: Iterable[JsonRecord]) -> Iterator[JsonRecord]:
        """Yield the records; records skipped meanwhile are noted at their lines."""
        try:
            for record in records:
                self._current_line = record.line
                yield record
        finally:
            self._current_line = 0

    def skip(self, kind: str, count: int = 1, *, line: int = 0) -> None:
        """Count records that are no messages; ``line`` is theirs unless it is the one being read."""
        if kind not in self._skipped:
            kind = plain_line(kind)
            if line := line or self._current_line:
                self._first_lines.setdefault(kind, line)
        self._skipped[kind] += count

    def warn(self, line: int, text: str) -> None:
        """Add a warning once, up to a limit, so that a damaged file does not fill the memory."""
        note = ImportNote(line, plain_line(text))
        if note in self._warnings:
            return
        if len(self._warnings) < _MAX_WARNINGS:
            self._warnings[note] = None
        else:
            self._dropped_count += 1

    def repair(self, line: int, text: str) -> None:
        """Note once a defect that was repaired while reading."""
        if len(self._repaired) < _MAX_WARNINGS:
            self._repaired[ImportNote(line, plain_line(text))] = None

    def report(self) -> ImportReport:
        """Return the report so far; skipped kinds by count, warnings by line."""
        warnings = sorted(self._warnings, key=lambda note: note.line)
        if self._dropped_count:
            warnings.append(ImportNote(0, f"and {self._dropped_count} more warnings of this file"))
        repaired = tuple(sorted(self._repaired, key=lambda note: note.line))
        skipped = tuple(self._skipped.most_common())
        return ImportReport(self.records, skipped, tuple(warnings), repaired, dict(self._first_lines))


def plain_line(text: str) -> str:
    """Return the text as one short printable line; it may quote the file."""
    if len(text) > _MAX_CHARACTERS:
        text = f"{text[:_MAX_CHARACTERS]}…"
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)
