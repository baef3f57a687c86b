"""``foldline compare``: strategies, presets and recorded compactions of a transcript."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING

from core.analysis.compare.compare import (
    check_strategy_name,
    compare_strategies,
    flat_row,
    pairwise_losses,
    ranked_rows,
    row_names,
)
from core.analysis.compare.preset_check import compare_presets_with_file, compare_presets_with_recorded
from core.analysis.compare.rows import file_row, provider_of, scope_facts
from core.analysis.context import AnalysisInput, baseline_preview
from core.analysis.cost.summary_price import priced_row, pricing_model
from core.analysis.model import RECORDED, CompareRow, PairwiseLosses, RecordedComparison
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
    OpenedConversation,
    note_no_model_call,
    note_unread_settings,
    open_conversation,
    print_warnings,
)
from core.cli.output import compare_text, json_output
from core.cli.output.compare_json import file_values, write_csv
from core.cli.output.compare_text import CompareOutput
from core.cli.output.console import ConsoleProgress, print_detail, print_lines
from core.cli.output.model_call import analysis_input, price_for, summary_writers
from core.common.errors import InputError
from core.formats.registry import load_conversation
from core.settings.profile import Profile
from core.strategies.registry import find_strategy
from core.transcript.model import Conversation

if TYPE_CHECKING:
    from core.analysis.cost.run_cost import RunCostEstimate

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
        write_csv([flat_row(name, row, mark) for row in output.rows])
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
    with ConsoleProgress(options) as progress:
        return _compared(opened, names, agent_file, progress)


def _compared(
    opened: OpenedConversation,
    names: Sequence[str],
    agent_file: Conversation | None,
    progress: ConsoleProgress,
) -> CompareOutput:
    options = opened.options

    def costs_of(source: AnalysisInput, profile: Profile) -> Iterable[RunCostEstimate]:
        from core.analysis.model_runs import compare_costs  # late: only needed with a model

        return compare_costs(source, names, profile)

    context, writer = summary_writers(opened, analysis_input(opened, progress), costs_of)
    rows: list[CompareRow] = []
    for row in compare_strategies(context, names):
        rows.append(row)
        print_detail(options, f"{row.name}: {row.seconds:.2f} s")
    rows += [file_row(context, agent_file)] if agent_file is not None else []
    source = baseline_preview(context)
    price = price_for(opened, context, source.window.model)
    sorted_rows = ranked_rows([priced_row(row, price) for row in rows], source.history.scope)
    recorded = _against_agent(context.offline, names, agent_file)
    against = _pair(sorted_rows, options.against, context) if options.against else None
    return CompareOutput(
        opened, source, sorted_rows, provider_of(opened.conversation), writer, price, recorded, against
    )


def _against_agent(
    context: AnalysisInput, names: Sequence[str], agent_file: Conversation | None
) -> tuple[RecordedComparison, ...]:
    """Compare the presets of this agent with its recorded compactions that are in the table."""
    recorded_rows = {name for name in names if name.startswith(RECORDED)}
    comparisons = [
        comparison
        for comparison in compare_presets_with_recorded(context)
        if f"{RECORDED} {comparison.number}" in recorded_rows
    ]
    of_file = compare_presets_with_file(context, agent_file) if agent_file is not None else ()
    return (*comparisons, *of_file)


def _pair(rows: Sequence[CompareRow], pair: Sequence[str], context: AnalysisInput) -> PairwiseLosses:
    rows_by_name = {row.name: row for row in rows}
    for name in pair:
        _check_row(name, rows_by_name)
    a, b = (rows_by_name[name] for name in pair)
    return pairwise_losses(a, b, scope_facts(context, a.scope))


def _check_row(name: str, rows: Collection[str]) -> None:
    if name not in rows:
        raise InputError(f"--against: there is no row {name!r}.", f"Rows: {', '.join(rows)}.")
