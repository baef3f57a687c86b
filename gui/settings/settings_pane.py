"""The right side of the settings dialog: all sections in a scrolled pane."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QAction, QEnterEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QComboBox, QFrame, QScrollArea, QWidget

from core.presentation.dialog_model import SettingsPage
from core.presentation.model import SettingControl
from gui.actions import ACTIONS, ActionSet
from gui.backend import BackendClient
from gui.help.help_window import native_keys
from gui.language import tr
from gui.settings.setting_row import HighlightedLabel, LabelledRow, SettingRow
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.view_layout import column_of, panel_of

THEMES = tuple(row.id for row in ACTIONS if row.group == "Theme")
_SIZES = ("smaller", "natural", "larger")


class SettingsSection(QWidget):
    """A heading with lines; without settings, ``about`` is its help."""

    entered = Signal(object)  # this section, when it gets the pointer and has no settings

    def __init__(self, title: str, lines: Sequence[LabelledRow], about: str = "") -> None:
        super().__init__()
        self.title, self.about = title, about
        self.heading, self._lines = HighlightedLabel(title, "group"), lines
        self.rows = [line for line in lines if isinstance(line, SettingRow)]
        self.setLayout(column_of(self.heading, 4, *lines, margins=(0, 14, 0, 0)))

    def search(self, words: tuple[str, ...]) -> int:
        """Show the matching lines; return their number."""
        self.heading.set_words(words)
        count = sum(line.search(words, self.title) for line in self._lines)
        self.setVisible(count > 0)
        return count

    def enterEvent(self, event: QEnterEvent) -> None:
        if self.about:
            self.entered.emit(self)


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
        self.setCurrentIndex(
            next((n for n, action in enumerate(self._choices) if action.isChecked()), -1)
        )

    def _on_activated(self, index: int) -> None:
        self._choices[index].trigger()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel scrolls the dialog unless the field has the focus."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()


def window_sections(actions: ActionSet) -> tuple[SettingsSection, ...]:
    """Return the sections about the window itself: theme and text size as in the menu View, and all
    keys."""
    sizes = []
    for action in (actions[id] for id in _SIZES):
        button = push_button(action.text().replace("&", ""), "small")
        button.setToolTip(action.toolTip())
        button.clicked.connect(action.trigger)
        sizes.append(button)
    theme = ActionComboBox([actions[id] for id in THEMES])
    theme.setAccessibleName(tr("Theme"))
    appearance = (
        LabelledRow(tr("Theme"), theme, is_field=True),
        LabelledRow(tr("Text size"), *sizes),
    )
    for line in appearance:
        line.line.addStretch(1)
    rows = [
        (tr(row.text).rstrip("… "), native_keys(row.keys), tr(row.tip))
        for row in ACTIONS
        if row.keys
    ]
    keys = [
        LabelledRow(name, text_label(keys, "muted"), about=f"{keys} {tip}", is_dense=True)
        for name, keys, tip in rows
    ]
    return (
        SettingsSection(
            tr("Appearance"),
            appearance,
            tr("Theme and text size change at once; the window remembers both."),
        ),
        SettingsSection(
            tr("Keyboard"), keys, tr("What has a key. The menu Help, Keys, shows this list, too.")
        ),
    )


class SettingsPane(QScrollArea):
    """Shows the groups of a page, then the sections about the window; all pages have the same
    settings."""

    entered = Signal(object)  # SettingControl
    section_entered = Signal(object)  # SettingsSection
    section_reached = Signal(int)
    profiles_requested = Signal()

    def __init__(
        self, client: BackendClient, window_sections: Sequence[SettingsSection] = ()
    ) -> None:
        super().__init__()
        self._client, self._window_sections = client, window_sections
        self.sections: list[SettingsSection] = []
        self._is_moving = False
        self._words: tuple[str, ...] = ()
        self._layout_timer = QTimer(
            self, singleShot=True, interval=0
        )  # after the rows are laid out
        self._layout_timer.timeout.connect(self._on_scrolled)
        self.no_match_label = text_label("", "muted")
        self.show_all = push_button(tr("Show all settings"), "link")
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._column = column_of(self.no_match_label, self.show_all, None, margins=(16, 4, 12, 12))
        self._column.setAlignment(self.show_all, Qt.AlignmentFlag.AlignLeft)
        self._content = panel_of(self._column)
        self.setWidget(self._content)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.verticalScrollBar().rangeChanged.connect(self._layout_timer.start)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)

    @property
    def rows(self) -> list[SettingRow]:
        return [row for section in self.sections for row in section.rows]

    @property
    def shown_controls(self) -> tuple[SettingControl, ...]:
        return tuple(row.control for row in self.rows if not row.isHidden())

    def row(self, key: str) -> SettingRow:
        """Return the row of a setting; raises LookupError."""
        for row in self.rows:
            if row.control.key == key:
                return row
        raise LookupError(key)

    def show_page(self, page: SettingsPage) -> None:
        if not self.sections:
            self._build(page)
        for section, group in zip(
            self.sections, page.groups, strict=False
        ):  # the further ones show no group
            for row, control in zip(section.rows, group.controls, strict=True):
                row.show_control(control, page.profiles)

    def _build(self, page: SettingsPage) -> None:
        for group in page.groups:
            rows = [SettingRow(control, self._client) for control in group.controls]
            self.sections.append(SettingsSection(group.title, rows))
        self.sections += self._window_sections
        for index, section in enumerate(self.sections):
            self._column.insertWidget(index, section)
            section.entered.connect(self.section_entered)
        for row in self.rows:
            row.profiles_requested.connect(self.profiles_requested)
            row.entered.connect(self.entered)

    def search(self, text: str) -> tuple[int, ...]:
        """Show what matches every word of ``text``, from the top; return the matches of each
        section."""
        words = tuple(text.casefold().split())
        if words != self._words:
            self._words = words
            self.verticalScrollBar().setValue(0)
            self._layout_timer.start()
        counts = tuple(section.search(words) for section in self.sections)
        is_empty = bool(words) and not any(counts)
        self.no_match_label.setText(tr("No match for “{text}”").format(text=text.strip()))
        for widget in (self.no_match_label, self.show_all):
            widget.setVisible(is_empty)
        return counts

    def go_to(self, number: int) -> None:
        self._layout_timer.stop()
        self._is_moving = True
        self._content.adjustSize()
        self.verticalScrollBar().setValue(self.sections[number].y())
        self._is_moving = False

    def _on_scrolled(self) -> None:
        """Say which section is at the top; at the end it is the last one."""
        if self._is_moving:
            return
        bar = self.verticalScrollBar()
        is_end = bar.value() >= bar.maximum() > 0
        visible = [number for number, section in enumerate(self.sections) if section.isVisible()]
        reached = [
            number for number in visible if is_end or self.sections[number].y() <= bar.value() + 16
        ]
        if reached:
            self.section_reached.emit(reached[-1])
        else:
            self.section_reached.emit(-1 if is_end else 0)

    def _on_focus(self, old: QWidget | None, focused: QWidget | None) -> None:
        if focused is None or not self.isAncestorOf(focused):
            return
        self.ensureWidgetVisible(focused)
        for row in self.rows:
            if row.isAncestorOf(focused):
                self.ensureWidgetVisible(row)
                self.entered.emit(row.control)
