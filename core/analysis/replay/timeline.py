"""A session as a sequence of requests: what was said before each, and what the model answered."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.strategies.base import CheckPoint
from core.transcript.model import Conversation, Message, MessageFlag, Speaker
from core.transcript.scopes import ALL, History, history_of_scope

_AFTER = {Speaker.TOOL: CheckPoint.AFTER_TOOLS, Speaker.HUMAN: CheckPoint.AFTER_USER}


@dataclass(frozen=True, slots=True)
class ReplayTurn:
    """A request and its answer: the ai messages [first, end) of the tape."""

    first: int
    end: int


@dataclass(frozen=True, slots=True)
class ReplayTimeline:
    """The messages to play, their places in the history of the scope, and the requests among them.

    Ai messages in a row are one answer. What follows the last answer was never sent.
    """

    messages: tuple[Message, ...]
    places: tuple[int, ...]
    turns: tuple[ReplayTurn, ...]

    @property
    def answers(self) -> tuple[int, ...]:
        """The place in the history of the ai message that each turn ends with."""
        return tuple(self.places[turn.end - 1] for turn in self.turns)

    def before(self, turn: int) -> Iterator[tuple[Message, CheckPoint | None]]:
        """What is added since the request of the turn before this one (from 0): its answer and all up to
        this request, each message with the point of the agent's loop that is reached behind it."""
        start = self.turns[turn - 1].first if turn else 0
        for place in range(start, self.turns[turn].first):
            message = self.messages[place]
            ends = self.messages[place + 1].speaker is not message.speaker
            yield message, _AFTER.get(message.speaker) if ends else None

    def answer(self, turn: int) -> Sequence[Message]:
        """What the model said in a turn (from 0)."""
        return self.messages[self.turns[turn].first : self.turns[turn].end]


def replay_timeline(conversation: Conversation, scope: str) -> ReplayTimeline:
    """The requests of a scope; of ``all`` without the summaries that the agent's own compactions wrote,
    for there it is played as if none had been. Raises InputError for an unknown scope."""
    past: History = history_of_scope(conversation, scope)
    places = tuple(
        place
        for place, message in enumerate(past.messages)
        if scope != ALL or not message.flags & MessageFlag.RECORDED_SUMMARY
    )
    messages = tuple(past.messages[place] for place in places)
    return ReplayTimeline(messages, places, tuple(_turns(messages)))


def _turns(messages: Sequence[Message]) -> Iterator[ReplayTurn]:
    first = -1
    for place, message in enumerate(messages):
        if message.speaker is Speaker.AI:
            first = place if first < 0 else first
        elif first >= 0:
            yield ReplayTurn(first, place)
            first = -1
    if first >= 0:
        yield ReplayTurn(first, len(messages))
