"""The command line of the window and of ``shot``: what to open, and with which settings."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from core.errors import InputError

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

THEMES = ("light", "dark", "high-contrast")


class Start(NamedTuple):  # no dataclass: the first paint waits for this module
    """What a window starts with. ``settings`` are KEY=VALUE texts for the session."""

    path: str = ""
    format: str = ""
    conversation: int = 1
    branch: int = 1
    settings: tuple[str, ...] = ()
    scope: str = ""
    model: str = ""
    theme: str = ""


class Shot(NamedTuple):
    """A picture to take. ``select`` counts from 1, 0 for none; ``size`` in pixels."""

    start: Start
    out: str
    view: str = "main"
    tab: str = ""
    select: int = 0
    size: tuple[int, int] = (1600, 1000)


def parse_window(arguments: Sequence[str]) -> Start:
    """``[FILE] [options]``; raises InputError with one sentence."""
    if not arguments:
        return Start()
    parser = _parser("foldline")
    parser.add_argument("file", nargs="?", default="")
    return _start(parser.parse_args(arguments))


TABS = ("message", "why", "fidelity", "lint")
"""The tabs of the inspector; a test compares them with its own."""


def parse_shot(arguments: Sequence[str]) -> Shot:
    """``[FILE] -o PNG [options]``; raises InputError with one sentence."""
    parser = _parser("foldline shot")
    parser.add_argument("file", nargs="?", default="", help="the transcript to show")
    parser.add_argument("-o", "--out", required=True, metavar="PNG", help="the picture to write")
    views = "main, start, sessions, conversations, branches, import-report, recorded, run, beside, export, "
    views += "go-to, keys, settings, profiles, prompts, command"
    parser.add_argument("--view", default="main", help=views)
    parser.add_argument("--tab", default="", choices=TABS, help="tab of the inspector")
    parser.add_argument("--select", type=int, default=0, metavar="N", help="message number, from 1")
    parser.add_argument("--size", default="1600x1000", metavar="WxH")
    found = parser.parse_args(arguments)
    return Shot(_start(found), found.out, found.view, found.tab, found.select, _size(found.size))


def _parser(program: str) -> ArgumentParser:
    import argparse

    class Parser(argparse.ArgumentParser):
        """Says what is wrong in one sentence instead of printing the usage."""

        def error(self, message: str) -> NoReturn:
            raise InputError(f"{self.prog}: {message}.", f"See {self.prog} --help.")

    parser = Parser(prog=program, allow_abbrev=False)
    parser.add_argument("-s", "--strategy", default="", metavar="NAME")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--model", default="")
    parser.add_argument("--scope", default="", help="all, current or before:N")
    parser.add_argument("--format", default="", help="force the reader")
    parser.add_argument("--conversation", type=int, default=1, metavar="N")
    parser.add_argument("--branch", type=int, default=1, metavar="N")
    parser.add_argument("--theme", default="", choices=THEMES)
    return parser


def _start(found: Namespace) -> Start:
    if found.file == "-":
        raise InputError("The window cannot read standard input.", "Save the transcript to a file first.")
    if found.file and not Path(found.file).exists():
        raise InputError(f"There is no file {found.file}.", "Check the path.")
    settings = [f"compression.strategy={found.strategy}"] if found.strategy else []
    path = str(Path(found.file).absolute()) if found.file else ""
    return Start(
        path,
        found.format,
        found.conversation,
        found.branch,
        (*settings, *found.set),
        found.scope,
        found.model,
        found.theme,
    )


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (width.isdigit() and height.isdigit()):
        raise InputError(f"--size {text} is no size.", "Write it as 1600x1000.")
    if not (200 <= int(width) <= 10_000 and 200 <= int(height) <= 10_000):
        raise InputError(f"--size {text} is out of range.", "Width and height lie between 200 and 10000.")
    return int(width), int(height)


def complain(error: InputError) -> int:
    """Print the sentence to standard error; returns the exit code for bad usage."""
    print(error, file=sys.stderr)
    return error.exit_code
