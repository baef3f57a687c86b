"""Bands of the ruler: named ranges between the cuts, with labels of two lengths."""

from __future__ import annotations

from collections import Counter

from core.common import number_format
from core.presentation.model import FATES
from core.presentation.preview_columns import EDITED, KEPT, SUMMARISED, PreviewColumns, main_fate
from core.presentation.ruler.model import RulerBand
from core.transcript.compaction import Cut

TOP, MIDDLE, BOTTOM = "Top", "Middle", "Bottom"
_MAX_BAND_GAP = 12  # protected messages at most this far apart share a band: results are between them


def ruler_bands(columns: PreviewColumns) -> tuple[RulerBand, ...]:
    """Return the ranges between the cuts, else the protected ranges."""
    if not columns.cuts:
        return _protected(columns)
    names = (TOP, MIDDLE, BOTTOM)[-len(columns.cuts) - 1 :]
    edges = [0, *(cut.index for cut in columns.cuts), columns.length]
    ranges = zip(names, edges, edges[1:], strict=False)
    return tuple(_band(columns, name, start, end) for name, start, end in ranges if end > start)


def cut_text(cut: Cut, index: int, length: int) -> str:
    """Return "Top ends after #32" or "Bottom starts at #122" for a cut at ``index``."""
    if cut.name == "top":
        return f"{TOP} ends after #{index:,}" if index else f"{TOP} is empty"
    return (
        f"{BOTTOM} starts at {number_format.message_number(index)}"
        if index < length
        else f"{BOTTOM} is empty"
    )


def _protected(columns: PreviewColumns) -> tuple[RulerBand, ...]:
    """Return a band per protected range and per range before one."""
    ranges: list[tuple[int, int]] = []
    for index in columns.compaction.protected:
        if ranges and index - ranges[-1][1] < _MAX_BAND_GAP:
            ranges[-1] = (ranges[-1][0], index + 1)
        else:
            ranges.append((index, index + 1))
    bands, start = [], 0
    for first, end in ranges:
        bands += [_band(columns, MIDDLE, start, first)] if first > start else []
        count = sum(first <= index < end for index in columns.compaction.protected)
        label = f"{BOTTOM} · {number_format.plural(count, 'message')} untouched"
        bands.append(RulerBand(first, end, KEPT, (label, f"{BOTTOM} · {number_format.count(count)}")))
        start = end
    return tuple(bands)


def _band(columns: PreviewColumns, name: str, start: int, end: int) -> RulerBand:
    fate = KEPT if columns.compaction.no_op is not None else main_fate(columns, start, end)
    if name == MIDDLE and fate == KEPT and EDITED in columns.fates[start:end]:
        fate = EDITED
    number = Counter(columns.fates[start:end])[fate]
    figure, tokens = number_format.count(number), number_format.count(columns.tokens(start, end))
    is_one_summary = fate == SUMMARISED and columns.compaction.summary is not None
    effect = f"{figure} become one summary" if is_one_summary else f"{figure} {FATES[fate]}"
    if fate == EDITED and name == MIDDLE:
        effect = "old tool results become one line"
    return RulerBand(start, end, fate, (f"{name} · {effect} · {tokens}", f"{name} · {figure}"))
