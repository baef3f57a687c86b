"""Combo boxes of the toolbar: as wide as their current text, and narrower if space is short."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
)

from core.common.number_format import abbreviated
from core.presentation.model import PickerChoice
from gui.language import tr
from gui.widgets.theme import scaled_pixels

EDIT_PROFILES = ""
"""The value of the entry that opens the profiles dialog; no profile has this name."""
_MIN_WIDTH = 56
"""The least width of a picker in pixels."""
_MAX_WIDTH = 260
_FRAME_WIDTH = 48
"""Pixels of a picker besides its text: frame, padding and arrow."""
_VENDOR_PREFIX = re.compile(r"^(?:[\w.-]+/)*(?:claude-)?")
"""The part of a model's name that all models of a vendor share: "claude-" of
"claude-sonnet-4-5"."""


class Picker(QComboBox):
    """A combo box as wide as its current text; emits ``picked(value)`` for the user's choices only.

    Text that does not fit is elided and shown in the tooltip.
    """

    picked = Signal(str)

    def __init__(self, name: str, tip: str) -> None:
        super().__init__()
        self._tip, self._given_up_pixels = tip, 0
        self._choices: dict[str, PickerChoice] = {}
        self.shows_name = False  # in front of the value
        self.is_bold, self.is_short = True, False  # how the value is shown
        self.frame_width = _FRAME_WIDTH
        self.fixed_width = (
            0  # pixels for a body of 13, whatever the value; 0: as wide as the value
        )
        self.setToolTip(tip)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.activated.connect(self._on_activated)
        self.currentIndexChanged.connect(self.updateGeometry)

    def set_choices(self, choices: Sequence[PickerChoice]) -> None:
        """Offer these choices; the current value stays if it is among them."""
        value = self.currentData()
        self._choices = {choice.value: choice for choice in choices}
        self.blockSignals(True)
        self.clear()
        if choices:
            group = choices[0].group
        else:
            group = ""
        for choice in choices:
            if choice.group != group:
                self.insertSeparator(self.count())
                group = choice.group
            self.addItem(choice.label, choice.value)
            self.setItemData(self.count() - 1, choice.hint, Qt.ItemDataRole.ToolTipRole)
        self.blockSignals(False)
        self.set_value(value)
        metrics = QFontMetrics(self.font())
        widest = max(
            (metrics.horizontalAdvance(choice.label) for choice in choices), default=0
        )
        self.view().setMinimumWidth(widest + 40)

    def set_value(self, value: str | None) -> None:
        """Show a value; an unknown one leaves the picker blank."""
        self.setCurrentIndex(self.findData(value))
        self.updateGeometry()
        self._update_tip()

    def choice_source(self, kind: str) -> ChoiceSource:
        """Return the choices as rows for the command bar."""
        tip = Qt.ItemDataRole.ToolTipRole
        choices = [
            PickerChoice(
                self.itemData(row), self.itemText(row), self.itemData(row, tip) or ""
            )
            for row in range(self.count())
            if self.itemData(
                row
            )  # separators have no value, and the entry that opens a dialog an empty one
        ]
        return ChoiceSource(
            kind, self.accessibleName(), tuple(choices), self.currentData()
        )

    def give_up_width(self, pixels: int) -> int:
        """Give up at most ``pixels`` of the preferred width; return how many are still missing."""
        given_up = max(0, min(pixels, self._preferred_width() - _MIN_WIDTH))
        if given_up != self._given_up_pixels:
            self._given_up_pixels = given_up
            self.updateGeometry()
        return pixels - given_up

    def _preferred_width(self) -> int:
        if self.fixed_width:
            return scaled_pixels(self.fixed_width, self.font())
        width = (
            self._bold_metrics().horizontalAdvance(self.shown_text) + self.frame_width
        )
        return self._name_width() + min(
            max(width, 72), scaled_pixels(_MAX_WIDTH, self.font())
        )

    @property
    def shown_text(self) -> str:
        """The text of the value."""
        return self.currentText()

    def _bold_metrics(self) -> QFontMetrics:
        """The metrics in which the value is painted, and so has to be measured."""
        font = self.font()
        font.setBold(self.is_bold)
        return QFontMetrics(font)

    def _name_width(self) -> int:
        """Return the room of the name, 0 where name and value do not fit side by side."""
        if self.shows_name:
            name = self.fontMetrics().horizontalAdvance(f"{self.accessibleName()} ")
        else:
            name = 0
        if self.fixed_width:
            value = self._bold_metrics().horizontalAdvance(self.shown_text)
        else:
            value = 0
        return name if not value or name + value <= self._text_rect().width() - 2 else 0

    def sizeHint(self) -> QSize:
        return QSize(
            self._preferred_width() - self._given_up_pixels, super().sizeHint().height()
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(min(_MIN_WIDTH, self.sizeHint().width()), self.sizeHint().height())

    def elided_text(self) -> str:
        """The current text, elided to the available width."""
        return self._elide(self.shown_text)

    def _elide(self, text: str) -> str:
        available = self._text_rect().width() - self._name_width()
        return self._bold_metrics().elidedText(
            text, Qt.TextElideMode.ElideRight, available - 2
        )

    def _text_rect(self) -> QRect:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        field = QStyle.SubControl.SC_ComboBoxEditField
        return self.style().subControlRect(
            QStyle.ComplexControl.CC_ComboBox, option, field, self
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the name, and the value in bold."""
        option, painter = QStyleOptionComboBox(), QStylePainter(self)
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        rect, flags = (
            self._text_rect(),
            Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
        )
        painter.setPen(self.palette().color(QPalette.ColorRole.Text))
        if self._name_width():
            painter.drawText(rect, flags, self.accessibleName())
        font = self.font()
        font.setBold(self.is_bold)
        painter.setFont(font)
        painter.drawText(
            rect.adjusted(self._name_width(), 0, 0, 0), flags, self.elided_text()
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_tip()

    def set_tip(self, tip: str) -> None:
        self._tip = tip
        self._update_tip()

    def _update_tip(self) -> None:
        text = self.shown_text
        self.setToolTip(
            self._tip if self.elided_text() == text else f"{text}\n{self._tip}"
        )

    def _on_activated(self, index: int) -> None:
        self.picked.emit(self.itemData(index))


class StrategyPicker(Picker):
    """Opens its own popup instead of a list."""

    opened = Signal()

    def __init__(self, name: str, tip: str) -> None:
        super().__init__(name, tip)
        self._result_name = ""

    def show_result_name(self, name: str) -> None:
        """Show what the result is that another program made; "" shows the strategy."""
        self._result_name = name
        self.update()

    @property
    def shown_text(self) -> str:
        return self._result_name or self.currentText()

    def showPopup(self) -> None:
        self.opened.emit()


def shown_label(choice: PickerChoice, *, is_short: bool) -> str:
    """Return what stands for a choice, in short where it has a short form."""
    if is_short and choice.short:
        return choice.short
    return choice.label


class ScopePicker(Picker):
    """Says "whole", "current" or "before 1" if space is short."""

    @property
    def shown_text(self) -> str:
        choice = self._choices.get(self.currentData())
        if choice is None:
            return self.currentText()
        return shown_label(choice, is_short=self.is_short)


class ModelPicker(Picker):
    """Shows the limit that counts behind the model; drops the vendor from its name if space is
    short."""

    def __init__(self, name: str, tip: str) -> None:
        super().__init__(name, tip)
        self._limit: int | None = None

    def set_limit(self, limit: int | None) -> None:
        """Take the limit that counts, in tokens: a setting may have another than the model."""
        if limit != self._limit:
            self._limit = limit
            self._update_tip()
            self.updateGeometry()
            self.update()

    @property
    def shown_text(self) -> str:
        choice = self._choices.get(self.currentData())
        if choice is None or not choice.short:
            return _VENDOR_PREFIX.sub("", self.currentText())
        name, limit = _VENDOR_PREFIX.sub("", choice.short), self._limit
        if limit is None:
            limit = choice.limit
        joint = " " if self.is_short else " · "
        return f"{name}{joint}{abbreviated(limit)}"


class ProfilePicker(Picker):
    """Its last entry opens the profiles dialog instead of choosing a profile."""

    def __init__(self, name: str, tip: str) -> None:
        super().__init__(name, tip)
        self.shown_profile: str | None = None
        self._is_needed = True

    def set_needed(self, is_needed: bool) -> None:
        """Say whether the strategy asks for a summary; otherwise nobody writes one."""
        self._is_needed = is_needed
        self.setEnabled(is_needed)
        self.updateGeometry()
        self.update()

    @property
    def shown_text(self) -> str:
        if self._is_needed:
            return super().shown_text
        return tr("– · not needed")

    def set_choices(self, choices: Sequence[PickerChoice]) -> None:
        """Offer these profiles and the entry that edits them."""
        super().set_choices(
            [*choices, PickerChoice(EDIT_PROFILES, tr("Edit profiles…"), "")]
        )
        self.insertSeparator(len(choices))
        self.set_value(self.shown_profile)

    def set_value(self, value: str | None) -> None:
        """Show the profile that writes, also one that is not among the choices, as it is
        missing."""
        self.shown_profile = value
        if value and self.findData(value) < 0:
            self.insertItem(0, value, value)
        if value:
            super().set_value(value)
        else:
            self.setCurrentIndex(-1)


def shrink_pickers(missing: int, pickers: Sequence[Picker]) -> None:
    """Shrink the widest pickers first, so that each keeps as much of its text as the others."""
    for picker in pickers:
        picker.give_up_width(0)
    widths = [picker_item.sizeHint().width() for picker_item in pickers]
    max_width = max(widths)
    while (
        max_width > 0 and sum(max(0, width - max_width) for width in widths) < missing
    ):
        max_width -= 1
    for picker, width in zip(pickers, widths, strict=True):
        picker.give_up_width(max(0, width - max_width))


@dataclass(frozen=True, slots=True)
class ChoiceSource:
    """What can be chosen elsewhere in the window: which choice it is ("strategy"), its name there
    ("Strategy"), and the value that holds now."""

    kind: str
    name: str
    choices: tuple[PickerChoice, ...]
    current: str | None
