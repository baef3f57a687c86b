"""Computes the rows of a comparison: run, losses, cost, new lint findings."""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import replace

from core.analysis.analysis_input import (
    AnalysisInput,
    baseline_preview,
    partial_progress,
    with_strategy,
)
from core.analysis.losses.losses_of import facts_of_scope, losses_of
from core.analysis.losses.model import Losses
from core.analysis.losses.must import must_marks
from core.analysis.model import RECORDED
from core.analysis.run_price import PricingModel, compaction_cost, priced_cost
from core.common import number_format
from core.common.errors import FoldlineError, InputError
from core.facts.model import Fact
from core.lint.lint import default_provider
from core.preview.options import LintResult, Preview
from core.preview.preview import compute_preview
from core.strategies.base import Strategy
from core.strategies.registry import find_strategy
from core.tokens.recorded_compactions import MeasuredCompaction, context_growth
from core.transcript.model import Conversation, Progress, RecordedCompaction, no_progress
from core.transcript.scopes import BEFORE, CURRENT, history_of_scope
from core.trials.recorded_results import (
    ENCRYPTED_NOTE,
    has_unreadable_part,
    measured_compaction,
    obstacle_of,
    recorded_preview,
)
from core.trials.side_by_side import file_side_by_side, side_by_side_preview
from core.trials.trial import STATUSES, Kept, Sizes, TrialResult

_RECORDED_NAME = re.compile(rf"{RECORDED} (\d+)")


def recorded_number(name: str) -> int | None:
    """Return N of "recorded N", None for any other name."""
    match = _RECORDED_NAME.fullmatch(name)
    return int(match[1]) if match else None


def compare_row(source: AnalysisInput, name: str) -> TrialResult:
    """Compute one row; a failure becomes the row's error, Cancelled propagates."""
    number = recorded_number(name)
    return (
        _strategy_row(source, find_strategy(name))
        if number is None
        else _recorded_row(source, number)
    )


def row_preview(source: AnalysisInput, name: str) -> Preview:
    """Return the preview behind a row, from the cache if it was computed before."""
    number = recorded_number(name)
    if number is None:
        return run_strategy(source, find_strategy(name))
    if not 1 <= number <= len(source.conversation.recorded):
        raise InputError(f"There is no {name}.", "Choose another row.")
    return recorded_preview(source, number)


def _strategy_row(source: AnalysisInput, strategy: Strategy) -> TrialResult:
    kind = "strategy" if strategy.emulates is None else "preset"
    baseline = baseline_preview(source)
    started = time.perf_counter()
    try:
        preview = run_strategy(source, strategy)
    except FoldlineError as error:
        row = failed_row(baseline, strategy.name, kind, str(error), _row_note(strategy))
        return replace(row, seconds=time.perf_counter() - started)
    seconds = time.perf_counter() - started
    second_half = partial_progress(source.options.progress, 1, 2)
    second_half(0.0, "")
    row = judged(source, preview, losses_of(preview, source.stages, second_half, source.parsed))
    return replace(row, kind=kind, seconds=seconds, note=_row_note(strategy, preview))


def run_strategy(source: AnalysisInput, strategy: Strategy) -> Preview:
    options = replace(
        source.run_options(strategy),
        provisional=False,
        progress=partial_progress(source.options.progress, 0, 2),
    )
    values = with_strategy(source.values, strategy.name)
    return compute_preview(source.conversation, values, options, source.stages)


def provider_of(conversation: Conversation) -> str:
    """Return the API that the format follows; its rules apply."""
    return default_provider(conversation.format, conversation.model)


def judged(source: AnalysisInput, preview: Preview, losses: Losses) -> TrialResult:
    """Return the figures of a run, the same for Compare, One setting and Folder: nothing else
    measures a result for a table."""
    compaction, provider = preview.result.compaction, provider_of(source.conversation)
    return TrialResult(
        name=preview.strategy.name,
        kind="strategy",
        cost=compaction_cost(preview),
        calls=len(compaction.calls),
        lint=next(
            (_new_findings(lint) for lint in preview.checks.lint if lint.provider == provider),
            (0, 0),
        ),
        no_op=compaction.no_op.reason if compaction.no_op is not None else "",
        scope=preview.source.history.scope,
        sizes=Sizes(
            before_tokens=preview.sizes.before_tokens,
            tokens=preview.sizes.after_tokens,
            messages=len(compaction.messages),
            before_messages=len(preview.messages),
            trigger=preview.sizes.trigger_tokens,
            limit=preview.sizes.model_limit.tokens,
            mark=preview.sizes.count_method.mark,
        ),
        kept=Kept(
            kinds=losses.kinds,
            needed=losses.needed,
            nowhere=len(losses.summary.nowhere),
            unsaid=len(losses.summary.unsaid),
            gone=losses.gone_count,
            statuses=bytes(STATUSES.index(one.status) for one in losses.items),
            musts=must_marks(preview, source.musts, source.stages),
        ),
    )


def priced_row(row: TrialResult, price: PricingModel) -> TrialResult:
    """Return the row with its summaries at this price, break-even included."""
    return row if row.cost is None else replace(row, cost=priced_cost(row.cost, price))


