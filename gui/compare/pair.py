"""What A lost and B keeps, and the other way round, with the way to the message that said it."""

from __future__ import annotations

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QObject, QPersistentModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QStackedWidget,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

from core.view import numbers
from core.view.compare_values import PairPage, PairRow
from gui.icons import paint_glyph
from gui.parts import button, label
from gui.texts import ElidedLabel
from gui.theme import SECONDARY, Theme, mono_font, resized

_Index = QModelIndex | QPersistentModelIndex
_HIGH, _LABEL, _WHERE = 26, 132, 132
_FILTERS = ("a", "b")


class _Facts(QAbstractTableModel):
    """The rows of the sides that are shown."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self.rows: tuple[PairRow, ...] = ()

    def put(self, rows: tuple[PairRow, ...]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self.rows)

    def columnCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else 1

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        if not 0 <= index.row() < len(self.rows):
            return None
        row = self.rows[index.row()]
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return row.text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"lost in {row.side.upper()}: {row.label}, {row.text}, {row.where}"
        return None


class _Paint(QStyledItemDelegate):
    """A line: what was lost where, its kind, its text, its place."""

    def __init__(self, parent: QObject, theme: Theme) -> None:
        super().__init__(parent)
        self.theme = theme

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: _Index) -> None:
        model = index.model()
        if not isinstance(model, _Facts) or not 0 <= index.row() < len(model.rows):
            return
        row, shade, rect = model.rows[index.row()], self.theme, QRect(option.rect)
        is_current = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.fillRect(rect, shade.selection if is_current else shade.surface)
        painter.setPen(shade.hairline)
        painter.drawLine(rect.bottomLeft(), rect.bottomRight())
        inside = rect.adjusted(8, 0, -12, -1)
        paint_glyph(
            painter, "close", QRect(inside.left(), inside.center().y() - 5, 12, 12).toRectF(), shade.error
        )
        painter.setFont(resized(option.font, SECONDARY))
        painter.setPen(shade.text2)
        middle = int(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        kind = QRect(inside.left() + 18, inside.top(), _LABEL - 18, inside.height())
        painter.drawText(kind, middle, f"{row.side.upper()}  {row.label}")
        where = painter.fontMetrics().elidedText(row.where, Qt.TextElideMode.ElideRight, _WHERE)
        painter.drawText(inside, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), where)
        room = inside.adjusted(_LABEL, 0, -painter.fontMetrics().horizontalAdvance(where) - 12, 0)
        painter.setPen(shade.text)
        zoom = option.fontMetrics.height() / 16
        painter.setFont(mono_font(zoom) if row.mono else resized(option.font, 13))
        text = painter.fontMetrics().elidedText(row.text, Qt.TextElideMode.ElideRight, room.width())
        painter.drawText(room, middle, text)
        if is_current and option.widget.hasFocus():
            painter.fillRect(rect.left(), rect.top(), rect.width(), 2, shade.accent_fill)
            painter.fillRect(rect.left(), rect.bottom() - 1, rect.width(), 2, shade.accent_fill)
        painter.restore()


class FactList(QTableView):
    """Emits ``opened(row)`` for Enter and double click, ``looked_at`` for another current row."""

    opened = Signal()
    looked_at = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.facts = _Facts(self)
        self.setModel(self.facts)
        self._paint = _Paint(self, theme)
        self.setItemDelegate(self._paint)
        self.setAccessibleName("Facts that one result lost")
        self.setShowGrid(False)
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QTableView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QTableView.SelectionMode.SingleSelection)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.verticalHeader().hide()
        self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.horizontalHeader().hide()
        self.horizontalHeader().setSectionResizeMode(QHeaderView.ResizeMode.Stretch)
        self.doubleClicked.connect(self._on_opened)
        self.selectionModel().currentRowChanged.connect(self._on_current)
        self.set_theme(theme)

    def set_theme(self, theme: Theme) -> None:
        """Paint in a theme's colours."""
        self._paint.theme = theme
        self.verticalHeader().setDefaultSectionSize(max(_HIGH, self.fontMetrics().height() + 8))
        self.viewport().update()

    @property
    def current(self) -> PairRow | None:
        """The fact of the current row."""
        row = self.currentIndex().row()
        return self.facts.rows[row] if 0 <= row < len(self.facts.rows) else None

    def put(self, rows: tuple[PairRow, ...]) -> None:
        """Show these facts."""
        self.facts.put(rows)
        if rows:
            self.setCurrentIndex(self.facts.index(0, 0))
        self.looked_at.emit()

    def _on_current(self) -> None:
        self.looked_at.emit()

    def _on_opened(self) -> None:
        self.opened.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter goes to the message."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.modifiers():
            self.opened.emit()
        else:
            super().keyPressEvent(event)


