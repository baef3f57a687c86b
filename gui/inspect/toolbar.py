"""The toolbar: open, strategy, summary, compact, views, export. What is open lies beside the
menus."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPoint, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFormLayout,
    QFrame,
    QMenu,
    QPushButton,
    QSizePolicy,
    QWidget,
)

from core.presentation.dialog_model import (
    BRANCHES,
    CONVERSATIONS,
    FORMAT,
    REPORT,
    FileOpenedEvent,
    ProfilesPage,
)
from core.presentation.model import PickerChoice
from core.presentation.other_program import program_command
from core.presentation.screen_model import Screen
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
    ScopePicker,
    SegmentedControl,
    StrategyPicker,
    button_label,
    shrink_pickers,
)
from gui.widgets.theme import scaled_pixels
from gui.widgets.view_layout import row_of

_PART_LABELS = {
    CONVERSATIONS: "Conversation",
    BRANCHES: "Branch",
    FORMAT: "Format",
    REPORT: "Reading",
}
_FIXED_ROWS = 2
"""Rows above the parts of the file."""
_LEAST_NAME = 96
_NAME_FRAME = 12
"""Pixels of the name's button beside its text."""
_PART_FRAME = 38
"""Pixels of a part beside its text."""


class FilePopup(QFrame):
    """What the name opens: sizes and limit, and links to what else the file holds."""

    link_clicked = Signal(
        str, QPoint
    )  # value of a part of the file, and where its menu opens

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "popup")
        self.setAccessibleName(tr("File"))
        self.sizes = text_label("", "secondary")
        self.limit = text_label("", "secondary")
        self._form = form = QFormLayout(self)
        form.setContentsMargins(12, 10, 12, 10)
        form.addRow(tr("Size"), self.sizes)
        form.addRow(tr("Limit"), self.limit)

    def show_sizes(self, sizes: Sequence[str]) -> None:
        """Show the tokens of the shown part and of the current context; no row where they are the
        same."""
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
        self.link_clicked.emit(
            link.objectName(), link.mapToGlobal(QPoint(0, link.height()))
        )

    def open_below(self, button: QWidget) -> None:
        self.adjustSize()
        self.move(button.mapToGlobal(QPoint(0, button.height() + 2)))
        self.show()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)


