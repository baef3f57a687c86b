"""Left of the text: the override levels with their file actions, and the checks."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontInfo
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from core.presentation.prompts.model import PlaceholderRow, PromptPage, SectionRow
from gui.language import tr
from gui.prompts.editor_middle import pane_head
from gui.prompts.message_strip import hairline
from gui.prompts.override_levels import PromptLevelList
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.icons import glyph_pixmap
from gui.widgets.text_labels import ElidedLabel, set_style_property
from gui.widgets.theme import SECONDARY, Theme, mono_font, resized_font, scaled_pixels, theme

_PAD, _ROW = 12, 22


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


class _CheckRows(QWidget):
    """A grid that is laid out again when its rows change."""

    def __init__(self) -> None:
        super().__init__()
        self._theme = theme("light")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(12, 0, 12, 0)
        self._grid.setHorizontalSpacing(8)
        self._grid.setVerticalSpacing(0)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._fill()

    def _clear(self) -> None:
        while (item := self._grid.takeAt(0)) is not None:
            if (old_widget := item.widget()) is not None:
                old_widget.hide()
                old_widget.deleteLater()
        for row in range(self._grid.rowCount()):
            self._grid.setRowMinimumHeight(row, 0)

    def _add(self, row: int, *widgets: tuple[QWidget, int]) -> None:
        for widget, column in widgets:
            self._grid.addWidget(widget, row, column)
        self._grid.setRowMinimumHeight(row, _ROW)

    def _code(self, text: str, colour: str = "") -> ElidedLabel:
        label = ElidedLabel(text)
        label.setFont(mono_font(size=QFontInfo(resized_font(self.font(), SECONDARY)).pixelSize()))
        if colour:
            label.setStyleSheet(f"color: {colour};")
        return label

    def _mark(self, name: str, tone: str) -> QLabel:
        label = text_label("")
        label.setPixmap(glyph_pixmap(name, self._theme.tone(tone), 12, self.devicePixelRatioF()))
        return label

    def _fill(self) -> None:
        raise NotImplementedError


class SectionList(_CheckRows):
    """The sections; a missing one has a link that inserts it."""

    insert_requested = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._sections: tuple[SectionRow, ...] = ()
        self._can_insert = False
        self._grid.setColumnStretch(1, 1)

    def show_sections(self, sections: Sequence[SectionRow], *, can_insert: bool) -> None:
        if (tuple(sections), can_insert) != (self._sections, self._can_insert):
            self._sections, self._can_insert = tuple(sections), can_insert
            self._fill()

    def _fill(self) -> None:
        self._clear()
        for row, section in enumerate(self._sections):
            tone = "ok" if section.present else "error"
            name = self._code(section.name, "" if section.present else self._theme.error.name())
            state_text = tr("{name}: present") if section.present else tr("{name}: missing")
            name.setAccessibleName(state_text.format(name=section.name))
            self._add(row, (self._mark(tone, tone), 0), (name, 1))
            if not section.present and self._can_insert:
                link = push_button(tr("Insert"), "link")
                link.setAccessibleName(tr("Insert {name}").format(name=section.name))
                link.setProperty("section", section.name)
                link.clicked.connect(self._on_insert)
                self._grid.addWidget(link, row, 2)

    def _on_insert(self) -> None:
        self.insert_requested.emit(self.sender().property("section"))


class PlaceholderList(_CheckRows):
    """The placeholders with their values; unused ones are dim."""

    def __init__(self) -> None:
        super().__init__()
        self._placeholders: tuple[PlaceholderRow, ...] = ()
        self._grid.setColumnStretch(1, 1)

    def show_placeholders(self, placeholders: Sequence[PlaceholderRow]) -> None:
        if tuple(placeholders) != self._placeholders:
            self._placeholders = tuple(placeholders)
            self._fill()

    def _fill(self) -> None:
        self._clear()
        for row, placeholder in enumerate(self._placeholders):
            theme = self._theme
            colour = theme.warn if not placeholder.known else theme.text if placeholder.used else theme.text3
            name = self._code(f"{{{placeholder.name}}}", colour.name())
            value = ElidedLabel(placeholder.value, "secondary")
            value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            if not placeholder.used:
                name.set_tip(tr("not in the text"))
            self._add(row, (name, 0), (value, 1))


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
