"""Below the plot of a replay: steps, play and pause, the slider, the speed, and Inspect this moment."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, QSize, Qt, QTimer, Signal
from PySide6.QtWidgets import QComboBox, QPushButton, QSlider, QWidget

from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.icons import glyph_icon
from gui.widgets.text_labels import tabular_feature
from gui.widgets.theme import Theme
from gui.widgets.toned_label import set_glyph
from gui.widgets.view_layout import column_of, line_of_widgets

SPEEDS = (1, 4, 16)
"""Requests per second."""


class PlaybackControls(QWidget):
    """Emits ``turn_wanted(turn)`` for another request, from 1; ``inspect_wanted``."""

    turn_wanted = Signal(int)
    inspect_wanted = Signal()

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.timer = QTimer(self)
        self.timer.timeout.connect(self._on_tick)
        self.previous, self.next = push_button(""), push_button("")
        for button, name in ((self.previous, tr("One request back")), (self.next, tr("One request on"))):
            button.setToolTip(name)
            button.setAccessibleName(name)
            button.setIconSize(QSize(12, 12))
        self.play = push_button(tr("Play"))
        self.play.setToolTip(tr("Let the playhead run; Space in the plot does it too."))
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(tr("Request"))
        self.slider.setMinimum(1)
        self.turn_label = text_label("", "strong")
        self.turn_label.setFont(tabular_feature())
        self.speed = QComboBox()
        self.speed.setAccessibleName(tr("Speed"))
        for rate in SPEEDS:
            self.speed.addItem(tr("{rate} per second").format(rate=rate), rate)
        self.speed.setCurrentIndex(SPEEDS.index(4))
        self.inspect_button = push_button(tr("Inspect this moment"))
        self.inspect_button.setToolTip(
            tr("Show what the chosen strategy had made of the session by this request, in Inspect.")
        )
        widgets: tuple[QPushButton | QSlider | QComboBox | QWidget, ...] = (
            self.previous,
            self.play,
            self.next,
            self.slider,
            self.turn_label,
            self.speed,
            self.inspect_button,
        )
        line = line_of_widgets(*widgets, role="foot", gap=6, padding=6, stretched=self.slider)
        self.setLayout(column_of(line))
        self.previous.clicked.connect(self._on_previous)
        self.next.clicked.connect(self._on_next)
        self.play.clicked.connect(self.toggle)
        self.slider.valueChanged.connect(self.turn_wanted)
        self.speed.currentIndexChanged.connect(self._on_speed)
        self.inspect_button.clicked.connect(self.inspect_wanted)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for button, glyph in ((self.previous, "chevron-left"), (self.next, "chevron")):
            button.setIcon(glyph_icon(glyph, theme.text, disabled=theme.text3))
        self._show_playing()

    def set_turns(self, turns: int) -> None:
        with QSignalBlocker(self.slider):
            self.slider.setMaximum(turns)

    def show_turn(self, turn: int) -> None:
        with QSignalBlocker(self.slider):
            self.slider.setValue(turn)
        text = tr("request {turn:,} of {turns:,}")
        self.turn_label.setText(text.format(turn=turn, turns=self.slider.maximum()))

    def toggle(self) -> None:
        if self.timer.isActive():
            self.stop()
            return
        if self.slider.value() >= self.slider.maximum():
            self.turn_wanted.emit(1)
        self.timer.start(1000 // int(self.speed.currentData()))
        self._show_playing()

    def stop(self) -> None:
        self.timer.stop()
        self._show_playing()

    def _show_playing(self) -> None:
        is_playing = self.timer.isActive()
        self.play.setText(tr("Pause") if is_playing else tr("Play"))
        set_glyph(self.play, "pause" if is_playing else "play", self._theme.text, self._theme.text3)

    def _on_tick(self) -> None:
        if self.slider.value() >= self.slider.maximum():
            self.stop()
        else:
            self._on_next()

    def _on_speed(self) -> None:
        self.timer.setInterval(1000 // int(self.speed.currentData()))

    def _on_previous(self) -> None:
        self.turn_wanted.emit(self.slider.value() - 1)

    def _on_next(self) -> None:
        self.turn_wanted.emit(self.slider.value() + 1)
