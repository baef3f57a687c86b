"""The toolbar: open, scope, strategy, profile, model, compact, views, export."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QWidget

from core.presentation.model import PickerChoice, Screen
from core.presentation.opened_model import FileOpenedEvent
from core.presentation.settings.model import ProfilesPage
from gui.actions import ActionSet
from gui.inspect.view_switch import ViewSwitch
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.pickers import (
    EDIT_PROFILES,
    ChoiceSource,
    ModelPicker,
    Picker,
    ProfilePicker,
    StrategyPicker,
    shrink_pickers,
)
from gui.widgets.theme import Theme, scaled_pixels
from gui.widgets.toned_label import set_glyph

NARROW = 1400
"""Below this many pixels the labels of the pickers are hidden; their tooltips stay."""
_SESSIONS_MIN_WIDTH = 1000
"""Below this many pixels Sessions is only in the menu, or if the rest needs its space."""
_SPARE_PIXELS = 32
"""Pixels that all pickers together can spare without cutting a text: half of the space around it."""
_MIN_PICKER_WIDTH = 96
"""Least useful width of a picker; Export and Open, which are menu entries too, are shortened first."""
COMPACT_LABEL = "Compact"
"""The button's word; the price of a paid call follows it."""


class Toolbar(QFrame):
    """Open, Sessions | Scope, Strategy, Profile, Model | Compact || views | Export, Ctrl K."""

    profile_picked = Signal(str)
    profiles_requested = Signal()

    def __init__(self, actions: ActionSet) -> None:
        super().__init__()
        self.setProperty("role", "head")
        self._labels: list[QLabel] = []
        self._buttons: list[tuple[QPushButton, str]] = []
        self._file_widgets: list[QWidget] = []
        self.scope = Picker(tr("Scope"), tr("Scope: which part of the transcript is the history"))
        self.strategy = StrategyPicker(tr("Strategy"), tr("Strategy: how the history is made shorter"))
        self.model = ModelPicker(tr("Model"), tr("Model: whose context limit counts"))
        self.profile = ProfilePicker(
            tr("Profile"), tr("Profile: the model that writes summaries, and its settings")
        )
        self.profile.picked.connect(self._on_profile)
        self._actions = actions
        self._is_open = False
        self._fit_timer = QTimer(self, singleShot=True, interval=0)
        self._fit_timer.timeout.connect(self._fit)
        self._command_button = push_button("Ctrl K", "small")
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(8, 6, 8, 5)
        self._row.setSpacing(8)
        self._lay_out()
        self.set_open(False)

    def _lay_out(self) -> None:
        self._open_button = self._add_button("open", tr("Open…"), "open")
        self._sessions_button = self._add_button("sessions", tr("Sessions"), "")
        self._add_pickers()
        self._row.addSpacing(4)
        self._compact_button = self._add_button("compact", tr(COMPACT_LABEL), "play", "primary")
        self._file_widgets.append(self._compact_button)
        self._row.addStretch(1)
        self.view_switch = ViewSwitch(self._actions)
        self._file_widgets.append(self.view_switch)
        self._row.addWidget(self.view_switch)
        self._row.addSpacing(4)
        self._export_button = self._add_button("export", tr("Export…"), "export")
        self._file_widgets.append(self._export_button)
        self._button_texts = {button: button.text() for button in (self._export_button, self._open_button)}
        for text_button, text in self._button_texts.items():
            text_button.setAccessibleName(text)
        action = self._actions["command"]
        self._command_button.setToolTip(self._actions.tip("command"))
        self._command_button.clicked.connect(action.trigger)
        self._row.addWidget(self._command_button)

    def _add_pickers(self) -> None:
        for text, picker in (
            (tr("Scope"), self.scope),
            (tr("Strategy"), self.strategy),
            (tr("Profile"), self.profile),
            (tr("Model"), self.model),
        ):
            name = text_label(text, "secondary")
            name.setBuddy(picker)
            self._labels.append(name)
            self._file_widgets.append(picker)
            self._row.addWidget(name)
            self._row.addWidget(picker)

    def _add_button(self, id: str, text: str, glyph: str, role: str = "") -> QPushButton:
        result = push_button(text, role)
        action = self._actions[id]
        result.setToolTip(self._actions.tip(id))
        result.clicked.connect(action.trigger)
        action.enabledChanged.connect(result.setEnabled)
        result.setEnabled(action.isEnabled())
        if glyph:
            self._buttons.append((result, glyph))
        self._row.addWidget(result)
        return result

    def choice_sources(self) -> tuple[ChoiceSource, ...]:
        """The choices of the pickers, for the command bar."""
        return (
            tuple(picker.choice_source(kind) for kind, picker in self._pickers().items())
            if self._is_open
            else ()
        )

    def pick(self, kind: str, value: str) -> None:
        self._pickers()[kind].picked.emit(value)

    def _pickers(self) -> dict[str, Picker]:
        return {
            "strategy": self.strategy,
            "scope": self.scope,
            "profile": self.profile,
            "model": self.model,
        }

    def set_theme(self, theme: Theme) -> None:
        for button, name in self._buttons:
            primary = button.property("role") == "primary"
            colour = theme.on_accent if primary else theme.text
            set_glyph(button, name, colour, theme.text3)

    def set_open(self, is_open: bool) -> None:
        self._is_open = is_open
        for widget in self._file_widgets:
            widget.setVisible(is_open)
        self._fit_timer.start()  # once with all other changes

    def show_opened(self, opened: FileOpenedEvent) -> None:
        self.scope.set_choices(opened.scopes)
        self.strategy.set_choices(opened.strategies)
        self.model.set_choices(opened.models)
        self.profile.set_choices(opened.profiles)
        self.set_open(True)

    def show_screen(self, screen: Screen) -> None:
        if screen.scopes:
            self.scope.set_choices(screen.scopes)
        if self.scope.findData(screen.scope) >= 0:  # two results side by side have no scope of their own
            self.scope.set_value(screen.scope)
        self.strategy.set_value(screen.strategy)
        self.model.set_value(screen.model)
        self.profile.set_value(screen.profile)
        self._compact_button.setText(f"{tr(COMPACT_LABEL)} {screen.price}".strip())
        self._fit()

    def show_profiles(self, page: ProfilesPage) -> None:
        self.profile.set_choices([PickerChoice(row.name, row.name, row.model) for row in page.rows])
        active = [row.name for row in page.rows if row.active]
        if active:
            self.profile.set_value(active[0])

    def _on_profile(self, value: str) -> None:
        if value == EDIT_PROFILES:
            self.profile.set_value(self.profile.shown_profile)
            self.profiles_requested.emit()
        else:
            self.profile_picked.emit(value)

    def _missing_pixels(self) -> int:
        """Return the pixels that the row lacks."""
        self._row.invalidate()
        return max(0, self._row.sizeHint().width() - self.width())

    def _fit(self) -> None:
        is_wide = self.width() >= scaled_pixels(NARROW, self.font())
        self._command_button.setVisible(is_wide)
        for widget in self._labels:
            widget.setVisible(self._is_open and is_wide)
        self.view_switch.set_narrow(not is_wide)
        for text_button, text in self._button_texts.items():
            text_button.setText(text)
        pickers = (self.model, self.profile, self.scope, self.strategy)
        for picker in pickers:
            picker.give_up_width(0)
        self._row.invalidate()
        needed_width = self._row.sizeHint().width() - _SPARE_PIXELS
        if self._sessions_button.isHidden():
            needed_width += self._sessions_button.sizeHint().width() + self._row.spacing()
        self._sessions_button.setVisible(
            scaled_pixels(_SESSIONS_MIN_WIDTH, self.font()) <= self.width() >= needed_width
        )
        missing = self._missing_pixels()
        min_width = scaled_pixels(_MIN_PICKER_WIDTH, self.font())
        for shortened_button in self._button_texts if self._is_open else ():
            if missing > sum(max(0, widget.sizeHint().width() - min_width) for widget in pickers):
                shortened_button.setText("")  # its glyph and its tooltip say it
                missing = self._missing_pixels()
        shrink_pickers(missing, pickers)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Larger text takes more space: fit again, once all parts have the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_timer.start()
