"""One row of the settings dialog: label, editor, unit, source of the value, reset."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, QSize, QStringListModel, Qt, Signal
from PySide6.QtGui import QEnterEvent
from PySide6.QtWidgets import QComboBox, QCompleter, QHBoxLayout, QLabel, QVBoxLayout, QWidget

from core.configuration.layers import find_setting
from core.presentation.model import SettingControl
from core.settings.schema import PROFILES
from gui.inspect.tuning.editors import (
    ChoiceComboBox,
    FlagCheckBox,
    FractionSpinBox,
    IntegerSpinBox,
    TextField,
)
from gui.inspect.tuning.layer_dot import SESSION_LAYER, layer_colour
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.highlighted_label import HighlightedLabel
from gui.widgets.icons import LAYER_GLYPHS, glyph_icon, glyph_pixmap
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import Theme, theme

LABEL, EDITOR, MAX_FIELD_WIDTH = 22, 29, 380
"""Widths of the first two columns, in average characters of the font."""
_FIELD = 100
SAVED = "saved"
_RESET_TIPS = {
    SESSION_LAYER: "Take the session's value away, so that the layer below shows",
    SAVED: "Take the value out of the settings file, so that the default shows",
}
SettingEditor = FractionSpinBox | IntegerSpinBox | FlagCheckBox | ChoiceComboBox | TextField


class CompletingField(TextField):
    """A text field that suggests known values; any other text may be typed, too (REQ-CS-008.2)."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._known = QStringListModel(self)
        completer = QCompleter(self._known, self)
        completer.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
        completer.setFilterMode(Qt.MatchFlag.MatchContains)
        completer.activated.connect(self._on_completed)
        self.setCompleter(completer)

    def show_known(self, names: tuple[str, ...]) -> None:
        if self._known.stringList() != list(names):
            self._known.setStringList(list(names))

    @property
    def known(self) -> tuple[str, ...]:
        return tuple(self._known.stringList())

    def _on_completed(self, text: str) -> None:
        self.setText(text)
        self.editingFinished.emit()


def editor_of(control: SettingControl, parent: QWidget) -> SettingEditor | None:
    """Return the editor for a kind of setting; None for a fact."""
    match control.kind:
        case "fraction":
            return FractionSpinBox(parent)
        case "whole":
            return IntegerSpinBox(parent)
        case "flag":
            return FlagCheckBox(parent)
        case "choice":
            return ChoiceComboBox(parent)
        case "text":
            return CompletingField(parent) if _wants_profiles(control) else TextField(parent)
    return None


def _wants_profiles(control: SettingControl) -> bool:
    return find_setting(control.key).completer == PROFILES


