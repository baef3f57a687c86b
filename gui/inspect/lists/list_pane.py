"""One side of the lists as it is seen: what it shows, and where in it things are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QRect, Signal
from PySide6.QtWidgets import QWidget

from core.presentation.lists.model import RowFlag
from core.presentation.model import MessageRows, RowsReadEvent, Screen
from gui.inspect.lists import visible_rows
from gui.inspect.lists.list_content import ListContent, content_of, find_again
from gui.inspect.lists.list_frame import TITLES, ListFrame
from gui.inspect.lists.table_model import MessageListModel
from gui.inspect.lists.table_view import MessageListView
from gui.language import tr
from gui.widgets.theme import Theme

NARROWEST = 300
"""Pixels: a list is never narrower (ui.md section 5)."""


class MessageListPane(QWidget):
    """Rows with what stands round them. A selected message stays selected, and the rows in sight stay there,
    whatever is shown of them."""

    view_changed = Signal()  # other rows are in sight, or the same elsewhere
    scrolled = Signal()  # by a person

    def __init__(self, side: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.side = side
        self._quiet = False
        self._selected = -1
        self.model = MessageListModel(side, self)
        self.view = MessageListView(self.model, self)
        self.view.setAccessibleName(tr(TITLES[side]))
        self._round = ListFrame(side, self.model, self.view, self)
        self.head, self.chips, self.column_head = self._round.head, self._round.chips, self._round.column_head
        self.overview = self._round.overview
        self.setMinimumWidth(NARROWEST)
        self.setFocusProxy(self.view)
        self.view.verticalScrollBar().valueChanged.connect(self._on_scroll)
        self.view_changed.connect(self._on_seen)
        self.overview.jumped.connect(self._on_jumped)
        self.view.resized.connect(self._on_resized)

    # What it shows

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme from now on."""
        self._round.set_theme(theme)
        self.view.delegate.set_theme(theme)
        self._refresh()

    def set_rows(self, rows: MessageRows, head: str = "", total: str = "") -> None:
        """Show the messages of another transcript, before any preview; everything starts anew."""
        with self._quietly():
            self.model.restart(ListContent(self.side, rows, head=head, total=total))
            self._set_current(-1)
            self.view.verticalScrollBar().setValue(0)
            self._refresh()

    @property
    def rows(self) -> MessageRows:
        """The messages that are shown, folded ones too."""
        return self.model.content.rows

    def append_rows(self, part: RowsReadEvent) -> None:
        """Add a streamed batch of messages, or put it over some; the head counts them."""
        with self._quietly():
            columns = self.view.delegate.columns
            self.model.append(part)
            self.view.delegate.renew(part.start, part.start + len(part.rows))
            if self.view.delegate.columns != columns:
                self.view.viewport().update()
            self._tell()

    def prepare(self, screen: Screen) -> None:
        """Make ready what ``set_screen`` will show."""
        self.model.prepare(content_of(screen, self.side))

    def set_screen(self, screen: Screen, side: str = "") -> None:
        """Show the preview; selection, open folds, filter and the rows in sight stay where they can."""
        self.set_rows_of(screen, side)
        self._round.show_fates()
        self._round.show_heads()

    def set_rows_of(self, screen: Screen, side: str = "") -> None:
        """As ``set_screen``, the rows and the strip beside them alone; nothing where they are the same."""
        old, content = self.model.content, content_of(screen, side or self.side)
        if content == old:
            return
        anchor, y = visible_rows.visible_anchor(self.view, self._selected)
        self.model.page.keep_only(self.view.visible_rows())
        with self._quietly():
            self.model.put(content)
            self._set_current(find_again(old, content, self._selected))
            kept = find_again(old, content, anchor)
            if kept >= 0:
                self.scroll_to(kept, y)
            self.view.measure()
            self._tell_strip()

    def set_old(self, old: bool) -> None:
        """Paint fates and figures at 60 %, for they are about to be replaced."""
        if old != self.view.delegate.old:
            self.view.delegate.old = old
            self.view.viewport().update()

    def set_glow(self, start: int, end: int) -> None:
        """Brighten the messages [start, end)."""
        if self.view.delegate.glow != (start, end):
            self.view.delegate.glow = (start, end)
            self.view.viewport().update()

    def set_sources(self, sources: frozenset[int]) -> None:
        """Set apart the messages from which a sentence of a summary comes."""
        if self.view.delegate.sources != sources:
            self.view.delegate.sources = sources
            self.view.viewport().update()

    def set_flags(self, flags: Mapping[int, RowFlag]) -> None:
        """Show what was noted about messages, by source message."""
        self.view.delegate.flags = flags
        self._refresh()

    def set_hidden(self, fates: frozenset[int]) -> None:
        """Leave out the messages of these fates."""
        with self._in_place():
            self.model.set_hidden(fates)

    def set_mask(self, mask: bytes) -> None:
        """Show only messages where the mask has a 1; an empty one lets all through."""
        with self._in_place():
            self.model.set_mask(mask)

    # Where things are

    def visible_range(self) -> tuple[int, int]:
        """The messages [start, end) in sight; folded ones count where their fold is."""
        return visible_rows.visible_range(self.view)

    def scroll_to(self, index: int, y_offset: int = 0) -> None:
        """Scroll so that a message's row starts ``y_offset`` pixels below the top of the rows."""
        visible_rows.scroll_to(self.view, index, y_offset)

    def row_rect(self, index: int) -> QRect:
        """The row that shows a message, in coordinates of this widget, in sight or not.

        Empty (height 0) where a filter hides it, at the place where it would be.
        """
        return visible_rows.row_rect(self.view, index).translated(0, self.rows_top())

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Top and bottom edge of the messages [start, end) in coordinates of this widget.

        A stretch without messages has one edge: where the next message starts.
        """
        top = self.row_rect(start).top()
        if end <= start:
            return (top, top)
        last = self.row_rect(end - 1)
        return (top, last.top() + last.height())

    def rows_top(self) -> int:
        """Where the rows start, below head, chips and column heads."""
        return self.view.y()

    def anchor_y(self) -> int:
        """The height in the rows that linked scrolling keeps."""
        return visible_rows.anchor_height(self.view)

    # How it follows

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """What happens inside is not a person's doing: no ``selected``, no ``scrolled``."""
        before, self._quiet = self._quiet, True
        try:
            yield
        finally:
            self._quiet = before

    @contextmanager
    def _in_place(self) -> Iterator[None]:
        """Other rows are shown of the same messages: what is in sight stays there."""
        anchor, y = visible_rows.visible_anchor(self.view, self._selected)
        with self._quietly():
            yield
            self._set_current(self._selected)
            if anchor >= 0:
                self.scroll_to(anchor, y)
            self._refresh()

    def _set_current(self, index: int) -> None:
        self._selected = index
        with self._quietly():
            self.view.set_current(self.model.plan.row_of(index) if index >= 0 else -1)
        self._mark_partners()

    def _mark_partners(self) -> None:
        found = self.model.content.partners_of(self._selected) if self._selected >= 0 else ()
        self.view.delegate.partners = frozenset(found)
        self.view.viewport().update()

    def _refresh(self) -> None:
        self._round.show_fates()
        self.view.measure()
        self._tell()

    def _tell(self) -> None:
        """Heads and strip follow the content."""
        self._round.show_heads()
        self._tell_strip()

    def _tell_strip(self) -> None:
        self._round.show_strip(self.view.delegate.flags)
        self.view_changed.emit()

    def _on_scroll(self) -> None:
        if not self._quiet:
            self.scrolled.emit()
            self.view_changed.emit()

    def _on_seen(self) -> None:
        self.overview.show_seen(*self.visible_range())

    def _on_jumped(self, index: int) -> None:
        self.scroll_to(index, self.view.viewport().height() // 2)

    def _on_resized(self) -> None:
        self._round.fit()
        self.view_changed.emit()

    def changeEvent(self, event: QEvent) -> None:
        """Measure rows and columns anew for another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            anchor, y = visible_rows.visible_anchor(self.view, self._selected)
            with self._quietly():
                self.view.delegate.set_font(self.font())
                self._refresh()
                if anchor >= 0:
                    self.scroll_to(anchor, y)
