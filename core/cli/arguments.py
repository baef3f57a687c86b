"""Options that commands share."""

from __future__ import annotations

import argparse
import os
import re
import textwrap
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

from core.cli import late
from core.cli.command_names import DEBUG_VARIABLE, example_lines, find_command
from core.common.errors import InputError, did_you_mean
from core.settings.schema import aim_value, share_value, token_count

if TYPE_CHECKING:
    from _typeshed import SupportsWrite


GENERAL, RARE = "for every command", "for rarer needs"
"""The groups of options that only ``--help-all`` explains, beside those "about the …"."""
_FIRST, _LAST = ("-s",), ("--set", "--profile", "--json")
"""Shared options that the short help explains too, before and after those of the command."""
COMPACTION_OPTIONS = ("-s", "--set", "--set-from", "--profile", "--summary-file")
"""What has no effect where nothing is compacted."""
NO_PROJECT_FILE_HELP = "leave out foldline.toml of this folder or of those above it"
SET_FROM_HELP = (
    "the settings of a file (foldline tune -o); --set and -s come before them"
)


class UsageExample(NamedTuple):
    """A command line without the program's name, and what it does."""

    arguments: str
    about: str


def _examples_by_command() -> dict[str, list[UsageExample]]:
    examples: dict[str, list[UsageExample]] = {}
    for line in example_lines():
        arguments, _, about = line.partition("  # ")
        command, _ = find_command(arguments.split())
        examples.setdefault("" if "." in command else command, []).append(
            UsageExample(arguments, about)
        )
    return examples


EXAMPLES = _examples_by_command()
"""The first two in every help text, all in the man page; "" is the window."""


def whole_number(text: str) -> int:
    """Return a number as people write it: 20000, 20,000 or 20k."""
    with suppress(ValueError):
        return int(text)
    if (number := token_count(text)) is None:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number")
    return number


def share(text: str) -> float:
    """Return a share as people write it: 0.7 or 70%."""
    try:
        value = share_value(text)
    except ValueError:
        value = -1.0
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a share from 0 to 1")
    return value


def at_least(least: int) -> Callable[[str], int]:
    """Return what reads a whole number that is not below ``least``."""

    def number(text: str) -> int:
        if (value := whole_number(text)) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is below {least}")
        return value

    return number


_MISUSES = (
    (
        re.compile(r"the following arguments are required: (.+)\|(.+)"),
        "{0} needs {1} or {2}",
    ),
    (re.compile("the following arguments are required: (.+)"), "{0} needs {1}"),
    (
        re.compile("unrecognized arguments: (-[^ =]+).*", re.DOTALL),
        "{0} has no option {1}",
    ),
    (re.compile("unrecognized arguments: (.+)"), "{0} cannot take {1} as well"),
    (re.compile("argument (.+): expected .*argument.*"), "{0}: {1} needs a value"),
    (
        re.compile(r"argument .+\|.+: invalid choice: (.+) \(choose from (.+)\)"),
        "{0} does not take {1}, only {2}",
    ),
    (
        re.compile(r"argument (.+): invalid choice: (.+) \(choose from (.+)\)"),
        "{0}: {1} cannot be {2}, only {3}",
    ),
    (re.compile("argument (.+?): (.+)"), "{0} {1}: {2}"),
)
"""What argparse says of a misuse, and the words for it: of the command, then of the groups."""


