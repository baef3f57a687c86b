"""The ruler widget: turns pointer and keys into signals, zoom and pan."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, Qt, Signal
from PySide6.QtGui import QFocusEvent, QHelpEvent, QKeyEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QToolTip, QWidget

from core.presentation.ruler import geometry
from core.presentation.ruler import wording as ruler_text
from gui.inspect.ruler.canvas import RulerCanvas
from gui.inspect.ruler.frame import RulerFrame
from gui.inspect.ruler.pointer import (
    NOWHERE,
    band_at,
    cursor_at,
    grip_at,
    in_overview,
    is_why,
    lost_at,
    spot_at,
)
from gui.language import tr
from gui.widgets.accessibility import announce_text
from gui.widgets.key_presses import is_enter

DRAG = 4  # least pixels of a drag
STEPS = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Home: -(1 << 30), Qt.Key.Key_End: 1 << 30}


class Ruler(RulerCanvas):
    """The ruler, with pointer and keyboard. Ranges of messages are inclusive, from 0."""

    message_clicked = Signal(str, int)  # side, index
    hovered = Signal(str, int, int)  # side, first, last; "", -1, -1 when the pointer leaves
    cut_clicked = Signal(str)  # name of the handle
    handle_moved = Signal(str, float, bool)  # setting's key, value, final
    why_requested = Signal(str)  # name of the handle

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._press: QPointF | None = None
        self._panned = False
        self._moves.moved.connect(self.handle_moved)
        self._moves.changed.connect(self._announce_handle)
        self._announced = ""
        self.setMouseTracking(True)

    def _announce_handle(self) -> None:
        focused = (grip for grip in self._moves.grips() if grip.handle.name == self._moves.focused)
        text = next((grip.tip for grip in focused), "")
        if text != self._announced:
            self._announced = text
            announce_text(self, text)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self._tip(QPointF(event.pos())), self)
            return True
        if event.type() == QEvent.Type.ShortcutOverride and self._takes_escape(event):
            event.accept()
            return True
        return super().event(event)

    def _takes_escape(self, event: QEvent) -> bool:
        """Take Esc before the cancel shortcut while a moved handle can be put back."""
        is_escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        return is_escape and self._moves.can_put_back

    def _tip(self, position: QPointF) -> str:
        context = self._frame()
        if context is None:
            return ""
        grips = self._moves.grips()
        name = grip_at(context, grips, position)
        if name:
            return next(grip.tip for grip in grips if grip.handle.name == name)
        lost = lost_at(context, self._lost_at, position)
        if lost:
            return tr(ruler_text.lost_tip(self._lost_at, self._lost_words, lost))
        spot = spot_at(context, position)
        if spot == NOWHERE:
            return ""
        return tr(ruler_text.hover_text(context.content.screen, spot.side, spot.first, spot.end))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        context = self._frame()
        if context is None or event.button() != Qt.MouseButton.LeftButton:
            return
        self._press, self._panned = event.position(), False
        name = grip_at(context, self._moves.grips(), event.position())
        if name:
            self._moves.press(name)
        elif in_overview(context, event.position()):
            self._jump(event.position().x())

    def _jump(self, x: float) -> None:
        middle = self._view.total * (x - self._lanes().left) / self._view.width
        half = self._view.span / 2
        self._show(geometry.range_between(self._view, middle - half, middle + half))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        context = self._frame()
        if context is None:
            return
        position = event.position()
        if self._moves.held:
            self._moves.drag_to(self._view.tokens(position.x() - context.lanes.left))
        elif self._press is not None:
            self._drag(context, position)
        else:
            self._point(context, position)

    def _drag(self, context: RulerFrame, position: QPointF) -> None:
        start = self._press
        if start is None or not self._view.zoomed:
            return
        if in_overview(context, start):
            self._jump(position.x())
        elif self._panned or abs(position.x() - start.x()) >= DRAG:
            self._show(geometry.pan_range(self._view, start.x() - position.x()))
            self._press = position
        self._panned = self._press is not start or self._panned

    def _point(self, context: RulerFrame, position: QPointF) -> None:
        """Follow the pointer without a button."""
        name = grip_at(context, self._moves.grips(), position)
        self._moves.hover(name)
        spot = NOWHERE if name else spot_at(context, position)
        if spot != self._hover:
            self._hover = spot
            self.hovered.emit(spot.side, spot.first, spot.end - 1 if spot.end > 0 else -1)
            self.update()
        self.setCursor(cursor_at(context, self._moves.grips(), name, self._lost_at, position))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        context, held_name = self._frame(), self._moves.held
        pressed, self._press = self._press, None
        if context is None or pressed is None:
            return
        if held_name:
            if not self._moves.release():
                self.cut_clicked.emit(held_name)
        elif not self._panned:
            self._click(context, event.position())

    def _click(self, context: RulerFrame, position: QPointF) -> None:
        screen = context.content.screen
        if is_why(context, position):
            moved = [handle.name for handle in screen.handles if handle.requested != handle.index]
            self.why_requested.emit([*moved, screen.handles[-1].name][0])
            return
        lost = lost_at(context, self._lost_at, position)
        if lost:
            self.message_clicked.emit("before", lost[0])
            return
        spot = spot_at(context, position)
        if spot != NOWHERE:
            rows = screen.before if spot.side == "before" else screen.after
            self.message_clicked.emit(spot.side, geometry.largest_message(rows.tokens, spot.first, spot.end))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        context = self._frame()
        band = band_at(context, event.position()) if context else None
        if context and band and not grip_at(context, self._moves.grips(), event.position()):
            sums = context.content.before.sums
            self._show(geometry.range_between(self._view, sums[band.start], sums[band.end]))
        else:
            self.mousePressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self._moves.hover("")
        if self._hover != NOWHERE:
            self._hover = NOWHERE
            self.hovered.emit("", -1, -1)
            self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        context, delta = self._frame(), event.angleDelta()
        if context is None:
            return
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            x = event.position().x() - context.lanes.left
            factor = 1.25 ** (delta.y() / 120)
            self._show(geometry.zoom_range(self._view, x, factor, context.content.before.sums))
            self.setFocus(Qt.FocusReason.MouseFocusReason)  # so that the key 0 can show all again
        elif self._view.zoomed:
            self._show(geometry.pan_range(self._view, -(delta.x() or delta.y())))
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        tenfold = 10 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
        if key in STEPS and self._moves.focused:
            self._moves.step(STEPS[key] * tenfold)
        elif key == Qt.Key.Key_Escape and self._moves.put_back():
            self._press = None
        elif key == Qt.Key.Key_0 and event.modifiers() == Qt.KeyboardModifier.NoModifier:
            self._show(geometry.whole_range(self._view.total, self._view.width))
        elif (is_enter(event) or key == Qt.Key.Key_Space) and self._moves.focused:
            self.cut_clicked.emit(self._moves.focused)
        else:
            super().keyPressEvent(event)

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if event.key() in STEPS and self._moves.held and self._press is None and not event.isAutoRepeat():
            self._moves.release()
        else:
            super().keyReleaseEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        if self.hasFocus() and self._moves.focus(forward):
            return True
        return super().focusNextPrevChild(forward)

    def focusInEvent(self, event: QFocusEvent) -> None:
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self._moves.focus(event.reason() == Qt.FocusReason.TabFocusReason)
        quiet = (Qt.FocusReason.MouseFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
        self._by_keyboard = event.reason() not in quiet
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self._moves.blur()
        super().focusOutEvent(event)
