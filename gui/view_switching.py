"""The Compare view of a transcript: its tabs, and the links between them and Inspect."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QTabBar, QVBoxLayout, QWidget

from core.presentation.model import Screen, StatusPart
from gui.backend import BackendClient
from gui.inspect.toolbar import VIEW_NAMES
from gui.language import tr
from gui.widgets.theme import Theme

if TYPE_CHECKING:
    from gui.compare.analysis_tab import AnalysisTab
    from gui.compare.folder_tab import FolderTab

INSPECT, COMPARE = VIEW_NAMES
REPLAY, SWEEP, FOLDER = "replay", "sweep", "folder"
"""Names of tabs: their files, actions and pictures are named after them. The first is COMPARE."""
_TABS = (COMPARE, REPLAY, SWEEP, FOLDER)
_TITLES = ("Strategies", "Over time", "One setting", "Folder")


class AnalysisViews(QObject):
    """The tabs, each made on first use; only FOLDER needs no open transcript.

    Emits ``view_requested(name)`` for another tab or Inspect, ``message_wanted(index)`` for a message to show
    in Inspect, ``file_wanted(path, strategy)`` for a transcript to open, ``back`` for the way from a folder,
    ``status_changed``, ``notice``.
    """

    view_requested = Signal(str)
    message_wanted = Signal(int)
    file_wanted = Signal(str, str)
    back = Signal()
    status_changed = Signal()
    notice = Signal(object)

    def __init__(self, parent: QObject, session: BackendClient, pages: QStackedWidget, theme: Theme) -> None:
        super().__init__(parent)
        self._session, self._theme = session, theme
        self._tabs: dict[str, AnalysisTab] = {}
        self._path, self._scope, self._strategy = "", "all", ""
        self._current = COMPARE
        self.page = QWidget()
        self.tab_bar = QTabBar()
        self.tab_bar.setAccessibleName(tr("Compare"))
        self.tab_bar.setDrawBase(False)
        for title in _TITLES:
            self.tab_bar.addTab(tr(title))
        self._heads, self._stack = QStackedWidget(), QStackedWidget()
        bar = QWidget()
        bar.setProperty("role", "head")
        bar.setMinimumWidth(1)  # its texts must not keep a window wide: they are elided
        row = QHBoxLayout(bar)
        row.setContentsMargins(8, 0, 0, 0)
        row.addWidget(self.tab_bar)
        row.addWidget(self._heads, 1)
        column = QVBoxLayout(self.page)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(bar)
        column.addWidget(self._stack, 1)
        pages.addWidget(self.page)
        self.tab_bar.currentChanged.connect(self._on_tab)

    def view(self, name: str) -> AnalysisTab:
        if name not in self._tabs:
            self._tabs[name] = self._make(name)
        return self._tabs[name]

    def _make(self, name: str) -> AnalysisTab:
        makers = {
            COMPARE: self._make_strategies,
            REPLAY: self._make_over_time,
            SWEEP: self._make_one_setting,
            FOLDER: self._make_folder,
        }
        tab = makers[name]()
        tab.notice.connect(self.notice)
        tab.status_changed.connect(self.status_changed)
        self._heads.addWidget(tab.head)
        self._stack.addWidget(tab)
        tab.begin(self._path)
        tab.strategy = self._strategy
        return tab

    def folder(self) -> FolderTab:
        from gui.compare.folder_tab import FolderTab  # late, as below

        tab = self.view(FOLDER)
        assert isinstance(tab, FolderTab)
        return tab

    def compare_names(self, names: tuple[str, ...]) -> None:
        """Compare these strategies, presets and recorded compactions."""
        self.view(COMPARE).choose_names(names)

    def _make_folder(self) -> AnalysisTab:
        from gui.compare.folder_tab import FolderTab

        tab = FolderTab(self._session, self._theme)
        tab.opened.connect(self.file_wanted)
        tab.back.connect(self.back)
        return tab

    def _make_strategies(self) -> AnalysisTab:
        from gui.compare.strategies_tab import StrategiesTab  # late: opening a file does not need it

        tab = StrategiesTab(self._session, self._theme)
        tab.opened.connect(self._on_row)
        tab.message_wanted.connect(self._on_message)
        tab.pair_opened.connect(self._on_inspect)
        return tab

    def _make_over_time(self) -> AnalysisTab:
        from gui.compare.over_time_tab import OverTimeTab

        tab = OverTimeTab(self._session, self._theme)
        tab.turn_opened.connect(self._on_inspect)
        return tab

    def _make_one_setting(self) -> AnalysisTab:
        from gui.compare.one_setting_tab import OneSettingTab

        tab = OneSettingTab(self._session, self._theme)
        tab.used.connect(self._on_inspect)
        return tab

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
    def shown(self) -> AnalysisTab | None:
        """The visible tab, None on another page."""
        return self._tabs[self._current] if self.page.isVisible() else None

    @property
    def status(self) -> tuple[StatusPart, ...]:
        shown = self.shown
        return (shown.status,) if shown is not None and shown.status is not None else ()

    def begin(self, path: str) -> None:
        """Start with another transcript, "" for none."""
        self._path = path
        for index, name in enumerate(_TABS):
            self.tab_bar.setTabEnabled(index, bool(path) or name == FOLDER)
        for tab in self._tabs.values():
            tab.begin(path)

    def show_screen(self, screen: Screen) -> None:
        self._scope, self._strategy = screen.scope, screen.strategy
        for tab in self._tabs.values():
            tab.strategy = screen.strategy

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for tab in self._tabs.values():
            tab.set_theme(theme)

    def areas(self) -> tuple[QWidget, ...]:
        return self.shown.areas() if self.shown is not None else ()

    def _on_inspect(self) -> None:
        self.view_requested.emit(INSPECT)

    def _on_row(self, name: str) -> None:
        """Show a row in Inspect: its strategy, or what was recorded beside its history."""
        number = name.rpartition(" ")[2]
        if number.isdecimal():
            self._session.show_recorded(int(number))
        else:
            self._session.set_strategy(name)
        self.view_requested.emit(INSPECT)

    def _on_message(self, scope: str, index: int) -> None:
        if scope != self._scope:
            self._session.set_scope(scope)
        self.view_requested.emit(INSPECT)
        self.message_wanted.emit(index)
