"""The ruler's picture: receives screens, holds the view, paints the layers, finds what is under a
point."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPixmap, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from core.presentation.model import MessageRows
from core.presentation.ruler import bands as ruler_text
from core.presentation.ruler import geometry
from core.presentation.ruler.geometry import RulerBand, RulerMust
from core.presentation.screen_model import Screen
from gui.inspect.ruler.bands import paint_axis, paint_bands
from gui.inspect.ruler.bars import (
    gutter_left,
    paint_after,
    paint_before,
    paint_runs,
    paint_strip,
)
from gui.inspect.ruler.frame import (
    RulerContent,
    RulerFrame,
    RulerLanes,
    growing_content,
    ruler_content,
    ruler_frame,
    ruler_lanes,
)
from gui.inspect.ruler.overlay import (
    NO_RANGE,
    HandleMoves,
    OutlinedRange,
    handle_box,
    handle_x,
    paint_handles,
    paint_marks,
    paint_musts,
    paint_outlines,
    paint_requested_cuts,
    paint_stretch,
    paint_ticks,
)
from gui.language import tr
from gui.widgets.accessibility import AccessibleParts, CutPart, PartText
from gui.widgets.theme import current_theme

_LAYERS = (paint_after, paint_strip, paint_runs, paint_bands, paint_axis)


def _painted(
    ground: QPixmap,
    frame: RulerFrame,
    layers: Sequence[Callable[[QPainter, RulerFrame], None]],
) -> QPixmap:
    picture = ground.copy()
    painter = QPainter(picture)
    for paint_layer in layers:
        paint_layer(painter, frame)
    painter.end()
    return picture


class RulerCanvas(QWidget):
    """Before and after on one scale of tokens, as a picture. Ranges of messages are [first, end),
    from 0."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._content: RulerContent | None = None
        self.view = geometry.whole_range(0, 1)
        self._visible: Sequence[OutlinedRange] = ()
        self._selected = self._hovered = self.stretch = NO_RANGE
        self._focused_by_keyboard = False
        self.lost_messages: Sequence[int] = ()
        self._lost_words: Sequence[str] = ()
        self.musts: Sequence[RulerMust] = ()
        self.sources: Sequence[int] = ()
        self._matches = b""
        self._picture: tuple[object, QPixmap] | None = (
            None  # what it depends on, and the picture
        )
        self._source_picture: tuple[object, QPixmap] | None = None
        self.moves = HandleMoves(self)
        self.moves.changed.connect(self.update)
        self.moves.changed.connect(self._show_parts)
        self.parts = AccessibleParts(self)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr(ruler_text.NAME))
        self._fit()

    def set_screen(self, screen: Screen) -> None:
        """Show a preview; zoom and a handle in motion stay."""
        previous = self._content
        is_same = previous is not None and previous.matches_screen(screen)
        if previous is not None and is_same:
            content = replace(previous, screen=screen)
        else:
            content = ruler_content(screen)
        self.moves.set_handles(
            screen.ruler.handles, content.before.sums, provisional=screen.provisional
        )
        if is_same:
            self._content, self._picture = content, None
            self._show_parts()
        else:
            self._set_content(
                content
            )  # after the handles, which are those of this content

    def show_counted_rows(self, rows: MessageRows) -> None:
        """Show the counted part of a transcript that is being read; it grows to the right."""
        self.moves.clear()
        self._set_content(growing_content(rows))

    def clear(self) -> None:
        """Forget the preview of a closed transcript; until the next one, show "counting"."""
        self._visible, self._selected = (), NO_RANGE
        self.moves.clear()
        self._set_content(None)

    def _set_content(self, content: RulerContent | None) -> None:
        self._content, self._picture, self._hovered = content, None, NO_RANGE
        self._tell_content()
        self._fit()

    def set_visible_runs(self, runs: Sequence[tuple[int, int]]) -> None:
        """Frame the visible messages of the before list, as ranges [first, end)."""
        self._visible = [OutlinedRange("before", first, end) for first, end in runs]
        self.update()

    def select(self, side: str, index: int) -> None:
        """Mark one message, "before" or "after"; index -1 for none."""
        if index >= 0:
            self._selected = OutlinedRange(side, index, index + 1)
        else:
            self._selected = NO_RANGE
        self.update()

    @property
    def moving_boundary(self) -> int:
        """The message before which the handle in motion is, -1 for none."""
        handles = self.moves.painted_handles()
        return next((handle.index for handle in handles if handle.is_moving), -1)

    def set_lost_facts(
        self, messages: Sequence[int], words: Sequence[str] = ()
    ) -> None:
        """Mark the source messages with lost facts, ascending; none to stop. ``words`` names what
        each lost."""
        self.lost_messages, self._lost_words = messages, words
        self.update()

    def set_musts(self, musts: Sequence[RulerMust]) -> None:
        """Show in a lane of their own where the texts that must survive stand, ascending; none to
        close it."""
        if musts != self.musts:
            self.musts = musts
            self._tell_content()
            self._fit()

    def _tell_content(self) -> None:
        content = self._content
        if content:
            text = content.accessible_text
        else:
            text = tr(ruler_text.COUNTING)
        musts = "; ".join(mark.words for mark in self.musts)
        if content and musts:
            said = f"{tr(ruler_text.MUST_KEEP)}: {musts}"
        else:
            said = ""
        self.setAccessibleDescription(" ".join(filter(None, (text, said))))

    def set_sources(self, messages: Sequence[int]) -> None:
        """Mark the source messages of a sentence, ascending; none to stop."""
        self.sources = messages
        self.update()

    def set_matches(self, mask: bytes) -> None:
        """Mark the source messages that a filter lets pass; an empty mask stops that."""
        self._matches = mask
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(1200, self._lanes.height)

    @property
    def _lanes(self) -> RulerLanes:
        return ruler_lanes(self.font(), has_musts=bool(self.musts))

    def minimumSizeHint(self) -> QSize:
        return QSize(300, self.sizeHint().height())

    def frame(self) -> RulerFrame | None:
        if self._content is None:
            return None
        return ruler_frame(
            current_theme(),
            self._lanes,
            self.view,
            self._content,
            self.font(),
            self.width(),
        )

    def _fit(self) -> None:
        lanes = self._lanes
        if self.minimumHeight() != lanes.height:
            self.setFixedHeight(lanes.height)
        if self._content:
            total = self._content.total
        else:
            total = 0
        self._set_view(
            geometry.fit_range(
                self.view, total, int(self.width() - lanes.left - lanes.right)
            )
        )

    def _set_view(self, view: geometry.RulerRange) -> None:
        self.view = view
        self._show_parts()
        self.update()

    def _show_parts(self) -> None:
        """Make the handles in sight objects for screen readers."""
        frame = self.frame()
        if frame is None:
            shown = []
        else:
            shown = self.moves.painted_handles()
        self.parts.show(
            [
                PartText(
                    CutPart,
                    handle_box(frame, handle).toAlignedRect(),
                    handle.tip or handle.handle.name,
                )
                for handle in shown
                if frame is not None
                and frame.lanes.left <= handle_x(frame, handle) <= frame.right
            ]
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        frame = self.frame()
        if frame is None:
            painter.fillRect(self.rect(), current_theme().surface)
            painter.setPen(current_theme().text2)
            painter.drawText(14, self.height() // 2, tr(ruler_text.COUNTING))
            return
        painter.drawPixmap(0, 0, self._static_picture(frame))
        self._paint_changing(painter, frame)

    def _static_picture(self, frame: RulerFrame) -> QPixmap:
        """Return all but handles, marks and frames, painted once per screen, size, theme and view;
        the bar of the source again only where it has changed."""
        content, ratio = frame.content, self.devicePixelRatioF()
        key = frame.view, frame.theme, frame.lanes, frame.width, frame.font, ratio
        if self._picture is None or self._picture[0] != key:
            rows, total = (
                content.screen.source.rows,
                content.screen.ruler.totals.before_total,
            )
            source = (
                *key,
                content.before,
                content.pairs,
                rows.errors,
                total,
                gutter_left(frame),
            )
            if self._source_picture is None or self._source_picture[0] != source:
                blank = QPixmap(
                    round(frame.width * ratio), round(frame.lanes.height * ratio)
                )
                blank.setDevicePixelRatio(ratio)
                blank.fill(frame.theme.surface)
                self._source_picture = source, _painted(blank, frame, (paint_before,))
            self._picture = key, _painted(self._source_picture[1], frame, _LAYERS)
        return self._picture[1]

    def _paint_changing(self, painter: QPainter, frame: RulerFrame) -> None:
        sums, view, theme = frame.content.before.sums, frame.view, frame.theme
        for messages, colour in (
            (self.lost_messages, theme.error),
            (self.sources, theme.accent_text),
        ):
            paint_marks(
                painter, frame, geometry.mark_positions(messages, sums, view), colour
            )
        matches = geometry.match_positions(self._matches, sums, view)
        paint_marks(painter, frame, matches, theme.accent_text, above=True)
        handles = self.moves.painted_handles()
        if any(handle.shows_ticks for handle in handles):
            paint_ticks(painter, frame)
        paint_requested_cuts(painter, frame, self.moves.moving_name)
        paint_stretch(painter, frame, self.stretch)
        paint_outlines(painter, frame, self._visible, self._selected, self._hovered)
        paint_handles(painter, frame, handles)
        paint_musts(painter, frame, geometry.must_groups(self.musts, sums, view))
        if self._focused_by_keyboard and self.hasFocus() and not self.moves.focused:
            painter.setPen(theme.accent_text)
            painter.setBrush(Qt.BrushStyle.NoBrush)
            for inset in (0, 1):
                painter.drawRect(
                    self.rect().adjusted(inset, inset, -inset - 1, -inset - 1)
                )

    # What is under a point

    def first_handle_box(self) -> QRect:
        """Return where the first handle can be grabbed; the whole ruler without one."""
        frame, handles = self.frame(), self.moves.painted_handles()
        if frame is not None and handles:
            return handle_box(frame, handles[0]).toAlignedRect()
        return self.rect()

    def _handle_at(self, frame: RulerFrame, position: QPointF) -> str:
        """Return the name of the handle under the pointer, the nearer of two; "" if none."""
        under = [
            (abs(handle_x(frame, handle) - position.x()), handle.handle.name)
            for handle in self.moves.painted_handles()
            if handle_box(frame, handle).contains(position)
        ]
        if under:
            return min(under)[1]
        return ""

    def range_at(self, frame: RulerFrame, position: QPointF) -> OutlinedRange:
        """Return the messages of the pixel column under the pointer."""
        lanes, x = frame.lanes, position.x() - frame.lanes.left
        for side, top, bottom, bar in (
            ("before", lanes.before[0], lanes.strip[1], frame.content.before),
            ("after", lanes.after[0], lanes.after[1] + 1, frame.content.after),
        ):
            if top <= position.y() < bottom and 0 <= x < frame.view.width:
                first, end = geometry.messages_in(bar.sums, frame.view, x)
                if end > first:
                    return OutlinedRange(side, first, end)
                return NO_RANGE
        return NO_RANGE

    def _lost_at(self, frame: RulerFrame, position: QPointF) -> Sequence[int]:
        """Return the messages with lost facts whose tick is under the pointer."""
        top, bottom = frame.lanes.strip
        x = position.x() - frame.lanes.left
        if (
            not self.lost_messages
            or not top - 1 <= position.y() <= bottom + 2
            or x < -4
        ):
            return ()
        return geometry.marks_near(
            self.lost_messages, frame.content.before.sums, frame.view, x
        )

    def musts_at(self, frame: RulerFrame, position: QPointF) -> Sequence[RulerMust]:
        """Return the texts that must survive whose glyph is under the pointer, the worst first."""
        top, bottom = frame.lanes.musts
        if not top <= position.y() < bottom:
            return ()
        x = position.x() - frame.lanes.left
        groups = geometry.must_groups(self.musts, frame.content.before.sums, frame.view)
        near = [
            group for at, group in groups if abs(at - x) <= geometry.MUST_DISTANCE / 2
        ]
        if near:
            return near[0]
        return ()

    def _band_at(self, frame: RulerFrame, position: QPointF) -> RulerBand | None:
        if not frame.lanes.bands[0] <= position.y() <= frame.lanes.bands[1]:
            return None
        tokens = frame.view.tokens(position.x() - frame.lanes.left)
        sums, bands = frame.content.before.sums, frame.content.screen.ruler.bands
        return next(
            (band for band in bands if sums[band.start] <= tokens < sums[band.end]),
            None,
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()
        super().changeEvent(event)
