"""Comparison of a folder: files are compared on all cores, results are sent in small steps."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.analysis.compare.compare import check_strategy_name
from core.analysis.compare.flat_rows import CSV_COLUMNS, csv_cells
from core.analysis.compare.folder_job import (
    FileComparisonJob,
    FileComparisonResult,
    compare_file,
    folder_jobs,
    job_outcome,
)
from core.analysis.compare.folder_progress import FolderProgressFile
from core.analysis.compare.row_computation import offline_values
from core.analysis.cost.summary_price import pricing_model
from core.analysis.csv_text import csv_bytes
from core.app.csv_files import save_csv
from core.app.messages import Event
from core.app.services.analysis_commands import (
    FolderCommand,
    SaveFolderCommand,
    ScanFolderCommand,
    ShowFolderCommand,
    StartFolderCommand,
    StopFolderCommand,
)
from core.common.errors import Cancelled, InputError
from core.common.process_pool import ProcessPool
from core.presentation.folder.page import FolderProgress, default_names, folder_page
from core.presentation.model import PriceChoice
from core.presentation.price_choices import per_session_price_choice
from core.settings.keys import STRATEGY
from core.settings.values import Values

_STEP = 0.15
"""Seconds of work per command; other commands come between two."""
_POLL = 0.03
"""Seconds between two checks for a cancel."""

Results = Generator[tuple[int, Any] | None, None, None]


@dataclass(slots=True)
class _FolderRun:
    """A folder, its jobs, their results by place, and the results that the process pool still yields."""

    path: Path
    names: tuple[str, ...]
    jobs: tuple[FileComparisonJob, ...]
    problems: tuple[str, ...]
    prices: PriceChoice
    done: dict[int, FileComparisonResult] = field(default_factory=dict)
    known: int = 0
    left: tuple[int, ...] = ()
    results: Results | None = None
    seconds: float = 0.0

    @property
    def ledger(self) -> FolderProgressFile:
        """The saved results in the cache folder."""
        return FolderProgressFile(self.path, self.jobs[0])


class FolderCommandHandler:
    """Scans folders and compares their files. ``interrupted`` returns why to stop (core.app.loading)."""

    def __init__(self, emit: Callable[[Event], None], interrupted: Callable[[], str]) -> None:
        self._emit, self._interrupted = emit, interrupted
        self._run: _FolderRun | None = None
        self._shown = ""
        self._generation = 0

    def handle(self, command: FolderCommand, values: Values) -> None:
        """Carry out one command; Cancelled passes through, and results so far stay known."""
        match command:
            case ScanFolderCommand():
                self._scan(command, values)
            case StartFolderCommand():
                self._step(self._current_run(), command)
            case StopFolderCommand():
                self._stop()
                self._send_page(self._current_run())
            case ShowFolderCommand():
                self._shown = command.name
                self._send_page(self._current_run())
            case SaveFolderCommand():
                self._save(command, self._current_run())

    def _current_run(self) -> _FolderRun:
        if self._run is None:
            raise InputError("No folder was chosen yet.", "Choose one with File, Compare a folder.")
        return self._run

    def _scan(self, command: ScanFolderCommand, values: Values) -> None:
        self._stop()
        self._shown = self._shown or values.text(STRATEGY)
        path, names = Path(command.path), command.names or default_names()
        for name in names:
            check_strategy_name(name)
        pricing_model(command.price, "")
        if not path.is_dir():
            raise InputError(f"{path} is no folder.", "Choose another one.")
        template = FileComparisonJob("", "", names, offline_values(values), "all", price_as=command.price)
        jobs, problems = folder_jobs(path, template, self._check)
        if not jobs:
            raise InputError(f"{path} holds no files.", "Choose a folder that holds transcripts.")
        run = self._run = _FolderRun(path, names, jobs, problems, per_session_price_choice(command.price))
        run.done = run.ledger.finished_results(jobs)
        run.known = len(run.done)
        self._send_page(run)

    def _check(self, fraction: float, text: str) -> None:
        if self._interrupted() == "cancel":
            raise Cancelled

    def _step(self, run: _FolderRun, command: StartFolderCommand) -> None:
        """Take in results for a moment."""
        if run.results is None:
            self._begin(run, command)
        assert run.results is not None
        started = time.monotonic()
        try:
            for result in run.results:
                self._check(0.0, "")
                if result is not None:
                    place = run.left[result[0]]
                    run.done[place], is_final = job_outcome(run.jobs[place], result[1])
                    if is_final:
                        run.ledger.add(run.jobs[place], run.done[place])
                if time.monotonic() - started > _STEP:
                    break
            else:
                run.results = None
        except Cancelled:
            self._stop()
            raise
        if run.left:  # known results took no time
            run.seconds += time.monotonic() - started
        self._send_page(run)

    def _begin(self, run: _FolderRun, command: StartFolderCommand) -> None:
        if command.fresh:
            run.ledger.clear()
            run.done.clear()
        run.known, run.seconds = 0, 0.0
        run.left = tuple(place for place in range(len(run.jobs)) if place not in run.done)
        run.results = ProcessPool(compare_file).run_polling([run.jobs[place] for place in run.left], _POLL)

    def _stop(self) -> None:
        """End the process pool; unfinished jobs are started again by the next one."""
        if self._run is not None and self._run.results is not None:
            self._run.results.close()
            self._run.results = None

    def _send_page(self, run: _FolderRun) -> None:
        self._generation += 1
        files = tuple(run.done.get(place) for place in range(len(run.jobs)))
        self._emit(
            folder_page(
                FolderProgress(
                    self._generation,
                    run.path,
                    run.names,
                    files,
                    run.known,
                    run.results is not None,
                    self._shown,
                    run.prices,
                    run.seconds,
                    run.problems,
                )
            )
        )

    def _save(self, command: SaveFolderCommand, run: _FolderRun) -> None:
        target = Path(command.path).resolve()
        if any(Path(job.path) == target for job in run.jobs):
            raise InputError(f"{target.name} is one of the files that were compared.", "Choose another name.")
        lines = (line for place in sorted(run.done) for line in run.done[place].rows)
        self._emit(save_csv(command.path, csv_bytes(CSV_COLUMNS, map(csv_cells, lines)), None))
