"""The entry of the command line: finds the command, and turns every error into one sentence."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from core.cli.command_names import COMMANDS, mistyped_command
from core.common.errors import Cancelled, FoldlineError
from core.common.paths import installed_version

CANCELLED = 130

_OUTPUT_FAULTS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)

_HELP = """\
Foldline shows what a compaction does to an agent's transcript, why, and what
it costs.

usage: foldline [FILE]            open the window
       foldline COMMAND ...       run a command; its options: COMMAND --help
       foldline --version

Inspect and compact a transcript:
foldline inspect FILE             format, messages, tokens by kind, split, lint
foldline facts FILE               its rules, decisions, errors, files, values
foldline compact FILE -s NAME     run a strategy; print a table, or write -o OUT

Compare strategies:
foldline compare FILE|DIR         strategies, presets and recorded compactions
foldline replay FILE              turn by turn: sizes, compactions, cost
foldline sweep FILE -s NAME --vary KEY=FROM:TO:STEP
                                  one strategy with several values of a setting
foldline probe FILE -s NAME       ask a model what it knows after a compaction

Check and convert:
foldline check FILE|DIR -s NAME   for CI: what later turns needed is still there
foldline lint FILE                what an API would refuse
foldline convert FILE --to FORMAT the transcript for another agent, or a report

List:
foldline sessions                 sessions of agents on this machine
foldline strategies               strategies and presets
foldline formats                  formats to read and write
foldline settings                 every setting, its value and its source
foldline profiles                 profiles: models that can be called
foldline models                   limits and prices; update FILE: newer ones
foldline prompts list             prompts for summaries; show, install, path

Inside agents:
foldline watch [DIR]              running sessions: how full, until the trigger
foldline hook install AGENT       keep facts over the compactions of an agent

Other:
foldline mcp                      tools for agents over MCP (extra mcp)
foldline shot FILE -o PNG         a picture of the window

The window takes -s, --set, --model, --profile, --format, --scope,
--conversation, --branch and --theme; man foldline explains them.
FILE may be - for standard input. Most commands take --json.
Exit codes: 0 done, 1 lint found errors or check a file below the bar, 2 bad
input or usage, 3 the model failed, 130 cancelled."""


def run_command_line(argv: Sequence[str]) -> int:
    """Run a command line without the program's name; returns the exit code (product.md section 5)."""
    from core.cli.output.console import prepare_streams, print_error, safe_sentence

    prepare_streams()
    try:
        code = _run(list(argv))
        sys.stdout.flush()
        return code
    except FoldlineError as error:
        print_error(safe_sentence(str(error)))
        return error.exit_code
    except (KeyboardInterrupt, Cancelled):
        print_error("Cancelled.")
        return CANCELLED
    except BrokenPipeError:
        _discard_output()
        return 0
    except BaseException as error:  # a tokenizer may panic with a BaseException
        if cause := _output_error(error):
            print_error(f"Standard output cannot be written: {cause}. Send it to another place, or use -o.")
            return FoldlineError.exit_code
        return _unexpected(error, list(argv))


def _run(argv: list[str]) -> int:
    if sys.stdout is None:
        raise FoldlineError("Standard output is closed.", "Send it to a file, or to /dev/null.")
    if argv and argv[0] not in COMMANDS and (hint := mistyped_command(argv[0])):
        raise FoldlineError(
            f"There is no command and no file {argv[0]}.", f"{hint}foldline --help lists all."
        )
    if not argv or argv[0] not in COMMANDS:
        print(f"foldline {installed_version()}" if "--version" in argv else _HELP)
        return 0
    name = argv[0]
    if "--version" in argv:
        print(f"foldline {installed_version()}")
        return 0
    if name == "shot":
        raise FoldlineError("foldline shot needs the window.", "Start it as: foldline shot FILE -o PNG.")
    module_name = "..mcp.tools" if name == "mcp" else f".{name}"
    run: Callable[[Sequence[str]], int] = import_module(module_name, __package__).run
    try:
        return run(argv[1:])
    except SystemExit:  # argparse, after it printed a help text
        return 0


def _output_error(error: BaseException) -> str:
    """Return why standard output cannot be written, as on a full disk; empty for any other error.

    Files are written by core.common.atomic_file, which reports its errors; an error of a stream names no
    file.
    """
    if not isinstance(error, OSError) or error.filename is not None or error.errno not in _OUTPUT_FAULTS:
        return ""
    _discard_output()
    return (error.strerror or str(error)).lower()


def _discard_output() -> None:
    """Keep Python from writing the rest of the output when it ends."""
    handle = os.open(os.devnull, os.O_WRONLY)
    os.dup2(handle, sys.stdout.fileno())


def _unexpected(error: BaseException, argv: list[str]) -> int:
    from core.cli.arguments import DEBUG_VARIABLE
    from core.common.crash_report import report_failure

    doing = f"foldline {argv[0]}" if argv else "foldline"
    return report_failure(error, doing, print_report="--verbose" in argv or DEBUG_VARIABLE in os.environ)
