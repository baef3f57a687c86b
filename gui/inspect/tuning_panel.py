"""The tuning panel: the controls of the active strategy, a row each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QApplication, QWidget

from core.presentation.model import ControlGroup
from gui.inspect.control_row import DOT_COLUMN, ControlRow
from gui.language import tr
from gui.widgets.basic_widgets import push_button, rule, text_label
from gui.widgets.figure_list import FigureList
from gui.widgets.icons import GlyphButton
from gui.widgets.scrolled_area import ScrollContainer
from gui.widgets.theme import scaled_pixels
from gui.widgets.view_layout import column_of, fill_panel, panel_of, remove_widget, row_of

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
        self.figures, self.link = FigureList(row_height=22), push_button("", "link")
        self.link.clicked.connect(self._on_link)
        title, note = text_label(tr(group.title), "group"), text_label(tr(group.note), "secondary")
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
            column_of(head, *self.rows, figures, end, rule(), margins=(2, 8, 2, 6), gap=6)
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
        rows = (row for row in self.rows if focused is not None and row.isAncestorOf(focused))
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

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.groups: Sequence[ControlGroup] = ()
        self._boxes: list[GroupBox] = []
        self.undo_button = GlyphButton("undo", "", text=tr("Undo"), role="flat")
        self.redo_button = GlyphButton("redo", "", text=tr("Redo"), role="flat")
        self.all_button = push_button(tr("All settings…"), "link")
        self.changed_label = text_label("", "secondary")
        self._set_min_width()
        self._build()
        for button, signal, tip in (
            (self.undo_button, self.undo_requested, "Take back the last change (Ctrl Z)"),
            (self.redo_button, self.redo_requested, "Make it again (Ctrl Shift Z)"),
        ):
            button.setToolTip(tr(tip))
            button.clicked.connect(signal)
        self.all_button.setToolTip(tr("All settings, and where they are saved (Ctrl ,)"))
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
            "head", text_label(tr("Tuning"), "strong"), self.undo_button, self.redo_button
        )
        self.scroll_area = ScrollContainer(
            content, role="side", min_height=_MIN_GROUPS_HEIGHT, keeps_bar=True
        )
        foot = _bar("foot", self.changed_label, self.all_button)
        fill_panel(self, "side", column_of(self.head, self.scroll_area, None, foot))

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
        changed = sum(control.layer == "session" for group in groups for control in group.controls)
        self.changed_label.setText(tr("● {count} changed").format(count=changed) if changed else "")
        unused, shown = list(self._boxes), list[GroupBox]()
        focused_key = next((key for box in unused if (key := box.focused_key)), "")
        for position, group in enumerate(groups):
            box = next((one for one in unused if one.shape == group_shape(group)), None)
            if box is None:
                box = GroupBox(group)
                box.changed.connect(self.value_changed)
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
        if any(box.focused_key for box in unused):  # Qt would pass the focus to the lists
            for box in shown:
                box.focus_key(focused_key)
        for box in unused:
            remove_widget(self._column, box)


def _bar(role: str, first: QWidget, *others: QWidget) -> QWidget:
    """Return a row at an edge of the panel; the first widget takes the space that is left."""
    return panel_of(row_of(first, *others, margins=(_PAD, 3, 8, 3), gap=2, stretched=first), role)
