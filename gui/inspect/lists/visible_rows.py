"""Which rows of a list are visible, and scrolling to others."""

from __future__ import annotations

from PySide6.QtCore import QRect

from core.presentation.lists.row_plan import RowKind
from gui.inspect.lists.table_view import MessageListView

_CONTEXT_ROWS = 2  # least visible rows above and below the target row


def message_at(view: MessageListView, row: int) -> int:
    """Return the message of a row, -1 for other kinds of rows or none."""
    plan = view.message_model.plan
    if not 0 <= row < len(plan) or plan.kinds[row] != RowKind.MESSAGE:
        return -1
    return plan.indices[row]


def visible_range(view: MessageListView) -> tuple[int, int]:
    """Return the visible messages [start, end); folded ones count at their fold."""
    rows, plan = view.visible_rows(), view.message_model.plan
    if not rows:
        return (0, 0)
    first, last = rows[0], rows[-1]
    while first < last and plan.kinds[first] not in (RowKind.MESSAGE, RowKind.FOLD):
        first += 1
    while last > first and plan.kinds[last] not in (RowKind.MESSAGE, RowKind.FOLD):
        last -= 1
    start = max(plan.message_near(first), 0)
    kind, index = plan.kind_and_index(last)
    end = plan.folded_runs[index].end if kind == RowKind.FOLD else plan.message_near(last) + 1
    return (start, max(end, start))


def visible_anchor(view: MessageListView, selected: int) -> tuple[int, int]:
    """Return a visible message and its height: the selected one, else the topmost; (-1, 0) for none."""
    rows, plan = view.visible_rows(), view.message_model.plan
    if 0 <= selected < len(plan.rows) - 1 and plan.rows[selected] in rows:
        return selected, view.row_top(plan.rows[selected])
    message = plan.message_near(rows[0]) if rows else -1
    return message, view.row_top(plan.rows[message]) if message >= 0 else 0


def anchor_height(view: MessageListView) -> int:
    """Return the height that scrolling keeps: the pointer's, else the selected row's, else a third down."""
    pointer = view.pointer()
    if pointer is not None:
        return pointer.y()
    current = view.currentIndex().row()
    if current in view.visible_rows():
        return view.row_top(current)
    return view.viewport().height() // 3


def scroll_to(view: MessageListView, message: int, y: int) -> None:
    """Scroll so that the row of a message starts ``y`` pixels below the top of the rows."""
    plan = view.message_model.plan
    if 0 <= message < len(plan.rows):
        view.verticalScrollBar().setValue(plan.rows[message] * view.delegate.fonts.row_pixels - y)


def row_rect(view: MessageListView, message: int) -> QRect:
    """Return a message's row in the viewport, visible or not; of height 0 if a filter hides it."""
    plan, height = view.message_model.plan, view.delegate.fonts.row_pixels
    row = plan.rows[min(max(message, 0), len(plan.rows) - 1)]
    return QRect(0, view.row_top(row), view.viewport().width(), height if plan.shows(message) else 0)


def scroll_into_view(view: MessageListView, row: int) -> None:
    """Scroll as little as needed to see a row with two rows of context."""
    height, bar, viewport_height = (
        view.delegate.fonts.row_pixels,
        view.verticalScrollBar(),
        view.viewport().height(),
    )
    top = view.row_top(row)
    context = _CONTEXT_ROWS * height if viewport_height > 3 * _CONTEXT_ROWS * height else 0
    if top < context:
        bar.setValue(bar.value() + top - context)
    elif top + height > viewport_height - context:
        bar.setValue(bar.value() + top + height + context - viewport_height)


def recorded_row(view: MessageListView, number: int) -> int:
    """Return the row of a recorded compaction, -1 if there is none."""
    plan, recorded = view.message_model.plan, view.message_model.content.recorded
    for row in range(len(plan)):
        kind, index = plan.kind_and_index(row)
        if kind == RowKind.RECORDED and recorded[index].number == number:
            return row
    return -1
