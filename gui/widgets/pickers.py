"""Combo boxes of the toolbar: as wide as their current text, and narrower if space is short."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from PySide6.QtCore import QMargins, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QAction,
    QFont,
    QFontMetrics,
    QKeyEvent,
    QMouseEvent,
    QPaintEvent,
    QPalette,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QAbstractButton,
    QButtonGroup,
    QComboBox,
    QMenu,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from core.common.number_format import abbreviated
from core.presentation.model import PickerChoice
from gui.language import tr
from gui.widgets.text_labels import set_style_property
from gui.widgets.theme import scaled_pixels
from gui.widgets.view_layout import row_of

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
            self._bold_metrics().horizontalAdvance(self.button_text) + self.frame_width
        )
        return self._name_width() + min(
            max(width, 72), scaled_pixels(_MAX_WIDTH, self.font())
        )

    @property
    def button_text(self) -> str:
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
            value = self._bold_metrics().horizontalAdvance(self.button_text)
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
        return self._elide(self.button_text)

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
        option = QStyleOptionComboBox()
        painter = QStylePainter(self)
        self.initStyleOption(option)
        painter.drawComplexControl(QStyle.ComplexControl.CC_ComboBox, option)
        rect = self._text_rect()
        flags = Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft
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
        text = self.button_text
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
    def button_text(self) -> str:
        return self._result_name or self.currentText()

    def showPopup(self) -> None:
        self.opened.emit()


def button_label(choice: PickerChoice, *, is_short: bool) -> str:
    """Return what stands for a choice, in short where it has a short form."""
    if is_short and choice.short:
        return choice.short
    return choice.label


class ScopePicker(Picker):
    """Says "whole", "current" or "before 1" if space is short."""

    @property
    def button_text(self) -> str:
        choice = self._choices.get(self.currentData())
        if choice is None:
            return self.currentText()
        return button_label(choice, is_short=self.is_short)


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
    def button_text(self) -> str:
        choice = self._choices.get(self.currentData())
        if choice is None or not choice.short:
            return _VENDOR_PREFIX.sub("", self.currentText())
        name = _VENDOR_PREFIX.sub("", choice.short)
        limit = self._limit
        if limit is None:
            limit = choice.limit
        joint = " " if self.is_short else " · "
        return f"{name}{joint}{abbreviated(limit)}"


class ProfilePicker(Picker):
    """Its last entry opens the profiles dialog instead of choosing a profile."""

    def __init__(self, name: str, tip: str) -> None:
        super().__init__(name, tip)
        self.current_profile: str | None = None
        self._is_needed = True

    def set_needed(self, is_needed: bool) -> None:
        """Say whether the strategy asks for a summary; otherwise nobody writes one."""
        self._is_needed = is_needed
        self.setEnabled(is_needed)
        self.updateGeometry()
        self.update()

    @property
    def button_text(self) -> str:
        if self._is_needed:
            return super().button_text
        return tr("– · not needed")

    def set_choices(self, choices: Sequence[PickerChoice]) -> None:
        """Offer these profiles and the entry that edits them."""
        super().set_choices(
            [*choices, PickerChoice(EDIT_PROFILES, tr("Edit profiles…"), "")]
        )
        self.insertSeparator(len(choices))
        self.set_value(self.current_profile)

    def set_value(self, value: str | None) -> None:
        """Show the profile that writes, also one that is not among the choices, as it is
        missing."""
        self.current_profile = value
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


# Controls for a choice: buttons side by side of which one is pressed, and a button with a menu.


class _SegmentButton(QPushButton):
    """A segment of a switch, as wide as its text in bold, in which it is painted while it is
    pressed."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setAutoDefault(False)
        self.setCheckable(True)
        self.setProperty("role", "segment")

    def sizeHint(self) -> QSize:
        bold = QFont(self.font())
        text = self.text().replace("&", "")
        bold.setWeight(QFont.Weight.DemiBold)
        extra = QFontMetrics(bold).horizontalAdvance(
            text
        ) - self.fontMetrics().horizontalAdvance(text)
        return super().sizeHint().grownBy(QMargins(0, 0, max(0, extra), 0))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()


