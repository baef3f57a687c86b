"""The analysis views of a transcript: which one is visible, and the links between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from core.presentation.model import Screen, StatusPart
from gui.backend import BackendClient
from gui.inspect.view_switch import VIEW_NAMES
from gui.widgets.analysis_view import AnalysisView
from gui.widgets.theme import Theme

if TYPE_CHECKING:
    from gui.compare.folder_page import FolderView

INSPECT, COMPARE, REPLAY, SWEEP = VIEW_NAMES
FOLDER = "folder"
"""The view of a folder, which needs no open transcript and is not in the view switch."""


class AnalysisViews(QObject):
    """Compare, Replay, Sweep and the view of a folder, each made on first use.

    Emits ``wanted(name)`` for a link to another view, ``message_wanted(index)`` for a message to show in
    Inspect, ``file_wanted(path, strategy)`` for a transcript to open, ``folder_wanted`` and ``back`` for the
    way to the view of a folder and from it, ``status_changed``, ``notice``.
    """

    view_requested = Signal(str)
    message_wanted = Signal(int)
    file_wanted = Signal(str, str)
    folder_wanted = Signal()
    back = Signal()
    status_changed = Signal()
    notice = Signal(object)

    def __init__(self, parent: QObject, session: BackendClient, pages: QStackedWidget, theme: Theme) -> None:
        super().__init__(parent)
        self._session, self._pages, self._theme = session, pages, theme
        self._views: dict[str, AnalysisView] = {}
        self._path, self._scope, self._strategy = "", "all", ""

    def view(self, name: str) -> AnalysisView:
        if name not in self._views:
            self._views[name] = self._make(name)
        return self._views[name]

    def _make(self, name: str) -> AnalysisView:
        factory = self._makers()[name]
        view = factory()
        view.notice.connect(self.notice)
        view.status_changed.connect(self.status_changed)
        self._pages.addWidget(view)
        view.begin(self._path)
        view.set_strategy(self._strategy)
        return view

    def _makers(self) -> Mapping[str, Callable[[], AnalysisView]]:
        return {COMPARE: self._compare, REPLAY: self._replay, SWEEP: self._sweep, FOLDER: self._folder}

    def folder(self) -> FolderView:
        from gui.compare.folder_page import FolderView  # late, as below

        view = self.view(FOLDER)
        assert isinstance(view, FolderView)
        return view

    def compare_names(self, names: tuple[str, ...]) -> None:
        from gui.compare.page import CompareView

        view = self.view(COMPARE)
        assert isinstance(view, CompareView)
        view.choose(names)

    def _folder(self) -> AnalysisView:
        from gui.compare.folder_page import FolderView

        view = FolderView(self._session, self._theme)
        view.opened.connect(self.file_wanted)
        view.back.connect(self.back)
        return view

    def _compare(self) -> AnalysisView:
        from gui.compare.page import CompareView  # late, as below: opening a file does not need it

        view = CompareView(self._session, self._theme)
        view.opened.connect(self._on_row)
        view.message_wanted.connect(self._on_message)
        view.pair_opened.connect(self._on_inspect)
        view.folder.clicked.connect(self.folder_wanted)
        return view

    def _replay(self) -> AnalysisView:
        from gui.replay.page import ReplayView

        view = ReplayView(self._session, self._theme)
        view.turn_opened.connect(self._on_inspect)
        return view

    def _sweep(self) -> AnalysisView:
        from gui.sweep.page import SweepView

        view = SweepView(self._session, self._theme)
        view.used.connect(self._on_inspect)
        return view

    @property
    def shown(self) -> AnalysisView | None:
        """The visible view, None on another page."""
        current = self._pages.currentWidget()
        return current if isinstance(current, AnalysisView) else None

    @property
    def status(self) -> tuple[StatusPart, ...]:
        shown = self.shown
        return (shown.status,) if shown is not None and shown.status is not None else ()

    def begin(self, path: str) -> None:
        """Start with another transcript, "" for none."""
        self._path = path
        for view in self._views.values():
            view.begin(path)

    def show_screen(self, screen: Screen) -> None:
        self._scope, self._strategy = screen.scope, screen.strategy
        for view in self._views.values():
            view.set_strategy(screen.strategy)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for view in self._views.values():
            view.set_theme(theme)

    def areas(self) -> tuple[QWidget, ...]:
        return self.shown.areas() if self.shown is not None else ()

    def _on_inspect(self) -> None:
        self.view_requested.emit(INSPECT)

    def _on_row(self, name: str, number: int) -> None:
        """Show a row in Inspect: its strategy, or what was recorded beside its history."""
        if number:
            self._session.show_recorded(number)
        else:
            self._session.set_strategy(name)
        self.view_requested.emit(INSPECT)

    def _on_message(self, scope: str, index: int) -> None:
        if scope != self._scope:
            self._session.set_scope(scope)
        self.view_requested.emit(INSPECT)
        self.message_wanted.emit(index)
