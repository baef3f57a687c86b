"""Splits a session into requests and sizes them from what was reported of earlier ones alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.llm.catalog import choose_model
from core.llm.request_size import reported_requests
from core.strategies.base import CheckPoint
from core.tokens.calibration import Calibrator, family_factor
from core.tokens.counter import CountMethod, TokenCounter
from core.transcript.model import Conversation, Message, MessageFlag, Speaker
from core.transcript.scopes import ALL, History, history_of_scope

_CHECK_POINTS = {Speaker.TOOL: CheckPoint.AFTER_TOOLS, Speaker.HUMAN: CheckPoint.AFTER_USER}


@dataclass(frozen=True, slots=True)
class ReplayTurn:
    """A request and its answer: the ai messages [first, end) of the timeline."""

    first: int
    end: int


@dataclass(frozen=True, slots=True)
class ReplayTimeline:
    """Messages to replay, their indices in the history of the scope, and the turns among them. Consecutive ai
    messages are one answer. Messages after the last answer were never sent."""

    messages: tuple[Message, ...]
    places: tuple[int, ...]
    turns: tuple[ReplayTurn, ...]

    @property
    def answer_indices(self) -> tuple[int, ...]:
        """Index in the history of the last ai message of each turn."""
        return tuple(self.places[turn.end - 1] for turn in self.turns)

    def messages_before(self, turn: int) -> Iterator[tuple[Message, CheckPoint | None]]:
        """Yield the messages between the previous request and this one (turns from 0), the previous answer
        included, each with the check point of the agent's loop behind it."""
        start = self.turns[turn - 1].first if turn else 0
        for index in range(start, self.turns[turn].first):
            message = self.messages[index]
            is_last = self.messages[index + 1].speaker is not message.speaker
            yield message, _CHECK_POINTS.get(message.speaker) if is_last else None

    def answer_messages(self, turn: int) -> Sequence[Message]:
        """Return the ai messages of a turn (from 0)."""
        return self.messages[self.turns[turn].first : self.turns[turn].end]


def replay_timeline(conversation: Conversation, scope: str) -> ReplayTimeline:
    """Return the turns of a scope. Scope ``all`` leaves out recorded summaries, as if nothing had been
    compacted. Raises InputError for an unknown scope."""
    history: History = history_of_scope(conversation, scope)
    places = tuple(
        index
        for index, message in enumerate(history.messages)
        if scope != ALL or not message.flags & MessageFlag.RECORDED_SUMMARY
    )
    messages = tuple(history.messages[index] for index in places)
    return ReplayTimeline(messages, places, tuple(_turns(messages)))


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
    conversation: Conversation, counter: TokenCounter, scope: str, timeline: ReplayTimeline, model: str
) -> tuple[CountScale, ...]:
    """Return the scale of each turn; empty if counts need no scaling."""
    scales = tuple(_scales(conversation, counter, scope, timeline, model))
    return () if all(scale == UNSCALED for scale in scales) else scales


def _scales(
    conversation: Conversation, counter: TokenCounter, scope: str, timeline: ReplayTimeline, model: str
) -> Iterator[CountScale]:
    session_model = choose_model(conversation)
    calibrator, previous_scale = Calibrator(family_factor(session_model)), UNSCALED
    positions = history_of_scope(conversation, scope).positions
    reported = list(reported_requests(conversation, counter))
    model_factor = family_factor(model) if model != session_model else None
    used_count = 0
    for turn in timeline.turns:
        answer_position = positions[timeline.places[turn.first]]
        while used_count < len(reported) and reported[used_count].number < answer_position:
            calibrator.add(reported[used_count])
            used_count += 1
        calibration = calibrator.current()
        factor = calibration.factor if model_factor is None else model_factor
        scale = CountScale(factor, max(0, calibration.hidden or 0))
        previous_scale = previous_scale if scale == previous_scale else scale
        yield previous_scale


def calibrated_method(method: CountMethod) -> CountMethod:
    """Return the counting method of a replay."""
    name = method.encoding or "4 characters per token"
    return CountMethod("≈", f"{name}, calibrated on what was reported before each request", method.encoding)
