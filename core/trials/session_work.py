"""What is asked of each session of a folder, and the means over sessions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import mean
from typing import TypeAlias

from core.analysis.analysis_input import AnalysisInput, baseline_preview
from core.analysis.costs import PricingModel, pricing_model
from core.analysis.intervals import Interval, mean_interval
from core.common.errors import InputError
from core.common.json_value import Json, typed_value
from core.common.paths import cache_dir, installed_version
from core.common.redaction import redact_except_mail
from core.formats.writing.redacted_output import secret_locations_in
from core.llm.pricing import RunCostEstimate, total_cost
from core.preview.strategy_input import strategy_prompts
from core.settings.schema import MODE, STRATEGY, Mode
from core.strategies.registry import STRATEGIES
from core.tokens.counter import COUNTER_VERSION
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
from core.trials.trial_costs import compare_costs, writers_of

Results: TypeAlias = tuple[TrialResult, ...]
Backtests: TypeAlias = tuple[Backtest, ...]


@dataclass(frozen=True, slots=True)
class CompareWork:
    """Compares strategies; ``names`` as for ``compare_strategies``."""

    names: tuple[str, ...]

    def __call__(self, source: AnalysisInput, file: TrialSession) -> Results:
        if not source.conversation.messages:
            raise InputError("The file holds no messages.", "")
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
    if len(file.profile_names) < 2:
        return known
    return by_profile(known, file.profile_names, file.values)


def _with_models(source: AnalysisInput, file: TrialSession) -> AnalysisInput:
    """Return the input with the models that write its summaries. A job is ended with its process
    and reports no single calls."""
    writers = writers_of(file.profiles, file.values, lambda event: None, lambda: False)
    if len(writers) == 1:
        return replace(source, options_for=writers[file.profile_names[0]])
    return replace(source, writers=writers)


def _of_folder(file: str, row: TrialResult) -> TrialResult:
    """Return the row without the single facts and names, which a folder does not show."""
    if row.losses.needed is None:
        needed = None
    else:
        needed = replace(row.losses.needed, gone=())
    return replace(
        row, file=file, losses=replace(row.losses, needed=needed, statuses=b"")
    )


@dataclass(frozen=True, slots=True)
class PriceWork:
    """Prices a comparison: the most that the calls of each profile can cost, and how many secrets
    the messages hold if there are calls."""

    names: tuple[str, ...]

    def __call__(
        self, source: AnalysisInput, file: TrialSession
    ) -> tuple[tuple[RunCostEstimate, ...], int]:
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
    began. ``problems`` says what could not be read. ``selected`` is the strategy whose files are
    listed.
    """

    folder: Path
    file: TrialSession
    names: tuple[str, ...]
    files: tuple[SessionAnswer[Results] | None, ...]
    problems: tuple[str, ...]
    resumed: int
    selected: str = ""
    seconds: float = 0.0
    is_running: bool = False

    @property
    def done(self) -> tuple[SessionAnswer[Results], ...]:
        return tuple(file for file in self.files if file is not None)


def results_of(files: Iterable[SessionAnswer[Results]]) -> list[TrialResult]:
    return [row for file in files for row in file.result or ()]


def may_be_stored(job: SessionJob, answer: SessionAnswer[Results]) -> bool:
    """Return whether the next run need not compare a file again: nothing failed that may be
    temporary, as a process that died or a model."""
    has_failed = any(row.error for row in answer.result or ())
    return answer.is_final and (job.file.is_offline or not has_failed)


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
        for found in file.result or ():
            by_name.setdefault(found.name, []).append(found)
    means = [_mean(name, found) for name, found in by_name.items()]
    order = trade_offs([(one.tokens_left, one.share) for one in means])
    return tuple(replace(means[index], on_front=on_front) for index, on_front in order)


def _mean(name: str, backtests: Sequence[Backtest]) -> BacktestMean:
    known = [one for one in backtests if one.share is not None]
    shares = [one.share for one in known if one.share is not None]
    left = [
        one.tokens_left for one in known or backtests if one.tokens_left is not None
    ]
    return BacktestMean(
        name=name,
        sessions=len(shares),
        needed=sum(one.needed for one in known),
        share=mean(shares) if shares else None,
        interval=mean_interval(shares),
        tokens_left=mean(left) if left else None,
    )


# What a job over a folder has finished, in the cache folder: a run that was killed goes on from
# there.


FileState: TypeAlias = tuple[str, int, int]
"""Name, size and time of a file, by which its results are known again."""


def file_state(file: TrialSession) -> FileState | None:
    """Return the state of a file; None if it is gone."""
    try:
        status = Path(file.path).stat()
    except OSError:
        return None
    return redact_except_mail(file.name), status.st_size, status.st_mtime_ns


