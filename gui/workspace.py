"""Everything in the window that speaks of a transcript, wired to its session. Built after the first paint."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from core.desk import Exported, Open, Reading, Working
from core.view.dropped import dropped_notice
from core.view.names import shown_name
from core.view.opened_values import Opened
from core.view.values import Notice, RowsPart, Screen
from gui.accessible import tell_roles
from gui.commands import Commands
from gui.conversation_commands import ConversationCommands
from gui.dialogs.owner import TEST, Dialogs
from gui.growth import Growth
from gui.icons import app_icon
from gui.inspect_page import InspectPage
from gui.main_window import MainWindow
from gui.needs import lacks
from gui.notify import MessageBar
from gui.probes.owner import Probes
from gui.prompts.owner import Prompts
from gui.runs_menu import RunsMenu
from gui.session import Session
from gui.sessions.owner import Browser
from gui.showing import Showing
from gui.source.owner import Source
from gui.start.reading import ReadingStrip
from gui.status import StatusBar
from gui.theme import Theme
from gui.toolbar import Toolbar
from gui.views import COMPARE, INSPECT, Views


class Workspace(QObject):
    """Toolbar, message bar, reading strip, the page of the open transcript and the status bar."""

    def __init__(self, window: MainWindow, session: Session) -> None:
        super().__init__(window)
        self.window, self.session = window, session
        session.setParent(self)
        theme = window.appearance.theme
        self.opened: Opened | None = None
        self.page = InspectPage(session, theme, window.pages)
        self.views = Views(self, session, window.pages, theme)
        self.toolbar = Toolbar(window.actions_by_id)
        self.bar, self.reading, self.status = MessageBar(theme), ReadingStrip(), StatusBar(theme)
        self.runs = RunsMenu(window)
        self.browser = Browser(window, session)
        self.showing = Showing(window, self.page, self.views, self.toolbar, self.status, self.browser)
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
        self._view = INSPECT  # what is shown first of a transcript that is being opened
        self._goal = -1  # a message to go to once its scope is there
        self._put_in()
        self._connect()
        for part in (self.toolbar, self.browser):  # the others were made in it
            part.set_theme(theme)
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
        actions.page_wanted.connect(self._on_page_wanted)
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
        window.dropped.connect(self.open_dropped)
        window.escaped.connect(self._on_escaped)
        window.start.help_requested.connect(commands.help.open)
        window.keeping.connect(self._on_keeping)
        window.closing.connect(session.close)
        commands.sessions_requested.connect(self.showing.show_sessions)
        commands.strategies_requested.connect(self.toolbar.strategy.showPopup)
        commands.follow_requested.connect(window.actions_by_id["follow"].trigger)
        commands.open_requested.connect(self.open_path)
        commands.close_requested.connect(self.close_file)
        for one in (commands, self.steps, self.growth, self.browser.pane):
            one.notice.connect(self.bar.add)
        self.bar.action_requested.connect(commands.follow)
        self.source.wanted.connect(self.open_as)
        self._connect_session()
        self._connect_page()
        self._connect_views()

    def _connect_session(self) -> None:
        session, toolbar = self.session, self.toolbar
        session.opened.connect(self._on_opened)
        session.rows.connect(self._on_rows)
        session.screen.connect(self._on_screen)
        session.checked.connect(self._show_found)
        session.notice.connect(self._on_notice)
        session.reading.connect(self._on_reading)
        session.working.connect(self._on_working)
        session.exported.connect(self._on_exported)
        session.started.connect(self._on_started)
        session.idle.connect(self._on_idle)
        session.profiles_page.connect(toolbar.show_profiles)
        self.reading.cancel_requested.connect(session.cancel)
        self.reading.stop_requested.connect(session.stop_reading)
        toolbar.scope.picked.connect(session.set_scope)
        toolbar.strategy.picked.connect(session.set_strategy)
        toolbar.model.picked.connect(session.set_model)
        toolbar.profile_picked.connect(session.use_profile)
        self.runs.chosen.connect(session.recall)

    def _connect_page(self) -> None:
        page = self.page
        self.toolbar.profiles_requested.connect(self.dialogs.open_profiles)
        self.dialogs.picks = self.toolbar.picks
        self.dialogs.picked.connect(self.toolbar.pick)
        page.tuning.all_requested.connect(self.dialogs.open_settings)
        page.tuning.prompt_requested.connect(self.prompts.open_prompts)
        page.request_wanted.connect(self.prompts.open_request)
        page.probes_wanted.connect(self.probes.open_probes)
        page.conversation_wanted.connect(self.source.open_conversation)
        page.selection_changed.connect(self._enable)
        page.tools.said.connect(self.status.announce)

    def _connect_views(self) -> None:
        commands, views = self.commands, self.views
        commands.view_requested.connect(self.showing.show_view)
        commands.folder_requested.connect(self.showing.choose_folder)
        commands.view_areas = views.areas
        views.file_wanted.connect(self._on_file_wanted)
        self.showing.emptied.connect(self._show_start)
        self.growth.following.connect(self.showing.show_following)
        self.browser.pane.compare_chosen.connect(self._on_compare_wanted)
        views.message_wanted.connect(self._on_message_wanted)
        views.notice.connect(self.bar.add)

    def open_path(self, path: str, format: str = "", conversation: int = 1) -> None:
        """Open a transcript; what is shown stays until the first of it is read."""
        self.open_as(Open(path, format, conversation))

    def open_as(self, command: Open) -> None:
        """Open a transcript in this way: conversation, branch, reader, scope."""
        self.bar.clear()
        self._offer, self._wanted, self._view = None, "", INSPECT
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
        self.runs.clear_runs()
        self.showing.show_start()
        self._enable()

    def show_sessions(self) -> None:
        """The session browser; what is open stays open behind it."""
        self.showing.show_sessions()

    def show_view(self, name: str) -> None:
        """Inspect, Compare, Replay or Sweep of the open transcript."""
        self.showing.show_view(name)

    def show_folder(self, path: str) -> None:
        """Show what comparing a folder would do."""
        self.showing.show_folder(path)

    def _on_page_wanted(self) -> None:
        """An action that nobody would see in another view."""
        self.showing.show_view(INSPECT)

    def _on_escaped(self) -> None:
        """Two results beside each other give their place back to the preview."""
        screen = self.page.preview
        if screen is not None and screen.is_beside and self.page.isVisible():
            self.session.set_values(())

    def _on_file_wanted(self, path: str, strategy: str) -> None:
        """A file of a folder, under the strategy that was looked at."""
        self.open_path(path)
        self._wanted = strategy

    def _on_compare_wanted(self, path: str) -> None:
        """A session of the browser, with what each strategy makes of it."""
        self.open_path(path)
        self._view = COMPARE

    def _on_message_wanted(self, index: int) -> None:
        """A message of the scope that was asked for; it is gone to when the worker has shown that."""
        if self.session.is_busy:
            self._goal = index
        else:
            self.page.go_to("before", index)

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
        self.showing.show_page()

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
        self._goal = -1
        view, self._view = self._view, INSPECT
        self.showing.begin(view)

    def _on_screen(self, screen: Screen) -> None:
        self.toolbar.show_screen(screen)
        self.runs.show_screen(screen)
        self.views.show_screen(screen)
        self._show_found(screen)
        self._enable()

    def _show_found(self, screen: Screen) -> None:
        self.showing.show_parts(screen.status)
        if screen.lint:  # else what there is to notice is not known yet
            self.bar.set_screen(screen.notices)

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
        self.source.finish()
        if self.page.preview is not None and not self.page.preview.lint:  # its checks were given up
            self.bar.set_screen(self.page.preview.notices)
        if self._wanted and self.page.preview is not None:
            wanted, self._wanted = self._wanted, ""
            self.session.set_strategy(wanted)
        if self._goal >= 0:
            self._goal, goal = -1, self._goal
            self.page.go_to("before", goal)
        if self._offer is not None:
            self.bar.add(self._offer)
            self._offer = None
        if self.showing.is_empty:
            self._show_start()
            self.bar.keep_errors()  # what was noticed in the file goes with it
        self._enable()

    def _on_theme(self, theme: Theme) -> None:
        for part in (self.page, self.bar, self.status, self.toolbar, self.browser, self.views):
            part.set_theme(theme)

    def _enable(self) -> None:
        selects, busy = self.page.selected[1] >= 0, self.session.is_busy
        now = lacks(self.opened, self.page.preview, selects=selects, busy=busy)
        self.window.actions_by_id.enable(now)

    def _on_keeping(self) -> None:
        self.window.state.docks = self.page.workbench.save()