class SettingRow(QWidget):
    """Shows one control; ``changed`` carries key, value and whether it is a draft."""

    changed = Signal(str, object, bool)
    reset_requested = Signal(str)
    unsave_requested = Signal(str)  # remove from the settings file
    profiles_requested = Signal()
    entered = Signal(object)  # this row, when it gets the pointer or the focus

    def __init__(self, control: SettingControl, parent: QWidget) -> None:
        super().__init__(parent)
        self.control = control
        self._theme = theme("light")
        self.name, self.about = HighlightedLabel("", "", self), HighlightedLabel("", "secondary", self)
        self._value = ElidedLabel("", "muted", self)
        self._unit, self._source = text_label("", "secondary"), ElidedLabel("", "secondary", self)
        self._dot, self.reset = QLabel(), push_button("", "flat")
        self.editor = editor_of(control, self)
        self.profiles = push_button(tr("Edit profiles…"), "link")
        self.profiles.setVisible(control.kind == "text" and _wants_profiles(control))
        self._lay_out()
        self.reset.clicked.connect(self._on_reset)
        self.profiles.clicked.connect(self.profiles_requested)
        if self.editor is not None:
            self.editor.setProperty("role", "field")
            self.editor.changed.connect(self._on_changed)
            self.setFocusProxy(self.editor)
        self.show_control(control, ())

    def _lay_out(self) -> None:
        self._editors = QWidget(self)
        inner = QHBoxLayout(self._editors)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.setSpacing(8)
        numeric = self.control.kind in ("fraction", "whole")
        shown = self.editor or self._value
        self._value.setVisible(self.editor is None)
        if numeric:
            shown.setMinimumWidth(_FIELD)
        inner.addWidget(shown, 0 if numeric else 1)
        inner.addWidget(self._unit, 1 if numeric else 0)
        self._unit.setVisible(numeric)
        line = QHBoxLayout()
        line.setSpacing(8)
        line.addWidget(self.name)
        line.addWidget(self._editors)
        line.addSpacing(4)
        line.addWidget(self._dot)
        line.addWidget(self._source, 1)
        line.addWidget(self.profiles)
        line.addWidget(self.reset)
        self.reset.setIconSize(QSize(14, 14))
        policy = self.reset.sizePolicy()
        policy.setRetainSizeWhenHidden(True)
        self.reset.setSizePolicy(policy)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 2, 0, 2)
        column.setSpacing(1)
        column.addLayout(line)
        column.addWidget(self.about)
        self.about.hide()
        self.name.setMinimumHeight(30)
        self._measure()

    def _measure(self) -> None:
        character = self.fontMetrics().averageCharWidth()
        self.name.setFixedWidth(min(LABEL * character, MAX_FIELD_WIDTH))
        self._editors.setFixedWidth(min(EDITOR * character, MAX_FIELD_WIDTH))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.name.set_theme(theme)
        self.about.set_theme(theme)
        self.reset.setIcon(glyph_icon("undo", theme.text2, 14))
        self._paint_dot()

    def _paint_dot(self) -> None:
        layer = self.control.layer
        if layer in LAYER_GLYPHS:
            colour = layer_colour(layer, self._theme)
            self._dot.setPixmap(glyph_pixmap(LAYER_GLYPHS[layer], colour, 16, self.devicePixelRatioF()))

    def show_control(self, control: SettingControl, profiles: tuple[str, ...]) -> None:
        self.control = control
        self.name.show_text(control.label)
        self.name.set_tip(control.help)
        self.about.show_text(f"{control.key} · {control.help}" if control.key else control.help)
        self._value.show_text(control.value_text)
        self._unit.setText(tr(find_setting(control.key).unit) if control.kind != "fact" else "")
        self._show_source()
        self._show_in_editor(control, profiles)
        self.reset.setVisible(control.layer in (SESSION_LAYER, SAVED))
        self.reset.setToolTip(tr(_RESET_TIPS.get(control.layer, "")))
        self.reset.setAccessibleName(tr("Reset {label}").format(label=control.label))
        self._paint_dot()

    def _show_source(self) -> None:
        control = self.control
        is_unset = control.value is None and bool(control.hint)  # the hint says what applies instead
        parts = ("" if is_unset else tr(control.layer), control.hint)
        self._source.show_text(" · ".join(part for part in parts if part))
        self._source.set_tip("\n".join(f"{tr(layer)}: {text}" for layer, text in control.layers))

    def _show_in_editor(self, control: SettingControl, profiles: tuple[str, ...]) -> None:
        match self.editor:
            case None:
                return
            case FlagCheckBox():  # the label has its own column; the box says on or off
                self.editor.show_control(replace(control, label=control.value_text))
                self.editor.setAccessibleName(control.label)
                self.editor.setToolTip(control.help)
            case CompletingField():
                self.editor.show_control(control)
                self.editor.show_known(profiles)
            case _:
                self.editor.show_control(control)

    def search(self, words: tuple[str, ...], section: str) -> bool:
        """Show the row if its label, key, help or section contain every word; return whether it is shown."""
        text = f"{self.control.label} {self.control.key} {self.control.help} {section}".casefold()
        is_shown = all(word in text for word in words)
        self.setVisible(is_shown)
        self.name.set_words(words)
        self.about.set_words(words)
        self.about.setVisible(bool(words))
        return is_shown

    def _on_changed(self, value: object, draft: bool) -> None:
        if value is None:
            self.reset_requested.emit(self.control.key)
        else:
            self.changed.emit(self.control.key, value, draft)

    def _on_reset(self) -> None:
        request = self.unsave_requested if self.control.layer == SAVED else self.reset_requested
        request.emit(self.control.key)

    def enterEvent(self, event: QEnterEvent) -> None:
        self.entered.emit(self)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._measure()


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
            if isinstance(widget, QComboBox):
                widget.setFixedWidth(min(EDITOR * character, MAX_FIELD_WIDTH))

    def set_theme(self, theme: Theme) -> None:
        self.name.set_theme(theme)

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
