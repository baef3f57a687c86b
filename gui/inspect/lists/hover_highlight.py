"""Highlights the row under the pointer, its counterpart in the other list, and the ribbon between them."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.presentation.lists.list_links import counterpart_message, other_side, run_at, span_of
from core.presentation.model import FateRun
from gui.inspect.lists.linked_scrolling import ScrollSync
from gui.inspect.lists.ribbons import RibbonColumn


class HoverHighlight(QObject):
    """Follows the pointer in two lists and the ribbons between them."""

    hovered = Signal(str, int)  # side, message; -1 when the pointer leaves

    def __init__(self, lists: ScrollSync, ribbons: RibbonColumn) -> None:
        super().__init__(ribbons)
        self._lists, self._ribbons, self._is_highlighted = lists, ribbons, False
        lists.side("before").hovered.connect(self._on_before)
        lists.side("after").hovered.connect(self._on_after)
        ribbons.hovered.connect(self._on_ribbon)

    def clear(self) -> None:
        """Remove the highlight, because a row may have another counterpart in the new preview."""
        if self._is_highlighted:
            self._hover("before", -1)

    def _on_before(self, index: int) -> None:
        self._hover("before", index)

    def _on_after(self, index: int) -> None:
        self._hover("after", index)

    def _hover(self, side: str, index: int) -> None:
        self._is_highlighted, runs = index >= 0, self._lists.runs
        run_index = run_at(runs, side, index) if index >= 0 else -1
        counterpart = counterpart_message(runs, side, index) if index >= 0 else -1
        self._ribbons.set_highlighted(runs[run_index] if run_index >= 0 else None)
        self._lists.side(side).highlight_messages(index, index + 1)
        self._lists.side(other_side(side)).highlight_messages(counterpart, counterpart + 1)
        self.hovered.emit(side, index)

    def _on_ribbon(self, run: FateRun | None) -> None:
        for side in ("before", "after"):
            self._lists.side(side).highlight_messages(*(span_of(run, side) if run is not None else (0, 0)))
