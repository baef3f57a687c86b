"""Replays one strategy over the requests of a session: their timeline, and the runs that are due."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress
from operator import is_not

from core.analysis.costs import paid_dollars, unpaid_requests
from core.analysis.model import ReplayCompaction, ReplayTrack
from core.analysis.paid import recorded_costs
from core.common import number_format
from core.common.errors import FoldlineError
from core.engine.history_store import (
    AddOutcome,
    CompactionStatus,
    CompressionStarted,
    EngineEvent,
    HistoryCleared,
    HistoryReplaced,
    MessageAdded,
    StoreChange,
)
from core.engine.passes import IncrementalRunResult, SessionEnvironment, no_pins
from core.engine.session import AgentSession
from core.llm.catalog import MIN_CACHED_PREFIX, ModelLimit, TokenRates, choose_model
from core.llm.request_size import reported_requests
from core.losses.needed_later import find_needs, needed_later
from core.preview.options import PreviewOptions
from core.preview.strategy_input import strategy_prompts
from core.settings.schema import AUTO, LIMIT, MODE, Mode, Values, with_setting
from core.strategies.base import CheckPoint, Strategy, TriggerMode
from core.strategies.helpers import trigger_fault, trigger_tokens
from core.summarize.summariser_choice import summariser_factory
from core.tokens.calibration import (
    CalibratedTokenCounter,
    Calibrator,
    calibrated_count,
    family_factor,
)
from core.tokens.counter import CountMethod, TokenCounter
from core.transcript.compaction import ModelCall
from core.transcript.model import Conversation, Message, MessageFlag, Speaker, Text
from core.transcript.pins import MessagePin, ignored_pins_note
from core.transcript.scopes import ALL, History, history_of_scope

# Splits a session into requests and sizes them from what was reported of earlier ones alone.


_CHECK_POINTS = {
    Speaker.TOOL: CheckPoint.AFTER_TOOLS,
    Speaker.HUMAN: CheckPoint.AFTER_USER,
}


@dataclass(frozen=True, slots=True)
class ReplayTurn:
    """A request and its answer: the ai messages [first, end) of the timeline."""

    first: int
    end: int


@dataclass(frozen=True, slots=True)
class ReplayTimeline:
    """Messages to replay, their indices in the history of the scope, and the turns among them.
    Consecutive ai messages are one answer. Messages after the last answer were never sent."""

    messages: tuple[Message, ...]
    indices: tuple[int, ...]
    turns: tuple[ReplayTurn, ...]

    @property
    def answer_indices(self) -> tuple[int, ...]:
        """Index in the history of the last ai message of each turn."""
        return tuple(self.indices[turn.end - 1] for turn in self.turns)

    def messages_before(self, turn: int) -> Iterator[tuple[Message, CheckPoint | None]]:
        """Yield the messages between the previous request and this one (turns from 0), the previous
        answer included, each with the check point of the agent's loop behind it."""
        if turn:
            start = self.turns[turn - 1].first
        else:
            start = 0
        for index in range(start, self.turns[turn].first):
            message = self.messages[index]
            is_last = self.messages[index + 1].speaker is not message.speaker
            yield message, _CHECK_POINTS.get(message.speaker) if is_last else None

    def answer_messages(self, turn: int) -> Sequence[Message]:
        """Return the ai messages of a turn (from 0)."""
        return self.messages[self.turns[turn].first : self.turns[turn].end]


def replay_timeline(conversation: Conversation, scope: str) -> ReplayTimeline:
    """Return the turns of a scope. Scope ``all`` leaves out recorded summaries, as if nothing had
    been compacted. Raises InputError for an unknown scope."""
    history: History = history_of_scope(conversation, scope)
    indices = tuple(
        index
        for index, message in enumerate(history.messages)
        if scope != ALL or not message.flags & MessageFlag.RECORDED_SUMMARY
    )
    messages = tuple(history.messages[index] for index in indices)
    return ReplayTimeline(messages, indices, tuple(_turns(messages)))


def _turns(messages: Sequence[Message]) -> Iterator[ReplayTurn]:
    first = -1
    for index, message in enumerate(messages):
        if message.speaker is Speaker.AI:
            first = index if first < 0 else first
        elif first >= 0:
            yield ReplayTurn(first, index)
            first = -1
    if first >= 0:
        yield ReplayTurn(first, len(messages))


