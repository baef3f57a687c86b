"""The right side of the settings dialog: all sections in a scrolled pane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QRectF, QStringListModel, Qt, QTimer, Signal
from PySide6.QtGui import QAction, QEnterEvent, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import (
    QApplication,
    QComboBox,
    QCompleter,
    QFrame,
    QScrollArea,
    QWidget,
)

from core.app.remote_methods import SettingsService
from core.presentation.dialog_model import SettingsPage
from core.presentation.model import SettingControl
from core.settings.schema import PROFILES
from core.settings_store.layers import find_setting
from gui.actions import ACTIONS, ActionSet
from gui.backend import BackendClient
from gui.help_window import native_keys
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.icons import LAYER_GLYPHS, GlyphButton, paint_glyph
from gui.widgets.setting_editors import (
    LAYER_WORDS,
    SESSION_LAYER,
    ChoiceComboBox,
    FlagCheckBox,
    NumberField,
    TextField,
    field_of,
)
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import current_theme
from gui.widgets.view_layout import column_of, panel_of, row_of


def word_spans(text: str, words: Sequence[str]) -> list[tuple[int, int]]:
    """Return (start, end) of the first match of each word (case folded) in ``text``."""
    folded = text.casefold()
    if len(folded) != len(text):  # a letter folded to two, so positions would not fit
        folded = text.lower()
    matches = [(folded.find(word), len(word)) for word in words]
    return sorted((start, start + length) for start, length in matches if start >= 0)


class HighlightedLabel(ElidedLabel):
    def __init__(self, text: str = "", role: str = "") -> None:
        super().__init__(text, role)
        self.words: tuple[str, ...] = ()

    def set_words(self, words: tuple[str, ...]) -> None:
        """Highlight these words (case folded)."""
        if words != self.words:
            self.words = words
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        metrics = self.fontMetrics()
        available = QRectF(self.contentsRect())
        shown_text = self.text()
        for start, end in word_spans(shown_text, self.words):
            left = available.left() + metrics.horizontalAdvance(shown_text[:start])
            width = metrics.horizontalAdvance(
                shown_text[:end]
            ) - metrics.horizontalAdvance(shown_text[:start])
            top = available.center().y() - metrics.height() / 2
            word_rect = QRectF(left, top, width, metrics.height())
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.bar_warn)
            painter.drawRect(word_rect)
            painter.setPen(QPen(theme.warn, 1))
            painter.drawLine(word_rect.bottomLeft(), word_rect.bottomRight())
        painter.end()
        super().paintEvent(event)


_LABEL, _EDITOR, _MAX_WIDTH = 22, 29, 380
"""Widths of the first two columns in average characters, and the most pixels of each."""
_NUMBER_WIDTH = 100
SAVED = "saved"
_RESET_TIPS = {
    SESSION_LAYER: "Take the session's value away, so that the layer below shows",
    SAVED: "Take the value out of the settings file, so that the default shows",
}
SettingEditor = NumberField | FlagCheckBox | ChoiceComboBox | TextField


class CompletingField(TextField):
    """A text field that suggests known values; any other text may be typed, too (REQ-CS-008.2)."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._completions = QStringListModel(self)
        completer = QCompleter(self._completions, self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.activated.connect(self._on_completed)
        self.setCompleter(completer)

    def set_completions(self, names: tuple[str, ...]) -> None:
        if self._completions.stringList() != list(names):
            self._completions.setStringList(list(names))

    @property
    def completions(self) -> tuple[str, ...]:
        return tuple(self._completions.stringList())

    def _on_completed(self, text: str) -> None:
        self.setText(text)
        self.editingFinished.emit()


class LayerMark(QWidget):
    """The dot of the layer that a value comes from."""

    def __init__(self) -> None:
        super().__init__()
        self._layer = ""
        self.setFixedSize(16, 16)

    def show_layer(self, layer: str) -> None:
        self._layer = layer
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._layer in LAYER_GLYPHS:
            painter = QPainter(self)
            theme = current_theme()
            colour = theme.accent_text if self._layer == SESSION_LAYER else theme.text2
            paint_glyph(
                painter, LAYER_GLYPHS[self._layer], self.rect().toRectF(), colour
            )
            painter.end()


class LabelledRow(QWidget):
    """A name with widgets at its right; ``about`` is searched and shown below while it is
    searched."""

    def __init__(
        self,
        name: str,
        *widgets: QWidget,
        about: str = "",
        is_dense: bool = False,
        is_field: bool = False,
    ) -> None:
        """``is_field``: the first widget is as wide as the column of fields."""
        super().__init__()
        self.name = HighlightedLabel(name)
        self.about = HighlightedLabel(about, "secondary")
        self._field = widgets[0] if is_field else None
        self._is_dense = is_dense
        self.line = row_of(self.name, *widgets)
        self.setLayout(column_of(self.line, self.about, margins=(0, 2, 0, 2), gap=1))
        self.about.hide()
        self._measure()

    def _measure(self) -> None:
        character = self.fontMetrics().averageCharWidth()
        self.name.setFixedWidth(min(_LABEL * character, _MAX_WIDTH))
        self.name.setMinimumHeight(0 if self._is_dense else 30)
        if self._field is not None:
            self._field.setFixedWidth(min(_EDITOR * character, _MAX_WIDTH))

    def search(self, words: tuple[str, ...], section: str) -> bool:
        """Show the row if it or its section contain every word; return whether it is shown."""
        text = f"{self.name.full_text} {self.about.full_text} {section}".casefold()
        is_shown = all(word in text for word in words)
        self.setVisible(is_shown)
        for label in (self.name, self.about):
            label.set_words(words)
        self.about.setVisible(bool(words) and not self._is_dense)
        return is_shown

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._measure()


class SettingRow(LabelledRow):
    """A setting; the user's changes go to the session at once."""

    profiles_requested = Signal()
    entered = Signal(object)  # the control, when the row gets the pointer or the focus

    def __init__(self, control: SettingControl, client: BackendClient) -> None:
        self.control, self._client = control, client
        setting = find_setting(control.key)
        wants_profiles = control.kind == "text" and setting.completer == PROFILES
        place = QWidget()
        self.editor: SettingEditor | None = (
            CompletingField(place) if wants_profiles else field_of(control.kind, place)
        )
        self._value = ElidedLabel("", "muted")
        self.source = ElidedLabel("", "secondary")
        row = row_of()
        place.setLayout(row)
        is_number = control.kind in ("fraction", "whole")
        if self.editor is not None:
            row.addWidget(self.editor, int(not is_number))
        row.addWidget(self._value)
        self._value.setVisible(self.editor is None)
        if is_number and self.editor is not None:
            self.editor.setMinimumWidth(_NUMBER_WIDTH)
            row.addWidget(text_label(tr(setting.unit), "secondary"), 1)
        super().__init__(control.label, place, is_field=True)
        self._dot = LayerMark()
        self.reset = GlyphButton(
            "undo", tr("Reset {label}").format(label=control.label)
        )
        self.line.addSpacing(4)
        self.line.addWidget(self._dot)
        self.line.addWidget(self.source, 1)
        if wants_profiles:
            profiles = push_button(tr("Edit profiles…"), "link")
            profiles.clicked.connect(self.profiles_requested)
            self.line.addWidget(profiles)
        self.line.addWidget(self.reset)
        policy = self.reset.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.reset.setSizePolicy(policy)
        self.reset.clicked.connect(self._on_reset)
        if self.editor is not None:
            self.editor.setProperty("role", "field")
            self.editor.changed.connect(self._on_changed)
            self.setFocusProxy(self.editor)
        self.show_control(control, ())

    def show_control(self, control: SettingControl, profiles: tuple[str, ...]) -> None:
        self.control = control
        self.name.show_text(control.label)
        self.name.set_tip(control.help)
        self.about.show_text(f"{control.key} · {control.help}")
        self._value.show_text(control.value_text)
        is_unset = control.value is None and bool(
            control.note.text
        )  # the hint says what applies instead
        parts = ("" if is_unset else tr(LAYER_WORDS[control.layer]), control.note.text)
        self.source.show_text(" · ".join(part for part in parts if part))
        self.source.set_tip(
            "\n".join(
                f"{tr(LAYER_WORDS[layer])}: {text}" for layer, text in control.layers
            )
        )
        self._dot.show_layer(control.layer)
        self.reset.setVisible(control.layer in _RESET_TIPS)
        self.reset.setToolTip(tr(_RESET_TIPS.get(control.layer, "")))
        match self.editor:
            case FlagCheckBox():  # the label has its own column; the box says on or off
                self.editor.show_control(replace(control, label=control.value_text))
                self.editor.setAccessibleName(control.label)
                self.editor.setToolTip(control.help)
            case CompletingField():
                self.editor.show_control(control)
                self.editor.set_completions(profiles)
            case NumberField() | ChoiceComboBox() | TextField():
                self.editor.show_control(control)

    def _on_changed(
        self, value: bool | int | float | str | None, provisional: bool
    ) -> None:
        self._client.set_value(
            self.control.key, value, provisional and value is not None
        )

    def _on_reset(self) -> None:
        if self.control.layer == SAVED:
            self._client.call(self, SettingsService.save, ((self.control.key, None),))
        else:
            self._client.set_value(self.control.key, None)

    def enterEvent(self, event: QEnterEvent) -> None:
        self.entered.emit(self.control)


THEMES = tuple(row.id for row in ACTIONS if row.group == "Theme")
_SIZES = ("smaller", "natural", "larger")


class SettingsSection(QWidget):
    """A heading with lines; without settings, ``about`` is its help."""

    entered = Signal(
        object
    )  # this section, when it gets the pointer and has no settings

    def __init__(
        self, title: str, lines: Sequence[LabelledRow], about: str = ""
    ) -> None:
        super().__init__()
        self.title, self.about = title, about
        self.heading = HighlightedLabel(title, "group")
        self._lines = lines
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
            next(
                (n for n, action in enumerate(self._choices) if action.isChecked()), -1
            )
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
        LabelledRow(
            name, text_label(keys, "muted"), about=f"{keys} {tip}", is_dense=True
        )
        for name, keys, tip in rows
    ]
    return (
        SettingsSection(
            tr("Appearance"),
            appearance,
            tr("Theme and text size change at once; the window remembers both."),
        ),
        SettingsSection(
            tr("Keyboard"),
            keys,
            tr("All actions that have a key. Help, Keys shows this list, too."),
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
        self._column = column_of(
            self.no_match_label, self.show_all, None, margins=(16, 4, 12, 12)
        )
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
    def visible_controls(self) -> tuple[SettingControl, ...]:
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
        self.no_match_label.setText(
            tr("No match for “{text}”").format(text=text.strip())
        )
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
        visible = [
            number
            for number, section in enumerate(self.sections)
            if section.isVisible()
        ]
        reached = [
            number
            for number in visible
            if is_end or self.sections[number].y() <= bar.value() + 16
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
