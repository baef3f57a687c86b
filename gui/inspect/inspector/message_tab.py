"""The Message tab: fate and reasons of a message on top, below them its text or its JSON as in the
file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from PySide6.QtCore import QEvent, QPoint, QUrl, Signal
from PySide6.QtGui import (
    QAction,
    QColor,
    QMouseEvent,
    QResizeEvent,
    QTextOption,
    QTextTable,
)
from PySide6.QtWidgets import QApplication, QLabel, QMenu, QTextBrowser, QWidget

from core.common.number_format import message_number, size
from core.presentation.inspector_model import (
    MessageBody,
    MessageChanges,
    SourceSentence,
    TextSpan,
    WhyPage,
    WhySection,
    WhyStep,
    WordPart,
)
from core.presentation.model import INSERTED_CODE, KEPT, LabelledFigure
from gui.inspect.inspector.text_view import (
    MatchMarks,
    SentenceSelector,
    TextReader,
    TextRun,
    block_runs,
    change_runs,
    raw_runs,
    text_runs,
)
from gui.language import tr
from gui.widgets.basic_widgets import push_button, rule, text_label
from gui.widgets.events import drag_text
from gui.widgets.icons import FATE_GLYPHS, GlyphButton, glyph_pixmap
from gui.widgets.pickers import SegmentedControl
from gui.widgets.text_labels import ElidedLabel, SpanText
from gui.widgets.theme import (
    SECONDARY,
    current_theme,
    difference_tints,
    mono_font,
    scaled_pixels,
)
from gui.widgets.view_layout import column_of, fill_panel, panel_of, row_of


class ReaderView(QTextBrowser):
    """Text with links that the window follows itself. Tab goes from link to link, Enter follows
    one. It loads nothing; its subclasses escape every text, so none is markup."""

    link_activated = Signal(str)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setOpenLinks(False)
        self.setUndoRedoEnabled(False)
        self.setAccessibleName(name)
        self.setProperty("role", "reader")
        self.setWordWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.document().setDocumentMargin(10)
        self.anchorClicked.connect(self._on_link)

    def show_markup(self, html: str) -> None:
        self.setHtml(html)

    def loadResource(self, kind: int, name: QUrl | str) -> object:
        """Load nothing: a page is text."""
        return None

    def _on_link(self, url: QUrl) -> None:
        self.link_activated.emit(url.toString())


class PageView(ReaderView):
    """Steps and sections of a page of reasons."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._html = ""
        self.page: WhyPage | None = None

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.show_page(self.page)

    def show_page(self, page: WhyPage | None) -> None:
        """Show the steps and sections of a page; its title and sentence are shown above."""
        self.page = page
        if page is None:
            html = ""
        else:
            html = self._page_html(page)
        if html != self._html:
            place = self.verticalScrollBar().value()
            self._html = html
            self.show_markup(html)
            self.verticalScrollBar().setValue(place)

    def _page_html(self, page: WhyPage) -> str:
        parts = [self._step_html(step, page.fate) for step in page.steps]
        return "".join((*parts, *map(self._section_html, page.sections)))

    def _step_html(self, step: WhyStep, fate: int) -> str:
        dot = f'<span style="color:{_step_colour(step.tone, fate).name()}">●</span>'
        if step.detail:
            detail = f"<br>{self._muted(self._spans(step.detail))}"
        else:
            detail = ""
        return (
            f'<p style="margin:0 0 6px 0">{dot} {self._spans(step.title)}{detail}</p>'
        )

    def _section_html(self, section: WhySection) -> str:
        parts = [
            f'<p style="margin:10px 0 3px 0">{self._muted(f"<b>{escape(section.title)}</b>")}</p>'
        ]
        if section.text:
            parts.append(f'<p style="margin:0">{self._spans(section.text)}</p>')
        if section.facts:
            rows = "".join(map(self._fact_html, section.facts))
            parts.append(
                f'<table width="100%" cellspacing="0" cellpadding="2">{rows}</table>'
            )
        if section.mono:
            font = mono_font().family()
            parts.append(
                f'<pre style="white-space:pre-wrap;font-family:{font}">{escape(section.mono)}</pre>'
            )
        return "".join(parts)

    def _fact_html(self, fact: LabelledFigure) -> str:
        style = ""
        if fact.tone in ("ok", "warn", "error"):
            style = f' style="color:{current_theme().tone(fact.tone).name()}"'
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


