"""Handles: which cuts can be moved, where to, and which value of which setting puts them there."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Sequence

from core.presentation.preview_columns import PreviewColumns
from core.presentation.ruler.model import CutHandle
from core.settings.keys import PRESERVE, PROTECTED, TOP_PRESERVE
from core.strategies import top_down
from core.strategies.helpers import MIN_MESSAGES
from core.transcript.compaction import Cut
from core.transcript.model import Speaker

_DECIDED_BY_TOKENS = "Tokens decide this cut: the oldest go first until the target is met."
_OWN_RULE = "This cut follows a rule of {name} that is no setting."


def cut_handles(shown: PreviewColumns) -> tuple[CutHandle, ...]:
    """One handle per cut, in ascending order."""
    return tuple(_handle(shown, number) for number in range(len(shown.cuts)))


def key_of(cut: Cut, options: Sequence[str]) -> str:
    """The setting that moves a cut of a strategy with these options."""
    if PROTECTED in options:
        return PROTECTED
    return TOP_PRESERVE if cut.name == "top" else PRESERVE


def _handle(shown: PreviewColumns, number: int) -> CutHandle:
    cut = shown.cuts[number]
    key = key_of(cut, shown.preview.strategy.options)
    if key not in shown.preview.strategy.options:
        only = array("q", [cut.index])
        by_tokens = shown.preview.strategy.name == top_down.NAME
        why = _DECIDED_BY_TOKENS if by_tokens else _OWN_RULE.format(name=shown.preview.strategy.name)
        return _made(shown, cut, "", only, array("d"), why)
    if key == PROTECTED:
        return _made(shown, cut, key, *_counted(shown))
    stops, values = _stops(shown, cut.name, *_range(shown, number))
    if cut.index not in stops:  # where the reference rule put it, or where a no-op left it
        at = bisect_left(shown.seen, cut.index)
        place = bisect_left(stops, cut.index)
        stops.insert(place, cut.index)
        values.insert(place, value_at(cut.name, at, len(shown.seen)))
    return _made(shown, cut, key, stops, values)


def _made(
    shown: PreviewColumns, cut: Cut, key: str, stops: array[int], values: array[float], locked: str = ""
) -> CutHandle:
    tokens = array("q", [_kept(shown, cut.name, stop) for stop in stops])
    length, unseen, mark = shown.length, _unseen(shown), shown.preview.method.mark
    return CutHandle(cut.name, key, cut.index, cut.asked, stops, values, tokens, length, unseen, mark, locked)


def _unseen(shown: PreviewColumns) -> array[int]:
    """The messages that the strategy is not given, ascending."""
    if len(shown.seen) == shown.length:
        return array("q")
    return array("q", sorted(set(range(shown.length)).difference(shown.seen)))


def _range(shown: PreviewColumns, number: int) -> tuple[int, int]:
    """Between which messages, as the strategy saw them, a cut may lie for something to be done."""
    seen = shown.seen
    places = [(bisect_left(seen, cut.asked), bisect_left(seen, cut.index)) for cut in shown.cuts]
    name = shown.cuts[number].name
    if name == "tail":
        return 1, len(seen) - 1
    if name == "top":  # minimums are counted where the cuts were asked for and where they lie
        return 0, (min(places[number + 1]) if number + 1 < len(places) else len(seen)) - MIN_MESSAGES
    return (max(places[number - 1]) if number else 0) + MIN_MESSAGES, len(seen)


def _stops(shown: PreviewColumns, name: str, low: int, high: int) -> tuple[array[int], array[float]]:
    """Valid boundaries from low to high (as the strategy counts), and the value for each.

    Boundaries between the same two messages that the strategy saw are one: the last of them.
    """
    valid, seen = shown.preview.pairs.valid, shown.seen
    stops, values = array("q"), array("d")
    for at in range(max(0, low), min(high, len(seen)) + 1):
        boundary = seen[at] if at < len(seen) else len(valid) - 1
        first = seen[at - 1] + 1 if at else 0
        if boundary > first and not valid[boundary]:
            boundary = next((place for place in range(boundary, first - 1, -1) if valid[place]), boundary)
        if valid[boundary]:
            stops.append(boundary)
            values.append(value_at(name, at, len(seen)))
    return stops, values


def _counted(shown: PreviewColumns) -> tuple[array[int], array[float]]:
    """Valid boundaries, and for each how many messages lie behind it; a run of tool messages is one."""
    valid, seen = shown.preview.pairs.valid, shown.seen
    stops, values = array("q", [len(valid) - 1]), array("d", [0.0])
    behind, was_tool = 0, False
    for index in reversed(seen):
        is_tool = shown.preview.messages[index].speaker is Speaker.TOOL
        behind += not (is_tool and was_tool)
        was_tool = is_tool
        if valid[index] and behind > values[0]:
            stops.insert(0, index)
            values.insert(0, float(behind))
        elif valid[index]:
            stops[0] = index
    return stops, values


def value_at(name: str, boundary: int, length: int) -> float:
    """The value that puts a cut at a boundary of a history of that many messages, so that rounding
    keeps it there (product.md section 4)."""
    if not length:
        return 0.0
    if name == "top":
        return max(0.0, (boundary - 0.5) / length)
    if name == "tail":
        return min(1.0, (length - boundary + 0.5) / length)
    return max(0.0, (length - boundary - 0.5) / length)


def _kept(shown: PreviewColumns, name: str, boundary: int) -> int:
    """Tokens on the side of a cut that stays word for word."""
    if name == "top":
        return shown.tokens(0, boundary)
    return shown.tokens(boundary, shown.length)
