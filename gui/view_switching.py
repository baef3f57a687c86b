"""Switches the pages of the window, and the tabs of Compare with the links between them and
Inspect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QSignalBlocker, Signal
from PySide6.QtWidgets import QStackedWidget, QTabBar, QWidget

from core.presentation.model import StatusPart
from core.presentation.screen_model import Screen
from core.settings.schema import STRATEGY, SettingChanges
from gui import late
from gui.aim_field import Aim
from gui.backend import BackendClient
from gui.inspect.inspect_page import InspectPage
from gui.inspect.status_bar import StatusBar
from gui.inspect.toolbar import VIEW_NAMES, Toolbar
from gui.language import tr
from gui.main_window import MainWindow
from gui.session_pane import SessionsPane
from gui.widgets.view_layout import column_of_widgets, panel_of, row_of

if TYPE_CHECKING:
    from gui.compare.analysis_tab import AnalysisTab
    from gui.compare.folder_tabs import FolderTab, TuneTab

INSPECT, COMPARE = VIEW_NAMES
REPLAY, SWEEP, FOLDER, TUNE = "replay", "sweep", "folder", "tune"
"""Names of tabs: their files, actions and pictures are named after them. The first is COMPARE."""
_TABS = (COMPARE, REPLAY, SWEEP, FOLDER, TUNE)
_TITLES = ("Strategies", "Over time", "One setting", "Folder", "Tune")
_OF_FOLDER = (FOLDER, TUNE)
"""Tabs that need no open transcript."""


class AnalysisViews(QObject):
    """The tabs, each made on first use.

    Emits ``view_requested(name)`` for another tab or Inspect, ``message_wanted(index)`` for a
    message to show in Inspect, ``file_wanted(path, strategy)`` for a transcript to open, ``back``
    for the way from a folder, ``status_changed``, ``notice``.
    """

    view_requested = Signal(str)
    message_wanted = Signal(int)
    file_wanted = Signal(str, str)
    back = Signal()
    status_changed = Signal()
    notice = Signal(object)

    def __init__(
        self,
        parent: QObject,
        backend: BackendClient,
        aim: Aim,
        pages: QStackedWidget,
    ) -> None:
        super().__init__(parent)
        self._backend, self._aim = backend, aim
        self._tabs: dict[str, AnalysisTab] = {}
        self._path, self._scope, self._strategy = "", "all", ""
        self._current = COMPARE
        self.tab_bar = QTabBar()
        self.tab_bar.setAccessibleName(tr("Compare"))
        self.tab_bar.setDrawBase(False)
        self.tab_bar.setUsesScrollButtons(
            False
        )  # a few pixels of a bold name would bring them up
        for title in _TITLES:
            self.tab_bar.addTab(tr(title))
        self._heads = QStackedWidget()
        self._stack = QStackedWidget()
        row = row_of(
            self.tab_bar,
            self._heads,
            margins=(8, 0, 0, 0),
            gap=6,
            stretched=self._heads,
        )
        bar = panel_of(row, "head")
        bar.setMinimumWidth(1)  # its texts must not keep a window wide: they are elided
        self.page = column_of_widgets(bar, self._stack, stretched=self._stack)
        pages.addWidget(self.page)
        self.tab_bar.currentChanged.connect(self._on_tab)

    def view(self, name: str) -> AnalysisTab:
        if name not in self._tabs:
            self._tabs[name] = tab = self._new_tab(name)
            tab.inspect_wanted.connect(self._on_inspect)
            tab.notice.connect(self.notice)
            tab.status_changed.connect(self.status_changed)
            self._heads.addWidget(tab.head)
            self._stack.addWidget(tab)
            tab.begin(self._path)
            tab.strategy = self._strategy
        return self._tabs[name]

    def _new_tab(self, name: str) -> AnalysisTab:
        """Return a tab; each is imported late, since opening a file needs none."""
        if name == COMPARE:
            strategies = late.StrategiesTab(self._backend, self._aim)
            strategies.opened.connect(self._on_row)
            strategies.message_wanted.connect(self._on_message)
            return strategies
        if name == REPLAY:
            return late.OverTimeTab(self._backend)
        if name == SWEEP:
            return late.OneSettingTab(self._backend)
        if name == TUNE:
            tune = late.TuneTab(self._backend)
            tune.back.connect(self.back)
            return tune

        folder = late.FolderTab(self._backend)
        folder.opened.connect(self.file_wanted)
        folder.tune_wanted.connect(self._on_tune)
        folder.back.connect(self.back)
        return folder

    def tune(self) -> TuneTab:

        tab = self.view(TUNE)
        assert isinstance(tab, late.TuneTab)
        return tab

    def _on_tune(self, path: str) -> None:
        if path:
            self.tune().scan(path)
        self.view_requested.emit(TUNE)

    def folder(self) -> FolderTab:

        tab = self.view(FOLDER)
        assert isinstance(tab, late.FolderTab)
        return tab

    def compare_names(self, names: tuple[str, ...]) -> None:
        """Compare these strategies, presets and recorded compactions."""
        self.view(COMPARE).choose_names(names)

    def show_tab(self, name: str) -> str:
        """Show a tab, COMPARE the last one; return its name."""
        if name != COMPARE or not self.page.isHidden():
            self._current = name
        tab = self.view(self._current)
        self.tab_bar.blockSignals(True)
        self.tab_bar.setCurrentIndex(_TABS.index(self._current))
        self.tab_bar.blockSignals(False)
        self._heads.setCurrentWidget(tab.head)
        self._stack.setCurrentWidget(tab)
        self.status_changed.emit()
        return self._current

    def _on_tab(self, index: int) -> None:
        self.view_requested.emit(_TABS[index])

    @property
    def visible_tab(self) -> AnalysisTab | None:
        """The visible tab, None on another page."""
        if self.page.isVisible():
            return self._tabs[self._current]
        return None

    @property
    def status(self) -> tuple[StatusPart, ...]:
        visible_tab = self.visible_tab
        if visible_tab is not None and visible_tab.status is not None:
            return (visible_tab.status,)
        return ()

    def begin(self, path: str) -> None:
        """Start with another transcript, "" for none."""
        self._path = path
        # a tab that is disabled makes another one current, which would be built
        with QSignalBlocker(self.tab_bar):
            for index, name in enumerate(_TABS):
                self.tab_bar.setTabEnabled(index, bool(path) or name in _OF_FOLDER)
        for tab in self._tabs.values():
            tab.begin(path)

    def show_screen(self, screen: Screen) -> None:
        self._scope, self._strategy = screen.heading.scope, screen.strategy
        for tab in self._tabs.values():
            tab.strategy = screen.strategy

    def areas(self) -> tuple[QWidget, ...]:
        if self.visible_tab is not None:
            return self.visible_tab.areas()
        return ()

    def _on_inspect(self) -> None:
        self.view_requested.emit(INSPECT)

    def _on_row(self, name: str, settings: SettingChanges) -> None:
        """Show a row in Inspect: its strategy with the settings that reach its aim, or what was
        recorded beside its history."""
        number = name.rpartition(" ")[2]
        if number.isdecimal():
            self._backend.show_recorded(int(number))
        else:
            self._backend.set_values(((STRATEGY, name), *settings))
        self.view_requested.emit(INSPECT)

    def _on_message(self, scope: str, index: int) -> None:
        if scope != self._scope:
            self._backend.set_scope(scope)
        self.view_requested.emit(INSPECT)
        self.message_wanted.emit(index)


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
            self._page.lists.setFocus()  # also if another transcript was open

    def show_start(self) -> None:
        self.is_open, self._view = False, INSPECT
        self._toolbar.hide()
        self._status.hide()
        self._window.show_start()

    @property
    def is_empty(self) -> bool:
        """True if the page needs a preview and none is open: not the start page and not a
        folder."""
        is_start = self._window.pages.currentWidget() is self._window.start
        return (
            self._page.preview is None and not is_start and self._view not in _OF_FOLDER
        )

    def show_sessions(self) -> None:
        """Show the session browser; the open transcript stays open behind it."""
        self._toolbar.hide()
        self._status.hide()
        self._window.pages.setCurrentWidget(self._window.start)
        self._window.start.first_focus.setFocus()
        self._browser.list_sessions()

    def leave_start(self) -> None:
        """Return from the start page to the open transcript, if there is one."""
        if (
            self._page.preview is not None
            and self._window.pages.currentWidget() is self._window.start
        ):
            self.show_page()

    def show_view(self, name: str) -> None:
        """Show Inspect or a tab of Compare of the open transcript; a folder needs none."""
        if self.is_open or name in _OF_FOLDER:
            self._view = name
            self.show_page()

    def choose_folder(self) -> None:
        """Ask for a folder and show its page before comparing; if cancelled, show the last
        folder."""
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
        self._toolbar.view_switch.show_choice(int(self._view != INSPECT))
        if self._window.pages.currentWidget() is not page:
            self._window.pages.setCurrentWidget(page)
            self._toolbar.show()
            self._status.show()
            areas = self._views.areas()
            (areas[0] if areas else self._page.lists).setFocus()
            self._show_status()

    def show_parts(self, parts: tuple[StatusPart, ...]) -> None:
        """Set the transcript's parts of the status bar; views add to them."""
        self._parts = parts
        self._show_status()

    def show_following(self, follows: bool) -> None:
        self._is_following = follows
        self._show_status()

    def _show_status(self) -> None:
        """The view's own parts come early, because the last ones are hidden first if space is
        short."""
        mark = (_following(),) if self._is_following else ()
        self._status.show_parts((*mark, *self._views.status, *self._parts))


def _following() -> StatusPart:
    tip = tr(
        "What the agent adds to the file is taken in (File, Follow while it grows)."
    )
    return StatusPart(tr("following the file"), "ok", tip)
