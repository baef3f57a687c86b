"""``foldline replay``: a session turn by turn under each strategy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from core.analysis.analysis_input import AnalysisInput
from core.analysis.costs import PricingModel, pricing_model
from core.analysis.model import BASELINE, ReplayResult, ReplayTrack
from core.analysis.replay import Replay, replay_input, with_baseline
from core.analysis.replay_run import ReplayInput, needs_limit, replay_limit
from core.app.services.compare import ReplayService
from core.cli import late
from core.cli.arguments import (
    CommandParser,
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
from core.cli.output.console import ConsoleProgress, print_detail, print_lines
from core.cli.output.model_call import choose_summary_profile
from core.cli.output.tables import (
    aligned_table,
    result_cells,
    result_head,
    titled_section,
)
from core.common import number_format
from core.common.errors import InputError
from core.common.excerpts import one_line_text
from core.common.json_value import Json
from core.common.number_format import size_change
from core.presentation.compare.columns import REPLAY
from core.presentation.paid_words import cost_basis
from core.presentation.preview_wording import warning_texts
from core.settings.profile import Profile
from core.settings.schema import LIMIT, Values
from core.strategies.registry import COMPACTION_STRATEGIES, find_strategy

if TYPE_CHECKING:
    from core.llm.pricing import RunCostEstimate


ABOUT = "Play a session again, turn by turn, as each strategy would have had it."


def command_parser() -> CommandParser:
    parser = transcript_parser("replay", ABOUT, many_strategies=True)
    add_price_as(parser)
    return parser


def run(arguments: Sequence[str]) -> None:
    """Exit code 0, also where a track failed."""
    options = parse_options(command_parser(), arguments)
    names = with_baseline(options.names or COMPACTION_STRATEGIES)
    pricing_model(options.price_as, "")
    transcript = open_conversation(options)
    print_warnings(transcript)
    strategies = [find_strategy(name) for name in names]
    note_unread_settings(transcript, strategies)
    note_no_model_call(transcript, strategies)
    replay, summary_profile = _replayed(transcript, names)
    if transcript.options.json:
        json_output.write_json(
            "replay", replay_json(transcript, replay, summary_profile)
        )
    else:
        print_lines(replay_report(transcript, replay, summary_profile))


def _replayed(
    transcript: OpenedConversation, names: tuple[str, ...]
) -> tuple[Replay, str]:
    """Return the replay, and who wrote its summaries."""

    def costs_of(source: AnalysisInput, profile: Profile) -> Iterable[RunCostEstimate]:

        return late.replay_costs(source, names, profile)

    with ConsoleProgress(transcript.options) as transcript.progress:
        _check_limit(
            replay_input(transcript.analysis_input()), names, transcript.values
        )
        summary_profile = choose_summary_profile(transcript, costs_of, rough=True)
        for replay in ReplayService(transcript).replay(names):
            for track in replay.result.tracks[-1:]:
                print_detail(
                    transcript.options,
                    f"{track.name}: {len(track.compactions):,} compactions",
                )
    return replay, summary_profile


def _check_limit(inputs: ReplayInput, names: Sequence[str], settings: Values) -> None:
    """Refuse a replay in which no strategy could ever run."""
    active = [name for name in names if name != BASELINE]
    all_need_limit = active and all(needs_limit(find_strategy(name)) for name in active)
    if all_need_limit and replay_limit(inputs, settings) is None:
        raise InputError(
            f"{', '.join(active)} would act at a share of the model's context limit, which is "
            f"{inputs.model_limit.source}.",
            f"Set it with --set {LIMIT}=N or --model.",
        )


def replay_json(
    transcript: OpenedConversation, replay: Replay, summary_profile: str
) -> dict[str, Json]:
    result = replay.result
    return {
        **head_json(transcript, result.scope),
        "model": result.model or None,
        "limit": {"tokens": result.limit, "source": replay.inputs.model_limit.source},
        "method": {
            "mark": replay.inputs.method.mark,
            "label": replay.inputs.method.label,
        },
        "system": result.system,
        "hidden_tokens": result.hidden,
        **json_output.summary_profile_json(summary_profile, replay.source.price),
        "rates": replay.inputs.rates,
        "turns": replay.result.turns,
        "tracks": map(_track, result.tracks),
        "warnings": warning_texts(transcript.conversation),
    }


def _track(track: ReplayTrack) -> dict[str, Json]:
    return {
        "strategy": track.name,
        "trigger": track.trigger,
        "compactions": [
            {
                "turn": run.turn,
                "before": run.before,
                "after": run.after,
                "calls": run.calls,
                "cost": run.cost,
                "error": run.error or None,
            }
            for run in track.compactions
        ],
        "calls": track.calls,
        "sent": track.sent,
        "rewritten": track.rewritten,
        "over": track.over_limit_count,
        "cost": track.cost,
        "paid_requests": track.paid_requests,
        "refused": track.no_op_count,
        "note": track.note or None,
        "error": track.error or None,
        "sizes": list(track.sizes),
    }


_MAX_COMPACTIONS = 12
"""Compactions of a track that are listed; others are counted."""


def replay_report(
    transcript: OpenedConversation, replay: Replay, summary_profile: str
) -> Iterator[str]:
    inputs, result, pricing = replay.inputs, replay.result, replay.source.price
    rates = inputs.rates
    name = one_line_text(transcript.conversation.document.name, 60)
    limit = number_format.tokens("", result.limit)
    yield f"{name} · scope {result.scope} · {number_format.plural(len(result.turns), 'turn')}"
    yield (
        f"limit {limit} ({inputs.model_limit.source}) · system and tools {_system(result)} · "
        f"{_hidden(result)}{inputs.method.label}"
    )
    if rates is not None and rates.model == pricing.model:
        pricing = PricingModel("")
    if rates is not None:
        prices = f"prices of {rates.model}"
    else:
        prices = "no price is known for the model"
    yield f"{written_by(summary_profile, pricing)} · {prices}"
    if rates is not None:
        yield cost_basis(result)
    yield ""
    size, *others = result_head(REPLAY, result.mark)
    head = (REPLAY.title, f"{size} {len(result.turns):,}", *others)
    rows = [(track.name, *result_cells(REPLAY, track)) for track in result.tracks]
    yield from aligned_table(rows, range(1, len(head)), head=head, indent="")
    runs = [_runs(track) for track in result.tracks if track.compactions]
    yield from titled_section("Compactions", aligned_table(runs))
    yield from titled_section(
        "Notes", aligned_table([(track.name, text) for track, text in _notes(result)])
    )


def _system(result: ReplayResult) -> str:
    if not result.system:
        return f"{number_format.UNKNOWN} (not in the file)"
    return number_format.tokens(result.mark, result.system)


def _hidden(result: ReplayResult) -> str:
    hidden = number_format.tokens(result.mark, result.hidden)
    if result.hidden:
        return f"{hidden} hidden in the last request · "
    return ""


def _runs(track: ReplayTrack) -> tuple[str, str]:
    run_texts = [
        f"turn {run.turn:,} {'failed' if run.error else size_change(run.before, run.after)}"
        for run in track.compactions[:_MAX_COMPACTIONS]
    ]
    run_texts = [
        text.replace(" ", "\u00a0") for text in run_texts
    ]  # lines break between entries only
    unlisted_count = len(track.compactions) - _MAX_COMPACTIONS
    run_texts += [f"and {unlisted_count:,} more"] if unlisted_count > 0 else []
    return track.name, ", ".join(run_texts)


def _notes(result: ReplayResult) -> Iterator[tuple[ReplayTrack, str]]:
    for track in result.tracks:
        for text in (track.error, track.note):
            if text:
                yield track, text
