"""Replays a session turn by turn under several strategies (product.md section 3.5). Messages are the recorded
ones; the engine compacts where each strategy would. An agent with another history would have continued
differently: sizes and sums are exact, the course is the recorded one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.analysis.compare.row_computation import BASELINE, OptionsFactory, offline_values, with_strategy
from core.analysis.csv_text import Cell, csv_bytes
from core.analysis.replay.model import ReplayCompaction, ReplayResult, ReplayTrack
from core.analysis.replay.request_sizes import CountScale, turn_scales
from core.analysis.replay.run import ReplayAborted, ReplayContext, TrackPlayer
from core.analysis.replay.timeline import replay_timeline
from core.common.errors import InputError
from core.llm.catalog import caches_for_an_hour, choose_model, context_window, token_rates
from core.preview.options import PreviewOptions, StageCache
from core.settings.keys import CACHE_LIFETIME, LIMIT, MODE
from core.settings.schema import Mode
from core.settings.values import Values
from core.strategies.registry import find_strategy
from core.tokens.calibrated_counter import calibrated_count
from core.tokens.counter import counter_for
from core.tokens.message_tokens import count_messages
from core.transcript.model import Conversation, Message, Progress


def replay_context(
    conversation: Conversation,
    values: Values,
    options: PreviewOptions | None = None,
    stages: StageCache | None = None,
) -> ReplayContext:
    """Return what all tracks share: counted requests, limit, prices. Raises InputError for an unknown scope,
    or one without an answer of a model."""
    options, stages = options or PreviewOptions(), stages or StageCache()
    model = choose_model(conversation, options.model)
    counter = stages.get_or_compute("counter", model, lambda: counter_for(model))
    timeline = replay_timeline(conversation, options.scope)
    if not timeline.turns:
        raise InputError("No model answers in this conversation, so there is no turn to replay.")
    count_messages(conversation, counter, options.progress)
    limit = values.get(LIMIT)
    window = context_window(conversation, model, None if limit is None else int(limit))
    system = counter.system(conversation.system)
    rates = token_rates(model, caches_for_an_hour(conversation, values.text(CACHE_LIFETIME)))
    scales: tuple[CountScale, ...] = ()
    if Mode(values.text(MODE)) is Mode.SAFE:
        scales = turn_scales(conversation, counter, options.scope, timeline, model)
    return ReplayContext(conversation, timeline, counter, window, system, rates, scales)


def result_without_tracks(context: ReplayContext, scope: str) -> ReplayResult:
    """Return the replay without its tracks."""
    return ReplayResult(
        context.timeline.answer_indices,
        (),
        context.window.limit,
        calibrated_count(context.system, context.scales[-1].factor) if context.scales else context.system,
        scope,
        context.method.mark,
        context.window.model,
        context.scales[-1].hidden if context.scales else 0,
    )


def with_baseline(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names without duplicates, the baseline first. Raises UnknownStrategyError."""
    return tuple(dict.fromkeys((BASELINE, *(find_strategy(name).name for name in names))))


def replay_tracks(
    conversation: Conversation,
    names: Sequence[str],
    values: Values,
    options: PreviewOptions | None = None,
    stages: StageCache | None = None,
    options_for: OptionsFactory | None = None,
) -> Iterator[ReplayTrack]:
    """Yield one track per name; ``result_without_tracks(replay_context(…))`` has their turns.

    Summaries are offline unless ``ask.choose`` or ``options_for`` is set. A failed compaction leaves the
    history unchanged; repeated failures end the track with an error. ``ask.progress`` is called on every
    turn and may raise Cancelled. Linear in the session, apart from the strategies.
    """
    options, stages = options or PreviewOptions(), stages or StageCache()
    context = replay_context(conversation, values, options, stages)
    for index, name in enumerate(names):
        progress = _track_progress(options.progress, index, len(names), name)
        player, track_values = _player(
            context, name, values, replace(options, progress=progress), options_for
        )
        _play_turns(player, len(context.timeline.turns), progress)
        yield player.track(track_values)
    options.progress(1.0, "Replayed.")


