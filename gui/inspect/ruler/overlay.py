"""Paints what changes without the bars: handles, boundary ticks, marks, the visible part,
selection."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from PySide6.QtCore import QObject, QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QColor, QPainter, QPen, QPolygonF

from core.presentation.ruler.geometry import (
    CutHandle,
    CutMove,
    RulerMust,
    boundary_pixels,
    nearest_boundary,
    nearest_stop,
)
from core.presentation.ruler.wording import MUST_KEEP, cut_move, handle_tip
from gui.inspect.ruler.bars import (
    RulerFrame,
    crisp_x,
    gutter_left,
    lane_box,
    paint_bracket,
    paint_label,
    text_width,
    vertical_line,
)
from gui.language import tr
from gui.widgets.icons import paint_glyph
from gui.widgets.theme import with_opacity

MIN_FRAMED_WIDTH = 8.0
"""From this width in pixels, a selected message is only framed, so that its colour and number stay
visible."""
_TIP_PADDING = 16
_MUST_GLYPH = 11  # pixels at body size 13
GRAB_DISTANCE = 7.5
"""Pixels to each side of a handle in which it can be grabbed."""


@dataclass(frozen=True, slots=True)
class PaintedHandle:
    """A handle as it is painted: at boundary ``index``, which may differ from the last preview."""

    handle: CutHandle
    index: int
    is_active: bool  # hovered or focused
    is_moving: bool
    shows_ticks: bool  # show valid boundaries
    tip: str


@dataclass(frozen=True, slots=True)
class OutlinedRange:
    """A range of messages [first, end) of one side to be outlined."""

    side: str
    first: int
    end: int


NO_RANGE = OutlinedRange("", -1, -1)
_STRETCH_OPACITY = 0.25
_MIN_WIDTH = 5.0  # of the box of a range, in pixels


def range_box(frame: RulerFrame, outlined: OutlinedRange) -> QRectF | None:
    """Return the box of a range; None if it is not in view."""
    is_before = outlined.side == "before"
    if is_before:
        bar = frame.content.before
    else:
        bar = frame.content.after
    if not 0 <= outlined.first < outlined.end <= len(bar.codes):
        return None
    left = frame.x(bar.sums[outlined.first])
    right = frame.x(bar.sums[outlined.end])
    if right < frame.lanes.left or left > frame.right:
        return None
    grow = max(0.0, _MIN_WIDTH - (right - left)) / 2
    left = max(left - grow, frame.lanes.left - 2)
    right = min(right + grow, frame.right + 2)
    return lane_box(left, right, frame.lanes.before if is_before else frame.lanes.after)


def paint_stretch(painter: QPainter, frame: RulerFrame, stretch: OutlinedRange) -> None:
    """Tint the selected stretch of the before side, with edges and grips."""
    box = range_box(frame, stretch)
    if box is None:
        return
    accent = frame.theme.accent_text
    painter.fillRect(box, with_opacity(accent, _STRETCH_OPACITY))
    for x in (box.left(), box.right()):
        painter.fillRect(QRectF(x - 1, box.top() - 2, 2, box.height() + 4), accent)
        grip = QRectF(x - 3, box.center().y() - 7, 6, 14)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(accent)
        painter.drawRoundedRect(grip, 2, 2)


def paint_outlines(
    painter: QPainter,
    frame: RulerFrame,
    visible: Sequence[OutlinedRange],
    selected: OutlinedRange,
    hovered: OutlinedRange,
) -> None:
    """Outline the visible parts of the before list, the selected message with its pair, the hovered
    ones."""
    theme = frame.theme
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    outlines = [
        (hovered, theme.text, 1.0, 0.0),
        (selected, theme.accent_text, 2.0, 1.0),
    ]
    outlines += [(one, theme.accent_text, 1.5, 2.0) for one in visible]
    for outlined, colour, width, grow in outlines:
        box = range_box(frame, outlined)
        if box is None:
            continue
        if outlined is selected and box.width() < MIN_FRAMED_WIDTH:
            painter.fillRect(box.adjusted(-1, 0, 1, 0), theme.surface)
            painter.fillRect(box.adjusted(1, 2, -1, -2), theme.accent_text)
        painter.setPen(QPen(colour, width))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box.adjusted(-grow, -grow, grow, grow), 2, 2)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    if selected.side == "before":
        sums = frame.content.before.sums
        for call, result in frame.content.pairs_of(selected.first):
            painter.setPen(QPen(theme.accent_text, 2))
            places = [
                frame.view.x((sums[index] + sums[index + 1]) / 2)
                for index in (call, result)
            ]
            paint_bracket(painter, frame, *places)


def paint_marks(
    painter: QPainter,
    frame: RulerFrame,
    positions: Iterable[float],
    colour: QColor,
    *,
    above: bool = False,
) -> None:
    """Paint ticks in the fate strip, or ``above`` the before bar, at these pixels of the view."""
    if above:
        lane = (frame.lanes.before[0] - 4, frame.lanes.before[0])
    else:
        lane = frame.lanes.strip
    for x in positions:
        left = round(frame.lanes.left + x)
        painter.fillRect(lane_box(left - 1, left + 3, lane), frame.theme.surface)
        painter.fillRect(lane_box(left, left + 2, lane), colour)


MustGroups = Sequence[tuple[float, Sequence[RulerMust]]]
"""Pixels of the view, and the texts that must survive there, the worst first."""


def paint_musts(painter: QPainter, frame: RulerFrame, groups: MustGroups) -> None:
    """Paint above the before bar where the texts that must survive stand: the glyph of the worst of
    a group on a stem, and how many it stands for."""
    theme, (top, bottom) = frame.theme, frame.lanes.musts
    if bottom <= top:
        return
    size = _MUST_GLYPH * frame.lanes.unit
    name = lane_box(gutter_left(frame), frame.lanes.left, (top, bottom))
    paint_label(painter, frame.font, theme.text2, name, tr(MUST_KEEP))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    for x, group in groups:
        worst = group[0]
        left = frame.lanes.left + x
        if worst.tone == "quiet":
            colour = theme.text2
        else:
            colour = theme.tone(worst.tone)
        painter.setPen(QPen(colour, 1))
        painter.drawLine(
            vertical_line(crisp_x(left - 0.5), (top + size, frame.lanes.before[0]))
        )
        paint_glyph(
            painter, worst.glyph, QRectF(left - size / 2, top, size, size), colour
        )
        if len(group) > 1:
            count = lane_box(left + size / 2 + 1, frame.right, (top, top + size))
            paint_label(painter, frame.font, colour, count, str(len(group)))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def paint_ticks(painter: QPainter, frame: RulerFrame) -> None:
    """Paint valid boundaries as ticks in the lane of the fate strip, stretches without one
    hatched."""
    theme, lanes, sums = frame.theme, frame.lanes, frame.content.before.sums
    painter.fillRect(
        lane_box(lanes.left, min(frame.right, frame.x(sums[-1])), lanes.strip),
        theme.surface,
    )
    painter.setPen(QPen(theme.text2, 1))
    for x, stretch in boundary_pixels(
        frame.content.screen.ruler.valid, sums, frame.view
    ):
        if stretch > x >= 0:
            box = lane_box(lanes.left + x, lanes.left + stretch, lanes.strip)
            painter.fillRect(box, QBrush(theme.text3, Qt.BrushStyle.BDiagPattern))
        if x >= 0:
            painter.drawLine(vertical_line(crisp_x(lanes.left + x), lanes.strip))


def paint_requested_cuts(painter: QPainter, frame: RulerFrame, moving: str) -> None:
    """Paint a dashed line where a percentage would have cut, if the cut is elsewhere."""
    sums = frame.content.before.sums
    pen = QPen(frame.theme.text, 1.5)
    pen.setDashPattern([2.0, 1.5])
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    painter.setPen(pen)
    for handle in frame.content.screen.ruler.handles:
        if (
            handle.requested == handle.index
            or handle.name == moving
            or not 0 <= handle.requested < len(sums)
        ):
            continue
        x = frame.x(sums[handle.requested])
        if frame.lanes.left <= x <= frame.right:
            painter.drawLine(vertical_line(crisp_x(x), frame.lanes.before))


def handle_x(frame: RulerFrame, handle: PaintedHandle) -> float:
    """Return the pixel of a handle."""
    return frame.x(frame.content.before.sums[handle.index])


def handle_box(frame: RulerFrame, handle: PaintedHandle) -> QRectF:
    """Return where a handle can be grabbed."""
    x = handle_x(frame, handle)
    lanes = frame.lanes
    return lane_box(
        x - GRAB_DISTANCE, x + GRAB_DISTANCE, (lanes.bands[0] - 2, lanes.before[0] + 2)
    )


def _pentagon(x: float, top: float, unit: float, grow: float) -> QPolygonF:
    half = 6 * unit + grow
    height = 17 * unit
    shoulder = 11 * unit
    left = x - half
    right = x + half
    middle = top + shoulder + grow / 2
    corners = (
        (left, top - grow),
        (right, top - grow),
        (right, middle),
        (x, top + height + grow * 1.3),
    )
    return QPolygonF([QPointF(*corner) for corner in (*corners, (left, middle))])


def paint_handles(
    painter: QPainter, frame: RulerFrame, handles: Sequence[PaintedHandle]
) -> None:
    """Paint a pentagon over a line at each cut; a ring round the active one, a lock on a locked
    one; beside a moving one what its place means."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    places = [(float(round(handle_x(frame, handle))), handle) for handle in handles]
    for x, handle in sorted(places, key=lambda place: place[1].is_active):
        if frame.lanes.left - 1 <= x <= frame.right + 1:
            _paint_handle(painter, frame, handle, x)
    for x, handle in places:
        if handle.is_moving and handle.tip:
            others = [other for other, _ in places if other != x]
            _paint_tip(
                painter, frame, handle.tip, tip_left(frame, handle.tip, x, others)
            )
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)


