"""Under the plot of a replay: steps, play and pause, the slider, the speed, and Open this turn."""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, QSize, Qt
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLabel, QPushButton, QSlider, QWidget

from core.common import number_format
from gui.language import tr
from gui.widgets.basic_widgets import push_button
from gui.widgets.icons import glyph_icon
from gui.widgets.text_labels import tabular_feature
from gui.widgets.theme import Theme, theme
from gui.widgets.toned_label import set_glyph

SPEEDS = (1, 4, 16)
"""Turns per second."""


class PlaybackControls(QWidget):
    """Shows the playhead's position; the view moves it."""

    def __init__(self) -> None:
        super().__init__()
        self._theme = theme("light")
        self._is_playing = False
        self.setProperty("role", "foot")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.previous_compaction = _glyph_button(tr("Previous compaction of this strategy"))
        self.previous_turn = _glyph_button(tr("One turn back"))
        self.play = push_button(tr("Play"))
        self.play.setToolTip(tr("Let the playhead run; Space in the plot does it too."))
        self.next_turn = _glyph_button(tr("One turn on"))
        self.next_compaction = _glyph_button(tr("Next compaction of this strategy"))
        self.slider = QSlider(Qt.Orientation.Horizontal)
        self.slider.setAccessibleName(tr("Turn"))
        self.slider.setMinimum(1)
        self.turn_label = QLabel()
        self.turn_label.setFont(tabular_feature())
        self.turn_label.setProperty("role", "strong")
        self.speed = QComboBox()
        self.speed.setAccessibleName(tr("Speed"))
        for rate in SPEEDS:
            self.speed.addItem(f"{tr(number_format.plural(rate, 'turn'))}/s", rate)
        self.speed.setCurrentIndex(SPEEDS.index(4))
        self.open_turn = push_button(tr("Open this turn"))
        self.open_turn.setToolTip(
            tr("Show what the chosen strategy had made of the session by this turn, in Inspect.")
        )
        self._lay_out()

    def _lay_out(self) -> None:
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(6)
        for widget in (
            self.previous_compaction,
            self.previous_turn,
            self.play,
            self.next_turn,
            self.next_compaction,
        ):
            row.addWidget(widget)
        row.addWidget(self.slider, 1)
        for part in (self.turn_label, self.speed, self.open_turn):
            row.addWidget(part)

    @property
    def rate(self) -> int:
        """Turns per second."""
        return int(self.speed.currentData())

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        glyphs = ("skip-back", "chevron-left", "chevron", "skip-on")
        for button, name in zip(
            (self.previous_compaction, self.previous_turn, self.next_turn, self.next_compaction),
            glyphs,
            strict=True,
        ):
            button.setIcon(glyph_icon(name, theme.text, disabled=theme.text3))
        self.show_playing(self._is_playing)

    def set_turns(self, turns: int) -> None:
        with QSignalBlocker(self.slider):
            self.slider.setMaximum(turns)

    def show_turn(self, turn: int) -> None:
        """Show the playhead's turn, from 1."""
        with QSignalBlocker(self.slider):
            self.slider.setValue(turn)
        self.turn_label.setText(
            tr("turn {turn:,} of {turns:,}").format(turn=turn, turns=self.slider.maximum())
        )

    def show_playing(self, playing: bool) -> None:
        self._is_playing = playing
        self.play.setText(tr("Pause") if playing else tr("Play"))
        set_glyph(self.play, "pause" if playing else "play", self._theme.text, self._theme.text3)


def _glyph_button(name: str) -> QPushButton:
    result = push_button("")
    result.setToolTip(name)
    result.setAccessibleName(name)
    result.setIconSize(QSize(12, 12))
    return result
