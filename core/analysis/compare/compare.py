"""Strategies, presets and what the agent itself did, over one conversation: a row each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.analysis.compare.model import CompareRow
from core.analysis.compare.recorded_row import recorded_row
from core.analysis.compare.row_computation import (
    BASELINE,
    RECORDED,
    CompareContext,
    OptionsFactory,
    baseline_preview,
    facts_in,
    offline_values,
    strategy_row,
)
from core.analysis.fidelity.fact_texts import ParsedTexts
from core.common.errors import InputError
from core.preview.options import PreviewOptions, StageCache
from core.settings.values import Values
from core.strategies.registry import COMPRESSION_STRATEGIES, find_strategy
from core.tokens.counter import counter_for
from core.transcript.model import Conversation, Progress

_RECORDED_NAME = re.compile(rf"{RECORDED} (\d+)")


def compare_strategies(
    conversation: Conversation,
    names: Sequence[str],
    values: Values,
    ask: PreviewOptions | None = None,
    stages: StageCache | None = None,
    ask_for: OptionsFactory | None = None,
    read: ParsedTexts | None = None,
) -> Iterator[CompareRow]:
    """A row for each name as it is made, in the order of ``row_names``; ``ranked_rows`` sorts them.

    A name is that of a strategy or preset, "recorded N", or "recorded" for all that the agent recorded;
    without names it is everything. Summaries are offline unless ``ask.choose`` is set or ``ask_for`` says
    otherwise. A run that fails is a row with its error. ``read`` are the texts of rows made before.
    ``ask.progress`` is called between the rows and within them; Cancelled comes out of it. Raises InputError
    for an unknown name or scope.
    """
    ask = ask or PreviewOptions()
    own = values if ask.choose or ask_for else offline_values(values)
    contest = CompareContext(conversation, own, ask, stages or StageCache(), ask_for, read or ParsedTexts())
    wanted = row_names(conversation, names)
    _share(contest)
    for place, name in enumerate(wanted):
        part = replace(ask, progress=_part(ask.progress, place, len(wanted), name))
        part.progress(0.0, "")
        yield compare_row(replace(contest, ask=part), name)
    ask.progress(1.0, "Compared.")


def row_names(conversation: Conversation, names: Sequence[str] = ()) -> tuple[str, ...]:
    """The names of the rows in the order in which they are made: the baseline, what the agent recorded,
    then the others as they were given. Raises InputError for names that nothing has."""
    own = tuple(f"{RECORDED} {number}" for number in range(1, len(conversation.recorded) + 1))
    if not names:
        return (BASELINE, *own, *(name for name in COMPRESSION_STRATEGIES if name != BASELINE))
    found = dict.fromkeys(one for name in names for one in (own if name == RECORDED else (name,)))
    for name in found:
        _check(conversation, name)
    return tuple(sorted(found, key=_first))


def check_strategy_name(name: str) -> None:
    """Raise UnknownStrategyError for a name that no file can have a row for."""
    if name != RECORDED and recorded_number(name) is None:
        find_strategy(name)


def _check(conversation: Conversation, name: str) -> None:
    check_strategy_name(name)
    number = recorded_number(name)
    if number is not None and not 1 <= number <= len(conversation.recorded):
        found = len(conversation.recorded)
        has = f"{found} recorded compaction{'s' if found != 1 else ''}" if found else "no recorded compaction"
        raise InputError(f"There is no {name}: the file has {has}.", "See foldline inspect.")


def recorded_number(name: str) -> int | None:
    """N of "recorded N"; None for any other name."""
    found = _RECORDED_NAME.fullmatch(name)
    return int(found[1]) if found else None


def _first(name: str) -> int:
    return 0 if name == BASELINE else 1 if recorded_number(name) is not None else 2


def compare_row(contest: CompareContext, name: str) -> CompareRow:
    """One row of a comparison; a failure is said in it, Cancelled comes through."""
    number = recorded_number(name)
    return strategy_row(contest, find_strategy(name)) if number is None else recorded_row(contest, number)


def ranked_rows(rows: Sequence[CompareRow], scope: str) -> tuple[CompareRow, ...]:
    """The rows of a comparison over ``scope`` in order: the baseline, the recorded ones, then by fidelity;
    those on the front of tokens against fidelity are marked."""
    can = [one for one in rows if one.scope == scope and _competes(one)]
    front = {one.name for one in can if not any(_beats(other, one) for other in can)}
    marked = (replace(one, on_front=one.name in front) for one in rows)
    return tuple(sorted(marked, key=_rank))


def _competes(one: CompareRow) -> bool:
    did = not one.no_op or one.name == BASELINE
    return did and not one.error and one.fidelity is not None


def _beats(other: CompareRow, one: CompareRow) -> bool:
    """At least as good in both, and better in one."""
    mine, its = one.fidelity or 0.0, other.fidelity or 0.0
    return other.tokens <= one.tokens and its >= mine and (other.tokens < one.tokens or its > mine)


def _rank(one: CompareRow) -> tuple[int, int, bool, float, int]:
    number = recorded_number(one.name) or 0
    fidelity = -1.0 if one.fidelity is None else one.fidelity
    place = 1 if one.kind == RECORDED else _first(one.name)
    return place, number, bool(one.error), -fidelity if place == 2 else 0.0, one.tokens


def _share(contest: CompareContext) -> None:
    """What all rows need is made before the first one, so that its seconds are its own."""
    source = baseline_preview(contest)
    model = source.window.model
    counter = contest.stages.once("counter", model, lambda: counter_for(model))
    counter.text("loaded")  # counts may come out of the cache folder without it
    contest.ask.progress(0.0, "Looking for facts")

    def tell(fraction: float, text: str) -> None:
        contest.ask.progress(0.0, "Looking for facts")

    facts_in(contest.conversation, source.history.scope, contest.stages, tell)


def _part(progress: Progress, place: int, count: int, name: str) -> Progress:
    """Progress of one row of ``count`` as progress of the whole, which never goes back."""
    reached = 0.0

    def tell(fraction: float, text: str) -> None:
        nonlocal reached
        reached = max(reached, min(1.0, fraction))
        progress((place + reached) / count, f"{name} ({place + 1} of {count})")

    return tell
