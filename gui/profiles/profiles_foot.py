"""The foot of the profiles dialog: buttons, or the question whether to delete."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QVBoxLayout, QWidget

from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.dialog_layout import button_line
from gui.widgets.text_labels import ElidedLabel


class ProfilesFooter(QWidget):
    """Test at the left, the other buttons at the right."""

    delete_agreed = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "foot")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.test, self._testing = push_button(tr("Test connection (under $0.01)")), text_label("", "muted")
        self.revert, self.use = push_button(tr("Revert")), push_button(tr("Use"))
        self.save, self.close_button = push_button(tr("Save"), "primary"), push_button(tr("Close"))
        self._question = ElidedLabel("")
        self.confirm_delete, self.cancel_delete = (
            push_button(tr("Delete"), "primary"),
            push_button(tr("Keep")),
        )
        self._stack = QStackedWidget()
        self._stack.addWidget(self._buttons())
        self._stack.addWidget(button_line(self._question, None, self.confirm_delete, self.cancel_delete))
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 10, 16, 10)
        column.addWidget(self._stack)
        self.confirm_delete.clicked.connect(self._on_yes)
        self.cancel_delete.clicked.connect(self.leave_question)

    def _buttons(self) -> QWidget:
        self.test.setToolTip(tr("Call the model with a few tokens, as the form says now"))
        self.revert.setToolTip(tr("Forget the edits"))
        self.use.setToolTip(tr("Make this the active profile and load its settings into the session"))
        right_buttons = (self.revert, self.use, self.save, self.close_button)
        return button_line(self.test, self._testing, None, *right_buttons)

    @property
    def is_testing(self) -> bool:
        return bool(self._testing.text())

    @property
    def is_asking(self) -> bool:
        return self._stack.currentIndex() == 1

    def set_testing(self, name: str) -> None:
        """Show whose model is called; "" for none."""
        self._testing.setText(tr("Calling {name}…").format(name=name) if name else "")

    def ask_delete(self, name: str) -> None:
        """Ask whether to delete a profile."""
        self._question.show_text(tr("Delete the profile {name}? Its file is removed.").format(name=name))
        self._stack.setCurrentIndex(1)
        self.cancel_delete.setFocus()

    def leave_question(self) -> None:
        self._stack.setCurrentIndex(0)

    def _on_yes(self) -> None:
        self.leave_question()
        self.delete_agreed.emit()
