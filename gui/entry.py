"""From the command line to the window or to a picture, without loading Qt where it cannot run."""

from __future__ import annotations

import builtins
import gc
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from core.errors import InputError
from gui.arguments import Start, complain, parse_shot, parse_window
from gui.display import library_trouble, probe


def run_window(arguments: Sequence[str]) -> int:
    """Open the window; where no window can be shown, say why and print what can be printed."""
    try:
        start = parse_window(arguments)
    except InputError as error:
        return complain(error)
    display = probe(os.environ)
    if display.trouble:
        return _without_window(display.trouble, start)
    if display.platform:
        os.environ["QT_QPA_PLATFORM"] = display.platform
    gc.disable()  # what lives now lives to the end; sweeping it costs the first paint 10 ms
    try:
        load_qt()
        from gui.app import run
    except ImportError:
        if trouble := library_trouble():
            return _without_window(trouble, start)
        raise
    return run(start)


def load_qt() -> None:
    """Load Qt and keep Python's own import. Raises ImportError where a library of the system is missing.

    PySide puts another in its place, which reads the source of every module that is imported later and
    looks there for its own name: 2 ms before the first paint and 70 ms after it. That serves
    ``from __feature__ import``, which nothing here uses.
    """
    plain = builtins.__import__
    import_module("PySide6.QtWidgets")
    builtins.__import__ = plain


def run_shot(arguments: Sequence[str]) -> int:
    """Take a picture of the window, off screen unless another platform is asked for."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    try:
        shot = parse_shot(arguments)
        if trouble := probe(os.environ).trouble or library_trouble():
            raise InputError(trouble)
        load_qt()
        from gui.shot import take

        take(shot)
    except InputError as error:
        return complain(error)
    return 0


def _without_window(trouble: str, start: Start) -> int:
    """One sentence, then the transcript (or the sample) and the strategies as text."""
    from core.cli.main import main as run_command
    from core.samples import samples

    print(trouble, file=sys.stderr, flush=True)
    bundled = samples()
    path = start.path or (str(bundled[0].path) if bundled else "")
    code = run_command(["inspect", path]) if path else 0
    print()  # the next command sends it out: it knows what to do where nobody reads on
    return run_command(["strategies"]) or code
