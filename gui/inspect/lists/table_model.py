"""The model of the message list: both sides of a screen, and the rows of a view over them."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from html import escape
from itertools import compress

from PySide6.QtCore import (
    QAbstractTableModel,
    QModelIndex,
    QObject,
    Qt,
)

from core.presentation.filter_query import all_mask
from core.presentation.lists.aligned_rows import (
    AlignedColumns,
    AlignedPlan,
    filtered_plan,
    side_plan,
    with_cut_at,
)
from core.presentation.lists.row_plan import ExpandedKey, RowKind, RowPlan, row_plan
from core.presentation.lists.row_texts import row_speech
from core.presentation.lists.side_rows import (
    AlignedState,
    ListContent,
    aligned_input,
    aligned_plan,
)
from core.presentation.model import FATES, NO_ROWS, CutRow, MessageRows, RowsReadEvent
from core.presentation.ruler.geometry import CutHandle, CutMove
from core.presentation.screen_model import Screen, partial_screen
from gui.language import tr
from gui.widgets.events import Index

VIEWS = CHANGES, BEFORE, AFTER = "changes", "before", "after"
MAX_TOOLTIP_CHARS = 1500
"""The most characters of a row's text in a tooltip."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListState:
    """What the user chose: the view, expanded runs, hidden fates, the masks of a filter (1 for each
    message that it lets pass, empty for all), and the least rows of cells. While a cut is dragged
    (``move``) the source stands alone and whole."""

    view: str = CHANGES
    expanded: frozenset[ExpandedKey] = frozenset()
    hidden: frozenset[int] = frozenset()
    masks: tuple[bytes, bytes] = (b"", b"")
    least_rows: dict[int, int] = field(default_factory=dict)
    is_stacked: bool = False
    kept_collapsed: bool = False
    move: CutMove | None = None


def _passing(fates: bytes, mask: bytes) -> bytes:
    """Return the fates of the messages whose mask is 1; all without a mask."""
    # Without a mask all pass, and a copy is not needed.
    if mask:
        return bytes(compress(fates, mask))
    return fates


def _sides(screen: Screen) -> tuple[ListContent, ListContent]:
    return ListContent(BEFORE, screen), ListContent(AFTER, screen)


