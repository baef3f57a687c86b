"""Finds what is under the pointer: a handle, the Why link, a band, messages of a bar."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, Qt

from core.presentation.ruler.geometry import marks_near, messages_in
from core.presentation.ruler.model import RulerBand
from gui.inspect.ruler.bars import AFTER_LANE, BEFORE_LANE
from gui.inspect.ruler.fact_ticks import TICKS
from gui.inspect.ruler.frame import RulerFrame
from gui.inspect.ruler.labels import why_box
from gui.inspect.ruler.overlay import OutlinedRange, PaintedHandle, handle_box, handle_x

NO_RANGE = OutlinedRange("", -1, -1)


def handle_at(frame: RulerFrame, handles: Sequence[PaintedHandle], position: QPointF) -> str:
    """Return the name of the handle under the pointer, the nearer of two; "" if none."""
    under = [handle for handle in handles if handle_box(frame, handle).contains(position)]
    by_distance = sorted(
        (abs(handle_x(frame, handle) - position.x()), handle.handle.name) for handle in under
    )
    return by_distance[0][1] if by_distance else ""


def range_at(frame: RulerFrame, position: QPointF) -> OutlinedRange:
    """Return the messages of the pixel column under the pointer."""
    lanes, x = frame.lanes, position.x() - frame.lanes.left
    if not 0 <= x < frame.view.width:
        return NO_RANGE
    for side, (top, bottom), side_sums in (
        ("before", (BEFORE_LANE[0] - 1, 75), frame.content.before),
        ("after", (AFTER_LANE[0], AFTER_LANE[1] + 1), frame.content.after),
    ):
        if lanes.y(top) <= position.y() < lanes.y(bottom):
            first, end = messages_in(side_sums.sums, frame.view, x)
            return OutlinedRange(side, first, end) if end > first else NO_RANGE
    return NO_RANGE


def lost_facts_at(frame: RulerFrame, messages: Sequence[int], position: QPointF) -> Sequence[int]:
    """Return those of ``messages`` (ascending) whose tick under the fate strip is under the pointer."""
    lanes = frame.lanes
    if not messages or not lanes.y(TICKS[0]) - 1 <= position.y() <= lanes.y(TICKS[1]) + 2:
        return ()
    x = position.x() - lanes.left
    return marks_near(messages, frame.content.before.sums, frame.view, x) if x >= -4 else ()


def band_at(frame: RulerFrame, position: QPointF) -> RulerBand | None:
    if not frame.lanes.y(22) <= position.y() <= frame.lanes.y(38):
        return None
    tokens = frame.view.tokens(position.x() - frame.lanes.left)
    sums = frame.content.before.sums
    bands = frame.content.screen.bands
    return next((band for band in bands if sums[band.start] <= tokens < sums[band.end]), None)


def is_on_why_link(frame: RulerFrame, position: QPointF) -> bool:
    box = why_box(frame)
    return box is not None and box.adjusted(-3, -3, 3, 3).contains(position)


def is_in_overview(frame: RulerFrame, position: QPointF) -> bool:
    top, bottom = frame.lanes.overview
    return frame.view.zoomed and top - 3 <= position.y() <= bottom + 3


def cursor_at(
    frame: RulerFrame,
    handles: Sequence[PaintedHandle],
    name: str,
    lost_messages: Sequence[int],
    position: QPointF,
) -> Qt.CursorShape:
    """Return the pointer's shape over the handle ``name``, over a clickable place, or elsewhere."""
    handle = next((handle for handle in handles if handle.handle.name == name), None)
    if handle is not None:
        return Qt.CursorShape.ForbiddenCursor if handle.handle.locked else Qt.CursorShape.SplitHCursor
    is_link = is_on_why_link(frame, position) or lost_facts_at(frame, lost_messages, position)
    return Qt.CursorShape.PointingHandCursor if is_link else Qt.CursorShape.ArrowCursor
