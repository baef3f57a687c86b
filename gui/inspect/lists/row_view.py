"""The table view under the message list: fixed rows, pixel scrolling, and where rows and cells
are."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator

from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QWidget

from core.presentation.lists.aligned_rows import Block
from core.presentation.lists.row_plan import RECORDED_ROWS, RowKind
from core.presentation.lists.row_speech import SPOKEN_CHARS
from gui.inspect.lists.cells import CellPainter
from gui.inspect.lists.delegate import MessageRowDelegate, MessageRowPainter
from gui.inspect.lists.overview_strip import OverviewBar
from gui.inspect.lists.table_model import AFTER, BEFORE, MessageListModel
from gui.widgets.accessible_parts import CutPart, PartText, SummaryCellPart

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
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOn)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setWordWrap(False)
        self.setTabKeyNavigation(False)
        self.setMouseTracking(True)
        self.viewport().setMouseTracking(True)
        self.setSelectionMode(QAbstractItemView.SelectionMode.NoSelection)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.hide()
            header.setMinimumSectionSize(1)
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
        row = (y + self.verticalScrollBar().value()) // self.row_pixels
        return row if 0 <= row < len(self.message_model.plan) else -1

    def row_top(self, row: int) -> int:
        """Return the top edge of a row, also for invisible rows."""
        return row * self.row_pixels - self.verticalScrollBar().value()

    def visible_rows(self) -> range:
        height, count, top = (
            self.row_pixels,
            len(self.message_model.plan),
            self.verticalScrollBar().value(),
        )
        return range(
            min(top // height, count), min(-(-(top + self.viewport().height()) // height), count)
        )

    def visible_blocks(self) -> Iterator[tuple[Block, QRect]]:
        """Yield the cells of which rows are visible, and where they are."""
        rows, blocks = self.visible_rows(), self.message_model.plan.blocks
        at = max(bisect_right(blocks, rows.start, key=lambda block: block.first) - 1, 0)
        split, width = self.rows.columns.split, self.viewport().width()
        for block in blocks[at:]:
            if block.first >= rows.stop:
                return
            if block.first + block.rows > rows.start:
                height = block.rows * self.row_pixels
                yield block, QRect(split, self.row_top(block.first), width - split, height)

    def visible_recorded(self) -> Iterator[tuple[str, QRect]]:
        """Yield the visible ones of the opened summaries of recorded compactions, and where they
        are."""
        plan, rows, row = self.message_model.plan, self.visible_rows(), -1
        while (row := plan.kinds.find(RowKind.SUMMARY, max(row, rows.start), rows.stop)) >= 0:
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
        plan, rows = self.message_model.plan, self.visible_rows()
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
                yield PartText(SummaryCellPart, box, f"{cell.title}, {cell.sizes}", text)

    def cell_at(self, position: QPoint) -> Block | None:
        return next(
            (block for block, rect in self.visible_blocks() if rect.contains(position)), None
        )

    def visible_range(self) -> tuple[int, int]:
        """Return the visible messages [start, end) of the view's side; collapsed ones count at
        their row."""
        first, last, plan = -1, -1, self.message_model.plan
        column = plan.right if self.message_model.main.side == AFTER else plan.left
        for row in self.visible_rows():
            if plan.kinds[row] in (RowKind.COLLAPSED, RowKind.EXPANDED):
                run = plan.collapsed[plan.left[row]]
                first, last = run.start if first < 0 else first, max(last, run.end - 1)
            elif plan.message_at(row)[1] >= 0 and column[row] >= 0:
                first, last = column[row] if first < 0 else first, max(last, column[row])
        return (first, last + 1) if first >= 0 else (0, 0)

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
        rows, plan = self.visible_rows(), self.message_model.plan
        row = plan.row_of(*selected) if selected[0] else -1
        if row in rows:
            return *selected, self.row_top(row)
        side, message = plan.near(rows[0]) if rows else ("", -1)
        return side, message, self.row_top(plan.row_of(side, message)) if message >= 0 else 0

    def scroll_to_message(self, side: str, message: int, y: int) -> None:
        """Scroll so that the row of a message starts ``y`` pixels below the top of the rows."""
        rows = self.message_model.plan.rows[side]
        if 0 <= message < len(rows) and rows[message] >= 0:
            self.verticalScrollBar().setValue(rows[message] * self.row_pixels - y)

    def scroll_into_view(self, row: int) -> None:
        """Scroll as little as needed to see a row with two rows of context."""
        height, bar, available = self.row_pixels, self.verticalScrollBar(), self.viewport().height()
        top = self.row_top(row)
        context = _CONTEXT_ROWS * height if available > 3 * _CONTEXT_ROWS * height else 0
        if top < context:
            bar.setValue(bar.value() + top - context)
        elif top + height > available - context:
            bar.setValue(bar.value() + top + height + context - available)

    def current_cut(self) -> tuple[str, int]:
        """Return the name of the cut whose row is the current one, and the height of the row."""
        row, plan = self.currentIndex().row(), self.message_model.plan
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
