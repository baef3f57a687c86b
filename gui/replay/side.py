"""What stands at the right of a replay: its compactions, and what holds at the turn."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFormLayout, QHBoxLayout, QVBoxLayout, QWidget

from core.view import numbers
from core.view.replay_turn import at_turn
from core.view.replay_values import ReplayPage
from gui.language import tr
from gui.parts import label
from gui.replay.marks import MarkList
from gui.theme import Theme


class ReplaySide(QWidget):
    """A list of all compactions, and the figures of one strategy at a turn."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setProperty("role", "pane")
        self.marks = MarkList(theme)
        self.count, self.at, self.none = label("", "secondary"), label("", "group"), label("", "muted")
        self.none.setWordWrap(True)
        self.none.setContentsMargins(12, 8, 12, 8)
        head, box = QWidget(), QWidget()
        head.setProperty("role", "head")
        box.setProperty("role", "pane")
        row = QHBoxLayout(head)
        row.setContentsMargins(12, 6, 12, 6)
        row.addWidget(label(tr("Compactions"), "strong"))
        row.addStretch(1)
        row.addWidget(self.count)
        inside = QVBoxLayout(box)
        inside.setContentsMargins(12, 8, 12, 12)
        inside.setSpacing(6)
        inside.addWidget(self.at)
        self._facts = QFormLayout()
        self._facts.setSpacing(6)
        self._facts.setRowWrapPolicy(QFormLayout.RowWrapPolicy.WrapLongRows)
        inside.addLayout(self._facts)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget, stretch in ((head, 0), (self.none, 0), (self.marks, 100), (box, 0)):
            column.addWidget(widget, stretch)
        column.addStretch(1)

    def set_theme(self, theme: Theme) -> None:
        """Paint in a theme's colours."""
        self.marks.set_theme(theme)

    def show_page(self, page: ReplayPage | None) -> None:
        """Show the compactions of a page."""
        self.marks.show_page(page)
        if page is not None:
            self.marks.setMaximumHeight(self.marks.row_height * len(page.marks) + 2)
            self.count.setText(numbers.count(len(page.marks)))
            self.none.setVisible(not page.marks)
            nothing = tr("None: no strategy came to its trigger.")
            self.none.setText(nothing if page.is_over else tr("None so far."))

    def show_turn(self, page: ReplayPage, line: str, turn: int) -> None:
        """Show the figures of a strategy at a turn."""
        self.at.setText(tr("{line} at turn {turn}").format(line=line, turn=f"{turn:,}"))
        while self._facts.rowCount():
            self._facts.removeRow(0)
        for fact in at_turn(page, line, turn):
            value = label(fact.value)
            value.setAlignment(Qt.AlignmentFlag.AlignRight)
            self._facts.addRow(label(fact.label, "secondary"), value)
