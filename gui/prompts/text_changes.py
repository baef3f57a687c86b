"""The changes of a prompt: the text with added and removed lines on coloured grounds."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QColor, QTextBlock, QTextBlockFormat, QTextCharFormat, QTextCursor

from core.presentation.prompts.model import PromptDiffRow
from gui.prompts.prompt_text_edit import CodeView
from gui.widgets.colours import blend_colours
from gui.widgets.theme import Theme

_SHARE = {True: 0.22, False: 0.13}
"""The share of the tone's colour in the ground, in dark themes and in light ones."""


class ChangesView(CodeView):
    """Read-only; the gutter has the numbers of the new text and a sign at each changed line."""

    _lines: tuple[PromptDiffRow, ...] = ()  # the gutter is measured before there are any

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)

    @property
    def lines(self) -> tuple[PromptDiffRow, ...]:
        return self._lines

    def set_theme(self, theme: Theme) -> None:
        super().set_theme(theme)
        self._paint_backgrounds()

    def show_changes(self, lines: Sequence[PromptDiffRow]) -> None:
        if tuple(lines) != self._lines:
            self._lines = tuple(lines)
            scroll_position = self.verticalScrollBar().value()
            self.put_text("\n".join(line.text for line in self._lines))
            self._paint_backgrounds()
            self._fit_gutter()
            self.verticalScrollBar().setValue(scroll_position)

    def _paint_backgrounds(self) -> None:
        """Paint the grounds of changed lines, and removed lines paler. High contrast only has the signs."""
        theme = self._theme
        share = 0.0 if theme.high_contrast else _SHARE[theme.dark]
        tones = {"+": theme.ok, "-": theme.error}
        cursor = QTextCursor(self.document())
        cursor.beginEditBlock()
        block = self.document().firstBlock()
        for line in self._lines:
            if line.mark in tones:
                background = blend_colours(tones[line.mark], theme.surface, share)
                _paint(block, background, theme.text2 if line.mark == "-" else theme.text)
            block = block.next()
        cursor.endEditBlock()

    def gutter_texts(self, block: QTextBlock) -> tuple[str, str]:
        if block.blockNumber() >= len(self._lines):
            return "", ""
        line = self._lines[block.blockNumber()]
        return line.number, {"+": "+", "-": "−"}.get(line.mark, "")

    def widest_number(self) -> int:
        """The new text has fewer lines than are shown."""
        return len(self._lines)

    def has_marks(self) -> bool:
        """Always."""
        return True


def _paint(block: QTextBlock, background: QColor, foreground: QColor) -> None:
    cursor = QTextCursor(block)
    block_format, text_format = QTextBlockFormat(), QTextCharFormat()
    block_format.setBackground(background)
    text_format.setForeground(foreground)
    cursor.setBlockFormat(block_format)
    cursor.movePosition(QTextCursor.MoveOperation.EndOfBlock, QTextCursor.MoveMode.KeepAnchor)
    cursor.setCharFormat(text_format)
