"""The overview strip beside a list, reduced to one value per pixel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

from core.presentation.model import FATES

_KEPT = FATES.index("kept")
_CHANGES = tuple(code for code in range(len(FATES) + 1) if code != _KEPT)


@dataclass(frozen=True, slots=True)
class OverviewColumns:
    """One byte per message; an empty column has no values. Columns other than ``fates`` are flags."""

    count: int
    fates: bytes = b""
    errors: bytes = b""
    marked: bytes = b""
    matches: bytes = b""


@dataclass(frozen=True, slots=True)
class OverviewStrip:
    """One byte per pixel from the top: the most frequent fate other than kept, and flags."""

    fates: bytes
    errors: bytes
    marked: bytes
    matches: bytes


def overview_strip(columns: OverviewColumns, height: int) -> OverviewStrip:
    """Return the strip of ``height`` pixels, in one pass over the messages."""
    return OverviewStrip(
        _per_pixel(columns.fates, columns.count, height, _change),
        _per_pixel(columns.errors, columns.count, height, _any),
        _per_pixel(columns.marked, columns.count, height, _any),
        _per_pixel(columns.matches, columns.count, height, _any),
    )


def _per_pixel(column: bytes, count: int, height: int, reduce: Callable[[bytes], int]) -> bytes:
    if not column or not count:
        return bytes(max(0, height))
    starts = [y * count // height for y in range(height + 1)]
    return bytes([reduce(column[start : max(start + 1, end)]) for start, end in pairwise(starts)])


def _change(piece: bytes) -> int:
    if piece.count(_KEPT) == len(piece):
        return _KEPT
    return max(_CHANGES, key=piece.count)


def _any(piece: bytes) -> int:
    return int(piece.count(0) < len(piece))


def messages_at(y: int, count: int, height: int) -> tuple[int, int]:
    """Return the messages [start, end) of a pixel, at least one if there are any."""
    start = y * count // height
    return start, max(start + 1, (y + 1) * count // height)


def message_at(y: int, count: int, height: int) -> int:
    """Return a pixel's first message, the nearest one beyond the ends; -1 without messages."""
    if count <= 0 or height <= 0:
        return -1
    return messages_at(min(max(y, 0), height - 1), count, height)[0]


def pixels_of(start: int, end: int, count: int, height: int) -> tuple[int, int]:
    if count <= 0:
        return (0, 0)
    return start * height // count, -(-end * height // count)
