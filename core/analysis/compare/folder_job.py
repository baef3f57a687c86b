"""The comparison of one file of a folder, as a job that any process can do: plain values in and out."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from core.analysis.compare.compare import compare_strategies, ranked_rows, row_names
from core.analysis.compare.flat_rows import FolderCompareRow, line_of
from core.analysis.compare.row_computation import CompareContext, baseline_preview
from core.analysis.cost.summary_price import PricingModel, price_as, priced_row
from core.common.errors import FoldlineError, InputError
from core.common.process_pool import JobFailure
from core.formats.registry import load_conversation
from core.preview.options import PreviewOptions, StageCache
from core.settings.profile import BUILT_IN, Profile
from core.settings.values import Values
from core.transcript.model import Progress, no_progress
from core.transcript.scopes import check_scope

if TYPE_CHECKING:
    from core.analysis.compare.paid_compare import TotalCallCost


@dataclass(frozen=True, slots=True)
class FileComparisonJob:
    """One file and what to compare over it; ``name`` is the path as the table shows it."""

    path: str
    name: str
    names: tuple[str, ...]
    values: Values
    scope: str
    model: str = ""
    format: str = ""
    profile: Profile = BUILT_IN
    price_as: str = ""


@dataclass(frozen=True, slots=True)
class FileComparisonResult:
    """What became of a job: its lines, or the ``problem`` why there are none, in one sentence."""

    name: str
    lines: tuple[FolderCompareRow, ...] = ()
    problem: str = ""
    about: Mapping[str, str | int] = field(default_factory=dict)

    @property
    def told(self) -> str:
        """The problem with the file's place in the folder, once: its sentence may begin with the name."""
        base = self.name.rsplit("/", 1)[-1]
        rest = self.problem.removeprefix(base)
        return f"{self.name}{rest}" if rest != self.problem else f"{self.name}: {self.problem}"


def compare_file(job: FileComparisonJob, progress: Progress = no_progress) -> FileComparisonResult:
    """Do a job. Whatever goes wrong with a file is its problem and not that of the others."""
    try:
        return _compared(job, progress)
    except FoldlineError as error:
        return FileComparisonResult(job.name, problem=str(error))
    except (RecursionError, MemoryError, ValueError, TypeError, LookupError, ArithmeticError) as error:
        return FileComparisonResult(job.name, problem=f"Foldline failed: {type(error).__name__}: {error}.")


def job_outcome(job: FileComparisonJob, result: object) -> tuple[FileComparisonResult, bool]:
    """What a crew or cluster made of a job, and whether to keep it: what may go better next time, a process
    that died or a model that failed, is done again by the next run."""
    if isinstance(result, JobFailure):
        return FileComparisonResult(job.name, problem=result.why), False
    assert isinstance(result, FileComparisonResult)
    return result, job.profile.is_offline or not any(line.error for line in result.lines)


def jobs_of(
    folder: Path, like: FileComparisonJob, progress: Progress = no_progress
) -> tuple[tuple[FileComparisonJob, ...], tuple[str, ...]]:
    """A job as ``like`` for every file below a folder, and what of it may not be read."""
    files, problems = files_of(folder, progress)
    jobs = (
        replace(like, path=str(path.resolve()), name=path.relative_to(folder).as_posix()) for path in files
    )
    return tuple(jobs), problems


def ignore_event(event: object) -> None:
    """Nobody watches the calls of a folder."""


def never_cancelled() -> bool:
    """A job is not cancelled; its process is ended."""
    return False


def price_file(job: FileComparisonJob) -> TotalCallCost:
    """What the calls of a job's profile can come to at most; nothing for a file that cannot be read."""
    from core.analysis.compare.paid_compare import run_costs, total_cost

    try:
        conversation = load_conversation(Path(job.path), format=job.format)
        check_scope(conversation, job.scope)
        contest = CompareContext(conversation, job.values, PreviewOptions(job.scope, job.model), StageCache())
        return total_cost(run_costs(contest, row_names(conversation, job.names), job.profile))
    except FoldlineError:  # it will be the problem of its file
        return total_cost(())


def _compared(job: FileComparisonJob, progress: Progress) -> FileComparisonResult:
    conversation = load_conversation(Path(job.path), format=job.format)
    check_scope(conversation, job.scope)
    if not conversation.messages:
        raise InputError("It holds no messages.", "")
    ask = PreviewOptions(job.scope, job.model, progress=progress)
    stages, ask_for = StageCache(), None
    if not job.profile.is_offline:
        from core.analysis.compare.paid_compare import (
            model_options,  # late: only those who call a model need it
        )

        ask_for = model_options(job.profile, job.values, ignore_event, never_cancelled)
    rows = list(compare_strategies(conversation, job.names, job.values, ask, stages, ask_for))
    source = baseline_preview(CompareContext(conversation, job.values, ask, stages))
    price = PricingModel("") if ask_for else price_as(job.price_as, source.window.model)
    priced = [priced_row(row, price) for row in rows]
    lines = tuple(line_of(job.name, row, source.method.mark) for row in ranked_rows(priced, job.scope))
    about: dict[str, str | int] = {"format": conversation.format, "conversations": conversation.siblings}
    return FileComparisonResult(job.name, lines, about=about)


def files_of(folder: Path, progress: Progress = no_progress) -> tuple[tuple[Path, ...], tuple[str, ...]]:
    """Every file below a folder, in order, and what of it may not be read, in sentences.

    Hidden files and folders are passed over; links are followed to files, never to folders.
    ``progress`` is called for each folder; Cancelled comes out of it.
    """
    found: list[Path] = []
    problems: list[str] = []

    def fail(error: OSError) -> None:
        problems.append(f"{error.filename} cannot be read: {(error.strerror or str(error)).lower()}.")

    for place, folders, names in os.walk(folder, onerror=fail):
        progress(0.0, f"Looking into {place}")
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        found += [Path(place, name) for name in sorted(names) if not name.startswith(".")]
    files = tuple(path for path in found if os.path.isfile(path))  # unlike Path's it never fails
    return files, tuple(problems)
