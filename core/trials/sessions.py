"""Compares the strategies over one file of a folder, as a job for any process."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from core.analysis.analysis_input import AnalysisInput, baseline_preview
from core.analysis.run_price import (
    PricingModel,
    RunCostEstimate,
    pricing_model,
    total_cost,
)
from core.common.crash_report import item_problem
from core.common.errors import InputError
from core.common.process_pool import JobFailure
from core.formats.registry import load_conversation
from core.preview.options import PreviewOptions
from core.settings.profile import BUILT_IN, Profile
from core.settings.schema import Values
from core.transcript.model import Progress, no_progress
from core.transcript.scopes import opening_scope
from core.trials.by_strategy import (
    compare_strategies,
    ranked_rows,
    row_names,
)
from core.trials.run import priced
from core.trials.trial import TrialResult


@dataclass(frozen=True, slots=True, kw_only=True)
class FileComparisonJob:
    """``name`` is the path as the table shows it; an empty ``scope`` is that in which each file
    opens."""

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
    """The rows of a file, or the ``problem`` in one sentence."""

    name: str
    rows: tuple[TrialResult, ...] = ()
    problem: str = ""
    file_info: Mapping[str, str | int] = field(default_factory=dict)

    @property
    def problem_text(self) -> str:
        """The problem, prefixed with the file's path unless it begins with the file's name."""
        file_name = self.name.rsplit("/", 1)[-1]
        problem_end = self.problem.removeprefix(file_name)
        return (
            f"{self.name}{problem_end}"
            if problem_end != self.problem
            else f"{self.name}: {self.problem}"
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderComparison:
    """The comparison of a folder so far; its work took ``seconds``.

    ``job`` is any of its jobs: all have the same settings. ``files`` are in order, None where one
    is pending; ``resumed`` of them were done before the work began. ``problems`` says what could
    not be read. ``shown`` is the strategy whose files are listed.
    """

    folder: Path
    job: FileComparisonJob
    files: tuple[FileComparisonResult | None, ...]
    problems: tuple[str, ...]
    resumed: int
    shown: str = ""
    seconds: float = 0.0
    is_running: bool = False

    @property
    def done(self) -> tuple[FileComparisonResult, ...]:
        return tuple(file for file in self.files if file is not None)


def compare_file(job: FileComparisonJob, progress: Progress = no_progress) -> FileComparisonResult:
    """Run a job; an error becomes the result's ``problem``."""
    try:
        return _compare(job, progress)
    except Exception as error:  # one file ends no list
        return FileComparisonResult(job.name, problem=item_problem(error))


def job_outcome(job: FileComparisonJob, result: object) -> tuple[FileComparisonResult, bool]:
    """Return a job's result, and whether to store it. Failures that may be temporary (a process
    that died, a model that failed) are retried by the next run."""
    if isinstance(result, JobFailure):
        return FileComparisonResult(job.name, problem=result.reason), False
    assert isinstance(result, FileComparisonResult)
    return result, job.profile.is_offline or not any(row.error for row in result.rows)


def folder_jobs(
    folder: Path, template: FileComparisonJob, progress: Progress = no_progress
) -> tuple[tuple[FileComparisonJob, ...], tuple[str, ...]]:
    """Return a job like ``template`` for every file below a folder, and problems in sentences."""
    files, problems = folder_files(folder, progress)
    jobs = (
        replace(template, path=str(path.resolve()), name=path.relative_to(folder).as_posix())
        for path in files
    )
    return tuple(jobs), problems


def price_file(job: FileComparisonJob) -> tuple[RunCostEstimate, int]:
    """Return the most that the calls of a job can cost, and how many secrets its messages hold if
    there are calls; nothing for an unreadable file."""
    from core.formats.writing.redacted_output import secret_locations_in
    from core.trials.trial_costs import compare_costs

    try:
        source = opened_file(job, no_progress)
        cost = total_cost(
            compare_costs(source, row_names(source.conversation, job.names), job.profile)
        )
        locations = (
            secret_locations_in(enumerate(source.conversation.messages, 1)) if cost.calls else ()
        )
    except Exception as error:
        item_problem(error)  # compare_file says it
        return RunCostEstimate(), 0
    return cost, len(locations)


def opened_file(job: FileComparisonJob, progress: Progress) -> AnalysisInput:
    """Return the transcript of a job with its settings; InputError."""
    conversation = load_conversation(Path(job.path), format=job.format)
    scope = opening_scope(conversation, job.scope)
    return AnalysisInput(
        conversation=conversation,
        values=job.values,
        options=PreviewOptions(scope=scope, model=job.model, progress=progress),
    )


def _compare(job: FileComparisonJob, progress: Progress) -> FileComparisonResult:
    source = opened_file(job, progress)
    conversation, is_paid = source.conversation, not job.profile.is_offline
    if not conversation.messages:
        raise InputError("It holds no messages.", "")
    if is_paid:
        from core.trials.trial_costs import model_options  # late: only for models

        # a job is ended with its process and reports no single calls
        options_for = model_options(job.profile, job.values, lambda event: None, lambda: False)
        source = replace(source, options_for=options_for)
    rows = list(compare_strategies(source, job.names))
    baseline = baseline_preview(source)
    price = (
        PricingModel("")
        if is_paid
        else pricing_model(job.price_as, baseline.sizes.model_limit.model)
    )
    ranked = ranked_rows([priced(row, price) for row in rows], source.options.scope)
    file_info: dict[str, str | int] = {
        "format": conversation.format,
        "conversations": conversation.siblings,
        "scope": source.options.scope,
    }
    of_folder = tuple(_of_folder(job.name, row) for row in ranked)
    return FileComparisonResult(job.name, of_folder, file_info=file_info)


def _of_folder(file: str, row: TrialResult) -> TrialResult:
    """Return the row without the single facts and names, which a folder does not show."""
    needed = None if row.kept.needed is None else replace(row.kept.needed, gone=())
    return replace(row, file=file, kept=replace(row.kept, needed=needed, statuses=b""))


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
        paths += [Path(directory, name) for name in sorted(names) if not name.startswith(".")]
    files = tuple(
        path for path in paths if os.path.isfile(path)
    )  # unlike Path.is_file it never raises
    return files, tuple(problems)
