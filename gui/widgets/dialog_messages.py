"""Messages inside a dialog, each with the glyph and colour of its tone; they wrap."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from core.presentation.model import Notice
from gui.widgets.basic_widgets import TONE_GLYPHS, text_label
from gui.widgets.icons import glyph_pixmap
from gui.widgets.theme import Theme, theme

SentenceRow = tuple[str, str, str]
"""Tone, headline (bold, in the tone's colour), the rest."""


def notice_sentence(notice: Notice) -> SentenceRow:
    return (notice.severity, notice.title, notice.text)


class SentenceList(QWidget):
    """Messages of a dialog; hidden while there are none."""

    def __init__(self) -> None:
        super().__init__()
        self._theme = theme("light")
        self._sentences: tuple[SentenceRow, ...] = ()
        self._lines: list[QWidget] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self.hide()

    @property
    def text(self) -> str:
        return "\n".join(f"{headline} {details}".strip() for _, headline, details in self._sentences)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._fill()

    def show_sentences(self, sentences: Sequence[SentenceRow]) -> None:
        if tuple(sentences) != self._sentences:
            self._sentences = tuple(sentences)
            self._fill()

    def _fill(self) -> None:
        for line in self._lines:
            self._column.removeWidget(line)
            line.hide()
            line.deleteLater()
        self._lines = [self._line(*sentence) for sentence in self._sentences]
        for line in self._lines:
            self._column.addWidget(line)
        self.setVisible(bool(self._lines))

    def _line(self, tone: str, headline: str, details: str) -> QWidget:
        line = QWidget()
        row = QHBoxLayout(line)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(6)
        colour = self._theme.accent_text if tone == "info" else self._theme.tone(tone)
        if name := TONE_GLYPHS.get(tone, ""):
            picture = QLabel()
            picture.setPixmap(glyph_pixmap(name, colour, 14, self.devicePixelRatioF()))
            picture.setContentsMargins(0, 1, 0, 0)
            row.addWidget(picture, 0, Qt.AlignmentFlag.AlignTop)
        text = text_label(f"{headline} {details}".strip())
        text.setWordWrap(True)
        text.setAlignment(Qt.AlignmentFlag.AlignTop)
        text.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        if not details and tone != "info":
            text.setStyleSheet(f"color: {colour.name()};")
        if details and headline:
            headline_label = text_label(headline)
            headline_label.setStyleSheet(f"color: {colour.name()}; font-weight: 600;")
            row.addWidget(headline_label, 0, Qt.AlignmentFlag.AlignTop)
            text.setText(details)
        row.addWidget(text, 1)
        return line
