"""What the inspector shows besides messages: a cut, a recorded compaction, the report of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from core.app.services.inspector import InspectorService
from core.presentation.model import WhyPage
from core.presentation.ruler.model import CutHandle
from gui.backend import BackendClient
from gui.remote_call import PendingCall


class CurrentItem:
    """Requests the inspector's page, and requests it again when the preview changes."""

    def __init__(self, session: BackendClient, show_why: Callable[[WhyPage], None]) -> None:
        self._session, self._show_why = session, show_why
        self._request: Callable[[], PendingCall[WhyPage]] | None = None
        self._cut_name = ""

    def show_cut(self, name: str) -> None:
        self._set_request(lambda: self._session.call(InspectorService.explain_cut, name), name)

    def show_recorded(self, number: int) -> None:
        """Request the page of a recorded compaction."""
        self._set_request(lambda: self._session.call(InspectorService.explain_recorded, number))

    def show_run(self) -> None:
        self._set_request(lambda: self._session.call(InspectorService.explain_run))

    def clear(self) -> None:
        self._cut_name, self._request = "", None

    def request_again(self, handles: Sequence[CutHandle]) -> bool:
        """Request the page again; return False if there is none or its cut is gone."""
        if self._request is None or (
            self._cut_name and all(handle.name != self._cut_name for handle in handles)
        ):
            return False
        self._request().done(self._show_why)
        return True

    def _set_request(self, request: Callable[[], PendingCall[WhyPage]], cut_name: str = "") -> None:
        self._request, self._cut_name = request, cut_name
        request().done(self._show_why)
