"""The tip of one stop of a cut's handle, made on demand."""

from __future__ import annotations

from bisect import bisect_left

from core.common import number_format
from core.presentation.ruler.model import CutHandle


def handle_tip(handle: CutHandle, stop_index: int) -> str:
    """Return the tip of a stop: "before #329 · keeps 84 · ≈30,702"."""
    boundary = handle.stops[stop_index]
    kept = _kept(handle, boundary)
    size = number_format.tokens(handle.mark, handle.tokens[stop_index])
    if handle.name == "top":
        where = f"after #{boundary}" if boundary else "before #1"
        return f"{where} · keeps {kept:,} · {size}"
    where = f"before {number_format.message(boundary)}" if kept else f"after #{boundary}"
    return f"{where} · keeps {kept:,} · {size}"


def _kept(handle: CutHandle, boundary: int) -> int:
    """Count the strategy's input messages on the kept side of a cut."""
    unseen = bisect_left(handle.unseen, boundary)
    if handle.name == "top":
        return boundary - unseen
    return handle.length - boundary - (len(handle.unseen) - unseen)
