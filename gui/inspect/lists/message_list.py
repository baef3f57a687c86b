"""A list of messages, before or after: rows with head, chips and strip, selection and user actions."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from core.presentation.lists.row_plan import RowKind
from core.presentation.lists.row_wording import other_side
from gui.inspect.lists.list_pane import MessageListPane


class MessageList(MessageListPane):
    """One side. Emits ``selected`` only for the user's actions, never for ``select``."""

    selected = Signal(str, int)
    cut_selected = Signal(str)
    recorded_selected = Signal(int)  # number of a recorded compaction
    hovered = Signal(int)
    counterpart_requested = Signal(str, int)

    def __init__(self, side: str, parent: QWidget | None = None) -> None:
        super().__init__(side, parent)
        self.chips.changed.connect(self._on_filter)
        self.view.hovered.connect(self._on_hover)
        self.view.row_pressed.connect(self._on_pressed)
        self.view.fold_requested.connect(self._on_fold)
        self.view.partner_requested.connect(self._on_partner)
        self.view.counterpart_requested.connect(self._on_counterpart_requested)
        self.view.selectionModel().currentChanged.connect(self._on_current)

    def current_message(self) -> int:
        """The selected message, -1 for none; it stays selected while a fold or a filter hides it."""
        return self._selected

    def select(self, index: int) -> None:
        """Select a message and scroll to it; its fold is opened and the filter lets it pass.

        -1 selects nothing. ``selected`` is not emitted.
        """
        if not 0 <= index < len(self.rows):
            self._set_current(-1)
            return
        self._reveal(index)
        self._set_current(index)
        self.view.scroll_into_view(self.model.plan.row_of(index))

    def _reveal(self, index: int) -> None:
        if self.model.plan.row_of(index) < 0:
            self.set_hidden(frozenset())
        if self.model.plan.row_of(index) < 0:  # let the mask pass this message too
            mask = self.model.mask
            self.set_mask(mask[:index] + b"\x01" + mask[index + 1 :])
        row = self.model.plan.row_of(index)
        if row >= 0 and self.model.plan.kinds[row] == RowKind.FOLD:
            self.model.toggle(row)
            self._refresh()

    def select_recorded(self, number: int) -> bool:
        """Make the row of a recorded compaction current; return False if there is none."""
        row = self.view.recorded_row(number)
        if row >= 0:
            self._set_current(-1)
            with self._signals_suppressed():
                self.view.set_current(row)
            self.view.scroll_into_view(row)
        return row >= 0

    def _on_current(self) -> None:
        if self._suppresses_signals:
            return
        row = self.view.currentIndex().row()
        self._selected = self.view.message_of(row)
        self._mark_pair()
        if not 0 <= row < len(self.model.plan):
            return
        kind, index = self.model.plan.kind_and_index(row)
        if kind == RowKind.MESSAGE:
            self.selected.emit(self.side, index)
        elif kind in (RowKind.CUT, RowKind.COMPACTED) and self.model.content.cuts[index].name:
            self.cut_selected.emit(self.model.content.cuts[index].name)
        elif kind in (RowKind.RECORDED, RowKind.SUMMARY):
            self.recorded_selected.emit(self.model.content.recorded[index].number)

    def _on_pressed(self, row: int) -> None:
        if row != self.view.currentIndex().row():
            self.view.setCurrentIndex(self.model.index(row, 0))

    def _on_fold(self, row: int, is_open: bool) -> None:
        target = self.model.fold_row(row)
        if target < 0 or self.model.is_open(target) is is_open:
            return
        top = self.view.row_top(target)
        with self._signals_suppressed():
            self.model.toggle(target)
            # The folding row stays in place, because the rows above it are unchanged.
            self.view.verticalScrollBar().setValue(target * self.view.row_pixels - top)
            self.view.set_current(target)
            self.view.scroll_into_view(target)
            self._mark_pair()
        self._emit_view_changed()

    def _on_partner(self, direction: int) -> None:
        if self._selected < 0:
            return
        pair = self.model.content.pair_messages(self._selected)
        target = pair[(pair.index(self._selected) + direction) % len(pair)]
        if target != self._selected:
            self.select(target)
            self.selected.emit(self.side, target)

    def _on_counterpart_requested(self) -> None:
        if self._selected >= 0:
            self.counterpart_requested.emit(other_side(self.side), self._selected)

    def _on_filter(self, hidden: frozenset[int]) -> None:
        self.set_hidden(hidden)

    def _on_hover(self, row: int) -> None:
        self.hovered.emit(self.view.message_of(row))
