"""The table of results that all tabs of Compare show, over declared columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QEvent,
    QModelIndex,
    QRect,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QContextMenuEvent,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPen,
)
from PySide6.QtWidgets import QMenu, QStyleOptionViewItem

from core.presentation.compare.model import Column, ResultTable, TableCell
from gui.compare.over_time_plot import line_sample
from gui.language import tr
from gui.widgets.basic_widgets import TONE_GLYPHS
from gui.widgets.events import Index, menu_position
from gui.widgets.icons import paint_glyph
from gui.widgets.result_table import (
    LEFT_MIDDLE,
    RIGHT_MIDDLE,
    PlainTable,
    RowPainter,
    marks_width,
    paint_marks,
)
from gui.widgets.theme import (
    SECONDARY,
    SMALL,
    resized_font,
    scaled_pixels,
    tabular_font,
)

# The rows of a table of results: entries by group, sorted by a declared column, and how they are
# painted.


_EMPTY = TableCell()
_SORTING = "A click sorts by this column; S and Shift S go on to another, R reverses the order."


@dataclass(frozen=True, slots=True)
class ResultEntry:
    """A line: its result, None while it is not reached; ``badge`` is a chip beside the name."""

    name: str
    row: Any = None
    group: str = ""
    badge: str = ""


class ResultsModel(QAbstractTableModel):
    """Entries by group, sorted by a column within each; a group of several begins with its
    heading."""

    def __init__(self, table: ResultTable[Any]) -> None:
        super().__init__()
        self.table = table
        self.columns: tuple[Column[Any], ...] = ()
        self._chosen: frozenset[str] = frozenset()
        self.entries: tuple[ResultEntry, ...] = ()
        self.mark = ""
        self.sort_title, self.is_descending = "", False
        self._rows: list[ResultEntry | str] = []
        self._sort()

    def show_entries(self, entries: Sequence[ResultEntry], mark: str) -> None:
        self.entries = tuple(entries)
        self.mark = mark
        self._sort()

    def show_columns(self, labels: Sequence[str]) -> None:
        """Show the columns that are always there, and the optional ones with these labels."""
        self._chosen = frozenset(labels)
        self._sort()

    def sort_by(self, title: str, is_descending: bool) -> None:
        self.sort_title, self.is_descending = title, is_descending
        self._sort()

    def _sort(self) -> None:
        self.beginResetModel()
        self.columns = self._shown_columns()
        column = next(
            (one for one in self.columns if one.label == self.sort_title), None
        )
        entries = list(self.entries)
        if column is not None:
            sign = -1 if self.is_descending else 1
            keys = {entry.name: self._key(entry, column) for entry in entries}
            entries.sort(
                key=lambda entry: (
                    keys[entry.name] is None,
                    sign * (keys[entry.name] or 0.0),
                )
            )
        elif self.sort_title == self.table.title:
            entries.sort(key=lambda entry: entry.name, reverse=self.is_descending)
        self._rows = []
        for group in dict.fromkeys(entry.group for entry in self.entries):
            self._rows += [group] if group else []
            self._rows += [entry for entry in entries if entry.group == group]
        self.endResetModel()

    @property
    def optional_columns(self) -> list[Column[Any]]:
        return [one for one in self._columns_of_rows if one.is_optional]

    @property
    def _columns_of_rows(self) -> tuple[Column[Any], ...]:
        rows = [entry.row for entry in self.entries if entry.row is not None]
        return self.table.of_rows(rows).columns

    def _shown_columns(self) -> tuple[Column[Any], ...]:
        columns = self._columns_of_rows
        return tuple(
            one for one in columns if not one.is_optional or one.label in self._chosen
        )

    def _key(self, entry: ResultEntry, column: Column[Any]) -> float | None:
        if entry.row is not None and not self.error(entry):
            return column.cell(entry.row).key
        return None

    def error(self, entry: ResultEntry) -> str:
        """Return why an entry has no figures."""
        if entry.row is None:
            return tr("not reached yet")
        return self.table.error(entry.row) or self.table.missed(entry.row)

    def is_failed(self, entry: ResultEntry) -> bool:
        return entry.row is not None and bool(self.table.error(entry.row))

    def note(self, entry: ResultEntry) -> str:
        if entry.row is None:
            return ""
        return self.table.note(entry.row)

    def cell(self, entry: ResultEntry, column: int) -> TableCell:
        """Return the cell of a column of figures, from 1."""
        has_figures = entry.row is not None and not self.error(entry)
        if has_figures:
            return self.columns[column - 1].cell(entry.row)
        return _EMPTY

    def title(self, column: int) -> str:
        if column:
            title = self.columns[column - 1].label
        else:
            title = self.table.title
        return title.format(mark=self.mark).strip()

    def row_at(self, row: int) -> ResultEntry | str:
        """Return the entry of a row, or the heading of a group; "" for none."""
        if 0 <= row < len(self._rows):
            return self._rows[row]
        return ""

    def entry_at(self, row: int) -> ResultEntry | None:
        found = self.row_at(row)
        return found if isinstance(found, ResultEntry) else None

    def row_of(self, name: str) -> int:
        """Return the row of a name, -1 if there is none."""
        rows = enumerate(self._rows)
        return next(
            (
                row
                for row, one in rows
                if isinstance(one, ResultEntry) and one.name == name
            ),
            -1,
        )

    def rowCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        if parent.isValid():
            return 0
        return len(self._rows)

    def columnCount(self, parent: Index = QModelIndex()) -> int:  # noqa: B008
        if parent.isValid():
            return 0
        return len(self.columns) + 1

    def flags(self, index: Index) -> Qt.ItemFlag:
        if self.entry_at(index.row()):
            return super().flags(index)
        return Qt.ItemFlag.ItemIsEnabled

    def headerData(
        self,
        section: int,
        orientation: Qt.Orientation,
        role: int = Qt.ItemDataRole.DisplayRole,
    ) -> object:
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return self.title(section)
        if role == Qt.ItemDataRole.TextAlignmentRole:
            if section:
                side = Qt.AlignmentFlag.AlignRight
            else:
                side = Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        if role == Qt.ItemDataRole.ToolTipRole:
            about = self.columns[section - 1].about if section else ""
            return "\n".join(filter(None, (about, tr(_SORTING))))
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        entry = self.row_at(index.row())
        if isinstance(entry, str):
            return (
                entry
                if role == Qt.ItemDataRole.DisplayRole and not index.column()
                else None
            )
        if role == Qt.ItemDataRole.DisplayRole:
            if index.column():
                return self.cell(entry, index.column()).text
            return entry.name
        if role == Qt.ItemDataRole.ToolTipRole:
            texts = (
                (self.cell(entry, index.column()).tip,)
                if index.column()
                else (entry.name, entry.badge)
            )
            return "\n".join(
                filter(None, (*texts, self.note(entry), self.error(entry)))
            )
        if role == Qt.ItemDataRole.AccessibleTextRole and not index.column():
            columns = range(1, self.columnCount())
            cells = (
                f"{self.title(column)} {self.cell(entry, column).text}"
                for column in columns
            )
            words = (entry.name, entry.badge, self.note(entry), self.error(entry))
            return ", ".join(
                filter(None, (*words, *(() if self.error(entry) else cells)))
            )
        return None


SLOT_WIDTH = 16
"""Width of a mark; A is in the first slot, B in the second."""
_PAD, _SAMPLE_WIDTH, _CHIP_PAD, _POINT = 8, 40, 6, 7


class ResultsPainter(RowPainter):
    """``has_marks``: rows can be marked A and B; ``has_samples``: a sample of its line begins each
    name."""

    def __init__(
        self, model: ResultsModel, *, has_marks: bool, has_samples: bool
    ) -> None:
        super().__init__()
        self._model, self.has_marks, self._has_samples = model, has_marks, has_samples
        self.marked: tuple[str, str] = ("", "")
        self.hovered = -1

    def is_marked(self, index: Index, *, is_current: bool) -> bool:
        entry = self._model.entry_at(index.row())
        if not self.has_marks:
            return is_current
        return entry is not None and entry.name in self.marked

    @property
    def _left(self) -> int:
        """Pixels before a name."""
        return (
            _PAD
            + (2 * SLOT_WIDTH if self.has_marks else 0)
            + (_SAMPLE_WIDTH if self._has_samples else 0)
        )

    def paint_cell(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: Index,
        *,
        is_current: bool,
    ) -> None:
        entry = self._model.row_at(index.row())
        rect = QRect(option.rect)
        inside = rect.adjusted(_PAD, 0, -_PAD, -1)
        if isinstance(entry, str):
            painter.fillRect(rect.adjusted(0, 0, 0, -1), self.theme.surface2)
            painter.setFont(resized_font(option.font, SECONDARY, bold=True))
            painter.setPen(self.theme.text2)
            painter.drawText(inside, LEFT_MIDDLE, entry)
        elif index.column() == 0:
            self._paint_name(
                painter,
                rect,
                option.font,
                entry,
                is_hovered=is_current or index.row() == self.hovered,
            )
        elif error := self._model.error(entry):
            is_failed = self._model.is_failed(entry)
            self._paint_reason(painter, inside, option.font, error, failed=is_failed)
        else:
            cell = self._model.cell(entry, index.column())
            if cell.marks:
                paint_marks(painter, inside, cell.marks, option.font)
                return
            self._paint_figure(painter, inside, option.font, cell)

    def _paint_figure(
        self, painter: QPainter, inside: QRect, font: QFont, cell: TableCell
    ) -> None:
        """Paint a figure in its tone's colour; words have the tone's glyph, too."""
        painter.setFont(tabular_font(resized_font(font, 13, bold=cell.tone == "error")))
        colour = self.theme.tone(cell.tone)
        painter.setPen(colour)
        painter.drawText(inside, RIGHT_MIDDLE, cell.text)
        if cell.tone and not cell.text[:1].isdecimal():
            width = painter.fontMetrics().horizontalAdvance(cell.text)
            box = QRect(inside.right() - width - 17, inside.center().y() - 5, 12, 12)
            paint_glyph(painter, TONE_GLYPHS[cell.tone], box.toRectF(), colour)

    def _paint_reason(
        self, painter: QPainter, inside: QRect, font: QFont, text: str, *, failed: bool
    ) -> None:
        """Paint why there are no figures."""
        painter.setFont(resized_font(font, SECONDARY))
        painter.setPen(self.theme.error if failed else self.theme.text3)
        if failed:
            box = QRect(inside.left(), inside.center().y() - 5, 12, 12)
            paint_glyph(painter, "error", box.toRectF(), self.theme.error)
        text_rect = inside.adjusted(18 if failed else 0, 0, 0, 0)
        text = painter.fontMetrics().elidedText(
            text, Qt.TextElideMode.ElideRight, text_rect.width()
        )
        painter.drawText(text_rect, LEFT_MIDDLE, text)

    def name_width(self, font: QFont, entry: ResultEntry) -> int:
        """Return the pixels of a name with its chip and note."""
        name = QFontMetrics(resized_font(font, 13, bold=True)).horizontalAdvance(
            entry.name
        )
        metrics = QFontMetrics(resized_font(font, SMALL))
        if entry.badge:
            chip = metrics.horizontalAdvance(entry.badge) + 3 * _CHIP_PAD
        else:
            chip = 0
        note = self._model.note(entry)
        return (
            self._left
            + name
            + chip
            + (metrics.horizontalAdvance(note) + 16 if len(note) < 40 else 0)
            + _PAD
        )

    def _paint_name(
        self,
        painter: QPainter,
        rect: QRect,
        font: QFont,
        entry: ResultEntry,
        *,
        is_hovered: bool,
    ) -> None:
        theme = self.theme
        left = rect.left() + self._left
        if self.has_marks:
            self._paint_letters(painter, rect, font, entry.name, shows_all=is_hovered)
        if self._has_samples:
            line = [other.name for other in self._model.entries].index(entry.name)
            box = QRect(
                left - _SAMPLE_WIDTH, rect.top(), _SAMPLE_WIDTH - 8, rect.height()
            )
            line_sample(painter, theme, line, box.toRectF())
        box = QRect(left, rect.top(), rect.right() - left - 4, rect.height() - 1)
        painter.setFont(resized_font(font, 13, bold=entry.name in self.marked))
        painter.setPen(theme.text3 if entry.row is None else theme.text)
        metrics = painter.fontMetrics()
        painter.drawText(
            box,
            LEFT_MIDDLE,
            metrics.elidedText(entry.name, Qt.TextElideMode.ElideMiddle, box.width()),
        )
        box.setLeft(left + metrics.horizontalAdvance(entry.name) + _CHIP_PAD)
        painter.setFont(resized_font(font, SMALL))
        if entry.badge:
            self._paint_chip(painter, box, entry.badge)
        note = painter.fontMetrics().elidedText(
            self._model.note(entry), Qt.TextElideMode.ElideRight, box.width()
        )
        if box.width() > 24:
            painter.setPen(theme.text3)
            painter.drawText(box, LEFT_MIDDLE, note)

    def _paint_letters(
        self, painter: QPainter, rect: QRect, font: QFont, name: str, *, shows_all: bool
    ) -> None:
        for index, letter in enumerate("AB"):
            is_set = self.marked[index] == name
            if is_set or shows_all:
                painter.setFont(resized_font(font, SECONDARY, bold=is_set))
                painter.setPen(self.theme.accent_text if is_set else self.theme.text3)
                slot = QRect(
                    rect.left() + 4 + index * SLOT_WIDTH,
                    rect.top(),
                    SLOT_WIDTH,
                    rect.height() - 1,
                )
                painter.drawText(slot, int(Qt.AlignmentFlag.AlignCenter), letter)

    def _paint_chip(self, painter: QPainter, box: QRect, text: str) -> None:
        """Paint a chip, or where it does not fit a point as in the plot, and move ``box`` behind
        it."""
        width = painter.fontMetrics().horizontalAdvance(text) + 2 * _CHIP_PAD
        if width > box.width():
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(self.theme.ok)
            painter.drawEllipse(QRect(box.left(), box.center().y() - 3, _POINT, _POINT))
            box.setLeft(box.left() + _POINT + _CHIP_PAD)
            return
        chip = QRect(box.left(), box.center().y() - 8, width, 17)
        painter.setPen(QPen(self.theme.ok, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(chip, 3, 3)
        painter.drawText(chip, int(Qt.AlignmentFlag.AlignCenter), text)
        box.setLeft(chip.right() + _CHIP_PAD)


_MIN_NAME_WIDTH = 210


class ResultsTable(PlainTable):
    """Shows results; the current line stays current by its name.

    Emits ``current_changed(name)``, ``opened(name)`` for Enter and double click, ``sorted``, and
    ``mark_requested(place, name)`` for the letters A (0) and B of a table whose rows can be marked;
    their menu opens and marks too.
    """

    current_changed = Signal(str)
    opened = Signal(str)
    sorted = Signal()
    mark_requested = Signal(int, str)

    def __init__(
        self,
        name: str,
        model: ResultsModel,
        *,
        has_marks: bool = False,
        has_samples: bool = False,
    ) -> None:
        self.results, self._current_name = model, ""
        self.painter = ResultsPainter(
            model, has_marks=has_marks, has_samples=has_samples
        )
        super().__init__(name, model, self.painter)
        self.menu = QMenu(self)
        self.setProperty("role", "roomy")  # shows a focus ring when no row is current
        self.setMouseTracking(has_marks)
        self._show_order()

    def sizeHint(self) -> QSize:
        """All rows, up to twelve."""
        rows = min(12, max(3, self.results.rowCount()))
        height = rows * self.verticalHeader().defaultSectionSize()
        return QSize(600, self.horizontalHeader().height() + height + 2)

    @property
    def current(self) -> ResultEntry | None:
        return self.results.entry_at(self.currentIndex().row())

    @property
    def names(self) -> tuple[str, ...]:
        """The names in the order of the rows."""
        entries = map(self.results.entry_at, range(self.results.rowCount()))
        return tuple(entry.name for entry in entries if entry is not None)

    def show_entries(self, entries: Sequence[ResultEntry], mark: str = "") -> None:
        scroll_position = self.verticalScrollBar().value()
        self.results.show_entries(entries, mark)
        self._restore()
        self.verticalScrollBar().setValue(scroll_position)

    def show_columns(self, titles: Sequence[str]) -> None:
        self.results.show_columns(titles)
        self._restore()

    def sort_by(self, title: str, is_descending: bool) -> None:
        self.results.sort_by(title, is_descending)
        self._restore()

    def select(self, name: str) -> None:
        if (row := self.results.row_of(name)) >= 0:
            self.setCurrentIndex(self.results.index(row, 0))

    def show_marks(self, a: str, b: str) -> None:
        self.painter.marked = (a, b)
        self.viewport().update()

    def _restore(self) -> None:
        """After a reset: current line, sort arrow, spans of headings and errors, widths."""
        self.select(self._current_name)
        self._show_order()
        self.clearSpans()
        count = self.results.columnCount()
        for row in range(self.results.rowCount()):
            entry = self.results.entry_at(row)
            if entry is None:
                self.setSpan(row, 0, 1, count)
            elif self.results.error(entry) and count > 2:
                self.setSpan(row, 1, 1, count - 1)
        self.fit()
        self.updateGeometry()

    def _show_order(self) -> None:
        titles = [
            self.results.table.title,
            *(column.label for column in self.results.columns),
        ]
        if self.results.sort_title in titles:
            column = titles.index(self.results.sort_title)
        else:
            column = -1
        if self.results.is_descending:
            order = Qt.SortOrder.DescendingOrder
        else:
            order = Qt.SortOrder.AscendingOrder
        header = self.horizontalHeader()
        with QSignalBlocker(header):
            header.setSortIndicator(column, order)

    def width_of(self, column: int) -> int:
        """Return the pixels that a column's figures and title need."""
        title_metrics = QFontMetrics(resized_font(self.font(), SMALL))
        metrics = QFontMetrics(tabular_font(resized_font(self.font(), 13, bold=True)))
        cells = [self.results.cell(entry, column) for entry in self.results.entries]
        figures = 0
        for cell in cells:
            if cell.marks:
                width = marks_width(cell.marks, self.font())
            else:
                width = metrics.horizontalAdvance(cell.text) + 18 * bool(cell.tone)
            figures = max(figures, width)
        return max(
            figures + 20,
            title_metrics.horizontalAdvance(self.results.title(column)) + 28,
        )

    def fit(self) -> None:
        columns = range(1, self.results.columnCount())
        widths = [0, *map(self.width_of, columns)]
        font = self.font()
        names = max(
            (self.painter.name_width(font, entry) for entry in self.results.entries),
            default=0,
        )
        optional = [
            column for column in columns if self.results.columns[column - 1].is_optional
        ]
        order = (
            *reversed(optional),
            *(column for column in reversed(columns) if column not in optional),
        )
        self.fit_columns(
            widths, order[:-1], scaled_pixels(_MIN_NAME_WIDTH, font), names
        )

    def on_sorted(self, column: int, order: Qt.SortOrder) -> None:
        if column > 0:
            title = self.results.columns[column - 1].label
        else:
            title = self.results.table.title
        self.sort_by(title, order == Qt.SortOrder.DescendingOrder)
        self.sorted.emit()

    def on_current(self, current: QModelIndex) -> None:
        entry = self.results.entry_at(current.row())
        if entry is not None and entry.name != self._current_name:
            self._current_name = entry.name
            self.current_changed.emit(entry.name)

    def on_opened(self) -> None:
        if self.current is not None:
            self.opened.emit(self.current.name)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        index = self.indexAt(event.position().toPoint())
        entry = self.results.entry_at(index.row())
        slot = int(event.position().x() - 4) // SLOT_WIDTH
        if (
            self.painter.has_marks
            and entry is not None
            and index.column() == 0
            and slot in (0, 1)
        ):
            self.mark_requested.emit(slot, entry.name)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Opens the menu of the row under the pointer, or by key of the current one."""
        index, place = menu_position(self, event)
        entry = self.results.entry_at(index.row())
        if entry is None or not self.painter.has_marks:
            return
        self.setCurrentIndex(index)
        self.fill_menu(entry.name)
        self.menu.popup(place)

    def fill_menu(self, name: str) -> None:
        self.menu.clear()
        self.menu.addAction(tr("Open in Inspect"), partial(self.opened.emit, name))
        for place, letter in enumerate("AB"):
            text = tr("Mark as {letter}").format(letter=letter)
            self.menu.addAction(text, partial(self.mark_requested.emit, place, name))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        super().mouseMoveEvent(event)
        self._hover(self.indexAt(event.position().toPoint()).row())

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._hover(-1)

    def _hover(self, row: int) -> None:
        if row != self.painter.hovered:
            self.painter.hovered = row
            self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter opens, A and B mark, S and Shift S sort by another column, R reverses the order."""
        entry = self.current
        key = event.key()
        if event.modifiers() & ~Qt.KeyboardModifier.ShiftModifier:
            super().keyPressEvent(event)
        elif (
            self.painter.has_marks
            and entry is not None
            and key in (Qt.Key.Key_A, Qt.Key.Key_B)
        ):
            self.mark_requested.emit(int(key == Qt.Key.Key_B), entry.name)
        elif key in (Qt.Key.Key_S, Qt.Key.Key_R):
            shown = [
                column
                for column in range(self.results.columnCount())
                if not self.isColumnHidden(column)
            ]
            column = self.horizontalHeader().sortIndicatorSection()
            is_descending = self.results.is_descending != (key == Qt.Key.Key_R)
            if key == Qt.Key.Key_S:
                step = (
                    -1 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
                )
                column = shown[
                    ((shown.index(column) if column in shown else 0) + step)
                    % len(shown)
                ]
            if is_descending:
                order = Qt.SortOrder.DescendingOrder
            else:
                order = Qt.SortOrder.AscendingOrder
            self.on_sorted(column, order)
        else:
            super().keyPressEvent(event)
