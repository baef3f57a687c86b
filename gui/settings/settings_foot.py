"""The foot of the settings dialog: the session's values, where they can be saved, the file's path."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from core.presentation.settings.model import SettingsPage
from gui.language import tr
from gui.widgets.basic_widgets import push_button, text_label
from gui.widgets.dialog_layout import button_line
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import Theme, scaled_pixels
from gui.widgets.toned_label import set_glyph


def session_text(count: int) -> str:
    if not count:
        return tr("Nothing differs from what is saved.")
    return (
        tr("1 value of this session; it applies now.")
        if count == 1
        else (tr("{count} values of this session; they apply now.").format(count=count))
    )


class SettingsFooter(QWidget):
    """Buttons, or the question for the profile to save to."""

    save_requested = Signal()
    discard_requested = Signal()
    undo_requested = Signal()
    profile_chosen = Signal(str)
    close_requested = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "foot")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._session_label, self._path_label = ElidedLabel("", "muted"), ElidedLabel("", "quiet")
        self.undo, self.discard = push_button(tr("Undo")), push_button(tr("Discard session values"))
        self.to_profile, self.save = (
            push_button(tr("Save to profile…")),
            push_button(tr("Save for all sessions"), "primary"),
        )
        self.close_button = push_button(tr("Close"))
        self.name = QComboBox()
        self.save_to_profile, self._cancel = (
            push_button(tr("Save to profile"), "primary"),
            push_button(tr("Cancel")),
        )
        self._stack = QStackedWidget()
        self._stack.addWidget(self._buttons())
        self._stack.addWidget(self._question())
        column = QVBoxLayout()
        column.setSpacing(0)
        column.addWidget(self._session_label)
        column.addWidget(self._path_label)
        row = QHBoxLayout(self)
        row.setContentsMargins(16, 7, 16, 7)
        row.setSpacing(12)
        row.addLayout(column, 1)
        row.addWidget(self._stack)
        self._connect()

    def _buttons(self) -> QWidget:
        self.undo.setToolTip(tr("Take back the last change of a setting"))
        self.undo.setEnabled(False)
        self.discard.setToolTip(tr("Take all values of this session away, so that the saved ones show"))
        self.to_profile.setToolTip(tr("Keep the session's values in a profile; loading it brings them back"))
        self.save.setToolTip(tr("Write the session's values into the settings file"))
        return button_line(None, self.undo, self.discard, self.to_profile, self.save, self.close_button)

    def _question(self) -> QWidget:
        name = text_label(tr("Save the session's values to profile"))
        name.setBuddy(self.name)
        self.name.setEditable(True)
        self.name.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.name.setAccessibleName(tr("Name of the profile"))
        self.name.setMinimumWidth(scaled_pixels(180, self.font()))
        return button_line(None, name, self.name, self.save_to_profile, self._cancel)

    def _connect(self) -> None:
        self.undo.clicked.connect(self.undo_requested)
        self.discard.clicked.connect(self.discard_requested)
        self.to_profile.clicked.connect(self._ask_profile_name)
        self.save.clicked.connect(self.save_requested)
        self.close_button.clicked.connect(self.close_requested)
        self.save_to_profile.setEnabled(False)
        self.save_to_profile.clicked.connect(self._on_save_to_profile)
        self._cancel.clicked.connect(self.leave_question)
        self.name.editTextChanged.connect(self._on_name)
        line = self.name.lineEdit()
        if line is not None:
            line.returnPressed.connect(self._on_save_to_profile)

    @property
    def is_asking(self) -> bool:
        return self._stack.currentIndex() == 1

    def set_theme(self, theme: Theme) -> None:
        set_glyph(self.undo, "undo", theme.text2, theme.text3)

    def show_page(self, page: SettingsPage) -> None:
        self._session_label.show_text(session_text(page.session_count))
        self._path_label.show_text(page.path)
        for button in (self.discard, self.to_profile, self.save):
            button.setEnabled(page.session_count > 0)
        if not self.is_asking:
            self.name.clear()
            self.name.addItems(list(page.profiles))
            self.name.setCurrentIndex(-1)

    def _ask_profile_name(self) -> None:
        self._stack.setCurrentIndex(1)
        self.name.setFocus()

    def leave_question(self) -> None:
        self._stack.setCurrentIndex(0)
        self.to_profile.setFocus()

    def _on_name(self, text: str) -> None:
        self.save_to_profile.setEnabled(bool(text.strip()))

    def _on_save_to_profile(self) -> None:
        if name := self.name.currentText().strip():
            self.leave_question()
            self.profile_chosen.emit(name)
