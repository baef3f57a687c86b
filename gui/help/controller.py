"""Opens the help window, which is made on first use."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMainWindow

from core.presentation.help_pages import FIRST_PAGE
from gui.widgets.appearance import AppearanceController
from gui.widgets.theme import Theme

if TYPE_CHECKING:
    from gui.help.help_window import HelpWindow


class HelpController(QObject):
    """Opens the help at a page; it stays open beside the window."""

    def __init__(self, window: QMainWindow, appearance: AppearanceController) -> None:
        super().__init__(window)
        self._window, self._appearance = window, appearance
        self._help: HelpWindow | None = None
        appearance.changed.connect(self._on_theme)

    def open(self, page: str = "", heading: str = "") -> HelpWindow:
        """Show a page; without a name the last one shown, or the first."""
        if self._help is None:
            self._help = self._make()
        self._help.show_page(page or self._help.page or FIRST_PAGE, heading)
        if self._help.isVisible():
            self._help.raise_()
            self._help.activateWindow()
        self._help.show()
        return self._help

    def open_keys(self) -> HelpWindow:
        from gui.help.keys_page import KEYS

        return self.open(KEYS)

    def _make(self) -> HelpWindow:
        from core.presentation.help_pages import help_pages
        from gui.help.help_window import HelpWindow
        from gui.help.keys_page import keys_page

        first, *other_pages = help_pages()
        keys = keys_page()
        begin = [page for page in other_pages if page.group == first.group]
        others = [page for page in other_pages if page.group != first.group]
        return HelpWindow(self._window, (first, *begin, keys, *others), self._appearance.theme)

    def _on_theme(self, theme: Theme) -> None:
        if self._help is not None:
            self._help.set_theme(theme)
