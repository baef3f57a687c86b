"""A list of messages, before or after: rows with head, chips and strip, selection and user actions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QRect, Qt, Signal
from PySide6.QtWidgets import QLabel, QWidget

from core.presentation.lists.row_plan import RowFlag, RowKind
from core.presentation.lists.row_wording import other_side
from core.presentation.model import MessageRows, RowsReadEvent, Screen, fate_counts
from gui.inspect.lists.list_head import ColumnHeader, FateChipRow, PaneHeader
from gui.inspect.lists.overview_strip import OverviewBar, OverviewColumns
from gui.inspect.lists.table_model import ListContent, MessageListModel, find_same_message, side_content
from gui.inspect.lists.table_view import MessageListView
from gui.language import tr
from gui.widgets.basic_widgets import text_label
from gui.widgets.view_layout import column_of, row_of

MIN_LIST_WIDTH = 300
"""Pixels: the least width of a list."""
TITLES = {"before": "Before", "after": "After"}


class MessageListPane(QWidget):
    """Rows with the widgets around them. Selection and scroll position stay when other rows are shown."""

    view_changed = Signal()  # other rows are visible, or at other heights
    scrolled = Signal()  # by the user

    def __init__(self, side: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.side = side
        self._suppresses_signals = False
        self._selected = -1
        self.model = MessageListModel(side, self)
        self.view = MessageListView(self.model, self)
        self.view.setAccessibleName(tr(TITLES[side]))
        self.header, self.chips = PaneHeader(tr(TITLES[side]), self), FateChipRow(self)
        self.column_header, self.overview = ColumnHeader(self), OverviewBar(self)
        self.empty_text = self._new_empty_text()
        self._lay_out()
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

    def _lay_out(self) -> None:
        rows = row_of(self.view, self.overview, gap=0, stretched=self.view)
        self.setLayout(column_of(self.header, self.chips, self.column_header, rows, stretched=rows))
        self.chips.hide()
        self.setMinimumWidth(MIN_LIST_WIDTH)
        self.setFocusProxy(self.view)

    # Content

    def set_rows(self, rows: MessageRows, header_text: str = "", total_text: str = "") -> None:
        """Show the messages of another transcript, before any preview; all state is reset."""
        content = ListContent(self.side, rows, header_text=header_text, total_text=total_text)
        with self._signals_suppressed():
            self.model.reset_content(content)
            self._set_current(-1)
            self.view.verticalScrollBar().setValue(0)
            self._refresh()

    @property
    def rows(self) -> MessageRows:
        return self.model.content.rows

    def append_rows(self, part: RowsReadEvent) -> None:
        """Add a streamed batch of messages, or overwrite some with it; the head counts them."""
        with self._signals_suppressed():
            columns = self.view.delegate.columns
            self.model.append(part)
            self.view.delegate.lay_out_columns(columns.width)
            if self.view.delegate.columns != columns:
                self.view.viewport().update()
            self._update_frame()

    def set_screen(self, screen: Screen) -> None:
        """Show a preview; selection, open folds, filter and scroll position stay if possible."""
        previous, content = self.model.content, side_content(screen, self.side)
        if content == previous:
            return
        anchor, y = self.view.visible_anchor(self._selected)
        with self._signals_suppressed():
            self.model.show_content(content)
            self._set_current(find_same_message(previous, content, self._selected))
            anchor_message = find_same_message(previous, content, anchor)
            if anchor_message >= 0:
                self.scroll_to(anchor_message, y)
            self._refresh()

    def set_outdated(self, is_outdated: bool) -> None:
        if is_outdated != self.view.delegate.is_outdated:
            self.view.delegate.is_outdated = is_outdated
            self.view.viewport().update()

    def highlight_messages(self, start: int, end: int) -> None:
        """Highlight the messages [start, end)."""
        if self.view.delegate.highlighted_range != (start, end):
            self.view.delegate.highlighted_range = (start, end)
            self.view.viewport().update()

    def set_sources(self, sources: frozenset[int]) -> None:
        self.view.delegate.sources = sources
        self.view.viewport().update()

    def set_flags(self, flags: Mapping[int, RowFlag]) -> None:
        self.view.delegate.flags = flags
        self._refresh()

    def set_hidden(self, fates: frozenset[int]) -> None:
        with self._scroll_position_kept():
            self.model.set_hidden(fates)

    def set_mask(self, mask: bytes) -> None:
        """Show only messages whose mask is 1; an empty mask shows all."""
        with self._scroll_position_kept():
            self.model.set_mask(mask)

    # Positions

    def visible_range(self) -> tuple[int, int]:
        """Return the visible messages [start, end); folded ones count at their fold."""
        return self.view.visible_range()

    def scroll_to(self, index: int, y_offset: int = 0) -> None:
        """Scroll so that a message's row starts ``y_offset`` pixels below the top of the rows."""
        self.view.scroll_to_message(index, y_offset)

    def row_rect(self, index: int) -> QRect:
        """Return a message's row in coordinates of this widget, of height 0 if a filter hides it."""
        return self.view.row_rect(index).translated(0, self.rows_top())

    def vertical_span(self, start: int, end: int) -> tuple[int, int]:
        """Return top and bottom edge of the messages [start, end) in coordinates of this widget.

        For an empty range both are the top of the next message.
        """
        top, rows_top = self.view.row_span(start)[0], self.rows_top()
        bottom = self.view.row_span(end - 1)[1] if end > start else top
        return (rows_top + top, rows_top + bottom)

    def rows_top(self) -> int:
        """The top of the rows, below head, chips and column heads."""
        return self.view.y()

    # Reactions

    @contextmanager
    def _signals_suppressed(self) -> Iterator[None]:
        """Suppress ``selected`` and ``scrolled`` for changes that the user did not make."""
        previous, self._suppresses_signals = self._suppresses_signals, True
        try:
            yield
        finally:
            self._suppresses_signals = previous

    @contextmanager
    def _scroll_position_kept(self) -> Iterator[None]:
        """Keep the scroll position while other rows of the same messages are shown."""
        anchor, y = self.view.visible_anchor(self._selected)
        with self._signals_suppressed():
            yield
            self._set_current(self._selected)
            if anchor >= 0:
                self.scroll_to(anchor, y)
            self._refresh()

    def _set_current(self, index: int) -> None:
        self._selected = index
        with self._signals_suppressed():
            self.view.set_current(self.model.plan.row_of(index) if index >= 0 else -1)
        self._mark_pair()

    def _mark_pair(self) -> None:
        pair = self.model.content.pair_messages(self._selected) if self._selected >= 0 else ()
        self.view.delegate.selected = frozenset(pair)
        self.view.viewport().update()

    def _refresh(self) -> None:
        fates = self.model.content.fates
        self.chips.setVisible(bool(fates))
        self.chips.show_counts(fate_counts(fates), self.model.hidden)
        self.view.measure()
        self._update_frame()

    def _update_frame(self) -> None:
        content, kinds = self.model.content, self.model.plan.kinds
        self.header.show_texts(
            content.header_text, content.total_text, tr("out of date") if content.stale else ""
        )
        self.column_header.show_columns(self.view.delegate.columns, content.token_mark)
        has_rows = RowKind.MESSAGE in kinds or RowKind.FOLD in kinds
        self.empty_text.setVisible(len(content.rows) > 0 and not has_rows)
        marked = content.flag_mask(self.view.delegate.flags)
        columns = (content.fates, content.rows.errors, marked, self.model.filter_mask)
        self.overview.show_columns(OverviewColumns(len(content.rows), *columns))
        self._emit_view_changed()

    def _emit_view_changed(self) -> None:
        self.overview.show_visible_range(*self.visible_range())
        self.view_changed.emit()

    def _on_scroll(self) -> None:
        if not self._suppresses_signals:
            self.scrolled.emit()
            self._emit_view_changed()

    def _on_jumped(self, index: int) -> None:
        self.scroll_to(index, self.view.viewport().height() // 2)

    def _on_resized(self) -> None:
        self.empty_text.setGeometry(self.view.viewport().rect())
        self.column_header.show_columns(self.view.delegate.columns, self.model.content.token_mark)
        self._emit_view_changed()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            with self._scroll_position_kept():
                self.view.delegate.set_font(self.font())
        elif event.type() == QEvent.Type.StyleChange:
            self._refresh()  # a theme may need words beside the glyphs


class MessageList(MessageListPane):
    """One side. Emits ``selected`` only for the user's actions, never for ``select``."""

    selected = Signal(str, int)
    clicked = Signal()  # on a message, after ``selected``
    cut_selected = Signal(str)
    recorded_selected = Signal(int)  # number of a recorded compaction
    hovered = Signal(int)
    counterpart_requested = Signal(str, int)

    def __init__(self, side: str, parent: QWidget | None = None) -> None:
        super().__init__(side, parent)
        self.chips.changed.connect(self.set_hidden)
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
        if self.view.message_of(row) >= 0:
            self.clicked.emit()

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

    def _on_hover(self, row: int) -> None:
        self.hovered.emit(self.view.message_of(row))
