"""``foldline check``: fail where a compaction loses what the rest of a session needed, for CI."""

from __future__ import annotations

import argparse
import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from core.analysis.compare.folder_job import folder_files
from core.api import check
from core.cli.active_settings import active_settings
from core.cli.arguments import (
    CommandParser,
    CommonOptions,
    add_flag,
    parse_options,
    transcript_parser,
    whole_number,
)
from core.cli.opened_transcript import note_unknown_model, note_unused_options
from core.cli.output import json_output
from core.cli.output.check_reports import CheckedFile, github_annotations, junit
from core.cli.output.console import ConsoleProgress, print_error, print_lines, print_note
from core.common import number_format
from core.common.atomic_file import check_target, output_file_name, write_atomic
from core.common.crash_report import item_problem
from core.common.errors import InputError
from core.common.process_pool import JobFailure, ProcessPool
from core.formats.common.format import ReadRequest
from core.formats.registry import load_with_reason
from core.presentation.losses_words import LOSSES, LOSSES_ABOUT, losses_count
from core.settings.keys import PROFILE, STRATEGY
from core.settings.schema import SettingLayer, SettingValue
from core.transcript.model import Conversation
from core.transcript.scopes import ALL

ABOUT = "Check that a compaction keeps what the rest of a session needed. Exit code 1: it does not."
_MIN_NEEDED = 0.7
_MAX_MISSING = 100
_REPORT_HEAD = 500  # bytes that tell a report in JUnit's XML
"""Missing names of a file that are listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckJob:
    """A file and the bars; ``name`` is the path as it is printed."""

    path: str
    name: str
    strategy: str
    settings: dict[str, SettingValue]
    format: str
    model: str
    request: ReadRequest
    min_needed: float
    max_lost: int | None


def run(arguments: Sequence[str]) -> int:
    """Return 0 if every file reaches the bars, 1 if one does not, 2 if one could not be checked."""
    options = parse_options(_parser(), arguments)
    note_unused_options(options, ("--profile", "--summary-file"), "summaries of a check are offline.")
    if options.scope != ALL:
        note_unused_options(options, ("--scope",), "a check reads the whole session.")
    note_unknown_model(options)
    if options.github and options.json:
        raise InputError("--github and --json both write to standard output.", "Leave one of them out.")
    jobs = _jobs(options)
    if options.junit and os.path.realpath(options.junit) in {os.path.realpath(job.path) for job in jobs}:
        raise InputError(f"{options.junit} is one of the files to check.", "Name another file.")
    if options.junit:
        check_target(Path(options.junit), overwrite=_is_report(Path(options.junit)))
    files = _checked(jobs, options)
    if options.junit:
        target = Path(options.junit)
        write_atomic(target, junit(files, jobs[0].strategy), overwrite=_is_report(target))
    if options.json:
        json_output.write_json("check", _check_json(files, jobs[0]))
    else:
        _print(files, jobs[0], options)
    if options.github:
        paths = [job.path for job in jobs]
        print_lines(github_annotations(files, [os.path.relpath(path) for path in paths], jobs[0].strategy))
    if any(file.below for file in files):
        return 1
    return 2 if any(file.problem and not file.skipped for file in files) else 0


def _is_report(path: Path) -> bool:
    """Return True for an older report, and for an empty file: only these are replaced."""
    try:
        with path.open("rb") as file:
            head = file.read(_REPORT_HEAD)
    except OSError:
        return False
    return not head or b"<testsuite" in head


def _parser() -> CommandParser:
    parser = transcript_parser("check", ABOUT, folder=True)
    about = f"least share of what later turns used that is still there, 0 to 1 ({_MIN_NEEDED:g})"
    parser.add_argument("--min-needed", type=_share, default=_MIN_NEEDED, metavar="SHARE", help=about)
    about = f"most {LOSSES} allowed: {LOSSES_ABOUT}; without it any number"
    parser.add_argument("--max-lost", type=_count, default=None, metavar="N", help=about)
    about = "write the results as JUnit XML; only an older report is replaced"
    parser.add_argument("--junit", type=output_file_name, default=None, metavar="PATH", help=about)
    add_flag(parser, "--github", "also print each file below a bar as an annotation of GitHub Actions")
    return parser


def _share(text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no share from 0 to 1")
    return share


def _count(text: str) -> int:
    if (number := whole_number(text)) < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is below 0")
    return number


def _jobs(options: CommonOptions) -> list[CheckJob]:
    """Return a job for each file; raises InputError for a folder without any."""
    values = active_settings(options).layers.resolve()
    settings = {
        key: one.value
        for key, one in values.by_key.items()
        if one.layer is not SettingLayer.DEFAULT and key != PROFILE and one.value is not None
    }
    paths = [(options.file, options.file)]
    if options.file != "-" and os.path.isdir(options.file):
        files, problems = folder_files(Path(options.file))
        for problem in problems:
            print_note(options, f"warning: {problem}")
        paths = [(str(path), path.relative_to(options.file).as_posix()) for path in files]
        if not paths:
            raise InputError(f"{options.file} holds no files.", "Name a folder that holds transcripts.")
    request = ReadRequest(options.conversation, options.branch)
    return [
        CheckJob(
            path=path,
            name=name,
            strategy=values.text(STRATEGY),
            settings=settings,
            format=options.format,
            model=options.model,
            request=request,
            min_needed=options.min_needed,
            max_lost=options.max_lost,
        )
        for path, name in paths
    ]


def _checked(jobs: Sequence[CheckJob], options: CommonOptions) -> list[CheckedFile]:
    """Check a single file here, those of a folder on all cores; raises the error of a single file."""
    if jobs[0].path == options.file:
        return [_judged(jobs[0], _load(jobs[0]))]
    done: dict[int, CheckedFile] = {}
    with ConsoleProgress(options) as progress, closing(ProcessPool(check_file).run(jobs)) as results:
        for index, result in results:
            failed = isinstance(result, JobFailure)
            done[index] = CheckedFile(file=jobs[index].name, problem=result.reason) if failed else result
            progress(len(done) / len(jobs), f"{len(done):,} of {len(jobs):,} files checked")
    files = [done[index] for index in range(len(jobs))]
    for file in files:
        if file.skipped:
            print_note(options, f"{file.file}: skipped, it is no transcript: {file.problem}")
    if all(file.skipped for file in files):
        raise InputError(f"{options.file} holds no transcript.", "Name a folder that holds some.")
    return files


def check_file(job: CheckJob) -> CheckedFile:
    """Run a job of a folder; an error becomes the ``problem``."""
    try:
        try:
            conversation = _load(job)
        except InputError as error:
            return CheckedFile(file=job.name, problem=str(error), skipped=True)
        return _judged(job, conversation)
    except Exception as error:  # one file ends no list
        return CheckedFile(file=job.name, problem=item_problem(error))


def _load(job: CheckJob) -> Conversation:
    conversation = load_with_reason(job.path, job.request, format=job.format)[0]
    if not conversation.messages:
        raise InputError(f"{job.name} holds no messages.", "Name a transcript.")
    return conversation


def _judged(job: CheckJob, conversation: Conversation) -> CheckedFile:
    found = check(conversation, strategy=job.strategy, settings=job.settings, model=job.model or None)
    result, kept = found.compacted, found.needed - len(found.missing)
    below = []
    if found.kept_share is not None and found.kept_share < job.min_needed:
        share, bar = number_format.percent(found.kept_share, 0), number_format.percent(job.min_needed, 0)
        needed = number_format.plural(found.needed, "name")
        below.append(
            f"{job.name}: of {needed} that later turns used, {kept:,} ({share}) are still there, below {bar}."
        )
    gone = result.losses.gone_count + len(found.missing)
    if job.max_lost is not None and gone > job.max_lost:
        below.append(f"{job.name}: {losses_count(gone)}, more than {job.max_lost:,}.")
    return CheckedFile(
        file=job.name,
        needed=found.needed,
        kept=kept,
        missing=found.missing[:_MAX_MISSING],
        lost=gone,
        tokens_before=result.tokens_before,
        tokens_after=result.tokens_after,
        no_op=result.no_op,
        below=tuple(below),
    )


def _check_json(files: Sequence[CheckedFile], job: CheckJob) -> dict[str, object]:
    return {
        "strategy": job.strategy,
        "min_needed": job.min_needed,
        "max_lost": job.max_lost,
        "passed": not any(file.below or (file.problem and not file.skipped) for file in files),
        "files": [
            {
                "file": file.file,
                "needed": file.needed,
                "kept": file.kept,
                "missing": file.missing,
                "lost": file.lost,
                "tokens_before": file.tokens_before,
                "tokens_after": file.tokens_after,
                "no_op": file.no_op or None,
                "below": file.below,
                "problem": file.problem or None,
                "skipped": file.skipped,
            }
            for file in files
        ],
    }


def _print(files: Sequence[CheckedFile], job: CheckJob, options: CommonOptions) -> None:
    for file in files:
        if file.problem and not file.skipped:
            print_error(f"{file.file}: {file.problem}")
        print_lines(file.below)
    checked = [file for file in files if not file.problem]
    below, idle = sum(bool(file.below) for file in checked), sum(bool(file.no_op) for file in checked)
    end = f"{job.strategy}: {below:,} of {number_format.plural(len(checked), 'session')} below the bar"
    if idle:
        end += f"; in {idle:,} nothing was compacted"
    print_lines([f"{end}."])
