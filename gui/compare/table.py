"""The table of a comparison: marks A and B, names with tags, a bar for fidelity, sorted by a column."""

from __future__ import annotations

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QRect,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QColor, QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import QHeaderView, QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTableView

from core.view.compare_order import order
from core.view.compare_values import (
    COLUMNS,
    DONE,
    FAILED,
    FIDELITY,
    LINT,
    NAME,
    WAITING,
    CompareLine,
    ComparePage,
)
from gui.icons import paint_glyph
from gui.parts import TONE_GLYPHS
from gui.theme import SECONDARY, SMALL, Theme, resized, tabular

_Index = QModelIndex | QPersistentModelIndex
_HIGH, _PAD = 26, 8
_SLOT = 18
"""Width of the place of a mark; A stands in the first, B in the second."""
_BAR, _BAR_HIGH = 64, 8
_LEAST = {FIDELITY: 64 + 48, LINT: 78}
_NAME = 236
_GIVE_WAY = tuple(
    map(COLUMNS.index, ("messages", "time", "later needs", "model calls", "files", "errors", "cost"))
)
"""Columns that go, in this order, where names would have less room than ``_NAME``."""


class CompareModel(QAbstractTableModel):
    """The lines of a page in their order. ``at(row)`` is the line of a row."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.page: ComparePage | None = None
        self.column, self.down = FIDELITY, True
        self._order: list[int] = []

    def show_page(self, page: ComparePage | None) -> None:
        """Show another page."""
        self.beginResetModel()
        self.page = page
        self._sort()
        self.endResetModel()

    def sort_by(self, column: int, down: bool) -> None:
        """Another order."""
        self.beginResetModel()
        self.column, self.down = column, down
        self._sort()
        self.endResetModel()

    def _sort(self) -> None:
        lines = self.page.lines if self.page is not None else ()
        self._order = order(lines, self.column, descending=self.down)

    def at(self, row: int) -> CompareLine | None:
        """The line of a row, None where there is none."""
        if self.page is None or not 0 <= row < len(self._order):
            return None
        return self.page.lines[self._order[row]]

    def row_of(self, name: str) -> int:
        """The row of a name, -1 where there is none."""
        found = (row for row in range(len(self._order)) if (line := self.at(row)) and line.name == name)
        return next(found, -1)

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.page.columns[section] if self.page is not None else COLUMNS[section]
        if role == Qt.ItemDataRole.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ToolTipRole:
            return "A click sorts by this column; S and Shift S go on to another, R turns the order round."
        return None

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        line = self.at(index.row())
        if line is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return line.cells[index.column()].text
        if role == Qt.ItemDataRole.ToolTipRole:
            if index.column() == NAME:
                return "\n".join(filter(None, (line.name, *line.tags, line.trouble)))
            return line.cells[index.column()].tip
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == NAME:
            said = zip(COLUMNS, (cell.text for cell in line.cells), strict=True)
            return ", ".join((line.name, *line.tags, line.trouble, *(f"{c} {t}" for c, t in said if t)))
        return None


class _Cells(QStyledItemDelegate):
    """Paints a cell of the table."""

    def __init__(self, parent: QObject, theme: Theme) -> None:
        super().__init__(parent)
        self.theme = theme
        self.marked: tuple[str, str] = ("", "")
        self.hovered = -1

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        model = index.model()
        line = model.at(index.row()) if isinstance(model, CompareModel) else None
        if line is None:
            return
        shade, rect = self.theme, QRect(option.rect)
        is_current = bool(option.state & QStyle.StateFlag.State_Selected)
        is_marked = line.name in self.marked
        painter.save()
        painter.fillRect(rect, shade.selection if is_marked else shade.surface)
        painter.setPen(shade.hairline)
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        if index.column() == NAME:
            self._name(painter, rect, option.font, line, bare=not (is_current or index.row() == self.hovered))
        elif line.state == DONE:
            self._figure(painter, rect.adjusted(4, 0, -_PAD, -1), option.font, line, index.column())
        elif index.column() == NAME + 1:
            self._said(painter, rect.adjusted(_PAD, 0, -_PAD, -1), option.font, line)
        if is_current:
            self._ring(painter, rect, option.widget, index)
        painter.restore()

    def _name(self, painter: QPainter, rect: QRect, font: QFont, line: CompareLine, *, bare: bool) -> None:
        shade = self.theme
        for place, letter in enumerate("AB"):
            is_set = self.marked[place] == line.name
            if is_set or not bare:
                painter.setFont(resized(font, SECONDARY, bold=is_set))
                painter.setPen(shade.accent_text if is_set else shade.text3)
                slot = QRect(rect.left() + 4 + place * _SLOT, rect.top(), _SLOT, rect.height() - 1)
                painter.drawText(slot, int(Qt.AlignmentFlag.AlignCenter), letter)
        left = rect.left() + 8 + 2 * _SLOT
        room = QRect(left, rect.top(), rect.right() - left - 4, rect.height() - 1)
        painter.setFont(resized(font, 13, bold=line.name in self.marked))
        painter.setPen(shade.text3 if line.state == WAITING else shade.text)
        metrics = painter.fontMetrics()
        painter.drawText(
            room,
            int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter),
            metrics.elidedText(line.name, Qt.TextElideMode.ElideRight, room.width()),
        )
        room.setLeft(left + metrics.horizontalAdvance(line.name) + 8)
        for tag in line.tags:
            self._tag(painter, room, font, tag)

    def _tag(self, painter: QPainter, room: QRect, font: QFont, tag: str) -> None:
        painter.setFont(resized(font, SMALL))
        metrics = painter.fontMetrics()
        text = metrics.elidedText(tag, Qt.TextElideMode.ElideRight, room.width() - 12)
        if room.width() < 48 or not text:
            return
        box = QRect(room.left(), room.center().y() - 8, metrics.horizontalAdvance(text) + 10, 17)
        painter.setPen(QPen(self.theme.hairline, 1))
        painter.setBrush(self.theme.surface)
        painter.drawRoundedRect(box, 3, 3)
        painter.setPen(self.theme.text2)
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)

    def _figure(self, painter: QPainter, inside: QRect, font: QFont, line: CompareLine, column: int) -> None:
        shade, cell = self.theme, line.cells[column]
        if column == FIDELITY:
            self._bar(painter, inside, line)
        bold = cell.tone == "error"
        painter.setFont(tabular(resized(font, 13, bold=bold)))
        ink = shade.tone(cell.tone) if cell.tone else shade.text
        painter.setPen(ink)
        side = int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        painter.drawText(inside, side, cell.text)
        if column == LINT and cell.tone:
            left = inside.right() - painter.fontMetrics().horizontalAdvance(cell.text) - 17
            spot = QRect(left, inside.center().y() - 5, 12, 12)
            paint_glyph(painter, TONE_GLYPHS[cell.tone], spot.toRectF(), ink)

    def _bar(self, painter: QPainter, inside: QRect, line: CompareLine) -> None:
        shade = self.theme
        if line.fidelity is None:
            return
        left = inside.right() - 40 - _BAR
        box = QRect(left, inside.center().y() - _BAR_HIGH // 2, _BAR, _BAR_HIGH)
        painter.fillRect(box, shade.free)
        painter.setPen(QPen(shade.hairline, 1))
        painter.drawRect(box.adjusted(0, 0, -1, -1))
        ink: QColor = shade.kind[5] if line.number else shade.kind[1]
        painter.fillRect(QRect(box.left(), box.top(), round(_BAR * line.fidelity), box.height()), ink)

    def _said(self, painter: QPainter, inside: QRect, font: QFont, line: CompareLine) -> None:
        """Why there are no figures, over the whole row."""
        shade = self.theme
        painter.setFont(resized(font, SECONDARY))
        is_failed = line.state == FAILED
        painter.setPen(shade.error if is_failed else shade.text3)
        if is_failed:
            paint_glyph(
                painter, "error", QRect(inside.left(), inside.center().y() - 5, 12, 12).toRectF(), shade.error
            )
        text = line.trouble if is_failed else "to come"
        room = inside.adjusted(18 if is_failed else 0, 0, 0, 0)
        text = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter), text)

    def _ring(self, painter: QPainter, rect: QRect, view: QObject, index: _Index) -> None:
        """A bar at the left of the current row; lines above and below where keys go to the table."""
        shade = self.theme
        if isinstance(view, QTableView) and view.hasFocus():
            painter.fillRect(rect.left(), rect.top(), rect.width(), 2, shade.accent_fill)
            painter.fillRect(rect.left(), rect.bottom() - 1, rect.width(), 2, shade.accent_fill)
        if index.column() == NAME:
            painter.fillRect(rect.left(), rect.top(), 3, rect.height(), shade.accent_fill)


class CompareTable(QTableView):
    """Emits ``current_changed(name)``, ``mark_asked(place, name)`` (0 is A), ``opened(name)``, ``sorted``."""

    current_changed = Signal(str)
    mark_asked = Signal(int, str)
    opened = Signal(str)
    sorted = Signal(int, bool)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.lines = CompareModel(self)
        self.setModel(self.lines)
        self._cells = _Cells(self, theme)
        self.setItemDelegate(self._cells)
        self._name = ""
        self.setAccessibleName("Results")
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header = self.horizontalHeader()
        header.setProperty("role", "roomy")
        header.setSectionsClickable(True)
        header.setHighlightSections(False)
        header.setSortIndicatorShown(True)
        header.setSortIndicator(FIDELITY, Qt.SortOrder.DescendingOrder)
        header.sortIndicatorChanged.connect(self._on_sorted)
        header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(NAME, QHeaderView.ResizeMode.Stretch)
        header.setMinimumSectionSize(24)
        self.doubleClicked.connect(self._on_opened)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Paint in a theme's colours."""
        self._cells.theme = theme
        self.verticalHeader().setDefaultSectionSize(max(_HIGH, self.fontMetrics().height() + 8))
        self._fit()
        self.viewport().update()

    @property
    def row_height(self) -> int:
        """Pixels of a row."""
        return self.verticalHeader().defaultSectionSize()

    def show_page(self, page: ComparePage | None) -> None:
        """Show a comparison; the current row and the view stay where they are."""
        place = self.verticalScrollBar().value()
        self.lines.show_page(page)
        self._stay()
        self._fit()
        self.verticalScrollBar().setValue(place)
        self.updateGeometry()

    def set_marked(self, a: str, b: str) -> None:
        """Show which rows are A and B."""
        self._cells.marked = (a, b)
        self.viewport().update()

    def sort_by(self, column: int, down: bool) -> None:
        """Another order, shown in the head."""
        way = Qt.SortOrder.DescendingOrder if down else Qt.SortOrder.AscendingOrder
        self.horizontalHeader().setSortIndicator(column, way)

    def select(self, name: str) -> None:
        """Make a row the current one."""
        row = self.lines.row_of(name)
        if row >= 0:
            self.setCurrentIndex(self.lines.index(row, 0))

    @property
    def current(self) -> CompareLine | None:
        """The line of the current row."""
        return self.lines.at(self.currentIndex().row())

    def sizeHint(self) -> QSize:
        """Room for all rows, up to twelve."""
        rows = min(12, max(4, self.lines.rowCount()))
        return QSize(900, self.horizontalHeader().height() + rows * self.row_height + 2)

    def _stay(self) -> None:
        self.clearSpans()
        for row in range(self.lines.rowCount()):
            line = self.lines.at(row)
            if line is not None and line.state != DONE:
                self.setSpan(row, 1, 1, len(COLUMNS) - 1)
        row = self.lines.row_of(self._name)
        self.setCurrentIndex(self.lines.index(max(0, row), 0))

    def _fit(self) -> None:
        """As much room as figures need; names get what is left, and columns give way to them."""
        page, metrics = self.lines.page, QFontMetrics(tabular(resized(self.font(), 13)))
        small = QFontMetrics(resized(self.font(), SMALL))
        titles = page.columns if page is not None else COLUMNS
        widths = [0] * len(COLUMNS)
        for column in range(1, len(COLUMNS)):
            texts = [line.cells[column].text for line in page.lines] if page is not None else []
            widest = max((metrics.horizontalAdvance(text) for text in texts), default=0)
            head = small.horizontalAdvance(titles[column]) + 24
            widths[column] = max(widest + _PAD + 12, head, _LEAST.get(column, 0) + 12)
        room = self.viewport().width() - sum(widths) - _NAME
        for column in _GIVE_WAY:
            self.setColumnHidden(column, room < 0)
            room += widths[column] if room < 0 else 0
        for column in range(1, len(COLUMNS)):
            self.horizontalHeader().resizeSection(column, widths[column])

    def _on_sorted(self, column: int, way: Qt.SortOrder) -> None:
        down = way == Qt.SortOrder.DescendingOrder
        if (column, down) != (self.lines.column, self.lines.down):
            self.lines.sort_by(column, down)
            self._stay()
            self.sorted.emit(column, down)

    def _on_current(self, current: QModelIndex) -> None:
        line = self.lines.at(current.row())
        if line is not None and line.name != self._name:
            self._name = line.name
            self.current_changed.emit(line.name)

    def _on_opened(self, index: QModelIndex) -> None:
        line = self.lines.at(index.row())
        if line is not None:
            self.opened.emit(line.name)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """A click on the letter sets the mark."""
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        line = self.lines.at(index.row())
        slot = (event.position().x() - 4) // _SLOT
        if line is not None and index.column() == NAME and slot in (0, 1):
            self.mark_asked.emit(int(slot), line.name)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Letters show in the row under the pointer."""
        super().mouseMoveEvent(event)
        self._hover(self.indexAt(event.position().toPoint()).row())

    def leaveEvent(self, event: QEvent) -> None:
        """No row is under the pointer."""
        super().leaveEvent(event)
        self._hover(-1)

    def _hover(self, row: int) -> None:
        if row != self._cells.hovered:
            self._cells.hovered = row
            self.viewport().update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Columns give way to the names."""
        super().resizeEvent(event)
        self._fit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """A and B mark the current row, Enter opens it, S sorts by the next column, R the other way."""
        line, key = self.current, event.key()
        is_plain = not event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier
        if line is not None and is_plain and key in (Qt.Key.Key_A, Qt.Key.Key_B):
            self.mark_asked.emit(int(key == Qt.Key.Key_B), line.name)
        elif line is not None and is_plain and key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.opened.emit(line.name)
        elif is_plain and key == Qt.Key.Key_S:
            back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            shown = [column for column in range(len(COLUMNS)) if not self.isColumnHidden(column)]
            here = shown.index(self.lines.column) if self.lines.column in shown else 0
            self.sort_by(shown[(here + (-1 if back else 1)) % len(shown)], self.lines.down)
        elif is_plain and key == Qt.Key.Key_R:
            self.sort_by(self.lines.column, not self.lines.down)
        else:
            super().keyPressEvent(event)
