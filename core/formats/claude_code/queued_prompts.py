"""Prompts typed while Claude Code worked, which some versions store in records of the queue only.

``enqueue`` has the words; ``remove`` says that they were taken in, and there they stand in the
history, unless a row of the user or an attachment has them, too. ``dequeue`` begins a turn with
them, in a row of its own. ``popAll`` gives them back to the person.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from core.formats.claude_code.messages import ClaudeRow, first_text, is_harness_text
from core.formats.common.json_access import coerce_text, string_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.messages import ImportNotes
from core.transcript.model import MessageFlag, Text

QUEUE = "queue-operation"
_TAKEN_IN = "absorbed"
_UNSENT = "queued prompt that was not sent"


@dataclass(slots=True)
class QueuedPrompts:
    """The queue at one place of the file: who waits in it, and who was ``taken`` in and is not in
    the history yet."""

    _waiting: list[ClaudeRow] = field(default_factory=list)
    _taken: list[ClaudeRow] = field(default_factory=list)

    def add_operation(self, record: JsonRecord, parent: str, notes: ImportNotes) -> None:
        """Note a record of the queue; ``parent`` is the uuid of the row before it."""
        operation = record.value.get("operation")
        text = string_of(record.value.get("content")).strip()
        if operation == "enqueue" and text:
            self._waiting.append(_row(record, text))
            return
        first = self._first(text) if operation in ("remove", "dequeue") else None
        if first and operation == "remove" and _is_taken_in(record):
            self._taken.append(first._replace(parent=parent, end=record.source()))
            return
        notes.skip(QUEUE, line=record.line)
        if operation == "popAll":
            self._leave_out(self._waiting, notes)
            self._waiting.clear()
        elif first:
            self._leave_out([first], notes)

    def _first(self, text: str) -> ClaudeRow | None:
        """Take out of the queue what a record names by its ``text``, as newer versions do, else the
        oldest prompt of the person, else the oldest of the harness."""
        if not self._waiting:
            return None
        named = [row for row in self._waiting if text and first_text(row.blocks) == text]
        prompts = [row for row in self._waiting if row.flags is MessageFlag.NONE]
        first = (named or prompts or self._waiting)[0]
        self._waiting.remove(first)
        return first

    def _leave_out(self, rows: Iterable[ClaudeRow], notes: ImportNotes) -> None:
        """Count the records of rows that are no messages."""
        for row in rows:
            for source in filter(None, (row.source, row.end)):
                notes.skip(QUEUE, line=source.line)

    def add_row(self, row: ClaudeRow, notes: ImportNotes) -> list[ClaudeRow]:
        """Note a row, which may have the words of the queue; return the prompts that come before
        it: those that were taken in, once the model answers."""
        if not (self._waiting or self._taken):
            return []
        if not row.is_user:
            return self.rest()
        if not (text := first_text(row.blocks).strip()):  # results, nearly always
            return []
        lines = f"\n{text}\n"  # prompts that waited together are one row
        for queue in (self._taken, self._waiting):
            found = [one for one in queue if f"\n{first_text(one.blocks)}\n" in lines]
            self._leave_out(found, notes)
            queue[:] = [one for one in queue if one not in found]
        return []

    def rest(self) -> list[ClaudeRow]:
        """Return the prompts that were taken in and are not in the history yet."""
        taken, self._taken = self._taken, []
        return taken

    def note_unsent(self, notes: ImportNotes) -> None:
        """Count what stayed in the queue."""
        prompts = [row for row in self._waiting if row.flags is MessageFlag.NONE]
        for row in prompts:
            notes.skip(_UNSENT, line=row.source.line)
        self._leave_out((row for row in self._waiting if row not in prompts), notes)


def _is_taken_in(record: JsonRecord) -> bool:
    """Return whether words left the queue for the model; newer versions give the reason."""
    reason = string_of(record.value.get("reason"))
    return not reason or reason.startswith(_TAKEN_IN)


def _row(record: JsonRecord, text: str) -> ClaudeRow:
    by_harness = is_harness_text(text)
    return ClaudeRow(
        is_user=True,
        uuid="",
        parent="",
        blocks=(Text(text),),
        source=record.source(),
        flags=MessageFlag.META | MessageFlag.CONTEXT if by_harness else MessageFlag.NONE,
        timestamp=coerce_text(record.value.get("timestamp")),
        api_id="",
        extra={},
        is_attachment=True,
    )
