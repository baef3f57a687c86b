"""The view of the message list: keys and pointer."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from PySide6.QtCore import (
    QEvent,
    QModelIndex,
    QObject,
    QPoint,
    QRect,
    QSize,
    Qt,
    QTimer,
    Signal,
)
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QImage,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPixmap,
    QResizeEvent,
    QWheelEvent,
)
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractScrollArea,
    QApplication,
    QFrame,
    QHeaderView,
    QScrollBar,
    QTableView,
    QWidget,
)

from core.presentation.filter_query import any_mask
from core.presentation.lists.aligned_rows import Block
from core.presentation.lists.row_plan import RECORDED_ROWS, RowKind
from core.presentation.lists.row_texts import SPOKEN_CHARS
from core.presentation.model import FATES, KEPT
from gui.inspect.lists.cells import CellLink, CellPainter
from gui.inspect.lists.delegate import (
    MessageRowDelegate,
    MessageRowPainter,
    RecordedLink,
    RowLink,
    row_link,
)
from gui.inspect.lists.table_model import AFTER, BEFORE, MessageListModel
from gui.language import tr
from gui.widgets.accessibility import CutPart, PartText, SummaryCellPart
from gui.widgets.events import Index, drag_message
from gui.widgets.theme import current_theme, with_opacity

# The scroll bar of the list: an overview of fates, errors, marks and matches of all its messages.


# Wide enough for two lanes and a mark beside them.
WIDTH = 16
_MIN_MARK_HEIGHT = 2  # pixels: least height of an error, mark or match
_FRAME_OPACITY, _MIN_FRAME_HEIGHT = (
    0.08,
    6,
)  # of the accent over the visible part; pixels
_CHANGES = tuple(code for code in range(len(FATES) + 1) if code != KEPT)


@dataclass(frozen=True, slots=True)
class OverviewColumns:
    """One byte per message; an empty column has no values. Columns other than ``fates`` are
    flags."""

    count: int
    fates: bytes = b""
    errors: bytes = b""
    marked: bytes = b""
    matches: bytes = b""


def change_per_pixel(fates: bytes, count: int, height: int) -> bytes:
    """Return the most frequent fate other than kept of each pixel from the top, in one pass."""
    return _per_pixel(fates, count, height, _change)


def flag_per_pixel(flags: bytes, count: int, height: int) -> bytes:
    """Return 1 for each pixel with a flagged message."""
    return _per_pixel(flags, count, height, _any)


def _per_pixel(
    column: bytes, count: int, height: int, reduce: Callable[[bytes], int]
) -> bytes:
    # An empty column is the usual case, and a walk of each pixel costs time.
    if not any(column) or not count:
        return bytes(max(0, height))
    starts = [y * count // height for y in range(height + 1)]
    return bytes(
        # At least one message a pixel, also where the list is shorter than the bar.
        [reduce(column[start : max(start + 1, end)]) for start, end in pairwise(starts)]
    )


def _change(piece: bytes) -> int:
    is_uniform = piece.count(piece[0]) == len(piece)
    if is_uniform:
        return piece[0]
    # The most frequent change: one kept message must not hide it.
    return max(_CHANGES, key=piece.count)


def _any(piece: bytes) -> int:
    return int(piece.count(0) < len(piece))


def message_at(y: int, count: int, height: int) -> int:
    """Return a pixel's first message, the nearest one beyond the ends; -1 without messages."""
    if count <= 0 or height <= 0:
        return -1
    return min(max(y, 0), height - 1) * count // height


