"""The toolbar: open, strategy, summary, compact, views, export. What is open lies beside the
menus."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QMenu, QPushButton

from core.presentation.dialog_model import (
    FileOpenedEvent,
    ProfilesPage,
)
from core.presentation.model import PickerChoice
from core.presentation.screen_model import Screen
from gui.actions import ActionSet
from gui.inspect.context_chip import ContextChip
from gui.language import tr
from gui.widgets.basic_widgets import push_button
from gui.widgets.icons import GlyphButton
from gui.widgets.pickers import (
    EDIT_PROFILES,
    ChoiceSource,
    Picker,
    ProfilePicker,
    StrategyPicker,
    shrink_pickers,
)
from gui.widgets.segmented_switch import SegmentedControl
from gui.widgets.theme import scaled_pixels
from gui.widgets.view_layout import row_of

VIEW_NAMES = ("inspect", "compare")
"""The views in the order of the switch; each is also the id of its action."""
_WIDE, _NARROW = 1400, 1180
"""Below _WIDE pixels the button of the command bar is hidden; below _NARROW the pickers have no
label."""
_STRATEGY_WIDTH, _PROFILE_WIDTH, _COMPACT_WIDTH = 190, 232, 150
"""Pixels of strategy, Summary by and Compact, whatever they say: a choice moves nothing."""
_WIDEST_PRICES = ("≈ $00.00", "price –", "free")
COMPACT_LABEL, COMPACT_AGAIN_LABEL = "Compact", "Compact again"
"""The button's word; the price follows it."""
_OFFLINE = "offline"
_SUMMARY_BY = "Summary by: who writes the summary"


