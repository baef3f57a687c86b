"""The controls of the tuning panel: editors for values of settings, and the row around one.

An editor emits only the user's changes, as ``changed(value, draft)``. Values are those of the setting:
fractions, not percents. None removes the session's value.
"""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QLocale, QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QSizePolicy,
    QSlider,
    QToolButton,
    QVBoxLayout,
    QWidget,
)

from core.presentation.message_model import TextSpan
from core.presentation.model import SettingControl
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.icons import LAYER_GLYPHS, glyph_icon
from gui.widgets.text_labels import ElidedLabel, SpanText, set_style_property, tabular_feature
from gui.widgets.theme import SECONDARY, Theme

NO_VALUE = "–"
HOLD_MS = 400
"""For this long after a change, older answers do not reset the editor."""
PROMPT_KEY = "prompt"
"""The key of the fact that names the prompt, which can be edited."""
SESSION_LAYER = "session"
"""The layer whose values Reset removes."""
LAYER_WORDS = {SESSION_LAYER: "changed here", "saved": "my default", "default": "built in"}
_MAX_VALUE = 2_000_000_000


def _describe(editor: QWidget, control: SettingControl, name: str) -> None:
    editor.setAccessibleName(name)
    editor.setAccessibleDescription(control.help)
    editor.setToolTip(control.help)
    editor.setEnabled(control.enabled)


