"""A transcript that is being opened: how far it is, and what is to follow once it is there."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.app.messages import OpenFileCommand, ReadingProgressEvent, WorkingEvent
from core.common.file_names import shown_name
from core.presentation.dropped_files import dropped_notice
from core.presentation.model import Notice
from gui.backend import BackendClient
from gui.inspect.inspect_page import InspectPage
from gui.start.reading_progress import ReadingStrip
from gui.view_switching import COMPARE, INSPECT


class OpenController(QObject):
    """Sends what a person opens, and remembers what it was opened for; another file forgets that."""

    begun = Signal()  # what was said of the former transcript no longer holds
    notice = Signal(object)  # Notice

    def __init__(self, parent: QObject, session: BackendClient, page: InspectPage) -> None:
        super().__init__(parent)
        self._session, self._page = session, page
        self.strip = ReadingStrip()
        self.strip.hide()
        self._goes_on = False
        self._offer: Notice | None = None  # what else was dropped, said when the first file is there
        self._strategy = ""  # of a file of a folder, once its first preview is there
        self._view = INSPECT  # what is shown first
        self._goal = -1  # a message to go to once its scope is there
        session.started.connect(self._on_started)
        session.reading.connect(self._on_reading)
        session.working.connect(self._on_working)
        self.strip.cancel_requested.connect(session.cancel)
        self.strip.stop_requested.connect(session.stop_reading)

    def open(self, command: OpenFileCommand) -> None:
        """Open a transcript in this way; what is shown stays until the first of it is read."""
        self._offer, self._strategy, self._view = None, "", INSPECT
        self._session.open(command)

    def open_dropped(self, paths: list[str]) -> None:
        """Open the first of several files, and offer the others."""
        self.open(OpenFileCommand(paths[0]))
        self._offer = dropped_notice(paths) if len(paths) > 1 else None

    def open_under(self, path: str, strategy: str) -> None:
        """Open a file of a folder, under the strategy that was looked at."""
        self.open(OpenFileCommand(path))
        self._strategy = strategy

    def open_compared(self, path: str) -> None:
        """Open a session of the browser, with what each strategy makes of it."""
        self.open(OpenFileCommand(path))
        self._view = COMPARE

    def go_to(self, index: int) -> None:
        """Go to a message of the scope that was asked for, as soon as the worker has shown that."""
        if self._session.is_busy:
            self._goal = index
        else:
            self._page.go_to("before", index)

    def arrive(self) -> str:
        """The first of it is read; the view that it is shown in."""
        self._goal = -1
        view, self._view = self._view, INSPECT
        return view

    def finish(self) -> None:
        """All is answered: what it was opened for."""
        self._goes_on = False
        self.strip.hide()
        if self._strategy and self._page.preview is not None:
            strategy, self._strategy = self._strategy, ""
            self._session.set_strategy(strategy)
        if self._goal >= 0:
            self._goal, goal = -1, self._goal
            self._page.go_to("before", goal)
        if self._offer is not None:
            self.notice.emit(self._offer)
            self._offer = None

    def _on_started(self, command: object) -> None:
        """Also of what a worker lost, which the session opens again by itself."""
        if isinstance(command, OpenFileCommand):
            self._goes_on = True
            self.strip.begin(shown_name(command.path))
            self.begun.emit()

    def _on_reading(self, reading: ReadingProgressEvent) -> None:
        if self._goes_on:
            self.strip.show_reading(reading)
            self.strip.show()

    def _on_working(self, working: WorkingEvent) -> None:
        if self._goes_on and self.strip.isVisible():
            self.strip.show_working(working)
