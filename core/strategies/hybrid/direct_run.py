"""The state of one direct run of hybrid: changes, reasons to keep messages, and remaining tokens."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from core.strategies.base import StrategyContext
from core.strategies.draft import begin_draft, finish_compaction, with_edited, with_removed
from core.strategies.helpers import single_fate
from core.strategies.tool_work import BlockPlace, ToolWork
from core.strategies.tracker import FileTracker
from core.transcript.compaction import Compaction, Fate, FateKind, FateStep, HybridStats, ModelCall
from core.transcript.model import Message, Speaker

_TARGET_REACHED = single_fate(FateKind.KEPT, "target reached", "The target was reached before its turn came.")
_NOT_SHORTENED = single_fate(FateKind.KEPT, "nothing to shorten", "Nothing in it could get shorter.")


@dataclass(slots=True)
class HybridRun:
    """A run in progress, used inside one call of ``compress``. ``total`` are the current tokens, hidden
    ones included; ``second_changes`` are second changes of a message; ``unwritten_budgets`` are the token
    budgets of messages whose summary is not written yet."""

    strategy: str
    context: StrategyContext
    tracker: FileTracker
    tool_work: Mapping[BlockPlace, ToolWork]
    target: int
    protected: frozenset[int]
    total: int
    changes: dict[int, tuple[Message, FateStep]] = field(default_factory=dict)
    second_changes: dict[int, tuple[Message, FateStep]] = field(default_factory=dict)
    drops: dict[int, FateStep] = field(default_factory=dict)
    kept_fates: dict[int, Fate] = field(default_factory=dict)
    unwritten_budgets: dict[int, int] = field(default_factory=dict)
    calls: list[ModelCall] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    unwritten: bool = False
    fates: dict[tuple[str, str], Fate] = field(default_factory=dict)

    @property
    def is_done(self) -> bool:
        """Return whether the target is met."""
        return self.total <= self.target

    def tokens(self, message: Message) -> int:
        return self.context.estimate_tokens((message,))

    def keep(self, index: int, rule: str, reason: str) -> None:
        fate = self.fates.get((rule, reason))
        if fate is None:
            fate = self.fates[rule, reason] = single_fate(FateKind.KEPT, rule, reason)
        self.kept_fates[index] = fate

    def drop(self, index: int, step: FateStep) -> None:
        self.drops[index] = step
        self.total -= self.tokens(self.context.history[index])

    def message(self, index: int) -> Message:
        """Return a message in its current form."""
        changed = self.changes.get(index)
        return self.context.history[index] if changed is None else changed[0]

    def change(self, index: int, message: Message, step: FateStep, size: int | None = None) -> None:
        """Replace a message; ``size`` is its token budget where its text is not written yet."""
        self.total += (self.tokens(message) if size is None else size) - self.tokens(self.message(index))
        (self.second_changes if index in self.changes else self.changes)[index] = message, step


def finish_run(run: HybridRun) -> Compaction:
    draft = with_edited(with_edited(begin_draft(run.context.history), run.changes), run.second_changes)
    draft = with_removed(draft, run.drops)
    default_fate = _TARGET_REACHED if run.is_done else _NOT_SHORTENED
    llm_called = bool(run.calls or run.failures)
    compaction = finish_compaction(
        run.context, draft, run.strategy, run.kept_fates, default_fate, llm_call_made=llm_called
    )
    return replace(
        compaction,
        target=run.target,
        calls=tuple(run.calls),
        warnings=tuple(run.warnings),
        budgets=_budgets_by_position(run, compaction),
        stats=_stats(run, compaction),
        protected=tuple(sorted(run.protected)),
    )


def _budgets_by_position(run: HybridRun, compaction: Compaction) -> Mapping[int, int]:
    places = {sources[0]: place for place, sources in enumerate(compaction.origins)}
    return {places[index]: size for index, size in run.unwritten_budgets.items()}


def _stats(run: HybridRun, result: Compaction) -> HybridStats:
    """Return the counters of the seed: actual changes, each message counted once."""
    history = run.context.history
    before = run.context.estimate_tokens(history)
    after = run.total - run.context.hidden if run.unwritten else run.context.estimate_tokens(result.messages)
    speakers = [history[index].speaker for index in run.changes]
    return HybridStats(
        before,
        after,
        after / before if before else 1.0,
        speakers.count(Speaker.TOOL),
        speakers.count(Speaker.HUMAN),
        speakers.count(Speaker.AI),
        len(run.drops),
        len(run.protected),
    )
