"""The toolbar, read from left to right as one sentence: open, what, how, for which model, compact."""

from __future__ import annotations

import re
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetrics, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QStyle,
    QStyleOptionComboBox,
    QStylePainter,
    QWidget,
)

from core.view.opened_values import Opened
from core.view.phrases import phrase
from core.view.settings_values import ProfilesPage
from core.view.values import Choice, Screen
from gui.actions import Actions
from gui.command_bar.offers import Picks
from gui.language import tr
from gui.parts import button, label
from gui.theme import Theme, scaled
from gui.toned import BUTTON_ICON, button_icon
from gui.view_switch import ViewSwitch

NARROW = 1400
"""Below this many pixels the labels of the pickers go; their tooltips stay."""
_TIGHT = 1000
"""Below this many pixels Sessions is in the menu only, and where the rest needs its room."""
_GIVES = 32
"""Pixels that all pickers together can spare without cutting a text: half of the room round it."""
_LEAST = 56
"""Pixels that a picker keeps."""
_KEEPS = 96
"""Pixels below which a picker says nothing; Export and Open, which are menu entries too, go first."""
_WIDEST = 260
_ROUND = 48
"""Pixels of a picker that are not its text: frame, air and arrow."""
COMPACT = phrase("Compact")
"""The button's word; the price of a paid call stands behind it."""
_VENDOR = re.compile(r"^(?:[\w.-]+/)*(?:claude-)?")
"""What stands before the name that tells models of one vendor apart: "claude-" of "claude-sonnet-4-5"."""
EDIT_PROFILES = ""
"""The value of the entry that opens the profiles dialog; no profile is called so."""


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

    def set_choices(self, choices: Sequence[Choice]) -> None:
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

    def offered(self, kind: str) -> Picks:
        """What it offers, as rows for the command bar."""
        tip = Qt.ItemDataRole.ToolTipRole
        choices = [
            Choice(self.itemData(row), self.itemText(row), self.itemData(row, tip) or "")
            for row in range(self.count())
            if self.itemData(row)  # a line has none, and no more has what opens a dialog
        ]
        return Picks(kind, self.accessibleName(), tuple(choices), self.currentData())

    def give_up(self, pixels: int) -> int:
        """Ask for less than the text takes by up to ``pixels``; returns how many are still missing."""
        given = max(0, min(pixels, self._wanted() - _LEAST))
        if given != self._given_up:
            self._given_up = given
            self.updateGeometry()
        return pixels - given

    def _wanted(self) -> int:
        width = QFontMetrics(self.font()).horizontalAdvance(self.currentText()) + _ROUND
        return min(max(width, 72), scaled(_WIDEST, self.font()))

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

    def set_choices(self, choices: Sequence[Choice]) -> None:
        """Offer these profiles, and to edit them."""
        super().set_choices([*choices, Choice(EDIT_PROFILES, tr("Edit profiles…"), "")])
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


