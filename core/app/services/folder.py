"""Compares the files of a folder on all cores."""

from __future__ import annotations

import time
from collections.abc import Generator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from core.analysis.model import RECORDED
from core.app.rpc import Service, remote
from core.common.errors import Cancelled, InputError
from core.presentation.compare.model import FolderPage
from core.presentation.model import PriceChoice
from core.settings.keys import STRATEGY

if TYPE_CHECKING:
    from core.analysis.compare.folder_job import FileComparisonJob, FileComparisonResult, FolderProgressFile
    from core.app.events import FileExportedEvent
    from core.app.session import Session

_STEP = 0.15
"""Seconds between two pages."""
_POLL = 0.03
"""Seconds between two checks for a cancel."""


@dataclass(slots=True)
class _FolderRun:
    """A folder, its jobs and their results by place; ``known`` of them were done before."""

    path: Path
    names: tuple[str, ...]
    jobs: tuple[FileComparisonJob, ...]
    problems: tuple[str, ...]
    prices: PriceChoice
    saved_results: FolderProgressFile
    done: dict[int, FileComparisonResult] = field(default_factory=dict)
    known: int = 0
    seconds: float = 0.0


class FolderService(Service):
    """Scans a folder and compares its files; finished ones stay known after a cancel."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._run: _FolderRun | None = None
        self._shown = ""

    @remote(latest=True)
    def scan(self, path: str, names: tuple[str, ...] = (), price: str = "") -> FolderPage:
        """List a folder's files, with the results that are known for the session's settings.

        ``names`` as in ``CompareService.compare``; summaries are priced as those of the model ``price``.
        """
        from core.analysis.compare.compare import check_strategy_name
        from core.analysis.compare.folder_job import FileComparisonJob, FolderProgressFile, folder_jobs
        from core.analysis.context import offline_values
        from core.analysis.cost.summary_price import pricing_model
        from core.presentation.compare.pages import default_strategies
        from core.presentation.opened_file import per_session_price_choice

        values, folder = self._session.layers.resolve(), Path(path)
        baseline, *strategies = default_strategies()
        names = names or (baseline, RECORDED, *strategies)
        self._shown = self._shown or values.text(STRATEGY)
        for name in names:
            check_strategy_name(name)
        pricing_model(price, "")
        if not folder.is_dir():
            raise InputError(f"{folder} is no folder.", "Choose another one.")
        template = FileComparisonJob("", "", names, offline_values(values), "all", price_as=price)
        jobs, problems = folder_jobs(folder, template, self._check)
        if not jobs:
            raise InputError(f"{folder} holds no files.", "Choose a folder that holds transcripts.")
        saved_results = FolderProgressFile(folder, jobs[0])
        done = saved_results.finished_results(jobs)
        prices = per_session_price_choice(price)
        run = _FolderRun(folder, names, jobs, problems, prices, saved_results, done, len(done))
        self._run = run
        return self._page(run)

    @remote(latest=True)
    def compare(self, fresh: bool = False) -> Generator[FolderPage, None, None]:
        """Compare the remaining files on all cores and yield the results several times a second.

        ``fresh``: forget earlier results.
        """
        from core.analysis.compare.folder_job import compare_file, job_outcome
        from core.common.process_pool import ProcessPool

        run = self._current_run()
        if fresh:
            run.saved_results.clear()
            run.done.clear()
        run.known, run.seconds = 0, 0.0
        left = [place for place in range(len(run.jobs)) if place not in run.done]
        started, jobs = time.monotonic(), [run.jobs[place] for place in left]
        with closing(ProcessPool(compare_file).run_polling(jobs, _POLL)) as results:
            for result in results:
                self._check()
                if result is not None:
                    place = left[result[0]]
                    run.done[place], is_final = job_outcome(run.jobs[place], result[1])
                    if is_final:
                        run.saved_results.add(run.jobs[place], run.done[place])
                if time.monotonic() - started > _STEP:
                    run.seconds += time.monotonic() - started
                    yield self._page(run, is_running=True)
                    started = time.monotonic()
        if left:  # known results took no time
            run.seconds += time.monotonic() - started
        yield self._page(run)

    @remote()
    def shown(self, name: str = "") -> FolderPage:
        """Return the results so far, with the files of a strategy."""
        self._shown = name or self._shown
        return self._page(self._current_run())

    @remote()
    def save_table(self, path: str) -> FileExportedEvent:
        """Write a line per file and name as CSV."""
        from core.analysis.compare.compare import CSV_COLUMNS, csv_cells
        from core.analysis.context import csv_bytes
        from core.app.services.analysis_context import save_table

        run, target = self._current_run(), Path(path).resolve()
        if any(Path(job.path) == target for job in run.jobs):
            raise InputError(f"{target.name} is one of the files that were compared.", "Choose another name.")
        lines = (line for place in sorted(run.done) for line in run.done[place].rows)
        return save_table(path, csv_bytes(CSV_COLUMNS, map(csv_cells, lines)))

    def _current_run(self) -> _FolderRun:
        if self._run is None:
            raise InputError("No folder was chosen yet.", "Choose one with File, Compare a folder.")
        return self._run

    def _check(self, fraction: float = 0.0, text: str = "") -> None:
        if self._session.is_cancelled():
            raise Cancelled

    def _page(self, run: _FolderRun, *, is_running: bool = False) -> FolderPage:
        from core.presentation.compare.pages import folder_page

        files = [run.done.get(place) for place in range(len(run.jobs))]
        state = run.known, self._shown, run.prices, run.seconds, run.problems
        return folder_page(run.path, run.names, files, *state, is_running=is_running)
