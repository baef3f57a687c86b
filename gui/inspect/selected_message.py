"""The selected message of a transcript, which stays selected across previews."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.presentation.model import MessageBody, Screen
from gui.backend import BackendClient
from gui.inspect.current_item import CurrentItem
from gui.inspect.ruler.ruler_widget import Ruler
from gui.inspect.summary_linking import SummaryController

_NOTHING = ("before", -1)


class MessageSelection(QObject):
    """Side and index, -1 for none. Requests the inspector's content, and marks the ruler."""

    changed = Signal()
    lost = Signal()  # the selected message is gone

    def __init__(
        self, session: BackendClient, looking: CurrentItem, summary: SummaryController, ruler: Ruler
    ) -> None:
        super().__init__(summary)
        self._session, self._looking, self._summary, self._ruler = session, looking, summary, ruler
        self.message = _NOTHING

    def forget(self) -> None:
        self.message = _NOTHING
        self._looking.forget()
        self._summary.select(None, *_NOTHING)

    def choose(self, screen: Screen | None, side: str, index: int) -> None:
        self.message = (side, index)
        self._looking.forget()
        self._session.look(side, index)
        self._summary.select(screen, side, index)
        self._ruler.select(side, index)
        self.changed.emit()

    def look_again(self, screen: Screen) -> None:
        """Request the content again, because it may differ; drop a cut or result index that is gone."""
        side, index = self.message
        if self._looking.again(screen.handles):
            return
        if 0 <= index < side_length(screen, side):
            self._session.look(side, index)
            self._summary.select(screen, side, index)
        elif index >= 0:
            self.message = (side, -1)
            self._ruler.select(side, -1)
            self.lost.emit()
            self.changed.emit()

    def is_of(self, body: MessageBody) -> bool:
        return (body.side, body.index) == self.message

    def put_back(self, screen: Screen | None) -> None:
        """Restore the message in the result, or remove it again."""
        side, index = self.message
        if screen is None or index < 0:
            return
        if side == "after":
            index = screen.origin[index]
        if index >= 0:
            self._session.put_back(index, screen.fates[index] != 0)


def side_length(screen: Screen | None, side: str) -> int:
    return 0 if screen is None else len(screen.before if side == "before" else screen.after)
