"""The table view of a message list: fixed rows, pixel scrolling, keys, and an overlay scroll bar."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
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
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QFrame,
    QHeaderView,
    QScrollBar,
    QTableView,
    QWidget,
)

from core.presentation.lists.row_plan import RowKind
from gui.inspect.lists.delegate import MessageRowDelegate
from gui.inspect.lists.table_model import MessageListModel

BAR_WIDTH = 8
"""Width in pixels."""
_STYLE = f"""QScrollBar:vertical {{ width: {BAR_WIDTH}px; }}
QScrollBar::handle:vertical {{ margin: 2px; border-radius: 2px; min-height: 32px; }}"""


class ThinScrollBar(QScrollBar):
    """Replaces the hidden scroll bar of a view."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self._view = parent
        self.setStyleSheet(_STYLE)
        self.hide()

    def set_source(self, source_bar: QScrollBar) -> None:
        self._source_bar = source_bar
        source_bar.rangeChanged.connect(self._on_range)
        source_bar.valueChanged.connect(self.setValue)
        self.valueChanged.connect(source_bar.setValue)

    def fit(self) -> None:
        self.setGeometry(self._view.width() - BAR_WIDTH, 0, BAR_WIDTH, self._view.height())

    def _on_range(self, minimum: int, maximum: int) -> None:
        self.setRange(minimum, maximum)
        self.setPageStep(self._source_bar.pageStep())
        self.setSingleStep(self._source_bar.singleStep())
        self.setVisible(maximum > minimum)


_MOVE_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class MessageListView(QTableView):
    """Rows of a fixed height, painted by the delegate alone."""

    resized = Signal()
    hovered = Signal(int)  # row, -1 for none
    row_pressed = Signal(int)
    fold_requested = Signal(int, bool)  # row, open
    partner_requested = Signal(int)  # -1 previous, 1 next
    counterpart_requested = Signal()
    restore_requested = Signal()
    menu_requested = Signal(QPoint)  # global position

    def __init__(self, model: MessageListModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.message_model = model
        self.delegate = MessageRowDelegate(model, self)
        self.setModel(model)
        self.setItemDelegate(self.delegate)
        self._bar = ThinScrollBar(self)
        self._configure()
        self._configure_headers()
        self._bar.set_source(self.verticalScrollBar())

    def _configure(self) -> None:
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def _configure_headers(self) -> None:
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().setMinimumSectionSize(1)
        self.verticalHeader().hide()
        self.verticalHeader().setMinimumSectionSize(1)
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(self.delegate.fonts.row_pixels)

    def measure(self) -> None:
        """Set row height and columns from the delegate's fonts and the width of the list."""
        self.delegate.lay_out_columns(self.viewport().width())
        if self.verticalHeader().defaultSectionSize() != self.delegate.fonts.row_pixels:
            self.verticalHeader().setDefaultSectionSize(self.delegate.fonts.row_pixels)
        self.setColumnWidth(0, self.viewport().width())
        self.viewport().update()

    def reset(self) -> None:
        """Lay out at once: a later change of the range would emit a scroll."""
        super().reset()
        self.executeDelayedItemsLayout()
        self.updateGeometries()

    def row_at(self, y: int) -> int:
        """Return the row at a height of the viewport, -1 below the last."""
        row = (y + self.verticalScrollBar().value()) // self.delegate.fonts.row_pixels
        return row if 0 <= row < len(self.message_model.plan) else -1

    def row_top(self, row: int) -> int:
        """Return the top edge of a row in the viewport, also for invisible rows."""
        return row * self.delegate.fonts.row_pixels - self.verticalScrollBar().value()

    def visible_rows(self) -> range:
        height, count = self.delegate.fonts.row_pixels, len(self.message_model.plan)
        top = self.verticalScrollBar().value()
        return range(min(top // height, count), min(-(-(top + self.viewport().height()) // height), count))

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
        is_plain = not event.modifiers() & (
            Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        )
        match event.key():
            case Qt.Key.Key_Left if is_plain:
                self.fold_requested.emit(row, False)
            case Qt.Key.Key_Right if is_plain:
                self.fold_requested.emit(row, True)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Space if (
                self.message_model.is_open(row) is not None
            ):
                self.fold_requested.emit(row, not self.message_model.is_open(row))
            case Qt.Key.Key_BracketLeft if is_plain:
                self.partner_requested.emit(-1)
            case Qt.Key.Key_BracketRight if is_plain:
                self.partner_requested.emit(1)
            case Qt.Key.Key_O if is_plain:
                self.counterpart_requested.emit()
            case Qt.Key.Key_B if is_plain:
                self.restore_requested.emit()
            case key if row < 0 and key in _MOVE_KEYS and self.visible_rows():
                self.setCurrentIndex(self.message_model.index(self._first_whole_row(), 0))
            case _:
                super().keyPressEvent(event)

    def _first_whole_row(self) -> int:
        rows = self.visible_rows()
        return rows[1] if len(rows) > 1 and self.row_top(rows[0]) < 0 else rows[0]

    def keyboardSearch(self, search: str) -> None:
        """No search by typing: letters are commands."""

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Makes the row current; a fold row opens or closes."""
        super().mousePressEvent(event)
        if event.button() != Qt.MouseButton.LeftButton:
            return
        row = self.row_at(round(event.position().y()))
        if row < 0:
            return
        self.row_pressed.emit(row)
        is_open = self.message_model.is_open(row)
        if is_open is not None and self.message_model.plan.kinds[row] != RowKind.SUMMARY:
            self.fold_requested.emit(row, not is_open)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Requests the menu of the row under the pointer, or by key of the current one."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        row = self.currentIndex().row() if by_key else self.row_at(event.pos().y())
        if row < 0:
            return
        self.row_pressed.emit(row)
        below = QPoint(self.delegate.columns.message, self.row_top(row) + self.delegate.fonts.row_pixels)
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
        self._bar.fit()
        self.measure()
        self.resized.emit()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Repaints the ring round the list, which scrolling would move."""
        super().scrollContentsBy(dx, dy)
        if self.hasFocus():
            self.viewport().update()

    def pointer(self) -> QPoint | None:
        """The pointer's position in the viewport, None if it is elsewhere."""
        if not self.viewport().underMouse():
            return None
        place = self.viewport().mapFromGlobal(self.cursor().pos())
        return place if self.viewport().rect().contains(place) else None
