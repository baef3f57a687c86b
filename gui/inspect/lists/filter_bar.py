"""The filter bar above the list: a query field with its error or number of matches."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QStringListModel, Qt, QTimer, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QCompleter, QLineEdit, QWidget

from core.common.errors import InputError
from core.presentation.filter_query import FilterCompletions, complete_filter, parse_filter
from gui.language import tr
from gui.widgets.basic_widgets import push_button
from gui.widgets.events import is_enter
from gui.widgets.icons import GlyphButton
from gui.widgets.text_labels import ElidedLabel, set_style_property
from gui.widgets.view_layout import column_of, row_of

TYPING_MS = 250
"""Pause after the last key before the lists are filtered."""
EXAMPLE = "Find, e.g. retry, tool:Bash   /"
MIN_FIELD_WIDTH = 96
HELP = """<p><b>Conditions, all of which have to hold</b></p>
<p>tool:bash · tool:read* · speaker:ai · fate:dropped · kind:call · block:thinking · id:toolu_01</p>
<p>error · marked · tokens&gt;2000 · tokens&lt;=2k · #12-40</p>
<p>word, or "some words": anywhere in the whole message, whatever the case</p>
<p>-error: not · OR between alternatives</p>
<p>Enter goes to the list, Esc closes and shows all.</p>"""


class FilterBar(QWidget):
    """The result of the query in ``field``, which is elsewhere. ``filter_requested`` carries a
    valid query, or an empty one; ``closed`` follows an empty one."""

    filter_requested = Signal(str)
    closed = Signal()
    entered = Signal()  # Enter: focus the rows
    stretch_closed = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._tools: tuple[str, ...] = ()
        self._completions = FilterCompletions(0, 0, ())
        self._submitted_text = ""
        self._submit_timer = QTimer(self, singleShot=True, interval=TYPING_MS)
        self._submit_timer.timeout.connect(self.submit)
        self.field = QLineEdit(parent, placeholderText=EXAMPLE)
        self.field.setProperty("role", "small")
        self.field.setMinimumWidth(MIN_FIELD_WIDTH)
        self.field.setAccessibleName(tr("Filter messages"))
        self.field.setToolTip(tr(HELP))
        self.field.textEdited.connect(self._on_edited)
        self.field.textChanged.connect(self._submit_timer.start)
        self.field.installEventFilter(self)
        glyph = GlyphButton("search", tr("What can be asked for"), tip=tr(HELP))
        glyph.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        close = GlyphButton(
            "close", tr("Close the filter"), tip=tr("Close and show all messages (Esc)")
        )
        close.clicked.connect(self.close_bar)
        self.count = ElidedLabel("", "secondary")
        self.reason = ElidedLabel("", "secondary")
        self.reason.setProperty("tone", "error")
        self._popup = QCompleter(QStringListModel(self), self)
        self._popup.setCompletionMode(QCompleter.CompletionMode.UnfilteredPopupCompletion)
        self._popup.setWidget(self.field)
        self._popup.activated.connect(self._on_chosen)
        self.stretch = push_button("", "small", tip=tr("Show all messages again (Esc)"))
        self.stretch.clicked.connect(self.stretch_closed)
        self.stretch.hide()
        self.stretch_words = ElidedLabel("", "secondary")
        self.stretch_words.hide()
        parts = (glyph, self.stretch, self.stretch_words, self.count, close)
        row = row_of(*parts, gap=4, stretched=self.count)
        self.setLayout(column_of(row, self.reason, margins=(8, 4, 8, 4), gap=2))
        self.reason.hide()
        self.hide()

    @property
    def text(self) -> str:
        return self.field.text().strip()

    def open_bar(self, text: str | None = None) -> None:
        """Focus the field; ``text`` is searched at once."""
        if text is not None:
            self.field.setText(text)
        self.field.selectAll()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.submit()

    def show_stretch(self, name: str, words: str) -> None:
        """Show the selected stretch, "#36–#71", and what it holds; "" for none."""
        self.stretch.setText(f"{name} ✕" if name else "")
        self.stretch_words.show_text(words)
        for part in (self.stretch, self.stretch_words):
            part.setVisible(bool(name))
        self.setVisible(bool(name or self.text))

    def close_bar(self) -> None:
        """Show all messages again and close."""
        self.stretch_closed.emit()
        self.clear()
        self.closed.emit()

    def clear(self) -> None:
        self.hide()
        self.field.clear()
        self._tools = ()
        self.submit()

    def submit(self) -> None:
        """Check the query, and emit it if it is valid."""
        self._submit_timer.stop()
        text = self.text
        self.setVisible(bool(text or self.stretch.text()))
        try:
            parse_filter(text)
        except InputError as error:
            self.show_reason(error.message, error.hint)
            return
        self.show_reason("", "")
        set_style_property(self.field, "state", "ok" if text else "")
        if not text:
            self.count.show_text("")
        if text != self._submitted_text:
            self._submitted_text = text
            self.filter_requested.emit(text)

    def show_reason(self, reason: str, hint: str) -> None:
        """Show under the field what is wrong with the query; "" for nothing."""
        self.reason.show_text(f"{reason} {hint}".strip())
        self.reason.setVisible(bool(reason))
        if reason:
            set_style_property(self.field, "state", "error")
            self.count.show_text("")

    def show_matches(self, count_text: str, tools: tuple[str, ...]) -> None:
        """Show the number of matches; ``tools`` are names for completion."""
        self._tools = tools
        if self.text:
            self.count.show_text(count_text)

    def _on_edited(self) -> None:
        """Offer keys and values for the typed text."""
        self._completions = complete_filter(
            self.field.text(), self.field.cursorPosition(), self._tools
        )
        model = self._popup.model()
        assert isinstance(model, QStringListModel)
        model.setStringList([text.strip() for text in self._completions.texts])
        popup = self._popup.popup()
        if self._completions.texts:
            self._popup.complete()
        elif popup is not None:
            popup.hide()

    def _on_chosen(self, label: str) -> None:
        completions, text = self._completions, self.field.text()
        completion = next(
            (candidate for candidate in completions.texts if candidate.strip() == label), label
        )
        self.field.setText(text[: completions.start] + completion + text[completions.end :])
        self.field.setCursorPosition(completions.start + len(completion))
        self._on_edited()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            if is_enter(event):
                self.submit()
                if not self.reason.full_text:
                    self.entered.emit()
                return True
            if event.key() == Qt.Key.Key_Escape:
                self.close_bar()
                return True
        elif isinstance(event, QKeyEvent) and event.key() == Qt.Key.Key_Escape:
            event.accept()  # as ShortcutOverride: Esc closes this bar first
        return super().eventFilter(watched, event)
