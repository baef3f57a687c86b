"""The command ``foldline``: runs a command of the command line, or opens the window."""

from __future__ import annotations

import gc
import os
import sys
from typing import TYPE_CHECKING

from core.cli.command_names import DEBUG_VARIABLE, is_command, with_help_option

if TYPE_CHECKING:
    from collections.abc import Mapping

    from core.cli.arguments import CommandParser


def main() -> int:
    """Run a command, or open the window if there is none; return the exit code."""
    try:
        return _run()
    except KeyboardInterrupt:  # while modules load
        print("Cancelled.", file=sys.stderr)
        return 130


def _run() -> int:
    arguments = with_help_option(sys.argv[1:])
    if is_command(arguments) and arguments[0] != "shot":
        from core.cli.main import run_command_line as run_command

        gc.set_threshold(
            50_000
        )  # as in workers: a command makes many values and few cycles
        return _ended(run_command(arguments, _parsers))
    try:
        return _with_window(arguments)
    except Exception as error:
        from core.common.crash_report import report_failure

        return report_failure(
            error, "foldline", print_report=DEBUG_VARIABLE in os.environ
        )


def _parsers() -> Mapping[str, CommandParser]:
    from gui.arguments import shot_parser, window_parser

    return {"": window_parser(), "shot": shot_parser()}


def _with_window(arguments: list[str]) -> int:
    from gui.entry import run_shot, run_window

    if arguments[:1] == ["shot"]:
        return run_shot(arguments[1:])
    return run_window(arguments)


def _ended(code: int) -> int:
    """Return the exit code, but end a process that called a model at once.

    After a cancelled call, the model library can block Python's shutdown for ever.
    """
    if "litellm" in sys.modules:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    gc.freeze()  # the end of the process would search all values for cycles
    return code
