"""Writes the man page from the parsers of the commands: ``python -m tests.tools.man_page``. The
help has its rows of options from here."""

import argparse
import textwrap
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache

from core.cli.arguments import EXAMPLES, GENERAL, CommandParser
from core.cli.command_names import COMMAND_NAMES, DEBUG_VARIABLE
from core.cli.main import parser_of_command
from gui.arguments import shot_parser, window_parser
from tests.support.source_tree import ROOT

PAGE = ROOT / "resources" / "man" / "foldline.1"
ABOUT = "show what a compaction does to an agent's transcript, why, and what it costs"
DESCRIPTION = """\
Foldline opens the transcript of an LLM agent, runs the compaction strategies of known agents on it, shows the
fate of every message with its reason, and writes the shortened transcript so that an agent can go on with it.
Without a command it opens a window. Counting and summarising happen on this machine, without a key, unless a
profile is named: then its model writes the summary, once its price was agreed to."""
CODES = (
    ("0", "done; also where there was nothing to do, which is said"),
    (
        "1",
        "lint found errors, check a session that fails, or compare --against a difference",
    ),
    ("2", "bad input or usage; one sentence says what, where, and the way out"),
    ("3", "the model failed and nothing was compacted"),
    ("4", "tune found nothing better"),
    ("130", "cancelled"),
)
VARIABLES = (
    (DEBUG_VARIABLE, "stands for --verbose, whatever its value"),
    ("NO_COLOR", "no colours on a terminal; elsewhere there are none"),
    (
        "TIKTOKEN_CACHE_DIR",
        "a folder with tokenizer tables, asked before those that are installed",
    ),
    (
        "XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME, XDG_CACHE_HOME",
        "where the files below lie",
    ),
)
FILES = (
    ("~/.config/foldline/", "settings, profiles and prompts; never a key"),
    (
        "~/.local/share/foldline/",
        "the table of models given with foldline models update",
    ),
    ("~/.local/state/foldline/", "the window's place, recent files, marks and pins"),
    ("~/.cache/foldline/", "counts of tokens; may be deleted at any time"),
)


@cache
def parsers() -> Sequence[CommandParser]:
    return [
        shot_parser() if name == "shot" else parser_of_command(name)
        for name in COMMAND_NAMES
    ]


def page() -> str:
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "version"
    ]
    every = parsers()
    general = every[0]
    lines = [f'.TH FOLDLINE 1 "" "Foldline {version}" "User Commands"']
    lines += [".SH NAME", _text(f"foldline - {ABOUT}"), ".SH SYNOPSIS"]
    for parser in (window_parser(), *every):
        lines += [_bold(parser.synopsis()), ".br"]
    lines += [
        _bold("foldline --version"),
        ".SH DESCRIPTION",
        *map(_text, DESCRIPTION.splitlines()),
    ]
    lines += [".SH OPTIONS OF THE WINDOW", *_options(window_parser())]
    lines.append(".SH COMMANDS")
    for parser in every:
        lines += [
            f".SS {_text(parser.synopsis())}",
            _text(str(parser.description)),
            *_options(parser),
        ]
        lines += [".PP", "Examples:", *_examples(parser.command)]
    lines += [".SH OPTIONS OF EVERY COMMAND", *_group(_groups(general)[GENERAL])]
    for title, pairs in (
        ("EXIT STATUS", CODES),
        ("ENVIRONMENT", VARIABLES),
        ("FILES", FILES),
    ):
        lines.append(f".SH {title}")
        for name, about in pairs:
            lines += [".TP", _bold(name), _text(about)]
    return "\n".join([*lines, ""])


WINDOW = "window"
SHARED = "every"


def option_rows(name: str) -> list[tuple[str, str]]:
    """Return names and meanings of a command's own arguments, of the window's, or of those that
    several commands share."""
    if name == SHARED:
        return [row for rows in shared_rows().values() for row in rows]
    own = _groups(parser_named(name)).items()
    groups = [
        actions for title, actions in own if name == WINDOW or not is_shared(title)
    ]
    actions = [
        action
        for actions in groups
        for action in actions
        if action.option_strings != ["--json"]
    ]
    return [(_names(action), _about(action)) for action in actions]


def shared_rows() -> dict[str, list[tuple[str, str]]]:
    """Return the options that many commands take, by the title of their group."""
    everything = next(parser for parser in parsers() if parser.command == "compact")
    return {
        title: [(_names(action), _about(action)) for action in actions]
        for title, actions in _groups(everything).items()
        if is_shared(title)
    }


def is_shared(group: str) -> bool:
    return group == GENERAL or group.startswith("about the ")


def parser_named(name: str) -> CommandParser:
    return (
        window_parser()
        if name == WINDOW
        else dict(zip(COMMAND_NAMES, parsers(), strict=True))[name]
    )


def group_titles(parser: CommandParser) -> list[str]:
    return [title for title, actions in _groups(parser).items() if actions]


def _groups(parser: CommandParser) -> dict[str, list[argparse.Action]]:
    return {str(group.title): group._group_actions for group in parser._action_groups}


def _names(action: argparse.Action) -> str:
    value = (
        action.metavar
        if isinstance(action.metavar, str)
        else " ".join(action.metavar or ())
    )
    return " ".join(filter(None, (", ".join(action.option_strings), value)))


def _about(action: argparse.Action) -> str:
    return str(action.help) % vars(action)


def _options(parser: CommandParser) -> Iterator[str]:
    for title, actions in _groups(parser).items():
        if actions and title != GENERAL:
            yield from (".PP", f".I {_text(title)}", *_group(actions))


def _group(actions: list[argparse.Action]) -> Iterator[str]:
    for action in actions:
        yield from (".TP", _bold(_names(action)), _text(_about(action)))


def _examples(command: str) -> Iterator[str]:
    for one in EXAMPLES[command]:
        yield from (".TP", _bold(f"foldline {one.arguments}"), _text(one.about))


def _bold(text: str) -> str:
    return f".B {_text(text)}"


def _text(text: str) -> str:
    """Return text for roff: dashes that can be copied, nothing that reads as a request."""
    plain = (
        " ".join(textwrap.dedent(text).split()).replace("\\", "\\e").replace("-", "\\-")
    )
    return f"\\&{plain}" if plain.startswith((".", "'")) else plain


if __name__ == "__main__":
    PAGE.write_text(page(), "utf-8")
