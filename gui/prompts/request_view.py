"""The exact request to a model: its messages with role, place and tokens."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtGui import QColor, QFont, QTextCharFormat
from PySide6.QtWidgets import QWidget

from core.presentation.prompts.model import RequestPage, RequestPart
from gui.inspect.inspector.text_view import TextReader, TextRun
from gui.language import tr
from gui.widgets.theme import SECONDARY, Theme, mono_font, resized_font, theme

NOTE = "not sent until you press Compact or try it"


class RequestView(TextReader):
    """Read-only. Laid out only while visible, because a request may be long."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(tr("Request"), parent)
        self._theme = theme("light")
        self._page: RequestPage | None = None
        self._shown: RequestPage | None = None
        self.set_wrapped(True)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.set_hairline(theme.hairline)
        self._shown = None
        self._fill_if_visible()

    def show_request(self, page: RequestPage) -> None:
        """Show a request, or why there is none; an unchanged one keeps its scroll position."""
        self._page = page
        self._fill_if_visible()

    def _fill_if_visible(self) -> None:
        if self.isVisible() and self._page is not None and self._page != self._shown:
            self._shown = self._page
            self.show_runs(_runs(self._page, self.font(), self._theme))

    def event(self, event: QEvent) -> bool:
        is_handled = super().event(event)
        if event.type() == QEvent.Type.Show:
            self._fill_if_visible()
        return is_handled


def _char_format(font: QFont, colour: QColor) -> QTextCharFormat:
    text_format = QTextCharFormat()
    text_format.setFont(font)
    text_format.setForeground(colour)
    return text_format


def _runs(page: RequestPage, font: QFont, theme: Theme) -> list[TextRun]:
    if not page.parts:
        return [TextRun(page.reason, _char_format(font, theme.text2))]
    runs: list[TextRun] = []
    for number, part in enumerate(page.parts):
        if number:
            runs.append(TextRun("\n\n", _char_format(font, theme.text)))
        runs += _part(part, font, theme)
    return runs


def _part(part: RequestPart, font: QFont, theme: Theme) -> list[TextRun]:
    plain_font, bold_font = resized_font(font, SECONDARY), resized_font(font, SECONDARY, bold=True)
    code = mono_font(size=plain_font.pixelSize())
    return [
        TextRun(part.role, _char_format(bold_font, theme.text), heading=True),
        TextRun(
            f"  {part.title} · {tr('{tokens} tokens').format(tokens=part.tokens)}\n",
            _char_format(plain_font, theme.text3),
        ),
        TextRun(part.text, _char_format(code, theme.text)),
    ]
