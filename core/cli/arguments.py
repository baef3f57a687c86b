"""The options that commands share, and a parser that complains in one sentence."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from core.cli.usage import CommandParser as CommandParser
from core.cli.usage import whole_number
from core.common.errors import InputError
from core.transcript.scopes import ALL

DEBUG = "DEBUG_CONTEXT"
"""Environment variable that stands for ``--verbose``, whatever its value."""


@dataclass(frozen=True, slots=True)
class CommonOptions:
    """What every command knows of its arguments. ``settings`` are KEY=VALUE texts, in order.

    ``asks`` is False where no person can be asked, whatever standard input is.
    """

    file: str = ""
    strategy: str = ""
    settings: tuple[str, ...] = ()
    profile: str = ""
    model: str = ""
    format: str = ""
    scope: str = ALL
    conversation: int = 1
    branch: int = 1
    summary_file: str = ""
    focus: str = ""
    pins: str = ""
    drop_pins: str = ""
    price_as: str = ""
    json: bool = False
    yes: bool = False
    quiet: bool = False
    verbose: bool = False
    asks: bool = True


def parser_for(command: str, about: str) -> CommandParser:
    """A parser for ``foldline COMMAND`` with the options that every command takes."""
    parser = CommandParser(command, about)
    group = parser.add_general()
    group.add_argument("--yes", action="store_true", help="do not ask; replace an existing file")
    group.add_argument("--quiet", action="store_true", help="no notes and warnings on standard error")
    group.add_argument(
        "--verbose", action="store_true", help=f"trigger, start and statistics on standard error (or {DEBUG})"
    )
    return parser


def add_json(parser: CommandParser) -> None:
    """``--json``."""
    parser.add_argument(
        "--json", action="store_true", help="print JSON; the page json of the help lists its keys"
    )


def transcript_parser(command: str, about: str, *, many: bool = False, folder: bool = False) -> CommandParser:
    """A parser for a command that says something about a transcript, as text or as JSON."""
    parser = parser_for(command, about)
    add_transcript(parser, many=many, folder=folder)
    add_json(parser)
    return parser


def add_transcript(parser: CommandParser, *, many: bool = False, folder: bool = False) -> None:
    """The file and everything about reading and previewing it; ``many`` strategies, or a ``folder``."""
    what = "a transcript or a folder of them" if folder else "a transcript"
    name = "FILE|DIR" if folder else "FILE"
    parser.add_argument("file", type=_named, metavar=name, help=f"{what}; - is standard input")
    add_choices(parser, many=many)
    group = parser.add_argument_group("about the transcript")
    group.add_argument("--model", default="", metavar="NAME", help="the model for limit and tokenizer")
    group.add_argument("--format", default="", metavar="NAME", help="force a reader (foldline formats)")
    group.add_argument("--scope", default=ALL, metavar="SCOPE", help="all, current or before:N")
    group.add_argument(
        "--conversation", type=whole_number, default=1, metavar="N", help="which one of the file, from 1"
    )
    group.add_argument(
        "--branch",
        type=whole_number,
        default=1,
        metavar="N",
        help="which way through a session that forks, from 1",
    )
    group.add_argument(
        "--summary-file", default="", metavar="F", help="take this text as the summariser's answer"
    )


def _named(text: str) -> str:
    """A path as it was given; an empty one would stand for the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty")
    return text


def add_price_as(parser: CommandParser) -> None:
    """``--price-as``: whose prices count for summaries that no model writes."""
    parser.add_argument(
        "--price-as",
        default="",
        metavar="MODEL",
        help="price offline summaries as if this model wrote them, or offline; else the session's model",
    )


def add_compaction_options(parser: CommandParser) -> None:
    """What a compaction is asked beside its settings: ``--focus``, ``--pin``, ``--drop-pin``."""
    parser.add_argument(
        "--focus", default="", metavar="TEXT", help="what the summary keeps above all, as /compact TEXT"
    )
    parser.add_argument(
        "--pin", default="", metavar="MESSAGES", help="messages of the source that stay whole: 12,40-44"
    )
    parser.add_argument(
        "--drop-pin", default="", metavar="MESSAGES", help="messages of the source that go first: 7"
    )


