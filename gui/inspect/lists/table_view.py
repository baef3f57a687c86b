"""The table view of a message list: fixed rows, pixel scrolling, keys and pointer."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, Qt, Signal
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
from PySide6.QtWidgets import QAbstractItemView, QAbstractScrollArea, QFrame, QHeaderView, QTableView, QWidget

from core.presentation.lists.row_plan import RowKind
from gui.inspect.lists.delegate import MessageRowDelegate
from gui.inspect.lists.table_model import MessageListModel

_CONTEXT_ROWS = 2  # least visible rows above and below the target row
_MOVE_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
_MESSAGE_KINDS = (RowKind.MESSAGE, RowKind.FOLD)


class MessageRowView(QTableView):
    """Rows of a fixed height, painted by the delegate alone, and where they are. Heights are those of the
    viewport, in pixels."""

    def __init__(self, model: MessageListModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.message_model = model
        self.delegate = MessageRowDelegate(model, self)
        self.setModel(model)
        self.setItemDelegate(self.delegate)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.hide()
            header.setMinimumSectionSize(1)
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(self.row_pixels)

    @property
    def row_pixels(self) -> int:
        return self.delegate.fonts.row_pixels

    def measure(self) -> None:
        """Set row height and columns from the delegate's fonts and the width of the list."""
        self.delegate.lay_out_columns(self.viewport().width())
        if self.verticalHeader().defaultSectionSize() != self.row_pixels:
            self.verticalHeader().setDefaultSectionSize(self.row_pixels)
        self.setColumnWidth(0, self.viewport().width())
        self.viewport().update()

    def reset(self) -> None:
        """Lay out at once: a later change of the range would emit a scroll."""
        super().reset()
        self.executeDelayedItemsLayout()
        self.updateGeometries()

    def row_at(self, y: int) -> int:
        """Return the row at a height, -1 below the last."""
        row = (y + self.verticalScrollBar().value()) // self.row_pixels
        return row if 0 <= row < len(self.message_model.plan) else -1

    def row_top(self, row: int) -> int:
        """Return the top edge of a row, also for invisible rows."""
        return row * self.row_pixels - self.verticalScrollBar().value()

    def visible_rows(self) -> range:
        height, count, top = self.row_pixels, len(self.message_model.plan), self.verticalScrollBar().value()
        return range(min(top // height, count), min(-(-(top + self.viewport().height()) // height), count))

    def message_of(self, row: int) -> int:
        """Return the message of a row, -1 for other kinds of rows or none."""
        plan = self.message_model.plan
        is_message = 0 <= row < len(plan) and plan.kinds[row] == RowKind.MESSAGE
        return plan.indices[row] if is_message else -1

    def visible_range(self) -> tuple[int, int]:
        """Return the visible messages [start, end); folded ones count at their fold."""
        plan = self.message_model.plan
        rows = [row for row in self.visible_rows() if plan.kinds[row] in _MESSAGE_KINDS]
        if not rows:
            return (0, 0)
        kind, index = plan.kind_and_index(rows[-1])
        end = plan.folded_runs[index].end if kind == RowKind.FOLD else index + 1
        return plan.message_near(rows[0]), end

    def visible_runs(self) -> list[tuple[int, int]]:
        """Return the visible messages as ranges [start, end), without the folded ones."""
        runs: list[tuple[int, int]] = []
        messages = (self.message_of(row) for row in self.visible_rows())
        for message in (message for message in messages if message >= 0):
            if runs and runs[-1][1] == message:
                runs[-1] = (runs[-1][0], message + 1)
            else:
                runs.append((message, message + 1))
        return runs

    def visible_anchor(self, selected: int) -> tuple[int, int]:
        """Return a visible message and its height: the selected one, else the topmost; (-1, 0) for none."""
        rows, plan = self.visible_rows(), self.message_model.plan
        if 0 <= selected < len(plan.rows) - 1 and plan.rows[selected] in rows:
            return selected, self.row_top(plan.rows[selected])
        message = plan.message_near(rows[0]) if rows else -1
        return message, self.row_top(plan.rows[message]) if message >= 0 else 0

    def anchor_height(self) -> int:
        """Return the height that scrolling keeps: the pointer's, else the selected row's, else a third."""
        pointer = self.viewport().mapFromGlobal(self.cursor().pos())
        if self.viewport().underMouse() and self.viewport().rect().contains(pointer):
            return pointer.y()
        current = self.currentIndex().row()
        return self.row_top(current) if current in self.visible_rows() else self.viewport().height() // 3

    def scroll_to_message(self, message: int, y: int) -> None:
        """Scroll so that the row of a message starts ``y`` pixels below the top of the rows."""
        plan = self.message_model.plan
        if 0 <= message < len(plan.rows):
            self.verticalScrollBar().setValue(plan.rows[message] * self.row_pixels - y)

    def scroll_into_view(self, row: int) -> None:
        """Scroll as little as needed to see a row with two rows of context."""
        height, bar, available = self.row_pixels, self.verticalScrollBar(), self.viewport().height()
        top = self.row_top(row)
        context = _CONTEXT_ROWS * height if available > 3 * _CONTEXT_ROWS * height else 0
        if top < context:
            bar.setValue(bar.value() + top - context)
        elif top + height > available - context:
            bar.setValue(bar.value() + top + height + context - available)

    def row_rect(self, message: int) -> QRect:
        """Return a message's row, visible or not; of height 0 if a filter hides it."""
        top, bottom = self.row_span(message)
        return QRect(0, top, self.viewport().width(), bottom - top)

    def row_span(self, message: int) -> tuple[int, int]:
        """Return top and bottom edge of ``row_rect``, which ribbons ask for hundreds of times."""
        plan = self.message_model.plan
        top = self.row_top(plan.rows[min(max(message, 0), len(plan.rows) - 1)])
        return top, top + (self.row_pixels if plan.row_of(message) >= 0 else 0)

    def recorded_row(self, number: int) -> int:
        """Return the row of a recorded compaction, -1 if there is none."""
        plan, recorded = self.message_model.plan, self.message_model.content.recorded
        for row, kind in enumerate(plan.kinds):
            if kind == RowKind.RECORDED and recorded[plan.indices[row]].number == number:
                return row
        return -1


class MessageListView(MessageRowView):
    """Turns keys and pointer into signals."""

    resized = Signal()
    hovered = Signal(int)  # row, -1 for none
    row_pressed = Signal(int)
    fold_requested = Signal(int, bool)  # row, open
    partner_requested = Signal(int)  # -1 previous, 1 next
    counterpart_requested = Signal()
    restore_requested = Signal()
    menu_requested = Signal(QPoint)  # global position

    def set_current(self, row: int) -> None:
        """Mark a row as current, -1 for none, without scrolling."""
        self.delegate.current_row = row
        index = self.message_model.index(row, 0) if row >= 0 else QModelIndex()
        scroll = self.verticalScrollBar().value()
        self.selectionModel().setCurrentIndex(index, self.selectionModel().SelectionFlag.NoUpdate)
        self.verticalScrollBar().setValue(scroll)
        self.viewport().update()

    def currentChanged(
        self, current: QModelIndex | QPersistentModelIndex, previous: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().currentChanged(current, previous)
        self.delegate.current_row = current.row()
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Fold, unfold, pair partner and other end; other keys move the current row."""
        row = self.currentIndex().row()
        modified = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        is_plain = not event.modifiers() & modified
        is_open = self.message_model.is_open(row)
        match event.key():
            case Qt.Key.Key_Left | Qt.Key.Key_Right as key if is_plain:
                self.fold_requested.emit(row, key == Qt.Key.Key_Right)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Space if is_open is not None:
                self.fold_requested.emit(row, not is_open)
            case Qt.Key.Key_BracketLeft | Qt.Key.Key_BracketRight as key if is_plain:
                self.partner_requested.emit(1 if key == Qt.Key.Key_BracketRight else -1)
            case Qt.Key.Key_O if is_plain:
                self.counterpart_requested.emit()
            case Qt.Key.Key_B if is_plain:
                self.restore_requested.emit()
            case key if row < 0 and key in _MOVE_KEYS and (rows := self.visible_rows()):
                is_first_cut_off = len(rows) > 1 and self.row_top(rows[0]) < 0
                self.setCurrentIndex(self.message_model.index(rows[1 if is_first_cut_off else 0], 0))
            case _:
                super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """No search by typing: letters are commands."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Makes the row current; a fold row opens or closes."""
        super().mousePressEvent(event)
        row = self.row_at(round(event.position().y()))
        if event.button() != Qt.MouseButton.LeftButton or row < 0:
            return
        self.row_pressed.emit(row)
        is_open = self.message_model.is_open(row)
        if is_open is not None and self.message_model.plan.kinds[row] != RowKind.SUMMARY:
            self.fold_requested.emit(row, not is_open)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Requests the menu of the row under the pointer, or by key of the current one."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        row = self.currentIndex().row() if by_key else self.row_at(event.pos().y())
        if row >= 0:
            self.row_pressed.emit(row)
            below = QPoint(self.delegate.columns.message, self.row_top(row) + self.row_pixels)
            self.menu_requested.emit(self.viewport().mapToGlobal(below if by_key else event.pos()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Emits the row under the pointer; dragging selects nothing."""
        if not event.buttons():
            self.hovered.emit(self.row_at(round(event.position().y())))

    def leaveEvent(self, event: object) -> None:
        self.hovered.emit(-1)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolls, and emits the row now under the pointer."""
        super().wheelEvent(event)
        self.hovered.emit(self.row_at(round(event.position().y())))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Shows the focus, without selecting a row as the base class would."""
        QAbstractScrollArea.focusInEvent(self, event)
        self.delegate.focused = True
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.delegate.focused = False
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints rows, and a focus ring round the list if no current row is visible."""
        super().paintEvent(event)
        if self.hasFocus() and self.delegate.current_row not in self.visible_rows():
            painter = QPainter(self.viewport())
            painter.setPen(QPen(self.delegate.theme.accent_text, 2, j=Qt.PenJoinStyle.MiterJoin))
            painter.drawRect(self.viewport().rect().adjusted(1, 1, -1, -1))
            painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.measure()
        self.resized.emit()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Repaints the ring round the list, which scrolling would move."""
        super().scrollContentsBy(dx, dy)
        if self.hasFocus():
            self.viewport().update()