class CommandParser(argparse.ArgumentParser):
    """Raises InputError with one sentence instead of printing the usage."""

    def __init__(self, command: str, about: str) -> None:
        prog = f"foldline {command}".rstrip()
        super().__init__(
            prog=prog,
            description=about,
            allow_abbrev=False,
            add_help=False,
            formatter_class=_HelpFormatter,
        )
        self.command, self.opens_current = command, False
        self.unused: Sequence[str] = ()
        self._rare: argparse._ArgumentGroup | None = None
        self._positionals.title, self._optionals.title = "arguments", "options"

    def error(self, message: str) -> NoReturn:
        """Called by argparse for every misuse."""
        problem = f"{self.prog}: {message}"
        for pattern, words in _MISUSES:
            if found := pattern.fullmatch(message):
                problem = words.format(self.prog, *found.groups())
                break
        if message.startswith("the following arguments are required"):
            problem = problem.replace("|", ", ")  # the names of a choice
        raise InputError(
            f"{problem}.", f"{self._nearest(message)}See {self.prog} --help."
        )

    def _nearest(self, message: str) -> str:
        """Return a question with the option that is nearest to an unknown one of a message of
        argparse."""
        if not message.startswith("unrecognized arguments: -"):
            return ""
        word = (
            message.removeprefix("unrecognized arguments: ")
            .split()[0]
            .partition("=")[0]
        )
        return did_you_mean(word, self._option_string_actions)

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Print the help; unlike argparse's own this fails where the output cannot be written."""
        print(self.format_help(), end="", file=file)

    def add_general(self) -> argparse._ArgumentGroup:
        group = self.add_argument_group(GENERAL)
        group.add_argument(
            "-h", "--help", action="help", help="print the commonest options"
        )
        about = "print all options"
        group.add_argument("--help-all", action=_HelpAllAction, nargs=0, help=about)
        return group

    @property
    def rare(self) -> argparse._ArgumentGroup:
        """The group of the command's own options that the short help only names."""
        if self._rare is None:
            self._rare = self.add_argument_group(RARE)
        return self._rare

    def format_help(self) -> str:
        """Return usage, two examples and the commonest options, then the names of the others, on a
        screen of 80 × 40."""
        formatter = self._begun_help()
        first = self._named(_FIRST)
        last = self._named(_LAST)
        for group in self._action_groups:
            if _is_listed_only(group):
                continue
            actions = [one for one in group._group_actions if one not in last]
            if group is self._optionals:
                actions = [*first, *actions, *last]
            formatter.start_section(group.title)
            formatter.add_arguments(actions)
            formatter.end_section()
        explained = {*first, *last}
        groups = filter(_is_listed_only, sorted(self._action_groups, key=_place_of))
        actions = [action for group in groups for action in group._group_actions]
        names = [_long_name(one) for one in actions if one not in explained]
        names = [name for name in names if not name.startswith("--help")]
        formatter.add_text(f"More, explained by --help-all: {', '.join(names)}.")
        return formatter.format_help()

    def _named(self, names: Sequence[str]) -> list[argparse.Action]:
        """Return the shared options of these names that have an effect on the command."""
        shared = {self._optionals, *filter(_is_listed_only, self._action_groups)}
        actions = {
            name: action
            for group in shared
            for action in group._group_actions
            for name in action.option_strings
        }
        names = [name for name in names if name not in self.unused]
        return [actions[name] for name in names if name in actions]

    def format_help_all(self) -> str:
        """Return the help with every option, the command's own before those of all."""
        formatter = self._begun_help()
        for group in sorted(self._action_groups, key=_place_of):
            formatter.start_section(group.title)
            formatter.add_arguments(group._group_actions)
            formatter.end_section()
        return formatter.format_help()

    def _begun_help(self) -> argparse.HelpFormatter:
        formatter = self._get_formatter()
        formatter.add_usage(self.synopsis(), self._actions, [])
        formatter.add_text(self.description)
        formatter.add_text(_examples(self.command))
        return formatter

    def synopsis(self) -> str:
        """Return the command with its required arguments."""
        required_options = [
            action
            for action in self._actions
            if action.option_strings and action.required
        ]
        positionals = [action for action in self._actions if not action.option_strings]
        words = [
            f"{action.option_strings[0]} {action.metavar}"
            for action in required_options
        ]
        return " ".join(
            [
                self.prog,
                *words,
                *(_place(action) for action in positionals),
                "[options]",
            ]
        )


