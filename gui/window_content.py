"""The content of the main window once it has a transcript: pages, panes and their connections to
the backend. It is built after the first paint."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QRect, QTimer
from PySide6.QtWidgets import (
    QApplication,
    QGraphicsOpacityEffect,
    QProgressBar,
    QWidget,
)

from core.app.events import (
    FileExportedEvent,
    OpenRequest,
    ReadingProgressEvent,
    WorkingEvent,
)
from core.app.remote_methods import InspectorService, OpenService
from core.app.rpc import Call, is_call_of
from core.common.paths import display_name
from core.presentation.dialog_model import FileChoices, FileOpenedEvent, SummaryProgress
from core.presentation.model import Notice, StatusPage
from core.presentation.screen_model import Screen
from gui import late
from gui.actions import missing_needs
from gui.aim_field import Aim
from gui.ask import AskController
from gui.backend import BackendClient
from gui.command_bar import MESSAGE
from gui.dialogs import DialogController
from gui.file_opening import FileWatcher, OpenController, SourceController
from gui.inspect.inspect_page import InspectPage
from gui.inspect.run_dialogs import RunsMenu
from gui.inspect.status_bar import StatusBar
from gui.inspect.strategy_popup import StrategyPopup
from gui.inspect.toolbar import Toolbar
from gui.language import tr
from gui.main_window import MainWindow
from gui.session_pane import SessionsPane
from gui.view_switching import COMPARE, INSPECT, AnalysisViews, PageController
from gui.widgets.accessibility import install_roles
from gui.widgets.basic_widgets import push_button
from gui.widgets.icons import app_icon
from gui.widgets.message_row import MessageRow
from gui.widgets.progress_line import SHOW_AFTER_MS, show_progress
from gui.widgets.text_labels import ElidedLabel
from gui.widgets.view_layout import panel_of, row_of
from gui.window_commands import WindowCommands

if TYPE_CHECKING:
    from gui.tour import Tour

_STEPS, _BAR_WIDTH = 1000, 80


class RunningWork(QWidget):
    """Keeps its width; empty until work has taken so long that a person asks what is going on."""

    def __init__(self, backend: BackendClient) -> None:
        super().__init__()
        self._backend = backend
        self._reading = ""  # the name of the file that is read
        self.words = ElidedLabel("", "secondary")
        self.bar = QProgressBar()
        self.bar.setTextVisible(False)
        self.bar.setFixedWidth(_BAR_WIDTH)
        self.bar.setAccessibleName(tr("Work in progress"))
        self.stop = push_button(
            tr("Stop here"), "small", tip=tr("Stop here and show what was read")
        )
        self.cancel = push_button(
            tr("Cancel"), "small", tip=tr("Stop what is going on (Esc)")
        )
        self.stop.clicked.connect(backend.stop_reading)
        self.cancel.clicked.connect(backend.cancel)
        parts = (self.words, self.bar, self.stop, self.cancel)
        self.box = panel_of(row_of(*parts, stretched=self.words))
        self.setLayout(row_of(self.box))
        self.box.hide()
        self._show_timer = QTimer(self, singleShot=True, interval=SHOW_AFTER_MS)
        self._show_timer.timeout.connect(self.box.show)
        backend.started.connect(self._on_started)
        backend.reading.connect(self.show_reading)
        backend.working.connect(self.show_working)
        backend.writing.connect(self.show_writing)
        backend.idle.connect(self._on_idle)

    def _on_started(self, command: object) -> None:
        if isinstance(command, Call) and is_call_of(command, OpenService.open):
            request = command.arguments[0]
            assert isinstance(request, OpenRequest)
            self._reading = display_name(request.path)
            self._show(tr("Reading {name}").format(name=self._reading), 0.0)
        if self.box.isHidden() and not self._show_timer.isActive():
            if not self._reading:
                self._show(tr("Working…"), 0.0)
            self._show_timer.start()

    def show_reading(self, reading: ReadingProgressEvent) -> None:
        """Say how far a file is read; it can be shown as far as it is read."""
        if self._reading:
            text = tr("Reading {name}").format(name=self._reading)
        else:
            text = ""
        self._show(
            " · ".join(filter(None, (text, reading.text))),
            reading.fraction,
            can_stop=True,
        )

    def show_working(self, working: WorkingEvent) -> None:
        self._show(working.text, working.fraction)

    def show_writing(self, writing: SummaryProgress) -> None:
        if not writing.is_over:
            self._show(f"{writing.title} · {writing.elapsed}", writing.fraction)

    def _show(self, text: str, fraction: float, *, can_stop: bool = False) -> None:
        self.words.show_text(text)
        show_progress(self.bar, round(fraction * _STEPS), _STEPS if fraction > 0 else 0)
        self.stop.setVisible(can_stop)

    def _on_idle(self) -> None:
        self._show_timer.stop()
        self._reading = ""
        self.box.hide()


LOST_OPACITY = 0.6
_FILE_GAP = 24
"""Pixels between the titles of the menus, and to the file beside them."""


class WindowContent(QObject):
    """Toolbar, the page of the open transcript, message row and status bar."""

    def __init__(self, window: MainWindow, backend: BackendClient) -> None:
        super().__init__(window)
        self.window, self.backend = window, backend
        backend.setParent(self)
        self.file: FileOpenedEvent | None = None
        self.tour: Tour | None = None
        self._announced_scope = (
            ""  # of which it is said what the agent's newest compaction left
        )
        self._wants_tour = False  # once the first sample is shown
        self.aim = Aim(self)
        self.page = InspectPage(backend, self.aim, window.pages)
        self.views = AnalysisViews(self, backend, self.aim, window.pages)
        self.toolbar = Toolbar(window.actions_by_id, window.recent_menu)
        self.bar = MessageRow(work=RunningWork(backend))
        self.status = StatusBar()
        self.open_controller = OpenController(self, backend, self.page)
        self.runs_menu = RunsMenu(window)
        self.strategy_popup = StrategyPopup(backend, self.aim, window)
        self.browser = SessionsPane(backend)
        self.browser.notify.setChecked(window.state.notifies_at_trigger)
        self.page_controller = PageController(
            window, self.page, self.views, self.toolbar, self.status, self.browser
        )
        self.dialogs = DialogController(window, backend, window.actions_by_id)
        self.ask = AskController(window, backend)
        self.file_watcher = FileWatcher(self, backend, self.page.lists.list)
        self.source = SourceController(window)
        self.commands = WindowCommands(
            window, backend, self.page, self.dialogs, self.source
        )
        self._add_widgets()
        self._connect()
        self._enable()

    def _add_widgets(self) -> None:
        window = self.window
        window.setWindowIcon(app_icon())
        install_roles(QApplication.instance() or self)
        if window.menuBar().isNativeMenuBar():
            window.add_top_widget(self.toolbar.chip)
        window.add_top_widget(self.toolbar)
        self.toolbar.hide()
        window.start.show_sessions(
            self.browser, self.browser.table, self.browser.search
        )
        self.browser.sample_button.clicked.connect(window.start.open_sample)
        self.browser.path_chosen.connect(window.path_chosen)
        window.pages.addWidget(self.page)
        window.add_bottom_widget(self.bar)
        window.setStatusBar(self.status)
        self.status.hide()
        actions = window.actions_by_id
        actions.page_wanted.connect(self._on_page_wanted)
        actions.connect_to(self)
        actions.add_local_keys(self.page.lists)
        for name in ("must-keep", "next-missing", "previous-missing"):
            self.page.inspector.addAction(actions[name])
            self.page.inspector.message.addAction(actions[name])  # it may stand apart
        panels = (self.page.dock_area.tuning, self.page.dock_area.inspector)
        move_action = actions["move-panels"]
        window.menus["View"].insertActions(
            move_action, [panel.toggleViewAction() for panel in panels]
        )
        window.menus["Compaction"].addMenu(self.runs_menu)
        self.page.dock_area.restore(window.state.docks)
        self.page.put_message(is_below=not self.page.dock_area.message.isHidden())

    def _connect(self) -> None:
        backend, commands, window = self.backend, self.commands, self.window
        window.path_chosen.connect(self.open_path)
        window.dropped.connect(self.open_controller.open_dropped)
        window.escaped.connect(self._on_escaped)
        window.saving_state.connect(self._on_saving_state)
        window.closing.connect(backend.close)
        commands.strategies_requested.connect(self.toolbar.strategy.showPopup)
        commands.action_requested.connect(window.actions_by_id.trigger)
        commands.open_requested.connect(self.open_path)
        self.open_controller.opening_started.connect(self.bar.clear)
        for sender in (commands, self.file_watcher, self.browser, self.open_controller):
            sender.notice.connect(self.bar.add)
        self.bar.action_requested.connect(commands.follow)
        self.source.open_requested.connect(self.open_controller.open)
        self.toolbar.chip.link_clicked.connect(self.source.follow_link)
        self.toolbar.chip_changed.connect(self._fit_chip)
        self._connect_backend()
        self._connect_page()
        self._connect_views()

    def _connect_backend(self) -> None:
        backend, toolbar = self.backend, self.toolbar
        backend.opened.connect(self._on_opened)
        backend.rows.connect(self.page_controller.show_page)
        backend.screen.connect(self._on_screen)
        backend.notice.connect(self.bar.add)
        backend.lost.connect(self._on_lost)
        backend.exported.connect(self._on_exported)
        backend.started.connect(self._enable)
        backend.idle.connect(self._on_idle)
        self.dialogs.profiles_listed.connect(toolbar.show_profiles)
        toolbar.scope.picked.connect(backend.set_scope)
        toolbar.strategy.opened.connect(self._on_strategies)
        toolbar.strategy.picked.connect(backend.set_strategy)
        self.strategy_popup.picked.connect(backend.set_values)
        self.strategy_popup.compare_wanted.connect(self._on_compare)
        self.strategy_popup.help_wanted.connect(self.dialogs.open_help)
        toolbar.model.picked.connect(backend.set_model)
        toolbar.profile_picked.connect(self.dialogs.choose_summary_profile)
        self.runs_menu.chosen.connect(backend.restore_run)

    def _connect_page(self) -> None:
        page = self.page
        self.toolbar.profiles_requested.connect(self.dialogs.open_profiles)
        self.dialogs.picks = self.toolbar.choice_sources
        self.dialogs.message_count = self._message_count
        self.dialogs.picked.connect(self._on_picked)
        page.tuning.all_settings_requested.connect(self.dialogs.open_settings)
        page.tuning.prompt_requested.connect(self.dialogs.open_prompts)
        page.lists.run_pane.question.request_button.clicked.connect(
            self.dialogs.open_request
        )
        page.ask_wanted.connect(self.ask.open_dialog)
        self.ask.answered.connect(page.request_panels)
        page.conversation_wanted.connect(self.source.open_conversation)
        page.selection_changed.connect(self._enable)
        page.status_changed.connect(self._show_status)
        page.verdict.export_requested.connect(self.commands.export_dialog)
        page.lists.list.action_requested.connect(self.commands.follow)
        page.last_change.connect(self.bar.set_change)
        page.losses.offer_made.connect(self.bar.add)
        page.tools.announced.connect(self.status.announce)

    def _connect_views(self) -> None:
        commands, views = self.commands, self.views
        commands.view_requested.connect(self.page_controller.show_view)
        commands.view_areas = views.areas
        views.file_wanted.connect(self.open_controller.open_with_strategy)
        self.page_controller.left_without_file.connect(self._show_start)
        self.file_watcher.following.connect(self.page_controller.show_following)
        self.file_watcher.following.connect(
            self.window.actions_by_id["follow"].setChecked
        )
        self.browser.compare_chosen.connect(self.open_controller.open_compared)
        views.message_wanted.connect(self.open_controller.go_to)
        views.notice.connect(self.bar.add)

    def open_path(self, path: str) -> None:
        """Open a transcript; the current one stays visible until the first rows are read."""
        self.open_controller.open(OpenRequest(path))

    def close_file(self) -> None:
        self.bar.clear()
        self._show_start()
        self.browser.list_sessions()

    def _show_start(self) -> None:
        self.file = self.commands.file = None
        self.source.clear()
        self.file_watcher.stop()
        self.page.clear()
        self.views.begin("")
        self.runs_menu.clear_runs()
        self.page_controller.show_start()
        self._enable()

    def take_tour(self) -> None:
        """Show the coach marks over the open transcript; without one over the first sample."""
        self._wants_tour = self.page.preview is None
        if self._wants_tour:
            self.window.start.open_sample()
            return
        if self.tour is None:
            self.tour = late.Tour(
                self.window,
                [partial(self._mark_place, name) for name, *_ in late.MARKS],
            )
        self.window.state.had_tour = True
        self.page_controller.show_view(INSPECT)
        self.page.show_tab("losses")
        self.tour.begin()

    def _mark_place(self, name: str) -> QRect:
        """Return what a coach mark is about, in the window."""
        page = self.page
        widget = {"lists": page.lists, "losses": page.inspector}.get(name, page.ruler)
        if name == "handle":
            box = page.ruler.first_handle_box()
        else:
            box = widget.rect()
        return QRect(widget.mapTo(self.window, box.topLeft()), box.size())

    def _message_count(self) -> int:
        if self.page.preview is not None:
            return len(self.page.preview.source.rows)
        return 0

    def _on_picked(self, kind: str, value: str) -> None:
        """Follow a choice of the command bar."""
        if kind == MESSAGE:
            self.page_controller.show_view(INSPECT)
            self.page.go_to("before", int(value) - 1)
        else:
            self.toolbar.pick(kind, value)

    def _on_page_wanted(self) -> None:
        """The action would not be visible in another view."""
        self.page_controller.show_view(INSPECT)

    def _on_escaped(self) -> None:
        """Esc returns from the start page to the transcript, and from two results to the
        preview."""
        self.page_controller.leave_start()
        screen = self.page.preview
        if screen is not None and screen.is_beside and self.page.isVisible():
            self.backend.set_values(())

    def _fit_chip(self) -> None:
        """Give file and context the room beside the menus, where the window and not the system has
        them."""
        bar = self.window.menuBar()
        chip = self.toolbar.chip
        titles = (
            bar.fontMetrics().horizontalAdvance(action.text())
            for action in bar.actions()
        )
        if bar.isNativeMenuBar():
            used = 0
        else:
            used = sum(title + _FILE_GAP for title in titles)
        chip.fit(self.window.width() - used)
        if not bar.isNativeMenuBar():
            chip.resize(chip.sizeHint().boundedTo(chip.maximumSize()))
            bar.setCornerWidget(chip)  # again, as it has another size

    def _on_opened(self, file: FileOpenedEvent) -> None:
        self.file = self.commands.file = file
        self.toolbar.show_opened(file)
        self.file_watcher.start(file)
        self.window.actions_by_id["follow"].setChecked(self.file_watcher.is_following)
        self.source.show_opened(file, self.backend.last_open or OpenRequest(file.path))
        self.commands.exports = ()
        self.backend.call(self, OpenService.choices).done(self._show_choices)
        if file.has_grown:
            return
        is_first = self.window.saves_state and not self.window.state.had_tour
        self._wants_tour |= is_first and self.window.start.is_first_sample(file.path)
        self.window.remember(file.path)
        self.aim.type("")  # of the former file
        self.page.begin()
        self.strategy_popup.clear()
        self._announced_scope = ""
        self.views.begin(file.path)
        self.page_controller.begin(self.open_controller.receive())

    def _on_lost(self, is_lost: bool) -> None:
        """Fade the file that no worker has any more; it stays to be read."""
        self.page.setEnabled(not is_lost)
        effect = None
        if is_lost:
            effect = QGraphicsOpacityEffect(self.page)
            effect.setOpacity(LOST_OPACITY)
        self.page.setGraphicsEffect(effect)  # type: ignore[arg-type]  # None removes it

    def _show_choices(self, choices: FileChoices) -> None:
        self.toolbar.strategy.set_choices(choices.strategies)
        self.commands.exports, self.source.choices = choices.exports, choices.formats

    def _on_screen(self, screen: Screen) -> None:
        self.toolbar.show_screen(screen)
        self.runs_menu.show_screen(screen)
        self.views.show_screen(screen)
        if screen.heading.scope != self._announced_scope and not screen.is_beside:
            self.backend.call(self, InspectorService.compacted).progress(
                self.bar.add
            ).done(self._on_compacted)
        self._enable()

    def _on_compacted(self, is_announced: bool) -> None:
        if is_announced and self.page.preview is not None:
            self._announced_scope = self.page.preview.heading.scope

    def _show_status(self, page: StatusPage) -> None:
        self.page_controller.show_parts(page.parts)
        self.page.verdict.show_status(page)
        self.bar.set_screen(page.notices, page.step_notices)
        self.dialogs.show_refusal(page.notices)

    def _on_exported(self, exported: FileExportedEvent) -> None:
        notice = Notice(
            exported.severity,
            exported.text,
            exported.secrets,
            exported.actions,
            topic="export",
        )
        self.bar.add(notice)

    def _on_idle(self) -> None:
        """Everything is answered. A file without a preview leaves the start page and its notice."""
        self.open_controller.finish()
        if self.page_controller.is_empty:
            self._show_start()
            self.bar.keep_errors()  # the notes of the file go with it
        if self.window.pages.currentWidget() is self.window.start:
            self.browser.list_once()  # the file of the command line could not be opened
        if self._wants_tour and self.page.preview is not None:
            self.take_tour()
        self._enable()

    def _on_strategies(self) -> None:
        self.strategy_popup.open_below(
            self.toolbar.strategy, self.toolbar.strategy.currentData()
        )

    def _on_compare(self, names: tuple[str, ...]) -> None:
        self.page_controller.show_view(COMPARE)
        if names:
            self.views.compare_names(names)

    def _enable(self) -> None:
        selects = self.page.selected[1] >= 0
        busy = self.backend.is_busy
        needs = missing_needs(self.file, self.page.preview, selects=selects, busy=busy)
        self.window.actions_by_id.enable(needs)

    def _on_saving_state(self) -> None:
        self.window.state.docks = self.page.dock_area.save()
        self.window.state.notifies_at_trigger = self.browser.notify.isChecked()
