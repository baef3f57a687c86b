"""The pane that takes the place of the summary before and during a paid call: the question with its
price, then the text that the model writes."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QPlainTextEdit,
    QProgressBar,
    QPushButton,
    QStackedWidget,
    QWidget,
)

from core.app.remote_methods import (
    OpenService,
    PreviewService,
    ProfileService,
    SettingsService,
)
from core.app.rpc import is_call_of
from core.presentation.dialog_model import USE_OFFLINE, CallQuestion, SummaryProgress
from core.presentation.inspector_model import TextSpan
from core.presentation.model import LabelledFigure
from gui.backend import BackendClient
from gui.language import tr
from gui.widgets.basic_widgets import TONE_GLYPHS, push_button, text_label
from gui.widgets.events import is_enter
from gui.widgets.icons import ToneLabel
from gui.widgets.progress_line import show_progress
from gui.widgets.text_labels import ElidedLabel, SpanText, tabular_feature
from gui.widgets.theme import SECONDARY, mono_font_for
from gui.widgets.view_layout import (
    FoundSecretsList,
    clear_layout,
    column_of,
    fill_panel,
    panel_of,
    row_of,
)

_STEPS, _MARGINS = 1000, (12, 12, 12, 12)


class QuestionPage(QWidget):
    """Shows a CallQuestion. A stray Enter gives neither answer."""

    def __init__(self) -> None:
        super().__init__()
        self.secrets_list = FoundSecretsList()
        self._title = text_label("", "strong", wraps=True)
        self._text = SpanText(colour="text2")
        self._rows = column_of(gap=8)
        self.yes_button = push_button("", "primary")
        self.no_button = push_button(tr(USE_OFFLINE))
        self.request_button = push_button(tr("Show request"))
        self.focus_button = self.no_button  # gets the focus
        self._answers = row_of(self.yes_button, self.no_button)
        for button in (self.yes_button, self.no_button):
            self._answers.setAlignment(button, Qt.AlignmentFlag.AlignLeft)
        answers = row_of(self._answers, None)
        request = row_of(self.request_button, None)
        parts = (
            self._title,
            self._text,
            self._rows,
            self.secrets_list,
            4,
            answers,
            request,
            None,
        )
        self.setLayout(column_of(*parts, margins=_MARGINS, gap=8))

    def show_question(self, question: CallQuestion) -> None:
        self._title.setText(question.title)
        self._text.set_spans((TextSpan(question.text),))
        self.yes_button.setText(question.yes_label)
        self.setAccessibleName(question.title)
        self.secrets_list.show_lines(question.secrets)
        clear_layout(self._rows)
        for (
            fact
        ) in question.facts:  # no grid: a long value would take the room of every label
            name = text_label(fact.label, "muted", wraps=True)
            self._rows.addWidget(
                panel_of(row_of(name, self._value(fact), stretched=name))
            )

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Puts the answers one below the other where both do not fit side by side."""
        super().resizeEvent(event)
        width = self.yes_button.sizeHint().width() + self.no_button.sizeHint().width()
        is_narrow = width + 8 + _MARGINS[0] + _MARGINS[2] > self.width()
        direction = QBoxLayout.Direction
        self._answers.setDirection(
            direction.TopToBottom if is_narrow else direction.LeftToRight
        )

    def _value(self, fact: LabelledFigure) -> QWidget:
        if fact.tone in TONE_GLYPHS:
            toned_label = ToneLabel()
            toned_label.show_text(fact.value, fact.tone, bold=True)
            return toned_label
        label = text_label(fact.value, fact.tone)
        label.setFont(tabular_feature())
        return label


class SummaryProgressPage(QWidget):
    """Shows a SummaryProgress; updates change it in place."""

    def __init__(self) -> None:
        super().__init__()
        self._title = ElidedLabel("", "strong")
        self._elapsed = text_label("", "muted")
        self._elapsed.setFont(tabular_feature())
        self._bar = QProgressBar()
        self._facts = SpanText(SECONDARY, "text2")
        self._bar.setTextVisible(False)
        self._bar.setAccessibleName(tr("Summary received"))
        self.summary_text = QPlainTextEdit(readOnly=True)
        self.summary_text.setFrameShape(QFrame.Shape.NoFrame)
        self.summary_text.setProperty("role", "reader")
        self.summary_text.setAccessibleName(tr("Summary so far"))
        self.cancel_button = push_button(tr("Cancel (Esc)"))
        self.focus_button = self.cancel_button  # gets the focus
        header = row_of(self._title, self._elapsed, stretched=self._title)
        parts = (
            header,
            self._bar,
            self._facts,
            self.summary_text,
            row_of(self.cancel_button, None),
        )
        self.setLayout(
            column_of(*parts, margins=_MARGINS, gap=8, stretched=self.summary_text)
        )

    def show_writing(self, writing: SummaryProgress) -> None:
        self.summary_text.setFont(mono_font_for(self.font()))
        self._title.show_text(writing.title)
        self._elapsed.setText(writing.elapsed)
        show_progress(self._bar, round(writing.fraction * _STEPS), _STEPS)
        self._facts.set_spans((TextSpan("\n".join(writing.facts)),))
        self._show_text(writing.text)
        self.setAccessibleName(f"{writing.title}, {writing.elapsed}")

    def _show_text(self, text: str) -> None:
        """Show the text so far and follow its end, unless the user has scrolled away."""
        bar = self.summary_text.verticalScrollBar()
        place = bar.value()
        is_at_end = bar.value() >= bar.maximum() - 1
        self.summary_text.setPlainText(text)
        bar.setValue(bar.maximum() if is_at_end else place)


