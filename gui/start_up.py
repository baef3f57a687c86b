"""Fills an empty window with a workspace and begins what the command line asks for."""

from __future__ import annotations

from core.app.messages import OpenFileCommand
from core.app.processes import WorkerProcess
from core.app.worker import HandlerFactory, make_handler
from gui.arguments import StartOptions
from gui.backend import BackendClient
from gui.crash_notice import UnhandledErrors
from gui.main_window import MainWindow
from gui.workspace import Workspace


def fill_window(
    window: MainWindow, make_desk: HandlerFactory = make_handler, worker: WorkerProcess | None = None
) -> Workspace:
    """Give a window its session and all that shows a transcript; a worker starts now where none is given."""
    session = BackendClient(make_desk=make_desk, worker=worker)
    session.start()
    window.complete()
    return Workspace(window, session)


def guard_slots(workspace: Workspace) -> UnhandledErrors:
    """From now on a fault of the window's own code is a notice, and the window goes on until it is closed."""
    faults = UnhandledErrors(workspace)
    faults.happened.connect(workspace.bar.add)
    workspace.window.closing.connect(faults.stop)
    return faults


def open_from_arguments(workspace: Workspace, start: StartOptions) -> None:
    """Open what the command line names, with its settings."""
    session = workspace.session
    for text in start.settings:
        session.set_text(text)
    if start.model:
        session.set_model(start.model)
    if start.path:
        command = OpenFileCommand(start.path, start.format, start.conversation, start.branch, start.scope)
        workspace.open_as(command)
    else:
        workspace.browser.look()
    if start.profile:  # opening a file lets what waits go
        session.use_profile(start.profile)
