"""Covers the after list for the question before a paid call and while a model writes."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPushButton, QStackedWidget, QVBoxLayout, QWidget

from core.presentation.settings.model import CallQuestion, SummaryProgress
from gui.inspect.run_pane.progress import SummaryProgressPage
from gui.inspect.run_pane.question import QuestionPage
from gui.widgets.key_presses import is_enter
from gui.widgets.theme import Theme


class RunPane(QWidget):
    """Covers its parent, below its ``head``, while a question or progress is shown.

    ``came`` is emitted when it appears. The focus is set to a button that costs nothing.
    """

    agreed = Signal()
    declined = Signal()
    cancel_requested = Signal()
    request_wanted = Signal()
    came = Signal()

    def __init__(self, parent: QWidget | None = None, head: QWidget | None = None) -> None:
        super().__init__(parent)
        self._head = head
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
    def is_asking(self) -> bool:
        return not self.isHidden() and self._stack.currentWidget() is self.question

    @property
    def is_writing(self) -> bool:
        return not self.isHidden() and self._stack.currentWidget() is self.writing

    def set_theme(self, theme: Theme) -> None:
        self.question.set_theme(theme)
        self.writing.set_theme(theme)

    def show_question(self, question: CallQuestion) -> None:
        self.question.show_question(question)
        self._bring(self.question)
        self.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_writing(self, writing: SummaryProgress) -> None:
        """Show a model's progress, or hide the pane when it is over."""
        if writing.is_over:
            self.clear()
            return
        if not self.is_writing:
            self.writing.stream.restart()
        self.writing.show_writing(writing)
        if not self.is_writing:
            had_focus = self._has_focus()
            self._bring(self.writing)
            if had_focus:
                self.setFocus(Qt.FocusReason.OtherFocusReason)

    def clear(self) -> None:
        if self.isHidden():
            return
        had_focus, parent = self._has_focus(), self.parentWidget()
        self._cover(False)
        if had_focus and parent is not None:
            parent.setFocus(Qt.FocusReason.OtherFocusReason)
        self.hide()

    def _has_focus(self) -> bool:
        """Return whether the pane or the covered list has the focus."""
        focus, below = self.window().focusWidget(), self.parentWidget() or self
        return focus is not None and (focus is below or below.isAncestorOf(focus))

    def _cover(self, covered: bool) -> None:
        """Disable the covered widgets, so that they take no keys."""
        if (parent := self.parentWidget()) is not None:
            direct = Qt.FindChildOption.FindDirectChildrenOnly
            for one in parent.findChildren(QWidget, options=direct):
                if one not in (self, self._head):
                    one.setEnabled(not covered)

    def _bring(self, page: QuestionPage | SummaryProgressPage) -> None:
        self._stack.setCurrentWidget(page)
        self.setFocusProxy(page.safe)
        self._cover(True)
        self._fit()
        self.raise_()
        self.show()
        self.came.emit()

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
        elif self.is_asking:
            self.clear()
        else:
            self.cancel_requested.emit()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and watched is self.parentWidget():
            self._fit()
        return super().eventFilter(watched, event)
