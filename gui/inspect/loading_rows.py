"""The page while a file is read: rows as they come, before any preview."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from core.presentation.lists.row_wording import rows_so_far
from core.presentation.model import RowsReadEvent
from gui.inspect.lists.aligned_list import AlignedList
from gui.inspect.ruler.ruler_widget import Ruler
from gui.inspect.verdict_line import VerdictLine

RULER_UPDATE_MS = 300
"""Pause between updates of the ruler while rows arrive."""


class LoadingRows(QObject):
    """Shows rows in the before list at once, their number in the verdict, and the ruler
    periodically, until a preview is shown."""

    def __init__(self, verdict: VerdictLine, ruler: Ruler, lists: AlignedList) -> None:
        super().__init__(ruler)
        self._verdict, self._ruler, self._lists = verdict, ruler, lists
        self._generation = 0
        self._ruler_timer = QTimer(self, singleShot=True, interval=RULER_UPDATE_MS)
        self._ruler_timer.timeout.connect(self._update_ruler)

    @property
    def is_active(self) -> bool:
        """True while rows of a file without a preview are shown."""
        return self._generation > 0

    def stop(self) -> None:
        """Stop, because a preview or nothing replaces the rows."""
        self._generation = 0

    def show_rows(self, part: RowsReadEvent) -> None:
        """Add rows, or start with those of another file."""
        if part.generation != self._generation:
            self._generation = part.generation
            self._verdict.clear()
            self._ruler.clear()
            self._lists.set_rows(part.rows)
        else:
            self._lists.append_rows(part)
        self._verdict.show_messages_so_far(rows_so_far(self._lists.rows))
        is_counted = any(tokens >= 0 for tokens in part.rows.tokens[-1:])
        if is_counted and not self._ruler_timer.isActive():
            self._ruler_timer.start()

    def _update_ruler(self) -> None:
        if self.is_active:
            self._ruler.show_counted_rows(self._lists.rows)
