"""A group of controls: title with note, rows, foot with a link, figures with bars."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QIcon, QResizeEvent
from PySide6.QtWidgets import QFrame, QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from core.presentation.model import ControlGroup, TextSpan
from gui.inspect.tuning.control_row import DOT_MARGIN, GAP, NARROW_GAP, ControlRow
from gui.language import tr
from gui.widgets.basic_widgets import push_button
from gui.widgets.figure_list import FigureList
from gui.widgets.icons import glyph_icon
from gui.widgets.text_labels import ElidedLabel, SpanText
from gui.widgets.theme import SECONDARY, Theme, scaled_pixels, theme

PAD, NARROW_PAD, _VERTICAL_PADDING = 12, 4, 9
NARROW = 250
"""Below this many pixels gaps and figures shrink."""
GroupShape = tuple[object, ...]


def group_shape(group: ControlGroup) -> GroupShape:
    """Return what two groups must have in common to be shown by the same widgets."""
    controls = tuple((control.key or control.label, control.kind) for control in group.controls)
    return (group.collapsed, group.title if group.collapsed else "", controls)


class GroupBox(QWidget):
    """Shows a group; another of the same shape changes it in place."""

    changed = Signal(str, object, bool)
    layers_requested = Signal(object, object)
    open_changed = Signal(str, bool)  # title, whether it is open
    prompt_requested = Signal()

    def __init__(self, group: ControlGroup, *, is_open: bool) -> None:
        super().__init__()
        self._group, self._theme = group, theme("light")
        self._is_open = is_open
        self._chevron = push_button("", "group")
        self._title, self._note = ElidedLabel("", "group"), ElidedLabel("", "secondary")
        self._content, self._footer = QWidget(), SpanText(SECONDARY, "text2")
        self._facts = FigureList()
        for widget in (self._footer, self._facts):
            widget.setParent(self._content)
        self._chevron.clicked.connect(self._toggle)
        self._footer.link_activated.connect(self._on_action)
        self.rows: list[ControlRow] = []  # made when they are first shown
        self._build()
        self.show_group(group)

    def _build(self) -> None:
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        self._header = header = QHBoxLayout()
        header.setSpacing(4)
        for widget, stretch in ((self._chevron, 0), (self._title, 0), (self._note, 1)):
            header.addWidget(widget, stretch)
        self._note.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
        self._grid = QGridLayout(self._content)
        self._grid.setVerticalSpacing(0)
        self._grid.setColumnStretch(1, 1)
        self._set_narrow(False)
        rule = QFrame()
        rule.setProperty("role", "rule")
        column.addLayout(header)
        column.addWidget(self._content)
        column.addWidget(rule)

    def _fill(self) -> None:
        self.rows = [ControlRow(control, self._content) for control in self._group.controls]
        for row in self.rows:
            row.set_theme(self._theme)
            row.set_narrow(self._is_narrow)
        self._place(self._grid)

    def _place(self, grid: QGridLayout) -> None:
        has_switches = bool(self.rows) and self.rows[0].control.kind == "flag"  # the rows below belong to it
        next_row = 0
        for row in self.rows:
            row.changed.connect(self.changed)
            row.layers_requested.connect(self.layers_requested)
            row.prompt_requested.connect(self.prompt_requested)
            next_row = row.add_to_grid(grid, next_row, indented=has_switches)
        grid.addWidget(self._footer, next_row, 0, 1, 4)
        grid.addWidget(self._facts, next_row + 1, 0, 1, 4)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._footer.set_theme(theme)
        self._facts.set_theme(theme)
        for row in self.rows:
            row.set_theme(theme)
        self._show_open()

    def show_group(self, group: ControlGroup) -> None:
        self._group = group
        self._title.show_text(group.title)
        self._title.setVisible(not group.collapsed)
        self._chevron.setText(group.title if group.collapsed else "")
        self._note.show_text(group.note, group.short_note)
        for row, control in zip(self.rows, group.controls, strict=False):
            row.show_control(control)
        footer_spans: tuple[TextSpan, ...] = (TextSpan(group.footnote),) if group.footnote else ()
        if group.action is not None:
            footer_spans += (TextSpan(" · " if footer_spans else ""), TextSpan(group.action[0], "action"))
        self._footer.set_spans(footer_spans)
        self._footer.setVisible(bool(footer_spans))
        self._facts.show_facts(group.facts)
        self._facts.setVisible(bool(group.facts))
        self._show_open()

    def _set_narrow(self, is_narrow: bool) -> None:
        self._is_narrow = is_narrow
        self._grid.setContentsMargins(PAD, 0, NARROW_PAD if is_narrow else PAD, _VERTICAL_PADDING)
        self._grid.setHorizontalSpacing(NARROW_GAP if is_narrow else GAP)
        self._facts.setContentsMargins(0, 0, DOT_MARGIN if is_narrow else 0, 0)
        for row in self.rows:
            row.set_narrow(is_narrow)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if (is_narrow := event.size().width() < scaled_pixels(NARROW, self.font())) != self._is_narrow:
            self._set_narrow(is_narrow)

    def _show_open(self) -> None:
        can_close = self._group.collapsed
        if (self._is_open or not can_close) and self._grid.count() == 0:
            self._fill()
        self._chevron.setVisible(can_close)
        name = "chevron-down" if self._is_open else "chevron"
        self._chevron.setIcon(glyph_icon(name, self._theme.text2) if can_close else QIcon())
        verb = tr("Close") if self._is_open else tr("Open")
        self._chevron.setAccessibleName(f"{verb} {self._group.title}")
        self._chevron.setToolTip(f"{verb} {self._group.title}")
        is_content_visible = self._is_open or not can_close
        self._header.setContentsMargins(
            PAD, _VERTICAL_PADDING, PAD, 3 if is_content_visible else _VERTICAL_PADDING
        )
        self._content.setVisible(is_content_visible)

    def _toggle(self) -> None:
        self._is_open = not self._is_open
        self._show_open()
        self.open_changed.emit(self._group.title, self._is_open)

    def _on_action(self) -> None:
        if self._group.action is not None:
            _, key, value = self._group.action
            self.changed.emit(key, value, False)
