"""The before and after lists side by side, with ribbons between them; or one of them with a switch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QTabBar, QWidget

from core.presentation.lists.row_plan import RowFlag
from core.presentation.lists.row_wording import counterpart_message, other_side, span_of
from core.presentation.model import FATES, NO_ROWS, FateRun, MessageRows, Screen
from gui.inspect.lists.filter_bar import MIN_FIELD_WIDTH, FilterBar
from gui.inspect.lists.linked_scrolling import RibbonColumn, ScrollSync
from gui.inspect.lists.list_head import ChangeSteps
from gui.inspect.lists.message_list import MIN_LIST_WIDTH, TITLES, MessageList
from gui.inspect.lists.table_model import side_content
from gui.inspect.run_pane import RunPane
from gui.language import tr
from gui.widgets.theme import scaled_pixels
from gui.widgets.view_layout import column_of, row_of

ONE_LIST_BELOW = 632
"""Pixels: below this width there is one list, with a switch; two and narrow ribbons do not fit."""
NARROW_RIBBONS_BELOW = 860
"""Pixels: below this width the ribbons are narrow."""
_ROWS_ABOVE = 6  # rows above the first change when a transcript opens
_KEPT = FATES.index("kept")
_SIDES = tuple(TITLES)


class LinkedLists(QWidget):
    """Before list, ribbons, after list. Signals as those of the lists; one selection for both."""

    selected = Signal(str, int)
    clicked = Signal()  # on a message, after ``selected``
    cut_selected = Signal(str)
    recorded_selected = Signal(int)
    view_changed = Signal()
    menu_requested = Signal(QPoint)  # global position; the row is already selected

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.before, self.after = MessageList("before", self), MessageList("after", self)
        self.ribbons = RibbonColumn(self)
        self.run_pane = RunPane(self.after, self.after.header)
        self.filter_bar = FilterBar(self)
        self.change_steps = ChangeSteps()
        self._switch = QTabBar(self)
        self._scroll_sync = ScrollSync(self.before, self.after, self.ribbons)
        self._flags: dict[RowFlag, frozenset[int]] = {}
        self._is_first_screen, self._is_single = True, False
        self.setMinimumWidth(MIN_LIST_WIDTH)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self.before.chips.set_end_widget(self.filter_bar.field, MIN_FIELD_WIDTH)
        self.after.chips.set_end_widget(self.change_steps)
        for side in _SIDES:
            self._switch.addTab(tr(TITLES[side]))
        self._switch.setExpanding(False)
        self._switch.setDrawBase(False)
        self._switch.setAccessibleName(tr("Which list to show"))
        self._switch.hide()
        lists = row_of(self.before, self.ribbons, self.after, gap=0)
        for message_list in (self.before, self.after):
            lists.setStretchFactor(message_list, 1)
        self.setLayout(column_of(self.filter_bar, self._switch, lists, stretched=lists))

    def _connect(self) -> None:
        for side in (self.before, self.after):
            side.selected.connect(self._on_selected)
            side.clicked.connect(self.clicked)
            side.cut_selected.connect(self.cut_selected)
            side.recorded_selected.connect(self.recorded_selected)
            side.counterpart_requested.connect(self._on_counterpart_requested)
            side.view.menu_requested.connect(self.menu_requested)
        self._switch.currentChanged.connect(self._on_switched)
        self._scroll_sync.view_changed.connect(self.view_changed)
        self.ribbons.clicked.connect(self.align_run)
        self.run_pane.appeared.connect(self._show_after)

    # Content

    def set_rows(self, rows: MessageRows, header_text: str = "", total_text: str = "") -> None:
        """Show another transcript before any preview; the after list is empty."""
        self._scroll_sync.runs, self._is_first_screen = (), True
        with self._scroll_sync.paused():
            self.before.set_rows(rows, header_text, total_text)
            self.after.set_rows(NO_ROWS)
        self._scroll_sync.show_ribbons()

    def set_screen(self, screen: Screen) -> None:
        """Show a preview. On the first one of a transcript both lists scroll to the first change."""
        for _ in self.show_in_steps(screen):
            pass

    def show_in_steps(self, screen: Screen) -> Iterator[None]:
        """As ``set_screen``, list by list; they are linked again with the last step."""
        sync = self._scroll_sync
        if not self.matches_screen(screen):
            sync.runs = ()
        change, above = self._first_change(screen), _ROWS_ABOVE * self.before.view.row_pixels
        for place, side in enumerate((self.before, self.after)):
            with sync.paused():
                side.set_screen(screen)
                self._switch.setTabText(place, f"{tr(TITLES[side.side])} {side.model.content.total_text}")
                if change is not None:  # scroll before painting, to skip rows that will not be visible
                    side.scroll_to(span_of(change, side.side)[0], above)
            yield
        if sync.runs is not screen.runs:
            sync.clear_highlight()
        sync.runs, change = screen.runs, self._first_change(screen)
        self._is_first_screen = False
        if change is not None:
            sync.go_to(change, above)
        else:
            sync.align_follower()

    def matches_screen(self, screen: Screen) -> bool:
        """True if these are the rows of a preview."""
        return all(
            side.model.content == side_content(screen, side.side) for side in (self.before, self.after)
        )

    def _first_change(self, screen: Screen) -> FateRun | None:
        """Return the run to scroll to if a transcript has just been opened."""
        changes = (run for run in screen.runs if run.fate != _KEPT)
        return next(changes, None) if self._is_first_screen else None

    def set_masks(self, before: bytes, after: bytes) -> None:
        """Show only the messages of each side whose mask is 1; an empty mask shows all."""
        with self._scroll_sync.paused():
            self.before.set_mask(before)
            self.after.set_mask(after)
        self._scroll_sync.align_follower()

    def set_flag(self, flag: RowFlag, messages: Iterable[int]) -> None:
        """Show a flag in the gutters of exactly these source messages."""
        flagged = frozenset(messages)
        if flagged == self._flags.get(flag, frozenset()):
            return
        self._flags[flag] = flagged
        by_message: dict[int, RowFlag] = {}
        for known_flag, known_messages in self._flags.items():
            for message in known_messages:
                by_message[message] = by_message.get(message, RowFlag.NONE) | known_flag
        for side in (self.before, self.after):
            side.set_flags(by_message)

    def flagged_messages(self, flag: RowFlag) -> frozenset[int]:
        """Return the source messages that show a flag."""
        return self._flags.get(flag, frozenset())

    def set_busy(self, busy: bool) -> None:
        """Fade result and ribbons until the next preview replaces them."""
        self.after.set_outdated(busy)
        self.ribbons.set_outdated(busy)

    # Positions

    def side(self, side: str) -> MessageList:
        return self._scroll_sync.side(side)

    def current_message(self) -> tuple[str, int]:
        """The side and index of the selected message; ("", -1) for none."""
        leader = self._scroll_sync.leader
        for message_list in (leader, self.side(other_side(leader.side))):
            if message_list.current_message() >= 0:
                return message_list.side, message_list.current_message()
        return ("", -1)

    def select(self, side: str, index: int) -> None:
        """Select a message and scroll to it; nothing is emitted."""
        self._show_side(side)
        self._lead(side)
        self.side(side).select(index)

    def _lead(self, side: str) -> None:
        self._scroll_sync.leader = self.side(side)
        self.side(other_side(side)).select(-1)

    def show_boundary(self, message: int) -> None:
        """Scroll the rows around the boundary before a message into sight, in both lists; -1 for none."""
        row = self.before.model.plan.row_of(message)
        if row >= 0:
            with self._scroll_sync.paused():
                self.before.view.scroll_into_view(row)
            self._scroll_sync.leader = self.before
            self._scroll_sync.align_follower()

    def align_run(self, run: FateRun) -> None:
        """Scroll the start of a run to the same height in both lists."""
        self._scroll_sync.go_to(run, 2 * self.before.view.row_pixels)

    # User actions

    def _on_selected(self, side: str, index: int) -> None:
        self._lead(side)
        self.selected.emit(side, index)

    def _on_counterpart_requested(self, side: str, index: int) -> None:
        """Go to a message's counterpart; ``side`` is the target side."""
        counterpart = counterpart_message(self._scroll_sync.runs, other_side(side), index)
        if counterpart >= 0:
            self.select(side, counterpart)
            self.side(side).setFocus()
            self.selected.emit(side, counterpart)

    def event(self, event: QEvent) -> bool:
        """Esc closes the filter first."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            is_handled = event.key() == Qt.Key.Key_Escape and self.filter_bar.isVisible()
            event.setAccepted(is_handled)
            return is_handled
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc in a list closes the filter."""
        if event.key() == Qt.Key.Key_Escape and self.filter_bar.isVisible():
            self.filter_bar.close_bar()
            return
        super().keyPressEvent(event)

    # Size: two lists, or one with a switch

    def _show_after(self) -> None:
        self._show_side("after")

    def _show_side(self, side: str) -> None:
        if self._switch.isVisible():
            self._switch.setCurrentIndex(_SIDES.index(side))

    def _on_switched(self, tab: int) -> None:
        self._fit()
        self.side(_SIDES[tab]).setFocus()

    def set_single(self, is_single: bool) -> None:
        """Show one list with a switch at any width."""
        if is_single != self._is_single:
            self._is_single = is_single
            self._fit()

    def _fit(self) -> None:
        is_single = self._is_single or self.width() < scaled_pixels(ONE_LIST_BELOW, self.font())
        self._switch.setVisible(is_single)
        for place, side in enumerate(_SIDES):
            self.side(side).setVisible(not is_single or place == self._switch.currentIndex())
        self.ribbons.setVisible(not is_single)
        self.ribbons.set_narrow(self.width() < scaled_pixels(NARROW_RIBBONS_BELOW, self.font()))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Switches to one list if two would be narrower than 300 pixels."""
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()
