"""The tip of one stop of a cut's handle, made on demand."""

from __future__ import annotations

from bisect import bisect_left

from core.common import number_format
from core.presentation.ruler.model import CutHandle


def handle_tip(handle: CutHandle, stop_index: int) -> str:
    """Return the tip of a stop: "before #329 · keeps 84 · ≈30,702"."""
    boundary = handle.stops[stop_index]
    kept_count = _kept_count(handle, boundary)
    size = number_format.tokens(handle.mark, handle.tokens[stop_index])
    if handle.name == "top":
        location = f"after #{boundary}" if boundary else "before #1"
        return f"{location} · keeps {kept_count:,} · {size}"
    location = f"before {number_format.message_number(boundary)}" if kept_count else f"after #{boundary}"
    return f"{location} · keeps {kept_count:,} · {size}"


def _kept_count(handle: CutHandle, boundary: int) -> int:
    """Count the strategy's input messages on the kept side of a cut."""
    non_input_before = bisect_left(handle.non_input, boundary)
    if handle.name == "top":
        return boundary - non_input_before
    return handle.length - boundary - (len(handle.non_input) - non_input_before)
