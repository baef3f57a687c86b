"""Wording of the ruler: axis, pointer, legend, screen reader."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from core.common import number_format
from core.presentation.model import KINDS, SPEAKERS, Screen

LEGEND = ("human", "ai", "ai, call", "tool", "system", "summary")
"""Names of KINDS."""
ERROR = "error"
ASKED = "asked cut"
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
    known = rows.tokens[first] if rows.tokens[first] >= 0 else None
    mark = total[:1] if total[:1] in ("=", "≈") else ""
    return (
        f"{number_format.message(first)} {SPEAKERS[rows.speakers[first]]} "
        f"· {number_format.tokens(mark, known)}"
    )


def lost_tip(places: Sequence[int], words: Sequence[str], shown: Sequence[int]) -> str:
    """Return the tip of a mark; ``shown`` are the messages under it, ascending."""
    if not shown:
        return ""
    first = bisect_left(places, shown[0])
    first_text = words[first] if first < len(words) else ""
    more = number_format.plural(len(shown) - 1, "more message")
    others = f" and {more}" if len(shown) > 1 else ""
    head = f"Lost in {number_format.message(shown[0])}{others}"
    return "\n".join(filter(None, (head, first_text)))


def legend_kinds(screen: Screen) -> tuple[tuple[int, str], ...]:
    """Return (code, name) of the kinds; system only if it occurs."""
    rare = KINDS.index("system")
    seen = rare in screen.before.kinds or rare in screen.after.kinds
    return tuple((code, name) for code, name in enumerate(LEGEND) if code != rare or seen)


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
