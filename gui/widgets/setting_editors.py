"""Editors for the values of settings.

An editor emits only the user's changes, as ``changed(value, provisional)``. Values are those of the
setting: fractions, not percents. None removes the session's value.
"""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import (
    QEvent,
    QLocale,
    QRect,
    QSignalBlocker,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import (
    QFontMetrics,
    QKeyEvent,
    QKeySequence,
    QPainter,
    QResizeEvent,
    QValidator,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QCheckBox,
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QSizePolicy,
    QSlider,
    QSpinBox,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionButton,
    QStyleOptionViewItem,
    QWidget,
)

from core.presentation.model import SettingControl
from core.settings.schema import aim_value, share_of_aim, token_count
from gui.language import tr
from gui.widgets.events import Index
from gui.widgets.text_labels import tabular_feature
from gui.widgets.theme import current_theme

SESSION_LAYER = "session"
"""The layer whose values Reset removes."""
LAYER_WORDS = {
    SESSION_LAYER: "changed here",
    "project": "project file",
    "saved": "my default",
    "default": "built in",
}
NO_VALUE = "–"
_MAX_VALUE = 2_000_000_000


def _describe(editor: QWidget, control: SettingControl, name: str) -> None:
    editor.setAccessibleName(name)
    editor.setAccessibleDescription(control.help)
    editor.setToolTip(control.help)


class FractionSlider(QSlider):
    """A slider over a fraction. Emits provisional values while it is dragged, the value on release
    or by key."""

    changed = Signal(object, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self._minimum, self._step, self._whole = 0.0, 0.01, 0
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
            self._minimum = control.bounds.low
            self._step = control.bounds.step or 0.01
            self._whole = control.bounds.whole
            self.setRange(
                0,
                max(1, round((control.bounds.high - control.bounds.low) / self._step)),
            )
            self.setPageStep(max(1, self.maximum() // 20))
            self.show_number(cast(float | None, control.value))

    def show_number(self, number: float | None) -> None:
        """Move to a fraction, or to a number of tokens, without emitting."""
        if not self.isSliderDown():
            share = share_of_aim(number or 0.0, self._whole)
            with QSignalBlocker(self):
                self.setValue(round((share - self._minimum) / self._step))

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


_WHOLE_SHARE = (
    100.0  # the field of an aim shows a share up to it in percent, tokens above it
)
_TOKEN_STEP = 1_000
_AIM_TIP = "Tokens or percent: 20k, 20,000 or 10 %."


class NumberField(QDoubleSpinBox):
    """A field for a fraction in percent, for an aim in percent or tokens, or for a whole number
    ("20k", "20,000"); a dash if there is no value."""

    changed = Signal(object, bool)

    def __init__(self, parent: QWidget, *, is_fraction: bool) -> None:
        super().__init__(parent)
        self._factor = 100.0 if is_fraction else 1.0
        self._takes_tokens = False
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
        if self.is_fraction:
            name = tr("{label}, percent").format(label=control.label)
        else:
            name = control.label
        _describe(self, control, name)
        number = cast(float | None, control.value)
        self._takes_tokens = control.bounds.takes_tokens
        if self._takes_tokens:
            self.setSuffix("")  # what is typed says its unit itself
            self.setToolTip(f"{self.toolTip()}\n{tr(_AIM_TIP)}".strip())
        with QSignalBlocker(self):
            self.setSingleStep(
                control.bounds.step * self._factor
                if self.is_fraction
                else max(1, control.bounds.step)
            )
            low = max(-_MAX_VALUE, control.bounds.low * self._factor) - (number is None)
            high = (
                _MAX_VALUE if self._takes_tokens else control.bounds.high * self._factor
            )
            self.setRange(low, min(_MAX_VALUE, high))
            special = "" if number else control.value_text
            self.setSpecialValueText(NO_VALUE if number is None else special)
        self.show_number(number)
        self.updateGeometry()

    def show_number(self, number: float | None) -> None:
        """Show a number without emitting."""
        if not (self.hasFocus() and self.lineEdit().isModified()):
            with QSignalBlocker(self):
                self.setValue(self.minimum() if number is None else self._shown(number))

    def _shown(self, number: float) -> float:
        is_tokens = self._takes_tokens and number > 1
        if is_tokens:
            return number
        return number * self._factor

    def textFromValue(self, value: float) -> str:
        if not self.is_fraction:
            return super().textFromValue(value)
        if self._takes_tokens and value > _WHOLE_SHARE:
            return f"{value:,.0f}"
        text = f"{value:.1f}".removesuffix(".0")
        if self._takes_tokens:
            return f"{text} %"
        return text

    def _typed(self, text: str) -> float | None:
        """Return the value of a size as it is typed, None for what the field itself reads."""
        if self._takes_tokens:
            aim = aim_value(text)
            if aim is None:
                return None
            return self._shown(aim)
        if self.is_fraction:
            return None
        return token_count(text)

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        """Sizes are also typed as "20k"."""
        typed = self._typed(text)
        if typed is not None and self.minimum() <= typed <= self.maximum():
            return QValidator.State.Acceptable, text, position
        if self._takes_tokens:
            return QValidator.State.Intermediate, text, position
        return super().validate(text, position)

    def valueFromText(self, text: str) -> float:
        typed = self._typed(text)
        if typed is None:
            return super().valueFromText(text)
        return typed

    def stepBy(self, steps: int) -> None:
        """A share stays one: no step leads from 100 % to a few tokens, or back."""
        if not self._takes_tokens:
            super().stepBy(steps)
        elif self.value() > _WHOLE_SHARE:
            self.setValue(max(_TOKEN_STEP, self.value() + steps * _TOKEN_STEP))
        else:
            self.setValue(min(_WHOLE_SHARE, self.value() + steps * self.singleStep()))

    def _on_value(self, value: float) -> None:
        is_none = self.specialValueText() == NO_VALUE and value <= self.minimum()
        number: float = round(value)
        if self._takes_tokens and value > _WHOLE_SHARE:
            number = float(number)
        elif self.is_fraction:
            number = round(value / self._factor, 6)
        self.changed.emit(None if is_none else number, False)

    def event(self, event: QEvent) -> bool:
        """Leave Ctrl Z to the window once the number is taken over."""
        is_undo = isinstance(event, QKeyEvent) and event.matches(
            QKeySequence.StandardKey.Undo
        )
        if (
            is_undo
            and event.type() == QEvent.Type.ShortcutOverride
            and not self.lineEdit().isModified()
        ):
            event.ignore()
            return False
        return super().event(event)

    def sizeHint(self) -> QSize:
        """Wide enough for the value, and for six figures if it may have as many."""
        if self.is_fraction:
            widest = ""
        else:
            widest = self.textFromValue(max(self.value(), min(self.maximum(), 999_999)))
        self.ensurePolished()
        width = self.fontMetrics().horizontalAdvance(max(widest, "20.4 %", key=len))
        return QSize(width + 18, self.fontMetrics().height() + 8)

    minimumSizeHint = sizeHint

    def wheelEvent(self, event: QWheelEvent) -> None:
        """The wheel scrolls the panel unless the editor has the focus."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()


class TokenBox(QSpinBox):
    """A field for a number of tokens, which may be typed as "20k"."""

    def validate(self, text: str, position: int) -> tuple[QValidator.State, str, int]:
        count = token_count(text)
        if count is not None and self.minimum() <= count <= self.maximum():
            return QValidator.State.Acceptable, text, position
        return super().validate(text, position)

    def valueFromText(self, text: str) -> int:
        count = token_count(text)
        if count is None:
            return super().valueFromText(text)
        return count


class FlagCheckBox(QCheckBox):
    changed = Signal(object, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._label = ""
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.clicked.connect(self._on_clicked)

    def show_control(self, control: SettingControl) -> None:
        _describe(self, control, control.label)
        self.setToolTip(f"{control.label}: {control.help}")
        self._label = control.label
        self._fit()
        self.setChecked(bool(control.value))

    def _fit(self) -> None:
        """Elide the label where the row is too narrow for it; the tooltip has all of it."""
        option = QStyleOptionButton()
        self.initStyleOption(option)
        contents = self.style().subElementRect(
            QStyle.SubElement.SE_CheckBoxContents, option, self
        )
        elide = Qt.TextElideMode.ElideRight
        self.setText(
            self.fontMetrics().elidedText(self._label, elide, contents.width())
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _on_clicked(self, checked: bool) -> None:
        self.changed.emit(checked, False)


class _HintDelegate(QStyledItemDelegate):
    """Paints beside each choice what it does."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: Index
    ) -> None:
        super().paint(painter, option, index)
        rect: QRect = option.rect
        metrics = QFontMetrics(painter.font())
        box = rect.adjusted(_NAME_LETTERS * metrics.averageCharWidth(), 0, -6, 0)
        text = metrics.elidedText(
            str(index.data(HINT_ROLE) or ""), Qt.TextElideMode.ElideRight, box.width()
        )
        painter.save()
        painter.setPen(current_theme().text2)
        painter.drawText(
            box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, text
        )
        painter.restore()


HINT_ROLE = Qt.ItemDataRole.ToolTipRole
_NAME_LETTERS, _LIST_LETTERS = 28, 110
"""Average characters of the names of choices, and of a whole line with what they do."""


class ChoiceComboBox(QComboBox):
    changed = Signal(object, bool)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumContentsLength(6)
        self.setSizeAdjustPolicy(
            QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon
        )
        self.activated.connect(self._on_activated)

    def show_control(self, control: SettingControl) -> None:
        if [self.itemText(number) for number in range(self.count())] != list(
            control.choices
        ):
            self.clear()
            self.addItems(list(control.choices))
            self._show_hints(control.choice_hints)
        self.setCurrentIndex(self.findText(str(control.value)))
        self.setPlaceholderText(control.value_text)  # of a program, which is no choice
        _describe(self, control, control.label)

    def _show_hints(self, hints: tuple[str, ...]) -> None:
        for row, hint in enumerate(hints):
            self.setItemData(row, hint, HINT_ROLE)
        if hints:
            self.setItemDelegate(_HintDelegate(self))
            self.view().setMinimumWidth(
                _LIST_LETTERS * self.fontMetrics().averageCharWidth()
            )

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


def field_of(
    kind: str, parent: QWidget
) -> NumberField | FlagCheckBox | ChoiceComboBox | TextField | None:
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
