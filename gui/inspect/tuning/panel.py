"""The tuning panel: the controls of the active strategy, and the effect of the last change."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QVBoxLayout, QWidget

from core.presentation.model import ChangeEffect, ControlGroup
from gui.inspect.tuning.control_row import ControlRow
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
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
        for row in self.rows:
            row.changed.connect(self.changed)
            row.prompt_requested.connect(self.prompt_requested)
            column.addWidget(row)
        column.addWidget(self.figures)
        column.addWidget(self.link, 0, Qt.AlignmentFlag.AlignLeft)
        column.addWidget(_rule())
        self.set_theme(theme)
        self.show_group(group)

    def set_theme(self, theme: Theme) -> None:
        for row in self.rows:
            row.set_theme(theme)
        self.figures.set_theme(theme)

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


def group_shape(group: ControlGroup) -> tuple[object, ...]:
    """Return what two groups must have in common to be shown by the same widgets."""
    return tuple((control.key or control.label, control.kind) for control in group.controls)


class EffectBox(QWidget):
    """What was changed last, its consequences, and Undo."""

    def __init__(self) -> None:
        super().__init__()
        self.title, self.change = ElidedLabel(), ElidedLabel("", "secondary")
        self.undo, self.facts = push_button(tr("Undo"), "link"), FigureList(row_height=22, drops_nouns=True)
        column = QVBoxLayout(self)
        column.setContentsMargins(_PAD, 8, _PAD, 6)
        column.setSpacing(2)
        row = QHBoxLayout()
        row.setSpacing(6)
        row.addWidget(self.title)
        row.addWidget(self.change, 1)
        row.addWidget(self.undo)
        column.addWidget(text_label(tr("Effect of the last change"), "group"))
        column.addLayout(row)
        column.addWidget(self.facts)
        column.addWidget(_rule())
        self.hide()

    def show_effect(self, effect: ChangeEffect | None, can_undo: bool) -> None:
        """Show an effect; nothing if there was no change."""
        self.setVisible(effect is not None)
        self.undo.setEnabled(can_undo)
        if effect is not None:
            self.title.show_text(effect.title)
            self.change.show_text(effect.change)
            self.facts.show_facts(effect.facts)


class TuningPanel(QWidget):
    """Shows the groups of a screen and emits the user's changes."""

    value_changed = Signal(str, object, bool)  # key, value, draft
    reset_requested = Signal(str)
    undo_requested = Signal()
    all_settings_requested = Signal()
    prompt_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme("light")
        self.groups: Sequence[ControlGroup] = ()
        self.effect: ChangeEffect | None = None
        self._boxes: list[GroupBox] = []
        self.undo_button, self.all_button = (
            push_button(tr("Undo"), "flat"),
            push_button(tr("All settings…"), "link"),
        )
        self.effect_box, self.changed_label = EffectBox(), text_label("", "secondary")
        self.setProperty("role", "side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._set_min_width()
        self._build()
        for button in (self.undo_button, self.effect_box.undo):
            button.setToolTip(tr("Take back the last change of a setting (Ctrl Z)"))
            button.clicked.connect(self.undo_requested)
        self.undo_button.setEnabled(False)
        self.all_button.setToolTip(tr("All settings, and where they are saved (Ctrl ,)"))
        self.all_button.clicked.connect(self.all_settings_requested)

    def _set_min_width(self) -> None:
        self.setMinimumWidth(scaled_pixels(MIN_PANEL_WIDTH, self.font()))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._set_min_width()

    def _build(self) -> None:
        header, footer, content = QWidget(), QWidget(), QWidget()
        for part, role in ((header, "head"), (footer, "foot")):
            part.setProperty("role", role)
            part.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(header)
        row.setContentsMargins(_PAD, 3, 8, 3)
        row.addWidget(text_label(tr("Tuning"), "strong"), 1)
        row.addWidget(self.undo_button)
        row = QHBoxLayout(footer)
        row.setContentsMargins(_PAD, 3, 8, 3)
        row.addWidget(self.changed_label, 1)
        row.addWidget(self.all_button)
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(header)
        self.scroll_area = ScrollContainer(content, role="side", min_height=_MIN_GROUPS_HEIGHT)
        column.addWidget(self.scroll_area)
        column.addWidget(self.effect_box)
        column.addStretch(1)
        column.addWidget(footer)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        set_glyph(self.undo_button, "undo", theme.text2, theme.text3)
        self.effect_box.facts.set_theme(theme)
        for box in self._boxes:
            box.set_theme(theme)

    def show_change(self, effect: ChangeEffect | None, can_undo: bool) -> None:
        """Show the effect of the last change, and whether it can be undone."""
        self.effect = effect
        self.undo_button.setEnabled(can_undo)
        self.effect_box.show_effect(effect, can_undo)

    def show_groups(self, groups: Sequence[ControlGroup]) -> Iterator[None]:
        """Show the groups, one per step. Groups of the same shape change in place: focus and drags stay."""
        self.groups = groups
        changed = sum(control.layer == "session" for group in groups for control in group.controls)
        self.changed_label.setText(tr("● {count} changed").format(count=changed) if changed else "")
        unused, shown = list(self._boxes), list[GroupBox]()
        for position, group in enumerate(groups):
            box = next((one for one in unused if one.shape == group_shape(group)), None)
            if box is None:
                box = self._new_box(group)
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

    def _new_box(self, group: ControlGroup) -> GroupBox:
        box = GroupBox(group, self._theme)
        box.changed.connect(self._on_changed)
        box.prompt_requested.connect(self.prompt_requested)
        return box

    def _on_changed(self, key: str, value: object, draft: bool) -> None:
        """None removes the session's value."""
        if value is None:
            self.reset_requested.emit(key)
        else:
            self.value_changed.emit(key, value, draft)


def _rule() -> QFrame:
    rule = QFrame()
    rule.setProperty("role", "rule")
    return rule
