"""The Why tab: what happened to a message or a cut, step by step, and related links."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent, QTextOption
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPlainTextEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from core.presentation.model import TextSpan, WhyPage, WhySection, WhyStep
from gui.language import tr
from gui.widgets.basic_widgets import text_label
from gui.widgets.figure_list import FigureList
from gui.widgets.icons import FATE_GLYPHS, glyph_pixmap
from gui.widgets.text_labels import ElidedLabel, SpanText
from gui.widgets.theme import BODY, SECONDARY, Theme, mono_font, resized_font, theme

_LEFT, _DOT_X, _RADIUS, _GAP = 24, 7.0, 3.6, 8


class StepWidget(QWidget):
    """One step: title, detail, and the dot with the line to the next."""

    link_activated = Signal(str)

    def __init__(self, step: WhyStep, colour: QColor, theme: Theme, *, is_last: bool) -> None:
        super().__init__()
        self._step, self._colour, self._theme, self._is_last = step, colour, theme, is_last
        column = QVBoxLayout(self)
        column.setContentsMargins(_LEFT, 0, 0, 0 if is_last else _GAP)
        column.setSpacing(0)
        self._title = SpanText()
        for text, spans in ((self._title, step.title), (SpanText(SECONDARY, "text2"), step.detail)):
            if spans:
                text.set_theme(theme)
                text.set_spans(spans)
                text.link_activated.connect(self.link_activated)
                column.addWidget(text)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paints rings for what was considered, a filled dot for the outcome."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        middle = QPointF(_DOT_X, self._title.y() + self._title.fontMetrics().height() / 2 + 1)
        if not self._is_last:
            painter.setPen(QPen(self._theme.control_border, 1))
            painter.drawLine(middle + QPointF(0, _RADIUS + 1), QPointF(_DOT_X, middle.y() + self.height()))
        painter.setPen(QPen(self._colour, 2))
        painter.setBrush(self._colour if self._step.tone == "end" else self._theme.surface)
        radius = _RADIUS
        painter.drawEllipse(QRectF(middle.x() - radius, middle.y() - radius, 2 * radius, 2 * radius))
        painter.end()


def step_colours(steps: Sequence[WhyStep], fate: int, theme: Theme) -> list[QColor]:
    """Return a colour per step: a message's have the colour of its fate, a cut's that of their tone."""
    return [_colour(step.tone, fate, theme) for step in steps]


def _colour(tone: str, fate: int, theme: Theme) -> QColor:
    if tone == "error":
        return theme.error
    if 0 <= fate < len(theme.fate_text):
        return theme.fate_text[fate]
    return {"ok": theme.ok, "warn": theme.warn, "end": theme.text}.get(tone, theme.text3)


_PAD, _MAX_LINES = 10, 14
_NOTHING_TEXT = "Nothing is selected. A click on a message or a cut says here why it is as it is."


class WhyTab(QScrollArea):
    """Shows one WhyPage; another page replaces it completely."""

    link_activated = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(tr("Why"))
        self.setProperty("role", "reader")
        self._theme = theme("light")
        self._page: WhyPage | None = None
        self._fill()

    @property
    def page(self) -> WhyPage | None:
        return self._page

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._fill()

    def show_page(self, page: WhyPage | None) -> None:
        """Show a page; None if nothing is selected."""
        if page != self._page:
            self._page = page
            self._fill()
            self.verticalScrollBar().setValue(0)

    def _fill(self) -> None:
        page, content = self._page, QWidget()
        content.setProperty("role", "pane")
        self._column = QVBoxLayout(content)
        self._column.setContentsMargins(0, 8, 0, 8)
        self._column.setSpacing(0)
        if page is None:
            self._add_widget(self._text((TextSpan(tr(_NOTHING_TEXT)),), SECONDARY, "text2"))
        else:
            self._fill_top(page)
            for section in page.sections:
                self._fill_section(section)
        self._column.addStretch(1)
        self.setWidget(content)

    def _fill_top(self, page: WhyPage) -> None:
        header = QHBoxLayout()
        header.setContentsMargins(_PAD, 2, _PAD, 2)
        header.setSpacing(6)
        is_message = 0 <= page.fate < len(FATE_GLYPHS)
        if is_message:
            glyph_label = QLabel()
            colour = self._theme.fate_text[page.fate]
            glyph_label.setPixmap(glyph_pixmap(FATE_GLYPHS[page.fate], colour, 12, self.devicePixelRatioF()))
            header.addWidget(glyph_label)
        header.addWidget(ElidedLabel(page.title, "strong"), 1)
        if page.note:
            header.addWidget(text_label(page.note, "muted"))
        self._column.addLayout(header)
        self._add_widget(
            self._text(page.sentence, *((BODY, "text") if is_message else (SECONDARY, "text2"))), 10
        )
        colours = step_colours(page.steps, page.fate, self._theme)
        for number, (step, colour) in enumerate(zip(page.steps, colours, strict=True), 1):
            step_widget = StepWidget(step, colour, self._theme, is_last=number == len(page.steps))
            step_widget.link_activated.connect(self.link_activated)
            self._add_widget(step_widget)

    def _fill_section(self, section: WhySection) -> None:
        rule = QFrame()
        rule.setProperty("role", "rule")
        self._column.addSpacing(10)
        self._column.addWidget(rule)
        self._column.addSpacing(9)
        self._add_widget(ElidedLabel(section.title, "group"), 5)
        if section.text:
            self._add_widget(self._text(section.text, SECONDARY, "text2"))
        if section.facts:
            facts = FigureList(indent=_PAD, row_height=24)
            facts.set_theme(self._theme)
            facts.show_facts(section.facts)
            self._add_widget(facts)
        if section.mono:
            self._add_widget(MonoText(section.mono, section.title))

    def _text(self, spans: tuple[TextSpan, ...], size: int, colour: str) -> SpanText:
        text = SpanText(size, colour)
        text.set_theme(self._theme)
        text.set_spans(spans)
        text.link_activated.connect(self.link_activated)
        return text

    def _add_widget(self, widget: QWidget, space_below: int = 0) -> None:
        row = QHBoxLayout()
        row.setContentsMargins(_PAD, 0, _PAD, space_below)
        row.addWidget(widget)
        self._column.addLayout(row)


class MonoText(QPlainTextEdit):
    """Code-like text of a section, wrapped anywhere, at most a few lines high."""

    def __init__(self, text: str, name: str) -> None:
        super().__init__()
        self.setReadOnly(True)
        self.setAccessibleName(name)
        self.setTabChangesFocus(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("role", "reader")
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.document().setDefaultFont(mono_font(size=resized_font(self.font(), SECONDARY).pixelSize()))
        self.document().setDocumentMargin(0)
        self.setPlainText(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        height, block, line_count = 0.0, self.document().firstBlock(), 0
        while block.isValid() and line_count < _MAX_LINES:
            height += self.blockBoundingRect(block).height()
            line_count += block.layout().lineCount()
            block = block.next()
        if self.height() != (fitted_height := round(height) + 6):
            self.setFixedHeight(fitted_height)
