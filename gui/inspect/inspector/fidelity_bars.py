"""The bars of the Fidelity tab: one per category, their legend, and recall by place in the source."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QHelpEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from core.presentation.fidelity.model import STATUSES, FidelityBar
from core.presentation.model import KINDS
from gui.language import tr
from gui.widgets.focus_ring import paint_focus
from gui.widgets.theme import BODY, SMALL, Theme, resized_font, tabular_font, theme

LOST_INDEX = len(STATUSES) - 1
_STATUS_WORDS = (
    "verbatim",
    "summarised",
    "partial",
    "recoverable",
    "lost",
)
"""The names of STATUSES, in their order."""
_STATUS_KINDS = ("ai", "summary", "call", "tool")
"""The bars use the colours of the ruler."""
_PAD, _GAP, _LINE_HEIGHT, _DENSE_LINE_HEIGHT, _BAR_HEIGHT = 12, 8, 19, 16, 10
_STALE_OPACITY = 0.55
_MAX_LABEL_SHARE = 0.4  # share of the width


def status_colours(theme: Theme) -> tuple[QColor, ...]:
    """Return a colour per status, in the order of STATUSES."""
    return (*(theme.kind[KINDS.index(kind)] for kind in _STATUS_KINDS), theme.error)


class _ThemedBars(QWidget):
    """Base of the three widgets: theme, height from the font, faded while out of date."""

    def __init__(self) -> None:
        super().__init__()
        self._theme = theme("light")
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def _unit(self) -> float:
        return self.fontInfo().pixelSize() / BODY

    def _painter(self) -> QPainter:
        painter = QPainter(self)
        painter.setOpacity(1.0 if self.isEnabled() else _STALE_OPACITY)
        return painter

    def changeEvent(self, event: QEvent) -> None:
        """Repaints when enabled or disabled; another font changes the height."""
        self.updateGeometry()
        self.update()
        super().changeEvent(event)


def _square(painter: QPainter, box: QRectF, colour: QColor, *, hollow: bool) -> None:
    if hollow:
        painter.setPen(QPen(colour, 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
    else:
        painter.fillRect(box, colour)


class FidelityLegend(_ThemedBars):
    def __init__(self) -> None:
        super().__init__()
        policy = QSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self._shown_statuses = tuple(range(len(STATUSES)))

    def show_bars(self, bars: Sequence[FidelityBar]) -> None:
        self._shown_statuses = tuple(
            status for status in range(len(STATUSES)) if any(bar.counts[status] for bar in bars)
        )
        self.updateGeometry()
        self.update()

    @property
    def words(self) -> tuple[str, ...]:
        return tuple(tr(_STATUS_WORDS[status]) for status in self._shown_statuses)

    def _word_positions(self, width: float) -> list[tuple[QPointF, str]]:
        metrics, unit = QFontMetricsF(resized_font(self.font(), SMALL)), self._unit()
        positions: list[tuple[QPointF, str]] = []
        x = y = 0.0
        for word in self.words:
            needed_width = 13 * unit + metrics.horizontalAdvance(word)
            if x and x + needed_width > width:
                x, y = 0.0, y + 16 * unit
            positions.append((QPointF(x, y), word))
            x += needed_width + 7 * unit
        return positions

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        positions = self._word_positions(width - 2 * _PAD)
        return round(positions[-1][0].y() + 16 * self._unit()) if positions else 0

    def sizeHint(self) -> QSize:
        """One line, or what the width allows."""
        return QSize(240, self.heightForWidth(max(240, self.width())))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, unit = self._painter(), self._unit()
        painter.setFont(resized_font(self.font(), SMALL))
        fills = status_colours(self._theme)
        for status, (position, word) in zip(
            self._shown_statuses, self._word_positions(self.width() - 2 * _PAD), strict=True
        ):
            box = QRectF(_PAD + position.x(), position.y() + 4 * unit, 9 * unit, 9 * unit)
            _square(painter, box.toAlignedRect().toRectF(), fills[status], hollow=status == LOST_INDEX)
            painter.setPen(self._theme.text2)
            text = QRectF(box.right() + 4 * unit, position.y(), 200, 16 * unit)
            painter.drawText(text, Qt.AlignmentFlag.AlignVCenter, word)
        painter.end()


class FidelityBars(_ThemedBars):
    """A line per category; a click on one shows its facts, a second click the lost ones again."""

    chosen = Signal(str)  # kind, "" for none

    def __init__(self) -> None:
        super().__init__()
        self._bars: tuple[FidelityBar, ...] = ()
        self._kind, self._hovered_bar = "", -1
        self._is_dense = False
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Fidelity by category"))
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def show_bars(self, bars: tuple[FidelityBar, ...]) -> None:
        self._bars = bars
        self.setAccessibleDescription("; ".join(f"{bar.label}: {bar.not_lost}" for bar in bars))
        self.updateGeometry()
        self.update()

    def choose(self, kind: str) -> None:
        """Mark a category, "" for none."""
        self._kind = kind
        self.update()

    def set_dense(self, dense: bool) -> None:
        """Reduce the line spacing, so that the list below has more space."""
        if dense != self._is_dense:
            self._is_dense = dense
            self.updateGeometry()
            self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, round(len(self._bars) * self._line_height()))

    minimumSizeHint = sizeHint

    def _line_height(self) -> float:
        return round((_DENSE_LINE_HEIGHT if self._is_dense else _LINE_HEIGHT) * self._unit())

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = self._painter()
        font = tabular_font(self.font())
        bold = tabular_font(resized_font(self.font(), BODY, bold=True))
        name_width, count_width, lost_width = self._widths(font, bold)
        right = self.width() - _PAD - (lost_width + _GAP if lost_width else 0)
        left = _PAD + name_width + _GAP
        for number, bar in enumerate(self._bars):
            line = QRectF(0, number * self._line_height(), self.width(), self._line_height())
            if number == self._hovered_bar or bar.kind == self._kind:
                painter.fillRect(line, self._theme.selection)
            painter.setFont(font)
            painter.setPen(self._theme.text)
            centred, right_aligned = Qt.AlignmentFlag.AlignVCenter, Qt.AlignmentFlag.AlignRight
            label = painter.fontMetrics().elidedText(
                bar.label, Qt.TextElideMode.ElideRight, round(name_width)
            )
            painter.drawText(line.adjusted(_PAD, 0, 0, 0), centred, label)
            painter.drawText(QRectF(0, line.y(), right, line.height()), centred | right_aligned, bar.not_lost)
            box = QRectF(
                left, line.center().y() - _BAR_HEIGHT / 2, right - count_width - _GAP - left, _BAR_HEIGHT
            )
            self._paint_bar(painter, box, bar.counts)
            painter.setFont(bold)
            painter.setPen(self._theme.error)
            painter.drawText(line.adjusted(0, 0, -_PAD, 0), centred | right_aligned, bar.lost)
        paint_focus(painter, self, self._theme)
        painter.end()

    def _widths(self, font: QFont, bold: QFont) -> tuple[float, float, float]:
        metrics, bold_metrics = QFontMetricsF(font), QFontMetricsF(bold)
        max_width = _MAX_LABEL_SHARE * (self.width() - 2 * _PAD)
        return (
            min(
                max_width, 1 + max((metrics.horizontalAdvance(bar.label) for bar in self._bars), default=0.0)
            ),
            max((metrics.horizontalAdvance(bar.not_lost) for bar in self._bars), default=0.0),
            max((bold_metrics.horizontalAdvance(bar.lost) for bar in self._bars), default=0.0),
        )

    def _paint_bar(self, painter: QPainter, box: QRectF, counts: Sequence[int]) -> None:
        """Paint the parts side by side, at whole pixels, so that they join without seams."""
        total, done, fills = sum(counts), 0, status_colours(self._theme)
        if box.width() < 4 or not total:
            return
        for status, count in enumerate(counts):
            start = round(box.left() + box.width() * done / total)
            done += count
            end = round(box.left() + box.width() * done / total)
            if count:
                part = QRectF(start, round(box.top()), max(2, end - start), box.height())
                _square(painter, part, fills[status], hollow=status == LOST_INDEX)

    def _bar_at(self, y: float) -> int:
        number = int(y // self._line_height())
        return number if 0 <= number < len(self._bars) else -1

    def _toggle_kind(self, number: int) -> None:
        if number >= 0:
            kind = self._bars[number].kind
            self.choose("" if kind == self._kind else kind)
            self.chosen.emit(self._kind)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._toggle_kind(self._bar_at(event.position().y()))

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._hovered_bar = self._bar_at(event.position().y())
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self._hovered_bar = -1
        self.update()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()), 0)
        if not step or not self._bars:
            super().keyPressEvent(event)
            return
        kinds = [bar.kind for bar in self._bars]
        position = kinds.index(self._kind) if self._kind in kinds else -1 if step > 0 else len(kinds)
        if 0 <= position + step < len(kinds):
            self._toggle_kind(position + step)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            number = self._bar_at(event.pos().y())
            QToolTip.showText(event.globalPos(), self.tip(number), self)
            return True
        return super().event(event)

    def tip(self, number: int) -> str:
        if number < 0:
            return ""
        bar = self._bars[number]
        parts = (
            f"{count:,} {tr(word)}" for count, word in zip(bar.counts, _STATUS_WORDS, strict=True) if count
        )
        return tr("{label}: {shares}. A click lists them.").format(label=bar.label, shares=", ".join(parts))


class RecallBars(_ThemedBars):
    """Ten small bars: the recall of each tenth of the source."""

    def __init__(self) -> None:
        super().__init__()
        self._values: tuple[float | None, ...] = ()
        self.setAccessibleName(tr("Fidelity by place in the source"))

    def show_values(self, values: tuple[float | None, ...]) -> None:
        self._values = values
        description = ", ".join("–" if value is None else f"{value:.2f}" for value in values)
        self.setAccessibleDescription(description)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, round(30 * self._unit()))

    minimumSizeHint = sizeHint

    def paintEvent(self, event: QPaintEvent) -> None:
        painter, unit = self._painter(), self._unit()
        font = resized_font(self.font(), SMALL)
        painter.setFont(font)
        painter.setPen(self._theme.text2)
        label = tr("by place, first to last")
        painter.drawText(QRectF(_PAD, 0, self.width(), self.height()), Qt.AlignmentFlag.AlignVCenter, label)
        left = _PAD + QFontMetricsF(font).horizontalAdvance(label) + 2 * _GAP
        bar_pitch = (self.width() - _PAD - left) / max(1, len(self._values))
        baseline, max_height = self.height() - 4 * unit, self.height() - 8 * unit
        for number, value in enumerate(self._values):
            start, end = round(left + number * bar_pitch), round(left + (number + 1) * bar_pitch) - 2
            height = 0 if value is None else max(2, round(value * max_height))
            painter.fillRect(QRectF(start, baseline - max_height, end - start, max_height), self._theme.free)
            painter.fillRect(
                QRectF(start, baseline - height, end - start, height), status_colours(self._theme)[0]
            )
        painter.setPen(self._theme.hairline)
        painter.drawLine(QPointF(left, baseline + 0.5), QPointF(self.width() - _PAD, baseline + 0.5))
        painter.end()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            tip = tr("Fidelity of each tenth of the source, by tokens: {shares}.").format(
                shares=self.accessibleDescription()
            )
            QToolTip.showText(event.globalPos(), tip, self)
            return True
        return super().event(event)
