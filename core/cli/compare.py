"""``foldline compare``: strategies, presets and recorded compactions of a transcript."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from core.analysis.compare.compare import check_strategy_name, flat_row, row_names
from core.analysis.context import AnalysisInput, baseline_preview
from core.analysis.model import RECORDED
from core.analysis.summary_price import pricing_model
from core.app.services.compare import CompareService
from core.cli.arguments import (
    CommonOptions,
    add_flag,
    add_price_as,
    add_text,
    parse_options,
    refuse_options,
    transcript_parser,
)
from core.cli.opened_transcript import (
    note_no_model_call,
    note_unread_settings,
    open_conversation,
    print_warnings,
)
from core.cli.output import compare_text, json_output
from core.cli.output.compare_json import file_values, write_csv
from core.cli.output.compare_text import CompareOutput
from core.cli.output.console import ConsoleProgress, print_detail, print_lines
from core.cli.output.model_call import choose_writer
from core.common.errors import InputError
from core.formats.registry import load_conversation
from core.settings.profile import Profile
from core.strategies.registry import find_strategy

if TYPE_CHECKING:
    from core.analysis.run_cost import RunCostEstimate

ABOUT = "Compare strategies, presets and recorded compactions over a transcript, or over a folder of them."


def run(arguments: Sequence[str]) -> int:
    """Return 0, also where a row failed; a cancel (130) keeps finished files."""
    options = _parsed(arguments)
    if options.json and options.csv:
        raise InputError("--json and --csv both write to standard output.", "Choose one.")
    if options.csv:
        against = ("--against", options.against)
        refuse_options((against,), "is not part of the CSV output", "Leave --csv out, or use --json.")
    for name in options.names:
        check_strategy_name(name)
    pricing_model(options.price_as, "")
    if options.file != "-" and os.path.isdir(options.file):  # os.path never fails, unlike Path
        from core.cli.compare_folder import run_folder

        return run_folder(options)
    of_folder = (("--engine", options.engine), ("--fresh", options.fresh))
    refuse_options(of_folder, f"is for a folder, and {options.file} is none", "Leave it out.")
    output = _compare(options)
    if options.json:
        json_output.write_json("compare", file_values(output))
    elif options.csv:
        mark, name = output.source.count_method.mark, output.opened.conversation.document.name
        write_csv([flat_row(name, row, mark) for row in output.comparison.rows])
    else:
        print_lines(compare_text.file_report(output))
    return 0


def _parsed(arguments: Sequence[str]) -> CommonOptions:
    parser = transcript_parser("compare", ABOUT, many_strategies=True, folder=True)
    add_price_as(parser)
    add_flag(parser, "--csv", "print CSV, a line per file and name")
    about = "the facts that one of two rows loses"
    parser.add_argument("--against", nargs=2, metavar=("A", "B"), help=about)
    add_text(parser, "--left", "FILE", "the file that the agent's compaction left, where it is another one")
    add_text(parser, "--engine", "ENGINE", "for a folder: cores, cores:N or dask://HOST:PORT")
    add_flag(parser, "--fresh", "for a folder: do not go on where it stopped")
    return parse_options(parser, arguments)


def _compare(options: CommonOptions) -> CompareOutput:
    opened = open_conversation(options)
    print_warnings(opened)
    names = row_names(opened.conversation, options.names)
    if not names:
        name = opened.conversation.document.name
        raise InputError(f"{name} has no {RECORDED} compaction.", "Leave -s out.")
    agent_file = load_conversation(options.left) if options.left else None
    for name in options.against or ():  # before anything is computed or paid
        if agent_file is None or not name.startswith(RECORDED):
            _check_row(name, names)
    strategies = [find_strategy(name) for name in names if not name.startswith(RECORDED)]
    note_unread_settings(opened, strategies)
    note_no_model_call(opened, strategies)

    def costs_of(source: AnalysisInput, profile: Profile) -> Iterable[RunCostEstimate]:
        from core.analysis.model_runs import compare_costs  # late: only needed with a model

        return compare_costs(source, names, profile)

    service, told = CompareService(opened), set[str]()
    with ConsoleProgress(options) as opened.progress:
        writer = choose_writer(opened, costs_of)
        for comparison in service.compare(names, agent_file):
            for row in comparison.rows:
                if row.name not in told:
                    print_detail(options, f"{row.name}: {row.seconds:.2f} s")
            told = {row.name for row in comparison.rows}
        for name in options.against or ():
            _check_row(name, [row.name for row in comparison.rows])
        against = service.pair(*options.against) if options.against else None
        return CompareOutput(opened, comparison, baseline_preview(comparison.source), writer, against)


def _check_row(name: str, rows: Collection[str]) -> None:
    if name not in rows:
        raise InputError(f"--against: there is no row {name!r}.", f"Rows: {', '.join(rows)}.")
