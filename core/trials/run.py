"""Runs a trial, and judges what it leaves: size, losses, cost, new lint findings."""

from __future__ import annotations

import re
import time
from collections import Counter
from dataclasses import dataclass, replace

from core.analysis.analysis_input import AnalysisInput, baseline_preview
from core.analysis.costs import (
    PricingModel,
    compaction_cost,
    priced_cost,
    pricing_model,
)
from core.analysis.model import NO_UNPAID_REQUESTS, RECORDED
from core.common import number_format
from core.common.errors import FoldlineError, InputError
from core.facts.model import Fact
from core.lint.lint import default_provider
from core.losses.losses_of import (
    facts_of_scope,
    losses_of,
    preview_needed,
)
from core.losses.must_keep import must_marks
from core.losses.needed_later import (
    LaterNeeds,
    NeededLater,
    needed_later,
)
from core.preview.options import Preview, StageCache
from core.preview.preview import compute_preview
from core.settings.profile import OFFLINE
from core.settings.schema import STRATEGY, Values, with_setting
from core.strategies.base import Strategy
from core.strategies.registry import find_strategy
from core.tokens.recorded_compactions import MeasuredCompaction, context_growth
from core.transcript.model import (
    Conversation,
    Progress,
    RecordedCompaction,
    no_progress,
)
from core.transcript.scopes import ALL, BEFORE, CURRENT, history_of_scope
from core.trials.side_by_side import (
    ENCRYPTED_NOTE,
    file_side_by_side,
    has_unreadable_part,
    measured_compaction,
    obstacle_of,
    recorded_preview,
    side_by_side_preview,
)
from core.trials.trial import (
    INFERRED,
    STATUSES,
    Depth,
    Point,
    Sizes,
    Trial,
    TrialLosses,
    TrialResult,
    trial_of,
)

_RECORDED_NAME = re.compile(rf"{RECORDED} (\d+)")


def recorded_number(name: str) -> int | None:
    """Return N of "recorded N", None for any other name."""
    match = _RECORDED_NAME.fullmatch(name)
    if match:
        return int(match[1])
    return None


@dataclass(frozen=True, slots=True)
class PartOfSession:
    """The part of a session before a point as a conversation of ``before`` tokens, with its counts,
    and what the messages up to the end of the point needed of it."""

    point: Point
    conversation: Conversation
    stages: StageCache
    before: int
    needs: LaterNeeds


def run_trial(
    source: AnalysisInput, trial: Trial, depth: Depth, part: PartOfSession | None = None
) -> TrialResult:
    """Run a strategy and judge what it leaves. ``part`` is that before the trial's point, and keeps
    nothing of the run. A failure becomes the error of the result, Cancelled propagates."""
    if part is not None:
        part = _with_stages_of_a_run(part)
    started = time.perf_counter()
    try:
        preview = trial_preview(
            source.for_step(0, 2), trial, part, checks=depth is Depth.ALL
        )
    except FoldlineError as error:
        seconds = time.perf_counter() - started
        return replace(_failed_trial(source, trial, str(error), part), seconds=seconds)
    seconds = time.perf_counter() - started
    return replace(
        judged(source.for_step(1, 2), trial, preview, depth, part), seconds=seconds
    )


def _with_stages_of_a_run(part: PartOfSession) -> PartOfSession:
    """Return a part whose results of runs are its own: hundreds would stay in memory."""
    return replace(part, stages=replace(part.stages, results=dict(part.stages.results)))


def trial_preview(
    source: AnalysisInput,
    trial: Trial,
    part: PartOfSession | None = None,
    *,
    checks: bool = True,
) -> Preview:
    """Return the run of a trial, from the cache if it was computed before. Sizes of a part are those
    of the whole session's messages."""
    if trial in source.written:
        return source.written[trial]
    source = source.written_by(trial.profile)
    strategy = find_strategy(trial.strategy)
    values = trial_values(source.run_values, trial)
    options = replace(source.run_options(strategy), provisional=False, checks=checks)
    if part is None:
        preview = compute_preview(source.conversation, values, options, source.stages)
        if trial.profile:
            source.written[trial] = preview
        return preview
    pins = {index: pin for index, pin in options.pins.items() if index < part.point.cut}
    options = replace(options, scope=ALL, pins=pins)
    return compute_preview(part.conversation, values, options, part.stages)


