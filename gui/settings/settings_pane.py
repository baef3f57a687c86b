"""The right side of the settings dialog: all sections in a scrolled pane."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QApplication, QFrame, QScrollArea, QVBoxLayout, QWidget

from core.presentation.model import SettingControl
from core.presentation.settings.model import SettingsPage
from gui.inspect.tuning.layer_dot import SESSION_LAYER
from gui.language import tr
from gui.settings.setting_row import LabelledRow, SettingRow
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.highlighted_label import HighlightedLabel
from gui.widgets.theme import Theme, theme


class SettingsSection(QWidget):
    """A heading with lines; without settings, ``about`` is its help."""

    entered = Signal(object)  # this section, when it gets the pointer and holds no settings

    def __init__(self, title: str, lines: Sequence[SettingRow | LabelledRow], about: str = "") -> None:
        super().__init__()
        self.title, self.about = title, about
        self.heading, self._lines = HighlightedLabel(title, "group"), lines
        self.rows = [line for line in lines if isinstance(line, SettingRow)]
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 14, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.heading)
        column.addSpacing(4)
        for line in lines:
            column.addWidget(line)

    def set_theme(self, theme: Theme) -> None:
        for part in (self.heading, *self._lines):
            part.set_theme(theme)

    def search(self, words: tuple[str, ...]) -> int:
        """Show the matching lines; return their number."""
        self.heading.set_words(words)
        count = sum(line.search(words, self.title) for line in self._lines)
        self.setVisible(count > 0)
        return count

    @property
    def session_value_count(self) -> int:
        """Return how many values the session holds."""
        return sum(row.control.layer == SESSION_LAYER for row in self.rows)

    def enterEvent(self, event: QEnterEvent) -> None:
        if self.about:
            self.entered.emit(self)


class SettingsPane(QScrollArea):
    """Shows the groups of a page; all pages have the same settings."""

    changed = Signal(str, object, bool)
    reset_requested = Signal(str)
    unsave_requested = Signal(str)
    profiles_requested = Signal()
    entered = Signal(object)  # SettingControl
    section_entered = Signal(object)  # SettingsSection
    section_reached = Signal(int)
    all_requested = Signal()  # clear the search

    def __init__(self, window_sections: Sequence[SettingsSection] = ()) -> None:
        super().__init__()
        self._window_sections = tuple(window_sections)  # below the sections of settings
        for section in self._window_sections:
            section.entered.connect(self.section_entered)
        self.sections: list[SettingsSection] = []
        self._theme = theme("light")
        self._is_moving = False
        self._words: tuple[str, ...] = ()
        self._layout_timer = QTimer(
            self, singleShot=True, interval=0
        )  # runs after a search has laid out the rows
        self._layout_timer.timeout.connect(self._on_range)
        self._no_match_label, self._show_all = (
            text_label("", "muted"),
            push_button(tr("Show all settings"), "link"),
        )
        self._show_all.clicked.connect(self.all_requested)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._content = QWidget()
        self._column = QVBoxLayout(self._content)
        self._column.setContentsMargins(16, 0, 12, 12)
        self._column.setSpacing(0)
        self._column.addSpacing(4)
        self._column.addWidget(self._no_match_label)
        self._column.addWidget(self._show_all, 0, Qt.AlignmentFlag.AlignLeft)
        self._column.addStretch(1)
        self.setWidget(self._content)
        self.verticalScrollBar().valueChanged.connect(self._on_scrolled)
        self.verticalScrollBar().rangeChanged.connect(self._on_range)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._on_focus)

    @property
    def controls(self) -> tuple[SettingControl, ...]:
        return tuple(row.control for section in self.sections for row in section.rows)

    @property
    def shown_controls(self) -> tuple[SettingControl, ...]:
        rows = (row for section in self.sections for row in section.rows)
        return tuple(row.control for row in rows if not row.isHidden())

    def row(self, key: str) -> SettingRow:
        """Return the row of a setting; raises KeyError."""
        for section in self.sections:
            for row in section.rows:
                if row.control.key == key:
                    return row
        raise KeyError(key)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for section in self.sections or self._window_sections:
            section.set_theme(theme)

    def show_page(self, page: SettingsPage) -> None:
        if not self.sections:
            self._build(page)
        for section, group in zip(self.sections, page.groups, strict=False):  # the further ones show no group
            for row, control in zip(section.rows, group.controls, strict=True):
                row.show_control(control, page.profiles)

    def _build(self, page: SettingsPage) -> None:
        for group in page.groups:
            rows = [SettingRow(control, self._content) for control in group.controls]
            self.sections.append(SettingsSection(group.title, rows))
        self.sections += self._window_sections
        for index, section in enumerate(self.sections):
            self._column.insertWidget(index, section)
            for row in section.rows:
                row.changed.connect(self.changed)
                row.reset_requested.connect(self.reset_requested)
                row.unsave_requested.connect(self.unsave_requested)
                row.profiles_requested.connect(self.profiles_requested)
                row.entered.connect(self._on_entered)
        self.set_theme(self._theme)

    def search(self, text: str) -> tuple[int, ...]:
        """Show what matches every word of ``text``, from the top; return the matches of each section."""
        words = tuple(text.casefold().split())
        if words != self._words:
            self._words = words
            self.verticalScrollBar().setValue(0)
            self._layout_timer.start()
        counts = tuple(section.search(words) for section in self.sections)
        is_empty = bool(words) and not any(counts)
        self._no_match_label.setText(
            tr("No setting matches “{text}”.").format(text=text.strip()) if is_empty else ""
        )
        self._no_match_label.setVisible(is_empty)
        self._show_all.setVisible(is_empty)
        return counts

    def go_to(self, number: int) -> None:
        self._layout_timer.stop()
        self._is_moving = True
        self._content.adjustSize()
        self.verticalScrollBar().setValue(self.sections[number].y())
        self._is_moving = False

    def _on_scrolled(self, value: int) -> None:
        if self._is_moving:
            return
        if value >= self.verticalScrollBar().maximum() > 0:
            shown = [number for number, section in enumerate(self.sections) if section.isVisible()]
            self.section_reached.emit(shown[-1] if shown else -1)
            return
        reached = [
            n for n, section in enumerate(self.sections) if section.isVisible() and section.y() <= value + 16
        ]
        self.section_reached.emit(reached[-1] if reached else 0)

    def _on_range(self) -> None:
        """A search shows fewer rows, or all again."""
        self._on_scrolled(self.verticalScrollBar().value())

    def _on_entered(self, row: SettingRow) -> None:
        self.entered.emit(row.control)

    def _on_focus(self, old: QWidget | None, focused: QWidget | None) -> None:
        if focused is None or not self.isAncestorOf(focused):
            return
        self.ensureWidgetVisible(focused)
        for section in self.sections:
            for row in section.rows:
                if row.isAncestorOf(focused):
                    self.ensureWidgetVisible(row)
                    self.entered.emit(row.control)
