"""Which strategy and which settings keep most of what later turns need, on the sessions of a folder."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from statistics import mean
from typing import Any, TypeAlias

from core.analysis.compare.folder_job import FileComparisonJob
from core.analysis.tune.evaluation import (
    Candidate,
    Evaluation,
    SessionEvaluations,
    TuneJob,
    evaluate_session,
    tuned_keys,
)
from core.analysis.tune.search import Score, Search, rank, search
from core.common.process_pool import JobFailure
from core.configuration.layers import SETTINGS
from core.strategies.registry import find_strategy

RUNS = 200
"""Candidates of a strategy."""
_RESAMPLES = 2_000
_TAIL = 0.025  # at each end: an interval of 95 %

RunJobs: TypeAlias = Callable[
    [Callable[[TuneJob], SessionEvaluations], Sequence[TuneJob]],
    Generator[tuple[int, Any] | None, None, None],
]
"""Yields the index and the result of each job as it ends, and None while all run."""
Results: TypeAlias = dict[tuple[str, Candidate], Evaluation]
"""By the name of the session and the candidate."""


@dataclass(frozen=True, slots=True)
class TuneRequest:
    """``budget`` is the most that may be left in the mean of the sessions: a share of the tokens up to 1,
    tokens above it. ``seed`` decides which half of the sessions chooses."""

    strategies: tuple[str, ...]
    budget: float
    runs: int = RUNS
    seed: int = 1

    @property
    def is_share(self) -> bool:
        return self.budget <= 1

    def size(self, evaluation: Evaluation) -> float:
        return evaluation.tokens_left if self.is_share else evaluation.tokens_after


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean over sessions with its 95 % bootstrap interval."""

    mean: float
    low: float
    high: float

    @property
    def shows_a_difference(self) -> bool:
        return self.low > 0 or self.high < 0


@dataclass(frozen=True, slots=True)
class TunedStrategy:
    """The best settings of a strategy on the choosing sessions, and how they and the defaults did on the
    others: shares kept, sizes in the unit of the budget. ``gain`` is best minus default, session by session;
    None without two sessions."""

    best: Candidate
    fits: bool
    chosen_share: float
    share: float | None
    size: float | None
    default_share: float | None
    default_size: float | None
    gain: Interval | None
    runs: int = 0


