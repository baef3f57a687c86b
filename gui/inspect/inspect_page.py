"""The page of an open transcript: connects ruler, lists, tuning and inspector."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QByteArray, QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QDockWidget, QMainWindow, QTabWidget, QWidget

from core.app.events import PanelPage, PanelsWanted
from core.app.remote_methods import CompareService, PanelService, PreviewService
from core.presentation.filter_query import UserMarks
from core.presentation.inspector_model import (
    AskOffer,
    BacktestPage,
    LinesPage,
    LossesPage,
    MessageBody,
    MessageChanges,
    SummaryPage,
    WhyPage,
)
from core.presentation.lists.row_plan import rows_so_far
from core.presentation.losses_words import NOT_COUNTED
from core.presentation.model import (
    DOES_EVERY_TURN,
    EVERY_TURN_KEY,
    FOCUS_KEY,
    NO_ROWS,
    RECOMMENDED_TOPIC,
    ChecksPage,
    Notice,
    RowsReadEvent,
    StatusPage,
    TuningPage,
)
from core.presentation.screen_model import Screen
from core.presentation.verdict_model import plain_cell
from core.settings.schema import SettingValue
from gui.aim_field import Aim
from gui.backend import BackendClient
from gui.inspect.inspector.inspector import (
    CHECKS,
    DENSE_PADDING,
    LOSSES,
    MESSAGE,
    Inspector,
    InspectorTabs,
)
from gui.inspect.list_tools import MessageTools
from gui.inspect.lists.aligned_list import AlignedList
from gui.inspect.ruler.ruler_widget import Ruler
from gui.inspect.run_pane import CallConfirmation
from gui.inspect.selected_message import (
    CurrentItem,
    LossesController,
    MessageSelection,
    SummaryController,
    side_length,
)
from gui.inspect.tuning_panel import TuningPanel
from gui.inspect.verdict_line import VerdictLine
from gui.language import tr
from gui.widgets.events import StepScheduler
from gui.widgets.progress_line import ProgressLine
from gui.widgets.theme import BODY, scaled_pixels
from gui.widgets.view_layout import column_of

if TYPE_CHECKING:
    from core.presentation.compare.model import StrategyCard

WIDE, NARROW = 1400, 1180
"""Window widths: from WIDE on the docks are broad, below NARROW tuning is a tab of the inspector.
All widths are for a body of 13 and grow with the text."""
_WIDE_DOCKS, _NARROW_DOCKS, _TABBED_DOCK = (244, 340), (244, 300), 264
_MAX_DOCK_SHARE = 0.45
"""Largest width of a dock, as a share of the window."""
_MESSAGE_HEIGHT = 236
"""Pixels of Message under the list."""


class DockArea(QMainWindow):
    """A main window inside the main window, so that the ruler spans everything.

    It is made before its parts, which are added by ``set_widgets``: with a new parent Qt would
    restyle them.
    """

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setWindowFlags(Qt.WindowType.Widget)
        self.setDockOptions(
            QMainWindow.DockOption.AllowTabbedDocks
            | QMainWindow.DockOption.AnimatedDocks
        )
        self.setTabPosition(
            Qt.DockWidgetArea.AllDockWidgetAreas, QTabWidget.TabPosition.North
        )
        self.tuning = self._dock(
            "tuning", tr("Tuning"), Qt.DockWidgetArea.LeftDockWidgetArea
        )
        self.inspector = self._dock(
            "inspector", tr("Inspector"), Qt.DockWidgetArea.RightDockWidgetArea
        )
        areas = Qt.DockWidgetArea
        self.message = self._dock("message", tr("Message"), areas.BottomDockWidgetArea)
        self.message.setFeatures(QDockWidget.DockWidgetFeature.NoDockWidgetFeatures)
        self.message.setTitleBarWidget(QWidget())
        self.message.hide()
        corners = Qt.Corner
        self.setCorner(corners.BottomLeftCorner, areas.LeftDockWidgetArea)
        self.setCorner(corners.BottomRightCorner, areas.RightDockWidgetArea)
        self._shown_width_class = -1
        self._wide_state = ""  # the docks before tuning became a tab
        self._pending_widths: Sequence[
            float
        ] = ()  # dock widths that the window had no space for
        self._unscaled_widths: list[
            float
        ] = []  # dock widths at body size 13 while the text size changes
        self._body_pixels = scaled_pixels(BODY, self.font())
        self._fit_timer = QTimer(self, singleShot=True, interval=0)
        self._fit_timer.timeout.connect(self._on_zoomed)
        self.lock(True)

    def set_widgets(
        self,
        lists: QWidget,
        tuning: TuningPanel,
        inspector: QWidget,
        tabs: InspectorTabs,
    ) -> None:
        """Set the lists and the panels of the docks; ``tabs`` are those of the inspector."""
        self._tuning_panel = tuning
        self._tabs = tabs
        self._wide_tab = tabs.currentWidget()
        self.setCentralWidget(lists)
        self.tuning.setWidget(tuning)
        self.inspector.setWidget(inspector)

    def _dock(self, name: str, title: str, area: Qt.DockWidgetArea) -> QDockWidget:
        dock = QDockWidget(title, self)
        dock.setObjectName(name)
        self.addDockWidget(area, dock)
        return dock

    def lock(self, locked: bool) -> None:
        """Hide the docks' title bars, by which they are moved; the panels have their own
        headers."""
        for dock in (self.tuning, self.inspector):
            previous_bar = dock.titleBarWidget()
            dock.setTitleBarWidget(QWidget() if locked else None)  # type: ignore[arg-type]
            if previous_bar is not None:
                previous_bar.deleteLater()

    def save(self) -> str:
        """Return places and sizes of the docks in a window that is not narrow, as base64."""
        if self._wide_state:
            return self._wide_state
        return bytes(self.saveState().toBase64().data()).decode()

    def restore(self, text: str) -> None:
        """Restore the docks; an unknown text changes nothing."""
        if text and self.restoreState(
            QByteArray.fromBase64(text.encode(errors="ignore"))
        ):
            self._shown_width_class = self._width_class() or -1

    def show_below(self, message: QWidget) -> None:
        """Show Message under the list."""
        self.message.setWidget(message)
        message.show()
        self.message.show()
        QTimer.singleShot(0, self, self._fit_message)  # once it is laid out

    def _fit_message(self) -> None:
        height = scaled_pixels(_MESSAGE_HEIGHT, self.font())
        self.resizeDocks([self.message], [height], Qt.Orientation.Vertical)

    def show_inspector(self) -> None:
        self.inspector.show()
        self.inspector.raise_()

    def _width_class(self) -> int:
        narrow, wide = (scaled_pixels(width, self.font()) for width in (NARROW, WIDE))
        if self.width() < narrow:
            return 0
        return 1 if self.width() < wide else 2

    def _fit(self) -> None:
        width_class = self._width_class()
        if width_class == self._shown_width_class:
            self._set_dock_widths(self._pending_widths)
            return
        previous_class = self._shown_width_class
        self._shown_width_class = width_class
        self._unscaled_widths = []
        if self.tuning.isFloating() or self.inspector.isFloating():
            return
        if 0 in (width_class, previous_class):
            self._join(width_class == 0)
        pixels = self._tabs.width_of_tabs(DENSE_PADDING)
        tabs_width = pixels * BODY / self._body_pixels
        tabbed = (max(_TABBED_DOCK, tabs_width),)
        self._set_dock_widths((tabbed, _NARROW_DOCKS, _WIDE_DOCKS)[width_class])

    def _join(self, is_joined: bool) -> None:
        """Make tuning the first tab of the inspector at the left, or give both their docks
        again."""
        tabs, panel = self._tabs, self._tuning_panel
        if is_joined:
            self._wide_state = self.save()
            self._wide_tab = tabs.currentWidget()
            tabs.insertTab(0, panel, self.tuning.windowTitle())
            tabs.setCurrentIndex(0)
        else:
            if tabs.currentIndex() == 0 and tabs.indexOf(self._wide_tab) >= 0:
                tabs.setCurrentWidget(self._wide_tab)
            tabs.removeTab(0)
            self.tuning.setWidget(panel)
            panel.show()
            self._wide_state = ""
        panel.head.setHidden(
            is_joined
        )  # its tab has the name; Effect and Edit have Undo and Redo
        self.tuning.setHidden(is_joined)
        self.tuning.toggleViewAction().setEnabled(not is_joined)
        areas = Qt.DockWidgetArea
        self.removeDockWidget(self.inspector)
        self.addDockWidget(
            areas.LeftDockWidgetArea if is_joined else areas.RightDockWidgetArea,
            self.inspector,
        )
        self.inspector.show()

    def _docks(self) -> list[QDockWidget]:
        if self._shown_width_class:
            return [self.tuning, self.inspector]
        return [self.inspector]

    def _set_dock_widths(self, widths: Sequence[float]) -> None:
        """Set the docks' widths, given for a body of 13, as soon as there is space."""
        max_width = round(self.width() * _MAX_DOCK_SHARE)
        scaled = [scaled_pixels(width, self.font()) for width in widths]
        self._pending_widths = widths if max(scaled, default=0) > max_width else ()
        if scaled:
            pixels = [min(width, max_width) for width in scaled]
            self.resizeDocks(self._docks(), pixels, Qt.Orientation.Horizontal)

    def _on_zoomed(self) -> None:
        """Scale the docks with the text, and back to the same width."""
        self._body_pixels = scaled_pixels(BODY, self.font())
        self._fit()
        if self._unscaled_widths:
            self._set_dock_widths(self._unscaled_widths)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if self.isVisible() and self._width_class() != self._shown_width_class:
            self._fit_timer.start()  # panels must not move while Qt styles them
        else:
            self._fit()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            if self.isVisible() and not self._fit_timer.isActive():
                self._unscaled_widths = [
                    dock.width() * BODY / self._body_pixels for dock in self._docks()
                ]
            self._fit_timer.start()  # docks must not move while Qt passes the font on