def _step_colour(tone: str, fate: int) -> QColor:
    """Return the colour of a message's fate, or of the tone of a cut's step."""
    theme = current_theme()
    if tone == "error":
        return theme.error
    if 0 <= fate < len(theme.fate_text):
        return theme.fate_text[fate]
    return {"ok": theme.ok, "warn": theme.warn, "end": theme.text}.get(
        tone, theme.text3
    )


_STACKED_BELOW = 480
"""Pixels: a narrower view shows the nearest sentence below its own."""
_GLYPHS = {"gone": "✕", "nearest": "◐", "stands": "✓"}
_WORDS = {"gone": "gone", "nearest": "in part", "stands": "word for word"}


class SentenceView(ReaderView):
    """Missing sentences come first. Words that the nearest sentence lacks are underlined, words
    that only it has are shaded. A sentence is dragged by its glyph."""

    def __init__(self) -> None:
        super().__init__(tr("Sentences of the message"))
        self._rows: Sequence[SourceSentence] = ()
        self._pasted = ""
        self._current = -1
        self._was_stacked = False
        self._pressed: tuple[QPoint, str] | None = None  # on a glyph: its sentence

    def mousePressEvent(self, event: QMouseEvent) -> None:
        place = event.position().toPoint()
        text = self._sentence_of_glyph(place)
        self._pressed = (place, text) if text else None
        if self._pressed is None:
            super().mousePressEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._pressed is None:
            super().mouseMoveEvent(event)
            return
        start, text = self._pressed
        distance = (event.position().toPoint() - start).manhattanLength()
        if distance >= QApplication.startDragDistance():
            self._pressed = None
            drag_text(self, text)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._pressed = None
        super().mouseReleaseEvent(event)

    def _sentence_of_glyph(self, position: QPoint) -> str:
        """Return the sentence whose glyph is at a place, "" for none."""
        cursor = self.cursorForPosition(position)
        for table in self.document().rootFrame().childFrames():
            if not isinstance(table, QTextTable):
                continue
            cell = table.cellAt(cursor)
            number = cell.row() - (not self._was_stacked)  # below the titles
            if cell.column() == 0 and 0 <= number < len(self._rows):
                return _own_text(self._rows[number])
        return ""

    def _on_link(self, url: QUrl) -> None:
        """Follow a link; a sentence that is to be kept is told by its words."""
        kind, _, number = url.toString().partition(":")
        if kind == _KEEP:
            text = _own_text(self._rows[int(number)])
            self.link_activated.emit(f"{_KEEP}:{text}")
        else:
            super()._on_link(url)

    def show_rows(self, rows: Sequence[SourceSentence], pasted: str = "") -> None:
        """Show sentences, and below them what stands of pasted lines."""
        self._rows, self._pasted, self._current = rows, pasted, -1
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
        lines = "".join(map(self._row_html, range(len(self._rows))))
        colour = current_theme().text2.name()
        foot = f"<p align='right' style='color:{colour}'>{escape(self._pasted)}</p>"
        if not self._pasted:
            foot = ""
        if self._was_stacked:
            self.show_markup(
                f"<p>{head}</p><table width='100%' cellpadding='3'>{lines}</table>{foot}"
            )
            return
        titles = "".join(
            f"<td width='{width}'><b>{title}</b></td>"
            for title, width in (
                ("", "4%"), (tr("Your sentence"), "42%"),
                (tr("Nearest in the result"), "40%"), ("", "14%"),
            )
        )  # fmt: skip
        table = f"<tr>{titles}</tr>{lines}"
        self.show_markup(
            f"<p>{head}</p><table width='100%' cellpadding='4'>{table}</table>{foot}"
        )

    def _row_html(self, index: int) -> str:
        row = self._rows[index]
        theme = current_theme()
        colour = {"gone": theme.error, "nearest": theme.warn}.get(row.status, theme.ok)
        background = ""
        if 0 <= row.number == self._current:
            background = f" bgcolor='{theme.selection.name()}'"
        word = escape(tr(_WORDS[row.status]))
        glyph = (
            f"<td width='4%'><a name='missing-{row.number}'></a>"
            f"<span title='{word}' style='color:{colour.name()}'>{_GLYPHS[row.status]}</span></td>"
        )
        missing, _ = difference_tints()
        own = _parts_html(row.parts, missing, is_underlined=True)
        if row.status == "stands":
            own = f"<span style='color:{theme.text2.name()}'>{own}</span>"
        nearest = self._nearest_html(row)
        keep = ""
        if row.number >= 0:
            joint = " · " if self._was_stacked else "<br>"
            keep = f"{joint}<a href='{_KEEP}:{index}'>{tr('Must keep')}</a>"
        if self._was_stacked:
            below = f"<br>{nearest}" if nearest else ""
            return f"<tr{background}>{glyph}<td>{own}{below}{keep}</td></tr>"
        kind = f"<span style='color:{theme.text2.name()}'>{escape(tr(row.kind))}</span>"
        cells = f"<td>{own}</td><td>{nearest}</td><td align='right'>{kind}{keep}</td>"
        return f"<tr{background}>{glyph}{cells}</tr>"

    def _nearest_html(self, row: SourceSentence) -> str:
        theme = current_theme()
        if row.status == "stands":
            return ""
        if not row.nearest:
            return (
                f"<i style='color:{theme.text2.name()}'>{tr('nothing comes near')}</i>"
            )
        _, added = difference_tints()
        text = _parts_html(row.nearest, added)
        if row.result_index < 0:
            return text
        place = message_number(row.result_index)
        return f"{text} <a href='after:{row.result_index}'>{place}</a>"

    def _is_stacked(self) -> bool:
        return self.width() < scaled_pixels(_STACKED_BELOW, self.font())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self._is_stacked() != self._was_stacked:
            self._show()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() in (QEvent.Type.StyleChange, QEvent.Type.FontChange):
            self._show()


