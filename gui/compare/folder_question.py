"""Asks before a folder is compared, and shows how much of it is done."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from core.presentation.folder.model import FolderPage
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label


class FolderQuestion(QWidget):
    """Emits ``begin_wanted``, and ``restart_wanted`` for all files once more."""

    begin_wanted = Signal()
    restart_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "head")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.question_label = text_label("", "strong")
        self.begin_button, self._restart_button = (
            push_button(tr("Compare"), "primary"),
            push_button(tr("Begin anew"), "small"),
        )
        self._restart_button.setToolTip(tr("Forget what was done before, and do all files again."))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(12)
        for widget in (self.question_label, self.begin_button, self._restart_button):
            row.addWidget(widget)
        row.addStretch(1)
        self.begin_button.clicked.connect(self.begin_wanted)
        self._restart_button.clicked.connect(self.restart_wanted)

    def show_page(self, page: FolderPage) -> None:
        """Show the page's question; hidden without one."""
        self.setVisible(bool(page.question))
        self.question_label.setText(page.question)
        self.begin_button.setVisible(page.done < page.total)
        self.begin_button.setText(tr("Go on") if page.done else tr("Compare"))
        self._restart_button.setVisible(page.done > 0)
