"""Reopens the file with another conversation, branch or reader, and shows what was read."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from core.app.events import OpenRequest
from core.presentation.dialog_model import BRANCHES, CONVERSATIONS, FORMAT, FileOpenedEvent
from gui.language import tr
from gui.main_window import MainWindow
from gui.source.import_dialog import ImportDialog
from gui.widgets.basic_widgets import show_dialog
from gui.widgets.pick_dialog import PickDialog


class SourceController(QObject):
    open_requested = Signal(object)  # OpenRequest: the same file, another conversation, branch or reader

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._opened: FileOpenedEvent | None = None
        self._command = OpenRequest("")
        self.formats = QMenu(window, toolTipsVisible=True)
        self._group = QActionGroup(self.formats)
        self._group.triggered.connect(self._on_format)

    def show_opened(self, opened: FileOpenedEvent, command: OpenRequest) -> None:
        self._opened = opened
        if not opened.has_grown:
            self._command = replace(command, conversation=opened.conversation, branch=opened.branch, scope="")
        self._fill_formats(opened)
        self._window.show_name(opened.name)

    def clear(self) -> None:
        self._opened = None

    def open_conversations(self) -> PickDialog | None:
        """Open the dialog that picks another conversation of the file."""
        if (opened := self._opened) is None:
            return None
        title, empty = tr("Conversations of {name}"), tr("The file holds one conversation.")
        choices, current = opened.conversations, str(opened.conversation)
        dialog = PickDialog(self._window, title.format(name=opened.name), choices, current, empty)
        dialog.chosen.connect(self._on_conversation)
        show_dialog(dialog)
        return dialog

    def open_branches(self) -> PickDialog | None:
        if (opened := self._opened) is None:
            return None
        title, empty = tr("Branches of {name}"), tr("The session has one branch.")
        choices, current = opened.branches, str(opened.branch)
        dialog = PickDialog(self._window, title.format(name=opened.name), choices, current, empty)
        dialog.chosen.connect(self._on_branch)
        show_dialog(dialog)
        return dialog

    def open_report(self) -> ImportDialog | None:
        if self._opened is None:
            return None
        dialog = ImportDialog(self._window, self._opened.report)
        show_dialog(dialog)
        return dialog

    def open_conversation(self, number: int) -> None:
        self.open_requested.emit(replace(self._command, conversation=number, branch=1))

    def _fill_formats(self, opened: FileOpenedEvent) -> None:
        for old_action in self._group.actions():
            self._group.removeAction(old_action)
        self.formats.clear()
        heading = tr("Opened as {format}: {why}").format(format=opened.format_label, why=opened.why)
        self.formats.addAction(heading).setEnabled(False)
        self.formats.addSeparator()
        for choice in opened.formats:
            action = QAction(choice.label, self.formats, checkable=True, toolTip=choice.hint)
            action.setData(choice.value)
            action.setChecked(choice.value == opened.forced_format)
            self._group.addAction(action)
            self.formats.addAction(action)

    def follow_link(self, value: str, position: QPoint) -> None:
        """Show what a link of the context popup leads to."""
        if value == FORMAT:
            self.formats.popup(position)
        elif value == CONVERSATIONS:
            self.open_conversations()
        elif value == BRANCHES:
            self.open_branches()
        else:
            self.open_report()

    def _on_conversation(self, value: str) -> None:
        self.open_conversation(int(value))

    def _on_branch(self, value: str) -> None:
        self.open_requested.emit(replace(self._command, branch=int(value)))

    def _on_format(self, action: QAction) -> None:
        self.open_requested.emit(OpenRequest(self._command.path, action.data()))
