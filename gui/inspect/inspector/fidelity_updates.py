"""Requests the fidelity evaluation while its tab is visible, after each settled change."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.presentation.fidelity.decay_model import DecayPage
from core.presentation.fidelity.model import FidelityPage
from core.presentation.filter.query import PinsChangedEvent
from core.presentation.model import ChangeEffect
from gui.backend import BackendClient
from gui.inspect.inspector.inspector import FIDELITY, Inspector


class FidelityController(QObject):
    """Requests fidelity, emits the places of lost facts, pins facts and repeats compaction."""

    lost_facts_changed = Signal(
        object, object
    )  # source messages, ascending; the lost facts of each, in words
    effect_changed = Signal(object)  # Effect

    def __init__(self, session: BackendClient, inspector: Inspector) -> None:
        super().__init__(inspector)
        self._session, self._inspector = session, inspector
        self._has_preview = False
        self._is_current = False
        self._decay_requested = False  # to repeat compaction, once there is a page
        self._running_page: DecayPage | None = None  # while compactions are computed
        session.fidelity.connect(self._on_page)
        session.pinned.connect(self._on_pinned)
        session.decay.connect(self._on_decay)
        session.probe_offer.connect(inspector.fidelity.probe_footer.show_offer)
        session.idle.connect(self._on_idle)
        inspector.tabs.currentChanged.connect(self._on_tab)
        tab = inspector.fidelity
        tab.fact_list.pin_requested.connect(self._on_pin)
        tab.decay_row.requested.connect(self._on_decay_requested)
        tab.decay_row.cancelled.connect(session.cancel)

    def show_screen(self, *, draft: bool) -> None:
        """Another preview is shown; the known page is of the previous one."""
        self._has_preview, self._is_current = True, False
        tab = self._inspector.fidelity
        tab.set_stale(tab.page is not None)
        self._on_idle()  # compactions of the previous preview are obsolete
        if not draft:
            self._request()

    def clear(self) -> None:
        self._has_preview = self._is_current = False
        self._running_page, self._decay_requested = None, False
        self._inspector.fidelity.show_page(None)
        self._mark_lost_facts(None)

    def _request(self) -> None:
        if self._inspector.current_tab == FIDELITY and self._has_preview and not self._is_current:
            if self._inspector.fidelity.page is None:
                self._inspector.fidelity.show_page(None, is_evaluating=True)
            self._session.load_fidelity()

    def _on_tab(self) -> None:
        self._mark_lost_facts(
            self._inspector.fidelity.page if self._inspector.current_tab == FIDELITY else None
        )
        self._request()

    def _on_page(self, page: FidelityPage) -> None:
        self._is_current = True
        self._inspector.fidelity.show_page(page)
        self._inspector.fidelity.decay_row.set_available(page.can_fold)
        self._on_tab()
        if isinstance(page.effect, ChangeEffect):
            self.effect_changed.emit(page.effect)
        if self._decay_requested and page.can_fold:
            self._on_decay_requested()
        self._decay_requested = False

    def _mark_lost_facts(self, page: FidelityPage | None) -> None:
        self.lost_facts_changed.emit(*((), ()) if page is None else (page.lost_indices, page.lost_words))

    def _on_pin(self, message: int) -> None:
        self._session.set_pin("before", message, "keep")

    def _on_pinned(self, pinned: PinsChangedEvent) -> None:
        self._inspector.fidelity.fact_list.fact_model.set_pinned(pinned.keep)

    def _on_decay_requested(self) -> None:
        """Start now, or as soon as the shown preview is evaluated."""
        self._decay_requested = not self._is_current
        if self._decay_requested:
            return
        self._continue_decay(DecayPage(), is_first=True)

    def _continue_decay(self, page: DecayPage, *, is_first: bool = False) -> None:
        """Show the compactions so far, and request the next until all are done."""
        self._running_page = None if page.is_over else page
        self._inspector.fidelity.decay_row.show_page(page, is_running=not page.is_over)
        if not page.is_over:
            self._session.compact_again(is_first)

    def _on_decay(self, page: DecayPage) -> None:
        if self._running_page is not None:
            self._continue_decay(page)

    def _on_idle(self) -> None:
        """Everything is answered: the next compaction was cancelled, or failed."""
        if self._running_page is not None:
            page, self._running_page = self._running_page, None
            self._inspector.fidelity.decay_row.show_page(page, is_running=False)
