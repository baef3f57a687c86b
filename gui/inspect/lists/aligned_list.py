"""The list of the Inspect view: messages beside what became of them, or one side alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from PySide6.QtCore import QEvent, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from core.presentation.lists.aligned_rows import Block
from core.presentation.lists.row_plan import RowFlag
from core.presentation.lists.row_wording import rows_so_far
from core.presentation.model import FATES, FateRun, MessageRows, RowsReadEvent
from core.presentation.screen_model import Screen
from gui.inspect.lists.filter_bar import FilterBar
from gui.inspect.lists.list_head import ChangeSteps, ColumnHeader, FateChipRow
from gui.inspect.lists.list_pane import Selected
from gui.inspect.lists.message_list import MessageList
from gui.inspect.lists.row_parts import FoundText
from gui.inspect.lists.table_model import AFTER, BEFORE, CHANGES, VIEWS
from gui.inspect.run_pane import RunPane
from gui.language import tr
from gui.widgets.segmented_switch import SegmentedControl
from gui.widgets.theme import scaled_pixels
from gui.widgets.view_layout import column_of

MIN_LIST_WIDTH = 420
"""Pixels at body size 13: the least width of the list."""
STACKED_BELOW = 620
"""Pixels at body size 13: in a narrower list, what became of a row stands below it."""
TITLES = {CHANGES: "Changes", BEFORE: "Before", AFTER: "After"}
_TIPS = {
    CHANGES: "Every message beside what became of it (V for the next view)",
    BEFORE: "The source alone, with the fate of every message (V for the next view)",
    AFTER: "The result alone (V for the next view)",
}
_ROWS_ABOVE = 6  # rows above the first change when a transcript opens
_KEPT = FATES.index("kept")


class AlignedList(QWidget):
    """The list with its head: views, chips, filter and changes. One selection for source and
    result."""

    selected = Signal(str, int)
    clicked = Signal()  # on a message, after ``selected``
    cut_selected = Signal(str)
    cut_moved = Signal(str, int)
    cut_dragged = Signal(str, int)  # name, boundary that the pointer asks for
    cut_dropped = Signal(bool)  # whether it stays there
    recorded_selected = Signal(int)
    action_requested = Signal(str, str)  # name and argument of a link, as in a notice
    view_changed = Signal()
    restore_requested = Signal()
    menu_requested = Signal(QPoint)  # global position; the row is already selected

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.list = MessageList(self)
        self.filter_bar, self.change_steps = FilterBar(self), ChangeSteps()
        self.views = SegmentedControl(
            [tr(TITLES[view]) for view in VIEWS], [tr(_TIPS[view]) for view in VIEWS]
        )
        self.head = FateChipRow(self, self.views, self.filter_bar.field, self.change_steps)
        self.column_header = ColumnHeader(self)
        self.run_pane = RunPane(self.list.view.viewport(), self._run_area)
        self._flags: dict[RowFlag, frozenset[int]] = {}
        self._is_first_screen = True
        self._fit()
        self.setFocusProxy(self.list.view)
        parts = (self.head, self.filter_bar, self.column_header, self.list)
        self.setLayout(column_of(*parts, stretched=self.list))
        self._connect()

    def _connect(self) -> None:
        for signal in (
            "selected",
            "clicked",
            "cut_selected",
            "cut_moved",
            "recorded_selected",
            "action_requested",
            "view_changed",
        ):
            getattr(self.list, signal).connect(getattr(self, signal))
        self.list.frame_changed.connect(self._show_frame)
        self.list.view_changed.connect(self.run_pane.fit)
        self.list.view.drag.wanted.connect(self.cut_dragged)
        self.list.view.drag.ended.connect(self.cut_dropped)
        self.list.view.restore_requested.connect(self.restore_requested)
        self.list.view.menu_requested.connect(self.menu_requested)
        self.head.changed.connect(self._on_hidden)
        self.views.chosen.connect(self._on_view)
        self.run_pane.appeared.connect(self._make_room)
        self.run_pane.ended.connect(self._end_room)

    # Content

    @property
    def rows(self) -> MessageRows:
        """The rows of the source."""
        return self.list.rows

    def set_rows(self, rows: MessageRows) -> None:
        """Show another transcript before any preview."""
        self._is_first_screen = True
        self.list.set_rows(rows)

    def append_rows(self, part: RowsReadEvent) -> None:
        self.list.append_rows(part)

    def set_screen(self, screen: Screen) -> None:
        """Show a preview. On the first one of a transcript the list scrolls to the first change."""
        for _ in self.show_in_steps(screen):
            pass

    def show_in_steps(self, screen: Screen) -> Iterator[None]:
        self.list.set_screen(screen)
        changes = (run for run in screen.ruler.runs if run.fate != _KEPT)
        if self._is_first_screen and (change := next(changes, None)) is not None:
            self.align_run(change, _ROWS_ABOVE)
        self._is_first_screen = False
        yield

    def set_masks(self, before: bytes, after: bytes) -> None:
        """Show only the messages of each side whose mask is 1; an empty mask shows all."""
        self.list.set_state(replace(self.list.model.state, masks=(before, after)))

    def set_found(self, found: FoundText) -> None:
        """Show what is looked for in the rows."""
        self.list.view.rows.found = found
        self.list.view.viewport().update()

    def set_flag(self, flag: RowFlag, messages: Iterable[int]) -> None:
        """Show a flag in the gutters of exactly these source messages."""
        flagged = frozenset(messages)
        if flagged == self._flags.get(flag, frozenset()):
            return
        self._flags[flag] = flagged
        by_message: dict[int, RowFlag] = {}
        for known_flag, known_messages in self._flags.items():
            for message in known_messages:
                by_message[message] = by_message.get(message, RowFlag.NONE) | known_flag
        self.list.set_flags(by_message)

    def flagged_messages(self, flag: RowFlag) -> frozenset[int]:
        """Return the source messages that show a flag."""
        return self._flags.get(flag, frozenset())

    def set_busy(self, busy: bool) -> None:
        """Fade the result until the next preview replaces it."""
        self.list.set_outdated(busy)

    # Positions

    def current_message(self) -> Selected:
        """The side and index of the selected message; ("", -1) for none."""
        return self.list.current

    def select(self, side: str, index: int) -> None:
        """Select a message and scroll to it; nothing is emitted."""
        self.list.select(side, index)

    def source_of(self, side: str, index: int) -> int:
        """Return the source message of a message of either side, -1 for none."""
        return self.list.model.side(side).source(index)

    def show_boundary(self, message: int) -> None:
        """Scroll the rows around the boundary before a message into sight; -1 for none."""
        row = self.list.model.plan.row_of(BEFORE, message)
        if row >= 0:
            self.list.view.scroll_into_view(row)

    def align_run(self, run: FateRun, rows_above: int = 2) -> None:
        """Scroll so that a run starts some rows below the top."""
        side, index = (
            (BEFORE, run.before[0]) if run.before[1] > run.before[0] else (AFTER, run.after[0])
        )
        view = self.list.view
        view.scroll_to_message(side, index, rows_above * view.row_pixels)

    # Views

    @property
    def shown_view(self) -> str:
        return self.list.model.state.view

    def show_view(self, view: str) -> None:
        """Show Changes, Before or After; the selected message keeps its height."""
        self.list.set_state(replace(self.list.model.state, view=view))

    def collapse_kept(self, is_on: bool) -> None:
        """Collapse runs of kept messages, so that the changes stand close together."""
        self.list.set_state(replace(self.list.model.state, kept_collapsed=is_on))

    def next_view(self) -> None:
        self.show_view(VIEWS[(VIEWS.index(self.shown_view) + 1) % len(VIEWS)])

    def _on_view(self, place: int) -> None:
        self.show_view(VIEWS[place])

    def _on_hidden(self, hidden: frozenset[int]) -> None:
        self.list.set_state(replace(self.list.model.state, hidden=hidden))

    def _show_frame(self) -> None:
        """Show the view, chips and column heads of what is in the list now."""
        model = self.list.model
        state, before, after = model.state, model.before, model.after
        self.views.show_choice(VIEWS.index(state.view))
        self.head.show_counts(model.fate_counts(), state.hidden)
        names: tuple[str, ...] = (f"{tr('Before')} · {before.heading}",)
        result = f"{tr('After')} · {after.heading}"
        if not before.fates:
            names = (f"{tr('Before')} · {rows_so_far(before.rows)}",)
        elif state.view == AFTER:
            names = (result,)
        elif model.is_split:
            names = (*names, result)
        self.column_header.show_columns(self.list.view.rows.columns, before.token_mark, names)

    # The question before a paid call, in the place of the summary

    def _summary_block(self) -> Block | None:
        blocks = [block for block in self.list.model.plan.blocks if block.result >= 0]
        cells = self.list.model.aligned.cells
        unwritten = (
            block for block in blocks if block.result in cells and cells[block.result].state
        )
        return next(unwritten, blocks[0] if blocks else None)

    def _run_area(self) -> QRect:
        """Return where the summary stands, below its title; without one the right half of the
        list."""
        view, block = self.list.view, self._summary_block()
        split, size = view.rows.columns.split, view.viewport().size()
        if block is None:
            return QRect(size.width() // 2, 0, size.width() - size.width() // 2, size.height())
        left, title = split + view.rows.fonts.px(3), view.row_pixels
        top, bottom = view.row_top(block.first), view.row_top(block.first + block.rows)
        first, last = max(top, 0) + title, min(bottom, size.height())  # what is visible of it
        height = max(last - first, min(self._needed_height(), bottom - top - title))
        return QRect(left, min(first, bottom - height), size.width() - left, height)

    def _needed_height(self) -> int:
        pane = self.run_pane
        return max(pane.sizeHint().height(), pane.heightForWidth(pane.width()))

    def _make_room(self) -> None:
        """Show the cell of the summary, with as many rows as the question needs."""
        self.show_view(CHANGES)
        block, view = self._summary_block(), self.list.view
        if block is None:
            return
        needed = -(-self._needed_height() // view.row_pixels) + 1
        state = self.list.model.state
        if block.rows < needed:
            self.list.set_state(
                replace(state, least_rows={**state.least_rows, block.result: needed})
            )
        block = self._summary_block() or block
        view.scroll_into_view(
            block.first + min(needed, view.viewport().height() // view.row_pixels) - 1
        )
        view.scroll_into_view(block.first)

    def _end_room(self) -> None:
        self.list.set_state(replace(self.list.model.state, least_rows={}))

    # Keys and size

    def event(self, event: QEvent) -> bool:
        """Esc closes the filter first."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            is_handled = event.key() == Qt.Key.Key_Escape and self.filter_bar.isVisible()
            event.setAccepted(is_handled)
            return is_handled
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc in the list closes the filter."""
        if event.key() == Qt.Key.Key_Escape and self.filter_bar.isVisible():
            self.filter_bar.close_bar()
            return
        super().keyPressEvent(event)

    def _fit(self) -> None:
        self.setMinimumWidth(scaled_pixels(MIN_LIST_WIDTH, self.font()))
        is_stacked = self.width() < scaled_pixels(STACKED_BELOW, self.font())
        self.list.set_state(replace(self.list.model.state, is_stacked=is_stacked))
        self.column_header.setVisible(not is_stacked)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stacks the halves in a narrow list."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()
