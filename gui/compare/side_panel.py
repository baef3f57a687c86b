"""The lower right of Compare: two results against each other, or the agent against its preset."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QStackedWidget, QVBoxLayout, QWidget

from core.presentation.compare.model import RecordedComparisonText
from gui.compare.fact_differences import ComparePairPane
from gui.language import tr
from gui.widgets.basic_widgets import text_label
from gui.widgets.segmented_switch import SegmentedControl
from gui.widgets.view_layout import line_of_widgets


class RecordedComparisonPane(QScrollArea):
    """What the agent did and what its preset would have done, a paragraph for each sentence."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: tuple[RecordedComparisonText, ...] = ()
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAccessibleName(tr("What the agent did, and what its preset would have done"))

    def show_texts(self, texts: tuple[RecordedComparisonText, ...]) -> None:
        if texts == self.texts:
            return
        self.texts = texts
        page = QWidget()
        page.setProperty("role", "pane")
        column = QVBoxLayout(page)
        column.setContentsMargins(12, 8, 12, 12)
        column.setSpacing(6)
        for paragraph in texts:
            column.addWidget(text_label(paragraph.title, "strong"))
            for sentence in paragraph.sentences:
                text = text_label(sentence)
                text.setWordWrap(True)
                column.addWidget(text)
            column.addSpacing(8)
        column.addStretch(1)
        self.setWidget(page)
        descriptions = [f"{paragraph.title}: {' '.join(paragraph.sentences)}" for paragraph in texts]
        self.setAccessibleDescription(" ".join(descriptions))


class CompareSidePane(QWidget):
    """The pair; with a preset of the agent, a switch to the comparison with its preset."""

    def __init__(self, pair: ComparePairPane) -> None:
        super().__init__()
        self.agent = RecordedComparisonPane()
        self._pages = QStackedWidget()
        self._pages.addWidget(pair)
        self._pages.addWidget(self.agent)
        self.choice = SegmentedControl((tr("A against B"), tr("The agent and its preset")))
        self.choice.chosen.connect(self._pages.setCurrentIndex)
        self._bar = line_of_widgets(self.choice, None)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._bar)
        column.addWidget(self._pages, 1)
        self.show_texts(())

    def show_texts(self, texts: Sequence[RecordedComparisonText]) -> None:
        """Show the texts about the agent; without any only the pair."""
        self.agent.show_texts(tuple(texts))
        self._bar.setVisible(bool(texts))
        if not texts:
            self.choice.show_choice(0)
            self._pages.setCurrentIndex(0)