class RunPane(QWidget):
    """Covers its parent while a question or progress is shown, or stands where ``area`` says in it.

    ``appeared`` is emitted before it appears, ``ended`` afterwards. The focus is set to a button
    that costs nothing.
    """

    agreed = Signal()
    declined = Signal()
    cancel_requested = Signal()
    appeared = Signal()
    ended = Signal()

    def __init__(
        self, parent: QWidget | None = None, area: Callable[[], QRect] | None = None
    ) -> None:
        super().__init__(parent)
        self._area = area
        self.question = QuestionPage()
        self.writing = SummaryProgressPage()
        self._stack = QStackedWidget()
        for page in (self.question, self.writing):
            self._stack.addWidget(page)
        fill_panel(self, "pane", column_of(self._stack))
        self.question.yes_button.clicked.connect(self._on_agreed)
        self.question.no_button.clicked.connect(self._on_declined)
        self.writing.cancel_button.clicked.connect(self.cancel_requested)
        if parent is not None:
            parent.installEventFilter(self)
            self.hide()

    @property
    def has_question(self) -> bool:
        return not self.isHidden() and self._stack.currentWidget() is self.question

    @property
    def is_writing(self) -> bool:
        return not self.isHidden() and self._stack.currentWidget() is self.writing

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
        had_focus = self._has_focus()
        parent = self.parentWidget()
        self._set_covered(False)
        if had_focus and parent is not None:
            parent.setFocus(Qt.FocusReason.OtherFocusReason)
        self.hide()
        self.ended.emit()

    def _has_focus(self) -> bool:
        """Return whether the pane or what it covers has the focus."""
        focus = self.window().focusWidget()
        covered = self.parentWidget() or self
        return focus is not None and (
            focus in (covered, covered.focusProxy()) or covered.isAncestorOf(focus)
        )

    def _set_covered(self, covered: bool) -> None:
        """Disable the covered widgets, so that they take no keys."""
        if (parent := self.parentWidget()) is not None and self._area is None:
            options = Qt.FindChildOption.FindDirectChildrenOnly
            for child in parent.findChildren(QWidget, options=options):
                if child is not self:
                    child.setEnabled(not covered)

    def _show_page(self, page: QuestionPage | SummaryProgressPage) -> None:
        self._stack.setCurrentWidget(page)
        self.setFocusProxy(page.focus_button)
        self._set_covered(True)
        self.appeared.emit()
        self.fit()
        self.raise_()
        self.show()

    def fit(self) -> None:
        """Take the place that there is now."""
        if (parent := self.parentWidget()) is not None:
            self.setGeometry(parent.rect() if self._area is None else self._area())

    def _on_agreed(self) -> None:
        self.clear()
        self.agreed.emit()

    def _on_declined(self) -> None:
        self.clear()
        self.declined.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Enter presses the focused button. Esc declines the question, or cancels while a model
        writes."""
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
            self.fit()
        return super().eventFilter(watched, event)


_OBSOLETING_CALLS = (
    OpenService.open,
    PreviewService.change,
    PreviewService.set_scope,
    PreviewService.set_model,
    PreviewService.compact,
    PreviewService.undo,
    PreviewService.redo,
    PreviewService.restore_run,
    ProfileService.use,
    ProfileService.choose_summary_profile,
    ProfileService.save,
    ProfileService.delete,
    SettingsService.save,
    SettingsService.run_line,
)
"""What makes a pending question obsolete."""


class CallConfirmation(QObject):
    """Passes questions to the pane and its answers to the backend."""

    def __init__(self, backend: BackendClient, pane: RunPane) -> None:
        super().__init__(pane)
        self._backend, self._pane = backend, pane
        self._focus = ""  # focus of the compaction in question
        backend.question.connect(self._on_question)
        backend.writing.connect(pane.show_writing)
        backend.started.connect(self._on_started)
        backend.idle.connect(self._on_idle)
        pane.agreed.connect(self._on_agreed)
        pane.declined.connect(self._on_declined)
        pane.cancel_requested.connect(backend.cancel)

    def _on_question(self, question: CallQuestion) -> None:
        self._focus = question.focus
        self._pane.show_question(question)

    def _on_agreed(self) -> None:
        self._backend.compact(self._focus, agreed=True)

    def _on_declined(self) -> None:
        self._backend.compact(self._focus, offline=True)

    def _on_started(self, command: object) -> None:
        if self._pane.has_question and is_call_of(command, *_OBSOLETING_CALLS):
            self._pane.clear()

    def _on_idle(self) -> None:
        if self._pane.is_writing:
            self._pane.clear()
