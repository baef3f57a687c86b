"""The facts in the Losses tab, with links to source and result; and their kinds, with bars."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QPersistentModelIndex,
    QPoint,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QAction, QContextMenuEvent, QIcon, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QListView, QMenu, QTreeWidgetItem, QWidget

from core.presentation.inspector_model import (
    MUST_IN_PART,
    MUST_NOT_SAID,
    MUST_NOT_WRITTEN,
    NEEDED,
    NOWHERE,
    REMOVED,
    UNSAID,
    KindBar,
    LossRow,
)
from core.presentation.losses_words import STATUS_WORDS
from core.presentation.model import FATES, KINDS
from gui.language import tr
from gui.widgets.basic_widgets import push_button
from gui.widgets.events import is_enter
from gui.widgets.icons import glyph_icon
from gui.widgets.row_tree import RowTree
from gui.widgets.theme import current_theme
from gui.widgets.view_layout import panel_of, row_of

_WORD_FOR_WORD, REWORDED, _GONE = STATUS_WORDS
WORST_STATUSES = (UNSAID, NEEDED, _GONE, REWORDED, NOWHERE, REMOVED)
"""The statuses listed while no kind is chosen."""
_Index = QModelIndex | QPersistentModelIndex


class FactListModel(QAbstractListModel):
    """A fact per row: its text, and below it kind and messages."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: Sequence[LossRow] = ()
        self._pinned: frozenset[int] = frozenset()

    def set_pinned(self, messages: Collection[int]) -> None:
        if self._pinned != frozenset(messages):
            self._pinned = frozenset(messages)
            self.dataChanged.emit(self.index(0), self.index(self.rowCount() - 1))

    def is_pinned(self, row: LossRow) -> bool:
        """Return whether the message that first states a fact is pinned."""
        return row.source_index in self._pinned

    def show_rows(self, rows: Sequence[LossRow]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | QIcon | None:
        row = self.rows[index.row()]
        pinned = tr("pinned") if self.is_pinned(row) else ""
        place = " · ".join(filter(None, (tr(row.kind or row.label), row.note, pinned)))
        nearest = tr("nearest: {sentence}").format(sentence=row.nearest) if row.nearest else ""
        if role == Qt.ItemDataRole.DisplayRole:
            return f"{row.text}\n{place}"
        if role == Qt.ItemDataRole.ToolTipRole:
            return "\n".join(filter(None, (row.text, place, nearest)))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return ", ".join(filter(None, (row.status, row.text, place, nearest)))
        if role == Qt.ItemDataRole.DecorationRole:
            return _fact_icon(row)
        return None


def _fact_icon(row: LossRow) -> QIcon:
    theme, fate = current_theme(), row.label.removeprefix("text ")
    if row.status == REMOVED and fate in FATES:
        return glyph_icon(fate, theme.fate_text[FATES.index(fate)])
    if row.status in (NOWHERE, UNSAID):
        return glyph_icon("inserted", theme.warn)
    if row.status == MUST_NOT_WRITTEN:
        return glyph_icon("unknown", theme.text2)
    if row.status == MUST_NOT_SAID:
        return glyph_icon("info", theme.text2)
    if row.status == MUST_IN_PART:
        return glyph_icon("half", theme.warn)
    if row.must and row.status == _WORD_FOR_WORD:
        return glyph_icon("ok", theme.ok)
    if row.status == REWORDED:
        return glyph_icon("edited", theme.warn)
    is_lost = row.status in WORST_STATUSES
    return glyph_icon("dropped", theme.error) if is_lost else glyph_icon("kept", theme.ok)


def row_links(row: LossRow) -> tuple[tuple[str, str], ...]:
    """Return texts and targets of a row's links: ("Go to #89", "before:88")."""
    candidates = (
        (tr("Go to"), "before", row.source_index),
        (tr("Result"), "after", row.result_index),
    )
    return tuple(
        (f"{label} #{index + 1:,}", f"{side}:{index}")
        for label, side, index in candidates
        if index >= 0
    )


class FactListView(QListView):
    """A click or Enter goes to the source, O to the fact in the result, P pins; the current row has
    links."""

    link_activated = Signal(str)
    pin_requested = Signal(int)  # message of the source
    remove_requested = Signal(str)  # a text that must survive

    def __init__(self) -> None:
        super().__init__()
        self.fact_model = FactListModel()
        self.menu = QMenu(self)
        self.menu.triggered.connect(self._on_menu)
        self.setModel(self.fact_model)
        self.setProperty("role", "reader")
        self.setAccessibleName(tr("Facts"))
        self.setUniformItemSizes(True)
        self.setSpacing(2)
        self.setTextElideMode(Qt.TextElideMode.ElideRight)
        self.setVerticalScrollMode(QListView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.clicked.connect(self._on_clicked)

    def show_rows(self, rows: Sequence[LossRow]) -> None:
        place = self.verticalScrollBar().value()
        self.fact_model.show_rows(rows)
        self.verticalScrollBar().setValue(place)

    def currentChanged(self, current: _Index, previous: _Index) -> None:
        super().currentChanged(current, previous)
        if previous.isValid():
            self.setIndexWidget(previous, None)  # type: ignore[arg-type]
        row = self._row(current)
        if row is not None:
            self.setIndexWidget(current, self._links(row))

    def _links(self, row: LossRow) -> QWidget:
        """Return the links of a row, at its lower right."""
        links = []
        for text, target in row_links(row):
            links.append(push_button(text, "link"))
            links[-1].setProperty("target", target)
            links[-1].clicked.connect(self._on_link)
        if row.source_index >= 0:
            links.append(
                push_button(tr("Unpin") if self.fact_model.is_pinned(row) else tr("Pin"), "link")
            )
            links[-1].clicked.connect(self._on_pin)
        if row.must:
            links.append(push_button(_remove_text(row), "link"))
            links[-1].clicked.connect(self._on_remove)
        layout = row_of(None, *links, margins=(0, 0, 8, 2), gap=6)
        for link in links:
            layout.setAlignment(link, Qt.AlignmentFlag.AlignBottom)
        return panel_of(layout)

    def _row(self, index: _Index) -> LossRow | None:
        return self.fact_model.rows[index.row()] if index.isValid() else None

    def _on_clicked(self, index: QModelIndex) -> None:
        links = row_links(self.fact_model.rows[index.row()])
        if links:
            self.link_activated.emit(links[0][1])

    def _on_remove(self) -> None:
        if (row := self._row(self.currentIndex())) is not None:
            self.remove_requested.emit(row.must)

    def _on_link(self) -> None:
        self.link_activated.emit(self.sender().property("target"))

    def _on_pin(self) -> None:
        if (row := self._row(self.currentIndex())) is not None:
            self.pin_requested.emit(row.source_index)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Opens the menu of the fact under the pointer, or by key of the current one."""
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        index = self.currentIndex() if by_key else self.indexAt(event.pos())
        self.fill_menu(index)
        if not self.menu.isEmpty():
            below = self.visualRect(index).bottomLeft() + QPoint(24, 0)
            self.menu.popup(self.viewport().mapToGlobal(below if by_key else event.pos()))

    def fill_menu(self, index: _Index) -> None:
        """Fill the menu with a fact's links and its pin."""
        self.menu.clear()
        row = self._row(index)
        for text, target in () if row is None else row_links(row):
            self.menu.addAction(text).setData(target)
        if row is not None and row.source_index >= 0:
            label = (
                tr("Unpin {message}")
                if self.fact_model.is_pinned(row)
                else tr("Pin {message}: keep")
            )
            action = self.menu.addAction(label.format(message=f"#{row.source_index + 1:,}"))
            action.setData(row.source_index)
        if row is not None and row.must:
            self.menu.addAction(_remove_text(row)).setData(row)

    def _on_menu(self, action: QAction) -> None:
        target = action.data()
        if isinstance(target, LossRow):
            self.remove_requested.emit(target.must)
        elif isinstance(target, int):
            self.pin_requested.emit(target)
        else:
            self.link_activated.emit(target)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self._row(self.currentIndex())
        is_plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if event.key() == Qt.Key.Key_P and is_plain and row is not None and row.source_index >= 0:
            self.pin_requested.emit(row.source_index)
            return
        side = ""
        if is_enter(event):
            side = "before"
        elif event.key() == Qt.Key.Key_O:
            side = "after"
        targets = [] if row is None else [target for _, target in row_links(row)]
        matching = [target for target in targets if side and target.startswith(side)]
        if matching:
            self.link_activated.emit(matching[0])
        else:
            super().keyPressEvent(event)


def _remove_text(row: LossRow) -> str:
    """Return the words that take a text out; one of a file stays in the file."""
    return tr("Ignore here") if row.is_from_file else tr("Remove")


def fit_to_rows(view: FactListView, count: int, most: int) -> None:
    """Make a list as high as its rows, at most as ``most`` of them; hide an empty one."""
    view.setVisible(bool(count))
    row_height = view.sizeHintForRow(0) + 2 * view.spacing()
    view.setFixedHeight(min(count, most) * row_height + view.spacing() + 2 * view.frameWidth())


CELL_PAD = 5
"""Pixels between the edge of a cell and its text."""
_BAR_HEIGHT = 8


class FactKindsView(RowTree):
    """A row per kind. One kind can be selected; a second click on it takes the selection back."""

    def __init__(self) -> None:
        super().__init__(tr("Facts by kind"), 4, 1, role="reader")
        self._clicked: QTreeWidgetItem | None = None
        self.itemClicked.connect(self._on_clicked)
        self.restyled.connect(self._show_colours)

    @property
    def kind(self) -> str:
        """The selected kind, "" for none."""
        items = self.selectedItems()
        return items[0].data(0, Qt.ItemDataRole.UserRole) if items else ""

    def show_bars(self, bars: Sequence[KindBar]) -> None:
        """Show other bars; the selected kind stays selected."""
        selected = self.kind
        self.blockSignals(True)
        self.clear()
        self._clicked = None
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        for bar in bars:
            item = QTreeWidgetItem(self, [kind_label(bar), "", bar.kept, bar.gone])
            for column in (2, 3):
                item.setTextAlignment(column, right)
            item.setToolTip(0, _tip(bar))
            item.setData(0, Qt.ItemDataRole.UserRole, bar.kind)
            item.setSelected(bar.kind == selected)
            total = sum(bar.counts)
            self.setItemWidget(item, 1, KeptLostBar(bar.counts[0] / max(1, total)))
        self.setFixedHeight(sum(self.sizeHintForRow(row) for row in range(len(bars))) + 8)
        self._show_colours()
        self.blockSignals(False)

    def _show_colours(self) -> None:
        for row in range(self.topLevelItemCount()):
            if (item := self.topLevelItem(row)) is not None:
                item.setForeground(3, current_theme().error)

    def _on_clicked(self, item: QTreeWidgetItem) -> None:
        if item is self._clicked:
            self.clearSelection()
        self._clicked = item if item.isSelected() else None


def kind_label(bar: KindBar) -> str:
    return tr(bar.label)


def _tip(bar: KindBar) -> str:
    """Return "open errors: 2 word for word, 1 gone"."""
    counts = zip(bar.counts, STATUS_WORDS, strict=True)
    return (
        f"{kind_label(bar)}: "
        f"{', '.join(f'{count:,} {tr(word)}' for count, word in counts if count)}"
    )


class KeptLostBar(QWidget):
    """The share that stands word for word filled, the rest an outline."""

    def __init__(self, kept: float) -> None:
        super().__init__()
        self._kept = kept

    def sizeHint(self) -> QSize:
        return QSize(_BAR_HEIGHT, _BAR_HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, theme = QPainter(self), current_theme()
        top, width = (self.height() - _BAR_HEIGHT) / 2, self.width() - 2.0 * CELL_PAD
        kept = round(width * self._kept)
        painter.fillRect(QRectF(CELL_PAD, top, kept, _BAR_HEIGHT), theme.kind[KINDS.index("ai")])
        if self._kept < 1:
            painter.setPen(QPen(theme.error, 1))
            lost = max(3.0, width - kept)
            painter.drawRect(
                QRectF(CELL_PAD + width - lost + 0.5, top + 0.5, lost - 1, _BAR_HEIGHT - 1)
            )
        painter.end()