def paid_turns(
    conversation: Conversation, scope: str, timeline: ReplayTimeline
) -> tuple[float | None, ...]:
    """Return what was paid for each turn up to the agent's first compaction inside the scope, in US
    dollars, None where that is not recorded."""
    costs = recorded_costs(conversation)
    indices = history_of_scope(conversation, scope).indices
    boundaries = [one.boundary for one in conversation.recorded]
    first = (
        min(boundaries, default=len(conversation.messages)) if scope == ALL else None
    )
    paid: list[float | None] = []
    for turn in timeline.turns:
        answers = [indices[timeline.indices[at]] for at in range(turn.first, turn.end)]
        if first is not None and answers[0] >= first:
            break
        known = [costs[index] for index in answers if index in costs]
        is_known = known and None not in known
        paid.append(sum(filter(None, known)) if is_known else None)
    return tuple(paid)


@dataclass(frozen=True, slots=True)
class CountScale:
    """Scales counts at a turn; ``hidden`` tokens are part of its request but of no message."""

    factor: float = 1.0
    hidden: int = 0


UNSCALED = CountScale()


def turn_scales(
    conversation: Conversation,
    counter: TokenCounter,
    scope: str,
    timeline: ReplayTimeline,
    model: str,
) -> tuple[CountScale, ...]:
    """Return the scale of each turn; empty if counts need no scaling."""
    scales = tuple(_scales(conversation, counter, scope, timeline, model))
    return () if all(scale == UNSCALED for scale in scales) else scales


def _scales(
    conversation: Conversation,
    counter: TokenCounter,
    scope: str,
    timeline: ReplayTimeline,
    model: str,
) -> Iterator[CountScale]:
    session_model = choose_model(conversation)
    carried = conversation.carried
    calibrator = Calibrator(carried.factor if carried else family_factor(session_model))
    previous_scale = UNSCALED
    hidden = _carried_hidden(conversation, counter)
    indices = history_of_scope(conversation, scope).indices
    reported = list(reported_requests(conversation, counter))
    if model != session_model:
        model_factor = family_factor(model)
    else:
        model_factor = None
    used_count = 0
    for turn in timeline.turns:
        answer_index = indices[timeline.indices[turn.first]]
        while used_count < len(reported) and reported[used_count].number < answer_index:
            calibrator.add(reported[used_count])
            used_count += 1
        calibration = calibrator.current()
        factor = calibration.factor if model_factor is None else model_factor
        scale = CountScale(
            factor, max(0, hidden if calibration.hidden is None else calibration.hidden)
        )
        previous_scale = previous_scale if scale == previous_scale else scale
        yield previous_scale


def _carried_hidden(conversation: Conversation, counter: TokenCounter) -> int:
    """Return the hidden tokens that an export carries, 0 for none."""
    carried = conversation.carried
    if carried is None or carried.overhead is None:
        return 0
    return carried.overhead - calibrated_count(
        counter.system(conversation.system), carried.factor
    )


def calibrated_method(method: CountMethod) -> CountMethod:
    name = method.encoding or "4 characters per token"
    return CountMethod(
        "≈",
        f"{name}, calibrated on what was reported before each request",
        method.encoding,
    )


@dataclass(frozen=True, slots=True)
class SentRequest:
    """A request in tokens: its size, its unchanged prefix, and the later part that was sent
    before."""

    size: int
    prefix: int
    rewritten: int

    def cost(self, rates: TokenRates) -> float:
        """Return US dollars: the prefix read from a warm cache, the rest written. A prefix below
        the smallest cacheable size is written, too."""
        prefix = self.prefix if self.prefix >= MIN_CACHED_PREFIX else 0
        size_rates = rates.at(self.size)
        return size_rates.read * prefix + size_rates.write * (self.size - prefix)


