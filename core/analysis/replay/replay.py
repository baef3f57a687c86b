"""A session played again turn by turn, under one strategy after another (product.md section 3.5).

What was really said is said again, and the engine compacts where each strategy would have. An agent with
another history would have gone on otherwise: sizes and sums are exact, the way is the recorded one.
"""

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
    """What all tracks share: the requests, counted, with limit and prices. Raises InputError for an
    unknown scope, or one in which a model never answers."""
    ask, stages = ask or PreviewOptions(), stages or StageCache()
    model = choose_model(conversation, ask.model)
    counter = stages.once("counter", model, lambda: counter_for(model))
    played = replay_timeline(conversation, ask.scope)
    if not played.turns:
        raise InputError("No model answers in this conversation, so there is no turn to replay.")
    count_messages(conversation, counter, ask.progress)
    limit = values.get(LIMIT)
    bound = context_window(conversation, model, None if limit is None else int(limit))
    system = counter.system(conversation.system)
    rates = rates_of(model, caches_for_an_hour(conversation, values.text(CACHE_LIFETIME)))
    scales: tuple[CountScale, ...] = ()
    if Mode(values.text(MODE)) is Mode.SAFE:
        scales = scales_of(conversation, counter, ask.scope, played, model)
    return ReplayContext(conversation, played, counter, bound, system, rates, scales)


def head_of(ground: ReplayContext, scope: str) -> ReplayResult:
    """The replay without its tracks: turns, limit, system part."""
    return ReplayResult(
        ground.tape.answers,
        (),
        ground.window.limit,
        calibrated_count(ground.system, ground.scales[-1].factor) if ground.scales else ground.system,
        scope,
        ground.method.mark,
        ground.window.model,
        ground.scales[-1].hidden if ground.scales else 0,
    )


def with_baseline(names: Sequence[str]) -> tuple[str, ...]:
    """The names of the tracks in order, each once: the baseline first. Raises UnknownStrategyError."""
    return tuple(dict.fromkeys((BASELINE, *(find_strategy(name).name for name in names))))


def replay_tracks(
    conversation: Conversation,
    names: Sequence[str],
    values: Values,
    ask: PreviewOptions | None = None,
    stages: StageCache | None = None,
    ask_for: OptionsFactory | None = None,
) -> Iterator[ReplayTrack]:
    """One track per name, each as it is ready; ``head_of(ground_of(…))`` has the turns they speak of.

    Summaries are offline unless ``ask.choose`` is set or ``ask_for`` says otherwise. A compaction that
    fails leaves the history as it was; a track on which several fail in a row ends, and says why.
    ``ask.progress`` is called on every turn; Cancelled comes out of it. Linear in the session beside what
    the strategies themselves do on every turn.
    """
    ask, stages = ask or PreviewOptions(), stages or StageCache()
    ground = ground_of(conversation, values, ask, stages)
    for place, name in enumerate(names):
        progress = _part(ask.progress, place, len(names), name)
        player, own = _player(ground, name, values, replace(ask, progress=progress), ask_for)
        _play(player, len(ground.tape.turns), progress)
        yield player.track(own)
    ask.progress(1.0, "Replayed.")


def replay_all(
    conversation: Conversation,
    names: Sequence[str],
    values: Values,
    ask: PreviewOptions | None = None,
    stages: StageCache | None = None,
    ask_for: OptionsFactory | None = None,
) -> ReplayResult:
    """The whole replay, for those who wait for it."""
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
    """The history that the request of a turn (from 1) sends under a strategy, played up to there.

    Raises InputError for a turn that there is not, or that its track does not get to.
    """
    ask, stages = ask or PreviewOptions(), stages or StageCache()
    ground = ground_of(conversation, values, ask, stages)
    last = len(ground.tape.turns)
    if not 1 <= turn <= last:
        raise InputError(f"There is no turn {turn:,}.", f"Turns go from 1 to {last:,}.")
    player, _ = _player(ground, name, values, ask, None)
    _play(player, turn, ask.progress)
    if player.error:
        raise InputError(f"{name} does not get to turn {turn:,}. {player.error}")
    return player.messages


def _player(
    ground: ReplayContext, name: str, values: Values, ask: PreviewOptions, ask_for: OptionsFactory | None
) -> tuple[TrackPlayer, Values]:
    strategy = find_strategy(name)
    own = with_strategy(values if ask.choose or ask_for else offline_values(values), name)
    return TrackPlayer(ground, strategy, own, ask_for(strategy, ask) if ask_for else ask), own


def _play(player: TrackPlayer, turns: int, progress: Progress) -> None:
    for turn in range(1, turns + 1):
        progress((turn - 1) / turns, f"turn {turn:,} of {turns:,}")
        try:
            player.play()
        except ReplayAborted:
            return


def _part(progress: Progress, place: int, count: int, name: str) -> Progress:
    """Progress of one track of ``count`` as progress of the whole."""

    def tell(fraction: float, text: str) -> None:
        progress((place + fraction) / count, f"{name}: {text}")

    return tell
