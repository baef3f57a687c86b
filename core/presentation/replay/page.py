"""Formats the Replay view."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.analysis.compare.row_computation import BASELINE
from core.analysis.cost.summary_price import PricingModel, price_as, priced_track
from core.analysis.replay.model import ReplayResult, ReplayTrack
from core.common import number_format
from core.common.number_format import UNKNOWN, dollar_text, seconds
from core.engine.notices import context_compacted
from core.presentation.compare.model import DONE, FAILED, NO_PRICE, WAITING, CompareCell
from core.presentation.model import PickerChoice, PriceChoice
from core.presentation.opened_file import PRESETS
from core.presentation.plots import exact_axis, short_labels, whole_labels
from core.presentation.price_choices import written_words
from core.presentation.replay.model import COLUMNS, ReplayCompactionMark, ReplayPage, ReplayTrackRow
from core.strategies.registry import STRATEGIES

_HEAD = 1.2
"""Upper end of the plot, in limits."""
_FAR = 0.5
"""Below this share of the limit, the plot ends above the lines instead."""


@dataclass(frozen=True, slots=True)
class ReplayProgress:
    """A replay so far; ``prices`` names the model that prices summaries, "" for the session's."""

    generation: int
    head: ReplayResult
    names: tuple[str, ...]
    tracks: Mapping[str, ReplayTrack]
    seconds: float = 0.0
    prices: PriceChoice = NO_PRICE


def first_names() -> tuple[str, ...]:
    """Return the default selection: the baseline and the strategies."""
    return (BASELINE, *(one.name for one in STRATEGIES if one.emulates is None))


def replay_page(progress: ReplayProgress) -> ReplayPage:
    head, price = progress.head, price_as(progress.prices.value, progress.head.model)
    tracks = {name: priced_track(track, price) for name, track in progress.tracks.items()}
    done = [tracks[name] for name in progress.names if name in tracks]
    turns, mark = len(head.turns), head.mark
    top = _top(head, done)
    y = exact_axis(0, top, short_labels, 6, whole=True)
    shown = head.limit is not None and head.limit <= top
    trigger = _trigger(done)
    return ReplayPage(
        progress.generation,
        _about(head, price),
        turns,
        tuple(_line(name, tracks.get(name), head, top) for name in progress.names),
        tuple(sorted(_marks(progress), key=lambda one: (one.turn, one.line))),
        head.limit if shown else None,
        _limit_label(head.limit, shown),
        trigger if trigger is not None and trigger <= top else None,
        f"trigger {number_format.count(trigger or 0)}",
        exact_axis(min(1, turns), max(2, turns), whole_labels, 9, title="turn", whole=True),
        y,
        mark,
        _titles(mark),
        progress.names,
        tuple(_choices()),
        f"{len(done)} of {len(progress.names)} replayed in {seconds(progress.seconds)} · nothing was sent",
        head.scope,
        len(done) == len(progress.names),
        progress.prices,
    )


def _titles(mark: str) -> tuple[str, ...]:
    """Return column titles with the marks of their figures."""
    first, size, *others, cost = COLUMNS
    return (first, " ".join(filter(None, (mark, size))), *others, " ".join(filter(None, ("≈", cost))))


def _about(head: ReplayResult, price: PricingModel) -> str:
    system = number_format.tokens(head.mark, head.system) if head.system else f"{UNKNOWN} (not in the file)"
    inside = f"system and tools {system}"
    if head.hidden:
        inside = f"{number_format.tokens(head.mark, head.hidden)} hidden in the last request"
    turns = number_format.plural(len(head.turns), "turn")
    by = written_words(price)
    return f"{turns} · {head.mark} tokens of each request · {inside} · {by}"


def _top(head: ReplayResult, done: list[ReplayTrack]) -> float:
    """Return the plot's upper end: above the limit if a line comes near, else above the lines."""
    most = max((max(track.sizes, default=0) for track in done), default=0)
    if head.limit is not None and most >= _FAR * head.limit:
        return head.limit * _HEAD
    return max(most * 1.15, 10.0)


def _trigger(done: list[ReplayTrack]) -> int | None:
    """Return the most common trigger."""
    triggers = [track.trigger for track in done if track.trigger is not None]
    return max(set(triggers), key=triggers.count) if triggers else None


def _limit_label(limit: int | None, shown: bool) -> str:
    if limit is None:
        return f"limit {UNKNOWN}, choose a model or set one"
    return (
        f"limit {number_format.count(limit)}"
        if shown
        else f"limit {number_format.count(limit)}, above this plot"
    )


def _line(name: str, track: ReplayTrack | None, head: ReplayResult, top: float) -> ReplayTrackRow:
    if track is None:
        return ReplayTrackRow(name, WAITING, array("q"), ())
    last = track.sizes[-1] if track.sizes else 0
    off = f"{name} ▲ {number_format.short(last)} at the end" if last > top else name
    limit = head.limit
    over = next((turn for turn, size in enumerate(track.sizes, 1) if limit is not None and size > limit), 0)
    state = FAILED if track.error else DONE
    compacted = tuple(one.turn for one in track.compactions)
    return ReplayTrackRow(
        name, state, track.sizes, tuple(_totals(track)), compacted, over, off, track.error or track.note
    )


def _totals(track: ReplayTrack) -> Iterator[CompareCell]:
    count = sum(not compaction.error for compaction in track.compactions)
    yield CompareCell(number_format.count(count), count)
    yield CompareCell(number_format.count(track.calls), track.calls)
    yield CompareCell(number_format.short(track.sent), track.sent, tip=number_format.count(track.sent))
    yield CompareCell(number_format.count(track.rewritten), track.rewritten)
    yield CompareCell(number_format.count(track.over), track.over, "error" if track.over else "")
    yield CompareCell(UNKNOWN if track.cost is None else dollar_text(track.cost), track.cost)


def _marks(progress: ReplayProgress) -> Iterator[ReplayCompactionMark]:
    for index, name in enumerate(progress.names):
        track = progress.tracks.get(name)
        for compaction in track.compactions if track is not None else ():
            sizes = f"{number_format.short(compaction.before)} → {number_format.short(compaction.after)}"
            text = compaction.error or context_compacted(sizes)
            yield ReplayCompactionMark(
                compaction.turn, index, compaction.before, compaction.after, text, bool(compaction.error)
            )


def _choices() -> Iterator[PickerChoice]:
    for one in STRATEGIES:
        if one.name != BASELINE:
            yield PickerChoice(one.name, one.name, one.about, PRESETS if one.emulates else "strategies")
