"""``foldline compare FOLDER``: the same comparison for every transcript of a folder, on all cores."""

from __future__ import annotations

import re
from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from core.analysis.compare.dask_cluster import run_on_cluster, scheduler_address
from core.analysis.compare.folder_job import (
    FileComparisonJob,
    FolderProgressFile,
    compare_file,
    folder_jobs,
    job_outcome,
    price_file,
)
from core.analysis.context import offline_values
from core.analysis.cost.run_cost import RunCostEstimate, total_cost
from core.cli.arguments import CommonOptions, refuse_options
from core.cli.opened_transcript import active_settings, note_unknown_model
from core.cli.output import json_output
from core.cli.output.compare_json import folder_values, write_csv
from core.cli.output.compare_text import FolderCompareOutput, folder_report
from core.cli.output.console import ConsoleProgress, print_error, print_lines, print_note
from core.cli.output.model_call import check_price_as, confirm_price, writing_profile
from core.common import number_format
from core.common.errors import InputError
from core.common.process_pool import ProcessPool, process_count
from core.formats.registry import format_by_name
from core.llm.credentials import find_key

_CORES = re.compile(r"cores(?::([1-9]\d{0,3}))?")
_DASK = "dask:"
_CONTINUE_HINT = "are done and kept: the same command continues from there."
_MAX_NOTES = 20
"""Files without a transcript that are named; others are counted."""


def run_folder(options: CommonOptions) -> int:
    """Return 0 where at least one transcript was compared, 2 where none was."""
    _check(options)
    note_unknown_model(options)
    folder = Path(options.file)
    engine = _engine(options.engine)
    jobs, problems = _jobs(folder, options, engine)
    for problem in problems:
        print_note(options, f"warning: {problem}")
    if not jobs:
        raise InputError(f"{options.file} holds no files.", "Name a folder that holds transcripts.")
    output = replace(_run(folder, jobs, engine, options), problems=problems)
    _print_notes(output)
    if all(file.problem for file in output.files):
        raise InputError(f"{options.file} holds no transcript.", "Name a folder that holds some.")
    if options.json:
        json_output.write_json("compare", folder_values(output))
    elif options.csv:
        write_csv(line for file in output.files for line in file.rows)
    else:
        print_lines(folder_report(output.files))
    return 0


def _engine(wanted_engine: str) -> str:
    """Return where the files are compared, by default on all cores; InputError if unknown."""
    engine = wanted_engine or f"cores:{process_count()}"
    if engine.startswith(_DASK):
        scheduler_address(engine)
    else:
        _size(engine)
    return engine


def _check(options: CommonOptions) -> None:
    """Refuse options for a single file, and wrong settings, before any work."""
    single_file_options = (
        ("--against", options.against),
        ("--left", options.left),
        ("--summary-file", options.summary_file),
        ("--conversation", options.conversation != 1),
        ("--branch", options.branch != 1),
    )
    refuse_options(single_file_options, f"is for one file, and {options.file} is a folder", "Name a file.")
    if options.format:
        format_by_name(options.format)


def _jobs(
    folder: Path, options: CommonOptions, engine: str
) -> tuple[tuple[FileComparisonJob, ...], tuple[str, ...]]:
    chosen = active_settings(options)
    values = chosen.layers.resolve()
    profile = writing_profile(options, values, chosen.profile)
    check_price_as(options, profile)
    if not profile.is_offline and engine.startswith(_DASK):
        raise InputError(f"A cluster compares offline; {profile.name} calls a model.", "Leave --engine out.")
    values = offline_values(values) if profile.is_offline else values
    names = tuple(dict.fromkeys(options.names))
    template = FileComparisonJob(
        "", "", names, values, options.scope, options.model, options.format, profile, options.price_as
    )
    return folder_jobs(folder, template)


def _confirm_cost(
    jobs: Sequence[FileComparisonJob], engine: str, options: CommonOptions, progress: ConsoleProgress
) -> None:
    """Print the price of all calls of these jobs, and ask where they are paid."""
    profile, parts = jobs[0].profile, []
    find_key(profile)
    try:
        with closing(ProcessPool(price_file, _size(engine)).run(jobs)) as results:
            for _, result in results:
                parts.append(result if isinstance(result, RunCostEstimate) else RunCostEstimate())
                progress(len(parts) / len(jobs), f"What {profile.name} would cost")
    finally:
        progress.done()
    price = total_cost(parts)
    confirm_price(options, profile, price.total_text(), price.paid)


def _run(
    folder: Path, jobs: Sequence[FileComparisonJob], engine: str, options: CommonOptions
) -> FolderCompareOutput:
    progress_file, profile = FolderProgressFile(folder, jobs[0]), jobs[0].profile
    if options.fresh:
        progress_file.clear()
    done = progress_file.finished_results(jobs)
    resumed = len(done)
    remaining = [job_index for job_index in range(len(jobs)) if job_index not in done]
    progress = ConsoleProgress(options)
    if remaining and not profile.is_offline:
        _confirm_cost([jobs[job_index] for job_index in remaining], engine, options, progress)
    _show(progress, len(done), len(jobs))
    try:
        with closing(_results(engine, [jobs[job_index] for job_index in remaining])) as results:
            for number, result in results:
                job_index = remaining[number]
                done[job_index], is_final = job_outcome(jobs[job_index], result)
                if is_final:
                    progress_file.add(jobs[job_index], done[job_index])
                _show(progress, len(done), len(jobs))
    except KeyboardInterrupt:
        progress.done()
        print_error(f"{len(done)} of {number_format.plural(len(jobs), 'file')} {_CONTINUE_HINT}")
        raise
    finally:
        progress.done()
    files = tuple(done[job_index] for job_index in range(len(jobs)))
    return FolderCompareOutput(options, engine, profile.name, files, resumed)


def _results(engine: str, jobs: Sequence[FileComparisonJob]) -> Generator[tuple[int, Any], None, None]:
    if engine.startswith(_DASK):
        yield from run_on_cluster(engine, compare_file, jobs)
    elif jobs:
        with closing(ProcessPool(compare_file, _size(engine)).run(jobs)) as results:
            yield from results


def _size(engine: str) -> int:
    match = _CORES.fullmatch(engine)
    if match is None:
        raise InputError(f"--engine {engine} is unknown.", "Must be cores, cores:N or dask://HOST:PORT.")
    return int(match[1] or 0)


def _show(progress: ConsoleProgress, done: int, count: int) -> None:
    progress(done / count, f"{done:,} of {number_format.plural(count, 'file')} compared")


def _print_notes(output: FolderCompareOutput) -> None:
    """Print known results and files that are no transcripts, on standard error."""
    options = output.options
    if output.resumed:
        count_text = f"{output.resumed} of {number_format.plural(len(output.files), 'file')}"
        print_note(options, f"{count_text} were done before; --fresh compares them again.")
    failed_files = [file for file in output.files if file.problem]
    for file in failed_files[:_MAX_NOTES]:
        print_note(options, file.problem_text)
    if (more := len(failed_files) - _MAX_NOTES) > 0:
        print_note(options, f"{more:,} more files were not compared; --json lists all.")
    several = [file.name for file in output.files if int(file.file_info.get("conversations", 1)) > 1]
    if several:
        first, *others = several
        names = f"{first} and {len(others):,} more" if others else first
        print_note(options, f"Of files that hold several conversations the first was compared: {names}.")
