"""Starts the window or a screenshot, and loads Qt only where it can run."""

from __future__ import annotations

import builtins
import os
from collections.abc import Sequence
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING

from core.common.errors import InputError, missing_package
from gui.arguments import parse_shot, parse_window, print_usage_error
from gui.platform_errors import display_error, missing_libraries_error

if TYPE_CHECKING:
    from core.app.processes import WorkerProcess

_PRINTED = "foldline inspect FILE prints a transcript without a window."


def run_window(arguments: Sequence[str]) -> int:
    """Open the window; if no window can be shown, print why and return 2."""
    try:
        start = parse_window(arguments)
        require_qt()
        if trouble := display_error(os.environ):
            raise InputError(trouble, _PRINTED)
        worker = _started_worker() if start.path else None
        load_qt()
    except InputError as error:
        return print_usage_error(error)
    from gui.app import show_window

    return show_window(start, worker)


def _started_worker() -> WorkerProcess:
    """Return a worker that loads while Qt does; without a file the first paint comes first."""
    from core.app.processes import WorkerProcess

    worker = WorkerProcess()
    worker.start_ahead()
    return worker


def require_qt() -> None:
    """Raise InputError if Qt is not installed."""
    if find_spec("PySide6") is None:
        raise missing_package("The window", "PySide6-Essentials", "window")


def load_qt() -> None:
    """Load Qt and keep Python's own ``__import__``; raises InputError if a system library is
    missing.

    PySide replaces ``__import__`` with one that searches the source of every later module for its
    own name: 2 ms before the first paint and 70 ms after it. That serves ``from __feature__
    import``, which is not used here.
    """
    original_import = builtins.__import__
    try:
        import_module("PySide6.QtWidgets")
    except ImportError:
        if error := missing_libraries_error():
            raise InputError(error, _PRINTED) from None
        raise
    builtins.__import__ = original_import


def run_shot(arguments: Sequence[str]) -> int:
    """Take a screenshot, off screen unless another platform is set."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    try:
        shot = parse_shot(arguments)
        require_qt()
        load_qt()
        from gui.screenshot_command import take_shot

        take_shot(shot)
    except InputError as error:
        return print_usage_error(error)
    return 0
