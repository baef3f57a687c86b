"""Formats the Replay view."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from core.analysis.cost.summary_price import PricingModel, priced_track, pricing_model
from core.analysis.replay.model import ReplayResult, ReplayTrack
from core.common import number_format
from core.common.number_format import UNKNOWN, dollar_text, seconds
from core.engine.events import context_compacted
from core.presentation.compare.model import DONE, FAILED, NO_PRICE, WAITING, CompareCell
from core.presentation.model import PriceChoice
from core.presentation.plots import exact_axis, short_labels, whole_labels
from core.presentation.price_choices import summary_price_text
from core.presentation.replay.model import COLUMNS, ReplayCompactionMark, ReplayPage, ReplayTrackRow
from core.presentation.strategy_choices import strategy_choices

_MAX_LIMITS = 1.2
"""Upper end of the plot, in limits."""
_NEAR_LIMIT = 0.5
"""Below this share of the limit, the plot ends above the lines instead."""


@dataclass(frozen=True, slots=True)
class ReplayProgress:
    """A replay so far; ``prices`` names the model that prices summaries, "" for the session's."""

    result: ReplayResult
    names: tuple[str, ...]
    tracks: Mapping[str, ReplayTrack]
    seconds: float = 0.0
    prices: PriceChoice = NO_PRICE


def replay_page(progress: ReplayProgress) -> ReplayPage:
    result, price = progress.result, pricing_model(progress.prices.value, progress.result.model)
    tracks = {name: priced_track(track, price) for name, track in progress.tracks.items()}
    done = [tracks[name] for name in progress.names if name in tracks]
    turns, mark = len(result.turns), result.mark
    top = _top(result, done)
    y = exact_axis(0, top, short_labels, 6, integers_only=True)
    is_limit_shown = result.limit is not None and result.limit <= top
    trigger = _trigger(done)
    return ReplayPage(
        _about(result, price),
        turns,
        tuple(_line(name, tracks.get(name), result, top) for name in progress.names),
        tuple(
            sorted(_marks(progress), key=lambda compaction_mark: (compaction_mark.turn, compaction_mark.line))
        ),
        result.limit if is_limit_shown else None,
        _limit_label(result.limit, is_limit_shown),
        trigger if trigger is not None and trigger <= top else None,
        f"trigger {number_format.count(trigger or 0)}",
        exact_axis(min(1, turns), max(2, turns), whole_labels, 9, title="turn", integers_only=True),
        y,
        mark,
        _titles(mark),
        progress.names,
        strategy_choices(),
        f"{len(done)} of {len(progress.names)} replayed in {seconds(progress.seconds)} · nothing was sent",
        result.scope,
        len(done) == len(progress.names),
        progress.prices,
    )


def _titles(mark: str) -> tuple[str, ...]:
    """Return column titles with the marks of their figures."""
    name_title, size_title, *other_titles, cost_title = COLUMNS
    return (
        name_title,
        " ".join(filter(None, (mark, size_title))),
        *other_titles,
        " ".join(filter(None, ("≈", cost_title))),
    )


def _about(result: ReplayResult, price: PricingModel) -> str:
    system = (
        number_format.tokens(result.mark, result.system) if result.system else f"{UNKNOWN} (not in the file)"
    )
    system_text = f"system and tools {system}"
    if result.hidden:
        system_text = f"{number_format.tokens(result.mark, result.hidden)} hidden in the last request"
    turns = number_format.plural(len(result.turns), "turn")
    price_note = summary_price_text(price)
    return f"{turns} · {result.mark} tokens of each request · {system_text} · {price_note}"


def _top(result: ReplayResult, done: list[ReplayTrack]) -> float:
    """Return the plot's upper end: above the limit if a line comes near, else above the lines."""
    max_size = max((max(track.sizes, default=0) for track in done), default=0)
    if result.limit is not None and max_size >= _NEAR_LIMIT * result.limit:
        return result.limit * _MAX_LIMITS
    return max(max_size * 1.15, 10.0)


def _trigger(done: list[ReplayTrack]) -> int | None:
    """Return the most common trigger."""
    triggers = [track.trigger for track in done if track.trigger is not None]
    return max(set(triggers), key=triggers.count) if triggers else None


def _limit_label(limit: int | None, is_shown: bool) -> str:
    if limit is None:
        return f"limit {UNKNOWN}, choose a model or set one"
    return (
        f"limit {number_format.count(limit)}"
        if is_shown
        else f"limit {number_format.count(limit)}, above this plot"
    )


def _line(name: str, track: ReplayTrack | None, result: ReplayResult, top: float) -> ReplayTrackRow:
    if track is None:
        return ReplayTrackRow(name, WAITING, array("q"), ())
    final_size = track.sizes[-1] if track.sizes else 0
    end_label = f"{name} ▲ {number_format.abbreviated(final_size)} at the end" if final_size > top else name
    limit = result.limit
    over_limit_turn = next(
        (turn for turn, size in enumerate(track.sizes, 1) if limit is not None and size > limit), 0
    )
    state = FAILED if track.error else DONE
    compaction_turns = tuple(compaction.turn for compaction in track.compactions)
    return ReplayTrackRow(
        name,
        state,
        track.sizes,
        tuple(_totals(track)),
        compaction_turns,
        over_limit_turn,
        end_label,
        track.error or track.note,
    )


def _totals(track: ReplayTrack) -> Iterator[CompareCell]:
    count = sum(not compaction.error for compaction in track.compactions)
    yield CompareCell(number_format.count(count), count)
    yield CompareCell(number_format.count(track.calls), track.calls)
    yield CompareCell(number_format.abbreviated(track.sent), track.sent, tip=number_format.count(track.sent))
    yield CompareCell(number_format.count(track.rewritten), track.rewritten)
    yield CompareCell(
        number_format.count(track.over_limit_count),
        track.over_limit_count,
        "error" if track.over_limit_count else "",
    )
    yield CompareCell(UNKNOWN if track.cost is None else dollar_text(track.cost), track.cost)


def _marks(progress: ReplayProgress) -> Iterator[ReplayCompactionMark]:
    for index, name in enumerate(progress.names):
        track = progress.tracks.get(name)
        for compaction in track.compactions if track is not None else ():
            sizes = (
                f"{number_format.abbreviated(compaction.before)} → "
                f"{number_format.abbreviated(compaction.after)}"
            )
            text = compaction.error or context_compacted(sizes)
            yield ReplayCompactionMark(
                compaction.turn, index, compaction.before, compaction.after, text, bool(compaction.error)
            )
