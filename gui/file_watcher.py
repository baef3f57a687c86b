"""Notices that the open file has grown, and follows it where the person wants that."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QObject, QTimer, Signal

from core.common.file_names import shown_name
from core.presentation.model import Notice, NoticeAction
from core.presentation.opened_model import FileOpenedEvent
from gui.backend import BackendClient
from gui.inspect.lists.message_list import MessageList
from gui.language import tr

EVERY_MS = 1_000
TOPIC = "grown"


class FileWatcher(QObject):
    """Looks at size and time of the open file. The view stays where the person is; at the end of the
    list it stays at the end."""

    notice = Signal(object)  # Notice
    following = Signal(bool)  # whether what is added is taken in from now on

    def __init__(self, parent: QObject, session: BackendClient, before: MessageList) -> None:
        super().__init__(parent)
        self._session, self._before = session, before
        self._path = ""
        self._seen: tuple[int, int] | None = None
        self._is_told = self._was_at_end = False
        self.follows = False
        self._timer = QTimer(self, interval=EVERY_MS)
        self._timer.timeout.connect(self.look)
        session.idle.connect(self._on_idle)

    def watch(self, opened: FileOpenedEvent) -> None:
        """Watch the file that was just read."""
        if opened.path != self._path:
            self._set(False)
        self._path, self._seen, self._is_told = opened.path, _state(opened.path), False
        self._timer.start()

    def stop(self) -> None:
        """Watch nothing."""
        self._path = ""
        self._set(False)
        self._timer.stop()

    def follow(self, wanted: bool) -> None:
        """Take in what is added from now on, or leave it at that."""
        self._set(wanted)
        if wanted:
            self.look()

    def _set(self, follows: bool) -> None:
        if follows != self.follows:
            self.follows = follows
            self.following.emit(follows)

    def look(self) -> None:
        """Look at the file once; a change is taken in or told, once."""
        state = _state(self._path)
        if state is None or state == self._seen or not self._session.is_settled:
            return
        if self.follows:
            self.read_again()
        elif not self._is_told:
            self._is_told = True
            actions = (NoticeAction(tr("Read again"), "reload"), NoticeAction(tr("Follow"), "follow"))
            name = shown_name(self._path)
            self.notice.emit(
                Notice("info", tr("{name} has changed on disk.").format(name=name), "", actions, topic=TOPIC)
            )

    def read_again(self) -> None:
        """Read the file again; what is shown stays until all of it is known."""
        bar = self._before.view.verticalScrollBar()
        self._was_at_end = bar.maximum() > 0 and bar.value() == bar.maximum()
        self._seen = _state(self._path)
        self._session.reload()

    def _on_idle(self) -> None:
        if self._was_at_end:
            self._was_at_end = False
            self._before.view.scrollToBottom()


def _state(path: str) -> tuple[int, int] | None:
    """Size and time of a file, None where it is not there (standard input, or moved away)."""
    try:
        status = Path(path).stat() if path else None
    except OSError:
        return None
    return (status.st_size, status.st_mtime_ns) if status is not None else None
