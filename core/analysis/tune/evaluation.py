"""Evaluates settings of strategies on one session, as a job for any process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from core.analysis.backtest.backtest import POINTS, BacktestPlan, backtest_plan, run_point
from core.analysis.compare.folder_job import FileComparisonJob, opened_file
from core.analysis.context import AnalysisInput, with_setting, with_strategy
from core.common.crash_report import item_problem
from core.common.errors import FoldlineError
from core.settings.keys import LIMIT
from core.settings.schema import SettingValue, Values
from core.strategies.base import Strategy
from core.strategies.helpers import trigger_tokens
from core.strategies.registry import find_strategy
from core.transcript.model import Progress, no_progress

_MOST_LIMITS = 64  # the limit of a trigger is looked for up to this multiple of the tokens

Vector: TypeAlias = tuple[tuple[str, SettingValue], ...]
"""Settings by key, those that differ from the ones given, in the order of their declaration."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A strategy with settings; without any, its defaults."""

    strategy: str
    vector: Vector = ()


@dataclass(frozen=True, slots=True)
class Evaluation:
    """What a candidate kept in a session: names needed and kept, tokens before and after, summed over the
    points. ``error`` says why a run failed."""

    needed: int = 0
    kept: int = 0
    before: int = 0
    after: int = 0
    points: int = 0
    error: str = ""

    @property
    def share(self) -> float | None:
        return self.kept / self.needed if self.needed and not self.error else None

    @property
    def tokens_left(self) -> float:
        return self.after / self.before if self.before else 1.0

    @property
    def tokens_after(self) -> float:
        """Tokens after a run, in the mean of the points."""
        return self.after / self.points if self.points else 0.0


@dataclass(frozen=True, slots=True)
class TuneJob:
    file: FileComparisonJob
    candidates: tuple[Candidate, ...]


@dataclass(frozen=True, slots=True)
class SessionEvaluations:
    """The evaluations of a session in the order of the candidates; ``reason`` says why it has none."""

    name: str
    evaluations: tuple[Evaluation, ...] = ()
    reason: str = ""


def evaluate_session(job: TuneJob, progress: Progress = no_progress) -> SessionEvaluations:
    """Run a job. The session is read and its points are found once for all candidates."""
    name = job.file.name
    try:
        source = opened_file(job.file, progress).offline
        plan = backtest_plan(source, POINTS)
    except Exception as error:  # one file ends no list
        return SessionEvaluations(name, reason=item_problem(error))
    if plan.reason or not any(point.needs.names for point in plan.points):
        return SessionEvaluations(name, reason=plan.reason or "Nothing that was said before was used later.")
    evaluations = tuple(evaluate(source, plan, candidate) for candidate in job.candidates)
    return SessionEvaluations(name, evaluations)


def evaluate(source: AnalysisInput, plan: BacktestPlan, candidate: Candidate) -> Evaluation:
    """Run a candidate at every point of a session, each at the size at which it would run by itself."""
    strategy, values = find_strategy(candidate.strategy), with_strategy(source.values, candidate.strategy)
    for key, value in candidate.vector:
        values = with_setting(values, key, value)
    total = Evaluation()
    try:
        for point in plan.points:
            limit = trigger_limit(strategy, values, point.before + plan.fixed)
            found = run_point(replace(source, values=values), point, candidate.strategy, limit)
            total = Evaluation(
                total.needed + found.needed.used,
                total.kept + found.needed.kept,
                total.before + found.before,
                total.after + found.after,
                total.points + 1,
            )
    except FoldlineError as error:
        return Evaluation(error=str(error))
    return total


def trigger_limit(strategy: Strategy, values: Values, tokens: int) -> int:
    """Return the smallest limit in tokens under which a context of this size is what triggers the strategy;
    the size itself where none does."""
    low, high = tokens, tokens * _MOST_LIMITS
    if (reached := trigger_tokens(strategy, values, high)) is None or strategy.trigger.tokens:
        return max(1, tokens)
    if reached < tokens:
        return max(1, tokens)
    while low < high:
        middle = (low + high) // 2
        size = trigger_tokens(strategy, with_setting(values, LIMIT, max(1, middle)), max(1, middle))
        low, high = (low, middle) if size is not None and size >= tokens else (middle + 1, high)
    return max(1, low)


def tuned_keys(strategy: Strategy, keys: Sequence[str]) -> tuple[str, ...]:
    """Return those of the declared tunable settings that a strategy reads."""
    from core.settings.keys import FILE_DEDUPE, READ_WRITE, RECENCY, RETENTION

    density = (READ_WRITE, FILE_DEDUPE, RECENCY, RETENTION) if strategy.optimize is not None else ()
    read = {*strategy.options, *density}
    return tuple(key for key in keys if key in read)
