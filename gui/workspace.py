"""Everything in the window about a transcript, connected to the backend. Built after the first paint."""

from __future__ import annotations

from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from core.app.messages import FileExportedEvent, OpenFileCommand
from core.presentation.model import Notice, RowsReadEvent, Screen
from core.presentation.opened_model import FileOpenedEvent
from gui.action_requirements import missing_needs
from gui.backend import BackendClient
from gui.conversation_commands import ConversationCommands
from gui.file_opening import OpenController
from gui.file_watcher import FileWatcher
from gui.inspect.inspect_page import InspectPage
from gui.inspect.runs_menu import RunsMenu
from gui.inspect.status_bar import StatusBar
from gui.inspect.toolbar import Toolbar
from gui.main_window import MainWindow
from gui.page_switching import PageController
from gui.probes.controller import ProbeController
from gui.profiles.profiles_dialog import TEST
from gui.prompts.controller import PromptController
from gui.sessions.controller import SessionBrowser
from gui.settings.controller import DialogController
from gui.source.controller import SourceController
from gui.view_switching import INSPECT, AnalysisViews
from gui.widgets.accessibility import install_roles
from gui.widgets.icons import app_icon
from gui.widgets.notifications import MessageBar
from gui.widgets.theme import Theme
from gui.window_commands import WindowCommands


