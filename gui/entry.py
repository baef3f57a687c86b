"""From the command line to the window or to a picture, without loading Qt where it cannot run."""

from __future__ import annotations

import builtins
import gc
import os
from collections.abc import Sequence
from importlib import import_module

from core.common.errors import InputError
from gui.arguments import parse_shot, parse_window, print_usage_error
from gui.platform_errors import missing_libraries, no_display

_PRINTED = "foldline inspect FILE prints a transcript without a window."


def run_window(arguments: Sequence[str]) -> int:
    """Open the window; where no window can be shown, say why and return 2."""
    try:
        start = parse_window(arguments)
        if trouble := no_display(os.environ):
            raise InputError(trouble, _PRINTED)
        gc.disable()  # what lives now lives to the end; sweeping it costs the first paint 10 ms
        load_qt()
    except InputError as error:
        return print_usage_error(error)
    from gui.app import show_window

    return show_window(start)


def load_qt() -> None:
    """Load Qt and keep Python's own import. Raises InputError where a library of the system is missing.

    PySide puts another in its place, which reads the source of every module that is imported later and
    looks there for its own name: 2 ms before the first paint and 70 ms after it. That serves
    ``from __feature__ import``, which nothing here uses.
    """
    plain = builtins.__import__
    try:
        import_module("PySide6.QtWidgets")
    except ImportError:
        if trouble := missing_libraries():
            raise InputError(trouble, _PRINTED) from None
        raise
    builtins.__import__ = plain


def run_shot(arguments: Sequence[str]) -> int:
    """Take a picture of the window, off screen unless another platform is asked for."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    try:
        shot = parse_shot(arguments)
        load_qt()
        from gui.screenshot_command import take_shot

        take_shot(shot)
    except InputError as error:
        return print_usage_error(error)
    return 0