def _paint_handle(
    painter: QPainter, frame: RulerFrame, handle: PaintedHandle, x: float
) -> None:
    theme, lanes = frame.theme, frame.lanes
    top = lanes.bands[0] - lanes.unit
    for width, colour in ((4, theme.surface), (2, theme.text)):
        painter.setPen(
            QPen(colour, width, Qt.PenStyle.SolidLine, Qt.PenCapStyle.FlatCap)
        )
        painter.drawLine(vertical_line(x, (top + 12 * lanes.unit, lanes.strip[1])))
    painter.setPen(Qt.PenStyle.NoPen)
    rings: list[tuple[float, QColor]] = [(1.5, theme.surface), (0.0, theme.text)]
    if handle.is_active:
        rings = [
            (5.0, theme.surface),
            (4.0, theme.accent_text),
            (2.0, theme.surface),
            (0.0, theme.accent_fill),
        ]
    for grow, colour in rings:
        painter.setBrush(colour)
        painter.drawPolygon(_pentagon(x, top, lanes.unit, grow))
    if handle.handle.locked:
        size = 9 * lanes.unit
        ink = theme.on_accent if handle.is_active else theme.surface
        paint_glyph(painter, "lock", QRectF(x - size / 2, top + 1.5, size, size), ink)


def tip_left(frame: RulerFrame, text: str, x: float, others: Sequence[float]) -> float:
    """Return where the tip of a moving handle at ``x`` begins: at its right or its left, where it
    covers no other handle if it can be."""
    width = text_width(frame.bold, text) + _TIP_PADDING
    lefts = [
        left
        for left in (x + 8, x - 8 - width)
        if frame.lanes.left <= left <= frame.right - width
    ]
    free = [
        left
        for left in lefts
        if not any(left - 9 <= other <= left + width + 9 for other in others)
    ]
    return next(iter((*free, *lefts)), x - 8 - width)


