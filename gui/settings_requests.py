"""Commands about settings, profiles, prompts and views that the window sends to the worker."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import Signal

from core.app.messages import (
    Command,
    LoadSummaryCommand,
)
from core.presentation.prompts.model import TrialPage
from core.presentation.settings.model import CallQuestion, SummaryProgress
from core.presentation.summary_check.model import SummaryPage
from core.settings.schema import SettingValue
from gui.list_requests import LIST_SIGNALS, ListSessionCommands

SIGNALS: Mapping[type, str] = {
    TrialPage: "trial_page",
    CallQuestion: "question",
    SummaryProgress: "writing",
    **LIST_SIGNALS,
    SummaryPage: "summary",
}
"""The signal for each type of event."""

SettingChanges = tuple[tuple[str, SettingValue | None], ...]
"""Pairs of key and value; None removes a value."""


class SessionCommands(ListSessionCommands):
    """Each method sends one command; the answers arrive as signals."""

    trial_page = Signal(object)  # TrialPage
    question = Signal(object)  # CallQuestion
    writing = Signal(object)  # SummaryProgress
    summary = Signal(object)  # SummaryPage

    def _send(self, command: Command) -> int:
        raise NotImplementedError

    def load_summary(self, index: int = -1) -> None:
        """Request the check of the summaries, and one summary's sources; answered by ``summary``."""
        self._send(LoadSummaryCommand(index))
