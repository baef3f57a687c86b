"""The list of facts in the Losses tab, with links to their source and to the result."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from PySide6.QtCore import QAbstractListModel, QModelIndex, QPersistentModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QAction, QContextMenuEvent, QIcon, QKeyEvent
from PySide6.QtWidgets import QHBoxLayout, QListView, QMenu, QWidget

from core.presentation.inspector_model import FLIPPED, INVENTED, NEEDED, REMOVED, FidelityFactRow
from core.presentation.model import FATES
from gui.language import tr
from gui.widgets.basic_widgets import push_button
from gui.widgets.icons import glyph_icon
from gui.widgets.key_presses import is_enter
from gui.widgets.theme import Theme, theme

WORST_STATUSES = (NEEDED, FLIPPED, "lost", INVENTED, REMOVED)
"""The statuses listed while no kind is chosen."""
_KIND_WORDS: Mapping[str, str] = {
    "constraint": "rule",
    "identifier": "name in code",
    "user message": "your message",
    "file modified": "file changed",
    "todo": "to-do",
}
"""Names of kinds that differ from those of the command line."""
_Index = QModelIndex | QPersistentModelIndex


class FactListModel(QAbstractListModel):
    """A fact per row: its text, and below it kind and messages."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: Sequence[FidelityFactRow] = ()
        self._pinned: frozenset[int] = frozenset()
        self._lost_icon = self._made_up_icon = self._kept_icon = QIcon()
        self._removed_icons: dict[str, QIcon] = {}

    def set_theme(self, theme: Theme) -> None:
        self._lost_icon = glyph_icon("dropped", theme.error)
        self._made_up_icon = glyph_icon("inserted", theme.warn)
        self._kept_icon = glyph_icon("kept", theme.ok)
        pairs = zip(FATES, theme.fate_text, strict=False)  # the last colour is that of inserted
        self._removed_icons = {f"text {fate}": glyph_icon(fate, colour) for fate, colour in pairs}

    def set_pinned(self, messages: Collection[int]) -> None:
        if self._pinned != frozenset(messages):
            self._pinned = frozenset(messages)
            self.dataChanged.emit(self.index(0), self.index(self.rowCount() - 1))

    def is_pinned(self, row: FidelityFactRow) -> bool:
        """Return whether the message that first states a fact is pinned."""
        return row.source_index in self._pinned

    def show_rows(self, rows: Sequence[FidelityFactRow]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def rowCount(self, parent: _Index = QModelIndex()) -> int:  # noqa: B008 (Qt's own default)
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: _Index, role: int = Qt.ItemDataRole.DisplayRole) -> str | QIcon | None:
        row = self.rows[index.row()]
        pinned = f" · {tr('pinned')}" if self.is_pinned(row) else ""
        place = f"{tr(_KIND_WORDS.get(row.kind, row.kind) or row.label)} · {row.note}{pinned}"
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.ToolTipRole):
            return f"{row.text}\n{place}"
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{row.status}, {row.text}, {place}"
        if role == Qt.ItemDataRole.DecorationRole:
            if row.status == REMOVED:
                return self._removed_icons.get(row.label, self._lost_icon)
            is_lost = row.status in WORST_STATUSES
            return (
                self._made_up_icon
                if row.status == INVENTED
                else self._lost_icon
                if is_lost
                else self._kept_icon
            )
        return None


def row_links(row: FidelityFactRow) -> tuple[tuple[str, str], ...]:
    """Return texts and targets of a row's links: ("Go to #89", "before:88")."""
    candidates = ((tr("Go to"), "before", row.source_index), (tr("Result"), "after", row.result_index))
    return tuple(
        (f"{label} #{index + 1:,}", f"{side}:{index}") for label, side, index in candidates if index >= 0
    )


class FactListView(QListView):
    """A click or Enter goes to the source, O to the fact in the result, P pins; the current row has links."""

    link_activated = Signal(str)
    pin_requested = Signal(int)  # message of the source

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
        self.set_theme(theme("light"))

    def set_theme(self, theme: Theme) -> None:
        self.fact_model.set_theme(theme)
        self.viewport().update()

    def show_rows(self, rows: Sequence[FidelityFactRow]) -> None:
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

    def _links(self, row: FidelityFactRow) -> QWidget:
        """Return the links of a row, at its lower right."""
        box = QWidget()
        layout = QHBoxLayout(box)
        layout.setContentsMargins(0, 0, 8, 2)
        layout.addStretch(1)
        for text, target in row_links(row):
            link = push_button(text, "link")
            link.setProperty("target", target)
            link.clicked.connect(self._on_link)
            layout.addWidget(link, 0, Qt.AlignmentFlag.AlignBottom)
        if row.source_index >= 0:
            pin = push_button(tr("Unpin") if self.fact_model.is_pinned(row) else tr("Pin"), "link")
            pin.clicked.connect(self._on_pin)
            layout.addWidget(pin, 0, Qt.AlignmentFlag.AlignBottom)
        return box

    def _row(self, index: _Index) -> FidelityFactRow | None:
        return self.fact_model.rows[index.row()] if index.isValid() else None

    def _on_clicked(self, index: QModelIndex) -> None:
        self.link_activated.emit(row_links(self.fact_model.rows[index.row()])[0][1])

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
            label = tr("Unpin {message}") if self.fact_model.is_pinned(row) else tr("Pin {message}: keep")
            action = self.menu.addAction(label.format(message=f"#{row.source_index + 1:,}"))
            action.setData(row.source_index)

    def _on_menu(self, action: QAction) -> None:
        target = action.data()
        if isinstance(target, int):
            self.pin_requested.emit(target)
        else:
            self.link_activated.emit(target)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self._row(self.currentIndex())
        is_plain = event.modifiers() == Qt.KeyboardModifier.NoModifier
        if event.key() == Qt.Key.Key_P and is_plain and row is not None and row.source_index >= 0:
            self.pin_requested.emit(row.source_index)
            return
        side = "before" if is_enter(event) else "after" if event.key() == Qt.Key.Key_O else ""
        targets = [] if row is None else [target for _, target in row_links(row)]
        matching = [target for target in targets if side and target.startswith(side)]
        if matching:
            self.link_activated.emit(matching[0])
        else:
            super().keyPressEvent(event)
