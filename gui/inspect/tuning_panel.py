"""The tuning panel: the controls of the active strategy, a row each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, Qt, QTimer, Signal
from PySide6.QtWidgets import QApplication, QHBoxLayout, QMenu, QToolButton, QWidget

from core.presentation.model import ControlGroup, SettingControl
from gui.aim_field import Aim, AimRow
from gui.language import tr
from gui.widgets.basic_widgets import push_button, rule, text_label
from gui.widgets.figure_list import FigureList
from gui.widgets.icons import LAYER_GLYPHS, GlyphButton, glyph_icon
from gui.widgets.setting_editors import (
    LAYER_WORDS,
    SESSION_LAYER,
    ControlEditor,
    FractionSlider,
    NumberField,
    field_of,
)
from gui.widgets.text_labels import ElidedLabel, set_style_property
from gui.widgets.theme import current_theme, scaled_pixels
from gui.widgets.view_layout import (
    ScrollContainer,
    column_of,
    fill_panel,
    panel_of,
    remove_widget,
    row_of,
)

HOLD_MS = 400
"""For this long after a change, older answers do not reset the editor."""
_WITH_MEANING = ("fraction", "whole", "flag")
"""Kinds of which a line says what their value means here, as soon as it is known."""
DOT_COLUMN, _FIRST_LINE, _LINE = 18, 26, 18
"""Pixels at body size 13."""
_LONG_CHOICE = 12
"""A choice of more characters is a phrase that needs the whole row."""
PROMPT_KEY = "prompt"
"""The key of the fact that names the prompt, which can be edited."""


class ControlRow(QWidget):
    """Label and number, slider over the full width, one line of meaning. ``changed`` carries key,
    value and whether it is provisional; the value None resets."""

    changed = Signal(str, object, bool)
    prompt_requested = Signal()
    link_activated = Signal(str)

    def __init__(self, control: SettingControl) -> None:
        super().__init__()
        self.control = control
        self._last_value: object = None
        self._hold_timer = QTimer(self, singleShot=True, interval=HOLD_MS)
        self._hold_timer.timeout.connect(self._on_hold_over)
        self.label = text_label(
            "", "muted" if control.kind == "fact" else "", wraps=True
        )
        self.label.setParent(
            self
        )  # shown without one, it would be a window and close an open popup
        self.value = ElidedLabel("", "secondary", self, min_chars=7)
        self.value.setAlignment(
            Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        )
        self.hint = ElidedLabel("", "secondary", self)
        self.hint_link = push_button("", "link")
        self.hint_link.setParent(self)  # as the label
        self.hint_link.setProperty("inline", True)  # as high as the words beside it
        self.hint_link.clicked.connect(self._on_hint_link)
        field = field_of(control.kind, self)
        if control.kind == "fraction":
            slider = FractionSlider(self)
        else:
            slider = None
        self.editors: tuple[ControlEditor, ...] = tuple(
            one for one in (field, slider) if one is not None
        )
        self.dot = QToolButton(self)
        self.dot.setAutoRaise(True)
        self.dot.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.dot.setMenu(QMenu(self.dot))
        self.dot.setStyleSheet(
            "QToolButton { border: none; } QToolButton::menu-indicator { image: none; }"
        )
        policy = self.dot.sizePolicy()
        policy.setRetainSizeWhenHidden(True)  # a changed value moves nothing
        self.dot.setSizePolicy(policy)
        slider_line = (slider,) if slider is not None else ()
        first = self._first_line(field)
        self._meaning = panel_of(
            row_of(
                self.hint,
                self.hint_link,
                *self._value_at_end,
                gap=2,
                stretched=self.hint,
            )
        )
        column = column_of(first, *slider_line, self._meaning, gap=2)
        row = row_of(self.dot, gap=0)
        row.setAlignment(self.dot, Qt.AlignmentFlag.AlignTop)
        row.addLayout(column, 1)
        self.setLayout(row)
        self._fit()
        for editor in self.editors:
            editor.changed.connect(self._on_changed)
        self.show_control(control)

    def _first_line(self, field: QWidget | None) -> QHBoxLayout:
        row = row_of(gap=6)
        has_phrases = any(len(choice) > _LONG_CHOICE for choice in self.control.choices)
        is_filled = has_phrases or self.control.kind in (
            "flag",
            "text",
        )  # by its field, which says what it is
        if is_filled and field is not None:
            row.addWidget(field, 1)
        row.addWidget(self.label, 0 if is_filled else 1)
        self.label.setVisible(not is_filled)
        if self._value_at_end:
            return row
        row.addWidget(self.value)
        if field is not None and not is_filled:
            row.addWidget(field)
        if self.control.key == PROMPT_KEY:
            edit = push_button(tr("Edit…"), "link")
            edit.setAccessibleName(tr("Edit {label}").format(label=self.control.label))
            edit.clicked.connect(self.prompt_requested)
            row.addWidget(edit)
        return row

    @property
    def _value_at_end(self) -> tuple[QWidget, ...]:
        """What stands behind the meaning: the name of a switch needs its whole row."""
        if self.control.kind == "flag":
            return (self.value,)
        return ()

    def _fit(self) -> None:
        """Reserve what is not always shown: the dot, and a line for what a value means here."""
        line = scaled_pixels(_LINE, self.font())
        self.dot.setFixedSize(
            scaled_pixels(DOT_COLUMN, self.font()),
            scaled_pixels(_FIRST_LINE, self.font()),
        )
        self._meaning.setFixedHeight(max(line, self.fontMetrics().height() + 2))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._show_layers(self.control)
        if event.type() == QEvent.Type.FontChange:
            self._fit()

    def show_control(self, control: SettingControl) -> None:
        """Show another value in place, unless the slider is dragged or a number is being typed."""
        self.control = control
        self.label.setText(control.label)
        self.label.setToolTip(control.help)
        is_fact = control.kind == "fact"
        if is_fact:
            value_text = control.value_text
        else:
            value_text = control.note.effect
        # Beside words a label keeps its line and the words are elided; a figure is never cut.
        self.label.setWordWrap(not (is_fact and any(map(str.isalpha, value_text))))
        self.value.show_text(value_text)
        self.value.setVisible(bool(value_text))
        note = control.note
        set_style_property(self.value, "tone", note.tone)
        if note.link:
            link = note.link[0]
        else:
            link = ""
        self.hint.show_text(note.text, note.short)
        self.hint_link.setText(link)
        self.hint_link.setVisible(bool(link))
        self._meaning.setVisible(control.kind in _WITH_MEANING or bool(note.text))
        self._show_layers(control)
        if control.value == self._last_value:
            self._hold_timer.stop()
        if not self._hold_timer.isActive():
            self._show_in_editors(control)

    def _show_layers(self, control: SettingControl) -> None:
        """Show the dot where the value differs from the default; it opens the values and Reset."""
        self.dot.setIcon(
            glyph_icon(LAYER_GLYPHS[SESSION_LAYER], current_theme().accent_text)
        )
        self.dot.setVisible(control.layer in (SESSION_LAYER, "project", "saved"))
        layer_words = layer_text(control, control.layer)
        self.dot.setAccessibleName(f"{control.label}: {layer_words}")
        self.dot.setToolTip(
            tr("{layer}: click for all values and Reset").format(layer=layer_words)
        )
        menu = self.dot.menu()
        menu.clear()
        for layer, text in control.layers:
            menu.addAction(f"{layer_text(control, layer)}: {text}").setEnabled(False)
        menu.addSeparator()
        reset = menu.addAction(tr("Reset"))
        reset.setEnabled(control.layer == SESSION_LAYER)
        reset.triggered.connect(self._on_reset)

    def _show_in_editors(self, control: SettingControl) -> None:
        self._last_value = control.value
        for editor in self.editors:
            editor.show_control(control)

    def _on_hint_link(self) -> None:
        if self.control.note.link is not None:
            self.link_activated.emit(self.control.note.link[1])

    def _on_hold_over(self) -> None:
        self._show_in_editors(self.control)

    def _on_changed(self, value: object, provisional: bool) -> None:
        self._last_value = value
        self._hold_timer.start()
        for editor in self.editors:
            if editor is not self.sender() and isinstance(
                editor, FractionSlider | NumberField
            ):
                editor.show_number(value if isinstance(value, float) else None)
        self.changed.emit(self.control.key, value, provisional)

    def _on_reset(self) -> None:
        self.changed.emit(self.control.key, None, False)


def layer_text(control: SettingControl, layer: str) -> str:
    """Return where a value comes from; for the effective one with the profile that set it."""
    words = tr(LAYER_WORDS.get(layer, layer))
    if not control.profile or layer != control.layer:
        return words
    return tr("{layer}, profile {profile}").format(layer=words, profile=control.profile)


MIN_PANEL_WIDTH = 220
_MIN_GROUPS_HEIGHT = 160
"""Least visible pixels of the groups in a low window."""
_PAD = 12


class GroupBox(QWidget):
    """The controls of a group, their figures and a link. Another group of the same shape replaces
    it."""

    changed = Signal(str, object, bool)
    prompt_requested = Signal()

    def __init__(self, group: ControlGroup) -> None:
        super().__init__()
        self._group = group
        self.shape = group_shape(group)
        self.rows = [ControlRow(control) for control in group.controls]
        self.figures = FigureList(row_height=22)
        self.link = push_button("", "link")
        self.link.clicked.connect(self._on_link)
        title = text_label(tr(group.title), "group")
        note = text_label(tr(group.note), "secondary")
        indent = scaled_pixels(DOT_COLUMN, self.font())
        head = panel_of(row_of(indent, title, note, gap=0, stretched=title))
        if not group.title:  # shown without a parent, it would be a window for a moment
            head.hide()
        for row in self.rows:
            row.changed.connect(self.changed)
            row.prompt_requested.connect(self.prompt_requested)
            row.link_activated.connect(self._on_hint_link)
        figures = row_of(indent, self.figures, gap=0, stretched=self.figures)
        end = row_of(indent, self.link, None, gap=0)
        self.setLayout(
            column_of(
                head, *self.rows, figures, end, rule(), margins=(2, 8, 2, 6), gap=6
            )
        )
        self.show_group(group)

    def show_group(self, group: ControlGroup) -> None:
        self._group = group
        for row, control in zip(self.rows, group.controls, strict=True):
            row.show_control(control)
        self.figures.show_facts(group.facts)
        self.figures.setVisible(bool(group.facts))
        self.link.setText(group.action[0] if group.action is not None else "")
        self.link.setVisible(group.action is not None)

    @property
    def focused_key(self) -> str:
        """The key of the control that has the focus, "" for none."""
        focused = QApplication.focusWidget()
        rows = (
            row
            for row in self.rows
            if focused is not None and row.isAncestorOf(focused)
        )
        return next((row.control.key for row in rows), "")

    def focus_key(self, key: str) -> None:
        for row in self.rows:
            if row.control.key == key and row.editors:
                row.editors[0].setFocus(Qt.FocusReason.OtherFocusReason)

    def _on_link(self) -> None:
        if self._group.action is not None:
            self.changed.emit(self._group.action[1], self._group.action[2], False)

    def _on_hint_link(self, target: str) -> None:
        self.changed.emit("link", target, False)


def group_shape(group: ControlGroup) -> tuple[object, ...]:
    """Return what two groups must have in common to be shown by the same widgets."""
    return group.title, *(
        (control.key or control.label, control.kind) for control in group.controls
    )


class TuningPanel(QWidget):
    """Shows the groups of a screen and emits the user's changes."""

    value_changed = Signal(str, object, bool)  # key, value (None resets), provisional
    undo_requested = Signal()
    redo_requested = Signal()
    all_settings_requested = Signal()
    prompt_requested = Signal()

    def __init__(self, aim: Aim, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.aim = AimRow(aim)
        self.groups: Sequence[ControlGroup] = ()
        self._boxes: list[GroupBox] = []
        self.undo_button = GlyphButton("undo", "", text=tr("Undo"), role="flat")
        self.redo_button = GlyphButton("redo", "", text=tr("Redo"), role="flat")
        self.all_button = push_button(tr("All settings…"), "link")
        self.changed_label = text_label("", "secondary")
        self._set_min_width()
        self._build()
        for button, signal, tip in (
            (
                self.undo_button,
                self.undo_requested,
                "Take back the last change (Ctrl Z)",
            ),
            (self.redo_button, self.redo_requested, "Make it again (Ctrl Shift Z)"),
        ):
            button.setToolTip(tr(tip))
            button.clicked.connect(signal)
        self.all_button.setToolTip(
            tr("All settings, and where they are saved (Ctrl ,)")
        )
        self.all_button.clicked.connect(self.all_settings_requested)
        self.show_history()

    def _set_min_width(self) -> None:
        self.setMinimumWidth(scaled_pixels(MIN_PANEL_WIDTH, self.font()))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._set_min_width()

    def _build(self) -> None:
        self._column = column_of()
        content = panel_of(self._column)
        self.head = _bar(
            "head",
            text_label(tr("Tuning"), "strong"),
            self.undo_button,
            self.redo_button,
        )
        self.scroll_area = ScrollContainer(
            content, role="side", min_height=_MIN_GROUPS_HEIGHT, keeps_bar=True
        )
        foot = _bar("foot", self.changed_label, self.all_button)
        fill_panel(
            self, "side", column_of(self.head, self.aim, self.scroll_area, None, foot)
        )

    def clear(self) -> None:
        """Another file is opened: the figures are of the former one."""
        self.show_history()
        for _ in self.show_groups(()):
            pass

    def show_history(self, *, can_undo: bool = False, can_redo: bool = False) -> None:
        """Show whether the last change can be undone or made again."""
        self.undo_button.setEnabled(can_undo)
        self.redo_button.setEnabled(can_redo)

    def show_groups(self, groups: Sequence[ControlGroup]) -> Iterator[None]:
        """Show the groups, one per step. Groups of the same shape change in place: focus and drags
        stay."""
        self.groups = groups
        changed = sum(
            control.layer == "session" for group in groups for control in group.controls
        )
        self.changed_label.setText(
            tr("● {count} changed").format(count=changed) if changed else ""
        )
        unused = list(self._boxes)
        shown = list[GroupBox]()
        focused_key = next((key for box in unused if (key := box.focused_key)), "")
        for position, group in enumerate(groups):
            box = self._box_for(group, unused)
            shown.append(box)
            self._boxes = [*shown, *unused]
            if self._column.indexOf(box) != position:
                self._column.insertWidget(position, box)
                box.show()
            yield
        self._boxes = shown
        self._remove_unused(unused, focused_key)

    def _remove_unused(self, unused: Sequence[GroupBox], focused_key: str) -> None:
        if any(
            box.focused_key for box in unused
        ):  # Qt would pass the focus to the lists
            for box in self._boxes:
                box.focus_key(focused_key)
        for box in unused:
            remove_widget(self._column, box)

    def _box_for(self, group: ControlGroup, unused: list[GroupBox]) -> GroupBox:
        """Return a box that shows the group: one of the same shape, taken from ``unused``, or a new
        one."""
        for box in unused:
            if box.shape == group_shape(group):
                unused.remove(box)
                box.show_group(group)
                return box
        box = GroupBox(group)
        box.changed.connect(self.value_changed)
        box.prompt_requested.connect(self.prompt_requested)
        return box


def _bar(role: str, first: QWidget, *others: QWidget) -> QWidget:
    """Return a row at an edge of the panel; the first widget takes the space that is left."""
    return panel_of(
        row_of(first, *others, margins=(_PAD, 3, 8, 3), gap=2, stretched=first), role
    )
