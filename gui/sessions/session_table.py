"""The table of sessions: a model over rows of the worker, and a view that paints them."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QRect, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QStyleOptionViewItem

from core.presentation.sessions.model import SessionRow
from core.presentation.sessions.session_order import COLUMNS, SortOrder, sorted_rows
from gui.language import tr
from gui.widgets.key_presses import is_enter
from gui.widgets.result_table import LEFT_MIDDLE, RIGHT_MIDDLE, Index, PlainTable, RowPainter
from gui.widgets.theme import SECONDARY, SMALL, Theme, resized_font, scaled_pixels, tabular_font, theme

_WIDTHS = (0, 136, 92, 96, 72, 76, 84, 76, 112)
_RIGHT = frozenset(range(4, 9))
_RECORDED, _CTX = COLUMNS.index("recorded"), COLUMNS.index("[ctx]")
_OPTIONAL_COLUMNS = tuple(map(COLUMNS.index, ("size", "messages", "project", "agent")))
"""Columns that are hidden, in this order, if the first prompt would have less space than ``_PROMPT``."""
_PROMPT = 200
_PAD, _BAR_WIDTH, _BAR_HEIGHT = 8, 48, 8


class SessionTableModel(QAbstractTableModel):
    """Rows in a sort order. ``at(row)`` is the session of a row."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.rows: list[SessionRow] = []
        self.sort_order = SortOrder()
        self._order: list[int] = []

    def put(self, start: int, rows: Sequence[SessionRow], *, begins: bool) -> None:
        """Add rows from ``start`` on; ``begins`` drops the previous ones."""
        self.beginResetModel()
        if begins:
            self.rows = []
        self.rows[start : start + len(rows)] = rows
        self._order = sorted_rows(self.rows, self.sort_order)
        self.endResetModel()

    def set_sort_order(self, sort_order: SortOrder) -> None:
        self.beginResetModel()
        self.sort_order = sort_order
        self._order = sorted_rows(self.rows, sort_order)
        self.endResetModel()

    def session_at(self, row: int) -> SessionRow | None:
        """Return the session of a row, None if there is none."""
        return self.rows[self._order[row]] if 0 <= row < len(self._order) else None

    def row_of(self, path: str) -> int:
        """Return the row of a session, -1 if it is not shown."""
        return next((row for row, index in enumerate(self._order) if self.rows[index].path == path), -1)

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return tr(COLUMNS[section])
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section in _RIGHT else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.session_at(index.row())
        if row is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return _texts(row)[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole and index.column() < 2:
            return row.prompt
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == 0:
            return ", ".join(text for text in _texts(row) if text)
        return None


def _texts(row: SessionRow) -> tuple[str, ...]:
    return (
        row.prompt,
        row.project,
        row.agent,
        row.changed,
        row.size,
        row.messages,
        row.tokens,
        row.recorded,
        row.ctx_text,
    )


class _SessionCellDelegate(RowPainter):
    """Paints a cell: text at its side, the last column with a bar."""

    def paint_cell(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index, *, is_current: bool
    ) -> None:
        model = index.model()
        row = model.session_at(index.row()) if isinstance(model, SessionTableModel) else None
        if row is None:
            return
        rect, column = QRect(option.rect), index.column()
        inside = rect.adjusted(_PAD, 0, -_PAD, -1)
        if column == _CTX and row.ctx >= 0:
            self._bar(painter, inside, row)
        painter.setFont(tabular_font(resized_font(option.font, SECONDARY if column else 13)))
        painter.setPen(self._text_colour(row, column))
        metrics = painter.fontMetrics()
        text = metrics.elidedText(str(index.data() or ""), Qt.TextElideMode.ElideRight, inside.width())
        painter.drawText(inside, RIGHT_MIDDLE if column in _RIGHT else LEFT_MIDDLE, text)
        if is_current and column == 0:
            painter.fillRect(rect.left(), rect.top(), 3, rect.height(), self.theme.accent_text)
        if is_current and column == _CTX and option.widget.hasFocus():  # the ring round the row ends here
            painter.fillRect(rect.right() - 1, rect.top(), 2, rect.height(), self.theme.accent_text)

    def _text_colour(self, row: SessionRow, column: int) -> QColor:
        theme = self.theme
        if column == 0:
            return theme.error if row.problem else theme.text
        if column == _RECORDED and row.has_recorded:
            return theme.fate_text[3]
        return theme.text2

    def _bar(self, painter: QPainter, inside: QRect, row: SessionRow) -> None:
        theme = self.theme
        box = QRect(inside.left(), inside.center().y() - _BAR_HEIGHT // 2, _BAR_WIDTH, _BAR_HEIGHT)
        painter.fillRect(box, theme.free)
        painter.setPen(QPen(theme.hairline, 1))
        painter.drawRect(box.adjusted(0, 0, -1, -1))
        part = max(2, round(_BAR_WIDTH * min(1.0, row.ctx)))
        colour = theme.tone(row.tone) if row.tone else theme.kind[1]
        painter.fillRect(QRect(box.left(), box.top(), part, box.height()), colour)


class SessionTable(PlainTable):
    """Emits ``chosen(path)`` for Enter and double click, ``session_changed(row)`` for the current one."""

    chosen = Signal(str)
    session_changed = Signal(object)  # SessionRow or None

    def __init__(self) -> None:
        self.sessions = SessionTableModel()
        self._path = ""
        super().__init__(
            tr("Sessions"),
            self.sessions,
            _SessionCellDelegate(self.sessions, theme("light")),
            has_header=True,
        )
        self.sessions.setParent(self)
        header = self.horizontalHeader()
        header.setSectionsClickable(True)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(self.sessions.sort_order.column, Qt.SortOrder.DescendingOrder)
        header.sortIndicatorChanged.connect(self._on_sorted)
        self.doubleClicked.connect(self._on_chosen)
        self.selectionModel().currentRowChanged.connect(self._on_current)

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._fit()

    def _fit(self) -> None:
        header_metrics = QFontMetrics(resized_font(self.font(), SMALL))
        heads = (header_metrics.horizontalAdvance(tr(title)) + 24 for title in COLUMNS)
        min_widths = (scaled_pixels(width, self.font()) for width in _WIDTHS)
        self.fit_columns(
            [max(pair) for pair in zip(heads, min_widths, strict=True)], _OPTIONAL_COLUMNS, _PROMPT
        )

    def put(self, start: int, rows: Sequence[SessionRow], *, begins: bool) -> None:
        """Add rows; the current session and the scroll position stay."""
        scroll_position = self.verticalScrollBar().value()
        self.sessions.put(start, rows, begins=begins)
        self._reselect()
        self.verticalScrollBar().setValue(scroll_position)

    def set_sort_order(self, sort_order: SortOrder) -> None:
        self.sessions.set_sort_order(sort_order)
        self._reselect()

    def current(self) -> SessionRow | None:
        return self.sessions.session_at(self.currentIndex().row())

    def _reselect(self) -> None:
        row = self.sessions.row_of(self._path) if self._path else -1
        self.setCurrentIndex(self.sessions.index(max(0, row), 0))
        self.session_changed.emit(self.current())

    def _on_sorted(self, column: int, direction: Qt.SortOrder) -> None:
        sort_order = self.sessions.sort_order
        is_descending = direction == Qt.SortOrder.DescendingOrder
        self.set_sort_order(
            SortOrder(sort_order.agent, sort_order.search, sort_order.only_recorded, column, is_descending)
        )

    def _on_current(self, current: QModelIndex) -> None:
        row = self.sessions.session_at(current.row())
        if row is not None:
            self._path = row.path
            self.session_changed.emit(row)

    def _on_chosen(self, index: QModelIndex) -> None:
        row = self.sessions.session_at(index.row())
        if row is not None:
            self.chosen.emit(row.path)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens; other keys do what Qt's tables do."""
        if is_enter(event):
            self._on_chosen(self.currentIndex())
        else:
            super().keyPressEvent(event)
