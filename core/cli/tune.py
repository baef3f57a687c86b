"""``foldline tune``: which strategy and which settings, for the sessions of a folder."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from pathlib import Path
from typing import Any

from core.analysis.compare.folder_job import FileComparisonJob, folder_jobs
from core.analysis.context import offline_values
from core.analysis.tune.evaluation import SessionEvaluations, TuneJob
from core.analysis.tune.progress import TuneProgressFile
from core.analysis.tune.settings_file import budget_text, gain_text, settings_toml
from core.analysis.tune.tune import RUNS, Interval, TunedStrategy, TuneRequest, TuneResult, tune
from core.app.services.folder import run_jobs
from core.cli.active_settings import active_settings
from core.cli.arguments import (
    CommandParser,
    CommonOptions,
    add_flag,
    add_text,
    parse_options,
    transcript_parser,
    whole_number,
)
from core.cli.compare import folder_engine
from core.cli.opened_transcript import note_unused_options
from core.cli.output.console import ConsoleProgress, aligned_table, print_lines, print_note, titled_section
from core.cli.output.json_output import rounded, write_json
from core.common import number_format
from core.common.atomic_file import output_file_name, write_atomic
from core.common.errors import InputError
from core.common.json_value import Json
from core.common.number_format import UNKNOWN, percent
from core.strategies.registry import STRATEGIES, find_strategy

ABOUT = (
    "Search the settings of strategies for those that keep most of what later turns needed, within a budget. "
    "Half of the sessions choose, the others report, with intervals. No model is called."
)
_UNUSED = ("--profile", "--summary-file")
_OWN = tuple(strategy.name for strategy in STRATEGIES if strategy.emulates is None)
_BUDGET = 0.3


def run(arguments: Sequence[str]) -> None:
    """Exit code 0, also where nothing better is shown; 2 where no session has a backtest."""
    options = parse_options(_parser(), arguments)
    note_unused_options(options, _UNUSED, "tune reads whole sessions and calls no model.")
    if not os.path.isdir(options.file):
        raise InputError(f"{options.file} is not a folder.", "Name a folder that holds transcripts.")
    names = tuple(dict.fromkeys(find_strategy(name).name for name in options.names or _OWN))
    request = TuneRequest(names, options.budget, options.runs, options.seed)
    jobs = _jobs(options)
    saved = TuneProgressFile(Path(options.file), jobs[0])
    if options.fresh:
        saved.clear()
    result = _result(options, request, jobs, saved)
    if not result.choosing or not result.reporting:
        why = next((reason for _, reason in result.left_out), "Two sessions are needed.")
        raise InputError(f"{options.file} has too few sessions to tune on: {why}", "Name a folder with more.")
    if options.out:
        content = settings_toml(result, result.strategies[0])
        write_atomic(Path(options.out), content, overwrite=options.yes)
        print_note(options, f"Wrote {options.out}: settings of {result.strategies[0].best.strategy}.")
    if options.json:
        write_json("tune", tune_json(options.file, result))
    else:
        print_lines(_report(result))


def _parser() -> CommandParser:
    parser = transcript_parser("tune", ABOUT, many_strategies=True, folder=True)
    about = f"the most that may be left: a share of the tokens up to 1, tokens above it ({_BUDGET})"
    parser.add_argument("--budget", type=_budget, default=_BUDGET, metavar="0.3|TOKENS", help=about)
    about = f"settings that are tried for a strategy ({RUNS})"
    parser.add_argument("--runs", type=_count, default=RUNS, metavar="N", help=about)
    parser.add_argument("--seed", type=whole_number, default=1, help="which half of the sessions chooses (1)")
    about = "write the best settings as a file for --set-from, hooks, adapters and the library"
    parser.add_argument("-o", "--out", type=output_file_name, metavar="OUT", help=about)
    add_text(parser, "--engine", "ENGINE", "cores, cores:N or dask://HOST:PORT")
    add_flag(parser, "--fresh", "do not go on where it stopped")
    return parser


def _budget(text: str) -> float:
    digits = text.replace(",", "").replace("_", "")
    try:
        number = float(digits[:-1]) / 100 if digits.endswith("%") else float(digits)
    except ValueError:
        number = 0.0
    if not number > 0:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a share up to 1 nor a number of tokens")
    return number


def _count(text: str) -> int:
    if (number := whole_number(text)) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is below 1")
    return number


def _jobs(options: CommonOptions) -> tuple[FileComparisonJob, ...]:
    values = offline_values(active_settings(options).layers.resolve())
    template = FileComparisonJob("", "", (), values, "all", options.model, options.format)
    jobs, problems = folder_jobs(Path(options.file), template)
    for problem in problems:
        print_note(options, f"warning: {problem}")
    if not jobs:
        raise InputError(f"{options.file} holds no files.", "Name a folder that holds transcripts.")
    return jobs


def _result(
    options: CommonOptions, request: TuneRequest, jobs: Sequence[FileComparisonJob], saved: TuneProgressFile
) -> TuneResult:
    engine = folder_engine(options.engine)

    def run_all(
        work: Callable[[TuneJob], SessionEvaluations], all_jobs: Sequence[TuneJob]
    ) -> Generator[tuple[int, Any] | None, None, None]:
        return run_jobs(engine, work, all_jobs)

    with ConsoleProgress(options) as progress:
        for state in tune(request, jobs, run_all, saved.known(jobs), saved.add_evaluations):
            if state.planned:
                done = f"{state.stage}: {state.done:,} of {state.planned:,} sessions"
                progress(state.done / state.planned, done)
    return state


def _report(result: TuneResult) -> Iterator[str]:
    choosing, reporting = len(result.choosing), len(result.reporting)
    yield (
        f"{number_format.plural(choosing, 'session')} chose, {reporting:,} others report; "
        f"budget {budget_text(result)} left; five points of each session"
    )
    yield ""
    head = ("strategy", "kept", "left", "default", "left", "settings")
    rows = [_row(result, one) for one in result.strategies]
    yield from aligned_table(rows, range(1, 5), head=head, indent="")
    first = result.strategies[0]
    yield ""
    yield f"{first.best.strategy}: {gain_text(first, result)}"
    if result.over_preset is not None:
        yield f"Against {result.preset}, the best preset: {_points(result.over_preset)}."
    left_out = [(name, reason) for name, reason in result.left_out]
    title = f"Left out, {number_format.plural(len(left_out), 'file')}"
    yield from titled_section(title, aligned_table(left_out[:20]))


def _row(result: TuneResult, one: TunedStrategy) -> tuple[str, ...]:
    settings = ", ".join(f"{key}={value}" for key, value in one.best.vector) or "the defaults"
    return (
        f"{one.best.strategy}{'' if one.fits else ' (above the budget)'}",
        _share(one.share),
        _size(result, one.size),
        _share(one.default_share),
        _size(result, one.default_size),
        settings,
    )


def _share(value: float | None) -> str:
    return UNKNOWN if value is None else percent(value, 0)


def _size(result: TuneResult, value: float | None) -> str:
    if value is None:
        return UNKNOWN
    return percent(value, 0) if result.request.is_share else number_format.count(round(value))


def _points(gain: Interval) -> str:
    return f"{100 * gain.mean:+.1f} points, 95 % interval {100 * gain.low:+.1f} to {100 * gain.high:+.1f}"


def tune_json(folder: str, result: TuneResult) -> dict[str, Json]:
    """Return the keys of ``tune --json``: shares from 0 to 1, sizes in the unit of the budget."""
    return {
        "folder": folder,
        "budget": result.request.budget,
        "seed": result.request.seed,
        "choosing": list(result.choosing),
        "reporting": list(result.reporting),
        "strategies": list(map(_tuned_json, result.strategies)),
        "preset": result.preset or None,
        "over_preset": _interval_json(result.over_preset),
        "left_out": [{"file": name, "reason": reason} for name, reason in result.left_out],
    }


def _tuned_json(one: TunedStrategy) -> dict[str, Json]:
    return {
        "strategy": one.best.strategy,
        "settings": dict(one.best.vector),
        "fits": one.fits,
        "runs": one.runs,
        "chosen_share": rounded(one.chosen_share),
        "share": rounded(one.share),
        "size": rounded(one.size),
        "default": {"share": rounded(one.default_share), "size": rounded(one.default_size)},
        "gain": _interval_json(one.gain),
    }


def _interval_json(gain: Interval | None) -> Json:
    return gain and {"mean": rounded(gain.mean), "low": rounded(gain.low), "high": rounded(gain.high)}
