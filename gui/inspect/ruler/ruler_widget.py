"""The ruler widget: turns pointer and keys into signals, zoom and pan."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, QRect, QSize, Qt, Signal
from PySide6.QtGui import (
    QFocusEvent,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.presentation.model import MessageRows
from core.presentation.ruler import geometry
from core.presentation.ruler import wording as ruler_text
from core.presentation.ruler.geometry import CutMove, RulerBand, RulerMust
from core.presentation.screen_model import Screen
from gui.inspect.ruler.bars import (
    RulerContent,
    RulerFrame,
    RulerLanes,
    growing_content,
    gutter_left,
    paint_after,
    paint_axis,
    paint_bands,
    paint_before,
    paint_runs,
    paint_strip,
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
from gui.widgets.accessibility import AccessibleParts, CutPart, PartText, announce_text
from gui.widgets.events import is_enter
from gui.widgets.theme import current_theme

# The ruler's picture: receives screens, holds the view, paints the layers, finds what is under a
# point.


_LAYERS = (paint_after, paint_strip, paint_runs, paint_bands, paint_axis)


def _painted(
    ground: QPixmap,
    frame: RulerFrame,
    layers: Sequence[Callable[[QPainter, RulerFrame], None]],
) -> QPixmap:
    # The ground stays as it is for the next picture.
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
        # Setting the height again would lay out the whole window.
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
        # The ratio changes when the window moves to another screen.
        content = frame.content
        ratio = self.devicePixelRatioF()
        key = frame.view, frame.theme, frame.lanes, frame.width, frame.font, ratio
        if self._picture is None or self._picture[0] != key:
            rows = content.screen.source.rows
            total = content.screen.ruler.totals.before_total
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
                # Without it Qt scales the picture, and its text blurs.
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
        # The frame is for the keyboard; a click shows where the focus is.
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
        frame = self.frame()
        handles = self.moves.painted_handles()
        if frame is not None and handles:
            return handle_box(frame, handles[0]).toAlignedRect()
        return self.rect()

    def _handle_at(self, frame: RulerFrame, position: QPointF) -> str:
        """Return the name of the handle under the pointer, the nearer of two; "" if none."""
        # Two handles may lie on each other; the nearer one is meant.
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
        lanes = frame.lanes
        x = position.x() - frame.lanes.left
        for side, top, bottom, bar in (
            ("before", lanes.before[0], lanes.strip[1], frame.content.before),
            ("after", lanes.after[0], lanes.after[1] + 1, frame.content.after),
        ):
            if top <= position.y() < bottom and 0 <= x < frame.view.width:
                first, end = geometry.messages_in(bar.sums, frame.view, x)
                # A message of no tokens has no width.
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
            # Marks are wider than a message, so the pointer may be left of the first.
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
        # A style change may bring another font without saying so.
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()
        super().changeEvent(event)


MIN_DRAG = 4  # least pixels of a drag
KEY_STEPS = {
    Qt.Key.Key_Left: -1,
    Qt.Key.Key_Right: 1,
    Qt.Key.Key_Home: -(1 << 30),
    Qt.Key.Key_End: 1 << 30,
}


class Ruler(RulerCanvas):
    """The ruler, with pointer and keyboard. Ranges of messages are inclusive, from 0."""

    message_clicked = Signal(str, int)  # side, index
    hovered = Signal(
        str, int, int
    )  # side, first, last; "", -1, -1 when the pointer leaves
    cut_clicked = Signal(str)  # name of the handle, or of the one that Why is about
    handle_moved = Signal(str, float, bool)  # setting's key, value, final
    dragged = Signal(object)  # CutMove, None when the pointer lets go
    stretch_changed = Signal(
        int, int
    )  # the selected messages [first, end); -1, -1 for none

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._press_position: QPointF | None = None
        self._has_panned = self._pans = False
        self._stretch_start = -1  # the message at which a drag began
        self.moves.moved.connect(self.handle_moved)
        self.moves.changed.connect(self._announce_handle)
        self.moves.changed.connect(self._tell_drag)
        self._drag_announced: CutMove | None = None
        self._announced_text = ""
        self.setMouseTracking(True)

    def _announce_handle(self) -> None:
        focused_handles = (
            # The same words again would be read to the person with every move.
            handle
            for handle in self.moves.painted_handles()
            if handle.handle.name == self.moves.focused
        )
        text = next((handle.tip for handle in focused_handles), "")
        if text != self._announced_text:
            self._announced_text = text
            announce_text(self, text)

    def _tell_drag(self) -> None:
        drag = self.moves.drag
        if drag != self._drag_announced:
            self._drag_announced = drag
            self.dragged.emit(drag)

    def event(self, event: QEvent) -> bool:
        # Qt's own tip is one for the whole widget.
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip(QPointF(event.pos())), self)
            return True
        # Esc is a shortcut of the window; this claims it before.
        if event.type() == QEvent.Type.ShortcutOverride and self._takes_escape(event):
            event.accept()
            return True
        return super().event(event)

    def _takes_escape(self, event: QEvent) -> bool:
        """Take Esc before the cancel shortcut while a moved handle can be put back."""
        is_escape = isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape
        return is_escape and (self.moves.can_restore or self.stretch != NO_RANGE)

    def tip(self, position: QPointF) -> str:
        frame = self.frame()
        if frame is None:
            return ""
        if musts := self.musts_at(frame, position):
            return "\n".join(mark.words for mark in musts)
        handles = self.moves.painted_handles()
        name = self._handle_at(frame, position)
        if name:
            return next(handle.tip for handle in handles if handle.handle.name == name)
        lost_messages = self._lost_at(frame, position)
        if lost_messages:
            return tr(
                ruler_text.lost_tip(self.lost_messages, self._lost_words, lost_messages)
            )
        hovered = self.range_at(frame, position)
        if hovered == NO_RANGE:
            return ""
        return tr(
            ruler_text.hover_text(
                frame.content.screen, hovered.side, hovered.first, hovered.end
            )
        )

    def mousePressEvent(self, event: QMouseEvent) -> None:
        frame = self.frame()
        buttons = (Qt.MouseButton.LeftButton, Qt.MouseButton.MiddleButton)
        if frame is None or event.button() not in buttons:
            return
        # The place decides later whether it was a click or a drag.
        self._press_position = event.position()
        self._has_panned = False
        is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        self._pans = is_shifted or event.button() == Qt.MouseButton.MiddleButton
        self._stretch_start = self._message_at(frame, event.position())
        if self._pans:
            name = ""
        else:
            name = self._handle_at(frame, event.position())
        if name:
            self.moves.press(name)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        frame = self.frame()
        if frame is None:
            return
        position = event.position()
        if self.moves.moving_name:
            self.moves.drag_to(self.view.tokens(position.x() - frame.lanes.left))
        elif self._press_position is not None:
            self._drag(frame, position)
        else:
            self._point(frame, position)

    def _drag(self, frame: RulerFrame, position: QPointF) -> None:
        """Select a stretch of messages; with Shift or the middle button pan a zoomed ruler."""
        start = self._press_position
        if start is None:
            return
        # A hand is never still, so a few pixels are no drag.
        if not self._has_panned and abs(position.x() - start.x()) < MIN_DRAG:
            return
        self._has_panned = True
        if not self._pans:
            first, last = sorted(
                (self._stretch_start, self._message_at(frame, position))
            )
            self.select_stretch(first, last + 1)
        elif self.view.zoomed:
            self._set_view(geometry.pan_range(self.view, start.x() - position.x()))
            self._press_position = position

    def _message_at(self, frame: RulerFrame, position: QPointF) -> int:
        """Return the message of the before side at a horizontal position, the nearest one."""
        sums = frame.content.before.sums
        tokens = self.view.tokens(position.x() - frame.lanes.left)
        # The pointer may be beyond the end of the bar.
        return max(0, min(len(sums) - 2, bisect_right(sums, tokens) - 1))

    def select_stretch(self, first: int, end: int) -> None:
        """Select the messages [first, end) of the before side; none where it is empty."""
        if end > first >= 0:
            newer = OutlinedRange("before", first, end)
        else:
            newer = NO_RANGE
        if newer != self.stretch:
            self.stretch = newer
            self.stretch_changed.emit(newer.first, newer.end)
            self.update()

    def _step_stretch(self, by: int) -> None:
        """Move the end of the stretch by messages."""
        frame = self.frame()
        if frame is not None:
            most = len(frame.content.before.sums) - 1
            end = max(self.stretch.first + 1, min(most, self.stretch.end + by))
            self.select_stretch(self.stretch.first, end)

    def _point(self, frame: RulerFrame, position: QPointF) -> None:
        """Follow the pointer without a button."""
        name = self._handle_at(frame, position)
        self.moves.hover(name)
        if name:
            hovered = NO_RANGE
        else:
            hovered = self.range_at(frame, position)
        # Hovering emits with each pixel, but only a new range is told.
        if hovered != self._hovered:
            self._hovered = hovered
            self.hovered.emit(
                hovered.side, hovered.first, hovered.end - 1 if hovered.end > 0 else -1
            )
            self.update()
        self.setCursor(self._cursor_at(frame, name, position))

    def _cursor_at(
        self, frame: RulerFrame, name: str, position: QPointF
    ) -> Qt.CursorShape:
        """Return the pointer's shape over the handle ``name``, over a clickable place, or
        elsewhere."""
        handle = next(
            (
                handle
                for handle in frame.content.screen.ruler.handles
                if handle.name == name
            ),
            None,
        )
        if handle is not None:
            if handle.locked:
                return Qt.CursorShape.ForbiddenCursor
            return Qt.CursorShape.SplitHCursor
        is_link = self._lost_at(frame, position) or self.musts_at(frame, position)
        if is_link:
            return Qt.CursorShape.PointingHandCursor
        return Qt.CursorShape.ArrowCursor

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        frame = self.frame()
        held_name = self.moves.moving_name
        # The release of a press that began elsewhere is not ours.
        pressed, self._press_position = self._press_position, None
        if frame is None or pressed is None:
            return
        if held_name:
            # A handle that was pressed and not moved was clicked.
            if not self.moves.release():
                self.cut_clicked.emit(held_name)
        elif not self._has_panned:
            self._click(frame, event.position())

    def _click(self, frame: RulerFrame, position: QPointF) -> None:
        screen = frame.content.screen
        if musts := self.musts_at(frame, position):
            self.message_clicked.emit("before", musts[0].message)
            return
        lost_messages = self._lost_at(frame, position)
        if lost_messages:
            self.message_clicked.emit("before", lost_messages[0])
            return
        clicked = self.range_at(frame, position)
        if clicked != NO_RANGE:
            if clicked.side == "before":
                rows = screen.source.rows
            else:
                rows = screen.result.rows
            # In a range of many messages the largest is the one that is seen.
            largest = max(
                range(clicked.first, clicked.end), key=rows.tokens.__getitem__
            )
            self.message_clicked.emit(clicked.side, largest)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        frame = self.frame()
        if frame:
            band = self._band_at(frame, event.position())
        else:
            band = None
        if frame and band and not self._handle_at(frame, event.position()):
            sums = frame.content.before.sums
            self._set_view(
                geometry.range_between(self.view, sums[band.start], sums[band.end])
            )
        else:
            # Qt sends the second press as a double click only.
            self.mousePressEvent(event)

    def leaveEvent(self, event: QEvent) -> None:
        self.moves.hover("")
        if self._hovered != NO_RANGE:
            self._hovered = NO_RANGE
            self.hovered.emit("", -1, -1)
            self.update()

    def wheelEvent(self, event: QWheelEvent) -> None:
        frame = self.frame()
        delta = event.angleDelta()
        if frame is None:
            return
        if event.modifiers() & Qt.KeyboardModifier.ControlModifier:
            x = event.position().x() - frame.lanes.left
            # A step of the wheel is 120; touchpads send parts of it.
            factor = 1.25 ** (delta.y() / 120)
            self._set_view(
                geometry.zoom_range(self.view, x, factor, frame.content.before.sums)
            )
            self.setFocus(
                Qt.FocusReason.MouseFocusReason
            )  # so that the key 0 can show all again
        elif self.view.zoomed:
            # Some mice send the horizontal wheel, others the vertical one with a key.
            self._set_view(geometry.pan_range(self.view, -(delta.x() or delta.y())))
        else:
            # The list behind the ruler would not scroll otherwise.
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = Qt.Key(event.key())
        if key in KEY_STEPS:
            is_shifted = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            is_done = self._step(KEY_STEPS[key], is_shifted=is_shifted)
        elif key == Qt.Key.Key_Escape:
            is_done = self._take_back()
        elif (
            key == Qt.Key.Key_0 and event.modifiers() == Qt.KeyboardModifier.NoModifier
        ):
            self._set_view(geometry.whole_range(self.view.total, self.view.width))
            is_done = True
        else:
            is_done = self._pick_cut(event)
        if not is_done:
            super().keyPressEvent(event)

    def _step(self, by: int, *, is_shifted: bool) -> bool:
        """Change the stretch, or move the handle that has the focus; False if there is neither."""
        if is_shifted and self.stretch != NO_RANGE:
            self._step_stretch(by)
            return True
        if self.moves.focused:
            self.moves.step(by * 10 if is_shifted else by)
            return True
        return False

    def _take_back(self) -> bool:
        """Put back the handle that is dragged, else end the stretch; False if there is neither."""
        if self.moves.restore():
            # The release of the button must not count as a click.
            self._press_position = None
            return True
        if self.stretch != NO_RANGE:
            self.select_stretch(-1, -1)
            return True
        return False

    def _pick_cut(self, event: QKeyEvent) -> bool:
        is_pick = is_enter(event) or event.key() == Qt.Key.Key_Space
        if not is_pick or not self.moves.focused:
            return False
        self.cut_clicked.emit(self.moves.focused)
        return True

    def step_cut(self, name: str, by: int) -> None:
        """Move the handle of a cut by that many valid boundaries, as its keys do."""
        if any(handle.handle.name == name for handle in self.moves.painted_handles()):
            self.moves.focused = name
            self.moves.step(by)
            self.end_drag(is_applied=True)

    def drag_cut(self, name: str, boundary: int) -> None:
        """Drag the handle of a cut to the valid boundary nearest to one."""
        if self.moves.moving_name != name:
            self.moves.press(name)
        self.moves.drag_to_boundary(boundary)

    def end_drag(self, is_applied: bool) -> None:
        """Let go of a cut that is moved in the list, where it is or where it was."""
        if is_applied:
            self.moves.release()
        else:
            self.moves.restore()
        if not self.hasFocus():
            self.moves.clear_focus()

    @property
    def is_dragged(self) -> bool:
        return self._drag_announced is not None

    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        if (
            event.key() in KEY_STEPS
            and self.moves.moving_name
            and self._press_position is None
            and not event.isAutoRepeat()
        ):
            self.moves.release()
        else:
            super().keyReleaseEvent(event)

    def focusNextPrevChild(self, forward: bool) -> bool:
        if self.hasFocus() and self.moves.focus(forward):
            return True
        return super().focusNextPrevChild(forward)

    def focusInEvent(self, event: QFocusEvent) -> None:
        if event.reason() in (
            Qt.FocusReason.TabFocusReason,
            Qt.FocusReason.BacktabFocusReason,
        ):
            self.moves.focus(event.reason() == Qt.FocusReason.TabFocusReason)
        silent_reasons = (
            Qt.FocusReason.MouseFocusReason,
            Qt.FocusReason.ActiveWindowFocusReason,
        )
        self._focused_by_keyboard = event.reason() not in silent_reasons
        super().focusInEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        self.moves.clear_focus()
        super().focusOutEvent(event)
