"""Sections of the settings dialog about the window itself: appearance and keys, from its actions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QAction, QEnterEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QVBoxLayout, QWidget

from gui.action_table import ACTIONS
from gui.actions import ActionSet
from gui.help.keys_page import native_keys
from gui.language import tr
from gui.settings.setting_row import EDITOR, LABEL, MAX_FIELD_WIDTH, SettingRow
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.highlighted_label import HighlightedLabel
from gui.widgets.theme import Theme

THEMES = tuple(row.id for row in ACTIONS if row.group == "Theme")
SIZES = ("smaller", "natural", "larger")
APPEARANCE, KEYBOARD = "Appearance", "Keyboard"
_THEME_NAMES = "Theme and text size change at once; the window remembers both."
_ALL_KEYS = "What has a key. The menu Help, Keys, shows this list, too."


class ActionComboBox(QComboBox):
    """A picker over exclusive actions; choosing one triggers it."""

    def __init__(self, actions: Sequence[QAction]) -> None:
        super().__init__()
        self._choices = tuple(actions)
        for action in self._choices:
            self.addItem(action.text().replace("&", ""))
            action.toggled.connect(self._show)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.activated.connect(self._on_activated)
        self._show()

    def _show(self) -> None:
        """Show the checked action, which the menu may have changed."""
        self.setCurrentIndex(next((n for n, action in enumerate(self._choices) if action.isChecked()), -1))

    def _on_activated(self, index: int) -> None:
        self._choices[index].trigger()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel scrolls the dialog unless the field has the focus."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()


class LabelledRow(QWidget):
    """A name with widgets at its right; unless ``is_dense`` as high as the row of a setting."""

    def __init__(self, name: str, *widgets: QWidget, about: str = "", is_dense: bool = False) -> None:
        super().__init__()
        self.name = HighlightedLabel(name)
        self._text, self._widgets, self._is_dense = f"{name} {about}".casefold(), widgets, is_dense
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 2, 0, 2)
        row.setSpacing(8)
        for widget in (self.name, *widgets):
            row.addWidget(widget)
        row.addStretch(1)
        self._measure()

    def _measure(self) -> None:
        character = self.fontMetrics().averageCharWidth()
        self.name.setFixedWidth(min(LABEL * character, MAX_FIELD_WIDTH))
        self.name.setMinimumHeight(0 if self._is_dense else 30)
        for widget in self._widgets:
            if isinstance(widget, ActionComboBox):
                widget.setFixedWidth(min(EDITOR * character, MAX_FIELD_WIDTH))

    def search(self, words: tuple[str, ...], section: str) -> bool:
        """Show the line if it or its section contain every word; return whether it is shown."""
        is_shown = all(word in f"{self._text} {section.casefold()}" for word in words)
        self.setVisible(is_shown)
        self.name.set_words(words)
        return is_shown

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._measure()


class WindowSection(QWidget):
    """A heading and lines that hold no settings; ``about`` is their help."""

    entered = Signal(object)  # this section, when it gets the pointer
    session_value_count = 0
    """It holds no session values."""

    def __init__(self, title: str, about: str, lines: Sequence[LabelledRow]) -> None:
        super().__init__()
        self.title, self.about = title, about
        self.heading, self.lines = HighlightedLabel(title, "group"), tuple(lines)
        self.rows: list[SettingRow] = []
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 14, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.heading)
        column.addSpacing(4)
        for line in self.lines:
            column.addWidget(line)

    def enterEvent(self, event: QEnterEvent) -> None:
        self.entered.emit(self)

    def set_theme(self, theme: Theme) -> None:
        for label in (self.heading, *(line.name for line in self.lines)):
            label.set_theme(theme)

    def search(self, words: tuple[str, ...]) -> int:
        """Show the matching lines; return their number."""
        self.heading.set_words(words)
        count = sum(line.search(words, self.title) for line in self.lines)
        self.setVisible(count > 0)
        return count


def window_sections(actions: ActionSet) -> tuple[WindowSection, ...]:
    return appearance_section(actions), keyboard_section()


def appearance_section(actions: ActionSet) -> WindowSection:
    """Return theme and text size, as in the menu View."""
    sizes = []
    for action in (actions[id] for id in SIZES):
        button = push_button(action.text().replace("&", ""), "small")
        button.setToolTip(action.toolTip())
        button.clicked.connect(action.trigger)
        sizes.append(button)
    theme = ActionComboBox([actions[id] for id in THEMES])
    theme.setAccessibleName(tr("Theme"))
    lines = (LabelledRow(tr("Theme"), theme), LabelledRow(tr("Text size"), *sizes))
    return WindowSection(tr(APPEARANCE), tr(_THEME_NAMES), lines)


def keyboard_section() -> WindowSection:
    """Return every action that has keys, with them."""
    rows = ((tr(row.text).rstrip("… "), native_keys(row.keys), tr(row.tip)) for row in ACTIONS if row.keys)
    lines = (
        LabelledRow(name, text_label(keys, "muted"), about=f"{keys} {tip}", is_dense=True)
        for name, keys, tip in rows
    )
    return WindowSection(tr(KEYBOARD), tr(_ALL_KEYS), tuple(lines))
