"""A progress bar, and a button that shows its key."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QPushButton, QSizePolicy, QWidget

from gui.widgets.theme import SMALL, Theme, resized_font, theme

_HEIGHT = 6
_GAP, _PAD, _SIDE = 7, 5, 10


class ProgressMeter(QWidget):
    """A thin bar from 0 to 1 on its track."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._theme = theme("light")
        self._fraction = 0.0
        self._name = name
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.show_fraction(0.0)

    @property
    def fraction(self) -> float:
        return self._fraction

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def show_fraction(self, fraction: float) -> None:
        """Fill this part, clamped to 0 to 1."""
        self._fraction = min(1.0, max(0.0, fraction))
        self.setAccessibleName(f"{self._name}: {self._fraction:.0%}")
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(120, _HEIGHT)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        for share, colour in ((1.0, self._theme.hairline), (self._fraction, self._theme.accent_text)):
            if share > 0:
                painter.setBrush(colour)
                width = max(float(_HEIGHT), share * self.width())
                painter.drawRoundedRect(QRectF(0, 0, width, _HEIGHT), _HEIGHT / 2, _HEIGHT / 2)
        painter.end()


class ShortcutButton(QPushButton):
    """A button with its key in a small frame at its right."""

    def __init__(self, text: str, key: str) -> None:
        super().__init__(text)
        self._key, self._theme = key, theme("light")
        self.setAutoDefault(False)
        self.setStyleSheet("text-align: left;")
        self.setToolTip(f"{text} ({key})")

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def _frame_width(self) -> int:
        small_font = resized_font(self.font(), SMALL)
        return self.fontMetrics().horizontalAdvance(self._key) * small_font.pixelSize() // max(
            1, self.fontInfo().pixelSize()
        ) + 2 * (_PAD + 1)

    def sizeHint(self) -> QSize:
        size = super().sizeHint()
        return QSize(size.width() + _GAP + self._frame_width(), size.height())

    minimumSizeHint = sizeHint

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        small_font = resized_font(self.font(), SMALL)
        height = round(small_font.pixelSize() * 1.5)
        width = self._frame_width()
        frame = QRectF(self.width() - width - _SIDE + 0.5, (self.height() - height) / 2, width - 1, height)
        painter.setPen(self._theme.hairline)
        painter.drawRoundedRect(frame, 3, 3)
        painter.setFont(small_font)
        painter.setPen(self._theme.text2)
        painter.drawText(frame, Qt.AlignmentFlag.AlignCenter, self._key)
        painter.end()
