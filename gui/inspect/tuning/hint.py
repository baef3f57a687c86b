"""The line under a control that explains its value."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontMetricsF, QResizeEvent
from PySide6.QtWidgets import QWidget

from core.presentation.model import TextSpan
from gui.widgets.text_labels import SpanText
from gui.widgets.theme import SECONDARY, resized_font


class HintLabel(SpanText):
    """Wraps; in a narrow panel it is elided to one line, with a tooltip (ui.md section 10)."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(SECONDARY, "text2", space_below=4)
        self.setParent(parent)
        self._full_text, self._is_elided = "", False

    def show_text(self, text: str) -> None:
        """Show another text; an empty one hides the line."""
        self._full_text = text
        self.setVisible(bool(text))
        self._fit()

    def set_elided(self, is_cut: bool) -> None:
        self._is_elided = is_cut
        self._fit()

    def _fit(self) -> None:
        text = self._full_text
        if self._is_elided:
            metrics = QFontMetricsF(resized_font(self.font(), SECONDARY))
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, self.width() - 1)
        self.set_spans((TextSpan(text),))
        self.setAccessibleName(self._full_text)
        self.setToolTip(self._full_text if text != self._full_text else "")

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
