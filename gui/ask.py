"""The dialog in which a model is asked about the shown result: questions, price and answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QHeaderView,
    QMainWindow,
    QProgressBar,
    QTreeWidgetItem,
    QWidget,
)

from core.app.remote_methods import AskService
from core.presentation.inspector_model import PREPARING, AskPage, AskRow
from core.presentation.model import Notice
from core.presentation.screen_model import Screen
from gui.backend import BackendClient
from gui.language import tr
from gui.widgets.basic_widgets import bring_up, push_button, text_label
from gui.widgets.figure_list import FigureList
from gui.widgets.progress_line import show_progress
from gui.widgets.row_tree import WrappedTree
from gui.widgets.theme import current_theme
from gui.widgets.view_layout import column_of, row_of


class AskController(QObject):
    """Questions to a model about the shown result, perhaps the shipped pairs first, in a dialog that
    is made once; while hidden, it sends nothing."""

    answered = Signal()  # the model was asked, perhaps not to the end

    def __init__(self, window: QMainWindow, backend: BackendClient) -> None:
        super().__init__(window)
        self._window, self._backend = window, backend
        self._dialog: AskDialog | None = None
        backend.screen.connect(self._on_screen)

    def open_dialog(self) -> AskDialog:
        """Show the questions about the shown result; no model is called."""
        if self._dialog is None:
            self._dialog = AskDialog(self._window)
            self._dialog.ask_requested.connect(self._run)
            self._dialog.option_changed.connect(self._load)
            self._dialog.cancel_wanted.connect(self._backend.cancel)
        bring_up(self._dialog)
        self._load(self._dialog.option.isChecked())
        return self._dialog

    def _load(self, calibrates: bool) -> None:
        self._backend.call(self, AskService.questions, calibrates).progress(
            self._on_page
        )

    def _run(self, calibrates: bool) -> None:
        call = self._backend.call(self, AskService.run, calibrates).progress(
            self._on_page
        )
        call.failed(self._on_failed).cancelled(partial(self._on_cancelled, calibrates))
        call.done(self._on_answered)

    def _on_answered(self, _: None) -> None:
        self.answered.emit()

    def _on_cancelled(self, calibrates: bool) -> None:
        self._load(calibrates)
        self.answered.emit()

    def _on_page(self, page: AskPage) -> None:
        if self._dialog is not None:
            self._dialog.show_page(page)

    def _on_screen(self, screen: Screen) -> None:
        """Request the questions for another result."""
        if (
            self._dialog is not None
            and self._dialog.isVisible()
            and not screen.provisional
        ):
            self._load(self._dialog.option.isChecked())

    def _on_failed(self, notice: Notice) -> None:
        self._backend.notice.emit(notice)
        if self._dialog is not None:
            self._dialog.end_run()


_FIT, _STRETCH = QHeaderView.ResizeMode.ResizeToContents, QHeaderView.ResizeMode.Stretch
_MODES = (_FIT, _STRETCH, _FIT)
_COLLAPSED_TONES = ("ok",)
"""Tones of answers that need no attention."""


class AskDialog(QDialog):
    """Shows one AskPage; updates change it in place."""

    ask_requested = Signal(bool)  # whether the option is ticked
    option_changed = Signal(bool)
    cancel_wanted = Signal()

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.page: AskPage | None = None
        self._rows: tuple[AskRow, ...] = ()  # of the tree
        self._facts = FigureList(row_height=22)
        self.tree = WrappedTree(tr("Questions"), 3)
        self._meter = QProgressBar()
        self.status_label = text_label("", "secondary", wraps=True)
        self._meter.setTextVisible(False)
        self._meter.setAccessibleName(tr("Questions asked"))
        self.option = QCheckBox()
        self.run_button = push_button("", "primary")
        self.cancel_button = push_button(tr("Cancel"))
        self.close_button = push_button(tr("Close"))
        self._lay_out()
        self.run_button.clicked.connect(self._on_run)
        self.option.toggled.connect(self.option_changed)
        self.cancel_button.clicked.connect(self.cancel_wanted)
        self.close_button.clicked.connect(self.close)
        self.resize(760, 640)
        self.show_page(PREPARING)

    def _lay_out(self) -> None:
        tree = self.tree
        header = self.tree.header()
        header.setStretchLastSection(False)
        for column_index, mode in enumerate(_MODES):
            header.setSectionResizeMode(column_index, mode)
        buttons = row_of(
            self.option, None, self.run_button, self.cancel_button, self.close_button
        )
        parts = (self._facts, tree, self._meter, self.status_label, buttons)
        self.setLayout(
            column_of(*parts, margins=(16, 14, 16, 12), gap=10, stretched=tree)
        )

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and self.page is not None:
            self._rows = ()
            self._fill(self.page.rows)

    def show_page(self, page: AskPage) -> None:
        self.page = page
        self.setWindowTitle(page.title)
        self._facts.show_facts(page.facts)
        self._fill(page.rows)
        self.status_label.setText(page.status)
        self.status_label.setVisible(bool(page.status))
        show_progress(self._meter, page.done, max(1, page.total))
        self._meter.setVisible(page.is_running)
        self.option.setText(page.option_text)
        self.option.setVisible(bool(page.option_text))
        self.option.setEnabled(not page.is_running and not page.reason)
        self.run_button.setText(page.button_text)
        self.run_button.setToolTip(page.reason)
        self.run_button.setEnabled(not page.reason)
        self.run_button.setVisible(not page.is_running)
        self.cancel_button.setVisible(page.is_running)

    def end_run(self) -> None:
        """Everything is answered: end a run that did not report its end."""
        if self.page is not None and self.page.is_running:
            self.show_page(replace(self.page, is_running=False))

    def _fill(self, rows: tuple[AskRow, ...]) -> None:
        """Update the questions: unchanged ones stay open or closed."""
        while self.tree.topLevelItemCount() > len(rows):
            self.tree.takeTopLevelItem(self.tree.topLevelItemCount() - 1)
        for index, row in enumerate(rows):
            if index < len(self._rows) and self._rows[index] == row:
                continue
            top = self.tree.topLevelItem(index)
            if top is None:
                top = QTreeWidgetItem(self.tree)
            self._show_row(top, row)
        self._rows = rows

    def _show_row(self, top: QTreeWidgetItem, row: AskRow) -> None:
        """Show a question with its answers; one that was answered right is closed."""
        top.takeChildren()
        _write(top, (row.kind, row.question, row.verdict))
        top.setForeground(0, current_theme().text2)
        top.setForeground(2, current_theme().tone(row.tone))
        for cells in row.details:
            line = QTreeWidgetItem(top)
            _write(line, cells)
            for column in range(len(cells)):
                line.setForeground(column, current_theme().text2)
        top.setExpanded(row.tone not in _COLLAPSED_TONES)

    def _on_run(self) -> None:
        self.ask_requested.emit(self.option.isChecked())

    def closeEvent(self, event: QCloseEvent) -> None:
        """Closing stops the paid run."""
        self._stop()
        super().closeEvent(event)

    def reject(self) -> None:
        """Esc closes it, too."""
        self._stop()
        super().reject()

    def _stop(self) -> None:
        if self.page is not None and self.page.is_running:
            self.cancel_wanted.emit()


def _write(item: QTreeWidgetItem, cells: Sequence[str]) -> None:
    """Top-align short cells with the first line of the long one."""
    for column, text in enumerate(cells):
        item.setText(column, text)
        item.setTextAlignment(
            column, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft
        )
