"""The argument parser of every command: one sentence for a misuse, a help that ends with examples."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, NamedTuple, NoReturn

from core.common.errors import InputError

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

GENERAL = "for every command"
"""The group of options that is shown last."""


class UsageExample(NamedTuple):
    """A command line without the program's name, and what it does."""

    arguments: str
    about: str


_EXAMPLES = """\
session.jsonl  # open it in the window
session.jsonl -s high-density  # with a strategy chosen
inspect session.jsonl  # what it holds and where it would be cut
inspect session.jsonl -s one-shot --json  # the same of one strategy, for scripts
compact session.jsonl -s high-density  # a table; nothing is written
compact session.jsonl -s middle-out -o short.jsonl  # the result, in its own format
compact session.jsonl -s tiered --to openai -o -  # to standard output, as OpenAI chat
compact session.jsonl --pin 12,40-44 --focus 'the cache'  # what has to stay
compare session.jsonl  # all strategies beside each other
compare sessions/ -s middle-out -s pi --csv  # two of them over a folder
compare session.jsonl --against middle-out pi  # what one loses and the other keeps
replay session.jsonl  # turn by turn, under every strategy
replay session.jsonl -s middle-out -s none  # one strategy beside no compaction
sweep session.jsonl -s tiered --vary context-limit=50000,100000  # at two limits
sweep session.jsonl -s middle-out --vary compression-preserve-threshold=0.1:0.4:0.1 \
 # at four sizes of what is kept
probe session.jsonl -s middle-out --dry-run  # questions, answers, price; calls nothing
probe session.jsonl -s middle-out --profile haiku  # what that model still knows
lint session.jsonl  # by the API that its format and model belong to
lint session.jsonl --provider openai  # by another one's rules
convert session.jsonl --to openai -o session.json  # for another agent or API
convert session.jsonl --to html -o report.html  # for people
sessions  # the newest of this machine
sessions --newest 0 --no-counts archive/  # all, quickly, of one more folder too
strategies  # names, triggers, what each does
formats  # names for --format and --to
settings  # what holds now, and why
settings -s tiered --set context-limit=100000  # what would hold
profiles  # names for --profile
models  # which table of prices is used, and its newest models
models update model_prices.json  # newer prices from a file
models reset  # back to those that ship
prompts list  # every prompt and where its text comes from
prompts show middle-out  # the text that is sent
prompts install  # copies to edit
watch  # sessions of the last hour, until Ctrl C
watch --once -s high-density --json  # how it is now, for scripts
hook install claude-code --dry-run  # what would be added to its settings
hook status  # which agents call Foldline
mcp  # the command for an MCP client
shot session.jsonl -o window.png  # before and after
shot session.jsonl -o why.png --select 81 --tab why --theme dark  # one message
shot -o keys.png --view keys  # a dialog
"""


def _examples_by_command() -> dict[str, list[UsageExample]]:
    examples: dict[str, list[UsageExample]] = {}
    for line in _EXAMPLES.splitlines():
        arguments, _, about = line.partition("  # ")
        command = arguments.split()[0]
        examples.setdefault("" if "." in command else command, []).append(UsageExample(arguments, about))
    return examples


EXAMPLES = _examples_by_command()
"""At the end of every help text, and in the man page; "" is the window."""


def whole_number(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None


class CommandParser(argparse.ArgumentParser):
    """Raises InputError with one sentence instead of printing the usage."""

    def __init__(self, command: str, about: str) -> None:
        prog = f"foldline {command}".rstrip()
        super().__init__(
            prog=prog, description=about, allow_abbrev=False, add_help=False, formatter_class=_HelpFormatter
        )
        self.command = command
        self._positionals.title, self._optionals.title = "arguments", "options"

    def error(self, message: str) -> NoReturn:
        """Called by argparse for every misuse."""
        raise InputError(f"{self.prog}: {message}.", f"See {self.prog} --help.")

    def print_help(self, file: SupportsWrite[str] | None = None) -> None:
        """Print the help; unlike argparse's own this fails where the output cannot be written."""
        print(self.format_help(), end="", file=file)

    def add_general(self) -> argparse._ArgumentGroup:
        group = self.add_argument_group(GENERAL)
        group.add_argument("-h", "--help", action="help", help="this text")
        return group

    def format_help(self) -> str:
        """Return a short usage, the command's own options before those of all, examples last."""
        self._action_groups.sort(key=lambda group: group.title == GENERAL)
        self.usage, self.epilog = self.synopsis(), _examples(self.command)
        return super().format_help()

    def synopsis(self) -> str:
        """Return the command with its required arguments."""
        required_options = [action for action in self._actions if action.option_strings and action.required]
        positionals = [action for action in self._actions if not action.option_strings]
        words = [f"{action.option_strings[0]} {action.metavar}" for action in required_options]
        return " ".join([self.prog, *words, *(_place(action) for action in positionals), "[options]"])


class _HelpFormatter(argparse.HelpFormatter):
    def _fill_text(self, text: str, width: int, indent: str) -> str:
        return text if "\n" in text else super()._fill_text(text, width, indent)


def _place(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest.upper())
    return {"?": f"[{name}]", "*": f"[{name} ...]"}.get(str(action.nargs), name)


def _examples(command: str) -> str:
    """Return each example with its description below it, for 80 columns."""
    lines = [
        f"  foldline {example.arguments}\n      {example.about}" for example in EXAMPLES.get(command, ())
    ]
    return "\n".join(["examples:", *lines]) if lines else ""
