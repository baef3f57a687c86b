"""The commands with their help and examples, readable without loading any of them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from core.common.errors import did_you_mean

DEBUG_VARIABLE = "DEBUG_CONTEXT"
"""Environment variable that works as ``--verbose``, whatever its value."""
_TABLE = """\
Foldline shows what a compaction does to a transcript, why, and what it costs.

usage: foldline [FILE]            open the window
> session.jsonl  # open it in the window
> session.jsonl -s high-density  # with a strategy chosen
       foldline COMMAND ...       run a command; its options: --help, --help-all

Inspect and compact a transcript:
foldline inspect FILE ...         format, tokens, split; --facts lists its facts
> inspect session.jsonl  # what it holds and where it would be cut
> inspect session.jsonl -s one-shot --json  # the same of one strategy, for scripts
> inspect session.jsonl --facts  # what a compaction of it may lose
> inspect session.jsonl --facts --json  # the same with their lines, for scripts
foldline compact FILE -s NAME     run a strategy; print a table, or write -o OUT
> compact session.jsonl -s high-density  # a table; nothing is written
> compact session.jsonl -s middle-out -o short.jsonl  # the result, in its own format
> compact session.jsonl -s tiered --to openai -o -  # to standard output, as OpenAI chat
> compact session.jsonl --pin 12,40-44 --focus 'the cache'  # what has to stay

Compare strategies:
foldline compare FILE|DIR         strategies, presets and recorded compactions
> compare session.jsonl  # all strategies beside each other
> compare sessions/ -s middle-out -s pi --csv  # two of them over a folder
> compare session.jsonl --against middle-out pi  # what one loses and the other keeps
> compare session.jsonl -s excerpt --profile haiku --profile local  # summaries of two models
  ... --backtest                  what they would have kept at earlier points
> compare session.jsonl --backtest  # of what the turns after each point used
> compare sessions/ --backtest -s hybrid -s pi  # two strategies over a folder, on all cores
  ... --vary KEY=FROM:TO:STEP     one strategy with several values of a setting
> compare session.jsonl -s tiered --vary compression.context-limit=50000,100000  # at two limits
> compare session.jsonl -s middle-out --vary compression.preserve-threshold=0.1:0.4:0.1 \
 # at four sizes of what is kept
foldline replay FILE              turn by turn: sizes, compactions, cost
> replay session.jsonl  # turn by turn, under every strategy
> replay session.jsonl -s middle-out -s none  # one strategy beside no compaction
foldline tune DIR                 which strategy and settings, for your sessions
> tune sessions/  # the settings that keep most of what later turns needed, at 30 %
> tune sessions/ -s middle-out -s hybrid --budget 60000 -o tuned.toml  # as a settings file
> tune sessions/ --cost --budget 0.50 --for session.jsonl  # for one session, in dollars
foldline check FILE|DIR -s NAME   for CI: what later turns needed is still there
> check sessions/ -s pi  # 70 % of what later turns needed, in every file
> check session.jsonl -s hybrid --max-lost 10 --junit check.xml  # and at most 10 losses
> check session.jsonl -s pi --judge haiku  # and no sentence that a model calls changed
foldline ask FILE -s NAME         ask a model: says the same? finds it?
> ask session.jsonl -s middle-out --dry-run  # questions and answers; calls nothing
> ask session.jsonl -s middle-out --profile haiku  # each verdict with a quote
> ask session.jsonl -s middle-out --profile haiku --calibrate  # first on 60 pairs

Mend and convert:
foldline lint FILE ...            what an API would refuse; --fix mends a copy
> lint session.jsonl  # by the API that its format and model belong to
> lint session.jsonl --provider openai  # by another one's rules
> lint session.jsonl --fix  # what would be mended; nothing is written
> lint session.jsonl --fix -o mended.jsonl  # the copy, in the same format
foldline convert FILE --to FORMAT the transcript for another agent, or a report
> convert session.jsonl --to openai -o session.json  # for another agent or API
> convert session.jsonl --to html -o report.html  # for people
foldline undo FILE -o OUT         the session as it was before its compaction
> undo session.jsonl -o before.jsonl  # before the newest one
> undo session.jsonl -n 1 -o before.jsonl  # before the first
foldline supplement FILE          what a summary lacks, as excerpts
> supplement session.jsonl  # of its last recorded compaction, in 1,500 tokens
> supplement session.jsonl --summary summary.md --tokens 2500  # of a summary from elsewhere

