"""Combo boxes of the toolbar: as wide as what is chosen, and narrower together where there is no room."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QComboBox, QSizePolicy, QStyle, QStyleOptionComboBox, QStylePainter

from core.presentation.model import PickerChoice
from gui.language import tr
from gui.widgets.theme import scaled_pixels

EDIT_PROFILES = ""
"""The value of the entry that opens the profiles dialog; no profile is called so."""
_LEAST = 56
"""Pixels that a picker keeps."""
_WIDEST = 260
_ROUND = 48
"""Pixels of a picker that are not its text: frame, air and arrow."""
_VENDOR = re.compile(r"^(?:[\w.-]+/)*(?:claude-)?")
"""What stands before the name that tells models of one vendor apart: "claude-" of "claude-sonnet-4-5"."""


class Picker(QComboBox):
    """A combo box as wide as its current text; emits ``picked(value)`` for a person's choice only.

    Text without room ends in an ellipsis and stands in the tooltip.
    """

    picked = Signal(str)

    def __init__(self, name: str, tip: str) -> None:
        super().__init__()
        self._tip, self._given_up = tip, 0
        self.setToolTip(tip)
        self.setAccessibleName(name)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)
        self.activated.connect(self._on_activated)
        self.currentIndexChanged.connect(self.updateGeometry)

    def set_choices(self, choices: Sequence[PickerChoice]) -> None:
        """Offer these; the current value stays if it is still among them."""
        value = self.currentData()
        self.blockSignals(True)
        self.clear()
        group = choices[0].group if choices else ""
        for choice in choices:
            if choice.group != group:
                self.insertSeparator(self.count())
                group = choice.group
            self.addItem(choice.label, choice.value)
            self.setItemData(self.count() - 1, choice.hint, Qt.ItemDataRole.ToolTipRole)
        self.blockSignals(False)
        self.set_value(value)
        metrics = QFontMetrics(self.font())
        widest = max((metrics.horizontalAdvance(choice.label) for choice in choices), default=0)
        self.view().setMinimumWidth(widest + 40)

    def set_value(self, value: str | None) -> None:
        """Show a value; one that is not among the choices leaves the picker blank."""
        self.setCurrentIndex(self.findData(value))
        self.updateGeometry()
        self._tell()

    def offered(self, kind: str) -> ChoiceSource:
        """What it offers, as rows for the command bar."""
        tip = Qt.ItemDataRole.ToolTipRole
        choices = [
            PickerChoice(self.itemData(row), self.itemText(row), self.itemData(row, tip) or "")
            for row in range(self.count())
            if self.itemData(row)  # a line has none, and no more has what opens a dialog
        ]
        return ChoiceSource(kind, self.accessibleName(), tuple(choices), self.currentData())

    def give_up(self, pixels: int) -> int:
        """Ask for less than the text takes by up to ``pixels``; returns how many are still missing."""
        given = max(0, min(pixels, self._wanted() - _LEAST))
        if given != self._given_up:
            self._given_up = given
            self.updateGeometry()
        return pixels - given

    def _wanted(self) -> int:
        width = QFontMetrics(self.font()).horizontalAdvance(self.currentText()) + _ROUND
        return min(max(width, 72), scaled_pixels(_WIDEST, self.font()))

    def sizeHint(self) -> QSize:
        return QSize(self._wanted() - self._given_up, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(min(_LEAST, self.sizeHint().width()), self.sizeHint().height())

    def shown_text(self) -> str:
        """The current text, as much of it as there is room for."""
        return self._cut(self.currentText())

    def _cut(self, text: str) -> str:
        option = QStyleOptionComboBox()
        self.initStyleOption(option)
        part = QStyle.SubControl.SC_ComboBoxEditField
        room = self.style().subControlRect(QStyle.ComplexControl.CC_ComboBox, option, part, self).width()
        return self.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, room - 2)

    def paintEvent(self, event: QPaintEvent) -> None:
        option, painter = QStyleOptionComboBox(), QStylePainter(self)
        self.initStyleOption(option)
        option.currentText = self.shown_text()
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        painter.drawControl(QStyle.ControlElement.CE_ComboBoxLabel, option)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._tell()

    def _tell(self) -> None:
        text = self.currentText()
        self.setToolTip(self._tip if self.shown_text() == text else f"{text}\n{self._tip}")

    def _on_activated(self, index: int) -> None:
        self.picked.emit(self.itemData(index))


class ModelPicker(Picker):
    """Where a model's name has no room, it goes without its vendor (ui.md section 10)."""

    def shown_text(self) -> str:
        """The name, or what of it tells it from others of its vendor."""
        text, shown = self.currentText(), super().shown_text()
        return shown if shown == text else self._cut(_VENDOR.sub("", text))


class ProfilePicker(Picker):
    """Its last entry opens the profiles dialog instead of choosing a profile."""

    def __init__(self, name: str, tip: str) -> None:
        super().__init__(name, tip)
        self.shown: str | None = None

    def set_choices(self, choices: Sequence[PickerChoice]) -> None:
        """Offer these profiles, and to edit them."""
        super().set_choices([*choices, PickerChoice(EDIT_PROFILES, tr("Edit profiles…"), "")])
        self.insertSeparator(len(choices))
        self.set_value(self.shown)

    def set_value(self, value: str | None) -> None:
        """Show the active profile, also one that is not among the choices yet."""
        self.shown = value
        if value and self.findData(value) < 0:
            self.insertItem(0, value, value)
        if value:
            super().set_value(value)
        else:
            self.setCurrentIndex(-1)


def share_out(missing: int, pickers: Sequence[Picker]) -> None:
    """Let the widest pickers give up first, so that each keeps as much of its text as any other."""
    for picker in pickers:
        picker.give_up(0)
    widths = [one.sizeHint().width() for one in pickers]
    level = max(widths)
    while level > 0 and sum(max(0, width - level) for width in widths) < missing:
        level -= 1
    for picker, width in zip(pickers, widths, strict=True):
        picker.give_up(max(0, width - level))


@dataclass(frozen=True, slots=True)
class ChoiceSource:
    """What can be chosen elsewhere in the window: which choice it is ("strategy"), its name there
    ("Strategy"), and the value that holds now."""

    kind: str
    name: str
    choices: tuple[PickerChoice, ...]
    current: str | None
