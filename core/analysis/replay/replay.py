"""Replays a session turn by turn under several strategies (product.md section 3.5). Messages are the recorded
ones; the engine compacts where each strategy would. An agent with another history would have continued
differently: sizes and sums are exact, the course is the recorded one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from core.analysis.compare.row_computation import BASELINE, OptionsFactory, offline_values, with_strategy
from core.analysis.replay.model import ReplayResult, ReplayTrack
from core.analysis.replay.request_sizes import CountScale, scales_of
from core.analysis.replay.run import ReplayAborted, ReplayContext, TrackPlayer
from core.analysis.replay.timeline import replay_timeline
from core.common.errors import InputError
from core.llm.catalog import caches_for_an_hour, choose_model, context_window, rates_of
from core.preview.options import PreviewOptions, StageCache
from core.settings.keys import CACHE_LIFETIME, LIMIT, MODE
from core.settings.schema import Mode
from core.settings.values import Values
from core.strategies.registry import find_strategy
from core.tokens.calibrated_counter import calibrated_count
from core.tokens.counter import counter_for
from core.tokens.message_tokens import count_messages
from core.transcript.model import Conversation, Message, Progress


def ground_of(
    conversation: Conversation,
    values: Values,
    ask: PreviewOptions | None = None,
    stages: StageCache | None = None,
) -> ReplayContext:
    """Return what all tracks share: counted requests, limit, prices. Raises InputError for an unknown scope,
    or one without an answer of a model."""
    ask, stages = ask or PreviewOptions(), stages or StageCache()
    model = choose_model(conversation, ask.model)
    counter = stages.once("counter", model, lambda: counter_for(model))
    timeline = replay_timeline(conversation, ask.scope)
    if not timeline.turns:
        raise InputError("No model answers in this conversation, so there is no turn to replay.")
    count_messages(conversation, counter, ask.progress)
    limit = values.get(LIMIT)
    window = context_window(conversation, model, None if limit is None else int(limit))
    system = counter.system(conversation.system)
    rates = rates_of(model, caches_for_an_hour(conversation, values.text(CACHE_LIFETIME)))
    scales: tuple[CountScale, ...] = ()
    if Mode(values.text(MODE)) is Mode.SAFE:
        scales = scales_of(conversation, counter, ask.scope, timeline, model)
    return ReplayContext(conversation, timeline, counter, window, system, rates, scales)


def head_of(context: ReplayContext, scope: str) -> ReplayResult:
    """Return the replay without its tracks."""
    return ReplayResult(
        context.timeline.answers,
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
    ask: PreviewOptions | None = None,
    stages: StageCache | None = None,
    ask_for: OptionsFactory | None = None,
) -> Iterator[ReplayTrack]:
    """Yield one track per name; ``head_of(ground_of(…))`` has their turns.

    Summaries are offline unless ``ask.choose`` or ``ask_for`` is set. A failed compaction leaves the history
    unchanged; repeated failures end the track with an error. ``ask.progress`` is called on every turn and may
    raise Cancelled. Linear in the session, apart from the strategies.
    """
    ask, stages = ask or PreviewOptions(), stages or StageCache()
    context = ground_of(conversation, values, ask, stages)
    for index, name in enumerate(names):
        progress = _track_progress(ask.progress, index, len(names), name)
        player, track_values = _player(context, name, values, replace(ask, progress=progress), ask_for)
        _play(player, len(context.timeline.turns), progress)
        yield player.track(track_values)
    ask.progress(1.0, "Replayed.")


def replay_all(
    conversation: Conversation,
    names: Sequence[str],
    values: Values,
    ask: PreviewOptions | None = None,
    stages: StageCache | None = None,
    ask_for: OptionsFactory | None = None,
) -> ReplayResult:
    """Return the finished replay."""
    ask, stages = ask or PreviewOptions(), stages or StageCache()
    head = head_of(ground_of(conversation, values, ask, stages), ask.scope)
    return replace(head, tracks=tuple(replay_tracks(conversation, names, values, ask, stages, ask_for)))


def state_at(
    conversation: Conversation,
    name: str,
    values: Values,
    turn: int,
    ask: PreviewOptions | None = None,
    stages: StageCache | None = None,
) -> tuple[Message, ...]:
    """Return the history that the request of a turn (from 1) sends under a strategy. Raises InputError for an
    unknown turn, or one that its track does not reach."""
    ask, stages = ask or PreviewOptions(), stages or StageCache()
    context = ground_of(conversation, values, ask, stages)
    last = len(context.timeline.turns)
    if not 1 <= turn <= last:
        raise InputError(f"There is no turn {turn:,}.", f"Turns are 1 to {last:,}.")
    player, _ = _player(context, name, values, ask, None)
    _play(player, turn, ask.progress)
    if player.error:
        raise InputError(f"{name} does not reach turn {turn:,}. {player.error}")
    return player.messages


def _player(
    context: ReplayContext, name: str, values: Values, ask: PreviewOptions, ask_for: OptionsFactory | None
) -> tuple[TrackPlayer, Values]:
    strategy = find_strategy(name)
    player_values = with_strategy(values if ask.choose or ask_for else offline_values(values), name)
    options = ask_for(strategy, ask) if ask_for else ask
    return TrackPlayer(context, strategy, player_values, options), player_values


def _play(player: TrackPlayer, turns: int, progress: Progress) -> None:
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
