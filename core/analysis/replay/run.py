"""Replays one strategy on the engine, request by request."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from core.analysis.cost.model import NONE_UNPAID
from core.analysis.cost.summary_price import paid_for, unpaid_of
from core.analysis.replay.cache_use import ReplayedCache, SentRequest
from core.analysis.replay.model import ReplayCompaction, ReplayTrack
from core.analysis.replay.request_sizes import PLAIN, CountScale, method_of
from core.analysis.replay.timeline import ReplayTimeline
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
from core.engine.incremental_strategy import IncrementalRunResult
from core.engine.session import AgentSession
from core.engine.setup import SessionEnvironment, no_pins
from core.llm.catalog import ContextWindow, cache_rates, caches_for_an_hour
from core.llm.prices import TokenRates
from core.preview.options import PreviewOptions
from core.preview.preview import prompts_of
from core.settings.keys import AUTO, CACHE_LIFETIME, LIMIT, MODE
from core.settings.schema import Mode
from core.settings.values import Values
from core.strategies.base import CheckPoint, Strategy, TriggerMode
from core.strategies.trigger import trigger_tokens
from core.summarize.summarizer_choice import offline_or
from core.tokens.calibrated_counter import CalibratedTokenCounter
from core.tokens.counter import CountMethod, TokenCounter
from core.transcript.model import Conversation, Message
from core.transcript.pins import MessagePin, without_effect


@dataclass(frozen=True, slots=True)
class ReplayContext:
    """Shared by the tracks of a replay. ``scales`` has one entry per turn, or none if counts need no scaling;
    ``system`` is unscaled."""

    conversation: Conversation
    timeline: ReplayTimeline
    counter: TokenCounter
    window: ContextWindow
    system: int
    rates: TokenRates | None
    scales: tuple[CountScale, ...] = ()

    @property
    def method(self) -> CountMethod:
        return method_of(self.counter.method) if self.scales else self.counter.method


MOST_FAILURES = 3
"""Compactions that fail in a row before the track ends."""


class ReplayAborted(Exception):
    """Raised after repeated failures; ``TrackPlayer.error`` has the reason."""


class TrackPlayer:
    """Plays one track; ``values`` are those of its strategy, ``ask`` sets its summaries."""

    def __init__(
        self, context: ReplayContext, strategy: Strategy, values: Values, ask: PreviewOptions
    ) -> None:
        self.sent: list[SentRequest] = []
        self.compactions: list[ReplayCompaction] = []
        self.refusals: list[tuple[int, str]] = []  # turn, reason
        self.spent: list[tuple[int, float | None]] = []  # calls of a run, US dollars
        self.unpaid = NONE_UNPAID
        self.error = ""
        self._context, self._strategy, self._ask = context, strategy, ask
        self._scale = context.scales[0] if context.scales else PLAIN
        self._counter = CalibratedTokenCounter(context.counter, self._scale.factor, context.method)
        environment = _environment(context, strategy, values, ask, self._counter)
        self._session = AgentSession(values, replace(environment, base=self._base), self._on_engine_event)
        self._session.store.hidden = self._scale.hidden
        self._session.store.observe(self._on_store_change)
        self._cache = ReplayedCache(self._base, self._counter.message)
        self._answers: list[int] = []  # tokens of each
        self._is_adding = self._is_replaced = False
        self._failures = 0  # in a row
        self._before = self._after = 0

    @property
    def _base(self) -> int:
        """Tokens before the messages of every request."""
        return self._counter.size(self._context.system) + self._scale.hidden

    @property
    def messages(self) -> tuple[Message, ...]:
        """The history of the last request."""
        return self._session.messages

    @property
    def turn(self) -> int:
        """The current turn, from 1."""
        return len(self.sent) + 1

    def play(self) -> None:
        """Play the next turn up to its request. Raises ReplayAborted after repeated failures; Cancelled
        propagates."""
        self._rescale()
        for message, point in self._context.timeline.before(len(self.sent)):
            self._is_adding = True
            self._session.add(message)
            self._is_adding = False
            if point is not None:
                self._check(point)
        self._check(CheckPoint.BEFORE_SEND)
        size = self._session.used
        cache = self._cache
        self.sent.append(
            cache.changed(size, self._session.store.raw) if self._is_replaced else cache.grown(size)
        )
        self._is_replaced = False
        self._answers.append(self._counter.messages(self._context.timeline.answer(len(self.sent) - 1)))

    def _rescale(self) -> None:
        """Apply the scale of the next request."""
        scales = self._context.scales
        if not scales or scales[len(self.sent)] is self._scale:
            return
        self._scale = scales[len(self.sent)]
        self._counter.factor = self._scale.factor
        store = self._session.store
        store.base, store.hidden = self._base, self._scale.hidden
        store.recount()
        self._cache.rescaled(self._base)

    def _check(self, point: CheckPoint) -> None:
        self._before = self._after = self._session.used
        try:
            result = self._session.advance(point)
        except FoldlineError as error:
            self._add_failure(str(error))
            return
        if result is not None:
            self._failures = 0
            self._add_run(result)

    def _add_failure(self, sentence: str) -> None:
        """Keep the history and try again at the next message, up to MOST_FAILURES times."""
        self._failures += 1
        self.compactions.append(ReplayCompaction(self.turn, self._before, self._before, 0, None, sentence))
        if self._failures == MOST_FAILURES:
            self.error = (
                f"It failed {MOST_FAILURES} times in a row, the last at turn {self.turn:,}: {sentence}"
            )
            raise ReplayAborted

    def _add_run(self, result: IncrementalRunResult) -> None:
        cost, unpaid = paid_for(result.calls), unpaid_of(result.calls)
        self.spent.append((len(result.calls), cost))
        self.unpaid += unpaid
        if result.no_op is not None:
            self.refusals.append((self.turn, result.no_op.reason))
            return
        self.compactions.append(
            ReplayCompaction(self.turn, self._before, self._after, len(result.calls), cost, unpaid=unpaid)
        )

    def _on_engine_event(self, event: EngineEvent) -> None:
        if isinstance(event, CompressionStarted):
            self._before = self._after = self._session.used
        elif isinstance(event, CompactionStatus):
            self._before, self._after = event.before, event.after

    def _on_store_change(self, change: StoreChange) -> None:
        if isinstance(change, MessageAdded) and self._is_adding and change.arrival is AddOutcome.IN:
            self._cache.add(change.message)
        elif isinstance(change, HistoryReplaced) and change.edits is not None and not self._is_replaced:
            self._cache.edit(change.edits)
        elif isinstance(change, HistoryReplaced | HistoryCleared):
            self._is_replaced = True
            self._cache.replaced(change.first if isinstance(change, HistoryReplaced) else 0)

    def track(self, values: Values) -> ReplayTrack:
        context, request_sizes = self._context, array("q", (one.size for one in self.sent))
        limit = limit_of(context, values)
        over_count = 0 if limit is None else sum(size > limit for size in request_sizes)
        return ReplayTrack(
            self._strategy.name,
            request_sizes,
            tuple(self.compactions),
            sum(calls for calls, _ in self.spent),
            sum(request_sizes),
            sum(one.rewritten for one in self.sent),
            over_count,
            None if over_count or self.error else self._cost(),
            trigger_tokens(self._strategy, values, limit),
            self.error,
            len(self.refusals),
            " ".join(filter(None, self._notes(values, limit))),
            self.unpaid,
        )

    def _notes(self, values: Values, limit: int | None) -> tuple[str, ...]:
        strategy, pins = self._strategy, self._ask.pins
        acts = strategy.trigger.mode is not TriggerMode.NEVER
        pinned = without_effect(pins, strategy.name) if acts and not strategy.obeys_pins else ""
        return _no_trigger_note(strategy, values, limit), pinned, self._failure_note(), self._refusal_note()

    def _cost(self) -> float | None:
        """Return US dollars of all requests, answers and summaries; None if a price is unknown."""
        rates = self._context.rates
        summaries = [cost for _, cost in self.spent]
        if rates is None or None in summaries:
            return None
        requests = sum(request.cost(rates) for request in self.sent)
        answers = sum(
            tokens * rates.at(request.size).output
            for tokens, request in zip(self._answers, self.sent, strict=True)
        )
        return requests + answers + sum(cost for cost in summaries if cost is not None)

    def _failure_note(self) -> str:
        failed = [run for run in self.compactions if run.error]
        if not failed or self.error:
            return ""
        runs = "1 run" if len(failed) == 1 else f"{len(failed):,} runs"
        return f"{runs} failed, the last at turn {failed[-1].turn:,}: {failed[-1].error}"

    def _refusal_note(self) -> str:
        if not self.refusals:
            return ""
        turn, reason = self.refusals[-1]
        count = len(self.refusals)
        runs = "1 run" if count == 1 else f"{count:,} runs"
        return f"{runs} changed nothing, the last at turn {turn:,}: {reason}"


def limit_of(context: ReplayContext, values: Values) -> int | None:
    """Return the tokens of the window under these settings."""
    value = values.get(LIMIT)
    return context.window.limit if value is None else int(value)


def needs_limit(strategy: Strategy) -> bool:
    """Return whether the trigger is a share of a window whose size must be known."""
    trigger = strategy.trigger
    is_absolute = trigger.tokens or trigger.messages or trigger.idle_minutes
    return not is_absolute and trigger.mode not in (TriggerMode.ALWAYS, TriggerMode.NEVER)


def _no_trigger_note(strategy: Strategy, values: Values, limit: int | None) -> str:
    """Return why a strategy never triggers under these settings, or nothing."""
    if strategy.trigger.mode is TriggerMode.NEVER:
        return ""
    if not values.flag(AUTO):
        return f"{AUTO} is off, so nothing is compacted."
    if limit is None and needs_limit(strategy):
        return (
            f"The size of the window is not known, so its trigger never comes: set {LIMIT}, or name a model."
        )
    return ""


def _environment(
    context: ReplayContext, strategy: Strategy, values: Values, ask: PreviewOptions, counter: TokenCounter
) -> SessionEnvironment:
    """Return the engine's environment as an agent would set it."""
    prompts = prompts_of(strategy, ask.writer, Mode(values.text(MODE)))
    hour = caches_for_an_hour(context.conversation, values.text(CACHE_LIFETIME))
    return SessionEnvironment(
        counter.message,
        ask.choose or offline_or(ask.summary, counter.text),
        context.window.limit,
        context.system,
        context.conversation.cwd or "/",
        prompts.__getitem__,
        transcript=context.conversation.document.place,
        agent=ask.agent,
        pins=_pins(context, ask),
        cache=cache_rates(context.window.model, hour),
    )


def _pins(
    context: ReplayContext, ask: PreviewOptions
) -> Callable[[Sequence[Message]], Mapping[int, MessagePin]]:
    """Return a function that finds the pins of unchanged source messages in a history."""
    timeline = context.timeline
    known = {
        id(message): ask.pins[place]
        for message, place in zip(timeline.messages, timeline.places, strict=True)
        if place in ask.pins
    }

    def pinned(messages: Sequence[Message]) -> Mapping[int, MessagePin]:
        return {at: known[id(message)] for at, message in enumerate(messages) if id(message) in known}

    return pinned if known else no_pins
