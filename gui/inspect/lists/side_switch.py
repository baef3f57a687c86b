"""Shows two lists side by side, or one of them with a switch (ui.md sections 5 and 10)."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtWidgets import QTabBar, QWidget

from gui.inspect.lists.list_frame import TITLES
from gui.inspect.lists.ribbons import RibbonColumn
from gui.language import tr
from gui.widgets.theme import scaled_pixels

ONE_LIST_BELOW = 632
"""Pixels: below this width there is one list, with a switch; two and narrow ribbons do not fit."""
NARROW_RIBBONS_BELOW = 860
"""Pixels: below this width the ribbons are narrow."""
_SIDES = tuple(TITLES)


class SideSwitch(QTabBar):
    """Shows and hides the lists, by side, and the ribbons inside ``parent``."""

    def __init__(self, lists: Mapping[str, QWidget], ribbons: RibbonColumn, container: QWidget) -> None:
        super().__init__(container)
        self._lists, self._ribbons, self._container = lists, ribbons, container
        self._is_single = False
        for side in _SIDES:
            self.addTab(tr(TITLES[side]))
        self.setExpanding(False)
        self.setDrawBase(False)
        self.setAccessibleName(tr("Which list to show"))
        self.hide()
        self.currentChanged.connect(self._on_switched)

    def show_side(self, side: str) -> None:
        if self.isVisible() and _SIDES[self.currentIndex()] != side:
            self.setCurrentIndex(_SIDES.index(side))

    def set_single(self, is_single: bool) -> None:
        """Show one list with a switch at any width."""
        if is_single != self._is_single:
            self._is_single = is_single
            self.fit()

    def fit(self) -> None:
        """Choose one list or two, wide or narrow ribbons."""
        width, font = self._container.width(), self._container.font()
        is_single = self._is_single or width < scaled_pixels(ONE_LIST_BELOW, font)
        self.setVisible(is_single)
        chosen = _SIDES[self.currentIndex()]
        for side, list_widget in self._lists.items():
            list_widget.setVisible(not is_single or chosen == side)
        self._ribbons.setVisible(not is_single)
        self._ribbons.set_narrow(width < scaled_pixels(NARROW_RIBBONS_BELOW, font))

    def _on_switched(self, tab: int) -> None:
        self.fit()
        self._lists[_SIDES[tab]].setFocus()