def _paint_tip(painter: QPainter, frame: RulerFrame, text: str, left: float) -> None:
    width = text_width(frame.bold, text) + _TIP_PADDING
    box = lane_box(left, left + width, frame.lanes.bands)
    painter.setPen(QPen(frame.theme.control_border, frame.line_width))
    painter.setBrush(frame.theme.surface)
    painter.drawRoundedRect(box.adjusted(0.5, 0.5, -0.5, -0.5), 4, 4)
    paint_label(painter, frame.bold, frame.theme.text, box.adjusted(8, 0, 0, 0), text)


class HandleMoves(QObject):
    """The handles of one ruler. A moved handle keeps its place until a preview confirms it."""

    moved = Signal(str, float, bool)  # key, value, final
    changed = Signal()

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._handles: tuple[CutHandle, ...] = ()
        self._sums: Sequence[int] = (0,)
        self._unconfirmed: dict[
            str, int
        ] = {}  # handle name to a boundary that no preview shows yet
        self._origin: tuple[str, int, float] | None = (
            None  # name, boundary and value before the move
        )
        self.moving_name = ""  # the handle under the pressed button or key
        self._has_moved = False
        self._drag_start = (
            -1
        )  # boundary at which the pointer took the handle, -1 without a drag
        self.hovered = ""
        self.focused = ""

    def set_handles(
        self, handles: tuple[CutHandle, ...], sums: Sequence[int], *, provisional: bool
    ) -> None:
        """Show the handles of a preview; one that is being moved keeps its place."""
        self._handles, self._sums = handles, sums
        names = [handle.name for handle in handles]
        if not self.moving_name and not provisional:
            self._unconfirmed.clear()
        self._unconfirmed = {
            name: index
            for name, index in self._unconfirmed.items()
            if name in names and index < len(sums)
        }
        self.focused, self.hovered, self.moving_name = (
            name if name in names else ""
            for name in (self.focused, self.hovered, self.moving_name)
        )

    def clear(self) -> None:
        self._handles, self._origin = (), None
        self._unconfirmed.clear()
        self.moving_name = self.hovered = self.focused = ""

    def painted_handles(self) -> list[PaintedHandle]:
        """Return all handles as they are to be painted."""
        indices = [(handle, self.current_index(handle)) for handle in self._handles]
        return [
            self._painted_handle(handle, index)
            for handle, index in indices
            if index < len(self._sums)
        ]

    def _painted_handle(self, handle: CutHandle, index: int) -> PaintedHandle:
        name = handle.name
        stop = bisect_left(handle.stops, index)
        is_stop = stop < len(handle.stops) and handle.stops[stop] == index
        tip = handle.locked or (
            tr(handle_tip(handle, index, self._sums)) if is_stop else ""
        )
        is_moving = self.moving_name == name
        is_active = is_moving or name in (self.hovered, self.focused)
        shows_ticks = not handle.locked and (is_moving or self.focused == name)
        return PaintedHandle(
            handle, index, is_active, is_moving and self._has_moved, shows_ticks, tip
        )

    def current_index(self, handle: CutHandle) -> int:
        return self._unconfirmed.get(handle.name, handle.index)

    def _handle_by_name(self, name: str) -> CutHandle | None:
        return next((handle for handle in self._handles if handle.name == name), None)

    def press(self, name: str) -> None:
        """Start to drag a handle."""
        if (handle := self._handle_by_name(name)) is not None:
            self._origin = None
            self._hold(handle)
            self._drag_start = self.current_index(handle)
            self.changed.emit()

    def _hold(self, handle: CutHandle) -> None:
        """Start to move a handle, by button or by key."""
        if self._origin is None or self._origin[0] != handle.name:
            self._origin = (handle.name, self.current_index(handle), handle.setting)
        self.moving_name = handle.name
        self._has_moved = False
        self.focused = handle.name

    @property
    def drag(self) -> CutMove | None:
        """The cut that the pointer has dragged elsewhere."""
        handle = self._handle_by_name(self.moving_name)
        if handle is None or self._drag_start < 0 or not self._has_moved:
            return None
        return cut_move(
            handle, self._drag_start, self.current_index(handle), self._sums
        )

    def drag_to(self, tokens: float) -> None:
        """Snap the held handle to the valid boundary nearest to a position in tokens."""
        handle = self._handle_by_name(self.moving_name)
        if handle is not None and not handle.locked and handle.stops:
            self._move_to(handle, nearest_stop(handle.stops, self._sums, tokens))

    def drag_to_boundary(self, boundary: int) -> None:
        """Snap the held handle to the valid boundary nearest to one."""
        handle = self._handle_by_name(self.moving_name)
        if handle is not None and not handle.locked and handle.stops:
            self._move_to(handle, nearest_boundary(handle.stops, boundary))

    def step(self, by: int) -> None:
        """Move the focused handle by that many valid boundaries, at most to the end."""
        handle = self._handle_by_name(self.focused)
        if handle is None or handle.locked or not handle.stops:
            return
        if self.moving_name != handle.name:
            self._hold(handle)
        index = self.current_index(handle)
        stop = bisect_left(handle.stops, index)
        if by > 0 and (stop >= len(handle.stops) or handle.stops[stop] != index):
            by -= 1  # between two stops, the next one is already one step away
        self._move_to(handle, max(0, min(len(handle.stops) - 1, stop + by)))

    def _move_to(self, handle: CutHandle, stop: int) -> None:
        if handle.stops[stop] == self.current_index(handle):
            return
        self._unconfirmed[handle.name] = handle.stops[stop]
        self._has_moved = True
        self.changed.emit()
        self.moved.emit(handle.key, handle.values[stop], False)

    def release(self) -> bool:
        """End the move; return True if the handle had been moved."""
        handle = self._handle_by_name(self.moving_name)
        was_moved = self._has_moved
        self.moving_name, self._has_moved, self._drag_start = "", False, -1
        if handle is not None and was_moved:
            stop = min(
                bisect_left(handle.stops, self.current_index(handle)),
                len(handle.values) - 1,
            )
            self.moved.emit(handle.key, handle.values[stop], True)
        self.changed.emit()
        return was_moved

    @property
    def can_restore(self) -> bool:
        """True if ``restore`` would move a handle."""
        if self._origin is None:
            return False
        handle = self._handle_by_name(self._origin[0])
        is_elsewhere = (
            handle is not None and self.current_index(handle) != self._origin[1]
        )
        return bool(self.moving_name) or is_elsewhere

    def restore(self) -> bool:
        """Return the handle to its place before the move; True if it had moved."""
        if self._origin is None:
            return False
        (name, index, value), self._origin = self._origin, None
        handle = self._handle_by_name(name)
        was_moving = bool(self.moving_name)
        is_elsewhere = handle is not None and self.current_index(handle) != index
        if handle is not None and is_elsewhere:
            self._unconfirmed[name] = index
            self.changed.emit()  # a drag that is back where it began
        self.moving_name, self._has_moved, self._drag_start = "", False, -1
        if handle is not None and is_elsewhere:
            self.moved.emit(handle.key, value, True)
        self.changed.emit()
        return was_moving or is_elsewhere

    def focus(self, forward: bool) -> bool:
        """Move the focus to the next or previous handle; return False if there is none."""
        names = [
            handle.name for handle in sorted(self._handles, key=self.current_index)
        ]
        if self.focused in names:
            position = names.index(self.focused) + (1 if forward else -1)
        else:
            if forward:
                position = 0
            else:
                position = len(names) - 1
        has_handle = 0 <= position < len(names)
        self._set_focus(names[position] if has_handle else "")
        return has_handle

    def clear_focus(self) -> None:
        """The ruler lost the focus."""
        self._set_focus("")

    def _set_focus(self, name: str) -> None:
        if self.moving_name:
            self.release()
        self._origin, self.focused = None, name
        self.changed.emit()

    def hover(self, name: str) -> None:
        if name != self.hovered:
            self.hovered = name
            self.changed.emit()
