"""Replays a session turn by turn under several strategies. Messages are the recorded ones; the
engine compacts where each strategy would. An agent with another history would have continued
differently: sizes and sums are exact, the course is the recorded one."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from core.analysis.analysis_input import AnalysisInput
from core.analysis.costs import priced_track, session_rates
from core.analysis.model import BASELINE, ReplayCompaction, ReplayResult, ReplayTrack
from core.analysis.replay_run import (
    UNSCALED,
    ReplayAborted,
    ReplayInput,
    TrackPlayer,
    paid_turns,
    replay_timeline,
    turn_scales,
)
from core.common.csv_text import Cell, csv_bytes
from core.common.errors import InputError
from core.llm.catalog import (
    caches_for_an_hour,
    choose_model,
    find_model_limit,
    token_rates,
)
from core.settings.schema import (
    CACHE_LIFETIME,
    LIMIT,
    MODE,
    Mode,
    Values,
    with_setting,
    with_strategy,
)
from core.strategies.registry import find_strategy
from core.tokens.calibration import calibrated_count
from core.tokens.counter import count_messages
from core.transcript.model import Message, Progress


@dataclass(frozen=True, slots=True)
class Replay:
    """A replay of ``names`` so far: the finished tracks, priced, which took ``seconds``."""

    source: AnalysisInput
    names: tuple[str, ...]
    inputs: ReplayInput
    result: ReplayResult
    seconds: float


def replay_input(source: AnalysisInput) -> ReplayInput:
    """Return what all tracks share: counted requests, limit, prices. Raises InputError for an
    unknown scope, or one without an answer of a model."""
    return source.stages.get_or_compute(
        "replay", source.key, lambda: _replay_input(source)
    )


def _replay_input(source: AnalysisInput) -> ReplayInput:
    conversation, values, options = source.conversation, source.values, source.options
    model = choose_model(conversation, options.model)
    counter = source.counter(model)
    timeline = replay_timeline(conversation, options.scope)
    if not timeline.turns:
        raise InputError(
            "No model answers in this conversation, so there is no turn to replay."
        )
    count_messages(conversation, counter, options.progress)
    model_limit = find_model_limit(conversation, model, values.limit)
    is_hour_cache = caches_for_an_hour(conversation, values.text(CACHE_LIFETIME))
    is_own_model = model == choose_model(conversation)
    if is_own_model:
        paid = paid_turns(conversation, options.scope, timeline)
    else:
        paid = ()
    is_safe = Mode(values.text(MODE)) is Mode.SAFE
    if is_safe:
        scales = turn_scales(conversation, counter, options.scope, timeline, model)
    else:
        scales = ()
    system = counter.system(conversation.system)
    return ReplayInput(
        conversation=conversation,
        timeline=timeline,
        counter=counter,
        model_limit=model_limit,
        system=system,
        rates=token_rates(model, is_hour_cache),
        session_rates=session_rates(conversation, model, is_hour_cache)[0],
        scales=scales,
        paid=paid,
    )


def replay_result(
    source: AnalysisInput, inputs: ReplayInput, tracks: Iterable[ReplayTrack] = ()
) -> ReplayResult:
    """Combine the tracks, priced, with figures of the source."""
    if inputs.scales:
        last_scale = inputs.scales[-1]
    else:
        last_scale = UNSCALED
    return ReplayResult(
        turns=inputs.timeline.answer_indices,
        tracks=tuple(priced_track(track, source.price) for track in tracks),
        limit=inputs.model_limit.tokens,
        system=calibrated_count(inputs.system, last_scale.factor),
        scope=source.options.scope,
        mark=inputs.method.mark,
        model=inputs.model_limit.model,
        hidden=last_scale.hidden,
    )


def limited_input(source: AnalysisInput, limit: int) -> AnalysisInput:
    """Return the input with another limit of the window in tokens; 0 for its own."""
    if limit:
        return replace(source, values=with_setting(source.values, LIMIT, limit))
    return source


def with_baseline(names: Sequence[str]) -> tuple[str, ...]:
    """Return the names without duplicates, the baseline first. Raises UnknownStrategyError."""
    return tuple(
        dict.fromkeys((BASELINE, *(find_strategy(name).name for name in names)))
    )


def replay_tracks(source: AnalysisInput, names: Sequence[str]) -> Iterator[ReplayTrack]:
    """Yield one track per name; ``replay_result`` has their turns.

    A failed compaction leaves the history unchanged; repeated failures end the track with an error.
    Progress is reported on every turn. Linear in the session, apart from the strategies.
    """
    inputs = replay_input(source)
    for index, name in enumerate(names):
        part = source.for_step(index, len(names))
        player, values = _player(inputs, name, part)
        _play_turns(player, name, len(inputs.timeline.turns), part.options.progress)
        yield player.track(values)
    source.options.progress(1.0, "Replayed.")


def history_at_turn(source: AnalysisInput, name: str, turn: int) -> tuple[Message, ...]:
    """Return the history that the request of a turn (from 1) sends under a strategy. Raises
    InputError for an unknown turn, or one that its track does not reach."""
    inputs = replay_input(source)
    turn_count = len(inputs.timeline.turns)
    if not 1 <= turn <= turn_count:
        raise InputError(
            f"There is no turn {turn:,}.", f"Turns are 1 to {turn_count:,}."
        )
    player, _ = _player(inputs, name, source)
    _play_turns(player, name, turn, source.options.progress)
    if player.error:
        raise InputError(f"{name} does not reach turn {turn:,}. {player.error}")
    return player.messages


def session_cost(
    source: AnalysisInput, name: str, values: Values, trigger_limit: int
) -> float | None:
    """Return what the requests, answers and summaries of a session cost in US dollars if a strategy
    with these settings runs where it would under a limit of ``trigger_limit`` tokens. None without
    a price, and where a request exceeds the window or the strategy fails."""
    strategy = find_strategy(name)
    inputs = replay_input(source)
    limited = with_setting(with_strategy(values, name), LIMIT, trigger_limit)
    player = TrackPlayer(inputs, strategy, limited, source.run_options(strategy))
    _play_turns(player, name, len(inputs.timeline.turns), source.options.progress)
    return priced_track(player.track(source.run_values), source.price).cost


def _player(
    inputs: ReplayInput, name: str, source: AnalysisInput
) -> tuple[TrackPlayer, Values]:
    strategy = find_strategy(name)
    values = with_strategy(source.run_values, name)
    return TrackPlayer(inputs, strategy, values, source.run_options(strategy)), values


def _play_turns(player: TrackPlayer, name: str, turns: int, progress: Progress) -> None:
    for turn in range(1, turns + 1):
        progress((turn - 1) / turns, f"{name}: turn {turn:,} of {turns:,}")
        try:
            player.play()
        except ReplayAborted:
            return


COLUMNS = tuple(
    [
        "strategy",
        "turn",
        "message",
        "tokens",
        "over_limit",
        "compacted_from",
        "compacted_to",
        "calls",
        "cost",
    ]
)


def replay_csv(result: ReplayResult) -> bytes:
    """Return the CSV. ``message`` is the number, from 1, of the turn's last message. The last four
    columns are empty without a compaction; of several in a turn, first size before and last size
    after."""
    return csv_bytes(
        COLUMNS, (row for track in result.tracks for row in _rows(result, track))
    )


def _rows(result: ReplayResult, track: ReplayTrack) -> Iterator[tuple[Cell, ...]]:
    runs: defaultdict[int, list[ReplayCompaction]] = defaultdict(list)
    for run in track.compactions:
        if not run.error:
            runs[run.turn].append(run)
    for turn, (size, index) in enumerate(
        zip(track.sizes, result.turns, strict=False), 1
    ):
        if result.limit is None:
            is_over = None
        else:
            is_over = int(size > result.limit)
        yield (
            track.name,
            turn,
            index + 1,
            size,
            is_over,
            *_compaction_cells(runs[turn]),
        )


def _compaction_cells(runs: list[ReplayCompaction]) -> tuple[Cell, ...]:
    if not runs:
        return (None,) * 4
    costs = [run.cost for run in runs]
    if None in costs:
        cost = None
    else:
        cost = sum(cost_of_run for cost_of_run in costs if cost_of_run is not None)
    return runs[0].before, runs[-1].after, sum(run.calls for run in runs), cost
