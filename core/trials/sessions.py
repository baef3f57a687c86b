"""A job on a session: its file, what is asked of it, the answer; on all cores or on a cluster."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Generic, TypeAlias, TypeVar

from core.analysis.analysis_input import AnalysisInput
from core.common.crash_report import item_problem
from core.common.errors import InputError, missing_package
from core.common.paths import installed_version
from core.common.process_pool import JobFailure, ProcessPool
from core.formats.common.format import ReadRequest
from core.formats.registry import load_with_reason
from core.preview.options import PreviewOptions
from core.settings.profile import BUILT_IN, Profile
from core.settings.schema import Values
from core.transcript.model import Progress, no_progress
from core.transcript.scopes import opening_scope

# Runs the jobs of a folder comparison on an existing dask cluster (optional extra ``dask``).


_Job = TypeVar("_Job")
_T = TypeVar("_T")
_ADDRESS = re.compile(r"dask://([\w.\-]+|\[[0-9a-fA-F:]+\]):(\d{1,5})")
_CONNECT_TIMEOUT = 10  # to wait for a scheduler that does not answer


def scheduler_address(engine: str) -> str:
    """Return the scheduler's address of "dask://HOST:PORT"; raise InputError for anything else."""
    match = _ADDRESS.fullmatch(engine)
    if match is None or not 0 < int(match[2]) < 65536:
        raise InputError(
            f"--engine {engine} is not an engine.",
            "The engine must be cores, cores:N or dask://HOST:PORT.",
        )
    return f"tcp://{match[1]}:{match[2]}"


def run_on_cluster(
    engine: str, work: Callable[[_Job], _T], jobs: Sequence[_Job]
) -> Iterator[tuple[int, Any]]:
    """Like ``ProcessPool.run``, on the workers of the cluster at "dask://HOST:PORT". Workers need
    this version of Foldline and the files at the same paths. Raises InputError if the extra is
    missing, the scheduler does not answer, or a worker has another version or none."""
    address = scheduler_address(engine)
    try:
        import distributed  # late: an optional extra
    except ImportError:
        raise missing_package(f"--engine {engine}", "distributed", "dask") from None
    library: Any = distributed  # it has no types
    try:
        client = library.Client(address, timeout=_CONNECT_TIMEOUT, set_as_default=False)
    except (OSError, TimeoutError) as error:
        raise InputError(
            f"No cluster answers at {engine}: {error}.",
            "Start one with: dask scheduler.",
        ) from None
    with client:
        _check_versions(client, engine)
        futures = client.map(work, jobs, pure=False, retries=1)
        indices = {future.key: index for index, future in enumerate(futures)}
        try:
            for future in library.as_completed(futures, loop=client.loop):
                failure = future.exception()
                if failure is None:
                    result = future.result()
                else:
                    result = JobFailure(f"{type(failure).__name__}: {failure}")
                yield indices[future.key], result
        finally:
            client.cancel(futures)


def _check_versions(client: Any, engine: str) -> None:
    """Raise InputError unless every worker runs this version."""
    try:
        versions = client.run(installed_version)
    except ImportError:
        raise InputError(
            f"The workers at {engine} do not have Foldline.",
            "Install it where they run.",
        ) from None
    if not versions:
        raise InputError(
            f"The cluster at {engine} has no workers.", "Start one with: dask worker."
        )
    other_versions = sorted(set(versions.values()) - {installed_version()})
    if other_versions:
        raise InputError(
            f"Workers at {engine} run Foldline {other_versions[0]}, and this is {installed_version()}.",
            "Install the same everywhere.",
        )


_POLL = 0.03
"""Seconds between two checks for a cancel."""
_CORES = re.compile(r"cores(?::([1-9]\d{0,3}))?")
_DASK = "dask:"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialSession:
    """``name`` is the path as the table shows it; an empty ``scope`` is that in which the file
    opens. Summaries are written by ``profiles``, of which several are compared with each other, or
    priced as those of the model ``price_as``. ``counts_typed``: texts that must survive are those
    typed in the window, too, which no command knows of."""

    path: str
    name: str
    values: Values
    scope: str = ""
    model: str = ""
    format: str = ""
    profiles: tuple[Profile, ...] = (BUILT_IN,)
    price_as: str = ""
    request: ReadRequest | None = None
    counts_typed: bool = False

    @property
    def is_offline(self) -> bool:
        return all(profile.is_offline for profile in self.profiles)

    @property
    def profile_names(self) -> tuple[str, ...]:
        return tuple(profile.name for profile in self.profiles)


Work: TypeAlias = Callable[[AnalysisInput, TrialSession], Any]
"""What is asked of a session: a frozen value that every process can be sent."""


