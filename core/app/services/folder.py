"""The desk's part of a compared folder: files are done on all cores, and told a few at a time."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.analysis.compare.compare import check_strategy_name
from core.analysis.compare.flat_rows import CSV_HEAD, csv_cells
from core.analysis.compare.folder_job import (
    FileComparisonJob,
    FileComparisonResult,
    compare_file,
    job_outcome,
    jobs_of,
)
from core.analysis.compare.folder_progress import FolderProgressFile
from core.analysis.compare.row_computation import offline_values
from core.analysis.cost.summary_price import price_as
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
from core.presentation.folder.page import FolderProgress, first_names, folder_page
from core.presentation.model import PriceChoice
from core.presentation.price_choices import named_pick
from core.settings.keys import STRATEGY
from core.settings.values import Values

_STEP = 0.15
"""Seconds of one answer; whatever else is asked comes between two."""
_POLL = 0.03
"""Seconds between two looks at whether the person has enough."""

Results = Generator[tuple[int, Any] | None, None, None]


@dataclass(slots=True)
class _FolderRun:
    """A folder, its jobs, what is done of them by their places, and the crew that does the rest."""

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
        """What is noted of it in the cache folder."""
        return FolderProgressFile(self.path, self.jobs[0])


class FolderCommandHandler:
    """Looks into folders and compares what they hold. ``interrupted`` tells why to stop
    (core.app.loading)."""

    def __init__(self, emit: Callable[[Event], None], interrupted: Callable[[], str]) -> None:
        self._emit, self._interrupted = emit, interrupted
        self._work: _FolderRun | None = None
        self._shown = ""
        self._generation = 0

    def handle(self, command: FolderCommand, values: Values) -> None:
        """Carry out one command; Cancelled comes through, and what is done so far stays known."""
        match command:
            case ScanFolderCommand():
                self._look(command, values)
            case StartFolderCommand():
                self._step(self._asked(), command)
            case StopFolderCommand():
                self._stop()
                self._tell(self._asked())
            case ShowFolderCommand():
                self._shown = command.name
                self._tell(self._asked())
            case SaveFolderCommand():
                self._save(command, self._asked())

    def _asked(self) -> _FolderRun:
        if self._work is None:
            raise InputError("No folder was chosen yet.", "Choose one with File, Compare a folder.")
        return self._work

    def _look(self, command: ScanFolderCommand, values: Values) -> None:
        """Find its files, and what of them was done before."""
        self._stop()
        self._shown = self._shown or values.text(STRATEGY)
        path, names = Path(command.path), command.names or first_names()
        for name in names:
            check_strategy_name(name)
        price_as(command.price, "")
        if not path.is_dir():
            raise InputError(f"{path} is no folder.", "Choose another one.")
        like = FileComparisonJob("", "", names, offline_values(values), "all", price_as=command.price)
        jobs, problems = jobs_of(path, like, self._check)
        if not jobs:
            raise InputError(f"{path} holds no files.", "Choose a folder that holds transcripts.")
        work = self._work = _FolderRun(path, names, jobs, problems, named_pick(command.price))
        work.done = work.ledger.done(jobs)
        work.known = len(work.done)
        self._tell(work)

    def _check(self, fraction: float, text: str) -> None:
        if self._interrupted() == "cancel":
            raise Cancelled

    def _step(self, work: _FolderRun, command: StartFolderCommand) -> None:
        """Take in what was done, for a moment."""
        if work.results is None:
            self._begin(work, command)
        assert work.results is not None
        started = time.monotonic()
        try:
            for result in work.results:
                self._check(0.0, "")
                if result is not None:
                    place = work.left[result[0]]
                    work.done[place], is_final = job_outcome(work.jobs[place], result[1])
                    if is_final:
                        work.ledger.add(work.jobs[place], work.done[place])
                if time.monotonic() - started > _STEP:
                    break
            else:
                work.results = None
        except Cancelled:
            self._stop()
            raise
        if work.left:  # what was done before took no time
            work.seconds += time.monotonic() - started
        self._tell(work)

    def _begin(self, work: _FolderRun, command: StartFolderCommand) -> None:
        if command.fresh:
            work.ledger.start_anew()
            work.done.clear()
        work.known, work.seconds = 0, 0.0
        work.left = tuple(place for place in range(len(work.jobs)) if place not in work.done)
        work.results = ProcessPool(compare_file).watched([work.jobs[place] for place in work.left], _POLL)

    def _stop(self) -> None:
        """End the crew; what it was at is done anew by the next one."""
        if self._work is not None and self._work.results is not None:
            self._work.results.close()
            self._work.results = None

    def _tell(self, work: _FolderRun) -> None:
        self._generation += 1
        files = tuple(work.done.get(place) for place in range(len(work.jobs)))
        self._emit(
            folder_page(
                FolderProgress(
                    self._generation,
                    work.path,
                    work.names,
                    files,
                    work.known,
                    work.results is not None,
                    self._shown,
                    work.prices,
                    work.seconds,
                    work.problems,
                )
            )
        )

    def _save(self, command: SaveFolderCommand, work: _FolderRun) -> None:
        """The lines of all files, as the command line writes them."""
        target = Path(command.path).resolve()
        if any(Path(job.path) == target for job in work.jobs):
            raise InputError(f"{target.name} is one of the files that were compared.", "Choose another name.")
        lines = (line for place in sorted(work.done) for line in work.done[place].lines)
        self._emit(save_csv(command.path, csv_bytes(CSV_HEAD, map(csv_cells, lines)), None))