def failed_row(source: Preview, name: str, kind: str, error: str, note: str = "") -> TrialResult:
    """Return the row of a run without a result."""
    size, mark = source.sizes.before_tokens, source.sizes.count_method.mark
    return TrialResult(
        name=name,
        kind=kind,
        note=note,
        error=error,
        scope=source.source.history.scope,
        sizes=Sizes(
            before_tokens=size,
            tokens=0,
            messages=0,
            before_messages=len(source.messages),
            mark=mark,
        ),
    )


def _row_note(strategy: Strategy, preview: Preview | None = None) -> str:
    notes = []
    if strategy.emulates is not None and strategy.emulates.reverse_engineered:
        notes.append("reverse engineered")
    tiers = preview.result.compaction.figures.tiers if preview is not None else ()
    if tiers and preview is not None and not preview.sizes.missed_tokens:
        notes.append(f"tier {tiers[-1].number} was enough")
    return ", ".join(notes)


def _new_findings(lint: LintResult) -> tuple[int, int]:
    """Count errors and warnings, by rule, of a result that its source does not have."""
    new = Counter((finding.severity, finding.rule) for finding in lint.after)
    new -= Counter((finding.severity, finding.rule) for finding in lint.before)
    errors, warnings = (
        sum(count for (severity, _), count in new.items() if severity == wanted)
        for wanted in ("error", "warning")
    )
    return errors, warnings


def scope_facts(
    source: AnalysisInput, scope: str, progress: Progress = no_progress
) -> tuple[Fact, ...]:
    messages = history_of_scope(source.conversation, scope).messages
    return facts_of_scope(messages, scope, source.stages, progress)


def _recorded_row(source: AnalysisInput, number: int) -> TrialResult:
    """Return the row of recorded compaction ``number`` (from 1) over the history before it. An
    encrypted one is ``hidden``: no losses, no cost, and only the tokens of the readable part."""
    recorded = source.conversation.recorded[number - 1]
    baseline, name = baseline_preview(source, f"{BEFORE}{number}"), f"{RECORDED} {number}"
    measured = measured_compaction(source, baseline, number)
    if obstacle := obstacle_of(recorded, baseline):
        return failed_row(
            baseline, name, RECORDED, obstacle, _recorded_note(recorded, measured, None)
        )
    preview = recorded_preview(source, number)
    note = _recorded_note(recorded, measured, preview)
    return replace(_agent_row(source, preview), name=name, note=note)


def file_row(source: AnalysisInput, other: Conversation) -> TrialResult:
    """Return the row of a compaction whose result is stored in a separate file."""
    preview = file_preview(source, other)
    hidden_note = f"; {ENCRYPTED_NOTE}" if has_unreadable_part(preview) else ""
    note = f"the agent's own, in another file{hidden_note}"
    return replace(
        _agent_row(source, preview), name=f"{RECORDED} in {other.document.name}", note=note
    )


def file_preview(source: AnalysisInput, other: Conversation) -> Preview:
    """Return the other file's current context as a preview of the comparison's scope."""
    baseline = baseline_preview(source)
    current = replace(other, messages=history_of_scope(other, CURRENT).messages, recorded=())
    return side_by_side_preview(baseline, file_side_by_side(baseline.source.history, current))


def _agent_row(source: AnalysisInput, preview: Preview) -> TrialResult:
    """Return the figures without the price of the agent's call, which no file records."""
    losses = losses_of(preview, source.stages, parsed=source.parsed)
    row = judged(source, preview, losses)
    row = replace(row, kind=RECORDED, sizes=replace(row.sizes, trigger=None))
    if has_unreadable_part(preview):
        kept = Kept(backtest=row.kept.backtest)
        return replace(row, cost=None, kept=kept, sizes=replace(row.sizes, hidden=True))
    return replace(row, cost=replace(row.cost, summary=None) if row.cost else None)


def _recorded_note(
    recorded: RecordedCompaction, measured: MeasuredCompaction, preview: Preview | None
) -> str:
    """Return trigger, reported and measured growth, repeated reads and encryption as a note."""
    notes = [recorded.trigger] if recorded.trigger else []
    if recorded.tokens_before is not None and recorded.tokens_after is not None:
        reported = (
            number_format.count(recorded.tokens_before),
            number_format.count(recorded.tokens_after),
        )
        notes.append(f"{reported[0]} → {reported[1]} tokens as the agent reported them")
    is_unreadable = preview is not None and has_unreadable_part(preview)
    growth = context_growth(recorded, measured)
    if growth is None and preview is not None and not is_unreadable:
        growth = preview.sizes.after_tokens - preview.sizes.before_tokens
    if growth is not None and growth >= 0:
        notes.append(f"net-negative: the context grew by {number_format.count(growth)} tokens")
    if measured.reread_share is not None:
        share = number_format.percent(measured.reread_share, 0)
        reads = f"{measured.repeated_reads} of {measured.reads} later file reads ({share})"
        notes.append(f"{reads} read again what was read before")
    return "; ".join([*notes, ENCRYPTED_NOTE] if is_unreadable else notes)