RULER_UPDATE_MS = 300
"""Pause between updates of the ruler while rows arrive."""


class LoadingRows(QObject):
    """Shows rows in the before list at once, their number in the verdict, and the ruler
    periodically, until a preview is shown."""

    def __init__(self, verdict: VerdictLine, ruler: Ruler, lists: AlignedList) -> None:
        super().__init__(ruler)
        self._verdict, self._ruler, self._lists = verdict, ruler, lists
        self._generation = 0
        self._ruler_timer = QTimer(self, singleShot=True, interval=RULER_UPDATE_MS)
        self._ruler_timer.timeout.connect(self._update_ruler)

    @property
    def is_active(self) -> bool:
        """True while rows of a file without a preview are shown."""
        return self._generation > 0

    def stop(self) -> None:
        """Stop, because a preview or nothing replaces the rows."""
        self._generation = 0

    def show_rows(self, event: RowsReadEvent) -> None:
        """Add rows, or start with those of another file."""
        if event.generation != self._generation:
            self._generation = event.generation
            self._verdict.clear()
            self._ruler.clear()
            self._lists.set_rows(event.rows)
        else:
            self._lists.list.append_rows(event)
        self._verdict.show_messages_so_far(rows_so_far(self._lists.rows))
        is_counted = any(tokens >= 0 for tokens in event.rows.tokens[-1:])
        if is_counted and not self._ruler_timer.isActive():
            self._ruler_timer.start()

    def _update_ruler(self) -> None:
        if self.is_active:
            self._ruler.show_counted_rows(self._lists.rows)


