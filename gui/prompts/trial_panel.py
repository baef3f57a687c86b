"""The right of the editor: what a model would be sent, and a trial summary written with the text."""

from __future__ import annotations

from dataclasses import replace

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QFontInfo, QResizeEvent
from PySide6.QtWidgets import QBoxLayout, QFrame, QPlainTextEdit, QWidget

from core.presentation.prompt_model import PromptPage, TrialOffer, TrialPage
from gui.inspect.run_pane.pane import RunPane
from gui.language import tr
from gui.widgets.basic_widgets import push_button, rule, text_label
from gui.widgets.figure_list import FigureList
from gui.widgets.text_labels import ElidedLabel, set_style_property
from gui.widgets.theme import SECONDARY, current_theme, mono_font, resized_font, scaled_pixels
from gui.widgets.view_layout import column_of, row_of

_PAD = 12


class TrialResult(QWidget):
    """The result of a trial: its figures, a note, and the summary's text."""

    def __init__(self) -> None:
        super().__init__()
        self.title, self.about = text_label("", "group"), ElidedLabel("", "secondary", min_chars=4)
        self.facts = FigureList(indent=_PAD, row_height=24)
        self.status_label, self.note = text_label(""), text_label("", "secondary")
        self.text = QPlainTextEdit(readOnly=True, undoRedoEnabled=False)
        self.text.setFrameShape(QFrame.Shape.NoFrame)
        self.text.setProperty("role", "reader")
        self.text.setAccessibleName(tr("Summary"))
        self.text.document().setDocumentMargin(_PAD - 2)
        for label in (self.status_label, self.note):
            label.setWordWrap(True)
        head = row_of(self.title, self.about, margins=(_PAD, 8, _PAD, 4), stretched=self.title)
        texts = column_of(self.status_label, self.note, margins=(_PAD, 4, _PAD, 4), gap=4)
        self.setLayout(column_of(head, self.facts, texts, self.text, None, stretched=self.text))

    def show_page(self, page: TrialPage, *, is_stale: bool) -> None:
        """Show the result of a trial; ``is_stale``: of another text, or before a setting changed."""
        notice, font = page.notice, resized_font(self.font(), SECONDARY)
        self.text.setFont(mono_font(size=QFontInfo(font).pixelSize()))
        self.title.setText(page.title)
        self.about.show_text(tr("before the last change") if is_stale else page.about)
        self.facts.show_facts(page.facts)
        self.note.setText(page.note)
        self.status_label.setText("" if notice is None else f"{notice.title} {notice.text}".strip())
        is_error = notice is not None and notice.severity == "error"
        set_style_property(self.status_label, "tone", "error" if is_error else "")
        if self.text.toPlainText() != page.text:
            self.text.setPlainText(page.text)
        for widget, is_shown in (
            (self.facts, page.facts),
            (self.note, page.note),
            (self.status_label, notice),
            (self.text, page.text),
        ):
            widget.setVisible(bool(is_shown))


class TrialPane(QWidget):
    """The request's facts, the ways to try it, and below them a question, progress, or the result."""

    try_wanted = Signal(bool, bool)  # offline, agreed
    cancel_wanted = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setProperty("role", "side")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._page: TrialPage | None = None
        self._result: TrialPage | None = None  # the last one with a result
        self._offer = TrialOffer()
        self.facts, self.reason = FigureList(indent=_PAD, row_height=24), text_label("", "secondary")
        self.offline, self.model = push_button("", "small"), push_button("", "small")
        self.result, self._lower_widget = TrialResult(), QWidget()
        self.run = RunPane(self._lower_widget)
        self.run.question.request_button.hide()  # it is a tab of this window
        self._lay_out()
        self.offline.clicked.connect(self._on_offline)
        self.model.clicked.connect(self._on_model)
        self.run.agreed.connect(self._on_agreed)
        self.run.declined.connect(self._on_offline)
        self.run.cancel_requested.connect(self.cancel_wanted)
        self.run.set_theme(current_theme())

    def _lay_out(self) -> None:
        self._lower_widget.setLayout(column_of(self.result))
        self.reason.setWordWrap(True)
        title = text_label(tr("Try it on this conversation"), "strong")
        self._buttons = row_of(self.offline, self.model, None, margins=(_PAD, 8, _PAD, 8))
        for button in (self.offline, self.model):
            self._buttons.setAlignment(button, Qt.AlignmentFlag.AlignLeft)
        self.setLayout(
            column_of(
                column_of(title, margins=(_PAD, 6, _PAD, 4)),
                self.facts,
                column_of(self.reason, margins=(_PAD, 0, _PAD, 0)),
                self._buttons,
                rule(),
                self._lower_widget,
                stretched=self._lower_widget,
            )
        )
        self.setMinimumWidth(scaled_pixels(220, self.font()))
        self._show()

    def _fit(self) -> None:
        """Put the buttons side by side if both fit, else one below the other."""
        needed_width = self.offline.sizeHint().width() + self.model.sizeHint().width() + 8 + 2 * _PAD
        direction = QBoxLayout.Direction
        fits = needed_width <= self.width()
        self._buttons.setDirection(direction.LeftToRight if fits else direction.TopToBottom)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.StyleChange:
            self.run.set_theme(current_theme())

    @property
    def is_running(self) -> bool:
        return self._page is not None and self._page.is_running

    def show_offer(self, page: PromptPage) -> None:
        self._offer = page.trial
        self.facts.show_facts(page.request.facts)
        self.facts.setVisible(bool(page.request.facts))
        self.offline.setText(self._offer.offline)
        self.model.setText(self._offer.model)
        self.model.setToolTip(self._offer.reason or self._offer.model_reason)
        self._fit()
        self._show()

    def show_page(self, page: TrialPage) -> None:
        """Show the state of a trial; the previous result stays until there is another."""
        self._page = page
        if page.text or page.notice is not None:
            self._result = page
        self._show()
        if page.progress is not None:
            self.run.show_writing(page.progress)
        elif page.question is not None and not page.is_running:
            self.run.show_question(page.question)
        else:
            self.run.clear()

    def end_run(self) -> None:
        """End a trial that did not report its end."""
        if self._page is not None and self._page.is_running:
            self.show_page(replace(self._page, progress=None, is_running=False))

    def forget(self) -> None:
        self._page = self._result = None
        self.run.clear()
        self._show()

    def _show(self) -> None:
        offer, page = self._offer, self._result
        can_try = not offer.reason and not self.is_running
        self.offline.setEnabled(can_try)
        self.model.setEnabled(can_try and not offer.model_reason)
        status = tr("The summary is being written. Esc stops it.") if self.is_running else offer.reason
        self.reason.setText(status)
        self.reason.setVisible(bool(status))
        self.result.setVisible(page is not None)
        if page is not None:
            self.result.show_page(page, is_stale=bool(page.text) and page.key != offer.key)

    def _on_offline(self) -> None:
        self.try_wanted.emit(True, False)

    def _on_model(self) -> None:
        self.try_wanted.emit(False, False)

    def _on_agreed(self) -> None:
        self.try_wanted.emit(False, True)
