"""The ruler widget: turns pointer and keys into signals, zoom and pan."""

from __future__ import annotations

from bisect import bisect_right

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from core.presentation.ruler import bands as ruler_text
from core.presentation.ruler import geometry
from core.presentation.ruler.geometry import CutMove
from gui.inspect.ruler.canvas import RulerCanvas
from gui.inspect.ruler.frame import RulerFrame
from gui.inspect.ruler.overlay import NO_RANGE, OutlinedRange
from gui.language import tr
from gui.widgets.accessibility import announce_text
from gui.widgets.events import is_enter

MIN_DRAG = 4  # least pixels of a drag
KEY_STEPS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Home: -(1 << 30),
    Qt.Key.Key_End: 1 << 30,
}


class Ruler(RulerCanvas):
    """The ruler, with pointer and keyboard. Ranges of messages are inclusive, from 0."""

    message_clicked = Signal(str, int)  # side, index
    hovered = Signal(
        str, int, int
    )  # side, first, last; "", -1, -1 when the pointer leaves
    cut_clicked = Signal(str)  # name of the handle, or of the one that Why is about
    handle_moved = Signal(str, float, bool)  # setting's key, value, final
    dragged = Signal(object)  # CutMove, None when the pointer lets go
    stretch_changed = Signal(
        int, int
    )  # the selected messages [first, end); -1, -1 for none

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._press_position: QPointF | None = None
        self._has_panned = self._pans = False
        self._stretch_start = -1  # the message at which a drag began
        self.moves.moved.connect(self.handle_moved)
        self.moves.changed.connect(self._announce_handle)
        self.moves.changed.connect(self._tell_drag)
        self._drag_announced: CutMove | None = None
        self._announced_text = ""
        self.setMouseTracking(True)

    def _announce_handle(self) -> None:
        focused_handles = (
            handle
            for handle in self.moves.painted_handles()
            if handle.handle.name == self.moves.focused
        )
        text = next((handle.tip for handle in focused_handles), "")
        if text != self._announced_text:
            self._announced_text = text
            announce_text(self, text)

    def _tell_drag(self) -> None:
        drag = self.moves.drag
        if drag != self._drag_announced:
            self._drag_announced = drag
            self.dragged.emit(drag)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip(QPointF(event.pos())), self)
            return True
        if event.type() == QEvent.Type.ShortcutOverride and self._takes_escape(event):
            event.accept()
            return True
        return super().event(event)

    def _takes_escape(self, event: QEvent) -> bool:
        """Take Esc before the cancel shortcut while a moved handle can be put back."""
        is_escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        return is_escape and (self.moves.can_restore or self.stretch != NO_RANGE)

    def tip(self, position: QPointF) -> str:
        frame = self.frame()
        if frame is None:
            return ""
        if musts := self.musts_at(frame, position):
            return "\n".join(mark.words for mark in musts)
        handles = self.moves.painted_handles()
        name = self._handle_at(frame, position)
        if name:
            return next(handle.tip for handle in handles if handle.handle.name == name)
        lost_messages = self._lost_at(frame, position)
        if lost_messages:
            return tr(
                ruler_text.lost_tip(self.lost_messages, self._lost_words, lost_messages)
            )
        hovered = self.range_at(frame, position)
        if hovered == NO_RANGE:
            return ""
        return tr(
            ruler_text.hover_text(
                frame.content.screen, hovered.side, hovered.first, hovered.end
            )
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        frame = self.frame()
        buttons = (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton)
        if frame is None or event.button() not in buttons:
            return
        self._press_position, self._has_panned = event.position(), False
        is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self._pans = is_shifted or event.button() == Qt.MouseButton.MiddleButton
        self._stretch_start = self._message_at(frame, event.position())
        if self._pans:
            name = ""
        else:
            name = self._handle_at(frame, event.position())
        if name:
            self.moves.press(name)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        frame = self.frame()
        if frame is None:
            return
        position = event.position()
        if self.moves.moving_name:
            self.moves.drag_to(self.view.tokens(position.x() - frame.lanes.left))
        elif self._press_position is not None:
            self._drag(frame, position)
        else:
            self._point(frame, position)

    def _drag(self, frame: RulerFrame, position: QPointF) -> None:
        """Select a stretch of messages; with Shift or the middle button pan a zoomed ruler."""
        start = self._press_position
        if start is None:
            return
        if not self._has_panned and abs(position.x() - start.x()) < MIN_DRAG:
            return
        self._has_panned = True
        if not self._pans:
            first, last = sorted(
                (self._stretch_start, self._message_at(frame, position))
            )
            self.select_stretch(first, last + 1)
        elif self.view.zoomed:
            self._set_view(geometry.pan_range(self.view, start.x() - position.x()))
            self._press_position = position

    def _message_at(self, frame: RulerFrame, position: QPointF) -> int:
        """Return the message of the before side at a horizontal position, the nearest one."""
        sums = frame.content.before.sums
        tokens = self.view.tokens(position.x() - frame.lanes.left)
        return max(0, min(len(sums) - 2, bisect_right(sums, tokens) - 1))

    def select_stretch(self, first: int, end: int) -> None:
        """Select the messages [first, end) of the before side; none where it is empty."""
        if end > first >= 0:
            newer = OutlinedRange("before", first, end)
        else:
            newer = NO_RANGE
        if newer != self.stretch:
            self.stretch = newer
            self.stretch_changed.emit(newer.first, newer.end)
            self.update()

    def _step_stretch(self, by: int) -> None:
        """Move the end of the stretch by messages."""
        frame = self.frame()
        if frame is not None:
            most = len(frame.content.before.sums) - 1
            end = max(self.stretch.first + 1, min(most, self.stretch.end + by))
            self.select_stretch(self.stretch.first, end)

    def _point(self, frame: RulerFrame, position: QPointF) -> None:
        """Follow the pointer without a button."""
        name = self._handle_at(frame, position)
        self.moves.hover(name)
        if name:
            hovered = NO_RANGE
        else:
            hovered = self.range_at(frame, position)
        if hovered != self._hovered:
            self._hovered = hovered
            self.hovered.emit(
                hovered.side, hovered.first, hovered.end - 1 if hovered.end > 0 else -1
            )
            self.update()
        self.setCursor(self._cursor_at(frame, name, position))

    def _cursor_at(
        self, frame: RulerFrame, name: str, position: QPointF
    ) -> Qt.CursorShape:
        """Return the pointer's shape over the handle ``name``, over a clickable place, or
        elsewhere."""
        handle = next(
            (
                handle
                for handle in frame.content.screen.ruler.handles
                if handle.name == name
            ),
            None,
        )
        if handle is not None:
            if handle.locked:
                return Qt.CursorShape.ForbiddenCursor
            return Qt.CursorShape.SplitHCursor
        is_link = self._lost_at(frame, position) or self.musts_at(frame, position)
        if is_link:
            return Qt.CursorShape.PointingHandCursor
        return Qt.CursorShape.ArrowCursor

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        frame, held_name = self.frame(), self.moves.moving_name
        pressed, self._press_position = self._press_position, None
        if frame is None or pressed is None:
            return
        if held_name:
            if not self.moves.release():
                self.cut_clicked.emit(held_name)
        elif not self._has_panned:
            self._click(frame, event.position())

    def _click(self, frame: RulerFrame, position: QPointF) -> None:
        screen = frame.content.screen
        if musts := self.musts_at(frame, position):
            self.message_clicked.emit("before", musts[0].message)
            return
        lost_messages = self._lost_at(frame, position)
        if lost_messages:
            self.message_clicked.emit("before", lost_messages[0])
            return
        clicked = self.range_at(frame, position)
        if clicked != NO_RANGE:
            if clicked.side == "before":
                rows = screen.source.rows
            else:
                rows = screen.result.rows
            largest = max(
                range(clicked.first, clicked.end), key=rows.tokens.__getitem__
            )
            self.message_clicked.emit(clicked.side, largest)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        frame = self.frame()
        if frame:
            band = self._band_at(frame, event.position())
        else:
            band = None
        if frame and band and not self._handle_at(frame, event.position()):
            sums = frame.content.before.sums
            self._set_view(
                geometry.range_between(self.view, sums[band.start], sums[band.end])
            )
        else:
            self.mousePressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self.moves.hover("")
        if self._hovered != NO_RANGE:
            self._hovered = NO_RANGE
            self.hovered.emit("", -1, -1)
            self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        frame, delta = self.frame(), event.angleDelta()
        if frame is None:
            return
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            x = event.position().x() - frame.lanes.left
            factor = 1.25 ** (delta.y() / 120)
            self._set_view(
                geometry.zoom_range(self.view, x, factor, frame.content.before.sums)
            )
            self.setFocus(
                Qt.FocusReason.MouseFocusReason
            )  # so that the key 0 can show all again
        elif self.view.zoomed:
            self._set_view(geometry.pan_range(self.view, -(delta.x() or delta.y())))
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in KEY_STEPS:
            is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            is_done = self._step(KEY_STEPS[key], is_shifted=is_shifted)
        elif key == Qt.Key.Key_Escape:
            is_done = self._take_back()
        elif (
            key == Qt.Key.Key_0 and event.modifiers() == Qt.KeyboardModifier.NoModifier
        ):
            self._set_view(geometry.whole_range(self.view.total, self.view.width))
            is_done = True
        else:
            is_done = self._pick_cut(event)
        if not is_done:
            super().keyPressEvent(event)

    def _step(self, by: int, *, is_shifted: bool) -> bool:
        """Change the stretch, or move the handle that has the focus; False if there is neither."""
        if is_shifted and self.stretch != NO_RANGE:
            self._step_stretch(by)
            return True
        if self.moves.focused:
            self.moves.step(by * 10 if is_shifted else by)
            return True
        return False

    def _take_back(self) -> bool:
        """Put back the handle that is dragged, else end the stretch; False if there is neither."""
        if self.moves.restore():
            self._press_position = None
            return True
        if self.stretch != NO_RANGE:
            self.select_stretch(-1, -1)
            return True
        return False

    def _pick_cut(self, event: QKeyEvent) -> bool:
        is_pick = is_enter(event) or event.key() == Qt.Key.Key_Space
        if not is_pick or not self.moves.focused:
            return False
        self.cut_clicked.emit(self.moves.focused)
        return True

    def step_cut(self, name: str, by: int) -> None:
        """Move the handle of a cut by that many valid boundaries, as its keys do."""
        if any(handle.handle.name == name for handle in self.moves.painted_handles()):
            self.moves.focused = name
            self.moves.step(by)
            self.end_drag(is_kept=True)

    def drag_cut(self, name: str, boundary: int) -> None:
        """Drag the handle of a cut to the valid boundary nearest to one."""
        if self.moves.moving_name != name:
            self.moves.press(name)
        self.moves.drag_to_boundary(boundary)

    def end_drag(self, is_kept: bool) -> None:
        """Let go of a cut that is moved in the list, where it is or where it was."""
        if is_kept:
            self.moves.release()
        else:
            self.moves.restore()
        if not self.hasFocus():
            self.moves.clear_focus()

    @property
    def is_dragged(self) -> bool:
        return self._drag_announced is not None

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if (
            event.key() in KEY_STEPS
            and self.moves.moving_name
            and self._press_position is None
            and not event.isAutoRepeat()
        ):
            self.moves.release()
        else:
            super().keyReleaseEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        if self.hasFocus() and self.moves.focus(forward):
            return True
        return super().focusNextPrevChild(forward)

    def focusInEvent(self, event: QFocusEvent) -> None:
        if event.reason() in (
            Qt.FocusReason.TabFocusReason,
            Qt.FocusReason.BacktabFocusReason,
        ):
            self.moves.focus(event.reason() == Qt.FocusReason.TabFocusReason)
        silent_reasons = (
            Qt.FocusReason.MouseFocusReason,
            Qt.FocusReason.ActiveWindowFocusReason,
        )
        self._focused_by_keyboard = event.reason() not in silent_reasons
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.moves.clear_focus()
        super().focusOutEvent(event)
