"""The commands with their help and examples, readable without loading any of them."""

from __future__ import annotations

import os

_TABLE = """\
Foldline shows what a compaction does to an agent's transcript, why, and what
it costs.

usage: foldline [FILE]            open the window
> session.jsonl  # open it in the window
> session.jsonl -s high-density  # with a strategy chosen
       foldline COMMAND ...       run a command; its options: help COMMAND
       foldline --version

Inspect and compact a transcript:
foldline inspect FILE ...         format, messages, tokens by kind, split, lint
> inspect session.jsonl  # what it holds and where it would be cut
> inspect session.jsonl -s one-shot --json  # the same of one strategy, for scripts
foldline facts FILE               its facts: your messages, errors, files, names
> facts session.jsonl  # what a compaction of it may lose
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
foldline backtest FILE|DIR        what strategies would have kept at earlier points
> backtest session.jsonl  # of what the turns after each point used
> backtest sessions/ -s hybrid -s pi  # two strategies over a folder, on all cores
foldline tune DIR                 which strategy and settings, for your sessions
> tune sessions/  # the settings that keep most of what later turns needed, at 30 %
> tune sessions/ -s middle-out -s hybrid --budget 60000 -o tuned.toml  # as a settings file
> tune sessions/ --cost --budget 0.50 --for session.jsonl  # for one session, in dollars
foldline replay FILE              turn by turn: sizes, compactions, cost
> replay session.jsonl  # turn by turn, under every strategy
> replay session.jsonl -s middle-out -s none  # one strategy beside no compaction
foldline sweep FILE -s NAME --vary KEY=FROM:TO:STEP
                                  one strategy with several values of a setting
> sweep session.jsonl -s tiered --vary context-limit=50000,100000  # at two limits
> sweep session.jsonl -s middle-out --vary compression-preserve-threshold=0.1:0.4:0.1 \
 # at four sizes of what is kept
foldline ask FILE -s NAME         ask a model: says the same? finds it?
> ask session.jsonl -s middle-out --dry-run  # questions and answers; calls nothing
> ask session.jsonl -s middle-out --profile haiku  # each verdict with a quote
> ask session.jsonl -s middle-out --profile haiku --calibrate  # first on 60 pairs

Check and convert:
foldline check FILE|DIR -s NAME   for CI: what later turns needed is still there
> check sessions/ -s pi  # 70 % of what later turns needed, in every file
> check session.jsonl -s hybrid --max-lost 10 --junit check.xml  # and at most 10 losses
> check session.jsonl -s pi --judge haiku  # and no sentence that a model calls changed
foldline lint FILE ...            what an API would refuse
> lint session.jsonl  # by the API that its format and model belong to
> lint session.jsonl --provider openai  # by another one's rules
foldline repair FILE -o OUT       a copy that the provider accepts, every change said
> repair session.jsonl  # what would be mended; nothing is written
> repair session.jsonl -o mended.jsonl  # the copy, in the same format
foldline undo FILE -o OUT         the session as it was before its compaction
> undo session.jsonl -o before.jsonl  # before the newest one
> undo session.jsonl -n 1 -o before.jsonl  # before the first
foldline convert FILE --to FORMAT the transcript for another agent, or a report
> convert session.jsonl --to openai -o session.json  # for another agent or API
> convert session.jsonl --to html -o report.html  # for people

List:
foldline sessions                 sessions of agents on this machine
> sessions  # the newest of this machine
> sessions --since 2d --project . --search 'flaky upload'  # of this folder's last days
> sessions --newest 0 --no-counts archive/  # all, quickly, of one more folder too
foldline strategies               strategies and presets
> strategies  # names, triggers, what each does
foldline formats                  formats to read and write
> formats  # names for --format and --to
foldline settings                 every setting, its value and its source
> settings  # what holds now, and why
> settings -s tiered --set context-limit=100000  # what would hold
foldline set KEY VALUE            save a setting; --unset takes it out again
> set compression.strategy tiered  # from now on
> set context-limit --unset  # as if it had never been set
foldline profiles                 models that can be called; add, remove
> profiles  # names for --profile
> profiles add haiku --provider anthropic --model claude-haiku-4-5  # key: $ANTHROPIC_API_KEY
> profiles add local --provider ollama --model qwen3 --base-url http://127.0.0.1:11434
> profiles remove haiku  # its file; keys are never there
foldline models                   limits and prices; update FILE: newer ones
> models  # which table of prices is used, and its newest models
> models update model_prices.json  # newer prices from a file
> models reset  # back to those that ship
foldline prompts list             prompts for summaries; show, install, path
> prompts list  # every prompt and where its text comes from
> prompts show middle-out  # the text that is sent
> prompts install  # copies to edit

Inside agents:
foldline watch [DIR]              running sessions: how full, until the trigger
> watch  # sessions of the last hour, until Ctrl C
> watch --once -s high-density --json  # how it is now, for scripts
foldline supplement FILE          what a summary lacks, as excerpts
> supplement session.jsonl  # of its last recorded compaction, in 1,500 tokens
> supplement session.jsonl --summary summary.md --tokens 2500  # of a summary from elsewhere
foldline hook install AGENT       keep facts over the compactions of an agent
> hook install claude-code --dry-run  # what would be added to its settings
> hook status  # which agents call Foldline

Other:
foldline mcp                      tools for agents over MCP (extra mcp)
> mcp  # the command for an MCP client
foldline completion SHELL         complete words in bash, zsh or fish
> completion bash  # the script; --help says where it goes
foldline shot FILE -o PNG         a picture of the window
> shot session.jsonl -o window.png  # before and after
> shot session.jsonl -o message.png --select 81 --tab message --theme dark  # one message
> shot -o keys.png --view keys  # a dialog

The window takes -s, --set, --set-from, --model, --profile, --format,
--scope, --conversation, --branch, --left, --right and --theme; see man foldline.
FILE may be - for standard input. Most commands take --json.
Exit codes: 0 done, 1 lint found errors or check a file below the bar, 2 bad
input or usage, 3 the model failed, 4 nothing better found by tune,
130 cancelled."""
"""The help; below the line of a command, behind ">", its examples."""
_EXAMPLE = "> "
_HELP = "help"


