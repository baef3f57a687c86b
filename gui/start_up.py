"""Fills an empty window with a workspace and opens what the command line names."""

from __future__ import annotations

from core.app.events import OpenRequest
from core.app.processes import WorkerProcess
from core.app.services.settings import ProfileService
from core.app.worker import HostFactory, make_host
from gui.arguments import StartOptions
from gui.backend import BackendClient
from gui.crash_notice import UnhandledErrors
from gui.main_window import MainWindow
from gui.workspace import Workspace


def fill_window(
    window: MainWindow, host_factory: HostFactory = make_host, worker: WorkerProcess | None = None
) -> Workspace:
    """Give a window its backend client and its workspace; without ``worker``, a new one is started."""
    session = BackendClient(host_factory=host_factory, worker=worker)
    session.start()
    window.complete()
    return Workspace(window, session)


def guard_slots(workspace: Workspace) -> UnhandledErrors:
    """Turn unhandled errors into notices until the window is closed."""
    faults = UnhandledErrors(workspace)
    faults.error_reported.connect(workspace.bar.add)
    workspace.window.closing.connect(faults.stop)
    return faults


def open_from_arguments(workspace: Workspace, start: StartOptions) -> None:
    session = workspace.session
    for text in start.settings:
        session.set_text(text)
    if start.model:
        session.set_model(start.model)
    if start.path:
        command = OpenRequest(start.path, start.format, start.conversation, start.branch, start.scope)
        workspace.open_as(command)
    else:
        workspace.browser.list_sessions()
    if start.profile:  # opening a file drops earlier commands
        session.call(ProfileService.use, start.profile)
