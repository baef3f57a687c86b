"""The window of the prompt editor: checks the text while the user types, saves, and loses no
unsaved text."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QKeySequence, QShortcut
from PySide6.QtWidgets import QComboBox, QDialog, QLineEdit, QSplitter, QWidget

from core.app.services.prompts import PromptService
from core.common.paths import shown_path
from core.presentation.dialog_model import PromptLocation, PromptPage, TrialPage
from core.presentation.model import Notice, NoticeAction
from core.presentation.screen_model import Screen
from gui.backend import BackendClient
from gui.language import tr
from gui.prompts.panels import SidePanel, TrialPane
from gui.prompts.prompt_views import TABS, PromptEdits, PromptViews, check_notice, editor_head
from gui.remote_call import PendingCall, Value
from gui.widgets.basic_widgets import push_button, rule, text_label
from gui.widgets.notice_strip import NoticeStrip, notice_text
from gui.widgets.segmented_switch import SegmentedControl
from gui.widgets.side_dialog import question_dialog
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.theme import fit_dialog
from gui.widgets.view_layout import column_of, panel_of, row_of

PAUSE_MS = 250
"""Pause after the last key before the text is checked."""
_WIDTHS = (286, 652, 340)


class PromptEditor(QDialog):
    """Not modal. While hidden, it asks the worker nothing."""

    def __init__(self, parent: QWidget | None, client: BackendClient) -> None:
        super().__init__(parent, Qt.WindowType.Window)
        self.setWindowTitle(tr("Prompts"))
        self._client = client
        self.edits = PromptEdits()
        self._is_moving = False  # another page was requested, or a change of the file
        self._is_saving = False
        self._error: Notice | None = None  # why the last action was not done
        self.name, self.provider, self.model = QComboBox(), QLineEdit(), QLineEdit()
        self.revert, self.save = push_button(tr("Revert")), push_button(tr("Save"), "primary")
        self.tabs = SegmentedControl(
            [tr(text) for _, text, _ in TABS], [tr(tip) for _, _, tip in TABS]
        )
        self.side, self.views, self.trial = SidePanel(), PromptViews(), TrialPane()
        self.notice, self.question = NoticeStrip(), NoticeStrip(link_role="")
        self._path, self._tokens = (
            ElidedLabel("", "secondary", min_chars=12),
            text_label("", "secondary"),
        )
        self._typing_timer = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._lay_out()
        self._connect()
        fit_dialog(self, 1280, 800)
        if parent is not None:
            parent.window().installEventFilter(self)

    def _lay_out(self) -> None:
        parts = QSplitter(handleWidth=1, childrenCollapsible=False)
        for number, pane in enumerate((self.side, self.views, self.trial)):
            parts.addWidget(pane)
            parts.setStretchFactor(number, int(pane is self.views))
        parts.setSizes(list(_WIDTHS))
        foot_row = row_of(self._path, self._tokens, margins=(12, 3, 12, 3), stretched=self._path)
        foot = panel_of(foot_row, "side")
        foot.setMinimumHeight(24)
        self.revert.setToolTip(tr("Back to the text of the file (Ctrl Z takes it back)"))
        self.save.setToolTip(tr("Write this level's file (Ctrl S)"))
        buttons = (self.tabs, self.revert, self.save)
        head = editor_head(self.name, self.provider, self.model, buttons, self.font())
        self.setLayout(
            column_of(head, self.question, self.notice, parts, rule(), foot, stretched=parts)
        )

    def _connect(self) -> None:
        self._typing_timer.timeout.connect(self._load_for_text)
        self.views.text.text_typed.connect(self._on_typed)
        self.name.textActivated.connect(self._on_name)
        for field in (self.provider, self.model):
            field.editingFinished.connect(self._on_seen_by)
        self.tabs.chosen.connect(self._on_tab)
        self.revert.clicked.connect(self._on_revert)
        self.save.clicked.connect(self.save_text)
        self.side.level_chosen.connect(self._on_level)
        self.side.override.clicked.connect(self.save_text)
        self.side.remove.clicked.connect(self._on_delete)
        self.side.insert_requested.connect(self._on_insert)
        self.trial.try_wanted.connect(self._on_try)
        self.trial.run.cancel_requested.connect(self._client.cancel)
        self.notice.action_requested.connect(self._on_line)
        self.question.action_requested.connect(self._on_answer)
        QShortcut(QKeySequence(QKeySequence.StandardKey.Save), self).activated.connect(
            self.save_text
        )
        self._client.trial_page.connect(self.show_trial)
        self._client.opened.connect(self.trial.forget)
        self._client.screen.connect(self._on_screen)

    @property
    def text(self) -> str:
        return self.views.text.text

    # Calls of the service

    def begin(self, name: str = "") -> None:
        """Request a prompt; without a name the first one of the active strategy."""
        self._move(PromptLocation(name))

    def _load_for_text(self) -> None:
        self._typing_timer.stop()
        if not self._is_moving:
            self._watch(
                self._client.call(self, PromptService.page, *self.edits.page_request(self.text))
            )

    def _move(self, location: PromptLocation) -> None:
        """Request another page; what is typed meanwhile is kept with its file."""
        self._typing_timer.stop()
        self._is_moving, self._error = True, None
        self._watch(self._client.call(self, PromptService.page, location, None, None))

    def save_text(self) -> None:
        page, loaded = self.edits.page, self.edits.loaded_page
        if page is not None and loaded is not None and page.content.editable:
            self._typing_timer.stop()
            self._is_moving, self._is_saving, self._error = True, True, None
            signature = loaded.content.signature
            self._watch(
                self._client.call(self, PromptService.save, page.location, self.text, signature)
            )

    def _watch(self, call: PendingCall[PromptPage]) -> None:
        self._on_end(call.done(self.show_page))

    def _on_end(self, call: PendingCall[Value]) -> None:
        call.failed(self._on_failed).cancelled(self.stop_waiting)

    def stop_waiting(self) -> None:
        """A call ended without its answer."""
        self._is_moving = self._is_saving = False
        self.trial.end_run()

    def _on_failed(self, notice: Notice) -> None:
        """Show an error here, and in the window."""
        self._client.notice.emit(notice)
        was_saving = self._is_saving
        self.stop_waiting()
        if self.isVisible():
            self._error = Notice(
                "error", notice_text(notice), "", (NoticeAction(tr("Close"), "close"),)
            )
            self._show_question()
            if was_saving:
                self._load_for_text()  # another program may have changed the file

    def _on_screen(self, screen: Screen) -> None:
        """Another preview changes the request."""
        if self.isVisible() and not screen.provisional:
            self._load_for_text()

    # Pages

    def show_tab(self, name: str) -> None:
        """Raise "text", "changes" or "request"."""
        self.tabs.show_choice([tab for tab, _, _ in TABS].index(name))
        self.views.show_tab(name)

    def show_page(self, page: PromptPage) -> None:
        """Show an answer. The text changes only if nothing typed is lost."""
        was_other = self.edits.page is None or self.edits.page.content.path != page.content.path
        text = self.edits.receive(page, self.text)
        self._is_moving = self._is_saving = False
        if text is not None:
            self.views.text.put_text(text, undoable=not was_other)
        self._show_prompt(page)
        self.views.show_page(page)
        self.trial.show_offer(page)
        self.notice.show_notice(check_notice(page))
        self._path.show_text(
            shown_path(Path(page.content.path), Path.home()) if page.content.path else ""
        )
        self._tokens.setText(page.tokens)
        self._show_edited()
        if was_other and self.edits.is_edited(self.text):
            self._load_for_text()  # an unsaved text was restored

    def _show_prompt(self, page: PromptPage) -> None:
        """Show which prompt is edited. A field that the user is changing is left alone."""
        names = page.names or (page.name,)
        if tuple(self.name.itemText(index) for index in range(self.name.count())) != names:
            self.name.clear()
            self.name.addItems(list(names))
        self.name.setCurrentText(page.name)
        for field, text in ((self.provider, page.provider), (self.model, page.model)):
            if not (field.hasFocus() and field.isModified()):
                field.setText(text)

    def show_trial(self, page: TrialPage) -> None:
        """Show the state of a trial; request the offer again if the text was changed meanwhile."""
        was_running = self.trial.is_running
        self.trial.show_page(page)
        if was_running and not page.is_running:
            self._load_for_text()

    def _show_edited(self) -> None:
        edited, page = self.edits.is_edited(self.text), self.edits.page
        self.save.setEnabled(edited and page is not None and page.content.editable)
        self.revert.setEnabled(edited)
        self.views.set_edited(edited)
        if page is not None:
            self.side.show_page(
                page, (*self.edits.unsaved, *((page.content.path,) if edited else ()))
            )
        self._show_question()

    def _show_question(self) -> None:
        """Show whose text holds if another program changed the file, else an error."""
        page = self.edits.page
        if page is not None and page.content.changed_outside and self.edits.is_edited(self.text):
            answers = (
                NoticeAction(tr("Keep mine"), "mine"),
                NoticeAction(tr("Take theirs"), "theirs"),
            )
            detail = tr("Your text differs from it.")
            self.question.show_notice(
                Notice("warning", page.content.changed_outside, detail, answers)
            )
        else:
            self.question.show_notice(self._error)

    # User actions

    def _on_typed(self) -> None:
        self._error = None
        self._show_edited()
        self._typing_timer.start()

    def _on_tab(self, number: int) -> None:
        self.views.show_tab(TABS[number][0])

    def _on_name(self, name: str) -> None:
        self._move(PromptLocation(name, self.provider.text().strip(), self.model.text().strip()))

    def _on_seen_by(self) -> None:
        seen_by, page = (self.provider.text().strip(), self.model.text().strip()), self.edits.page
        is_changed = self.provider.isModified() or self.model.isModified()
        for field in (self.provider, self.model):
            field.setModified(False)
        if is_changed and (page is None or seen_by != (page.provider, page.model)):
            self._move(PromptLocation(self.name.currentText(), *seen_by))

    def _on_level(self, level: str) -> None:
        if (page := self.edits.page) is not None:
            self._move(PromptLocation(page.name, page.provider, page.model, level))
            if self.sender() is self.side and self.side.edit.hasFocus():
                self.views.text.setFocus()

    def _on_revert(self) -> None:
        self.views.text.put_text(self.edits.saved_text, undoable=True)
        self._on_typed()

    def _on_insert(self, section: str) -> None:
        from core.presentation.prompt_page import (
            insert_section,
        )  # late: it imports the whole preview

        if self.edits.page is not None:
            text = insert_section(self.edits.page.name, self.text, section)
            self.show_tab("text")
            self.views.text.put_text(text, undoable=True)
            self._on_typed()

    def _on_line(self, line: str, _: str) -> None:
        self.show_tab("text")
        self.views.text.go_to_line(int(line))

    def _on_try(self, offline: bool, agreed: bool) -> None:
        if (page := self.edits.page) is not None:
            self._load_for_text()  # so that the offer belongs to the text that is tried
            self._error = None
            text = self.edits.text(self.text)
            call = self._client.call(
                self, PromptService.try_prompt, page.name, text, offline, agreed
            )
            self._on_end(call.done(self.show_trial))

    def _on_answer(self, name: str, _: str) -> None:
        self._error = None
        if name == "mine":
            self.edits.overwrite_outside_change()
        elif name == "theirs":
            self.edits.discard(self.text)
        if name != "close":
            self._load_for_text()
        self._show_question()

    def _on_delete(self) -> None:
        question = tr("Delete the override of this level? The next level that exists is used then.")
        if (page := self.edits.page) is not None and self._confirms(question, tr("Delete")):
            self.edits.discard(self.text)
            self._is_moving = True
            self._watch(self._client.call(self, PromptService.revert, page.location))

    def _confirms(self, question: str, yes: str) -> bool:
        dialog = question_dialog(self, question, yes)
        is_agreed = dialog.exec() == QDialog.DialogCode.Accepted
        dialog.deleteLater()
        return is_agreed

    # Closing

    def may_close(self) -> bool:
        """Return True if no text would be lost, or if the user agrees to lose it."""
        unsaved = self.edits.unsaved_count(self.text)
        if not unsaved:
            return True
        question = tr("This text is not saved.")
        if unsaved > 1:
            question = tr(
                "{unsaved} texts are not saved. Levels with one say so in the list."
            ).format(unsaved=unsaved)
        if not self._confirms(question, tr("Close without saving")):
            return False
        self.edits.forget_all(self.text)
        return True

    def closeEvent(self, event: QCloseEvent) -> None:
        event.setAccepted(self.may_close())
        if event.isAccepted():
            self._stop_try()

    def reject(self) -> None:
        """Esc closes the editor, or stops a running trial."""
        if self.trial.is_running:
            self._stop_try()
        elif self.may_close():
            super().reject()

    def _stop_try(self) -> None:
        if self.trial.is_running:
            self._client.cancel()

    def changeEvent(self, event: QEvent) -> None:
        """Checks the file when the window becomes active again: it may have changed."""
        super().changeEvent(event)
        if (
            event.type() == QEvent.Type.ActivationChange
            and self.isActiveWindow()
            and self.edits.page
        ):
            self._load_for_text()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Prevents the program from ending with unsaved texts."""
        if event.type() == QEvent.Type.Close and not self.may_close():
            event.ignore()
            return True
        return super().eventFilter(watched, event)
