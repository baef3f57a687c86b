"""Shows the rows of a transcript while it is read and counted, before any preview."""

from __future__ import annotations

from PySide6.QtCore import QObject, QTimer

from core.presentation import loading_screen
from core.presentation.model import RowsReadEvent
from gui.inspect.lists.list_pair import LinkedLists
from gui.inspect.ruler.ruler_widget import Ruler

RULER_UPDATE_MS = 300
"""Pause between updates of the ruler while rows arrive."""


class LoadingRows(QObject):
    """Shows rows in the before list at once and in the ruler periodically, until a preview is shown."""

    def __init__(self, ruler: Ruler, lists: LinkedLists) -> None:
        super().__init__(ruler)
        self._ruler, self._lists = ruler, lists
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
            self._ruler.clear()
            self._lists.set_rows(part.rows, loading_screen.rows_so_far(part.rows), loading_screen.COUNTING)
        else:
            self._lists.append_rows(part)
        is_counted = any(tokens >= 0 for tokens in part.rows.tokens[-1:])
        if is_counted and not self._ruler_timer.isActive():
            self._ruler_timer.start()

    def _update_ruler(self) -> None:
        if self.is_active:
            self._ruler.show_counted_rows(self._lists.before.rows)
