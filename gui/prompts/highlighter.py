"""Highlights tags, placeholders and unknown placeholders in a prompt text."""

from __future__ import annotations

from PySide6.QtGui import QSyntaxHighlighter, QTextCharFormat, QTextDocument

from core.presentation.model import FATES
from core.presentation.prompts.prompt_highlights import PLACEHOLDER, TAG, UNKNOWN, line_marks
from gui.widgets.theme import Theme

_TAG_COLOUR = FATES.index("summarised")


class PromptHighlighter(QSyntaxHighlighter):
    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._formats: dict[str, QTextCharFormat] = {}

    def set_theme(self, theme: Theme) -> None:
        self._formats = {name: QTextCharFormat() for name in (TAG, PLACEHOLDER, UNKNOWN)}
        self._formats[TAG].setForeground(theme.fate_text[_TAG_COLOUR])
        self._formats[PLACEHOLDER].setForeground(theme.accent_text)
        unknown = self._formats[UNKNOWN]
        unknown.setForeground(theme.warn)
        unknown.setUnderlineColor(theme.warn)
        unknown.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        for start, length, kind in line_marks(text):
            if kind in self._formats:
                self.setFormat(start, length, self._formats[kind])
