"""The right of a replay: its compactions, and the figures at the turn."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QHBoxLayout, QVBoxLayout, QWidget

from core.common import number_format
from core.presentation.model import LabelledFigure
from core.presentation.replay.model import ReplayPage
from core.presentation.replay.turn_wording import turn_facts
from gui.language import tr
from gui.replay.compaction_list import CompactionTable
from gui.widgets.basic_widgets import text_label
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import Theme
from gui.widgets.view_layout import line_of_widgets


class _FigureRow(QWidget):
    def __init__(self) -> None:
        super().__init__()
        self.label, self.value = ElidedLabel("", "secondary"), text_label("")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(8)
        row.addWidget(self.label, 1)
        row.addWidget(self.value)

    def show_fact(self, fact: LabelledFigure) -> None:
        self.label.show_text(fact.label)
        self.value.setText(fact.value)


class ReplaySidePane(QWidget):
    """A list of all compactions, and the figures of one strategy at a turn."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("role", "pane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.compactions, self._lines = CompactionTable(theme), (_FigureRow(), _FigureRow())
        self.count, self.heading, self.empty_label = (
            text_label("", "secondary"),
            text_label("", "group"),
            text_label("", "muted"),
        )
        self.empty_label.setWordWrap(True)
        self.empty_label.setContentsMargins(12, 8, 12, 8)
        inside = QVBoxLayout()
        inside.setContentsMargins(12, 8, 12, 12)
        inside.setSpacing(6)
        inside.addWidget(self.heading)
        for line in self._lines:
            inside.addWidget(line)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(
            line_of_widgets(text_label(tr("Compactions"), "strong"), None, self.count, padding=6)
        )
        column.addWidget(self.empty_label)
        column.addWidget(self.compactions, 100)
        column.addLayout(inside)
        column.addStretch(1)

    def set_theme(self, theme: Theme) -> None:
        self.compactions.set_theme(theme)

    def show_page(self, page: ReplayPage | None) -> None:
        self.compactions.show_page(page)
        if page is not None:
            self.compactions.setMaximumHeight(self.compactions.row_height * len(page.marks) + 2)
            self.count.setText(number_format.count(len(page.marks)))
            self.empty_label.setVisible(not page.marks)
            nothing = tr("None: no strategy came to its trigger.")
            self.empty_label.setText(nothing if page.is_over else tr("None so far."))

    def show_turn(self, page: ReplayPage, line: str, turn: int) -> None:
        self.heading.setText(tr("{line} at turn {turn}").format(line=line, turn=f"{turn:,}"))
        facts = turn_facts(page, line, turn)
        for index, row in enumerate(self._lines):
            row.setVisible(index < len(facts))
            if index < len(facts):
                row.show_fact(facts[index])

    @property
    def facts(self) -> tuple[tuple[str, str], ...]:
        shown = (row for row in self._lines if not row.isHidden())
        return tuple((row.label.full_text, row.value.text()) for row in shown)
