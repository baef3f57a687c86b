"""Which strategy and which settings keep most of what later turns need, on the sessions of a
folder."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from pathlib import Path
from statistics import mean
from typing import Any, TypeAlias

from core.analysis.intervals import Interval, mean_interval
from core.common.errors import InputError
from core.settings.schema import Setting, SettingKind, SettingValue
from core.strategies.registry import find_strategy
from core.trials.session_work import ProgressFile, file_state
from core.trials.sessions import SessionAnswer, SessionJob, TrialSession
from core.trials.trial import Trial
from core.trials.tune_evaluation import TuneWork, tuned_settings
from core.trials.tune_values import (
    Evaluation,
    Figures,
    TunedStrategy,
    TuneRequest,
    TuneResult,
    Vector,
)

# Searches the settings of one strategy, coarse to fine, within a number of runs. Deterministic.


_COARSE = 4  # values of a setting at first
_SAME_STEP = 3  # looks around the best candidate before the step is halved


@dataclass(frozen=True, slots=True)
class Score:
    """How a candidate did on the choosing sessions: the share of needed names kept, and its size in
    the unit of the budget."""

    share: float
    size: float


Scores: TypeAlias = Mapping[Trial, Score]
Search: TypeAlias = Generator[tuple[Trial, ...], Scores, None]


def rank(score: Score | None, budget: float) -> tuple[bool, float, float]:
    """Return a key, largest for the best score: within the budget by what is kept, above it by
    size."""
    if score is None:
        return False, float("-inf"), 0.0
    fits = score.size <= budget
    return fits, score.share if fits else -score.size, -score.size


def search(
    strategy: str, settings: Sequence[Setting], budget: float, runs: int
) -> Search:
    """Yield batches of candidates and take their scores, until nothing better is near or ``runs``
    candidates were tried."""
    values = {one.key: one.tuned_values for one in settings}
    known: dict[Trial, Score | None] = {}

    def fresh(vectors: Iterator[Vector]) -> tuple[Trial, ...]:
        candidates = dict.fromkeys(Trial(strategy, vector) for vector in vectors)
        return tuple(one for one in candidates if one not in known)[
            : max(0, runs - len(known))
        ]

    def best() -> Trial:
        return max(known, key=lambda one: rank(known[one], budget))

    batch = fresh(iter([(), *_single_changes(settings)]))
    while batch:
        scores = yield batch
        known |= {one: scores.get(one) for one in batch}
        if len(known) == len(batch):
            batch = fresh(_combined(settings, known, budget, strategy))
        else:
            batch = ()
    step = max((len(one) for one in values.values()), default=0) // 4
    looks = 0
    while step and len(known) < runs:
        before = best()
        batch = fresh(_neighbours(before.settings, settings, step))
        if batch:
            scores = yield batch
            known |= {one: scores.get(one) for one in batch}
        looks += 1
        if best() == before or looks >= _SAME_STEP:
            step = step // 2
            looks = 0


_SIZES = 6  # at which the defaults are looked at


def default_sizes(strategy: str, settings: Sequence[Setting]) -> tuple[Trial, ...]:
    """Return the defaults of a strategy, and the same at other sizes, if it has settings of its
    size: what a gain is measured against."""
    vectors = dict.fromkeys([_vector({}, settings)])
    for step in range(_SIZES):
        changes = {
            one.key: one.tuned_values[
                step * (len(one.tuned_values) - 1) // (_SIZES - 1)
            ]
            for one in settings
            if one.is_size
        }
        vectors[_vector(changes, settings)] = None
    return tuple(Trial(strategy, vector) for vector in vectors)


def only_size(candidate: Trial, settings: Sequence[Setting]) -> Trial:
    """Return the defaults at the size settings of a candidate."""
    sizes = {one.key for one in settings if one.is_size}
    changes = {key: value for key, value in candidate.settings if key in sizes}
    return Trial(candidate.strategy, _vector(changes, settings))


def _single_changes(settings: Sequence[Setting]) -> Iterator[Vector]:
    for setting in settings:
        values = setting.tuned_values
        if setting.kind in (SettingKind.FRACTION, SettingKind.WHOLE):
            indices = sorted(
                {
                    round(index * (len(values) - 1) / (_COARSE - 1))
                    for index in range(_COARSE)
                }
            )
            values = tuple(values[index] for index in indices)
        yield from (
            ((setting.key, value),) for value in values if value != setting.default
        )


def _combined(
    settings: Sequence[Setting],
    known: Mapping[Trial, Score | None],
    budget: float,
    strategy: str,
) -> Iterator[Vector]:
    """Yield what joins the best values of single settings: all of them, and all but one."""
    default = rank(known.get(Trial(strategy)), budget)
    best: dict[str, SettingValue] = {}
    for setting in settings:
        tried = [
            one
            for one in known
            if len(one.settings) == 1 and one.settings[0][0] == setting.key
        ]
        if tried:
            first = max(tried, key=lambda one: rank(known[one], budget))
            if rank(known[first], budget) > default:
                best[setting.key] = first.settings[0][1]
    if len(best) > 1:
        yield _vector(best, settings)
        for key in best if len(best) > 2 else ():
            yield _vector(
                {other: value for other, value in best.items() if other != key},
                settings,
            )


def _neighbours(
    vector: Vector, settings: Sequence[Setting], step: int
) -> Iterator[Vector]:
    """Yield vectors that differ in one setting, by ``step`` places of its values."""
    present = dict(vector)
    for setting in settings:
        values = setting.tuned_values
        value = present.get(setting.key, setting.default)
        index = _nearest(values, value)
        for other in (index - step, index + step):
            if 0 <= other < len(values):
                yield _vector({**present, setting.key: values[other]}, settings)


def _nearest(values: Sequence[SettingValue], value: SettingValue | None) -> int:
    if value in values:
        return values.index(value)
    numbers = [float(one) if isinstance(one, int | float) else 0.0 for one in values]
    if isinstance(value, int | float):
        wanted = float(value)
    else:
        wanted = 0.0
    return min(range(len(values)), key=lambda index: abs(numbers[index] - wanted))


def _vector(changes: Mapping[str, SettingValue], settings: Sequence[Setting]) -> Vector:
    return tuple(
        (one.key, changes[one.key])
        for one in settings
        if one.key in changes and changes[one.key] != one.default
    )


_PART = 12  # candidates of a session that one process runs in turn, so that others can share a session

RunJobs: TypeAlias = Callable[
    [Sequence[SessionJob]],
    Generator[tuple[int, SessionAnswer[Any]] | None, None, None],
]
"""Yields the index and the result of each job as it ends, and None while all run."""
Results: TypeAlias = dict[tuple[str, Trial], Evaluation]
"""By the name of the session and the candidate."""


@dataclass(slots=True, kw_only=True)
class _TuneRun:
    request: TuneRequest
    run_jobs: RunJobs
    results: Results
    remember: Callable[[TrialSession, Mapping[Trial, Evaluation]], None]
    left_out: dict[str, str] = field(default_factory=dict)
    choosing: Sequence[TrialSession] = ()
    reporting: Sequence[TrialSession] = ()
    scored: dict[Trial, Score] = field(default_factory=dict)
    so_far: tuple[TunedStrategy, ...] = ()

    def usable(self, jobs: Sequence[TrialSession]) -> list[TrialSession]:
        return [job for job in jobs if job.name not in self.left_out]

    def best(self, name: str) -> Trial:
        own = [one for one in self.scored if one.strategy == name]
        budget = self.request.budget
        return max(
            own, key=lambda one: rank(self.scored[one], budget), default=Trial(name)
        )

    def settings(self, name: str) -> tuple[Setting, ...]:
        """Return the settings of a strategy that are searched."""
        return tuned_settings(
            find_strategy(name), [key for key, _ in self.request.held]
        )

    def defaults_beside(self, best: Trial) -> tuple[Trial, ...]:
        """Return the defaults of a strategy at several sizes, that of its best settings among
        them."""
        settings = self.settings(best.strategy)
        sizes = (*default_sizes(best.strategy, settings), only_size(best, settings))
        return tuple(dict.fromkeys(sizes))


def tune(
    request: TuneRequest,
    jobs: Sequence[TrialSession],
    run_jobs: RunJobs,
    finished: Results | None = None,
    remember: Callable[[TrialSession, Mapping[Trial, Evaluation]], None] = lambda *_: (
        None
    ),
) -> Generator[TuneResult, None, None]:
    """Yield the state of the search, and at last its result. Half of the sessions choose, the
    others report. ``finished`` are evaluations of an earlier run; ``remember`` is called with each
    session's new ones. Raises InputError where the session that the settings are for has no
    backtest."""
    tuning = _TuneRun(
        request=request,
        run_jobs=run_jobs,
        results=dict(finished or {}),
        remember=remember,
    )
    defaults = tuple(Trial(name) for name in request.strategies)
    yield from _evaluated(tuning, jobs, defaults, "The defaults on every session")
    if request.for_session in tuning.left_out:
        reason = f"{request.for_session} has no past to choose by. {tuning.left_out[request.for_session]}"
        raise InputError(reason, "Choose by the folder alone.")
    others = [job for job in tuning.usable(jobs) if job.name != request.for_session]
    tuning.choosing, tuning.reporting = _halves(others, request.seed)
    tuning.choosing = [
        *tuning.choosing,
        *(job for job in jobs if job.name == request.for_session),
    ]
    yield from _search(tuning)
    best = tuple(map(tuning.best, request.strategies))
    sizes = tuple(chain.from_iterable(map(tuning.defaults_beside, best)))
    yield from _evaluated(tuning, tuning.choosing, sizes, "The defaults at other sizes")
    chosen = tuple(dict.fromkeys([*best, *defaults]))
    what = "The best ones and the defaults on the other half"
    yield from _evaluated(tuning, tuning.reporting, chosen, what, reports=True)
    what = "The defaults at other sizes on the other half"
    yield from _evaluated(tuning, tuning.reporting, sizes, what)
    yield _result(tuning)


def _search(tuning: _TuneRun) -> Iterator[TuneResult]:
    """Run the searches of all strategies side by side, so that a session is read once for a stage
    of all."""
    searches = _searches(tuning.request)
    tried = dict[Trial, None]()
    batches = {name: next(one) for name, one in searches.items()}
    number = 0
    while batches and tuning.choosing:
        number += 1
        candidates = tuple(
            candidate for batch in batches.values() for candidate in batch
        )
        yield from _evaluated(
            tuning, tuning.choosing, candidates, f"Stage {number} of the search"
        )
        tried |= dict.fromkeys(candidates)
        tuning.scored = _scores(tuning, tried)
        tuning.so_far = _ranked(tuning, ())
        batches = {
            name: batch
            for name in batches
            if (batch := _next(searches[name], tuning.scored)) is not None
        }


def _searches(request: TuneRequest) -> dict[str, Search]:
    held = [key for key, _ in request.held]
    return {
        name: search(
            name,
            tuned_settings(find_strategy(name), held),
            request.budget,
            request.runs,
        )
        for name in request.strategies
    }


def _rival(tuning: _TuneRun, first: Trial) -> Trial:
    """Return the best settings of the strategy whose defaults keep most at the size of ``first`` on
    the choosing sessions."""
    jobs = tuning.usable(tuning.choosing)

    def kept(best: Trial) -> float:
        pairs = [_beside_defaults(tuning, job, first, best) for job in jobs]
        return mean([default for _, default in filter(None, pairs)] or [0.0])

    return max(map(tuning.best, tuning.request.strategies), key=kept)


def _beside_defaults(
    tuning: _TuneRun, job: TrialSession, candidate: Trial, other: Trial
) -> tuple[float, float] | None:
    """Return what a candidate keeps in a session, and what the defaults of ``other`` keep at the
    same tokens; None where a run failed."""
    found = tuning.results.get((job.name, candidate))
    if found is None or found.share is None:
        return None
    sizes = [(0.0, 0.0), (1.0, 1.0)]
    for default in tuning.defaults_beside(other):
        one = tuning.results.get((job.name, default))
        if one is not None and one.share is not None:
            sizes.append((one.tokens_left, one.share))
    return found.share, kept_at(found.tokens_left, sizes)


def kept_at(size: float, sizes: Sequence[tuple[float, float]]) -> float:
    """Return the share that is kept at a size, between the nearest of (size, share); what keeps
    less in more tokens does not count."""
    known = sorted(sizes)
    below = [one for one in known if one[0] <= size]
    above = [one for one in known if one[0] > size]
    low = max(below, key=lambda one: (one[1], one[0]))
    if not above:
        return low[1]
    high = above[0]
    part = (size - low[0]) / (high[0] - low[0])
    return max(low[1], low[1] + part * (high[1] - low[1]))


def _next(running: Search, scored: Mapping[Trial, Score]) -> tuple[Trial, ...] | None:
    try:
        return running.send(scored)
    except StopIteration:
        return None


def _halves(
    jobs: Sequence[TrialSession], seed: int
) -> tuple[list[TrialSession], list[TrialSession]]:
    """Split sessions by a seeded order of their names; the first half chooses."""
    order = sorted(
        jobs,
        key=lambda job: hashlib.sha256(
            f"{seed} {job.name}".encode("utf-8", "replace")
        ).digest(),
    )
    middle = (len(order) + 1) // 2
    return order[:middle], order[middle:]


def _evaluated(
    tuning: _TuneRun,
    jobs: Sequence[TrialSession],
    candidates: Sequence[Trial],
    stage: str,
    *,
    reports: bool = False,
) -> Iterator[TuneResult]:
    """Evaluate candidates on sessions, those that are not known; yield the state after each
    session. The largest sessions go first, so that no core waits for one at the end. ``reports``:
    with what they cost, and what stands of the texts that must survive."""
    request = tuning.request
    work = list[SessionJob]()
    with_cost = reports or request.is_priced
    for job in sorted(tuning.usable(jobs), key=_bytes, reverse=True):
        known = {one: tuning.results.get((job.name, one)) for one in candidates}
        missing = [
            one
            for one, found in known.items()
            if found is None
            or (with_cost and not found.is_priced)
            or (reports and not found.is_judged)
        ]
        for start in range(0, len(missing), _PART):
            part = tuple(missing[start : start + _PART])
            work.append(
                SessionJob(job, TuneWork(part, with_cost, reports, request.is_priced))
            )
    state = TuneResult(
        request=request,
        strategies=tuning.so_far,
        choosing=_names(tuning.choosing),
        reporting=_names(tuning.reporting),
        planned=len(left := Counter(job.file.name for job in work)),
        tried=len(tuning.scored),
        stage=stage,
    )
    for ended in tuning.run_jobs(work):
        if ended is not None:
            _take(tuning, work[ended[0]], ended[1])
            left[work[ended[0]].file.name] -= 1
        done = sum(not parts for parts in left.values())
        yield replace(state, done=done, left_out=tuple(sorted(tuning.left_out.items())))


def _bytes(job: TrialSession) -> int:
    state = file_state(job)
    if state is None:
        return 0
    return state[1]


def _names(jobs: Sequence[TrialSession]) -> tuple[str, ...]:
    return tuple(job.name for job in jobs)


def _take(
    tuning: _TuneRun, job: SessionJob, ended: SessionAnswer[tuple[Evaluation, ...]]
) -> None:
    name = job.file.name
    if ended.problem:
        tuning.left_out[name] = ended.problem
    assert isinstance(job.work, TuneWork)
    found = dict(zip(job.work.candidates, ended.result or (), strict=False))
    tuning.results |= {(name, candidate): one for candidate, one in found.items()}
    if found:
        tuning.remember(job.file, found)


def _scores(tuning: _TuneRun, candidates: Iterable[Trial]) -> dict[Trial, Score]:
    """Return how candidates did on the choosing sessions; half of it is the session that they are
    for."""
    request = tuning.request
    scores = dict[Trial, Score]()
    jobs = tuning.usable(tuning.choosing)
    others = len(jobs) - sum(job.name == request.for_session for job in jobs)
    for candidate in candidates:
        share = size = weights = 0.0
        for job in jobs:
            found = tuning.results.get((job.name, candidate))
            if (
                found is None
                or found.share is None
                or (own_size := request.size(found)) is None
            ):
                break  # a run that failed rules its settings out
            if job.name == request.for_session:
                weight = float(max(1, others))
            else:
                weight = 1.0
            share = share + weight * found.share
            size = size + weight * own_size
            weights = weights + weight
        else:
            if weights:
                scores[candidate] = Score(share / weights, size / weights)
    return scores


def _result(tuning: _TuneRun) -> TuneResult:
    request = tuning.request
    reporting = tuning.usable(tuning.reporting)
    tuned = _ranked(tuning, reporting)
    rival = _rival(tuning, tuned[0].best)
    presets = [
        one.best
        for one in tuned[1:]
        if find_strategy(one.best.strategy).emulates is not None
    ]
    return TuneResult(
        request=request,
        strategies=tuned,
        choosing=_names(tuning.usable(tuning.choosing)),
        reporting=_names(reporting),
        left_out=tuple(sorted(tuning.left_out.items())),
        preset=presets[0].strategy if presets else "",
        over_preset=_difference(tuning, tuned[0].best, presets[0], reporting)
        if presets
        else None,
        rival=rival.strategy,
        over_rival=_gain(tuning, tuned[0].best, rival, reporting),
        tried=len(tuning.scored),
    )


def _ranked(
    tuning: _TuneRun, reporting: Sequence[TrialSession]
) -> tuple[TunedStrategy, ...]:
    budget, scored = tuning.request.budget, tuning.scored
    best = map(tuning.best, tuning.request.strategies)
    order = sorted(best, key=lambda one: rank(scored.get(one), budget), reverse=True)
    return tuple(_tuned(tuning, one, reporting) for one in order)


def _tuned(
    tuning: _TuneRun, best: Trial, jobs: Sequence[TrialSession]
) -> TunedStrategy:
    default = Trial(best.strategy)
    score = tuning.scored.get(best)
    return TunedStrategy(
        best=best,
        fits=score is not None and score.size <= tuning.request.budget,
        chosen_share=0.0 if score is None else score.share,
        figures=_figures(tuning, best, jobs),
        default=_figures(tuning, default, jobs),
        gain=_gain(tuning, best, best, jobs) if jobs else None,
        runs=sum(one.strategy == best.strategy for one in tuning.scored),
    )


def _figures(
    tuning: _TuneRun, candidate: Trial, jobs: Sequence[TrialSession]
) -> Figures:
    results = (tuning.results.get((job.name, candidate)) for job in jobs)
    found = [one for one in results if one is not None]
    shares = [one.share for one in found if one.share is not None]
    if not jobs or len(shares) < len(jobs):
        return Figures()
    costs = [one.cost for one in found if one.cost is not None]
    return Figures(
        share=mean(shares),
        interval=mean_interval(shares, tuning.request.seed),
        tokens_left=mean(one.tokens_left for one in found),
        tokens_after=mean(one.tokens_after for one in found),
        cost=mean(costs) if costs else None,
        priced=len(costs),
        musts=sum(one.musts for one in found),
        musts_kept=sum(one.musts_kept for one in found),
    )


def _gain(
    tuning: _TuneRun, best: Trial, rival: Trial, jobs: Sequence[TrialSession]
) -> Interval | None:
    """Return what settings keep more than the defaults of ``rival`` at the same tokens, session by
    session, in the mean with its interval."""
    pairs = [_beside_defaults(tuning, job, best, rival) for job in jobs]
    gains = [kept - default for kept, default in filter(None, pairs)]
    return mean_interval(gains, tuning.request.seed)


def _difference(
    tuning: _TuneRun, a: Trial, b: Trial, jobs: Sequence[TrialSession]
) -> Interval | None:
    """Return the shares of ``a`` minus those of ``b``, session by session, in the mean with its
    interval."""
    differences = []
    for job in jobs:
        one, other = (_share_in(tuning, job, trial) for trial in (a, b))
        if one is not None and other is not None:
            differences.append(one - other)
    return mean_interval(differences, tuning.request.seed)


def _share_in(tuning: _TuneRun, job: TrialSession, trial: Trial) -> float | None:
    found = tuning.results.get((job.name, trial))
    return None if found is None else found.share


# What a search has evaluated, in the cache folder.


_VERSION = 2


class TuneProgressFile(ProgressFile):
    """One line per session and stage; a session that changed since is evaluated again. It holds
    names of files and figures, no text of a session."""

    def __init__(self, folder: Path, file: TrialSession) -> None:
        super().__init__("tune", folder, file, _VERSION)

    def finished_evaluations(self, files: Sequence[TrialSession]) -> Results:
        """Return the evaluations of sessions that are as they were; incomplete lines are
        skipped."""
        names = {
            state: file.name
            for file in files
            if (state := file_state(file)) is not None
        }
        found: Results = {}
        for state, record in self.records():
            with suppress(ValueError, TypeError, KeyError):
                for entry in record["evaluations"] if state in names else ():
                    vector = tuple((key, value) for key, value in entry["vector"])
                    candidate = Trial(entry["strategy"], vector)
                    found[names[state], candidate] = Evaluation(**entry["found"])
        return found

    def add_evaluations(
        self, file: TrialSession, evaluations: Mapping[Trial, Evaluation]
    ) -> None:
        """Append what a session gave; what stands of its musts is looked for again, because their
        files change. A write error only costs the resuming."""
        entries = [
            {
                "strategy": one.strategy,
                "vector": one.settings,
                "found": asdict(_without_musts(evaluation)),
            }
            for one, evaluation in evaluations.items()
        ]
        self.add(file, {"evaluations": entries})


def _without_musts(evaluation: Evaluation) -> Evaluation:
    """A session that has no musts counts as judged."""
    is_judged = evaluation.is_judged and not evaluation.musts
    return replace(evaluation, musts=0, musts_kept=0, is_judged=is_judged)