NOT_COUNTED_CELL = plain_cell(NOT_COUNTED)
_NO_MISSING = {
    1: tr("No missing sentence after this one."),
    -1: tr("No missing sentence before this one."),
}
NO_OFFER = Notice("info", "", "", topic=RECOMMENDED_TOPIC)
CHANGED_FILTER = "-fate:kept"
"""The filter of what the verdict counts."""


class InspectPage(QWidget):
    """Passes values to the parts and their requests to the backend. No part knows another."""

    selection_changed = Signal()
    last_change = Signal(object)  # Notice | None
    status_changed = Signal(object)  # StatusPage
    ask_wanted = Signal()
    conversation_wanted = Signal(int)
    undo_wanted = Signal(int)  # number of a recorded compaction

    def __init__(
        self, backend: BackendClient, aim: Aim, parent: QWidget | None = None
    ) -> None:
        super().__init__(parent)
        self.backend, self._aim = backend, aim
        self.preview: Screen | None = None
        self._provider = ""
        self._missing = (
            -1
        )  # the sentence that was gone to last, by its place among the missing
        self._scheduler = StepScheduler(self)
        self.verdict, self.ruler, self.dock_area = (
            VerdictLine(self),
            Ruler(self),
            DockArea(self),
        )
        self.lists = AlignedList(self.dock_area)
        self.tuning, self.inspector = (
            TuningPanel(aim, self.dock_area.tuning),
            Inspector(self.dock_area.inspector),
        )
        self.dock_area.set_widgets(
            self.lists, self.tuning, self.inspector, self.inspector.tabs
        )
        self.loading = LoadingRows(self.verdict, self.ruler, self.lists)
        self.current_item = CurrentItem(backend, self.inspector.show_why)
        self.losses = LossesController(backend, self.inspector)
        self.summary = SummaryController(backend, self.inspector)
        self.selection = MessageSelection(
            backend, self.current_item, self.summary, self.ruler
        )
        self._progress = ProgressLine(backend)
        self._confirmation = CallConfirmation(backend, self.lists.run_pane)
        self.setLayout(
            column_of(
                self.verdict,
                self.ruler,
                self._progress,
                self.dock_area,
                stretched=self.dock_area,
            )
        )
        self._connect()
        self.tools = MessageTools(self, backend)
        self.tools.marks_changed.connect(self.losses.show_marks)
        self.tools.filter_controller.needle_changed.connect(
            self.inspector.message.matches.show
        )
        message = self.inspector.message
        message.pin_requested.connect(self.tools.toggle_pin)
        message.below_button.clicked.connect(self._on_below)
        message.beside_button.clicked.connect(self._on_beside)
        losses, must = self.inspector.losses, self.inspector.losses.must
        losses.pin_requested.connect(self.tools.keep_source)
        must.added.connect(self.tools.keep_text)
        must.message_dropped.connect(self.tools.keep_message)
        must.removed.connect(self.tools.remove_must)

    def _connect(self) -> None:
        backend = self.backend
        backend.screen.connect(self.show_screen)
        backend.rows.connect(self.loading.show_rows)
        backend.idle.connect(self._on_idle)
        backend.aimed.connect(self._on_strategy_aimed)
        backend.notice.connect(self.lists.list.show_notice)
        self._progress.slow_changed.connect(self.lists.list.set_outdated)
        self._progress.slow_changed.connect(self.verdict.set_busy)
        self.ruler.message_clicked.connect(self.go_to)
        self.ruler.message_clicked.connect(self._on_clicked)
        self.ruler.cut_clicked.connect(self.current_item.show_cut)
        self.verdict.losses_requested.connect(self._on_losses)
        self.verdict.checks_requested.connect(self._on_checks)
        self.verdict.changes_requested.connect(self._on_changes)
        self.ruler.handle_moved.connect(self._on_handle_moved)
        self.ruler.hovered.connect(self._on_ruler_hovered)
        messages = self.lists.list
        messages.selected.connect(self._on_selected)
        messages.selected.connect(self._on_clicked)
        messages.clicked.connect(self._on_clicked)
        messages.cut_selected.connect(self.current_item.show_cut)
        messages.recorded_selected.connect(self.current_item.show_recorded)
        messages.view_changed.connect(self._on_view_changed)
        messages.view.restore_requested.connect(self.toggle_restored)
        messages.cut_moved.connect(self.ruler.step_cut)
        messages.view.drag.wanted.connect(self.ruler.drag_cut)
        messages.view.drag.ended.connect(self.ruler.end_drag)
        self.ruler.dragged.connect(self.lists.list.show_drag)
        self.tuning.value_changed.connect(self._on_value)
        self.tuning.undo_requested.connect(backend.undo)
        self.tuning.redo_requested.connect(backend.redo)
        self.tuning.aim.entered.connect(self._on_aim)
        self._aim.settled.connect(self._on_settled)
        self.inspector.link_activated.connect(self.follow_link)
        self.losses.lost_facts_changed.connect(self.ruler.set_lost_facts)
        self.losses.losses_changed.connect(self.verdict.show_losses)
        self.losses.musts_changed.connect(self.ruler.set_musts)
        self.summary.sources_changed.connect(self._on_sources)
        self.selection.changed.connect(self.selection_changed)
        self.selection.body_loaded.connect(self.inspector.show_body)
        self.selection.changes_loaded.connect(self.inspector.show_changes)
        self.selection.changes_loaded.connect(self.lists.list.mark_matches)
        self.selection.message_removed.connect(self.inspector.clear)
        self.inspector.checks.activated.connect(self.go_to)
        self.inspector.checks.provider_changed.connect(self._on_provider)
        self.inspector.message.full_button.clicked.connect(
            self.selection.load_whole_body
        )

    @property
    def selected(self) -> tuple[str, int]:
        """Side and index of the selected message; index -1 for none."""
        return self.selection.message

    def _on_aim(self) -> None:
        """Set the controls to what reaches the aim."""
        self.backend.call(self, CompareService.aimed, self._aim.value).done(
            self._on_aimed
        ).failed(self.backend.notice.emit)

    def _on_aimed(self, card: StrategyCard) -> None:
        self.tuning.aim.show_card(card)
        if card.values:
            self.backend.set_values(card.values)

    def _on_strategy_aimed(self, card: StrategyCard) -> None:
        """The result of a strategy that was chosen is shown; say whether it reaches the aim."""
        self.tuning.aim.show_card(card)
        if self.preview is not None:
            self._show_reached(self.preview)

    def _show_reached(self, screen: Screen) -> None:
        self.tuning.aim.show_result(*_size(screen))

    def _on_settled(self) -> None:
        """The verdict says whether the result misses the aim."""
        if self.preview is not None:
            self.backend.call(self, PreviewService.set_aim, self._aim.value)

    def clear(self) -> None:
        self.loading.stop()
        self.begin()

    def begin(self) -> None:
        """Forget the transcript, but keep rows of the next one that arrived while it is read."""
        self._scheduler.cancel()
        self.preview = None
        self.selection.clear()
        if not self.loading.is_active:
            self.verdict.clear()
            self.ruler.clear()
            self.lists.set_rows(NO_ROWS)
        self.lists.run_pane.clear()
        self.tuning.clear()
        self.inspector.clear()
        self.losses.clear()
        self.tools.clear()
        self.selection_changed.emit()

    def show_screen(self, screen: Screen) -> None:
        """Show a preview everywhere: the first one of a transcript part by part, later ones at
        once."""
        is_first = self.preview is None
        if self.preview is not None and _size(self.preview) != _size(screen):
            self.losses.offer_made.emit(NO_OFFER)  # it was made for the former result
        in_steps = is_first or self.loading.is_active or self._scheduler.is_busy
        self.preview = screen
        is_compacted = bool(screen.history.run)
        self.verdict.show_verdict(
            screen.verdict, is_first=is_first, is_compacted=is_compacted
        )
        self._show_reached(screen)
        self.loading.stop()
        self._scheduler.start(self._show_parts(screen))
        if not in_steps:
            self._scheduler.finish()
        self.losses.show_screen(provisional=screen.provisional)
        self.request_panels()

    def request_panels(self) -> None:
        """Ask for the pages of all panels: once for what is shown, and when a model has judged
        it."""
        screen = self.preview
        if screen is None:
            return
        wanted = PanelsWanted()
        if not screen.provisional:
            summaries = self.inspector.current_tab == CHECKS
            studies = self.losses.wants_studies()
            wanted = replace(
                self.selection.wanted(screen), summaries=summaries, studies=studies
            )
        call = self.backend.call(self, PanelService.pages, wanted)
        call.progress(self._show_panel).cancelled(self._on_panels_cancelled)

    def _on_panels_cancelled(self) -> None:
        """Say that the losses are not counted, where the person ended the counting."""
        if self.preview is not None and not self.losses.is_current:
            self.inspector.losses.show_not_counted()
            self.verdict.show_losses(NOT_COUNTED_CELL)

    def _show_panel(self, page: PanelPage) -> None:
        match page:
            case StatusPage():
                self.status_changed.emit(page)
            case TuningPage():
                self._show_tuning(page)
            case ChecksPage():
                self._show_checks(page)
            case UserMarks():
                self.tools.show_marks(page)
            case MessageBody():
                self.selection.show_body(page)
            case MessageChanges():
                self.selection.show_changes(page)
            case SummaryPage():
                self.summary.show_page(page)
            case WhyPage():
                self.inspector.show_why(page)
            case LossesPage() | LinesPage() | AskOffer() | BacktestPage():
                self.losses.show_panel(page)

    def _show_tuning(self, page: TuningPage) -> None:
        if (screen := self.preview) is not None:
            self.tuning.show_history(
                can_undo=screen.history.can_undo, can_redo=screen.history.can_redo
            )
            self.last_change.emit(page.change if screen.history.can_undo else None)
            in_steps = self._scheduler.is_busy
            self._scheduler.add(self.tuning.show_groups(page.groups))
            if not in_steps:
                self._scheduler.finish()

    def _show_checks(self, page: ChecksPage) -> None:
        self.inspector.checks.set_reports(page.reports, self._provider or page.provider)

    def finish(self) -> None:
        self._scheduler.finish()

    def _show_parts(self, screen: Screen) -> Iterator[None]:
        self.ruler.set_screen(screen)
        yield
        yield from self.lists.show_in_steps(screen)

    def show_run_report(self) -> None:
        """Show the report of the shown run, and update it while settings change."""
        self.dock_area.show_inspector()
        self.current_item.show_run()

    def step_missing(self, step: int) -> None:
        """Go to the next (1) or previous (-1) sentence that does not stand in the result."""
        page = self.inspector.losses.page
        missing = () if page is None else page.places.missing
        side, index = self.selected
        if side == "before":
            here = (index, self._missing)
        else:
            here = (-1, -1)
        if here in missing:
            at = missing.index(here) + step
        else:
            at = bisect_left(missing, (index, -1)) - (step < 0)
        if not 0 <= at < len(missing):
            self.tools.announced.emit(
                _NO_MISSING[step] if missing else tr("No sentence is missing.")
            )
            return
        index, self._missing = missing[at]
        self.show_tab(MESSAGE)
        self.go_to("before", index)
        self.inspector.message.show_missing(self._missing)
        words = tr("Missing sentence {number} of {count}")
        self.tools.announced.emit(words.format(number=at + 1, count=len(missing)))

    def show_sentences(self, index: int) -> None:
        """Show a message of the source by sentence, the first missing one marked."""
        self.show_tab(MESSAGE)
        self.go_to("before", index)
        self.inspector.message.show_missing(0)

    def toggle_restored(self) -> None:
        """Restore the selected message in the result, or remove it again."""
        self.selection.toggle_restored(self.preview)

    def show_recorded(self, number: int) -> None:
        """Select a recorded compaction in the before list and show its page."""
        self.finish()
        if self.lists.list.select_recorded(number):
            self.dock_area.show_inspector()
            self.current_item.show_recorded(number)

    def go_to(self, side: str, index: int) -> None:
        """Select a message in its list and show it in the inspector."""
        self.finish()
        if 0 <= index < side_length(self.preview, side):
            self.lists.select(side, index)
            self._on_selected(side, index)

    def follow_link(self, link: str) -> None:
        """Follow a link: to a message ("before:84"), a cut, a scope, a page, or an action there."""
        kind, _, target = link.partition(":")
        action = link_actions(self, self.backend).get(kind)
        if action is not None:
            action(target)
        elif target.isdigit():
            self.go_to(kind, int(target))

    def put_message(self, *, is_below: bool) -> None:
        """Show Message under the list, or as a tab of the inspector."""
        is_there = self.inspector.message.parent() is self.dock_area.message
        if is_below and not is_there:
            self.dock_area.show_below(self.inspector.take_message())
        elif is_there and not is_below:
            self.inspector.put_message_back()
        self.dock_area.message.setVisible(is_below)

    def _on_below(self) -> None:
        self.put_message(is_below=True)

    def _on_beside(self) -> None:
        self.put_message(is_below=False)

    def show_tab(self, name: str) -> None:
        self.dock_area.show_inspector()
        self.inspector.show_tab(name)

    def _on_losses(self) -> None:
        self.show_tab(LOSSES)

    def _on_checks(self) -> None:
        self.show_tab(CHECKS)

    def _on_changes(self) -> None:
        """Show only the messages that change."""
        self.tools.filter_controller.open_bar(CHANGED_FILTER)

    def _on_selected(self, side: str, index: int) -> None:
        self.lists.list.mark_matches(None)
        self.selection.choose(self.preview, side, index)

    def _on_clicked(self) -> None:
        """A click asks for the message, whatever tab was in front; the tuning of a narrow window
        stays."""
        if self.inspector.current_tab:
            self.inspector.show_tab(MESSAGE)

    def _on_sources(self, sources: Sequence[int]) -> None:
        self.lists.list.set_sources(frozenset(sources))
        self.ruler.set_sources(sorted(sources))

    def areas(self) -> tuple[QWidget, ...]:
        """The areas that F6 cycles through, in order."""
        pane = self.lists.run_pane
        question = () if pane.isHidden() else (pane,)
        return (self.ruler, self.tuning, self.lists, *question, self.inspector)

    def _on_view_changed(self) -> None:
        self.ruler.set_visible_runs(self.lists.list.view.visible_runs())

    def _on_value(
        self, key: str, value: SettingValue | None, provisional: bool
    ) -> None:
        """Set a control's value, None for that of the layer below, or handle a link of a group."""
        if key == "link":
            self.follow_link(str(value))
        elif key == FOCUS_KEY:
            self.backend.call(self, PreviewService.set_focus, str(value or ""))
        elif key == EVERY_TURN_KEY:
            every_turn = value == DOES_EVERY_TURN
            self.backend.call(self, PreviewService.set_every_turn, every_turn)
        else:
            self.backend.set_value(key, value, provisional)

    def put_line_back(self, place: str) -> None:
        """Put a line of the source back that a link names: "84:the whole line"."""
        index, _, text = place.partition(":")
        self.backend.call(self, PreviewService.add_line, int(index), text)

    def _on_handle_moved(self, key: str, value: float, final: bool) -> None:
        self.backend.set_value(key, value, not final)
        if not self.ruler.is_dragged:
            self.lists.show_boundary(self.ruler.moving_boundary)

    def _on_ruler_hovered(self, side: str, first: int, last: int) -> None:
        self.lists.list.highlight_messages(side, first, last + 1)

    def _on_provider(self, provider: str) -> None:
        self._provider = provider

    def _on_idle(self) -> None:
        if (
            self.loading.is_active and self.preview is not None
        ):  # reading was cancelled: restore the preview
            self.show_screen(self.preview)
        self.lists.list.end_drag()


