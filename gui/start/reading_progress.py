"""The strip shown while a file is read: progress, Cancel, and stopping early."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QProgressBar, QVBoxLayout

from core.app.events import ReadingProgressEvent, WorkingEvent
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label

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
