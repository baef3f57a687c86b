"""Converts tokens to pixels and back, fills pixel columns, zooms; from prefix sums."""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, repeat
from math import inf

from core.presentation.model import FATES, KINDS, FateRun

# What the ruler shows around its two bars of tokens: parts, cuts that can be moved, and totals.


@dataclass(frozen=True, slots=True)
class RulerBand:
    """A named range of messages [start, end); ``details`` from longest to shortest: "12"."""

    start: int
    end: int
    fate: int  # tint: index in FATES
    name: str
    details: tuple[str, ...]

    @property
    def labels(self) -> tuple[str, ...]:
        """The name with each of the details: "Middle · 12"."""
        return tuple(f"{self.name} · {detail}" for detail in self.details)


@dataclass(frozen=True, slots=True, kw_only=True)
class CutHandle:
    """A cut and its possible boundaries.

    ``stops`` are valid boundaries, ascending. ``values[i]`` is the setting's value for
    ``stops[i]``. ``non_input`` are the messages, of ``length``, that are not input of the strategy.
    ``locked`` is why it cannot move, ``setting`` the value of the setting now.
    """

    name: str
    key: str
    index: int
    requested: int
    stops: array[int]
    values: array[float]
    length: int
    non_input: array[int]
    locked: str = ""
    setting: float = 0.0


@dataclass(frozen=True, slots=True)
class CutMove:
    """A cut while it is dragged: the boundary where the drag began and where it is now, and what
    its row says."""

    name: str
    origin: int
    boundary: int
    text: str  # "Top ends after #46"
    detail: str  # "was #32 · keeps 46 · 34,288 tokens"


@dataclass(frozen=True, slots=True)
class RulerMust:
    """A text that must survive, at the first message that says it; ``rank`` is 0 for the worst.
    ``glyph`` and ``tone`` are those of its status, ``words`` say it."""

    message: int
    rank: int
    glyph: str
    tone: str
    words: str


@dataclass(frozen=True, slots=True, kw_only=True)
class RulerTotals:
    """Lines and totals of the ruler, in tokens of the next request; None for a missing line."""

    limit: int | None = None
    trigger: int | None = None
    target: int | None = None
    limit_labels: tuple[str, ...] = ()
    trigger_labels: tuple[str, ...] = ()
    target_label: str = ""
    before_total: str = ""  # "≈148,203"
    after_total: str = ""
    before_distance: str = ""  # "21,797 to the trigger"; the HTML report shows it
    reduction: str = ""  # "−84,445 tokens · −57 %"
    sentence: str = ""  # "Top ends after #32, not #30: Edit keeps its result"
    hidden: int = 0  # tokens of every request in no message
    hidden_name: str = ""  # "system prompt and tools"
    hidden_labels: tuple[str, ...] = ()  # from longest to shortest


NO_MESSAGE = 255
"""Code of a column without a message."""
GAP = 254
"""Code of a column between two visible messages."""

MIN_GAP_WIDTH = 4.0  # pixels from which a message ends in a gap of one pixel
MIN_ERROR_WIDTH, MAX_ERROR_WIDTH = 3.0, 10.0  # width of the mark of an error, pixels
MAX_LABEL_DISTANCE = 150.0  # axis labels further apart get more between them, pixels
# Pixels between two marks or calls that are painted apart.
_MARK_DISTANCE, _PAIR_DISTANCE = (
    4.0,
    3.0,
)
MUST_DISTANCE = 13.0  # pixels between the glyphs of two musts
MAX_ZOOM_WIDTH = 24.0  # width of the message at the pointer at the closest zoom, pixels

# Human turns and summaries are few and small between masses of tool output, changes between kept
# messages too: each counts double so that its column survives.
KIND_WEIGHTS = tuple(2 if kind in ("human", "summary") else 1 for kind in KINDS)
FATE_WEIGHTS = tuple(1 if fate == "kept" else 2 for fate in (*FATES, "inserted"))


