"""Bands of the ruler: the named stretches between the cuts, with labels that shrink."""

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
_DROPPING = ("oldest", "rest")
_TIERED = ("older", "protected")
_NEAR = 12  # protected messages no further apart than this are in one band: results lie between them


def ruler_bands(shown: PreviewColumns) -> tuple[RulerBand, ...]:
    """The stretches that the strategy works with; those it protects where it makes no split."""
    if not shown.cuts:
        return _protected(shown)
    names = band_names(shown)
    edges = [0, *(cut.index for cut in shown.cuts), shown.length]
    stretches = zip(names, edges, edges[1:], strict=False)
    return tuple(_band(shown, name, start, end) for name, start, end in stretches if end > start)


def band_names(shown: PreviewColumns) -> tuple[str, ...]:
    """What the stretches between the cuts are called, in order."""
    cuts = tuple(cut.name for cut in shown.cuts)
    if shown.compaction.tiers:
        return _TIERED
    if shown.compaction.summary is None and cuts == ("cut",):
        return _DROPPING
    return _NAMES.get(cuts, tuple(f"part {number}" for number in range(1, len(cuts) + 2)))


def _protected(shown: PreviewColumns) -> tuple[RulerBand, ...]:
    """One band for each stretch in which most messages are protected, and what lies before them."""
    stretches: list[tuple[int, int]] = []
    for index in shown.compaction.protected:
        if stretches and index - stretches[-1][1] < _NEAR:
            stretches[-1] = (stretches[-1][0], index + 1)
        else:
            stretches.append((index, index + 1))
    found, start = [], 0
    for first, end in stretches:
        found += [_band(shown, _TIERED[0], start, first)] if first > start else []
        label = f"protected · {number_format.plural(_count(shown, first, end), 'message')}"
        found.append(RulerBand(first, end, KEPT, (label, _TIERED[1])))
        start = end
    return tuple(found)


def _count(shown: PreviewColumns, first: int, end: int) -> int:
    return sum(first <= index < end for index in shown.compaction.protected)


def _band(shown: PreviewColumns, name: str, start: int, end: int) -> RulerBand:
    fate = KEPT if isinstance(shown.compaction.no_op, NoOp) else main_fate(shown, start, end)
    if name == "head" and EDITED in shown.fates[start:end]:
        fate = EDITED
    messages, tokens = end - start, number_format.count(shown.tokens(start, end))
    if fate == EDITED:
        what = "tool results to one line" if name == "head" else FATES[EDITED]
        named = " · ".join(filter(None, (name, what)))
        full = " · ".join(filter(None, (named, number_format.plural(messages, "message"))))
        return RulerBand(
            start, end, fate, (full, named, " ".join(filter(None, (name, number_format.count(messages)))))
        )
    of_fate = Counter(shown.fates[start:end])[fate]
    counted = f"{name} · {number_format.count(of_fate)} {FATES[fate]}"
    short = " ".join(filter(None, (name, number_format.count(of_fate))))
    is_tail = name == "protected tail"
    labels = (counted, short) if is_tail else (" · ".join(filter(None, (counted, tokens))), counted, short)
    return RulerBand(start, end, fate if fate != DROPPED or of_fate else KEPT, labels)
