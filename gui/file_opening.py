"""Opens transcripts and shows the progress of reading."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QVBoxLayout

from core.app.events import OpenRequest, ReadingProgressEvent, WorkingEvent
from core.app.rpc import Call, is_call_of
from core.app.services.preview import OpenService
from core.common import number_format
from core.common.paths import shown_name
from core.presentation.model import Notice, NoticeAction
from gui.backend import BackendClient
from gui.inspect.inspect_page import InspectPage
from gui.language import tr
from gui.view_switching import COMPARE, INSPECT
from gui.widgets.basic_widgets import push_button, text_label

_MAX_LINKS = 3


def dropped_notice(paths: Sequence[str]) -> Notice:
    """Link the other dropped files, and the comparison of two."""
    others = paths[1:]
    links = [NoticeAction(f"Open {shown_name(path)}", "open", path) for path in others[:_MAX_LINKS]]
    if len(paths) == 2:
        links.append(NoticeAction("Compare the two", "compare-file", paths[1]))
    title = f"{number_format.plural(len(others), 'more file was', 'more files were')} dropped."
    more_text = (
        f"{number_format.count(len(others) - _MAX_LINKS)} of them have no link here."
        if len(others) > _MAX_LINKS
        else ""
    )
    text = f"Only {shown_name(paths[0])} was opened. {more_text}".strip()
    return Notice("info", title, text, tuple(links), topic="dropped")


_STEPS = 1000
"""Steps of the progress bar."""


class ReadingStrip(QFrame):
    """A strip above the lists while they fill."""

    cancel_requested = Signal()
    stop_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "side")
        self._name = text_label("", "strong")
        self._text = text_label("", "secondary")
        self._bar = QProgressBar()
        self._bar.setRange(0, _STEPS)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(tr("Read so far"))
        cancel = push_button(tr("Cancel"), "small")
        cancel.clicked.connect(self.cancel_requested)
        self._stop = push_button(tr("Stop here and show what was read"), "small")
        self._stop.clicked.connect(self.stop_requested)
        row = QHBoxLayout()
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(8)
        row.addWidget(self._name)
        row.addWidget(self._text, 1)
        row.addWidget(self._stop)
        row.addWidget(cancel)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self._bar)

    def begin(self, name: str) -> None:
        self._name.setText(tr("Reading {name}").format(name=name))
        self._text.setText("")
        self._bar.setValue(0)

    def show_reading(self, reading: ReadingProgressEvent) -> None:
        self._stop.show()
        self._show(reading.text, reading.fraction)

    def show_working(self, working: WorkingEvent) -> None:
        self._stop.hide()
        self._show(working.text, working.fraction)

    def _show(self, text: str, fraction: float) -> None:
        self._text.setText(text)
        self._bar.setValue(round(fraction * _STEPS))


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
