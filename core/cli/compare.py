"""``foldline compare``: what strategies, presets and the agent itself make of a transcript, side by side."""

from __future__ import annotations

import argparse
import os
from collections.abc import Collection, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from core.analysis.compare.compare import check_strategy_name, compare_strategies, ranked_rows, row_names
from core.analysis.compare.fact_differences import a_against_b
from core.analysis.compare.flat_rows import line_of
from core.analysis.compare.model import CompareRow, PairwiseLosses, RecordedComparison
from core.analysis.compare.preset_check import against_file, against_recorded
from core.analysis.compare.recorded_row import file_row
from core.analysis.compare.row_computation import (
    RECORDED,
    CompareContext,
    baseline_preview,
    facts_in,
    offline_values,
)
from core.analysis.cost.summary_price import price_as, priced_row
from core.cli.arguments import CommonOptions, add_price_as, common_options, refuse_options, transcript_parser
from core.cli.opened_conversation import OpenedConversation
from core.cli.opened_transcript import note_none_ask, note_unread_settings, open_conversation, print_warnings
from core.cli.output import compare_text, json_output
from core.cli.output.compare_csv import write_csv
from core.cli.output.compare_json import file_values
from core.cli.output.confirm import price_for, writers_of
from core.cli.output.console import ConsoleProgress, print_detail, print_lines
from core.cli.output.notes import CompareOutput
from core.common.errors import InputError
from core.formats.registry import load_conversation
from core.preview.options import PreviewOptions
from core.settings.profile import Profile
from core.strategies.registry import find_strategy
from core.transcript.model import Conversation

if TYPE_CHECKING:
    from core.analysis.cost.run_cost import RunCostEstimate

ABOUT = "Compare strategies, presets and recorded compactions over a transcript, or over a folder of them."


def run(arguments: Sequence[str]) -> int:
    """0 also where a row failed, which says so; 130 where it was cancelled, with what is done kept."""
    found = _parsed(arguments)
    options = common_options(found)
    if found.json and found.csv:
        raise InputError("--json and --csv both write to standard output.", "Choose one.")
    if found.csv:
        refuse_options(
            (("--against", found.against),), "is not told in CSV", "Leave --csv out, or take --json."
        )
    for name in found.names:
        check_strategy_name(name)
    price_as(options.price_as, "")
    if options.file != "-" and os.path.isdir(options.file):  # unlike Path's it never fails
        from core.cli.compare_folder import run_folder

        return run_folder(options, found)
    of_folder = (("--engine", found.engine), ("--fresh", found.fresh))
    refuse_options(of_folder, f"is for a folder, and {options.file} is none", "Leave it out.")
    made = _compare(options, found)
    if options.json:
        json_output.write_json("compare", file_values(made))
    elif found.csv:
        mark, name = made.source.method.mark, made.opened.conversation.document.name
        write_csv([line_of(name, row, mark) for row in made.rows])
    else:
        print_lines(compare_text.file_report(made))
    return 0


def _parsed(arguments: Sequence[str]) -> argparse.Namespace:
    parser = transcript_parser("compare", ABOUT, many=True, folder=True)
    add_price_as(parser)
    parser.add_argument("--csv", action="store_true", help="print CSV, a line per file and name")
    parser.add_argument(
        "--against", nargs=2, default=None, metavar=("A", "B"), help="the facts that one of two rows loses"
    )
    parser.add_argument(
        "--left", default="", metavar="FILE", help="where the agent's compaction lies in a file of its own"
    )
    parser.add_argument(
        "--engine", default="", metavar="ENGINE", help="for a folder: cores, cores:N or dask://HOST:PORT"
    )
    parser.add_argument("--fresh", action="store_true", help="for a folder: do not go on where it stopped")
    return parser.parse_args(arguments)


def _compare(options: CommonOptions, found: argparse.Namespace) -> CompareOutput:
    opened = open_conversation(options)
    print_warnings(opened)
    names = row_names(opened.conversation, found.names)
    if not names:
        raise InputError(
            f"{opened.conversation.document.name} has no {RECORDED} compaction.", "Leave -s out."
        )
    other = load_conversation(found.left) if found.left else None
    for name in found.against or ():  # before anything is run, or paid
        if other is None or not name.startswith(RECORDED):
            _check_row(name, names)
    strategies = [find_strategy(one) for one in names if not one.startswith(RECORDED)]
    note_unread_settings(opened, strategies)
    note_none_ask(opened, strategies)
    progress = ConsoleProgress(options)
    try:
        return _compared(opened, names, other, found.against, progress)
    finally:
        progress.done()


def _compared(
    opened: OpenedConversation,
    names: Sequence[str],
    other: Conversation | None,
    pair: Sequence[str] | None,
    progress: ConsoleProgress,
) -> CompareOutput:
    options, conversation = opened.options, opened.conversation
    ask = PreviewOptions(options.scope, options.model, opened.summary, progress=progress)
    first = CompareContext(conversation, opened.values, ask, opened.stages)
    ask_for, writer = writers_of(opened, ask, partial(_bills, first, names))
    values = opened.values if ask_for else offline_values(opened.values)
    contest = CompareContext(conversation, values, ask, opened.stages, ask_for)
    rows: list[CompareRow] = []
    for row in compare_strategies(conversation, names, values, ask, opened.stages, ask_for, contest.read):
        rows.append(row)
        print_detail(options, f"{row.name}: {row.seconds:.2f} s")
    rows += [file_row(contest, other)] if other is not None else []
    source = baseline_preview(contest)
    price = price_for(opened, ask_for, source.window.model)
    sorted_rows = ranked_rows([priced_row(row, price) for row in rows], source.history.scope)
    told = _against_agent(replace(contest, ask_for=None, values=offline_values(values)), names, other)
    against = _pair(sorted_rows, pair, contest) if pair else None
    return CompareOutput(opened, source, sorted_rows, contest.provider, writer, price, told, against)


def _against_agent(
    contest: CompareContext, names: Sequence[str], other: Conversation | None
) -> tuple[RecordedComparison, ...]:
    """What the presets of this agent would have done in its place, where its own rows are shown."""
    own = {name for name in names if name.startswith(RECORDED)}
    found = [one for one in against_recorded(contest) if f"{RECORDED} {one.number}" in own]
    return (*found, *against_file(contest, other)) if other is not None else tuple(found)


def _pair(rows: Sequence[CompareRow], pair: Sequence[str], contest: CompareContext) -> PairwiseLosses:
    known = {row.name: row for row in rows}
    for name in pair:
        _check_row(name, known)
    a, b = (known[name] for name in pair)
    return a_against_b(a, b, facts_in(contest.conversation, a.scope, contest.stages))


def _check_row(name: str, rows: Collection[str]) -> None:
    if name not in rows:
        raise InputError(f"--against: there is no row {name!r}.", f"Rows: {', '.join(rows)}.")


def _bills(
    contest: CompareContext, names: Sequence[str], profile: Profile
) -> list[tuple[RunCostEstimate, bool]]:
    from core.analysis.compare.paid_compare import run_costs  # late: only those who call a model need it

    return run_costs(contest, names, profile)
