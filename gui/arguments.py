"""The command line of the window and of ``shot``: what to open, and with which settings."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from core.common.errors import InputError

if TYPE_CHECKING:
    from argparse import Namespace

    from core.app.events import OpenRequest
    from core.cli.arguments import CommandParser

THEMES = ("light", "dark", "high-contrast")


class StartOptions(NamedTuple):  # no dataclass: the first paint waits for this module
    """Options of the window. ``settings`` are KEY=VALUE texts for the session; conversation 0 is
    the first that has messages. ``right`` is the file shown as the result of ``path``."""

    path: str = ""
    format: str = ""
    conversation: int = 0
    branch: int = 1
    settings: tuple[str, ...] = ()
    scope: str = ""
    model: str = ""
    theme: str = ""
    profile: str = ""
    right: str = ""

    @property
    def open_request(self) -> OpenRequest:
        from core.app.events import (
            OpenRequest,
        )  # late: the first paint does not need it

        return OpenRequest(
            self.path, self.format, self.conversation, self.branch, self.scope
        )


class ShotOptions(NamedTuple):
    """Options of ``foldline shot``. ``select`` counts from 1, 0 for none; ``size`` is in pixels."""

    start: StartOptions
    out: str
    view: str = "main"
    tab: str = ""
    select: int = 0
    size: tuple[int, int] = (1600, 1000)


def parse_window(arguments: Sequence[str]) -> StartOptions:
    """Parse ``[FILE] [options]``; raises InputError."""
    if arguments:
        return _start(window_parser().parse_args(arguments))
    return StartOptions()


TABS, FORMER_TABS = ("message", "losses", "checks"), ("why", "lint")
"""The tabs of the inspector, and their former names; a test compares them with the inspector's."""

VIEWS = (
    *(
        "main",
        "compare",
        "replay",
        "sweep",
        "folder",
        "tune",
        "filter",
        "start",
        "sessions",
        "conversations",
        "branches",
    ),
    *(
        "import-report",
        "recorded",
        "size",
        "run",
        "beside",
        "export",
        "go-to",
        "help",
        "keys",
        "settings",
    ),
    "strategies",
    *("profiles", "prompts", "ask", "command"),
)
"""The views of ``foldline shot``; a test compares them with those of ``gui.screenshot_command``."""


def parse_shot(arguments: Sequence[str]) -> ShotOptions:
    """Parse ``[FILE] -o PNG [options]``; raises InputError."""
    options = shot_parser().parse_args(arguments)
    return ShotOptions(
        _start(options),
        options.out,
        options.view,
        options.tab,
        options.select,
        _size(options.size),
    )


def window_parser() -> CommandParser:
    parser = _parser("", "Open the window, on a transcript or on the start screen.")
    parser.add_argument(
        "file", nargs="?", default="", metavar="FILE", help="the transcript to open"
    )
    return parser


_OTHER_PICTURES = (
    ".jpg",
    ".jpeg",
    ".gif",
    ".webp",
    ".svg",
    ".bmp",
    ".pdf",
    ".tif",
    ".tiff",
)


def _picture_name(text: str) -> str:
    """Return the name of the picture. Raises InputError where it promises another kind than PNG."""
    from core.common.atomic_file import output_file_name

    suffix = os.path.splitext(text)[1].lower()
    if suffix in _OTHER_PICTURES:
        raise InputError(
            f"{text}: shot writes PNG, not {suffix[1:].upper()}.",
            "Name a file that ends in .png.",
        )
    return output_file_name(text)


def shot_parser() -> CommandParser:
    from core.cli.arguments import whole_number

    parser = _parser("shot", "Take a picture of the window; no display is needed.")
    parser.add_argument(
        "file", nargs="?", default="", metavar="FILE", help="the transcript to show"
    )
    parser.add_argument(
        "-o",
        "--out",
        type=_picture_name,
        required=True,
        metavar="PNG",
        help="the picture to write",
    )
    parser.add_argument("--view", default="main", metavar="VIEW", help=", ".join(VIEWS))
    tabs = f"tab of the inspector: {', '.join(TABS)}"
    parser.add_argument(
        "--tab", default="", choices=(*TABS, *FORMER_TABS), metavar="TAB", help=tabs
    )
    parser.add_argument(
        "--select",
        type=whole_number,
        default=0,
        metavar="N",
        help="message number, from 1",
    )
    parser.add_argument(
        "--size",
        default="1600x1000",
        metavar="WxH",
        help="in pixels, 1600x1000 by default",
    )
    return parser


