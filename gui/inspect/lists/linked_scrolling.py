"""Links the scrolling of two lists by message identity; ribbons join their rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import groupby

from PySide6.QtCore import QEvent, QObject, QPoint, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QHelpEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.presentation.lists.row_wording import (
    counterpart_message,
    merge_runs,
    other_side,
    ribbon_badge,
    run_at,
    run_text,
    runs_between,
    span_of,
    whole_folds,
)
from core.presentation.model import FATES, FateRun
from gui.inspect.lists.delegate import OUTDATED_OPACITY
from gui.inspect.lists.message_list import MessageList
from gui.inspect.lists.painting import ListFonts, list_fonts
from gui.language import tr
from gui.widgets.theme import current_theme, with_opacity


def visible_ribbons(before: MessageList, after: MessageList, runs: Sequence[FateRun]) -> list[Ribbon]:
    """Return the ribbons that touch a visible row on either side, from real row rectangles."""
    if not runs:
        return []
    numbers = set(runs_between(runs, "before", *before.visible_range()))
    numbers |= set(runs_between(runs, "after", *after.visible_range()))
    top, bottom = before.rows_top(), before.height()
    ribbons: list[Ribbon] = []

    def edges(run: FateRun) -> tuple[tuple[int, int], tuple[int, int]]:
        return before.vertical_span(*run.before), after.vertical_span(*run.after)

    found = merge_runs(whole_folds([runs[number] for number in sorted(numbers)]), MAX_RIBBONS)
    for (left, right), same in groupby(found, key=edges):  # all runs of a closed fold have its edges
        if any(low < bottom and high > top and high > low for low, high in (left, right)):
            ribbons.append(Ribbon(merge_runs(tuple(same), 1)[0], left, right))
    return ribbons


def matching_height(source: MessageList, target: MessageList, runs: Sequence[FateRun], y: int) -> int | None:
    """Return the height in ``target`` (in its current coordinates) that matches height ``y`` in ``source``.

    Runs are mapped linearly, so that a kept row meets itself and 245 rows meet the 2 that replaced them; the
    space between two runs (a cut's row) too. None without runs.
    """
    plan, view = source.model.plan, source.view
    row = (y - source.rows_top() + view.verticalScrollBar().value()) // view.row_pixels
    message = plan.message_near(min(max(row, 0), max(len(plan) - 1, 0)))
    number = run_at(runs, source.side, message) if message >= 0 else -1
    if number < 0:
        return None
    low, high = source.vertical_span(*span_of(runs[number], source.side))
    target_low, target_high = target.vertical_span(*span_of(runs[number], target.side))
    if y > high:
        return target_high + (y - high)
    if y < low:
        if number == 0:
            return target_low - (low - y)
        previous = runs[number - 1]
        high, target_high = low, target_low
        low = source.vertical_span(*span_of(previous, source.side))[1]
        target_low = target.vertical_span(*span_of(previous, target.side))[1]
    share = (y - low) / (high - low) if high > low else 0.0
    return target_low + round(share * (target_high - target_low))


class ScrollSync(QObject):
    """Moves the other list when the user scrolls one. ``leader`` is the list that was moved last."""

    view_changed = Signal()  # the visible rows of either list changed

    def __init__(self, before: MessageList, after: MessageList, ribbons: RibbonColumn) -> None:
        super().__init__(ribbons)
        self._before, self._after, self._ribbons = before, after, ribbons
        self.runs: Sequence[FateRun] = ()
        self.leader = before
        self._is_paused = self._is_highlighted = False
        for side in (before, after):
            side.scrolled.connect(self._on_moved)
            side.hovered.connect(self._on_hovered)
            side.view_changed.connect(self.show_ribbons)
        ribbons.hovered.connect(self._on_ribbon)

    def side(self, side: str) -> MessageList:
        return self._before if side == "before" else self._after

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Move one list inside this context without moving the other."""
        self._is_paused = True
        try:
            yield
        finally:
            self._is_paused = False

    def go_to(self, run: FateRun, y: int) -> None:
        """Scroll both lists so that a run starts ``y`` pixels below the top of the rows."""
        with self.paused():
            for side in (self._before, self._after):
                side.scroll_to(span_of(run, side.side)[0], y)
        self.show_ribbons()

    def align_follower(self) -> None:
        """Move the other list so that the row under the pointer meets its counterpart, and the ribbons."""
        leader, follower = self.leader, self.side(other_side(self.leader.side))
        y = leader.rows_top() + leader.view.anchor_height()
        target_y = matching_height(leader, follower, self.runs, y)
        if target_y is not None:
            with self.paused():
                bar = follower.view.verticalScrollBar()
                bar.setValue(bar.value() + target_y - y)
        self.show_ribbons()

    def _on_moved(self) -> None:
        if not self._is_paused:
            self.leader = self._before if self.sender() is self._before else self._after
            self.align_follower()

    def show_ribbons(self) -> None:
        """Show the ribbons between the visible rows."""
        if self._is_paused:
            return
        if self._ribbons.isVisible():
            visible = visible_ribbons(self._before, self._after, self.runs)
            self._ribbons.show_ribbons(visible, self._before.rows_top())
        self.view_changed.emit()

    def clear_highlight(self) -> None:
        """Remove the highlight, because a row may have another counterpart in the new preview."""
        if self._is_highlighted:
            self._highlight("before", -1)

    def _on_hovered(self, index: int) -> None:
        self._highlight("before" if self.sender() is self._before else "after", index)

    def _highlight(self, side: str, index: int) -> None:
        """Highlight a row, its counterpart in the other list, and the ribbon between them."""
        self._is_highlighted = index >= 0
        run = run_at(self.runs, side, index) if index >= 0 else -1
        counterpart = counterpart_message(self.runs, side, index) if index >= 0 else -1
        self._ribbons.set_highlighted(self.runs[run] if run >= 0 else None)
        self.side(side).highlight_messages(index, index + 1)
        self.side(other_side(side)).highlight_messages(counterpart, counterpart + 1)

    def _on_ribbon(self, run: FateRun | None) -> None:
        for side in (self._before, self._after):
            side.highlight_messages(*(span_of(run, side.side) if run is not None else (0, 0)))


WIDE, NARROW = 48, 32
"""Widths at body size 13."""
MAX_RIBBONS = 200
"""The most bands painted; beyond that, neighbours are merged."""

_KEPT = FATES.index("kept")
_OVERSHOOT = 24  # pixels that a band extends beyond the edge
_SMALLEST_BADGE = 56  # least height in pixels of a band with a badge
_KEPT_OPACITY, _OPACITY = 0.12, 0.26


@dataclass(frozen=True, slots=True)
class Ribbon:
    """A run between two pairs of edges: (top, bottom) at the left and at the right, in pixels."""

    run: FateRun
    left: tuple[int, int]
    right: tuple[int, int]

    def includes(self, run: FateRun | None) -> bool:
        """Return whether a run is this one or was merged into it."""
        if run is None or self.run.before[0] > run.before[0] or self.run.after[0] > run.after[0]:
            return False
        return run.before[1] <= self.run.before[1] and run.after[1] <= self.run.after[1]


class RibbonColumn(QWidget):
    """The column between the lists. Signals carry a FateRun, or None."""

    hovered = Signal(object)
    clicked = Signal(object)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._fonts: ListFonts = list_fonts(self.font())
        self.ribbons: tuple[Ribbon, ...] = ()  # the bands as painted
        self._top = 0  # where the rows start
        self._highlighted: FateRun | None = None
        self._is_outdated = False
        self.setMouseTracking(True)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.set_narrow(False)
        self.setAccessibleName(tr("Ribbons from before to after"))
        self.setAccessibleDescription(
            tr("What became of the messages in sight; the key O goes to the other end of one.")
        )

    def set_narrow(self, narrow: bool) -> None:
        """Use a width of 32 pixels instead of 48."""
        self._narrow = narrow
        self.setFixedWidth(self._fonts.px(NARROW if narrow else WIDE))

    def set_outdated(self, is_outdated: bool) -> None:
        if is_outdated != self._is_outdated:
            self._is_outdated = is_outdated
            self.update()

    def show_ribbons(self, ribbons: Sequence[Ribbon], top: int) -> None:
        """Show these bands below ``top``, where the rows start."""
        shown = tuple(ribbons)
        if (shown, top) != (self.ribbons, self._top):
            self.ribbons, self._top = shown, top
            self.update()

    def _clamp_y(self, y: int) -> float:
        """Return a height in sight, or just beyond the edge."""
        return float(min(max(y, self._top - _OVERSHOOT), self.height() + _OVERSHOOT))

    def _path(self, ribbon: Ribbon) -> QPainterPath:
        left, right = ([self._clamp_y(y) for y in side] for side in (ribbon.left, ribbon.right))
        width, half = self.width(), self.width() / 2
        path = QPainterPath(QPointF(0, left[0]))
        path.cubicTo(half, left[0], half, right[0], width, right[0])
        path.lineTo(width, right[1])
        path.cubicTo(half, right[1], half, left[1], 0, left[1])
        path.closeSubpath()
        return path

    def set_highlighted(self, run: FateRun | None) -> None:
        if run != self._highlighted:
            self._highlighted = run
            self.update()

    def ribbon_at(self, position: QPoint) -> FateRun | None:
        """Return the run under a point; the top one of overlapping bands."""
        if position.y() < self._top:
            return None
        hit = (ribbon for ribbon in reversed(self.ribbons) if self._path(ribbon).contains(QPointF(position)))
        return next((ribbon.run for ribbon in hit), None)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints bands, the badge of the largest, and the edges of the column."""
        painter, top = QPainter(self), self._top
        painter.fillRect(self.rect(), current_theme().surface2)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setClipRect(0, top, self.width(), self.height() - top)
        painter.setOpacity(OUTDATED_OPACITY if self._is_outdated else 1)
        for ribbon in self.ribbons:
            self._paint_ribbon(painter, ribbon, self._path(ribbon))
        largest = self._largest()
        if largest is not None:
            self._paint_badge(painter, largest)
        painter.setOpacity(1)
        painter.setClipping(False)
        for x in (0, self.width() - 1):
            painter.fillRect(x, 0, 1, self.height(), current_theme().hairline)
        painter.end()

    def _paint_ribbon(self, painter: QPainter, ribbon: Ribbon, path: QPainterPath) -> None:
        fate, is_highlighted = ribbon.run.fate, ribbon.includes(self._highlighted)
        alpha = (_KEPT_OPACITY if fate == _KEPT else _OPACITY) * (1.7 if is_highlighted else 1)
        fill = current_theme().fate_fill[fate]
        painter.fillPath(path, with_opacity(fill, min(alpha, 0.75)))
        painter.strokePath(path, QPen(with_opacity(fill, 0.75 if is_highlighted else 0.4), 1))

    def _largest(self) -> Ribbon | None:
        """Return the band with the most messages, if they changed and it is tall enough."""
        changed = [
            ribbon
            for ribbon in self.ribbons
            if ribbon.run.fate != _KEPT and ribbon.run.before != ribbon.run.after
        ]
        largest = max(changed, key=_message_count, default=None)
        if largest is None or _message_count(largest) < 2:
            return None
        top, bottom = self._visible_edges(largest)
        return largest if bottom - top >= self._fonts.px(_SMALLEST_BADGE) else None

    def _visible_edges(self, ribbon: Ribbon) -> tuple[float, float]:
        """Return top and bottom of a band's visible part in the middle of the column."""
        top, bottom = (
            (self._clamp_y(ribbon.left[end]) + self._clamp_y(ribbon.right[end])) / 2 for end in (0, 1)
        )
        return max(top, self._top), min(bottom, self.height())

    def _paint_badge(self, painter: QPainter, ribbon: Ribbon) -> None:
        lines, font, px = ribbon_badge(ribbon.run), self._fonts.legend_bold, self._fonts.px
        top, bottom = self._visible_edges(ribbon)
        widest = max(font.metrics.horizontalAdvance(line) for line in lines)
        width, height = min(widest + px(10), self.width() - 2), px(15) * len(lines) + px(4)
        box = QRectF((self.width() - width) / 2, (top + bottom - height) / 2, width, height)
        painter.setPen(QPen(current_theme().fate_text[ribbon.run.fate], 1))
        painter.setBrush(current_theme().surface)
        painter.drawRoundedRect(box, 4, 4)
        painter.setFont(font.font)
        for number, line in enumerate(lines):
            line_rect = QRectF(box.x(), box.y() + px(2) + number * px(15), box.width(), px(15))
            painter.drawText(line_rect, Qt.AlignmentFlag.AlignCenter, line)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        run = self.ribbon_at(event.position().toPoint())
        self.setCursor(Qt.CursorShape.ArrowCursor if run is None else Qt.CursorShape.PointingHandCursor)
        self._set_hovered(run)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        run = self.ribbon_at(event.position().toPoint())
        if run is not None and event.button() == Qt.MouseButton.LeftButton:
            self.clicked.emit(run)

    def leaveEvent(self, event: QEvent) -> None:
        self._set_hovered(None)

    def _set_hovered(self, run: FateRun | None) -> None:
        if run != self._highlighted:
            self.set_highlighted(run)
            self.hovered.emit(run)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent):
            run = self.ribbon_at(event.pos())
            QToolTip.showText(event.globalPos(), tr(run_text(run)) if run is not None else "", self)
            return True
        return super().event(event)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fonts = list_fonts(self.font())
            self.update()
            self.set_narrow(self._narrow)


def _message_count(ribbon: Ribbon) -> int:
    return ribbon.run.before[1] - ribbon.run.before[0]
