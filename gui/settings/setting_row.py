"""One row of the settings dialog: label, editor, unit, source of the value, reset."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QRectF, QStringListModel, Qt, Signal
from PySide6.QtGui import QEnterEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QCompleter, QWidget

from core.app.services.settings import SettingsService
from core.presentation.model import SettingControl
from core.settings.schema import PROFILES
from core.settings_store.layers import find_setting
from gui.backend import BackendClient
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
from gui.widgets.view_layout import column_of, row_of


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
        painter, metrics, available = (
            QPainter(self),
            self.fontMetrics(),
            QRectF(self.contentsRect()),
        )
        shown_text = self.text()
        for start, end in word_spans(shown_text, self.words):
            left = available.left() + metrics.horizontalAdvance(shown_text[:start])
            width = metrics.horizontalAdvance(shown_text[:end]) - metrics.horizontalAdvance(
                shown_text[:start]
            )
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
            paint_glyph(painter, LAYER_GLYPHS[self._layer], self.rect().toRectF(), colour)
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
        self.name, self.about = HighlightedLabel(name), HighlightedLabel(about, "secondary")
        self._field, self._is_dense = widgets[0] if is_field else None, is_dense
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
        self._value, self.source = ElidedLabel("", "muted"), ElidedLabel("", "secondary")
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
        self._dot, self.reset = (
            LayerMark(),
            GlyphButton("undo", tr("Reset {label}").format(label=control.label)),
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
            "\n".join(f"{tr(LAYER_WORDS[layer])}: {text}" for layer, text in control.layers)
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
                self.editor.show_known(profiles)
            case NumberField() | ChoiceComboBox() | TextField():
                self.editor.show_control(control)

    def _on_changed(self, value: bool | int | float | str | None, provisional: bool) -> None:
        self._client.set_value(self.control.key, value, provisional and value is not None)

    def _on_reset(self) -> None:
        if self.control.layer == SAVED:
            self._client.call(self, SettingsService.save, ((self.control.key, None),))
        else:
            self._client.reset(self.control.key)

    def enterEvent(self, event: QEnterEvent) -> None:
        self.entered.emit(self.control)
