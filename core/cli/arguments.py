"""Options that commands share."""

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

DEBUG_VARIABLE = "DEBUG_CONTEXT"
"""Environment variable that works as ``--verbose``, whatever its value."""


@dataclass(frozen=True, slots=True)
class CommonOptions:
    """The options of every command. ``settings`` are KEY=VALUE texts, in order.

    ``can_ask`` is False where no user can be asked, whatever standard input is.
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
    can_ask: bool = True


def parser_for(command: str, about: str) -> CommandParser:
    """Return a parser for ``foldline COMMAND`` with the options that every command takes."""
    parser = CommandParser(command, about)
    group = parser.add_general()
    group.add_argument("--yes", action="store_true", help="do not ask; replace an existing file")
    group.add_argument("--quiet", action="store_true", help="no notes and warnings on standard error")
    group.add_argument(
        "--verbose",
        action="store_true",
        help=f"trigger, start and statistics on standard error (or {DEBUG_VARIABLE})",
    )
    return parser


def add_json(parser: CommandParser) -> None:
    parser.add_argument(
        "--json", action="store_true", help="print JSON; the page json of the help lists its keys"
    )


def transcript_parser(
    command: str, about: str, *, many_strategies: bool = False, folder: bool = False
) -> CommandParser:
    """Return a parser for a command about a transcript, with output as text or as JSON."""
    parser = parser_for(command, about)
    add_transcript(parser, many_strategies=many_strategies, folder=folder)
    add_json(parser)
    return parser


def add_transcript(parser: CommandParser, *, many_strategies: bool = False, folder: bool = False) -> None:
    """Add the file and the options for reading and previewing it; ``many_strategies`` strategies, or a
    ``folder``."""
    meaning = "a transcript or a folder of them" if folder else "a transcript"
    name = "FILE|DIR" if folder else "FILE"
    parser.add_argument("file", type=_nonempty_path, metavar=name, help=f"{meaning}; - is standard input")
    add_choices(parser, many_strategies=many_strategies)
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


def _nonempty_path(text: str) -> str:
    """Return a path unchanged; an empty one would mean the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty")
    return text


def add_price_as(parser: CommandParser) -> None:
    parser.add_argument(
        "--price-as",
        default="",
        metavar="MODEL",
        help="price offline summaries as if this model wrote them, or offline; else the session's model",
    )


def add_compaction_options(parser: CommandParser) -> None:
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
    """Add ``--redact`` and ``--no-redact``; with neither, the format's default holds."""
    parser.add_argument(
        "--redact",
        action=argparse.BooleanOptionalAction,
        default=None,
        help="write over keys, tokens and mail addresses; by default in reports, not in transcripts",
    )


def add_force(parser: CommandParser) -> None:
    """Add ``--force``, which saves without reading back what was written."""
    parser.add_argument(
        "--force",
        action="store_true",
        help="save a transcript even if it would not open again with the same messages; replaces no file",
    )


def add_choices(parser: CommandParser, *, many_strategies: bool = False) -> None:
    """Add strategy, settings and profile. With ``many_strategies``, ``-s`` is a list named ``names``."""
    group = parser.add_argument_group("about the settings")
    if many_strategies:
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
    """Stores a value and refuses a second one, because other commands take several."""

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
    """Raise InputError for the first given option that would have no effect; ``why`` follows its name."""
    for name, value in options:
        if value:
            raise InputError(f"{name} {why}.", way_out)


def unused_options(options: CommonOptions, names: Iterable[str]) -> str:
    """Return which of these options were given, in words: "-s and --set have"; "" for none."""
    values = {
        "-s": options.strategy,
        "--set": options.settings,
        "--profile": options.profile,
        "--model": options.model,
        "--summary-file": options.summary_file,
        "--focus": options.focus,
        "--price-as": options.price_as,
    }
    used_names = [name for name in names if values[name]]
    if len(used_names) < 2:
        return f"{used_names[0]} has" if used_names else ""
    return f"{', '.join(used_names[:-1])} and {used_names[-1]} have"


def common_options(parsed: argparse.Namespace) -> CommonOptions:
    return CommonOptions(
        file=getattr(parsed, "file", ""),
        strategy=getattr(parsed, "strategy", ""),
        settings=tuple(getattr(parsed, "set", ())),
        profile=getattr(parsed, "profile", ""),
        model=getattr(parsed, "model", ""),
        format=getattr(parsed, "format", ""),
        scope=getattr(parsed, "scope", ALL),
        conversation=getattr(parsed, "conversation", 1),
        branch=getattr(parsed, "branch", 1),
        summary_file=getattr(parsed, "summary_file", ""),
        focus=getattr(parsed, "focus", "").strip(),
        pins=getattr(parsed, "pin", ""),
        drop_pins=getattr(parsed, "drop_pin", ""),
        price_as=getattr(parsed, "price_as", ""),
        json=getattr(parsed, "json", False),
        yes=parsed.yes,
        quiet=parsed.quiet,
        verbose=parsed.verbose or DEBUG_VARIABLE in os.environ,
    )


def message_indices(text: str, count: int, option: str) -> frozenset[int]:
    """Return places from 0 of messages written as in "12,40-44", each from 1 to ``count``.

    Raises InputError that names the option and the part that is wrong.
    """
    indices: set[int] = set()
    for part in filter(None, (item.strip() for item in text.split(","))):
        first, dash, last = (word.strip().removeprefix("#") for word in part.partition("-"))
        if not first.isdecimal() or (dash and not last.isdecimal()):
            raise InputError(f"{option}: {part!r} is no message.", "Write numbers and ranges: 12,40-44.")
        start, end = int(first), int(last or first)
        if not 1 <= start <= end <= count:
            raise InputError(f"{option}: there is no message {part}.", f"Messages go from 1 to {count:,}.")
        indices.update(range(start - 1, end))
    return frozenset(indices)
