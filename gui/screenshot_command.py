"""``foldline shot``: opens a file in the real window, waits until all is shown, saves a
screenshot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from PySide6.QtCore import QEventLoop, QObject, QTimer
from PySide6.QtWidgets import QWidget

from core.common.atomic_file import write_same_type
from core.common.errors import InputError, did_you_mean
from core.presentation.model import Notice
from core.settings_store.layers import parse_assignment
from gui.app import build_app, build_window, dispose_window
from gui.arguments import ShotOptions
from gui.saved_state import WindowState
from gui.start_up import fill_window, guard_slots, open_from_arguments
from gui.widgets.basic_widgets import widget_png
from gui.window_content import WindowContent

PATIENCE_MS = 300_000
"""Longest wait for a screenshot."""


Show = Callable[[WindowContent], QWidget | None]


@dataclass(frozen=True, slots=True)
class ShotView:
    """A view that can be shot. ``show`` returns the widget to grab, None for the window."""

    name: str
    show: Show
    needs_file: bool = True


def _prompts(space: WindowContent) -> QWidget | None:
    """With an offline trial of the text, if the strategy uses it."""
    editor = space.dialogs.open_prompts()
    ShotWaiter(space).wait()
    editor.trial.offline.click()
    return editor


def _recorded(space: WindowContent) -> None:
    """Show the first recorded compaction with a summary, or the plain window if there is none."""
    if space.page.preview is not None:
        rows = space.page.preview.recorded
    else:
        rows = ()
    if rows:
        space.page.show_recorded(
            next((row.number for row in rows if row.summary), rows[0].number)
        )


def _beside(space: WindowContent) -> None:
    screen = space.page.preview
    if screen is not None and screen.recorded:
        space.backend.show_recorded(1)


def _strategies(space: WindowContent) -> QWidget | None:
    space.toolbar.strategy.showPopup()
    return space.strategy_popup


def _folder(space: WindowContent) -> None:
    if space.file is not None:
        space.page_controller.show_folder(str(Path(space.file.path).parent))
        ShotWaiter(space).wait()
        space.views.folder().resume()


def _tune(space: WindowContent) -> None:
    """With a search over the file's folder that the defaults alone take part in."""
    if space.file is not None:
        tab = space.views.tune()
        space.page_controller.show_view("tune")
        tab.scan(str(Path(space.file.path).parent))
        ShotWaiter(space).wait()
        tab.resume()


def _tab(space: WindowContent, name: str) -> None:
    space.page_controller.show_view(name)


def _command(space: WindowContent) -> None:
    space.dialogs.open_bar()


VIEWS = (
    ShotView("main", lambda space: None),
    ShotView("strategies", _strategies),
    *(
        ShotView(name, partial(_tab, name=name))
        for name in ("compare", "replay", "sweep")
    ),
    ShotView("folder", _folder),
    ShotView("tune", _tune),
    ShotView(
        "filter",
        lambda space: space.page.tools.filter_controller.open_bar("tokens>500"),
    ),
    ShotView("start", lambda space: None, needs_file=False),
    ShotView(
        "sessions",
        lambda space: space.page_controller.show_sessions(),
        needs_file=False,
    ),
    ShotView("conversations", lambda space: space.source.open_conversations()),
    ShotView("branches", lambda space: space.source.open_branches()),
    ShotView("import-report", lambda space: space.source.open_report()),
    ShotView("recorded", _recorded),
    ShotView("size", lambda space: space.page.verdict.show_sizes()),
    ShotView("run", lambda space: space.page.show_run_report()),
    ShotView("beside", _beside),
    ShotView("export", lambda space: space.commands.export_dialog()),
    ShotView("go-to", lambda space: space.commands.go_to_dialog()),
    ShotView("help", lambda space: space.dialogs.open_help(), needs_file=False),
    ShotView("keys", lambda space: space.dialogs.open_keys(), needs_file=False),
    ShotView("settings", lambda space: space.dialogs.open_settings()),
    ShotView("profiles", lambda space: space.dialogs.open_profiles(), needs_file=False),
    ShotView("prompts", _prompts),
    ShotView("ask", lambda space: space.ask.open_dialog()),
    ShotView("command", _command),
)


class ShotWaiter(QObject):
    """Waits until the client is idle, and keeps the first error notice."""

    def __init__(self, space: WindowContent) -> None:
        super().__init__(space)
        self._backend = space.backend
        self._loop = QEventLoop(self)
        self._timeout = QTimer(self, singleShot=True, interval=PATIENCE_MS)
        self._timeout.timeout.connect(self._loop.quit)
        self.error: Notice | None = None
        space.backend.notice.connect(self._on_notice)
        space.backend.idle.connect(self._on_idle)

    def wait(self) -> None:
        """Wait until everything is answered; raises InputError if something failed."""
        self._timeout.start()
        while not self._backend.is_up_to_date and self._timeout.isActive():
            self._loop.exec()  # some answers make views send more commands
        self._timeout.stop()
        if not self._backend.is_up_to_date:
            raise InputError("The picture took too long.", "Try a smaller transcript.")
        if self.error is not None:
            raise InputError(self.error.title, self.error.text)

    def _on_notice(self, notice: Notice) -> None:
        if notice.severity == "error" and self.error is None:
            self.error = notice

    def _on_idle(self) -> None:
        if self._backend.is_up_to_date:
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
    for text in shot.start.settings:
        parse_assignment(text)
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
        widget = view.show(space) or space.window
        ShotWaiter(space).wait()
        for _ in range(5):
            app.processEvents()
        if faults:
            raise InputError(faults[0].title, faults[0].text)
        if shot.start.path:
            source = Path(shot.start.path)
        else:
            source = None
        write_same_type(Path(shot.out), widget_png(widget), "PNG", source)
    finally:
        dispose_window(window)


def _refuse_with_file(shot: ShotOptions, view: ShotView) -> None:
    """Refuse options about a transcript for a view that shows none."""
    start = shot.start
    if start.path:
        raise InputError(
            f"The view {view.name} shows no transcript.", "Leave the file out."
        )
    transcript_options = (
        ("--select", shot.select),
        ("--tab", shot.tab),
        ("--strategy and --set", start.settings),
        ("--model", start.model),
        ("--profile", start.profile),
    )
    for name, is_given in transcript_options:
        if is_given:
            raise InputError(
                f"The view {view.name} shows no transcript for {name}.", "Leave it out."
            )


def _open(space: WindowContent, shot: ShotOptions) -> None:
    watch = ShotWaiter(space)
    open_from_arguments(space, shot.start)
    watch.wait()
    space.page.finish()
    screen = space.page.preview
    if screen is None:
        raise InputError(
            f"{shot.start.path} could not be shown.",
            f"See what is wrong with it: foldline inspect {shot.start.path}.",
        )
    if shot.select:
        if not 1 <= shot.select <= len(screen.source.rows):
            raise InputError(
                f"--select: there is no message {shot.select}.",
                f"Messages go from 1 to {len(screen.source.rows):,}.",
            )
        space.page.go_to("before", shot.select - 1)
    if shot.tab:
        space.page.show_tab(shot.tab)
    watch.wait()
