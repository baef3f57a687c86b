"""Computes one row of a comparison: run, fidelity, cost, new lint findings."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from core.analysis.compare.model import CompareRow
from core.analysis.cost.compaction_cost import cost_of
from core.analysis.fidelity.evaluate import fidelity_of
from core.analysis.fidelity.fact_texts import ParsedTexts
from core.analysis.fidelity.model import FactStatus, Fidelity, SourceFact
from core.analysis.fidelity.source_facts import facts_of
from core.common.errors import FoldlineError
from core.lint.findings import LintFinding
from core.lint.lint import default_provider
from core.preview.options import Preview, PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.settings.keys import PROFILE, STRATEGY
from core.settings.values import EffectiveValue, SettingLayer, Values
from core.strategies.base import Strategy
from core.transcript.compaction import Compaction
from core.transcript.model import Conversation, Progress, no_progress
from core.transcript.scopes import history_of_scope

BASELINE = "none"
"""The preset that changes nothing; always the first row."""
RECORDED = "recorded"
"""Name of recorded compactions: "recorded 1"; without a number, all of them."""

STATUSES = tuple(FactStatus)
"""Indexed by the bytes of ``CompareRow.statuses``."""

OptionsFactory = Callable[[Strategy, PreviewOptions], PreviewOptions]
"""Options of one strategy, with the writer of its summary."""


@dataclass(frozen=True, slots=True)
class CompareContext:
    conversation: Conversation
    values: Values
    options: PreviewOptions
    stages: StageCache
    ask_for: OptionsFactory | None = None
    read: ParsedTexts = field(default_factory=ParsedTexts)
    """Texts of earlier rows, which share most messages."""

    @property
    def provider(self) -> str:
        """The API that the format follows; its rules apply."""
        return default_provider(self.conversation.format, self.conversation.model)


def offline_values(values: Values) -> Values:
    return Values({**values.by_key, PROFILE: EffectiveValue(None, SettingLayer.SESSION)})


def with_strategy(values: Values, name: str) -> Values:
    return Values({**values.by_key, STRATEGY: EffectiveValue(name, SettingLayer.SESSION)})


def strategy_row(context: CompareContext, strategy: Strategy) -> CompareRow:
    """Return the row of a strategy or preset; a failure becomes its error, Cancelled propagates."""
    kind = "strategy" if strategy.emulates is None else "preset"
    source = baseline_preview(context)
    started = time.perf_counter()
    try:
        preview = run_strategy(context, strategy)
    except FoldlineError as error:
        seconds = time.perf_counter() - started
        return failed_row(source, strategy.name, kind, str(error), seconds, note_of(strategy))
    seconds = time.perf_counter() - started
    context.options.progress(0.5, "")
    fidelity = fidelity_of(preview, context.stages, _second_half(context.options.progress), context.read)
    row = row_of(preview, fidelity, context.provider)
    return replace(row, kind=kind, seconds=seconds, note=note_of(strategy, preview.compaction))


def run_strategy(context: CompareContext, strategy: Strategy) -> Preview:
    options = replace(context.options, draft=False, progress=_first_half(context.options.progress))
    options = context.ask_for(strategy, options) if context.ask_for else options
    return compute_preview(
        context.conversation, with_strategy(context.values, strategy.name), options, context.stages
    )


def baseline_preview(context: CompareContext, scope: str = "") -> Preview:
    """Return the counted, unchanged source of a scope (default: that of the comparison)."""
    options = replace(
        context.options, draft=False, choose=None, writes=True, scope=scope or context.options.scope
    )
    values = with_strategy(offline_values(context.values), BASELINE)
    return compute_preview(context.conversation, values, options, context.stages)


def row_of(preview: Preview, fidelity: Fidelity, provider: str) -> CompareRow:
    compaction = preview.compaction
    return CompareRow(
        preview.strategy.name,
        "strategy",
        preview.before_tokens,
        preview.after_tokens,
        len(compaction.messages),
        fidelity.weighted,
        fidelity.scores,
        fidelity.demand,
        len(fidelity.invented),
        cost_of(preview),
        len(compaction.calls),
        new_findings(preview, provider),
        no_op=compaction.no_op.reason if compaction.no_op is not None else "",
        scope=preview.history.scope,
        before_messages=len(preview.messages),
        statuses=bytes(STATUSES.index(fact.status) for fact in fidelity.facts),
    )


def failed_row(
    source: Preview, name: str, kind: str, error: str, seconds: float = 0.0, note: str = ""
) -> CompareRow:
    size, count = source.before_tokens, len(source.messages)
    scope = source.history.scope
    return CompareRow(
        name, kind, size, 0, 0, seconds=seconds, note=note, error=error, scope=scope, before_messages=count
    )


def note_of(strategy: Strategy, compaction: Compaction | None = None) -> str:
    notes = []
    if strategy.emulates is not None and strategy.emulates.reverse_engineered:
        notes.append("reverse engineered")
    tiers = compaction.tiers if compaction is not None else ()
    if tiers and compaction is not None and tiers[-1].tokens <= (compaction.target or 0):
        notes.append(f"tier {tiers[-1].number} was enough")
    return ", ".join(notes)


def new_findings(preview: Preview, provider: str) -> tuple[int, int]:
    """Count errors and warnings, by rule, of a result that its source does not have."""
    for result in preview.lint:
        if result.provider == provider:
            return _count_new(result.before, result.after, "error"), _count_new(
                result.before, result.after, "warning"
            )
    return 0, 0


def _count_new(before: Sequence[LintFinding], after: Sequence[LintFinding], severity: str) -> int:
    new = Counter(finding.rule for finding in after if finding.severity == severity)
    return (new - Counter(finding.rule for finding in before)).total()


def facts_in(
    conversation: Conversation, scope: str, stages: StageCache, progress: Progress = no_progress
) -> tuple[SourceFact, ...]:
    return stages.once(
        "facts", scope, lambda: facts_of(history_of_scope(conversation, scope).messages, progress)
    )


def _first_half(progress: Progress) -> Progress:
    return lambda fraction, text: progress(fraction / 2, text)


def _second_half(progress: Progress) -> Progress:
    return lambda fraction, text: progress(0.5 + fraction / 2, text)
