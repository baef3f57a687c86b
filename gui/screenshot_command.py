"""``foldline shot``: opens a file in the real window, waits until all is shown, saves a screenshot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from PySide6.QtCore import QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QApplication, QWidget

from core.common.atomic_file import write_same_type
from core.common.errors import InputError, did_you_mean
from core.presentation.model import Notice
from gui.app import build_app, build_window, dispose_window
from gui.arguments import ShotOptions
from gui.saved_state import WindowState
from gui.start_up import fill_window, guard_slots, open_from_arguments
from gui.widgets.widget_picture import widget_png
from gui.workspace import Workspace

PATIENCE_MS = 300_000
"""Longest wait for a screenshot."""


@dataclass(frozen=True, slots=True)
class ShotView:
    """A view that can be shot. ``show`` returns the widget to grab."""

    name: str
    about: str
    show: Callable[[Workspace], QWidget | None]
    needs_file: bool = True


def _main(space: Workspace) -> QWidget | None:
    return space.window


def _export(space: Workspace) -> QWidget | None:
    return space.commands.export_dialog()


def _go_to(space: Workspace) -> QWidget | None:
    return space.conversation_commands.go_to_dialog()


def _help(space: Workspace) -> QWidget | None:
    return space.commands.show_help()


def _keys(space: Workspace) -> QWidget | None:
    return space.commands.show_keys()


def _settings(space: Workspace) -> QWidget | None:
    return space.dialogs.open_settings()


def _profiles(space: Workspace) -> QWidget | None:
    return space.dialogs.open_profiles()


def _command(space: Workspace) -> QWidget | None:
    space.dialogs.open_bar()
    return space.window


def _prompts(space: Workspace) -> QWidget | None:
    """With an offline trial of the text, if the strategy uses it."""
    editor = space.dialogs.open_prompts()
    ShotWaiter(space).wait()
    editor.trial.offline.click()
    return editor


def _probes(space: Workspace) -> QWidget | None:
    return space.probes.open_probes()


def _sessions(space: Workspace) -> QWidget | None:
    space.show_sessions()
    return space.window


def _conversations(space: Workspace) -> QWidget | None:
    return space.source.open_conversations()


def _branches(space: Workspace) -> QWidget | None:
    return space.source.open_branches()


def _report(space: Workspace) -> QWidget | None:
    return space.source.open_report()


def _recorded(space: Workspace) -> QWidget | None:
    """Shows the first recorded compaction with a summary, or the plain window if there is none."""
    rows = space.page.preview.recorded if space.page.preview is not None else ()
    if rows:
        space.page.show_recorded(next((row.number for row in rows if row.summary), rows[0].number))
    return space.window


def _size(space: Workspace) -> QWidget | None:
    return space.status.show_sizes() or space.window


def _run(space: Workspace) -> QWidget | None:
    space.page.show_run_report()
    return space.window


def _beside(space: Workspace) -> QWidget | None:
    screen = space.page.preview
    if screen is not None and screen.recorded:
        space.session.show_recorded(1)
    return space.window


def _compare(space: Workspace) -> QWidget | None:
    space.show_view("compare")
    return space.window


def _replay(space: Workspace) -> QWidget | None:
    space.show_view("replay")
    return space.window


def _sweep(space: Workspace) -> QWidget | None:
    space.show_view("sweep")
    return space.window


def _strategies(space: Workspace) -> QWidget | None:
    space.toolbar.strategy.showPopup()
    return space.strategy_popup


def _folder(space: Workspace) -> QWidget | None:
    if space.opened is not None:
        space.show_folder(str(Path(space.opened.path).parent))
        ShotWaiter(space).wait()
        space.views.folder().resume()
    return space.window


def _filter(space: Workspace) -> QWidget | None:
    space.page.tools.filter_controller.open_bar("tokens>500")
    return space.window


VIEWS = (
    ShotView("main", "the window with a transcript", _main),
    ShotView("strategies", "the strategies with their figures for this conversation", _strategies),
    ShotView("compare", "the results of strategies side by side", _compare),
    ShotView("replay", "the session turn by turn under several strategies", _replay),
    ShotView("sweep", "one strategy over values of a setting", _sweep),
    ShotView("folder", "the folder of the transcript, compared", _folder),
    ShotView("filter", "the window with the filter bar open", _filter),
    ShotView("start", "the window without one", _main, needs_file=False),
    ShotView("sessions", "the sessions on this machine", _sessions, needs_file=False),
    ShotView("conversations", "the list of a file's conversations", _conversations),
    ShotView("branches", "the list of a session's branches", _branches),
    ShotView("import-report", "the import report", _report),
    ShotView("recorded", "the window with a recorded compaction", _recorded),
    ShotView("size", "how large requests were, as reported and as counted", _size),
    ShotView("run", "the window with how the run went", _run),
    ShotView("beside", "what a recorded compaction had before it and left", _beside),
    ShotView("export", "the export dialog", _export),
    ShotView("go-to", "the dialog that goes to a message", _go_to),
    ShotView("help", "the help", _help, needs_file=False),
    ShotView("keys", "the list of keys", _keys, needs_file=False),
    ShotView("settings", "the settings dialog", _settings),
    ShotView("profiles", "the profiles dialog", _profiles, needs_file=False),
    ShotView("prompts", "the prompt editor, with an offline try", _prompts),
    ShotView("probes", "the questions about what was compacted", _probes),
    ShotView("command", "the window with the command bar", _command),
)


class ShotWaiter(QObject):
    """Waits until the client is idle, and keeps the first error notice."""

    def __init__(self, space: Workspace) -> None:
        super().__init__(space)
        self._session = space.session
        self._loop = QEventLoop(self)
        self._timeout = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._timeout.timeout.connect(self._loop.quit)
        self.error: Notice | None = None
        space.session.notice.connect(self._on_notice)
        space.session.idle.connect(self._on_idle)

    def wait(self) -> None:
        """Wait until everything is answered; raises InputError if something failed."""
        self._timeout.start()
        while not self._session.is_up_to_date and self._timeout.isActive():
            self._loop.exec()  # some answers make views send more commands
        self._timeout.stop()
        if not self._session.is_up_to_date:
            raise InputError("The picture took too long.", "Try a smaller transcript.")
        if self.error is not None:
            raise InputError(self.error.title, self.error.text)

    def _on_notice(self, notice: Notice) -> None:
        if notice.severity == "error" and self.error is None:
            self.error = notice

    def _on_idle(self) -> None:
        if self._session.is_up_to_date:
            self._loop.quit()


def find_view(name: str) -> ShotView:
    """Return the view with that name; raises InputError."""
    for view in VIEWS:
        if view.name == name:
            return view
    names = [view.name for view in VIEWS]
    hint = f"{did_you_mean(name, names)}Views: {', '.join(names)}."
    raise InputError(f"There is no view {name}.", hint)


def take_shot(shot: ShotOptions) -> None:
    """Write the screenshot; raises InputError."""
    view = find_view(shot.view)
    if view.needs_file and not shot.start.path:
        raise InputError(f"The view {view.name} needs a transcript.", "Name a file.")
    if not view.needs_file:
        _refuse_with_file(shot, view)
    _check_settings(shot.start.settings)
    app = build_app()
    theme = shot.start.theme or "light"
    window = build_window(app, shot.start, WindowState(theme=theme), saves_state=False)
    window.resize(*shot.size)
    window.show()
    space = fill_window(window)
    faults: list[Notice] = []
    guard_slots(space).error_reported.connect(faults.append)
    try:
        if view.needs_file:
            _open(space, shot)
        widget = view.show(space)
        assert widget is not None
        ShotWaiter(space).wait()
        _settle(app)
        if faults:
            raise InputError(faults[0].title, faults[0].text)
        source = Path(shot.start.path) if shot.start.path else None
        write_same_type(Path(shot.out), widget_png(widget), "PNG", source)
    finally:
        dispose_window(window)


def _refuse_with_file(shot: ShotOptions, view: ShotView) -> None:
    """Refuse options about a transcript for a view that shows none."""
    start = shot.start
    if start.path:
        raise InputError(f"The view {view.name} shows no transcript.", "Leave the file out.")
    transcript_options = (
        ("--select", shot.select),
        ("--tab", shot.tab),
        ("--strategy and --set", start.settings),
        ("--model", start.model),
        ("--profile", start.profile),
    )
    for name, is_given in transcript_options:
        if is_given:
            raise InputError(f"The view {view.name} shows no transcript for {name}.", "Leave it out.")


def _check_settings(settings: tuple[str, ...]) -> None:
    from core.configuration.layers import parse_assignment

    for text in settings:
        parse_assignment(text)


def _open(space: Workspace, shot: ShotOptions) -> None:
    watch = ShotWaiter(space)
    open_from_arguments(space, shot.start)
    watch.wait()
    space.page.finish()
    screen = space.page.preview
    if screen is None:
        raise InputError(f"{shot.start.path} could not be shown.", "See foldline inspect.")
    if shot.select:
        if not 1 <= shot.select <= len(screen.before):
            raise InputError(
                f"--select {shot.select} is out of range.", f"Messages: 1 to {len(screen.before)}."
            )
        space.page.go_to("before", shot.select - 1)
    if shot.tab:
        space.page.show_tab(shot.tab)
    watch.wait()


def _settle(app: QApplication) -> None:
    for _ in range(5):
        app.processEvents()