class Toolbar(QFrame):
    """Open, Sessions | Scope, Strategy, Profile, Model | Compact || views | Export, Ctrl K."""

    profile_picked = Signal(str)
    profiles_requested = Signal()

    def __init__(self, actions: Actions) -> None:
        super().__init__()
        self.setProperty("role", "head")
        self._labels: list[QLabel] = []
        self._buttons: list[tuple[QPushButton, str]] = []
        self._of_file: list[QWidget] = []
        self.scope = Picker(tr("Scope"), tr("Scope: which part of the transcript is the history"))
        self.strategy = Picker(tr("Strategy"), tr("Strategy: how the history is made shorter"))
        self.model = ModelPicker(tr("Model"), tr("Model: whose context limit counts"))
        self.profile = ProfilePicker(
            tr("Profile"), tr("Profile: the model that writes summaries, and its settings")
        )
        self.profile.picked.connect(self._on_profile)
        self._actions = actions
        self._is_open = False
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._fit)
        self._command = button("Ctrl K", "small")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(8, 6, 8, 5)
        self._row.setSpacing(8)
        self._lay_out()
        self.set_open(False)

    def _lay_out(self) -> None:
        self._opens = self._add_button("open", tr("Open…"), "open")
        self._sessions = self._add_button("sessions", tr("Sessions"), "")
        for text, one in (
            (tr("Scope"), self.scope),
            (tr("Strategy"), self.strategy),
            (tr("Profile"), self.profile),
            (tr("Model"), self.model),
        ):
            name = label(text, "secondary")
            name.setBuddy(one)
            self._labels.append(name)
            self._of_file.append(one)
            self._row.addWidget(name)
            self._row.addWidget(one)
        self._row.addSpacing(4)
        self._compact = self._add_button("compact", tr(COMPACT), "play", "primary")
        self._of_file.append(self._compact)
        self._row.addStretch(1)
        self.switch = ViewSwitch(self._actions)
        self._of_file.append(self.switch)
        self._row.addWidget(self.switch)
        self._row.addSpacing(4)
        self._export = self._add_button("export", tr("Export…"), "export")
        self._of_file.append(self._export)
        self._words = {one: one.text() for one in (self._export, self._opens)}
        for worded, words in self._words.items():
            worded.setAccessibleName(words)
        action = self._actions["command"]
        self._command.setToolTip(self._actions.tip("command"))
        self._command.clicked.connect(action.trigger)
        self._row.addWidget(self._command)

    def _add_button(self, id: str, text: str, glyph: str, role: str = "") -> QPushButton:
        result = button(text, role)
        action = self._actions[id]
        result.setToolTip(self._actions.tip(id))
        result.clicked.connect(action.trigger)
        action.enabledChanged.connect(result.setEnabled)
        result.setEnabled(action.isEnabled())
        if glyph:
            self._buttons.append((result, glyph))
        self._row.addWidget(result)
        return result

    def picks(self) -> tuple[Picks, ...]:
        """What the pickers offer now, for the command bar."""
        return tuple(one.offered(kind) for kind, one in self._pickers().items()) if self._is_open else ()

    def pick(self, kind: str, value: str) -> None:
        """Choose as in a picker, by its kind in ``picks``."""
        self._pickers()[kind].picked.emit(value)

    def _pickers(self) -> dict[str, Picker]:
        return {
            "strategy": self.strategy,
            "scope": self.scope,
            "profile": self.profile,
            "model": self.model,
        }

    def set_theme(self, theme: Theme) -> None:
        """Draw the glyphs in a theme's colours."""
        for one, name in self._buttons:
            primary = one.property("role") == "primary"
            colour = theme.on_accent if primary else theme.text
            one.setIcon(button_icon(name, colour, theme.text3))
            one.setIconSize(BUTTON_ICON)

    def set_open(self, is_open: bool) -> None:
        """Show what speaks of a file, or only Open."""
        self._is_open = is_open
        for one in self._of_file:
            one.setVisible(is_open)
        self._soon.start()  # with all else that changes now

    def show_opened(self, opened: Opened) -> None:
        """Offer what this transcript offers."""
        self.scope.set_choices(opened.scopes)
        self.strategy.set_choices(opened.strategies)
        self.model.set_choices(opened.models)
        self.profile.set_choices(opened.profiles)
        self.set_open(True)

    def show_screen(self, screen: Screen) -> None:
        """Show what a preview was made with."""
        if screen.scopes:
            self.scope.set_choices(screen.scopes)
        if self.scope.findData(screen.scope) >= 0:  # two results beside each other have no scope of their own
            self.scope.set_value(screen.scope)
        self.strategy.set_value(screen.strategy)
        self.model.set_value(screen.model)
        self.profile.set_value(screen.profile)
        self._compact.setText(f"{tr(COMPACT)} {screen.price}".strip())
        self._fit()

    def show_profiles(self, page: ProfilesPage) -> None:
        """Offer the profiles that there are now."""
        self.profile.set_choices([Choice(row.name, row.name, row.model) for row in page.rows])
        active = [row.name for row in page.rows if row.active]
        if active:
            self.profile.set_value(active[0])

    def _on_profile(self, value: str) -> None:
        if value == EDIT_PROFILES:
            self.profile.set_value(self.profile.shown)
            self.profiles_requested.emit()
        else:
            self.profile_picked.emit(value)

    def _missing(self) -> int:
        """Pixels that the row wants and does not have."""
        self._row.invalidate()
        return max(0, self._row.sizeHint().width() - self.width())

    def _fit(self) -> None:
        is_wide = self.width() >= scaled(NARROW, self.font())
        self._command.setVisible(is_wide)
        for one in self._labels:
            one.setVisible(self._is_open and is_wide)
        self.switch.set_narrow(not is_wide)
        self._sessions.show()
        for worded, words in self._words.items():
            worded.setText(words)
        givers = (self.model, self.profile, self.scope, self.strategy)
        for picker in givers:
            picker.give_up(0)
        self._row.invalidate()
        needs = self._row.sizeHint().width() - _GIVES
        self._sessions.setVisible(scaled(_TIGHT, self.font()) <= self.width() >= needs)
        missing = self._missing()
        keeps = scaled(_KEEPS, self.font())
        for spare in self._words if self._is_open else ():
            if missing > sum(max(0, one.sizeHint().width() - keeps) for one in givers):
                spare.setText("")  # its glyph says it, and so does its tooltip
                missing = self._missing()
        share_out(missing, givers)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Larger text takes more room: fit anew, once all parts have the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._soon.start()


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
