"""Sections of the settings dialog about the window itself: how it looks and its keys, out of its actions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt
from PySide6.QtGui import QAction, QWheelEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from core.view.phrases import phrase
from gui.action_table import ACTIONS
from gui.actions import Actions
from gui.dialogs.marked import MarkedLabel
from gui.dialogs.setting_row import LABEL, MOST, SettingRow
from gui.help.keys_page import native
from gui.language import tr
from gui.parts import button, label
from gui.theme import Theme

THEMES = tuple(row.id for row in ACTIONS if row.group == "Theme")
LANGUAGES = tuple(row.id for row in ACTIONS if row.group == "Language")
SIZES = ("smaller", "natural", "larger")
APPEARANCE, KEYBOARD = phrase("Appearance"), phrase("Keyboard")


class ActionBox(QComboBox):
    """Actions of which one holds; choosing another triggers it."""

    def __init__(self, actions: Sequence[QAction]) -> None:
        super().__init__()
        self._choices = tuple(actions)
        for one in self._choices:
            self.addItem(one.text().replace("&", ""))
            one.toggled.connect(self._show)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.activated.connect(self._on_activated)
        self._show()

    def _show(self) -> None:
        """Another one may have been chosen in the menu."""
        self.setCurrentIndex(next((n for n, one in enumerate(self._choices) if one.isChecked()), -1))

    def _on_activated(self, index: int) -> None:
        self._choices[index].trigger()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel scrolls the dialog unless the field has the focus."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()


class Line(QWidget):
    """A name, and what belongs to it at its right."""

    def __init__(self, name: str, *shown: QWidget, about: str = "") -> None:
        super().__init__()
        self.name = MarkedLabel(name)
        self._text = f"{name} {about}".casefold()
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 2, 0, 2)
        row.setSpacing(8)
        for one in (self.name, *shown):
            row.addWidget(one)
        row.addStretch(1)
        self._measure()

    def _measure(self) -> None:
        self.name.setFixedWidth(min(LABEL * self.fontMetrics().averageCharWidth(), MOST))

    def search(self, words: tuple[str, ...], section: str) -> bool:
        """Show the line if every word is in it or its section; True if it is shown."""
        is_shown = all(word in f"{self._text} {section.casefold()}" for word in words)
        self.setVisible(is_shown)
        self.name.set_words(words)
        return is_shown

    def changeEvent(self, event: QEvent) -> None:
        """Measure anew for another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._measure()


class WindowSection(QWidget):
    """A heading and lines that hold no settings, beside the sections that do."""

    in_session = 0
    """What a session holds of it: nothing."""

    def __init__(self, title: str, lines: Sequence[Line]) -> None:
        super().__init__()
        self.title = title
        self.heading, self.lines = MarkedLabel(title, "group"), tuple(lines)
        self.rows: list[SettingRow] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 14, 0, 0)
        column.setSpacing(0)
        for one in (self.heading, *self.lines):
            column.addWidget(one)

    def set_theme(self, theme: Theme) -> None:
        """Paint in a theme's colours."""
        for one in (self.heading, *(line.name for line in self.lines)):
            one.set_theme(theme)

    def search(self, words: tuple[str, ...]) -> int:
        """Show what matches; how many lines do."""
        self.heading.set_words(words)
        count = sum(line.search(words, self.title) for line in self.lines)
        self.setVisible(count > 0)
        return count


def window_sections(actions: Actions) -> tuple[WindowSection, ...]:
    """Appearance and Keyboard, as the actions have them."""
    return appearance(actions), keyboard()


def appearance(actions: Actions) -> WindowSection:
    """Theme, text size and language; each is what the menu View offers."""
    sizes = []
    for action in (actions[id] for id in SIZES):
        one = button(action.text().replace("&", ""), "small")
        one.setToolTip(action.toolTip())
        one.clicked.connect(action.trigger)
        sizes.append(one)
    theme, language = (ActionBox([actions[id] for id in ids]) for ids in (THEMES, LANGUAGES))
    named = ((tr("Theme"), theme), (tr("Language"), language))
    for name, box in named:
        box.setAccessibleName(name)
    return WindowSection(tr(APPEARANCE), (Line(*named[0]), Line(tr("Text size"), *sizes), Line(*named[1])))


def keyboard() -> WindowSection:
    """Every action that has keys, with them."""
    rows = ((tr(row.text).rstrip("… "), native(row.keys), tr(row.tip)) for row in ACTIONS if row.keys)
    return WindowSection(
        tr(KEYBOARD), [Line(name, label(keys, "muted"), about=f"{keys} {tip}") for name, keys, tip in rows]
    )
