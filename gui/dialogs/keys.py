"""All keys in one list, made from the table of actions."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QDialog, QGridLayout, QScrollArea, QVBoxLayout, QWidget

from gui.actions import ACTIONS
from gui.parts import MENUS, button, label
from gui.theme import mono_font

OTHERS = (
    ("← →", "Fold, unfold; on a ruler handle: next valid boundary (Shift: ten)"),
    ("Home End", "On a ruler handle: first and last valid boundary"),
    ("A B", "In Compare: mark the row as A or B; Enter opens it"),
    ("S R", "In Compare: sort by the next column (Shift: the one before); turn the order round"),
    ("← → Space", "In Replay: turn by turn (Shift: ten); play"),
)
"""Keys that belong to no action."""


class KeysDialog(QDialog):
    """What each key does."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowTitle("Keys")
        page = QWidget()
        grid = QGridLayout(page)
        grid.setColumnStretch(1, 1)
        rows = [(row.keys[0], row.tip) for menu in MENUS for row in ACTIONS if row.menu == menu and row.keys]
        for number, (keys, text) in enumerate((*rows, *OTHERS)):
            native = QKeySequence(keys).toString(QKeySequence.SequenceFormat.NativeText) or keys
            name = label(native)
            name.setFont(mono_font())
            grid.addWidget(name, number, 0)
            grid.addWidget(label(text), number, 1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setWidget(page)
        close = button("Close")
        close.clicked.connect(self.accept)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 16, 12)
        column.setSpacing(12)
        column.addWidget(area)
        column.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        self.resize(560, 640)