List and set:
foldline sessions                 sessions of agents on this machine
> sessions  # the newest of this machine
> sessions --since 2d --project . --search 'flaky upload'  # of this folder's last days
> sessions --newest 0 --no-counts archive/  # all, quickly, of one more folder too
foldline watch [DIR]              running sessions: how full, until the trigger
> watch  # sessions of the last hour, until Ctrl C
> watch --once -s high-density --json  # how it is now, for scripts
foldline list strategies|formats|models [NAME]
foldline config list|set|unset|profiles|prompts

Inside agents:
foldline hook install AGENT       keep facts over the compactions of an agent
> hook install claude-code --dry-run  # what would be added to its settings
> hook status  # which agents call Foldline
foldline mcp                      tools for agents over MCP (extra mcp)
> mcp  # the command for an MCP client
> mcp --write-to results/  # one that may also write, to this folder alone

The window takes -s, --set, --set-from, --model, --profile, --format, --scope,
--conversation, --branch, --left, --right and --theme. -V prints the version.
FILE may be - for standard input. Most commands take --json. Exit codes: 0 done,
1 lint found errors, check a session that fails, compare --against a difference,
2 bad input, 3 the model failed, 4 tune found nothing better, 130 cancelled."""
"""The help; below the line of a command, behind ">", its examples, the commonest first."""
_GROUPS = """\
foldline list strategies [NAME]   strategies and presets
> list strategies  # names, triggers, what each does
> list strategies tiered  # when it acts, its prompts and settings
foldline list formats [NAME]      formats to read and write
> list formats  # names for --format and --to
> list formats claude  # one of them
foldline list models [NAME]       limits and prices of models
> list models  # which table of prices is used, and its newest models
> list models claude-haiku-4-5  # one of them
foldline config list              every setting, its value and its source
> config list  # what holds now, and why
> config list -s tiered --set compression.context-limit=100000  # what would hold
foldline config set KEY VALUE     save a setting
> config set compression.strategy tiered  # from now on
> config set compression.context-limit --unset  # as if it had never been set
foldline config unset KEY         take a setting out again
foldline config profiles          models that can be called; add, remove
> config profiles  # names for --profile
> config profiles add haiku --provider anthropic --model claude-haiku-4-5  # key: \
$ANTHROPIC_API_KEY
> config profiles add local --provider ollama --model qwen3 --base-url http://127.0.0.1:11434
> config profiles remove haiku  # its file; keys are never there
foldline config prompts list      prompts for summaries; show, install, path
> config prompts list  # every prompt and where its text comes from
> config prompts show middle-out  # the text that is sent
> config prompts install  # copies to edit
"""
"""What ``foldline list`` and ``foldline config`` print, with examples as above."""
_UNLISTED = """\
> completion bash  # the script; --help says where it goes
> completion fish  # another shell's
> shot session.jsonl -o window.png  # before and after
> shot session.jsonl -o message.png --select 81 --tab message --theme dark  # one message
> shot -o keys.png --view keys  # a dialog
"""
_EXAMPLE, _LINE = "> ", "foldline "
_HELP, _HELP_OPTIONS = "help", ("--help", "--help-all")
VERSION_OPTIONS = ("--version", "-V")
FORMER_NAMES = {
    "judge": "ask",
    "probe": "ask",
    "facts": "inspect --facts",
    "backtest": "compare --backtest",
    "sweep": "compare --vary",
    "repair": "lint --fix",
    "strategies": "list strategies",
    "formats": "list formats",
    "models": "list models",
    "settings": "config list",
    "set": "config set",
    "profiles": "config profiles",
    "prompts": "config prompts",
}
"""Names that commands had, and today's; they keep working and no help lists them. The module of a
command of two words has its former name."""
_MODULES = {
    command: former for former, command in FORMER_NAMES.items() if " " in command
}


def help_text() -> str:
    return "\n".join(
        line for line in _TABLE.splitlines() if not line.startswith(_EXAMPLE)
    )


def example_lines() -> list[str]:
    """Return each example: its arguments, "  # " and what it does; those of the window begin with a
    file."""
    lines = [*_TABLE.splitlines(), *_GROUPS.splitlines(), *_UNLISTED.splitlines()]
    return [line.removeprefix(_EXAMPLE) for line in lines if line.startswith(_EXAMPLE)]


LISTED = tuple(
    line.split()[1] for line in _TABLE.splitlines() if line.startswith(_LINE)
)
COMMANDS = (*LISTED, "completion", "shot")
"""A first argument that is none of these, nor a former name, is a file to open."""
GROUPS = {
    "list": "Strategies, formats and models.",
    "config": "Settings, profiles and prompts.",
}
"""Commands that do nothing without a second word, and what they are about."""


def group_lines(group: str) -> list[str]:
    """Return what can follow ``foldline list`` or ``foldline config``, a line each."""
    return [
        line for line in _GROUPS.splitlines() if line.startswith(f"{_LINE}{group} ")
    ]


def _command_names() -> Iterator[str]:
    for name in COMMANDS:
        if name not in GROUPS:
            yield name
        yield from (one for one in _MODULES if one.split()[0] == name)


COMMAND_NAMES = tuple(_command_names())
"""Every command that has options of its own, as ``compact``, ``lint --fix`` or ``config set``."""


def module_name(command: str) -> str:
    return _MODULES.get(command, command)


def find_command(arguments: Sequence[str]) -> tuple[str, list[str]]:
    """Return the command of a command line, one of COMMAND_NAMES or of GROUPS, and its
    arguments."""
    name = arguments[0]
    rest = list(arguments[1:])
    if name in FORMER_NAMES:
        return FORMER_NAMES[name], rest
    if name == "config" and rest[:1] == ["unset"]:
        return "config set", [*rest[1:], "--unset"]
    if name in GROUPS and rest and f"{name} {rest[0]}" in _MODULES:
        return f"{name} {rest[0]}", rest[1:]
    return _chosen_by_option(name, rest)


def _chosen_by_option(name: str, rest: list[str]) -> tuple[str, list[str]]:
    """Return the command that an option makes of another, as ``--fix`` does of ``lint``, without
    that option; a command as it is where none does."""
    for place, word in enumerate(rest):
        command = f"{name} {word.partition('=')[0]}"
        if command == _WITH_VALUE:
            asked = [one for one in rest if one in _HELP_OPTIONS]
            return command, asked or rest
        if word.startswith("-") and command in _MODULES:
            return command, [*rest[:place], *rest[place + 1 :]]
    return name, rest


_WITH_VALUE = "compare --vary"
"""A command whose second word has a value, and is read as an option."""


def with_help_option(arguments: list[str]) -> list[str]:
    """Return ``help COMMAND`` as ``COMMAND --help``, and ``help`` as ``--help``; others as they
    are."""
    if arguments[:1] == [_HELP] and not (len(arguments) == 1 and os.path.exists(_HELP)):
        return [*arguments[1:], "--help"]
    return arguments


def is_command(arguments: list[str]) -> bool:
    """Return whether arguments are a command; False for the window, with or without a file."""
    if not arguments:
        return False
    names = (*COMMANDS, *FORMER_NAMES)
    asks_about = (*VERSION_OPTIONS, *_HELP_OPTIONS, "-h")
    if arguments[0] in names or any(word in asks_about for word in arguments):
        return True
    return bool(mistyped_command(arguments[0]))


def mistyped_command(word: str) -> str:
    """Return a question with the nearest command for a word that is no file, "" where none is
    near."""
    if not word.isalpha() or os.path.exists(word):
        return ""
    return did_you_mean(word, (*COMMANDS, "--help", "--version"))
