"""The entry of the command line: finds the command, and turns every error into one sentence."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from core.cli import late
from core.cli.command_names import (
    COMMANDS,
    DEBUG_VARIABLE,
    FORMER_NAMES,
    GROUPS,
    VERSION_OPTIONS,
    find_command,
    group_lines,
    help_text,
    mistyped_command,
    module_name,
    with_help_option,
)
from core.cli.output.console import (
    prepare_streams,
    print_error,
    print_failure,
    safe_sentence,
)
from core.common.errors import (
    Cancelled,
    FoldlineError,
    InputError,
    MissingValueError,
    did_you_mean,
)
from core.common.paths import installed_version

if TYPE_CHECKING:
    from core.cli.arguments import CommandParser

CANCELLED = 130

_OUTPUT_FAULTS = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF)


def no_parsers() -> Mapping[str, CommandParser]:
    return {}


def run_command_line(
    argv: Sequence[str],
    window_parsers: Callable[[], Mapping[str, CommandParser]] = no_parsers,
) -> int:
    """Run a command line without the program's name; returns the exit code. ``window_parsers`` are
    those of the window and its commands, for completion."""
    prepare_streams()
    try:
        code = _run(with_help_option(list(argv)), window_parsers)
        sys.stdout.flush()
        return code
    except MissingValueError as error:
        print_failure(safe_sentence(error.for_commands))
        return error.exit_code
    except FoldlineError as error:
        print_failure(safe_sentence(str(error)))
        return error.exit_code
    except (KeyboardInterrupt, Cancelled):
        print_error("Cancelled.")
        return CANCELLED
    except BrokenPipeError:
        _discard_output()
        return 0
    except BaseException as error:  # a tokenizer may panic with a BaseException
        if cause := _output_error(error):
            print_error(
                f"Standard output cannot be written: {cause}. Send it to another place, or use -o."
            )
            return FoldlineError.exit_code
        return _unexpected(error, list(argv))


def parser_of_command(name: str) -> CommandParser:
    """Return the parser of a command of the command line."""
    parser: CommandParser = _module(name).command_parser()
    return parser


def _command(name: str) -> Callable[[Sequence[str]], int | None]:
    run: Callable[[Sequence[str]], int | None] = _module(name).run
    return run


def _module(name: str) -> ModuleType:
    """Return the module of a command; each has ``command_parser`` and ``run``."""
    place = "..mcp.server" if name == "mcp" else f".{module_name(name)}"
    return import_module(place, __package__)


def _run(
    argv: list[str], window_parsers: Callable[[], Mapping[str, CommandParser]]
) -> int:
    if sys.stdout is None:
        raise FoldlineError(
            "Standard output is closed.", "Send it to a file, or to /dev/null."
        )
    is_command = bool(argv) and argv[0] in (*COMMANDS, *FORMER_NAMES)
    if any(option in argv for option in VERSION_OPTIONS):
        print(f"foldline {installed_version()}")
        return 0
    if (
        argv
        and not is_command
        and not argv[0].startswith("-")
        and not os.path.exists(argv[0])
    ):
        way_out = f"{mistyped_command(argv[0])}See all commands with: foldline --help."
        raise FoldlineError(f"{argv[0]} is neither a command nor a file.", way_out)
    if not is_command:
        print(help_text())
        return 0
    return _run_command(*find_command(argv), window_parsers)


def _run_command(
    name: str,
    arguments: list[str],
    window_parsers: Callable[[], Mapping[str, CommandParser]],
) -> int:
    if name in GROUPS:
        return _print_group(name, arguments)
    if name == "shot":
        raise FoldlineError(
            "foldline shot needs the window.", "Start it as: foldline shot FILE -o PNG."
        )
    try:
        if name == "completion":
            import_module(".completion", __package__).print_script(
                arguments, window_parsers()
            )
            return 0
        return _command(name)(arguments) or 0
    except SystemExit:  # argparse, after it printed a help text
        return 0


def _print_group(group: str, arguments: list[str]) -> int:
    """Print what can follow ``list`` or ``config``; InputError for a word that cannot."""
    lines = group_lines(group)
    if arguments and arguments[0] not in ("--help", "-h"):
        names = list(dict.fromkeys(line.split()[2] for line in lines))
        way_out = f"{did_you_mean(arguments[0], names)}It takes: {', '.join(names)}."
        raise InputError(f"foldline {group} does not take {arguments[0]!r}.", way_out)
    print("\n".join(lines))
    return 0


def _output_error(error: BaseException) -> str:
    """Return why standard output cannot be written, as on a full disk; empty for any other error.

    Files are written by core.common.atomic_file, which reports its errors; an error of a stream
    names no file.
    """
    if (
        not isinstance(error, OSError)
        or error.filename is not None
        or error.errno not in _OUTPUT_FAULTS
    ):
        return ""
    _discard_output()
    return (error.strerror or str(error)).lower()


def _discard_output() -> None:
    """Keep Python from writing the rest of the output when it ends."""
    handle = os.open(os.devnull, os.O_WRONLY)
    os.dup2(handle, sys.stdout.fileno())


def _unexpected(error: BaseException, argv: list[str]) -> int:
    if argv:
        doing = f"foldline {argv[0]}"
    else:
        doing = "foldline"
    return late.report_failure(
        error, doing, print_report="--verbose" in argv or DEBUG_VARIABLE in os.environ
    )
