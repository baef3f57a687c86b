"""Links the scrolling of two lists by message identity, with ribbons and a highlight between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QObject, Signal

from core.presentation.lists.row_wording import (
    counterpart_message,
    merge_runs,
    other_side,
    run_at,
    runs_between,
    span_of,
    whole_folds,
)
from core.presentation.model import FateRun
from gui.inspect.lists.message_list import MessageList
from gui.inspect.lists.ribbons import MAX_RIBBONS, Ribbon, RibbonColumn


def visible_ribbons(before: MessageList, after: MessageList, runs: Sequence[FateRun]) -> list[Ribbon]:
    """Return the ribbons that touch a visible row on either side, from real row rectangles."""
    if not runs:
        return []
    numbers = set(runs_between(runs, "before", *before.visible_range()))
    numbers |= set(runs_between(runs, "after", *after.visible_range()))
    top, bottom = before.rows_top(), before.height()
    ribbons: list[Ribbon] = []
    for run in merge_runs(whole_folds([runs[number] for number in sorted(numbers)]), MAX_RIBBONS):
        left, right = before.vertical_span(*run.before), after.vertical_span(*run.after)
        if any(low < bottom and high > top and high > low for low, high in (left, right)):
            ribbons.append(Ribbon(run, left, right))
    return ribbons


def matching_height(source: MessageList, target: MessageList, runs: Sequence[FateRun], y: int) -> int | None:
    """Return the height in ``target`` (in its current coordinates) that matches height ``y`` in ``source``.

    Runs are mapped linearly, so that a kept row meets itself and 245 rows meet the 2 that replaced them; the
    space between two runs (a cut's row) too. None without runs.
    """
    plan, view = source.model.plan, source.view
    row = (y - source.rows_top() + view.verticalScrollBar().value()) // view.row_pixels
    message = plan.message_near(min(max(row, 0), max(len(plan) - 1, 0)))
    number = run_at(runs, source.side, message) if message >= 0 else -1
    if number < 0:
        return None
    low, high = source.vertical_span(*span_of(runs[number], source.side))
    target_low, target_high = target.vertical_span(*span_of(runs[number], target.side))
    if y > high:
        return target_high + (y - high)
    if y < low:
        if number == 0:
            return target_low - (low - y)
        previous = runs[number - 1]
        high, target_high = low, target_low
        low = source.vertical_span(*span_of(previous, source.side))[1]
        target_low = target.vertical_span(*span_of(previous, target.side))[1]
    share = (y - low) / (high - low) if high > low else 0.0
    return target_low + round(share * (target_high - target_low))


class ScrollSync(QObject):
    """Moves the other list when the user scrolls one. ``leader`` is the list that was moved last."""

    view_changed = Signal()  # the visible rows of either list changed
    hovered = Signal(str, int)  # side, message; -1 when the pointer leaves

    def __init__(self, before: MessageList, after: MessageList, ribbons: RibbonColumn) -> None:
        super().__init__(ribbons)
        self._before, self._after, self._ribbons = before, after, ribbons
        self.runs: Sequence[FateRun] = ()
        self.leader = before
        self._is_paused = self._is_highlighted = False
        for side in (before, after):
            side.scrolled.connect(self._on_moved)
            side.hovered.connect(self._on_hovered)
            side.view_changed.connect(self.show_ribbons)
        ribbons.hovered.connect(self._on_ribbon)

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
        with self.paused():
            for side in (self._before, self._after):
                side.scroll_to(span_of(run, side.side)[0], y)
        self.show_ribbons()

    def align_follower(self) -> None:
        """Move the other list so that the row under the pointer meets its counterpart, and the ribbons."""
        leader, follower = self.leader, self.side(other_side(self.leader.side))
        y = leader.rows_top() + leader.view.anchor_height()
        target_y = matching_height(leader, follower, self.runs, y)
        if target_y is not None:
            with self.paused():
                bar = follower.view.verticalScrollBar()
                bar.setValue(bar.value() + target_y - y)
        self.show_ribbons()

    def _on_moved(self) -> None:
        if not self._is_paused:
            self.leader = self._before if self.sender() is self._before else self._after
            self.align_follower()

    def show_ribbons(self) -> None:
        """Show the ribbons between the visible rows."""
        if self._is_paused:
            return
        if self._ribbons.isVisible():
            visible = visible_ribbons(self._before, self._after, self.runs)
            self._ribbons.show_ribbons(visible, self._before.rows_top())
        self.view_changed.emit()

    def clear_highlight(self) -> None:
        """Remove the highlight, because a row may have another counterpart in the new preview."""
        if self._is_highlighted:
            self._highlight("before", -1)

    def _on_hovered(self, index: int) -> None:
        self._highlight("before" if self.sender() is self._before else "after", index)

    def _highlight(self, side: str, index: int) -> None:
        """Highlight a row, its counterpart in the other list, and the ribbon between them."""
        self._is_highlighted = index >= 0
        run = run_at(self.runs, side, index) if index >= 0 else -1
        counterpart = counterpart_message(self.runs, side, index) if index >= 0 else -1
        self._ribbons.set_highlighted(self.runs[run] if run >= 0 else None)
        self.side(side).highlight_messages(index, index + 1)
        self.side(other_side(side)).highlight_messages(counterpart, counterpart + 1)
        self.hovered.emit(side, index)

    def _on_ribbon(self, run: FateRun | None) -> None:
        for side in (self._before, self._after):
            side.highlight_messages(*(span_of(run, side.side) if run is not None else (0, 0)))
