"""Compares the files of a folder on all cores, or on a cluster."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from core.app.presenters import Presenter
from core.app.rpc import remote
from core.common.errors import Cancelled, InputError
from core.settings.keys import STRATEGY

if TYPE_CHECKING:
    from core.app.events import FileExportedEvent
    from core.app.services.sessions import CancellableWorkspace
    from core.common.process_pool import ProcessPool
    from core.trials.kept_comparisons import FolderProgressFile
    from core.trials.sessions import (
        FileComparisonJob,
        FileComparisonResult,
        FolderComparison,
    )

_Job = TypeVar("_Job")

POLL_STEP = 0.15
"""Seconds between two updates."""
_POLL = 0.03
"""Seconds between two checks for a cancel."""
_CORES = re.compile(r"cores(?::([1-9]\d{0,3}))?")
_DASK = "dask:"


@dataclass(slots=True, kw_only=True)
class _FolderRun:
    """A folder, its jobs and their results by index."""

    folder: Path
    jobs: tuple[FileComparisonJob, ...]
    problems: tuple[str, ...]
    saved_results: FolderProgressFile
    done: dict[int, FileComparisonResult] = field(default_factory=dict)
    resumed: int = 0
    seconds: float = 0.0

    def forget(self) -> None:
        self.saved_results.clear()
        self.done.clear()


class FolderService:
    """Scans a folder and compares its files; finished ones stay known after a cancel."""

    def __init__(self, workspace: CancellableWorkspace) -> None:
        self._workspace = workspace
        self._run: _FolderRun | None = None
        self._shown = ""

    @remote(latest=True, presenter=Presenter.FOLDER)
    def scan(
        self, path: str, names: tuple[str, ...] = (), price: str = ""
    ) -> Generator[FolderComparison, None, None]:
        """Yield a folder's files, with the results that are known for the session's settings.

        ``names`` as in ``CompareService.compare``; summaries are priced as those of the model
        ``price``.
        """
        from core.analysis.analysis_input import offline_values
        from core.analysis.model import RECORDED
        from core.presentation.compare.pages import default_strategies
        from core.trials.sessions import FileComparisonJob

        values, folder = self._workspace.layers.resolve(), Path(path)
        baseline, *strategies = default_strategies()
        names = names or (baseline, RECORDED, *strategies)
        self._shown = self._shown or values.text(STRATEGY)
        if not folder.is_dir():
            raise InputError(f"{folder} is not a folder.", "Choose another one.")
        template = FileComparisonJob(
            path="", name="", names=names, values=offline_values(values), scope="", price_as=price
        )
        yield self.open(folder, template)

    def open(
        self, folder: Path, template: FileComparisonJob, *, fresh: bool = False
    ) -> FolderComparison:
        """Return a folder's files, each with a job like ``template``, and the results that are
        known for it; ``fresh`` forgets them. Raises InputError for a folder without files."""
        from core.analysis.run_price import pricing_model
        from core.trials.by_strategy import check_strategy_name
        from core.trials.kept_comparisons import FolderProgressFile
        from core.trials.sessions import folder_jobs

        for name in template.names:
            check_strategy_name(name)
        pricing_model(template.price_as, "")
        jobs, problems = folder_jobs(folder, template, self._check)
        if not jobs:
            why = " ".join((f"{folder} holds no files.", *problems))
            raise InputError(why, "Choose a folder that holds transcripts.")
        run = self._run = _FolderRun(
            folder=folder,
            jobs=jobs,
            problems=problems,
            saved_results=FolderProgressFile(folder, jobs[0]),
        )
        if fresh:
            run.forget()
        run.done = run.saved_results.finished_results(jobs)
        run.resumed = len(run.done)
        return self.comparison()

    @property
    def remaining_jobs(self) -> list[FileComparisonJob]:
        run = self._current_run()
        return [job for index, job in enumerate(run.jobs) if index not in run.done]

    @remote(latest=True, presenter=Presenter.FOLDER)
    def compare(
        self, fresh: bool = False, engine: str = "cores"
    ) -> Generator[FolderComparison, None, None]:
        """Compare the remaining files and yield the results several times a second.

        ``fresh``: forget earlier results. ``engine``: "cores", "cores:N" or "dask://HOST:PORT".
        """
        from core.trials.sessions import compare_file, job_outcome

        run = self._current_run()
        if fresh:
            run.forget()
        run.resumed, run.seconds = 0, 0.0
        left = [index for index in range(len(run.jobs)) if index not in run.done]
        started = time.monotonic()
        with closing(run_jobs(engine, compare_file, self.remaining_jobs)) as results:
            for result in results:
                self._check()
                if result is not None:
                    index = left[result[0]]
                    run.done[index], is_final = job_outcome(run.jobs[index], result[1])
                    if is_final:
                        run.saved_results.add_result(run.jobs[index], run.done[index])
                if time.monotonic() - started > POLL_STEP:
                    run.seconds += time.monotonic() - started
                    yield self.comparison(is_running=True)
                    started = time.monotonic()
        if left:  # known results took no time
            run.seconds += time.monotonic() - started
        yield self.comparison()

    @remote(presenter=Presenter.FOLDER)
    def shown(self, name: str = "") -> Generator[FolderComparison, None, None]:
        """Yield the results so far, with the files of a strategy."""
        self._shown = name or self._shown
        yield self.comparison()

    @remote()
    def save_table(self, path: str) -> FileExportedEvent:
        """Write a line per file and name as CSV."""
        from core.analysis.analysis_input import csv_bytes
        from core.app.services.analysis import save_table
        from core.presentation.compare.data import CSV_COLUMNS, csv_cells

        run, target = self._current_run(), Path(path).resolve()
        if any(Path(job.path) == target for job in run.jobs):
            raise InputError(
                f"{target.name} is one of the files that were compared.", "Choose another name."
            )
        lines = (line for index in sorted(run.done) for line in run.done[index].rows)
        return save_table(path, csv_bytes(CSV_COLUMNS, map(csv_cells, lines)))

    def comparison(self, *, is_running: bool = False) -> FolderComparison:
        """Return the results so far. Raises InputError where no folder was opened."""
        from core.trials.sessions import FolderComparison

        run = self._current_run()
        files = tuple(run.done.get(index) for index in range(len(run.jobs)))
        return FolderComparison(
            folder=run.folder,
            job=run.jobs[0],
            files=files,
            problems=run.problems,
            resumed=run.resumed,
            shown=self._shown,
            seconds=run.seconds,
            is_running=is_running,
        )

    def _current_run(self) -> _FolderRun:
        if self._run is None:
            raise InputError("No folder was chosen yet.", "Choose one with File, Compare a folder.")
        return self._run

    def _check(self, fraction: float = 0.0, text: str = "") -> None:
        if self._workspace.is_cancelled():
            raise Cancelled


def run_jobs(
    engine: str, work: Callable[[_Job], Any], jobs: Sequence[_Job], pool: ProcessPool | None = None
) -> Generator[tuple[int, Any] | None, None, None]:
    """Yield the index and the result of each job as it ends, and None while all run; on the cores
    in a new pool unless one is given."""
    from core.common.process_pool import ProcessPool
    from core.trials.dask_cluster import run_on_cluster

    if is_cluster(engine):
        yield from run_on_cluster(engine, work, jobs)
    elif jobs:
        pool = pool or ProcessPool(work, core_count(engine))
        with closing(pool.run_polling(jobs, _POLL)) as results:
            yield from results


def is_cluster(engine: str) -> bool:
    return engine.startswith(_DASK)


def core_count(engine: str) -> int:
    """Return N of "cores:N", 0 of "cores" for all. Raises InputError for anything else."""
    match = _CORES.fullmatch(engine)
    if match is None:
        raise InputError(
            f"--engine {engine} is unknown.", "Must be cores, cores:N or dask://HOST:PORT."
        )
    return int(match[1] or 0)
