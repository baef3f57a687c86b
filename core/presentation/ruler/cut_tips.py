"""What a cut at a stop of a handle means, in words; made when it is read, for one stop of many."""

from __future__ import annotations

from bisect import bisect_left

from core.common import number_format
from core.presentation.ruler.model import CutHandle


def handle_tip(handle: CutHandle, place: int) -> str:
    """The sentence of a handle's stop: "before #329 · keeps 84 · ≈30,702"."""
    boundary = handle.stops[place]
    kept = _kept(handle, boundary)
    size = number_format.tokens(handle.mark, handle.tokens[place])
    if handle.name == "top":
        where = f"after #{boundary}" if boundary else "before #1"
        return f"{where} · keeps {kept:,} · {size}"
    where = f"before {number_format.message(boundary)}" if kept else f"after #{boundary}"
    return f"{where} · keeps {kept:,} · {size}"


def _kept(handle: CutHandle, boundary: int) -> int:
    """How many messages that the strategy is given lie on the side of a cut that stays."""
    unseen = bisect_left(handle.unseen, boundary)
    if handle.name == "top":
        return boundary - unseen
    return handle.length - boundary - (len(handle.unseen) - unseen)
