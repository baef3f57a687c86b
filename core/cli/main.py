"""The entry of the command line: finds the command, and turns every failure into one sentence."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from core.cli.names import COMMANDS, LATER
from core.errors import Cancelled, FoldlineError
from core.version import version

USAGE, CANCELLED = 2, 130

_HELP = """\
foldline [FILE]                          open the window
foldline inspect FILE [--json]           format, messages, tokens by kind, split, lint
foldline compact FILE -s STRATEGY [-o OUT] [--to FORMAT] [--append-boundary] [--focus TEXT] [--json]
foldline compare FILE|DIR [-s A -s B ...] [--json|--csv] [--engine ...]
foldline replay FILE [-s STRATEGY ...] [--json]      turn by turn: sizes, compactions, cost
foldline sweep FILE -s STRATEGY --vary KEY=FROM:TO:STEP|KEY=A,B [--vary ...] [--json]
foldline lint FILE [--provider NAME] [--json]
foldline convert FILE --to FORMAT [-o OUT]
foldline sessions [--json]               what agents left on this machine, newest first
foldline strategies [--json]             what there is to choose from
foldline formats [--json]                what can be read and written
foldline settings [--json]               every setting, its value and where that comes from
foldline profiles [--json]               the models that can be called by name
foldline prompts list|show NAME|install|path [--json]
foldline mcp                             tools for agents over MCP (extra mcp)
foldline shot FILE -o PNG                a picture of the window
foldline --version

FILE may be - for standard input. foldline COMMAND --help lists the options of a command.
Exit codes: 0 done, 1 lint found errors, 2 bad input or usage, 3 the model failed, 130 cancelled."""


def main(argv: Sequence[str]) -> int:
    """Run a command line without the program's name; returns the exit code (product.md section 5)."""
    from core.cli.console import complain, prepare, sentence

    prepare()
    try:
        code = _run(list(argv))
        sys.stdout.flush()
        return code
    except FoldlineError as error:
        complain(sentence(str(error)))
        return error.exit_code
    except (KeyboardInterrupt, Cancelled):
        complain("Cancelled.")
        return CANCELLED
    except BrokenPipeError:
        return _nobody_reads()
    except SystemExit as leaving:  # argparse, after it printed a help text
        return leaving.code if isinstance(leaving.code, int) else 0
    except Exception as error:
        return _unexpected(error, list(argv))


def _run(argv: list[str]) -> int:
    if not argv or argv[0] not in COMMANDS:
        print(f"foldline {version()}" if "--version" in argv else _HELP)
        return 0
    name = argv[0]
    if "--version" in argv:
        print(f"foldline {version()}")
        return 0
    if name in LATER:
        raise FoldlineError(f"foldline {name} does not work yet.", "foldline --help lists what does.")
    if name == "shot":
        raise FoldlineError("foldline shot needs the window.", "Start it as: foldline shot FILE -o PNG.")
    run: Callable[[Sequence[str]], int] = import_module(f"core.cli.{name}").run
    return run(argv[1:])


def _nobody_reads() -> int:
    """Whoever read our output is gone; end without a word, and keep Python from saying one."""
    handle = os.open(os.devnull, os.O_WRONLY)
    os.dup2(handle, sys.stdout.fileno())
    return 0


def _unexpected(error: Exception, argv: list[str]) -> int:
    from core.cli.arguments import DEBUG
    from core.cli.console import complain, sentence

    what = sentence(f"{type(error).__name__}: {error}", 300)
    if "--verbose" in argv or DEBUG in os.environ:
        import traceback

        complain(traceback.format_exc())
        complain(f"Foldline failed: {what}.")
    else:
        complain(f"Foldline failed: {what}. Run it again with --verbose for the details.")
    return USAGE
