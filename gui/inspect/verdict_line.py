"""The line below the toolbar that judges the result: size, messages, losses, price; each cell is a
button."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

from PySide6.QtCore import QEvent, QPoint, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QFont,
    QFontMetricsF,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import (
    QFrame,
    QGridLayout,
    QPushButton,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from core.common import number_format
from core.presentation.model import FATES, StatusPage
from core.presentation.verdict_model import (
    NO_VERDICT,
    FigurePage,
    Phrase,
    SizeGauge,
    SizePoint,
    Verdict,
    VerdictCell,
    plain_cell,
)
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.icons import paint_glyph
from gui.widgets.theme import (
    SECONDARY,
    SMALL,
    current_theme,
    resized_font,
    scaled_pixels,
    tabular_font,
)
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
            max(point.reported, point.calibrated, point.counted)
            for point in self._points
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
            painter.drawText(
                text, right, number_format.abbreviated(round(share * max_tokens))
            )
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
        grid = QGridLayout()
        title = text_label(tr(page.title), "strong")
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


HEIGHT = 30
_LEAST_SHARES = (0.27, 0.14, 0.22)
"""Of the line, for the first three cells: a short text moves no border."""
_GIVE_UP = (0, 3, 3, 3, 3, 1, 0, 2, 2, 2, 2, 2, 2, 0, 0, 0, 1, 2, 3)
"""The order in which cells go on to their next shorter form until all have room: the trigger, the
words of the price, those of the messages, exact numbers, units from the last to the second."""
_SHORT_BELOW = 1180
"""Pixels below which letters and gauge are smaller."""
_COMPACTED = VerdictCell(((("Compacted", "strong"),),), (), "ok")
_EXPORT_TIP = "Write the result to a file, to go on with it."
_BUSY_OPACITY = 0.6
_GAUGE, _SHORT_GAUGE, _GAUGE_HEIGHT = 120, 84, 8
_PADDING, _GAP, _GLYPH = 10, 10, 12
_NAMES = ("Size", "Messages", "Losses", "Price")
_REFUSED_TIP = "What the API refuses. Opens Checks."
_TIPS = (
    "Size of the next request, before and with the result. Opens its parts.",
    "What happens to the messages. Shows those that change.",
    "What the person and later turns would miss. Opens Losses.",
    "What the summary costs, and when it pays. Opens its parts.",
)


class CellButton(QPushButton):
    """One cell: paints the longest of its forms that fits."""

    def __init__(self, name: str, tip: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._name = tr(name)
        self._tip = tr(tip)
        self.cell = VerdictCell()
        self.gauge = SizeGauge()
        self.is_short, self.is_faded = False, False
        self.trailing = 0  # pixels behind the words
        self.setProperty("role", "cell")
        self.setAutoDefault(False)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.show_cell(self.cell)

    def show_cell(self, cell: VerdictCell, gauge: SizeGauge | None = None) -> None:
        self.cell, self.gauge = cell, gauge or self.gauge
        self.setAccessibleName(
            f"{self._name}: {tr(cell.text)}" if cell.text else self._name
        )
        self.setAccessibleDescription(" ".join(map(tr, cell.details)))
        self.setToolTip(
            "\n".join((tr(cell.text), *map(tr, cell.details), self._tip)).strip()
        )
        self.update()

    def show_tip(self, tip: str) -> None:
        """Say what a click on the cell opens."""
        self._tip = tr(tip)
        self.show_cell(self.cell)

    def show_faded(self, is_faded: bool) -> None:
        """Show an old value as such."""
        if is_faded != self.is_faded:
            self.is_faded = is_faded
            self.update()

    def visible_phrases(self) -> tuple[Phrase, ...]:
        """Return the longest form that fits, whole; the shortest where none does."""
        forms = self.cell.forms
        fits = (form for form in forms if self.width_of(form) <= self.width())
        return next(fits, forms[-1])

    def width_of(self, form: tuple[Phrase, ...]) -> int:
        """Return the pixels that a form needs in the cell."""
        words = sum(_width(phrase, self._fonts()) for phrase in form)
        gaps = _GAP * max(0, len(form) - 1)
        return (
            math.ceil(self._text_left() + words + gaps + _PADDING) + 1 + self.trailing
        )

    def _fonts(self) -> tuple[QFont, QFont]:
        size = SECONDARY if self.is_short else 13
        plain, strong = (
            tabular_font(resized_font(self.font(), size, bold=bold))
            for bold in (False, True)
        )
        return plain, strong

    def _gauge_width(self) -> int:
        if not (self.gauge.limit and self.gauge.now):
            return 0
        return scaled_pixels(_SHORT_GAUGE if self.is_short else _GAUGE, self.font())

    def _text_left(self) -> float:
        gauge = self._gauge_width()
        left = _PADDING + (gauge + _GAP if gauge else 0)
        return left + (scaled_pixels(_GLYPH, self.font()) + 5 if self.cell.glyph else 0)

    def paintEvent(self, event: QPaintEvent) -> None:
        theme = current_theme()
        painter = QPainter(self)
        painter.fillRect(
            self.rect(), theme.selection if self.underMouse() else theme.surface
        )
        painter.setOpacity(_BUSY_OPACITY if self.is_faded else 1.0)
        middle = self.height() / 2
        if gauge := self._gauge_width():
            height = scaled_pixels(_GAUGE_HEIGHT, self.font())
            paint_gauge(
                painter,
                self.gauge,
                QRectF(_PADDING, round(middle - height / 2), gauge, height),
            )
        left = self._text_left()
        if self.cell.glyph:
            size = scaled_pixels(_GLYPH, self.font())
            box = QRectF(left - size - 5, round(middle - size / 2), size, size)
            paint_glyph(painter, self.cell.glyph, box, _colour(self.cell.tone))
        self._paint_words(painter, left)
        painter.setOpacity(1.0)
        self._paint_frame(painter)

    def _paint_words(self, painter: QPainter, left: float) -> None:
        plain, strong = self._fonts()
        for phrase in self.visible_phrases():
            for text, style in phrase:
                font = plain if style in ("", "quiet") else strong
                painter.setFont(font)
                painter.setPen(_colour(style))
                box = QRectF(left, 0, self.width() - left, self.height())
                painter.drawText(
                    box,
                    Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft,
                    tr(text),
                )
                left += QFontMetricsF(font).horizontalAdvance(tr(text))
            left += _GAP

    def _paint_frame(self, painter: QPainter) -> None:
        theme = current_theme()
        painter.setPen(QPen(theme.hairline, 2 if theme.high_contrast else 1))
        painter.drawLine(self.width() - 1, 0, self.width() - 1, self.height())
        if self.hasFocus():
            painter.setPen(QPen(theme.accent_text, 2))
            painter.drawRect(self.rect().adjusted(1, 1, -2, -2))

    def enterEvent(self, event: QEvent) -> None:
        self.update()

    def leaveEvent(self, event: QEvent) -> None:
        self.update()


def _width(phrase: Phrase, fonts: tuple[QFont, QFont]) -> float:
    plain, strong = map(QFontMetricsF, fonts)
    fonts_of = (
        (plain if style in ("", "quiet") else strong, tr(text))
        for text, style in phrase
    )
    return sum(font.horizontalAdvance(text) for font, text in fonts_of)


def _colour(style: str) -> QColor:
    theme = current_theme()
    if style in FATES:
        return theme.fate_text[FATES.index(style)]
    if style == "quiet":
        return theme.text2
    return theme.tone(style)


def paint_gauge(painter: QPainter, gauge: SizeGauge, box: QRectF) -> None:
    """Paint the request against its limit: what no message holds hatched, the result solid, what is
    freed light, with ticks at trigger and limit."""
    theme = current_theme()
    total = max(gauge.limit or 0, gauge.now, gauge.after, 1)

    def part(start: int, end: int) -> QRectF:
        left, right = (box.left() + box.width() * at / total for at in (start, end))
        return QRectF(
            round(left), box.top(), max(1, round(right) - round(left)), box.height()
        )

    colour = {"ok": theme.ok, "warn": theme.warn, "error": theme.error}.get(
        gauge.tone, theme.text2
    )
    painter.fillRect(box, theme.free)
    if gauge.now > gauge.after:
        painter.fillRect(part(gauge.after, gauge.now), theme.kind[3])
    if gauge.after:
        painter.fillRect(part(0, gauge.after), colour)
    if gauge.overhead:
        system = part(0, min(gauge.overhead, gauge.after))
        painter.fillRect(system, theme.surface)
        painter.save()
        painter.setBrushOrigin(system.topLeft().toPoint())
        painter.setBrush(Qt.BrushStyle.BDiagPattern)
        painter.fillRect(system, painter.brush())
        painter.restore()
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(theme.control_border, 1))
    painter.drawRect(box.adjusted(0.5, 0.5, -0.5, -0.5))
    for at, ink in ((gauge.trigger, theme.warn), (gauge.limit, theme.text)):
        if at is not None and at <= total:
            x = min(box.left() + box.width() * at / total, box.right() - 1)
            painter.setPen(QPen(ink, 2))
            painter.drawLine(
                QPointF(round(x), box.top() - 4), QPointF(round(x), box.bottom() + 4)
            )


class VerdictLine(QFrame):
    """Four cells, each as wide as what it says. The signals ask for what a cell is about."""

    changes_requested = Signal()
    losses_requested = Signal()
    checks_requested = Signal()
    export_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Verdict"))
        self.setProperty("role", "head")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.cells = tuple(
            CellButton(name, tip, self) for name, tip in zip(_NAMES, _TIPS, strict=True)
        )
        self.size_cell, self.messages_cell, self.losses_cell, self.price_cell = (
            self.cells
        )
        self.export_button = push_button(
            tr("Export…  Ctrl E"), "small", tip=tr(_EXPORT_TIP)
        )
        self.export_button.setParent(self)
        self.export_button.clicked.connect(self.export_requested)
        self.export_button.hide()
        self._is_compacted = self._is_refused = False
        self._sizes = self._prices = FigurePage()
        self._is_busy = self._losses_are_old = self._awaits_losses = False
        self._kept_widths = [0, 0, 0]
        self._size = VerdictCell()
        self.size_cell.clicked.connect(self._on_size)
        self.messages_cell.clicked.connect(self.changes_requested)
        self.losses_cell.clicked.connect(self.losses_requested)
        self.price_cell.clicked.connect(self.show_prices)
        self._fit()

    def show_verdict(
        self, verdict: Verdict, *, is_first: bool = True, is_compacted: bool = False
    ) -> None:
        """Show the verdict on a preview. Losses of the former preview stay faded until those of the
        new one are known; the ``is_first`` of a file has none. Of one that ``is_compacted`` the
        price is paid: the next step stands there."""
        self._is_compacted = is_compacted
        self._size = verdict.size
        self.size_cell.show_cell(verdict.size, verdict.gauge)
        self._show_refused(False)
        self.messages_cell.show_cell(verdict.messages)
        self._show_price(verdict.price)
        self._losses_are_old, self._awaits_losses = not is_first, is_first
        if is_first:
            self.losses_cell.show_cell(verdict.losses)
            self._forget_widths()
        self._fit()
        self._fade()

    def show_losses(self, cell: VerdictCell) -> None:
        if self._awaits_losses:
            self._forget_widths()  # the file is still being opened: no border is kept yet
        self._losses_are_old = self._awaits_losses = False
        self.losses_cell.show_cell(cell)
        self._fit()
        self._fade()

    def show_status(self, page: StatusPage) -> None:
        """Show what is known once the result is checked: its price, and whether an API refuses
        it."""
        self._show_price(page.price)
        size = page.size or self._size
        self.size_cell.show_cell(size, replace(self.size_cell.gauge, tone=size.tone))
        self._show_refused(page.size is not None)
        self._sizes, self._prices = page.sizes, page.prices
        self._fit()

    def _show_refused(self, is_refused: bool) -> None:
        """Of a result that an API refuses, the first cell leads to the fault, not to the size."""
        self._is_refused = is_refused
        self.size_cell.show_tip(_REFUSED_TIP if is_refused else _TIPS[0])

    def _on_size(self) -> None:
        if self._is_refused:
            self.checks_requested.emit()
        else:
            self.show_sizes()

    def _show_price(self, cell: VerdictCell) -> None:
        if self._is_compacted:
            tip = (cell.text,) if cell.text else ()
            cell = replace(_COMPACTED, details=tip)
        button = self.export_button
        button.setVisible(self._is_compacted)
        if self._is_compacted:
            self.price_cell.trailing = button.sizeHint().width() + _GAP
        else:
            self.price_cell.trailing = 0
        self.price_cell.show_cell(cell)

    def clear(self, verdict: Verdict = NO_VERDICT) -> None:
        """Forget a closed transcript, or show how far the next one is read."""
        self._sizes = self._prices = FigurePage()
        self.show_verdict(verdict)

    def show_messages_so_far(self, text: str) -> None:
        """Say how many messages of a file are read."""
        self.messages_cell.show_cell(plain_cell(text))
        self._fit()

    def set_busy(self, is_busy: bool) -> None:
        self._is_busy = is_busy
        self._fade()

    def _fade(self) -> None:
        for cell in self.cells:
            cell.show_faded(
                self._is_busy or (cell is self.losses_cell and self._losses_are_old)
            )

    def show_sizes(self) -> FigurePopover | None:
        """Open the parts of the size; None while they are not known."""
        return self._open(self._sizes, self.size_cell)

    def show_prices(self) -> FigurePopover | None:
        return self._open(self._prices, self.price_cell)

    def _open(self, page: FigurePage, cell: CellButton) -> FigurePopover | None:
        if not (page.facts or page.notes):
            return None
        popover = FigurePopover(page, self)
        popover.show_below(cell)
        return popover

    def sizeHint(self) -> QSize:
        return QSize(600, scaled_pixels(HEIGHT, self.font()))

    def minimumSizeHint(self) -> QSize:
        return QSize(1, self.sizeHint().height())

    def _fit(self) -> None:
        """Give each cell what its words need. A cell keeps its width until the next file or size
        of the window, so that no state moves a border to the left."""
        height = scaled_pixels(HEIGHT, self.font())
        if self.minimumHeight() != height:
            self.setFixedHeight(height)
        is_short = self.width() < _SHORT_BELOW * scaled_pixels(1000, self.font()) / 1000
        for cell in self.cells:
            cell.is_short = is_short
        needed = self._needed_widths()
        kept = list(map(max, needed, (*self._kept_widths, 0)))
        if sum(kept) <= self.width():  # otherwise old widths would cost words
            needed = kept
        self._kept_widths = needed[:3]
        left = 0
        for cell, width in zip(self.cells, needed, strict=True):
            if cell is self.price_cell:
                right = self.width()
            else:
                right = left + width
            cell.setGeometry(left, 0, max(0, right - left), height - 1)
            left = right
        button, cell = self.export_button, self.price_cell
        size = button.sizeHint()
        words = cell.width_of(cell.visible_phrases()) - cell.trailing
        button.setGeometry(cell.x() + words, 2, size.width(), height - 5)

    def _needed_widths(self) -> list[int]:
        """Return the widths of the first forms, in the order of giving up, that have room."""
        forms = [cell.cell.forms for cell in self.cells]
        chosen = [0, 0, 0, 0]

        def widths() -> list[int]:
            return [
                cell.width_of(forms[index][chosen[index]])
                for index, cell in enumerate(self.cells)
            ]

        shortened: list[int] = []
        for index in _GIVE_UP:
            if sum(widths()) <= self.width():
                break
            if chosen[index] < len(forms[index]) - 1:
                chosen[index] += 1
                shortened.append(index)
        # The last step may have freed more than was needed: what fits comes back.
        for index in reversed(shortened):
            chosen[index] -= 1
            if sum(widths()) > self.width():
                chosen[index] += 1
        return widths()

    def _forget_widths(self) -> None:
        self._kept_widths = [round(share * self.width()) for share in _LEAST_SHARES]

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._forget_widths()
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._forget_widths()
            self._fit()
