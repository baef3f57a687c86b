"""``foldline sweep``: a strategy with one or two settings at many values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from core.analysis.analysis_input import AnalysisInput
from core.analysis.run_price import pricing_model
from core.app.services.compare import SweepService
from core.cli.active_settings import active_settings
from core.cli.arguments import CommonOptions, add_price_as, parse_options, transcript_parser
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
from core.cli.output.tables import aligned_table, result_cells, result_head, titled_section
from core.common import number_format
from core.common.errors import InputError
from core.common.excerpts import one_line_text
from core.common.json_value import Json
from core.presentation.compare.columns import unit_cell
from core.presentation.compare.model import ResultTable, Unit
from core.presentation.compare.tables import SWEEP
from core.presentation.preview_wording import warning_texts
from core.settings.keys import STRATEGY
from core.settings.profile import Profile
from core.settings.schema import setting_text
from core.settings_store.layers import find_setting, parse_assignment
from core.strategies.registry import find_strategy
from core.transcript.compaction import FateKind
from core.trials.axes import Sweep, parse_axes
from core.trials.trial import SettingAxis, SweepPoint, SweepResult

if TYPE_CHECKING:
    from core.analysis.run_price import RunCostEstimate


ABOUT = "Run a strategy with one setting or two at many values, and say which are worth having."
_VARY_ABOUT = (
    "a setting and its values, as a list (5000,9000) or as from:to:step (0.1:0.4:0.1); a second one "
    "sets two settings against each other"
)


def run(arguments: Sequence[str]) -> None:
    """Exit code 0, also where a point failed; 2 where every point failed."""
    parser = transcript_parser("sweep", ABOUT, opens_current=True)
    add_price_as(parser)
    parser.add_argument(
        "--vary", action="append", required=True, metavar="KEY=VALUES", help=_VARY_ABOUT
    )
    options = parse_options(parser, arguments)
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
    result, pricing = sweep.result, sweep.source.price
    failed = [point.error for point in result.points if point.error]
    if len(failed) == len(result.points):
        raise InputError(f"No point has a result: {failed[0]}")
    if options.json:
        json_output.write_json(
            "sweep",
            sweep_json(
                transcript, result, json_output.summary_profile_json(summary_profile, pricing)
            ),
        )
    else:
        print_lines(sweep_report(transcript, result, written_by(summary_profile, pricing)))


def _check_set(options: CommonOptions, axes: Sequence[SettingAxis]) -> None:
    varied = {axis.key for axis in axes}
    for key, _ in map(parse_assignment, options.settings):
        if key in varied:
            raise InputError(
                f"--set {key} has no effect where it is varied.", "Leave one of the two out."
            )


def _swept(
    transcript: OpenedConversation, vary: Sequence[str], axes: Sequence[SettingAxis]
) -> tuple[Sweep, str]:
    """Return the sweep, and who wrote its summaries."""

    def costs_of(source: AnalysisInput, profile: Profile) -> Iterable[RunCostEstimate]:
        from core.trials.trial_costs import sweep_costs  # late: only needed with a model

        return sweep_costs(source, transcript.values.text(STRATEGY), axes, profile)

    with ConsoleProgress(transcript.options) as transcript.progress:
        summary_profile = choose_summary_profile(transcript, costs_of)
        *_, sweep = SweepService(transcript).sweep(tuple(vary))
    return sweep, summary_profile


def sweep_json(
    transcript: OpenedConversation, result: SweepResult, summary_profile: Mapping[str, Json]
) -> dict[str, Json]:
    tokens, messages = result.before
    return {
        **head_json(transcript, result.scope),
        "strategy": result.strategy,
        "model": result.model or None,
        "method": {"mark": result.mark},
        **summary_profile,
        "before": {"messages": messages, "tokens": tokens},
        "axes": result.axes,
        "points": (_point(result.axes, point) for point in result.points),
        "best": [number for number, point in enumerate(result.points) if point.on_front],
        "warnings": warning_texts(transcript.conversation),
    }


def _point(axes: Sequence[SettingAxis], point: SweepPoint) -> dict[str, Json]:
    fates = point.fates or {}
    return {
        "at": {axis.key: value for axis, value in zip(axes, point.axis_values, strict=True)},
        "tokens": None if point.error else point.tokens,
        "messages": None if point.error else point.messages,
        "gone": point.gone,
        "said": point.said,
        "needed_share": point.needed_share,
        "fates": None if point.error else {kind.value: fates.get(kind, 0) for kind in FateKind},
        "calls": point.calls,
        "cost": point.cost,
        "no_op": point.no_op or None,
        "error": point.error or None,
    }


_FRONT_NOTE = "* no other point keeps more of what later turns needed in fewer tokens"


def sweep_report(
    transcript: OpenedConversation, result: SweepResult, summary_profile: str
) -> Iterator[str]:
    tokens, messages = result.before
    name = one_line_text(transcript.conversation.document.name, 60)
    size = (
        f"{number_format.plural(messages, 'message')}, "
        f"{number_format.tokens(result.mark, tokens)} tokens"
    )
    yield f"{name} · scope {result.scope} · {size} · {result.strategy} · {summary_profile}"
    yield from transcript.scope_lines
    yield ""
    table = SWEEP.of_rows(result.points)
    rows = [_sweep_row(table, result, point) for point in result.points]
    first, *others = result_head(table, result.mark)
    head = (*(axis.key for axis in result.axes), first, "saved", *others)
    yield from aligned_table(rows, range(len(head)), head=head, indent="")
    if any(point.on_front for point in result.points):
        yield _FRONT_NOTE
    yield from titled_section("Notes", aligned_table(list(_sweep_notes(result))))


def _values(result: SweepResult, point: SweepPoint) -> tuple[str, ...]:
    pairs = zip(result.axes, point.axis_values, strict=True)
    return tuple(setting_text(find_setting(axis.key).kind, value) for axis, value in pairs)


def _sweep_row(
    table: ResultTable[SweepPoint], result: SweepResult, point: SweepPoint
) -> tuple[str, ...]:
    tokens, *others = result_cells(table, point)
    before, has_result = result.before[0], not point.error
    saved = unit_cell(Unit.CHANGE, 1 - point.tokens / before if before and has_result else None)
    return (
        *_values(result, point),
        f"{'* ' if point.on_front else ''}{tokens}",
        saved.text,
        *others,
    )


def _sweep_notes(result: SweepResult) -> Iterator[tuple[str, str]]:
    for point in result.points:
        if text := point.error or point.no_op:
            yield ", ".join(_values(result, point)), text
