"""Compares strategies, presets and recorded compactions over one conversation, a row each."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.analysis.compare.model import CompareRow, LostFact, PairwiseLosses
from core.analysis.compare.recorded_row import recorded_row
from core.analysis.compare.row_computation import (
    BASELINE,
    RECORDED,
    STATUSES,
    CompareContext,
    OptionsFactory,
    baseline_preview,
    offline_values,
    scope_facts,
    strategy_row,
)
from core.analysis.fidelity.fact_texts import ParsedTexts
from core.analysis.fidelity.model import FactStatus, SourceFact
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
    options: PreviewOptions | None = None,
    stages: StageCache | None = None,
    options_for: OptionsFactory | None = None,
    parsed: ParsedTexts | None = None,
) -> Iterator[CompareRow]:
    """Yield a row per name as it is computed, in the order of ``row_names``; ``ranked_rows`` sorts them.

    A name is a strategy, a preset, "recorded N", or "recorded" for all recorded compactions; no names means
    all. Summaries are offline unless ``options.choose`` or ``ask_for`` is set. A failed run yields a row with
    its error. ``parsed`` holds the texts of earlier rows. Calls ``options.progress`` between rows and within
    them, which may raise Cancelled. Raises InputError for an unknown name or scope.
    """
    options = options or PreviewOptions()
    effective = values if options.summariser_factory or options_for else offline_values(values)
    context = CompareContext(
        conversation, effective, options, stages or StageCache(), options_for, parsed or ParsedTexts()
    )
    row_order = row_names(conversation, names)
    _prepare_shared(context)
    for index, name in enumerate(row_order):
        row_options = replace(options, progress=_row_progress(options.progress, index, len(row_order), name))
        row_options.progress(0.0, "")
        yield compare_row(replace(context, options=row_options), name)
    options.progress(1.0, "Compared.")


def row_names(conversation: Conversation, names: Sequence[str] = ()) -> tuple[str, ...]:
    """Return the names in the order of computation: baseline, recorded compactions, then the others. Raises
    InputError for an unknown name."""
    recorded = tuple(f"{RECORDED} {number}" for number in range(1, len(conversation.recorded) + 1))
    if not names:
        return (BASELINE, *recorded, *(name for name in COMPRESSION_STRATEGIES if name != BASELINE))
    expanded = dict.fromkeys(
        expanded_name for name in names for expanded_name in (recorded if name == RECORDED else (name,))
    )
    for name in expanded:
        _check_name(conversation, name)
    return tuple(sorted(expanded, key=_group))


def check_strategy_name(name: str) -> None:
    """Raise UnknownStrategyError for a name that is neither a strategy nor a recorded compaction."""
    if name != RECORDED and recorded_number(name) is None:
        find_strategy(name)


def _check_name(conversation: Conversation, name: str) -> None:
    check_strategy_name(name)
    number = recorded_number(name)
    if number is not None and not 1 <= number <= len(conversation.recorded):
        count = len(conversation.recorded)
        available = (
            f"{count} recorded compaction{'s' if count != 1 else ''}" if count else "no recorded compaction"
        )
        raise InputError(f"There is no {name}: the file has {available}.", "See foldline inspect.")


def recorded_number(name: str) -> int | None:
    """Return N of "recorded N", None for any other name."""
    match = _RECORDED_NAME.fullmatch(name)
    return int(match[1]) if match else None


def _group(name: str) -> int:
    return 0 if name == BASELINE else 1 if recorded_number(name) is not None else 2


def compare_row(context: CompareContext, name: str) -> CompareRow:
    """Compute one row; a failure becomes the row's error, Cancelled propagates."""
    number = recorded_number(name)
    return strategy_row(context, find_strategy(name)) if number is None else recorded_row(context, number)


def ranked_rows(rows: Sequence[CompareRow], scope: str) -> tuple[CompareRow, ...]:
    """Return the rows sorted: baseline, recorded, then by fidelity, with the front marked. The front holds
    rows of ``scope`` that no other row beats in tokens and fidelity."""
    ranked = [row for row in rows if row.scope == scope and _is_ranked(row)]
    front = {row.name for row in ranked if not any(_beats(other, row) for other in ranked)}
    marked_rows = (replace(row, on_front=row.name in front) for row in rows)
    return tuple(sorted(marked_rows, key=_sort_key))


def _is_ranked(row: CompareRow) -> bool:
    has_effect = not row.no_op or row.name == BASELINE
    return has_effect and not row.error and row.fidelity is not None


def _beats(other: CompareRow, row: CompareRow) -> bool:
    """Return whether ``other`` is at least as good in tokens and fidelity, and better in one."""
    gain = (other.fidelity or 0.0) - (row.fidelity or 0.0)
    return other.tokens <= row.tokens and gain >= 0 and (other.tokens < row.tokens or gain > 0)


def _sort_key(row: CompareRow) -> tuple[int, int, bool, float, int]:
    number = recorded_number(row.name) or 0
    fidelity = -1.0 if row.fidelity is None else row.fidelity
    group = 1 if row.kind == RECORDED else _group(row.name)
    return group, number, bool(row.error), -fidelity if group == 2 else 0.0, row.tokens


def _prepare_shared(context: CompareContext) -> None:
    """Compute what all rows need first, so that the time of the first row is its own."""
    source = baseline_preview(context)
    model = source.window.model
    counter = context.stages.get_or_compute("counter", model, lambda: counter_for(model))
    counter.text("loaded")  # loads the tokenizer; cached counts do not
    context.options.progress(0.0, "Looking for facts")

    def report(fraction: float, text: str) -> None:
        context.options.progress(0.0, "Looking for facts")

    scope_facts(context.conversation, source.history.scope, context.stages, report)


def _row_progress(progress: Progress, index: int, count: int, name: str) -> Progress:
    """Map one row's progress to that of all rows; it never decreases."""
    highest = 0.0

    def report(fraction: float, text: str) -> None:
        nonlocal highest
        highest = max(highest, min(1.0, fraction))
        progress((index + highest) / count, f"{name} ({index + 1} of {count})")

    return report


def pairwise_losses(a: CompareRow, b: CompareRow, facts: Sequence[SourceFact]) -> PairwiseLosses:
    """Return the facts lost in one row only, by category. ``facts`` are those of the scope of both rows
    (``row_computation.scope_facts``). Raises InputError if a row has no facts or the rows have different
    scopes."""
    if a.scope != b.scope:
        raise InputError(
            f"{a.name} and {b.name} are results of different messages ({a.scope}, {b.scope}).",
            f"Compare in the scope {a.scope if a.kind == 'recorded' else b.scope}.",
        )
    for row in (a, b):
        if len(row.statuses) != len(facts) or (row.error and not row.statuses):
            reason = row.error or row.note or "Its facts are not known."
            raise InputError(f"{row.name} cannot be compared by its facts.", reason)
    return PairwiseLosses(a.name, b.name, _facts_lost_only_in(a, b, facts), _facts_lost_only_in(b, a, facts))


def _facts_lost_only_in(
    losing_row: CompareRow, keeping_row: CompareRow, facts: Sequence[SourceFact]
) -> tuple[LostFact, ...]:
    """Return lost facts, without errors that later work removed."""
    lost_index = STATUSES.index(FactStatus.LOST)
    return tuple(
        LostFact(fact, STATUSES[keeping_status])
        for fact, losing_status, keeping_status in zip(
            facts, losing_row.statuses, keeping_row.statuses, strict=True
        )
        if losing_status == lost_index and keeping_status != lost_index and not fact.is_resolved
    )
