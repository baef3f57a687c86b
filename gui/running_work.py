"""What is going on, at the right of the message row: words, how far, and how to stop it."""

from __future__ import annotations

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QProgressBar, QWidget

from core.app.events import OpenRequest, ReadingProgressEvent, WorkingEvent
from core.app.rpc import Call, is_call_of
from core.app.services.preview import OpenService
from core.common.paths import shown_name
from core.presentation.dialog_model import SummaryProgress
from gui.backend import BackendClient
from gui.language import tr
from gui.widgets.basic_widgets import push_button
from gui.widgets.progress_line import SHOW_AFTER_MS, show_progress
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.view_layout import panel_of, row_of

_STEPS, _BAR_WIDTH = 1000, 80


class RunningWork(QWidget):
    """Keeps its width; empty until work has taken so long that a person asks what is going on."""

    def __init__(self, backend: BackendClient) -> None:
        super().__init__()
        self._backend = backend
        self._reading = ""  # the name of the file that is read
        self.words = ElidedLabel("", "secondary")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(_BAR_WIDTH)
        self.bar.setAccessibleName(tr("Work in progress"))
        self.stop = push_button(
            tr("Stop here"), "small", tip=tr("Stop here and show what was read")
        )
        self.cancel = push_button(tr("Cancel"), "small", tip=tr("Stop what is going on (Esc)"))
        self.stop.clicked.connect(backend.stop_reading)
        self.cancel.clicked.connect(backend.cancel)
        parts = (self.words, self.bar, self.stop, self.cancel)
        self.box = panel_of(row_of(*parts, stretched=self.words))
        self.setLayout(row_of(self.box))
        self.box.hide()
        self._show_timer = QTimer(self, singleShot=True, interval=SHOW_AFTER_MS)
        self._show_timer.timeout.connect(self.box.show)
        backend.started.connect(self._on_started)
        backend.reading.connect(self.show_reading)
        backend.working.connect(self.show_working)
        backend.writing.connect(self.show_writing)
        backend.idle.connect(self._on_idle)

    def _on_started(self, command: object) -> None:
        if isinstance(command, Call) and is_call_of(command, OpenService.open):
            request = command.arguments[0]
            assert isinstance(request, OpenRequest)
            self._reading = shown_name(request.path)
            self._show(tr("Reading {name}").format(name=self._reading), 0.0)
        if self.box.isHidden() and not self._show_timer.isActive():
            if not self._reading:
                self._show(tr("Working…"), 0.0)
            self._show_timer.start()

    def show_reading(self, reading: ReadingProgressEvent) -> None:
        """Say how far a file is read; it can be shown as far as it is read."""
        text = tr("Reading {name}").format(name=self._reading) if self._reading else ""
        self._show(" · ".join(filter(None, (text, reading.text))), reading.fraction, can_stop=True)

    def show_working(self, working: WorkingEvent) -> None:
        self._show(working.text, working.fraction)

    def show_writing(self, writing: SummaryProgress) -> None:
        if not writing.is_over:
            self._show(f"{writing.title} · {writing.elapsed}", writing.fraction)

    def _show(self, text: str, fraction: float, *, can_stop: bool = False) -> None:
        self.words.show_text(text)
        show_progress(self.bar, round(fraction * _STEPS), _STEPS if fraction > 0 else 0)
        self.stop.setVisible(can_stop)

    def _on_idle(self) -> None:
        self._show_timer.stop()
        self._reading = ""
        self.box.hide()
