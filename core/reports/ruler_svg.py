"""The ruler as a figure: before, fates, folds and after on one token scale (ui.md section 6). Bars are SVG
stretched with the page; labels are HTML above it and stay sharp at any width."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from core.common import number_format
from core.presentation.lists.row_wording import fate_word
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
from core.reports.html_text import attribute_text, escaped_text, isolated_text

_CIRCLE = re.compile(r"O ([\d.]+) ([\d.]+) ([\d.]+) ?")


def glyph_symbols() -> str:
    """Return the definitions that ``glyph_use`` refers to."""
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


def glyph_use(fate: int) -> str:
    """Return the glyph of a fate code; the caller adds a word or label."""
    return f'<svg class="g" aria-hidden="true"><use href="#g-{fate_word(fate)}"/></svg>'


WIDTH = 1_200
"""Columns of the figure, scaled by the page."""

_BEFORE, _STRIP, _LANE, _AFTER, _HEIGHT = (0, 36), (38, 45), (46, 82), (82, 118), 118
_EDITED, _DROPPED, _KEPT = FATES.index("edited"), FATES.index("dropped"), FATES.index("kept")
_SYSTEM = KINDS.index("system")
_LETTER_WIDTH = 7.2  # columns per letter of a band label
_FAINT_WIDTH = 8.0  # columns below which the edges of a fold are faint
_WIDE_TICK_DISTANCE, _NARROW_TICK_DISTANCE = (
    60.0,
    260.0,
)  # columns between two labels of the axis, on a wide and a narrow page


def ruler_figure(screen: Screen) -> str:
    """Return the whole ruler, with the window's wording."""
    before = TokenBar(prefix_sums(screen.before.tokens), screen.before.kinds)
    strip = TokenBar(before.sums, screen.fates)
    after = TokenBar(prefix_sums(screen.after.tokens), screen.after.kinds)
    hidden = screen.marks.hidden
    total = max(max(before.sums[-1], after.sums[-1]) + hidden, screen.marks.limit or 0)
    view = whole_range(total, WIDTH)
    shapes = (
        *_token_bar(before, screen.before.errors, view, _BEFORE, hidden),
        *_fate_strip(strip, view),
        *_folds(screen, strip, after, view),
        *_token_bar(after, screen.after.errors, view, _AFTER, hidden),
        *_ruler_lines(screen, before, view),
    )
    aria_label = attribute_text(ruler_text.spoken_ruler(screen))
    bars = (
        f'<svg class="bars" viewBox="0 0 {WIDTH} {_HEIGHT}" preserveAspectRatio="none" role="img" '
        f'aria-label="{aria_label}"><defs><pattern id="hatch" width="6" height="6" '
        f'patternUnits="userSpaceOnUse"><path class="hatch" d="M-1 1l2-2M0 6l6-6M5 7l2-2"/></pattern></defs>'
        f"{''.join(shapes)}</svg>"
    )
    return (
        f'<figure class="ruler">{_axis(view)}{_bands(screen, before, view)}{_totals(screen)}'
        f'<div class="stage">{bars}{_size_labels(screen, before, after, view)}</div>'
        f"{_legend(screen)}</figure>"
    )


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
    for fold in fold_shapes(FoldLane(screen.runs, strip, after.sums), view):
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


def _axis(view: RulerRange) -> str:
    wide_labels = _axis_labels(view, _WIDE_TICK_DISTANCE, "wide-only")
    return (
        f'<div class="axis" '
        f'aria-hidden="true">{wide_labels}{_axis_labels(view, _NARROW_TICK_DISTANCE, "narrow-only")}</div>'
    )


def _axis_labels(view: RulerRange, min_distance: float, css: str) -> str:
    label_width = view.width * 0.97
    ticks = [
        (x, tokens) for x, tokens, labelled in axis_ticks(view, min_distance) if labelled and x < label_width
    ]
    words = "".join(
        f'<span style="left:{100 * x / view.width:.2f}%">{ruler_text.axis_label(tokens)}</span>'
        for x, tokens in ticks
    )
    return f'<div class="{css}">{words}</div>'


def _bands(screen: Screen, before: TokenBar, view: RulerRange) -> str:
    boxes = []
    for band in screen.bands:
        left, right = before.sums[band.start], before.sums[band.end]
        label = escaped_text(_fitting_label(band.labels, view.x(right - left)))
        boxes.append(
            f'<span class="band f{band.fate}" title="{attribute_text(band.labels[0])}" '
            f'style="left:{_percent(view, left)};width:{_percent(view, right - left)}">{label}</span>'
        )
    return f'<div class="bands">{"".join(boxes)}</div>'


def _fitting_label(labels: Sequence[str], width: float) -> str:
    """Return the longest label that fits a wide page; a narrower page clips it."""
    return next(
        (label for label in labels if len(label) * _LETTER_WIDTH <= width - 2 * _LETTER_WIDTH), labels[-1]
    )


def _totals(screen: Screen) -> str:
    marks = screen.marks
    rows = ((ruler_text.BEFORE, marks.before_total), (ruler_text.AFTER, marks.after_total))
    return '<div class="names">' + "".join(f"<p>{name} <b>{total}</b></p>" for name, total in rows) + "</div>"


def _size_labels(screen: Screen, before: TokenBar, after: TokenBar, view: RulerRange) -> str:
    """Label the free space after the upper bar and the saving after the lower one, if there is room."""
    marks = screen.marks
    saved_text, result_tokens, used_tokens = (
        escaped_text(marks.after_saved),
        after.sums[-1],
        before.sums[-1] + marks.hidden,
    )
    tone = "error" if result_tokens > before.sums[-1] else "ok"
    result_tokens += marks.hidden
    saved_label = (
        f'<span class="saved {tone}" style="left:{_percent(view, result_tokens)}">{saved_text}</span>'
        if saved_text
        else ""
    )
    free_end = marks.trigger if marks.trigger and marks.trigger > used_tokens else marks.limit
    if free_end is None or free_end <= used_tokens or view.x(free_end - used_tokens) < WIDTH / 6:
        return saved_label
    right = f"{100 - 100 * view.x(free_end) / view.width:.2f}%"
    return (
        f'{saved_label}<span class="room" style="right:{right}">{escaped_text(marks.before_distance)}</span>'
    )


def _legend(screen: Screen) -> str:
    marks = screen.marks
    entries = [(f"sw k{code}", name) for code, name in ruler_text.legend_kinds(screen)]
    entries.append(("sw cap", ruler_text.ERROR))
    entries += _labelled_mark("mark trigger", marks.trigger_labels)
    entries += _labelled_mark("mark limit", marks.limit_labels)
    entries += _labelled_mark("mark target", (marks.target_label,))
    if marks.hidden_labels:
        entries.append(("sw hatched", marks.hidden_labels[0]))
    if ruler_text.has_moved_cut(screen):
        entries.append(("mark asked", ruler_text.REQUESTED_CUT))
    items = "".join(f'<li><i class="{css}"></i>{escaped_text(name)}</li>' for css, name in entries)
    sentence = f"<p>{isolated_text(marks.sentence)}.</p>" if marks.sentence else ""
    return f'<figcaption><ul class="legend">{items}</ul>{sentence}</figcaption>'


def _labelled_mark(css: str, labels: Sequence[str]) -> list[tuple[str, str]]:
    return [(css, label) for label in labels[:1] if label and number_format.UNKNOWN not in label]
