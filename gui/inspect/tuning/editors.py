"""Editors for values of settings, which emit only the user's changes.

Each has ``changed(value, draft)`` and ``show_control``. Values are those of the setting: fractions, not
percents. None removes the session's value.
"""

from __future__ import annotations

from PySide6.QtCore import QLocale, QSignalBlocker, QSize, Qt, Signal
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QSizePolicy,
    QSlider,
    QSpinBox,
    QWidget,
)

from core.presentation.model import SettingControl
from gui.language import tr
from gui.widgets.text_labels import tabular_feature

_PERCENT = 100.0
_INDICATOR, _TEXT = 23, 60
_MAX_VALUE = 2_000_000_000
NO_VALUE = "–"


def as_number(value: object) -> float | None:
    """Return a number, or None if there is none."""
    return float(value) if isinstance(value, int | float) else None


class FractionSlider(QSlider):
    """A slider over a fraction. Emits drafts while it is dragged, the value on release or by key."""

    changed = Signal(object, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._minimum, self._step = 0.0, 0.01
        self._is_moved = False
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumWidth(28)
        self.valueChanged.connect(self._on_value)
        self.sliderReleased.connect(self._on_released)

    def show_control(self, control: SettingControl) -> None:
        """Show a value, unless the slider is dragged."""
        self.setAccessibleName(control.label)
        self.setAccessibleDescription(control.help)
        self.setToolTip(control.help)
        self.setEnabled(control.enabled)
        if self.isSliderDown():
            return
        with QSignalBlocker(self):
            self._minimum, self._step = control.low, control.step or 0.01
            self.setRange(0, max(1, round((control.high - control.low) / self._step)))
            self.setPageStep(max(1, self.maximum() // 20))
            self.show_number(as_number(control.value))

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

    def sizeHint(self) -> QSize:
        """Small; it takes the remaining width."""
        return QSize(28, super().sizeHint().height())

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel scrolls the panel unless the slider has the focus."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()


class FractionSpinBox(QDoubleSpinBox):
    changed = Signal(object, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        _set_up(self)
        self.setSuffix(" %")
        self.setDecimals(1)
        self.valueChanged.connect(self._on_value)

    def show_control(self, control: SettingControl) -> None:
        """Show a value, unless the user is typing."""
        _describe(self, control, tr("{label}, percent").format(label=control.label))
        number = as_number(control.value)
        with QSignalBlocker(self):
            self.setSingleStep(control.step * _PERCENT)
            low = control.low * _PERCENT
            self.setRange(low - (1.0 if number is None else 0.0), control.high * _PERCENT)
            self.setSpecialValueText(NO_VALUE if number is None else "")
        self.show_number(number)

    def show_number(self, number: float | None) -> None:
        """Show a fraction without emitting."""
        if not _is_typing(self):
            with QSignalBlocker(self):
                self.setValue(self.minimum() if number is None else number * _PERCENT)

    def textFromValue(self, value: float) -> str:
        return f"{value:.1f}".removesuffix(".0")

    def _on_value(self, value: float) -> None:
        is_none = bool(self.specialValueText()) and value <= self.minimum()
        self.changed.emit(None if is_none else round(value / _PERCENT, 6), False)

    def sizeHint(self) -> QSize:
        """Wide enough for 20.4 %."""
        return _field_size(self, "20.4 %")

    minimumSizeHint = sizeHint

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel scrolls the panel unless the field has the focus."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()


class IntegerSpinBox(QSpinBox):
    """A field for a whole number, with thousands commas; a dash if there is no value."""

    changed = Signal(object, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        _set_up(self)
        self.setGroupSeparatorShown(True)
        self.valueChanged.connect(self._on_value)

    def show_control(self, control: SettingControl) -> None:
        """Show a value, unless the user is typing."""
        _describe(self, control, control.label)
        number = as_number(control.value)
        with QSignalBlocker(self):
            self.setSingleStep(max(1, round(control.step)))
            low = max(-_MAX_VALUE, round(control.low)) - (number is None)
            self.setRange(low, min(_MAX_VALUE, round(control.high)))
            self.setSpecialValueText(NO_VALUE if number is None else "")
        self.show_number(number)
        self.updateGeometry()

    def show_number(self, number: float | None) -> None:
        """Show a number without emitting."""
        if not _is_typing(self):
            with QSignalBlocker(self):
                self.setValue(self.minimum() if number is None else round(number))

    def _on_value(self, value: int) -> None:
        is_none = bool(self.specialValueText()) and value <= self.minimum()
        self.changed.emit(None if is_none else value, False)

    def sizeHint(self) -> QSize:
        """Wide enough for the value, and for six figures if it may have as many."""
        widest = max(self.value(), min(self.maximum(), 999_999))
        return _field_size(self, max(self.locale().toString(widest), "20.4 %", key=len))

    minimumSizeHint = sizeHint

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel scrolls the panel unless the field has the focus."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()


class FlagCheckBox(QCheckBox):
    changed = Signal(object, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._full_text = ""
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._on_clicked)

    def show_control(self, control: SettingControl) -> None:
        self._full_text = control.label
        self.setAccessibleName(control.label)
        self.setAccessibleDescription(control.help)
        self.setEnabled(control.enabled)
        self.setToolTip(f"{control.label}: {control.help}")
        self.setChecked(bool(control.value))
        self.updateGeometry()
        self._fit()

    @property
    def is_elided(self) -> bool:
        """True if the label does not fit."""
        return self.text() != self._full_text

    def _on_clicked(self, checked: bool) -> None:
        self.changed.emit(checked, False)

    def _fit(self) -> None:
        available = max(0, self.width() - _INDICATOR)
        elided = self.fontMetrics().elidedText(self._full_text, Qt.TextElideMode.ElideRight, available)
        if elided != self.text():
            self.setText(elided)

    def sizeHint(self) -> QSize:
        self.ensurePolished()
        width = self.fontMetrics().horizontalAdvance(self._full_text) + _INDICATOR + 1
        return QSize(width, max(20, super().sizeHint().height()))

    def minimumSizeHint(self) -> QSize:
        return QSize(60, self.sizeHint().height())

    def resizeEvent(self, event: object) -> None:
        self._fit()


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
        self.setAccessibleName(control.label)
        self.setToolTip(control.help)
        self.setEnabled(control.enabled)

    def _on_activated(self) -> None:
        self.changed.emit(self.currentText(), False)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel scrolls the panel unless the picker has the focus."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()


class TextField(QLineEdit):
    """A field for a text; an empty one removes the session's value."""

    changed = Signal(object, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._last_text = ""
        self.setMinimumWidth(_TEXT)
        self.editingFinished.connect(self._on_finished)

    def show_control(self, control: SettingControl) -> None:
        """Show a value, unless the user is typing."""
        self.setAccessibleName(control.label)
        self.setToolTip(control.help)
        self.setPlaceholderText(control.value_text if not control.value else "")
        self.setEnabled(control.enabled)
        if not (self.hasFocus() and self.isModified()):
            self._last_text = str(control.value or "")
            self.setText(self._last_text)

    def sizeHint(self) -> QSize:
        """Small; it takes the remaining width."""
        return QSize(_TEXT, super().sizeHint().height())

    def _on_finished(self) -> None:
        text = self.text().strip()
        if text != self._last_text:
            self._last_text = text
            self.setModified(False)
            self.changed.emit(text or None, False)


def _set_up(spin: QSpinBox | QDoubleSpinBox) -> None:
    spin.setLocale(QLocale(QLocale.Language.English, QLocale.Country.UnitedStates))
    spin.setKeyboardTracking(False)
    spin.setAlignment(Qt.AlignmentFlag.AlignRight)
    spin.setFont(tabular_feature())
    spin.setFocusPolicy(Qt.FocusPolicy.StrongFocus)


def _describe(spin: QSpinBox | QDoubleSpinBox, control: SettingControl, name: str) -> None:
    spin.setAccessibleName(name)
    spin.setAccessibleDescription(control.help)
    spin.setToolTip(control.help)
    spin.setEnabled(control.enabled)


def _is_typing(spin: QSpinBox | QDoubleSpinBox) -> bool:
    return spin.hasFocus() and spin.lineEdit().isModified()


def _field_size(spin: QSpinBox | QDoubleSpinBox, widest: str) -> QSize:
    spin.ensurePolished()
    return QSize(spin.fontMetrics().horizontalAdvance(widest) + 18, spin.fontMetrics().height() + 8)
