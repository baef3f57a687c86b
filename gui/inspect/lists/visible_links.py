"""Computes the visible ribbons between two lists, and matching heights for linked scrolling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from core.presentation.bounded_cache import RecentCache
from core.presentation.lists.list_links import merge_runs, other_side, run_at, runs_between, span_of
from core.presentation.model import FateRun
from gui.inspect.lists.message_list import MessageList
from gui.inspect.lists.painted_rows import PAGES
from gui.inspect.lists.ribbons import MOST, Ribbon

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class _CachedRibbons(Generic[_T]):
    """A value computed for two pages of rows; ``key`` is everything it depends on."""

    key: tuple[object, ...]
    found: _T


def _cached(
    cache: RecentCache[_CachedRibbons[_T]],
    sides: tuple[MessageList, MessageList],
    runs: Sequence[FateRun],
    find: Callable[[], _T],
    *at: int,
) -> _T:
    """Return the cached value if nothing has moved since, else compute it; ``at`` extends the key."""
    if any(one.model.content.runs is not runs for one in sides):  # the runs are not those of the pages
        return find()
    key = (*_place(sides[0]), *_place(sides[1]), *at)
    entry = cache.find(lambda seen: seen.key == key)
    if entry is None:
        entry = _CachedRibbons(key, find())
        cache.add(entry)
    return entry.found


class VisibleRibbons:
    """Ribbons and heights of two lists, cached for pages that were shown before."""

    def __init__(self) -> None:
        self._ribbons: RecentCache[_CachedRibbons[tuple[Ribbon, ...]]] = RecentCache(PAGES, 0, _weightless)
        self._heights: RecentCache[_CachedRibbons[int | None]] = RecentCache(2 * PAGES, 0, _weightless)

    def ribbons(self, before: MessageList, after: MessageList, runs: Sequence[FateRun]) -> tuple[Ribbon, ...]:
        """As ``visible_ribbons``."""
        return _cached(
            self._ribbons, (before, after), runs, lambda: tuple(visible_ribbons(before, after, runs))
        )

    def height(self, lead: MessageList, follower: MessageList, runs: Sequence[FateRun], y: int) -> int | None:
        """As ``matching_height``."""
        return _cached(
            self._heights, (lead, follower), runs, lambda: matching_height(lead, follower, runs, y), y
        )


def _weightless(seen: object) -> int:
    return 0


def _place(side: MessageList) -> tuple[object, ...]:
    """Return all that a list's row rectangles depend on; the page by name, so that it is not kept alive."""
    view = side.view
    rows = side.model.page.name, view.delegate.fonts.row
    return *rows, view.verticalScrollBar().value(), side.rows_top(), side.height()


def visible_ribbons(before: MessageList, after: MessageList, runs: Sequence[FateRun]) -> list[Ribbon]:
    """Return the ribbons that touch a visible row on either side, from real row rectangles; at most MOST."""
    if not runs:
        return []
    places = set(runs_between(runs, "before", *before.visible_range()))
    places |= set(runs_between(runs, "after", *after.visible_range()))
    shown = merge_runs([runs[place] for place in sorted(places)], MOST)
    top, bottom = before.rows_top(), before.height()
    ribbons: list[Ribbon] = []
    for run in shown:
        left, right = before.span(*run.before), after.span(*run.after)
        if any(low < bottom and high > top and high > low for low, high in (left, right)):
            ribbons.append(Ribbon(run, left, right))
    return ribbons


def matching_height(source: MessageList, goal: MessageList, runs: Sequence[FateRun], y: int) -> int | None:
    """Return the height in ``goal`` (in its current coordinates) that matches height ``y`` in ``source``.

    Runs are mapped linearly, so that a kept row meets itself and 245 rows meet the 2 that replaced them; the
    space between two runs (a cut's row) too. None without runs.
    """
    place = _run_near(source, runs, y)
    if place < 0:
        return None
    low, high = _edges(source, runs[place])
    goal_low, goal_high = _edges(goal, runs[place])
    if y < low:
        if place == 0:
            return goal_low - (low - y)
        before_low, before_goal = _edges(source, runs[place - 1])[1], _edges(goal, runs[place - 1])[1]
        return _between(y, before_low, low, before_goal, goal_low)
    if y > high:
        return goal_high + (y - high)
    return _between(y, low, high, goal_low, goal_high)


def _run_near(source: MessageList, runs: Sequence[FateRun], y: int) -> int:
    """Return the run at a height, or the one below it; -1 without any."""
    height = source.view.delegate.fonts.row
    row = (y - source.rows_top() + source.view.verticalScrollBar().value()) // height
    message = source.model.plan.message_near(min(max(row, 0), max(len(source.model.plan) - 1, 0)))
    return run_at(runs, source.side, message) if message >= 0 else -1


def _edges(side: MessageList, run: FateRun) -> tuple[int, int]:
    return side.span(*span_of(run, side.side))


def _between(y: int, low: int, high: int, goal_low: int, goal_high: int) -> int:
    if high <= low:
        return goal_low
    return goal_low + round((y - low) * (goal_high - goal_low) / (high - low))


def first_change(runs: Sequence[FateRun], kept: int) -> FateRun | None:
    """Return the first run whose fate is not ``kept``."""
    return next((run for run in runs if run.fate != kept), None)


__all__ = ["VisibleRibbons", "first_change", "matching_height", "other_side", "visible_ribbons"]
