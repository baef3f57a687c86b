"""The ruler as a figure: before, fates, folds and after on one token scale (ui.md section 6). Bars are SVG
stretched with the page; labels are HTML above it and stay sharp at any width."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import groupby

from markupsafe import Markup

from core.common import number_format
from core.presentation.lists.row_wording import whole_folds
from core.presentation.model import FATES, KINDS, Screen
from core.presentation.palette import FATE_SHAPES
from core.presentation.ruler import wording as ruler_text
from core.presentation.ruler.fold_lane import FoldLane, fold_shapes
from core.presentation.ruler.geometry import (
    FATE_WEIGHTS,
    GAP,
    KIND_WEIGHTS,
    NO_MESSAGE,
    RulerRange,
    TokenBar,
    axis_ticks,
    error_marks,
    pixel_columns,
    prefix_sums,
    whole_range,
)
from core.presentation.ruler.model import RulerBand

_CIRCLE = re.compile(r"O ([\d.]+) ([\d.]+) ([\d.]+) ?")


def glyph_symbols() -> str:
    """Return the definitions of the fates' glyphs, which the template refers to."""
    symbols = "".join(
        f'<symbol id="g-{name}" viewBox="0 0 12 12">{"".join(_shape(*shape) for shape in shapes)}</symbol>'
        for name, shapes in FATE_SHAPES.items()
    )
    return f'<svg class="defs" aria-hidden="true">{symbols}</svg>'


def _shape(path: str, width: float) -> str:
    attributes = f'stroke-width="{width:g}"' if width else 'fill="currentColor" stroke="none"'
    circles = (f'<circle cx="{x}" cy="{y}" r="{r}" {attributes}/>' for x, y, r in _CIRCLE.findall(path))
    lines = _CIRCLE.sub("", path)
    return "".join(circles) + (f'<path d="{lines}" {attributes}/>' if lines else "")


WIDTH = 1_200
"""Columns of the figure, scaled by the page."""

_BEFORE, _STRIP, _LANE, _AFTER, _HEIGHT = (0, 36), (38, 45), (46, 82), (82, 118), 118
_EDITED, _DROPPED, _KEPT = FATES.index("edited"), FATES.index("dropped"), FATES.index("kept")
_SYSTEM = KINDS.index("system")
_LETTER_WIDTH = 7.2  # columns per letter of a band label
_FAINT_WIDTH = 8.0  # columns below which the edges of a fold are faint
_TICK_DISTANCES = (("wide-only", 60.0), ("narrow-only", 260.0))
"""Columns between two labels of the axis, on a wide and a narrow page."""


def ruler_values(screen: Screen) -> dict[str, object]:
    """Return what the template writes of the ruler, with the window's wording."""
    marks, hidden = screen.marks, screen.marks.hidden
    before = TokenBar(prefix_sums(screen.before.tokens), screen.before.kinds)
    strip = TokenBar(before.sums, screen.fates)
    after = TokenBar(prefix_sums(screen.after.tokens), screen.after.kinds)
    view = whole_range(max(max(before.sums[-1], after.sums[-1]) + hidden, marks.limit or 0), WIDTH)
    shapes = (
        *_token_bar(before, screen.before.errors, view, _BEFORE, hidden),
        *_fate_strip(strip, view),
        *_folds(screen, strip, after, view),
        *_token_bar(after, screen.after.errors, view, _AFTER, hidden),
        *_ruler_lines(screen, before, view),
    )
    return {
        "box": f"0 0 {WIDTH} {_HEIGHT}",
        "spoken": ruler_text.spoken_ruler(screen),
        "shapes": Markup("".join(shapes)),
        "axis": [(css, _axis_labels(view, distance)) for css, distance in _TICK_DISTANCES],
        "bands": list(_bands(screen, before, view)),
        "totals": ((ruler_text.BEFORE, marks.before_total), (ruler_text.AFTER, marks.after_total)),
        "saved_left": _percent(view, after.sums[-1] + hidden),
        "saved_tone": "error" if after.sums[-1] > before.sums[-1] else "ok",
        "room_right": _room_right(screen, before.sums[-1] + hidden, view),
        "legend": list(_legend(screen)),
    }


def _percent(view: RulerRange, tokens: float) -> str:
    return f"{100 * view.x(tokens) / view.width:.2f}%"


def _path(css: str, boxes: Iterable[tuple[float, float, float, float]]) -> str:
    drawn = "".join(f"M{x:g} {y:g}h{width:g}v{height:g}h-{width:g}z" for x, y, width, height in boxes)
    return f'<path class="{css}" d="{drawn}"/>' if drawn else ""


def _column_runs(codes: bytes) -> dict[int, list[tuple[int, int]]]:
    """Return runs [x, end) of equal columns by code, without gaps and empty columns."""
    runs: dict[int, list[tuple[int, int]]] = {}
    x = 0
    for code, group in groupby(codes):
        end = x + sum(1 for _ in group)
        if code not in (GAP, NO_MESSAGE):
            runs.setdefault(code, []).append((x, end))
        x = end
    return runs


