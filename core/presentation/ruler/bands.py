"""Bands of the ruler: named ranges between the cuts, with labels of two lengths."""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, compress

from core.common import number_format
from core.common.number_format import abbreviated, count
from core.presentation.model import EDITED, FATES, KEPT, SUMMARISED
from core.presentation.preview_columns import (
    PreviewColumns,
    kept_pair_text,
    main_fate,
)
from core.presentation.preview_wording import (
    BOTTOM,
    MIDDLE,
    ONE_SUMMARY,
    TOP,
    cut_moved_text,
    marked_tokens,
    not_counted,
    reduction_text,
    size_standing,
)
from core.presentation.ruler.geometry import CutHandle, RulerBand, RulerTotals
from core.preview.options import Preview
from core.settings.schema import PRESERVE, PROTECTED, TOP_PRESERVE
from core.strategies import top_down
from core.strategies.helpers import MIN_MESSAGES
from core.transcript.compaction import Cut
from core.transcript.model import Speaker

_MAX_BAND_GAP = 12  # protected messages at most this far apart share a band: results are between them


def ruler_bands(columns: PreviewColumns) -> tuple[RulerBand, ...]:
    """Return the ranges between the cuts, else the protected ranges."""
    if not columns.cuts:
        return _protected(columns)
    names = (TOP, MIDDLE, BOTTOM)[-len(columns.cuts) - 1 :]
    edges = [0, *(cut.index for cut in columns.cuts), columns.length]
    ranges = zip(names, edges, edges[1:], strict=False)
    return tuple(
        _band(columns, name, start, end) for name, start, end in ranges if end > start
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
        untouched = f"{number_format.plural(count, 'message')} untouched"
        details = (untouched, number_format.count(count))
        bands.append(RulerBand(first, end, KEPT, BOTTOM, details))
        start = end
    return tuple(bands)


def _band(columns: PreviewColumns, name: str, start: int, end: int) -> RulerBand:
    if columns.compaction.no_op is not None:
        fate = KEPT
    else:
        fate = main_fate(columns, start, end)
    if name == MIDDLE and fate == KEPT and EDITED in columns.fates[start:end]:
        fate = EDITED
    number = Counter(columns.fates[start:end])[fate]
    figure = number_format.count(number)
    tokens = number_format.count(columns.tokens(start, end))
    is_one_summary = fate == SUMMARISED and columns.has_one_summary
    if is_one_summary:
        effect = f"{figure} {ONE_SUMMARY}"
    else:
        effect = f"{figure} {FATES[fate]}"
    if fate == EDITED and name == MIDDLE:
        effect = "old tool results become one line"
    return RulerBand(start, end, fate, name, (f"{effect} · {tokens}", figure))


_DECIDED_BY_TOKENS = (
    "Tokens decide this cut: the oldest go first until the target is met."
)
_OWN_RULE = "This cut follows a rule of {name} that is not a setting."


def cut_handles(columns: PreviewColumns) -> tuple[CutHandle, ...]:
    non_input = _non_input(columns)
    return tuple(
        _handle(columns, number, non_input) for number in range(len(columns.cuts))
    )


def key_of(cut: Cut, options: Sequence[str]) -> str:
    if PROTECTED in options:
        return PROTECTED
    return TOP_PRESERVE if cut.name == "top" else PRESERVE


def _handle(columns: PreviewColumns, number: int, non_input: array[int]) -> CutHandle:
    cut = columns.cuts[number]
    key = key_of(cut, columns.preview.strategy.options)
    if key not in columns.preview.strategy.options:
        stop = array("q", [cut.index])
        by_tokens = columns.preview.strategy.name == top_down.NAME
        if by_tokens:
            reason = _DECIDED_BY_TOKENS
        else:
            reason = _OWN_RULE.format(name=columns.preview.strategy.name)
        return _cut_handle(columns, cut, non_input, "", stop, array("d"), locked=reason)
    if key == PROTECTED:
        return _cut_handle(columns, cut, non_input, key, *_counted_stops(columns))
    stops, values = _stops(columns, non_input, cut.name, *_range(columns, number))
    if cut.index not in stops:  # set by the reference rule, or left by a no-op
        input_index = bisect_left(columns.input_indices, cut.index)
        stop_index = bisect_left(stops, cut.index)
        stops.insert(stop_index, cut.index)
        values.insert(
            stop_index, value_at(cut.name, input_index, len(columns.input_indices))
        )
    return _cut_handle(columns, cut, non_input, key, stops, values)


def _cut_handle(
    columns: PreviewColumns,
    cut: Cut,
    non_input: array[int],
    key: str,
    stops: array[int],
    values: array[float],
    locked: str = "",
) -> CutHandle:
    if key:
        setting = columns.preview.source.values.number(key)
    else:
        setting = 0.0
    return CutHandle(
        name=cut.name,
        key=key,
        index=cut.index,
        requested=cut.requested,
        stops=stops,
        values=values,
        length=columns.length,
        non_input=non_input,
        locked=locked,
        setting=setting,
    )


def _non_input(columns: PreviewColumns) -> array[int]:
    if len(columns.input_indices) == columns.length:
        return array("q")
    return array(
        "q", sorted(set(range(columns.length)).difference(columns.input_indices))
    )


def _range(columns: PreviewColumns, number: int) -> tuple[int, int]:
    """Return the range of a cut, in input messages, for a run with effect."""
    input_indices = columns.input_indices
    cut_ranges = [
        (
            bisect_left(input_indices, cut.requested),
            bisect_left(input_indices, cut.index),
        )
        for cut in columns.cuts
    ]
    name = columns.cuts[number].name
    if name == "tail":
        return 1, len(input_indices) - 1
    if name == "top":  # minimums hold for requested and actual cuts
        return 0, (
            min(cut_ranges[number + 1])
            if number + 1 < len(cut_ranges)
            else len(input_indices)
        ) - MIN_MESSAGES
    return (max(cut_ranges[number - 1]) if number else 0) + MIN_MESSAGES, len(
        input_indices
    )


def _stops(
    columns: PreviewColumns, non_input: array[int], name: str, low: int, high: int
) -> tuple[array[int], array[float]]:
    """Return valid boundaries from low to high (in input messages), and the value for each. Of
    boundaries between the same two input messages only the last counts."""
    valid = columns.preview.source.pairs.valid
    inputs = len(columns.input_indices)
    is_input = bytearray(b"\x01") * columns.length
    for index in non_input:
        is_input[index] = 0
    boundaries = compress(accumulate(is_input, initial=0), valid)
    last = dict(zip(boundaries, compress(range(len(valid)), valid), strict=True))
    allowed = [boundary for boundary in last if low <= boundary <= high]
    return array("q", [last[boundary] for boundary in allowed]), values_at(
        name, allowed, inputs
    )


def _counted_stops(columns: PreviewColumns) -> tuple[array[int], array[float]]:
    """Return valid boundaries and the messages after each; adjacent tool messages count once."""
    valid, input_indices = columns.preview.source.pairs.valid, columns.input_indices
    stops = array("q", [len(valid) - 1])
    values = array("d", [0.0])
    count_after, was_tool = 0, False
    for index in reversed(input_indices):
        is_tool = columns.preview.messages[index].speaker is Speaker.TOOL
        count_after += not (is_tool and was_tool)
        was_tool = is_tool
        if valid[index] and count_after > values[0]:
            stops.insert(0, index)
            values.insert(0, float(count_after))
        elif valid[index]:
            stops[0] = index
    return stops, values


def value_at(name: str, boundary: int, length: int) -> float:
    """Return the value that puts a cut at a boundary and keeps it there when rounded."""
    return values_at(name, (boundary,), length)[0]


def values_at(name: str, boundaries: Sequence[int], length: int) -> array[float]:
    """Return the values that put a cut at boundaries. They lie half a message beside them, so that
    rounding does not move the cut."""
    if not length:
        return array("d", [0.0] * len(boundaries))
    return array("d", [_share_of(name, one, length) for one in boundaries])


def _share_of(name: str, boundary: int, length: int) -> float:
    match name:
        case "top":
            return (boundary - 0.5) / length if boundary else 0.0
        case "tail":
            return (length - boundary + 0.5) / length if boundary else 1.0
        case _:
            return (length - boundary - 0.5) / length if boundary < length else 0.0


def ruler_totals(columns: PreviewColumns) -> RulerTotals:
    """Return the totals, in tokens of the next request."""
    preview, missing = columns.preview, columns.unknown_counts.result
    target, overhead = columns.compaction.target, preview.sizes.overhead_tokens
    reduction = reduction_text(preview)
    if reduction and missing:
        reduction += f" · {not_counted(missing)}"
    bound = columns.is_upper_bound
    after = count(preview.sizes.after_tokens)
    if bound:
        after = f"≤{after}"
    else:
        after = marked_tokens(preview, preview.sizes.after_tokens)
    return RulerTotals(
        limit=preview.sizes.model_limit.tokens,
        trigger=preview.sizes.trigger_tokens,
        target=target,
        limit_labels=_limit_labels(preview),
        trigger_labels=_trigger_labels(preview),
        target_label=f"target {count(target)}" if target is not None else "",
        before_total=number_format.at_least(
            marked_tokens(preview, preview.sizes.before_tokens),
            columns.unknown_counts.source,
        ),
        after_total=number_format.at_least(after, missing),
        before_distance=_distance_text(preview),
        reduction=f"at least {reduction}" if reduction and bound else reduction,
        sentence=moved_cut_text(columns),
        hidden=overhead,
        hidden_name=preview.sizes.overhead_name,
        hidden_labels=hidden_labels(preview),
    )


def hidden_labels(preview: Preview) -> tuple[str, ...]:
    """Name what is in every request and in no message, from longest to shortest."""
    if not (overhead := preview.sizes.overhead_tokens):
        return ()
    short = f"system · {abbreviated(overhead)}"
    return (f"{count(overhead)} {preview.sizes.overhead_name}", short, "system")


def _limit_labels(preview: Preview) -> tuple[str, ...]:
    limit = preview.sizes.model_limit.tokens
    if limit is None:
        return (f"limit {number_format.UNKNOWN}, set", f"limit {number_format.UNKNOWN}")
    texts = (f"limit {count(limit)}", f"limit {abbreviated(limit)}")
    system = f"{count(preview.sizes.system_tokens)} of it system prompt and tools"
    if preview.sizes.system_tokens:
        return (f"{texts[0]}, {system}", *texts)
    return texts


def _trigger_labels(preview: Preview) -> tuple[str, ...]:
    trigger, limit = preview.sizes.trigger_tokens, preview.sizes.model_limit.tokens
    if trigger is None:
        return ()
    if limit:
        share = f"{number_format.setting_percent(trigger / limit)} · "
    else:
        share = ""
    return (f"trigger {share}{count(trigger)}", f"trigger {abbreviated(trigger)}")


def _distance_text(preview: Preview) -> str:
    used = preview.sizes.before_tokens
    limit = preview.sizes.model_limit.tokens
    trigger = preview.sizes.trigger_tokens
    if trigger is None:
        return ""
    return (
        size_standing(used, trigger, limit).text
        or f"{count(trigger - used)} to the trigger"
    )


def moved_cut_text(columns: PreviewColumns) -> str:
    """Return "Top ends after #32, not #30: Edit keeps its result" of the first cut that moved, or
    nothing."""
    for cut in columns.cuts:
        if cut.index != cut.requested:
            text = cut_moved_text(cut, columns.length)
            return ": ".join(filter(None, (text, kept_pair_text(columns, cut))))
    return ""


# Wording of the ruler: axis, pointer, handles, legend, screen reader.
