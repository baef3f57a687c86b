"""The steps of an explanation on a vertical line, with a dot each."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QVBoxLayout, QWidget

from core.presentation.model import WhyStep
from gui.widgets.text_labels import SpanText
from gui.widgets.theme import SECONDARY, Theme

_LEFT, _DOT_X, _RADIUS, _GAP = 24, 7.0, 3.6, 8


class StepWidget(QWidget):
    """One step: title, detail, and the dot with the line to the next."""

    link_activated = Signal(str)

    def __init__(self, step: WhyStep, colour: QColor, theme: Theme, *, is_last: bool) -> None:
        super().__init__()
        self._step, self._colour, self._theme, self._is_last = step, colour, theme, is_last
        column = QVBoxLayout(self)
        column.setContentsMargins(_LEFT, 0, 0, 0 if is_last else _GAP)
        column.setSpacing(0)
        self._title = SpanText()
        for text, spans in ((self._title, step.title), (SpanText(SECONDARY, "text2"), step.detail)):
            if spans:
                text.set_theme(theme)
                text.set_spans(spans)
                text.link_activated.connect(self.link_activated)
                column.addWidget(text)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints rings for what was considered, a filled dot for the outcome."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = QPointF(_DOT_X, self._title.y() + self._title.fontMetrics().height() / 2 + 1)
        if not self._is_last:
            painter.setPen(QPen(self._theme.control_border, 1))
            painter.drawLine(middle + QPointF(0, _RADIUS + 1), QPointF(_DOT_X, middle.y() + self.height()))
        painter.setPen(QPen(self._colour, 2))
        painter.setBrush(self._colour if self._step.tone == "end" else self._theme.surface)
        radius = _RADIUS
        painter.drawEllipse(QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius))
        painter.end()


def step_colours(steps: Sequence[WhyStep], fate: int, theme: Theme) -> list[QColor]:
    """Return a colour per step: a message's have the colour of its fate, a cut's that of their tone."""
    return [_colour(step.tone, fate, theme) for step in steps]


def _colour(tone: str, fate: int, theme: Theme) -> QColor:
    if tone == "error":
        return theme.error
    if 0 <= fate < len(theme.fate_text):
        return theme.fate_text[fate]
    return {"ok": theme.ok, "warn": theme.warn, "end": theme.text}.get(tone, theme.text3)
