"""Labels beyond Qt's: elided text, and text with links."""

from __future__ import annotations

from typing import Any

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QAbstractTextDocumentLayout,
    QColor,
    QFocusEvent,
    QFont,
    QFontMetrics,
    QFontMetricsF,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPalette,
    QPen,
    QResizeEvent,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextDocument,
    QTextLine,
    QTextOption,
)
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from core.presentation.inspector_model import TextSpan
from gui.widgets.events import is_enter
from gui.widgets.theme import BODY, current_theme, resized_font

_RING_WIDTH = 2.0
_LINE_HEIGHT = 18 / BODY
_DISABLED_OPACITY = 0.6
_PART_MARK = " · "


def tabular_feature() -> QFont:
    """Return a font that only sets figures of equal width; family and size stay inherited."""
    font = QFont()
    font.setFeature(QFont.Tag("tnum"), 1)
    return font


def set_style_property(widget: QWidget, name: str, value: str) -> None:
    """Set a dynamic property of the style sheet, and restyle if it changed."""
    if widget.property(name) != value:
        widget.setProperty(name, value)
        widget.style().unpolish(widget)
        widget.style().polish(widget)


def whole_parts(text: str, metrics: QFontMetrics | QFontMetricsF, room: float) -> str:
    """Return as many parts of a text, separated by " · ", as fit into ``room`` pixels, at least the
    first."""
    while _PART_MARK in text and metrics.horizontalAdvance(text) > room:
        text = text.rpartition(_PART_MARK)[0]
    return text


class ElidedLabel(QLabel):
    """One line of plain text; what does not fit is elided and shown in the tooltip.

    At least ``min_chars`` characters stay visible; with 0 of them a text is whole or not there. It
    may have a short form for narrow places; with ``drops_parts`` its last parts, separated by
    " · ", go whole.
    """

    def __init__(
        self,
        text: str = "",
        role: str = "",
        parent: QWidget | None = None,
        *,
        min_chars: int = 4,
        drops_parts: bool = False,
    ) -> None:
        super().__init__(parent)
        self._min_chars, self._drops_parts = min_chars, drops_parts
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setFont(tabular_feature())
        if role:
            self.setProperty("role", role)
        self._full_text, self._short_text, self._tip = "", "", ""
        self.show_text(text)

    @property
    def full_text(self) -> str:
        return self._full_text

    @property
    def is_elided(self) -> bool:
        return self.text() not in (self._full_text, self._short_text)

    def show_text(self, text: str, short: str = "") -> None:
        """Show another text; ``short`` is shown if it does not fit."""
        if (text, short) != (self._full_text, self._short_text):
            self._full_text, self._short_text = text, short
            self.setAccessibleName(text)
            self.updateGeometry()
        self._fit()

    def set_tip(self, tip: str) -> None:
        """Set the tooltip that is shown while nothing is elided."""
        self._tip = tip
        self._fit()

    def _fit(self) -> None:
        available = max(0, self.contentsRect().width())
        metrics = self.fontMetrics()
        if self._drops_parts:
            text = whole_parts(self._full_text, metrics, available)
        else:
            text = self._full_text
        elided = metrics.elidedText(text, Qt.TextElideMode.ElideRight, available)
        if self._short_text and elided != self._full_text:
            elided = metrics.elidedText(
                self._short_text, Qt.TextElideMode.ElideRight, available
            )
        if elided.endswith("…") and not self._min_chars:
            elided = ""
        if elided != self.text():
            self.setText(elided)
        if elided != self._full_text:
            parts = [self._full_text]
        else:
            parts = []
        self.setToolTip("\n".join([*parts, self._tip]).strip())

    def sizeHint(self) -> QSize:
        self.ensurePolished()
        margins = self.contentsMargins()
        width = (
            self.fontMetrics().horizontalAdvance(self._short_text or self._full_text)
            + 1
            + margins.left()
            + margins.right()
        )
        return QSize(width, super().sizeHint().height())

    def minimumSizeHint(self) -> QSize:
        min_width = self.fontMetrics().averageCharWidth() * self._min_chars
        return QSize(
            min(self.sizeHint().width(), min_width), super().minimumSizeHint().height()
        )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self.updateGeometry()


