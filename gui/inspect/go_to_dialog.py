"""Dialog: go to a message by its number."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QDialog, QHBoxLayout, QSpinBox, QWidget

from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.text_labels import tabular_feature
from gui.widgets.theme import scaled_pixels

_WIDTH = 90


class GoToDialog(QDialog):
    """Emits ``chosen(index)``, counted from 0; the field counts from 1."""

    chosen = Signal(int)

    def __init__(self, parent: QWidget, count: int, current: int) -> None:
        super().__init__(parent)
        self.setWindowTitle(tr("Go to message"))
        self._number = QSpinBox()
        self._number.setRange(1, max(1, count))
        self._number.setValue(current + 1)
        self._number.setPrefix("#")
        self._number.setAlignment(Qt.AlignmentFlag.AlignRight)
        self._number.setFont(tabular_feature())
        self._number.setMinimumWidth(scaled_pixels(_WIDTH, self.font()))
        self._number.setAccessibleName(tr("Message number"))
        self._number.selectAll()
        go_button = push_button(tr("Go"), "primary")
        go_button.setDefault(True)
        go_button.clicked.connect(self.accept)
        row = QHBoxLayout(self)
        row.addWidget(text_label(tr("Message")))
        row.addWidget(self._number)
        row.addWidget(text_label(tr("of {count:,}").format(count=count), "quiet"))
        row.addWidget(go_button)
        self.accepted.connect(self._on_accepted)

    def _on_accepted(self) -> None:
        self.chosen.emit(self._number.value() - 1)