def _parser(command: str, about: str) -> CommandParser:
    from core.cli.arguments import (  # late: the first paint waits for this module
        SET_FROM_HELP,
        CommandParser,
        add_number,
        add_text,
    )

    parser = CommandParser(command, about)
    parser.add_general()
    parser.add_argument(
        "--theme", default="", choices=THEMES, metavar="THEME", help=", ".join(THEMES)
    )
    group = parser.add_argument_group("about the settings")
    text = "the strategy (foldline list strategies); without it the one that is set"
    group.add_argument("-s", "--strategy", default="", metavar="NAME", help=text)
    text = "the active profile (foldline config profiles); no model is called until Compact"
    add_text(group, "--profile", "NAME", text)
    text = "a setting (foldline config list); may be repeated"
    group.add_argument(
        "--set", action="append", default=[], metavar="KEY=VALUE", help=text
    )
    add_text(group, "--set-from", "FILE", SET_FROM_HELP)
    group = parser.add_argument_group("about the transcript")
    add_text(group, "--model", "NAME", "the model for limit and tokenizer")
    add_text(group, "--format", "NAME", "force a reader (foldline list formats)")
    add_text(group, "--scope", "SCOPE", "all, current or before:N")
    add_text(
        group, "--left", "FILE", "a transcript before its compaction, with --right"
    )
    add_text(group, "--right", "FILE", "the same one afterwards, by whatever program")
    text = "which one of the file, from 1; by default the first with messages"
    add_number(group, "--conversation", 0, text, least=1)
    add_number(
        group, "--branch", 1, "which way through a session that forks, from 1", least=1
    )
    return parser


def _take_pair(options: Namespace) -> None:
    """Make the left file of a pair the one to open. Raises InputError for half a pair."""
    if not (options.left or options.right):
        return
    if not (options.left and options.right):
        missing = "--right" if options.left else "--left"
        raise InputError(
            f"{missing} is missing.",
            "A pair is --left BEFORE --right AFTER; name both files.",
        )
    if options.file:
        raise InputError(
            f"{options.file} is one file too many.",
            "Name the pair by --left and --right alone.",
        )
    options.file = options.left


def _check_file(path: str) -> None:
    if path == "-":
        raise InputError(
            "The window cannot read standard input.",
            "Save the transcript to a file first.",
        )
    if path and not os.path.exists(path):  # unlike Path.exists it never fails
        raise InputError(f"There is no file {path}.", "Check the path.")


def _absolute(path: str) -> str:
    if path:
        return str(Path(path).absolute())
    return ""


def _start(options: Namespace) -> StartOptions:
    _take_pair(options)
    _check_file(options.file)
    _check_file(options.right)
    if not options.file:
        _refuse_without_file(options)
    if options.strategy:
        strategy = [f"compression.strategy={options.strategy}"]
    else:
        strategy = []
    settings = _checked_settings(options.set_from, [*strategy, *options.set])
    return StartOptions(
        path=_absolute(options.file),
        format=options.format,
        conversation=options.conversation,
        branch=options.branch,
        settings=settings,
        scope=options.scope,
        model=options.model,
        theme=options.theme,
        profile=options.profile,
        right=_absolute(options.right),
    )


def _checked_settings(path: str, given: Sequence[str]) -> tuple[str, ...]:
    """Return the settings of a file as KEY=VALUE texts, and those that are given. Refuses, before a
    window opens, one that does not exist or a value that it cannot have."""
    if not path and not given:
        return ()
    from core.settings_store import layers, settings_file  # late: few starts give any

    settings = list(given)
    if path:
        saved = settings_file.settings_of_file(Path(path))
        settings = [*(f"{key}={value}" for key, value in saved.items()), *given]
    for text in settings:
        layers.parse_assignment(text)
    return tuple(settings)


def _refuse_without_file(options: Namespace) -> None:
    """Refuse options about a transcript if no file is given."""
    file_options = (
        ("--format", options.format),
        ("--scope", options.scope),
        ("--conversation", options.conversation != 0),
        ("--branch", options.branch != 1),
    )
    for name, is_given in file_options:
        if is_given:
            raise InputError(
                f"{name} needs a transcript, and no file is named.", "Name a file."
            )


def _size(text: str) -> tuple[int, int]:
    width, _, height = text.lower().partition("x")
    if not (width.isdigit() and height.isdigit()):
        raise InputError(f"--size cannot be {text!r}.", "Write it as 1600x1000.")
    if not (200 <= int(width) <= 10_000 and 200 <= int(height) <= 10_000):
        raise InputError(
            f"--size {text} is out of range.",
            "Width and height lie between 200 and 10000.",
        )
    return int(width), int(height)


def print_usage_error(error: InputError) -> int:
    """Print the error to standard error and return the exit code for bad usage."""
    print(error, file=sys.stderr)
    return error.exit_code
