"""Highlights tags, placeholders and unknown placeholders in a prompt text."""

from __future__ import annotations

from PySide6.QtCore import QRegularExpression
from PySide6.QtGui import QSyntaxHighlighter, QTextCharFormat, QTextDocument

from core.presentation.model import FATES
from core.settings.prompts import PLACEHOLDERS
from gui.widgets.theme import Theme

_TAG_COLOUR = FATES.index("summarised")
_MARKED = QRegularExpression(
    r"\{([a-z][a-z0-9_]*)\}|</?[A-Za-z][\w-]*[ \t]*/?>",
    QRegularExpression.PatternOption.UseUnicodePropertiesOption,
)


class PromptHighlighter(QSyntaxHighlighter):
    def __init__(self, document: QTextDocument) -> None:
        super().__init__(document)
        self._tag, self._placeholder, self._unknown = QTextCharFormat(), QTextCharFormat(), QTextCharFormat()
        self._unknown.setUnderlineStyle(QTextCharFormat.UnderlineStyle.WaveUnderline)

    def set_theme(self, theme: Theme) -> None:
        self._tag.setForeground(theme.fate_text[_TAG_COLOUR])
        self._placeholder.setForeground(theme.accent_text)
        self._unknown.setForeground(theme.warn)
        self._unknown.setUnderlineColor(theme.warn)
        self.rehighlight()

    def highlightBlock(self, text: str) -> None:
        matches = _MARKED.globalMatch(text)
        while matches.hasNext():
            match = matches.next()
            name = match.captured(1)
            marked = self._placeholder if name in PLACEHOLDERS else self._unknown
            self.setFormat(match.capturedStart(), match.capturedLength(), marked if name else self._tag)
