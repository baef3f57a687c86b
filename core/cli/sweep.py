"""``foldline compare --vary``: a strategy with one or two settings at many values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from core.analysis.analysis_input import AnalysisInput
from core.analysis.costs import pricing_model
from core.app.services.compare import SweepService
from core.cli import late
from core.cli.active_settings import active_settings
from core.cli.arguments import (
    CommandParser,
    CommonOptions,
    add_price_as,
    parse_options,
    transcript_parser,
)
from core.cli.opened_transcript import (
    OpenedConversation,
    head_json,
    note_no_model_call,
    note_unread_settings,
    open_conversation,
    print_warnings,
)
from core.cli.output import json_output
from core.cli.output.compare_output import written_by
from core.cli.output.console import ConsoleProgress, print_lines
from core.cli.output.model_call import choose_summary_profile
from core.cli.output.tables import (
    aligned_table,
    legend,
    result_cells,
    result_head,
    titled_section,
)
from core.common import number_format
from core.common.errors import InputError
from core.common.excerpts import one_line_text
from core.common.json_value import Json
from core.losses.evidence import MustStatus
from core.presentation.compare.columns import SWEEP
from core.presentation.compare.model import ResultTable
from core.presentation.preview_wording import warning_texts
from core.settings.profile import Profile
from core.settings.schema import STRATEGY, setting_text
from core.settings_store.layers import find_setting, parse_assignment
from core.strategies.registry import find_strategy
from core.transcript.compaction import FateKind
from core.trials.axes import SettingAxis, Sweep, parse_axes
from core.trials.trial import TrialResult

if TYPE_CHECKING:
    from core.llm.pricing import RunCostEstimate


ABOUT = "Run a strategy with one setting or two at many values, and say which are worth having."
_VARY_ABOUT = (
    "a setting and its values, as a list (5000,9000) or as from:to:step (0.1:0.4:0.1); a second one "
    "sets two settings against each other"
)


def command_parser() -> CommandParser:
    parser = transcript_parser("compare --vary", ABOUT, opens_current=True)
    parser.prog = "foldline compare"  # the synopsis adds the required --vary
    parser.add_argument(
        "--vary", action="append", required=True, metavar="KEY=VALUES", help=_VARY_ABOUT
    )
    add_price_as(parser)
    return parser


def run(arguments: Sequence[str]) -> None:
    """Exit code 0, also where a point failed; 2 where every point failed."""
    options = parse_options(command_parser(), arguments)
    pricing_model(options.price_as, "")
    chosen = active_settings(options)
    strategy = find_strategy(chosen.layers.resolve().text(STRATEGY))
    axes = parse_axes(options.vary, strategy)  # before a large file is read
    _check_set(options, axes)
    transcript = open_conversation(options, chosen)
    print_warnings(transcript)
    note_unread_settings(transcript, [strategy])
    note_no_model_call(transcript, [strategy])
    sweep, summary_profile = _swept(transcript, options.vary, axes)
    pricing = sweep.source.price
    failed = [result.error for result in sweep.results if result.error]
    if len(failed) == len(sweep.results):
        raise InputError(f"The strategy failed with every value: {failed[0]}")
    if options.json:
        profile = json_output.summary_profile_json(summary_profile, pricing)
        json_output.write_json("sweep", sweep_json(transcript, sweep, profile))
    else:
        print_lines(
            sweep_report(transcript, sweep, written_by(summary_profile, pricing))
        )


def _check_set(options: CommonOptions, axes: Sequence[SettingAxis]) -> None:
    varied = {axis.key for axis in axes}
    for key, _ in map(parse_assignment, options.settings):
        if key in varied:
            raise InputError(
                f"--set {key} has no effect, because the same setting is varied.",
                "Leave one of the two out.",
            )


def _swept(
    transcript: OpenedConversation, vary: Sequence[str], axes: Sequence[SettingAxis]
) -> tuple[Sweep, str]:
    """Return the sweep, and who wrote its summaries."""

    def costs_of(source: AnalysisInput, profile: Profile) -> Iterable[RunCostEstimate]:

        return late.sweep_costs(source, transcript.values.text(STRATEGY), axes, profile)

    with ConsoleProgress(transcript.options) as transcript.progress:
        summary_profile = choose_summary_profile(transcript, costs_of)
        *_, sweep = SweepService(transcript).sweep(tuple(vary))
    return sweep, summary_profile


def sweep_json(
    transcript: OpenedConversation, sweep: Sweep, summary_profile: Mapping[str, Json]
) -> dict[str, Json]:
    before = sweep.before.sizes
    return {
        **head_json(transcript, sweep.before.scope),
        "strategy": sweep.strategy,
        "model": sweep.source.model or None,
        "method": {"mark": before.mark},
        **summary_profile,
        "before": {"messages": before.before_messages, "tokens": before.before_tokens},
        "axes": sweep.axes,
        "points": map(_result_json, sweep.results),
        "best": [
            number for number, result in enumerate(sweep.results) if result.on_front
        ],
        "warnings": warning_texts(transcript.conversation),
    }


def _result_json(result: TrialResult) -> dict[str, Json]:
    fates = {kind.value: result.fate_count(kind) for kind in FateKind}
    return {
        "at": dict(result.trial.settings),
        "tokens": None if result.error else result.sizes.tokens,
        "messages": None if result.error else result.sizes.messages,
        "gone": result.losses.gone,
        "said": result.messages_word_for_word,
        "needed_share": result.needed_share,
        "must": _must_counts(result),
        "fates": None if result.error else fates,
        "calls": result.calls,
        "cost": result.summary_cost,
        "no_op": result.no_op or None,
        "error": result.error or None,
    }


def _must_counts(result: TrialResult) -> Json:
    """Return how many of the texts that must survive have each status, null without any."""
    if not result.losses.musts:
        return None
    return {one.value: result.losses.count_musts(one) for one in MustStatus}


_FRONT_NOTE = "* no other point keeps more of what later turns needed in fewer tokens"


def sweep_report(
    transcript: OpenedConversation, sweep: Sweep, summary_profile: str
) -> Iterator[str]:
    before = sweep.before.sizes
    name = one_line_text(transcript.conversation.document.name, 60)
    size = (
        f"{number_format.plural(before.before_messages, 'message')}, "
        f"{number_format.tokens(before.mark, before.before_tokens)} tokens"
    )
    yield f"{name} · scope {sweep.before.scope} · {size} · {sweep.strategy} · {summary_profile}"
    yield from transcript.scope_lines
    yield ""
    table = SWEEP.of_rows(sweep.results)
    rows = [_sweep_row(table, result) for result in sweep.results]
    head = (*(axis.key for axis in sweep.axes), *result_head(table, before.mark))
    shown = aligned_table(rows, range(len(head)), head=head, indent="")
    yield from shown
    if any(result.on_front for result in sweep.results):
        yield _FRONT_NOTE
    yield from legend(table, sweep.results, shown)
    yield from titled_section("Notes", aligned_table(list(_sweep_notes(sweep.results))))


def _values(result: TrialResult) -> tuple[str, ...]:
    return tuple(
        setting_text(find_setting(key).kind, value)
        for key, value in result.trial.settings
    )


def _sweep_row(table: ResultTable[TrialResult], result: TrialResult) -> tuple[str, ...]:
    tokens, *others = result_cells(table, result)
    return (*_values(result), f"{'* ' if result.on_front else ''}{tokens}", *others)


def _sweep_notes(results: Sequence[TrialResult]) -> Iterator[tuple[str, str]]:
    for result in results:
        if text := result.error or result.no_op:
            yield ", ".join(_values(result)), text
