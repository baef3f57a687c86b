"""A message by sentence: each beside what comes nearest to it in the result."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from PySide6.QtCore import QEvent, QUrl, Signal
from PySide6.QtGui import QColor, QResizeEvent, QTextOption
from PySide6.QtWidgets import QTextBrowser

from core.common.number_format import message_number
from core.presentation.inspector_model import SourceSentence, WordPart
from gui.language import tr
from gui.widgets.theme import current_theme, scaled_pixels

_STACKED_BELOW = 480
"""Pixels: a narrower view shows the nearest sentence below its own."""
_GLYPHS = {"gone": "✕", "nearest": "◐", "stands": "✓"}
_WORDS = {"gone": "gone", "nearest": "in part", "stands": "word for word"}


class SentenceView(QTextBrowser):
    """Missing sentences come first. Words that the nearest sentence lacks are underlined, words
    that only it has are shaded."""

    link_activated = Signal(str)

    def __init__(self) -> None:
        super().__init__()
        self._rows: Sequence[SourceSentence] = ()
        self._current = -1
        self._was_stacked = False
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setAccessibleName(tr("Sentences of the message"))
        self.setProperty("role", "reader")
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDocumentMargin(10)
        self.anchorClicked.connect(self._on_link)

    def show_rows(self, rows: Sequence[SourceSentence]) -> None:
        self._rows, self._current = rows, -1
        self._show()

    def show_missing(self, number: int) -> None:
        """Mark one of the missing sentences and bring it into sight."""
        self._current = number
        self._show()
        self.scrollToAnchor(f"missing-{number}")

    def _show(self) -> None:
        self._was_stacked = self._is_stacked()
        standing = sum(row.status == "stands" for row in self._rows)
        head = tr("<b>{standing} of {count}</b> word for word").format(
            standing=standing, count=len(self._rows)
        )
        lines = "".join(map(self._row_html, self._rows))
        if self._was_stacked:
            self.setHtml(f"<p>{head}</p><table width='100%' cellpadding='3'>{lines}</table>")
            return
        titles = "".join(
            f"<td width='{width}'><b>{title}</b></td>"
            for title, width in (
                ("", "4%"), (tr("Your sentence"), "44%"), (tr("Nearest in the result"), "52%"),
            )
        )  # fmt: skip
        table = f"<tr>{titles}</tr>{lines}"
        self.setHtml(f"<p>{head}</p><table width='100%' cellpadding='4'>{table}</table>")

    def _row_html(self, row: SourceSentence) -> str:
        theme = current_theme()
        colour = {"gone": theme.error, "nearest": theme.warn}.get(row.status, theme.ok)
        fill = theme.fate_fill[3] if 0 <= row.number == self._current else None
        background = f" bgcolor='{fill.name()}'" if fill is not None else ""
        word = escape(tr(_WORDS[row.status]))
        glyph = (
            f"<td><a name='missing-{row.number}'></a>"
            f"<span title='{word}' style='color:{colour.name()}'>{_GLYPHS[row.status]}</span></td>"
        )
        own = _parts_html(row.parts, missing=theme.error)
        if row.status == "stands":
            own = f"<span style='color:{theme.text2.name()}'>{own}</span>"
        nearest = self._nearest_html(row)
        if self._was_stacked:
            below = f"<br>{nearest}" if nearest else ""
            return f"<tr{background}>{glyph}<td>{own}{below}</td></tr>"
        return f"<tr{background}>{glyph}<td>{own}</td><td>{nearest}</td></tr>"

    def _nearest_html(self, row: SourceSentence) -> str:
        theme = current_theme()
        if row.status == "stands":
            return ""
        if not row.nearest:
            return f"<i style='color:{theme.text2.name()}'>{tr('nothing comes near')}</i>"
        text = _parts_html(row.nearest, added=theme.fate_fill[1])
        if row.result_index < 0:
            return text
        place = message_number(row.result_index)
        return f"{text} <a href='after:{row.result_index}'>{place}</a>"

    def _is_stacked(self) -> bool:
        return self.width() < scaled_pixels(_STACKED_BELOW, self.font())

    def _on_link(self, url: QUrl) -> None:
        self.link_activated.emit(url.toString())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._is_stacked() != self._was_stacked:
            self._show()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange):
            self._show()


def _parts_html(
    parts: Sequence[WordPart], *, missing: QColor | None = None, added: QColor | None = None
) -> str:
    """Return parts as markup; every text is escaped."""
    found = []
    for part in parts:
        text = escape(part.text)
        if part.differs and missing is not None:
            text = f"<u style='color:{missing.name()}'>{text}</u>"
        elif part.differs and added is not None:
            text = f"<span style='background-color:{added.name()}'>{text}</span>"
        found.append(text)
    return "".join(found)
