"""Switches the pages of the window: start page, sessions, the views of a transcript, a folder."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.presentation.model import StatusPart
from gui.inspect.inspect_page import InspectPage
from gui.inspect.status_bar import StatusBar
from gui.inspect.toolbar import Toolbar
from gui.language import tr
from gui.main_window import MainWindow
from gui.sessions.session_pane import SessionsPane
from gui.view_switching import COMPARE, FOLDER, INSPECT, AnalysisViews


class PageController(QObject):
    """Switches pages, with their toolbar and status.

    Emits ``left_without_file`` when a folder is left and no transcript is open.
    """

    left_without_file = Signal()

    def __init__(
        self,
        window: MainWindow,
        page: InspectPage,
        views: AnalysisViews,
        toolbar: Toolbar,
        status: StatusBar,
        browser: SessionsPane,
    ) -> None:
        super().__init__(window)
        self._window, self._page, self._views = window, page, views
        self._toolbar, self._status, self._browser = toolbar, status, browser
        self._view = INSPECT
        self._parts: tuple[StatusPart, ...] = ()
        self._is_following = False
        self.is_open = False
        views.view_requested.connect(self.show_view)
        views.back.connect(self._on_folder_left)
        views.status_changed.connect(self._show_status)

    def begin(self, view: str = INSPECT) -> None:
        """Show a view of a newly opened transcript; in Inspect, focus its messages."""
        self.is_open, self._view = True, view
        self._parts = ()
        self._status.show_parts(())
        self.show_page()
        if view == INSPECT:
            self._page.lists.before.setFocus()  # also if another transcript was open

    def show_start(self) -> None:
        self.is_open, self._view = False, INSPECT
        self._toolbar.hide()
        self._status.hide()
        self._window.show_start()

    @property
    def is_empty(self) -> bool:
        """True if the page needs a preview and none is open: not the start page and not a folder."""
        is_start = self._window.pages.currentWidget() is self._window.start
        return self._page.preview is None and not is_start and self._view != FOLDER

    def show_sessions(self) -> None:
        """Show the session browser; the open transcript stays open behind it."""
        self._toolbar.hide()
        self._status.hide()
        self._window.pages.setCurrentWidget(self._window.start)
        self._window.start.first_focus.setFocus()
        self._browser.list_sessions()

    def leave_start(self) -> None:
        """Return from the start page to the open transcript, if there is one."""
        if self._page.preview is not None and self._window.pages.currentWidget() is self._window.start:
            self.show_page()

    def show_view(self, name: str) -> None:
        """Show Inspect or a tab of Compare of the open transcript; a folder needs none."""
        if self.is_open or name == FOLDER:
            self._view = name
            self.show_page()

    def choose_folder(self) -> None:
        """Ask for a folder and show its page before comparing; if cancelled, show the last folder."""
        view = self._views.folder()
        if view.choose() or view.page is not None:
            self._show_folder()

    def show_folder(self, path: str) -> None:
        """Show a folder before it is compared."""
        self._views.folder().scan(path)
        self._show_folder()

    def _show_folder(self) -> None:
        self._view = FOLDER
        self.show_page()
        self._toolbar.setVisible(self.is_open)

    def _on_folder_left(self) -> None:
        """Return to the open transcript, or to the start page."""
        self._view = INSPECT
        if self.is_open:
            self.show_page()
        else:
            self.left_without_file.emit()

    def show_page(self) -> None:
        """Show the current view and focus its first area."""
        if self._view != INSPECT:
            self._view = self._views.show_tab(self._view)
        page = self._page if self._view == INSPECT else self._views.page
        self._toolbar.view_switch.show_view(INSPECT if self._view == INSPECT else COMPARE)
        if self._window.pages.currentWidget() is not page:
            self._window.pages.setCurrentWidget(page)
            self._toolbar.show()
            self._status.show()
            areas = self._views.areas()
            (areas[0] if areas else self._page.lists.before).setFocus()
            self._show_status()

    def show_parts(self, parts: tuple[StatusPart, ...]) -> None:
        """Set the transcript's parts of the status bar; views add to them."""
        self._parts = parts
        self._show_status()

    def show_following(self, follows: bool) -> None:
        self._is_following = follows
        self._show_status()

    def _show_status(self) -> None:
        """The view's own parts come early, because the last ones are hidden first if space is short."""
        mark = (_following(),) if self._is_following else ()
        self._status.show_parts((*mark, *self._views.status, *self._parts))


def _following() -> StatusPart:
    tip = tr("What the agent adds to the file is taken in (File, Follow while it grows).")
    return StatusPart(tr("following the file"), "ok", tip)
