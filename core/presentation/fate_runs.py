"""Runs: neighbouring source messages of one fate, and where in the result they went."""

from __future__ import annotations

from core.presentation.model import FateRun
from core.presentation.preview_columns import PreviewColumns


def fate_runs(shown: PreviewColumns) -> tuple[FateRun, ...]:
    """All runs in source order. A run that went nowhere has an empty stretch of the result.

    A summarised run also covers the inserted messages right behind its summary, so that it reads
    "245 → 2".
    """
    found: list[FateRun] = []
    start, reached = 0, 0
    while start < shown.length:
        end = _run_end(shown, start)
        places = [place for place in shown.went[start:end] if place >= 0]
        if places:
            first, last = min(places), max(places) + 1
            while last < len(shown.origin) and shown.origin[last] < 0:
                last += 1
        else:
            first = last = reached
        found.append(FateRun(shown.fates[start], (start, end), (first, last)))
        reached = last
        start = end
    return tuple(found)


def _run_end(shown: PreviewColumns, start: int) -> int:
    end = start + 1
    while end < shown.length and shown.fates[end] == shown.fates[start] and _joined(shown, end):
        end += 1
    return end


def _joined(shown: PreviewColumns, index: int) -> bool:
    """Whether a message went where the one before it went, or right behind it."""
    before, here = shown.went[index - 1], shown.went[index]
    if before < 0 or here < 0:
        return before == here
    return here in (before, before + 1)
