"""``foldline compare FOLDER``: the same comparison for every transcript of a folder, on all cores."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

from core.analysis.compare.dask_cluster import scheduler_address
from core.analysis.compare.folder_job import FileComparisonJob, FolderComparison, price_file
from core.analysis.context import offline_values
from core.analysis.run_cost import RunCostEstimate, total_cost
from core.app.services.folder import FolderService, core_count, is_cluster
from core.cli.active_settings import ActiveSettings, active_settings
from core.cli.arguments import CommonOptions, refuse_options
from core.cli.opened_transcript import note_unknown_model
from core.cli.output import json_output
from core.cli.output.compare_json import folder_values, write_csv
from core.cli.output.compare_text import folder_report
from core.cli.output.console import ConsoleProgress, print_error, print_lines, print_note
from core.cli.output.model_call import check_price_as, confirm_price, writing_profile
from core.common import number_format
from core.common.errors import InputError
from core.common.process_pool import ProcessPool, process_count
from core.formats.registry import format_by_name
from core.llm.credentials import find_key

_CONTINUE_HINT = "are done and kept: the same command continues from there."
_MAX_NOTES = 20
"""Files without a transcript that are named; others are counted."""


def run_folder(options: CommonOptions) -> int:
    """Return 0 where at least one transcript was compared, 2 where none was."""
    _check(options)
    note_unknown_model(options)
    engine = _engine(options.engine)
    comparison = _compared(options, engine)
    _print_notes(options, comparison)
    if all(file.problem for file in comparison.done):
        raise InputError(f"{options.file} holds no transcript.", "Name a folder that holds some.")
    if options.json:
        json_output.write_json("compare", folder_values(options.file, engine, comparison))
    elif options.csv:
        write_csv(line for file in comparison.done for line in file.rows)
    else:
        print_lines(folder_report(comparison.done))
    return 0


def _engine(wanted_engine: str) -> str:
    """Return where the files are compared, by default on all cores; InputError if unknown."""
    engine = wanted_engine or f"cores:{process_count()}"
    if is_cluster(engine):
        scheduler_address(engine)
    else:
        core_count(engine)
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


def _job(options: CommonOptions, chosen: ActiveSettings, engine: str) -> FileComparisonJob:
    """Return what every file is compared with."""
    values = chosen.layers.resolve()
    profile = writing_profile(options, values, chosen.profile)
    check_price_as(options, profile)
    if not profile.is_offline and is_cluster(engine):
        raise InputError(f"A cluster compares offline; {profile.name} calls a model.", "Leave --engine out.")
    values = offline_values(values) if profile.is_offline else values
    names = tuple(dict.fromkeys(options.names))
    return FileComparisonJob(
        "", "", names, values, options.scope, options.model, options.format, profile, options.price_as
    )


def _confirm_cost(
    jobs: Sequence[FileComparisonJob], engine: str, options: CommonOptions, progress: ConsoleProgress
) -> None:
    """Print the price of all calls of these jobs, and ask where they are paid."""
    profile, parts = jobs[0].profile, []
    find_key(profile)
    try:
        with closing(ProcessPool(price_file, core_count(engine)).run(jobs)) as results:
            for _, result in results:
                parts.append(result if isinstance(result, RunCostEstimate) else RunCostEstimate())
                progress(len(parts) / len(jobs), f"What {profile.name} would cost")
    finally:
        progress.done()
    price = total_cost(parts)
    confirm_price(options, profile, price.total_text(), price.paid)


def _compared(options: CommonOptions, engine: str) -> FolderComparison:
    chosen = active_settings(options)
    service = FolderService(chosen)
    first = service.open(Path(options.file), _job(options, chosen, engine), fresh=options.fresh)
    for problem in first.problems:
        print_note(options, f"warning: {problem}")
    progress, jobs = ConsoleProgress(options), service.remaining_jobs
    if jobs and not jobs[0].profile.is_offline:
        _confirm_cost(jobs, engine, options, progress)
    _show(progress, first)
    try:
        for comparison in service.compare(engine=engine):
            _show(progress, comparison)
    except KeyboardInterrupt:
        progress.done()
        done = len(service.comparison().done)
        print_error(f"{done} of {number_format.plural(len(first.files), 'file')} {_CONTINUE_HINT}")
        raise
    finally:
        progress.done()
    return replace(comparison, resumed=first.resumed)


def _show(progress: ConsoleProgress, comparison: FolderComparison) -> None:
    done, count = len(comparison.done), len(comparison.files)
    progress(done / count, f"{done:,} of {number_format.plural(count, 'file')} compared")


def _print_notes(options: CommonOptions, comparison: FolderComparison) -> None:
    """Print known results and files that are no transcripts, on standard error."""
    files = comparison.done
    if comparison.resumed:
        count_text = f"{comparison.resumed} of {number_format.plural(len(files), 'file')}"
        print_note(options, f"{count_text} were done before; --fresh compares them again.")
    failed_files = [file for file in files if file.problem]
    for file in failed_files[:_MAX_NOTES]:
        print_note(options, file.problem_text)
    if (more := len(failed_files) - _MAX_NOTES) > 0:
        print_note(options, f"{more:,} more files were not compared; --json lists all.")
    several = [file.name for file in files if int(file.file_info.get("conversations", 1)) > 1]
    if several:
        first, *others = several
        names = f"{first} and {len(others):,} more" if others else first
        print_note(options, f"Of files that hold several conversations the first was compared: {names}.")