class NameButton(QPushButton):
    """A file's name, elided in its middle, never to less than 96 pixels, and its format, where the
    name has that room beside it."""

    def __init__(self) -> None:
        super().__init__()
        self._name = self._format = ""
        self.setProperty("role", "name")
        self.setAutoDefault(False)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def show_name(self, name: str, format_label: str = "") -> None:
        self._name, self._format = name, format_label
        self.setAccessibleName(", ".join(filter(None, (name, format_label))))
        tip = tr("What else the file holds, its format and how it was read")
        self.setToolTip("\n".join(filter(None, (name, format_label, tip))))
        self.updateGeometry()
        self._fit()

    @property
    def full_text(self) -> str:
        return self._name + self._ending

    @property
    def _ending(self) -> str:
        return f" · {self._format}" if self._format else ""

    def _fit(self) -> None:
        metrics = self.fontMetrics()
        room = max(0, self.width() - _NAME_FRAME)
        ending = self._ending
        least = min(_LEAST_NAME, metrics.horizontalAdvance(self._name))
        if room < least + metrics.horizontalAdvance(ending):
            ending = ""
        room -= metrics.horizontalAdvance(ending)
        name = metrics.elidedText(self._name, Qt.TextElideMode.ElideMiddle, room)
        self.setText((name + ending).replace("&", "&&"))

    def sizeHint(self) -> QSize:
        self.ensurePolished()
        return QSize(
            self.fontMetrics().horizontalAdvance(self.full_text) + _NAME_FRAME + 2,
            super().sizeHint().height(),
        )

    def minimumSizeHint(self) -> QSize:
        return QSize(
            min(_LEAST_NAME, self.sizeHint().width()), self.sizeHint().height()
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()


class ContextChip(QWidget):
    """The name and the parts in a row. The parts never go; they are shortened together, the name
    first."""

    link_clicked = Signal(str, QPoint)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName(tr("Context"))
        self.name = NameButton()
        self.popup = FilePopup(self)
        self.scope = ScopePicker(
            tr("Part of the session"), tr("Which part of the transcript is compacted")
        )
        self.model = ModelPicker(
            tr("Model"), tr("Whose context limit and prices count")
        )
        self._links = {
            value: push_button("", "part") for value in (CONVERSATIONS, BRANCHES)
        }
        self._parts: dict[
            str, PickerChoice
        ] = {}  # of the title, by the links that lead on
        self._is_short = False
        for value, link in self._links.items():
            link.setObjectName(value)
            link.setFocusPolicy(Qt.FocusPolicy.TabFocus)
            link.clicked.connect(self._on_link)
        for picker in (self.scope, self.model):
            picker.setProperty("role", "part")
            picker.is_bold, picker.frame_width = False, _PART_FRAME
            picker.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        parts = (self.name, *self._links.values(), self.scope, self.model)
        self.setLayout(row_of(*parts, margins=(0, 3, 8, 3), gap=4))
        self.name.clicked.connect(self._on_name)
        self.popup.link_clicked.connect(self.link_clicked)

    def text(self) -> str:
        """All that the parts say."""
        links = [
            button_label(self._parts[value], is_short=self._is_short)
            for value, link in self._links.items()
            if not link.isHidden()
        ]
        return " · ".join(
            filter(None, (*links, self.scope.button_text, self.model.button_text))
        )

    def show_opened(self, file: FileOpenedEvent) -> None:
        self.name.show_name(file.name, file.reader.label)
        self.popup.show_parts(file.title_parts[1:])
        self._parts = {
            one.value: one for one in file.title_parts if one.value in self._links
        }
        for value, link in self._links.items():
            part = self._parts.get(value)
            link.setToolTip("" if part is None else part.hint)
            link.setVisible(part is not None)
        self.scope.set_choices(file.scopes)
        self.model.set_choices(file.models)
        self._shorten(is_short=False)

    def show_screen(self, screen: Screen) -> None:
        if screen.heading.scopes:
            self.scope.set_choices(screen.heading.scopes)
        if (
            self.scope.findData(screen.heading.scope) >= 0
        ):  # two results side by side have no scope of their own
            self.scope.set_value(screen.heading.scope)
        self.model.set_value(screen.heading.model)
        self.model.set_limit(screen.ruler.totals.limit)
        self.popup.limit.setText(
            next(iter(screen.ruler.totals.limit_labels), tr("not known"))
        )
        self.popup.show_sizes(screen.heading.sizes)

    def fit(self, width: int) -> None:
        """Take at most ``width`` pixels: the name becomes shorter first, then all parts
        together."""
        for is_short in (False, True):
            self._shorten(is_short=is_short)
            if self.minimumSizeHint().width() <= width:
                break
        self.setMaximumWidth(max(1, width))

    def _shorten(self, *, is_short: bool) -> None:
        self._is_short = is_short
        for value, part in self._parts.items():
            link = self._links[value]
            link.setText(f"{button_label(part, is_short=is_short)} ▾")
            link.setAccessibleName(part.label)
        for picker in (self.scope, self.model):
            picker.is_short = is_short
            picker.updateGeometry()
            picker.update()

    def minimumSizeHint(self) -> QSize:
        """Return the least name and all parts: pickers that give way would end in an ellipsis."""
        parts = [
            one
            for one in (*self._links.values(), self.scope, self.model)
            if not one.isHidden()
        ]
        width = (
            self.name.minimumSizeHint().width()
            + sum(one.sizeHint().width() + 4 for one in parts)
            + 8
        )
        return QSize(width, super().minimumSizeHint().height())

    def sizeHint(self) -> QSize:
        """The menu bar places it by this size, whatever width it has."""
        return super().sizeHint().boundedTo(self.maximumSize())

    def _on_name(self) -> None:
        self.popup.open_below(self.name)

    def _on_link(self) -> None:
        link = self.sender()
        assert isinstance(link, QPushButton)
        self.link_clicked.emit(
            link.objectName(), link.mapToGlobal(QPoint(0, link.height()))
        )


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
        titles = [actions[name].text() for name in VIEW_NAMES]
        tips = list(map(actions.tip, VIEW_NAMES))
        self.view_switch = SegmentedControl(titles, tips)
        self.view_switch.setAccessibleName(tr("View"))
        for button, name in zip(self.view_switch.buttons, VIEW_NAMES, strict=True):
            self._follow_action(button, name)
        self._row.addWidget(self.view_switch)
        self.export_button = self._add_button("export", tr("Export…"), "export")
        self.export_button.setAccessibleName(tr("Export…"))
        self._command_button = push_button(
            "Ctrl K", "small", tip=actions.tip("command")
        )
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
        self.scope, self.model, self.popup = (
            self.chip.scope,
            self.chip.model,
            self.chip.popup,
        )
        self.strategy = StrategyPicker(
            tr("Strategy"), tr("Strategy: how the conversation is made shorter")
        )
        self.profile = ProfilePicker(tr("Summary by"), tr(_SUMMARY_BY))
        self.profile.picked.connect(self._on_profile)
        self.strategy.fixed_width = _STRATEGY_WIDTH
        self.profile.fixed_width = _PROFILE_WIDTH
        for widget in (self.open_button, self.strategy, self.profile):
            self._row.addWidget(widget)
        self.compact_button = self._add_button(
            "compact", tr(COMPACT_LABEL), "play", "primary"
        )
        self._compact_tip = self.compact_button.toolTip()

    def _add_button(
        self, id: str, text: str, glyph: str, role: str = ""
    ) -> QPushButton:
        ink = "on_accent" if role == "primary" else "text"
        result = GlyphButton(
            glyph, "", text=text, tip=self._actions.tip(id), role=role, ink=ink
        )
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
        return tuple(
            picker.choice_source(kind) for kind, picker in self._pickers().items()
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
        is_program = bool(
            program_command(screen.strategy)
        )  # it is not among the choices
        if (
            self.strategy.findData(screen.strategy) < 0 and not is_program
        ):  # they are being loaded
            self.strategy.set_choices((PickerChoice(screen.strategy, screen.strategy),))
        self.strategy.set_value(screen.strategy)
        program_name = screen.strategy if is_program else ""
        self.strategy.show_result_name(screen.result_name or program_name)
        self.profile.set_value(screen.request.profile)
        self.profile.set_needed(screen.request.calls_model)
        self.profile.set_tip(
            "\n".join(filter(None, (tr(_SUMMARY_BY), screen.request.sends_to)))
        )
        self.compact_button.setToolTip(
            "\n".join(filter(None, (self._compact_tip, screen.request.sends_to)))
        )
        price = screen.request.price or tr("free")
        label = COMPACT_AGAIN_LABEL if screen.history.run else COMPACT_LABEL
        self.compact_button.setText(f"{tr(label)} · {price}")
        self.fit()

    def show_profiles(self, page: ProfilesPage) -> None:
        choices = (PickerChoice(row.name, row.name, row.model) for row in page.rows)
        self.profile.set_choices([_with_price(choice) for choice in choices])
        self.profile.set_value(page.summary_profile)

    def _on_profile(self, value: str) -> None:
        if value == EDIT_PROFILES:
            self.profile.set_value(self.profile.current_profile)
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
        button = self.compact_button
        text = self.compact_button.text()
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
