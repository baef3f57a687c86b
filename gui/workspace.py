"""Everything in the window that speaks of a transcript, wired to its session. Built after the first paint."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from core.desk import Exported, Open, Reading, Working
from core.view.dropped import dropped_notice
from core.view.names import shown_name
from core.view.opened_values import Opened
from core.view.values import Notice, RowsPart, Screen, StatusPart
from gui.accessible import tell_roles
from gui.commands import Commands
from gui.conversation_commands import ConversationCommands
from gui.dialogs.owner import TEST, Dialogs
from gui.growth import Growth
from gui.icons import app_icon
from gui.inspect_page import InspectPage
from gui.main_window import MainWindow
from gui.notify import MessageBar
from gui.probes.owner import Probes
from gui.prompts.owner import Prompts
from gui.runs_menu import RunsMenu
from gui.session import Session
from gui.sessions.owner import Browser
from gui.source.owner import Source
from gui.start.reading import ReadingStrip
from gui.status import StatusBar
from gui.theme import Theme
from gui.toolbar import Toolbar
from gui.views import FOLDER, INSPECT, Views


class Workspace(QObject):
    """Toolbar, message bar, reading strip, the page of the open transcript and the status bar."""

    def __init__(self, window: MainWindow, session: Session) -> None:
        super().__init__(window)
        self.window, self.session = window, session
        session.setParent(self)
        theme = window.appearance.theme
        self.opened: Opened | None = None
        self.page = InspectPage(session, theme)
        self.views = Views(self, session, window.pages, theme)
        self.toolbar = Toolbar(window.actions_by_id)
        self.bar, self.reading, self.status = MessageBar(theme), ReadingStrip(), StatusBar(theme)
        self.runs = RunsMenu(window)
        self.browser = Browser(window, session)
        appearance, actions = window.appearance, window.actions_by_id
        self.dialogs = Dialogs(window, session, actions, appearance)
        self.prompts = Prompts(window, session, appearance)
        self.probes = Probes(window, session, appearance)
        self.growth = Growth(self, session, self.page.lists.before)
        self.source = Source(window, appearance)
        self.commands = Commands(
            window,
            session,
            self.page,
            appearance,
            window.state,
            self.dialogs,
            self.prompts,
            self.growth,
            self.source,
        )
        self.steps = ConversationCommands(window, session, self.page, self.source, self.prompts)
        self._offer: Notice | None = None  # what else was dropped, said when the first file is there
        self._is_opening = False
        self._wanted = ""  # the strategy of a file of a folder, once its first preview is there
        self._view, self._goal = INSPECT, -1  # what is seen; a message to go to once its scope is there
        self._parts: tuple[StatusPart, ...] = ()
        self._put_in()
        self._connect()
        self._connect_views()
        self._on_theme(theme)
        self._enable()

    def _put_in(self) -> None:
        window = self.window
        window.setWindowIcon(app_icon())
        tell_roles(QApplication.instance() or self)
        for widget in (self.toolbar, self.bar, self.reading):
            window.add_above(widget)
        self.toolbar.hide()
        self.reading.hide()
        window.pages.addWidget(self.page)
        window.setStatusBar(self.status)
        self.status.hide()
        actions = window.actions_by_id
        actions.connect_to(self.commands, self.steps)
        actions.add_local_keys(self.page.lists)
        panels = (self.page.workbench.tuning, self.page.workbench.inspector)
        before = actions["move-panels"]
        window.menus["View"].insertActions(before, [one.toggleViewAction() for one in panels])
        window.menus["Compaction"].addMenu(self.runs)
        self.page.workbench.restore(window.state.docks)

    def _connect(self) -> None:
        session, commands, window = self.session, self.commands, self.window
        window.appearance.changed.connect(self._on_theme)
        window.path_chosen.connect(self.open_path)
        window.start.help_requested.connect(commands.help.open)
        window.keeping.connect(self._on_keeping)
        window.closing.connect(session.close)
        session.opened.connect(self._on_opened)
        session.rows.connect(self._on_rows)
        session.screen.connect(self._on_screen)
        session.notice.connect(self._on_notice)
        session.reading.connect(self._on_reading)
        session.working.connect(self._on_working)
        session.exported.connect(self._on_exported)
        session.started.connect(self._on_started)
        session.idle.connect(self._on_idle)
        self.browser.pane.notice.connect(self.bar.add)
        self.browser.back.connect(self._on_back)
        commands.sessions_requested.connect(self.show_sessions)
        commands.strategies_requested.connect(self.toolbar.strategy.showPopup)
        commands.follow_requested.connect(window.actions_by_id["follow"].trigger)
        self.growth.notice.connect(self.bar.add)
        self.bar.action_requested.connect(commands.follow)
        self.reading.cancel_requested.connect(session.cancel)
        self.reading.stop_requested.connect(session.stop_reading)
        commands.open_requested.connect(self.open_path)
        window.dropped.connect(self.open_dropped)
        self.source.wanted.connect(self.open_as)
        self.page.conversation_wanted.connect(self.source.open_conversation)
        commands.close_requested.connect(self.close_file)
        commands.notice.connect(self.bar.add)
        self.steps.notice.connect(self.bar.add)
        self.toolbar.scope.picked.connect(session.set_scope)
        self.toolbar.strategy.picked.connect(session.set_strategy)
        self.toolbar.model.picked.connect(session.set_model)
        self.toolbar.profile_picked.connect(session.use_profile)
        self.toolbar.profiles_requested.connect(self.dialogs.open_profiles)
        self.page.tuning.all_requested.connect(self.dialogs.open_settings)
        self.page.tuning.prompt_requested.connect(self.prompts.open_prompts)
        self.page.request_wanted.connect(self.prompts.open_request)
        self.page.probes_wanted.connect(self.probes.open_probes)
        session.profiles_page.connect(self.toolbar.show_profiles)
        self.runs.chosen.connect(session.recall)
        self.page.selection_changed.connect(self._enable)
        self.page.tools.said.connect(self.status.announce)

    def _connect_views(self) -> None:
        commands, views = self.commands, self.views
        commands.view_requested.connect(self.show_view)
        commands.folder_requested.connect(self.choose_folder)
        commands.view_areas = views.areas
        views.wanted.connect(self.show_view)
        views.folder_wanted.connect(self.choose_folder)
        views.file_wanted.connect(self._on_file_wanted)
        views.back.connect(self._on_folder_left)
        views.message_wanted.connect(self._on_message_wanted)
        views.status_changed.connect(self._show_status)
        views.notice.connect(self.bar.add)

    def open_path(self, path: str, format: str = "", conversation: int = 1) -> None:
        """Open a transcript; what is shown stays until the first of it is read."""
        self.open_as(Open(path, format, conversation))

    def open_as(self, command: Open) -> None:
        """Open a transcript in this way: conversation, branch, reader, scope."""
        self.bar.clear()
        self._offer, self._wanted = None, ""
        self._is_opening = True
        self.reading.begin(shown_name(command.path))
        self.session.open_as(command)

    def open_dropped(self, paths: list[str]) -> None:
        """Open the first of several files, and offer the others."""
        self.open_path(paths[0])
        self._offer = dropped_notice(paths) if len(paths) > 1 else None

    def close_file(self) -> None:
        """Back to the start screen."""
        self.bar.clear()
        self._show_start()
        self.browser.look()

    def _show_start(self) -> None:
        self.opened = self.commands.opened = None
        self.source.clear()
        self.growth.stop()
        self.page.clear()
        self.views.begin("")
        self._view = INSPECT
        self.runs.clear_runs()
        self.toolbar.hide()
        self.status.hide()
        self.window.show_start()
        self._enable()

    def show_sessions(self) -> None:
        """The session browser; what is open stays open behind it."""
        self.toolbar.hide()
        self.status.hide()
        self.window.pages.setCurrentWidget(self.window.start)
        self.window.start.first.setFocus()
        self.browser.look()

    def _on_back(self) -> None:
        if self.page.preview is not None:
            self._show_page()

    def show_view(self, name: str) -> None:
        """Inspect, Compare, Replay or Sweep of the open transcript."""
        if self.opened is not None:
            self._view = name
            self._show_page()

    def choose_folder(self) -> None:
        """Ask for a folder and show what comparing it would do; without a choice the last one, if any."""
        view = self.views.folder()
        if view.choose() or view.page is not None:
            self._show_folder()

    def show_folder(self, path: str) -> None:
        """Show what comparing a folder would do."""
        self.views.folder().look(path)
        self._show_folder()

    def _show_folder(self) -> None:
        self._view = FOLDER
        self._show_page()
        self.toolbar.setVisible(self.opened is not None)

    def _on_folder_left(self) -> None:
        """Back to the transcript that is open, else to the start screen."""
        self._view = INSPECT
        if self.opened is not None:
            self._show_page()
        else:
            self._show_start()

    def _on_file_wanted(self, path: str, strategy: str) -> None:
        """A file of a folder, under the strategy that was looked at."""
        self.open_path(path)
        self._wanted = strategy

    def _show_page(self) -> None:
        wanted = self.page if self._view == INSPECT else self.views.view(self._view)
        self.toolbar.switch.show_view(self._view)
        if self.window.pages.currentWidget() is not wanted:
            self.window.pages.setCurrentWidget(wanted)
            self.toolbar.show()
            self.status.show()
            areas = self.views.areas()
            (areas[0] if areas else self.page.lists.before).setFocus()
            self._show_status()

    def _on_message_wanted(self, index: int) -> None:
        """A message of the scope that was asked for; it is gone to when the worker has shown that."""
        if self.session.is_busy:
            self._goal = index
        else:
            self.page.go_to("before", index)

    def _show_status(self) -> None:
        self.status.show_parts((*self._parts, *self.views.status))

    def _on_started(self, command: object) -> None:
        self._enable()

    def _on_reading(self, reading: Reading) -> None:
        if self._is_opening:
            self.reading.show_reading(reading)
            self.reading.show()

    def _on_working(self, working: Working) -> None:
        if self._is_opening and self.reading.isVisible():
            self.reading.show_working(working)

    def _on_rows(self, part: RowsPart) -> None:
        self._show_page()

    def _on_opened(self, opened: Opened) -> None:
        self.opened = self.commands.opened = opened
        self.toolbar.show_opened(opened)
        self.growth.watch(opened)
        self.window.actions_by_id["follow"].setChecked(self.growth.follows)
        self.source.show_opened(opened, self.session.last_open or Open(opened.path))
        if opened.has_grown:
            return
        self.window.remember(opened.path)
        self.page.begin()
        self.views.begin(opened.path)
        self._view, self._goal, self._parts = INSPECT, -1, ()
        self.status.show_parts(())
        self._show_page()

    def _on_screen(self, screen: Screen) -> None:
        self.toolbar.show_screen(screen)
        self.runs.show_screen(screen)
        self.views.show_screen(screen)
        self._parts = screen.status
        self._show_status()
        self.bar.set_screen(screen.notices)
        self._enable()

    def _on_notice(self, notice: Notice) -> None:
        """All notices but the answers to tests, which the profiles dialog shows."""
        if notice.topic != TEST:
            self.bar.add(notice)

    def _on_exported(self, exported: Exported) -> None:
        notice = Notice(exported.severity, exported.text, exported.secrets, exported.actions, topic="export")
        self.bar.add(notice)

    def _on_idle(self) -> None:
        """All is answered. A file that came to no preview leaves the start screen and its notice."""
        self._is_opening = False
        self.reading.hide()
        if self._wanted and self.page.preview is not None:
            wanted, self._wanted = self._wanted, ""
            self.session.set_strategy(wanted)
        if self._goal >= 0:
            self._goal, goal = -1, self._goal
            self.page.go_to("before", goal)
        if self._offer is not None:
            self.bar.add(self._offer)
            self._offer = None
        pages = (self.window.start, self.views.shown if self._view == FOLDER else None)
        if self.page.preview is None and self.window.pages.currentWidget() not in pages:
            self._show_start()
            self.bar.keep_errors()  # what was noticed in the file goes with it
        self._enable()

    def _on_theme(self, theme: Theme) -> None:
        for part in (self.page, self.bar, self.status, self.toolbar, self.browser, self.views):
            part.set_theme(theme)

    def _enable(self) -> None:
        screen, is_open = self.page.preview, self.opened is not None
        self.window.actions_by_id.enable(
            {
                "open": is_open,
                "result": is_open and screen is not None,
                "undo": screen is not None and screen.can_undo,
                "selection": self.page.selected[1] >= 0,
                "busy": self.session.is_busy,
            }
        )

    def _on_keeping(self) -> None:
        self.window.state.docks = self.page.workbench.save()