def press_one(buttons: Sequence[QAbstractButton], number: int) -> None:
    """Press one of exclusive buttons without a click. Tab reaches it and not the others, as after a
    click: Qt itself changes that only where a button gets the focus."""
    buttons[number].setChecked(True)
    for button in buttons:
        if button.isChecked():
            policy = Qt.FocusPolicy.StrongFocus
        else:
            policy = Qt.FocusPolicy.ClickFocus
        button.setFocusPolicy(policy)


class SegmentedControl(QWidget):
    """Emits ``chosen(place)`` for the user's choice, from 0; the first is pressed initially."""

    chosen = Signal(int)

    def __init__(self, words: Sequence[str], tips: Sequence[str] = ()) -> None:
        super().__init__()
        self._group = QButtonGroup(self)
        for number, text in enumerate(words):
            button = _SegmentButton(text)
            place = "last" if number == len(words) - 1 else ""
            if number == 0:
                place = "first"
            set_style_property(button, "place", place)
            button.setToolTip(tips[number] if tips else "")
            self._group.addButton(button, number)
        self.setLayout(row_of(*self._group.buttons(), gap=0))
        self.show_choice(0)
        self._group.idClicked.connect(self.chosen)

    @property
    def buttons(self) -> tuple[QPushButton, ...]:
        return tuple(
            button
            for button in self._group.buttons()
            if isinstance(button, QPushButton)
        )

    def set_dense(self, is_dense: bool) -> None:
        """Reduce the padding of the words."""
        for button in self.buttons:
            set_style_property(button, "dense", "yes" if is_dense else "")
            button.updateGeometry()  # another padding changes the width
        self.updateGeometry()  # the surrounding layout is updated at once too

    @property
    def choice(self) -> int:
        """The position of the pressed button."""
        return self._group.checkedId()

    def show_choice(self, number: int) -> None:
        """Press a button without emitting."""
        press_one(self._group.buttons(), number)


