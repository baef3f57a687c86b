"""The lines above the rows of a list: its name and totals, and the column heads."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from gui.inspect.lists.column_layout import ColumnLayout, ListFonts, list_fonts
from gui.inspect.lists.painting import paint_right_text, paint_text
from gui.language import tr
from gui.widgets.theme import Theme, theme

HEADER_HEIGHT, COLUMN_HEADER_HEIGHT = 28, 20
"""Heights at body size 13 (ui.md section 2)."""
PAD = 10


class PaintedLine(QWidget):
    """A painted line of text that is elided if it does not fit."""

    def __init__(self, height: int, parent: QWidget) -> None:
        super().__init__(parent)
        self._height = height
        self.theme: Theme = theme("light")
        self.fonts: ListFonts = list_fonts(self.font())
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def set_theme(self, theme: Theme) -> None:
        self.theme = theme
        self.update()

    def sizeHint(self) -> QSize:
        """As wide as possible; the height follows the font."""
        return QSize(300, self.fonts.px(self._height))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.fonts = list_fonts(self.font())
            self.updateGeometry()

    def text_rect(self) -> QRect:
        return self.rect().adjusted(0, 0, 0, -1)

    def paint_background(self, painter: QPainter) -> None:
        painter.fillRect(self.rect(), self.theme.surface2)
        line_height = 2 if self.theme.high_contrast else 1
        painter.fillRect(0, self.height() - line_height, self.width(), line_height, self.theme.hairline)


class PaneHeader(PaintedLine):
    """Name of the list, its content, and its total at the right."""

    def __init__(self, title: str, *, strong_total: bool, parent: QWidget) -> None:
        super().__init__(HEADER_HEIGHT, parent)
        self._title = title
        self._is_total_bold = strong_total
        self._note = self._total = self._warning = ""

    def show_texts(self, note: str, total: str, warning: str = "") -> None:
        """Set the texts: ``note`` beside the title, ``warning`` in front of it in the warning tone."""
        self._note, self._total, self._warning = note, total, warning
        self.setAccessibleName(", ".join(part for part in (self._title, warning, note, total) if part))
        self.setToolTip(note)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.paint_background(painter)
        fonts, pad = self.fonts, self.fonts.px(PAD)
        face = fonts.bold if self._is_total_bold else fonts.body
        end = (
            paint_right_text(
                painter, self.text_rect(), face, self._total, self.theme.text, self.width() - pad
            )
            - pad
        )
        gap = self.fonts.px(8)
        left = paint_text(painter, self.text_rect(), fonts.bold, self._title, self.theme.text, pad, end) + gap
        if self._warning:
            left = (
                paint_text(painter, self.text_rect(), fonts.bold, self._warning, self.theme.warn, left, end)
                + gap
            )
        paint_text(painter, self.text_rect(), fonts.body, self._note, self.theme.text2, left, end)
        painter.end()


class ColumnHeader(PaintedLine):
    """The column heads, above the columns that the delegate laid out."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(COLUMN_HEADER_HEIGHT, parent)
        self._columns: ColumnLayout | None = None
        self._tokens = tr("tokens")
        self.setAccessibleName(tr("Columns: number, speaker, message, tokens"))

    def show_columns(self, columns: ColumnLayout, mark: str) -> None:
        """Follow the columns; ``mark`` says how the tokens were counted."""
        self._columns = columns
        self._tokens = tr("{tokens} tokens").format(tokens=mark).strip()
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        self.paint_background(painter)
        edges, face, colour = self._columns, self.fonts.legend, self.theme.text2
        if edges is not None:
            paint_right_text(painter, self.text_rect(), face, "#", colour, edges.number)
            if not edges.compact:
                paint_text(painter, self.text_rect(), face, tr("from"), colour, edges.speaker, edges.message)
            paint_text(
                painter, self.text_rect(), face, tr("message"), colour, edges.message, edges.message_end
            )
            left = paint_right_text(painter, self.text_rect(), face, self._tokens, colour, edges.tokens)
            if edges.tokens_before:
                paint_right_text(
                    painter,
                    self.text_rect(),
                    face,
                    tr("was"),
                    colour,
                    min(edges.tokens_before, left - self.fonts.px(8)),
                )
        painter.end()


class EmptyText(QWidget):
    """A sentence shown if a list has no messages, below its separator rows."""

    def __init__(self, text: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._text, self._colour = text, QColor()
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        self._colour = theme.text2
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(self._colour)
        flags = int(Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignTop | Qt.TextFlag.TextWordWrap)
        painter.drawText(self.rect().adjusted(24, self.height() // 3, -24, -8), flags, self._text)
        painter.end()