def _long_name(action: argparse.Action) -> str:
    return next(one for one in action.option_strings if one.startswith("--"))


def _place_of(group: argparse._ArgumentGroup) -> int:
    """Return the place of a group: the command's own, rare ones, shared ones, those of all."""
    title = str(group.title)
    if title.startswith("about the "):
        return 2
    return {RARE: 1, GENERAL: 3}.get(title, 0)


def _is_listed_only(group: argparse._ArgumentGroup) -> bool:
    return _place_of(group) > 0


class _HelpAllAction(argparse.Action):
    """Prints every option and ends, as ``--help`` does with the commonest ones."""

    def __call__(
        self, parser: argparse.ArgumentParser, *_: object, **__: object
    ) -> None:
        assert isinstance(parser, CommandParser)
        print(parser.format_help_all(), end="")
        parser.exit()


class _HelpFormatter(argparse.HelpFormatter):
    def _format_action_invocation(self, action: argparse.Action) -> str:
        """Return "-o, --out OUT"; argparse repeats the value for each name."""
        if not action.option_strings or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, str(action.dest).upper())
        return f"{', '.join(action.option_strings)} {value}"

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        if "\n" in text:
            return text
        return "\n".join(indent + line for line in self._split_lines(text, width))

    def _split_lines(self, text: str, width: int) -> list[str]:
        """Return lines that part no name at its hyphen."""
        return textwrap.wrap(" ".join(text.split()), width, break_on_hyphens=False)


def _place(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest.upper())
    return {"?": f"[{name}]", "*": f"[{name} ...]", "+": f"{name} [{name} ...]"}.get(
        str(action.nargs), name
    )


def _examples(command: str) -> str:
    """Return the two commonest, each with its description below it, for 80 columns."""
    lines = [
        f"  {_wrapped_command(example.arguments)}\n      {example.about}"
        for example in EXAMPLES.get(command, ())[:2]
    ]
    if lines:
        return "\n".join(["examples:", *lines])
    return ""


def _wrapped_command(arguments: str) -> str:
    """Return a command line that a shell takes as it is, on lines for 80 columns."""
    lines = textwrap.wrap(
        f"foldline {arguments}", _COMMAND_WIDTH, break_on_hyphens=False
    )
    return " \\\n      ".join(lines)


_COMMAND_WIDTH = 72


class CommonOptions(argparse.Namespace):
    """The options of a command line: these for all commands, those of one command as further
    attributes.

    ``settings`` are KEY=VALUE texts, in order; ``set_from`` is a file of others; ``names`` are
    strategies, ``profiles`` those that a command takes several of. An empty ``scope`` is the whole
    session; of a command that ``opens_current`` that in which a file opens. ``can_ask`` is False
    where no user can be asked, whatever standard input is.
    """

    file: str = ""
    files: Sequence[str] = []
    strategy: str = ""
    strategy_command: str = ""
    names: Sequence[str] = []
    settings: Sequence[str] = []
    set_from: str = ""
    no_project_file: bool = False
    profile: str = ""
    profiles: Sequence[str] = []
    model: str = ""
    format: str = ""
    scope: str = ""
    opens_current: bool = False
    conversation: int = 0
    branch: int = 1
    summary_file: str = ""
    focus: str = ""
    every_turn: bool = False
    pins: str = ""
    drop_pins: str = ""
    price_as: str = ""
    aim: float = 0.0
    json: bool = False
    yes: bool = False
    quiet: bool = False
    verbose: bool = False
    can_ask: bool = True


def parse_options(parser: CommandParser, arguments: Sequence[str]) -> CommonOptions:
    options = parser.parse_args(arguments, CommonOptions())
    options.focus = options.focus.strip()
    options.opens_current = parser.opens_current
    if options.format:
        options.format = late.reader_name(options.format)
    options.verbose = options.verbose or DEBUG_VARIABLE in os.environ
    return options


