"""Shows the opened file's name and parts, and reopens it with another conversation, branch or reader."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from PySide6.QtCore import QEvent, QObject, QPoint, Signal
from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QMenu

from core.app.events import OpenRequest
from core.presentation.model import PickerChoice
from core.presentation.opened_model import BRANCHES, CONVERSATIONS, FORMAT, REPORT, FileOpenedEvent
from gui.language import tr
from gui.main_window import MainWindow
from gui.source.corner import FileChip
from gui.source.import_dialog import ImportDialog
from gui.widgets.appearance import AppearanceController
from gui.widgets.basic_widgets import show_dialog
from gui.widgets.event_loop_steps import StepScheduler
from gui.widgets.pick_dialog import PickDialog

_FREE_WIDTH = 24
"""Pixels between the menus and the chip."""


class SourceController(QObject):
    """Emits ``wanted(OpenRequest)``: the same file, another conversation, branch or reader."""

    open_requested = Signal(object)

    def __init__(self, window: MainWindow, appearance: AppearanceController) -> None:
        super().__init__(window)
        self._window, self._appearance = window, appearance
        self._opened: FileOpenedEvent | None = None
        self._command = OpenRequest("")
        self.file_chip = FileChip(window)
        self.formats = QMenu(window)
        self._group = QActionGroup(self.formats)
        self._group.triggered.connect(self._on_format)
        self.file_chip.clicked.connect(self._on_corner)
        self._turns = StepScheduler(self)
        window.menuBar().installEventFilter(self)
        appearance.changed.connect(self._fit)

    def show_opened(self, opened: FileOpenedEvent, command: OpenRequest) -> None:
        self._opened = opened
        if not opened.has_grown:
            self._command = replace(command, conversation=opened.conversation, branch=opened.branch, scope="")
        self.file_chip.show_parts(opened.title_parts)
        self._fill_formats(opened)
        self._turns.start(self._fit_in_turns())

    def finish(self) -> None:
        self._turns.finish()

    def clear(self) -> None:
        self._turns.cancel()
        self._opened = None

    def open_conversations(self) -> PickDialog | None:
        """Open the dialog that picks another conversation of the file."""
        if self._opened is None:
            return None
        opened = self._opened
        title, empty = (
            tr("Conversations of {name}").format(name=opened.name),
            tr("The file holds one conversation."),
        )
        dialog = self._pick(title, opened.conversations, str(opened.conversation), empty)
        dialog.chosen.connect(self._on_conversation)
        return dialog

    def open_branches(self) -> PickDialog | None:
        if self._opened is None:
            return None
        opened = self._opened
        title, empty = tr("Branches of {name}").format(name=opened.name), tr("The session has one branch.")
        dialog = self._pick(title, opened.branches, str(opened.branch), empty)
        dialog.chosen.connect(self._on_branch)
        return dialog

    def open_report(self) -> ImportDialog | None:
        if self._opened is None:
            return None
        dialog = ImportDialog(self._window, self._appearance.theme, self._opened.report)
        show_dialog(dialog)
        return dialog

    def open_conversation(self, number: int) -> None:
        self.open_requested.emit(replace(self._command, conversation=number, branch=1))

    def _fit_in_turns(self) -> Iterator[None]:
        """Style the links one by one, because this takes longer than the rest of opening a file."""
        for link in self.file_chip.links:
            link.ensurePolished()
            yield
        self._fit()

    def _fit(self) -> None:
        if self._opened is not None:
            bar = self._window.menuBar()
            self.file_chip.fit(bar.width() - bar.actionGeometry(bar.actions()[-1]).right() - _FREE_WIDTH)
            self._window.show_title("", self._opened.name, self.file_chip)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize:
            self._fit()
        return super().eventFilter(watched, event)

    def _pick(self, title: str, choices: tuple[PickerChoice, ...], current: str, empty: str) -> PickDialog:
        dialog = PickDialog(self._window, self._appearance.theme, title, choices, current, empty)
        show_dialog(dialog)
        return dialog

    def _fill_formats(self, opened: FileOpenedEvent) -> None:
        for old_action in self._group.actions():
            self._group.removeAction(old_action)
        self.formats.clear()
        self.formats.addAction(
            tr("Opened as {format}: {why}").format(format=opened.format_label, why=opened.why)
        ).setEnabled(False)
        self.formats.addSeparator()
        self.formats.setToolTipsVisible(True)
        for choice in opened.formats:
            action = QAction(choice.label, self.formats)
            action.setData(choice.value)
            action.setToolTip(choice.hint)
            action.setCheckable(True)
            action.setChecked(choice.value == opened.forced_format)
            self._group.addAction(action)
            self.formats.addAction(action)

    def _on_corner(self, value: str, position: QPoint) -> None:
        if value == FORMAT:
            self.formats.popup(position)
        else:
            {CONVERSATIONS: self.open_conversations, BRANCHES: self.open_branches, REPORT: self.open_report}[
                value
            ]()

    def _on_conversation(self, value: str) -> None:
        self.open_conversation(int(value))

    def _on_branch(self, value: str) -> None:
        self.open_requested.emit(replace(self._command, branch=int(value)))

    def _on_format(self, action: QAction) -> None:
        self.open_requested.emit(OpenRequest(self._command.path, action.data()))
