"""Opens the prompt editor and connects it to the backend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMainWindow

from core.app.services.prompts import PromptService
from core.common.atomic_file import FileSignature
from core.presentation.model import Notice, Screen
from core.presentation.prompts.model import PromptPage, PromptPlace, TrialPage
from gui.backend import BackendClient
from gui.remote_call import PendingCall, Value
from gui.widgets.appearance import AppearanceController
from gui.widgets.theme import Theme

if TYPE_CHECKING:  # imported on first use
    from gui.prompts.editor import PromptEditor


class PromptController(QObject):
    """The editor is made once; while hidden, it sends nothing."""

    def __init__(self, window: QMainWindow, session: BackendClient, appearance: AppearanceController) -> None:
        super().__init__(window)
        self._window, self._session, self._appearance = window, session, appearance
        self._editor: PromptEditor | None = None
        session.trial_page.connect(self._on_trial)
        session.opened.connect(self._on_opened)
        session.screen.connect(self._on_screen)
        appearance.changed.connect(self._on_theme)

    def open_prompts(self, name: str = "") -> PromptEditor:
        """Show the editor, with a prompt by name or the one that the strategy uses."""
        if self._editor is None:
            self._editor = self._make()
        self._editor.show()
        self._editor.raise_()
        self._editor.activateWindow()
        self._editor.begin(name)
        return self._editor

    def open_request(self) -> PromptEditor:
        editor = self.open_prompts()
        editor.show_tab("request")
        return editor

    def _make(self) -> PromptEditor:
        from gui.prompts.editor import PromptEditor

        editor = PromptEditor(self._window, self._appearance.theme)
        editor.load_requested.connect(self._load)
        editor.save_requested.connect(self._save)
        editor.revert_requested.connect(self._revert)
        editor.try_requested.connect(self._try)
        editor.cancel_wanted.connect(self._session.cancel)
        return editor

    def _load(self, place: PromptPlace, text: str | None, seen: FileSignature | None) -> None:
        self._watch(self._session.call(PromptService.page, place, text, seen)).done(self._on_page)

    def _save(self, place: PromptPlace, text: str, seen: FileSignature) -> None:
        self._watch(self._session.call(PromptService.save, place, text, seen)).done(self._on_page)

    def _revert(self, place: PromptPlace) -> None:
        self._watch(self._session.call(PromptService.revert, place)).done(self._on_page)

    def _try(self, name: str, text: str, offline: bool, agreed: bool) -> None:
        call = self._session.call(PromptService.try_prompt, name, text, offline, agreed)
        self._watch(call).done(self._on_trial)

    def _watch(self, call: PendingCall[Value]) -> PendingCall[Value]:
        return call.failed(self._on_failed).cancelled(self._on_cancelled)

    def _on_page(self, page: PromptPage) -> None:
        if self._editor is not None:
            self._editor.show_page(page)

    def _on_trial(self, page: TrialPage) -> None:
        if self._editor is not None:
            self._editor.show_trial(page)

    def _on_opened(self, opened: object) -> None:
        if self._editor is not None:
            self._editor.trial.forget()

    def _on_screen(self, screen: Screen) -> None:
        """Another preview changes the request."""
        if self._editor is not None and self._editor.isVisible() and not screen.draft:
            self._editor.begin()

    def _on_failed(self, notice: Notice) -> None:
        """Show an error in the editor, and in the window."""
        self._session.notice.emit(notice)
        if self._editor is not None:
            self._editor.show_notice(notice)
        self._on_cancelled()

    def _on_cancelled(self) -> None:
        if self._editor is not None:
            self._editor.stop_waiting()

    def _on_theme(self, theme: Theme) -> None:
        if self._editor is not None:
            self._editor.set_theme(theme)