class ProgressFile:
    """A JSON Lines file for one kind of work, one folder and one set of settings. Written by json,
    since orjson rejects file names that are not UTF-8."""

    def __init__(
        self, kind: str, folder: Path, file: TrialSession, *settings: Json
    ) -> None:
        """``file`` may be any file of the folder: all have the same settings. ``settings`` is what
        else decides the results. The strategy that is set does not: the work runs those that are
        named."""
        by_key = file.values.by_key.items()
        values = sorted(
            (key, repr(setting.value)) for key, setting in by_key if key != STRATEGY
        )
        parts = (
            str(folder.resolve()),
            values,
            file.scope,
            file.model,
            file.format,
            *settings,
        )
        versions = (installed_version(), COUNTER_VERSION)
        digest = hashlib.blake2b(
            json.dumps([*parts, *versions]).encode(), digest_size=16
        )
        self._path = cache_dir() / kind / f"{digest.hexdigest()}.jsonl"

    def clear(self) -> None:
        """Delete the progress. Raises InputError if it cannot be deleted."""
        try:
            self._path.unlink(missing_ok=True)
        except OSError as error:
            cause = (error.strerror or str(error)).lower()
            raise InputError(
                f"{self._path} cannot be removed: {cause}.", "Leave --fresh out."
            ) from None

    def records(self) -> Iterator[tuple[FileState, Json]]:
        """Yield what was added, with the state that the file had then. Incomplete lines are
        skipped."""
        try:
            content = self._path.read_bytes()
        except OSError:
            return
        for line in content.splitlines():
            with suppress(ValueError, RecursionError, KeyError, TypeError):
                record = json.loads(line)
                state = record["name"], record["size"], record["mtime_ns"]
                yield state, record

    def add(self, file: TrialSession, content: Mapping[str, Json]) -> None:
        """Append what a file gave. A write error only costs the resuming."""
        state = file_state(file)
        if state is None:
            return
        record = {
            **dict(zip(("name", "size", "mtime_ns"), state, strict=True)),
            **content,
        }
        with suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._path.open(
                "ab"
            ) as lines:  # the leading break ends a line cut off by a kill
                lines.write(f"\n{json.dumps(record)}\n".encode())


_COMPARE_VERSION = 6


class FolderProgressFile(ProgressFile):
    """One line per finished transcript; one that changed since is compared again. Keys in names and
    problems are redacted."""

    def __init__(
        self, folder: Path, file: TrialSession, names: tuple[str, ...]
    ) -> None:
        """``file`` may be any file of the folder: all have the same settings."""
        mode = Mode(file.values.text(MODE))
        prompts = [
            sorted(strategy_prompts(one, profile, mode).items())
            for profile in file.profiles
            for one in STRATEGIES
        ]
        writers = [profile.writer_key for profile in file.profiles]
        settings = (writers, names, prompts, file.price_as, _COMPARE_VERSION)
        super().__init__("compare", folder, file, *settings)

    def finished_results(
        self, files: Sequence[TrialSession]
    ) -> dict[int, SessionAnswer[Results]]:
        """Return the known results by the index of their file. Incomplete lines are skipped."""
        finished: dict[FileState, SessionAnswer[Results]] = {}
        for state, record in self.records():
            with suppress(KeyError, TypeError, ValueError, AttributeError):
                rows = tuple(typed_value(TrialResult, row) for row in record["lines"])
                finished[state] = SessionAnswer(
                    name=state[0],
                    result=rows or None,
                    problem=record["problem"],
                    about=record["about"],
                )
        states = {index: file_state(file) for index, file in enumerate(files)}
        return {
            index: _with_file_name(finished[state], files[index].name)
            for index, state in states.items()
            if state is not None and state in finished
        }

    def add_result(self, file: TrialSession, result: SessionAnswer[Results]) -> None:
        """Append a finished transcript. A write error only costs the resuming."""
        content = {
            "problem": redact_except_mail(result.problem),
            "about": dict(result.about),
            "lines": [_row_json(row) for row in result.result or ()],
        }
        self.add(file, content)


def _row_json(row: TrialResult) -> Json:
    """Return a row of a folder, which has no ``statuses``, without its file."""
    content = asdict(replace(row, file=""))
    del content["losses"]["statuses"]
    return content


def _with_file_name(
    result: SessionAnswer[Results], name: str
) -> SessionAnswer[Results]:
    if result.result is None:
        rows = None
    else:
        rows = tuple(replace(row, file=name) for row in result.result)
    return replace(result, name=name, result=rows)
