"""The line of the command bar and the suggestions below it."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QFrame,
    QHeaderView,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QWidget,
)

from gui.language import tr
from gui.palette.offers import (
    Suggestion,
)
from gui.widgets.icons import glyph_icon
from gui.widgets.theme import current_theme, mono_font_for

PROBLEM_MS = 250
"""Pause before an unfinished line is marked as wrong."""
_MAX_ROWS, _ROW_HEIGHT, _TITLE_SHARE = 10, 28, 0.36
_BAR_WIDTH, _TOP, _MARGIN = 680, 56, 24
_SIGNAL_OF_KEY = {
    Qt.Key.Key_Escape: "escaped",
    Qt.Key.Key_Return: "entered",
    Qt.Key.Key_Enter: "entered",
    Qt.Key.Key_Tab: "completed",
    Qt.Key.Key_Up: "moved_up",
    Qt.Key.Key_Down: "moved_down",
}


class CommandField(QLineEdit):
    """Handles its keys before the window's shortcuts and the focus chain do."""

    escaped = Signal()
    entered = Signal()
    completed = Signal()
    moved_up = Signal()
    moved_down = Signal()
    focus_left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setProperty("role", "bar")
        self.setPlaceholderText(tr("Search actions, settings, messages; / begins a command"))
        self.setAccessibleName(tr("Command"))

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            name = _SIGNAL_OF_KEY.get(Qt.Key(event.key()), "")
            if name and event.type() == QEvent.Type.ShortcutOverride:
                event.accept()
                return True
            if name and event.type() == QEvent.Type.KeyPress:
                getattr(self, name).emit()
                return True
        return super().event(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Emits ``focus_left``, unless a menu or another window has the focus."""
        super().focusOutEvent(event)
        passing = (Qt.FocusReason.PopupFocusReason, Qt.FocusReason.ActiveWindowFocusReason)
        if event.reason() not in passing:
            self.focus_left.emit()


class SuggestionList(QTreeWidget):
    """Title, description and key of each suggestion. It never has the focus: the field moves through it."""

    suggestion_chosen = Signal(object)  # Suggestion

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.offers: tuple[Suggestion, ...] = ()
        self.setColumnCount(3)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setUniformRowHeights(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("Actions and completions"))
        self.setIconSize(QSize(12, 12))
        header = self.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(0)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.ResizeToContents)
        self.itemClicked.connect(self._on_clicked)

    @property
    def row(self) -> int:
        """The marked row, -1 for none."""
        return self.currentIndex().row()

    def mark(self, row: int) -> None:
        """Mark a row, none for -1."""
        self.setCurrentIndex(self.model().index(row, 0))

    @property
    def current(self) -> Suggestion | None:
        """The marked suggestion."""
        return self.offers[self.row] if self.row >= 0 else None

    def show_offers(self, offers: tuple[Suggestion, ...], *, mark: bool) -> None:
        """List these offers; ``mark`` marks the first."""
        self.clear()
        self.offers = offers
        theme, mono = current_theme(), mono_font_for(self.font())
        row_height = max(_ROW_HEIGHT, self.fontMetrics().height() + 10)
        for offer in offers:
            key = QKeySequence(offer.note).toString(QKeySequence.SequenceFormat.NativeText) or offer.note
            item = QTreeWidgetItem(self, [offer.title, offer.about, key])
            item.setSizeHint(0, QSize(0, row_height))
            if offer.insert:
                item.setFont(0, mono)
            for column in (1, 2):
                item.setForeground(column, theme.text2)
            title = tr("{title} (chosen)").format(title=offer.title) if offer.is_on else offer.title
            if offer.is_on:
                item.setIcon(2, glyph_icon("ok", theme.accent_text))
            for column in range(3):
                item.setToolTip(column, f"{title}: {offer.about}")
            item.setData(0, Qt.ItemDataRole.AccessibleTextRole, f"{title}: {offer.about}")
        self.mark(0 if mark and offers else -1)
        self.setColumnWidth(0, round(self.width() * _TITLE_SHARE))
        self.setFixedHeight(min(_MAX_ROWS, len(offers)) * row_height)
        self.setVisible(bool(offers))

    def _on_clicked(self, item: QTreeWidgetItem) -> None:
        self.suggestion_chosen.emit(self.offers[self.indexOfTopLevelItem(item)])