class OverviewBar(QScrollBar):
    """The scroll bar of the list: painted once for its columns and size, scrolling moves only the
    frame.

    A click or drag emits ``jumped``; wheel and keys scroll as in any scroll bar.
    """

    jumped = Signal(int)  # message

    def __init__(self, parent: QWidget) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self.columns = OverviewColumns(0)
        self._visible_range = (0, 0)
        self._picture: QPixmap | None = None
        self.setFixedWidth(WIDTH)
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setAccessibleName(tr("Overview of all messages"))
        self.setToolTip(
            tr(
                "All messages of this list: fates, errors, marks and matches. Click to go there."
            )
        )

    def sizeHint(self) -> QSize:
        return QSize(WIDTH, super().sizeHint().height())

    def show_columns(self, columns: OverviewColumns) -> None:
        # Setting equal columns would paint the whole picture again.
        if columns != self.columns:
            self.columns = columns
            self._repaint()

    def show_visible_range(self, start: int, end: int) -> None:
        """Frame the messages [start, end), which are visible in the list."""
        if (start, end) != self._visible_range:
            self._visible_range = (start, end)
            self.update()

    def _repaint(self) -> None:
        self._picture = None
        self.update()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._repaint()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self._repaint()

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._picture is None:
            self._picture = self._new_picture()
        painter = QPainter(self)
        theme = current_theme()
        count = self.columns.count
        painter.drawPixmap(self.rect(), self._picture)
        start, end = self._visible_range
        # The range is rounded outwards, so that a visible message is never outside the frame.
        top, bottom = (
            (start * self.height() // count, -(-end * self.height() // count))
            if count
            else (0, 0)
        )
        if 0 < bottom - top < self.height():
            frame = QRect(0, top, self.width(), max(bottom - top, _MIN_FRAME_HEIGHT))
            painter.fillRect(frame, with_opacity(theme.accent_text, _FRAME_OPACITY))
            painter.setPen(QPen(theme.accent_text, 2, j=Qt.PenJoinStyle.MiterJoin))
            painter.drawRect(frame.adjusted(1, 1, -1, -1))
        painter.end()

    def _new_picture(self) -> QPixmap:
        """Paint each lane as an image of one byte per pixel line: hundreds of rectangles take
        longer."""
        ratio = self.devicePixelRatioF()
        theme = current_theme()
        columns = self.columns
        # In device pixels, or the lanes blur on a screen with scaling.
        height = max(1, round(self.height() * ratio))
        picture = QPixmap(WIDTH, height)
        picture.fill(theme.surface2)
        painter = QPainter(picture)
        painter.fillRect(0, 0, 1, height, theme.hairline)
        fates = change_per_pixel(columns.fates, columns.count, height)
        _paint_lane(painter, QRect(3, 0, 7, height), fates, theme.fate_fill)
        least = max(1, round(ratio * _MIN_MARK_HEIGHT))
        for column, colour, left in (
            (columns.matches, theme.accent_text, 11),
            (columns.errors, theme.error, 11),
            (columns.marked, theme.text, 1),
        ):
            flags = flag_per_pixel(column, columns.count, height)
            shifted = (
                # A mark of one pixel is not seen; it grows downwards.
                bytes(by) + flags[: height - by]
                for by in range(min(least, height))
            )
            lane = QRect(left, 0, WIDTH - 1 - left + (left == 1), height)
            _paint_lane(
                painter, lane, any_mask(shifted, height), (theme.surface2, colour)
            )
        painter.end()
        return picture

    def mousePressEvent(self, event: QMouseEvent) -> None:
        # A move has no button of its own, only those that are held.
        if event.buttons() & Qt.MouseButton.LeftButton:
            message = message_at(
                round(event.position().y()), self.columns.count, self.height()
            )
            if message >= 0:
                self.jumped.emit(message)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.mousePressEvent(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """The base class would scroll by a page."""

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        event.ignore()


def _paint_lane(
    painter: QPainter, lane: QRect, codes: bytes, colours: tuple[QColor, ...]
) -> None:
    """Paint a column of codes; code 0 stays clear."""
    # Qt keeps a reference to the bytes, not a copy; they live until the image is drawn.
    image = QImage(codes, 1, len(codes), 1, QImage.Format.Format_Indexed8)
    image.setColorTable([0, *(colour.rgba() for colour in colours[1:])])
    painter.drawImage(lane, image)


_SCROLL_MS = 40
"""Pause between two steps while the pointer is above or below the list."""
_MOST_ROWS = 25  # of one such step


class CutDrag(QObject):
    """A drag from a press on the row of a cut to its release.

    The row stays where it is, so the distance of the pointer from its press counts, in rows of
    messages; beyond the list it grows by itself, the faster the further the pointer is.
    """

    wanted = Signal(str, int)  # name of the cut, boundary
    ended = Signal(bool)  # whether the cut stays where it is now

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._name, self._boundary, self._pressed = "", 0, 0
        self._row_pixels, self._height, self._pointer = 1, 0, 0
        self._extra = 0  # rows beyond the list
        self.is_active = False
        self._timer = QTimer(self, interval=_SCROLL_MS)
        self._timer.timeout.connect(self._scroll)

    def press(self, name: str, boundary: int, y: int) -> None:
        """Note a press on the row of a cut that can be dragged."""
        self._name, self._boundary, self._pressed, self._extra = name, boundary, y, 0

    def move(self, y: int, row_pixels: int, height: int) -> bool:
        """Follow the pointer; return False where no cut was pressed. ``height`` is that of the
        list."""
        if not self._name:
            return False
        self._pointer, self._row_pixels, self._height = y, row_pixels, height
        if (
            # A click with a small movement is no drag.
            not self.is_active
            and abs(y - self._pressed) < QApplication.startDragDistance()
        ):
            return True
        self.is_active = True
        # Beyond the list no more moves come, so a timer goes on.
        if self._beyond():
            self._timer.start()
        else:
            self._timer.stop()
        self._want()
        return True

    def release(self, *, is_applied: bool = True) -> bool:
        """End the drag; return whether there was one."""
        was_active, self.is_active, self._name = self.is_active, False, ""
        self._timer.stop()
        if was_active:
            self.ended.emit(is_applied)
        return was_active

    def _beyond(self) -> int:
        """Return how far the pointer is below the list, above it as a negative number."""
        return min(self._pointer, 0) + max(self._pointer - self._height, 0)

    def _scroll(self) -> None:
        rows = self._beyond() / self._row_pixels
        # The square lets a far pointer run fast and a near one step by step.
        step = round(rows * abs(rows)) or (1 if rows > 0 else -1)
        self._extra += max(-_MOST_ROWS, min(_MOST_ROWS, step))
        self._want()

    def _want(self) -> None:
        rows = round((self._pointer - self._pressed) / self._row_pixels)
        self.wanted.emit(self._name, self._boundary + rows + self._extra)


_CONTEXT_ROWS = 2  # least visible rows above and below the target row


class MessageRowView(QTableView):
    """Rows of a fixed height, painted by the delegate, cells painted over them, and where they are.
    Heights are those of the viewport, in pixels."""

    def __init__(self, model: MessageListModel, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.message_model = model
        self.rows = MessageRowPainter(model, self.font())
        self.cells = CellPainter(self.rows, model)
        self.overview = OverviewBar(self)
        self.setModel(model)
        self.setItemDelegate(MessageRowDelegate(self.rows, self))
        self.setVerticalScrollBar(self.overview)
        # The overview would vanish for a short list, and the columns would jump.
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        # Tab leaves the list, as in every other part of the window.
        self.setTabKeyNavigation(False)
        # Rows and links are lit under the pointer, which only a tracked mouse tells.
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.hide()
            # The least size of a section is larger than a row in some styles.
            header.setMinimumSectionSize(1)
            # Any other mode measures the rows one by one.
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.verticalHeader().setDefaultSectionSize(self.row_pixels)

    @property
    def row_pixels(self) -> int:
        return self.rows.fonts.row_pixels

    def measure(self) -> None:
        """Set row height and columns from the painter's fonts and the width of the list."""
        self.rows.lay_out_columns(self.viewport().width())
        if self.verticalHeader().defaultSectionSize() != self.row_pixels:
            self.verticalHeader().setDefaultSectionSize(self.row_pixels)
        self.setColumnWidth(0, self.viewport().width())
        self.viewport().update()

    def reset(self) -> None:
        """Lay out at once: a later change of the range would emit a scroll."""
        super().reset()
        self.executeDelayedItemsLayout()
        self.updateGeometries()

    def row_at(self, y: int) -> int:
        """Return the row at a height, -1 below the last."""
        # Probably computed because rowAt asks the header for each row.
        row = (y + self.verticalScrollBar().value()) // self.row_pixels
        return row if 0 <= row < len(self.message_model.plan) else -1

    def row_top(self, row: int) -> int:
        """Return the top edge of a row, also for invisible rows."""
        return row * self.row_pixels - self.verticalScrollBar().value()

    def visible_rows(self) -> range:
        height = self.row_pixels
        count = len(self.message_model.plan)
        top = self.verticalScrollBar().value()
        return range(
            min(top // height, count),
            min(-(-(top + self.viewport().height()) // height), count),
        )

    def visible_blocks(self) -> Iterator[tuple[Block, QRect]]:
        """Yield the cells of which rows are visible, and where they are."""
        rows = self.visible_rows()
        blocks = self.message_model.plan.blocks
        # The block that begins above may reach into the view.
        at = max(bisect_right(blocks, rows.start, key=lambda block: block.first) - 1, 0)
        split = self.rows.columns.split
        width = self.viewport().width()
        for block in blocks[at:]:
            if block.first >= rows.stop:
                return
            if block.first + block.rows > rows.start:
                height = block.rows * self.row_pixels
                yield (
                    block,
                    QRect(split, self.row_top(block.first), width - split, height),
                )

    def visible_recorded(self) -> Iterator[tuple[str, QRect]]:
        """Yield the visible ones of the opened summaries of recorded compactions, and where they
        are."""
        plan = self.message_model.plan
        rows = self.visible_rows()
        row = -1
        while (
            row := plan.kinds.find(RowKind.SUMMARY, max(row, rows.start), rows.stop)
        ) >= 0:
            first = plan.kinds.rfind(RowKind.RECORDED, 0, row) + 1
            height = RECORDED_ROWS * self.row_pixels
            recorded = self.message_model.main.recorded[plan.left[first]]
            yield (
                recorded.summary,
                QRect(0, self.row_top(first), self.rows.rect_of(first).width(), height),
            )
            row = first + RECORDED_ROWS

    def cut_parts(self) -> Iterator[PartText]:
        """Yield the visible rows of cuts as objects for screen readers."""
        plan = self.message_model.plan
        rows = self.visible_rows()
        row = plan.kinds.find(RowKind.CUT, rows.start, rows.stop)
        while row >= 0:
            box = QRect(0, self.row_top(row), self.viewport().width(), self.row_pixels)
            yield PartText(CutPart, box, self.message_model.accessible_text(row))
            row = plan.kinds.find(RowKind.CUT, row + 1, rows.stop)

    def cell_parts(self) -> Iterator[PartText]:
        """Yield the visible cells of summaries as objects for screen readers."""
        cells = self.message_model.aligned.cells
        for block, box in self.visible_blocks():
            if (cell := cells.get(block.result)) is not None:
                text = ": ".join(filter(None, (cell.state, cell.text[:SPOKEN_CHARS])))
                yield PartText(
                    SummaryCellPart, box, f"{cell.title}, {cell.sizes.text}", text
                )

    def cell_at(self, position: QPoint) -> Block | None:
        return next(
            (block for block, rect in self.visible_blocks() if rect.contains(position)),
            None,
        )

    def visible_range(self) -> tuple[int, int]:
        """Return the visible messages [start, end) of the view's side; collapsed ones count at
        their row."""
        first, last, plan = -1, -1, self.message_model.plan
        column = plan.right if self.message_model.main.side == AFTER else plan.left
        for row in self.visible_rows():
            # A collapsed row stands for all of its messages.
            if plan.kinds[row] in (RowKind.COLLAPSED, RowKind.EXPANDED):
                run = plan.collapsed[plan.left[row]]
                first = run.start if first < 0 else first
                last = max(last, run.end - 1)
            elif plan.message_at(row)[1] >= 0 and column[row] >= 0:
                first = column[row] if first < 0 else first
                last = max(last, column[row])
        if first >= 0:
            return (first, last + 1)
        return (0, 0)

    def visible_runs(self) -> list[tuple[int, int]]:
        """Return the visible source messages as ranges [start, end), without the collapsed ones."""
        runs: list[tuple[int, int]] = []
        model, plan = self.message_model, self.message_model.plan
        for row in self.visible_rows():
            side, message = plan.message_at(row)
            source = message
            if side != BEFORE and message >= 0:
                source = model.after.source(message)
            if source < 0:
                continue
            if runs and runs[-1][1] == source:
                runs[-1] = (runs[-1][0], source + 1)
            elif not runs or source >= runs[-1][1]:
                runs.append((source, source + 1))
        return runs

    def visible_anchor(self, selected: tuple[str, int]) -> tuple[str, int, int]:
        """Return a visible message and its height: the selected one, else the topmost; -1 for
        none."""
        rows = self.visible_rows()
        plan = self.message_model.plan
        if selected[0]:
            row = plan.row_of(*selected)
        else:
            row = -1
        if row in rows:
            return *selected, self.row_top(row)
        side, message = plan.near(rows[0]) if rows else ("", -1)
        return (
            side,
            message,
            self.row_top(plan.row_of(side, message)) if message >= 0 else 0,
        )

    def scroll_to_message(self, side: str, message: int, y: int) -> None:
        """Scroll so that the row of a message starts ``y`` pixels below the top of the rows."""
        rows = self.message_model.plan.rows[side]
        if 0 <= message < len(rows) and rows[message] >= 0:
            self.verticalScrollBar().setValue(rows[message] * self.row_pixels - y)

    def scroll_into_view(self, row: int) -> None:
        """Scroll as little as needed to see a row with two rows of context."""
        height = self.row_pixels
        bar = self.verticalScrollBar()
        available = self.viewport().height()
        top = self.row_top(row)
        # In a low view two rows of context would leave no room for the row.
        if available > 3 * _CONTEXT_ROWS * height:
            context = _CONTEXT_ROWS * height
        else:
            context = 0
        if top < context:
            bar.setValue(bar.value() + top - context)
        elif top + height > available - context:
            bar.setValue(bar.value() + top + height + context - available)

    def current_cut(self) -> tuple[str, int]:
        """Return the name of the cut whose row is the current one, and the height of the row."""
        row = self.currentIndex().row()
        plan = self.message_model.plan
        if not 0 <= row < len(plan) or plan.kinds[row] != RowKind.CUT:
            return "", 0
        return self.message_model.main.cuts[plan.left[row]].name, self.row_top(row)

    def cut_row(self, name: str) -> int:
        """Return the row of a cut, -1 if there is none."""
        cuts = self.message_model.main.cuts
        return self._row_of(RowKind.CUT, lambda at: cuts[at].name == name)

    def recorded_row(self, number: int) -> int:
        """Return the row of a recorded compaction, -1 if there is none."""
        recorded = self.message_model.main.recorded
        return self._row_of(RowKind.RECORDED, lambda at: recorded[at].number == number)

    def _row_of(self, kind: RowKind, is_it: Callable[[int], bool]) -> int:
        """Return the row of a kind whose number on the left is the one, -1 if there is none."""
        plan = self.message_model.plan
        row = plan.kinds.find(kind)
        while row >= 0 and not is_it(plan.left[row]):
            row = plan.kinds.find(kind, row + 1)
        return row


_MOVE_KEYS = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)


class MessageListView(MessageRowView):
    """Turns keys and pointer into signals."""

    resized = Signal()
    hovered = Signal(int)  # row, -1 for none
    row_pressed = Signal(int, bool)  # row; in its right half, of two messages
    cell_pressed = Signal(int)  # message of the result
    link_pressed = Signal(object)  # CellLink, RowLink or RecordedLink
    expand_requested = Signal(int, bool)  # row, open
    whole_requested = Signal(int)  # of a cell's message of the result
    partner_requested = Signal(int)  # -1 previous, 1 next
    counterpart_requested = Signal()
    restore_requested = Signal()
    cut_moved = Signal(int, int)  # row of the cut, boundaries to move it by
    menu_requested = Signal(QPoint)  # global position

    def __init__(self, model: MessageListModel, parent: QWidget | None = None) -> None:
        super().__init__(model, parent)
        self.drag = CutDrag(self)
        self._pressed: QPoint | None = None  # on a message that can be dragged

    def set_current(self, row: int) -> None:
        """Mark a row as current, -1 for none, without scrolling."""
        self.rows.current_row = row
        if row >= 0:
            index = self.message_model.index(row, 0)
        else:
            index = QModelIndex()
        scroll = self.verticalScrollBar().value()
        # Without this flag Qt would select and scroll.
        self.selectionModel().setCurrentIndex(
            index, self.selectionModel().SelectionFlag.NoUpdate
        )
        # Qt scrolls to the current row even where it is visible.
        self.verticalScrollBar().setValue(scroll)
        self.viewport().update()

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        self.rows.current_row = current.row()
        self.viewport().update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Collapse, expand, pair partner and other place; other keys move the current row."""
        row = self.currentIndex().row()
        modified = Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier
        is_plain = not event.modifiers() & modified
        is_open = self.message_model.is_open(row)
        block = self.message_model.plan.block_at(row)
        match event.key():
            case Qt.Key.Key_Up | Qt.Key.Key_Down as key if (
                event.modifiers() & Qt.KeyboardModifier.AltModifier
            ):
                self.cut_moved.emit(row, 1 if key == Qt.Key.Key_Down else -1)
            case Qt.Key.Key_Left | Qt.Key.Key_Right as key if is_plain:
                self.expand_requested.emit(row, key == Qt.Key.Key_Right)
            # A run or a recorded compaction opens; other rows keep the key for the cell.
            case Qt.Key.Key_Return | Qt.Key.Key_Enter | Qt.Key.Key_Space if (
                is_open is not None
            ):
                self.expand_requested.emit(row, not is_open)
            case Qt.Key.Key_Return | Qt.Key.Key_Enter if (
                block is not None and block.result >= 0
            ):
                self.whole_requested.emit(block.result)
            case Qt.Key.Key_BracketLeft | Qt.Key.Key_BracketRight as key if is_plain:
                self.partner_requested.emit(1 if key == Qt.Key.Key_BracketRight else -1)
            case Qt.Key.Key_O if is_plain:
                self.counterpart_requested.emit()
            case Qt.Key.Key_B if is_plain:
                self.restore_requested.emit()
            # The first key takes the first whole row in sight, not the first of the list.
            case key if row < 0 and key in _MOVE_KEYS and (rows := self.visible_rows()):
                is_first_cut_off = len(rows) > 1 and self.row_top(rows[0]) < 0
                self.setCurrentIndex(
                    self.message_model.index(rows[1 if is_first_cut_off else 0], 0)
                )
            case _:
                super().keyPressEvent(event)

    def keyboardSearch(self, search: str) -> None:
        """No search by typing: letters are commands."""

    def link_at(self, position: QPoint) -> CellLink | RowLink | RecordedLink | None:
        """Return the link under the pointer, of a cell or a row."""
        row = self.row_at(position.y())
        if row >= 0:
            link = row_link(self.rows, self.message_model, row, position.x())
        else:
            link = None
        return self.cells.link_at(position) or link

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Follows a link, selects a cell or makes the row current; a collapsed run expands or
        collapses."""
        self._press(event, is_second=False)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Selects as one click does, and leaves a run as the first click left it."""
        self._press(event, is_second=True)

    def _press(self, event: QMouseEvent, *, is_second: bool) -> None:
        # The right button opens the menu, and the middle one nothing.
        if event.button() != Qt.MouseButton.LeftButton:
            return
        position = event.position().toPoint()
        link = self.link_at(position)
        if link is not None:
            # The second click of a double click would follow the link twice.
            if not is_second:
                self.link_pressed.emit(link)
            return
        cell = self.cell_at(position)
        row = self.row_at(position.y())
        self._pressed = position
        if cell is not None and cell.result >= 0:
            self.setFocus(Qt.FocusReason.MouseFocusReason)
            self.cell_pressed.emit(cell.result)
        elif row >= 0:
            self._press_row(row, position, is_second=is_second)

    def _press_row(self, row: int, position: QPoint, *, is_second: bool) -> None:
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        is_right = self.rows.are_apart(row) and position.x() >= self.rows.columns.split
        self.row_pressed.emit(row, is_right)
        if is_second:
            return
        model = self.message_model
        if model.can_drag(row):
            cut = model.before.cuts[model.plan.left[row]]
            self.drag.press(cut.name, cut.boundary, position.y())
        is_open = model.is_open(row)
        if is_open is not None and model.plan.kinds[row] != RowKind.SUMMARY:
            self.expand_requested.emit(row, not is_open)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Requests the menu of the row under the pointer, or by key of the current one."""
        # The key has no pointer, so the menu opens at the current row.
        by_key = event.reason() == QContextMenuEvent.Reason.Keyboard
        if by_key:
            row = self.currentIndex().row()
        else:
            row = self.row_at(event.pos().y())
        if row >= 0:
            if not by_key:
                self.row_pressed.emit(row, False)
            below = QPoint(
                self.rows.columns.message, self.row_top(row) + self.row_pixels
            )
            self.menu_requested.emit(
                self.viewport().mapToGlobal(below if by_key else event.pos())
            )

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Emits the row under the pointer, or drags the cut or the message of the pressed row;
        nothing else is selected."""
        position = event.position().toPoint()
        if not event.buttons():
            self.viewport().setCursor(self._cursor_at(position))
            self.hovered.emit(self.row_at(position.y()))
        elif event.buttons() & Qt.MouseButton.LeftButton:
            height = self.viewport().height()
            is_cut = self.drag.move(position.y(), self.row_pixels, height)
            if not is_cut:
                self._drag_message(position)

    def _drag_message(self, position: QPoint) -> None:
        """Drag the pressed message, which its press has selected."""
        if self._pressed is None:
            return
        distance = (position - self._pressed).manhattanLength()
        if distance >= QApplication.startDragDistance():
            self._pressed = None
            drag_message(self)

    def _cursor_at(self, position: QPoint) -> Qt.CursorShape:
        if self.link_at(position) is not None:
            return Qt.CursorShape.PointingHandCursor
        can_drag = self.message_model.can_drag(self.row_at(position.y()))
        if can_drag is None:
            return Qt.CursorShape.ArrowCursor
        if can_drag:
            return Qt.CursorShape.SplitVCursor
        return Qt.CursorShape.ForbiddenCursor

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Lets a dragged cut go."""
        self._pressed = None
        self.drag.release()

    def event(self, event: QEvent) -> bool:
        """Esc puts a dragged cut back, before it does anything else."""
        if (
            isinstance(event, QKeyEvent)
            and event.key() == Qt.Key.Key_Escape
            and self.drag.is_active
        ):
            event.accept()
            if event.type() == QEvent.Type.KeyPress:
                self.drag.release(is_applied=False)
            return True
        return super().event(event)

    def leaveEvent(self, event: object) -> None:
        self.hovered.emit(-1)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scrolls, and emits the row now under the pointer; a dragged cut stays at its height."""
        if self.drag.is_active:
            return
        super().wheelEvent(event)
        self.hovered.emit(self.row_at(round(event.position().y())))

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Shows the focus, without selecting a row as the base class would."""
        QAbstractScrollArea.focusInEvent(self, event)
        self.rows.focused = True
        self.viewport().update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.rows.focused = False
        self.viewport().update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints rows, cells, and a focus ring round the list if no current row is visible."""
        super().paintEvent(event)
        self.cells.links.clear()
        painter = QPainter(self.viewport())
        for block, rect in self.visible_blocks():
            self.cells.paint(painter, block, rect, self.viewport().rect())
        for summary, rect in self.visible_recorded():
            self.cells.paint_recorded(painter, summary, rect)
        if self.hasFocus() and self.rows.current_row not in self.visible_rows():
            painter.setPen(
                QPen(self.rows.theme.accent_text, 2, j=Qt.PenJoinStyle.MiterJoin)
            )
            painter.drawRect(self.viewport().rect().adjusted(1, 1, -1, -1))
        painter.end()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.measure()
        self.resized.emit()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        """Repaints all: what sticks to the visible part of a cell does not move with its rows."""
        super().scrollContentsBy(dx, dy)
        self.viewport().update()
