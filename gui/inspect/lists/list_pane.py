"""One message list with its header and strip, and the positions of its rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QRect, Signal
from PySide6.QtWidgets import QWidget

from core.presentation.lists.model import RowFlag
from core.presentation.model import MessageRows, RowsReadEvent, Screen
from gui.inspect.lists import visible_rows
from gui.inspect.lists.list_content import ListContent, find_same_message, side_content
from gui.inspect.lists.list_frame import TITLES, ListFrame
from gui.inspect.lists.table_model import MessageListModel
from gui.inspect.lists.table_view import MessageListView
from gui.language import tr
from gui.widgets.theme import Theme

MIN_LIST_WIDTH = 300
"""Pixels: the least width of a list (ui.md section 5)."""


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
        self._frame = ListFrame(side, self.model, self.view, self)
        self.header, self.chips, self.column_header = (
            self._frame.header,
            self._frame.chips,
            self._frame.column_header,
        )
        self.overview = self._frame.overview
        self.setMinimumWidth(MIN_LIST_WIDTH)
        self.setFocusProxy(self.view)
        self.view.verticalScrollBar().valueChanged.connect(self._on_scroll)
        self.view_changed.connect(self._on_visible_rows)
        self.overview.jumped.connect(self._on_jumped)
        self.view.resized.connect(self._on_resized)

    # Content

    def set_theme(self, theme: Theme) -> None:
        self._frame.set_theme(theme)
        self.view.delegate.set_theme(theme)
        self._refresh()

    def set_rows(self, rows: MessageRows, header_text: str = "", total_text: str = "") -> None:
        """Show the messages of another transcript, before any preview; all state is reset."""
        with self._signals_suppressed():
            self.model.reset_content(
                ListContent(self.side, rows, header_text=header_text, total_text=total_text)
            )
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

    def set_screen(self, screen: Screen, side: str = "") -> None:
        """Show the preview; selection, open folds, filter and scroll position stay if possible."""
        self.set_screen_rows(screen, side)
        self._frame.show_fates()
        self._frame.show_headers()

    def set_screen_rows(self, screen: Screen, side: str = "") -> None:
        """As ``set_screen``, but only rows and strip; nothing if they are unchanged."""
        previous, content = self.model.content, side_content(screen, side or self.side)
        if content == previous:
            return
        anchor, y = visible_rows.visible_anchor(self.view, self._selected)
        with self._signals_suppressed():
            self.model.show_content(content)
            self._set_current(find_same_message(previous, content, self._selected))
            anchor_message = find_same_message(previous, content, anchor)
            if anchor_message >= 0:
                self.scroll_to(anchor_message, y)
            self.view.measure()
            self._update_overview()

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
        if self.view.delegate.sources != sources:
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
        return visible_rows.visible_range(self.view)

    def scroll_to(self, index: int, y_offset: int = 0) -> None:
        """Scroll so that a message's row starts ``y_offset`` pixels below the top of the rows."""
        visible_rows.scroll_to(self.view, index, y_offset)

    def row_rect(self, index: int) -> QRect:
        """Return a message's row in coordinates of this widget, visible or not.

        Height 0 at its would-be place if a filter hides it.
        """
        return visible_rows.row_rect(self.view, index).translated(0, self.rows_top())

    def vertical_span(self, start: int, end: int) -> tuple[int, int]:
        """Return top and bottom edge of the messages [start, end) in coordinates of this widget.

        For an empty range both are the top of the next message.
        """
        top = self.row_rect(start).top()
        if end <= start:
            return (top, top)
        last = self.row_rect(end - 1)
        return (top, last.top() + last.height())

    def rows_top(self) -> int:
        """The top of the rows, below head, chips and column heads."""
        return self.view.y()

    def anchor_y(self) -> int:
        """The height that linked scrolling keeps."""
        return visible_rows.anchor_height(self.view)

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
        anchor, y = visible_rows.visible_anchor(self.view, self._selected)
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
        self._mark_partners()

    def _mark_partners(self) -> None:
        partners = self.model.content.partners_of(self._selected) if self._selected >= 0 else ()
        self.view.delegate.partners = frozenset(partners)
        self.view.viewport().update()

    def _refresh(self) -> None:
        self._frame.show_fates()
        self.view.measure()
        self._update_frame()

    def _update_frame(self) -> None:
        self._frame.show_headers()
        self._update_overview()

    def _update_overview(self) -> None:
        self._frame.show_overview(self.view.delegate.flags)
        self.view_changed.emit()

    def _on_scroll(self) -> None:
        if not self._suppresses_signals:
            self.scrolled.emit()
            self.view_changed.emit()

    def _on_visible_rows(self) -> None:
        self.overview.show_visible_range(*self.visible_range())

    def _on_jumped(self, index: int) -> None:
        self.scroll_to(index, self.view.viewport().height() // 2)

    def _on_resized(self) -> None:
        self._frame.fit()
        self.view_changed.emit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            anchor, y = visible_rows.visible_anchor(self.view, self._selected)
            with self._signals_suppressed():
                self.view.delegate.set_font(self.font())
                self._refresh()
                if anchor >= 0:
                    self.scroll_to(anchor, y)
