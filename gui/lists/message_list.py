"""A list of messages: head, chips, columns and rows of one side, before or after."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QRect, Signal
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.view.link import other_side
from core.view.list_values import RowFlag
from core.view.phrases import phrase
from core.view.plan import RowKind
from core.view.values import Rows, RowsPart, Screen
from gui.language import tr
from gui.lists import sight
from gui.lists.chips import ChipRow
from gui.lists.content import Content, columns_of, content_of
from gui.lists.head import ColumnHead, EmptyText, PaneHead
from gui.lists.model import RowsModel
from gui.lists.overview import Overview
from gui.lists.view import RowsView
from gui.theme import Theme, theme

NARROWEST = 300
"""Pixels: a list is never narrower (ui.md section 5)."""
TITLES = {"before": phrase("Before"), "after": phrase("After")}


class MessageList(QWidget):
    """One side. Emits ``selected`` only for what a person does, never for ``select``."""

    selected = Signal(str, int)
    cut_selected = Signal(str)
    recorded_selected = Signal(int)  # the number of a recorded compaction
    view_changed = Signal()  # other rows are in sight, or the same elsewhere
    scrolled = Signal()  # by a person
    hovered = Signal(int)
    other_end_asked = Signal(str, int)

    def __init__(self, side: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.side = side
        self._theme: Theme = theme("light")
        self._quiet = False
        self._stale = False
        self._selected = -1
        self.model = RowsModel(side, self)
        self.head = PaneHead(tr(TITLES[side]), strong_total=side == "after", parent=self)
        self.chips = ChipRow(self)
        self.column_head = ColumnHead(self)
        self.view = RowsView(self.model, self)
        self.view.setAccessibleName(tr(TITLES[side]))
        self.overview = Overview(self)
        self._empty = EmptyText(self.view.viewport())
        self.setMinimumWidth(NARROWEST)
        self.setFocusProxy(self.view)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        for widget in (self.head, self.chips, self.column_head):
            box.addWidget(widget)
        rows = QHBoxLayout()
        rows.setSpacing(0)
        rows.addWidget(self.view, 1)
        rows.addWidget(self.overview)
        box.addLayout(rows, 1)
        self.chips.hide()

    def _connect(self) -> None:
        self.chips.changed.connect(self._on_filter)
        self.view.verticalScrollBar().valueChanged.connect(self._on_scroll)
        self.view_changed.connect(self._on_seen)
        self.overview.jumped.connect(self._on_jumped)
        self.view.resized.connect(self._on_resized)
        self.view.hovered.connect(self._on_hover)
        self.view.pressed_row.connect(self._on_pressed)
        self.view.fold_asked.connect(self._on_fold)
        self.view.partner_asked.connect(self._on_partner)
        self.view.other_end_asked.connect(self._on_other_end)
        self.view.selectionModel().currentChanged.connect(self._on_current)

    # What it shows

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme from now on."""
        self._theme = theme
        for line in (self.head, self.column_head):
            line.set_theme(theme)
        self.chips.set_theme(theme)
        self.overview.set_theme(theme)
        self.view.delegate.set_theme(theme)
        self._empty.colour = theme.text3
        self._refresh()

    def set_rows(self, rows: Rows, head: str = "", total: str = "") -> None:
        """Show the messages of another transcript, before any preview; everything starts anew."""
        with self._quietly():
            self.model.restart(Content(self.side, rows, head=head, total=total))
            self._set_current(-1)
            self.view.verticalScrollBar().setValue(0)
            self._refresh()

    @property
    def rows(self) -> Rows:
        """The messages that are shown, folded ones too."""
        return self.model.content.rows

    def append_rows(self, part: RowsPart) -> None:
        """Add a streamed batch of messages, or put it over some; the head counts them."""
        with self._quietly():
            columns = self.view.delegate.columns
            self.model.append(part)
            self.view.delegate.renew(part.start, part.start + len(part.rows))
            if self.view.delegate.columns != columns:
                self.view.viewport().update()
            self._tell()

    def set_empty_text(self, text: str) -> None:
        """What to say while there are no rows."""
        self._empty.text = text
        self._empty.update()

    def set_screen(self, screen: Screen, side: str = "") -> None:
        """Show the preview; selection, open folds, filter and the rows in sight stay where they can."""
        self.set_rows_of(screen, side)
        self._tell_fates()
        self._tell_heads()

    def set_rows_of(self, screen: Screen, side: str = "") -> None:
        """As ``set_screen``, the rows and the strip beside them alone; nothing where they are the same."""
        old, content = self.model.content, content_of(screen, side or self.side)
        if content == old:
            return
        anchor, y = sight.anchor(self.view, self._selected)
        self.model.page.keep_only(self.view.visible_rows())
        with self._quietly():
            self.model.put(content)
            self._set_current(_again(old, content, self._selected))
            kept = _again(old, content, anchor)
            if kept >= 0:
                self.scroll_to(kept, y)
            self.view.measure()
            self._tell_strip()

    def set_old(self, old: bool) -> None:
        """Paint fates and figures at 60 %, for they are about to be replaced."""
        if old != self.view.delegate.old:
            self.view.delegate.old = old
            self.view.viewport().update()

    def set_stale(self, stale: bool) -> None:
        """Say that the summary no longer fits the cuts."""
        self._stale = stale
        self.view.delegate.stale = stale
        self._refresh()

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

    def clear_filter(self) -> None:
        """Show the messages of all fates."""
        self._on_filter(frozenset())

    def set_mask(self, mask: bytes) -> None:
        """Show only messages where the mask has a 1; an empty one lets all through."""
        with self._in_place():
            self.model.set_mask(mask)

    # Where things are

    def current(self) -> int:
        """The selected message, -1 for none; it stays selected while a fold or a filter hides it."""
        return self._selected

    def select(self, index: int) -> None:
        """Select a message and bring it into sight, out of its fold and through the filter.

        -1 selects nothing. ``selected`` is not emitted.
        """
        if not 0 <= index < len(self.model.content.rows):
            self._set_current(-1)
            return
        self._uncover(index)
        self._set_current(index)
        sight.bring_into_sight(self.view, self.model.plan.row_of(index))

    def select_recorded(self, number: int) -> bool:
        """Make the row of a recorded compaction the current one; False where there is none."""
        row = sight.recorded_row(self.view, number)
        if row >= 0:
            self._set_current(-1)
            with self._quietly():
                self.view.set_current(row)
            sight.bring_into_sight(self.view, row)
        return row >= 0

    def visible_range(self) -> tuple[int, int]:
        """The messages [start, end) in sight; folded ones count where their fold is."""
        return sight.visible_range(self.view)

    def scroll_to(self, index: int, y_offset: int = 0) -> None:
        """Scroll so that a message's row starts ``y_offset`` pixels below the top of the rows."""
        sight.scroll_to(self.view, index, y_offset)

    def row_rect(self, index: int) -> QRect:
        """The row that shows a message, in coordinates of this widget, in sight or not.

        Empty (height 0) where a filter hides it, at the place where it would be.
        """
        plan, height = self.model.plan, self.view.delegate.fonts.row
        row = plan.rows[min(max(index, 0), len(plan.rows) - 1)]
        top = self.view.row_top(row) + self.rows_top()
        return QRect(0, top, self.view.viewport().width(), height if plan.shows(index) else 0)

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Top and bottom edge of the messages [start, end) in coordinates of this widget.

        A stretch without messages has one edge: where the next message starts.
        """
        if end <= start:
            top = self.row_rect(start).top()
            return (top, top)
        last = self.row_rect(end - 1)
        return (self.row_rect(start).top(), last.top() + last.height())

    def rows_top(self) -> int:
        """Where the rows start, below head, chips and column heads."""
        return self.view.y()

    def anchor_y(self) -> int:
        """The height in the rows that linked scrolling keeps."""
        return sight.anchor_height(self.view)

    # What a person does

    def _on_current(self) -> None:
        if self._quiet:
            return
        row = self.view.currentIndex().row()
        self._selected = sight.message_at(self.view, row)
        self._mark_partners()
        if not 0 <= row < len(self.model.plan):
            return
        kind, index = self.model.plan.at(row)
        if kind == RowKind.MESSAGE:
            self.selected.emit(self.side, index)
        elif kind in (RowKind.CUT, RowKind.COMPACTED) and self.model.content.cuts[index].name:
            self.cut_selected.emit(self.model.content.cuts[index].name)
        elif kind in (RowKind.RECORDED, RowKind.SUMMARY):
            self.recorded_selected.emit(self.model.content.recorded[index].number)

    def _on_pressed(self, row: int) -> None:
        if row != self.view.currentIndex().row():
            self.view.setCurrentIndex(self.model.index(row, 0))

    def _on_fold(self, row: int, wanted: bool) -> None:
        target = self.model.fold_row(row)
        if target < 0 or self.model.is_open(target) is wanted:
            return
        top = self.view.row_top(target)
        with self._quietly():
            self.model.toggle(target)
            # The row that folds stays where it is: all that stands above it is unchanged.
            self.view.verticalScrollBar().setValue(target * self.view.delegate.fonts.row - top)
            self.view.set_current(target)
            sight.bring_into_sight(self.view, target)
            self._mark_partners()
        self.view_changed.emit()

    def _on_partner(self, direction: int) -> None:
        current = self.current()
        if current < 0:
            return
        ring = sorted({current, *self.model.content.partners_of(current)})
        goal = ring[(ring.index(current) + direction) % len(ring)]
        if goal != current:
            self.select(goal)
            self.selected.emit(self.side, goal)

    def _on_other_end(self) -> None:
        if self.current() >= 0:
            self.other_end_asked.emit(other_side(self.side), self.current())

    def _on_filter(self, hidden: object) -> None:
        assert isinstance(hidden, frozenset)
        with self._in_place():
            self.model.set_hidden(hidden)

    @contextmanager
    def _in_place(self) -> Iterator[None]:
        """Other rows are shown of the same messages: what is in sight stays there."""
        anchor, y = sight.anchor(self.view, self._selected)
        with self._quietly():
            yield
            self._set_current(self._selected)
            if anchor >= 0:
                self.scroll_to(anchor, y)
            self._refresh()

    def _on_hover(self, row: int) -> None:
        self.hovered.emit(sight.message_at(self.view, row))

    def _on_scroll(self) -> None:
        if not self._quiet:
            self.scrolled.emit()
            self.view_changed.emit()

    def _on_seen(self) -> None:
        self.overview.show_seen(*self.visible_range())

    def _on_jumped(self, index: int) -> None:
        self.scroll_to(index, self.view.viewport().height() // 2)

    def _on_resized(self) -> None:
        self._empty.setGeometry(self.view.viewport().rect())
        self.column_head.show_columns(self.view.delegate.columns, self.model.content.mark)
        self.view_changed.emit()

    def changeEvent(self, event: QEvent) -> None:
        """Measure rows and columns anew for another font."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            anchor, y = sight.anchor(self.view, self._selected)
            with self._quietly():
                self.view.delegate.set_font(self.font())
                self._refresh()
                if anchor >= 0:
                    self.scroll_to(anchor, y)

    # Helpers

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """What happens inside is not a person's doing: no ``selected``, no ``scrolled``."""
        before, self._quiet = self._quiet, True
        try:
            yield
        finally:
            self._quiet = before

    def _refresh(self) -> None:
        self._tell_fates()
        self.view.measure()
        self._tell()

    def _tell(self) -> None:
        """Heads and strip follow the content."""
        self._tell_heads()
        self._tell_strip()

    def _tell_fates(self) -> None:
        self.chips.setVisible(bool(self.model.content.chips))
        self.chips.show_counts(self.model.content.chips, self.model.hidden)

    def _tell_heads(self) -> None:
        content = self.model.content
        self.head.show_texts(content.head, content.total, "stale" if self._stale else "")
        self.column_head.show_columns(self.view.delegate.columns, content.mark)

    def _tell_strip(self) -> None:
        self._empty.setVisible(len(self.model.plan) == 0)
        content = self.model.content
        self.overview.show_columns(columns_of(content, self.view.delegate.flags, self.model.filter))
        self.view_changed.emit()

    def _set_current(self, index: int) -> None:
        self._selected = index
        with self._quietly():
            self.view.set_current(self.model.plan.row_of(index) if index >= 0 else -1)
        self._mark_partners()

    def _mark_partners(self) -> None:
        current = self.current()
        found = self.model.content.partners_of(current) if current >= 0 else ()
        self.view.delegate.partners = frozenset(found)
        self.view.viewport().update()

    def _uncover(self, index: int) -> None:
        """Open the fold and the filter that keep a message out of sight."""
        if self.model.plan.row_of(index) < 0:
            self.clear_filter()
        if self.model.plan.row_of(index) < 0:  # the mask lets this one through too
            mask = self.model.mask
            self.set_mask(mask[:index] + b"\x01" + mask[index + 1 :])
        row = self.model.plan.row_of(index)
        if row >= 0 and self.model.plan.kinds[row] == RowKind.FOLD:
            self.model.toggle(row)
            self._refresh()


def _again(old: Content, new: Content, index: int) -> int:
    """A message of old content in new content: the same source, or the same inserted one; else -1."""
    if index < 0:
        return -1
    source = old.source(index)
    if source >= 0:
        return new.find_source(source)
    return index if index < len(new.rows) and new.source(index) < 0 else -1
