"""What remains after repeated compaction: a small bar with its figure for each repetition."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QFontMetricsF, QHelpEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QSizePolicy, QToolTip, QVBoxLayout, QWidget

from core.presentation.fidelity.decay_model import DecayPage
from gui.inspect.inspector.fidelity_bars import status_colours
from gui.language import tr
from gui.widgets.basic_widgets import push_button
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import BODY, SMALL, Theme, resized_font, tabular_font, theme

_PAD, _GAP, _BAR_WIDTH = 12, 8, 8
_STALE_OPACITY = 0.55


class DecayBars(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self._theme, self._page = theme("light"), DecayPage()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Fidelity after each of several compactions"))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.update()

    def show_page(self, page: DecayPage) -> None:
        self._page = page
        self.setAccessibleDescription(" ".join(bar.tip for bar in page.bars))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(240, round(30 * self.fontInfo().pixelSize() / BODY))

    minimumSizeHint = sizeHint

    def _columns(self) -> list[QRectF]:
        font = resized_font(self.font(), SMALL)
        left = _PAD + QFontMetricsF(font).horizontalAdvance(self._label()) + 2 * _GAP
        column_width = (self.width() - _PAD - left) / max(1, self._page.total)
        return [
            QRectF(left + number * column_width, 0, column_width, self.height())
            for number in range(self._page.total)
        ]

    def _label(self) -> str:
        return tr("folded again")

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints the label, then bars on a base line with their figures beside them."""
        unit = self.fontInfo().pixelSize() / BODY
        painter = QPainter(self)
        painter.setOpacity(1.0 if self.isEnabled() else _STALE_OPACITY)
        painter.setFont(tabular_font(resized_font(self.font(), SMALL)))
        painter.setPen(self._theme.text2)
        middle = Qt.AlignmentFlag.AlignVCenter
        painter.drawText(QRectF(_PAD, 0, self.width(), self.height()), middle, self._label())
        baseline, max_height = self.height() - 4 * unit, self.height() - 8 * unit
        for number, column in enumerate(self._columns()):
            start, width = round(column.left()), round(_BAR_WIDTH * unit)
            painter.fillRect(QRectF(start, baseline - max_height, width, max_height), self._theme.free)
            painter.setPen(self._theme.hairline)
            painter.drawLine(QPointF(start, baseline + 0.5), QPointF(start + width, baseline + 0.5))
            if number < len(self._page.bars):
                bar = self._page.bars[number]
                height = 0 if bar.value is None else max(2, round(bar.value * max_height))
                painter.fillRect(
                    QRectF(start, baseline - height, width, height), status_colours(self._theme)[0]
                )
                label_box = column.adjusted(width + 3, 0, 0, 0)
                if painter.fontMetrics().horizontalAdvance(bar.label) <= label_box.width():
                    painter.setPen(self._theme.text)
                    painter.drawText(label_box, middle, bar.label)
        painter.end()

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() == QEvent.Type.ToolTip:
            QToolTip.showText(event.globalPos(), self.tip(event.pos().x()), self)
            return True
        return super().event(event)

    def tip(self, x: float) -> str:
        """Return what the compaction at ``x`` left, and how that was measured."""
        hit_tips = [
            bar.tip for bar, box in zip(self._page.bars, self._columns(), strict=False) if box.right() > x
        ]
        return "\n".join((*hit_tips[:1], self._page.note))


class DecayRow(QWidget):
    """A button, and after a click the bars with a way to cancel."""

    requested = Signal()
    cancelled = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.bars = DecayBars()
        self.start_button, self.cancel_button = (
            push_button(tr("Compact again and again…"), "link"),
            push_button(tr("Cancel"), "link"),
        )
        self._progress = ElidedLabel("", "secondary")
        self.start_button.setToolTip(
            tr("Compact the result again and again, to see what is left of the facts each time.")
        )
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        row = QHBoxLayout()
        row.setContentsMargins(_PAD, 0, _PAD, 0)
        row.setSpacing(_GAP)
        for part in (self.start_button, self._progress, self.cancel_button):
            row.addWidget(part)
        row.addStretch(1)
        column.addLayout(row)
        column.addWidget(self.bars)
        self.start_button.clicked.connect(self.requested)
        self.cancel_button.clicked.connect(self.cancelled)
        self.set_available(False)

    def set_theme(self, theme: Theme) -> None:
        self.bars.set_theme(theme)

    def set_available(self, is_available: bool) -> None:
        """Show the button, enabled if compacting again is possible."""
        self.setVisible(is_available)
        self.start_button.show()
        for part in (self._progress, self.cancel_button, self.bars):
            part.hide()

    def show_page(self, page: DecayPage, *, is_running: bool) -> None:
        """Show the compactions so far; ``is_running`` while more are computed."""
        self.bars.show_page(page)
        self.bars.setVisible(is_running or bool(page.bars))
        progress_text = tr("Folding {number} of {count}…").format(number=len(page.bars) + 1, count=page.total)
        self._progress.show_text(progress_text)
        for part in (self._progress, self.cancel_button):
            part.setVisible(is_running)
        self.start_button.setVisible(not is_running and not page.is_over)
