"""Links a selected summary to its sources, after each settled change."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.presentation.model import FATES, Screen
from core.presentation.summary_check.model import SummaryPage
from gui.backend import BackendClient
from gui.inspect.inspector.inspector import Inspector

_MAX_TRIES = 3


class SummaryController(QObject):
    """Requests the check of a summary, shows it in the inspector, and emits the sources of a sentence."""

    sources_changed = Signal(object)  # source messages, the best first

    def __init__(self, session: BackendClient, inspector: Inspector) -> None:
        super().__init__(inspector)
        self._session, self._inspector = session, inspector
        self._summary_index = -1  # the selected summary
        self._remaining_tries = 0  # remaining tries until the answer arrives
        session.summary.connect(self._on_page)
        session.idle.connect(self._on_idle)
        inspector.message.sentences.chosen.connect(self.sources_changed)

    def select(self, screen: Screen | None, side: str, index: int) -> None:
        """Request the check of a selected summary; other messages have none."""
        is_result_message = screen is not None and side == "after" and 0 <= index < len(screen.after)
        self._summary_index = -1
        self.sources_changed.emit(())
        if (
            is_result_message
            and screen is not None
            and screen.after_fates[index] == len(FATES)
            and not screen.draft
        ):
            self._summary_index, self._remaining_tries = index, _MAX_TRIES
            self._session.load_summary(index)

    def choose(self, number: int) -> None:
        if self._summary_index >= 0:
            self._inspector.show_tab("message")
            self._inspector.message.sentences.choose(number)

    def _on_page(self, page: SummaryPage) -> None:
        if page.result_index >= 0 and page.result_index == self._summary_index:
            self._remaining_tries = 0
            self._inspector.show_summary(page)

    def _on_idle(self) -> None:
        """Request again: a newer command replaced the request."""
        if self._summary_index >= 0 and self._remaining_tries:
            self._remaining_tries -= 1
            self._session.load_summary(self._summary_index)
