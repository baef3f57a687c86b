"""Where two lines differ, so that both can be shown from there on."""

from __future__ import annotations

from typing import NamedTuple

LEAD = 24
"""Characters that are shown before the first difference."""
LEAST_SAME = 0.4
"""Least share of a line that stays for its other parts to be marked (aligned rows)."""


class LineDifference(NamedTuple):
    """Both lines are shown from character ``start`` on; [first, old_end) of the old and [first,
    new_end) of the new one differ. ``is_marked`` says whether enough of the line stays to mark
    that."""

    start: int
    first: int
    old_end: int
    new_end: int
    is_marked: bool


def line_difference(old: str, new: str) -> LineDifference:
    """Return where two lines begin and end to differ."""
    shorter = min(len(old), len(new))
    first = next((at for at in range(shorter) if old[at] != new[at]), shorter)
    tail = 0
    while tail < shorter - first and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    same = first + tail
    if old:
        is_marked = same >= LEAST_SAME * len(old)
    else:
        is_marked = False
    if is_marked and first > LEAD:
        start = max(0, first - LEAD)
    else:
        start = 0
    return LineDifference(start, first, len(old) - tail, len(new) - tail, is_marked)
