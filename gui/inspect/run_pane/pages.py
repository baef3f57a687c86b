"""The question before the first paid call, and the progress of a model that writes a summary."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFontInfo
from PySide6.QtWidgets import QFrame, QGridLayout, QPlainTextEdit, QProgressBar, QWidget

from core.presentation.dialog_model import CallQuestion, SummaryProgress
from core.presentation.inspector_model import TextSpan
from core.presentation.model import LabelledFigure
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.secret_list import FoundSecretsList
from gui.widgets.text_labels import ElidedLabel, SpanText, tabular_feature
from gui.widgets.theme import SECONDARY, Theme, mono_font, resized_font, theme
from gui.widgets.toned_label import TONE_GLYPHS, ToneLabel
from gui.widgets.view_layout import column_of, row_of

_STEPS, _MARGINS = 1000, (12, 12, 12, 12)


class QuestionPage(QWidget):
    """Shows a CallQuestion. A stray Enter gives neither answer."""

    agreed = Signal()
    declined = Signal()
    request_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._theme = theme("light")
        self._facts: tuple[LabelledFigure, ...] = ()
        self._found_lines: tuple[str, ...] = ()
        self.secrets_list = FoundSecretsList()
        self._title, self._text = text_label("", "strong"), SpanText(colour="text2")
        self._title.setWordWrap(True)
        self._grid = QGridLayout()
        self._grid.setColumnStretch(0, 1)
        self._grid.setVerticalSpacing(8)
        self.yes_button, self.no_button = push_button("", "primary"), push_button("")
        self.request_button = push_button(tr("Show request"))
        self.focus_button = self.no_button  # gets the focus
        self.yes_button.clicked.connect(self.agreed)
        self.no_button.clicked.connect(self.declined)
        self.request_button.clicked.connect(self.request_wanted)
        rows = (row_of(self.yes_button, self.no_button, None), row_of(self.request_button, None))
        parts = (self._title, self._text, self._grid, self.secrets_list, 4, *rows, None)
        self.setLayout(column_of(*parts, margins=_MARGINS, gap=8))

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._show_facts()

    def show_question(self, question: CallQuestion) -> None:
        self._title.setText(question.title)
        self._text.set_spans((TextSpan(question.text),))
        self.yes_button.setText(question.yes_label)
        self.no_button.setText(question.no_label)
        self._facts, self._found_lines = question.facts, question.secrets
        self._show_facts()
        self.setAccessibleName(question.title)

    def _show_facts(self) -> None:
        self.secrets_list.show_lines(self._found_lines)
        while (item := self._grid.takeAt(0)) is not None:
            if (widget := item.widget()) is not None:
                widget.hide()
                widget.deleteLater()
        for row, fact in enumerate(self._facts):
            self._grid.addWidget(text_label(fact.label, "muted"), row, 0)
            self._grid.addWidget(self._value(fact), row, 1, Qt.AlignmentFlag.AlignRight)

    def _value(self, fact: LabelledFigure) -> QWidget:
        if fact.tone in TONE_GLYPHS:
            toned_label = ToneLabel()
            toned_label.show_text(fact.value, fact.tone, bold=True)
            return toned_label
        label = text_label(fact.value, fact.tone)
        label.setFont(tabular_feature())
        return label


class SummaryProgressPage(QWidget):
    """Shows a SummaryProgress; updates change it in place."""

    cancel_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self._title, self._elapsed = ElidedLabel("", "strong"), text_label("", "muted")
        self._elapsed.setFont(tabular_feature())
        self._bar, self._facts = QProgressBar(), SpanText(SECONDARY, "text2")
        self._bar.setRange(0, _STEPS)
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(tr("Summary received"))
        self.summary_text = QPlainTextEdit(readOnly=True)
        self.summary_text.setFrameShape(QFrame.Shape.NoFrame)
        self.summary_text.setProperty("role", "reader")
        self.summary_text.setAccessibleName(tr("Summary so far"))
        self.cancel_button = push_button(tr("Cancel (Esc)"))
        self.focus_button = self.cancel_button  # gets the focus
        self.cancel_button.clicked.connect(self.cancel_requested)
        header = row_of(self._title, self._elapsed, stretched=self._title)
        parts = (header, self._bar, self._facts, self.summary_text, row_of(self.cancel_button, None))
        self.setLayout(column_of(*parts, margins=_MARGINS, gap=8, stretched=self.summary_text))

    def set_theme(self, theme: Theme) -> None:
        size = QFontInfo(resized_font(self.font(), SECONDARY)).pixelSize()
        self.summary_text.setFont(mono_font(size=size))

    def show_writing(self, writing: SummaryProgress) -> None:
        self._title.show_text(writing.title)
        self._elapsed.setText(writing.elapsed)
        self._bar.setValue(round(writing.fraction * _STEPS))
        self._facts.set_spans((TextSpan("\n".join(writing.facts)),))
        self._show_text(writing.text)
        self.setAccessibleName(f"{writing.title}, {writing.elapsed}")

    def _show_text(self, text: str) -> None:
        """Show the text so far and follow its end, unless the user has scrolled away."""
        bar = self.summary_text.verticalScrollBar()
        place, is_at_end = bar.value(), bar.value() >= bar.maximum() - 1
        self.summary_text.setPlainText(text)
        bar.setValue(bar.maximum() if is_at_end else place)