def trial_values(values: Values, trial: Trial) -> Values:
    for key, value in ((STRATEGY, trial.strategy), *trial.settings):
        values = with_setting(values, key, value)
    return values


def result_of(source: AnalysisInput, name: str) -> TrialResult:
    """Return the result of a strategy, a preset or "recorded N"."""
    number = recorded_number(name)
    if number is not None:
        return _recorded_result(source, number)
    trial = trial_of(name)
    row = run_trial(source, trial, Depth.ALL)
    if trial.profile:
        return _at_its_own_price(row)
    return row


def _at_its_own_price(row: TrialResult) -> TrialResult:
    """Return the row of a profile: what no model wrote costs nothing, beside what others were paid."""
    if row.cost is None:
        return row
    cost = priced_cost(row.cost, pricing_model(OFFLINE, ""))
    return replace(row, cost=replace(cost, unpaid=NO_UNPAID_REQUESTS))


def result_preview(source: AnalysisInput, trial: Trial) -> Preview:
    """Return the preview behind a result, from the cache if it was computed before."""
    number = recorded_number(trial.strategy)
    if number is None:
        return trial_preview(source, trial)
    if not 1 <= number <= len(source.conversation.recorded):
        raise InputError(f"There is no {trial.strategy}.", "Choose another row.")
    return recorded_preview(source, number)


def provider_of(conversation: Conversation) -> str:
    """Return the API that the format follows; its rules apply."""
    return default_provider(conversation.format, conversation.model)


def judged(
    source: AnalysisInput,
    trial: Trial,
    preview: Preview,
    depth: Depth,
    part: PartOfSession | None = None,
) -> TrialResult:
    """Return the figures of a result. Whoever shows, ranks, sums or checks results asks here:
    nothing else measures one."""
    compaction, sizes = preview.result.compaction, preview.sizes
    no_op = compaction.no_op
    return TrialResult(
        trial=trial,
        kind=_kind(trial.strategy),
        cost=compaction_cost(preview, source.conversation),
        calls=len(compaction.calls),
        lint=_new_findings(source.conversation, preview)
        if depth is Depth.ALL
        else (0, 0),
        no_op="" if no_op is None else no_op.reason,
        note=_note(preview.strategy, preview),
        scope=preview.source.history.scope,
        fates=tuple(Counter(fate.kind for fate in compaction.fates).items()),
        sizes=Sizes(
            before_tokens=sizes.before_tokens,
            tokens=sizes.after_tokens,
            messages=len(compaction.messages),
            before_messages=len(preview.messages),
            trigger=sizes.trigger_tokens,
            limit=sizes.model_limit.tokens,
            mark=sizes.count_method.mark,
            overhead=sizes.result_overhead_tokens,
        ),
        losses=_kept(source, preview, depth, part),
    )


def _kept(
    source: AnalysisInput, preview: Preview, depth: Depth, part: PartOfSession | None
) -> TrialLosses:
    stages = source.stages if part is None else part.stages
    if source.musts:
        musts = must_marks(preview, source.musts, stages)
    else:
        musts = ()
    if depth is Depth.NEEDED:
        return TrialLosses(needed=_needed(preview, stages, part), musts=musts)
    losses = losses_of(preview, stages, source.options.progress, source.parsed)
    if part is not None:  # nothing follows in the part itself
        losses = replace(losses, needed=_needed(preview, stages, part))
    return TrialLosses(
        kinds=losses.kinds,
        needed=losses.needed,
        nowhere=len(losses.summary.nowhere),
        unsaid=len(losses.summary.unsaid),
        gone=losses.gone_count,
        statuses=bytes(STATUSES.index(one.status) for one in losses.items),
        musts=musts,
    )


def _needed(
    preview: Preview, stages: StageCache, part: PartOfSession | None
) -> NeededLater | None:
    if part is None:
        return preview_needed(preview, stages)
    return needed_later(part.needs, preview.written_compaction.messages)


def _kind(name: str) -> str:
    if name.startswith(RECORDED):
        return RECORDED
    return "strategy" if find_strategy(name).emulates is None else "preset"


def priced(row: TrialResult, price: PricingModel) -> TrialResult:
    """Return the row with its summaries at this price, break-even included."""
    if row.cost is None:
        return row
    return replace(row, cost=priced_cost(row.cost, price))


def _failed_trial(
    source: AnalysisInput, trial: Trial, error: str, part: PartOfSession | None = None
) -> TrialResult:
    failed = failed_result(
        baseline_preview(source), trial, error, _note(find_strategy(trial.strategy))
    )
    if part is None:
        return failed
    return replace(failed, sizes=replace(failed.sizes, before_tokens=part.before))