def add_redact(parser: CommandParser) -> None:
    """``--redact`` and ``--no-redact``; neither: as the format does by default."""
    parser.add_argument(
        "--redact",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="write over keys, tokens and mail addresses; by default in reports, not in transcripts",
    )


def add_force(parser: CommandParser) -> None:
    """``--force``: what was written is not read again before it is put in place."""
    parser.add_argument(
        "--force",
        action="store_true",
        help="save a transcript even if it would not open again with the same messages; replaces no file",
    )


def add_choices(parser: CommandParser, *, many: bool = False) -> None:
    """What decides the settings: strategy, single values, profile. ``many``: ``-s`` is a list, ``names``."""
    group = parser.add_argument_group("about the settings")
    if many:
        text = "a strategy (foldline strategies); may be repeated, all of them without it"
        group.add_argument(
            "-s", "--strategy", dest="names", action="append", default=[], metavar="NAME", help=text
        )
    else:
        group.add_argument(
            "-s",
            "--strategy",
            action=_SingleValueAction,
            default="",
            metavar="NAME",
            help="the strategy (foldline strategies); without it the one that is set",
        )
    group.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="KEY=VALUE",
        help="a setting (foldline settings); may be repeated",
    )
    group.add_argument("--profile", default="", metavar="NAME", help="the active profile (foldline profiles)")


class _SingleValueAction(argparse.Action):
    """Stores a value; a second one is a mistake, for other commands take several."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: str | Sequence[Any] | None,
        option_string: str | None = None,
    ) -> None:
        if getattr(namespace, self.dest):
            parser.error(f"{option_string} is given twice, and one strategy is run")
        setattr(namespace, self.dest, values)


def refuse_options(options: Iterable[tuple[str, object]], why: str, way_out: str) -> None:
    """Raise InputError for the first option that was given and would do nothing; ``why`` goes on after its
    name. Each is (name, what was given)."""
    for name, given in options:
        if given:
            raise InputError(f"{name} {why}.", way_out)


def unused_options(options: CommonOptions, names: Iterable[str]) -> str:
    """Those of the options that every command takes which were given, in words: "-s and --set have"; ""
    for none."""
    given = {
        "-s": options.strategy,
        "--set": options.settings,
        "--profile": options.profile,
        "--model": options.model,
        "--summary-file": options.summary_file,
        "--focus": options.focus,
        "--price-as": options.price_as,
    }
    found = [name for name in names if given[name]]
    if len(found) < 2:
        return f"{found[0]} has" if found else ""
    return f"{', '.join(found[:-1])} and {found[-1]} have"


def common_options(found: argparse.Namespace) -> CommonOptions:
    """The shared options of a parsed command line."""
    return CommonOptions(
        file=getattr(found, "file", ""),
        strategy=getattr(found, "strategy", ""),
        settings=tuple(getattr(found, "set", ())),
        profile=getattr(found, "profile", ""),
        model=getattr(found, "model", ""),
        format=getattr(found, "format", ""),
        scope=getattr(found, "scope", ALL),
        conversation=getattr(found, "conversation", 1),
        branch=getattr(found, "branch", 1),
        summary_file=getattr(found, "summary_file", ""),
        focus=getattr(found, "focus", "").strip(),
        pins=getattr(found, "pin", ""),
        drop_pins=getattr(found, "drop_pin", ""),
        price_as=getattr(found, "price_as", ""),
        json=getattr(found, "json", False),
        yes=found.yes,
        quiet=found.quiet,
        verbose=found.verbose or DEBUG in os.environ,
    )


def message_indices(text: str, count: int, option: str) -> frozenset[int]:
    """Places from 0 of messages written as people number them: "12,40-44", each from 1 to ``count``.

    Raises InputError that names the option and the part that is wrong.
    """
    found: set[int] = set()
    for part in filter(None, (one.strip() for one in text.split(","))):
        first, dash, last = (word.strip().removeprefix("#") for word in part.partition("-"))
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise InputError(f"{option}: {part!r} is no message.", "Write numbers and ranges: 12,40-44.")
        start, end = int(first), int(last or first)
        if not 1 <= start <= end <= count:
            raise InputError(f"{option}: there is no message {part}.", f"Messages go from 1 to {count:,}.")
        found.update(range(start - 1, end))
    return frozenset(found)
