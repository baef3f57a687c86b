"""Asks before a folder is compared, and shows how much of it is done."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QWidget

from core.presentation.folder.model import FolderPage
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label


class FolderQuestion(QWidget):
    """Emits ``begin_wanted``, and ``anew_wanted`` for all files once more."""

    begin_wanted = Signal()
    anew_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "head")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.asked = text_label("", "strong")
        self.begin, self._anew = push_button(tr("Compare"), "primary"), push_button(tr("Begin anew"), "small")
        self._anew.setToolTip(tr("Forget what was done before, and do all files again."))
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 12, 6)
        row.setSpacing(12)
        for one in (self.asked, self.begin, self._anew):
            row.addWidget(one)
        row.addStretch(1)
        self.begin.clicked.connect(self.begin_wanted)
        self._anew.clicked.connect(self.anew_wanted)

    def show_page(self, page: FolderPage) -> None:
        """Show the page's question; hidden without one."""
        self.setVisible(bool(page.question))
        self.asked.setText(page.question)
        self.begin.setVisible(page.done < page.total)
        self.begin.setText(tr("Go on") if page.done else tr("Compare"))
        self._anew.setVisible(page.done > 0)
