"""What is asked of each session of a folder, and the means over sessions."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import mean
from typing import TypeAlias

from core.analysis.analysis_input import AnalysisInput, baseline_preview
from core.analysis.intervals import Interval, mean_interval
from core.analysis.run_price import PricingModel, pricing_model
from core.common.errors import InputError
from core.llm.pricing import RunCostEstimate, total_cost
from core.trials.by_strategy import (
    by_profile,
    compare_strategies,
    ranked_rows,
    row_names,
)
from core.trials.past import POINTS, backtest, trade_offs
from core.trials.run import priced
from core.trials.sessions import SessionAnswer, SessionJob, TrialSession
from core.trials.trial import Backtest, TrialResult

Results: TypeAlias = tuple[TrialResult, ...]
Backtests: TypeAlias = tuple[Backtest, ...]


@dataclass(frozen=True, slots=True)
class CompareWork:
    """Compares strategies; ``names`` as for ``compare_strategies``."""

    names: tuple[str, ...]

    def __call__(self, source: AnalysisInput, file: TrialSession) -> Results:
        if not source.conversation.messages:
            raise InputError("It holds no messages.", "")
        names = _row_names(source, self.names, file)
        if not file.is_offline:
            source = _with_models(source, file)
        rows = list(compare_strategies(source, names))
        model = baseline_preview(source).sizes.model_limit.model
        if not file.is_offline:
            price = PricingModel("")
        else:
            price = pricing_model(file.price_as, model)
        ranked = ranked_rows([priced(row, price) for row in rows], source.options.scope)
        return tuple(_of_folder(file.name, row) for row in ranked)


def _row_names(
    source: AnalysisInput, names: Sequence[str], file: TrialSession
) -> tuple[str, ...]:
    known = row_names(source.conversation, names)
    return by_profile(known, file.profile_names, file.values)


def _with_models(source: AnalysisInput, file: TrialSession) -> AnalysisInput:
    """Return the input with the models that write its summaries. A job is ended with its process
    and reports no single calls."""
    from core.trials.trial_costs import writers_of  # late: only for models

    writers = writers_of(file.profiles, file.values, lambda event: None, lambda: False)
    if len(writers) == 1:
        return replace(source, options_for=writers[file.profile_names[0]])
    return replace(source, writers=writers)


def _of_folder(file: str, row: TrialResult) -> TrialResult:
    """Return the row without the single facts and names, which a folder does not show."""
    if row.kept.needed is None:
        needed = None
    else:
        needed = replace(row.kept.needed, gone=())
    return replace(row, file=file, kept=replace(row.kept, needed=needed, statuses=b""))


@dataclass(frozen=True, slots=True)
class PriceWork:
    """Prices a comparison: the most that the calls of each profile can cost, and how many secrets
    the messages hold if there are calls."""

    names: tuple[str, ...]

    def __call__(
        self, source: AnalysisInput, file: TrialSession
    ) -> tuple[tuple[RunCostEstimate, ...], int]:
        from core.formats.writing.redacted_output import secret_locations_in
        from core.trials.trial_costs import compare_costs

        messages = source.conversation.messages
        names = _row_names(source, self.names, file)
        costs = tuple(
            total_cost(compare_costs(source, names, profile))
            for profile in file.profiles
            if not profile.is_offline
        )
        if not total_cost(costs).calls:
            return costs, 0
        return costs, len(secret_locations_in(enumerate(messages, 1)))


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderComparison:
    """The comparison of a folder so far; its work took ``seconds``.

    ``file`` is any of its files: all have the same settings, as all are compared by ``names``.
    ``files`` are in order, None where one is pending; ``resumed`` of them were done before the work
    began. ``problems`` says what could not be read. ``shown`` is the strategy whose files are
    listed.
    """

    folder: Path
    file: TrialSession
    names: tuple[str, ...]
    files: tuple[SessionAnswer[Results] | None, ...]
    problems: tuple[str, ...]
    resumed: int
    shown: str = ""
    seconds: float = 0.0
    is_running: bool = False

    @property
    def done(self) -> tuple[SessionAnswer[Results], ...]:
        return tuple(file for file in self.files if file is not None)


def results_of(files: Iterable[SessionAnswer[Results]]) -> list[TrialResult]:
    return [row for file in files for row in file.found or ()]


def may_be_kept(job: SessionJob, found: SessionAnswer[Results]) -> bool:
    """Return whether the next run need not compare a file again: nothing failed that may be
    temporary, as a process that died or a model."""
    has_failed = any(row.error for row in found.found or ())
    return found.is_final and (job.file.is_offline or not has_failed)


@dataclass(frozen=True, slots=True)
class BacktestWork:
    names: tuple[str, ...]
    count: int = POINTS

    def __call__(self, source: AnalysisInput, file: TrialSession) -> Backtests:
        return tuple(
            list(backtest(source, name, self.count))[-1] for name in self.names
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class BacktestMean:
    """The mean share of a strategy over the ``sessions`` that have one, with its interval;
    ``needed`` names in all of them. ``on_front``: no other strategy keeps more in fewer tokens."""

    name: str
    sessions: int
    needed: int
    share: float | None
    interval: Interval | None
    tokens_left: float | None
    on_front: bool = False


def backtest_means(
    files: Iterable[SessionAnswer[Backtests]],
) -> tuple[BacktestMean, ...]:
    """Return a line per strategy, the best trade-offs first; each session counts once."""
    by_name: dict[str, list[Backtest]] = {}
    for file in files:
        for found in file.found or ():
            by_name.setdefault(found.name, []).append(found)
    means = [_mean(name, found) for name, found in by_name.items()]
    order = trade_offs([(one.tokens_left, one.share) for one in means])
    return tuple(replace(means[index], on_front=on_front) for index, on_front in order)


def _mean(name: str, found: Sequence[Backtest]) -> BacktestMean:
    known = [one for one in found if one.share is not None]
    shares = [one.share for one in known if one.share is not None]
    left = [one.tokens_left for one in known or found if one.tokens_left is not None]
    return BacktestMean(
        name=name,
        sessions=len(shares),
        needed=sum(one.needed for one in known),
        share=mean(shares) if shares else None,
        interval=mean_interval(shares),
        tokens_left=mean(left) if left else None,
    )