def prefix_sums(tokens: Sequence[int], start: int = 0) -> array[int]:
    """Return where each message begins, and where the last one ends, the first at ``start``;
    uncounted messages (-1) are 0."""
    counted = map(max, tokens, repeat(0)) if tokens and min(tokens) < 0 else tokens
    return array("q", accumulate(counted, initial=start))


@dataclass(frozen=True, slots=True)
class TokenBar:
    """Messages by ``codes`` (of KINDS, or of FATES and inserted), with the prefix sums of their
    tokens."""

    sums: Sequence[int]
    codes: bytes

    def tokens_by_code(self, first: int, end: int) -> list[int]:
        """Return the tokens of each code in the messages [first, end)."""
        tokens = [0] * len(FATE_WEIGHTS)
        sums = self.sums
        for index in range(first, end):
            tokens[self.codes[index]] += sums[index + 1] - sums[index]
        return tokens


@dataclass(frozen=True, slots=True)
class RulerRange:
    """The visible range: ``span`` tokens from ``start`` on ``width`` pixels. ``total`` is the whole
    ruler."""

    start: float
    span: float
    width: int
    total: int

    @property
    def scale(self) -> float:
        return self.width / self.span

    @property
    def zoomed(self) -> bool:
        return self.span < self.total

    def x(self, tokens: float) -> float:
        """Return the pixel of a position in tokens, also outside the view."""
        return (tokens - self.start) * self.scale

    def tokens(self, x: float) -> float:
        return self.start + x / self.scale


def whole_range(total: int, width: int) -> RulerRange:
    size = max(1, total)
    return RulerRange(0.0, float(size), max(1, width), size)


def fit_range(view: RulerRange, total: int, width: int) -> RulerRange:
    """Keep the range after the content or width changed; a whole range stays whole."""
    size = max(1, total)
    if view.zoomed:
        span = min(view.span, size)
    else:
        span = float(size)
    return RulerRange(max(0.0, min(view.start, size - span)), span, max(1, width), size)


def pan_range(view: RulerRange, pixels: float) -> RulerRange:
    start = view.start + pixels / view.scale
    return replace(view, start=max(0.0, min(start, view.total - view.span)))


def zoom_range(
    view: RulerRange, x: float, factor: float, sums: Sequence[int]
) -> RulerRange:
    """Scale the range by ``factor`` (above 1: closer) around pixel ``x``. The message at the
    pointer gets at most MAX_ZOOM_WIDTH pixels; zooming in never zooms out."""
    pointer = view.tokens(x)
    index = message_at(sums, pointer)
    size = max(1, sums[index + 1] - sums[index]) if index >= 0 else view.span
    min_span = min(view.span, max(1.0, size * view.width / MAX_ZOOM_WIDTH))
    span = min(float(view.total), max(min_span, view.span / factor))
    start = pointer - (pointer - view.start) * span / view.span
    return replace(view, start=max(0.0, min(start, view.total - span)), span=span)


def range_between(view: RulerRange, first: float, last: float) -> RulerRange:
    span = max(1.0, min(last - first, view.total))
    return replace(view, start=max(0.0, min(first, view.total - span)), span=span)


def message_at(sums: Sequence[int], tokens: float) -> int:
    """Return the message at a position in tokens, -1 outside the history."""
    if 0 <= tokens < sums[-1]:
        return bisect_right(sums, tokens) - 1
    return -1


