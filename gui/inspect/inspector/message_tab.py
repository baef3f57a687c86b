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
_NOTHING = "Nothing is selected. A click on a message shows it here."


class MessageTab(QWidget):
    """Shows one MessageBody. Unchanged parts are not updated, so that scrolling and selection stay."""

    whole_requested = Signal(str, int)

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "pane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._theme = theme("light")
        self._body: MessageBody | None = None
        self._raw_shown = ""
        self._glyph: tuple[str, Theme] | None = None  # glyph name and theme of the chevron
        self._title, self._facts = ElidedLabel("", "strong"), SpanText(SECONDARY, "text2")
        self._cap_text = ElidedLabel("", "secondary")
        self._whole, self._whole_raw = push_button("", "small"), push_button("", "small")
        self._reader, self._raw = TextReader(tr("Message")), TextReader(tr("Source"))
        self._find, self.sentences = FindBar(self._reader), SentenceSelector(self._reader)
        self._wrap = QCheckBox(tr("Wrap"))
        self._copy, self._find_button = push_button(tr("Copy"), "small"), push_button(tr("Find"), "small")
        self._chevron, self._raw_title = push_button(tr("Source"), "flat"), ElidedLabel("", "quiet")
        self._build()
        self._connect()
        self._show_all()

    def _build(self) -> None:
        self._cap, self._foot, self._head = QWidget(), QWidget(), QWidget()
        _row(self._cap, (self._cap_text, self._whole), 4, stretch=0)
        _row(self._foot, (self._wrap, self._find_button, self._copy), 6, stretch=0)
        _row(self._head, (self._chevron, self._raw_title, self._whole_raw), 4, stretch=1)
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
            (self._find, 0),
            (self._cap, 0),
            (_rule(), 0),
            (self._reader, 3),
            (self.sentences, 0),
            (_rule(), 0),
            (self._foot, 0),
            (_rule(), 0),
            (self._head, 0),
            (self._raw, 2),
        ):
            column.addWidget(widget, stretch)
        self._find.hide()
        self._raw.hide()

    def _connect(self) -> None:
        self._wrap.setChecked(True)
        self._wrap.setToolTip(tr("Wrap long lines at the width of the panel"))
        self._copy.setToolTip(tr("Copy the selected text, or all of the message"))
        self._find_button.setToolTip(tr("Find in message (Ctrl F)"))
        self._chevron.setCheckable(True)
        self._chevron.setToolTip(tr("Show the JSON as the file has it"))
        self._wrap.toggled.connect(self._reader.set_wrapped)
        self._wrap.toggled.connect(self._raw.set_wrapped)
        self._copy.clicked.connect(self._on_copy)
        self._find_button.clicked.connect(self.find_text)
        self._chevron.toggled.connect(self._on_source)
        self._whole.clicked.connect(self._on_whole)
        self._whole_raw.clicked.connect(self._on_whole)
        self._reader.filled.connect(self._find.search)

    @property
    def body(self) -> MessageBody | None:
        return self._body

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for widget in (self._facts, self._find, self.sentences):
            widget.set_theme(theme)
        for reader in (self._reader, self._raw):
            reader.set_hairline(theme.hairline)
        for one, name in ((self._copy, "copy"), (self._find_button, "search")):
            set_glyph(one, name, theme.text2, theme.text3)
        self._show_all()

    def show_body(self, body: MessageBody | None) -> None:
        """Show a message; None if nothing is selected."""
        old, self._body = self._body, body
        if old is not None and body is not None and _same_text(old, body):
            if not _is_shorter(body, old):
                self._show_head()
                return
            self._body = old  # the full text was requested; a later, shorter answer does not replace it
            return
        self.sentences.show_page(None)
        self._show_all()

    def find_text(self) -> None:
        if self._body is not None:
            self._find.open_bar()

    def _show_all(self) -> None:
        self._show_head()
        body, font = self._body, self.font()
        self._reader.show_runs(block_runs(body, font, self._theme) if body is not None else ())
        self._raw_shown = ""
        self._show_raw()

    def _show_head(self) -> None:
        body = self._body
        self._title.setVisible(body is not None)
        self._foot.setEnabled(body is not None)
        self._head.setVisible(body is not None)
        if body is None:
            self._facts.set_spans((TextSpan(tr(_NOTHING)),))
            self._cap.hide()
            return
        self._title.show_text(body.title)
        text = " · ".join(f"{fact.label} {fact.value}" for fact in body.facts)
        self._facts.set_spans((TextSpan(text),))
        self._raw_title.show_text(body.raw_title)
        self._chevron.setEnabled(bool(body.raw))
        self._show_caps(body)

    def _show_caps(self, body: MessageBody) -> None:
        shown, total = sum(one.shown for one in body.blocks), sum(one.total for one in body.blocks)
        self._cap.setVisible(shown < total)
        self._cap_text.show_text(
            tr("{shown} of {total} are shown.").format(shown=size(shown), total=size(total))
        )
        self._whole.setText(tr("Show all {total}").format(total=size(total)))
        is_cut = shown == total and len(body.raw) < body.raw_total
        self._whole_raw.setVisible(is_cut and self._chevron.isChecked())
        self._whole_raw.setText(tr("Show all {total}").format(total=size(body.raw_total)))

    def _show_raw(self) -> None:
        """The JSON is only inserted while it is visible."""
        glyph = "chevron-down" if self._chevron.isChecked() else "chevron"
        # painting the glyph takes longer than the rest of this method
        if self._glyph != (glyph, self._theme):
            self._glyph = glyph, self._theme
            self._chevron.setIcon(glyph_icon(glyph, self._theme.text2, disabled=self._theme.hairline))
        raw = self._body.raw if self._body is not None else ""
        self._raw.setVisible(self._chevron.isChecked() and bool(raw))
        if self._raw.isVisibleTo(self) and raw != self._raw_shown:
            self._raw_shown = raw
            self._raw.show_runs(raw_runs(raw, self.font(), self._theme))

    def _on_source(self) -> None:
        if self._body is not None:
            self._show_caps(self._body)
        self._show_raw()

    def _on_whole(self) -> None:
        if self._body is not None:
            self.whole_requested.emit(self._body.side, self._body.index)

    def _on_copy(self) -> None:
        chosen = next((one for one in (self._reader, self._raw) if one.textCursor().hasSelection()), None)
        if chosen is not None:
            chosen.copy()
        elif self._body is not None:
            QApplication.clipboard().setText("\n\n".join(one.text for one in self._body.blocks if one.text))

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange and self._body is not None:
            self._show_all()


def _same_text(old: MessageBody, new: MessageBody) -> bool:
    """Return whether both are the same message, one perhaps with more of its text."""
    if (old.blocks, old.raw) == (new.blocks, new.raw):
        return True
    places = [(one.side, one.index, one.raw_title, one.raw_total) for one in (old, new)]
    sizes = [[(block.kind, block.total) for block in one.blocks] for one in (old, new)]
    return bool(new.raw) and places[0] == places[1] and sizes[0] == sizes[1] and _is_shorter(new, old)


def _is_shorter(first: MessageBody, second: MessageBody) -> bool:
    shown = [sum(block.shown for block in body.blocks) + len(body.raw) for body in (first, second)]
    return shown[0] < shown[1]


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
