"""Splits a session into requests and sizes them from what was reported of earlier ones alone."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from operator import is_not

from core.llm.catalog import choose_model
from core.llm.prompt_cache import MIN_CACHED_PREFIX, TokenRates
from core.llm.request_size import reported_requests
from core.strategies.base import CheckPoint
from core.tokens.calibration import Calibrator, calibrated_count, family_factor
from core.tokens.counter import CountMethod, TokenCounter
from core.transcript.model import Conversation, Message, MessageFlag, Speaker
from core.transcript.scopes import ALL, History, history_of_scope

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
    calibrator, previous_scale = (
        Calibrator(carried.factor if carried else family_factor(session_model)),
        UNSCALED,
    )
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
        self._sent_count, self._sent_size = len(self._messages), size
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
