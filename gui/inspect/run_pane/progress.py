"""Progress of a model that writes a summary: time, amount, the text so far, and Cancel."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtGui import QFontInfo, QTextCursor
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from core.presentation.model import TextSpan
from core.presentation.settings.model import SummaryProgress
from gui.inspect.run_pane.meter import ProgressMeter, ShortcutButton
from gui.language import tr
from gui.widgets.basic_widgets import text_label
from gui.widgets.text_labels import ElidedLabel, SpanText, tabular_feature
from gui.widgets.theme import SECONDARY, Theme, mono_font, resized_font

PAD = 12
_OVERLAP_CHARS = 64  # characters that prove that one text continues another


def appended_text(old: str, new: str) -> str | None:
    """Return what ``new`` adds to ``old``, whose beginning it may lack; None if it is another text."""
    if new.startswith(old):
        return new[len(old) :]
    beginning = new[:_OVERLAP_CHARS]
    position = old.find(beginning) if len(beginning) == _OVERLAP_CHARS else -1
    while position >= 0:
        if new.startswith(old[position:]):
            return new[len(old) - position :]
        position = old.find(beginning, position + 1)
    return None


class GrowingText(QPlainTextEdit):
    """Text that grows. It follows its end, unless the user has scrolled away."""

    def __init__(self) -> None:
        super().__init__()
        self._shown_text = ""
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("role", "reader")
        self.setAccessibleName(tr("Summary so far"))
        self.document().setDocumentMargin(0)

    def show_text(self, text: str) -> None:
        bar = self.verticalScrollBar()
        is_at_end, scroll_position = bar.value() >= bar.maximum() - 1, bar.value()
        added = appended_text(self._shown_text, text)
        self._shown_text = text
        if added is None:
            self.setPlainText(text)
        elif added:
            cursor = QTextCursor(self.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(added)
        bar.setValue(bar.maximum() if is_at_end else scroll_position)

    def restart(self) -> None:
        self._shown_text = ""
        self.clear()


class SummaryProgressPage(QWidget):
    """Shows a SummaryProgress; updates change it in place."""

    cancel_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._title, self._elapsed = ElidedLabel("", "strong"), text_label("", "muted")
        self._elapsed.setFont(tabular_feature())
        self._meter = ProgressMeter(tr("Summary received"))
        self._facts = SpanText(SECONDARY, "text2")
        self._summary_text = GrowingText()
        self.cancel_button = ShortcutButton(tr("Cancel"), "Esc")
        self.focus_button = self.cancel_button  # gets the focus
        self.cancel_button.clicked.connect(self.cancel_requested)
        header, footer = QHBoxLayout(), QHBoxLayout()
        header.addWidget(self._title, 1)
        header.addWidget(self._elapsed)
        footer.addWidget(self.cancel_button)
        footer.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(PAD, PAD, PAD, PAD)
        column.setSpacing(8)
        column.addLayout(header)
        column.addWidget(self._meter)
        column.addWidget(self._facts)
        column.addWidget(self._summary_text, 1)
        column.addLayout(footer)

    def set_theme(self, theme: Theme) -> None:
        self._meter.set_theme(theme)
        self._facts.set_theme(theme)
        self.cancel_button.set_theme(theme)
        size = QFontInfo(resized_font(self.font(), SECONDARY)).pixelSize()
        self._summary_text.setFont(mono_font(size=size))

    @property
    def summary_text(self) -> GrowingText:
        return self._summary_text

    def show_writing(self, writing: SummaryProgress) -> None:
        self._title.show_text(writing.title)
        self._elapsed.setText(writing.elapsed)
        self._meter.show_fraction(writing.fraction)
        self._facts.set_spans((TextSpan("\n".join(writing.facts)),))
        self._summary_text.show_text(writing.text)
        self.setAccessibleName(f"{writing.title}, {writing.elapsed}")
