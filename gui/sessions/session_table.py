"""The table of sessions: a model over rows of the worker, and a view that paints them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QRect, QSignalBlocker, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPen
from PySide6.QtWidgets import QStyleOptionViewItem

from core.presentation.dialog_model import SessionRow
from gui.language import tr
from gui.widgets.result_table import LEFT_MIDDLE, RIGHT_MIDDLE, Index, PlainTable, RowPainter
from gui.widgets.theme import SECONDARY, SMALL, resized_font, scaled_pixels, tabular_font

COLUMNS = (
    *("first message", "project", "agent", "changed", "size", "messages", "tokens", "compacted"),
    "context used",
    "trigger in",
)
"""Column titles, in the order of ``SessionRow.texts``."""
_WIDTHS = (0, 136, 92, 96, 72, 76, 84, 76, 112, 108)
_FIRST_NUMBER, _CHANGED, _COMPACTED = 4, COLUMNS.index("changed"), COLUMNS.index("compacted")
_CONTEXT, _TRIGGER = COLUMNS.index("context used"), COLUMNS.index("trigger in")
_OPTIONAL_COLUMNS = tuple(map(COLUMNS.index, ("size", "messages", "project", "agent")))
"""Columns that are hidden, in this order, if the first message would have less space than
``_PROMPT``."""
_PROMPT = 200
_PAD, _BAR_WIDTH, _BAR_HEIGHT = 8, 48, 8


class SessionTableModel(QAbstractTableModel):
    """The rows of one agent ("": all) with every word of ``search``, sorted by a column."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[SessionRow] = []
        self.agent, self.search, self.only_compacted = "", "", False
        self.column, self.is_descending = _CHANGED, True
        self._order: list[int] = []

    def put(self, start: int, rows: Sequence[SessionRow], *, begins: bool) -> None:
        """Add rows from ``start`` on; ``begins`` drops the previous ones."""
        if begins:
            self.rows = []
        self.rows[start : start + len(rows)] = rows
        self.arrange()

    def arrange(self) -> None:
        """Filter and sort; ties keep the newest first."""
        self.beginResetModel()
        words = self.search.lower().split()
        self._order = [index for index, row in enumerate(self.rows) if self._is_wanted(row, words)]
        self._order.sort(
            key=lambda index: self._sort_key(self.rows[index]), reverse=self.is_descending
        )
        self.endResetModel()

    def put_live(self, row: SessionRow) -> None:
        """Replace the row of a session, or add it."""
        paths = [known.path for known in self.rows]
        at = paths.index(row.path) if row.path in paths else len(paths)
        self.put(at, [row], begins=False)

    def _sort_key(self, row: SessionRow) -> str | float:
        if self.column < len(row.sort_keys):
            return row.sort_keys[self.column]
        return (
            -row.context.share if row.trigger.requests else 1.0
        )  # the fullest is the nearest to its trigger

    def _is_wanted(self, row: SessionRow, words: Sequence[str]) -> bool:
        if (self.agent and row.agent != self.agent) or (
            self.only_compacted and not row.has_recorded
        ):
            return False
        text = f"{row.prompt} {row.project} {row.agent} {row.path}".lower() if words else ""
        return all(word in text for word in words)

    @property
    def agent_counts(self) -> list[tuple[str, int]]:
        """The agents with their sessions, most first."""
        counts = Counter(row.agent for row in self.rows if row.agent)
        return sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))

    @property
    def order_text(self) -> str:
        if (self.column, self.is_descending) == (_CHANGED, True):
            return tr("newest first")
        return tr("by {column}").format(column=COLUMNS[self.column])

    def session_at(self, row: int) -> SessionRow | None:
        """Return the session of a row, None if there is none."""
        return self.rows[self._order[row]] if 0 <= row < len(self._order) else None

    def row_of(self, path: str) -> int:
        """Return the row of a session, -1 if it is not shown."""
        return next(
            (row for row, index in enumerate(self._order) if self.rows[index].path == path), -1
        )

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(self._order)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        return 0 if parent.isValid() else len(COLUMNS)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> object:
        if orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return tr(COLUMNS[section])
        return _side(section) if role == Qt.ItemDataRole.TextAlignmentRole else None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.session_at(index.row())
        if row is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return row.texts[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole and index.column() < 2:
            return row.prompt
        if role == Qt.ItemDataRole.AccessibleTextRole and index.column() == 0:
            return ", ".join(filter(None, row.texts))
        return None


def _side(column: int) -> int:
    return RIGHT_MIDDLE if column >= _FIRST_NUMBER else LEFT_MIDDLE


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
        if column == _CONTEXT and row.context.share >= 0:
            self._bar(painter, inside, row)
        painter.setFont(tabular_font(resized_font(option.font, SECONDARY if column else 13)))
        painter.setPen(self._text_colour(row, column))
        metrics = painter.fontMetrics()
        text = metrics.elidedText(
            str(index.data() or ""), Qt.TextElideMode.ElideRight, inside.width()
        )
        painter.drawText(inside, _side(column), text)
        if is_current and column == 0:
            painter.fillRect(rect.left(), rect.top(), 3, rect.height(), self.theme.accent_text)
        if (
            is_current and column == _CONTEXT and option.widget.hasFocus()
        ):  # the ring round the row ends here
            painter.fillRect(rect.right() - 1, rect.top(), 2, rect.height(), self.theme.accent_text)

    def _text_colour(self, row: SessionRow, column: int) -> QColor:
        theme = self.theme
        if column == 0:
            return theme.error if row.problem else theme.text
        return theme.fate_text[3] if column == _COMPACTED and row.has_recorded else theme.text2

    def _bar(self, painter: QPainter, inside: QRect, row: SessionRow) -> None:
        theme = self.theme
        box = QRect(inside.left(), inside.center().y() - _BAR_HEIGHT // 2, _BAR_WIDTH, _BAR_HEIGHT)
        painter.fillRect(box, theme.free)
        painter.setPen(QPen(theme.hairline, 1))
        painter.drawRect(box.adjusted(0, 0, -1, -1))
        part = max(2, round(_BAR_WIDTH * min(1.0, row.context.share)))
        colour = theme.tone(row.context.tone) if row.context.tone else theme.text2
        painter.fillRect(QRect(box.left(), box.top(), part, box.height()), colour)


class SessionTable(PlainTable):
    """Emits ``chosen(path)`` for Enter and double click, ``session_changed(row)`` for the current
    one."""

    chosen = Signal(str)
    session_changed = Signal(object)  # SessionRow or None

    def __init__(self) -> None:
        self.sessions = SessionTableModel()
        self._path = ""
        super().__init__(tr("Sessions"), self.sessions, _SessionCellDelegate())
        header = self.horizontalHeader()
        with QSignalBlocker(header):  # the model is sorted so
            header.setSortIndicator(self.sessions.column, Qt.SortOrder.DescendingOrder)

    def fit(self) -> None:
        header_metrics = QFontMetrics(resized_font(self.font(), SMALL))
        heads = (header_metrics.horizontalAdvance(tr(title)) + 24 for title in COLUMNS)
        least = (scaled_pixels(width, self.font()) for width in _WIDTHS)
        widths = [max(pair) for pair in zip(heads, least, strict=True)]
        is_live = any(row.trigger.requests for row in self.sessions.rows)
        self.fit_columns(widths if is_live else widths[:_TRIGGER], _OPTIONAL_COLUMNS, _PROMPT)
        self.setColumnHidden(_TRIGGER, not is_live)

    def put(self, start: int, rows: Sequence[SessionRow], *, begins: bool) -> None:
        """Add rows; the current session and the scroll position stay."""
        scroll_position = self.verticalScrollBar().value()
        self.sessions.put(start, rows, begins=begins)
        self._reselect()
        self.verticalScrollBar().setValue(scroll_position)

    def put_live(self, row: SessionRow) -> None:
        self.sessions.put_live(row)
        self._reselect()
        self.fit()

    def filter(self, agent: str, search: str, *, only_compacted: bool) -> None:
        model = self.sessions
        model.agent, model.search, model.only_compacted = agent, search, only_compacted
        model.arrange()
        self._reselect()

    def current(self) -> SessionRow | None:
        return self.sessions.session_at(self.currentIndex().row())

    def _reselect(self) -> None:
        row = self.sessions.row_of(self._path) if self._path else -1
        self.setCurrentIndex(self.sessions.index(max(0, row), 0))
        self.session_changed.emit(self.current())

    def on_sorted(self, column: int, direction: Qt.SortOrder) -> None:
        self.sessions.column = column
        self.sessions.is_descending = direction == Qt.SortOrder.DescendingOrder
        self.sessions.arrange()
        self._reselect()

    def on_current(self, current: QModelIndex) -> None:
        row = self.sessions.session_at(current.row())
        if row is not None:
            self._path = row.path
            self.session_changed.emit(row)

    def on_opened(self) -> None:
        if (row := self.current()) is not None:
            self.chosen.emit(row.path)
