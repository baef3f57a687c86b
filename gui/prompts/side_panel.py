"""Left of the text: the override levels with their file actions, and the checks."""

from __future__ import annotations

from collections.abc import Collection

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QVBoxLayout, QWidget

from core.presentation.prompts.model import PromptPage
from gui.language import tr
from gui.prompts.editor_middle import pane_head
from gui.prompts.message_strip import hairline
from gui.prompts.override_levels import PromptLevelList
from gui.prompts.text_checks import PlaceholderList, SectionList
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.text_labels import set_style_property
from gui.widgets.theme import Theme, scaled_pixels

_PAD = 12


class PromptLevelsPane(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.chain = PromptLevelList()
        self.override = push_button(tr("Create override here"), "small")
        self.remove = push_button(tr("Delete override…"), "small")
        self.override.setToolTip(tr("Save the text as the file of this level"))
        self.remove.setToolTip(tr("Delete the file of this level, so that the next one is used"))
        note = text_label(tr("The first that exists is used."), "secondary")
        note.setContentsMargins(_PAD, 6, _PAD, 4)
        row = QHBoxLayout()
        row.setContentsMargins(_PAD, 8, _PAD, 8)
        row.setSpacing(8)
        row.addWidget(self.override)
        row.addWidget(self.remove)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        title = text_label(tr("Where the text comes from"), "strong")
        column.addWidget(pane_head(title, grows=title))
        column.addWidget(note)
        column.addWidget(self.chain)
        column.addLayout(row)
        self.setMinimumWidth(scaled_pixels(200, self.font()))

    def set_theme(self, theme: Theme) -> None:
        self.chain.set_theme(theme)

    def show_page(self, page: PromptPage, unsaved: Collection[str]) -> None:
        """Show the levels; a level offers what its file allows."""
        self.chain.show_chain(page.chain, unsaved)
        shown_row = next((row for row in page.chain if row.shown), None)
        exists = shown_row is not None and (shown_row.exists or bool(shown_row.problem))
        self.override.setVisible(page.editable and not exists)
        self.remove.setVisible(page.editable and exists)


class PromptChecksPane(QWidget):
    """The sections that the strategy requires, and the values of placeholders."""

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.sections, self.placeholders = SectionList(), PlaceholderList()
        self._count = text_label("")
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._part(column, tr("Sections the strategy asks for"), self.sections, self._count)
        self._part(column, tr("Placeholders"), self.placeholders)
        column.addWidget(hairline())
        column.addStretch(1)
        self._lay_out(inside)

    def _lay_out(self, inside: QWidget) -> None:
        area = QScrollArea()
        area.setProperty("role", "side")
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setWidgetResizable(True)
        area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        area.setWidget(inside)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.setSpacing(0)
        outer.addWidget(area)

    def _part(self, column: QVBoxLayout, title: str, rows: QWidget, at_right: QWidget | None = None) -> None:
        title_row = QHBoxLayout()
        title_row.setContentsMargins(_PAD, 8, _PAD, 4)
        title_row.addWidget(text_label(title, "group"), 1)
        if at_right is not None:
            title_row.addWidget(at_right)
        column.addWidget(hairline())
        column.addLayout(title_row)
        column.addWidget(rows)
        column.addSpacing(8)

    def set_theme(self, theme: Theme) -> None:
        self.sections.set_theme(theme)
        self.placeholders.set_theme(theme)

    def show_page(self, page: PromptPage) -> None:
        self._count.setText(page.sections_text)
        complete = all(section.present for section in page.sections)
        set_style_property(self._count, "tone", "ok" if complete else "error")
        self.sections.show_sections(page.sections, can_insert=page.editable)
        self.placeholders.show_placeholders(page.placeholders)
