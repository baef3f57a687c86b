"""Bands of the ruler: named ranges between the cuts, with labels of several lengths."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from core.common import number_format
from core.presentation.model import FATES
from core.presentation.preview_columns import DROPPED, EDITED, KEPT, PreviewColumns, main_fate
from core.presentation.ruler.model import RulerBand
from core.transcript.compaction import NoOp

_NAMES: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("top", "bottom"): ("top", "middle", "bottom"),
    ("tail",): ("head", "protected tail"),
    ("cut",): ("older", "bottom"),
}
_TRUNCATION_NAMES = ("oldest", "rest")
_TIERED_NAMES = ("older", "protected")
_MAX_BAND_GAP = 12  # protected messages at most this far apart share a band: results are between them


def ruler_bands(columns: PreviewColumns) -> tuple[RulerBand, ...]:
    """Return the ranges between the cuts, else the protected ranges."""
    if not columns.cuts:
        return _protected(columns)
    names = band_names(columns)
    edges = [0, *(cut.index for cut in columns.cuts), columns.length]
    ranges = zip(names, edges, edges[1:], strict=False)
    return tuple(_band(columns, name, start, end) for name, start, end in ranges if end > start)


def band_names(columns: PreviewColumns) -> tuple[str, ...]:
    """Return the names of the ranges between the cuts, in order."""
    cuts = tuple(cut.name for cut in columns.cuts)
    if columns.compaction.tiers:
        return _TIERED_NAMES
    if columns.compaction.summary is None and cuts == ("cut",):
        return _TRUNCATION_NAMES
    return _NAMES.get(cuts, tuple(f"part {number}" for number in range(1, len(cuts) + 2)))


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
        bands += [_band(columns, _TIERED_NAMES[0], start, first)] if first > start else []
        label = f"protected · {number_format.plural(_count(columns, first, end), 'message')}"
        bands.append(RulerBand(first, end, KEPT, (label, _TIERED_NAMES[1])))
        start = end
    return tuple(bands)


def _count(columns: PreviewColumns, first: int, end: int) -> int:
    return sum(first <= index < end for index in columns.compaction.protected)


def _band(columns: PreviewColumns, name: str, start: int, end: int) -> RulerBand:
    fate = KEPT if isinstance(columns.compaction.no_op, NoOp) else main_fate(columns, start, end)
    if name == "head" and EDITED in columns.fates[start:end]:
        fate = EDITED
    messages, tokens = end - start, number_format.count(columns.tokens(start, end))
    if fate == EDITED:
        effect = "tool results to one line" if name == "head" else FATES[EDITED]
        name_and_effect = " · ".join(filter(None, (name, effect)))
        full_label = " · ".join(filter(None, (name_and_effect, number_format.plural(messages, "message"))))
        return RulerBand(
            start,
            end,
            fate,
            (full_label, name_and_effect, " ".join(filter(None, (name, number_format.count(messages))))),
        )
    fate_count = Counter(columns.fates[start:end])[fate]
    count_label = f"{name} · {number_format.count(fate_count)} {FATES[fate]}"
    short_label = " ".join(filter(None, (name, number_format.count(fate_count))))
    is_tail = name == "protected tail"
    labels = (
        (count_label, short_label)
        if is_tail
        else (" · ".join(filter(None, (count_label, tokens))), count_label, short_label)
    )
    return RulerBand(start, end, fate if fate != DROPPED or fate_count else KEPT, labels)
