"""Wording of the ruler: axis, pointer, legend, screen reader."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from core.common import number_format
from core.presentation.model import KINDS, SPEAKERS, Screen

LEGEND = ("human", "ai", "ai, call", "tool", "system", "summary")
"""Names of KINDS."""
ERROR = "error"
REQUESTED_CUT = "asked cut"
BEFORE = "Before"
AFTER = "After"
WHY = "Why"
COUNTING = "counting"
NAME = "Ruler: the conversation before and after, by tokens"


def axis_label(tokens: int) -> str:
    """Return a label of the axis: 0, 500, 72,500, 50k, 2M."""
    for unit, name in ((1_000_000, "M"), (1_000, "k")):
        if tokens and tokens % unit == 0:
            return number_format.count(tokens // unit) + name
    return number_format.count(tokens)


def hover_text(screen: Screen, side: str, first: int, end: int) -> str:
    """Return "#81 human · ≈64", or a range of messages with their number."""
    rows, total = (
        (screen.before, screen.marks.before_total)
        if side == "before"
        else (screen.after, screen.marks.after_total)
    )
    if end - first > 1:
        return (
            f"#{number_format.count(first + 1)}–#{number_format.count(end)}, "
            f"{number_format.plural(end - first, 'message')}"
        )
    token_count = rows.tokens[first] if rows.tokens[first] >= 0 else None
    mark = total[:1] if total[:1] in ("=", "≈") else ""
    return (
        f"{number_format.message_number(first)} {SPEAKERS[rows.speakers[first]]} "
        f"· {number_format.tokens(mark, token_count)}"
    )


def lost_tip(lost_indices: Sequence[int], lost_texts: Sequence[str], marked_indices: Sequence[int]) -> str:
    """Return the tip of a mark; ``marked_indices`` are the messages under it, ascending."""
    if not marked_indices:
        return ""
    first_index = bisect_left(lost_indices, marked_indices[0])
    first_text = lost_texts[first_index] if first_index < len(lost_texts) else ""
    more_messages = number_format.plural(len(marked_indices) - 1, "more message")
    more_text = f" and {more_messages}" if len(marked_indices) > 1 else ""
    head = f"Lost in {number_format.message_number(marked_indices[0])}{more_text}"
    return "\n".join(filter(None, (head, first_text)))


def legend_kinds(screen: Screen) -> tuple[tuple[int, str], ...]:
    """Return (code, name) of the kinds; system only if it occurs."""
    system_code = KINDS.index("system")
    has_system = system_code in screen.before.kinds or system_code in screen.after.kinds
    return tuple((code, name) for code, name in enumerate(LEGEND) if code != system_code or has_system)


def has_moved_cut(screen: Screen) -> bool:
    """Return whether a cut is not where it was requested."""
    return any(handle.requested != handle.index for handle in screen.handles)


def spoken_ruler(screen: Screen) -> str:
    """Return the ruler in sentences, for screen readers."""
    marks = screen.marks
    bands = ", ".join(filter(None, (band.labels[0] for band in screen.bands if band.labels)))
    totals = f"Before {marks.before_total}, after {marks.after_total}"
    hidden = marks.hidden_labels[0] if marks.hidden_labels else ""
    text = ". ".join(filter(None, (totals, hidden, marks.after_saved, bands, marks.sentence)))
    return f"{text}."
