"""The Message tab: facts, text of all blocks, find, and the message's JSON as in the file."""

from __future__ import annotations

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtWidgets import (
    QApplication,
    QCheckBox,
    QFrame,
    QHBoxLayout,
    QVBoxLayout,
    QWidget,
)

from core.common.number_format import size
from core.presentation.model import MessageBody, TextSpan
from gui.inspect.inspector.block_layout import block_runs, raw_runs
from gui.inspect.inspector.find_bar import FindBar
from gui.inspect.inspector.sentence_sources import SentenceSelector
from gui.inspect.inspector.text_view import TextReader
from gui.language import tr
from gui.widgets.basic_widgets import push_button
from gui.widgets.icons import glyph_icon
from gui.widgets.text_labels import ElidedLabel, SpanText
from gui.widgets.theme import SECONDARY, Theme, theme
from gui.widgets.toned_label import set_glyph

_PAD = 12
_NOTHING_TEXT = "Nothing is selected. A click on a message shows it here."


class MessageTab(QWidget):
    """Shows one MessageBody. Unchanged parts are not updated, so that scrolling and selection stay."""

    full_text_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "pane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._theme = theme("light")
        self._body: MessageBody | None = None
        self._shown_raw = ""
        self._chevron_state: tuple[str, Theme] | None = None  # glyph name and theme of the chevron
        self._title, self._facts = ElidedLabel("", "strong"), SpanText(SECONDARY, "text2")
        self._truncation_label = ElidedLabel("", "secondary")
        self._full_text_button, self._full_source_button = push_button("", "small"), push_button("", "small")
        self._reader, self._source_reader = TextReader(tr("Message")), TextReader(tr("Source"))
        self._find_bar, self.sentences = FindBar(self._reader), SentenceSelector(self._reader)
        self._wrap = QCheckBox(tr("Wrap"))
        self._copy_button, self._find_button = (
            push_button(tr("Copy"), "small"),
            push_button(tr("Find"), "small"),
        )
        self._chevron, self._raw_title = push_button(tr("Source"), "flat"), ElidedLabel("", "quiet")
        self._build()
        self._connect()
        self._show_all()

    def _build(self) -> None:
        self._truncation_bar, self._footer, self._source_header = QWidget(), QWidget(), QWidget()
        _row(self._truncation_bar, (self._truncation_label, self._full_text_button), 4, stretch=0)
        _row(self._footer, (self._wrap, self._find_button, self._copy_button), 6, stretch=0)
        _row(self._source_header, (self._chevron, self._raw_title, self._full_source_button), 4, stretch=1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 10, 0, 0)
        column.setSpacing(0)
        top = QVBoxLayout()
        top.setContentsMargins(_PAD, 0, _PAD, 6)
        top.setSpacing(2)
        top.addWidget(self._title)
        top.addWidget(self._facts)
        column.addLayout(top)
        for widget, stretch in (
            (self._find_bar, 0),
            (self._truncation_bar, 0),
            (_rule(), 0),
            (self._reader, 3),
            (self.sentences, 0),
            (_rule(), 0),
            (self._footer, 0),
            (_rule(), 0),
            (self._source_header, 0),
            (self._source_reader, 2),
        ):
            column.addWidget(widget, stretch)
        self._find_bar.hide()
        self._source_reader.hide()

    def _connect(self) -> None:
        self._wrap.setChecked(True)
        self._wrap.setToolTip(tr("Wrap long lines at the width of the panel"))
        self._copy_button.setToolTip(tr("Copy the selected text, or all of the message"))
        self._find_button.setToolTip(tr("Find in message (Ctrl F)"))
        self._chevron.setCheckable(True)
        self._chevron.setToolTip(tr("Show the JSON as the file has it"))
        self._wrap.toggled.connect(self._reader.set_wrapped)
        self._wrap.toggled.connect(self._source_reader.set_wrapped)
        self._copy_button.clicked.connect(self._on_copy)
        self._find_button.clicked.connect(self.find_text)
        self._chevron.toggled.connect(self._on_source)
        self._full_text_button.clicked.connect(self._on_full_text)
        self._full_source_button.clicked.connect(self._on_full_text)
        self._reader.filled.connect(self._find_bar.search)

    @property
    def body(self) -> MessageBody | None:
        return self._body

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for widget in (self._facts, self._find_bar, self.sentences):
            widget.set_theme(theme)
        for reader in (self._reader, self._source_reader):
            reader.set_hairline(theme.hairline)
        for button, glyph_name in ((self._copy_button, "copy"), (self._find_button, "search")):
            set_glyph(button, glyph_name, theme.text2, theme.text3)
        self._show_all()

    def show_body(self, body: MessageBody | None) -> None:
        """Show a message; None if nothing is selected."""
        previous, self._body = self._body, body
        if previous is not None and body is not None and _same_text(previous, body):
            if not _shows_less(body, previous):
                self._show_head()
                return
            self._body = previous  # the full text was requested; a later, shorter answer does not replace it
            return
        self.sentences.show_page(None)
        self._show_all()

    def find_text(self) -> None:
        if self._body is not None:
            self._find_bar.open_bar()

    def _show_all(self) -> None:
        self._show_head()
        body, font = self._body, self.font()
        self._reader.show_runs(block_runs(body, font, self._theme) if body is not None else ())
        self._shown_raw = ""
        self._show_raw()

    def _show_head(self) -> None:
        body = self._body
        self._title.setVisible(body is not None)
        self._footer.setEnabled(body is not None)
        self._source_header.setVisible(body is not None)
        if body is None:
            self._facts.set_spans((TextSpan(tr(_NOTHING_TEXT)),))
            self._truncation_bar.hide()
            return
        self._title.show_text(body.title)
        text = " · ".join(f"{fact.label} {fact.value}" for fact in body.facts)
        self._facts.set_spans((TextSpan(text),))
        self._raw_title.show_text(body.raw_title)
        self._chevron.setEnabled(bool(body.raw))
        self._show_truncation(body)

    def _show_truncation(self, body: MessageBody) -> None:
        shown_chars, total_chars = (
            sum(block.shown_length for block in body.blocks),
            sum(block.total for block in body.blocks),
        )
        self._truncation_bar.setVisible(shown_chars < total_chars)
        self._truncation_label.show_text(
            tr("{shown} of {total} are shown.").format(shown=size(shown_chars), total=size(total_chars))
        )
        self._full_text_button.setText(tr("Show all {total}").format(total=size(total_chars)))
        is_source_cut = shown_chars == total_chars and len(body.raw) < body.raw_total
        self._full_source_button.setVisible(is_source_cut and self._chevron.isChecked())
        self._full_source_button.setText(tr("Show all {total}").format(total=size(body.raw_total)))

    def _show_raw(self) -> None:
        """The JSON is only inserted while it is visible."""
        glyph = "chevron-down" if self._chevron.isChecked() else "chevron"
        # painting the glyph takes longer than the rest of this method
        if self._chevron_state != (glyph, self._theme):
            self._chevron_state = glyph, self._theme
            self._chevron.setIcon(glyph_icon(glyph, self._theme.text2, disabled=self._theme.hairline))
        raw = self._body.raw if self._body is not None else ""
        self._source_reader.setVisible(self._chevron.isChecked() and bool(raw))
        if self._source_reader.isVisibleTo(self) and raw != self._shown_raw:
            self._shown_raw = raw
            self._source_reader.show_runs(raw_runs(raw, self.font(), self._theme))

    def _on_source(self) -> None:
        if self._body is not None:
            self._show_truncation(self._body)
        self._show_raw()

    def _on_full_text(self) -> None:
        if self._body is not None:
            self.full_text_requested.emit()

    def _on_copy(self) -> None:
        selected_reader = next(
            (item for item in (self._reader, self._source_reader) if item.textCursor().hasSelection()), None
        )
        if selected_reader is not None:
            selected_reader.copy()
        elif self._body is not None:
            QApplication.clipboard().setText(
                "\n\n".join(item.text for item in self._body.blocks if item.text)
            )

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._body is not None:
            self._show_all()


def _same_text(old: MessageBody, new: MessageBody) -> bool:
    """Return whether both are the same message, one perhaps with more of its text."""
    if (old.blocks, old.raw) == (new.blocks, new.raw):
        return True
    identities = [(body.side, body.index, body.raw_title, body.raw_total) for body in (old, new)]
    sizes = [[(block.kind, block.total) for block in body.blocks] for body in (old, new)]
    return bool(new.raw) and identities[0] == identities[1] and sizes[0] == sizes[1] and _shows_less(new, old)


def _shows_less(first: MessageBody, second: MessageBody) -> bool:
    shown_chars = [
        sum(block.shown_length for block in body.blocks) + len(body.raw) for body in (first, second)
    ]
    return shown_chars[0] < shown_chars[1]


def _row(widget: QWidget, parts: tuple[QWidget, ...], gap: int, *, stretch: int) -> None:
    row = QHBoxLayout(widget)
    row.setContentsMargins(_PAD, gap, _PAD, gap)
    row.setSpacing(8)
    for number, part in enumerate(parts):
        row.addWidget(part, 1 if number == stretch else 0)


def _rule() -> QFrame:
    rule = QFrame()
    rule.setProperty("role", "rule")
    return rule
