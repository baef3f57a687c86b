"""Splits a session into requests: messages before each, and the model's answer."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.strategies.base import CheckPoint
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
