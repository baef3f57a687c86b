"""``foldline replay``: a session turn by turn under each strategy."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from core.analysis.compare.model import BASELINE
from core.analysis.context import AnalysisInput
from core.analysis.cost.summary_price import priced_track, pricing_model
from core.analysis.replay.model import ReplayCompaction, ReplayTrack
from core.analysis.replay.replay import replay_context, replay_tracks, result_without_tracks, with_baseline
from core.analysis.replay.run import ReplayContext, needs_limit, window_limit
from core.cli.arguments import add_price_as, parse_options, transcript_parser
from core.cli.opened_transcript import (
    OpenedConversation,
    note_no_model_call,
    note_unread_settings,
    open_conversation,
    print_warnings,
)
from core.cli.output import json_output
from core.cli.output.console import ConsoleProgress, print_detail, print_lines
from core.cli.output.model_call import analysis_input, price_for, summary_writers
from core.cli.output.replay_text import ReplayOutput, replay_report
from core.common.errors import InputError
from core.common.json_value import Json
from core.presentation.preview_wording import warning_texts
from core.settings.keys import LIMIT
from core.settings.profile import Profile
from core.settings.values import Values
from core.strategies.registry import COMPRESSION_STRATEGIES, find_strategy

if TYPE_CHECKING:
    from core.analysis.cost.run_cost import RunCostEstimate

ABOUT = "Play a session again, turn by turn, as each strategy would have had it."


def run(arguments: Sequence[str]) -> int:
    """Return 0, also where a track failed."""
    parser = transcript_parser("replay", ABOUT, many_strategies=True)
    add_price_as(parser)
    options = parse_options(parser, arguments)
    names = with_baseline(options.names or COMPRESSION_STRATEGIES)
    pricing_model(options.price_as, "")
    opened = open_conversation(options)
    print_warnings(opened)
    strategies = [find_strategy(name) for name in names]
    note_unread_settings(opened, strategies)
    note_no_model_call(opened, strategies)
    output = _replayed(opened, names)
    if opened.options.json:
        json_output.write_json("replay", replay_json(output))
    else:
        print_lines(replay_report(output))
    return 0


def _replayed(opened: OpenedConversation, names: Sequence[str]) -> ReplayOutput:
    options = opened.options
    with ConsoleProgress(options) as progress:
        source = analysis_input(opened, progress)
        context = replay_context(source)
        _check_limit(context, names, opened.values)

        def costs_of(source: AnalysisInput, profile: Profile) -> Iterable[RunCostEstimate]:
            from core.analysis.model_runs import replay_costs  # late: only needed with a model

            return replay_costs(source, names, profile)

        source, writer = summary_writers(opened, source, costs_of, rough=True)
        tracks: list[ReplayTrack] = []
        for track in replay_tracks(source, names):
            tracks.append(track)
            print_detail(options, f"{track.name}: {len(track.compactions):,} compactions")
    price = price_for(opened, source, context.window.model)
    result = result_without_tracks(context, options.scope)
    result = replace(result, tracks=tuple(priced_track(track, price) for track in tracks))
    return ReplayOutput(opened, context, result, writer, price)


def _check_limit(context: ReplayContext, names: Sequence[str], settings: Values) -> None:
    """Refuse a replay in which no strategy could ever run."""
    active = [name for name in names if name != BASELINE]
    all_need_limit = active and all(needs_limit(find_strategy(name)) for name in active)
    if all_need_limit and window_limit(context, settings) is None:
        raise InputError(
            f"When {', '.join(active)} would act is not known, for the window is {context.window.source}.",
            f"Set it with --set {LIMIT}=N or --model.",
        )


def replay_json(output: ReplayOutput) -> dict[str, Json]:
    context, result = output.context, output.replay
    method = context.method
    return {
        **json_output.head_json(output.opened, result.scope),
        "model": result.model or None,
        "limit": {"tokens": result.limit, "source": context.window.source},
        "method": {"mark": method.mark, "label": method.label},
        "system": result.system,
        "hidden_tokens": result.hidden,
        **json_output.writer_json(output.summaries, output.pricing),
        "rates": context.rates,
        "turns": result.turns,
        "tracks": map(_track, result.tracks),
        "warnings": warning_texts(output.opened.conversation),
    }


def _run(run: ReplayCompaction) -> dict[str, Json]:
    value = asdict(run) | {"error": run.error or None}
    del value["unpaid"]
    return value


def _track(track: ReplayTrack) -> dict[str, Json]:
    return {
        "strategy": track.name,
        "trigger": track.trigger,
        "compactions": [_run(run) for run in track.compactions],
        "calls": track.calls,
        "sent": track.sent,
        "rewritten": track.rewritten,
        "over": track.over_limit_count,
        "cost": track.cost,
        "refused": track.no_op_count,
        "note": track.note or None,
        "error": track.error or None,
        "sizes": list(track.sizes),
    }
