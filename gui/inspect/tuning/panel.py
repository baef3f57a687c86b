"""The tuning panel: the controls of the active strategy, and the effect of the last change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.presentation.model import ChangeEffect, ControlGroup
from gui.inspect.tuning.controls import ControlRow
from gui.language import tr
from gui.widgets.basic_widgets import push_button, rule, text_label
from gui.widgets.figure_list import FigureList
from gui.widgets.scrolled_area import ScrollContainer
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import Theme, scaled_pixels, theme
from gui.widgets.toned_label import set_glyph

MIN_PANEL_WIDTH = 220
_MIN_GROUPS_HEIGHT = 160
"""Least visible pixels of the groups in a low window."""
_PAD = 12


class GroupBox(QWidget):
    """The controls of a group, their figures and a link. Another group of the same shape replaces it."""

    changed = Signal(str, object, bool)
    prompt_requested = Signal()

    def __init__(self, group: ControlGroup, theme: Theme) -> None:
        super().__init__()
        self._group = group
        self.shape = group_shape(group)
        self.rows = [ControlRow(control) for control in group.controls]
        self.figures, self.link = FigureList(row_height=22), push_button("", "link")
        self.link.clicked.connect(self._on_link)
        column = QVBoxLayout(self)
        column.setContentsMargins(_PAD, 8, _PAD, 6)
        column.setSpacing(6)
        if group.title:
            head = QHBoxLayout()
            head.addWidget(text_label(tr(group.title), "group"), 1)
            head.addWidget(text_label(tr(group.note), "secondary"))
            column.addLayout(head)
        for row in self.rows:
            row.changed.connect(self.changed)
            row.prompt_requested.connect(self.prompt_requested)
            row.link_activated.connect(self._on_hint_link)
            column.addWidget(row)
        column.addWidget(self.figures)
        column.addWidget(self.link, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(rule())
        self.set_theme(theme)
        self.show_group(group)

    def set_theme(self, theme: Theme) -> None:
        for row in self.rows:
            row.set_theme(theme)

    def show_group(self, group: ControlGroup) -> None:
        self._group = group
        for row, control in zip(self.rows, group.controls, strict=True):
            row.show_control(control)
        self.figures.show_facts(group.facts)
        self.figures.setVisible(bool(group.facts))
        self.link.setText(group.action[0] if group.action is not None else "")
        self.link.setVisible(group.action is not None)

    def _on_link(self) -> None:
        if self._group.action is not None:
            self.changed.emit(self._group.action[1], self._group.action[2], False)

    def _on_hint_link(self, target: str) -> None:
        self.changed.emit("link", target, False)


def group_shape(group: ControlGroup) -> tuple[object, ...]:
    """Return what two groups must have in common to be shown by the same widgets."""
    return group.title, *((control.key or control.label, control.kind) for control in group.controls)


class TuningPanel(QWidget):
    """Shows the groups of a screen and emits the user's changes."""

    value_changed = Signal(str, object, bool)  # key, value, draft
    reset_requested = Signal(str)
    undo_requested = Signal()
    redo_requested = Signal()
    all_settings_requested = Signal()
    prompt_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme("light")
        self.groups: Sequence[ControlGroup] = ()
        self.effect: ChangeEffect | None = None
        self._boxes: list[GroupBox] = []
        self.undo_button, self.redo_button = (push_button(tr(text), "flat") for text in ("Undo", "Redo"))
        self.undo_link, self.redo_link = (push_button(tr(text), "link") for text in ("Undo", "Redo"))
        self.all_button = push_button(tr("All settings…"), "link")
        self.changed_label = text_label("", "secondary")
        self.effect_title, self.effect_change = ElidedLabel(), ElidedLabel("", "secondary")
        self.effect_facts = FigureList(row_height=22, drops_nouns=True)
        self.setProperty("role", "side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._set_min_width()
        self._build()
        for buttons, signal, tip in (
            ((self.undo_button, self.undo_link), self.undo_requested, "Take back the last change (Ctrl Z)"),
            ((self.redo_button, self.redo_link), self.redo_requested, "Make it again (Ctrl Shift Z)"),
        ):
            for button in buttons:
                button.setToolTip(tr(tip))
                button.clicked.connect(signal)
        self.all_button.setToolTip(tr("All settings, and where they are saved (Ctrl ,)"))
        self.all_button.clicked.connect(self.all_settings_requested)
        self.show_change(None)

    def _set_min_width(self) -> None:
        self.setMinimumWidth(scaled_pixels(MIN_PANEL_WIDTH, self.font()))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._set_min_width()

    def _build(self) -> None:
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self.head = _bar("head", text_label(tr("Tuning"), "strong"), self.undo_button, self.redo_button)
        column.addWidget(self.head)
        self.scroll_area = ScrollContainer(content, role="side", min_height=_MIN_GROUPS_HEIGHT)
        column.addWidget(self.scroll_area)
        column.addWidget(self._effect_box())
        column.addStretch(1)
        column.addWidget(_bar("foot", self.changed_label, self.all_button))

    def _effect_box(self) -> QWidget:
        """What was changed last, its consequences, Undo and Redo."""
        self.effect_box = QWidget()
        column = QVBoxLayout(self.effect_box)
        column.setContentsMargins(_PAD, 8, _PAD, 6)
        column.setSpacing(2)
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self.effect_title)
        row.addWidget(self.effect_change, 1)
        row.addWidget(self.undo_link)
        row.addWidget(self.redo_link)
        column.addWidget(text_label(tr("Effect of the last change"), "group"))
        column.addLayout(row)
        column.addWidget(self.effect_facts)
        column.addWidget(rule())
        return self.effect_box

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for button, glyph in ((self.undo_button, "undo"), (self.redo_button, "redo")):
            set_glyph(button, glyph, theme.text2, theme.text3)
        for box in self._boxes:
            box.set_theme(theme)

    def show_change(
        self, effect: ChangeEffect | None, *, can_undo: bool = False, can_redo: bool = False
    ) -> None:
        """Show the effect of the last change, and whether it can be undone or made again."""
        self.effect = effect
        self.undo_button.setEnabled(can_undo)
        self.redo_button.setEnabled(can_redo)
        self.undo_link.setVisible(can_undo)
        self.redo_link.setVisible(can_redo)
        self.effect_box.setVisible(effect is not None)
        if effect is not None:
            self.effect_title.show_text(effect.title)
            self.effect_change.show_text(effect.change)
            self.effect_facts.show_facts(effect.facts)

    def show_groups(self, groups: Sequence[ControlGroup]) -> Iterator[None]:
        """Show the groups, one per step. Groups of the same shape change in place: focus and drags stay."""
        self.groups = groups
        changed = sum(control.layer == "session" for group in groups for control in group.controls)
        self.changed_label.setText(tr("● {count} changed").format(count=changed) if changed else "")
        unused, shown = list(self._boxes), list[GroupBox]()
        for position, group in enumerate(groups):
            box = next((one for one in unused if one.shape == group_shape(group)), None)
            if box is None:
                box = GroupBox(group, self._theme)
                box.changed.connect(self._on_changed)
                box.prompt_requested.connect(self.prompt_requested)
            else:
                unused.remove(box)
                box.show_group(group)
            shown.append(box)
            self._boxes = [*shown, *unused]
            if self._column.indexOf(box) != position:
                self._column.insertWidget(position, box)
                box.show()
            yield
        self._boxes = shown
        for box in unused:
            self._column.removeWidget(box)
            box.hide()
            box.deleteLater()

    def _on_changed(self, key: str, value: object, draft: bool) -> None:
        """None removes the session's value."""
        if value is None:
            self.reset_requested.emit(key)
        else:
            self.value_changed.emit(key, value, draft)


def _bar(role: str, first: QWidget, *others: QWidget) -> QWidget:
    """Return a row at an edge of the panel; the first widget takes the space that is left."""
    bar = QWidget()
    bar.setProperty("role", role)
    bar.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    row = QHBoxLayout(bar)
    row.setContentsMargins(_PAD, 3, 8, 3)
    row.setSpacing(2)
    row.addWidget(first, 1)
    for widget in others:
        row.addWidget(widget)
    return bar