_KEEP = "keep"
"""The link that makes a sentence one that must be kept."""


def _own_text(row: SourceSentence) -> str:
    return "".join(part.text for part in row.parts).strip()


def _parts_html(
    parts: Sequence[WordPart], tint: QColor, *, is_underlined: bool = False
) -> str:
    """Return parts as markup, those that differ on a ground; every text is escaped."""
    tag = "u" if is_underlined else "span"
    found = []
    for part in parts:
        text = escape(part.text)
        if part.differs:
            text = f"<{tag} style='background-color:{tint.name()}'>{text}</{tag}>"
        found.append(text)
    return "".join(found)


_PAD = 12
_ROW_MARGINS = (_PAD, 3, _PAD, 3)
VIEWS = _CHANGED, _TEXT, _BLOCKS, _JSON = 0, 1, 2, 3
WHY_LINK = "why:"
"""The link behind the sentence on a message."""
_RESTORE_LINKS = ("put-back", "let-go")
"""Prefixes of links that restore a message in the result, and that undo it."""
_NOTHING = "A click on a message shows it here."


class MessageTab(QWidget):
    """Shows a message, or only the page of a cut, a run or a recorded compaction."""

    link_activated = Signal(str)
    pin_requested = Signal(str)  # "keep" or "drop"

    def __init__(self) -> None:
        super().__init__()
        self.body: MessageBody | None = None
        self.page: WhyPage | None = None
        self.changes: MessageChanges | None = (
            None  # of the shown message, once they are known
        )
        self._choice = (
            _CHANGED  # of the user; a message without changes shows its text instead
        )
        self._restore_link = ""
        self._missing = -1  # the missing sentence to show, once the sentences are known
        self._glyph = QLabel()
        self.title = ElidedLabel("", "strong")
        self._note = text_label("", "muted")
        self.sentence = SpanText()
        self.facts = SpanText(SECONDARY, "text2")
        self.restore_button = push_button("", "small")
        self.pin_button = push_button(tr("Pin…"), "small")
        self._shows_why = False  # step by step
        self.details = PageView(tr("Why, step by step"))
        self.views = SegmentedControl(
            (tr("What changed"), tr("Text"), tr("Blocks"), tr("JSON"))
        )
        self.views.set_dense(True)
        self.reader = TextReader(tr("Message"))
        self.sentence_view = SentenceView()
        self.matches, self.sentences = (
            MatchMarks(self.reader),
            SentenceSelector(self.reader),
        )
        copy_tip = tr("Copy the selected text, or all of the message")
        self.copy_button = GlyphButton("copy", tr("Copy"), tip=copy_tip)
        self._truncation_label = ElidedLabel("", "secondary")
        self.full_button = push_button("", "small")
        self.below_button = GlyphButton("below", tr("Put Message under the list"))
        self.beside_button = GlyphButton("beside", tr("Put Message beside the list"))
        self.beside_button.hide()
        self._build()
        self._connect()
        self.show_body(None)

    def _build(self) -> None:
        title = row_of(
            self._glyph,
            self.title,
            self._note,
            self.below_button,
            self.beside_button,
            margins=_ROW_MARGINS,
            gap=6,
            stretched=self.title,
        )
        texts = column_of(self.sentence, self.facts, margins=(_PAD, 0, _PAD, 4))
        buttons = (self.restore_button, self.pin_button, None, self.copy_button)
        self._buttons = panel_of(row_of(*buttons, margins=_ROW_MARGINS, gap=6))
        tools = (self.views, None)
        self._tools = panel_of(row_of(*tools, margins=_ROW_MARGINS, gap=2))
        cut = (self._truncation_label, self.full_button)
        self._truncation = panel_of(
            row_of(*cut, margins=_ROW_MARGINS, gap=6, stretched=cut[0])
        )
        above = (title, texts, self._buttons, self.details, rule(), self._tools)
        column = column_of(
            *above,
            self._truncation,
            self.reader,
            self.sentence_view,
            self.sentences,
            margins=(0, 10, 0, 0),
        )
        column.setStretchFactor(self.details, 2)
        column.setStretchFactor(self.reader, 3)
        column.setStretchFactor(self.sentence_view, 3)
        column.addStretch()
        fill_panel(self, "pane", column)

    def _connect(self) -> None:
        self.sentence.setToolTip(tr("Why shows step by step how this came about."))
        menu = QMenu(self)
        for text, kind in (
            (tr("Keep it (P)"), "keep"),
            (tr("Drop it first (Shift P)"), "drop"),
        ):
            menu.addAction(text).setData(kind)
        menu.triggered.connect(self._on_pin)
        self.pin_button.setMenu(menu)
        self.restore_button.clicked.connect(self._on_restore)
        self.views.chosen.connect(self._on_view)
        self.copy_button.clicked.connect(self._on_copy)
        for part in (self.sentence, self.details, self.sentences, self.sentence_view):
            part.link_activated.connect(self._on_link)

    def offer_other_pane(self, *, is_below: bool) -> None:
        """Offer the other place: under the list or beside it."""
        self.below_button.setHidden(is_below)
        self.beside_button.setHidden(not is_below)

    def show_body(self, body: MessageBody | None) -> None:
        """Show a message; None if nothing is selected. The same text keeps place and selection."""
        previous = self.body
        self.page = None if body is None else body.why
        if body is None or previous is None:
            self.body, self.changes, self._missing = body, None, -1
            self._show_head()
            self._show_text()
            return

        is_same_text = _same_text(previous, body)
        # The full text was asked for: a later, shorter answer does not replace it.
        keeps_text = is_same_text and _shows_less(body, previous)
        self.body = previous if keeps_text else body
        places = [(one.side, one.index, one.why) for one in (previous, body)]
        is_same_place = places[0] == places[1]
        if not is_same_place:
            self.changes, self._missing = None, -1
        self._show_head()
        is_same = is_same_place and is_same_text
        if not is_same or _shows_less(previous, body):
            self._show_text()

    def show_page(self, page: WhyPage) -> None:
        """Show the page of a cut, a run or a recorded compaction."""
        self.body, self.page = None, page
        self._show_head()
        self._show_text()

    def _show_head(self) -> None:
        page, body = self.page, self.body
        title, note = "", ""
        sentence: tuple[TextSpan, ...] = (TextSpan(tr(_NOTHING)),)
        fate = -1
        if page is not None:
            fate = page.fate
            title = page.title
            note = page.note
            sentence = page.sentence
        if page is not None and body is not None:
            sentence = (*sentence, TextSpan(" "), TextSpan(tr("Why"), WHY_LINK))

        # A summary is of nobody: whom it is written as is said with its facts alone.
        is_summary = fate == INSERTED_CODE
        if body is not None:
            speaker = body.speaker
        else:
            speaker = ""
        if speaker and not is_summary:
            title = " · ".join(filter(None, (title, speaker)))
        self._show_glyph(fate)
        self.title.show_text(title)
        self._note.setText(note)
        self.sentence.set_spans(sentence)
        self._show_facts(speaker if is_summary else "")
        self._show_buttons()
        self.details.show_page(page)
        self.details.setVisible(page is not None and (body is None or self._shows_why))

    def _show_glyph(self, fate: int) -> None:
        has_glyph = 0 <= fate < len(FATE_GLYPHS)
        self._glyph.setVisible(has_glyph)
        if has_glyph:
            colour = current_theme().fate_text[fate]
            ratio = self.devicePixelRatioF()
            self._glyph.setPixmap(glyph_pixmap(FATE_GLYPHS[fate], colour, 12, ratio))

    def _show_facts(self, written_as: str) -> None:
        """Show what is known of the message, behind it its role; all of it in the tooltip."""
        body = self.body
        if body is None:
            self.facts.set_spans((TextSpan(""),))
            self.facts.setToolTip("")
            return
        facts = {fact.label: fact.value for fact in body.facts}
        shown = [
            value for label, value in facts.items() if label not in ("tokens", "id")
        ]
        if written_as:
            role = f"{body.raw_title} as {written_as}"
        else:
            role = body.raw_title
        self.facts.set_spans((TextSpan(" · ".join((*shown, role))),))
        self.facts.setToolTip(
            "\n".join(f"{label} {value}" for label, value in facts.items())
        )

    def _show_buttons(self) -> None:
        page, body = self.page, self.body
        if page is not None:
            spans = [span for section in page.sections for span in section.text]
        else:
            spans = []
        links = [
            span for span in spans if span.link.partition(":")[0] in _RESTORE_LINKS
        ]
        if links:
            self._restore_link = links[0].link
        else:
            self._restore_link = ""
        self.restore_button.setText(links[0].text if links else "")
        self.restore_button.setVisible(bool(links))
        self._buttons.setVisible(body is not None)
        for part in (self._tools, self.facts):
            part.setVisible(body is not None)

    def show_changes(self, changes: MessageChanges) -> None:
        """Show what became of the shown message."""
        if self.body is not None and (self.body.side, self.body.index) == (
            "before",
            changes.index,
        ):
            is_same = changes == self.changes
            self.changes = changes
            if not is_same:
                self._show_text()

    @property
    def can_change(self) -> bool:
        """True if the shown message is one of the source that did not stay as it was."""
        body = self.body
        return body is not None and body.side == "before" and body.why.fate > KEPT

    def _on_view(self, view: int) -> None:
        self._choice = view
        self._show_text()

    def _shown_view(self) -> int:
        if self._choice == _CHANGED and not self.can_change:
            return _TEXT
        if self.body is None or self.body.raw:
            return self._choice
        return min(self._choice, _BLOCKS)

    @property
    def shows_sentences(self) -> bool:
        """True while the first view is that of the sentences of prose."""
        return bool(self.changes is not None and self.changes.sentences)

    def show_missing(self, number: int) -> None:
        """Show one of the sentences of the message that do not stand."""
        self._choice, self._missing = _CHANGED, number
        self._show_text()

    def _show_text(self) -> None:
        body = self.body
        view = self._shown_view()
        by_sentence = view == _CHANGED and self.shows_sentences and body is not None
        self.sentence_view.setVisible(by_sentence)
        self.reader.setVisible(body is not None and not by_sentence)
        self._fit()
        if by_sentence and self.changes is not None:
            self.sentence_view.show_rows(self.changes.sentences, self.changes.pasted)
            if self._missing >= 0:
                self.sentence_view.show_missing(self._missing)
        self.views.buttons[_JSON].setEnabled(body is not None and bool(body.raw))
        self.views.buttons[_CHANGED].setEnabled(self.can_change)
        self.views.show_choice(view)
        self.reader.set_wrapped(view != _JSON)
        self.reader.show_runs(self._runs(view))
        self._show_truncation(view)

    def _runs(self, view: int) -> Sequence[TextRun]:
        body = self.body
        font = self.font()
        if body is None:
            return ()
        if view == _CHANGED and self.changes is not None:
            return change_runs(self.changes, font)
        if view == _JSON:
            return raw_runs(body.raw, font)
        if view == _BLOCKS:
            return block_runs(body, font)
        return text_runs(body, font)

    def _show_truncation(self, view: int) -> None:
        body = self.body
        blocks = body.blocks if body is not None else ()
        shown = sum(block.displayed_length for block in blocks)
        total = sum(block.total for block in blocks)
        if view == _JSON and body is not None:
            shown = len(body.raw)
            total = body.raw_total
        self._truncation.setVisible(shown < total and view != _CHANGED)
        self._truncation_label.show_text(
            tr("{shown} of {total} are shown.").format(
                shown=size(shown), total=size(total)
            )
        )
        self.full_button.setText(tr("Show all {total}").format(total=size(total)))

    def _on_pin(self, action: QAction) -> None:
        self.pin_requested.emit(action.data())

    def show_why(self, is_shown: bool) -> None:
        """Show or hide how the fate came about, step by step."""
        self._shows_why = is_shown
        self.details.setVisible(
            self.page is not None and (self.body is None or is_shown)
        )

    def _on_link(self, link: str) -> None:
        if link == WHY_LINK:
            self.show_why(not self._shows_why)
        else:
            self.link_activated.emit(link)

    def _on_restore(self) -> None:
        self.link_activated.emit(self._restore_link)

    def _on_copy(self) -> None:
        if self.reader.textCursor().hasSelection():
            self.reader.copy()
        elif self.body is not None:
            QApplication.clipboard().setText(
                "\n\n".join(item.text for item in self.body.blocks if item.text)
            )

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        """Shorten the first view's name where the row is too narrow for it."""
        button = self.views.buttons[_CHANGED]
        names = (tr("What changed"), tr("Changed"))
        if self.shows_sentences:
            names = (tr("Sentences"), tr("Sentences"))
        for text in names:
            button.setText(text)
            if self.views.sizeHint().width() + 2 * _PAD <= self.width():
                return

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self._fit()
        if event.type() == QEvent.Type.StyleChange:
            self._show_head()
        if (
            event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange)
            and self.body is not None
        ):
            self._show_text()


def _same_text(old: MessageBody, new: MessageBody) -> bool:
    """Return whether both are the same message, one perhaps with more of its text."""
    if (old.blocks, old.raw) == (new.blocks, new.raw):
        return True
    identities = [
        (body.side, body.index, body.raw_title, body.raw_total) for body in (old, new)
    ]
    sizes = [
        [(block.kind, block.total) for block in body.blocks] for body in (old, new)
    ]
    return bool(new.raw) and identities[0] == identities[1] and sizes[0] == sizes[1]


def _shows_less(first: MessageBody, second: MessageBody) -> bool:
    shown = [
        sum(block.displayed_length for block in body.blocks) + len(body.raw)
        for body in (first, second)
    ]
    return shown[0] < shown[1]
