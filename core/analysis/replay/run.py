"""One strategy's way through a session, played on the engine request by request."""

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
    """What the tracks of one replay share; ``counter`` counts, ``scales`` make figures of its counts, one a
    turn; empty: counts are the figures. ``system`` is a count."""

    conversation: Conversation
    tape: ReplayTimeline
    counter: TokenCounter
    window: ContextWindow
    system: int
    rates: TokenRates | None
    scales: tuple[CountScale, ...] = ()

    @property
    def method(self) -> CountMethod:
        """How figures come about."""
        return method_of(self.counter.method) if self.scales else self.counter.method


MOST_FAILURES = 3
"""Compactions that may fail one after the other; then the track ends."""


class ReplayAborted(Exception):
    """Compactions failed again and again, and the track ends; the sentence is in its error."""


class TrackPlayer:
    """Plays one track. ``values`` are those of its strategy, ``ask`` says who writes its summaries."""

    def __init__(
        self, ground: ReplayContext, strategy: Strategy, values: Values, ask: PreviewOptions
    ) -> None:
        self.sent: list[SentRequest] = []
        self.compactions: list[ReplayCompaction] = []
        self.refusals: list[tuple[int, str]] = []  # turn, reason
        self.spent: list[tuple[int, float | None]] = []  # calls of a run, US dollars
        self.unpaid = NONE_UNPAID
        self.error = ""
        self._ground, self._strategy, self._ask = ground, strategy, ask
        self._scale = ground.scales[0] if ground.scales else PLAIN
        self._counter = CalibratedTokenCounter(ground.counter, self._scale.factor, ground.method)
        around = _surroundings(ground, strategy, values, ask, self._counter)
        self._session = AgentSession(values, replace(around, base=self._base), self._heard)
        self._session.store.hidden = self._scale.hidden
        self._session.store.watch(self._changed)
        self._cache = ReplayedCache(self._base, self._counter.message)
        self._answers: list[int] = []  # tokens of each
        self._adding = self._replaced = False
        self._failures = 0  # in a row
        self._before = self._after = 0

    @property
    def _base(self) -> int:
        """Tokens that every request has before its messages."""
        return self._counter.size(self._ground.system) + self._scale.hidden

    @property
    def messages(self) -> tuple[Message, ...]:
        """The history as the last request had it."""
        return self._session.messages

    @property
    def turn(self) -> int:
        """The turn that is played, from 1."""
        return len(self.sent) + 1

    def play(self) -> None:
        """The next turn up to its request. Raises Ended where nothing works; Cancelled comes through."""
        self._rescale()
        for message, point in self._ground.tape.before(len(self.sent)):
            self._adding = True
            self._session.add(message)
            self._adding = False
            if point is not None:
                self._check(point)
        self._check(CheckPoint.BEFORE_SEND)
        size = self._session.used
        cache = self._cache
        self.sent.append(
            cache.changed(size, self._session.store.raw) if self._replaced else cache.grown(size)
        )
        self._replaced = False
        self._answers.append(self._counter.messages(self._ground.tape.answer(len(self.sent) - 1)))

    def _rescale(self) -> None:
        """Size the next request by what was reported until now."""
        scales = self._ground.scales
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
            made = self._session.advance(point)
        except FoldlineError as error:
            self._failed(str(error))
            return
        if made is not None:
            self._failures = 0
            self._note(made)

    def _failed(self, sentence: str) -> None:
        """As an agent does: the history stays, and the next message is another chance, up to a point."""
        self._failures += 1
        self.compactions.append(ReplayCompaction(self.turn, self._before, self._before, 0, None, sentence))
        if self._failures == MOST_FAILURES:
            self.error = (
                f"It failed {MOST_FAILURES} times in a row, the last at turn {self.turn:,}: {sentence}"
            )
            raise ReplayAborted

    def _note(self, made: IncrementalRunResult) -> None:
        cost, unpaid = paid_for(made.calls), unpaid_of(made.calls)
        self.spent.append((len(made.calls), cost))
        self.unpaid += unpaid
        if made.no_op is not None:
            self.refusals.append((self.turn, made.no_op.reason))
            return
        self.compactions.append(
            ReplayCompaction(self.turn, self._before, self._after, len(made.calls), cost, unpaid=unpaid)
        )

    def _heard(self, event: EngineEvent) -> None:
        if isinstance(event, CompressionStarted):
            self._before = self._after = self._session.used
        elif isinstance(event, CompactionStatus):
            self._before, self._after = event.before, event.after

    def _changed(self, change: StoreChange) -> None:
        if isinstance(change, MessageAdded) and self._adding and change.arrival is AddOutcome.IN:
            self._cache.add(change.message)
        elif isinstance(change, HistoryReplaced) and change.edits is not None and not self._replaced:
            self._cache.edit(change.edits)
        elif isinstance(change, HistoryReplaced | HistoryCleared):
            self._replaced = True
            self._cache.replaced(change.first if isinstance(change, HistoryReplaced) else 0)

    def track(self, values: Values) -> ReplayTrack:
        """What was played so far."""
        ground, sizes = self._ground, array("q", (one.size for one in self.sent))
        limit = limit_of(ground, values)
        over = 0 if limit is None else sum(size > limit for size in sizes)
        return ReplayTrack(
            self._strategy.name,
            sizes,
            tuple(self.compactions),
            sum(calls for calls, _ in self.spent),
            sum(sizes),
            sum(one.rewritten for one in self.sent),
            over,
            None if over or self.error else self._cost(),
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
        return _unmoved(strategy, values, limit), pinned, self._broken(), self._refused()

    def _cost(self) -> float | None:
        """US dollars of all requests, answers and summaries; None where a price is not known."""
        rates = self._ground.rates
        summaries = [cost for _, cost in self.spent]
        if rates is None or None in summaries:
            return None
        asked = sum(one.cost(rates) for one in self.sent)
        answers = sum(
            tokens * rates.at(one.size).output for tokens, one in zip(self._answers, self.sent, strict=True)
        )
        return asked + answers + sum(cost for cost in summaries if cost is not None)

    def _broken(self) -> str:
        failed = [run for run in self.compactions if run.error]
        if not failed or self.error:
            return ""
        runs = "1 run" if len(failed) == 1 else f"{len(failed):,} runs"
        return f"{runs} failed, the last at turn {failed[-1].turn:,}: {failed[-1].error}"

    def _refused(self) -> str:
        if not self.refusals:
            return ""
        turn, reason = self.refusals[-1]
        count = len(self.refusals)
        runs = "1 run" if count == 1 else f"{count:,} runs"
        return f"{runs} changed nothing, the last at turn {turn:,}: {reason}"


def limit_of(ground: ReplayContext, values: Values) -> int | None:
    """Tokens of the window under these settings."""
    value = values.get(LIMIT)
    return ground.window.limit if value is None else int(value)


def needs_limit(strategy: Strategy) -> bool:
    """True where the trigger is a share of a window that has to be known."""
    trigger = strategy.trigger
    other = trigger.tokens or trigger.messages or trigger.idle_minutes
    return not other and trigger.mode not in (TriggerMode.ALWAYS, TriggerMode.NEVER)


def _unmoved(strategy: Strategy, values: Values, limit: int | None) -> str:
    """Why a strategy cannot act by itself under these settings; empty where it can."""
    if strategy.trigger.mode is TriggerMode.NEVER:
        return ""
    if not values.flag(AUTO):
        return f"{AUTO} is off, so nothing is compacted."
    if limit is None and needs_limit(strategy):
        return (
            f"The size of the window is not known, so its trigger never comes: set {LIMIT}, or name a model."
        )
    return ""


def _surroundings(
    ground: ReplayContext, strategy: Strategy, values: Values, ask: PreviewOptions, counter: TokenCounter
) -> SessionEnvironment:
    """What an agent would bring along: counter, limit, summaries, prompts, folder."""
    prompts = prompts_of(strategy, ask.writer, Mode(values.text(MODE)))
    hour = caches_for_an_hour(ground.conversation, values.text(CACHE_LIFETIME))
    return SessionEnvironment(
        counter.message,
        ask.choose or offline_or(ask.summary, counter.text),
        ground.window.limit,
        ground.system,
        ground.conversation.cwd or "/",
        prompts.__getitem__,
        transcript=ground.conversation.document.place,
        agent=ask.agent,
        pins=_pins(ground, ask),
        cache=cache_rates(ground.window.model, hour),
    )


def _pins(
    ground: ReplayContext, ask: PreviewOptions
) -> Callable[[Sequence[Message]], Mapping[int, MessagePin]]:
    """The pins on messages of the source, as long as these stand in the history as they were."""
    tape = ground.tape
    known = {
        id(message): ask.pins[place]
        for message, place in zip(tape.messages, tape.places, strict=True)
        if place in ask.pins
    }

    def pinned(messages: Sequence[Message]) -> Mapping[int, MessagePin]:
        return {at: known[id(message)] for at, message in enumerate(messages) if id(message) in known}

    return pinned if known else no_pins
