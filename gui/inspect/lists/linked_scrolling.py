"""Two lists that scroll as one: linked by identity, with ribbons between them."""

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
    """Moves the other list when a person moves one. ``lead`` is the list that was moved last."""

    view_changed = Signal()  # other rows are in sight in either list

    def __init__(self, before: MessageList, after: MessageList, ribbons: RibbonColumn) -> None:
        super().__init__(ribbons)
        self._before, self._after, self._ribbons = before, after, ribbons
        self.runs: Sequence[FateRun] = ()
        self.lead = before
        self._sight = VisibleRibbons()
        self._is_held = False
        before.scrolled.connect(self._on_before_moved)
        after.scrolled.connect(self._on_after_moved)
        for side in (before, after):
            side.view_changed.connect(self.show_ribbons)

    def side(self, side: str) -> MessageList:
        """The list of a side, "before" or "after"."""
        return self._before if side == "before" else self._after

    @contextmanager
    def held(self) -> Iterator[None]:
        """What happens inside moves one list without the other."""
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False

    def go_to(self, run: FateRun, y: int) -> None:
        """Let a run start ``y`` pixels below the top of the rows in both lists."""
        for side in (self._before, self._after):
            self.bring(side, run, y)
        self.show_ribbons()

    def bring(self, side: MessageList, run: FateRun, y: int) -> None:
        """The same in one list alone."""
        with self.held():
            side.scroll_to(span_of(run, side.side)[0], y)

    def follow(self) -> None:
        """Move the other list so that the row under the pointer meets its counterpart, and the ribbons."""
        self._follow()
        self.show_ribbons()

    def _follow(self) -> None:
        lead, other = self.lead, self.side(other_side(self.lead.side))
        y = lead.rows_top() + lead.anchor_y()
        goal = self._sight.height(lead, other, self.runs, y) if self.runs else None
        if goal is not None:
            with self.held():
                bar = other.view.verticalScrollBar()
                bar.setValue(bar.value() + goal - y)

    def _on_before_moved(self) -> None:
        self._moved(self._before)

    def _on_after_moved(self) -> None:
        self._moved(self._after)

    def _moved(self, lead: MessageList) -> None:
        if not self._is_held:
            self.lead = lead
            self._follow()

    def show_ribbons(self) -> None:
        """The bands between the rows that are in sight now."""
        if self._is_held:
            return
        if self._ribbons.isVisible():
            bands = self._sight.ribbons(self._before, self._after, self.runs)
            self._ribbons.show_ribbons(bands, self._before.rows_top())
        self.view_changed.emit()
