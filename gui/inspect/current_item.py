"""What the inspector shows besides messages: a cut, a recorded compaction, the report of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.presentation.ruler.model import CutHandle
from gui.backend import BackendClient


class CurrentItem:
    """Requests the inspector's page, and requests it again when the preview changes."""

    def __init__(self, session: BackendClient) -> None:
        self._session = session
        self._request: Callable[[], None] | None = None
        self._cut = ""

    def cut(self, name: str) -> None:
        self._cut = name
        self._look(lambda: self._session.look_cut(name))

    def recorded(self, number: int) -> None:
        """Request the page of a recorded compaction."""
        self._cut = ""
        self._look(lambda: self._session.look_recorded(number))

    def run(self) -> None:
        self._cut = ""
        self._look(self._session.look_run)

    def forget(self) -> None:
        self._cut, self._request = "", None

    def again(self, handles: Sequence[CutHandle]) -> bool:
        """Request the page again; return False if there is none or its cut is gone."""
        if self._request is None or (self._cut and all(handle.name != self._cut for handle in handles)):
            return False
        self._request()
        return True

    def _look(self, ask: Callable[[], None]) -> None:
        self._request = ask
        ask()