class Toolbar(QFrame):
    """Open | Strategy, Summary by, Compact || views, Export, Ctrl K."""

    profile_picked = Signal(str)
    chip_changed = Signal()  # its size, or the room for it
    profiles_requested = Signal()

    def __init__(self, actions: ActionSet, recent: QMenu | None = None) -> None:
        """``recent`` is the menu of files that were open."""
        super().__init__()
        self.setProperty("role", "head")
        self._actions, self._is_open = actions, False
        self._fit_timer = QTimer(self, singleShot=True, interval=0)
        self._fit_timer.timeout.connect(self.fit)
        self._row = row_of(margins=(8, 6, 8, 5))
        self.setLayout(self._row)
        self._add_left(recent)
        self._row.addStretch(1)
        titles, tips = (
            [actions[name].text() for name in VIEW_NAMES],
            list(map(actions.tip, VIEW_NAMES)),
        )
        self.view_switch = SegmentedControl(titles, tips)
        self.view_switch.setAccessibleName(tr("View"))
        for button, name in zip(self.view_switch.buttons, VIEW_NAMES, strict=True):
            self._follow_action(button, name)
        self._row.addWidget(self.view_switch)
        self.export_button = self._add_button("export", tr("Export…"), "export")
        self.export_button.setAccessibleName(tr("Export…"))
        self._command_button = push_button("Ctrl K", "small", tip=actions.tip("command"))
        self._command_button.clicked.connect(actions["command"].trigger)
        self._row.addWidget(self._command_button)
        self.set_open(False)

    def _add_left(self, recent: QMenu | None) -> None:
        self.open_button = GlyphButton("open", "", text=tr("Open"), ink="text")
        menu = QMenu(self.open_button)
        menu.addActions([self._actions["open"], self._actions["sessions"]])
        if recent is not None:
            menu.addMenu(recent)
        self.open_button.setMenu(menu)
        self.chip = ContextChip()
        self.scope, self.model, self.popup = self.chip.scope, self.chip.model, self.chip.popup
        self.strategy = StrategyPicker(
            tr("Strategy"), tr("Strategy: how the conversation is made shorter")
        )
        self.profile = ProfilePicker(tr("Summary by"), tr(_SUMMARY_BY))
        self.profile.picked.connect(self._on_profile)
        self.strategy.fixed_width, self.profile.fixed_width = _STRATEGY_WIDTH, _PROFILE_WIDTH
        for widget in (self.open_button, self.strategy, self.profile):
            self._row.addWidget(widget)
        self.compact_button = self._add_button("compact", tr(COMPACT_LABEL), "play", "primary")
        self._compact_tip = self.compact_button.toolTip()

    def _add_button(self, id: str, text: str, glyph: str, role: str = "") -> QPushButton:
        ink = "on_accent" if role == "primary" else "text"
        result = GlyphButton(glyph, "", text=text, tip=self._actions.tip(id), role=role, ink=ink)
        self._follow_action(result, id)
        self._row.addWidget(result)
        return result

    def _follow_action(self, button: QPushButton, id: str) -> None:
        action = self._actions[id]
        button.clicked.connect(action.trigger)
        action.enabledChanged.connect(button.setEnabled)
        button.setEnabled(action.isEnabled())

    def choice_sources(self) -> tuple[ChoiceSource, ...]:
        """The choices of the pickers, for the command bar."""
        if not self._is_open:
            return ()
        return tuple(picker.choice_source(kind) for kind, picker in self._pickers().items())

    def pick(self, kind: str, value: str) -> None:
        self._pickers()[kind].picked.emit(value)

    def _pickers(self) -> dict[str, Picker]:
        return {
            "strategy": self.strategy,
            "scope": self.scope,
            "profile": self.profile,
            "model": self.model,
        }

    def set_open(self, is_open: bool) -> None:
        self._is_open = is_open
        for widget in (
            self.chip,
            self.strategy,
            self.profile,
            self.compact_button,
            self.view_switch,
            self.export_button,
        ):
            widget.setVisible(is_open)
        self._fit_timer.start()  # once with all other changes

    def show_opened(self, file: FileOpenedEvent) -> None:
        self.chip.show_opened(file)
        self.profile.set_choices([_with_price(choice) for choice in file.profiles])
        self.set_open(True)

    def show_screen(self, screen: Screen) -> None:
        self.chip.show_screen(screen)
        if self.strategy.findData(screen.strategy) < 0:  # the others are still being loaded
            self.strategy.set_choices((PickerChoice(screen.strategy, screen.strategy),))
        self.strategy.set_value(screen.strategy)
        self.strategy.show_result_name(screen.result_name)
        self.profile.set_value(screen.request.profile)
        self.profile.set_needed(screen.request.calls_model)
        self.profile.set_tip("\n".join(filter(None, (tr(_SUMMARY_BY), screen.request.sends_to))))
        self.compact_button.setToolTip(
            "\n".join(filter(None, (self._compact_tip, screen.request.sends_to)))
        )
        price = screen.request.price.replace("(price unknown)", tr("price –")) or tr("free")
        label = COMPACT_AGAIN_LABEL if screen.history.run else COMPACT_LABEL
        self.compact_button.setText(f"{tr(label)} · {price}")
        self.fit()

    def show_profiles(self, page: ProfilesPage) -> None:
        choices = (PickerChoice(row.name, row.name, row.model) for row in page.rows)
        self.profile.set_choices([_with_price(choice) for choice in choices])
        self.profile.set_value(page.summary_profile)

    def _on_profile(self, value: str) -> None:
        if value == EDIT_PROFILES:
            self.profile.set_value(self.profile.shown_profile)
            self.profiles_requested.emit()
        else:
            self.profile_picked.emit(value)

    def fit(self) -> None:
        """Make room in the row: labels go first, then the pickers give way."""
        is_wide = self.width() >= scaled_pixels(_WIDE, self.font())
        is_narrow = self.width() < scaled_pixels(_NARROW, self.font())
        self._command_button.setVisible(is_wide)
        self.view_switch.set_dense(not is_wide)
        self.compact_button.setMinimumWidth(self._compact_width())
        pickers = (self.strategy, self.profile)
        for picker in pickers:
            picker.shows_name = not is_narrow
            picker.give_up_width(0)
        self.open_button.setText("" if is_narrow else tr("Open"))
        self.export_button.setText("" if is_narrow else tr("Export…"))
        if self._missing_pixels():
            self.export_button.setText("")  # its glyph and its tooltip say it
        shrink_pickers(self._missing_pixels(), pickers)
        self.chip_changed.emit()

    def _compact_width(self) -> int:
        """Return the width of Compact with any price, so that a summary by a model moves
        nothing."""
        button, text = self.compact_button, self.compact_button.text()
        widths = [scaled_pixels(_COMPACT_WIDTH, self.font())]
        for price in _WIDEST_PRICES:
            button.setText(f"{tr(COMPACT_AGAIN_LABEL)} · {price}")
            widths.append(button.sizeHint().width())
        button.setText(text)
        return max(widths)

    def _missing_pixels(self) -> int:
        """Return the pixels that the row lacks."""
        self._row.invalidate()
        return max(0, self._row.sizeHint().width() - self.width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.fit()

    def changeEvent(self, event: QEvent) -> None:
        """Larger text takes more space: fit again, once all parts have the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit_timer.start()


def _with_price(choice: PickerChoice) -> PickerChoice:
    if choice.value != _OFFLINE:
        return choice
    return PickerChoice(choice.value, tr("offline · free"), choice.hint, choice.group)