def add_flag(parser: argparse._ActionsContainer, name: str, help: str) -> None:
    parser.add_argument(name, action="store_true", help=help)


def add_text(
    parser: argparse._ActionsContainer, name: str, metavar: str, help: str, **more: Any
) -> None:
    """Add an option with a text; an empty one, as of a variable that is not set, is refused."""
    parser.add_argument(
        name, action=_TextAction, default="", metavar=metavar, help=help, **more
    )


def add_number(
    parser: argparse._ActionsContainer,
    name: str,
    default: int,
    help: str,
    *,
    least: int | None = None,
) -> None:
    number = whole_number if least is None else at_least(least)
    parser.add_argument(name, type=number, default=default, metavar="N", help=help)


def parser_for(command: str, about: str, *, json: bool = True) -> CommandParser:
    """Return a parser for ``foldline COMMAND`` with the options that every command takes."""
    parser = CommandParser(command, about)
    group = parser.add_general()
    add_flag(group, "--yes", "do not ask; replace an existing file")
    add_flag(group, "--quiet", "no notes and warnings on standard error")
    add_flag(
        group,
        "--verbose",
        f"trigger, start and statistics on standard error (or {DEBUG_VARIABLE})",
    )
    if json:
        add_flag(
            parser, "--json", "print JSON; the page json of the help lists its keys"
        )
    return parser


def transcript_parser(
    command: str,
    about: str,
    *,
    many_strategies: bool = False,
    folder: bool = False,
    json: bool = True,
    opens_current: bool = False,
    needs_file: bool = True,
    many_files: bool = False,
    many_profiles: bool = False,
) -> CommandParser:
    """Return a parser with the file, the options for reading and previewing it,
    ``many_strategies``. ``opens_current``: a file that its agent compacted opens in its current
    context. Without ``needs_file`` the command checks itself whether there is one. With
    ``many_files`` there may be several, with ``many_profiles`` several profiles."""
    parser = parser_for(command, about, json=json)
    parser.opens_current = opens_current
    meaning, name = (
        ("a transcript or a folder of them", "FILE|DIR")
        if folder
        else ("a transcript", "FILE")
    )
    about = f"{meaning}; - is standard input"
    if many_files:
        about = "transcripts; - is standard input"
        parser.add_argument("files", type=nonempty, nargs="+", metavar=name, help=about)
    else:
        nargs = None if needs_file else "?"
        parser.add_argument(
            "file", type=nonempty, nargs=nargs, metavar=name, help=about
        )
    add_choices(parser, many_strategies=many_strategies, many_profiles=many_profiles)
    group = parser.add_argument_group("about the transcript")
    add_text(group, "--model", "NAME", "the model for limit and tokenizer")
    add_text(group, "--format", "NAME", "force a reader (foldline list formats)")
    if opens_current:
        default = "; of a file that its agent compacted current by default"
    else:
        default = ""
    add_text(group, "--scope", "SCOPE", f"all, current or before:N{default}")
    about = "which one of the file, from 1; by default the first with messages"
    add_number(group, "--conversation", 0, about, least=1)
    add_number(
        group, "--branch", 1, "which way through a session that forks, from 1", least=1
    )
    add_text(group, "--summary-file", "F", "take this text as the summariser's answer")
    return parser


def add_strategy_command(parser: argparse._ActionsContainer) -> None:
    about = "run this program as the strategy; it gets the messages as JSON (help page plugins)"
    add_text(parser, "--strategy-command", "COMMAND", about)


def nonempty(text: str) -> str:
    """Return a name unchanged; an empty one would mean the current folder, or nothing at all."""
    if not text:
        raise argparse.ArgumentTypeError("the name is empty")
    return text


def add_price_as(parser: argparse._ActionsContainer) -> None:
    about = "price offline summaries as if this model wrote them, or offline; else the session's model"
    add_text(parser, "--price-as", "MODEL", about)


