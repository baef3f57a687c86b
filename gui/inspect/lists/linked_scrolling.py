"""Links the scrolling of two lists by message identity, with ribbons between them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from PySide6.QtCore import QObject, Signal

from core.presentation.lists.list_links import merge_runs, other_side, run_at, runs_between, span_of
from core.presentation.model import FateRun
from gui.inspect.lists.message_list import MessageList
from gui.inspect.lists.ribbons import MAX_RIBBONS, Ribbon, RibbonColumn


def visible_ribbons(before: MessageList, after: MessageList, runs: Sequence[FateRun]) -> list[Ribbon]:
    """Return the ribbons that touch a visible row on either side, from real row rectangles; at most MOST."""
    if not runs:
        return []
    run_numbers = set(runs_between(runs, "before", *before.visible_range()))
    run_numbers |= set(runs_between(runs, "after", *after.visible_range()))
    shown = merge_runs([runs[number] for number in sorted(run_numbers)], MAX_RIBBONS)
    top, bottom = before.rows_top(), before.height()
    ribbons: list[Ribbon] = []
    for run in shown:
        left, right = before.vertical_span(*run.before), after.vertical_span(*run.after)
        if any(low < bottom and high > top and high > low for low, high in (left, right)):
            ribbons.append(Ribbon(run, left, right))
    return ribbons


def matching_height(source: MessageList, target: MessageList, runs: Sequence[FateRun], y: int) -> int | None:
    """Return the height in ``target`` (in its current coordinates) that matches height ``y`` in ``source``.

    Runs are mapped linearly, so that a kept row meets itself and 245 rows meet the 2 that replaced them; the
    space between two runs (a cut's row) too. None without runs.
    """
    number = _run_near(source, runs, y)
    if number < 0:
        return None
    low, high = _run_edges(source, runs[number])
    target_low, target_high = _run_edges(target, runs[number])
    if y < low:
        if number == 0:
            return target_low - (low - y)
        previous_low, previous_target = (
            _run_edges(source, runs[number - 1])[1],
            _run_edges(target, runs[number - 1])[1],
        )
        return _interpolate(y, previous_low, low, previous_target, target_low)
    if y > high:
        return target_high + (y - high)
    return _interpolate(y, low, high, target_low, target_high)


def _run_near(source: MessageList, runs: Sequence[FateRun], y: int) -> int:
    """Return the run at a height, or the one below it; -1 without any."""
    height = source.view.delegate.fonts.row_pixels
    row = (y - source.rows_top() + source.view.verticalScrollBar().value()) // height
    message = source.model.plan.message_near(min(max(row, 0), max(len(source.model.plan) - 1, 0)))
    return run_at(runs, source.side, message) if message >= 0 else -1


def _run_edges(side: MessageList, run: FateRun) -> tuple[int, int]:
    return side.vertical_span(*span_of(run, side.side))


def _interpolate(y: int, low: int, high: int, target_low: int, target_high: int) -> int:
    if high <= low:
        return target_low
    return target_low + round((y - low) * (target_high - target_low) / (high - low))


def first_change(runs: Sequence[FateRun], kept_fate: int) -> FateRun | None:
    """Return the first run whose fate is not ``kept_fate``."""
    return next((run for run in runs if run.fate != kept_fate), None)


class ScrollSync(QObject):
    """Moves the other list when the user scrolls one. ``leader`` is the list that was moved last."""

    view_changed = Signal()  # the visible rows of either list changed

    def __init__(self, before: MessageList, after: MessageList, ribbons: RibbonColumn) -> None:
        super().__init__(ribbons)
        self._before, self._after, self._ribbons = before, after, ribbons
        self.runs: Sequence[FateRun] = ()
        self.leader = before
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
        target_y = matching_height(leader, follower, self.runs, y)
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
            visible = visible_ribbons(self._before, self._after, self.runs)
            self._ribbons.show_ribbons(visible, self._before.rows_top())
        self.view_changed.emit()