class PairPane(QWidget):
    """Emits ``message_wanted(scope, index)``, ``open_wanted`` (A and B side by side)."""

    message_wanted = Signal(str, int)
    open_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self._page: PairPage | None = None
        self.setProperty("role", "pane")
        self.open = button("Open A | B as before and after", "small")
        self.open.setToolTip("Show the result of A beside that of B in Inspect.")
        self.open.clicked.connect(self.open_wanted)
        self._names = ElidedLabel("", "", least=12)
        self._kinds = ElidedLabel("", "secondary", least=4)
        self.filters = [button("", "small") for _ in _FILTERS]
        for one in self.filters:
            one.setCheckable(True)
            one.setChecked(True)
            one.clicked.connect(self._fill)
        self.facts = FactList(theme)
        self.facts.opened.connect(self._on_go)
        self.facts.looked_at.connect(self._on_looked)
        self.go = button("", "small")
        self.go.clicked.connect(self._on_go)
        self._text = QLabel()
        self._text.setProperty("role", "muted")
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self._text.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._text.setContentsMargins(16, 8, 16, 8)
        self._pages = QStackedWidget()
        self._pages.setProperty("role", "pane")
        self._pages.addWidget(self._text)
        self._pages.addWidget(self.facts)
        self._lay_out()
        self.show_page(None)

    def _lay_out(self) -> None:
        head, chips, foot = QWidget(), QWidget(), QWidget()
        head.setProperty("role", "head")
        chips.setProperty("role", "pane")
        foot.setProperty("role", "foot")
        hint = label("Enter in the table opens a row as the current view", "quiet")
        for part, widgets in (
            (head, (self._names, None, self.open)),
            (chips, (*self.filters, None, self._kinds)),
            (foot, (self.go, None, hint)),
        ):
            row = QHBoxLayout(part)
            row.setContentsMargins(12, 4, 12, 4)
            row.setSpacing(8)
            for widget in widgets:
                if widget is None:
                    row.addStretch(1)
                else:
                    row.addWidget(widget)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for part in (head, chips):
            column.addWidget(part)
        column.addWidget(self._pages, 1)
        column.addWidget(foot)
        self._foot, self._chips = foot, chips

    def set_theme(self, theme: Theme) -> None:
        """Paint in a theme's colours."""
        self._theme = theme
        self.facts.set_theme(theme)

    @property
    def page(self) -> PairPage | None:
        """What is shown."""
        return self._page

    def show_page(self, page: PairPage | None, a: str = "", b: str = "") -> None:
        """Show a pair; without one, how to choose it."""
        self._page = page
        if page is not None:
            a, b = page.a, page.b
        both = bool(a and b)
        self._names.show_text(f"A  {a}  against  B  {b}" if both else "No pair is marked")
        self.open.setEnabled(both and a != b)
        has_rows = page is not None and bool(page.rows)
        self._chips.setVisible(has_rows)
        self.go.setVisible(has_rows)
        if page is None:
            said = (
                "Working …"
                if both
                else "Mark two rows: click the letters A and B before a name, or press A and B."
            )
            self._say(said)
        elif page.trouble:
            self._say(page.trouble)
        elif not page.rows:
            self._say(f"{a} and {b} keep the same facts.")
        else:
            self._show_facts(page)

    def _say(self, text: str) -> None:
        self._text.setText(text)
        self._text.setAccessibleName(text)
        self._pages.setCurrentWidget(self._text)

    def _show_facts(self, page: PairPage) -> None:
        for one, letters, count in zip(
            self.filters, ("AB", "BA"), (page.lost_in_a, page.lost_in_b), strict=True
        ):
            one.setText(f"{numbers.count(count)} lost in {letters[0]}, kept in {letters[1]}")
            one.setToolTip("A click shows or hides these facts.")
        self._kinds.show_text(page.kinds)
        self._pages.setCurrentWidget(self.facts)
        self._fill()

    def _fill(self) -> None:
        if self._page is None:
            return
        sides = {side for side, one in zip(_FILTERS, self.filters, strict=True) if one.isChecked()}
        self.facts.put(tuple(row for row in self._page.rows if row.side in sides))

    def _on_looked(self) -> None:
        row = self.facts.current
        self.go.setEnabled(row is not None)
        self.go.setText("Go to the message" if row is None else f"Go to {numbers.message(row.source)}")

    def _on_go(self) -> None:
        row = self.facts.current
        if row is not None and self._page is not None:
            self.message_wanted.emit(self._page.scope, row.source)
