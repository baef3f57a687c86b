"""Checks of the prompt text: sections that are present or missing, and values of placeholders."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontInfo
from PySide6.QtWidgets import QGridLayout, QLabel, QWidget

from core.presentation.prompts.model import PlaceholderRow, SectionRow
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.icons import glyph_pixmap
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import SECONDARY, Theme, mono_font, resized_font, theme

_ROW = 22


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
