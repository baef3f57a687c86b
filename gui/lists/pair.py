"""The two lists side by side, linked by identity, with ribbons between them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QTabBar, QVBoxLayout, QWidget

from core.view.link import counterpart, other_side, run_at, span_of
from core.view.list_values import RowFlag
from core.view.values import FATES, Rows, RowsPart, Run, Screen
from gui.language import tr
from gui.lists.content import NO_ROWS, content_of
from gui.lists.filter_bar import FilterBar
from gui.lists.linking import Sight, first_change
from gui.lists.message_list import NARROWEST, TITLES, MessageList
from gui.lists.ribbons import Ribbons
from gui.run_pane.pane import RunPane
from gui.theme import Theme, scaled

ONE_BELOW = 632
"""Pixels: below this width there is one list, with a switch; two and narrow ribbons do not fit."""
NARROW_BELOW = 860
"""Pixels: below this width the ribbons are narrow."""
SIDES = ("before", "after")
_CONTEXT = 6  # rows above the first change when a transcript opens


class LinkedLists(QWidget):
    """Before list, ribbons, after list. Signals as those of the lists; one selection for both."""

    selected = Signal(str, int)
    cut_selected = Signal(str)
    recorded_selected = Signal(int)
    view_changed = Signal()
    hovered = Signal(str, int)
    menu_asked = Signal(QPoint)  # on the screen; the row is selected then

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.before = MessageList("before", self)
        self.after = MessageList("after", self)
        self.ribbons = Ribbons(self)
        self.run_pane = RunPane(self.after, self.after.head)
        self.filter_bar = FilterBar(self)
        self._switch = QTabBar(self)
        self._flags: dict[RowFlag, frozenset[int]] = {}
        self._runs: tuple[Run, ...] = ()
        self._sight = Sight()
        self._moving = False
        self._lead = self.before  # the list that was moved last
        self._fresh, self._is_single = True, False
        self.setMinimumWidth(NARROWEST)
        self._lay_out()
        for side in (self.before, self.after):
            side.selected.connect(self._on_selected)
            side.cut_selected.connect(self._on_cut)
            side.recorded_selected.connect(self.recorded_selected)
            side.other_end_asked.connect(self._on_other_end)
            side.view_changed.connect(self._paint_ribbons)
            side.view.menu_asked.connect(self.menu_asked)
        self.before.scrolled.connect(self._on_before_moved)
        self.after.scrolled.connect(self._on_after_moved)
        self.before.hovered.connect(self._on_before_hovered)
        self.after.hovered.connect(self._on_after_hovered)
        self.ribbons.hovered.connect(self._on_ribbon_hovered)
        self.ribbons.clicked.connect(self.align)
        self._switch.currentChanged.connect(self._on_switched)
        self.run_pane.came.connect(self._show_after)

    def _lay_out(self) -> None:
        for side in SIDES:
            self._switch.addTab(tr(TITLES[side]))
        self._switch.setExpanding(False)
        self._switch.setDrawBase(False)
        self._switch.setAccessibleName(tr("Which list to show"))
        self._switch.hide()
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

    # What it shows

    def set_theme(self, theme: Theme) -> None:
        """Paint in another theme from now on."""
        self.before.set_theme(theme)
        self.after.set_theme(theme)
        self.ribbons.set_theme(theme)
        self.filter_bar.set_theme(theme)
        self.run_pane.set_theme(theme)

    def set_rows(self, rows: Rows, head: str = "", total: str = "") -> None:
        """Show another transcript, before any preview; the after list is empty."""
        self._runs, self._fresh = (), True
        self._moving = True
        self.before.set_rows(rows, head, total)
        self.after.set_rows(NO_ROWS)
        self._moving = False
        self._paint_ribbons()

    def append_rows(self, part: RowsPart) -> None:
        """Add a streamed batch of messages to the before list, or put it over some."""
        self.before.append_rows(part)

    def set_screen(self, screen: Screen) -> None:
        """Show a preview. On the first one of a transcript both lists go to the first change."""
        for _ in self.show_in_turns(screen):
            pass

    def show_in_turns(self, screen: Screen) -> Iterator[None]:
        """As ``set_screen``, list by list; they are linked again with the last step."""
        if not self.shows(screen):
            self._runs = ()
        for side in (self.before, self.after):
            self._moving = True
            side.set_screen(screen)
            self._moving = False
            yield
        self._link(screen)

    def set_rows_of(self, screen: Screen) -> None:
        """As ``set_screen``, but for what stands over the rows."""
        self._moving = True
        self.before.set_rows_of(screen)
        self.after.set_rows_of(screen)
        self._moving = False
        self._link(screen)

    def shows(self, screen: Screen) -> bool:
        """True where these are the rows of a preview."""
        return all(one.model.content == content_of(screen, one.side) for one in (self.before, self.after))

    def _link(self, screen: Screen) -> None:
        self._runs = screen.runs
        change = first_change(screen.runs, FATES.index("kept")) if self._fresh else None
        self._fresh = False
        if change is not None:
            self._go_to(change, _CONTEXT * self.before.view.delegate.fonts.row)
        else:
            self._follow(self._lead)
            self._paint_ribbons()

    def set_masks(self, before: bytes, after: bytes) -> None:
        """Show only the messages of each side where its mask has a 1; empty masks let all through."""
        self._moving = True
        self.before.set_mask(before)
        self.after.set_mask(after)
        self._moving = False
        self._follow(self._lead)
        self._paint_ribbons()

    def set_flag(self, flag: RowFlag, places: Iterable[int]) -> None:
        """Show a flag in the gutters of these source messages, and no others."""
        if frozenset(places) == self._flags.get(flag, frozenset()):
            return
        self._flags[flag] = frozenset(places)
        found: dict[int, RowFlag] = {}
        for one, where in self._flags.items():
            for place in where:
                found[place] = found.get(place, RowFlag.NONE) | one
        for side in (self.before, self.after):
            side.set_flags(found)

    def flagged(self, flag: RowFlag) -> frozenset[int]:
        """The source messages that show a flag."""
        return self._flags.get(flag, frozenset())

    def set_busy(self, busy: bool) -> None:
        """Result and ribbons at 60 % until the next preview replaces them."""
        self.after.set_old(busy)
        self.ribbons.set_old(busy)

    def set_stale(self, stale: bool) -> None:
        """Say that the summary no longer fits the cuts."""
        self.after.set_stale(stale)

    # Where things are

    def side(self, side: str) -> MessageList:
        """The list of a side, "before" or "after"."""
        return self.before if side == "before" else self.after

    def current(self) -> tuple[str, int]:
        """The selected message and its side; ("", -1) for none."""
        for one in (self._lead, self.side(other_side(self._lead.side))):
            if one.current() >= 0:
                return one.side, one.current()
        return ("", -1)

    def select(self, side: str, index: int) -> None:
        """Select a message and bring it into sight; nothing is emitted."""
        one, other = self.side(side), self.side(other_side(side))
        self._show_side(side)
        self._lead = one
        other.select(-1)
        one.select(index)

    def align(self, run: Run) -> None:
        """Bring the start of a run to the same height in both lists."""
        self._go_to(run, 2 * self.before.view.delegate.fonts.row)

    # Linking

    def _go_to(self, run: Run, y: int) -> None:
        self._moving = True
        for side in (self.before, self.after):
            side.scroll_to(span_of(run, side.side)[0], y)
        self._moving = False
        self._paint_ribbons()

    def _on_before_moved(self) -> None:
        self._moved(self.before)

    def _on_after_moved(self) -> None:
        self._moved(self.after)

    def _moved(self, lead: MessageList) -> None:
        if not self._moving:
            self._lead = lead
            self._follow(lead)

    def _follow(self, lead: MessageList) -> None:
        """Move the other list so that the row under the pointer meets its counterpart."""
        other = self.side(other_side(lead.side))
        y = lead.rows_top() + lead.anchor_y()
        goal = self._sight.height(lead, other, self._runs, y) if self._runs else None
        if goal is not None:
            self._moving = True
            bar = other.view.verticalScrollBar()
            bar.setValue(bar.value() + goal - y)
            self._moving = False

    def _paint_ribbons(self) -> None:
        if self._moving:
            return
        if self.ribbons.isVisible():
            self.ribbons.show_ribbons(
                self._sight.ribbons(self.before, self.after, self._runs), self.before.rows_top()
            )
        self.view_changed.emit()

    # What a person does

    def _on_selected(self, side: str, index: int) -> None:
        self._lead = self.side(side)
        self.side(other_side(side)).select(-1)
        self.selected.emit(side, index)

    def _on_cut(self, name: str) -> None:
        self.cut_selected.emit(name)

    def _on_other_end(self, side: str, index: int) -> None:
        """Go to what a message became or came from; ``side`` is the side to go to."""
        goal = counterpart(self._runs, other_side(side), index)
        if goal >= 0:
            self.select(side, goal)
            self.side(side).setFocus()
            self.selected.emit(side, goal)

    def _on_before_hovered(self, index: int) -> None:
        self._hover("before", index)

    def _on_after_hovered(self, index: int) -> None:
        self._hover("after", index)

    def _hover(self, side: str, index: int) -> None:
        """Brighten the band of the row under the pointer, the row, and its counterpart."""
        place = run_at(self._runs, side, index) if index >= 0 else -1
        goal = counterpart(self._runs, side, index) if index >= 0 else -1
        self.ribbons.set_hot(self._runs[place] if place >= 0 else None)
        self.side(side).set_glow(index, index + 1)
        self.side(other_side(side)).set_glow(goal, goal + 1)
        self.hovered.emit(side, index)

    def _on_ribbon_hovered(self, run: Run | None) -> None:
        for side in (self.before, self.after):
            side.set_glow(*(span_of(run, side.side) if run is not None else (0, 0)))

    # Room

    def _on_switched(self, place: int) -> None:
        self._arrange()
        self.side(SIDES[place]).setFocus()

    def _show_side(self, side: str) -> None:
        if self._switch.isVisible() and SIDES[self._switch.currentIndex()] != side:
            self._switch.setCurrentIndex(SIDES.index(side))

    def _show_after(self) -> None:
        self._show_side("after")

    def set_single(self, is_single: bool) -> None:
        """One list with a switch, whatever room there is."""
        if is_single != self._is_single:
            self._is_single = is_single
            self._arrange()

    def _arrange(self) -> None:
        """One list or two, wide or narrow ribbons."""
        one = self._is_single or self.width() < scaled(ONE_BELOW, self.font())
        self._switch.setVisible(one)
        chosen = SIDES[self._switch.currentIndex()]
        self.before.setVisible(not one or chosen == "before")
        self.after.setVisible(not one or chosen == "after")
        self.ribbons.setVisible(not one)
        self.ribbons.set_narrow(self.width() < scaled(NARROW_BELOW, self.font()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc in a list closes the filter."""
        if event.key() == Qt.Key.Key_Escape and self.filter_bar.isVisible():
            self.filter_bar.close_bar()
            return
        super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Never narrower lists than 300 pixels: one instead of two."""
        super().resizeEvent(event)
        self._arrange()

    def changeEvent(self, event: QEvent) -> None:
        """The ribbons follow the rows when the font grows."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._arrange()
