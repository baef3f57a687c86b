"""Opens transcripts and shows the progress of reading."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.app.events import OpenRequest, ReadingProgressEvent, WorkingEvent
from core.app.rpc import Call, is_call_of
from core.app.services.opening import OpenService
from core.common.paths import shown_name
from core.presentation.dropped_files import dropped_notice
from core.presentation.model import Notice
from gui.backend import BackendClient
from gui.inspect.inspect_page import InspectPage
from gui.start.reading_progress import ReadingStrip
from gui.view_switching import COMPARE, INSPECT


class OpenController(QObject):
    """Sends open commands and keeps what to show once the file is read; opening another file drops that."""

    opening_started = Signal()  # messages about the previous transcript no longer apply
    notice = Signal(object)  # Notice

    def __init__(self, parent: QObject, session: BackendClient, page: InspectPage) -> None:
        super().__init__(parent)
        self._session, self._page = session, page
        self.progress_strip = ReadingStrip()
        self.progress_strip.hide()
        self._is_reading = False
        self._dropped_notice: Notice | None = (
            None  # offers the other dropped files once the first one is read
        )
        self._strategy = ""  # strategy to set after the first preview of a file from a folder
        self._view = INSPECT  # the view to show first
        self._target_index = -1  # a message to go to once its scope is shown
        session.started.connect(self._on_started)
        session.reading.connect(self._on_reading)
        session.working.connect(self._on_working)
        self.progress_strip.cancel_requested.connect(session.cancel)
        self.progress_strip.stop_requested.connect(session.stop_reading)

    def open(self, command: OpenRequest) -> None:
        """Open a transcript; the current one stays visible until the first rows are read."""
        self._dropped_notice, self._strategy, self._view = None, "", INSPECT
        self._session.open(command)

    def open_dropped(self, paths: list[str]) -> None:
        """Open the first of several files, and offer the others."""
        self.open(OpenRequest(paths[0]))
        self._dropped_notice = dropped_notice(paths) if len(paths) > 1 else None

    def open_with_strategy(self, path: str, strategy: str) -> None:
        """Open a file of a folder under the strategy shown there."""
        self.open(OpenRequest(path))
        self._strategy = strategy

    def open_compared(self, path: str) -> None:
        """Open a session of the browser in Compare."""
        self.open(OpenRequest(path))
        self._view = COMPARE

    def go_to(self, index: int) -> None:
        """Go to a message of the requested scope as soon as it is shown."""
        if self._session.is_busy:
            self._target_index = index
        else:
            self._page.go_to("before", index)

    def receive(self) -> str:
        """Take note that the first rows are read; return the view to show them in."""
        self._target_index = -1
        view, self._view = self._view, INSPECT
        return view

    def finish(self) -> None:
        """Do what the file was opened for, once everything is answered."""
        self._is_reading = False
        self.progress_strip.hide()
        if self._strategy and self._page.preview is not None:
            strategy, self._strategy = self._strategy, ""
            self._session.set_strategy(strategy)
        if self._target_index >= 0:
            self._target_index, target = -1, self._target_index
            self._page.go_to("before", target)
        if self._dropped_notice is not None:
            self.notice.emit(self._dropped_notice)
            self._dropped_notice = None

    def _on_started(self, command: object) -> None:
        """Called also when the client reopens a file that the worker lost."""
        if isinstance(command, Call) and is_call_of(command, OpenService.open):
            self._is_reading = True
            request = command.arguments[0]
            assert isinstance(request, OpenRequest)
            self.progress_strip.begin(shown_name(request.path))
            self.opening_started.emit()

    def _on_reading(self, reading: ReadingProgressEvent) -> None:
        if self._is_reading:
            self.progress_strip.show_reading(reading)
            self.progress_strip.show()

    def _on_working(self, working: WorkingEvent) -> None:
        if self._is_reading and self.progress_strip.isVisible():
            self.progress_strip.show_working(working)
