"""Wording of the ruler: axis, pointer, handles, legend, screen reader."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from core.common import number_format
from core.presentation.model import SPEAKERS, SYSTEM
from core.presentation.ruler.geometry import CutHandle, CutMove
from core.presentation.screen_model import Screen

LEGEND = ("human", "AI", "AI tool call", "tool result", "system", "summary")
"""Names of KINDS."""


ERROR = "error"


REQUESTED_CUT = "where the percentage would end"


BEFORE, AFTER, MUST_KEEP = "Before", "After", "Must keep"


COUNTING = "counting"


NAME = "Ruler: the conversation before and after, by tokens"


def axis_label(tokens: int) -> str:
    """Return a label of the axis: 0, 500, 1.2k, 72.5k, 50k, 1.1M; exact, so that neighbours
    differ."""
    for unit, name in ((1_000_000, "M"), (1_000, "k")):
        if tokens >= unit:
            return f"{tokens / unit:.9g}{name}"
    return number_format.count(tokens)


def hover_text(screen: Screen, side: str, first: int, end: int) -> str:
    """Return "#81 human · ≈64", or a range of messages with their number."""
    is_before = side == "before"
    if is_before:
        rows = screen.source.rows
        total = screen.ruler.totals.before_total
    else:
        rows = screen.result.rows
        total = screen.ruler.totals.after_total
    if end - first > 1:
        return f"{number_format.span(first, end)}, {number_format.plural(end - first, 'message')}"
    if rows.tokens[first] >= 0:
        tokens = rows.tokens[first]
    else:
        tokens = None
    if total[:1] in ("=", "≈"):
        mark = total[:1]
    else:
        mark = ""
    speaker = SPEAKERS[rows.speakers[first]]
    return f"{number_format.message_number(first)} {speaker} · {number_format.tokens(mark, tokens)}"


def handle_tip(handle: CutHandle, boundary: int, sums: Sequence[int]) -> str:
    """Return the tip of a stop: "Top ends after #46 · keeps 46 · 34,288 tokens"; only the
    strategy's input counts. ``sums[i]`` is where message i begins, in tokens."""
    return " · ".join(_stop_words(handle, boundary, sums))


def cut_move(
    handle: CutHandle, origin: int, boundary: int, sums: Sequence[int]
) -> CutMove:
    """Return what the row of a dragged cut says; for ``sums`` see ``handle_tip``."""
    place, kept = _stop_words(handle, boundary, sums)
    if handle.name == "top":
        former = f"#{origin:,}"
        is_there = origin > 0
    else:
        former = number_format.message_number(origin)
        is_there = origin < len(sums) - 1
    was = f"was {former if is_there else 'empty'}"
    return CutMove(handle.name, origin, boundary, place, f"{was} · {kept}")


def _stop_words(
    handle: CutHandle, boundary: int, sums: Sequence[int]
) -> tuple[str, str]:
    """Return ("Top ends after #46", "keeps 46 · 34,288 tokens")."""
    non_input_before = bisect_left(handle.non_input, boundary)
    kept = boundary - non_input_before
    tokens = sums[boundary] - sums[0]
    if handle.name != "top":
        kept = handle.length - len(handle.non_input) - kept
        tokens = sums[-1] - sums[boundary]
        if kept:
            place = f"Bottom starts at {number_format.message_number(boundary)}"
        else:
            place = "Bottom is empty"
    else:
        if boundary:
            place = f"Top ends after #{boundary}"
        else:
            place = "Top is empty"
    return place, f"keeps {kept:,} · {number_format.plural(tokens, 'token')}"


def lost_tip(
    lost_indices: Sequence[int],
    lost_texts: Sequence[str],
    marked_indices: Sequence[int],
) -> str:
    """Return the tip of a mark; ``marked_indices`` are the messages under it, ascending."""
    if not marked_indices:
        return ""
    first_index = bisect_left(lost_indices, marked_indices[0])
    if first_index < len(lost_texts):
        first_text = lost_texts[first_index]
    else:
        first_text = ""
    more_messages = number_format.plural(len(marked_indices) - 1, "more message")
    if len(marked_indices) > 1:
        more_text = f" and {more_messages}"
    else:
        more_text = ""
    head = f"Lost in {number_format.message_number(marked_indices[0])}{more_text}"
    return "\n".join(filter(None, (head, first_text)))


def legend_kinds(screen: Screen) -> tuple[tuple[int, str], ...]:
    """Return (code, name) of the kinds; system only if it occurs."""
    has_system = (
        SYSTEM in screen.source.rows.kinds or SYSTEM in screen.result.rows.kinds
    )
    return tuple(
        (code, name) for code, name in enumerate(LEGEND) if code != SYSTEM or has_system
    )


def has_moved_cut(screen: Screen) -> bool:
    return any(handle.requested != handle.index for handle in screen.ruler.handles)


def spoken_ruler(screen: Screen) -> str:
    totals = screen.ruler.totals
    bands = ", ".join(
        filter(None, (band.labels[0] for band in screen.ruler.bands if band.labels))
    )
    sizes = f"Before {totals.before_total}, after {totals.after_total}"
    if totals.hidden_labels:
        hidden = totals.hidden_labels[0]
    else:
        hidden = ""
    text = ". ".join(
        filter(None, (sizes, hidden, totals.reduction, bands, totals.sentence))
    )
    return f"{text}."