def _size(screen: Screen) -> tuple[str, int]:
    """Return the strategy of a result and the tokens that it leaves."""
    return screen.strategy, screen.verdict.gauge.after


def link_actions(
    page: InspectPage, backend: BackendClient
) -> Mapping[str, Callable[[str], object]]:
    """What to do with the place of a link, by what the link begins with."""
    return {
        "cut": page.current_item.show_cut,
        "run": lambda _: page.show_run_report(),
        "scope": backend.set_scope,
        "strategy": backend.set_strategy,
        "ask": lambda _: page.ask_wanted.emit(),
        "count": lambda _: page.request_panels(),
        "studies": lambda _: page.losses.request_studies(),
        "excerpts": lambda word: backend.call(
            page, PreviewService.add_excerpts, word == "back"
        ),
        "line": page.put_line_back,
        "beside": lambda number: backend.show_recorded(int(number)),
        "conversation": lambda number: page.conversation_wanted.emit(int(number)),
        "undo": lambda number: page.undo_wanted.emit(int(number)),
        "sentence": lambda number: page.summary.choose(int(number)),
        "keep": page.tools.keep_text,
        "sentences": lambda index: page.show_sentences(int(index)),
        "put-back": lambda index: backend.restore_message(int(index), True),
        "let-go": lambda index: backend.restore_message(int(index), False),
    }
