"""The popover of figures that a cell of the verdict opens."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QFrame, QGridLayout, QSizePolicy, QVBoxLayout, QWidget

from core.common import number_format
from core.presentation.verdict_model import FigurePage, SizePoint
from gui.language import tr
from gui.widgets.basic_widgets import text_label
from gui.widgets.theme import SMALL, current_theme, resized_font
from gui.widgets.view_layout import row_of

_PLOT = QSize(380, 130)
_GUTTER, _FOOT = 44, 4


class SizePlot(QWidget):
    """Three lines over the requests in order: reported, calibrated, counted."""

    def __init__(self, points: tuple[SizePoint, ...]) -> None:
        super().__init__()
        self._points = points
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(
            tr("Reported, calibrated and counted sizes of the requests, in order")
        )

    @property
    def lines(self) -> tuple[tuple[str, QColor, Callable[[SizePoint], int]], ...]:
        """Return name, colour and figure of each line; the reported one is on top."""
        theme = current_theme()
        return (
            (tr("counted"), theme.text3, lambda point: point.counted),
            (tr("calibrated"), theme.ok, lambda point: point.calibrated),
            (tr("reported"), theme.accent_text, lambda point: point.reported),
        )

    def sizeHint(self) -> QSize:
        return _PLOT

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setFont(resized_font(self.font(), SMALL))
        box = QRectF(_GUTTER, 6, self.width() - _GUTTER - 6, self.height() - 6 - _FOOT)
        max_tokens = max(
            max(point.reported, point.calibrated, point.counted) for point in self._points
        )
        self._axis(painter, box, max_tokens)
        for _, colour, figure in self.lines:
            line_points = [
                self._point(box, number, figure(point), max_tokens)
                for number, point in enumerate(self._points)
            ]
            painter.setPen(QPen(colour, 1.6))
            painter.drawPolyline(line_points)
            if len(line_points) == 1:
                painter.drawEllipse(line_points[0], 2, 2)

    def _axis(self, painter: QPainter, box: QRectF, max_tokens: int) -> None:
        theme = current_theme()
        painter.setPen(QPen(theme.text2, 1))
        for share in (0.0, 0.5, 1.0):
            y = box.bottom() - share * box.height()
            text = QRectF(0, y - 8, _GUTTER - 6, 16)
            right = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
            painter.drawText(text, right, number_format.abbreviated(round(share * max_tokens)))
        painter.setPen(QPen(theme.control_border, 1))
        painter.drawLine(box.bottomLeft(), box.bottomRight())
        painter.setPen(QPen(theme.control_border, 1, Qt.PenStyle.DotLine))
        for number, point in enumerate(self._points):
            if number and point.is_segment_start:
                x = self._point(box, number, 0, max_tokens).x()
                painter.drawLine(QPointF(x, box.top()), QPointF(x, box.bottom()))

    def _point(self, box: QRectF, number: int, tokens: int, max_tokens: int) -> QPointF:
        share = number / max(1, len(self._points) - 1)
        return QPointF(
            box.left() + share * box.width(),
            box.bottom() - tokens / max(1, max_tokens) * box.height(),
        )


class FigurePopover(QFrame):
    """Figures, perhaps with a plot of sizes, and notes. Closes on a click elsewhere or on
    Escape."""

    def __init__(self, page: FigurePage, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(tr(page.title))
        self.setFrameShape(QFrame.Shape.StyledPanel)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 12)
        grid, title = QGridLayout(), text_label(tr(page.title), "strong")
        column.addLayout(
            row_of(
                title,
                text_label(tr("tokens") if page.points else "", "secondary"),
                gap=6,
                stretched=title,
            )
        )
        for row, (name, text) in enumerate(page.facts):
            grid.addWidget(text_label(tr(name), "secondary"), row, 0)
            grid.addWidget(text_label(text), row, 1, Qt.AlignmentFlag.AlignRight)
        column.addLayout(grid)
        if page.points:
            self._add_plot(column, SizePlot(page.points))
        for sentence in page.notes:
            note = text_label(sentence, "secondary")
            note.setWordWrap(True)
            column.addWidget(note)

    def _add_plot(self, column: QVBoxLayout, plot: SizePlot) -> None:
        column.addWidget(plot)
        legend = row_of(gap=6)
        for name, colour, _ in reversed(plot.lines):
            stroke = text_label("━")
            stroke.setStyleSheet(f"color: {colour.name()};")
            legend.addWidget(stroke)
            legend.addWidget(text_label(name, "secondary"))
        legend.addStretch(1)
        column.addLayout(legend)

    def show_below(self, widget: QWidget) -> None:
        """Open right below a widget, inside the window."""
        self.adjustSize()
        window = widget.window()
        right = window.mapToGlobal(QPoint(window.width() - self.width(), 0)).x()
        corner = widget.mapToGlobal(QPoint(0, widget.height() + 2))
        self.move(max(0, min(corner.x(), right)), corner.y())
        self.show()