def add_aim(parser: CommandParser, whom: str) -> None:
    about = f"the largest request, 20k or 10%%: {whom} at the settings that reach it"
    parser.add_argument(
        "--aim", type=_aim_of_text, default=0.0, metavar="SIZE", help=about
    )


def _aim_of_text(text: str) -> float:
    aim = aim_value(text)
    if not aim:
        raise InputError(
            f"--aim cannot be {text!r}.",
            "Write a size in tokens, as 20k, or in percent of the limit, as 10%.",
        )
    return aim


def add_compaction_options(parser: CommandParser) -> None:
    add_text(
        parser, "--focus", "TEXT", "what the summary keeps above all, as /compact TEXT"
    )
    about = "messages of the source that stay whole: 12,40-44"
    add_text(parser, "--pin", "MESSAGES", about, dest="pins")
    add_text(
        parser,
        "--drop-pin",
        "MESSAGES",
        "messages of the source that go first: 7",
        dest="drop_pins",
    )


def add_export_options(parser: argparse._ActionsContainer, force: str = "") -> None:
    """Add ``--redact`` and ``--no-redact``; with neither, the format's default holds. Add
    ``--force``, whose help ``force`` completes."""
    about = "write over keys, tokens and mail addresses; by default in reports, not in transcripts"
    parser.add_argument(
        "--redact", action=argparse.BooleanOptionalAction, default=None, help=about
    )
    about = "save a transcript even if it would not open again with the same messages; replaces no file"
    add_flag(parser, "--force", about + force)


def add_choices(
    parser: CommandParser,
    *,
    many_strategies: bool = False,
    many_profiles: bool = False,
) -> None:
    """Add strategy, settings and profile. With ``many_strategies``, ``-s`` is a list named
    ``names``; with ``many_profiles``, ``--profile`` is one named ``profiles``."""
    group = parser.add_argument_group("about the settings")
    if many_strategies:
        about = "strategies (foldline list strategies): A,B, or repeated; all of them without it"
        group.add_argument(
            "-s",
            "--strategy",
            dest="names",
            action=_ListAction,
            metavar="NAME",
            help=about,
        )
    else:
        about = "the strategy (foldline list strategies); else the one that is set"
        group.add_argument(
            "-s", "--strategy", action=_SingleValueAction, metavar="NAME", help=about
        )
    about = "a setting (foldline config list); may be repeated"
    group.add_argument(
        "--set", dest="settings", action="append", metavar="KEY=VALUE", help=about
    )
    add_text(group, "--set-from", "FILE", SET_FROM_HELP)
    add_flag(group, "--no-project-file", NO_PROJECT_FILE_HELP)
    about = "the active profile (foldline config profiles)"
    if many_profiles:
        group.add_argument(
            "--profile",
            dest="profiles",
            action=_ListAction,
            metavar="NAME",
            help=f"{about}; several: a row of each summary",
        )
        return
    add_text(group, "--profile", "NAME", about)


class _TextAction(argparse.Action):
    """Stores a text that is not empty."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        if not values:
            parser.error(f"argument {option_string}: the value is empty")
        setattr(namespace, self.dest, values)


class _ListAction(argparse.Action):
    """Adds the values of a list with commas to those that were given before."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        names = [name.strip() for name in str(values).split(",")]
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or ()), *names])


class _SingleValueAction(_TextAction):
    """Stores a value and refuses a second one, because other commands take several."""

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        if getattr(namespace, self.dest):
            parser.error(
                f"{option_string} is given twice, but this command runs one strategy"
            )
        if "," in str(values):
            parser.error(
                f"{option_string} {values} names several strategies, but this command runs one; "
                "compare takes several"
            )
        super().__call__(parser, namespace, values, option_string)


def refuse_options(
    options: Iterable[tuple[str, object]], why: str, way_out: str
) -> None:
    """Raise InputError for the first given option that would have no effect; ``why`` follows its
    name."""
    for name, value in options:
        if value:
            raise InputError(f"{name} {why}.", way_out)