class FractionSlider(QSlider):
    """A slider over a fraction. Emits drafts while it is dragged, the value on release or by key."""

    changed = Signal(object, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._minimum, self._step = 0.0, 0.01
        self._is_moved = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.valueChanged.connect(self._on_value)
        self.sliderReleased.connect(self._on_released)

    def show_control(self, control: SettingControl) -> None:
        """Show a value, unless the slider is dragged."""
        _describe(self, control, control.label)
        if self.isSliderDown():
            return
        with QSignalBlocker(self):
            self._minimum, self._step = control.low, control.step or 0.01
            self.setRange(0, max(1, round((control.high - control.low) / self._step)))
            self.setPageStep(max(1, self.maximum() // 20))
            self.show_number(cast(float | None, control.value))

    def show_number(self, number: float | None) -> None:
        """Move to a fraction without emitting."""
        if not self.isSliderDown():
            with QSignalBlocker(self):
                self.setValue(round(((number or 0.0) - self._minimum) / self._step))

    def _number(self) -> float:
        return round(self._minimum + self.value() * self._step, 6)

    def _on_value(self) -> None:
        self._is_moved = True
        self.changed.emit(self._number(), self.isSliderDown())

    def _on_released(self) -> None:
        if self._is_moved:
            self._is_moved = False
            self.changed.emit(self._number(), False)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel scrolls the panel unless the editor has the focus."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()


class NumberField(QDoubleSpinBox):
    """A field for a fraction in percent, or for a whole number; a dash if there is no value."""

    changed = Signal(object, bool)

    def __init__(self, parent: QWidget, *, is_fraction: bool) -> None:
        super().__init__(parent)
        self._factor = 100.0 if is_fraction else 1.0
        self.setLocale(QLocale(QLocale.Language.English, QLocale.Country.UnitedStates))
        self.setKeyboardTracking(False)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setFont(tabular_feature())
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSuffix(" %" if is_fraction else "")
        self.setDecimals(1 if is_fraction else 0)
        self.setGroupSeparatorShown(not is_fraction)
        self.valueChanged.connect(self._on_value)

    @property
    def is_fraction(self) -> bool:
        return self._factor > 1

    def show_control(self, control: SettingControl) -> None:
        """Show a value, unless the user is typing."""
        name = tr("{label}, percent").format(label=control.label) if self.is_fraction else control.label
        _describe(self, control, name)
        number = cast(float | None, control.value)
        with QSignalBlocker(self):
            self.setSingleStep(control.step * self._factor if self.is_fraction else max(1, control.step))
            low = max(-_MAX_VALUE, control.low * self._factor) - (number is None)
            self.setRange(low, min(_MAX_VALUE, control.high * self._factor))
            self.setSpecialValueText(NO_VALUE if number is None else "" if number else control.value_text)
        self.show_number(number)
        self.updateGeometry()

    def show_number(self, number: float | None) -> None:
        """Show a number without emitting."""
        if not (self.hasFocus() and self.lineEdit().isModified()):
            with QSignalBlocker(self):
                self.setValue(self.minimum() if number is None else number * self._factor)

    def textFromValue(self, value: float) -> str:
        return f"{value:.1f}".removesuffix(".0") if self.is_fraction else super().textFromValue(value)

    def _on_value(self, value: float) -> None:
        is_none = self.specialValueText() == NO_VALUE and value <= self.minimum()
        number = round(value / self._factor, 6) if self.is_fraction else round(value)
        self.changed.emit(None if is_none else number, False)

    def sizeHint(self) -> QSize:
        """Wide enough for the value, and for six figures if it may have as many."""
        widest = (
            "" if self.is_fraction else self.textFromValue(max(self.value(), min(self.maximum(), 999_999)))
        )
        self.ensurePolished()
        width = self.fontMetrics().horizontalAdvance(max(widest, "20.4 %", key=len))
        return QSize(width + 18, self.fontMetrics().height() + 8)

    minimumSizeHint = sizeHint

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel scrolls the panel unless the editor has the focus."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()


class FlagCheckBox(QCheckBox):
    changed = Signal(object, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._on_clicked)

    def show_control(self, control: SettingControl) -> None:
        _describe(self, control, control.label)
        self.setToolTip(f"{control.label}: {control.help}")
        self.setText(control.label)
        self.setChecked(bool(control.value))

    def _on_clicked(self, checked: bool) -> None:
        self.changed.emit(checked, False)


class ChoiceComboBox(QComboBox):
    changed = Signal(object, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumContentsLength(6)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.activated.connect(self._on_activated)

    def show_control(self, control: SettingControl) -> None:
        if [self.itemText(number) for number in range(self.count())] != list(control.choices):
            self.clear()
            self.addItems(list(control.choices))
        self.setCurrentIndex(self.findText(str(control.value)))
        _describe(self, control, control.label)

    def _on_activated(self) -> None:
        self.changed.emit(self.currentText(), False)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel scrolls the panel unless the editor has the focus."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()


class TextField(QLineEdit):
    """A field for a text; an empty one removes the session's value."""

    changed = Signal(object, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._last_text = ""
        self.setMinimumWidth(60)
        self.editingFinished.connect(self._on_finished)

    def show_control(self, control: SettingControl) -> None:
        """Show a value, unless the user is typing."""
        _describe(self, control, control.label)
        self.setPlaceholderText(control.value_text if not control.value else "")
        if not (self.hasFocus() and self.isModified()):
            self._last_text = str(control.value or "")
            self.setText(self._last_text)

    def _on_finished(self) -> None:
        text = self.text().strip()
        if text != self._last_text:
            self._last_text = text
            self.setModified(False)
            self.changed.emit(text or None, False)


ControlEditor = FractionSlider | NumberField | FlagCheckBox | ChoiceComboBox | TextField


def field_of(kind: str, parent: QWidget) -> NumberField | FlagCheckBox | ChoiceComboBox | TextField | None:
    """Return the field for a kind of setting; None for a fact."""
    match kind:
        case "fraction" | "whole":
            return NumberField(parent, is_fraction=kind == "fraction")
        case "flag":
            return FlagCheckBox(parent)
        case "choice":
            return ChoiceComboBox(parent)
        case "text":
            return TextField(parent)
    return None


class ControlRow(QWidget):
    """Label and number, slider over the full width, one line of meaning. ``changed`` carries key, value and
    whether it is a draft; the value None resets."""

    changed = Signal(str, object, bool)
    prompt_requested = Signal()
    link_activated = Signal(str)

    def __init__(self, control: SettingControl) -> None:
        super().__init__()
        self.control = control
        self._last_value: object = None
        self._hold_timer = QTimer(self, singleShot=True, interval=HOLD_MS)
        self._hold_timer.timeout.connect(self._on_hold_over)
        self.label = text_label("", "muted" if control.kind == "fact" else "")
        self.label.setParent(self)  # shown without one, it would be a window and close an open popup
        self.label.setWordWrap(control.kind != "fact")
        self.value = ElidedLabel("", "secondary", self, min_chars=7)
        self.value.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self.hint = SpanText(SECONDARY, "text2", space_below=2)
        self.hint.link_activated.connect(self.link_activated)
        field = field_of(control.kind, self)
        slider = FractionSlider(self) if control.kind == "fraction" else None
        self.editors: tuple[ControlEditor, ...] = tuple(one for one in (field, slider) if one is not None)
        self.dot = QToolButton(self)
        self.dot.setAutoRaise(True)
        self.dot.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.dot.setMenu(QMenu(self.dot))
        self.dot.setStyleSheet("QToolButton { border: none; } QToolButton::menu-indicator { image: none; }")
        self.dot.setFixedWidth(16)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(2)
        column.addLayout(self._first_line(field))
        if slider is not None:
            column.addWidget(slider)
        column.addWidget(self.hint)
        for editor in self.editors:
            editor.changed.connect(self._on_changed)
        self.show_control(control)

    def _first_line(self, field: QWidget | None) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(6)
        is_filled = self.control.kind in ("flag", "text")  # by its field, which says what it is
        if is_filled and field is not None:
            row.addWidget(field, 1)
        row.addWidget(self.label, 0 if is_filled else 1)
        self.label.setVisible(not is_filled)
        row.addWidget(self.value)
        if field is not None and not is_filled:
            row.addWidget(field)
        if self.control.key == PROMPT_KEY:
            edit = push_button(tr("Edit…"), "link")
            edit.setAccessibleName(tr("Edit {label}").format(label=self.control.label))
            edit.clicked.connect(self.prompt_requested)
            row.addWidget(edit)
        row.addWidget(self.dot)
        return row

    def set_theme(self, theme: Theme) -> None:
        self.dot.setIcon(glyph_icon(LAYER_GLYPHS[SESSION_LAYER], theme.accent_text))

    def show_control(self, control: SettingControl) -> None:
        """Show another value in place, unless the slider is dragged or a number is being typed."""
        self.control = control
        self.label.setText(control.label)
        self.label.setToolTip(control.help)
        value_text = control.value_text if control.kind == "fact" else control.effect
        self.value.show_text(value_text)
        self.value.setVisible(bool(value_text))
        set_style_property(self.value, "tone", control.effect_tone)
        link = (TextSpan(" · "), TextSpan(*control.hint_link)) if control.hint_link else ()
        self.hint.set_spans((TextSpan(control.hint), *link))
        self.hint.setVisible(bool(self.hint.text))
        self._show_layers(control)
        if control.value == self._last_value:
            self._hold_timer.stop()
        if not self._hold_timer.isActive():
            self._show_in_editors(control)

    def _show_layers(self, control: SettingControl) -> None:
        """Show the dot where the value differs from the default; it opens the values and Reset."""
        self.dot.setVisible(control.layer in (SESSION_LAYER, "saved"))
        layer_words = layer_text(control, control.layer)
        self.dot.setAccessibleName(f"{control.label}: {layer_words}")
        self.dot.setToolTip(tr("{layer}: click for all values and Reset").format(layer=layer_words))
        menu = self.dot.menu()
        menu.clear()
        for layer, text in control.layers:
            menu.addAction(f"{layer_text(control, layer)}: {text}").setEnabled(False)
        menu.addSeparator()
        reset = menu.addAction(tr("Reset"))
        reset.setEnabled(control.layer == SESSION_LAYER)
        reset.triggered.connect(self._on_reset)

    def _show_in_editors(self, control: SettingControl) -> None:
        self._last_value = control.value
        for editor in self.editors:
            editor.show_control(control)

    def _on_hold_over(self) -> None:
        self._show_in_editors(self.control)

    def _on_changed(self, value: object, draft: bool) -> None:
        self._last_value = value
        self._hold_timer.start()
        for editor in self.editors:
            if editor is not self.sender() and isinstance(editor, FractionSlider | NumberField):
                editor.show_number(value if isinstance(value, float) else None)
        self.changed.emit(self.control.key, value, draft)

    def _on_reset(self) -> None:
        self.changed.emit(self.control.key, None, False)


def layer_text(control: SettingControl, layer: str) -> str:
    """Return where a value comes from; for the effective one with the profile that set it."""
    words = tr(LAYER_WORDS.get(layer, layer))
    if not control.profile or layer != control.layer:
        return words
    return tr("{layer}, profile {profile}").format(layer=words, profile=control.profile)