def _token_bar(
    sums: TokenBar, errors: bytes, view: RulerRange, lane: tuple[int, int], hidden: int
) -> Iterator[str]:
    top, height = lane[0], lane[1] - lane[0]
    yield f'<rect class="free" y="{top}" width="{WIDTH}" height="{height}"/>'
    end = view.x(sums.sums[-1])
    yield f'<rect class="ground" y="{top}" width="{end:g}" height="{height}"/>'
    for code, column_runs in sorted(_column_runs(pixel_columns(sums, view, KIND_WEIGHTS)).items()):
        boxes = [(x, top, end_x - x, height) for x, end_x in column_runs]
        yield _path(f"p k{code}", boxes)
        if code == _SYSTEM:
            yield _path("hatched", boxes)
    marks = [(left, top, right - left, 5) for left, right in error_marks(sums.sums, errors, view)]
    yield _path("cap", marks)
    yield f'<rect class="frame" y="{top}" width="{end:g}" height="{height}"/>'
    if hidden:
        width = view.x(sums.sums[-1] + hidden) - end
        yield _path("hatched", [(end, top, width, height)])
        yield f'<rect class="frame" x="{end:g}" y="{top}" width="{width:g}" height="{height}"/>'


def _fate_strip(sums: TokenBar, view: RulerRange) -> Iterator[str]:
    top, bottom = _STRIP
    for code, column_runs in sorted(
        _column_runs(pixel_columns(sums, view, FATE_WEIGHTS, gaps=False)).items()
    ):
        if code == _KEPT:
            continue
        height = (bottom - top) / 2 if code == _EDITED else bottom - top
        boxes = [(x, top, end_x - x, height) for x, end_x in column_runs]
        yield _path(f"p f{code}", boxes)
        if code == _DROPPED:
            yield _path("hatched", boxes)


def _folds(screen: Screen, strip: TokenBar, after: TokenBar, view: RulerRange) -> Iterator[str]:
    top, bottom = _LANE
    for fold in fold_shapes(FoldLane(whole_folds(screen.runs), strip, after.sums), view):
        (a, b), (c, d) = fold.upper, fold.lower
        quiet_class = " quiet" if fold.fate == _KEPT else ""
        css = f"fold f{fold.fate}{quiet_class}{' thin' if min(b - a, d - c) < _FAINT_WIDTH else ''}"
        yield f'<path class="{css}" d="M{a:.1f} {top}L{b:.1f} {top}L{d:.1f} {bottom}L{c:.1f} {bottom}z"/>'


def _ruler_lines(screen: Screen, before: TokenBar, view: RulerRange) -> Iterator[str]:
    marks = screen.marks
    for css, tokens, top in (
        ("trigger", marks.trigger, 0),
        ("limit", marks.limit, 0),
        ("target", marks.target, _LANE[0]),
    ):
        if tokens is not None:
            yield _ruler_line(css, view.x(tokens), top, _HEIGHT)
    for handle in screen.handles:
        if 0 <= handle.index < len(before.sums):
            yield _ruler_line("cut", view.x(before.sums[handle.index]), 0, _STRIP[1])
        if handle.requested != handle.index and 0 <= handle.requested < len(before.sums):
            yield _ruler_line("asked", view.x(before.sums[handle.requested]), 0, _STRIP[1])


def _ruler_line(css: str, x: float, top: float, bottom: float) -> str:
    x = min(max(x, 0.75), WIDTH - 0.75)
    return f'<path class="line {css}" d="M{x:g} {top:g}V{bottom:g}"/>'


def _axis_labels(view: RulerRange, min_distance: float) -> list[tuple[str, str]]:
    ticks = axis_ticks(view, min_distance)
    shown = [(x, tokens) for x, tokens, is_labelled in ticks if is_labelled and x < view.width * 0.97]
    return [(f"{100 * x / view.width:.2f}%", ruler_text.axis_label(tokens)) for x, tokens in shown]


def _bands(screen: Screen, before: TokenBar, view: RulerRange) -> Iterator[tuple[RulerBand, str, str, str]]:
    """Yield each band with left edge, width and the longest label that fits a wide page; a narrower one
    clips it."""
    for band in screen.bands:
        left, right = before.sums[band.start], before.sums[band.end]
        letters = view.x(right - left) / _LETTER_WIDTH - 2
        label = next((label for label in band.labels if len(label) <= letters), band.labels[-1])
        yield band, _percent(view, left), _percent(view, right - left), label


def _room_right(screen: Screen, used_tokens: int, view: RulerRange) -> str:
    """Return the right edge of the free space after the upper bar, "" without room for its label."""
    marks = screen.marks
    end = marks.trigger if marks.trigger and marks.trigger > used_tokens else marks.limit
    if end is None or end <= used_tokens or view.x(end - used_tokens) < WIDTH / 6:
        return ""
    return f"{100 - 100 * view.x(end) / view.width:.2f}%"


def _legend(screen: Screen) -> Iterator[tuple[str, str]]:
    marks = screen.marks
    yield from ((f"sw k{code}", name) for code, name in ruler_text.legend_kinds(screen))
    yield "sw cap", ruler_text.ERROR
    for css, labels in (
        ("mark trigger", marks.trigger_labels),
        ("mark limit", marks.limit_labels),
        ("mark target", (marks.target_label,)),
    ):
        yield from ((css, label) for label in labels[:1] if label and number_format.UNKNOWN not in label)
    if marks.hidden_labels:
        yield "sw hatched", marks.hidden_labels[0]
    if ruler_text.has_moved_cut(screen):
        yield "mark asked", ruler_text.REQUESTED_CUT
