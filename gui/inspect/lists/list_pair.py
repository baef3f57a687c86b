"""The before and after lists side by side, with ribbons between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.presentation.lists.list_links import counterpart_message, other_side
from core.presentation.lists.model import RowFlag
from core.presentation.model import FATES, FateRun, MessageRows, RowsReadEvent, Screen
from gui.inspect.lists.change_steps import ChangeSteps
from gui.inspect.lists.filter_bar import FilterBar
from gui.inspect.lists.hover_highlight import HoverHighlight
from gui.inspect.lists.linked_scrolling import ScrollSync
from gui.inspect.lists.list_content import NO_ROWS, content_of
from gui.inspect.lists.list_pane import NARROWEST
from gui.inspect.lists.message_list import MessageList
from gui.inspect.lists.ribbons import RibbonColumn
from gui.inspect.lists.side_switch import SideSwitch
from gui.inspect.lists.visible_links import first_change
from gui.inspect.run_pane.pane import RunPane
from gui.language import tr
from gui.widgets.basic_widgets import push_button
from gui.widgets.theme import Theme

_CONTEXT = 6  # rows above the first change when a transcript opens
_KEPT = FATES.index("kept")


class LinkedLists(QWidget):
    """Before list, ribbons, after list. Signals as those of the lists; one selection for both."""

    selected = Signal(str, int)
    cut_selected = Signal(str)
    recorded_selected = Signal(int)
    view_changed = Signal()
    hovered = Signal(str, int)
    menu_asked = Signal(QPoint)  # global position; the row is already selected

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.before, self.after = MessageList("before", self), MessageList("after", self)
        self.ribbons = RibbonColumn(self)
        self.run_pane = RunPane(self.after, self.after.head)
        self.filter_bar = FilterBar(self)
        self.changes, self._filter = ChangeSteps(), push_button(tr("/ Filter"), "flat")
        self._switch = SideSwitch({"before": self.before, "after": self.after}, self.ribbons, self)
        self._scroll_sync = ScrollSync(self.before, self.after, self.ribbons)
        self._hover = HoverHighlight(self._scroll_sync, self.ribbons)
        self._flags: dict[RowFlag, frozenset[int]] = {}
        self._is_first_screen = True
        self.setMinimumWidth(NARROWEST)
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        self._filter.setToolTip(tr("Show only messages that a query lets through.") + " (/)")
        self.before.chips.set_tail(self._filter)
        self.after.chips.set_tail(self.changes)
        lists = QHBoxLayout()
        lists.setSpacing(0)
        lists.addWidget(self.before, 1)
        lists.addWidget(self.ribbons)
        lists.addWidget(self.after, 1)
        box = QVBoxLayout(self)
        box.setContentsMargins(0, 0, 0, 0)
        box.setSpacing(0)
        box.addWidget(self.filter_bar)
        box.addWidget(self._switch)
        box.addLayout(lists, 1)

    def _connect(self) -> None:
        for side in (self.before, self.after):
            side.selected.connect(self._on_selected)
            side.cut_selected.connect(self.cut_selected)
            side.recorded_selected.connect(self.recorded_selected)
            side.other_end_asked.connect(self._on_other_end)
            side.view.menu_asked.connect(self.menu_asked)
        self._scroll_sync.view_changed.connect(self.view_changed)
        self._hover.hovered.connect(self.hovered)
        self.ribbons.clicked.connect(self.align)
        self.run_pane.came.connect(self._show_after)
        self._filter.clicked.connect(self._on_filter)

    # Content

    def set_theme(self, theme: Theme) -> None:
        for part in (self.before, self.after, self.ribbons, self.filter_bar, self.changes, self.run_pane):
            part.set_theme(theme)

    def set_rows(self, rows: MessageRows, head: str = "", total: str = "") -> None:
        """Show another transcript before any preview; the after list is empty."""
        self._scroll_sync.runs, self._is_first_screen = (), True
        with self._scroll_sync.held():
            self.before.set_rows(rows, head, total)
            self.after.set_rows(NO_ROWS)
        self._scroll_sync.show_ribbons()

    def append_rows(self, part: RowsReadEvent) -> None:
        """Add a streamed batch of messages to the before list, or overwrite some with it."""
        self.before.append_rows(part)

    def set_screen(self, screen: Screen) -> None:
        """Show a preview. On the first one of a transcript both lists scroll to the first change."""
        for _ in self.show_in_turns(screen):
            pass

    def show_in_turns(self, screen: Screen) -> Iterator[None]:
        """As ``set_screen``, list by list; they are linked again with the last step."""
        if not self.shows(screen):
            self._scroll_sync.runs = ()
        change = self._first_change(screen)
        for side in (self.before, self.after):
            side.prepare(screen)
            yield
            with self._scroll_sync.held():
                side.set_screen(screen)
            if change is not None:  # scroll before painting, to skip rows that will not be visible
                self._scroll_sync.scroll_other(side, change, self._above())
            yield
        self._link(screen)

    def set_rows_of(self, screen: Screen) -> None:
        """As ``set_screen``, but without the widgets above the rows."""
        with self._scroll_sync.held():
            self.before.set_rows_of(screen)
            self.after.set_rows_of(screen)
        self._link(screen)

    def shows(self, screen: Screen) -> bool:
        """True if these are the rows of a preview."""
        return all(one.model.content == content_of(screen, one.side) for one in (self.before, self.after))

    def _link(self, screen: Screen) -> None:
        if self._scroll_sync.runs is not screen.runs:
            self._hover.fade()
        self._scroll_sync.runs = screen.runs
        change = self._first_change(screen)
        self._is_first_screen = False
        if change is not None:
            self._scroll_sync.go_to(change, self._above())
        else:
            self._scroll_sync.follow()

    def _first_change(self, screen: Screen) -> FateRun | None:
        """Return the run to scroll to if a transcript has just been opened."""
        return first_change(screen.runs, _KEPT) if self._is_first_screen else None

    def _above(self) -> int:
        return _CONTEXT * self.before.view.delegate.fonts.row

    def set_masks(self, before: bytes, after: bytes) -> None:
        """Show only the messages of each side whose mask is 1; an empty mask shows all."""
        with self._scroll_sync.held():
            self.before.set_mask(before)
            self.after.set_mask(after)
        self._scroll_sync.follow()

    def set_flag(self, flag: RowFlag, places: Iterable[int]) -> None:
        """Show a flag in the gutters of exactly these source messages."""
        if frozenset(places) == self._flags.get(flag, frozenset()):
            return
        self._flags[flag] = frozenset(places)
        flags_by_message: dict[int, RowFlag] = {}
        for one, where in self._flags.items():
            for place in where:
                flags_by_message[place] = flags_by_message.get(place, RowFlag.NONE) | one
        for side in (self.before, self.after):
            side.set_flags(flags_by_message)

    def flagged(self, flag: RowFlag) -> frozenset[int]:
        """Return the source messages that show a flag."""
        return self._flags.get(flag, frozenset())

    def set_busy(self, busy: bool) -> None:
        """Fade result and ribbons until the next preview replaces them."""
        self.after.set_old(busy)
        self.ribbons.set_old(busy)

    # Positions

    def side(self, side: str) -> MessageList:
        return self._scroll_sync.side(side)

    def current(self) -> tuple[str, int]:
        """The side and index of the selected message; ("", -1) for none."""
        lead = self._scroll_sync.leader
        for one in (lead, self.side(other_side(lead.side))):
            if one.current() >= 0:
                return one.side, one.current()
        return ("", -1)

    def select(self, side: str, index: int) -> None:
        """Select a message and scroll to it; nothing is emitted."""
        self._switch.show_side(side)
        self._scroll_sync.leader = self.side(side)
        self.side(other_side(side)).select(-1)
        self.side(side).select(index)

    def align(self, run: FateRun) -> None:
        """Scroll the start of a run to the same height in both lists."""
        self._scroll_sync.go_to(run, 2 * self.before.view.delegate.fonts.row)

    # User actions

    def _on_selected(self, side: str, index: int) -> None:
        self._scroll_sync.leader = self.side(side)
        self.side(other_side(side)).select(-1)
        self.selected.emit(side, index)

    def _on_other_end(self, side: str, index: int) -> None:
        """Go to a message's counterpart; ``side`` is the target side."""
        goal = counterpart_message(self._scroll_sync.runs, other_side(side), index)
        if goal >= 0:
            self.select(side, goal)
            self.side(side).setFocus()
            self.selected.emit(side, goal)

    def _on_filter(self) -> None:
        self.filter_bar.open_bar()

    def event(self, event: QEvent) -> bool:
        """Esc closes the filter first."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.ShortcutOverride:
            is_ours = event.key() == Qt.Key.Key_Escape and self.filter_bar.isVisible()
            event.setAccepted(is_ours)
            return is_ours
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc in a list closes the filter."""
        if event.key() == Qt.Key.Key_Escape and self.filter_bar.isVisible():
            self.filter_bar.close_bar()
            return
        super().keyPressEvent(event)

    # Size

    def _show_after(self) -> None:
        self._switch.show_side("after")

    def set_single(self, is_single: bool) -> None:
        """Show one list with a switch at any width."""
        self._switch.set_single(is_single)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Switches to one list if two would be narrower than 300 pixels."""
        super().resizeEvent(event)
        self._switch.fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._switch.fit()
