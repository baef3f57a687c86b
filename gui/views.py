"""The views of an open transcript: which is seen, and what leads from one to another."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from core.view.values import StatusPart
from gui.insight.view import InsightView
from gui.session import Session
from gui.theme import Theme
from gui.view_switch import VIEW_NAMES

INSPECT, COMPARE, REPLAY, SWEEP = VIEW_NAMES


class Views(QObject):
    """Compare, Replay and Sweep beside Inspect. Each is made when it is first asked for.

    Emits ``wanted(name)`` where a view leads to another one, ``message_wanted(index)`` for a message to
    show in Inspect, ``status_changed``, ``notice``.
    """

    wanted = Signal(str)
    message_wanted = Signal(int)
    status_changed = Signal()
    notice = Signal(object)

    def __init__(self, parent: QObject, session: Session, pages: QStackedWidget, theme: Theme) -> None:
        super().__init__(parent)
        self._session, self._pages, self._theme = session, pages, theme
        self._made: dict[str, InsightView] = {}
        self._path, self._scope = "", "all"

    def view(self, name: str) -> InsightView:
        """One of the three views."""
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def _make(self, name: str) -> InsightView:
        make = {COMPARE: self._compare, REPLAY: self._replay, SWEEP: self._sweep}[name]
        view = make()
        view.notice.connect(self.notice)
        view.status_changed.connect(self.status_changed)
        self._pages.addWidget(view)
        view.begin(self._path)
        return view

    def _compare(self) -> InsightView:
        from gui.compare.page import CompareView  # late, as below: a file is shown before any of them

        view = CompareView(self._session, self._theme)
        view.opened.connect(self._on_row)
        view.message_wanted.connect(self._on_message)
        view.pair_opened.connect(self._on_inspect)
        return view

    def _replay(self) -> InsightView:
        from gui.replay.page import ReplayView

        view = ReplayView(self._session, self._theme)
        view.turn_opened.connect(self._on_inspect)
        return view

    def _sweep(self) -> InsightView:
        from gui.sweep.page import SweepView

        view = SweepView(self._session, self._theme)
        view.used.connect(self._on_inspect)
        return view

    @property
    def shown(self) -> InsightView | None:
        """The one that is seen, None where it is another page."""
        current = self._pages.currentWidget()
        return current if isinstance(current, InsightView) else None

    @property
    def status(self) -> tuple[StatusPart, ...]:
        """What the status bar says of the view that is seen."""
        shown = self.shown
        return (shown.status,) if shown is not None and shown.status is not None else ()

    def begin(self, path: str) -> None:
        """Another transcript is open, "" for none."""
        self._path = path
        for view in self._made.values():
            view.begin(path)

    def set_scope(self, scope: str) -> None:
        """The scope that is shown."""
        self._scope = scope

    def set_theme(self, theme: Theme) -> None:
        """Paint in a theme's colours."""
        self._theme = theme
        for view in self._made.values():
            view.set_theme(theme)

    def areas(self) -> tuple[QWidget, ...]:
        """What F6 goes through in the view that is seen."""
        return self.shown.areas() if self.shown is not None else ()

    def _on_inspect(self) -> None:
        self.wanted.emit(INSPECT)

    def _on_row(self, name: str, number: int) -> None:
        """A row becomes the current view: its strategy, or what was recorded beside its history."""
        if number:
            self._session.show_recorded(number)
        else:
            self._session.set_strategy(name)
        self.wanted.emit(INSPECT)

    def _on_message(self, scope: str, index: int) -> None:
        if scope != self._scope:
            self._session.set_scope(scope)
        self.wanted.emit(INSPECT)
        self.message_wanted.emit(index)
