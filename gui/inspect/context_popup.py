"""The popup of the context chip: part of the session, sizes, model, limit, and what else the file holds."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFormLayout, QFrame, QPushButton, QWidget

from core.presentation.dialog_model import BRANCHES, CONVERSATIONS, FORMAT, REPORT
from core.presentation.model import PickerChoice
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.pickers import ModelPicker, Picker

_PART_LABELS = {CONVERSATIONS: "Conversation", BRANCHES: "Branch", FORMAT: "Format", REPORT: "Reading"}
_FIXED_ROWS = 4
"""Rows above the parts of the file."""


class ContextPopup(QFrame):
    """What the chip opens: part of the session, model and limit, and links to what else the file holds."""

    link_clicked = Signal(str, QPoint)  # value of a part of the file, and where its menu opens

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "popup")
        self.setAccessibleName(tr("Context"))
        self.scope = Picker(tr("Part of the session"), tr("Which part of the transcript is compacted"))
        self.model = ModelPicker(tr("Model"), tr("Whose context limit and prices count"))
        self.sizes, self.limit = text_label("", "secondary"), text_label("", "secondary")
        self._form = form = QFormLayout(self)
        form.setContentsMargins(12, 10, 12, 10)
        form.addRow(tr("Part of the session"), self.scope)
        form.addRow(tr("Size"), self.sizes)
        form.addRow(tr("Model"), self.model)
        form.addRow(tr("Limit"), self.limit)
        for picker in (self.scope, self.model):
            picker.picked.connect(self.hide)

    def show_sizes(self, sizes: Sequence[str]) -> None:
        """Show the tokens of the shown part and of the current context; no row where they are the same."""
        self.sizes.setText(" · ".join(sizes))
        self._form.setRowVisible(self.sizes, bool(sizes))

    def show_parts(self, parts: Sequence[PickerChoice]) -> None:
        """Show a row per part of the file; one with a value is a link."""
        while self._form.rowCount() > _FIXED_ROWS:
            self._form.removeRow(_FIXED_ROWS)
        for part in parts:
            if not part.value:
                self._form.addRow(text_label(part.label, "secondary"))
                continue
            link = push_button(part.label, "link")
            link.setObjectName(part.value)
            link.setToolTip(part.hint)
            link.clicked.connect(self._on_link)
            self._form.addRow(tr(_PART_LABELS.get(part.value, "")), link)
            self._form.setAlignment(link, Qt.AlignmentFlag.AlignLeft)

    def _on_link(self) -> None:
        link = self.sender()
        assert isinstance(link, QPushButton)
        self.hide()
        self.link_clicked.emit(link.objectName(), link.mapToGlobal(QPoint(0, link.height())))

    def open_below(self, chip: QWidget) -> None:
        self.adjustSize()
        self.move(chip.mapToGlobal(QPoint(0, chip.height() + 2)))
        self.show()
        self.scope.setFocus(Qt.FocusReason.PopupFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.hide()
        else:
            super().keyPressEvent(event)
