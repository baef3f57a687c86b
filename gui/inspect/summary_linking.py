"""When a summary is linked to its sources: while it is selected, after each change that settled."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.presentation.model import FATES, Screen
from core.presentation.summary_check.model import SummaryPage
from gui.backend import BackendClient
from gui.inspect.inspector.inspector import Inspector

_TRIES = 3


class SummaryController(QObject):
    """Asks the session, shows the answer in the inspector, and tells which messages a sentence is from."""

    sources = Signal(object)  # source messages, the best first

    def __init__(self, session: BackendClient, inspector: Inspector) -> None:
        super().__init__(inspector)
        self._session, self._inspector = session, inspector
        self._place = -1  # the summary that is selected
        self._tries = 0  # that are left until the answer is there
        session.summary.connect(self._on_page)
        session.idle.connect(self._on_idle)
        inspector.message.sentences.chosen.connect(self.sources)

    def select(self, screen: Screen | None, side: str, index: int) -> None:
        """A message was selected; the first of a result that is no summary is none, either."""
        is_new = screen is not None and side == "after" and 0 <= index < len(screen.after)
        self._place = -1
        self.sources.emit(())
        if is_new and screen is not None and screen.after_fates[index] == len(FATES) and not screen.draft:
            self._place, self._tries = index, _TRIES
            self._session.look_summary(index)

    def choose(self, number: int) -> None:
        """Choose a sentence of the summary that is selected."""
        if self._place >= 0:
            self._inspector.show_tab("message")
            self._inspector.message.sentences.choose(number)

    def _on_page(self, page: SummaryPage) -> None:
        if page.place >= 0 and page.place == self._place:
            self._tries = 0
            self._inspector.show_summary(page)

    def _on_idle(self) -> None:
        """The answer is missing: something newer was asked before it was found."""
        if self._place >= 0 and self._tries:
            self._tries -= 1
            self._session.look_summary(self._place)
