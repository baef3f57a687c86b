"""Computes the visible ribbons between two lists, and matching heights for linked scrolling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from core.presentation.bounded_cache import RecentCache
from core.presentation.lists.list_links import merge_runs, other_side, run_at, runs_between, span_of
from core.presentation.model import FateRun
from gui.inspect.lists.message_list import MessageList
from gui.inspect.lists.painted_rows import CACHED_PAGES
from gui.inspect.lists.ribbons import MAX_RIBBONS, Ribbon

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _CachedRibbons(Generic[_T]):
    """A value computed for two pages of rows; ``key`` is everything it depends on."""

    key: tuple[object, ...]
    value: _T


def _cached_value(
    cache: RecentCache[_CachedRibbons[_T]],
    sides: tuple[MessageList, MessageList],
    runs: Sequence[FateRun],
    compute: Callable[[], _T],
    *extra_key: int,
) -> _T:
    """Return the cached value if nothing has moved since, else compute it; ``extra_key`` extends the key."""
    if any(
        message_list.model.content.runs is not runs for message_list in sides
    ):  # the runs are not those of the pages
        return compute()
    key = (*_geometry_key(sides[0]), *_geometry_key(sides[1]), *extra_key)
    entry = cache.find(lambda candidate: candidate.key == key)
    if entry is None:
        entry = _CachedRibbons(key, compute())
        cache.add(entry)
    return entry.value


class VisibleRibbons:
    """Ribbons and heights of two lists, cached for pages that were shown before."""

    def __init__(self) -> None:
        self._ribbons: RecentCache[_CachedRibbons[tuple[Ribbon, ...]]] = RecentCache(
            CACHED_PAGES, 0, _no_bytes
        )
        self._heights: RecentCache[_CachedRibbons[int | None]] = RecentCache(2 * CACHED_PAGES, 0, _no_bytes)

    def ribbons(self, before: MessageList, after: MessageList, runs: Sequence[FateRun]) -> tuple[Ribbon, ...]:
        """As ``visible_ribbons``."""
        return _cached_value(
            self._ribbons, (before, after), runs, lambda: tuple(visible_ribbons(before, after, runs))
        )

    def height(
        self, leader: MessageList, follower: MessageList, runs: Sequence[FateRun], y: int
    ) -> int | None:
        """As ``matching_height``."""
        return _cached_value(
            self._heights, (leader, follower), runs, lambda: matching_height(leader, follower, runs, y), y
        )


def _no_bytes(seen: object) -> int:
    return 0


def _geometry_key(side: MessageList) -> tuple[object, ...]:
    """Return all that a list's row rectangles depend on; the page by name, so that it is not kept alive."""
    view = side.view
    rows = side.model.page.identity, view.delegate.fonts.row_pixels
    return *rows, view.verticalScrollBar().value(), side.rows_top(), side.height()


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


__all__ = ["VisibleRibbons", "first_change", "matching_height", "other_side", "visible_ribbons"]