def replay_all(
    conversation: Conversation,
    names: Sequence[str],
    values: Values,
    options: PreviewOptions | None = None,
    stages: StageCache | None = None,
    options_for: OptionsFactory | None = None,
) -> ReplayResult:
    """Return the finished replay."""
    options, stages = options or PreviewOptions(), stages or StageCache()
    empty_result = result_without_tracks(replay_context(conversation, values, options, stages), options.scope)
    return replace(
        empty_result, tracks=tuple(replay_tracks(conversation, names, values, options, stages, options_for))
    )


def history_at_turn(
    conversation: Conversation,
    name: str,
    values: Values,
    turn: int,
    options: PreviewOptions | None = None,
    stages: StageCache | None = None,
) -> tuple[Message, ...]:
    """Return the history that the request of a turn (from 1) sends under a strategy. Raises InputError for an
    unknown turn, or one that its track does not reach."""
    options, stages = options or PreviewOptions(), stages or StageCache()
    context = replay_context(conversation, values, options, stages)
    turn_count = len(context.timeline.turns)
    if not 1 <= turn <= turn_count:
        raise InputError(f"There is no turn {turn:,}.", f"Turns are 1 to {turn_count:,}.")
    player, _ = _player(context, name, values, options, None)
    _play_turns(player, turn, options.progress)
    if player.error:
        raise InputError(f"{name} does not reach turn {turn:,}. {player.error}")
    return player.messages


def _player(
    context: ReplayContext,
    name: str,
    values: Values,
    preview_options: PreviewOptions,
    options_for: OptionsFactory | None,
) -> tuple[TrackPlayer, Values]:
    strategy = find_strategy(name)
    player_values = with_strategy(
        values if preview_options.summariser_factory or options_for else offline_values(values), name
    )
    track_options = options_for(strategy, preview_options) if options_for else preview_options
    return TrackPlayer(context, strategy, player_values, track_options), player_values


def _play_turns(player: TrackPlayer, turns: int, progress: Progress) -> None:
    for turn in range(1, turns + 1):
        progress((turn - 1) / turns, f"turn {turn:,} of {turns:,}")
        try:
            player.play()
        except ReplayAborted:
            return


def _track_progress(progress: Progress, index: int, count: int, name: str) -> Progress:
    """Map one track's progress to that of all tracks."""

    def tell(fraction: float, text: str) -> None:
        progress((index + fraction) / count, f"{name}: {text}")

    return tell


COLUMNS = (
    "strategy",
    "turn",
    "message",
    "tokens",
    "over_limit",
    "compacted_from",
    "compacted_to",
    "calls",
    "cost",
)


def replay_csv(result: ReplayResult) -> bytes:
    """Return the CSV. ``message`` is the number, from 1, of the turn's last message. The last four columns
    are empty without a compaction; of several in a turn, first size before and last size after."""
    return csv_bytes(COLUMNS, (row for track in result.tracks for row in _rows(result, track)))


def _rows(result: ReplayResult, track: ReplayTrack) -> Iterator[tuple[Cell, ...]]:
    runs: defaultdict[int, list[ReplayCompaction]] = defaultdict(list)
    for run in track.compactions:
        if not run.error:
            runs[run.turn].append(run)
    for turn, (size, index) in enumerate(zip(track.sizes, result.turns, strict=False), 1):
        is_over = None if result.limit is None else int(size > result.limit)
        yield (track.name, turn, index + 1, size, is_over, *_compaction_cells(runs[turn]))


def _compaction_cells(runs: list[ReplayCompaction]) -> tuple[Cell, ...]:
    if not runs:
        return (None,) * 4
    costs = [run.cost for run in runs]
    cost = None if None in costs else sum(cost_of_run for cost_of_run in costs if cost_of_run is not None)
    return runs[0].before, runs[-1].after, sum(run.calls for run in runs), cost
