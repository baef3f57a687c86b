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
_OVERLAP = 64  # characters that prove that one text continues another


def appended_text(old: str, new: str) -> str | None:
    """Return what ``new`` adds to ``old``, whose beginning it may lack; None if it is another text."""
    if new.startswith(old):
        return new[len(old) :]
    head = new[:_OVERLAP]
    at = old.find(head) if len(head) == _OVERLAP else -1
    while at >= 0:
        if new.startswith(old[at:]):
            return new[len(old) - at :]
        at = old.find(head, at + 1)
    return None


class GrowingText(QPlainTextEdit):
    """Text that grows. It follows its end, unless the user has scrolled away."""

    def __init__(self) -> None:
        super().__init__()
        self._last = ""
        self.setReadOnly(True)
        self.setUndoRedoEnabled(False)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("role", "reader")
        self.setAccessibleName(tr("Summary so far"))
        self.document().setDocumentMargin(0)

    def show_text(self, text: str) -> None:
        bar = self.verticalScrollBar()
        follows, place = bar.value() >= bar.maximum() - 1, bar.value()
        more = appended_text(self._last, text)
        self._last = text
        if more is None:
            self.setPlainText(text)
        elif more:
            cursor = QTextCursor(self.document())
            cursor.movePosition(QTextCursor.MoveOperation.End)
            cursor.insertText(more)
        bar.setValue(bar.maximum() if follows else place)

    def restart(self) -> None:
        self._last = ""
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
        self._stream = GrowingText()
        self.cancel = ShortcutButton(tr("Cancel"), "Esc")
        self.safe = self.cancel  # gets the focus
        self.cancel.clicked.connect(self.cancel_requested)
        head, last = QHBoxLayout(), QHBoxLayout()
        head.addWidget(self._title, 1)
        head.addWidget(self._elapsed)
        last.addWidget(self.cancel)
        last.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(PAD, PAD, PAD, PAD)
        column.setSpacing(8)
        column.addLayout(head)
        column.addWidget(self._meter)
        column.addWidget(self._facts)
        column.addWidget(self._stream, 1)
        column.addLayout(last)

    def set_theme(self, theme: Theme) -> None:
        self._meter.set_theme(theme)
        self._facts.set_theme(theme)
        self.cancel.set_theme(theme)
        size = QFontInfo(resized_font(self.font(), SECONDARY)).pixelSize()
        self._stream.setFont(mono_font(size=size))

    @property
    def stream(self) -> GrowingText:
        return self._stream

    def show_writing(self, writing: SummaryProgress) -> None:
        self._title.show_text(writing.title)
        self._elapsed.setText(writing.elapsed)
        self._meter.show_fraction(writing.fraction)
        self._facts.set_spans((TextSpan("\n".join(writing.facts)),))
        self._stream.show_text(writing.text)
        self.setAccessibleName(f"{writing.title}, {writing.elapsed}")
