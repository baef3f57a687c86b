"""The question before the first call of a paid profile: what is sent, what it costs, yes or no."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QVBoxLayout, QWidget

from core.presentation.model import LabelledFigure, TextSpan
from core.presentation.settings.model import CallQuestion
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.secret_list import FoundSecretsList
from gui.widgets.text_labels import SpanText, tabular_feature
from gui.widgets.theme import Theme, theme
from gui.widgets.toned_label import TONE_GLYPHS, ToneLabel

PAD = 12


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
        self.request_button = push_button(tr("Show the request"))
        self.focus_button = self.no_button  # gets the focus
        self.yes_button.clicked.connect(self.agreed)
        self.no_button.clicked.connect(self.declined)
        self.request_button.clicked.connect(self.request_wanted)
        row = QHBoxLayout()
        row.setSpacing(8)
        for button in (self.yes_button, self.no_button, self.request_button):
            row.addWidget(button)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(PAD, PAD, PAD, PAD)
        column.setSpacing(8)
        column.addWidget(self._title)
        column.addWidget(self._text)
        column.addLayout(self._grid)
        column.addWidget(self.secrets_list)
        column.addSpacing(4)
        column.addLayout(row)
        column.addStretch(1)

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        self._text.set_theme(theme)
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