class _TickMenu(QMenu):
    """A menu that stays open while its choices are ticked, or all are unticked, with the mouse or
    the space bar."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._pressed: QAction | None = None
        # Not the menu's own, which it deletes when it is cleared.
        self.untick_all = QAction(tr("Untick all"), parent)
        self.untick_all.setToolTip(tr("Then tick the few that you want."))

    def _stays_open_for(self, action: QAction | None) -> bool:
        return action is not None and (
            action.isCheckable() or action is self.untick_all
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._pressed = self.actionAt(event.position().toPoint())
        super().mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        action = self.actionAt(event.position().toPoint())
        if action is self._pressed and self._stays_open_for(action):
            action.trigger()
        else:
            super().mouseReleaseEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        action = self.activeAction()
        letter = event.text().casefold()
        if event.key() == Qt.Key.Key_Space and action is not None:
            action.trigger()
        elif letter.isalpha():
            self._go_to(letter)
        else:
            super().keyPressEvent(event)

    def _go_to(self, letter: str) -> None:
        """Go to the next choice that begins with a letter, from the first one on after the last."""
        actions, current = self.actions(), self.activeAction()
        start = actions.index(current) + 1 if current in actions else 0
        for action in (*actions[start:], *actions[:start]):
            if action.isCheckable() and action.text().casefold().startswith(letter):
                self.setActiveAction(action)
                return


class ChoiceButton(QPushButton):
    """Emits ``chosen(values)`` with the new choice: one value, or for ``several`` at least
    ``least``, once their menu is closed."""

    chosen = Signal(object)  # tuple[str, ...]

    def __init__(
        self, text: str, tip: str, *, several: bool = True, least: int = 0
    ) -> None:
        super().__init__(text)
        self.setProperty("role", "small")
        self.setAutoDefault(False)
        self._tip = tip
        self.setToolTip(tip)
        self._several, self.least = several, least
        self._words = (text, text)
        self.choices: tuple[PickerChoice, ...] = ()
        self.values: tuple[str, ...] = ()
        self.stays_ticked: frozenset[str] = frozenset()  # where all are unticked
        self._before: tuple[str, ...] | None = None  # values when the menu was opened
        self._choice_menu = _TickMenu(self) if several else QMenu(self)
        self._choice_menu.setToolTipsVisible(True)
        self._choice_menu.aboutToHide.connect(self._on_menu_closed)
        self._choice_menu.triggered.connect(self._on_triggered)
        self.setMenu(self._choice_menu)

    def show_words(self, text: str, short: str) -> None:
        """Show a text, or the short one where there is no room for it."""
        self._words = (text, short)
        self.setAccessibleName(text)
        self.setToolTip("\n".join((text, self._tip)))
        self._fit_words()
        self.updateGeometry()

    def _width_with(self, text: str) -> int:
        advance = self.fontMetrics().horizontalAdvance
        return super().sizeHint().width() - advance(self.text()) + advance(text)

    def _fit_words(self) -> None:
        text, short = self._words
        fitting = text if self.width() >= self._width_with(text) else short
        if fitting != self.text():
            self.setText(fitting)

    def sizeHint(self) -> QSize:
        return QSize(self._width_with(self._words[0]), super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        return QSize(
            self._width_with(self._words[1]), super().minimumSizeHint().height()
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_words()

    def show_choices(
        self, choices: Sequence[PickerChoice], values: Sequence[str]
    ) -> None:
        """Offer these choices, grouped under headings; ``values`` are checked. Hidden without
        choices."""
        self.setVisible(bool(choices))
        is_shown = (tuple(choices), tuple(values)) == (self.choices, self.values)
        if is_shown or self._before is not None:
            return
        self.choices = tuple(choices)
        self.values = tuple(values)
        self._choice_menu.clear()
        if isinstance(self._choice_menu, _TickMenu) and choices:
            self._choice_menu.addAction(self._choice_menu.untick_all)
            if not choices[0].group:  # a heading brings a line of its own
                self._choice_menu.addSeparator()
        group = ""
        for choice in choices:
            if choice.group != group:
                group = choice.group
                self._choice_menu.addSection(group)
            action = self._choice_menu.addAction(choice.label)
            action.setCheckable(True)
            action.setChecked(choice.value in self.values)
            action.setData(choice.value)
            action.setToolTip(choice.hint)

    @property
    def label(self) -> str:
        """The label of the first checked choice."""
        return next(
            (choice.label for choice in self.choices if choice.value in self.values), ""
        )

    def _on_triggered(self, action: QAction) -> None:
        value = str(action.data())
        if not self._several:
            self.chosen.emit((value,))
            return
        if not action.isCheckable():
            self._untick_all()
            return
        values = [other for other in self.values if other != value]
        if value not in self.values:
            values.append(value)
        if len(values) < self.least <= len(self.values):
            action.setChecked(True)
            return
        self._take(values)

    def _untick_all(self) -> None:
        """Leave none ticked, for a few to be ticked; too few of them change nothing in the end."""
        for action in self._choice_menu.actions():
            if action.isCheckable() and action.data() not in self.stays_ticked:
                action.setChecked(False)
        self._take([one for one in self.values if one in self.stays_ticked])

    def _take(self, values: Sequence[str]) -> None:
        if self._choice_menu.isVisible():
            if self._before is None:
                self._before = self.values
            self.values = tuple(values)
        elif len(values) >= self.least:
            self.chosen.emit(tuple(values))

    def _on_menu_closed(self) -> None:
        before, self._before = self._before, None
        if before is None:
            return
        if len(self.values) >= self.least:
            self.chosen.emit(self.values)
            return
        self.values = before
        for action in self._choice_menu.actions():
            action.setChecked(action.data() in before)
