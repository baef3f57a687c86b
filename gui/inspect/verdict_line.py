"""The line below the toolbar that judges the result: size, messages, losses, price; each cell is a
button."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QFrame, QPushButton, QSizePolicy, QWidget

from core.presentation.model import FATES
from core.presentation.verdict_model import (
    NO_VERDICT,
    FigurePage,
    Phrase,
    SizeGauge,
    Verdict,
    VerdictCell,
    plain_cell,
)
from gui.inspect.figure_popover import FigurePopover
from gui.language import tr
from gui.widgets.icons import paint_glyph
from gui.widgets.theme import SECONDARY, current_theme, resized_font, scaled_pixels, tabular_font

HEIGHT = 30
WIDTHS = ((1400, (560, 270, 250)), (1180, (500, 260, 230)), (0, (318, 168, 150)))
"""From which width of the line on the first three cells have which widths; the fourth takes the
rest."""
_SHORT_BELOW = 1180
"""Pixels below which the cells show their short forms."""
_BUSY_OPACITY = 0.6
_GAUGE, _SHORT_GAUGE, _GAUGE_HEIGHT = 120, 84, 8
_PADDING, _GAP, _GLYPH = 10, 10, 12
_NAMES = ("Size", "Messages", "Losses", "Price")
_TIPS = (
    "Size of the next request, before and with the result. Opens its parts.",
    "What happens to the messages. Shows those that change.",
    "What the person and later turns would miss. Opens Losses.",
    "What the summary costs, and when it pays. Opens its parts.",
)


class CellButton(QPushButton):
    """One cell: paints its phrases, as many as fit, in full or short forms."""

    def __init__(self, name: str, tip: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._name, self._tip = tr(name), tr(tip)
        self.cell, self.gauge = VerdictCell(), SizeGauge()
        self.is_short, self.is_faded = False, False
        self.setProperty("role", "cell")
        self.setAutoDefault(False)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.show_cell(self.cell)

    def show_cell(self, cell: VerdictCell, gauge: SizeGauge | None = None) -> None:
        self.cell, self.gauge = cell, gauge or self.gauge
        self.setAccessibleName(f"{self._name}: {tr(cell.text)}" if cell.text else self._name)
        self.setAccessibleDescription(" ".join(map(tr, cell.details)))
        self.setToolTip("\n".join((tr(cell.text), *map(tr, cell.details), self._tip)).strip())
        self.update()

    def show_faded(self, is_faded: bool) -> None:
        """Show an old value as such."""
        if is_faded != self.is_faded:
            self.is_faded = is_faded
            self.update()

    def shown_phrases(self) -> tuple[Phrase, ...]:
        """Return the phrases that fit, the first one always; the last of a plain sentence loses
        words. A title whose colon nothing would follow gives way to the short form."""
        room = self.width() - self._text_left() - _PADDING
        is_short = self.is_short and bool(self.cell.short)
        phrases = _fitting(self.cell.short if is_short else self.cell.phrases, room, self._fonts())
        is_whole = phrases[: self.cell.least] == self.cell.phrases[: self.cell.least]
        is_title_only = bool(phrases) and phrases[-1][-1][0].endswith(":")
        if not is_short and self.cell.short and (is_title_only or not is_whole):
            phrases = _fitting(self.cell.short, room, self._fonts())
        return phrases

    def _fonts(self) -> tuple[QFont, QFont]:
        size = SECONDARY if self.is_short else 13
        plain, strong = (
            tabular_font(resized_font(self.font(), size, bold=bold)) for bold in (False, True)
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
        theme, painter = current_theme(), QPainter(self)
        painter.fillRect(self.rect(), theme.selection if self.underMouse() else theme.surface)
        painter.setOpacity(_BUSY_OPACITY if self.is_faded else 1.0)
        middle = self.height() / 2
        if gauge := self._gauge_width():
            height = scaled_pixels(_GAUGE_HEIGHT, self.font())
            paint_gauge(
                painter, self.gauge, QRectF(_PADDING, round(middle - height / 2), gauge, height)
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
        for phrase in self.shown_phrases():
            for text, style in phrase:
                font = plain if style in ("", "quiet") else strong
                painter.setFont(font)
                painter.setPen(_colour(style))
                box = QRectF(left, 0, self.width() - left, self.height())
                painter.drawText(
                    box, Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignLeft, tr(text)
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


def _fitting(
    phrases: Sequence[Phrase], room: float, fonts: tuple[QFont, QFont]
) -> tuple[Phrase, ...]:
    """Return the first phrases that fit into ``room`` pixels; of the first one, and of a sentence,
    as many words as fit, of another one as many parts."""
    shown: list[Phrase] = []
    for number, phrase in enumerate(phrases):
        width = _width(phrase, fonts) + (_GAP if number else 0)
        if width <= room:
            shown.append(phrase)
            room -= width
            continue
        is_sentence = not number or (len(phrase) == 1 and phrase[0][1] != "quiet")
        room -= _GAP if number else 0
        shortened = (_shortened if is_sentence else _without_last_parts)(phrase, room, fonts)
        return (*shown, *([shortened] if shortened else []))
    return tuple(shown)


def _without_last_parts(phrase: Phrase, room: float, fonts: tuple[QFont, QFont]) -> Phrase:
    """Return the first parts of a phrase that fit; one that ends with a space goes with the next
    one."""
    lengths = [
        length
        for length in range(len(phrase) - 1, 0, -1)
        if not phrase[length - 1][0].endswith(" ")
    ]
    return next(
        (phrase[:length] for length in lengths if _width(phrase[:length], fonts) <= room), ()
    )


def _shortened(phrase: Phrase, room: float, fonts: tuple[QFont, QFont]) -> Phrase:
    """Return a phrase without its last words, nothing where no two words fit."""
    words = [(f"{word} ", style) for text, style in phrase for word in text.split()]
    for length in range(len(words) - 1, 1, -1):
        text, style = words[length - 1]
        candidate = (*words[: length - 1], (f"{text.rstrip()}…", style))
        if _width(candidate, fonts) <= room:
            return candidate
    return ()


def _width(phrase: Phrase, fonts: tuple[QFont, QFont]) -> float:
    plain, strong = map(QFontMetricsF, fonts)
    fonts_of = ((plain if style in ("", "quiet") else strong, tr(text)) for text, style in phrase)
    return sum(font.horizontalAdvance(text) for font, text in fonts_of)


def _colour(style: str) -> QColor:
    theme = current_theme()
    if style in FATES:
        return theme.fate_text[FATES.index(style)]
    return theme.text2 if style == "quiet" else theme.tone(style)


def paint_gauge(painter: QPainter, gauge: SizeGauge, box: QRectF) -> None:
    """Paint the request against its limit: what no message holds hatched, the result solid, what is
    freed light, with ticks at trigger and limit."""
    theme = current_theme()
    total = max(gauge.limit or 0, gauge.now, gauge.after, 1)

    def part(start: int, end: int) -> QRectF:
        left, right = (box.left() + box.width() * at / total for at in (start, end))
        return QRectF(round(left), box.top(), max(1, round(right) - round(left)), box.height())

    colour = {"ok": theme.ok, "warn": theme.warn, "error": theme.error}.get(gauge.tone, theme.text2)
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
            painter.drawLine(QPointF(round(x), box.top() - 4), QPointF(round(x), box.bottom() + 4))


class VerdictLine(QFrame):
    """Four cells of fixed width, whatever they say. The signals ask for what a cell is about."""

    changes_requested = Signal()
    losses_requested = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setAccessibleName(tr("Verdict"))
        self.setProperty("role", "head")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.cells = tuple(
            CellButton(name, tip, self) for name, tip in zip(_NAMES, _TIPS, strict=True)
        )
        self.size_cell, self.messages_cell, self.losses_cell, self.price_cell = self.cells
        self._sizes = self._prices = FigurePage()
        self._is_busy = self._losses_are_old = False
        self.size_cell.clicked.connect(self.show_sizes)
        self.messages_cell.clicked.connect(self.changes_requested)
        self.losses_cell.clicked.connect(self.losses_requested)
        self.price_cell.clicked.connect(self.show_prices)
        self._fit()

    def show_verdict(self, verdict: Verdict, *, is_first: bool = True) -> None:
        """Show the verdict on a preview. Losses of the former preview stay faded until those of the
        new one are known; the ``is_first`` of a file has none."""
        self.size_cell.show_cell(verdict.size, verdict.gauge)
        self.messages_cell.show_cell(verdict.messages)
        self.price_cell.show_cell(verdict.price)
        self._losses_are_old = not is_first
        if is_first:
            self.losses_cell.show_cell(verdict.losses)
        self._fade()

    def show_losses(self, cell: VerdictCell) -> None:
        self._losses_are_old = False
        self.losses_cell.show_cell(cell)
        self._fade()

    def show_price(self, cell: VerdictCell, sizes: FigurePage, prices: FigurePage) -> None:
        self.price_cell.show_cell(cell)
        self._sizes, self._prices = sizes, prices

    def clear(self, verdict: Verdict = NO_VERDICT) -> None:
        """Forget a closed transcript, or show how far the next one is read."""
        self._sizes = self._prices = FigurePage()
        self.show_verdict(verdict)

    def show_messages_so_far(self, text: str) -> None:
        """Say how many messages of a file are read."""
        self.messages_cell.show_cell(plain_cell(text))

    def set_busy(self, is_busy: bool) -> None:
        self._is_busy = is_busy
        self._fade()

    def _fade(self) -> None:
        for cell in self.cells:
            cell.show_faded(self._is_busy or (cell is self.losses_cell and self._losses_are_old))

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
        height = scaled_pixels(HEIGHT, self.font())
        if self.minimumHeight() != height:
            self.setFixedHeight(height)
        scale = scaled_pixels(1000, self.font()) / 1000
        widths = next(widths for start, widths in WIDTHS if self.width() >= start * scale)
        scale = min(scale, self.width() / (sum(widths) * 1.15))  # text at 200 % in a small window
        left, is_short = 0, self.width() < _SHORT_BELOW * scaled_pixels(1000, self.font()) / 1000
        for cell, width in zip(self.cells, (*widths, 0), strict=True):
            right = self.width() if cell is self.price_cell else left + round(width * scale)
            cell.is_short = is_short
            cell.setGeometry(left, 0, max(0, right - left), height - 1)
            left = right

    def resizeEvent(self, event: QResizeEvent) -> None:
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fit()
