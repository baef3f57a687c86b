"""Which page of the window is seen: the start screen, the open transcript in one of its views, a folder."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.presentation.model import StatusPart
from gui.inspect.inspect_page import InspectPage
from gui.inspect.status_bar import StatusBar
from gui.inspect.toolbar import Toolbar
from gui.language import tr
from gui.main_window import MainWindow
from gui.sessions.controller import SessionBrowser
from gui.view_switching import FOLDER, INSPECT, AnalysisViews


class PageController(QObject):
    """Turns the pages, and shows toolbar and status with those that they speak of.

    Emits ``emptied`` where a folder was left and no transcript is open.
    """

    emptied = Signal()

    def __init__(
        self,
        window: MainWindow,
        page: InspectPage,
        views: AnalysisViews,
        toolbar: Toolbar,
        status: StatusBar,
        browser: SessionBrowser,
    ) -> None:
        super().__init__(window)
        self._window, self._page, self._views = window, page, views
        self._toolbar, self._status, self._browser = toolbar, status, browser
        self._view = INSPECT
        self._parts: tuple[StatusPart, ...] = ()
        self._is_following = False
        self.is_open = False
        """Whether a transcript is open."""
        browser.back.connect(self._on_back)
        views.wanted.connect(self.show_view)
        views.folder_wanted.connect(self.choose_folder)
        views.back.connect(self._on_folder_left)
        views.status_changed.connect(self._show_status)

    def begin(self, view: str = INSPECT) -> None:
        """Another transcript is open: one of its views, Inspect with the keyboard in its messages."""
        self.is_open, self._view = True, view
        self._parts = ()
        self._status.show_parts(())
        self.show_page()
        if view == INSPECT:
            self._page.lists.before.setFocus()  # also where another transcript was open

    def show_start(self) -> None:
        """The start screen; nothing is open."""
        self.is_open, self._view = False, INSPECT
        self._toolbar.hide()
        self._status.hide()
        self._window.show_start()

    @property
    def is_empty(self) -> bool:
        """True where neither the start screen nor a folder is seen, which need no preview."""
        pages = (self._window.start, self._views.shown if self._view == FOLDER else None)
        return self._page.preview is None and self._window.pages.currentWidget() not in pages

    def show_sessions(self) -> None:
        """The session browser; what is open stays open behind it."""
        self._toolbar.hide()
        self._status.hide()
        self._window.pages.setCurrentWidget(self._window.start)
        self._window.start.first.setFocus()
        self._browser.look()

    def _on_back(self) -> None:
        if self._page.preview is not None:
            self.show_page()

    def show_view(self, name: str) -> None:
        """Inspect, Compare, Replay or Sweep of the open transcript."""
        if self.is_open:
            self._view = name
            self.show_page()

    def choose_folder(self) -> None:
        """Ask for a folder and show what comparing it would do; without a choice the last one, if any."""
        view = self._views.folder()
        if view.choose() or view.page is not None:
            self._show_folder()

    def show_folder(self, path: str) -> None:
        """Show what comparing a folder would do."""
        self._views.folder().look(path)
        self._show_folder()

    def _show_folder(self) -> None:
        self._view = FOLDER
        self.show_page()
        self._toolbar.setVisible(self.is_open)

    def _on_folder_left(self) -> None:
        """Back to the transcript that is open, else to the start screen."""
        self._view = INSPECT
        if self.is_open:
            self.show_page()
        else:
            self.emptied.emit()

    def show_page(self) -> None:
        """The view that is wanted, with the keyboard in its first area."""
        wanted = self._page if self._view == INSPECT else self._views.view(self._view)
        self._toolbar.switch.show_view(self._view)
        if self._window.pages.currentWidget() is not wanted:
            self._window.pages.setCurrentWidget(wanted)
            self._toolbar.show()
            self._status.show()
            areas = self._views.areas()
            (areas[0] if areas else self._page.lists.before).setFocus()
            self._show_status()

    def show_parts(self, parts: tuple[StatusPart, ...]) -> None:
        """What the status bar says of the transcript; views add to it."""
        self._parts = parts
        self._show_status()

    def show_following(self, follows: bool) -> None:
        """Whether what is added to the file is taken in."""
        self._is_following = follows
        self._show_status()

    def _show_status(self) -> None:
        """The view's own part comes early, for what comes last goes first where there is no room."""
        mark = (_following(),) if self._is_following else ()
        self._status.show_parts((*mark, *self._views.status, *self._parts))


def _following() -> StatusPart:
    tip = tr("What the agent adds to the file is taken in (File, Follow while it grows).")
    return StatusPart(tr("following the file"), "ok", tip)
