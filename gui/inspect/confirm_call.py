"""Asks before a paid call, and shows the call's progress, in a pane over the after list."""

from __future__ import annotations

from PySide6.QtCore import QObject

from core.app.rpc import is_call_of
from core.app.services.opening import OpenService
from core.app.services.preview import PreviewService
from core.app.services.profiles import ProfileService
from core.app.services.settings import SettingsService
from core.presentation.settings.model import CallQuestion
from gui.backend import BackendClient
from gui.inspect.run_pane.pane import RunPane

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
