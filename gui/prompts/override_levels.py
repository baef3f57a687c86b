"""The levels of a prompt override, with the used and the shown one."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QAbstractButton, QVBoxLayout, QWidget

from core.presentation.prompts.model import PromptLevelRow
from gui.language import tr
from gui.widgets.focus_ring import paint_focus
from gui.widgets.icons import paint_glyph
from gui.widgets.key_presses import is_enter
from gui.widgets.theme import SECONDARY, Theme, resized_font, theme

_LEFT, _TEXT, _RIGHT, _PAD = 12, 32, 12, 6
_RADIUS = 4.5
_UNSAVED = "not saved"


class PromptLevelButton(QAbstractButton):
    """A painted level: a filled dot marks the one in use, a tinted row the shown one."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme("light")
        self._row: PromptLevelRow | None = None
        self._is_unsaved = False
        self.setCheckable(True)
        self.setAutoExclusive(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    @property
    def row(self) -> PromptLevelRow | None:
        return self._row

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.updateGeometry()
        self.update()

    def show_row(self, row: PromptLevelRow, *, is_unsaved: bool) -> None:
        self._row, self._is_unsaved = row, is_unsaved
        self.setChecked(row.shown)
        parts = (row.title, self._state(), row.place, row.problem)
        self.setAccessibleName(", ".join(part for part in parts if part))
        self.setToolTip(row.problem or row.path)
        self.update()

    def _state(self) -> str:
        if self._row is None:
            return ""
        return tr(_UNSAVED) if self._is_unsaved else self._row.state

    def sizeHint(self) -> QSize:
        metrics = QFontMetrics(resized_font(self.font(), SECONDARY))
        return QSize(200, 2 * _PAD + self.fontMetrics().height() + metrics.height() + 2)

    minimumSizeHint = sizeHint

    def paintEvent(self, event: QPaintEvent) -> None:
        if (row := self._row) is None:
            return
        painter, theme = QPainter(self), self._theme
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if row.shown or self.underMouse():
            painter.fillRect(self.rect(), theme.selection if row.shown else theme.free)
        title_rect = QRect(_TEXT, _PAD, self.width() - _TEXT - _RIGHT, self.fontMetrics().height())
        self._paint_dot(painter, row, title_rect.center().y() + 0.5)
        small_font = resized_font(self.font(), SECONDARY)
        tone = theme.error if row.tone == "error" else theme.warn if self._is_unsaved else theme.text2
        painter.setFont(small_font)
        painter.setPen(tone)
        right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        painter.drawText(title_rect, right, self._state())
        state = QFontMetrics(small_font).horizontalAdvance(self._state())
        painter.setFont(resized_font(self.font(), 13, bold=row.shown))
        painter.setPen(theme.text if row.exists or row.shown else theme.text2)
        title = title_rect.adjusted(0, 0, -state - 8, 0)
        painter.drawText(title, Qt.AlignmentFlag.AlignVCenter, _elided(painter, row.title, title.width()))
        place_rect = QRect(
            _TEXT, title_rect.bottom() + 3, title_rect.width(), QFontMetrics(small_font).height()
        )
        painter.setFont(small_font)
        painter.setPen(theme.text2)
        middle = Qt.TextElideMode.ElideMiddle
        place = painter.fontMetrics().elidedText(row.place, middle, place_rect.width())
        painter.drawText(place_rect, Qt.AlignmentFlag.AlignVCenter, place)
        paint_focus(painter, self, theme)
        painter.end()

    def _paint_dot(self, painter: QPainter, row: PromptLevelRow, middle: float) -> None:
        theme = self._theme
        if row.tone == "error":
            paint_glyph(painter, "error", QRectF(_LEFT, middle - 6, 12, 12), theme.error)
            return
        painter.setPen(QPen(theme.accent_text if row.wins else theme.control_border, 1.3))
        painter.setBrush(theme.accent_text if row.wins else Qt.BrushStyle.NoBrush)
        painter.drawEllipse(QPointF(_LEFT + 6, middle), _RADIUS, _RADIUS)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter chooses, as the space bar does."""
        if is_enter(event):
            self.click()
        else:
            super().keyPressEvent(event)


def _elided(painter: QPainter, text: str, width: int) -> str:
    return painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, width)


class PromptLevelList(QWidget):
    """All levels, most specific first."""

    level_chosen = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._theme = theme("light")
        self._buttons: list[PromptLevelButton] = []
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(0)

    @property
    def buttons(self) -> tuple[PromptLevelButton, ...]:
        return tuple(self._buttons)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for button in self._buttons:
            button.set_theme(theme)

    def show_chain(self, rows: Sequence[PromptLevelRow], unsaved: Collection[str]) -> None:
        """Show these levels; ``unsaved`` are the paths with unsaved texts."""
        while len(self._buttons) > len(rows):
            removed = self._buttons.pop()
            self._column.removeWidget(removed)
            removed.hide()
            removed.deleteLater()
        while len(self._buttons) < len(rows):
            button = PromptLevelButton(self)
            button.set_theme(self._theme)
            button.clicked.connect(self._on_clicked)
            self._column.addWidget(button)
            self._buttons.append(button)
        for button, row in zip(self._buttons, rows, strict=True):
            button.show_row(row, is_unsaved=row.path in unsaved)
        for button in self._buttons:  # Tab focuses the shown one, arrows the others
            button.setFocusPolicy(Qt.FocusPolicy.TabFocus if button.isChecked() else Qt.FocusPolicy.NoFocus)

    def _on_clicked(self) -> None:
        button = self.sender()
        if isinstance(button, PromptLevelButton) and button.row is not None:
            self.level_chosen.emit(button.row.level)
