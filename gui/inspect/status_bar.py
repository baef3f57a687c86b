"""The status bar, and the popover of sizes that its number opens."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QPoint, QPointF, QRectF, QSize, Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QPushButton,
    QSizePolicy,
    QStatusBar,
    QVBoxLayout,
    QWidget,
)

from core.common import number_format
from core.presentation.model import SizePage, SizePoint, StatusPart
from gui.language import tr
from gui.widgets.accessibility import announce_text
from gui.widgets.basic_widgets import text_label
from gui.widgets.icons import ToneLabel
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import SMALL, current_theme, resized_font, scaled_pixels
from gui.widgets.view_layout import panel_of, remove_widget, row_of

_PLOT = QSize(380, 130)
_GUTTER, _FOOT = 44, 4


class SizeButton(QPushButton):
    """The text of the status bar that opens the popover."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setProperty("role", "status")
        self.setCursor(Qt.CursorShape.PointingHandCursor)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    def show_text(self, text: str, tone: str = "", **_: bool) -> None:
        self.setText(text)


class SizePlot(QWidget):
    """Three lines over the requests in order: reported, calibrated, counted."""

    def __init__(self, points: tuple[SizePoint, ...]) -> None:
        super().__init__()
        self._points = points
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName(tr("Reported, calibrated and counted sizes of the requests, in order"))

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
        max_tokens = max(max(point.reported, point.calibrated, point.counted) for point in self._points)
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
            box.left() + share * box.width(), box.bottom() - tokens / max(1, max_tokens) * box.height()
        )


class SizePopover(QFrame):
    """Closes on a click elsewhere or on Escape."""

    def __init__(self, page: SizePage, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setAccessibleName(tr(page.title))
        self.setFrameShape(QFrame.Shape.StyledPanel)
        column = QVBoxLayout(self)
        column.setContentsMargins(14, 12, 14, 12)
        grid, title = QGridLayout(), text_label(tr(page.title), "strong")
        column.addLayout(row_of(title, text_label(tr("tokens"), "secondary"), gap=6, stretched=title))
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

    def show_above(self, widget: QWidget) -> None:
        """Open right above a widget."""
        self.adjustSize()
        self.move(widget.mapToGlobal(QPoint(0, -self.height() - 4)))
        self.show()


NARROW = 1400
"""Below this many pixels the optional texts are hidden."""
ANNOUNCEMENT_MS = 6000
"""Duration of an announcement."""
_MARGIN, _GAP = 12, 16


def _label_kind(part: StatusPart) -> str:
    return f"{part.side}{' sizes' if part.sizes is not None else ''}"


class StatusBar(QStatusBar):
    def __init__(self) -> None:
        super().__init__()
        self.setSizeGripEnabled(False)
        self._parts: tuple[StatusPart, ...] = ()
        self._labels: list[ToneLabel | SizeButton] = []
        self.announcement = ElidedLabel("", "secondary")
        self.announcement.hide()
        self._row = row_of(self.announcement, None, margins=(_MARGIN, 0, _MARGIN, 0), gap=_GAP)
        self._announcement_timer = QTimer(self, singleShot=True, interval=ANNOUNCEMENT_MS)
        self._announcement_timer.timeout.connect(self._hide_announcement)
        self.addWidget(panel_of(self._row), 1)

    def show_parts(self, parts: tuple[StatusPart, ...]) -> None:
        self._parts = parts
        if [_label_kind(part) for part in parts] != [label.property("shape") for label in self._labels]:
            self._rebuild()
        for part, label in zip(parts, self._labels, strict=True):
            is_share = part.text.startswith("[ctx")
            label.show_text(part.text, part.tone, bold=is_share, with_glyph=not is_share)
            label.setToolTip(part.tip)
        self._fit()

    def show_sizes(self) -> SizePopover | None:
        """Open the popover of the part that has sizes; return None if none has."""
        for part, label in zip(self._parts, self._labels, strict=True):
            if part.sizes is not None:
                popover = SizePopover(part.sizes, self)
                popover.show_above(label)
                return popover
        return None

    def announce(self, text: str) -> None:
        """Show for a while what a key has done; a screen reader says it too."""
        self.announcement.show_text(text)
        self.announcement.show()
        self._announcement_timer.start()
        self._fit()
        announce_text(self, text)

    def _hide_announcement(self) -> None:
        self.announcement.hide()
        self._fit()

    def _rebuild(self) -> None:
        for label in self._labels:
            remove_widget(self._row, label)
        self._labels = []
        position = 0
        for part in self._parts:
            label = SizeButton(self) if part.sizes is not None else ToneLabel(self)
            label.setProperty("shape", _label_kind(part))
            if isinstance(label, SizeButton):
                label.clicked.connect(self.show_sizes)
            if part.side == "left":
                self._row.insertWidget(position, label)
                position += 1
            else:
                self._row.addWidget(label)
            self._labels.append(label)

    def _fit(self) -> None:
        """Hide the optional texts in a narrow window, then from the right those that do not fit."""
        is_shown = [
            not part.optional or self.width() >= scaled_pixels(NARROW, self.font()) for part in self._parts
        ]
        widths = [label.sizeHint().width() + _GAP for label in self._labels]
        available = self.width() - 2 * _MARGIN
        if not self.announcement.isHidden():
            available -= self.announcement.sizeHint().width() + _GAP
        for number in reversed(range(1, len(widths))):
            if (
                sum(width for width, is_label_shown in zip(widths, is_shown, strict=True) if is_label_shown)
                > available
            ):
                is_shown[number] = False
        for label, is_label_shown in zip(self._labels, is_shown, strict=True):
            label.setVisible(is_label_shown)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()
