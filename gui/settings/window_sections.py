"""Sections of the settings dialog about the window itself: appearance and keys, from its actions."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QWheelEvent
from PySide6.QtWidgets import QComboBox

from gui.action_table import ACTIONS
from gui.actions import ActionSet
from gui.help.keys_page import native_keys
from gui.language import tr
from gui.settings.setting_row import LabelledRow
from gui.settings.settings_pane import SettingsSection
from gui.widgets.basic_widgets import push_button, text_label

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


def window_sections(actions: ActionSet) -> tuple[SettingsSection, ...]:
    return appearance_section(actions), keyboard_section()


def appearance_section(actions: ActionSet) -> SettingsSection:
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
    return SettingsSection(tr(APPEARANCE), lines, tr(_THEME_NAMES))


def keyboard_section() -> SettingsSection:
    """Return every action that has keys, with them."""
    rows = ((tr(row.text).rstrip("… "), native_keys(row.keys), tr(row.tip)) for row in ACTIONS if row.keys)
    lines = (
        LabelledRow(name, text_label(keys, "muted"), about=f"{keys} {tip}", is_dense=True)
        for name, keys, tip in rows
    )
    return SettingsSection(tr(KEYBOARD), tuple(lines), tr(_ALL_KEYS))