def messages_in(sums: Sequence[int], view: RulerRange, x: float) -> tuple[int, int]:
    """Return the messages [first, end) of the pixel column at ``x``; (0, 0) for none."""
    column = int(x // 1)
    first = message_at(sums, view.tokens(column))
    if first < 0:
        return (0, 0)
    end = bisect_left(sums, min(view.tokens(column + 1), sums[-1]))
    return (first, max(first + 1, end))


def pixel_columns(
    bar: TokenBar, view: RulerRange, weights: Sequence[int], *, gaps: bool = True
) -> bytes:
    """Return a code per pixel: the one with most weighted tokens. NO_MESSAGE is outside the
    history; GAP ends each message of at least four pixels."""
    result = bytearray([NO_MESSAGE]) * view.width
    sums = list(bar.sums)
    codes = bar.codes
    size = len(bar.codes)
    step = 1 / view.scale
    min_gap_tokens = MIN_GAP_WIDTH / view.scale
    if view.start < sums[0]:
        index = 0
    else:
        index = message_at(sums, view.start)
    first = max(0, int(view.x(sums[0])))
    for x in range(first, view.width if index >= 0 and size else first):
        edge = view.start + (x + 1) * step
        after = bisect_right(sums, edge, index) - 1
        if after == index:
            result[x] = codes[index]
            continue
        end = min(
            size,
            after + 1 if sums[after] < edge else bisect_left(sums, edge, index, after),
        )
        if gaps and sums[index + 1] - sums[index] >= min_gap_tokens:
            result[x] = GAP
        elif codes.count(codes[index], index, end) == end - index:
            result[x] = codes[index]
        else:
            weighted = [0.0] * len(weights)  # a plain loop: this runs for most pixels
            ends = sums[index + 1 : end + 1]
            for code, low, high in zip(
                codes[index:end], sums[index:end], ends, strict=True
            ):
                weighted[code] += weights[code] * (high - low)
            weighted[codes[index]] -= weights[codes[index]] * max(
                0.0, edge - step - sums[index]
            )
            weighted[codes[end - 1]] -= weights[codes[end - 1]] * max(
                0.0, sums[end] - edge
            )
            result[x] = weighted.index(max(weighted))
        if after >= size:
            break
        index = after
    return bytes(result)


def code_spans(codes: bytes, code: int) -> Iterator[tuple[int, int]]:
    """Return the ranges [x, end) of columns with one code, left to right."""
    byte = bytes([code])
    x = codes.find(byte)
    while x >= 0:
        remaining = codes[x:]
        end = x + len(remaining) - len(remaining.lstrip(byte))
        yield (x, end)
        x = codes.find(byte, end)


def error_marks(
    sums: Sequence[int], errors: bytes, view: RulerRange
) -> Iterator[tuple[float, float]]:
    """Yield left and right pixel of each failed result's mark in view, without overlaps."""
    last_right = 0.0
    index = errors.find(1, max(0, message_at(sums, view.start)))
    while index >= 0:
        left = view.x(sums[index])
        right = view.x(sums[index + 1])
        if left >= view.width:
            return
        right = max(right - (right - left >= MIN_GAP_WIDTH), left + MIN_ERROR_WIDTH)
        right = min(right, left + MAX_ERROR_WIDTH)
        if right > last_right:
            yield (max(left, last_right), right)
            last_right = right
        index = errors.find(
            1, max(index + 1, message_at(sums, view.tokens(last_right - 1)))
        )


def _middle(sums: Sequence[int], index: int) -> float:
    """Return the middle of a message in tokens."""
    return (sums[index] + sums[index + 1]) / 2


def mark_positions(
    messages: Sequence[int], sums: Sequence[int], view: RulerRange
) -> Iterator[float]:
    """Yield the centres of these messages (ascending) as pixels in view, no two too near."""
    last_x = -_MARK_DISTANCE
    for index in messages:
        if index + 1 >= len(sums):
            return
        x = view.x(_middle(sums, index))
        if x >= last_x + _MARK_DISTANCE and 0 <= x < view.width:
            last_x = x
            yield x


def marks_near(
    messages: Sequence[int], sums: Sequence[int], view: RulerRange, x: float
) -> Sequence[int]:
    """Return the messages (ascending) whose centre is as near to pixel x as a mark."""

    def middle(index: int) -> float:
        if index + 1 < len(sums):
            return _middle(sums, index)
        return inf

    low = view.tokens(x - _MARK_DISTANCE)
    high = view.tokens(x + _MARK_DISTANCE)
    return messages[
        bisect_left(messages, low, key=middle) : bisect_right(
            messages, high, key=middle
        )
    ]


def must_groups(
    marks: Sequence[RulerMust], sums: Sequence[int], view: RulerRange
) -> list[tuple[float, list[RulerMust]]]:
    """Return the marks in view (ascending) with their pixels; those too near to the one before
    them stand with it, the worst of a group first."""
    groups: list[tuple[float, list[RulerMust]]] = []
    for mark in marks:
        if mark.message + 1 >= len(sums):
            break
        x = view.x((sums[mark.message] + sums[mark.message + 1]) / 2)
        if not 0 <= x < view.width:
            continue
        if groups and x - groups[-1][0] < MUST_DISTANCE:
            groups[-1][1].append(mark)
        else:
            groups.append((x, [mark]))
    for _, group in groups:
        group.sort(key=lambda mark: mark.rank)
    return groups


def match_positions(
    mask: bytes, sums: Sequence[int], view: RulerRange
) -> Iterator[float]:
    """Yield the centres of matching messages as pixels in view, no two too near, in time linear in
    pixels."""
    index = mask.find(1, max(0, bisect_right(sums, view.start) - 1))
    while 0 <= index < len(sums) - 1:
        x = view.x(_middle(sums, index))
        if x >= view.width:
            return
        if x >= 0:
            yield x
        index = mask.find(
            1, max(index + 1, bisect_right(sums, view.tokens(x + _MARK_DISTANCE)) - 1)
        )


def pair_groups(partners: Mapping[int, tuple[int, ...]]) -> list[tuple[int, int]]:
    """Return (call, last result) of all calls, by call, as the partners are ordered."""
    return [
        (call, last)
        for call, others in partners.items()
        if (last := max(others)) > call
    ]


def pair_spans(
    groups: Sequence[tuple[int, int]], sums: Sequence[int], view: RulerRange
) -> Iterator[tuple[float, float]]:
    """Yield the middles of calls and of their last results as pixels, no two calls too near, in
    time linear in pixels."""
    number = max(0, bisect_left(groups, (max(0, message_at(sums, view.start)), 0)) - 1)
    least = -inf
    while number < len(groups) and groups[number][1] + 1 < len(sums):
        call, result = groups[number]
        left = view.x(_middle(sums, call))
        if left >= view.width:
            return
        if left >= least:
            yield left, view.x(_middle(sums, result))
            least = left + _PAIR_DISTANCE
        next_call = bisect_right(sums, view.tokens(least)) - 1
        number = max(number + 1, bisect_left(groups, (next_call, 0)))


def axis_ticks(
    view: RulerRange, min_label_distance: float = 60.0
) -> list[tuple[float, int, bool]]:
    """Return marks of the axis as (pixel, tokens, labelled), five to a label. Labels are every
    50,000 tokens; if they are too close or sparse, at another 1, 2 or 5 times a power of ten."""
    steps = [unit * 10**power for power in range(1, 12) for unit in (1, 2, 5)]
    step_index = steps.index(50_000)
    while steps[step_index] * view.scale < min_label_distance:
        step_index += 1
    while (
        step_index
        and steps[step_index] * view.scale >= MAX_LABEL_DISTANCE
        and steps[step_index - 1] * view.scale >= min_label_distance
    ):
        step_index -= 1
    step = steps[step_index]
    tick_step = max(1, step // 5)
    first = int(-(-view.start // tick_step))
    last = int((view.start + view.span) // tick_step)
    return [
        (view.x(i * tick_step), i * tick_step, i * tick_step % step == 0)
        for i in range(first, last + 1)
    ]


def boundary_pixels(
    valid: bytes, sums: Sequence[int], view: RulerRange
) -> list[tuple[float, float]]:
    """Return valid boundaries as (pixel, right end of the following range without one). No two
    are too near. The end equals the pixel if no such range follows."""
    result: list[tuple[float, float]] = []
    boundary = valid.find(1, max(0, bisect_left(sums, view.start)))
    while 0 <= boundary < len(sums):
        x = view.x(sums[boundary])
        if x > view.width:
            break
        after = valid.find(1, boundary + 1)
        if after > boundary + 1:
            end = view.x(sums[after])
        else:
            end = x
        result.append((x, end if end - x >= _MARK_DISTANCE else x))
        boundary = valid.find(
            1, max(boundary + 1, bisect_left(sums, view.tokens(x + _MARK_DISTANCE)))
        )
    return result


def nearest_boundary(stops: Sequence[int], boundary: int) -> int:
    """Return the index in ``stops`` (ascending) nearest to a boundary."""
    index = bisect_left(stops, boundary)
    candidates = range(max(0, index - 1), min(len(stops), index + 1))
    return min(candidates, key=lambda i: abs(stops[i] - boundary), default=0)


def nearest_stop(stops: Sequence[int], sums: Sequence[int], tokens: float) -> int:
    """Return the index in ``stops`` (ascending) nearest to a position in tokens."""
    index = bisect_left(stops, bisect_left(sums, tokens))
    candidates = range(max(0, index - 1), min(len(stops), index + 1))
    return min(candidates, key=lambda i: abs(sums[stops[i]] - tokens), default=0)


MIN_SHAPE_WIDTH = 26.0  # pixels below which neighbouring runs share one trapezoid


@dataclass(frozen=True, slots=True)
class RunShape:
    """A trapezoid: pixel ranges of its upper (source) and lower (result) side."""

    fate: int
    upper: tuple[float, float]
    lower: tuple[float, float]


@dataclass(frozen=True, slots=True)
class RunLane:
    """``fates`` are the source messages by fate, ``after`` prefix sums of the result."""

    runs: tuple[FateRun, ...]
    fates: TokenBar
    after: Sequence[int]


def run_shapes(lane: RunLane, view: RulerRange) -> list[RunShape]:
    """Return the trapezoids in view, left to right. Runs narrower than MIN_SHAPE_WIDTH join narrow
    neighbours and take the fate with most tokens. Runs out of view are skipped by bisection."""
    result: list[RunShape] = []
    i = min(
        _first_reaching(lane, view.start, 0, upper=upper) for upper in (True, False)
    )
    while i < len(lane.runs):
        end = _group_end(lane, i, MIN_SHAPE_WIDTH / view.scale)
        shape = _shape(lane, i, end, view)
        if min(shape.upper[0], shape.lower[0]) > view.width:
            break
        if any(
            side[1] >= 0 and side[0] <= view.width
            for side in (shape.upper, shape.lower)
        ):
            result.append(shape)
        elif shape.upper[0] > view.width or shape.lower[0] > view.width:
            end = max(
                end, _first_reaching(lane, view.start, end, upper=shape.upper[1] < 0)
            )
        i = end
    return result


def _first_reaching(lane: RunLane, tokens: float, start: int, *, upper: bool) -> int:
    """Return the first run from ``start`` on whose side ends at or after ``tokens``."""

    def end_of(run: FateRun) -> float:
        if upper:
            return lane.fates.sums[run.before[1]]
        return lane.after[run.after[1]]

    return bisect_left(lane.runs, tokens, start, key=end_of)


def _shape(lane: RunLane, i: int, end: int, view: RulerRange) -> RunShape:
    first_run = lane.runs[i]
    last_run = lane.runs[end - 1]
    low, high = first_run.before[0], last_run.before[1]
    fate = first_run.fate
    if end > i + 1:
        tokens = lane.fates.tokens_by_code(low, high)
        fate = tokens.index(max(tokens))
    upper = (view.x(lane.fates.sums[low]), view.x(lane.fates.sums[high]))
    lower = (
        view.x(lane.after[first_run.after[0]]),
        view.x(lane.after[last_run.after[1]]),
    )
    return RunShape(fate, upper, lower)


def _group_end(lane: RunLane, i: int, min_tokens: float) -> int:
    """Return the run after the group that starts at ``i``, by bisection."""
    sums = lane.fates.sums
    message = bisect_left(sums, sums[lane.runs[i].before[0]] + min_tokens)
    j = max(i, bisect_left(lane.runs, message, i, key=lambda run: run.before[0]) - 1)
    if j == i:
        return i + 1
    low, high = lane.runs[j].before  # the first run that reaches the least width
    if sums[high] - sums[low] >= min_tokens:
        return j
    return j + 1
