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
        self._lists, self._ribbons, self._is_lit = lists, ribbons, False
        lists.side("before").hovered.connect(self._on_before)
        lists.side("after").hovered.connect(self._on_after)
        ribbons.hovered.connect(self._on_ribbon)

    def fade(self) -> None:
        """Remove the highlight, because a row may have another counterpart in the new preview."""
        if self._is_lit:
            self._hover("before", -1)

    def _on_before(self, index: int) -> None:
        self._hover("before", index)

    def _on_after(self, index: int) -> None:
        self._hover("after", index)

    def _hover(self, side: str, index: int) -> None:
        self._is_lit, runs = index >= 0, self._lists.runs
        place = run_at(runs, side, index) if index >= 0 else -1
        goal = counterpart_message(runs, side, index) if index >= 0 else -1
        self._ribbons.set_hot(runs[place] if place >= 0 else None)
        self._lists.side(side).set_glow(index, index + 1)
        self._lists.side(other_side(side)).set_glow(goal, goal + 1)
        self.hovered.emit(side, index)

    def _on_ribbon(self, run: FateRun | None) -> None:
        for side in ("before", "after"):
            self._lists.side(side).set_glow(*(span_of(run, side) if run is not None else (0, 0)))
