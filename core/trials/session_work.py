"""The backtest of one file of a folder, as a job for any process, and the means over files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from statistics import mean

from core.analysis.intervals import Interval, mean_interval
from core.common.crash_report import item_problem
from core.transcript.model import Progress, no_progress
from core.trials.past import POINTS, backtest, trade_offs
from core.trials.sessions import FileComparisonJob, opened_file
from core.trials.trial import Backtest


@dataclass(frozen=True, slots=True)
class BacktestJob:
    """``file`` names the transcript, the strategies and their settings."""

    file: FileComparisonJob
    count: int = POINTS


@dataclass(frozen=True, slots=True)
class FileBacktest:
    """The backtests of a file, or the ``problem`` in one sentence."""

    name: str
    backtests: tuple[Backtest, ...] = ()
    problem: str = ""
    scope: str = ""


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


def backtest_file(job: BacktestJob, progress: Progress = no_progress) -> FileBacktest:
    """Run a job; an error becomes the ``problem``."""
    name = job.file.name
    try:
        source = opened_file(job.file, progress)
        found = tuple(list(backtest(source, one, job.count))[-1] for one in job.file.names)
        return FileBacktest(name, found, scope=source.options.scope)
    except Exception as error:  # one file ends no list
        return FileBacktest(name, problem=item_problem(error))


def backtest_means(files: Iterable[FileBacktest]) -> tuple[BacktestMean, ...]:
    """Return a line per strategy, the best trade-offs first; each session counts once."""
    by_name: dict[str, list[Backtest]] = {}
    for file in files:
        for found in file.backtests:
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