class ReplayedCache:
    """Follows what one track sends; ``base`` tokens (system prompt and tools) precede each history.
    While it only grows, the last request is the prefix of the next; else the histories are
    compared."""

    def __init__(self, base: int, count: Callable[[Message], int]) -> None:
        self._base = base
        self._count = count
        self._messages: list[Message] = []  # of the last request, and those added since
        self._sent_count = 0
        self._sent_size = 0  # tokens of the last request
        self._prefix_sums = [0]  # tokens up to each sent message, computed on demand

    def rescale(self, base: int) -> None:
        """Change the count of messages and of the tokens before them."""
        self._base, self._prefix_sums = base, [0]
        if self._sent_size:
            self._sent_size = base + sum(
                map(self._count, self._messages[: self._sent_count])
            )

    def add(self, message: Message) -> None:
        self._messages.append(message)

    def request(self, size: int, replaced: Sequence[Message] | None) -> SentRequest:
        """Return the next request; ``replaced`` is its history if that did not only grow."""
        request = SentRequest(size, self._sent_size, 0)
        if replaced is not None:
            unchanged = self._unchanged_count(replaced)
            new_ids = set(map(id, self._messages[self._sent_count :]))
            new_tokens = sum(
                self._count(message)
                for message in replaced[unchanged:]
                if id(message) in new_ids
            )
            if self._sent_size:
                prefix = self._base + self._tokens_before(unchanged)
            else:
                prefix = 0
            request = SentRequest(size, prefix, max(0, size - prefix - new_tokens))
            self._messages = list(replaced)
        self._sent_count = len(self._messages)
        self._sent_size = size
        return request

    def _tokens_before(self, count: int) -> int:
        """Count the tokens of the first messages; later sums are invalid from here on."""
        del self._prefix_sums[count + 1 :]
        for message in self._messages[len(self._prefix_sums) - 1 : count]:
            self._prefix_sums.append(self._prefix_sums[-1] + self._count(message))
        return self._prefix_sums[count]

    def _unchanged_count(self, history: Sequence[Message]) -> int:
        """Count the leading messages shared with the last request."""
        limit = min(self._sent_count, len(history))
        # identity first: messages are rarely new objects
        differing = compress(range(limit), map(is_not, self._messages, history))
        return next(
            (index for index in differing if self._messages[index] != history[index]),
            limit,
        )


# Replays one strategy on the engine, request by request.


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayInput:
    """Shared by the tracks of a replay. ``scales`` has one entry per turn, or none if counts need
    no scaling; ``system`` is unscaled. ``paid`` has what was paid for each turn that the agent sent
    as the timeline has it, None where that is not recorded; ``session_rates`` price the others."""

    conversation: Conversation
    timeline: ReplayTimeline
    counter: TokenCounter
    model_limit: ModelLimit
    system: int
    rates: TokenRates | None
    session_rates: TokenRates | None
    scales: tuple[CountScale, ...] = ()
    paid: tuple[float | None, ...] = ()

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
        self._unchanged_turns: int | None = None  # before the first replacement
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
            if self._unchanged_turns is None:
                self._unchanged_turns = len(self.requests)
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
        cost = paid_dollars(result.calls)
        unpaid = unpaid_requests(result.calls)
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
        context = self._inputs
        request_sizes = array("q", (request.size for request in self.requests))
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
            paid_requests=len(self._paid()),
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
                originals,
                timeline.messages[timeline.turns[turn - 1].first :],
                self._inputs.conversation.system,
            )
            if needs is not None:
                retrieved += len(
                    {name.message for name in needed_later(needs, history).gone}
                )
        return retrieved

    def _cost(self) -> float | None:
        """Return US dollars of all requests, answers and summaries: as paid where that is recorded
        of the same request, else by counted tokens; None if a price is unknown."""
        rates = self._inputs.session_rates
        summaries = paid_dollars(self._calls)
        paid = self._paid()
        is_all_paid = len(paid) == len(self.requests)
        if summaries is None or (rates is None and not is_all_paid):
            return None
        counted = 0.0
        for turn, request in enumerate(self.requests):
            if turn in paid or rates is None:
                continue
            answer = self._answer_tokens[turn] * rates.at(request.size).output
            counted += request.cost(rates) + answer
        return sum(paid.values()) + counted + summaries

    def _paid(self) -> dict[int, float]:
        """Return what was paid for the turns (from 0) whose requests are those of the agent."""
        end = len(self.requests)
        if self._unchanged_turns is not None:
            end = self._unchanged_turns
        recorded = enumerate(self._inputs.paid[:end])
        return {turn: cost for turn, cost in recorded if cost is not None}


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
