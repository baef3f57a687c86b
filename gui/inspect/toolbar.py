"""The toolbar: open, file and context with its popup, strategy, summary, compact, views, export."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QFormLayout, QFrame, QMenu, QPushButton, QWidget

from core.presentation.dialog_model import (
    BRANCHES,
    CONVERSATIONS,
    FORMAT,
    REPORT,
    FileOpenedEvent,
    ProfilesPage,
)
from core.presentation.model import PickerChoice, Screen
from gui.actions import ActionSet
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.icons import GlyphButton
from gui.widgets.pickers import (
    EDIT_PROFILES,
    ChoiceSource,
    ModelPicker,
    Picker,
    ProfilePicker,
    StrategyPicker,
    shrink_pickers,
)
from gui.widgets.segmented_switch import SegmentedControl
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import scaled_pixels
from gui.widgets.view_layout import panel_of, row_of

_PART_LABELS = {CONVERSATIONS: "Conversation", BRANCHES: "Branch", FORMAT: "Format", REPORT: "Reading"}
_FIXED_ROWS = 4
"""Rows above the parts of the file."""


class ContextPopup(QFrame):
    """What the chip opens: part of the session, model and limit, and links to what else the file holds."""

    link_clicked = Signal(str, QPoint)  # value of a part of the file, and where its menu opens

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "popup")
        self.setAccessibleName(tr("Context"))
        self.scope = Picker(tr("Part of the session"), tr("Which part of the transcript is compacted"))
        self.model = ModelPicker(tr("Model"), tr("Whose context limit and prices count"))
        self.sizes, self.limit = text_label("", "secondary"), text_label("", "secondary")
        self._form = form = QFormLayout(self)
        form.setContentsMargins(12, 10, 12, 10)
        form.addRow(tr("Part of the session"), self.scope)
        form.addRow(tr("Size"), self.sizes)
        form.addRow(tr("Model"), self.model)
        form.addRow(tr("Limit"), self.limit)
        for picker in (self.scope, self.model):
            picker.picked.connect(self.hide)

    def show_sizes(self, sizes: Sequence[str]) -> None:
        """Show the tokens of the shown part and of the current context; no row where they are the same."""
        self.sizes.setText(" · ".join(sizes))
        self._form.setRowVisible(self.sizes, bool(sizes))

    def show_parts(self, parts: Sequence[PickerChoice]) -> None:
        """Show a row per part of the file; one with a value is a link."""
        while self._form.rowCount() > _FIXED_ROWS:
            self._form.removeRow(_FIXED_ROWS)
        for part in parts:
            if not part.value:
                self._form.addRow(text_label(part.label, "secondary"))
                continue
            link = push_button(part.label, "link")
            link.setObjectName(part.value)
            link.setToolTip(part.hint)
            link.clicked.connect(self._on_link)
            self._form.addRow(tr(_PART_LABELS.get(part.value, "")), link)
            self._form.setAlignment(link, Qt.AlignmentFlag.AlignLeft)

    def _on_link(self) -> None:
        link = self.sender()
        assert isinstance(link, QPushButton)
        self.hide()
        self.link_clicked.emit(link.objectName(), link.mapToGlobal(QPoint(0, link.height())))

    def open_below(self, chip: QWidget) -> None:
        self.adjustSize()
        self.move(chip.mapToGlobal(QPoint(0, chip.height() + 2)))
        self.show()
        self.scope.setFocus(Qt.FocusReason.PopupFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)


VIEW_NAMES = ("inspect", "compare")
"""The views in the order of the switch; each is also the id of its action."""
_WIDE, _NARROW = 1400, 1180
"""Below _WIDE pixels the button of the command bar is hidden; below _NARROW the file is in the menu row, and
the pickers have no label."""
_STRATEGY_WIDTH, _PROFILE_WIDTH, _COMPACT_WIDTH = 190, 232, 150
"""Pixels of strategy, Summary by and Compact, whatever they say: a choice moves nothing."""
COMPACT_LABEL = "Compact"
"""The button's word; the price follows it."""
NO_MAX_WIDTH = (1 << 24) - 1
"""The largest width that Qt allows."""
_OFFLINE = "offline"
_SUMMARY_BY = "Summary by: who writes the summary"


