"""Commands about the lists that the window sends to the worker: filter, marks, copies, named runs."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QObject, Signal

from core.app.services.list_commands import (
    CompareRunsCommand,
    CopyMessageCommand,
    FilterRowsCommand,
    ListCommand,
    NameRunCommand,
    PinConstraintsCommand,
    SetPinCommand,
    ToggleMarkCommand,
)
from core.presentation.filter.query import PinsChangedEvent
from core.presentation.lists.model import MarksChangedEvent, MessageCopiedEvent, RowsFilteredEvent

LIST_SIGNALS: Mapping[type, str] = {
    RowsFilteredEvent: "filtered",
    MarksChangedEvent: "marked",
    PinsChangedEvent: "pinned",
    MessageCopiedEvent: "copied",
}
"""The signal for each type of event."""


class ListSessionCommands(QObject):
    """Each method sends one command; the answers arrive as signals."""

    filtered = Signal(object)  # Filtered
    marked = Signal(object)  # Marked
    pinned = Signal(object)  # Pinned
    copied = Signal(object)  # Copied

    def _send(self, command: ListCommand) -> int:
        raise NotImplementedError

    def filter_rows(self, text: str) -> None:
        """Filter the messages by a query; answered by ``filtered``."""
        self._send(FilterRowsCommand(text))

    def toggle_mark(self, side: str, index: int) -> None:
        """Mark or unmark a message; answered by ``marked``."""
        self._send(ToggleMarkCommand(side, index))

    def set_pin(self, side: str, index: int, kind: str, note: str = "") -> None:
        """Pin or unpin a message, or set its note; answered by ``pinned``."""
        self._send(SetPinCommand(side, index, kind, note))

    def pin_constraints(self) -> None:
        """Pin every message in which the user gave a rule; answered by ``pinned``."""
        self._send(PinConstraintsCommand())

    def copy_message(self, side: str, index: int, form: str) -> None:
        """Request a message as text; answered by ``copied``."""
        self._send(CopyMessageCommand(side, index, form))

    def name_run(self, number: str, name: str) -> None:
        self._send(NameRunCommand(number, name))

    def compare_runs(self, a: str, b: str) -> None:
        """Show two runs as before and after."""
        self._send(CompareRunsCommand(a, b))
