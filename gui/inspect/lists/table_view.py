"""The view of the message list: keys and pointer."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import (
    QContextMenuEvent,
    QFocusEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from core.presentation.lists.row_plan import RowKind
from gui.inspect.lists.cell_links import CellLink
from gui.inspect.lists.cut_drag import CutDrag
from gui.inspect.lists.row_links import RecordedLink, RowLink, row_link
from gui.inspect.lists.row_view import MessageRowView
from gui.inspect.lists.table_model import MessageListModel

_MOVE_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class MessageListView(MessageRowView):
    """Turns keys and pointer into signals."""

    resized = Signal()
    hovered = Signal(int)  # row, -1 for none
    row_pressed = Signal(int, bool)  # row; in its right half, of two messages
    cell_pressed = Signal(int)  # message of the result
    link_pressed = Signal(object)  # CellLink, RowLink or RecordedLink
    expand_requested = Signal(int, bool)  # row, open
    whole_requested = Signal(int)  # of a cell's message of the result
    partner_requested = Signal(int)  # -1 previous, 1 next
    counterpart_requested = Signal()
    restore_requested = Signal()
    cut_moved = Signal(int, int)  # row of the cut, boundaries to move it by
    menu_requested = Signal(QPoint)  # global position

    def __init__(self, model: MessageListModel, parent: QWidget | None = None) -> None:
        super().__init__(model, parent)
        self.drag = CutDrag(self)

    def set_current(self, row: int) -> None:
        """Mark a row as current, -1 for none, without scrolling."""
        self.rows.current_row = row
        index = self.message_model.index(row, 0) if row >= 0 else QModelIndex()
        scroll = self.verticalScrollBar().value()
        self.selectionModel().setCurrentIndex(index, self.selectionModel().SelectionFlag.NoUpdate)
        self.verticalScrollBar().setValue(scroll)
        self.viewport().update()

    def currentChanged(
        self,
        current: QModelIndex | QPersistentModelIndex,
        previous: QModelIndex | QPersistentModelIndex,
    ) -> None:
        super().currentChanged(current, previous)
        self.rows.current_row = current.row()
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Collapse, expand, pair partner and other place; other keys move the current row."""
        row = self.currentIndex().row()
        modified = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        is_plain = not event.modifiers() & modified
        is_open, block = self.message_model.is_open(row), self.message_model.plan.block_at(row)
        match event.key():
            case Qt.Key.Key_Up | Qt.Key.Key_Down as key if (
                event.modifiers() & Qt.KeyboardModifier.AltModifier
            ):
                self.cut_moved.emit(row, 1 if key == Qt.Key.Key_Down else -1)
            case Qt.Key.Key_Left | Qt.Key.Key_Right as key if is_plain:
                self.expand_requested.emit(row, key == Qt.Key.Key_Right)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Space if is_open is not None:
                self.expand_requested.emit(row, not is_open)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if block is not None and block.result >= 0:
                self.whole_requested.emit(block.result)
            case Qt.Key.Key_BracketLeft | Qt.Key.Key_BracketRight as key if is_plain:
                self.partner_requested.emit(1 if key == Qt.Key.Key_BracketRight else -1)
            case Qt.Key.Key_O if is_plain:
                self.counterpart_requested.emit()
            case Qt.Key.Key_B if is_plain:
                self.restore_requested.emit()
            case key if row < 0 and key in _MOVE_KEYS and (rows := self.visible_rows()):
                is_first_cut_off = len(rows) > 1 and self.row_top(rows[0]) < 0
                self.setCurrentIndex(
                    self.message_model.index(rows[1 if is_first_cut_off else 0], 0)
                )
            case _:
                super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """No search by typing: letters are commands."""

    def link_at(self, position: QPoint) -> CellLink | RowLink | RecordedLink | None:
        """Return the link under the pointer, of a cell or a row."""
        row = self.row_at(position.y())
        link = row_link(self.rows, self.message_model, row, position.x()) if row >= 0 else None
        return self.cells.link_at(position) or link

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Follows a link, selects a cell or makes the row current; a collapsed run expands or
        collapses."""
        self._press(event, is_second=False)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Selects as one click does, and leaves a run as the first click left it."""
        self._press(event, is_second=True)

    def _press(self, event: QMouseEvent, *, is_second: bool) -> None:
        position = event.position().toPoint()
        row, is_left = self.row_at(position.y()), event.button() == Qt.MouseButton.LeftButton
        link, cell = (self.link_at(position), self.cell_at(position)) if is_left else (None, None)
        if link is not None and is_second:
            return
        if link is not None:
            self.link_pressed.emit(link)
        elif cell is not None and cell.result >= 0:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self.cell_pressed.emit(cell.result)
        elif is_left and row >= 0:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            is_right = self.rows.are_apart(row) and position.x() >= self.rows.columns.split
            self.row_pressed.emit(row, is_right)
            if self.message_model.can_drag(row) and not is_second:
                cut = self.message_model.before.cuts[self.message_model.plan.left[row]]
                self.drag.press(cut.name, cut.boundary, position.y())
            is_open = None if is_second else self.message_model.is_open(row)
            if is_open is not None and self.message_model.plan.kinds[row] != RowKind.SUMMARY:
                self.expand_requested.emit(row, not is_open)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Requests the menu of the row under the pointer, or by key of the current one."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        row = self.currentIndex().row() if by_key else self.row_at(event.pos().y())
        if row >= 0:
            if not by_key:
                self.row_pressed.emit(row, False)
            below = QPoint(self.rows.columns.message, self.row_top(row) + self.row_pixels)
            self.menu_requested.emit(self.viewport().mapToGlobal(below if by_key else event.pos()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Emits the row under the pointer, or drags the cut of the pressed row; nothing else is
        selected."""
        position = event.position().toPoint()
        if not event.buttons():
            self.viewport().setCursor(self._cursor_at(position))
            self.hovered.emit(self.row_at(position.y()))
        elif event.buttons() & Qt.MouseButton.LeftButton:
            self.drag.move(position.y(), self.row_pixels, self.viewport().height())

    def _cursor_at(self, position: QPoint) -> Qt.CursorShape:
        if self.link_at(position) is not None:
            return Qt.CursorShape.PointingHandCursor
        can_drag = self.message_model.can_drag(self.row_at(position.y()))
        if can_drag is None:
            return Qt.CursorShape.ArrowCursor
        return Qt.CursorShape.SplitVCursor if can_drag else Qt.CursorShape.ForbiddenCursor

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Lets a dragged cut go."""
        self.drag.release()

    def event(self, event: QEvent) -> bool:
        """Esc puts a dragged cut back, before it does anything else."""
        if (
            isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
            and self.drag.is_active
        ):
            event.accept()
            if event.type() == QEvent.Type.KeyPress:
                self.drag.release(is_kept=False)
            return True
        return super().event(event)

    def leaveEvent(self, event: object) -> None:
        self.hovered.emit(-1)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolls, and emits the row now under the pointer; a dragged cut stays at its height."""
        if self.drag.is_active:
            return
        super().wheelEvent(event)
        self.hovered.emit(self.row_at(round(event.position().y())))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Shows the focus, without selecting a row as the base class would."""
        QAbstractScrollArea.focusInEvent(self, event)
        self.rows.focused = True
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.rows.focused = False
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints rows, cells, and a focus ring round the list if no current row is visible."""
        super().paintEvent(event)
        self.cells.links.clear()
        painter = QPainter(self.viewport())
        for block, rect in self.visible_blocks():
            self.cells.paint(painter, block, rect, self.viewport().rect())
        for summary, rect in self.visible_recorded():
            self.cells.paint_recorded(painter, summary, rect)
        if self.hasFocus() and self.rows.current_row not in self.visible_rows():
            painter.setPen(QPen(self.rows.theme.accent_text, 2, j=Qt.PenJoinStyle.MiterJoin))
            painter.drawRect(self.viewport().rect().adjusted(1, 1, -1, -1))
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.measure()
        self.resized.emit()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Repaints all: what sticks to the visible part of a cell does not move with its rows."""
        super().scrollContentsBy(dx, dy)
        self.viewport().update()