def help_text() -> str:
    return "\n".join(line for line in _TABLE.splitlines() if not line.startswith(_EXAMPLE))


def example_lines() -> list[str]:
    """Return each example: its arguments, "  # " and what it does; those of the window begin with a
    file."""
    return [
        line.removeprefix(_EXAMPLE) for line in _TABLE.splitlines() if line.startswith(_EXAMPLE)
    ]


COMMANDS = tuple(line.split()[1] for line in _TABLE.splitlines() if line.startswith("foldline "))
"""A first argument that is none of these, nor a former name, is a file to open."""
FORMER_NAMES = {"judge": "ask", "probe": "ask"}
"""Names that commands had; they keep working and no help lists them."""


def with_help_option(arguments: list[str]) -> list[str]:
    """Return ``help COMMAND`` as ``COMMAND --help``, and ``help`` as ``--help``; a former name as
    today's; others as they are."""
    if arguments[:1] == [_HELP] and not (len(arguments) == 1 and os.path.exists(_HELP)):
        arguments = [*arguments[1:], "--help"]
    if arguments and arguments[0] in FORMER_NAMES:
        return [FORMER_NAMES[arguments[0]], *arguments[1:]]
    return arguments


def is_command(arguments: list[str]) -> bool:
    """Return whether arguments are a command; False for the window, with or without a file."""
    if not arguments:
        return False
    names = (*COMMANDS, *FORMER_NAMES)
    if arguments[0] in names or any(word in ("--version", "--help", "-h") for word in arguments):
        return True
    return bool(mistyped_command(arguments[0]))


def mistyped_command(word: str) -> str:
    """Return a question with the nearest command for a word that is no file, "" where none is
    near."""
    if not word.isalpha() or os.path.exists(word):
        return ""
    from core.common.errors import did_you_mean  # late: the window does not need it

    return did_you_mean(word, (*COMMANDS, "--help", "--version"))
