"""The ruler's picture: receives screens, holds the view, paints the layers in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.presentation.model import MessageRows, Screen
from core.presentation.ruler import geometry
from core.presentation.ruler import wording as ruler_text
from gui.inspect.ruler.fact_ticks import paint_facts
from gui.inspect.ruler.frame import (
    LEGEND_MIN_WIDTH,
    RulerContent,
    RulerFrame,
    RulerLanes,
    font_scale,
    growing_content,
    prepared_content,
    ruler_frame,
)
from gui.inspect.ruler.handle_moves import HandleMoves
from gui.inspect.ruler.labels import paint_requested_cut
from gui.inspect.ruler.match_ticks import paint_matches
from gui.inspect.ruler.overlay import OutlinedRange, paint_handles, paint_outlines, paint_ticks, paint_tip
from gui.inspect.ruler.picture import cached_picture, paint_focus
from gui.inspect.ruler.pointer import NO_RANGE
from gui.language import tr
from gui.widgets.theme import Theme, scaled_pixels, theme


class RulerCanvas(QWidget):
    """Before and after on one scale of tokens, as a picture. Ranges of messages are inclusive, from 0."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme: Theme = theme("light")
        self._content: RulerContent | None = None
        self._view = geometry.whole_range(0, 1)
        self._visible = self._selected = self._hovered = NO_RANGE
        self._focused_by_keyboard = False
        self._lost_messages: Sequence[int] = ()
        self._sources: Sequence[int] = ()
        self._lost_words: Sequence[str] = ()
        self._matches = b""
        self._moves = HandleMoves(self)
        self._moves.changed.connect(self.update)
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)  # skips painting the background
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr(ruler_text.NAME))
        self._fit()

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def set_screen(self, screen: Screen) -> None:
        """Show a preview; zoom and a handle in motion stay."""
        for _ in self.show_in_steps(screen):
            pass

    def show_in_steps(self, screen: Screen) -> Iterator[None]:
        """As ``set_screen``, in steps; nothing changes before the last one."""
        previous = self._content
        if previous is not None and previous.matches_screen(screen):
            self._content = replace(previous, screen=screen)
            self._moves.set_screen(screen, previous.before.sums)
            return
        self._content = content = yield from prepared_content(screen, previous)
        self._moves.set_screen(screen, content.before.sums)
        self._hovered = NO_RANGE
        self.setAccessibleDescription(content.accessible_text)
        self._fit()

    def show_counted_rows(self, rows: MessageRows) -> Iterator[None]:
        """Show the counted part of a transcript that is being read; it grows to the right."""
        self._content = yield from growing_content(rows)
        self._moves.clear()
        self._hovered = NO_RANGE
        self._fit()

    def clear(self) -> None:
        """Forget the preview of a closed transcript; until the next one, show "counting"."""
        self._content, self._hovered = None, NO_RANGE
        self._visible = self._selected = NO_RANGE
        self._moves.clear()
        self.setAccessibleDescription(tr(ruler_text.COUNTING))
        self._fit()

    def set_visible_range(self, first: int, last: int) -> None:
        """Frame the visible messages of the before list; -1, -1 for none."""
        self._visible = OutlinedRange("before", first, last + 1) if first >= 0 else NO_RANGE
        self.update()

    def select(self, side: str, index: int) -> None:
        """Mark one message, "before" or "after"; index -1 for none."""
        self._selected = OutlinedRange(side, index, index + 1) if index >= 0 else NO_RANGE
        self.update()

    def set_lost_facts(self, messages: Sequence[int], words: Sequence[str] = ()) -> None:
        """Mark the source messages with lost facts, ascending; none to stop. ``words`` names what each
        lost."""
        self._lost_messages, self._lost_words = messages, words
        self.update()

    def set_sources(self, messages: Sequence[int]) -> None:
        """Mark the source messages of a sentence, ascending; none to stop."""
        self._sources = messages
        self.update()

    def set_matches(self, mask: bytes) -> None:
        """Mark the source messages that a filter lets pass; an empty mask stops that."""
        self._matches = mask
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(1200, self._lanes().height)

    def minimumSizeHint(self) -> QSize:
        return QSize(300, self._lanes().height)

    def _lanes(self) -> RulerLanes:
        return RulerLanes(
            font_scale(self.font()), self.width() >= scaled_pixels(LEGEND_MIN_WIDTH, self.font())
        )

    def _frame(self) -> RulerFrame | None:
        if self._content is None:
            return None
        return ruler_frame(self._theme, self._lanes(), self._view, self._content, self.font(), self.width())

    def _fit(self) -> None:
        lanes = self._lanes()
        if self.minimumHeight() != lanes.height:
            self.setFixedHeight(lanes.height)
        total = self._content.total if self._content else 0
        self._view = geometry.fit_range(self._view, total, int(self.width() - lanes.left - lanes.right))
        self.update()

    def _set_view(self, view: geometry.RulerRange) -> None:
        self._view = view
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        frame = self._frame()
        if frame is None:
            painter.fillRect(self.rect(), self._theme.surface)
            painter.setPen(self._theme.text2)
            painter.drawText(14, self.height() // 2, tr(ruler_text.COUNTING))
            return
        painter.drawPixmap(0, 0, cached_picture(frame, self.devicePixelRatioF()))
        paint_facts(painter, frame, self._lost_messages, frame.theme.error)
        paint_facts(painter, frame, self._sources, frame.theme.accent_text)
        paint_matches(painter, frame, self._matches)
        handles = self._moves.painted_handles()
        if any(handle.shows_ticks for handle in handles):
            paint_ticks(painter, frame)
        paint_requested_cut(painter, frame, self._moves.moving_name)
        paint_outlines(painter, frame, self._visible, self._selected, self._hovered)
        paint_handles(painter, frame, handles)
        for handle in handles:
            if handle.is_moving and handle.tip:
                paint_tip(painter, frame, handle)
        if self._focused_by_keyboard and self.hasFocus() and not self._moves.focused:
            paint_focus(painter, frame)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()
        super().changeEvent(event)
