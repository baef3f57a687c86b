"""Controllers of the inspector: the selected message, its summary, and the losses."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject, Signal

from core.app.events import PanelPage, PanelsWanted
from core.app.remote_methods import InspectorService, PanelService
from core.presentation.filter_query import UserMarks
from core.presentation.inspector_model import (
    AskOffer,
    BacktestPage,
    DecayPage,
    LinesPage,
    LossesPage,
    MessageBody,
    MessageChanges,
    SummaryPage,
    WhyPage,
)
from core.presentation.model import INSERTED_CODE
from core.presentation.ruler.geometry import CutHandle
from core.presentation.screen_model import Screen
from gui.backend import BackendClient
from gui.inspect.inspector.inspector import CHECKS, LOSSES, Inspector
from gui.inspect.ruler.ruler_widget import Ruler
from gui.remote_call import PendingCall

NOTHING_WANTED = PanelsWanted()


class SummaryController(QObject):
    """Requests the check of a summary, shows it in the inspector, and emits the sources of a
    sentence."""

    sources_changed = Signal(object)  # source messages, the best first

    def __init__(self, backend: BackendClient, inspector: Inspector) -> None:
        super().__init__(inspector)
        self._backend, self._inspector = backend, inspector
        self._summary_index = -1  # the selected summary
        inspector.tabs.currentChanged.connect(self.check_all)
        inspector.message.sentences.chosen.connect(self.sources_changed)

    def select(self, screen: Screen | None, side: str, index: int) -> None:
        """Request the check of a selected summary; other messages have none."""
        self.expect(screen, side, index)
        if self._summary_index >= 0:
            self._backend.call(self, InspectorService.summary, index).done(
                self.show_page
            )

    def expect(self, screen: Screen | None, side: str, index: int) -> None:
        """Take over the selected message, whose check is on its way if it is a summary."""
        self._summary_index = -1
        self.sources_changed.emit(())
        if (
            screen is None
            or screen.provisional
            or side != "after"
            or not 0 <= index < len(screen.result.rows)
        ):
            return
        if screen.result.fates[index] == INSERTED_CODE:
            self._summary_index = index

    def check_all(self) -> None:
        """Check all summaries while the tab that lists the findings is in front."""
        if self._inspector.current_tab == CHECKS:
            self._backend.call(self, InspectorService.check_summaries).done(
                self._inspector.checks.show_summary
            )

    def choose(self, number: int) -> None:
        if self._summary_index >= 0:
            self._inspector.show_tab("message")
            self._inspector.message.sentences.choose(number)

    def show_page(self, page: SummaryPage) -> None:
        """Show the check of the selected summary, or of all."""
        if page.result_index < 0:
            self._inspector.checks.show_summary(page)
        elif page.result_index == self._summary_index:
            self._inspector.show_summary(page)


class CurrentItem:
    """Requests the page of a cut, a recorded compaction or the run; it is wanted of the next
    preview, too."""

    def __init__(
        self, backend: BackendClient, show_why: Callable[[WhyPage], None]
    ) -> None:
        self._backend, self._show_why = backend, show_why
        self._wanted = NOTHING_WANTED

    def show_cut(self, name: str) -> None:
        self._wanted = PanelsWanted(cut=name)
        self._backend.call(self, InspectorService.explain_cut, name).done(
            self._show_why
        )

    def show_recorded(self, number: int) -> None:
        """Request the page of a recorded compaction."""
        self._wanted = PanelsWanted(recorded=number)
        self._backend.call(self, InspectorService.explain_recorded, number).done(
            self._show_why
        )

    def show_run(self) -> None:
        self._wanted = PanelsWanted(is_run=True)
        self._backend.call(self, InspectorService.explain_run).done(self._show_why)

    def clear(self) -> None:
        self._wanted = NOTHING_WANTED

    def wanted(self, handles: Sequence[CutHandle]) -> PanelsWanted:
        """Return the page that is wanted; nothing if there is none or its cut is gone."""
        cut = self._wanted.cut
        return (
            self._wanted
            if not cut or any(one.name == cut for one in handles)
            else NOTHING_WANTED
        )


_NO_MESSAGE = ("before", -1)


class MessageSelection(QObject):
    """Side and index, -1 for none. Requests the inspector's content, and marks the ruler."""

    changed = Signal()
    message_removed = Signal()  # the selected message is gone
    body_loaded = Signal(object)  # MessageBody of the selected message
    changes_loaded = Signal(
        object
    )  # MessageChanges of the selected message of the source

    def __init__(
        self,
        backend: BackendClient,
        current_item: CurrentItem,
        summary: SummaryController,
        ruler: Ruler,
    ) -> None:
        super().__init__(summary)
        self._backend = backend
        self._current_item = current_item
        self._summary = summary
        self._ruler = ruler
        self.message = _NO_MESSAGE

    def clear(self) -> None:
        self.message = _NO_MESSAGE
        self._current_item.clear()
        self._summary.select(None, *_NO_MESSAGE)

    def choose(self, screen: Screen | None, side: str, index: int) -> None:
        self.message = (side, index)
        self._current_item.clear()
        self._load_body()
        self._summary.select(screen, side, index)
        self._ruler.select(side, index)
        self.changed.emit()

    def wanted(self, screen: Screen) -> PanelsWanted:
        """Return what is wanted of a new preview; a result index that is gone is dropped."""
        side, index = self.message
        wanted = self._current_item.wanted(screen.ruler.handles)
        if wanted != NOTHING_WANTED:
            return wanted
        if 0 <= index < side_length(screen, side):
            self._summary.expect(screen, side, index)
            return PanelsWanted(side=side, index=index)
        if index >= 0:
            self.message = (side, -1)
            self._ruler.select(side, -1)
            self.message_removed.emit()
            self.changed.emit()
        return NOTHING_WANTED

    def load_whole_body(self) -> None:
        self._load_body(is_whole=True)

    def _load_body(self, *, is_whole: bool = False) -> None:
        self._backend.call(self, InspectorService.body, *self.message, is_whole).done(
            self._on_body
        )

    def _on_body(self, body: MessageBody) -> None:
        self.show_body(body)
        if (body.side, body.index) == self.message and body.is_changed:
            self._backend.call(self, InspectorService.changes, body.index).done(
                self.show_changes
            )

    def show_body(self, body: MessageBody) -> None:
        if (body.side, body.index) == self.message:
            self.body_loaded.emit(body)

    def show_changes(self, changes: MessageChanges) -> None:
        if self.message == ("before", changes.index):
            self.changes_loaded.emit(changes)

    def toggle_restored(self, screen: Screen | None) -> None:
        """Restore the message in the result, or remove it again."""
        side, index = self.message
        if screen is None or index < 0:
            return
        if side == "after":
            index = screen.result.origin[index]
        if index >= 0:
            self._backend.restore_message(index, screen.source.fates[index] != 0)