def failed_result(
    source: Preview, trial: Trial, error: str, note: str = ""
) -> TrialResult:
    """Return a trial without a result."""
    return TrialResult(
        trial=trial,
        kind=_kind(trial.strategy),
        note=note,
        error=error,
        scope=source.source.history.scope,
        sizes=Sizes(
            before_tokens=source.sizes.before_tokens,
            tokens=0,
            messages=0,
            before_messages=len(source.messages),
            mark=source.sizes.count_method.mark,
        ),
    )


def _note(strategy: Strategy, preview: Preview | None = None) -> str:
    notes = []
    if strategy.emulates is not None and strategy.emulates.reverse_engineered:
        notes.append(INFERRED)
    if preview is not None:
        tiers = preview.result.compaction.figures.tiers
    else:
        tiers = ()
    if tiers and preview is not None and not preview.sizes.missed_tokens:
        notes.append(f"tier {tiers[-1].number} was enough")
    return ", ".join(notes)


def _new_findings(conversation: Conversation, preview: Preview) -> tuple[int, int]:
    """Count errors and warnings, by rule, of a result that its source does not have."""
    provider = provider_of(conversation)
    lint = next((one for one in preview.checks.lint if one.provider == provider), None)
    if lint is None:
        return 0, 0
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


def _recorded_result(source: AnalysisInput, number: int) -> TrialResult:
    """Return the result of recorded compaction ``number`` (from 1) over the history before it. An
    encrypted one is ``hidden``: no losses, no cost, and only the tokens of the readable part."""
    recorded = source.conversation.recorded[number - 1]
    trial = Trial(f"{RECORDED} {number}")
    baseline = baseline_preview(source, f"{BEFORE}{number}")
    measured = measured_compaction(source, baseline, number)
    if obstacle := obstacle_of(recorded, baseline):
        return failed_result(
            baseline, trial, obstacle, _recorded_note(recorded, measured, None)
        )
    preview = recorded_preview(source, number)
    note = _recorded_note(recorded, measured, preview)
    return _agent_result(source, trial, preview, note)


def file_result(source: AnalysisInput, other: Conversation) -> TrialResult:
    """Return the result of a compaction that is stored in a separate file."""
    preview = file_preview(source, other)
    if has_unreadable_part(preview):
        hidden_note = f"; {ENCRYPTED_NOTE}"
    else:
        hidden_note = ""
    note = f"the agent's own, in another file{hidden_note}"
    return _agent_result(
        source, Trial(f"{RECORDED} in {other.document.name}"), preview, note
    )


def file_preview(source: AnalysisInput, other: Conversation) -> Preview:
    """Return the other file's current context as a preview of the comparison's scope."""
    baseline = baseline_preview(source)
    current = replace(
        other, messages=history_of_scope(other, CURRENT).messages, recorded=()
    )
    return side_by_side_preview(
        baseline, file_side_by_side(baseline.source.history, current)
    )


def _agent_result(
    source: AnalysisInput, trial: Trial, preview: Preview, note: str
) -> TrialResult:
    """Return the figures without the price of the agent's call, which no file records."""
    result = judged(source, trial, preview, Depth.ALL)
    sizes = replace(result.sizes, trigger=None)
    result = replace(result, note=note, sizes=sizes)
    if has_unreadable_part(preview):
        return replace(
            result, cost=None, losses=TrialLosses(), sizes=replace(sizes, hidden=True)
        )
    return replace(
        result, cost=replace(result.cost, summary=None) if result.cost else None
    )


def _recorded_note(
    recorded: RecordedCompaction, measured: MeasuredCompaction, preview: Preview | None
) -> str:
    """Return trigger, reported and measured growth, repeated reads and encryption as a note."""
    if recorded.trigger:
        notes = [f"{recorded.trigger} compaction"]
    else:
        notes = []
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
        notes.append(
            f"net-negative: the context grew by {number_format.count(growth)} tokens"
        )
    if measured.reread_share is not None:
        share = number_format.percent(measured.reread_share, 0)
        reads = (
            f"{measured.repeated_reads} of {measured.reads} later file reads ({share})"
        )
        notes.append(f"{reads} read again what was read before")
    return "; ".join([*notes, ENCRYPTED_NOTE] if is_unreadable else notes)
