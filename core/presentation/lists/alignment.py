"""What stands beside what: messages that keep their order, and the segments between them."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

from core.presentation.model import FATES

_KEPT, _EDITED, _SUMMARISED = map(FATES.index, ("kept", "edited", "summarised"))
_ALIGNED = re.compile(rb"[\x%02x\x%02x]+" % (_KEPT, _EDITED), re.DOTALL)
_SAME_FATE = re.compile(rb"(.)\1*", re.DOTALL)
_LONGEST_INSIDE = 6  # removed messages inside a summarised run that do not divide it

Piece = tuple[int, int, int]
"""Source messages [start, end) that stand one to one in the result, from the message ``at`` on."""


def aligned_pieces(fates: bytes, results: array[int]) -> list[Piece]:
    """Return the pieces of kept and edited messages, ascending on both sides: those of most
    messages."""
    pieces: list[Piece] = []
    for found in _ALIGNED.finditer(fates):
        start, end = found.span()
        at = results[start]
        if at >= 0 and results[start:end] == array(results.typecode, range(at, at + end - start)):
            pieces.append((start, end, at))
        else:
            pieces += _pieces_one_by_one(results, start, end)
    is_ascending = all(
        first[2] + first[1] - first[0] <= second[2] for first, second in pairwise(pieces)
    )
    return pieces if is_ascending else _ascending(pieces)


def _pieces_one_by_one(results: array[int], start: int, end: int) -> Iterator[Piece]:
    first = start
    for index in range(start, end):
        if index > first and results[index] != results[index - 1] + 1:
            if results[first] >= 0:
                yield first, index, results[first]
            first = index
    if results[first] >= 0:
        yield first, end, results[first]


def _ascending(pieces: Sequence[Piece]) -> list[Piece]:
    """Return the ascending pieces that have the most messages together."""
    ends, weights, numbers = (
        list[int](),
        list[int](),
        list[int](),
    )  # of the best chains, by their end
    previous = [-1] * len(pieces)
    for number, (start, end, at) in enumerate(pieces):
        index = bisect_right(ends, at) - 1
        previous[number] = numbers[index] if index >= 0 else -1
        weight = end - start + (weights[index] if index >= 0 else 0)
        after = at + end - start
        index = bisect_left(ends, after)
        if index < len(ends) and ends[index] == after and weights[index] >= weight:
            continue
        if index > 0 and weights[index - 1] >= weight:
            continue
        last = index
        while last < len(ends) and weights[last] <= weight:
            last += 1
        ends[index:last], weights[index:last], numbers[index:last] = [after], [weight], [number]
    chain, number = list[Piece](), numbers[-1] if numbers else -1
    while number >= 0:
        chain.append(pieces[number])
        number = previous[number]
    return chain[::-1]


@dataclass(frozen=True, slots=True)
class Segment:
    """Source messages [start, end) of one fate that went to the message ``target`` of the result,
    -1 for nowhere. A summarised one may hold a few removed messages."""

    start: int
    end: int
    target: int
    fate: int

    @property
    def is_removed(self) -> bool:
        return self.target < 0

    @property
    def is_moved(self) -> bool:
        """Kept or edited, but at another place in the result."""
        return self.fate in (_KEPT, _EDITED)


def gap_segments(
    fates: bytes, results: array[int], breaks: Sequence[int], span: tuple[int, int]
) -> list[Segment]:
    """Return the segments of the source messages of ``span``; none reaches over one of the
    ``breaks``."""
    segments: list[Segment] = []
    for segment in _split_at(_by_fate(fates, results, *span), breaks):
        before = segments[-2:]
        if segment.fate == _SUMMARISED and before and segment.start not in breaks:
            host = before[0] if before[-1].is_removed else before[-1]
            inside = segment.start - host.end
            is_joined = (
                host.target == segment.target
                and host.fate == _SUMMARISED
                and inside <= _LONGEST_INSIDE
            )
            if is_joined and not _has_break(breaks, host.end, segment.start):
                segments[segments.index(host) :] = [replace(host, end=segment.end)]
                continue
        segments.append(segment)
    return segments


def _has_break(breaks: Sequence[int], start: int, end: int) -> bool:
    at = bisect_left(breaks, start)
    return at < len(breaks) and breaks[at] <= end


def _by_fate(fates: bytes, results: array[int], start: int, end: int) -> Iterator[Segment]:
    for run in _SAME_FATE.finditer(fates, start, end):
        first, last = run.span()
        target = results[first]
        if results[last - 1] == target and (
            last - first < 3 or results[first:last].count(target) == last - first
        ):
            yield Segment(first, last, target, fates[first])
            continue
        for value, group in groupby(range(first, last), results.__getitem__):
            members = [*group]
            yield Segment(members[0], members[-1] + 1, value, fates[first])


def _split_at(segments: Iterator[Segment], breaks: Sequence[int]) -> Iterator[Segment]:
    for segment in segments:
        start = segment.start
        for boundary in breaks[bisect_right(breaks, start) : bisect_left(breaks, segment.end)]:
            yield replace(segment, start=start, end=boundary)
            start = boundary
        yield replace(segment, start=start)


@dataclass(frozen=True, slots=True)
class Gap:
    """Which segment has which message of the result beside it, and which of the others follow a
    segment; -1: those before the first."""

    hosts: dict[int, int]
    extra: dict[int, list[int]]

    @staticmethod
    def of(segments: Sequence[Segment], results: tuple[int, int], *, has_cells: bool) -> Gap:
        """Place the messages ``results`` of the result: a summary beside its longest segment."""
        hosts, extra = dict[int, int](), dict[int, list[int]]()
        for number, segment in enumerate(segments):
            if results[0] <= segment.target < results[1]:
                former = segments[hosts.get(segment.target, number)]
                if segment.end - segment.start >= former.end - former.start:
                    hosts[segment.target] = number
        removed = (
            number
            for number, segment in enumerate(segments)
            if segment.is_removed and segment.end - segment.start > _LONGEST_INSIDE
        )
        host = next(removed, -1) if has_cells else len(segments) - 1
        for result in range(*results):
            if result in hosts:
                host = hosts[result]
            else:
                extra.setdefault(host, []).append(result)
        return Gap(hosts, extra)
