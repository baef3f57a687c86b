"""Computes one row of a comparison: run, fidelity, cost, new lint findings."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

from core.analysis.compare.model import CompareRow
from core.analysis.cost.compaction_cost import compaction_cost
from core.analysis.fidelity.evaluate import fidelity_of
from core.analysis.fidelity.fact_texts import ParsedTexts
from core.analysis.fidelity.model import FactStatus, Fidelity, SourceFact
from core.analysis.fidelity.source_facts import extract_source_facts
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
    options_for: OptionsFactory | None = None
    parsed: ParsedTexts = field(default_factory=ParsedTexts)
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
        return failed_row(source, strategy.name, kind, str(error), seconds, row_note(strategy))
    seconds = time.perf_counter() - started
    context.options.progress(0.5, "")
    fidelity = fidelity_of(preview, context.stages, _second_half(context.options.progress), context.parsed)
    row = preview_row(preview, fidelity, context.provider)
    return replace(row, kind=kind, seconds=seconds, note=row_note(strategy, preview.compaction))


def run_strategy(context: CompareContext, strategy: Strategy) -> Preview:
    options = replace(context.options, draft=False, progress=_first_half(context.options.progress))
    options = context.options_for(strategy, options) if context.options_for else options
    return compute_preview(
        context.conversation, with_strategy(context.values, strategy.name), options, context.stages
    )


def baseline_preview(context: CompareContext, scope: str = "") -> Preview:
    """Return the counted, unchanged source of a scope (default: that of the comparison)."""
    options = replace(
        context.options,
        draft=False,
        summariser_factory=None,
        writes_summary=True,
        scope=scope or context.options.scope,
    )
    values = with_strategy(offline_values(context.values), BASELINE)
    return compute_preview(context.conversation, values, options, context.stages)


def preview_row(preview: Preview, fidelity: Fidelity, provider: str) -> CompareRow:
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
        compaction_cost(preview),
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
    source_tokens, count = source.before_tokens, len(source.messages)
    scope = source.history.scope
    return CompareRow(
        name,
        kind,
        source_tokens,
        0,
        0,
        seconds=seconds,
        note=note,
        error=error,
        scope=scope,
        before_messages=count,
    )


def row_note(strategy: Strategy, compaction: Compaction | None = None) -> str:
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
    new_rules = Counter(finding.rule for finding in after if finding.severity == severity)
    return (new_rules - Counter(finding.rule for finding in before)).total()


def scope_facts(
    conversation: Conversation, scope: str, stages: StageCache, progress: Progress = no_progress
) -> tuple[SourceFact, ...]:
    return stages.get_or_compute(
        "facts", scope, lambda: extract_source_facts(history_of_scope(conversation, scope).messages, progress)
    )


def _first_half(progress: Progress) -> Progress:
    return lambda fraction, text: progress(fraction / 2, text)


def _second_half(progress: Progress) -> Progress:
    return lambda fraction, text: progress(0.5 + fraction / 2, text)
