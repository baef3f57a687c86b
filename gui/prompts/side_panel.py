"""Left of the text: the override levels with their file actions, and the checks."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import QEvent, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QHeaderView,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from core.presentation.prompts.model import PromptPage
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.icons import glyph_icon
from gui.widgets.text_labels import set_style_property
from gui.widgets.theme import current_theme, mono_font_for, scaled_pixels

_PAD = 12


class RowTree(QTreeWidget):
    """Rows of two texts with a glyph, as high as its rows."""

    def __init__(self, name: str, *, selects: bool = False) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setProperty("role", "side-list")
        self.setColumnCount(2)
        self.setHeaderHidden(True)
        self.setRootIsDecorated(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setIconSize(QSize(12, 12))
        if not selects:
            self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            self.setSelectionMode(QTreeWidget.SelectionMode.NoSelection)
        header = self.header()
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(0)
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)

    def add_row(self, text: str, note: str, *, glyph: str, tone: str = "", lines: int = 1) -> QTreeWidgetItem:
        theme = current_theme()
        item = QTreeWidgetItem(self, [text, note])
        item.setSizeHint(0, QSize(0, lines * self.fontMetrics().height() + 10))
        item.setTextAlignment(1, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        colour = theme.accent_text if tone == "accent" else theme.tone(tone)
        if glyph:
            item.setIcon(0, glyph_icon(glyph, colour))
        item.setForeground(1, theme.tone(tone) if tone in ("warn", "error") else theme.text2)
        return item

    def fit(self) -> None:
        items = [self.topLevelItem(row) for row in range(self.topLevelItemCount())]
        self.setFixedHeight(sum(item.sizeHint(0).height() for item in items if item is not None) + 4)


class SidePanel(QWidget):
    """The levels of the override, and below them the sections and placeholders of the text."""

    level_chosen = Signal(str)
    insert_requested = Signal(str)  # the section

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._page: PromptPage | None = None
        self._unsaved: Collection[str] = ()
        self.levels = RowTree(tr("Where the text comes from"), selects=True)
        self.sections, self.placeholders = RowTree(tr("Sections")), RowTree(tr("Placeholders"))
        self.override = push_button(tr("Override for this model"), "small")
        self.remove = push_button(tr("Delete override…"), "small")
        self.override.setToolTip(tr("Save the text as the file of this level"))
        self.remove.setToolTip(tr("Delete the file of this level, so that the next one is used"))
        self._count = text_label("")
        buttons = QHBoxLayout()
        buttons.setContentsMargins(_PAD, 8, _PAD, 8)
        for button in (self.override, self.remove):
            buttons.addWidget(button)
        buttons.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(_head(text_label(tr("Where the text comes from"), "strong")))
        column.addLayout(_head(text_label(tr("The first that exists is used."), "secondary")))
        column.addWidget(self.levels)
        column.addLayout(buttons)
        for title, tree, count in (
            (tr("Sections the strategy asks for"), self.sections, self._count),
            (tr("Placeholders"), self.placeholders, None),
        ):
            column.addWidget(hairline())
            column.addLayout(_head(text_label(title, "group"), count))
            column.addWidget(tree)
        column.addStretch(1)
        self.setMinimumWidth(scaled_pixels(200, self.font()))
        self.levels.currentItemChanged.connect(self._on_level)

    def show_page(self, page: PromptPage, unsaved: Collection[str]) -> None:
        """Show a page; ``unsaved`` are the paths of files with unsaved texts."""
        self._page, self._unsaved = page, unsaved
        self._show_levels(page, unsaved)
        self.sections.clear()
        mono = mono_font_for(self.font())
        for section in page.sections:
            tone = "ok" if section.present else "error"
            item = self.sections.add_row(section.name, "", glyph=tone, tone=tone)
            state_text = tr("{name}: present") if section.present else tr("{name}: missing")
            item.setData(0, Qt.ItemDataRole.AccessibleTextRole, state_text.format(name=section.name))
            item.setFont(0, mono)
            if not section.present and page.editable:
                link = push_button(tr("Insert"), "link")
                link.setAccessibleName(tr("Insert {name}").format(name=section.name))
                link.setProperty("section", section.name)
                link.clicked.connect(self._on_insert)
                self.sections.setItemWidget(item, 1, link)
        self.placeholders.clear()
        for placeholder in page.placeholders:
            tone = "" if placeholder.known else "warn"
            item = self.placeholders.add_row(
                f"{{{placeholder.name}}}", placeholder.value, glyph="", tone=tone
            )
            item.setFont(0, mono)
            if not placeholder.used:
                item.setForeground(0, current_theme().text3)
                item.setToolTip(0, tr("not in the text"))
        self.sections.fit()
        self.placeholders.fit()
        self._count.setText(page.sections_text)
        is_complete = all(section.present for section in page.sections)
        set_style_property(self._count, "tone", "ok" if is_complete else "error")

    def _show_levels(self, page: PromptPage, unsaved: Collection[str]) -> None:
        with QSignalBlocker(self.levels):
            self.levels.clear()
            for row in page.chain:
                glyph = "error" if row.problem else "layer-session" if row.wins else "layer-default"
                tone = (
                    "error"
                    if row.problem
                    else "warn"
                    if row.path in unsaved
                    else "accent"
                    if row.wins
                    else ""
                )
                state = tr("not saved") if row.path in unsaved else row.state
                item = self.levels.add_row(
                    f"{row.title}\n{row.place}", state, glyph=glyph, tone=tone, lines=2
                )
                item.setData(0, Qt.ItemDataRole.UserRole, row.level)
                parts = (row.title, state, row.place, row.problem)
                item.setData(0, Qt.ItemDataRole.AccessibleTextRole, ", ".join(filter(None, parts)))
                item.setToolTip(0, row.problem or row.path)
                if row.shown:
                    self.levels.setCurrentItem(item)
            self.levels.fit()
        shown_row = next((row for row in page.chain if row.shown), None)
        exists = shown_row is not None and (shown_row.exists or bool(shown_row.problem))
        level = "" if shown_row is None else shown_row.title[:1].lower() + shown_row.title[1:]
        self.override.setText(tr("Override for {level}").format(level=level))
        self.override.setVisible(page.editable and not exists)
        self.remove.setVisible(page.editable and exists)

    def _on_level(self, item: QTreeWidgetItem | None) -> None:
        if item is not None:
            self.level_chosen.emit(item.data(0, Qt.ItemDataRole.UserRole))

    def _on_insert(self) -> None:
        self.insert_requested.emit(self.sender().property("section"))

    def changeEvent(self, event: QEvent) -> None:
        """Paints the glyphs in the colours of another theme."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and self._page is not None:
            self.show_page(self._page, self._unsaved)


def _head(title: QWidget, at_right: QWidget | None = None) -> QHBoxLayout:
    row = QHBoxLayout()
    row.setContentsMargins(_PAD, 6, _PAD, 4)
    row.addWidget(title, 1)
    if at_right is not None:
        row.addWidget(at_right)
    return row


def hairline() -> QWidget:
    rule = QFrame()
    rule.setProperty("role", "rule")
    return rule