def side_length(screen: Screen | None, side: str) -> int:
    if screen is None:
        return 0
    return len(screen.source.rows if side == "before" else screen.result.rows)


class LossesController(QObject):
    """Shows the losses, tells where they are, and repeats compaction."""

    lost_facts_changed = Signal(
        object, object
    )  # source messages, ascending; what each lost, in words
    losses_changed = Signal(object)  # the cell of the verdict
    musts_changed = Signal(object)  # where the texts that must survive stand
    offer_made = Signal(object)  # Notice

    def __init__(self, backend: BackendClient, inspector: Inspector) -> None:
        super().__init__(inspector)
        self._backend, self._inspector, self._tab = backend, inspector, inspector.losses
        self._is_current = self._is_asked = False
        self._decay_requested = False  # to repeat compaction, once there is a page
        self._decay: PendingCall[None] | None = None  # while compactions are computed
        self._decay_page = DecayPage()
        backend.idle.connect(self._end_decay)
        inspector.tabs.currentChanged.connect(self._on_tab)
        self._tab.cancel_button.clicked.connect(backend.cancel)

    def show_screen(self, *, provisional: bool) -> None:
        """Another preview is shown; the known page is of the previous one."""
        self._is_current = False
        self._tab.set_stale(self._tab.page is not None)
        self._end_decay()  # compactions of the previous preview are obsolete
        if not provisional and self._tab.page is None:
            self._tab.show_page(None)

    def clear(self) -> None:
        self._is_current = False
        self._end_decay()
        self._decay_requested = False
        self._inspector.show_losses(None)
        self.lost_facts_changed.emit((), ())
        self.musts_changed.emit(())

    def _on_tab(self) -> None:
        if self._inspector.current_tab == LOSSES:
            page = self._tab.page
        else:
            page = None
        self.lost_facts_changed.emit(
            *((), ()) if page is None else (page.places.indices, page.places.words)
        )
        if page is not None and self._is_current and not self._is_asked:
            self._is_asked = True
            self._ask_studies(page, is_requested=False)

    def request_studies(self) -> None:
        """Look for lines to put back in a large session, and test its strategy."""
        page = self._tab.page
        if page is not None and self._is_current:
            # The link stays until there are lines, so that a cancelled search can be asked again.
            self._ask_studies(page, is_requested=True)

    def _ask_studies(self, page: LossesPage, *, is_requested: bool) -> None:
        self._backend.call(
            self, PanelService.studies, page.asks_backtest, is_requested
        ).progress(self.show_panel)

    @property
    def is_current(self) -> bool:
        """True if the shown page is of the shown preview."""
        return self._is_current

    def wants_studies(self) -> bool:
        """Return whether the tab is in front: its studies come with the pages; else once it is
        opened."""
        self._is_asked = self._inspector.current_tab == LOSSES
        return self._is_asked

    def show_panel(self, page: PanelPage) -> None:
        """Show the losses, or what is known of the lines, the offer or the backtest."""
        match page:
            case LossesPage():
                self.show_page(page)
            case LinesPage():
                self._tab.show_lines(page)
            case AskOffer():
                self._tab.show_ask(page.text)
            case BacktestPage():
                self._show_backtest(page)

    def _show_backtest(self, page: BacktestPage) -> None:
        self._tab.show_backtest(page.text)
        if page.cell is not None:
            self.losses_changed.emit(page.cell)
        if page.offer is not None:
            self.offer_made.emit(page.offer)

    def show_page(self, page: LossesPage) -> None:
        self._is_current = True
        self._inspector.show_losses(page)
        self._tab.show_decay(DecayPage(), is_running=False)
        self.losses_changed.emit(page.cell)
        self.musts_changed.emit(page.must.marks)
        self._on_tab()
        if self._decay_requested and page.can_repeat:
            self.repeat()
        self._decay_requested = False

    def show_marks(self, marks: UserMarks) -> None:
        self._tab.show_pinned(marks.keep)

    def repeat(self) -> None:
        """Compact again and again now, or as soon as the shown preview is evaluated."""
        self._decay_requested = not self._is_current
        if self._is_current:
            self._show_decay(DecayPage())
            self._decay = self._backend.call(self, InspectorService.rounds).progress(
                self._show_decay
            )

    def _show_decay(self, page: DecayPage) -> None:
        self._decay_page = page
        self._tab.show_decay(page, is_running=not page.is_over)

    def _end_decay(self) -> None:
        """Everything is answered, or another preview is shown."""
        if self._decay is not None:
            self._decay.abandon()
            self._decay = None
            self._tab.show_decay(self._decay_page, is_running=False)
