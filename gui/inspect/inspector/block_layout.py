"""Converts the blocks of a message to text runs, each in the format of its kind."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtGui import QColor, QFont, QTextCharFormat

from core.presentation.model import BodyBlock, MessageBody
from gui.inspect.inspector.text_view import TextRun
from gui.widgets.theme import SECONDARY, Theme, mono_font, resized_font

_LABELLED_KINDS = ("call", "response")
"""Kinds written before the title; the titles of the others already say the kind."""


def _char_format(font: QFont, colour: QColor, background: QColor | None = None) -> QTextCharFormat:
    char_format = QTextCharFormat()
    char_format.setFont(font)
    char_format.setForeground(colour)
    if background is not None:
        char_format.setBackground(background)
    return char_format


def _mono(body: QFont, *, bold: bool = False) -> QFont:
    size = resized_font(body, SECONDARY).pixelSize()
    return mono_font(size=size, bold=bold)


def block_runs(body: MessageBody, font: QFont, theme: Theme) -> list[TextRun]:
    """Return all blocks with their headings, separated by empty lines."""
    runs: list[TextRun] = []
    for number, block in enumerate(body.blocks):
        if number:
            runs.append(TextRun("\n\n", _char_format(font, theme.text)))
        parts = _heading(block, font, theme) + _text(block, font, theme)
        if number and parts:
            parts[0] = replace(parts[0], heading=True)
        runs += parts
    return runs


def _heading(block: BodyBlock, font: QFont, theme: Theme) -> list[TextRun]:
    small_font, runs = resized_font(font, SECONDARY), []
    if block.kind in _LABELLED_KINDS:
        runs.append(TextRun(f"{block.kind}  ", _char_format(small_font, theme.text3)))
    if block.error:
        runs.append(TextRun("error  ", _char_format(resized_font(font, SECONDARY, bold=True), theme.error)))
    if block.kind == "media":
        runs.append(TextRun(f" {block.title} ", _char_format(small_font, theme.text2, theme.selection)))
    elif block.title:
        is_name = block.kind in _LABELLED_KINDS
        title_font = _mono(font, bold=True) if is_name else small_font
        runs.append(TextRun(block.title, _char_format(title_font, theme.text if is_name else theme.text3)))
    if runs and block.text:
        runs.append(TextRun("\n", _char_format(small_font, theme.text)))
    return runs


def _text(block: BodyBlock, font: QFont, theme: Theme) -> list[TextRun]:
    if not block.text:
        return []
    colour = theme.text3 if block.kind == "thinking" else theme.text
    return [TextRun(block.text, _char_format(_mono(font) if block.mono else font, colour))]


def raw_runs(raw: str, font: QFont, theme: Theme) -> list[TextRun]:
    """Return the JSON of a message in the code font."""
    return [TextRun(raw, _char_format(_mono(font), theme.text2))]
