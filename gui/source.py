"""Reopens the file with another conversation, branch or reader, and shows what was read."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtGui import QAction, QActionGroup, QFontMetrics
from PySide6.QtWidgets import (
    QApplication,
    QDialog,
    QGridLayout,
    QHBoxLayout,
    QHeaderView,
    QMenu,
    QTreeWidgetItem,
    QWidget,
)

from core.app.events import OpenRequest
from core.presentation.dialog_model import (
    BRANCHES,
    CONVERSATIONS,
    FORMAT,
    NOTHING_REPORTED,
    FileOpenedEvent,
    ImportPage,
)
from core.presentation.model import PickerChoice
from gui.language import tr
from gui.main_window import MainWindow
from gui.widgets.basic_widgets import push_button, show_dialog, text_label
from gui.widgets.row_tree import WrappedTree
from gui.widgets.side_dialog import PickDialog
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import current_theme, mono_font_for
from gui.widgets.view_layout import column_of, row_of


class SourceController(QObject):
    open_requested = Signal(
        object
    )  # OpenRequest: the same file, another conversation, branch or reader

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._file: FileOpenedEvent | None = None
        self.choices: Sequence[PickerChoice] = ()  # the formats to read the file as
        self._command = OpenRequest("")
        self.formats = QMenu(window, toolTipsVisible=True)
        self.formats.aboutToShow.connect(self._fill_formats)
        self._group = QActionGroup(self.formats)
        self._group.triggered.connect(self._on_format)

    def show_opened(self, file: FileOpenedEvent, command: OpenRequest) -> None:
        self._file = file
        if not file.has_grown:
            self._command = replace(
                command,
                conversation=file.branching.conversation,
                branch=file.branching.branch,
                scope="",
            )
        self._window.show_name(file.name)

    def clear(self) -> None:
        self._file = None

    def open_conversations(self) -> PickDialog | None:
        """Open the dialog that picks another conversation of the file."""
        if (file := self._file) is None:
            return None
        title, empty = (
            tr("Conversations of {name}"),
            tr("The file holds one conversation."),
        )
        choices, current = (
            file.branching.conversations,
            str(file.branching.conversation),
        )
        dialog = PickDialog(
            self._window, title.format(name=file.name), choices, current, empty
        )
        dialog.chosen.connect(self._on_conversation)
        show_dialog(dialog)
        return dialog

    def open_branches(self) -> PickDialog | None:
        if (file := self._file) is None:
            return None
        title, empty = tr("Branches of {name}"), tr("The session has one branch.")
        choices, current = file.branching.branches, str(file.branching.branch)
        dialog = PickDialog(
            self._window, title.format(name=file.name), choices, current, empty
        )
        dialog.chosen.connect(self._on_branch)
        show_dialog(dialog)
        return dialog

    def open_report(self) -> ImportDialog | None:
        if self._file is None:
            return None
        dialog = ImportDialog(self._window, self._file.report)
        show_dialog(dialog)
        return dialog

    def open_conversation(self, number: int) -> None:
        self.open_requested.emit(replace(self._command, conversation=number, branch=1))

    def _fill_formats(self) -> None:
        if (file := self._file) is None:
            return
        for old_action in self._group.actions():
            self._group.removeAction(old_action)
        self.formats.clear()
        heading = tr("Opened as {format}: {why}").format(
            format=file.reader.label, why=file.reader.why
        )
        self.formats.addAction(heading).setEnabled(False)
        self.formats.addSeparator()
        for choice in self.choices:
            action = QAction(
                choice.label, self.formats, checkable=True, toolTip=choice.hint
            )
            action.setData(choice.value)
            action.setChecked(choice.value == file.reader.forced)
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


_TIMES_SIGN = "×"
"""Ends a count, in the column where other lines have their place."""
_MARGIN = 16


class ImportDialog(QDialog):
    def __init__(self, parent: QWidget | None, page: ImportPage) -> None:
        super().__init__(parent)
        self.setWindowTitle(page.title)
        self._page = page
        self.message = text_label("", "secondary")
        self._tree = WrappedTree(page.title)
        self._set_up()
        self._fill()
        nothing = text_label(tr(NOTHING_REPORTED), "secondary")
        main = self._tree if page.sections else nothing
        parts = (self._facts(), main, self._buttons())
        self.setLayout(
            column_of(*parts, margins=(16, 16, 16, 12), gap=12, stretched=main)
        )
        self.resize(680, 520 if page.sections else 240)

    @property
    def lines(self) -> tuple[str, ...]:
        """Every line of the report as shown."""
        lines = [
            line
            for top in _children(self._tree.invisibleRootItem())
            for line in _children(top)
        ]
        return tuple(f"{line.text(0).strip()} {line.text(1)}" for line in lines)

    def copy(self) -> None:
        """Copy the report to the clipboard, with secrets redacted."""
        QApplication.clipboard().setText(self._page.copy_text)
        self.message.setText(self._page.copied_message)

    def _facts(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(16)
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for row, (name, value) in enumerate(self._page.facts):
            grid.addWidget(text_label(name, "secondary"), row, 0)
            grid.addWidget(ElidedLabel(value), row, 1)
        return grid

    def _buttons(self) -> QHBoxLayout:
        copy, close = push_button(tr("Copy")), push_button(tr("Close"), "primary")
        copy.setToolTip(
            tr(
                "Copy the whole report; keys, access tokens and mail addresses are hidden"
            )
        )
        copy.clicked.connect(self.copy)
        close.clicked.connect(self.accept)
        close.setDefault(True)
        return row_of(self.message, copy, close, stretched=self.message)

    def _set_up(self) -> None:
        tree = self._tree
        header, metrics = tree.header(), QFontMetrics(mono_font_for(self.font()))
        paths = (path for section in self._page.sections for path, _ in section.rows)
        widest = max(
            map(metrics.horizontalAdvance, paths), default=0
        )  # titles span both columns
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
        header.resizeSection(0, widest + 2 * tree.indentation() + _MARGIN)
        header.setStretchLastSection(True)

    def _fill(self) -> None:
        theme, tree, mono = current_theme(), self._tree, mono_font_for(self.font())
        for section in self._page.sections:
            top = QTreeWidgetItem([section.title])
            face = tree.font()
            face.setBold(True)
            top.setFont(0, face)
            tree.addTopLevelItem(top)
            top.setFirstColumnSpanned(True)
            top.setExpanded(True)
            path_width = max(
                (len(path) for path, _ in section.rows if path.endswith(_TIMES_SIGN)),
                default=0,
            )
            for path, text in section.rows:
                line = QTreeWidgetItem(
                    top,
                    [
                        path.rjust(path_width) if path.endswith(_TIMES_SIGN) else path,
                        text,
                    ],
                )
                line.setFont(0, mono)
                line.setForeground(0, theme.text2)
                line.setToolTip(1, text)
        if (first := tree.topLevelItem(0)) is not None:
            tree.setCurrentItem(first)


def _children(item: QTreeWidgetItem) -> list[QTreeWidgetItem]:
    children = (item.child(row) for row in range(item.childCount()))
    return [child for child in children if child is not None]
