"""``foldline tune``: which strategy and which settings, for the sessions of a folder."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from core.analysis.intervals import Interval
from core.app.services.tune import TuneService
from core.cli.active_settings import active_settings
from core.cli.arguments import (
    CommandParser,
    CommonOptions,
    add_flag,
    add_number,
    add_text,
    at_least,
    nonempty,
    parse_options,
    transcript_parser,
)
from core.cli.compare import folder_engine
from core.cli.opened_transcript import note_unused_options
from core.cli.output.console import (
    ConsoleProgress,
    check_output_file,
    print_lines,
    print_note,
)
from core.cli.output.json_output import rounded, write_json
from core.cli.output.tables import (
    aligned_table,
    legend,
    result_cells,
    result_head,
    titled_section,
)
from core.cli.session_options import add_session_filter, session_filter
from core.common import number_format
from core.common.atomic_file import output_file_name, write_atomic
from core.common.errors import InputError
from core.common.excerpts import one_line_text
from core.common.json_value import Json
from core.presentation.compare.tune_page import (
    budget_text,
    sessions_text,
    settings_toml,
    stage_text,
    tune_row,
    verdicts,
)
from core.presentation.compare.tune_table import TUNE, TuneRow
from core.strategies.registry import find_strategy
from core.trials.tune_evaluation import general_strategies, tunable
from core.trials.tune_values import (
    BUDGET,
    RUNS,
    Figures,
    TunedStrategy,
    TuneRequest,
    TuneResult,
    Tuning,
    parse_budget,
)

ABOUT = (
    "Search for the settings that keep most of what later turns needed, within a budget. "
    "Half of the sessions choose, the others report. No model is called."
)
_UNUSED = ("--profile", "--summary-file")


NOTHING_BETTER = 4
"""The exit code where nothing better than the defaults is shown."""


def run(arguments: Sequence[str]) -> int:
    """Return 0 where settings are shown to be better, or are written by --force; 4 where none are;
    2 where no session has a backtest."""
    options = parse_options(command_parser(), arguments)
    note_unused_options(
        options, _UNUSED, "tune reads whole sessions and calls no model."
    )
    if options.out:
        check_output_file(Path(options.out), overwrite=options.yes)
    tuning = _tuned(options)
    result = tuning.result
    if result is None or not result.choosing or not result.reporting:
        raise _too_few_sessions(options.file, result)
    first = result.strategies[0]
    is_better = result.is_proven_better(first)
    is_written = bool(options.out) and (is_better or options.force)
    if is_written:
        content = settings_toml(result, first)
        write_atomic(Path(options.out), content, overwrite=options.yes)
        print_note(options, f"Wrote {options.out}: settings of {first.best.strategy}.")
    elif options.out:
        print_note(
            options, f"{options.out} was not written; --force writes it all the same."
        )
    return _print_result(options, result, is_better=is_better, is_written=is_written)


def _too_few_sessions(name: str, result: TuneResult | None) -> InputError:
    left_out = result.left_out if result is not None else ()
    why = left_out[0][1] if left_out else ""
    problem = f"{name} has too few sessions to tune on: {why or 'two are needed.'}"
    return InputError(problem, "Name a folder with more.")


def _print_result(
    options: CommonOptions, result: TuneResult, *, is_better: bool, is_written: bool
) -> int:
    """Print what was found, and return the exit code."""
    if options.json:
        write_json("tune", tune_json(options.file, result, is_written=is_written))
    else:
        print_lines(_report(result))
    return 0 if is_better or is_written else NOTHING_BETTER


def command_parser() -> CommandParser:
    parser = transcript_parser("tune", ABOUT, many_strategies=True, folder=True)
    parser.unused = _UNUSED
    parser.add_argument(
        "more", nargs="*", type=nonempty, metavar="FILE|DIR", help="more of them"
    )
    about = "the most that may be left: a share of the tokens (30%% or 0.3), or tokens (20k)"
    add_text(parser, "--budget", "SHARE|TOKENS", about)
    add_flag(parser, "--cost", "the budget is US dollars a session, at Replay's prices")
    add_text(
        parser,
        "--for",
        "FILE",
        "for this session: half of the choice is by its own past",
        dest="for_session",
    )
    about = "write the best settings as a file for --set-from, hooks, adapters and the library"
    parser.add_argument("-o", "--out", type=output_file_name, metavar="OUT", help=about)
    add_flag(
        parser,
        "--force",
        "write them also where nothing better than the defaults is shown",
    )
    add_session_filter(parser.rare)
    _add_search_options(parser.rare)
    return parser


def _add_search_options(group: argparse._ActionsContainer) -> None:
    about = f"settings that are tried for a strategy ({RUNS})"
    group.add_argument(
        "--runs", type=at_least(1), default=RUNS, metavar="N", help=about
    )
    add_number(group, "--seed", 1, "which half of the sessions chooses (1)")
    add_text(group, "--engine", "ENGINE", "cores, cores:N or dask://HOST:PORT")
    add_flag(group, "--fresh", "do not go on where it stopped")


def _strategy_names(options: CommonOptions) -> tuple[str, ...]:
    found = (find_strategy(name).name for name in options.names or general_strategies())
    return tuple(dict.fromkeys(found))


def _held_values(session: Mapping[str, Json]) -> tuple[tuple[str, Json], ...]:
    """Return the settings that are not tried, because the command names them."""
    return tuple((one.key, session[one.key]) for one in tunable() if one.key in session)


def _tuned(options: CommonOptions) -> Tuning:
    if options.cost and not options.budget:
        raise InputError(
            "--cost needs a budget in dollars.", "Write --cost --budget 0.50."
        )
    budget, unit = parse_budget(options.budget or BUDGET, in_dollars=options.cost)
    chosen = active_settings(options)
    engine = folder_engine(options.engine)
    request = TuneRequest(
        strategies=_strategy_names(options),
        budget=budget,
        unit=unit,
        runs=options.runs,
        seed=options.seed,
        held=_held_values(chosen.layers.session),
    )
    service = TuneService(chosen)
    paths = [Path(path) for path in (options.file, *options.more)]
    tuning = service.open(
        paths,
        request,
        for_session=options.for_session,
        model=options.model,
        format=options.format,
        chosen=session_filter(options),
        fresh=options.fresh,
    )
    for problem in tuning.problems:
        print_note(options, f"warning: {problem}")
    with ConsoleProgress(options) as progress:
        for tuning in service.tune(engine=engine):
            state = tuning.result
            if state is not None and state.planned:
                progress(state.done / state.planned, stage_text(state))
    return tuning


def _report(result: TuneResult) -> Iterator[str]:
    yield (
        f"{sessions_text(result)}; budget: {budget_text(result.request)}; each session is judged "
        f"at five points"
    )
    yield ""
    rows = [tune_row(result, one) for one in result.strategies]
    table = TUNE.of_rows(rows)
    head = (table.title, *result_head(table))
    lines = [
        (_named(row), *result_cells(table, row)[:-1], row.settings) for row in rows
    ]
    shown = aligned_table(lines, range(1, len(head) - 1), head=head, indent="")
    yield from shown
    yield from legend(table, rows, shown)
    yield ""
    yield from verdicts(result)
    left_out = [
        (one_line_text(name), one_line_text(reason)) for name, reason in result.left_out
    ]
    title = f"Left out, {number_format.plural(len(left_out), 'file')}"
    yield from titled_section(title, aligned_table(left_out[:20]))


def _named(row: TuneRow) -> str:
    if row.note:
        return f"{row.name} ({row.note})"
    return row.name


def tune_json(
    folder: str, result: TuneResult, *, is_written: bool = False
) -> dict[str, Json]:
    """Return the keys of ``tune --json``: shares from 0 to 1, costs in US dollars a session."""
    request, first = result.request, result.strategies[0]
    return {
        "folder": folder,
        "budget": {"most": request.budget, "unit": request.unit.value},
        "seed": request.seed,
        "for": request.for_session or None,
        "choosing": list(result.choosing),
        "reporting": list(result.reporting),
        "strategies": [_tuned_json(result, one) for one in result.strategies],
        "preset": result.preset or None,
        "over_preset": _interval_json(result.over_preset),
        "rival": result.rival,
        "over_rival": _interval_json(result.over_rival),
        "shown": result.is_proven_better(first),
        "written": is_written,
        "left_out": [
            {"file": name, "reason": reason} for name, reason in result.left_out
        ],
    }


def _tuned_json(result: TuneResult, tuned: TunedStrategy) -> dict[str, Json]:
    return {
        "strategy": tuned.best.strategy,
        "settings": dict(tuned.best.settings),
        "fits": result.fits(tuned),
        "runs": tuned.runs,
        "chosen_share": rounded(tuned.chosen_share),
        **_figures_json(tuned.figures),
        "default": _figures_json(tuned.default),
        "gain": _interval_json(tuned.gain),
    }


def _figures_json(figures: Figures) -> dict[str, Json]:
    return {
        "share": rounded(figures.share),
        "interval": _interval_json(figures.interval),
        "tokens_left": rounded(figures.tokens_left),
        "tokens_after": rounded(figures.tokens_after),
        "cost": rounded(figures.cost),
        "priced": figures.priced,
        "musts": figures.musts,
        "musts_kept": figures.musts_kept,
    }


def _interval_json(gain: Interval | None) -> Json:
    return gain and {
        "mean": rounded(gain.mean),
        "low": rounded(gain.low),
        "high": rounded(gain.high),
    }
