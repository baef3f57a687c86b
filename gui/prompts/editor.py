"""The window of the prompt editor: checks the text while the user types, saves, and loses no unsaved text."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QDialog, QHBoxLayout, QSplitter, QVBoxLayout, QWidget

from core.common.paths import shown_path
from core.presentation.model import Notice
from core.presentation.prompts.model import PromptPage, PromptPlace, TrialPage
from gui.language import tr
from gui.prompts.edit_state import PromptEdits
from gui.prompts.editor_head import EditorHeader
from gui.prompts.editor_middle import MiddlePane
from gui.prompts.message_strip import CLOSE, DELETE, MessageStrip, QuestionStrip, hairline, notice_message
from gui.prompts.side_panel import PromptChecksPane, PromptLevelsPane
from gui.prompts.trial_panel import TrialPane
from gui.widgets.basic_widgets import text_label
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import Theme, fit_dialog

PAUSE_MS = 250
"""Pause after the last key before the text is checked."""
_WIDTHS = (286, 652, 340)


class PromptEditor(QDialog):
    """Not modal. Shows pages; the signals carry the arguments of PromptService."""

    load_requested = Signal(object, object, object)  # PromptPlace, text or None, FileSignature or None
    save_requested = Signal(object, object, object)
    revert_requested = Signal(object)
    try_requested = Signal(object, object, bool, bool)  # name, text, offline, agreed
    cancel_wanted = Signal()

    def __init__(self, parent: QWidget | None, theme: Theme) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle(tr("Prompts"))
        self.edits = PromptEdits()
        self._theme = theme
        self._is_moving = False  # another page was requested, or a change of the file
        self._is_saving = False
        self._closing_window: QWidget | None = None  # the window whose closing was prevented
        self.head, self.middle = EditorHeader(), MiddlePane()
        self.levels, self.checks, self.trial = PromptLevelsPane(), PromptChecksPane(), TrialPane()
        self.notice, self.question = MessageStrip(), QuestionStrip(self.edits)
        self._path, self._tokens = ElidedLabel("", "secondary", min_chars=12), text_label("", "secondary")
        self._typing_timer = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._lay_out()
        self._connect()
        self.set_theme(theme)
        fit_dialog(self, 1280, 800)
        if parent is not None:
            parent.window().installEventFilter(self)

    def _lay_out(self) -> None:
        parts = QSplitter()
        parts.setHandleWidth(1)
        parts.setChildrenCollapsible(False)
        text_pane = QWidget()
        text_column = QVBoxLayout(text_pane)
        text_column.setContentsMargins(0, 0, 0, 0)
        text_column.setSpacing(0)
        text_column.addWidget(self.levels)
        text_column.addWidget(self.checks, 1)
        for number, pane in enumerate((text_pane, self.middle, self.trial)):
            parts.addWidget(pane)
            parts.setStretchFactor(number, int(pane is self.middle))
        parts.setSizes(list(_WIDTHS))
        foot = QWidget()
        foot.setProperty("role", "side")
        foot.setMinimumHeight(24)
        row = QHBoxLayout(foot)
        row.setContentsMargins(12, 3, 12, 3)
        row.addWidget(self._path, 1)
        row.addWidget(self._tokens)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        for widget in (self.head, self.question, self.notice):
            column.addWidget(widget)
        column.addWidget(parts, 1)
        column.addWidget(hairline())
        column.addWidget(foot)

    def _connect(self) -> None:
        self._typing_timer.timeout.connect(self._ask_about_text)
        self.middle.text.text_typed.connect(self._on_typed)
        self.head.name_chosen.connect(self._on_name)
        self.head.seen_by_chosen.connect(self._on_seen_by)
        self.head.tab_chosen.connect(self.show_tab)
        self.head.revert.clicked.connect(self._on_revert)
        self.head.save.clicked.connect(self.save_text)
        self.levels.chain.level_chosen.connect(self._on_level)
        self.levels.override.clicked.connect(self.save_text)
        self.levels.remove.clicked.connect(self._ask_to_delete)
        self.checks.sections.insert_requested.connect(self._on_insert)
        self.trial.try_wanted.connect(self._on_try)
        self.trial.cancel_wanted.connect(self.cancel_wanted)
        self.notice.action_chosen.connect(self._on_line)
        self.question.action_chosen.connect(self._on_answer)
        keys = QShortcut(QKeySequence(QKeySequence.StandardKey.Save), self)
        keys.activated.connect(self.save_text)

    @property
    def text(self) -> str:
        return self.middle.text.text

    def set_theme(self, theme: Theme) -> None:
        self._theme = theme
        for part in (self.middle, self.levels, self.checks, self.trial, self.notice, self.question):
            part.set_theme(theme)

    def begin(self, name: str = "") -> None:
        """Request a prompt; without a name the shown one, or that of the active strategy."""
        if name or self.edits.page is None:
            self._move(PromptPlace(name))
        else:
            self._ask_about_text()

    def show_tab(self, name: str) -> None:
        """Raise "text", "changes" or "request"."""
        self.head.show_tab(name)
        self.middle.show_tab(name)

    def show_page(self, page: PromptPage) -> None:
        """Show an answer. The text changes only if nothing typed is lost."""
        was_other = self.edits.page is None or self.edits.page.path != page.path
        text = self.edits.receive(page, self.text)
        self._is_moving = self._is_saving = False
        if text is not None:
            self.middle.text.put_text(text, undoable=not was_other)
        self.head.show_prompt(page.name, page.names, page.provider, page.model)
        self.middle.show_page(page)
        self.checks.show_page(page)
        self.trial.show_offer(page)
        self.notice.show_message(notice_message(page))
        self._path.show_text(shown_path(Path(page.path), Path.home()) if page.path else "")
        self._tokens.setText(page.tokens)
        self._show_edited()
        if was_other and self.edits.is_edited(self.text):
            self._ask_about_text()  # an unsaved text was restored

    def show_trial(self, page: TrialPage) -> None:
        """Show the state of a trial; request the offer again if the text was changed meanwhile."""
        was_running = self.trial.is_running
        self.trial.show_page(page)
        if was_running and not page.is_running:
            self._ask_about_text()

    def show_notice(self, notice: Notice) -> None:
        if notice.severity == "error" and self.isVisible():
            was_saving, self._is_moving, self._is_saving = self._is_saving, False, False
            self.question.fail(f"{notice.title} {notice.text}".strip(), self.text)
            if was_saving:
                self._ask_about_text()  # another program may have changed the file

    def stop_waiting(self) -> None:
        """A call ended without its answer."""
        self._is_moving = self._is_saving = False
        self.trial.end_run()

    # User actions

    def _on_typed(self) -> None:
        self.question.resolve()
        self._show_edited()
        self._typing_timer.start()

    def _ask_about_text(self) -> None:
        self._typing_timer.stop()
        if not self._is_moving:
            self.load_requested.emit(*self.edits.page_request(self.text))

    def _move(self, place: PromptPlace) -> None:
        self._typing_timer.stop()
        self._is_moving = True
        self.question.resolve()
        self.load_requested.emit(place, None, None)

    def _on_name(self, name: str) -> None:
        self._move(PromptPlace(name, self.head.provider.text().strip(), self.head.model.text().strip()))

    def _on_seen_by(self, provider: str, model: str) -> None:
        self._move(PromptPlace(self.head.name.currentText(), provider, model))

    def _on_level(self, level: str) -> None:
        if (page := self.edits.page) is not None:
            self._move(PromptPlace(page.name, page.provider, page.model, level))

    def save_text(self) -> None:
        page, loaded = self.edits.page, self.edits.loaded_page
        if page is not None and loaded is not None and page.editable:
            self._typing_timer.stop()
            self._is_moving = self._is_saving = True
            self.question.forget_error()
            self.save_requested.emit(page.place, self.text, loaded.file_signature)

    def _on_revert(self) -> None:
        self.middle.text.put_text(self.edits.saved_text, undoable=True)
        self._on_typed()

    def _on_insert(self, section: str) -> None:
        from core.presentation.prompts.page import insert_section  # late: it imports the whole preview

        if self.edits.page is not None:
            text = insert_section(self.edits.page.name, self.text, section)
            self.show_tab("text")
            self.middle.text.put_text(text, undoable=True)
            self._on_typed()

    def _on_line(self, line: str) -> None:
        self.show_tab("text")
        self.middle.text.go_to_line(int(line))

    def _on_try(self, offline: bool, agreed: bool) -> None:
        if (page := self.edits.page) is not None:
            self._ask_about_text()  # so that the offer belongs to the text that is tried
            self.question.forget_error()
            self.try_requested.emit(page.name, self.edits.text(self.text), offline, agreed)

    # Questions

    def _ask_to_delete(self) -> None:
        self.question.ask(DELETE, self.text, "keep")

    def _on_answer(self, name: str) -> None:
        page = self.edits.page
        self.question.resolve()
        match name:
            case "delete" if page is not None:
                self.edits.discard(self.text)
                self._is_moving = True
                self.revert_requested.emit(page.place)
            case "mine":
                self.edits.overwrite_outside_change()
                self._ask_about_text()
            case "theirs":
                self.edits.discard(self.text)
                self._ask_about_text()
            case "discard":
                self.edits.forget_all(self.text)
                self.close()
                if self._closing_window is not None:
                    self._closing_window.close()
        self._closing_window = None
        self.question.refresh(self.text)

    def _show_edited(self) -> None:
        edited = self.edits.is_edited(self.text)
        page = self.edits.page
        self.head.save.setEnabled(edited and page is not None and page.editable)
        self.head.revert.setEnabled(edited)
        self.middle.set_edited(edited)
        if page is not None:
            self.levels.show_page(page, self.edits.drafts + ((page.path,) if edited else ()))
        self.question.refresh(self.text)

    def _may_close(self) -> bool:
        """Return True if no text would be lost; otherwise ask."""
        if not self.edits.unsaved_count(self.text):
            return True
        self.question.ask(CLOSE, self.text, "stay")
        return False

    def closeEvent(self, event: QCloseEvent) -> None:
        event.setAccepted(self._may_close())
        if event.isAccepted():
            self._stop_try()

    def reject(self) -> None:
        """Esc closes the editor, or stops a running trial."""
        if self.trial.is_running:
            self._stop_try()
        elif self._may_close():
            super().reject()

    def _stop_try(self) -> None:
        """Stop the paid trial."""
        if self.trial.is_running:
            self.cancel_wanted.emit()

    def changeEvent(self, event: QEvent) -> None:
        """Checks the file when the window becomes active again: it may have changed."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ActivationChange and self.isActiveWindow() and self.edits.page:
            self._ask_about_text()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Prevents the program from ending with unsaved texts."""
        if event.type() == QEvent.Type.Close and isinstance(watched, QWidget) and not self._may_close():
            event.ignore()
            self._closing_window = watched
            self.show()
            self.raise_()
            self.activateWindow()
            return True
        return super().eventFilter(watched, event)
