"""Opens the prompt editor and connects it to the backend."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QMainWindow

from core.app.services.settings_commands import (
    LoadPromptCommand,
    RevertPromptCommand,
    SavePromptCommand,
    TryPromptCommand,
)
from core.presentation.model import Notice, Screen
from core.presentation.prompts.model import PromptPage
from core.presentation.prompts.trial_model import TrialPage
from gui.backend import BackendClient
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
        self._awaits_notice = False  # the editor shows the notices that follow, too
        session.started.connect(self._on_started)
        session.prompt_page.connect(self._on_page)
        session.trial_page.connect(self._on_trial)
        session.opened.connect(self._on_opened)
        session.screen.connect(self._on_screen)
        session.notice.connect(self._on_notice)
        session.idle.connect(self._on_idle)
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
        editor.load_requested.connect(self._session.load_prompt)
        editor.save_requested.connect(self._session.save_prompt)
        editor.revert_requested.connect(self._session.revert_prompt)
        editor.try_requested.connect(self._session.try_prompt)
        editor.cancel_wanted.connect(self._session.cancel)
        return editor

    def _on_started(self, command: object) -> None:
        if isinstance(command, (LoadPromptCommand, SavePromptCommand, RevertPromptCommand, TryPromptCommand)):
            self._awaits_notice = True

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

    def _on_notice(self, notice: Notice) -> None:
        if self._editor is not None and self._awaits_notice:
            self._editor.show_notice(notice)

    def _on_idle(self) -> None:
        self._awaits_notice = False
        if self._editor is not None:
            self._editor.trial.end_run()

    def _on_theme(self, theme: Theme) -> None:
        if self._editor is not None:
            self._editor.set_theme(theme)
