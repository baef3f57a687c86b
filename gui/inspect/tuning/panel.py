"""The tuning panel: groups of controls built from the declarations of settings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.presentation.model import ChangeEffect, ControlGroup, SettingControl
from gui.inspect.tuning.effect_box import EffectBox
from gui.inspect.tuning.group_box import GroupBox, GroupShape, group_shape
from gui.inspect.tuning.layer_dot import LayerPopup
from gui.inspect.tuning.layer_legend import LayerLegend
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.scrolled_area import ScrollContainer
from gui.widgets.theme import Theme, scaled_pixels, theme
from gui.widgets.toned_label import set_glyph

MIN_PANEL_WIDTH = 220
_MIN_GROUPS_HEIGHT = 160
"""Least visible pixels of the groups in a low window."""


class TuningPanel(QWidget):
    """Shows the groups of a screen and emits the user's changes."""

    value_changed = Signal(str, object, bool)  # key, value, draft
    reset_requested = Signal(str)
    undo_requested = Signal()
    all_settings_requested = Signal()  # all settings
    prompt_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme("light")
        self.groups: Sequence[ControlGroup] = ()
        self.effect: ChangeEffect | None = None
        self._boxes: list[tuple[GroupShape, GroupBox]] = []
        self._open_groups: dict[str, bool] = {}
        self._undo_button = push_button(tr("Undo"), "flat")
        self._all_button = push_button(tr("All…"), "link")
        self._effect_box, self._legend = EffectBox(), LayerLegend()
        self.setProperty("role", "side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._set_min_width()
        self._build()
        self._undo_button.setToolTip(tr("Take back the last change of a setting (Ctrl Z)"))
        self._undo_button.setEnabled(False)
        self._all_button.setToolTip(tr("All settings, and where they are saved (Ctrl ,)"))
        self._all_button.clicked.connect(self.all_settings_requested)
        self._undo_button.clicked.connect(self.undo_requested)
        self._effect_box.undo_requested.connect(self.undo_requested)

    def _set_min_width(self) -> None:
        self.setMinimumWidth(scaled_pixels(MIN_PANEL_WIDTH, self.font()))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._set_min_width()

    def _build(self) -> None:
        header = QWidget()
        header.setProperty("role", "head")
        header.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        row = QHBoxLayout(header)
        row.setContentsMargins(12, 3, 8, 3)
        row.addWidget(text_label(tr("Tuning"), "strong"), 1)
        row.addWidget(self._undo_button)
        content = QWidget()
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(header)
        self._scroll = ScrollContainer(content, role="side", min_height=_MIN_GROUPS_HEIGHT)
        self._scroll.verticalScrollBar().rangeChanged.connect(self._on_range)
        column.addWidget(self._scroll)
        column.addWidget(self._effect_box)
        column.addStretch(1)
        footer = QHBoxLayout(self._legend)
        footer.setContentsMargins(0, 1, 6, 0)
        footer.addStretch(1)
        footer.addWidget(self._all_button)
        column.addWidget(self._legend)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        set_glyph(self._undo_button, "undo", theme.text2, theme.text3)
        self._legend.set_theme(theme)
        self._effect_box.set_theme(theme)
        for _, box in self._boxes:
            box.set_theme(theme)

    def show_change(self, effect: ChangeEffect | None, can_undo: bool) -> None:
        """Show the effect of the last change, and whether it can be undone."""
        self.effect = effect
        self._undo_button.setEnabled(can_undo)
        self._effect_box.show_effect(effect, can_undo)

    def show_groups(self, groups: Sequence[ControlGroup]) -> Iterator[None]:
        """Show the groups, one per step; stopped half-way, the previous ones remain. Groups of the same shape
        change in place: focus and drags stay."""
        self.groups = groups
        shown_boxes: list[tuple[GroupShape, GroupBox]] = []
        unused_boxes = list(self._boxes)
        for position, group in enumerate(groups):
            box = self._box_for(group, unused_boxes)
            shown_boxes.append((group_shape(group), box))
            self._boxes = [*shown_boxes, *unused_boxes]
            if self._column.indexOf(box) != position:
                self._column.insertWidget(position, box)
                box.show()
            yield
        self._boxes = shown_boxes
        for _, box in unused_boxes:
            self._column.removeWidget(box)
            box.hide()
            box.deleteLater()

    def _box_for(self, group: ControlGroup, unused_boxes: list[tuple[GroupShape, GroupBox]]) -> GroupBox:
        """Return a box of the same shape, taken out of ``unused_boxes``, or a new one."""
        shape = group_shape(group)
        for entry in unused_boxes:
            if entry[0] == shape:
                unused_boxes.remove(entry)
                entry[1].show_group(group)
                return entry[1]
        box = GroupBox(group, is_open=self._open_groups.get(group.title, not group.collapsed))
        box.set_theme(self._theme)
        box.changed.connect(self._on_changed)
        box.layers_requested.connect(self._on_layers)
        box.open_changed.connect(self._on_opened)
        box.prompt_requested.connect(self.prompt_requested)
        return box

    def _on_range(self, first: int, last: int) -> None:
        """Draw a line if the groups are cut off by scrolling."""
        self._effect_box.set_rule_above(last > first)

    def _on_changed(self, key: str, value: object, draft: bool) -> None:
        """None removes the session's value."""
        if value is None:
            self.reset_requested.emit(key)
        else:
            self.value_changed.emit(key, value, draft)

    def _on_opened(self, title: str, is_open: bool) -> None:
        self._open_groups[title] = is_open

    def _on_layers(self, control: SettingControl, dot: QWidget) -> None:
        popup = LayerPopup(control, self._theme, self)
        popup.reset_requested.connect(self.reset_requested)
        popup.open_at(dot)