class MessageListModel(QAbstractTableModel):
    """One column; the delegate paints a whole row from the two sides and ``plan``."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.before, self.after = _sides(partial_screen(NO_ROWS))
        self.aligned = AlignedColumns()
        self.handles: dict[str, CutHandle] = {}  # of the cuts, by name
        self._ready_plan: AlignedPlan | None = (
            None  # of the worker, with nothing opened
        )
        self.state = ListState()
        self.plan = AlignedPlan()
        self.is_split = False  # rows have two halves
        self.max_tokens = 0  # of the largest row

    def side(self, side: str) -> ListContent:
        return self.after if side == AFTER else self.before

    @property
    def main(self) -> ListContent:
        """The side whose messages the rows are, or begin with."""
        return (
            self.after
            if self.state.view == AFTER and self.before.fates
            else self.before
        )

    def show_screen(self, screen: Screen) -> None:
        """Show a preview; expanded runs and filter stay, except a mask for another number of
        messages."""
        self.handles = {handle.name: handle for handle in screen.ruler.handles}
        # The worker has planned the rows already, which takes long for large histories.
        self._ready_plan = screen.plan
        self._show(screen)

    def show_rows(self, rows: MessageRows) -> None:
        """Show the source of another transcript, before any preview: nothing opened, nothing
        hidden."""
        former = self.state
        self.state = ListState(
            view=former.view,
            # What is stacked and collapsed is a choice of the person, not of the transcript.
            is_stacked=former.is_stacked,
            kept_collapsed=former.kept_collapsed,
        )
        self._show(partial_screen(rows))

    def _show(self, screen: Screen) -> None:
        # A reset costs less than changes row by row, as nearly every row changes.
        self.beginResetModel()
        (self.before, self.after), self.aligned = _sides(screen), screen.aligned
        self._plan_rows()
        self.endResetModel()

    def set_state(self, state: ListState) -> None:
        if state != self.state:
            self.beginResetModel()
            former, self.state = self.move, state
            # While a cut is dragged its row moves, and a new plan for each step would be too
            # slow.
            if (
                former is None
                or self.move is None
                or not self._drag_on(former, self.move)
            ):
                self._plan_rows()
            self.endResetModel()

    # Rows

    def _plan_rows(self) -> None:
        state = self.state
        is_read = bool(self.before.fates)
        self.is_split = False
        if self.move is not None:
            self.plan = side_plan(self._dragged_rows(), BEFORE)
            return
        self.max_tokens = max(max(self.main.rows.tokens, default=0), self.main.hidden)
        if (
            state.view == CHANGES
            and is_read
            # The columns may be those of another preview while a new one is on its way.
            and len(self.aligned.results) == len(self.before.rows)
        ):
            self.plan = self._aligned_rows()
            self.is_split = (
                RowKind.SPLIT in self.plan.kinds or RowKind.CELL in self.plan.kinds
            )
        else:
            self.plan = side_plan(self._side_rows(self.main.side), self.main.side)

    @property
    def move(self) -> CutMove | None:
        """The dragged cut, where the view has its row."""
        if self.main is self.before and self.before.fates:
            return self.state.move
        return None

    def cut_words(self, cut: CutRow) -> tuple[str, str]:
        """Return what the row of a cut says: where it is, and why or since when."""
        move = self.move
        is_dragged = move is not None and move.name == cut.name
        if move is not None and is_dragged:
            return (move.text, move.detail)
        return (cut.text, cut.detail)

    def can_drag(self, row: int) -> bool | None:
        """Return whether the cut of a row can be dragged; None if the row is no cut of the
        source."""
        if (
            not 0 <= row < len(self.plan)
            or self.plan.kinds[row] != RowKind.CUT
            or self.main is self.after
        ):
            return None
        handle = self.handles.get(self.before.cuts[self.plan.left[row]].name)
        if handle is None:
            return None
        return bool(handle.stops) and not handle.locked

    def _drag_on(self, former: CutMove, move: CutMove) -> bool:
        """Move the row of a cut that is already dragged; return False for another cut."""
        names = [cut.name for cut in self.before.cuts]
        if former.name != move.name or move.name not in names:
            return False
        self.plan = with_cut_at(self.plan, names.index(move.name), move.boundary)
        return True

    def _dragged_rows(self) -> RowPlan:
        """Return a row for each message of the source, with the dragged cut where it is now."""
        move, before = self.move, self.before
        assert move is not None
        cuts = [
            replace(cut, boundary=move.boundary) if cut.name == move.name else cut
            for cut in before.cuts
        ]
        count = len(before.rows)
        has_system = bool(before.hidden)
        return row_plan(count, b"", cuts, before.recorded, has_system=has_system)

    def _side_rows(self, side: str) -> RowPlan:
        content = self.side(side)
        state = self.state
        return row_plan(
            len(content.rows),
            content.fates,
            content.cuts,
            content.recorded,
            expanded=state.expanded,
            hidden=state.hidden,
            tokens=content.rows.tokens,
            mask=self.mask(side),
            has_system=side == BEFORE and bool(content.hidden),
        )

    def _aligned_rows(self) -> AlignedPlan:
        state = self.state
        has_filter = bool(state.hidden or self.mask(BEFORE) or self.mask(AFTER))
        shape = AlignedState(
            state.expanded,
            state.least_rows,
            state.is_stacked,
            not has_filter,
            # An open run with a filter would hide what passes.
            state.kept_collapsed and not has_filter,
        )
        # The worker's plan holds only as long as nothing was opened.
        plan = self._ready_plan if shape == AlignedState() else None
        if plan is None:
            plan = aligned_plan(
                aligned_input(self.before, self.after, self.aligned.results), shape
            )
        if has_filter:
            return filtered_plan(plan, *map(self.passing, (BEFORE, AFTER)))
        return plan

    def mask(self, side: str) -> bytes:
        """The mask of a side, if it has the length of its messages."""
        mask = self.state.masks[side == AFTER]
        # A mask for another number of messages is that of a former transcript.
        return mask if len(mask) == len(self.side(side).rows) else b""

    def passing(self, side: str) -> bytes:
        """Return one byte per message of a side: 1 if chips and filter let it pass."""
        content = self.side(side)
        hidden = self.state.hidden
        mask = content.fates.translate(bytes(code not in hidden for code in range(256)))
        if self.mask(side):
            return all_mask((mask, self.mask(side)), len(mask))
        return mask

    def fate_counts(self) -> tuple[tuple[int, int], ...]:
        """Return (fate code, messages) of what the view shows: the fates of the source, and what is
        new, of the messages that a filter lets pass."""
        masks = self.state.masks
        before = _passing(self.before.fates, masks[0])
        after = _passing(self.after.fates, masks[1])
        counts = [(code, before.count(code)) for code in range(len(FATES))]
        if self.state.view == AFTER:
            counts = [(code, after.count(code)) for code in range(len(FATES))]
        if self.state.view != BEFORE:
            counts.append((len(FATES), after.count(len(FATES))))
        if self.before.fates:
            return tuple(pair for pair in counts if pair[1])
        return ()

    def append(self, event: RowsReadEvent) -> None:
        """Add a streamed batch of rows, or overwrite some with it; preview data is dropped."""
        previous = self.before
        count = len(self.plan)
        end = event.start + len(event.rows)
        head = previous.rows.sliced(0, event.start)
        tail = previous.rows.sliced(end, len(previous.rows))
        rows = MessageRows.joined((head, event.rows, tail))
        screen = partial_screen(rows)
        # After a preview the rows are no longer those that are read.
        if previous.fates or count != len(previous.rows):
            self._show(screen)
            return
        # Qt wants the change announced before the data have it.
        if len(rows) > count:
            self.beginInsertRows(QModelIndex(), count, len(rows) - 1)
        self.before = ListContent(BEFORE, screen)
        self._plan_rows()
        if len(rows) > count:
            self.endInsertRows()
        if event.start < count:
            self.dataChanged.emit(
                self.index(event.start, 0), self.index(min(count, end) - 1, 0)
            )

    # Collapsed runs

    def toggle(self, row: int) -> None:
        """Expand or collapse a row."""
        key = self._key(row)
        if key is not None:
            self.set_state(replace(self.state, expanded=self.state.expanded ^ {key}))

    def is_open(self, row: int) -> bool | None:
        """Return whether a run is expanded; None if the row is of none."""
        key = self._key(row)
        if key is None:
            return None
        return key in self.state.expanded

    def collapsed_row(self, row: int) -> int:
        """Return the row that collapses or expands what ``row`` belongs to, -1 for none."""
        if not 0 <= row < len(self.plan):
            return -1
        if self.plan.kinds[row] == RowKind.SUMMARY:
            return self.plan.kinds.rfind(RowKind.RECORDED, 0, row)
        side, message = self.plan.message_at(row)
        if message < 0:
            return row if self._key(row) is not None else -1
        if side == self.main.side:
            run = self.plan.collapsed_at(message)
        else:
            run = None
        if run is None:
            return -1
        return self.plan.rows[side][run.start] - 1

    def _key(self, row: int) -> ExpandedKey | None:
        """Return the key of what a row opens: a collapsed run or a recorded row with a summary."""
        if not 0 <= row < len(self.plan):
            return None
        kind, index = self.plan.kinds[row], self.plan.left[row]
        if kind in (RowKind.COLLAPSED, RowKind.EXPANDED):
            return self.plan.collapsed[index].expanded_key
        if (
            kind in (RowKind.RECORDED, RowKind.SUMMARY)
            and self.main.recorded[index].summary
        ):
            return (RowKind.RECORDED, index)
        return None

    # Qt

    def rowCount(
        self,
        parent: Index = QModelIndex(),  # noqa: B008
    ) -> int:
        if parent.isValid():
            return 0
        return len(self.plan)

    def columnCount(
        self,
        parent: Index = QModelIndex(),  # noqa: B008
    ) -> int:
        return 0 if parent.isValid() else 1

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        """Return the row in words, for accessibility, tooltips and copying."""
        if not index.isValid():
            return None
        if role in (Qt.ItemDataRole.DisplayRole, Qt.ItemDataRole.AccessibleTextRole):
            return self.accessible_text(index.row())
        if role == Qt.ItemDataRole.ToolTipRole:
            text = self.accessible_text(index.row())
            if len(text) <= MAX_TOOLTIP_CHARS:
                shortened = text
            else:
                shortened = f"{text[:MAX_TOOLTIP_CHARS]} …"
            return f"<p>{escape(shortened)}</p>"  # a tooltip would render markup of a transcript
        return None

    def accessible_text(self, row: int) -> str:
        """Return a row as one sentence."""
        if self.move is not None and self.plan.kinds[row] == RowKind.CUT:
            return ", ".join(
                filter(None, self.cut_words(self.before.cuts[self.plan.left[row]]))
            )
        return tr(row_speech(self.plan, row, (self.before, self.after), self.aligned))
