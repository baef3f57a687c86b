"""Fills a room with excerpts, counted as they are written, so that it is met to the token."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from core.llm.chat_messages import human_text
from core.strategies.excerpt.choice import Chooser, Chosen, Coverage, word_spread
from core.strategies.excerpt.units import ExcerptUnit, excerpts_text, last_of_each
from core.transcript.model import Message

_SURPLUS = 1.1  # estimated tokens chosen, by the room: estimates are off by less
_COUNTS = 8  # at most, of a text that is nearly as long as the room
_FILLED = 0.99  # of the room; what is left then is not worth another count
_SAMPLE_LABEL = "#1000 model"


@dataclass(frozen=True, slots=True)
class Excerpts:
    """The excerpt message, and what it holds: units by place, ascending, with the names that each
    states first. ``units`` are all that could have been chosen, ``order`` the chosen ones, the most
    useful first."""

    message: Message | None
    units: Sequence[ExcerptUnit] = ()
    chosen: Sequence[Chosen] = ()
    order: Sequence[Chosen] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FillRequest:
    """Units in order, what is covered without them, and the room in tokens. ``count`` counts a
    message. ``comes_first`` ranks the units that come first within
    ``first_room`` (0: none of them); ``said_room`` is what the person's sentences may take."""

    units: Sequence[ExcerptUnit]
    covered: Coverage
    room: int
    count: Callable[[Message], int]
    numbers: Sequence[int]
    said_room: float
    first_room: float = 0.0
    comes_first: Callable[[ExcerptUnit], int] = lambda unit: 0
    max_units: int | None = None


def fill_with_excerpts(request: FillRequest) -> Excerpts:
    """Return the excerpts that fill the room; no message where nothing fits."""
    units = last_of_each(request.units)
    envelope = request.count(human_text(""))

    def line_cost(text: str) -> int:
        return request.count(human_text(text)) - envelope + 1

    ranked = [place for place, unit in enumerate(units) if request.comes_first(unit)]
    ranked.sort(key=lambda place: -request.comes_first(units[place]))
    chooser = Chooser(
        units=units,
        count=line_cost,
        spread=word_spread(request.units),
        covered=request.covered,
        label_cost=line_cost(_SAMPLE_LABEL),
    )
    order = list(
        chooser.choose(ranked, request.first_room, _SURPLUS * request.room, request.said_room)
    )

    def written(chosen: Sequence[Chosen]) -> Message:
        places = sorted(one.place for one in chosen)
        return human_text(excerpts_text(units, places, request.numbers))

    order = order[: request.max_units]
    chosen = _fitting(order, request.room, lambda found: request.count(written(found)))
    if not chosen:
        return Excerpts(None, units)
    by_place = sorted(chosen, key=lambda one: one.place)
    return Excerpts(written(chosen), units, by_place, tuple(chosen))


def _fitting(
    order: Sequence[Chosen], room: int, size: Callable[[Sequence[Chosen]], int]
) -> list[Chosen]:
    """Return the longest beginning of the order that fits, and behind it what still fits."""
    totals = list(accumulate((one.cost for one in order), initial=0.0))
    low, high, scale, used = 0, len(order) + 1, 1.0, 0
    for _ in range(_COUNTS):
        if high - low <= 1 or used >= _FILLED * room:
            break
        aim = room / scale
        guess = sum(total <= aim for total in totals) - 1
        guess = min(max(guess, low + 1), high - 1)
        tokens = size(order[:guess])
        scale = max(0.1, tokens / max(1.0, totals[guess]))
        if tokens <= room:
            low, used = guess, tokens
        else:
            high = guess
    return _with_small_ones(list(order[:low]), order[low:], room, size)


def _with_small_ones(
    chosen: list[Chosen],
    others: Sequence[Chosen],
    room: int,
    size: Callable[[Sequence[Chosen]], int],
) -> list[Chosen]:
    used = size(chosen) if chosen else 0
    for _ in range(_COUNTS):
        spare, more = float(room - used), list[Chosen]()
        for one in others:
            if one.cost <= spare:
                more.append(one)
                spare -= one.cost
        if not more:
            break
        tokens = size([*chosen, *more])
        while tokens > room and len(more) > 1:
            more = more[: len(more) // 2]
            tokens = size([*chosen, *more])
        added = {one.place for one in more}
        if tokens <= room:
            chosen, used = [*chosen, *more], tokens
        others = [one for one in others if one.place not in added]
    return chosen