class Toolbar(QFrame):
    """Open, file, context | Strategy, Summary by, Compact || views, Export, Ctrl K."""

    profile_picked = Signal(str)
    file_box_moved = Signal(bool)  # into the menu row, or back
    profiles_requested = Signal()

    def __init__(self, actions: ActionSet, recent: QMenu | None = None) -> None:
        """``recent`` is the menu of files that were open."""
        super().__init__()
        self.setProperty("role", "head")
        self._actions, self._is_open = actions, False
        self._fit_timer = QTimer(self, singleShot=True, interval=0)
        self._fit_timer.timeout.connect(self._fit)
        self._row = row_of(margins=(8, 6, 8, 5))
        self.setLayout(self._row)
        self._parts: tuple[str, ...] = ()
        self._chip_texts: tuple[tuple[str, ...], ...] = ((),)  # longest first
        self._max_glyph_width = (
            0  # the widest toolbar in which Export was but its glyph: it does not grow back
        )
        self._add_left(recent)
        self._row.addStretch(1)
        titles, tips = [actions[name].text() for name in VIEW_NAMES], list(map(actions.tip, VIEW_NAMES))
        self.view_switch = SegmentedControl(titles, tips)
        self.view_switch.setAccessibleName(tr("View"))
        for button, name in zip(self.view_switch.buttons, VIEW_NAMES, strict=True):
            self._follow_action(button, name)
        self._row.addWidget(self.view_switch)
        self._export_button = self._add_button("export", tr("Export…"), "export")
        self._export_button.setAccessibleName(tr("Export…"))
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
        self._name, self.chip = ElidedLabel("", "strong", min_chars=8), push_button("", "pill")
        self.file_box = panel_of(row_of(self._name, self.chip))
        self.popup = ContextPopup(self)
        self.scope, self.model = self.popup.scope, self.popup.model
        self.chip.setToolTip(tr("Part of the session, model and limit, conversation and branch"))
        self.chip.clicked.connect(self._on_chip)
        self.strategy = StrategyPicker(tr("Strategy"), tr("Strategy: how the conversation is made shorter"))
        self.profile = ProfilePicker(tr("Summary by"), tr(_SUMMARY_BY))
        self.profile.picked.connect(self._on_profile)
        self.strategy.fixed_width, self.profile.fixed_width = _STRATEGY_WIDTH, _PROFILE_WIDTH
        for widget in (self.open_button, self.file_box, self.strategy, self.profile):
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
            self.file_box,
            self.strategy,
            self.profile,
            self.compact_button,
            self.view_switch,
            self._export_button,
        ):
            widget.setVisible(is_open)
        self._fit_timer.start()  # once with all other changes

    def show_opened(self, opened: FileOpenedEvent) -> None:
        self._name.show_text(opened.name)
        self.popup.show_parts(opened.title_parts[1:])
        chosen = (part for part in opened.title_parts if part.value in (CONVERSATIONS, BRANCHES))
        self._parts = tuple(part.label for part in chosen)
        self.scope.set_choices(opened.scopes)
        self.model.set_choices(opened.models)
        self.profile.set_choices([_with_price(choice) for choice in opened.profiles])
        self.set_open(True)

    def show_screen(self, screen: Screen) -> None:
        if screen.scopes:
            self.scope.set_choices(screen.scopes)
        if self.scope.findData(screen.scope) >= 0:  # two results side by side have no scope of their own
            self.scope.set_value(screen.scope)
        if self.strategy.findData(screen.strategy) < 0:  # the others are still being loaded
            self.strategy.set_choices((PickerChoice(screen.strategy, screen.strategy),))
        self.strategy.set_value(screen.strategy)
        self.model.set_value(screen.model)
        self.profile.set_value(screen.profile)
        self.profile.set_needed(screen.calls_model)
        self.profile.set_tip("\n".join(filter(None, (tr(_SUMMARY_BY), screen.sends_to))))
        self.compact_button.setToolTip("\n".join(filter(None, (self._compact_tip, screen.sends_to))))
        self.popup.limit.setText(next(iter(screen.marks.limit_labels), tr("not known")))
        profile = "" if screen.profile == _OFFLINE else screen.profile
        self.popup.show_sizes(screen.context_sizes)
        parts = (self.scope.currentText(), self.model.short_text, *self._parts, profile)
        context = tuple(filter(None, parts))
        short_parts = tuple(part.partition(" ")[2] for part in self._parts)  # which of several is always said
        self._chip_texts = (context, (*context[1:2], *self._parts), self._parts, short_parts)
        if sizes := screen.context_sizes:
            self._chip_texts = ((*sizes, *context[1:]), (*sizes, *self._parts), *self._chip_texts)
        self.fit_file_box(self.file_box.maximumWidth())
        price = screen.price.replace("(price unknown)", tr("price –")) or tr("free")
        self.compact_button.setText(f"{tr(COMPACT_LABEL)} · {price}")
        self._fit()

    def show_profiles(self, page: ProfilesPage) -> None:
        choices = (PickerChoice(row.name, row.name, row.model) for row in page.rows)
        self.profile.set_choices([_with_price(choice) for choice in choices])
        self.profile.set_value(page.writer)

    def _on_profile(self, value: str) -> None:
        if value == EDIT_PROFILES:
            self.profile.set_value(self.profile.shown_profile)
            self.profiles_requested.emit()
        else:
            self.profile_picked.emit(value)

    def _on_chip(self) -> None:
        self.popup.open_below(self.chip)

    def _fit(self) -> None:
        """Make room in the row: the file name gives way first, the pickers last."""
        is_wide = self.width() >= scaled_pixels(_WIDE, self.font())
        is_narrow = self.width() < scaled_pixels(_NARROW, self.font())
        self._command_button.setVisible(is_wide)
        is_in_row = self._row.indexOf(self.file_box) >= 0
        if is_narrow or not is_in_row:
            self._row.removeWidget(self.file_box)
            if not is_narrow:
                self._row.insertWidget(1, self.file_box)
            self.file_box_moved.emit(is_narrow)
            self.file_box.setVisible(self._is_open)
        self.view_switch.set_dense(not is_wide)
        self.compact_button.setMinimumWidth(scaled_pixels(_COMPACT_WIDTH, self.font()))
        pickers = (self.strategy, self.profile)
        for picker in pickers:
            picker.shows_name = not is_narrow
            picker.give_up_width(0)
        self.open_button.setText("" if is_narrow else tr("Open"))
        has_text = not is_narrow and self.width() > self._max_glyph_width
        self._export_button.setText(tr("Export…") if has_text else "")
        self._name.setMaximumWidth(NO_MAX_WIDTH)
        if not is_narrow:
            self.fit_file_box(NO_MAX_WIDTH)
            self._shorten_name()
            if self._missing_pixels() > 0:
                self._export_button.setText("")  # its glyph and its tooltip say it
                self._max_glyph_width = max(self._max_glyph_width, self.width())
                self.fit_file_box(self.file_box.sizeHint().width() - self._missing_pixels())
                self._shorten_name()
        for picker in pickers:
            picker.shows_name = picker.shows_name and not self._missing_pixels()
        shrink_pickers(self._missing_pixels(), pickers)

    def _shorten_name(self) -> None:
        self._name.setMaximumWidth(NO_MAX_WIDTH)
        width = self._name.sizeHint().width() - self._missing_pixels()
        self._name.setMaximumWidth(max(width, self._name.minimumSizeHint().width()))

    def fit_file_box(self, width: int) -> None:
        """Name less of the context where the file box has only ``width`` pixels; the chip opens all of it."""
        for parts in self._chip_texts:
            self.chip.setText(" · ".join(parts) + " ▾")
            if self.file_box.minimumSizeHint().width() <= width:
                break

    def _missing_pixels(self) -> int:
        """Return the pixels that the row lacks."""
        self.file_box.updateGeometry()  # the row takes over the changed width of name and chip at once
        self._row.invalidate()
        return max(0, self._row.sizeHint().width() - self.width())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        """Larger text takes more space: fit again, once all parts have the font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._max_glyph_width = 0
            self._fit_timer.start()


def _with_price(choice: PickerChoice) -> PickerChoice:
    if choice.value != _OFFLINE:
        return choice
    return PickerChoice(choice.value, tr("offline · free"), choice.hint, choice.group)
