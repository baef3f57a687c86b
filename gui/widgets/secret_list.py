"""Secrets found in an export, one line for each kind; scrolls if there are many."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt

from core.presentation.inspector_model import (
    TextSpan,
)
from gui.language import tr
from gui.widgets.scrolled_area import ScrollContainer
from gui.widgets.text_labels import SpanText
from gui.widgets.theme import SECONDARY, scaled_pixels

_MIN_HEIGHT, _MOST = 48, 132


class FoundSecretsList(ScrollContainer):
    """Hidden if nothing was found. The arrow keys scroll it."""

    def __init__(self) -> None:
        self._lines = SpanText(SECONDARY, "text2")
        super().__init__(self._lines, role="found", min_height=_MIN_HEIGHT)
        self.setMaximumHeight(scaled_pixels(_MOST, self.font()))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Secrets found"))
        self.hide()

    @property
    def text(self) -> str:
        return self._lines.text

    def show_lines(self, lines: Sequence[str]) -> None:
        self._lines.set_spans((TextSpan("\n".join(lines)),) if lines else ())
        self.setVisible(bool(lines))
        self.updateGeometry()
