"""Opens transcripts, also with another conversation, branch or reader, shows the progress of
reading and what was read, and notices that the open file has grown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from PySide6.QtCore import QObject, QPoint, QTimer, Signal
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
from core.app.remote_methods import OpenService
from core.app.rpc import Call, is_call_of
from core.common import number_format
from core.common.paths import display_name
from core.presentation.dialog_model import (
    BRANCHES,
    CONVERSATIONS,
    FORMAT,
    NOTHING_REPORTED,
    FileOpenedEvent,
    ImportPage,
    missing_file_text,
)
from core.presentation.model import Notice, NoticeAction, PickerChoice
from gui.backend import BackendClient
from gui.inspect.inspect_page import InspectPage
from gui.inspect.lists.message_list import MessageList
from gui.language import tr
from gui.main_window import MainWindow
from gui.view_switching import COMPARE, INSPECT
from gui.widgets.basic_widgets import push_button, show_dialog, text_label
from gui.widgets.row_tree import WrappedTree
from gui.widgets.side_dialog import PickDialog
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import current_theme, mono_font_for
from gui.widgets.view_layout import column_of, row_of

_MAX_LINKS = 3


def dropped_notice(paths: Sequence[str]) -> Notice:
    """Link the other dropped files, and the comparison of two."""
    others = paths[1:]
    links = [
        NoticeAction(f"Open {display_name(path)}", "open", path)
        for path in others[:_MAX_LINKS]
    ]
    if len(paths) == 2:
        links.append(NoticeAction("Compare the two", "compare-file", paths[1]))
    title = f"{number_format.plural(len(others), 'more file was', 'more files were')} dropped."
    if len(others) > _MAX_LINKS:
        unlinked = number_format.plural(len(others) - _MAX_LINKS, "other")
        more_text = f"{unlinked} can be opened with File, Open."
    else:
        more_text = ""
    text = f"Only {display_name(paths[0])} was opened. {more_text}".strip()
    return Notice("info", title, text, tuple(links), topic="dropped")


class OpenController(QObject):
    """Sends open commands and keeps what to show once the file is read; opening another file drops
    that."""

    opening_started = Signal()  # messages about the previous transcript no longer apply
    notice = Signal(object)  # Notice

    def __init__(
        self, parent: QObject, backend: BackendClient, page: InspectPage
    ) -> None:
        super().__init__(parent)
        self._backend, self._page = backend, page
        self._dropped_notice: Notice | None = (
            None  # the other dropped files, once the first is read
        )
        self._strategy = (
            ""  # strategy to set after the first preview of a file from a folder
        )
        self._view = INSPECT  # the view to show first
        self._right = ""  # the file to show as the result of the opened one
        self._target_index = -1  # a message to go to once its scope is shown
        backend.started.connect(self._on_started)

    def open(self, command: OpenRequest) -> None:
        """Open a transcript; the current one stays visible until the first rows are read."""
        self._dropped_notice, self._strategy, self._view = None, "", INSPECT
        self._right = ""
        self._backend.open(command)

    def open_dropped(self, paths: list[str]) -> None:
        """Open the first of several files, and offer the others."""
        self.open(OpenRequest(paths[0]))
        if len(paths) > 1:
            self._dropped_notice = dropped_notice(paths)
        else:
            self._dropped_notice = None

    def open_pair(self, command: OpenRequest, right: str) -> None:
        """Open a file, and show another one as what a compaction left of it."""
        self.open(command)
        self._right = right

    def open_with_strategy(self, path: str, strategy: str) -> None:
        """Open a file of a folder under the strategy shown there."""
        self.open(OpenRequest(path))
        self._strategy = strategy

    def open_compared(self, path: str) -> None:
        """Open a session of the browser in Compare."""
        self.open(OpenRequest(path))
        self._view = COMPARE

    def go_to(self, index: int) -> None:
        """Go to a message of the requested scope as soon as it is shown."""
        if self._backend.is_busy:
            self._target_index = index
        else:
            self._page.go_to("before", index)

    def receive(self) -> str:
        """Take note that the first rows are read; return the view to show them in."""
        self._target_index = -1
        view, self._view = self._view, INSPECT
        return view

    def finish(self) -> None:
        """Do what the file was opened for, once everything is answered."""
        if self._strategy and self._page.preview is not None:
            strategy, self._strategy = self._strategy, ""
            self._backend.set_strategy(strategy)
        if self._right and self._page.preview is not None:
            right, self._right = self._right, ""
            self._backend.compare_file(right)
        if self._target_index >= 0:
            self._target_index, target = -1, self._target_index
            self._page.go_to("before", target)
        if self._dropped_notice is not None:
            self.notice.emit(self._dropped_notice)
            self._dropped_notice = None

    def _on_started(self, command: object) -> None:
        """Called also when the client reopens a file that the worker lost."""
        if isinstance(command, Call) and is_call_of(command, OpenService.open):
            self.opening_started.emit()


CHECK_INTERVAL_MS = 1_000
TOPIC = "grown"


class FileWatcher(QObject):
    """Polls size and time of the open file. The list keeps its position, or stays at its end."""

    notice = Signal(object)  # Notice
    following = Signal(bool)  # whether additions are read from now on

    def __init__(
        self, parent: QObject, backend: BackendClient, message_list: MessageList
    ) -> None:
        super().__init__(parent)
        self._backend, self._list = backend, message_list
        self._path = ""
        self._known_state: tuple[int, int] | None = None
        self._is_announced = self._was_at_end = self._is_missing = False
        self.is_following = False
        self._timer = QTimer(self, interval=CHECK_INTERVAL_MS)
        self._timer.timeout.connect(self.check)
        backend.idle.connect(self._on_idle)

    def start(self, file: FileOpenedEvent) -> None:
        if file.path != self._path:
            self._set(False)
        self._path = file.path
        self._known_state = _state(file.path)
        self._is_announced = False
        self._is_missing = self._known_state is None
        self._timer.start()

    def stop(self) -> None:
        self._path = ""
        self._set(False)
        self._timer.stop()

    def follow(self, follows: bool) -> None:
        """Read additions automatically from now on, or stop doing so."""
        self._set(follows)
        if follows:
            self.check()

    def _set(self, follows: bool) -> None:
        if follows != self.is_following:
            self.is_following = follows
            self.following.emit(follows)

    def check(self) -> None:
        """Check the file; a change is read or announced, once, as that it is gone."""
        state = _state(self._path)
        was_missing = self._is_missing
        self._is_missing = state is None
        if state is None and not was_missing:
            self._set(False)
            self.notice.emit(
                Notice("warning", *missing_file_text(self._path), topic=TOPIC)
            )
        elif was_missing and state is not None:
            self._withdraw()
        if (
            state is None
            or state == self._known_state
            or not self._backend.is_up_to_date
        ):
            return
        if self.is_following:
            self.read_again()
        elif was_missing or not self._is_announced:
            self._is_announced = True
            actions = (
                NoticeAction(tr("Read again"), "reload"),
                NoticeAction(tr("Follow"), "follow"),
            )
            name = display_name(self._path)
            self.notice.emit(
                Notice(
                    "info",
                    tr("{name} has changed on disk.").format(name=name),
                    "",
                    actions,
                    topic=TOPIC,
                )
            )

    def _withdraw(self) -> None:
        """Take back what was said of the file."""
        self.notice.emit(Notice("info", "", "", topic=TOPIC))

    def read_again(self) -> None:
        """Read the file again; the current rows stay visible until then."""
        self._withdraw()
        bar = self._list.view.verticalScrollBar()
        self._was_at_end = bar.maximum() > 0 and bar.value() == bar.maximum()
        self._known_state = _state(self._path) or self._known_state
        self._backend.reload()

    def _on_idle(self) -> None:
        if self._was_at_end:
            self._was_at_end = False
            self._list.view.scrollToBottom()


def _state(path: str) -> tuple[int, int] | None:
    """Return size and time of a file, None if it is missing (standard input, or moved away)."""
    try:
        if path:
            status = Path(path).stat()
        else:
            status = None
    except OSError:
        return None
    if status is not None:
        return (status.st_size, status.st_mtime_ns)
    return None


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
        dialog = PickDialog(
            self._window,
            tr("Conversations of {name}").format(name=file.name),
            file.branching.conversations,
            str(file.branching.conversation),
            tr("The file holds one conversation."),
        )
        dialog.chosen.connect(self._on_conversation)
        show_dialog(dialog)
        return dialog

    def open_branches(self) -> PickDialog | None:
        if (file := self._file) is None:
            return None
        dialog = PickDialog(
            self._window,
            tr("Branches of {name}").format(name=file.name),
            file.branching.branches,
            str(file.branching.branch),
            tr("The session has one branch."),
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
        copy = push_button(tr("Copy"))
        close = push_button(tr("Close"), "primary")
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
        header = tree.header()
        metrics = QFontMetrics(mono_font_for(self.font()))
        paths = (path for section in self._page.sections for path, _ in section.rows)
        widest = max(
            map(metrics.horizontalAdvance, paths), default=0
        )  # titles span both columns
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Fixed)
        header.resizeSection(0, widest + 2 * tree.indentation() + _MARGIN)
        header.setStretchLastSection(True)

    def _fill(self) -> None:
        theme = current_theme()
        tree = self._tree
        mono = mono_font_for(self.font())
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
