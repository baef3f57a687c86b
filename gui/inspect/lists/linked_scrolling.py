"""Links the scrolling of two lists by message identity, with ribbons between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QObject, Signal

from core.presentation.lists.list_links import other_side, span_of
from core.presentation.model import FateRun
from gui.inspect.lists.message_list import MessageList
from gui.inspect.lists.ribbons import RibbonColumn
from gui.inspect.lists.visible_links import VisibleRibbons


class ScrollSync(QObject):
    """Moves the other list when the user scrolls one. ``leader`` is the list that was moved last."""

    view_changed = Signal()  # the visible rows of either list changed

    def __init__(self, before: MessageList, after: MessageList, ribbons: RibbonColumn) -> None:
        super().__init__(ribbons)
        self._before, self._after, self._ribbons = before, after, ribbons
        self.runs: Sequence[FateRun] = ()
        self.leader = before
        self._visible_ribbons = VisibleRibbons()
        self._is_paused = False
        before.scrolled.connect(self._on_before_moved)
        after.scrolled.connect(self._on_after_moved)
        for side in (before, after):
            side.view_changed.connect(self.show_ribbons)

    def side(self, side: str) -> MessageList:
        return self._before if side == "before" else self._after

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Move one list inside this context without moving the other."""
        self._is_paused = True
        try:
            yield
        finally:
            self._is_paused = False

    def go_to(self, run: FateRun, y: int) -> None:
        """Scroll both lists so that a run starts ``y`` pixels below the top of the rows."""
        for side in (self._before, self._after):
            self.scroll_other(side, run, y)
        self.show_ribbons()

    def scroll_other(self, side: MessageList, run: FateRun, y: int) -> None:
        with self.paused():
            side.scroll_to(span_of(run, side.side)[0], y)

    def align_follower(self) -> None:
        """Move the other list so that the row under the pointer meets its counterpart, and the ribbons."""
        self._scroll_follower()
        self.show_ribbons()

    def _scroll_follower(self) -> None:
        leader, follower = self.leader, self.side(other_side(self.leader.side))
        y = leader.rows_top() + leader.anchor_y()
        target_y = self._visible_ribbons.height(leader, follower, self.runs, y) if self.runs else None
        if target_y is not None:
            with self.paused():
                bar = follower.view.verticalScrollBar()
                bar.setValue(bar.value() + target_y - y)

    def _on_before_moved(self) -> None:
        self._on_moved(self._before)

    def _on_after_moved(self) -> None:
        self._on_moved(self._after)

    def _on_moved(self, moved_list: MessageList) -> None:
        if not self._is_paused:
            self.leader = moved_list
            self._scroll_follower()

    def show_ribbons(self) -> None:
        """Show the ribbons between the visible rows."""
        if self._is_paused:
            return
        if self._ribbons.isVisible():
            visible = self._visible_ribbons.ribbons(self._before, self._after, self.runs)
            self._ribbons.show_ribbons(visible, self._before.rows_top())
        self.view_changed.emit()
