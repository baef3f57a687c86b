"""How one row of a comparison is made: the run, its fidelity, its cost, what the linter finds new."""

from __future__ import annotations

import time
from collections import Counter as Tally
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
"""How rows of what the agent did are called: "recorded 1"; without a number, all of them."""

STATUSES = tuple(FactStatus)
"""What the bytes of ``CompareRow.statuses`` stand for."""

OptionsFactory = Callable[[Strategy, PreviewOptions], PreviewOptions]
"""What a strategy is asked, where that is not the same for all: who writes its summary."""


@dataclass(frozen=True, slots=True)
class CompareContext:
    """What the rows of one comparison share."""

    conversation: Conversation
    values: Values
    ask: PreviewOptions
    stages: StageCache
    ask_for: OptionsFactory | None = None
    read: ParsedTexts = field(default_factory=ParsedTexts)
    """The texts of the rows so far: most messages stand in many of them."""

    @property
    def provider(self) -> str:
        """The API whose rules count: that of the format."""
        return default_provider(self.conversation.format, self.conversation.model)


def offline_values(values: Values) -> Values:
    """The settings with every summary left to the offline summariser."""
    return Values({**values.by_key, PROFILE: EffectiveValue(None, SettingLayer.SESSION)})


def with_strategy(values: Values, name: str) -> Values:
    """The settings with another strategy."""
    return Values({**values.by_key, STRATEGY: EffectiveValue(name, SettingLayer.SESSION)})


def strategy_row(contest: CompareContext, strategy: Strategy) -> CompareRow:
    """The row of a strategy or preset; a failure is said in it, Cancelled comes through."""
    kind = "strategy" if strategy.emulates is None else "preset"
    source = baseline_preview(contest)
    started = time.perf_counter()
    try:
        made = run_strategy(contest, strategy)
    except FoldlineError as error:
        seconds = time.perf_counter() - started
        return failed_row(source, strategy.name, kind, str(error), seconds, note_of(strategy))
    seconds = time.perf_counter() - started
    contest.ask.progress(0.5, "")
    judged = fidelity_of(made, contest.stages, _second_half(contest.ask.progress), contest.read)
    found = row_of(made, judged, contest.provider)
    return replace(found, kind=kind, seconds=seconds, note=note_of(strategy, made.compaction))


def run_strategy(contest: CompareContext, strategy: Strategy) -> Preview:
    """What a strategy makes of the conversation, with a written summary."""
    ask = replace(contest.ask, draft=False, progress=_first_half(contest.ask.progress))
    ask = contest.ask_for(strategy, ask) if contest.ask_for else ask
    return compute_preview(
        contest.conversation, with_strategy(contest.values, strategy.name), ask, contest.stages
    )


def baseline_preview(contest: CompareContext, scope: str = "") -> Preview:
    """The source of a scope (that of the comparison if not named), counted and untouched."""
    ask = replace(contest.ask, draft=False, choose=None, writes=True, scope=scope or contest.ask.scope)
    values = with_strategy(offline_values(contest.values), BASELINE)
    return compute_preview(contest.conversation, values, ask, contest.stages)


def row_of(made: Preview, judged: Fidelity, provider: str) -> CompareRow:
    """The figures of a result."""
    compaction = made.compaction
    return CompareRow(
        made.strategy.name,
        "strategy",
        made.before_tokens,
        made.after_tokens,
        len(compaction.messages),
        judged.weighted,
        judged.scores,
        judged.demand,
        len(judged.invented),
        cost_of(made),
        len(compaction.calls),
        new_findings(made, provider),
        no_op=compaction.no_op.reason if compaction.no_op is not None else "",
        scope=made.history.scope,
        before_messages=len(made.messages),
        statuses=bytes(STATUSES.index(one.status) for one in judged.facts),
    )


def failed_row(
    source: Preview, name: str, kind: str, error: str, seconds: float = 0.0, note: str = ""
) -> CompareRow:
    """A row without a result, which says why."""
    size, count = source.before_tokens, len(source.messages)
    scope = source.history.scope
    return CompareRow(
        name, kind, size, 0, 0, seconds=seconds, note=note, error=error, scope=scope, before_messages=count
    )


def note_of(strategy: Strategy, compaction: Compaction | None = None) -> str:
    """What has to be known beside a strategy's name."""
    notes = []
    if strategy.emulates is not None and strategy.emulates.reverse_engineered:
        notes.append("reverse engineered")
    tiers = compaction.tiers if compaction is not None else ()
    if tiers and compaction is not None and tiers[-1].tokens <= (compaction.target or 0):
        notes.append(f"tier {tiers[-1].number} was enough")
    return ", ".join(notes)


def new_findings(made: Preview, provider: str) -> tuple[int, int]:
    """Errors and warnings of a result that its source does not have, by rule."""
    for one in made.lint:
        if one.provider == provider:
            return _more(one.before, one.after, "error"), _more(one.before, one.after, "warning")
    return 0, 0


def _more(before: Sequence[LintFinding], after: Sequence[LintFinding], severity: str) -> int:
    new = Tally(one.rule for one in after if one.severity == severity)
    return (new - Tally(one.rule for one in before)).total()


def facts_in(
    conversation: Conversation, scope: str, stages: StageCache, progress: Progress = no_progress
) -> tuple[SourceFact, ...]:
    """The facts of a scope, as the rows of a comparison over it were judged by."""
    return stages.once(
        "facts", scope, lambda: facts_of(history_of_scope(conversation, scope).messages, progress)
    )


def _first_half(progress: Progress) -> Progress:
    return lambda fraction, text: progress(fraction / 2, text)


def _second_half(progress: Progress) -> Progress:
    return lambda fraction, text: progress(0.5 + fraction / 2, text)