class SpanText(QWidget):
    """Plain text with links. Wraps anywhere if needed; Tab moves between links, Enter follows one.

    ``colour`` is a token of the theme, ``below`` the pixels of space under the text. Text is
    inserted as characters, never as markup.
    """

    link_activated = Signal(str)

    def __init__(self, size: int = BODY, colour: str = "text") -> None:
        super().__init__()
        self._size, self._colour = size, colour
        self._spans: tuple[TextSpan, ...] = ()
        self._links: list[tuple[int, int, str]] = []  # start, end, target
        self._focused_link = -1
        self._document = QTextDocument(self)
        self._document.setDocumentMargin(0)
        self._document.setUndoRedoEnabled(False)
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self._document.setDefaultTextOption(option)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setMouseTracking(True)

    @property
    def text(self) -> str:
        return "".join(span.text for span in self._spans)

    @property
    def links(self) -> tuple[str, ...]:
        """The targets, in order."""
        return tuple(target for _, _, target in self._links)

    def set_spans(self, spans: tuple[TextSpan, ...], colour: str = "") -> None:
        """Show other text, optionally in another token's colour."""
        if spans != self._spans or (colour and colour != self._colour):
            self._spans, self._colour = spans, colour or self._colour
            self._focused_link = -1
            self.setAccessibleName(self.text)
            self._fill()

    def _fill(self) -> None:
        self._document.clear()
        self._document.setDefaultFont(resized_font(self.font(), self._size))
        self._links = []
        cursor = QTextCursor(self._document)
        block_format = QTextBlockFormat()
        height = round(self._document.defaultFont().pixelSize() * _LINE_HEIGHT)
        block_format.setLineHeight(
            height, QTextBlockFormat.LineHeightTypes.FixedHeight.value
        )
        cursor.setBlockFormat(block_format)
        for span in self._spans:
            char_format = QTextCharFormat()
            if span.link:
                char_format.setForeground(current_theme().accent_text)
                char_format.setFontUnderline(True)
                char_format.setAnchor(True)
                char_format.setAnchorHref(span.link)
            start = cursor.position()
            cursor.insertText(span.text, char_format)
            if span.link:
                self._links.append((start, cursor.position(), span.link))
        if self._links:
            policy = Qt.FocusPolicy.StrongFocus
        else:
            policy = Qt.FocusPolicy.NoFocus
        self.setFocusPolicy(policy)
        self.updateGeometry()
        self.update()

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of the text wrapped at ``width`` pixels."""
        self._document.setTextWidth(max(1, width))
        return round(self._document.size().height() + 0.49)

    def sizeHint(self) -> QSize:
        """The text in one line, at most 240 pixels of it."""
        width = min(240, round(self._document.idealWidth()) + 1)
        return QSize(width, self.heightForWidth(max(width, self.width())))

    def minimumSizeHint(self) -> QSize:
        return QSize(24, self.fontMetrics().height())

    def _layout(self) -> QAbstractTextDocumentLayout:
        if round(self._document.textWidth()) != self.width():
            self._document.setTextWidth(max(1, self.width()))
        return self._document.documentLayout()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setOpacity(1.0 if self.isEnabled() else _DISABLED_OPACITY)
        context = QAbstractTextDocumentLayout.PaintContext()
        colour: QColor = getattr(current_theme(), self._colour)
        context.palette.setColor(QPalette.ColorRole.Text, colour)
        self._layout().draw(painter, context)
        if self.hasFocus() and 0 <= self._focused_link < len(self._links):
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(QPen(current_theme().accent_text, _RING_WIDTH))
            for rect in self.rects(self._focused_link):
                painter.drawRoundedRect(
                    rect.intersected(QRectF(self.rect()).adjusted(1, 1, -1, -1)), 3, 3
                )
        painter.end()

    def rects(self, link_number: int) -> list[QRectF]:
        start, end, _ = self._links[link_number]
        rects = []
        block = self._document.firstBlock()
        origin = self._layout().blockBoundingRect(block).topLeft()
        for line_number in range(block.layout().lineCount()):
            line = block.layout().lineAt(line_number)
            first = max(start, line.textStart())
            last = min(end, line.textStart() + line.textLength())
            if first < last:
                left = _cursor_x(line, first)
                right = _cursor_x(line, last)
                rect = QRectF(left, line.y(), right - left, line.height())
                rects.append(rect.translated(origin).adjusted(-2, -1, 2, 1))
        return rects

    def _link_at(self, position: QPointF) -> str:
        return self._layout().anchorAt(position)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        is_over_link = bool(self._link_at(event.position()))
        self.setCursor(
            Qt.CursorShape.PointingHandCursor
            if is_over_link
            else Qt.CursorShape.ArrowCursor
        )

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton and (
            target := self._link_at(event.position())
        ):
            self.link_activated.emit(target)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter follows the focused link, as the space bar does."""
        if (
            is_enter(event) or event.key() == Qt.Key.Key_Space
        ) and self._focused_link >= 0:
            self.link_activated.emit(self._links[self._focused_link][2])
            return
        super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Focuses the first link, or the last one coming backwards."""
        is_backwards = event.reason() == Qt.FocusReason.BacktabFocusReason
        if is_backwards:
            self._focused_link = len(self._links) - 1
        else:
            self._focused_link = 0
        self.update()
        super().focusInEvent(event)

    def focusNextPrevChild(self, next: bool) -> bool:
        place = self._focused_link + (1 if next else -1)
        if self.hasFocus() and 0 <= place < len(self._links):
            self._focused_link = place
            self.update()
            return True
        return super().focusNextPrevChild(next)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._fill()


def _cursor_x(line: QTextLine, position: int) -> float:
    """Return where a character begins; PySide also returns the position."""
    result: Any = line.cursorToX(position)
    return float(result[0] if isinstance(result, tuple) else result)