class Workspace(QObject):
    """Toolbar, message bar, reading strip, the page of the open transcript and the status bar."""

    def __init__(self, window: MainWindow, session: BackendClient) -> None:
        super().__init__(window)
        self.window, self.session = window, session
        session.setParent(self)
        theme = window.appearance.theme
        self.opened: FileOpenedEvent | None = None
        self.page = InspectPage(session, theme, window.pages)
        self.views = AnalysisViews(self, session, window.pages, theme)
        self.toolbar = Toolbar(window.actions_by_id)
        self.bar, self.status = MessageBar(theme), StatusBar(theme)
        self.opening = OpenController(self, session, self.page)
        self.runs = RunsMenu(window)
        self.browser = SessionBrowser(window, session)
        self.showing = PageController(window, self.page, self.views, self.toolbar, self.status, self.browser)
        appearance, actions = window.appearance, window.actions_by_id
        self.dialogs = DialogController(window, session, actions, appearance)
        self.prompts = PromptController(window, session, appearance)
        self.probes = ProbeController(window, session, appearance)
        self.growth = FileWatcher(self, session, self.page.lists.before)
        self.source = SourceController(window, appearance)
        self.commands = WindowCommands(
            window, session, self.page, self.dialogs, self.prompts, self.growth, self.source
        )
        self.steps = ConversationCommands(window, session, self.page, self.source, self.prompts)
        self._put_in()
        self._connect()
        for part in (self.toolbar, self.browser):  # the others have the window as their parent already
            part.set_theme(theme)
        self._enable()

    def _put_in(self) -> None:
        window = self.window
        window.setWindowIcon(app_icon())
        install_roles(QApplication.instance() or self)
        for widget in (self.toolbar, self.bar, self.opening.strip):
            window.add_above(widget)
        self.toolbar.hide()
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
        window.dropped.connect(self.opening.open_dropped)
        window.escaped.connect(self._on_escaped)
        window.start.help_requested.connect(commands.help.open)
        window.keeping.connect(self._on_keeping)
        window.closing.connect(session.close)
        commands.sessions_requested.connect(self.showing.show_sessions)
        commands.strategies_requested.connect(self.toolbar.strategy.showPopup)
        commands.action_requested.connect(window.actions_by_id.trigger)
        commands.open_requested.connect(self.open_path)
        commands.close_requested.connect(self.close_file)
        self.opening.begun.connect(self.bar.clear)
        for one in (commands, self.steps, self.growth, self.browser.pane, self.opening):
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
        session.exported.connect(self._on_exported)
        session.started.connect(self._on_started)
        session.idle.connect(self._on_idle)
        session.profiles_page.connect(toolbar.show_profiles)
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
        page.tools.announced.connect(self.status.announce)

    def _connect_views(self) -> None:
        commands, views = self.commands, self.views
        commands.view_requested.connect(self.showing.show_view)
        commands.folder_requested.connect(self.showing.choose_folder)
        commands.view_areas = views.areas
        views.file_wanted.connect(self.opening.open_under)
        self.showing.emptied.connect(self._show_start)
        self.growth.following.connect(self.showing.show_following)
        self.browser.pane.compare_chosen.connect(self.opening.open_compared)
        views.message_wanted.connect(self.opening.go_to)
        views.notice.connect(self.bar.add)

    def open_path(self, path: str, format: str = "", conversation: int = 1) -> None:
        """Open a transcript; the current one stays visible until the first rows are read."""
        self.open_as(OpenFileCommand(path, format, conversation))

    def open_as(self, command: OpenFileCommand) -> None:
        """Open a transcript with its conversation, branch, reader and scope."""
        self.opening.open(command)

    def close_file(self) -> None:
        self.bar.clear()
        self._show_start()
        self.browser.list_sessions()

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
        """Show the session browser; the open transcript stays open behind it."""
        self.showing.show_sessions()

    def show_view(self, name: str) -> None:
        """Show Inspect, Compare, Replay or Sweep of the open transcript."""
        self.showing.show_view(name)

    def show_folder(self, path: str) -> None:
        """Show a folder before it is compared."""
        self.showing.show_folder(path)

    def _on_page_wanted(self) -> None:
        """The action would not be visible in another view."""
        self.showing.show_view(INSPECT)

    def _on_escaped(self) -> None:
        """Esc returns from two results side by side to the preview."""
        screen = self.page.preview
        if screen is not None and screen.is_beside and self.page.isVisible():
            self.session.set_values(())

    def _on_started(self, command: object) -> None:
        self._enable()

    def _on_rows(self, part: RowsReadEvent) -> None:
        self.showing.show_page()

    def _on_opened(self, opened: FileOpenedEvent) -> None:
        self.opened = self.commands.opened = opened
        self.toolbar.show_opened(opened)
        self.growth.start(opened)
        self.window.actions_by_id["follow"].setChecked(self.growth.follows)
        self.source.show_opened(opened, self.session.last_open or OpenFileCommand(opened.path))
        if opened.has_grown:
            return
        self.window.remember(opened.path)
        self.page.begin()
        self.views.begin(opened.path)
        self.showing.begin(self.opening.receive())

    def _on_screen(self, screen: Screen) -> None:
        self.toolbar.show_screen(screen)
        self.runs.show_screen(screen)
        self.views.show_screen(screen)
        self._show_found(screen)
        self._enable()

    def _show_found(self, screen: Screen) -> None:
        self.showing.show_parts(screen.status)
        if screen.lint:  # before the checks, the notes of the file are not known
            self.bar.set_screen(screen.notices)

    def _on_notice(self, notice: Notice) -> None:
        """Show all notices but answers to profile tests, which the profiles dialog shows."""
        if notice.topic != TEST:
            self.bar.add(notice)

    def _on_exported(self, exported: FileExportedEvent) -> None:
        notice = Notice(exported.severity, exported.text, exported.secrets, exported.actions, topic="export")
        self.bar.add(notice)

    def _on_idle(self) -> None:
        """Everything is answered. A file without a preview leaves the start page and its notice."""
        self.source.finish()
        if self.page.preview is not None and not self.page.preview.lint:  # its checks were cancelled
            self.bar.set_screen(self.page.preview.notices)
        self.opening.finish()
        if self.showing.is_empty:
            self._show_start()
            self.bar.keep_errors()  # the notes of the file go with it
        self._enable()

    def _on_theme(self, theme: Theme) -> None:
        for part in (self.page, self.bar, self.status, self.toolbar, self.browser, self.views):
            part.set_theme(theme)

    def _enable(self) -> None:
        selects, busy = self.page.selected[1] >= 0, self.session.is_busy
        now = missing_needs(self.opened, self.page.preview, selects=selects, busy=busy)
        self.window.actions_by_id.enable(now)

    def _on_keeping(self) -> None:
        self.window.state.docks = self.page.workbench.save()
