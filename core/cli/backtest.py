"""``foldline backtest``: what strategies would have kept, at earlier points of a session."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from core.analysis.analysis_input import offline_values
from core.analysis.backtest.backtest import POINTS, Backtest, BacktestPoint, backtest, backtest_plan
from core.analysis.backtest.folder import (
    BacktestJob,
    BacktestMean,
    FileBacktest,
    backtest_file,
    backtest_means,
)
from core.analysis.compare.folder_job import FileComparisonJob, folder_jobs
from core.app.services.folder import run_jobs
from core.cli.active_settings import active_settings
from core.cli.arguments import (
    CommandParser,
    CommonOptions,
    add_text,
    parse_options,
    transcript_parser,
    whole_number,
)
from core.cli.compare import folder_engine
from core.cli.opened_transcript import (
    OpenedConversation,
    head_json,
    note_current_contexts,
    note_unused_options,
    open_conversation,
    print_warnings,
)
from core.cli.output.console import ConsoleProgress, print_lines, print_note
from core.cli.output.json_output import rounded, write_json
from core.cli.output.tables import aligned_table, titled_section
from core.common import number_format
from core.common.errors import InputError
from core.common.json_value import Json
from core.common.number_format import UNKNOWN, percent
from core.common.process_pool import JobFailure
from core.strategies.registry import COMPACTION_STRATEGIES, find_strategy

ABOUT = (
    "Run strategies at earlier points of a session, and say how much they would have kept of what the turns "
    "after each point used. It ranks strategies; it does not promise what the next turns need."
)
_MAX_POINTS = 20
_MAX_GONE = 20  # names of a point in JSON
_UNUSED = ("--profile", "--summary-file")


def run(arguments: Sequence[str]) -> None:
    """Exit code 0, also for a session that is too short; 2 where a folder holds no transcript."""
    options = parse_options(_parser(), arguments)
    note_unused_options(options, _UNUSED, "a backtest calls no model.")
    names = tuple(
        dict.fromkeys(find_strategy(name).name for name in options.names or COMPACTION_STRATEGIES)
    )
    if options.file != "-" and os.path.isdir(options.file):
        _run_folder(options, names)
    elif options.engine:
        raise InputError(f"--engine is for a folder, and {options.file} is none.", "Leave it out.")
    else:
        _run_file(options, names)


def _parser() -> CommandParser:
    parser = transcript_parser(
        "backtest", ABOUT, many_strategies=True, folder=True, opens_current=True
    )
    about = f"how many points, from 40 %% to 80 %% of the tokens ({POINTS})"
    parser.add_argument("--points", type=_point_count, default=POINTS, metavar="N", help=about)
    add_text(parser, "--engine", "ENGINE", "for a folder: cores, cores:N or dask://HOST:PORT")
    return parser


def _point_count(text: str) -> int:
    if not 1 <= (number := whole_number(text)) <= _MAX_POINTS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 to {_MAX_POINTS}")
    return number


def _run_file(options: CommonOptions, names: Sequence[str]) -> None:
    transcript = open_conversation(options)
    with ConsoleProgress(options) as transcript.progress:
        source = transcript.analysis_input()
        plan = backtest_plan(source, options.points)
        found = [
            list(backtest(source.part(index, len(names)), name, options.points))[-1]
            for index, name in enumerate(names)
        ]
    if options.json:
        points = [
            {"message": one.needs.cut, "until": one.end, "needed": len(one.needs.names)}
            for one in plan.points
        ]
        head = head_json(transcript, transcript.scope)
        write_json(
            "backtest",
            head
            | {
                "points": points,
                "reason": plan.reason or None,
                "strategies": list(map(_json, found)),
            },
        )
        return
    print_warnings(transcript)
    print_lines(_report(transcript, plan.reason, found))


def _report(
    transcript: OpenedConversation, reason: str, found: Sequence[Backtest]
) -> Iterator[str]:
    name = transcript.conversation.document.name
    if reason:
        yield f"{name}: – {reason}"
        yield from transcript.scope_lines
        return
    points = number_format.plural(found[0].planned, "point")
    yield (
        f"{name} · {points} of its own past, each judged by what the following tenth of the "
        f"session used"
    )
    yield from transcript.scope_lines
    yield ""
    ranked = sorted(found, key=lambda one: (one.share is None, -(one.share or 0.0)))
    head = ("strategy", "kept", "of names used", "lowest", "highest", "tokens left")
    rows = [(one.name, *_cells(one)) for one in ranked]
    yield from aligned_table(rows, range(1, len(head)), head=head, indent="")
    yield from titled_section(
        "Notes", aligned_table([(one.name, one.error) for one in found if one.error])
    )


def _cells(found: Backtest) -> tuple[str, ...]:
    if found.share is None or not found.shares:
        return (UNKNOWN,) * 5
    counts = f"{found.kept:,} of {found.needed:,}"
    ends = percent(found.shares[0], 0), percent(found.shares[-1], 0)
    return percent(found.share, 0), counts, *ends, percent(found.tokens_left or 0.0, 0)


def _json(found: Backtest) -> dict[str, Json]:
    return {
        "name": found.name,
        "needed": found.needed,
        "kept": found.kept,
        "share": rounded(found.share),
        "reason": found.reason or None,
        "error": found.error or None,
        "points": list(map(_point_json, found.points)),
    }


def _point_json(point: BacktestPoint) -> dict[str, Json]:
    needed = point.needed
    gone = [
        {"text": one.text, "kind": one.kind.value, "uses": one.uses, "message": one.message}
        for one in needed.gone[:_MAX_GONE]
    ]
    return {
        "message": point.cut,
        "until": point.end,
        "before": point.before,
        "after": point.after,
        "needed": needed.used,
        "kept": needed.kept,
        "kept_bare": needed.kept_bare,
        "gone": gone,
        "no_op": point.no_op or None,
    }


def _run_folder(options: CommonOptions, names: tuple[str, ...]) -> None:
    chosen = active_settings(options)
    values = offline_values(chosen.layers.resolve())
    template = FileComparisonJob(
        path="",
        name="",
        names=names,
        values=values,
        scope=options.scope,
        model=options.model,
        format=options.format,
    )
    jobs, problems = folder_jobs(Path(options.file), template)
    for problem in problems:
        print_note(options, f"warning: {problem}")
    if not jobs:
        raise InputError(f"{options.file} holds no files.", "Name a folder that holds transcripts.")
    files = _backtested([BacktestJob(job, options.points) for job in jobs], options)
    read = [file for file in files if not file.problem]
    for file in files:
        if file.problem:
            print_note(options, f"{file.name}: {file.problem}")
    note_current_contexts(options, [file.scope for file in read])
    if not read:
        raise InputError(f"{options.file} holds no transcript.", "Name a folder that holds some.")
    if options.json:
        write_json("backtest", _folder_json(options.file, files))
    else:
        print_lines(_folder_report(read))


def _backtested(jobs: Sequence[BacktestJob], options: CommonOptions) -> list[FileBacktest]:
    done: dict[int, FileBacktest] = {}
    engine = folder_engine(options.engine)
    with (
        ConsoleProgress(options) as progress,
        closing(run_jobs(engine, backtest_file, jobs)) as results,
    ):
        for ended in results:
            if ended is None:
                continue
            index, result = ended
            failed = isinstance(result, JobFailure)
            done[index] = (
                FileBacktest(jobs[index].file.name, problem=result.reason) if failed else result
            )
            progress(
                len(done) / len(jobs), f"{len(done):,} of {number_format.plural(len(jobs), 'file')}"
            )
    return [done[index] for index in range(len(jobs))]


def _folder_report(files: Sequence[FileBacktest]) -> Iterator[str]:
    short = sum(all(one.share is None for one in file.backtests) for file in files)
    sessions = number_format.plural(len(files) - short, "session")
    yield f"{sessions}, {number_format.plural(short, 'other')} too short for a backtest"
    yield ""
    head = ("strategy", "kept", "lowest session", "highest", "tokens left", "sessions")
    rows = [_mean_cells(one) for one in backtest_means(files)]
    yield from aligned_table(rows, range(1, len(head)), head=head, indent="")


def _mean_cells(one: BacktestMean) -> tuple[str, ...]:
    shares = (one.share, one.lowest, one.highest, one.tokens_left)
    return (
        one.name,
        *(UNKNOWN if share is None else percent(share, 0) for share in shares),
        str(one.sessions),
    )


def _folder_json(folder: str, files: Sequence[FileBacktest]) -> dict[str, Json]:
    means = [
        {
            "name": one.name,
            "sessions": one.sessions,
            "share": rounded(one.share),
            "lowest": rounded(one.lowest),
            "highest": rounded(one.highest),
            "tokens_left": rounded(one.tokens_left),
        }
        for one in backtest_means(files)
    ]
    listed = [
        {
            "file": file.name,
            "scope": file.scope or None,
            "problem": file.problem or None,
            "strategies": list(map(_json, file.backtests)),
        }
        for file in files
    ]
    return {"folder": folder, "strategies": means, "files": listed}
