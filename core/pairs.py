"""Which call is answered where, and which positions between messages keep every pair whole."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeAlias

from core.conversation import Message, ToolCall, ToolResponse

_Place: TypeAlias = tuple[int, int]
"""Message and block index."""


@dataclass(frozen=True, slots=True)
class Pair:
    """A call and its response: message and block indices, and the id that joins them."""

    id: str
    call: int
    response: int
    call_block: int
    response_block: int


@dataclass(frozen=True, slots=True)
class Pairs:
    """All pairs of a history, what is left over, and which boundaries are valid.

    ``valid[b]`` is 1 where boundary b (before message b, 0 to n) has every pair on one side;
    unanswered calls and orphan responses never block. ``partners`` maps a message to those it
    shares a pair with. ``unanswered`` and ``orphans`` are (message index, id).
    """

    pairs: tuple[Pair, ...]
    unanswered: tuple[tuple[int, str], ...]
    orphans: tuple[tuple[int, str], ...]
    partners: Mapping[int, tuple[int, ...]]
    valid: bytes

    def nearest_valid(self, boundary: int) -> int:
        """The valid boundary nearest to one from 0 to n; of two as near, the lower."""
        for distance in range(len(self.valid)):
            if boundary - distance >= 0 and self.valid[boundary - distance]:
                return boundary - distance
            if boundary + distance < len(self.valid) and self.valid[boundary + distance]:
                return boundary + distance
        raise AssertionError("0 and n are always valid")

    def cut_by(self, boundary: int) -> tuple[Pair, ...]:
        """The pairs that a boundary would separate."""
        return tuple(
            pair
            for pair in self.pairs
            if min(pair.call, pair.response) < boundary <= max(pair.call, pair.response)
        )


def find_pairs(messages: Sequence[Message]) -> Pairs:
    """Join calls with responses by id, in one pass.

    A response answers the nearest earlier call of its id that has no answer yet, else the nearest
    earlier one (a second answer), else the first later one (files out of order). Ids that come
    again in later turns are thus joined turn by turn.
    """
    waiting: dict[str, list[_Place]] = defaultdict(list)
    answered: dict[str, _Place] = {}
    early: dict[str, list[_Place]] = defaultdict(list)
    pairs: list[Pair] = []

    def join(id_: str, call: _Place, response: _Place) -> None:
        answered[id_] = call
        pairs.append(Pair(id_, call[0], response[0], call[1], response[1]))

    for index, message in enumerate(messages):
        for position, block in enumerate(message.blocks):
            place = (index, position)
            if isinstance(block, ToolCall):
                for response in early[block.id]:
                    join(block.id, place, response)
                if not early.pop(block.id):
                    waiting[block.id].append(place)
            elif isinstance(block, ToolResponse):
                if waiting[block.call_id]:
                    join(block.call_id, waiting[block.call_id].pop(), place)
                elif block.call_id in answered:
                    join(block.call_id, answered[block.call_id], place)
                else:
                    early[block.call_id].append(place)
    return Pairs(
        tuple(pairs),
        _leftover(waiting),
        _leftover(early),
        _partners(pairs),
        _valid(pairs, len(messages)),
    )


def _leftover(open_ids: Mapping[str, list[_Place]]) -> tuple[tuple[int, str], ...]:
    return tuple(sorted((place[0], id_) for id_, places in open_ids.items() for place in places))


class Partners(Mapping[int, tuple[int, ...]]):
    """The partners of messages that have any, in two arrays: they cross a pipe with every screen."""

    __slots__ = ("_firsts", "_others")

    def __init__(self, partners: Mapping[int, Iterable[int]]) -> None:
        self._firsts, self._others = array("I", [0]), array("I")
        for index in range(max(partners, default=-1) + 1):
            self._others.extend(partners.get(index, ()))
            self._firsts.append(len(self._others))

    def __getitem__(self, index: int) -> tuple[int, ...]:
        start, end = self._firsts[index : index + 2] if 0 <= index < len(self._firsts) - 1 else (0, 0)
        if start == end:
            raise KeyError(index)
        return tuple(self._others[start:end])

    def __iter__(self) -> Iterator[int]:
        return (index for index, (start, end) in enumerate(pairwise(self._firsts)) if start < end)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def _partners(pairs: Sequence[Pair]) -> Partners:
    partners: dict[int, dict[int, None]] = defaultdict(dict)
    for pair in pairs:
        if pair.call != pair.response:
            partners[pair.call][pair.response] = None
            partners[pair.response][pair.call] = None
    return Partners(partners)


def _valid(pairs: Sequence[Pair], length: int) -> bytes:
    """Sum of open pairs at each boundary, by differences; zero means valid."""
    delta = [0] * (length + 2)
    for pair in pairs:
        low, high = sorted((pair.call, pair.response))
        delta[low + 1] += 1
        delta[high + 1] -= 1
    valid = bytearray(length + 1)
    open_pairs = 0
    for boundary in range(length + 1):
        open_pairs += delta[boundary]
        valid[boundary] = open_pairs == 0
    return bytes(valid)
