"""When fidelity is judged: while its tab is in front, after each change that settled."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QObject, Signal

from core.view.fidelity_values import FidelityPage
from core.view.values import Effect
from gui.inspector.inspector import FIDELITY, Inspector
from gui.session import Session


class FidelityLook(QObject):
    """Asks the session, shows the answer in the tab, and tells where lost facts sat."""

    lost_at = Signal(object)  # source messages, ascending
    effect = Signal(object)  # Effect

    def __init__(self, session: Session, inspector: Inspector) -> None:
        super().__init__(inspector)
        self._session, self._inspector = session, inspector
        self._has_preview = False
        self._is_current = False
        session.fidelity.connect(self._on_page)
        inspector.tabs.currentChanged.connect(self._on_tab)

    def show_screen(self, *, draft: bool) -> None:
        """Another preview is shown: what is known is of the former one."""
        self._has_preview, self._is_current = True, False
        tab = self._inspector.fidelity
        tab.set_stale(tab.page is not None)
        if not draft:
            self._ask()

    def clear(self) -> None:
        """The transcript is gone."""
        self._has_preview = self._is_current = False
        self._inspector.fidelity.show_page(None)
        self._mark(())

    def _ask(self) -> None:
        if self._inspector.front == FIDELITY and self._has_preview and not self._is_current:
            if self._inspector.fidelity.page is None:
                self._inspector.fidelity.show_page(None, judging=True)
            self._session.look_fidelity()

    def _on_tab(self) -> None:
        page = self._inspector.fidelity.page
        self._mark(page.lost_at if page is not None and self._inspector.front == FIDELITY else ())
        self._ask()

    def _on_page(self, page: FidelityPage) -> None:
        self._is_current = True
        self._inspector.fidelity.show_page(page)
        self._on_tab()
        if isinstance(page.effect, Effect):
            self.effect.emit(page.effect)

    def _mark(self, places: Iterable[int]) -> None:
        self.lost_at.emit(places)
