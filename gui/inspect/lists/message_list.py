"""The message list as a widget: selection, collapsed runs, links and keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from core.presentation.filter_query import any_mask
from core.presentation.inspector_model import MessageChanges
from core.presentation.lists.row_plan import RowFlag, RowKind
from core.presentation.lists.side_rows import ListContent, find_same_message
from core.presentation.model import RUN_TOPIC, MessageRows, Notice, RowsReadEvent
from core.presentation.ruler.geometry import CutMove
from core.presentation.screen_model import Screen
from gui.inspect.lists.cells import CellLink, CellStates
from gui.inspect.lists.delegate import TOGGLE_SUMMARY, UNDO, RecordedLink, RowLink
from gui.inspect.lists.table_model import (
    AFTER,
    BEFORE,
    CHANGES,
    ListState,
    MessageListModel,
)
from gui.inspect.lists.table_view import MessageListView, OverviewColumns
from gui.language import tr
from gui.widgets.accessibility import AccessibleParts
from gui.widgets.basic_widgets import text_label
from gui.widgets.view_layout import column_of

# The rows of the message list with selection and scroll position.


Selected = tuple[str, int]
"""Side and index of a message; index -1 for none."""
NOTHING: Selected = ("", -1)


class MessageListPane(QWidget):
    """Rows with a selection. Selection and scroll position stay when other rows are shown."""

    view_changed = Signal()  # other rows are visible, or at other heights
    frame_changed = Signal()  # other rows, columns or counts

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._suppresses_signals = False
        self._has_dragged = False  # a preview without the drag is still to come
        self.current: Selected = NOTHING
        self.model = MessageListModel(self)
        self.view = MessageListView(self.model, self)
        self.view.setAccessibleName(tr("Messages"))
        self.overview = self.view.overview
        self.parts = AccessibleParts(self, is_behind=True)
        self.empty_text = self._new_empty_text()
        self.setLayout(column_of(self.view))
        self.setFocusProxy(self.view)
        self.view.verticalScrollBar().valueChanged.connect(self._on_scroll)
        self.overview.jumped.connect(self._on_jumped)
        self.view.resized.connect(self._on_resized)

    def _new_empty_text(self) -> QLabel:
        label = text_label(tr("No message passes the filter."), "muted", wraps=True)
        label.setParent(self.view.viewport())
        label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        label.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        label.hide()
        return label

    # Content

    def set_rows(self, rows: MessageRows) -> None:
        """Show the messages of another transcript, before any preview; all state is reset."""
        with self._signals_suppressed():
            self.model.show_rows(rows)
            self._set_current(NOTHING)
            self.view.verticalScrollBar().setValue(0)
            self.refresh()

    @property
    def rows(self) -> MessageRows:
        return self.model.before.rows

    def append_rows(self, event: RowsReadEvent) -> None:
        """Add a streamed batch of messages, or overwrite some with it."""
        with self._signals_suppressed():
            columns = self.view.rows.columns
            self.model.append(event)
            self.view.rows.lay_out_columns(columns.width)
            if self.view.rows.columns != columns:
                self.view.viewport().update()
            self.update_frame()

    def set_screen(self, screen: Screen) -> None:
        """Show a preview; selection, expanded runs, filter and scroll position stay if possible."""
        before, after = self.model.before, self.model.after
        side, anchor, y = self.view.visible_anchor(self.current)
        cut, cut_y = self._held_cut()
        with self._signals_suppressed():
            if self._has_dragged and not screen.provisional:
                self._has_dragged = False
                self.model.state = replace(self.model.state, move=None)
            self.view.cells.states = CellStates.of(screen)
            self.model.show_screen(screen)
            self._set_current(self._same(before, after, self.current))
            side, anchor = self._same(before, after, (side, anchor))
            if cut:
                row = self.view.cut_row(cut)
            else:
                row = -1
            if (
                row >= 0
            ):  # a cut that is moved stays where it is, and the list moves under it
                if self.current == NOTHING:
                    self.view.set_current(row)
                self.view.verticalScrollBar().setValue(
                    row * self.view.row_pixels - cut_y
                )
            elif anchor >= 0:
                self.view.scroll_to_message(side, anchor, y)
            self.refresh()

    def _held_cut(self) -> tuple[str, int]:
        """Return the cut that stays where it is while the list moves under it, and its height."""
        if (move := self.model.move) is not None:
            return move.name, self.view.row_top(self.view.cut_row(move.name))
        return self.view.current_cut()

    def show_drag(self, move: CutMove | None) -> None:
        """Show the source alone while a cut is dragged, the row of the cut at its height; None when
        it is let go: the next preview shows the rest again."""
        self._has_dragged = move is None and self.model.state.move is not None
        if move is not None:
            row = self.view.cut_row(move.name)
            if (
                row < 0
                or not 0 <= self.view.row_top(row) <= self.view.viewport().height()
            ):
                y = self.view.viewport().height() // 2
            else:
                y = self.view.row_top(row)
            self._show_cut_at(replace(self.model.state, move=move), move.name, y)

    def end_drag(self) -> None:
        """Show all again, though no preview came for what was dragged."""
        if self._has_dragged:
            self._has_dragged = False
            self._show_cut_at(replace(self.model.state, move=None), *self._held_cut())

    def _show_cut_at(self, state: ListState, name: str, y: int) -> None:
        with self._signals_suppressed():
            self.model.set_state(state)
            row = self.view.cut_row(name)
            self._set_current(self.current)
            if self.current == NOTHING:
                self.view.set_current(row)
            if row >= 0:
                self.view.verticalScrollBar().setValue(row * self.view.row_pixels - y)
            self.refresh()

    def _same(
        self, before: ListContent, after: ListContent, message: Selected
    ) -> Selected:
        """Return where a message of the former content is now."""
        side, index = message
        former, now = (
            (after, self.model.after) if side == AFTER else (before, self.model.before)
        )
        found = find_same_message(former, now, index)
        if found >= 0:
            return (side, found)
        return NOTHING

    def set_state(self, state: ListState) -> None:
        """Show other rows of the same messages; the anchor keeps its height."""
        with self._scroll_position_kept():
            self.model.set_state(state)

    def set_outdated(self, is_outdated: bool) -> None:
        if is_outdated != self.view.rows.is_outdated:
            self.view.rows.is_outdated = is_outdated
            self.view.viewport().update()

    def show_notice(self, notice: Notice) -> None:
        """Show in the cells why there is no summary, until another preview or run."""
        if notice.topic == RUN_TOPIC:
            cells = self.view.cells
            cells.states = replace(
                cells.states, failure=notice if notice.severity == "error" else None
            )
            self.view.viewport().update()

    def highlight_messages(self, side: str, start: int, end: int) -> None:
        """Highlight the messages [start, end) of a side."""
        if self.view.rows.highlighted != (side, start, end):
            self.view.rows.highlighted = (side, start, end)
            self.view.viewport().update()

    def set_sources(self, sources: frozenset[int]) -> None:
        self.view.rows.sources = sources
        self.view.viewport().update()

    def mark_matches(self, changes: MessageChanges | None) -> None:
        """Mark in the cells what a summary holds word for word of a message."""
        names = changes.matched_names if changes is not None else ()
        if names != self.view.cells.marked:
            self.view.cells.marked = names
            self.view.viewport().update()

    def set_flags(self, flags: Mapping[int, RowFlag]) -> None:
        self.view.rows.flags = flags
        self.refresh()

    # Reactions

    @contextmanager
    def _signals_suppressed(self) -> Iterator[None]:
        """Suppress signals of changes that the user did not make."""
        previous, self._suppresses_signals = self._suppresses_signals, True
        try:
            yield
        finally:
            self._suppresses_signals = previous

    @contextmanager
    def _scroll_position_kept(self) -> Iterator[None]:
        """Keep the scroll position while other rows of the same messages are shown."""
        stand_in = self._seen(*self.current)
        side, anchor, y = self.view.visible_anchor(stand_in)
        is_selected = (side, anchor) == stand_in
        with self._signals_suppressed():
            yield
            self._set_current(self.current)
            if is_selected:
                side, anchor = self.current
            if anchor >= 0:
                side, anchor = self._seen(side, anchor)
                self.view.scroll_to_message(side, anchor, y)
            self.refresh()

    def _seen(self, side: str, index: int) -> Selected:
        """Return a message, or the one of the other side that the view has in its place."""
        model = self.model
        if (
            not side
            or model.plan.row_of(side, index) >= 0
            or model.state.view == CHANGES
        ):
            return side, index
        if side == BEFORE:
            results = model.aligned.results
            if index < len(results) and results[index] >= 0:
                return (AFTER, results[index])
            return (side, index)
        source = model.after.source(index)
        if source >= 0:
            return (BEFORE, source)
        return (side, index)

    def _set_current(self, message: Selected) -> None:
        self.current = message
        side, index = message
        rows, plan = self.view.rows, self.model.plan
        if side:
            row = plan.row_of(*self._seen(side, index))
        else:
            row = -1
        if row >= 0 and side == AFTER:
            block = plan.block_at(row)
        else:
            block = None
        rows.current_cell = index if block is not None and block.result == index else -1
        rows.is_right_selected = side == AFTER
        with self._signals_suppressed():
            self.view.set_current(row)
        self._mark_pair()

    def _mark_pair(self) -> None:
        side, index = self.current
        if index >= 0:
            pair = self.model.side(side).pair_messages(index)
        else:
            pair = ()
        self.view.rows.selected = frozenset(pair)
        self.view.viewport().update()

    def refresh(self) -> None:
        self.view.measure()
        self.update_frame()

    def update_frame(self) -> None:
        """Show overview and frame of what is in the list now."""
        kinds, content = self.model.plan.kinds, self.model.main
        has_rows = any(
            kind in kinds
            for kind in (
                RowKind.MESSAGE,
                RowKind.SPLIT,
                RowKind.CELL,
                RowKind.COLLAPSED,
            )
        )
        self.empty_text.setVisible(len(content.rows) > 0 and not has_rows)
        marked = content.flag_mask(self.view.rows.flags)
        columns = (
            content.fates,
            content.rows.errors,
            marked,
            self.model.mask(content.side),
        )
        self.overview.show_columns(OverviewColumns(len(content.rows), *columns))
        self.frame_changed.emit()
        self.emit_view_changed()

    def emit_view_changed(self) -> None:
        self.overview.show_visible_range(*self.view.visible_range())
        self.parts.show([*self.view.cut_parts(), *self.view.cell_parts()])
        self.view_changed.emit()

    def _on_scroll(self) -> None:
        if not self._suppresses_signals:
            self.emit_view_changed()

    def _on_jumped(self, index: int) -> None:
        self.view.scroll_to_message(
            self.model.main.side, index, self.view.viewport().height() // 2
        )

    def _on_resized(self) -> None:
        self.empty_text.setGeometry(self.view.viewport().rect())
        self.frame_changed.emit()
        self.emit_view_changed()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            with self._scroll_position_kept():
                self.view.rows.set_font(self.font())
        elif event.type() == QEvent.Type.StyleChange:
            self.refresh()  # a theme may need words beside the glyphs


class MessageList(MessageListPane):
    """The list that the user works with. Emits ``selected`` only for the user's actions, never for
    ``select``."""

    selected = Signal(str, int)
    clicked = Signal()  # on a message, after ``selected``
    cut_selected = Signal(str)
    cut_moved = Signal(str, int)  # name of the cut, boundaries to move it by
    recorded_selected = Signal(int)  # number of a recorded compaction
    action_requested = Signal(str, str)  # name and argument of a link, as in a notice
    hovered = Signal(str, int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.came_from = -1  # source message that the last step to a counterpart left
        self.view.hovered.connect(self._on_hover)
        self.view.row_pressed.connect(self._on_pressed)
        self.view.cell_pressed.connect(self._on_cell)
        self.view.link_pressed.connect(self._on_link)
        self.view.expand_requested.connect(self._on_expand)
        self.view.whole_requested.connect(self.toggle_whole)
        self.view.partner_requested.connect(self.step_partner)
        self.view.counterpart_requested.connect(self.go_to_counterpart)
        self.view.cut_moved.connect(self._on_cut_moved)
        self.view.selectionModel().currentChanged.connect(self._on_current)

    def select(self, side: str, index: int) -> None:
        """Select a message and scroll to it; its run is expanded and the filter lets it pass.

        -1 selects nothing. ``selected`` is not emitted.
        """
        if not side or not 0 <= index < len(self.model.side(side).rows):
            self._set_current(NOTHING)
            return
        self._reveal(side, index)
        self._set_current((side, index))
        self.view.scroll_into_view(self.model.plan.row_of(side, index))

    def _reveal(self, side: str, index: int) -> None:
        model = self.model
        if not len(model.plan.rows[side]):
            self.set_state(
                replace(model.state, view=CHANGES if model.before.fates else BEFORE)
            )
        if model.plan.row_of(side, index) < 0:
            self.set_state(replace(model.state, hidden=frozenset()))
        if model.plan.row_of(side, index) < 0:  # let the mask pass this message too
            masks = [model.mask(BEFORE), model.mask(AFTER)]
            at = int(side == AFTER)
            one = bytes(index) + b"\x01" + bytes(len(model.side(side).rows) - index - 1)
            masks[at] = any_mask((masks[at], one), len(one)) if masks[at] else one
            self.set_state(replace(model.state, masks=(masks[0], masks[1])))
        row = model.plan.row_of(side, index)
        if row >= 0 and model.plan.kinds[row] == RowKind.COLLAPSED:
            model.toggle(row)
            self.refresh()

    def select_recorded(self, number: int) -> bool:
        """Make the row of a recorded compaction current; return False if there is none."""
        if self.model.state.view == AFTER:
            self.set_state(replace(self.model.state, view=CHANGES))
        row = self.view.recorded_row(number)
        if row >= 0:
            self._set_current(NOTHING)
            with self._signals_suppressed():
                self.view.set_current(row)
            self.view.scroll_into_view(row)
        return row >= 0

    def _on_current(self) -> None:
        if not self._suppresses_signals:
            self._choose_row(self.view.currentIndex().row(), is_right=False)

    def _choose_row(self, row: int, *, is_right: bool) -> None:
        """Select what a row holds: its message, the right one of two, or a cut or recorded
        compaction."""
        model, plan = self.model, self.model.plan
        if not 0 <= row < len(plan):
            self._set_current(NOTHING)
            return
        side, message = (
            (AFTER, plan.right[row])
            if is_right and plan.right[row] >= 0
            else plan.message_at(row)
        )
        if message >= 0:
            self.current = (side, message)
        else:
            self.current = NOTHING
        self.view.rows.is_right_selected = side == AFTER
        self.view.rows.current_cell = -1
        self._mark_pair()
        kind, index = plan.kinds[row], plan.left[row]
        if message >= 0:
            self.selected.emit(side, message)
        elif kind in (RowKind.CUT, RowKind.COMPACTED) and model.main.cuts[index].name:
            self.cut_selected.emit(model.main.cuts[index].name)
        elif kind in (RowKind.RECORDED, RowKind.SUMMARY):
            self.recorded_selected.emit(model.main.recorded[index].number)

    def _on_pressed(self, row: int, is_right: bool) -> None:
        with self._signals_suppressed():
            self.view.set_current(row)
        self._choose_row(row, is_right=is_right)
        if self.current[1] >= 0:
            self.clicked.emit()

    def _on_cell(self, result: int) -> None:
        self._set_current((AFTER, result))
        self.selected.emit(AFTER, result)
        self.clicked.emit()

    def _on_link(self, link: object) -> None:
        if isinstance(link, CellLink) and link.action is not None:
            self.action_requested.emit(link.action.action, link.action.argument)
        elif isinstance(link, CellLink):
            self.toggle_whole(link.result)
        elif isinstance(link, RowLink):
            self._go_to(link.side, link.index)
        elif isinstance(link, RecordedLink) and link.action == TOGGLE_SUMMARY:
            self._on_expand(link.row, not self.model.is_open(link.row))
        elif isinstance(link, RecordedLink) and link.action == UNDO:
            recorded = self.model.main.recorded[self.model.plan.left[link.row]]
            self.action_requested.emit("undo", str(recorded.number))
        elif isinstance(link, RecordedLink):
            self._see_before(link.row)

    def _see_before(self, row: int) -> bool:
        """Show the session as it was before the recorded compaction of a row; return whether it is
        one."""
        plan = self.model.plan
        if not 0 <= row < len(plan) or plan.kinds[row] not in (
            RowKind.RECORDED,
            RowKind.SUMMARY,
        ):
            return False
        if scope := self.model.main.recorded[plan.left[row]].scope:
            self.action_requested.emit("scope", scope)
        return True

    def _go_to(self, side: str, index: int) -> None:
        self.select(side, index)
        if self.current == (side, index):
            self.selected.emit(side, index)

    def toggle_whole(self, result: int) -> None:
        """Give the cell of a summary as many rows as its text needs, and expand its run; or the
        reverse."""
        state = self.model.state
        needed = self.view.cells.rows_of(result)
        block = next(
            (one for one in self.model.plan.blocks if one.result == result), None
        )
        if block is None:
            return
        start, end = block.sources
        keys = {
            run.expanded_key
            for run in self.model.plan.collapsed
            if start <= run.run_start < end
        }
        least = dict(state.least_rows)
        if result in least:
            del least[result]
            expanded = state.expanded - keys
        else:
            least[result] = needed
            expanded = state.expanded | keys
        self.set_state(replace(state, least_rows=least, expanded=expanded))

    def _on_expand(self, row: int, is_open: bool) -> None:
        target = self.model.collapsed_row(row)
        if target < 0 or self.model.is_open(target) is is_open:
            return
        top = self.view.row_top(target)
        with self._signals_suppressed():
            self.model.toggle(target)
            # The row that collapses stays in place, because the rows above it are unchanged.
            self.view.verticalScrollBar().setValue(target * self.view.row_pixels - top)
            self.view.set_current(target)
            self.view.scroll_into_view(target)
            self._mark_pair()
        self.emit_view_changed()

    def step_partner(self, direction: int) -> None:
        """Go to the previous (-1) or next (1) message of the selected one's pair."""
        side, index = self.current
        if index < 0:
            return
        pair = self.model.side(side).pair_messages(index)
        target = pair[(pair.index(index) + direction) % len(pair)]
        if target != index:
            self._go_to(side, target)

    def go_to_counterpart(self) -> None:
        """Go to where the selected message is in the result, or back: to the message that the last
        step left, else to the first that it was made of. A recorded compaction leads to the session
        before it."""
        side, index = self.current
        if index < 0 and self._see_before(self.view.currentIndex().row()):
            return
        if index < 0:
            return
        results = self.model.aligned.results
        if side == BEFORE:
            target = (AFTER, results[index] if index < len(results) else -1)
        else:
            came = self.came_from
            is_back = 0 <= came < len(results) and results[came] == index
            target = (BEFORE, came if is_back else self.model.after.source(index))
        if target[1] >= 0:
            self.came_from = index if side == BEFORE else -1
            self._go_to(*target)

    def _on_cut_moved(self, row: int, by: int) -> None:
        plan = self.model.plan
        if 0 <= row < len(plan) and plan.kinds[row] == RowKind.CUT:
            self.cut_moved.emit(self.model.main.cuts[plan.left[row]].name, by)

    def _on_hover(self, row: int) -> None:
        self.hovered.emit(*self.model.plan.message_at(row))
