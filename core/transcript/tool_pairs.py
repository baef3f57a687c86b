"""Pairs of tool calls and responses, and the boundaries between messages that separate no pair."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import TypeAlias

from core.transcript.model import Message, ToolCall, ToolResponse

_Place: TypeAlias = tuple[int, int]  # message and block index


@dataclass(frozen=True, slots=True)
class Pair:
    """A call and its response: message and block indices, and their common id."""

    id: str
    call: int
    response: int
    call_block: int
    response_block: int


@dataclass(frozen=True)
class Pairs:
    """All pairs of a history, unpaired calls and responses, and the valid boundaries. ``valid[b]`` is 1 if
    boundary b (before message b, 0 to n) separates no pair; unanswered calls and orphan responses do not
    matter. ``unanswered`` and ``orphans`` are (message index, id)."""

    pairs: tuple[Pair, ...]
    unanswered: tuple[tuple[int, str], ...]
    orphans: tuple[tuple[int, str], ...]
    valid: bytes

    @cached_property
    def partners(self) -> Mapping[int, tuple[int, ...]]:
        """The messages that each message shares a pair with."""
        return PairPartners(self.pairs)

    def pairs_across(self, boundary: int) -> tuple[Pair, ...]:
        return tuple(
            pair
            for pair in self.pairs
            if min(pair.call, pair.response) < boundary <= max(pair.call, pair.response)
        )


class PairPartners(Mapping[int, tuple[int, ...]]):
    """Partners by message, in two arrays: every screen sends them to the window, and histories are long."""

    __slots__ = ("_others", "_starts")

    def __init__(self, pairs: Sequence[Pair]) -> None:
        partners: dict[int, dict[int, None]] = defaultdict(dict)
        for pair in pairs:
            if pair.call != pair.response:
                partners[pair.call][pair.response] = None
                partners[pair.response][pair.call] = None
        self._starts, self._others = array("I", [0]), array("I")
        for index in range(max(partners, default=-1) + 1):
            self._others.extend(partners.get(index, ()))
            self._starts.append(len(self._others))

    def __getitem__(self, index: int) -> tuple[int, ...]:
        start, end = self._starts[index : index + 2] if 0 <= index < len(self._starts) - 1 else (0, 0)
        if start == end:
            raise KeyError(index)
        return tuple(self._others[start:end])

    def __iter__(self) -> Iterator[int]:
        return (index for index, (start, end) in enumerate(pairwise(self._starts)) if start < end)

    def __len__(self) -> int:
        return sum(1 for _ in self)


class ToolPairJoiner:
    """Joins calls with responses by id in one pass over arriving messages. A response answers the nearest
    earlier unanswered call of its id, else the nearest earlier one (a second answer), else the first later
    one (files out of order). Repeated ids are thus joined turn by turn. ``pairs`` are those found so far, in
    that order."""

    def __init__(self) -> None:
        self.pairs: list[Pair] = []
        self._waiting: dict[str, list[_Place]] = {}
        self._answered: dict[str, _Place] = {}
        self._early: dict[str, list[_Place]] = {}

    def add(self, numbered_messages: Iterable[tuple[int, Message]]) -> None:
        """Add the next messages, each with its number; numbers ascend."""
        for index, message in numbered_messages:
            for position, block in enumerate(message.blocks):
                if isinstance(block, ToolCall):
                    self._call(block.id, (index, position))
                elif isinstance(block, ToolResponse):
                    self._response(block.call_id, (index, position))

    def unanswered(self) -> tuple[tuple[int, str], ...]:
        """Return calls without an answer, by message number and id."""
        return _open_ids(self._waiting)

    def orphans(self) -> tuple[tuple[int, str], ...]:
        """Return responses without a call, by message number and id."""
        return _open_ids(self._early)

    def _call(self, id_: str, place: _Place) -> None:
        earlier_responses = self._early.pop(id_, None)
        if earlier_responses is None:
            self._waiting.setdefault(id_, []).append(place)
            return
        for response in earlier_responses:
            self._join(id_, place, response)

    def _response(self, id_: str, place: _Place) -> None:
        open_calls = self._waiting.get(id_)
        if open_calls:
            self._join(id_, open_calls.pop(), place)
        elif id_ in self._answered:
            self._join(id_, self._answered[id_], place)
        else:
            self._early.setdefault(id_, []).append(place)

    def _join(self, id_: str, call: _Place, response: _Place) -> None:
        self._answered[id_] = call
        self.pairs.append(Pair(id_, call[0], response[0], call[1], response[1]))


def find_pairs(messages: Sequence[Message]) -> Pairs:
    """Join calls with responses as ``ToolPairJoiner`` does, and find the valid boundaries."""
    joiner = ToolPairJoiner()
    joiner.add(enumerate(messages))
    pairs = tuple(joiner.pairs)
    return Pairs(pairs, joiner.unanswered(), joiner.orphans(), _validity(pairs, len(messages)))


def _open_ids(open_ids: Mapping[str, list[_Place]]) -> tuple[tuple[int, str], ...]:
    return tuple(sorted((place[0], id_) for id_, places in open_ids.items() for place in places))


def _validity(pairs: Sequence[Pair], length: int) -> bytes:
    """Count the open pairs at each boundary, by differences; zero means valid."""
    delta = [0] * (length + 2)
    for pair in pairs:
        delta[min(pair.call, pair.response) + 1] += 1
        delta[max(pair.call, pair.response) + 1] -= 1
    return bytes(open_pairs == 0 for open_pairs in accumulate(delta[:-1]))
