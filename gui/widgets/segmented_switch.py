"""Controls for a choice: buttons side by side of which one is pressed, and a button with a menu."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QMargins, QSize, Qt, Signal
from PySide6.QtGui import QAction, QFont, QFontMetrics, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QButtonGroup, QMenu, QPushButton, QWidget

from core.presentation.model import PickerChoice
from gui.widgets.text_labels import set_style_property
from gui.widgets.view_layout import row_of


class _SegmentButton(QPushButton):
    """A segment of a switch, as wide as its text in bold, in which it is painted while it is
    pressed."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.setAutoDefault(False)
        self.setCheckable(True)
        self.setProperty("role", "segment")

    def sizeHint(self) -> QSize:
        bold, text = QFont(self.font()), self.text().replace("&", "")
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


class ChoiceButton(QPushButton):
    """Emits ``chosen(values)`` with the new choice: one value, or for ``several`` at least
    ``least``."""

    chosen = Signal(object)  # tuple[str, ...]

    def __init__(
        self, text: str, tip: str, *, several: bool = True, least: int = 0
    ) -> None:
        super().__init__(text)
        self.setProperty("role", "small")
        self.setAutoDefault(False)
        self._tip = tip
        self.setToolTip(tip)
        self._several, self._least = several, least
        self._words = (text, text)
        self.choices: tuple[PickerChoice, ...] = ()
        self.values: tuple[str, ...] = ()
        self._choice_menu = QMenu(self)
        self._choice_menu.setToolTipsVisible(True)
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
        if (tuple(choices), tuple(values)) == (self.choices, self.values):
            return
        self.choices, self.values = tuple(choices), tuple(values)
        self._choice_menu.clear()
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
        values = [other for other in self.values if other != value]
        if value not in self.values:
            values.append(value)
        if len(values) >= self._least:
            self.chosen.emit(tuple(values))
        else:
            action.setChecked(True)
