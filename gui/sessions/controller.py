"""Adds the session browser to the start page and updates it."""

from __future__ import annotations

from functools import partial

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QFileDialog

from core.app.services.sessions import SessionService
from core.common.paths import shown_name
from core.presentation.model import Notice
from core.presentation.sessions.model import SessionRows
from gui.backend import BackendClient
from gui.language import tr
from gui.main_window import MainWindow
from gui.remote_call import PendingCall
from gui.sessions.session_pane import SessionsPane
from gui.widgets.theme import Theme


class SessionBrowser(QObject):
    """Turns the start page into the browser once there is a session to show."""

    back = Signal()  # to the open transcript

    def __init__(self, window: MainWindow, session: BackendClient) -> None:
        super().__init__(window)
        self._window, self._session = window, session
        self._folders: tuple[str, ...] = ()
        self.pane = SessionsPane()
        self.pane.hide()
        self.pane.setParent(window)
        self._listing: PendingCall[None] | None = None
        self.pane.last_message_requested.connect(self._load_last_message)
        self.pane.hidden.connect(self._stop)
        self.pane.path_chosen.connect(window.path_chosen)
        self.pane.folder_requested.connect(self.open_folder)
        self.pane.open_requested.connect(self._on_open)
        shortcut = QShortcut(QKeySequence("Escape"), self.pane)
        shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
        shortcut.activated.connect(self.back)

    def list_sessions(self) -> None:
        """Scan for sessions again."""
        self._listing = self._session.call(SessionService.sessions, self._folders).progress(self._on_part)

    def list_folder(self, folder: str) -> None:
        if folder not in self._folders:
            self._folders = (*self._folders, folder)
        self.list_sessions()

    def open_folder(self) -> None:
        folder = QFileDialog.getExistingDirectory(self._window, tr("Look for transcripts in a folder"))
        if folder:
            self.list_folder(folder)

    def set_theme(self, theme: Theme) -> None:
        self.pane.set_theme(theme)

    def _stop(self) -> None:
        if self._listing is not None:
            self._listing.stop()

    def _load_last_message(self, path: str) -> None:
        call = self._session.call(SessionService.last_message, path)
        call.done(partial(self.pane.show_last_message, path))

    def _on_open(self) -> None:
        self._window.actions_by_id["open"].trigger()

    def _on_part(self, part: SessionRows) -> None:
        if part.total and not self._window.start.is_browsing:
            self._window.start.show_browser(self.pane.agents, self.pane, self.pane.table)
            self.pane.show()
            if self._window.pages.currentWidget() is self._window.start:
                self.pane.table.setFocus()
        elif not part.total and self._folders:
            headline = tr("No transcripts were found in {name}.").format(name=shown_name(self._folders[-1]))
            self.pane.notice.emit(Notice("info", headline, tr("Files *.json and *.jsonl are looked at.")))
        self.pane.show_part(part)