@dataclass(frozen=True, slots=True)
class TuneResult:
    """The strategies, the best first as the choosing sessions rank them. ``left_out`` are sessions without a
    backtest, with the reason. ``over_preset`` compares the first with the best preset that was run."""

    request: TuneRequest
    strategies: tuple[TunedStrategy, ...] = ()
    choosing: tuple[str, ...] = ()
    reporting: tuple[str, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    preset: str = ""
    over_preset: Interval | None = None
    done: int = 0
    planned: int = 0
    stage: str = ""

    @property
    def is_over(self) -> bool:
        return self.stage == ""


@dataclass(slots=True)
class _Tuning:
    request: TuneRequest
    jobs: Sequence[FileComparisonJob]
    run_jobs: RunJobs
    results: Results
    remember: Callable[[FileComparisonJob, Mapping[Candidate, Evaluation]], None]
    left_out: dict[str, str] = field(default_factory=dict)


def tune(
    request: TuneRequest,
    jobs: Sequence[FileComparisonJob],
    run_jobs: RunJobs,
    known: Results | None = None,
    remember: Callable[[FileComparisonJob, Mapping[Candidate, Evaluation]], None] = lambda *_: None,
) -> Iterator[TuneResult]:
    """Yield the state of the search, and at last its result. Half of the sessions choose, the others report.
    ``known`` are evaluations of an earlier run; ``remember`` is called with each session's new ones."""
    tuning = _Tuning(request, jobs, run_jobs, dict(known or {}), remember)
    defaults = tuple(Candidate(name) for name in request.strategies)
    yield from _evaluated(tuning, jobs, defaults, "The defaults on every session")
    usable = [job for job in jobs if job.name not in tuning.left_out]
    choosing, reporting = _halves(usable, request.seed)
    searches, scored = _searches(request), dict[Candidate, Score]()
    batches = {name: next(one) for name, one in searches.items()}
    number = 0
    while batches and choosing:
        number += 1
        candidates = tuple(candidate for batch in batches.values() for candidate in batch)
        yield from _evaluated(tuning, choosing, candidates, f"Stage {number} of the search")
        scored |= _scores(tuning, choosing, candidates)
        batches = {name: batch for name in batches if (batch := _next(searches[name], scored)) is not None}
    best = {name: _best(name, scored, request.budget) for name in request.strategies}
    yield from _evaluated(tuning, reporting, tuple(best.values()), "The best ones on the other half")
    yield _result(tuning, best, scored, choosing, reporting)


def _searches(request: TuneRequest) -> dict[str, Search]:
    tunable = [one for one in SETTINGS if one.tune is not None]
    found = {}
    for name in request.strategies:
        keys = tuned_keys(find_strategy(name), [one.key for one in tunable])
        found[name] = search(name, [one for one in tunable if one.key in keys], request.budget, request.runs)
    return found


def _next(running: Search, scored: Mapping[Candidate, Score]) -> tuple[Candidate, ...] | None:
    try:
        return running.send(scored)
    except StopIteration:
        return None


def _halves(
    jobs: Sequence[FileComparisonJob], seed: int
) -> tuple[list[FileComparisonJob], list[FileComparisonJob]]:
    """Split sessions by a seeded order of their names; the first half chooses."""
    order = sorted(
        jobs, key=lambda job: hashlib.sha256(f"{seed} {job.name}".encode("utf-8", "replace")).digest()
    )
    middle = (len(order) + 1) // 2
    return order[:middle], order[middle:]


def _evaluated(
    tuning: _Tuning, jobs: Sequence[FileComparisonJob], candidates: Sequence[Candidate], stage: str
) -> Iterator[TuneResult]:
    """Evaluate candidates on sessions, those that are not known; yield the state after each session."""
    work = []
    for job in jobs:
        missing = tuple(one for one in candidates if (job.name, one) not in tuning.results)
        if missing and job.name not in tuning.left_out:
            work.append((job, missing))
    done = 0
    for ended in tuning.run_jobs(evaluate_session, [TuneJob(job, missing) for job, missing in work]):
        if ended is not None:
            job, missing = work[ended[0]]
            _take(tuning, job, missing, ended[1])
            done += 1
        yield TuneResult(tuning.request, done=done, planned=len(work), stage=stage)


def _take(tuning: _Tuning, job: FileComparisonJob, candidates: Sequence[Candidate], result: object) -> None:
    if isinstance(result, JobFailure):
        tuning.left_out[job.name] = result.reason
        return
    assert isinstance(result, SessionEvaluations)
    if result.reason:
        tuning.left_out[job.name] = result.reason
    found = dict(zip(candidates, result.evaluations, strict=False))
    tuning.results |= {(job.name, candidate): one for candidate, one in found.items()}
    if found:
        tuning.remember(job, found)


def _scores(
    tuning: _Tuning, jobs: Sequence[FileComparisonJob], candidates: Iterable[Candidate]
) -> dict[Candidate, Score]:
    scores = {}
    for candidate in candidates:
        known = [tuning.results.get((job.name, candidate)) for job in jobs]
        shares = [one.share for one in known if one is not None and one.share is not None]
        sizes = [tuning.request.size(one) for one in known if one is not None and one.share is not None]
        if len(shares) == len(jobs):  # a run that failed rules its settings out
            scores[candidate] = Score(mean(shares), mean(sizes))
    return scores


def _best(name: str, scored: Mapping[Candidate, Score], budget: float) -> Candidate:
    own = [one for one in scored if one.strategy == name]
    return max(own, key=lambda one: rank(scored[one], budget), default=Candidate(name))


def _result(
    tuning: _Tuning,
    best: Mapping[str, Candidate],
    scored: Mapping[Candidate, Score],
    choosing: Sequence[FileComparisonJob],
    reporting: Sequence[FileComparisonJob],
) -> TuneResult:
    request = tuning.request
    ranked = sorted(best.values(), key=lambda one: rank(scored.get(one), request.budget), reverse=True)
    tuned = tuple(_tuned(tuning, one, scored, reporting) for one in ranked)
    presets = [one for one in ranked if find_strategy(one.strategy).emulates is not None]
    first, preset = ranked[0], next((one for one in presets if one is not ranked[0]), None)
    return TuneResult(
        request,
        tuned,
        choosing=tuple(job.name for job in choosing),
        reporting=tuple(job.name for job in reporting),
        left_out=tuple(sorted(tuning.left_out.items())),
        preset="" if preset is None else preset.strategy,
        over_preset=None if preset is None else _difference(tuning, first, preset, reporting),
    )


def _tuned(
    tuning: _Tuning, best: Candidate, scored: Mapping[Candidate, Score], jobs: Sequence[FileComparisonJob]
) -> TunedStrategy:
    default, score = Candidate(best.strategy), scored.get(best)
    shown, usual = (_scores(tuning, jobs, (one,)).get(one) if jobs else None for one in (best, default))
    return TunedStrategy(
        best,
        fits=score is not None and score.size <= tuning.request.budget,
        chosen_share=0.0 if score is None else score.share,
        share=None if shown is None else shown.share,
        size=None if shown is None else shown.size,
        default_share=None if usual is None else usual.share,
        default_size=None if usual is None else usual.size,
        gain=_difference(tuning, best, default, jobs),
        runs=sum(one.strategy == best.strategy for one in scored),
    )


def _difference(
    tuning: _Tuning, a: Candidate, b: Candidate, jobs: Sequence[FileComparisonJob]
) -> Interval | None:
    """Return the shares of ``a`` minus those of ``b``, session by session, in the mean with its interval."""
    pairs = [(tuning.results.get((job.name, a)), tuning.results.get((job.name, b))) for job in jobs]
    differences = [
        one.share - other.share
        for one, other in pairs
        if one is not None and other is not None and one.share is not None and other.share is not None
    ]
    if len(differences) < 2:
        return None
    random = Random(tuning.request.seed)
    means = sorted(mean(random.choices(differences, k=len(differences))) for _ in range(_RESAMPLES))
    tail = int(_TAIL * _RESAMPLES)
    return Interval(mean(differences), means[tail], means[-tail - 1])
