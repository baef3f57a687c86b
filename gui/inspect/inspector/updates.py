"""Requests what the inspector shows of losses and of a selected summary, after each settled change."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from core.app.services.inspector import InspectorService
from core.app.services.probes import ProbeService
from core.presentation.fidelity.model import DecayPage, FidelityPage
from core.presentation.filter.row_filter import UserMarks
from core.presentation.ruler.wording import loss_sentence
from gui.backend import BackendClient
from gui.inspect.inspector.inspector import LOSSES, Inspector
from gui.remote_call import PendingCall


class FidelityController(QObject):
    """Requests fidelity, tells where facts were lost, and repeats compaction."""

    lost_facts_changed = Signal(object, object)  # source messages, ascending; what each lost, in words
    losses_changed = Signal(object)  # the sentence on how many facts are lost
    evaluated = Signal()

    def __init__(self, session: BackendClient, inspector: Inspector) -> None:
        super().__init__(inspector)
        self._session, self._inspector, self._tab = session, inspector, inspector.losses
        self._has_preview = False
        self._is_current = False
        self._decay_requested = False  # to repeat compaction, once there is a page
        self._decay: PendingCall[None] | None = None  # while compactions are computed
        self._decay_page = DecayPage()
        session.idle.connect(self._end_decay)
        inspector.tabs.currentChanged.connect(self._on_tab)
        self._tab.again_requested.connect(self.repeat)
        self._tab.cancel_requested.connect(session.cancel)

    def show_screen(self, *, draft: bool) -> None:
        """Another preview is shown; the known page is of the previous one."""
        self._has_preview, self._is_current = True, False
        self._tab.set_stale(self._tab.page is not None)
        self._end_decay()  # compactions of the previous preview are obsolete
        if not draft:
            self._request()

    def clear(self) -> None:
        self._has_preview = self._is_current = False
        self._end_decay()
        self._decay_requested = False
        self._inspector.show_losses(None)
        self.lost_facts_changed.emit((), ())
        self.losses_changed.emit(())

    def _request(self) -> None:
        if self._has_preview and not self._is_current:
            if self._tab.page is None:
                self._tab.show_page(None, is_evaluating=True)
            self._session.call(InspectorService.fidelity).done(self.show_page)
            self._session.call(ProbeService.offer).done(self._tab.show_offer)

    def _on_tab(self) -> None:
        page = self._tab.page if self._inspector.current_tab == LOSSES else None
        self.lost_facts_changed.emit(*((), ()) if page is None else (page.lost_indices, page.lost_words))

    def show_page(self, page: FidelityPage) -> None:
        self._is_current = True
        self._inspector.show_losses(page)
        self._tab.set_again(can_start=page.can_fold)
        self.losses_changed.emit(loss_sentence(page.lost))
        self._on_tab()
        self.evaluated.emit()
        if self._decay_requested and page.can_fold:
            self.repeat()
        self._decay_requested = False

    def show_marks(self, marks: UserMarks) -> None:
        self._tab.fact_list.fact_model.set_pinned(marks.keep)

    def repeat(self) -> None:
        """Compact again and again now, or as soon as the shown preview is evaluated."""
        self._decay_requested = not self._is_current
        if self._is_current:
            self._show_decay(DecayPage())
            self._decay = self._session.call(InspectorService.rounds).progress(self._show_decay)

    def _show_decay(self, page: DecayPage) -> None:
        self._decay_page = page
        self._tab.show_decay(page, is_running=not page.is_over)

    def _end_decay(self) -> None:
        """Everything is answered, or another preview is shown."""
        if self._decay is not None:
            self._decay.abandon()
            self._decay = None
            self._tab.show_decay(self._decay_page, is_running=False)
