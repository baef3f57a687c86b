"""``foldline desktop``: menu entry, icons and "Open with" on a Linux desktop."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from core.cli.arguments import Common, Parser, common, parser_for
from core.cli.console import lines, note
from core.cli.table import table
from core.desktop.install import Plan, install, is_there, plan, remove
from core.desktop.places import Places, places
from core.errors import InputError

ABOUT = (
    "Put Foldline into the menu of a Linux desktop, with icons and 'Open with' for transcripts; "
    "what opens them now goes on opening them."
)
ACTIONS = ("install", "remove", "show")


def run(arguments: Sequence[str]) -> int:
    """Do what the first word says; 0, or InputError."""
    found = _parser().parse_args(arguments)
    options = common(found)
    if not sys.platform.startswith("linux"):
        raise InputError("foldline desktop is for Linux desktops.", "Start Foldline as: foldline FILE.")
    where = places()
    if found.action == "install":
        _install(options, where)
    elif found.action == "remove":
        _remove(options, where)
    else:
        _show(where)
    return 0


def _parser() -> Parser:
    parser = parser_for("desktop", ABOUT)
    parser.add_argument("action", choices=ACTIONS, metavar="|".join(ACTIONS), help="what to do")
    return parser


def program() -> str:
    """The path that starts Foldline: the bundle, else the installed command.

    Raises InputError where there is none, as in a folder that was never installed.
    """
    if getattr(sys, "frozen", False):
        return sys.executable
    called, beside = Path(sys.argv[0]), Path(sys.executable).with_name("foldline")
    found = shutil.which(called) if called.name == "foldline" else None
    if found or beside.is_file():
        return str(Path(found or beside).absolute())
    raise InputError("The command foldline was not found.", "Install Foldline first: pip install .")


def _install(options: Common, where: Places) -> None:
    from core.workers import ran_quietly  # late: only this starts programs

    made, failed = install(program(), where, ran_quietly)
    lines(table([("written", str(path)) for path, _ in made.files], indent=""))
    lines(_kept(made))
    _tell(options, failed)


def _remove(options: Common, where: Places) -> None:
    from core.workers import ran_quietly

    gone, failed = remove(where, ran_quietly)
    lines(table([("removed", str(path)) for path in gone], indent="") or ["Nothing was installed."])
    _tell(options, failed)


def _show(where: Places) -> None:
    made = plan(program(), where)
    state = "installed" if is_there(where) else "not installed"
    lines([f"Foldline is {state} on this desktop. foldline desktop install writes:", ""])
    lines(table([("there" if path.is_file() else "not there", str(path)) for path, _ in made.files]))
    lines(_kept(made))


def _kept(made: Plan) -> list[str]:
    if not made.kept:
        return []
    rows = table([(entry, name) for name, entry in made.kept.items()])
    return ["", "Foldline is offered under 'Open with'. These go on opening files by default:", *rows]


def _tell(options: Common, failed: Sequence[str]) -> None:
    if failed:
        note(options, f"Not run: {', '.join(failed)}. Menus may show the change only after the next login.")
