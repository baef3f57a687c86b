"""Collects what a reader notices on its way into one import report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from core.formats.common.json_ranges import JsonRecord
from core.transcript.model import ImportNote, ImportReport

_MOST_WARNINGS = 200
_MOST_CHARACTERS = 300


class ImportNotes:
    """Records read, records skipped by kind, and warnings with their line (0: the whole file)."""

    def __init__(self) -> None:
        self.records = 0
        self._at = 0  # line of the record that is being read
        self._first: dict[str, int] = {}  # line by kind
        self._skipped: Counter[str] = Counter()
        self._warnings: dict[ImportNote, None] = {}
        self._repaired: dict[ImportNote, None] = {}
        self._unsaid = 0

    def each(self, records: Iterable[JsonRecord]) -> Iterator[JsonRecord]:
        """Pass records on; what is skipped meanwhile is skipped at their lines."""
        try:
            for record in records:
                self._at = record.line
                yield record
        finally:
            self._at = 0

    def skip(self, kind: str, count: int = 1, *, line: int = 0) -> None:
        """Count records that are no messages; ``line`` is theirs where it is not the one being read."""
        if kind not in self._skipped:
            kind = plain_line(kind)
            if line := line or self._at:
                self._first.setdefault(kind, line)
        self._skipped[kind] += count

    def warn(self, line: int, text: str) -> None:
        """Add a warning once; a file of nothing but damage does not fill the memory with them."""
        note = ImportNote(line, plain_line(text))
        if note in self._warnings:
            return
        if len(self._warnings) < _MOST_WARNINGS:
            self._warnings[note] = None
        else:
            self._unsaid += 1

    @property
    def is_full(self) -> bool:
        """True where further warnings are counted only."""
        return len(self._warnings) >= _MOST_WARNINGS

    def miss(self) -> None:
        """Count a warning that is not kept."""
        self._unsaid += 1

    def repair(self, line: int, text: str) -> None:
        """Note something that was set right on the way in, once."""
        if len(self._repaired) < _MOST_WARNINGS:
            self._repaired[ImportNote(line, plain_line(text))] = None

    def report(self) -> ImportReport:
        """The report so far; skipped kinds by count, warnings by line."""
        warnings = sorted(self._warnings, key=_line)
        if self._unsaid:
            warnings.append(ImportNote(0, f"and {self._unsaid} more warnings of this file"))
        repaired = tuple(sorted(self._repaired, key=_line))
        skipped = tuple(self._skipped.most_common())
        return ImportReport(self.records, skipped, tuple(warnings), repaired, dict(self._first))


def plain_line(text: str) -> str:
    """The text as one short line that can be shown: words of the file may be in it."""
    if len(text) > _MOST_CHARACTERS:
        text = f"{text[:_MOST_CHARACTERS]}…"
    return text if text.isprintable() else "".join(c if c.isprintable() else " " for c in text)


def _line(note: ImportNote) -> int:
    return note.line
