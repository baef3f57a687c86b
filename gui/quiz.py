"""The quiz dialog: questions about what was compacted, their price, scores and answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QCloseEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QDialog,
    QGridLayout,
    QHeaderView,
    QMainWindow,
    QProgressBar,
    QSpinBox,
    QTreeWidgetItem,
    QWidget,
)

from core.app.services.judge import JudgeService
from core.app.services.quiz import QuizService
from core.presentation.inspector_model import PREPARING, QuizPage, QuizRow
from core.presentation.model import Notice
from core.presentation.screen_model import Screen
from gui.backend import BackendClient
from gui.language import tr
from gui.remote_call import PendingCall
from gui.widgets.basic_widgets import bring_up, push_button, text_label
from gui.widgets.figure_list import FigureList
from gui.widgets.progress_line import show_progress
from gui.widgets.row_tree import WrappedTree
from gui.widgets.text_labels import ElidedLabel, tabular_feature
from gui.widgets.theme import current_theme
from gui.widgets.view_layout import clear_layout, column_of, row_of


class QuestionController(QObject):
    """Questions to a model about the shown result, in a dialog that is made once; while hidden, it
    sends nothing."""

    answered = Signal()  # the model was asked, perhaps not to the end

    def __init__(self, window: QMainWindow, backend: BackendClient) -> None:
        super().__init__(window)
        self._window, self._backend = window, backend
        self._dialog: QuizDialog | None = None
        backend.screen.connect(self._on_screen)

    def questions(self, with_baseline: bool, written: int) -> PendingCall[None]:
        """Request the questions and their price, ``written`` of them by the model; no model is
        called."""
        raise NotImplementedError

    def answers(self, with_baseline: bool, written: int) -> PendingCall[None]:
        """Ask the model."""
        raise NotImplementedError

    def open_dialog(self) -> QuizDialog:
        """Show the questions about the shown result; no model is called."""
        if self._dialog is None:
            self._dialog = QuizDialog(self._window)
            self._dialog.quiz_requested.connect(self._run)
            self._dialog.options_changed.connect(self._load)
            self._dialog.cancel_wanted.connect(self._backend.cancel)
        bring_up(self._dialog)
        self._load(*self._dialog.options)
        return self._dialog

    def _load(self, with_baseline: bool, written: int) -> None:
        self.questions(with_baseline, written).progress(self._on_page)

    def _run(self, with_baseline: bool, written: int) -> None:
        call = self.answers(with_baseline, written).progress(self._on_page)
        call.failed(self._on_failed).cancelled(partial(self._on_cancelled, with_baseline, written))
        call.done(self._on_answered)

    def _on_answered(self, _: None) -> None:
        self.answered.emit()

    def _on_cancelled(self, with_baseline: bool, written: int) -> None:
        self._load(with_baseline, written)
        self.answered.emit()

    def _on_page(self, page: QuizPage) -> None:
        if self._dialog is not None:
            self._dialog.show_page(page)

    def _on_screen(self, screen: Screen) -> None:
        """Request the questions for another result."""
        if self._dialog is not None and self._dialog.isVisible() and not screen.provisional:
            self._load(*self._dialog.options)

    def _on_failed(self, notice: Notice) -> None:
        self._backend.notice.emit(notice)
        if self._dialog is not None:
            self._dialog.end_run()


class QuizController(QuestionController):
    """The quiz, perhaps over the uncompacted history, too, and with questions that the model
    writes."""

    def questions(self, with_baseline: bool, written: int) -> PendingCall[None]:
        return self._backend.call(self, QuizService.questions, with_baseline, written)

    def answers(self, with_baseline: bool, written: int) -> PendingCall[None]:
        return self._backend.call(self, QuizService.run, with_baseline, written)


class JudgeController(QuestionController):
    """What a model says of reworded sentences, perhaps of the shipped pairs first."""

    def questions(self, with_baseline: bool, written: int) -> PendingCall[None]:
        return self._backend.call(self, JudgeService.questions, with_baseline)

    def answers(self, with_baseline: bool, written: int) -> PendingCall[None]:
        return self._backend.call(self, JudgeService.run, with_baseline)


_FIT, _STRETCH = QHeaderView.ResizeMode.ResizeToContents, QHeaderView.ResizeMode.Stretch
_FILLER_COLUMN = 9  # column after the scores, which takes the remaining width
_MODES = (_FIT, _STRETCH, _FIT)
_COLLAPSED_TONES = ("ok",)
"""Tones of answers that need no attention."""


class QuizDialog(QDialog):
    """Shows one QuizPage; updates change it in place."""

    quiz_requested = Signal(bool, int)  # the options, as in ``options``
    options_changed = Signal(bool, int)
    cancel_wanted = Signal()

    def __init__(self, parent: QWidget | None) -> None:
        super().__init__(parent)
        self.page: QuizPage | None = None
        self._rows: tuple[QuizRow, ...] = ()  # of the tree
        self._facts, self._scores = FigureList(row_height=22), QWidget()
        self._grid = QGridLayout(self._scores)
        self.tree = WrappedTree(tr("Questions"), 3)
        self._meter, self._status_label = QProgressBar(), text_label("", "secondary", wraps=True)
        self._meter.setTextVisible(False)
        self._meter.setAccessibleName(tr("Questions asked"))
        self.baseline, self.written = QCheckBox(), QSpinBox()
        self.written.setKeyboardTracking(False)
        self._written_label = text_label("", "secondary")
        self.run_button, self.cancel_button = push_button("", "primary"), push_button(tr("Cancel"))
        self.close_button = push_button(tr("Close"))
        self._lay_out()
        self.run_button.clicked.connect(self._on_run)
        self.baseline.toggled.connect(self._on_options)
        self.written.valueChanged.connect(self._on_options)
        self.cancel_button.clicked.connect(self.cancel_wanted)
        self.close_button.clicked.connect(self.close)
        self.resize(760, 640)
        self.show_page(PREPARING)

    def _lay_out(self) -> None:
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(20)
        self._grid.setVerticalSpacing(3)
        self._grid.setColumnStretch(_FILLER_COLUMN, 1)
        tree, header = self.tree, self.tree.header()
        header.setStretchLastSection(False)
        for column_index, mode in enumerate(_MODES):
            header.setSectionResizeMode(column_index, mode)
        buttons = row_of(
            self.baseline, None, self.run_button, self.cancel_button, self.close_button
        )
        written = row_of(self._written_label, self.written, None)
        parts = (self._facts, self._scores, tree, self._meter, self._status_label, written, buttons)
        self.setLayout(column_of(*parts, margins=(16, 14, 16, 12), gap=10, stretched=tree))

    @property
    def options(self) -> tuple[bool, int]:
        """Whether the question beside the button is ticked, and how many questions the model
        writes."""
        return self.baseline.isChecked(), self.written.value()

    @property
    def note(self) -> str:
        return self._status_label.text()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange and self.page is not None:
            self._rows = ()
            self._fill(self.page.rows)

    def show_page(self, page: QuizPage) -> None:
        self.page = page
        self.setWindowTitle(page.title)
        self._facts.show_facts(page.facts)
        self._show_scores(page)
        self._fill(page.rows)
        self._status_label.setText(page.status)
        self._status_label.setVisible(bool(page.status))
        show_progress(self._meter, page.done, max(1, page.total))
        self._meter.setVisible(page.is_running)
        self.baseline.setText(page.baseline_text)
        self.baseline.setVisible(bool(page.baseline_text))
        self.baseline.setEnabled(not page.is_running and not page.reason)
        self._written_label.setText(page.written_text)
        self.written.setAccessibleName(page.written_text)
        self.written.setMaximum(page.most_written)
        for widget in (self._written_label, self.written):
            widget.setVisible(bool(page.written_text))
            widget.setEnabled(not page.is_running and not page.reason)
        self.run_button.setText(page.button_text)
        self.run_button.setToolTip(page.reason)
        self.run_button.setEnabled(not page.reason)
        self.run_button.setVisible(not page.is_running)
        self.cancel_button.setVisible(page.is_running)

    def end_run(self) -> None:
        """Everything is answered: end a run that did not report its end."""
        if self.page is not None and self.page.is_running:
            self.show_page(replace(self.page, is_running=False))

    def _show_scores(self, page: QuizPage) -> None:
        clear_layout(self._grid)
        self._scores.setVisible(bool(page.table))
        for row, cells in enumerate((page.table_header, *page.table) if page.table else ()):
            is_sum = row == len(page.table)
            style = "strong" if is_sum else ""
            if row == 0:
                style = "secondary"
            for column, text in enumerate(cells):
                cell = ElidedLabel(text, style)
                cell.setFont(tabular_feature())
                side = Qt.AlignmentFlag.AlignRight if column else Qt.AlignmentFlag.AlignLeft
                cell.setAlignment(side | Qt.AlignmentFlag.AlignVCenter)
                self._grid.addWidget(cell, row, column)

    def _fill(self, rows: tuple[QuizRow, ...]) -> None:
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

    def _show_row(self, top: QTreeWidgetItem, row: QuizRow) -> None:
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
        self.quiz_requested.emit(*self.options)

    def _on_options(self, _: object) -> None:
        self.options_changed.emit(*self.options)

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
        item.setTextAlignment(column, Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
