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
        self._cut_name = ""

    def show_cut(self, name: str) -> None:
        self._cut_name = name
        self._set_request(lambda: self._session.explain_cut(name))

    def show_recorded(self, number: int) -> None:
        """Request the page of a recorded compaction."""
        self._cut_name = ""
        self._set_request(lambda: self._session.explain_recorded(number))

    def show_run(self) -> None:
        self._cut_name = ""
        self._set_request(self._session.explain_run)

    def clear(self) -> None:
        self._cut_name, self._request = "", None

    def request_again(self, handles: Sequence[CutHandle]) -> bool:
        """Request the page again; return False if there is none or its cut is gone."""
        if self._request is None or (
            self._cut_name and all(handle.name != self._cut_name for handle in handles)
        ):
            return False
        self._request()
        return True

    def _set_request(self, request: Callable[[], None]) -> None:
        self._request = request
        request()
