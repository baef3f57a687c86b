"""Notices that the open file has grown, and follows it if the user wants that."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from core.common.paths import shown_name
from core.presentation.dialog_model import FileOpenedEvent
from core.presentation.model import Notice, NoticeAction
from gui.backend import BackendClient
from gui.inspect.lists.message_list import MessageList
from gui.language import tr

CHECK_INTERVAL_MS = 1_000
TOPIC = "grown"


class FileWatcher(QObject):
    """Polls size and time of the open file. The list keeps its position, or stays at its end."""

    notice = Signal(object)  # Notice
    following = Signal(bool)  # whether additions are read from now on

    def __init__(self, parent: QObject, session: BackendClient, before_list: MessageList) -> None:
        super().__init__(parent)
        self._session, self._before_list = session, before_list
        self._path = ""
        self._known_state: tuple[int, int] | None = None
        self._is_announced = self._was_at_end = False
        self.is_following = False
        self._timer = QTimer(self, interval=CHECK_INTERVAL_MS)
        self._timer.timeout.connect(self.check)
        session.idle.connect(self._on_idle)

    def start(self, opened: FileOpenedEvent) -> None:
        if opened.path != self._path:
            self._set(False)
        self._path, self._known_state, self._is_announced = opened.path, _state(opened.path), False
        self._timer.start()

    def stop(self) -> None:
        self._path = ""
        self._set(False)
        self._timer.stop()

    def follow(self, follows: bool) -> None:
        """Read additions automatically from now on, or stop doing so."""
        self._set(follows)
        if follows:
            self.check()

    def _set(self, follows: bool) -> None:
        if follows != self.is_following:
            self.is_following = follows
            self.following.emit(follows)

    def check(self) -> None:
        """Check the file; a change is read or announced, once."""
        state = _state(self._path)
        if state is None or state == self._known_state or not self._session.is_up_to_date:
            return
        if self.is_following:
            self.read_again()
        elif not self._is_announced:
            self._is_announced = True
            actions = (NoticeAction(tr("Read again"), "reload"), NoticeAction(tr("Follow"), "follow"))
            name = shown_name(self._path)
            self.notice.emit(
                Notice("info", tr("{name} has changed on disk.").format(name=name), "", actions, topic=TOPIC)
            )

    def read_again(self) -> None:
        """Read the file again; the current rows stay visible until then."""
        bar = self._before_list.view.verticalScrollBar()
        self._was_at_end = bar.maximum() > 0 and bar.value() == bar.maximum()
        self._known_state = _state(self._path)
        self._session.reload()

    def _on_idle(self) -> None:
        if self._was_at_end:
            self._was_at_end = False
            self._before_list.view.scrollToBottom()


def _state(path: str) -> tuple[int, int] | None:
    """Return size and time of a file, None if it is missing (standard input, or moved away)."""
    try:
        status = Path(path).stat() if path else None
    except OSError:
        return None
    return (status.st_size, status.st_mtime_ns) if status is not None else None
