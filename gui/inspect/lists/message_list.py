"""The message list as the user works with it: selection, collapsed runs, links, keys."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from core.presentation.filter_query import any_mask
from core.presentation.lists.row_plan import RowKind
from gui.inspect.lists.cells import CellLink
from gui.inspect.lists.delegate import TOGGLE_SUMMARY, UNDO, RecordedLink, RowLink
from gui.inspect.lists.list_pane import NOTHING, MessageListPane
from gui.inspect.lists.table_model import AFTER, BEFORE, CHANGES


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
        self.view.rows.is_right_selected, self.view.rows.current_cell = (
            side == AFTER,
            -1,
        )
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
        state, needed = self.model.state, self.view.cells.rows_of(result)
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
