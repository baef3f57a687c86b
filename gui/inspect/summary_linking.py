"""Links a selected summary to its sources, after each settled change."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.app.services.inspector import InspectorService
from core.presentation.model import FATES, Screen
from core.presentation.summary_check.model import SummaryPage
from gui.backend import BackendClient
from gui.inspect.inspector.inspector import Inspector


class SummaryController(QObject):
    """Requests the check of a summary, shows it in the inspector, and emits the sources of a sentence."""

    sources_changed = Signal(object)  # source messages, the best first

    def __init__(self, session: BackendClient, inspector: Inspector) -> None:
        super().__init__(inspector)
        self._session, self._inspector = session, inspector
        self._summary_index = -1  # the selected summary
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
            self._summary_index = index
            self._session.call(InspectorService.summary, index).done(self._on_page)

    def choose(self, number: int) -> None:
        if self._summary_index >= 0:
            self._inspector.show_tab("message")
            self._inspector.message.sentences.choose(number)

    def _on_page(self, page: SummaryPage) -> None:
        if page.result_index == self._summary_index:
            self._inspector.show_summary(page)
