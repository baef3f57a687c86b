"""A page of reasons: steps and sections with links."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from PySide6.QtCore import QEvent, QUrl, Signal
from PySide6.QtGui import QColor, QTextOption
from PySide6.QtWidgets import QTextBrowser

from core.presentation.inspector_model import TextSpan, WhyPage, WhySection, WhyStep
from core.presentation.model import LabelledFigure
from gui.widgets.theme import current_theme, mono_font


class PageView(QTextBrowser):
    """Tab goes from link to link, Enter follows one. Texts are escaped, never markup."""

    link_activated = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self._html = ""
        self.page: WhyPage | None = None
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setAccessibleName(name)
        self.setProperty("role", "reader")
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDocumentMargin(10)
        self.anchorClicked.connect(self._on_link)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.show_page(self.page)

    def show_page(self, page: WhyPage | None) -> None:
        """Show the steps and sections of a page; its title and sentence are shown above."""
        self.page = page
        html = "" if page is None else self._page_html(page)
        if html != self._html:
            place = self.verticalScrollBar().value()
            self._html = html
            self.setHtml(html)
            self.verticalScrollBar().setValue(place)

    def _page_html(self, page: WhyPage) -> str:
        parts = [self._step_html(step, page.fate) for step in page.steps]
        return "".join((*parts, *map(self._section_html, page.sections)))

    def _step_html(self, step: WhyStep, fate: int) -> str:
        dot = f'<span style="color:{_step_colour(step.tone, fate).name()}">●</span>'
        detail = f"<br>{self._muted(self._spans(step.detail))}" if step.detail else ""
        return f'<p style="margin:0 0 6px 0">{dot} {self._spans(step.title)}{detail}</p>'

    def _section_html(self, section: WhySection) -> str:
        parts = [
            f'<p style="margin:10px 0 3px 0">{self._muted(f"<b>{escape(section.title)}</b>")}</p>'
        ]
        if section.text:
            parts.append(f'<p style="margin:0">{self._spans(section.text)}</p>')
        if section.facts:
            rows = "".join(map(self._fact_html, section.facts))
            parts.append(f'<table width="100%" cellspacing="0" cellpadding="2">{rows}</table>')
        if section.mono:
            font = mono_font().family()
            parts.append(
                f'<pre style="white-space:pre-wrap;font-family:{font}">{escape(section.mono)}</pre>'
            )
        return "".join(parts)

    def _fact_html(self, fact: LabelledFigure) -> str:
        colour = (
            current_theme().tone(fact.tone).name() if fact.tone in ("ok", "warn", "error") else ""
        )
        style = f' style="color:{colour}"' if colour else ""
        label = self._muted(escape(fact.label))
        return f'<tr><td>{label}</td><td align="right"{style}>{escape(fact.value)}</td></tr>'

    def _muted(self, html: str) -> str:
        return f'<span style="color:{current_theme().text2.name()}">{html}</span>'

    def _spans(self, spans: Iterable[TextSpan]) -> str:
        accent = current_theme().accent_text.name()
        return "".join(
            f'<a href="{escape(span.link)}" style="color:{accent}">{escape(span.text)}</a>'
            if span.link
            else escape(span.text).replace("\n", "<br>")
            for span in spans
        )

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Load nothing: a page is text."""
        return None

    def _on_link(self, url: QUrl) -> None:
        self.link_activated.emit(url.toString())


def _step_colour(tone: str, fate: int) -> QColor:
    """Return the colour of a message's fate, or of the tone of a cut's step."""
    theme = current_theme()
    if tone == "error":
        return theme.error
    if 0 <= fate < len(theme.fate_text):
        return theme.fate_text[fate]
    return {"ok": theme.ok, "warn": theme.warn, "end": theme.text}.get(tone, theme.text3)
