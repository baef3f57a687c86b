"""``foldline compare --backtest``: what strategies would have kept, at earlier points of a session."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence

from core.analysis.intervals import Interval
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
from core.cli.session_answers import named_sessions, session_answers
from core.common import number_format
from core.common.errors import InputError
from core.common.json_value import Json
from core.common.number_format import UNKNOWN, percent, percent_range
from core.settings.schema import offline_values
from core.strategies.registry import COMPACTION_STRATEGIES, find_strategy
from core.trials.past import POINTS, Past, backtest, best_first, past_of
from core.trials.session_work import (
    BacktestMean,
    Backtests,
    BacktestWork,
    backtest_means,
)
from core.trials.sessions import SessionAnswer, SessionJob
from core.trials.trial import NOTHING_NEEDED, Backtest, TrialResult

ABOUT = (
    "Run strategies at earlier points of a session, and say how much they would have kept of what the turns "
    "after each point used. It ranks strategies; it does not promise what the next turns need."
)
_MAX_POINTS = 20
_MAX_GONE = 20  # names of a point in JSON
_UNUSED = ("--profile", "--summary-file")


def run(arguments: Sequence[str]) -> None:
    """Exit code 0, also for a session that is too short; 2 where a folder holds no transcript."""
    options = parse_options(command_parser(), arguments)
    note_unused_options(options, _UNUSED, "a backtest calls no model.")
    names = tuple(
        dict.fromkeys(
            find_strategy(name).name for name in options.names or COMPACTION_STRATEGIES
        )
    )
    if options.file != "-" and os.path.isdir(options.file):
        _run_folder(options, names)
    elif options.engine:
        raise InputError(
            f"--engine works on a folder, and {options.file} is not one.",
            "Leave it out.",
        )
    else:
        _run_file(options, names)


def command_parser() -> CommandParser:
    parser = transcript_parser(
        "compare --backtest",
        ABOUT,
        many_strategies=True,
        folder=True,
        opens_current=True,
    )
    parser.unused = _UNUSED
    about = f"how many points, from 40 %% to 80 %% of the tokens ({POINTS})"
    parser.add_argument(
        "--points", type=_point_count, default=POINTS, metavar="N", help=about
    )
    add_text(
        parser, "--engine", "ENGINE", "for a folder: cores, cores:N or dask://HOST:PORT"
    )
    return parser


def _point_count(text: str) -> int:
    if not 1 <= (number := whole_number(text)) <= _MAX_POINTS:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number from 1 to {_MAX_POINTS}"
        )
    return number


def _run_file(options: CommonOptions, names: Sequence[str]) -> None:
    transcript = open_conversation(options)
    with ConsoleProgress(options) as transcript.progress:
        source = transcript.analysis_input()
        past = past_of(source, options.points)
        found = [
            list(backtest(source.for_step(index, len(names)), name, options.points))[-1]
            for index, name in enumerate(names)
        ]
    ranked = best_first(found)
    if options.json:
        head = {**head_json(transcript, transcript.scope), "folder": None}
        strategies = [_json(one, is_best) for one, is_best in ranked]
        write_json(
            "backtest",
            {**head, **_past_json(past), "strategies": strategies, "files": []},
        )
        return
    print_warnings(transcript)
    print_lines(_report(transcript, past.reason, ranked))


def _report(
    transcript: OpenedConversation, reason: str, ranked: Sequence[tuple[Backtest, bool]]
) -> Iterator[str]:
    name = transcript.conversation.document.name
    if reason:
        yield f"{name}: – {reason}"
        yield from transcript.scope_lines
        return
    points = number_format.plural(ranked[0][0].planned, "point")
    yield (
        f"{name} · {points} of its own past, each judged by what the following tenth of the "
        f"session used"
    )
    yield from transcript.scope_lines
    yield ""
    head = (
        "strategy",
        "tokens left",
        "kept",
        "of names used",
        "95 % interval",
        "points",
    )
    rows = [(_marked(one.name, is_best), *_cells(one)) for one, is_best in ranked]
    yield from aligned_table(rows, range(1, len(head)), head=head, indent="")
    if any(is_best for _, is_best in ranked):
        yield _BEST_NOTE
    notes = [(one.name, one.obstacle) for one, _ in ranked if one.obstacle]
    yield from titled_section("Notes", aligned_table(notes))


_BEST_NOTE = "* no other strategy keeps more in fewer tokens"


def _marked(name: str, is_best: bool) -> str:
    if is_best:
        return f"{name} *"
    return name


def _cells(backtest: Backtest) -> tuple[str, ...]:
    left = percent(backtest.tokens_left, 0)
    judged = str(len(backtest.judged))
    if backtest.share is None:
        return (left, UNKNOWN, UNKNOWN, UNKNOWN, judged)
    counts = f"{backtest.kept:,} of {backtest.needed:,}"
    return (left, percent(backtest.share, 0), counts, _range(backtest.interval), judged)


def _range(interval: Interval | None) -> str:
    if interval is None:
        return UNKNOWN
    return percent_range(interval.low, interval.high)


def _past_json(past: Past) -> dict[str, Json]:
    points = [
        {
            "message": one.point.cut,
            "until": one.point.end,
            "needed": len(one.needs.names),
        }
        for one in past.parts
    ]
    return {"points": points, "reason": past.reason or None}


def _interval_json(interval: Interval | None) -> Json:
    return interval and {"low": rounded(interval.low), "high": rounded(interval.high)}


def _json(backtest: Backtest, is_best: bool) -> dict[str, Json]:
    return {
        "name": backtest.name,
        "sessions": 0 if backtest.share is None else 1,
        "needed": backtest.needed,
        "kept": backtest.kept,
        "share": rounded(backtest.share),
        "interval": _interval_json(backtest.interval),
        "tokens_left": rounded(backtest.tokens_left),
        "on_front": is_best,
        "reason": None if backtest.error else backtest.obstacle or None,
        "error": backtest.error or None,
        "points": list(map(_point_json, backtest.points)),
    }


def _point_json(result: TrialResult) -> dict[str, Json]:
    needed = result.losses.needed or NOTHING_NEEDED
    point = result.trial.point
    assert point is not None
    gone = [
        {
            "text": one.text,
            "kind": one.kind.value,
            "uses": one.uses,
            "message": one.message,
        }
        for one in needed.gone[:_MAX_GONE]
    ]
    return {
        "message": point.cut,
        "until": point.end,
        "before": result.sizes.before_tokens,
        "after": result.sizes.tokens,
        "needed": needed.used,
        "kept": needed.kept,
        "kept_bare": needed.kept_bare,
        "gone": gone,
        "no_op": result.no_op or None,
        "is_judged": result.is_judged,
    }


def _run_folder(options: CommonOptions, names: tuple[str, ...]) -> None:
    chosen = active_settings(options)
    values = offline_values(chosen.layers.resolve())
    sessions = named_sessions(options, values)
    work = BacktestWork(names, options.points)
    jobs = [SessionJob(session, work) for session in sessions]
    files = session_answers(jobs, folder_engine(options.engine), options)
    read = [file for file in files if not file.problem]
    for file in files:
        if file.problem:
            print_note(options, f"{file.name}: {file.problem}")
    note_current_contexts(options, [str(file.about["scope"]) for file in read])
    if not read:
        raise InputError(
            f"{options.file} holds no transcript.", "Name a folder that holds some."
        )
    if options.json:
        write_json("backtest", _folder_json(options.file, files))
    else:
        print_lines(_folder_report(read))


def _folder_report(files: Sequence[SessionAnswer[Backtests]]) -> Iterator[str]:
    short = sum(all(one.share is None for one in file.result or ()) for file in files)
    sessions = number_format.plural(len(files) - short, "session")
    yield f"{sessions}, {number_format.plural(short, 'other')} without a figure"
    yield ""
    head = (
        "strategy",
        "tokens left",
        "kept",
        "95 % interval",
        "names used",
        "sessions",
    )
    means = backtest_means(files)
    yield from aligned_table(
        map(_mean_cells, means), range(1, len(head)), head=head, indent=""
    )
    if any(one.on_front for one in means):
        yield _BEST_NOTE


def _mean_cells(mean: BacktestMean) -> tuple[str, ...]:
    left, share = percent(mean.tokens_left, 0), percent(mean.share, 0)
    counts = f"{mean.needed:,}", str(mean.sessions)
    return (
        _marked(mean.name, mean.on_front),
        left,
        share,
        _range(mean.interval),
        *counts,
    )


def _folder_json(
    folder: str, files: Sequence[SessionAnswer[Backtests]]
) -> dict[str, Json]:
    means = [
        {
            "name": one.name,
            "sessions": one.sessions,
            "needed": one.needed,
            "kept": None,
            "share": rounded(one.share),
            "interval": _interval_json(one.interval),
            "tokens_left": rounded(one.tokens_left),
            "on_front": one.on_front,
            "reason": None,
            "error": None,
            "points": [],
        }
        for one in backtest_means(files)
    ]
    listed = [
        {
            "file": file.name,
            "scope": file.about.get("scope"),
            "problem": file.problem or None,
            "strategies": [
                _json(one, is_best) for one, is_best in best_first(file.result or ())
            ],
        }
        for file in files
    ]
    about_a_file = ("file", "format", "conversation", "scope")
    return {
        **dict.fromkeys(about_a_file),
        "folder": folder,
        "points": [],
        "reason": None,
        "strategies": means,
        "files": listed,
    }
