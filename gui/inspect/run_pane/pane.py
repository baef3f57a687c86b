"""Covers the after list for the question before a paid call and while a model writes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPushButton, QStackedWidget, QVBoxLayout, QWidget

from core.app.rpc import is_call_of
from core.app.services.preview import OpenService, PreviewService
from core.app.services.settings import ProfileService, SettingsService
from core.presentation.dialog_model import CallQuestion, SummaryProgress
from gui.backend import BackendClient
from gui.inspect.run_pane.pages import QuestionPage, SummaryProgressPage
from gui.widgets.key_presses import is_enter
from gui.widgets.theme import Theme


class RunPane(QWidget):
    """Covers its parent, below its ``head``, while a question or progress is shown.

    ``appeared`` is emitted when it appears. The focus is set to a button that costs nothing.
    """

    agreed = Signal()
    declined = Signal()
    cancel_requested = Signal()
    request_wanted = Signal()
    appeared = Signal()

    def __init__(self, parent: QWidget | None = None, header: QWidget | None = None) -> None:
        super().__init__(parent)
        self._head = header
        self.setProperty("role", "pane")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.question, self.writing = QuestionPage(), SummaryProgressPage()
        self._stack = QStackedWidget()
        for page in (self.question, self.writing):
            self._stack.addWidget(page)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self._stack)
        self.question.agreed.connect(self._on_agreed)
        self.question.declined.connect(self._on_declined)
        self.question.request_wanted.connect(self.request_wanted)
        self.writing.cancel_requested.connect(self.cancel_requested)
        if parent is not None:
            parent.installEventFilter(self)
            self.hide()

    @property
    def has_question(self) -> bool:
        return not self.isHidden() and self._stack.currentWidget() is self.question

    @property
    def is_writing(self) -> bool:
        return not self.isHidden() and self._stack.currentWidget() is self.writing

    def set_theme(self, theme: Theme) -> None:
        self.question.set_theme(theme)
        self.writing.set_theme(theme)

    def show_question(self, question: CallQuestion) -> None:
        self.question.show_question(question)
        self._show_page(self.question)
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_writing(self, writing: SummaryProgress) -> None:
        """Show a model's progress, or hide the pane when it is over."""
        if writing.is_over:
            self.clear()
            return
        if not self.is_writing:
            self.writing.summary_text.clear()
        self.writing.show_writing(writing)
        if not self.is_writing:
            had_focus = self._has_focus()
            self._show_page(self.writing)
            if had_focus:
                self.setFocus(Qt.FocusReason.OtherFocusReason)

    def clear(self) -> None:
        if self.isHidden():
            return
        had_focus, parent = self._has_focus(), self.parentWidget()
        self._set_covered(False)
        if had_focus and parent is not None:
            parent.setFocus(Qt.FocusReason.OtherFocusReason)
        self.hide()

    def _has_focus(self) -> bool:
        """Return whether the pane or the covered list has the focus."""
        focus, covered = self.window().focusWidget(), self.parentWidget() or self
        return focus is not None and (focus is covered or covered.isAncestorOf(focus))

    def _set_covered(self, covered: bool) -> None:
        """Disable the covered widgets, so that they take no keys."""
        if (parent := self.parentWidget()) is not None:
            options = Qt.FindChildOption.FindDirectChildrenOnly
            for child in parent.findChildren(QWidget, options=options):
                if child not in (self, self._head):
                    child.setEnabled(not covered)

    def _show_page(self, page: QuestionPage | SummaryProgressPage) -> None:
        self._stack.setCurrentWidget(page)
        self.setFocusProxy(page.focus_button)
        self._set_covered(True)
        self._fit()
        self.raise_()
        self.show()
        self.appeared.emit()

    def _fit(self) -> None:
        if (parent := self.parentWidget()) is not None:
            top = 0 if self._head is None else self._head.geometry().bottom() + 1
            self.setGeometry(parent.rect().adjusted(0, top, 0, 0))

    def _on_agreed(self) -> None:
        self.clear()
        self.agreed.emit()

    def _on_declined(self) -> None:
        self.clear()
        self.declined.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses the focused button. Esc declines the question, or cancels while a model writes."""
        focus = self.focusWidget()
        if is_enter(event) and isinstance(focus, QPushButton):
            focus.click()
        elif event.key() != Qt.Key.Key_Escape:
            super().keyPressEvent(event)
        elif self.has_question:
            self.clear()
        else:
            self.cancel_requested.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.parentWidget():
            self._fit()
        return super().eventFilter(watched, event)


_OBSOLETING_CALLS = (
    OpenService.open,
    PreviewService.change,
    PreviewService.set_scope,
    PreviewService.set_model,
    PreviewService.compact,
    PreviewService.undo,
    ProfileService.use,
    SettingsService.run_line,
)
"""What makes a pending question obsolete."""


class CallConfirmation(QObject):
    """Passes questions to the pane and its answers to the backend."""

    def __init__(self, session: BackendClient, pane: RunPane) -> None:
        super().__init__(pane)
        self._session, self._pane = session, pane
        self._focus = ""  # focus of the compaction in question
        session.question.connect(self._on_question)
        session.writing.connect(pane.show_writing)
        session.started.connect(self._on_started)
        session.idle.connect(self._on_idle)
        pane.agreed.connect(self._on_agreed)
        pane.declined.connect(self._on_declined)
        pane.cancel_requested.connect(session.cancel)

    def _on_question(self, question: CallQuestion) -> None:
        self._focus = question.focus
        self._pane.show_question(question)

    def _on_agreed(self) -> None:
        self._session.compact(self._focus, agreed=True)

    def _on_declined(self) -> None:
        self._session.compact(self._focus, offline=True)

    def _on_started(self, command: object) -> None:
        if self._pane.has_question and is_call_of(command, *_OBSOLETING_CALLS):
            self._pane.clear()

    def _on_idle(self) -> None:
        if self._pane.is_writing:
            self._pane.clear()
