"""The commands ``replay`` and ``sweep``: a session turn by turn, and several values of one setting."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from core.analysis.context import AnalysisInput
from core.analysis.model import BASELINE, ReplayResult, ReplayTrack, SettingAxis, SweepPoint, SweepResult
from core.analysis.replay.replay import Replay, replay_context, with_baseline
from core.analysis.replay.run import ReplayContext, needs_limit, window_limit
from core.analysis.summary_price import PricingModel, pricing_model
from core.analysis.sweep import Sweep, parse_axes
from core.app.services.compare import ReplayService, SweepService
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
from core.cli.output.console import ConsoleProgress, aligned_table, print_detail, print_lines, titled_section
from core.cli.output.json_output import fields
from core.cli.output.model_call import choose_writer
from core.cli.settings import active_settings
from core.common import number_format
from core.common.errors import InputError
from core.common.excerpts import one_line_text
from core.common.json_value import Json
from core.common.number_format import dollar_text, size_change
from core.configuration.layers import find_setting, parse_assignment
from core.presentation.preview_wording import warning_texts
from core.settings.keys import LIMIT, STRATEGY
from core.settings.profile import Profile
from core.settings.schema import Values, setting_text
from core.strategies.registry import COMPRESSION_STRATEGIES, find_strategy
from core.transcript.compaction import FateKind

if TYPE_CHECKING:
    from core.analysis.run_cost import RunCostEstimate


REPLAY = "Play a session again, turn by turn, as each strategy would have had it."


def run_replay(arguments: Sequence[str]) -> None:
    """Exit code 0, also where a track failed."""
    parser = transcript_parser("replay", REPLAY, many_strategies=True)
    add_price_as(parser)
    options = parse_options(parser, arguments)
    names = with_baseline(options.names or COMPRESSION_STRATEGIES)
    pricing_model(options.price_as, "")
    opened = open_conversation(options)
    print_warnings(opened)
    strategies = [find_strategy(name) for name in names]
    note_unread_settings(opened, strategies)
    note_no_model_call(opened, strategies)
    replay, writer = _replayed(opened, names)
    if opened.options.json:
        json_output.write_json("replay", replay_json(opened, replay, writer))
    else:
        print_lines(replay_report(opened, replay, writer))


def _replayed(opened: OpenedConversation, names: tuple[str, ...]) -> tuple[Replay, str]:
    """Return the replay, and who wrote its summaries."""

    def costs_of(source: AnalysisInput, profile: Profile) -> Iterable[RunCostEstimate]:
        from core.analysis.model_runs import replay_costs  # late: only needed with a model

        return replay_costs(source, names, profile)

    with ConsoleProgress(opened.options) as opened.progress:
        _check_limit(replay_context(opened.analysis_input()), names, opened.values)
        writer = choose_writer(opened, costs_of, rough=True)
        for replay in ReplayService(opened).replay(names):
            for track in replay.result.tracks[-1:]:
                print_detail(opened.options, f"{track.name}: {len(track.compactions):,} compactions")
    return replay, writer


def _check_limit(context: ReplayContext, names: Sequence[str], settings: Values) -> None:
    """Refuse a replay in which no strategy could ever run."""
    active = [name for name in names if name != BASELINE]
    all_need_limit = active and all(needs_limit(find_strategy(name)) for name in active)
    if all_need_limit and window_limit(context, settings) is None:
        raise InputError(
            f"When {', '.join(active)} would act is not known, for the window is {context.window.source}.",
            f"Set it with --set {LIMIT}=N or --model.",
        )


def replay_json(opened: OpenedConversation, replay: Replay, writer: str) -> dict[str, Json]:
    result = replay.result
    return {
        **head_json(opened, result.scope),
        **fields(result, "model?"),
        "limit": {"tokens": result.limit, "source": replay.context.window.source},
        "method": fields(replay.context.method, "mark label"),
        **fields(result, "system hidden_tokens=hidden"),
        **json_output.writer_json(writer, replay.source.price),
        **fields(replay, "rates=context.rates turns=result.turns"),
        "tracks": map(_track, result.tracks),
        "warnings": warning_texts(opened.conversation),
    }


def _track(track: ReplayTrack) -> dict[str, Json]:
    return {
        **fields(track, "strategy=name trigger"),
        "compactions": [fields(run, "turn before after calls cost error?") for run in track.compactions],
        **fields(track, "calls sent rewritten over=over_limit_count cost refused=no_op_count note? error?"),
        "sizes": list(track.sizes),
    }


_COLUMNS = ("", "compactions", "calls", "tokens sent", "rewritten", "over limit", "≈ cost", "at the end")
_MAX_COMPACTIONS = 12
"""Compactions of a track that are listed; others are counted."""


def replay_report(opened: OpenedConversation, replay: Replay, writer: str) -> Iterator[str]:
    context, result, pricing = replay.context, replay.result, replay.source.price
    rates = context.rates
    name = one_line_text(opened.conversation.document.name, 60)
    limit = number_format.tokens("", result.limit)
    yield f"{name} · scope {result.scope} · {number_format.plural(len(result.turns), 'turn')}"
    yield (
        f"limit {limit} ({context.window.source}) · system and tools {_system(result)} · "
        f"{_hidden(result)}{context.method.label}"
    )
    if rates is not None and rates.model == pricing.model:
        pricing = PricingModel("")
    prices = f"prices of {rates.model}" if rates is not None else "no prices: the model is not in the table"
    yield f"{written_by(writer, pricing)} · {prices}"
    yield ""
    rows = [_row(track) for track in result.tracks]
    yield from aligned_table(rows, range(1, len(_COLUMNS)), head=_COLUMNS, indent="")
    runs = [_runs(track) for track in result.tracks if track.compactions]
    yield from titled_section("Compactions", aligned_table(runs))
    yield from titled_section("Notes", aligned_table([(track.name, text) for track, text in _notes(result)]))


def _system(result: ReplayResult) -> str:
    if not result.system:
        return f"{number_format.UNKNOWN} (not in the file)"
    return number_format.tokens(result.mark, result.system)


def _hidden(result: ReplayResult) -> str:
    hidden = number_format.tokens(result.mark, result.hidden)
    return f"{hidden} hidden in the last request · " if result.hidden else ""


def _row(track: ReplayTrack) -> tuple[str, ...]:
    done = sum(not run.error for run in track.compactions)
    return (
        track.name,
        number_format.count(done),
        number_format.count(track.calls),
        number_format.count(track.sent),
        number_format.count(track.rewritten),
        number_format.count(track.over_limit_count),
        dollar_text(track.cost),
        number_format.count(track.sizes[-1]) if track.sizes else number_format.UNKNOWN,
    )


def _runs(track: ReplayTrack) -> tuple[str, str]:
    run_texts = [
        f"turn {run.turn:,} {'failed' if run.error else size_change(run.before, run.after)}"
        for run in track.compactions[:_MAX_COMPACTIONS]
    ]
    run_texts = [text.replace(" ", "\u00a0") for text in run_texts]  # lines break between entries only
    unlisted_count = len(track.compactions) - _MAX_COMPACTIONS
    run_texts += [f"and {unlisted_count:,} more"] if unlisted_count > 0 else []
    return track.name, ", ".join(run_texts)


def _notes(result: ReplayResult) -> Iterator[tuple[ReplayTrack, str]]:
    for track in result.tracks:
        for text in (track.error, track.note):
            if text:
                yield track, text


SWEEP = "Run a strategy with one setting or two at many values, and say which are worth having."
_VARY_ABOUT = (
    "a setting and its values, as a list (5000,9000) or as from:to:step (0.1:0.4:0.1); a second one "
    "sets two settings against each other"
)


def run_sweep(arguments: Sequence[str]) -> None:
    """Exit code 0, also where a point failed; 2 where every point failed."""
    parser = transcript_parser("sweep", SWEEP)
    add_price_as(parser)
    parser.add_argument("--vary", action="append", required=True, metavar="KEY=VALUES", help=_VARY_ABOUT)
    options = parse_options(parser, arguments)
    pricing_model(options.price_as, "")
    chosen = active_settings(options)
    strategy = find_strategy(chosen.layers.resolve().text(STRATEGY))
    axes = parse_axes(options.vary, strategy)  # before a large file is read
    _check_set(options, axes)
    opened = open_conversation(options, chosen)
    print_warnings(opened)
    note_unread_settings(opened, [strategy])
    note_no_model_call(opened, [strategy])
    sweep, writer = _swept(opened, options.vary, axes)
    result, pricing = sweep.result, sweep.source.price
    failed = [point.error for point in result.points if point.error]
    if len(failed) == len(result.points):
        raise InputError(f"No point has a result: {failed[0]}")
    if options.json:
        json_output.write_json("sweep", sweep_json(opened, result, json_output.writer_json(writer, pricing)))
    else:
        print_lines(sweep_report(opened, result, written_by(writer, pricing)))


def _check_set(options: CommonOptions, axes: Sequence[SettingAxis]) -> None:
    varied = {axis.key for axis in axes}
    for key, _ in map(parse_assignment, options.settings):
        if key in varied:
            raise InputError(f"--set {key} has no effect where it is varied.", "Leave one of the two out.")


def _swept(opened: OpenedConversation, vary: Sequence[str], axes: Sequence[SettingAxis]) -> tuple[Sweep, str]:
    """Return the sweep, and who wrote its summaries."""

    def costs_of(source: AnalysisInput, profile: Profile) -> Iterable[RunCostEstimate]:
        from core.analysis.model_runs import sweep_costs  # late: only needed with a model

        return sweep_costs(source, opened.values.text(STRATEGY), axes, profile)

    with ConsoleProgress(opened.options) as opened.progress:
        writer = choose_writer(opened, costs_of)
        *_, sweep = SweepService(opened).sweep(tuple(vary))
    return sweep, writer


def sweep_json(
    opened: OpenedConversation, result: SweepResult, writer: Mapping[str, Json]
) -> dict[str, Json]:
    tokens, messages = result.before
    return {
        **head_json(opened, result.scope),
        **fields(result, "strategy model?"),
        "method": fields(result, "mark"),
        **writer,
        "before": {"messages": messages, "tokens": tokens},
        "axes": result.axes,
        "points": (_point(result.axes, point) for point in result.points),
        "best": [number for number, point in enumerate(result.points) if point.on_front],
        "warnings": warning_texts(opened.conversation),
    }


def _point(axes: Sequence[SettingAxis], point: SweepPoint) -> dict[str, Json]:
    fates = point.fates or {}
    return {
        "at": {axis.key: value for axis, value in zip(axes, point.axis_values, strict=True)},
        **fields(None if point.error else point, "tokens messages"),
        **fields(point, "lost fidelity"),
        "fates": None if point.error else {kind.value: fates.get(kind, 0) for kind in FateKind},
        **fields(point, "calls cost no_op? error?"),
    }


_FRONT_NOTE = "* no other point loses fewer known facts in fewer tokens"


def sweep_report(opened: OpenedConversation, result: SweepResult, writer: str) -> Iterator[str]:
    tokens, messages = result.before
    name = one_line_text(opened.conversation.document.name, 60)
    size = f"{number_format.plural(messages, 'message')}, {number_format.tokens(result.mark, tokens)} tokens"
    yield f"{name} · scope {result.scope} · {size} · {result.strategy} · {writer}"
    yield ""
    rows = [_sweep_row(result, point) for point in result.points]
    columns = (f"{result.mark} tokens", "saved", "messages", "lost", "fidelity", *FateKind, "≈ cost")
    head = (*(axis.key for axis in result.axes), *columns)
    yield from aligned_table(rows, range(len(head)), head=head, indent="")
    if any(point.on_front for point in result.points):
        yield _FRONT_NOTE
    yield from titled_section("Notes", aligned_table(list(_sweep_notes(result))))


def _values(result: SweepResult, point: SweepPoint) -> tuple[str, ...]:
    pairs = zip(result.axes, point.axis_values, strict=True)
    return tuple(setting_text(find_setting(axis.key).kind, value) for axis, value in pairs)


def _sweep_row(result: SweepResult, point: SweepPoint) -> tuple[str, ...]:
    values = _values(result, point)
    if point.error:
        return (*values, *[number_format.UNKNOWN] * (6 + len(FateKind)))
    tokens = result.before[0]
    fates = point.fates or {}
    return (
        *values,
        f"{'* ' if point.on_front else ''}{number_format.count(point.tokens)}",
        number_format.percent(1 - point.tokens / tokens) if tokens else number_format.UNKNOWN,
        number_format.count(point.messages),
        number_format.UNKNOWN if point.lost is None else number_format.count(point.lost),
        number_format.score(point.fidelity),
        *(number_format.count(fates.get(kind, 0)) for kind in FateKind),
        dollar_text(point.cost),
    )


def _sweep_notes(result: SweepResult) -> Iterator[tuple[str, str]]:
    for point in result.points:
        if text := point.error or point.no_op:
            yield ", ".join(_values(result, point)), text