@dataclass(frozen=True, slots=True)
class SessionJob:
    file: TrialSession
    work: Work


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionAnswer(Generic[_T]):
    """The ``result`` of a job, or its ``problem`` in one sentence. ``about`` describes the session.
    ``is_final`` is false where another run may succeed, because a process died. A file that cannot
    be read or holds no messages is no transcript."""

    name: str
    result: _T | None = None
    problem: str = ""
    about: Mapping[str, str | int] = field(default_factory=dict)
    is_final: bool = True
    is_transcript: bool = True

    @property
    def problem_text(self) -> str:
        return named_problem(self.name, self.problem)


def named_problem(path: str, problem: str) -> str:
    """Return the problem, prefixed with the file's path unless it begins with the file's name."""
    file_name = path.rsplit("/", 1)[-1]
    problem_end = problem.removeprefix(file_name)
    if problem_end != problem:
        return f"{path}{problem_end}"
    return f"{path}: {problem}"


def answer(job: SessionJob, progress: Progress = no_progress) -> SessionAnswer[Any]:
    """Open the session of a job and do its work; an error becomes the ``problem``: one file ends no
    list."""
    name, is_transcript = job.file.name, False
    try:
        source = opened_session(job.file, progress)
        is_transcript = bool(source.conversation.messages)
        return SessionAnswer(
            name=name, result=job.work(source, job.file), about=_about(source)
        )
    except InputError as error:
        return SessionAnswer(name=name, problem=str(error), is_transcript=is_transcript)
    except Exception as error:
        return SessionAnswer(name=name, problem=item_problem(error))


def _about(source: AnalysisInput) -> dict[str, str | int]:
    conversation = source.conversation
    return {
        "format": conversation.format,
        "conversations": conversation.siblings,
        "scope": source.options.scope,
    }


def answers(
    engine: str, jobs: Sequence[SessionJob], pool: ProcessPool | None = None
) -> Generator[tuple[int, SessionAnswer[Any]] | None, None, None]:
    """Yield the index and the answer of each job as it ends, and None while all run; on the cores
    in a new pool unless one is given. ``engine`` is "cores", "cores:N" or "dask://HOST:PORT"."""
    if not jobs:
        return
    if is_cluster(engine):
        ended = run_on_cluster(engine, answer, jobs)
        for index, result in ended:
            yield index, _answer_of(jobs[index], result)
        return
    pool = pool or ProcessPool(answer, core_count(engine))
    with closing(pool.run_polling(jobs, _POLL)) as results:
        for one in results:
            yield one and (one[0], _answer_of(jobs[one[0]], one[1]))


def _answer_of(job: SessionJob, result: Any) -> SessionAnswer[Any]:
    if isinstance(result, JobFailure):
        return SessionAnswer(name=job.file.name, problem=result.reason, is_final=False)
    assert isinstance(result, SessionAnswer)
    return result


def is_cluster(engine: str) -> bool:
    return engine.startswith(_DASK)


def core_count(engine: str) -> int:
    """Return N of "cores:N", 0 of "cores" for all. Raises InputError for anything else."""
    match = _CORES.fullmatch(engine)
    if match is None:
        raise InputError(
            f"--engine {engine} is unknown.",
            "The engine must be cores, cores:N or dask://HOST:PORT.",
        )
    return int(match[1] or 0)


def opened_session(
    file: TrialSession, progress: Progress = no_progress
) -> AnalysisInput:
    """Return a transcript with its settings; InputError."""
    conversation = load_with_reason(file.path, file.request, format=file.format)[0]
    scope = opening_scope(conversation, file.scope)
    return AnalysisInput(
        conversation=conversation,
        values=file.values,
        options=PreviewOptions(scope=scope, model=file.model, progress=progress),
    )


def session_files(
    folder: Path, template: TrialSession, progress: Progress = no_progress
) -> tuple[tuple[TrialSession, ...], tuple[str, ...]]:
    """Return every file below a folder as one like ``template``, and problems in sentences."""
    paths, problems = folder_files(folder, progress)
    files = (
        replace(
            template, path=str(path.resolve()), name=path.relative_to(folder).as_posix()
        )
        for path in paths
    )
    return tuple(files), problems


def folder_files(
    folder: Path, progress: Progress = no_progress
) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Return every file below a folder, sorted, and sentences about unreadable places. Skips hidden
    files and folders; follows links to files, never to folders. Calls ``progress`` for each folder,
    which may raise Cancelled."""
    paths: list[Path] = []
    problems: list[str] = []

    def add_problem(error: OSError) -> None:
        problems.append(
            f"{error.filename} cannot be read: {(error.strerror or str(error)).lower()}."
        )

    for directory, folders, names in os.walk(folder, onerror=add_problem):
        progress(0.0, f"Looking into {directory}")
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        paths += [
            Path(directory, name) for name in sorted(names) if not name.startswith(".")
        ]
    files = tuple(
        path for path in paths if os.path.isfile(path)
    )  # unlike Path.is_file it never raises
    return files, tuple(problems)
