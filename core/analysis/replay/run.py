"""Replays one strategy on the engine, request by request."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.analysis.model import ReplayCompaction, ReplayTrack
from core.analysis.replay.timeline import (
    UNSCALED,
    CountScale,
    ReplayedCache,
    ReplayTimeline,
    SentRequest,
    calibrated_method,
)
from core.analysis.run_price import paid_dollars, unpaid_requests
from core.common import number_format
from core.common.errors import FoldlineError
from core.engine.events import (
    AddOutcome,
    CompactionStatus,
    CompressionStarted,
    EngineEvent,
    HistoryCleared,
    HistoryReplaced,
    MessageAdded,
    StoreChange,
)
from core.engine.passes import IncrementalRunResult
from core.engine.session import AgentSession
from core.engine.setup import SessionEnvironment, no_pins
from core.llm.catalog import ModelLimit
from core.llm.prompt_cache import TokenRates
from core.losses.needed_later import find_needs, needed_later
from core.preview.options import PreviewOptions
from core.preview.strategy_input import strategy_prompts
from core.settings.keys import AUTO, LIMIT, MODE
from core.settings.schema import Mode, Values, with_setting
from core.strategies.base import CheckPoint, Strategy, TriggerMode
from core.strategies.helpers import trigger_fault, trigger_tokens
from core.summarize.summariser_choice import summariser_factory
from core.tokens.calibration import CalibratedTokenCounter
from core.tokens.counter import CountMethod, TokenCounter
from core.transcript.compaction import ModelCall
from core.transcript.model import Conversation, Message, Speaker, Text
from core.transcript.pins import MessagePin, ignored_pins_note


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayInput:
    """Shared by the tracks of a replay. ``scales`` has one entry per turn, or none if counts need
    no scaling; ``system`` is unscaled."""

    conversation: Conversation
    timeline: ReplayTimeline
    counter: TokenCounter
    model_limit: ModelLimit
    system: int
    rates: TokenRates | None
    scales: tuple[CountScale, ...] = ()

    @property
    def method(self) -> CountMethod:
        if self.scales:
            return calibrated_method(self.counter.method)
        return self.counter.method


MAX_FAILURES = 3
"""Compactions that fail in a row before the track ends."""


class ReplayAborted(Exception):
    """Raised after repeated failures; ``TrackPlayer.error`` has the reason."""


class TrackPlayer:
    """Plays one track; ``values`` are those of its strategy, ``ask`` sets its summaries."""

    def __init__(
        self,
        inputs: ReplayInput,
        strategy: Strategy,
        values: Values,
        options: PreviewOptions,
    ) -> None:
        self.requests: list[SentRequest] = []
        self.compactions: list[ReplayCompaction] = []
        self.no_op_runs: list[tuple[int, str]] = []  # turn, reason
        self._calls: list[ModelCall] = []
        self.error = ""
        self._inputs, self._strategy, self._options = inputs, strategy, options
        if inputs.scales:
            self._scale = inputs.scales[0]
        else:
            self._scale = UNSCALED
        self._counter = CalibratedTokenCounter(
            inputs.counter, self._scale.factor, inputs.method
        )
        environment = _environment(inputs, strategy, values, options, self._counter)
        if trigger_fault(
            strategy, values, replay_limit(inputs, values)
        ):  # a note says that it never runs
            values = with_setting(values, AUTO, False)
        self._session = AgentSession(
            values, replace(environment, base=self._base_tokens), self._on_engine_event
        )
        self._session.store.observe(self._on_store_change)
        self._cache = ReplayedCache(self._base_tokens, self._counter.message)
        self._answer_tokens: list[int] = []  # tokens of each
        self._is_adding = self._is_replaced = False
        self._failures = 0  # in a row
        self._stubbed: list[
            tuple[int, list[str], tuple[Message, ...]]
        ] = []  # turn, results, history after
        self._stored_count = 0
        self._tokens_before = self._tokens_after = 0

    @property
    def _base_tokens(self) -> int:
        """Tokens before the messages of every request."""
        return self._counter.size(self._inputs.system) + self._scale.hidden

    @property
    def messages(self) -> tuple[Message, ...]:
        return self._session.messages

    @property
    def turn(self) -> int:
        """The current turn, from 1."""
        return len(self.requests) + 1

    def play(self) -> None:
        """Play the next turn up to its request. Raises ReplayAborted after repeated failures;
        Cancelled propagates."""
        self._rescale()
        for message, check_point in self._inputs.timeline.messages_before(
            len(self.requests)
        ):
            self._is_adding = True
            self._session.add(message)
            self._is_adding = False
            if check_point is not None:
                self._check(check_point)
        self._check(CheckPoint.BEFORE_SEND)
        if self._is_replaced:
            replaced = self._session.store.raw
        else:
            replaced = None
        self.requests.append(self._cache.request(self._session.used, replaced))
        self._is_replaced = False
        self._answer_tokens.append(
            self._counter.messages(
                self._inputs.timeline.answer_messages(len(self.requests) - 1)
            )
        )

    def _rescale(self) -> None:
        scales = self._inputs.scales
        if not scales or scales[len(self.requests)] is self._scale:
            return
        self._scale = scales[len(self.requests)]
        self._counter.factor = self._scale.factor
        store = self._session.store
        store.base = self._base_tokens
        store.recount()
        self._cache.rescale(self._base_tokens)

    def _check(self, check_point: CheckPoint) -> None:
        self._tokens_before = self._tokens_after = self._session.used
        try:
            result = self._session.check_incrementally(check_point)
        except FoldlineError as error:
            self._add_failure(str(error))
            return
        if result is not None:
            self._failures = 0
            self._add_run(result)

    def _add_failure(self, sentence: str) -> None:
        """Keep the history and try again at the next message, up to MOST_FAILURES times."""
        self._failures += 1
        self.compactions.append(
            ReplayCompaction(
                turn=self.turn,
                before=self._tokens_before,
                after=self._tokens_before,
                calls=0,
                cost=None,
                error=sentence,
            )
        )
        if self._failures == MAX_FAILURES:
            self.error = (
                f"It failed {MAX_FAILURES} times in a row, the last at turn {self.turn:,}: "
                f"{sentence}"
            )
            raise ReplayAborted

    def _add_run(self, result: IncrementalRunResult) -> None:
        self._calls += result.calls
        if result.no_op is not None:
            self.no_op_runs.append((self.turn, result.no_op.reason))
            return
        if texts := list(self._session.stored.values())[self._stored_count :]:
            self._stubbed.append((self.turn, texts, self._session.messages))
            self._stored_count += len(texts)
        cost, unpaid = paid_dollars(result.calls), unpaid_requests(result.calls)
        self.compactions.append(
            ReplayCompaction(
                turn=self.turn,
                before=self._tokens_before,
                after=self._tokens_after,
                calls=len(result.calls),
                cost=cost,
                unpaid=unpaid,
            )
        )

    def _on_engine_event(self, event: EngineEvent) -> None:
        if isinstance(event, CompressionStarted):
            self._tokens_before = self._tokens_after = self._session.used
        elif isinstance(event, CompactionStatus):
            self._tokens_before, self._tokens_after = event.before, event.after

    def _on_store_change(self, change: StoreChange) -> None:
        if (
            isinstance(change, MessageAdded)
            and self._is_adding
            and change.outcome is AddOutcome.ADDED
        ):
            self._cache.add(change.message)
        elif isinstance(change, HistoryReplaced | HistoryCleared):
            self._is_replaced = True

    def track(self, values: Values) -> ReplayTrack:
        context, request_sizes = (
            self._inputs,
            array("q", (request.size for request in self.requests)),
        )
        limit = replay_limit(context, values)
        if limit is None:
            over_count = 0
        else:
            over_count = sum(size > limit for size in request_sizes)
        return ReplayTrack(
            name=self._strategy.name,
            sizes=request_sizes,
            compactions=tuple(self.compactions),
            calls=len(self._calls),
            sent=sum(request_sizes),
            rewritten=sum(request.rewritten for request in self.requests),
            over_limit_count=over_count,
            cost=None if over_count or self.error else self._cost(),
            trigger=trigger_tokens(self._strategy, values, limit) or None,
            error=self.error,
            no_op_count=len(self.no_op_runs),
            note=" ".join(filter(None, self._notes(values, limit))),
            unpaid=unpaid_requests(self._calls),
        )

    def _notes(self, values: Values, limit: int | None) -> Iterator[str]:
        """Yield what qualifies the track: why it never compacts, pins, failures, runs without
        effect."""
        strategy = self._strategy
        if strategy.trigger.mode is not TriggerMode.NEVER:
            yield _no_trigger_note(strategy, values, limit)
            if not strategy.obeys_pins:
                yield ignored_pins_note(self._options.pins, strategy.name)
        failed = [(run.turn, run.error) for run in self.compactions if run.error]
        for verb, runs in (
            ("failed", () if self.error else failed),
            ("changed nothing", self.no_op_runs),
        ):
            if runs:
                turn, reason = runs[-1]
                count = number_format.plural(len(runs), "run")
                yield f"{count} {verb}, the last at turn {turn:,}: {reason}"
        if stored := self._session.stored:
            count = number_format.plural(len(stored), "stored result")
            yield f"Later turns would have retrieved {self._retrieval_count():,} of {count}."

    def _retrieval_count(self) -> int:
        """Count stubs for results with names that the model used later while the history lacked
        them."""
        timeline, retrieved = self._inputs.timeline, 0
        for turn, texts, history in self._stubbed:
            originals = [
                Message(speaker=Speaker.TOOL, blocks=(Text(text),)) for text in texts
            ]
            needs = find_needs(
                originals, timeline.messages[timeline.turns[turn - 1].first :]
            )
            if needs is not None:
                retrieved += len(
                    {name.message for name in needed_later(needs, history).gone}
                )
        return retrieved

    def _cost(self) -> float | None:
        """Return US dollars of all requests, answers and summaries; None if a price is unknown."""
        rates, summaries = self._inputs.rates, paid_dollars(self._calls)
        if rates is None or summaries is None:
            return None
        requests = sum(request.cost(rates) for request in self.requests)
        answers = sum(
            tokens * rates.at(request.size).output
            for tokens, request in zip(self._answer_tokens, self.requests, strict=True)
        )
        return requests + answers + summaries


def replay_limit(inputs: ReplayInput, values: Values) -> int | None:
    """Return the tokens of the window under these settings."""
    if values.limit is None:
        return inputs.model_limit.tokens
    return values.limit


def needs_limit(strategy: Strategy) -> bool:
    """Return whether the trigger is a share of a window whose size must be known."""
    trigger = strategy.trigger
    is_absolute = trigger.tokens or trigger.messages or trigger.idle_minutes
    return not is_absolute and trigger.mode not in (
        TriggerMode.ALWAYS,
        TriggerMode.NEVER,
    )


def _no_trigger_note(strategy: Strategy, values: Values, limit: int | None) -> str:
    """Return why a strategy never triggers under these settings, or nothing."""
    if not values.flag(AUTO):
        return f"{AUTO} is off, so nothing is compacted."
    if limit is not None:
        return trigger_fault(strategy, values, limit)
    if needs_limit(strategy):
        return (
            f"The size of the window is not known, so its trigger never comes: set {LIMIT}, or "
            f"name a model."
        )
    return ""


def _environment(
    inputs: ReplayInput,
    strategy: Strategy,
    values: Values,
    options: PreviewOptions,
    counter: TokenCounter,
) -> SessionEnvironment:
    """Return the engine's environment as an agent would set it."""
    prompts = strategy_prompts(
        strategy, options.summary.profile, Mode(values.text(MODE))
    )
    return SessionEnvironment(
        count=counter.message,
        summariser=options.summary.factory
        or summariser_factory(options.summary.text, counter.text),
        limit=inputs.model_limit.tokens,
        base=inputs.system,
        root=inputs.conversation.cwd or "/",
        prompt=prompts.__getitem__,
        transcript=inputs.conversation.document.file_name,
        agent=options.summary.agent,
        pins=_pins(inputs, options),
    )


def _pins(
    inputs: ReplayInput, options: PreviewOptions
) -> Callable[[Sequence[Message]], Mapping[int, MessagePin]]:
    """Return a function that finds the pins of unchanged source messages in a history."""
    timeline = inputs.timeline
    pins_by_id = {
        id(message): options.pins[source_index]
        for message, source_index in zip(
            timeline.messages, timeline.indices, strict=True
        )
        if source_index in options.pins
    }

    def pinned(messages: Sequence[Message]) -> Mapping[int, MessagePin]:
        return {
            index: pins_by_id[id(message)]
            for index, message in enumerate(messages)
            if id(message) in pins_by_id
        }

    return pinned if pins_by_id else no_pins
