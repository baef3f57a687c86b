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

    lost_at = Signal(object, object)  # source messages, ascending; the lost facts of each, in words
    effect = Signal(object)  # Effect

    def __init__(self, session: BackendClient, inspector: Inspector) -> None:
        super().__init__(inspector)
        self._session, self._inspector = session, inspector
        self._has_preview = False
        self._is_current = False
        self._fold_requested = False  # to repeat compaction, once there is a page
        self._running_page: DecayPage | None = None  # while compactions are computed
        session.fidelity.connect(self._on_page)
        session.pinned.connect(self._on_pinned)
        session.decay.connect(self._on_decay)
        session.probe_offer.connect(inspector.fidelity.foot.show_offer)
        session.idle.connect(self._on_idle)
        inspector.tabs.currentChanged.connect(self._on_tab)
        tab = inspector.fidelity
        tab.list.pin_asked.connect(self._on_pin)
        tab.folds.wanted.connect(self._on_fold)
        tab.folds.cancelled.connect(session.cancel)

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
        self._running_page, self._fold_requested = None, False
        self._inspector.fidelity.show_page(None)
        self._mark(None)

    def _request(self) -> None:
        if self._inspector.front == FIDELITY and self._has_preview and not self._is_current:
            if self._inspector.fidelity.page is None:
                self._inspector.fidelity.show_page(None, judging=True)
            self._session.look_fidelity()

    def _on_tab(self) -> None:
        self._mark(self._inspector.fidelity.page if self._inspector.front == FIDELITY else None)
        self._request()

    def _on_page(self, page: FidelityPage) -> None:
        self._is_current = True
        self._inspector.fidelity.show_page(page)
        self._inspector.fidelity.folds.offer(page.can_fold)
        self._on_tab()
        if isinstance(page.effect, ChangeEffect):
            self.effect.emit(page.effect)
        if self._fold_requested and page.can_fold:
            self._on_fold()
        self._fold_requested = False

    def _mark(self, page: FidelityPage | None) -> None:
        self.lost_at.emit(*((), ()) if page is None else (page.lost_indices, page.lost_words))

    def _on_pin(self, place: int) -> None:
        self._session.set_pin("before", place, "keep")

    def _on_pinned(self, pinned: PinsChangedEvent) -> None:
        self._inspector.fidelity.list.facts.set_pinned(pinned.keep)

    def _on_fold(self) -> None:
        """Start now, or as soon as the shown preview is evaluated."""
        self._fold_requested = not self._is_current
        if self._fold_requested:
            return
        self._fold_on(DecayPage(), begins=True)

    def _fold_on(self, page: DecayPage, *, begins: bool = False) -> None:
        """Show the compactions so far, and request the next until all are done."""
        self._running_page = None if page.is_over else page
        self._inspector.fidelity.folds.show_page(page, goes_on=not page.is_over)
        if not page.is_over:
            self._session.fold_again(begins)

    def _on_decay(self, page: DecayPage) -> None:
        if self._running_page is not None:
            self._fold_on(page)

    def _on_idle(self) -> None:
        """Everything is answered: the next compaction was cancelled, or failed."""
        if self._running_page is not None:
            page, self._running_page = self._running_page, None
            self._inspector.fidelity.folds.show_page(page, goes_on=False)
