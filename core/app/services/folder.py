"""Compares the files of a folder on all cores, or on a cluster."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from core.analysis.costs import pricing_model
from core.analysis.model import RECORDED
from core.app.services.service import save_table
from core.common.csv_text import csv_bytes
from core.common.errors import Cancelled, InputError
from core.presentation.compare.columns import CSV_COLUMNS, csv_cells
from core.presentation.compare.pages import default_strategies
from core.settings.schema import STRATEGY, offline_values
from core.trials.by_strategy import check_strategy_name
from core.trials.session_work import (
    CompareWork,
    FolderComparison,
    FolderProgressFile,
    may_be_stored,
    results_of,
)
from core.trials.sessions import SessionJob, TrialSession, answers, session_files

if TYPE_CHECKING:
    from core.app.events import FileExportedEvent
    from core.app.services.sessions import CancellableWorkspace
    from core.trials.session_work import Results
    from core.trials.sessions import SessionAnswer

POLL_STEP = 0.15
"""Seconds between two updates."""


@dataclass(slots=True, kw_only=True)
class _FolderRun:
    """A folder, its jobs and their results by index."""

    folder: Path
    jobs: tuple[SessionJob, ...]
    names: tuple[str, ...]
    problems: tuple[str, ...]
    progress_file: FolderProgressFile
    done: dict[int, SessionAnswer[Results]] = field(default_factory=dict)
    resumed: int = 0
    seconds: float = 0.0

    @property
    def files(self) -> list[TrialSession]:
        return [job.file for job in self.jobs]

    def forget(self) -> None:
        self.progress_file.clear()
        self.done.clear()


class FolderService:
    """Scans a folder and compares its files; finished ones stay known after a cancel."""

    def __init__(self, workspace: CancellableWorkspace) -> None:
        self._workspace = workspace
        self._run: _FolderRun | None = None
        self._selected = ""

    def scan(
        self, path: str, names: tuple[str, ...] = (), price: str = ""
    ) -> Generator[FolderComparison, None, None]:
        """Yield a folder's files, with the results that are known for the session's settings.

        ``names`` as in ``CompareService.compare``; summaries are priced as those of the model
        ``price``.
        """
        values = self._workspace.layers.resolve()
        folder = Path(path)
        baseline, *strategies = default_strategies()
        names = names or (baseline, RECORDED, *strategies)
        self._selected = self._selected or values.text(STRATEGY)
        if not folder.is_dir():
            raise InputError(f"{folder} is not a folder.", "Choose another one.")
        template = TrialSession(
            path="", name="", values=offline_values(values), price_as=price
        )
        yield self.open(folder, template, names)

    def open(
        self,
        folder: Path,
        template: TrialSession,
        names: tuple[str, ...],
        *,
        fresh: bool = False,
    ) -> FolderComparison:
        """Return a folder's files, each read as ``template`` and compared by ``names``, and the
        results that are known; ``fresh`` forgets them. Raises InputError for a folder without
        files."""
        for name in names:
            check_strategy_name(name)
        pricing_model(template.price_as, "")
        files, problems = session_files(folder, template, self._check)
        if not files:
            why = " ".join((f"{folder} holds no files.", *problems))
            raise InputError(why, "Choose a folder that holds transcripts.")
        run = self._run = _FolderRun(
            folder=folder,
            jobs=tuple(SessionJob(file, CompareWork(names)) for file in files),
            names=names,
            problems=problems,
            progress_file=FolderProgressFile(folder, files[0], names),
        )
        if fresh:
            run.forget()
        run.done = run.progress_file.finished_results(files)
        run.resumed = len(run.done)
        return self.comparison()

    @property
    def remaining_jobs(self) -> list[SessionJob]:
        run = self._current_run()
        return [job for index, job in enumerate(run.jobs) if index not in run.done]

    def compare(
        self, fresh: bool = False, engine: str = "cores"
    ) -> Generator[FolderComparison, None, None]:
        """Compare the remaining files and yield the results several times a second.

        ``fresh``: forget earlier results. ``engine``: "cores", "cores:N" or "dask://HOST:PORT".
        """
        run = self._current_run()
        if fresh:
            run.forget()
        run.resumed, run.seconds = 0, 0.0
        left = [index for index in range(len(run.jobs)) if index not in run.done]
        started = time.monotonic()
        with closing(answers(engine, self.remaining_jobs)) as results:
            for result in results:
                self._check()
                if result is not None:
                    index, found = left[result[0]], result[1]
                    run.done[index] = found
                    if may_be_stored(run.jobs[index], found):
                        run.progress_file.add_result(run.jobs[index].file, found)
                if time.monotonic() - started > POLL_STEP:
                    run.seconds += time.monotonic() - started
                    yield self.comparison(is_running=True)
                    started = time.monotonic()
        if left:  # known results took no time
            run.seconds += time.monotonic() - started
        yield self.comparison()

    def current_state(self, name: str = "") -> Generator[FolderComparison, None, None]:
        """Yield the results so far, with the files of a strategy."""
        self._selected = name or self._selected
        yield self.comparison()

    def save_table(self, path: str) -> FileExportedEvent:
        """Write a line per file and name as CSV."""
        run = self._current_run()
        target = Path(path).resolve()
        if any(Path(file.path) == target for file in run.files):
            raise InputError(
                f"{target.name} is one of the files that were compared.",
                "Choose another name.",
            )
        lines = results_of(run.done[index] for index in sorted(run.done))
        return save_table(path, csv_bytes(CSV_COLUMNS, map(csv_cells, lines)))

    def comparison(self, *, is_running: bool = False) -> FolderComparison:
        """Return the results so far. Raises InputError where no folder was opened."""
        run = self._current_run()
        files = tuple(run.done.get(index) for index in range(len(run.jobs)))
        return FolderComparison(
            folder=run.folder,
            file=run.files[0],
            names=run.names,
            files=files,
            problems=run.problems,
            resumed=run.resumed,
            selected=self._selected,
            seconds=run.seconds,
            is_running=is_running,
        )

    def _current_run(self) -> _FolderRun:
        if self._run is None:
            raise InputError(
                "No folder was chosen yet.", "Choose one with File, Compare a folder."
            )
        return self._run

    def _check(self, fraction: float = 0.0, text: str = "") -> None:
        if self._workspace.is_cancelled():
            raise Cancelled
