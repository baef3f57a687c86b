"""``foldline completion``: a script with which bash, zsh or fish completes commands, options and
names."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping, Sequence
from typing import Any

from core.cli.arguments import CommandParser, parse_options, parser_for
from core.cli.command_names import COMMAND_NAMES, COMMANDS, GROUPS
from core.cli.main import parser_of_command
from core.cli.output.console import write_bytes
from core.common.errors import FoldlineError
from core.export.export import format_names
from core.formats.discovery.find_sessions import SESSION_FOLDERS
from core.integrations.hook_settings import AGENTS
from core.settings.prompts import prompt_names
from core.settings_store.layers import ALL_SETTINGS
from core.settings_store.profile_store import ProfileStore
from core.strategies.registry import STRATEGIES

_FILES, _FOLDERS = ("FILE", "FILE|DIR", "OUT", "F", "PNG"), ("DIR", "FOLDER", "PATH")
_PROFILES = {
    "bash": "_foldline_profiles",
    "zsh": "_foldline_profiles",
    "fish": "(_foldline_profiles)",
}
ABOUT = "Print a script with which a shell completes commands, options and names."
SHELLS = ("bash", "zsh", "fish")
_INSTALL = """\
Write it to the file that the shell looks for, and start the shell anew:
  bash   ~/.local/share/bash-completion/completions/foldline
  zsh    ~/.zfunc/_foldline, with fpath+=~/.zfunc before compinit in ~/.zshrc
  fish   ~/.config/fish/completions/foldline.fish
Profiles are looked up when you press Tab."""


def run(arguments: Sequence[str]) -> None:
    print_script(arguments, {})


def command_parser() -> CommandParser:
    parser = parser_for("completion", f"{ABOUT}\n\n{_INSTALL}", json=False)
    about = "the shell that completes"
    parser.add_argument("shell", choices=SHELLS, metavar="|".join(SHELLS), help=about)
    return parser


def print_script(
    arguments: Sequence[str], window_parsers: Mapping[str, CommandParser]
) -> None:
    """Print the script; ``window_parsers`` are those of the window ("") and of ``shot`` where it is
    there."""
    options = parse_options(command_parser(), arguments)
    root = _whole_parser(window_parsers)
    script = _shtab().complete(root, options.shell, preamble=_preamble(options.shell))
    script = script.replace(
        "_context[-1] == eval ]]", "_context[-1] == (eval|file) ]]"
    )  # zsh's source
    if options.shell == "bash":  # what is no command is a file to open
        script += "\ncomplete -o filenames -o bashdefault -o default -F _shtab_foldline foldline\n"
    write_bytes(script.encode())


def _shtab() -> Any:
    """Return the library that writes the scripts; FoldlineError where it is not installed."""
    try:
        import shtab
    except ImportError:
        raise FoldlineError(
            "Completion needs shtab.", "Install it: pip install shtab."
        ) from None
    return shtab


def _whole_parser(
    window_parsers: Mapping[str, CommandParser],
) -> argparse.ArgumentParser:
    """Return one parser with a subparser for each command."""
    root = argparse.ArgumentParser(prog="foldline", add_help=False)
    for action in window_parsers[""]._actions if "" in window_parsers else ():
        if action.option_strings:
            root._add_action(_completed(action, ""))
    root.add_argument("--version", action="store_true", help="the version")
    commands = root.add_subparsers()
    added: dict[str, argparse.ArgumentParser] = {}
    groups = {}
    for name, about in GROUPS.items():
        groups[name] = commands.add_parser(
            name, help=about, add_help=False
        ).add_subparsers()
    for name in COMMAND_NAMES:
        if name == "shot" and name not in window_parsers:
            continue
        source = window_parsers.get(name) or parser_of_command(name)
        first, _, second = name.partition(" ")
        about = str(source.description).partition("\n")[0]
        if first in GROUPS:
            parser = groups[first].add_parser(second, help=about, add_help=False)
        elif second:
            parser = added[
                first
            ]  # as lint --fix, whose options are completed with those of lint
        else:
            parser = added[name] = commands.add_parser(name, help=about, add_help=False)
        _add_completed(parser, source, name)
    unset = groups["config"].add_parser(
        "unset", help="Take a setting out.", add_help=False
    )
    unset.add_argument("key", choices=_words("config set key"))
    asked = commands.add_parser(
        "help", help="Options and examples of a command.", add_help=False
    )
    asked.add_argument("command", choices=COMMANDS, help="a command")
    return root


def _add_completed(
    parser: argparse.ArgumentParser, source: CommandParser, command: str
) -> None:
    """Add what a command takes and a parser does not yet have."""
    places = {action.dest for action in parser._actions}
    for action in source._actions:
        is_known = set(action.option_strings) & set(parser._option_string_actions)
        if action.dest not in places and not is_known:
            parser._add_action(_completed(action, command))


def _completed(action: argparse.Action, command: str) -> argparse.Action:
    """Return an action with what is offered for its value."""
    if action.option_strings:
        name = action.option_strings[0]
    else:
        name = f"{command} {action.dest}"
    if action.choices is None and (words := _words(name)):
        action.choices = words
    elif action.dest in ("profile", "judge") or name == "config profiles name":
        action.complete = _PROFILES  # type: ignore[attr-defined]
    elif action.metavar in _FILES or action.metavar in _FOLDERS:
        kind = _shtab().FILE if action.metavar in _FILES else _shtab().DIRECTORY
        action.complete = kind  # type: ignore[attr-defined]
    return action


def _words(name: str) -> tuple[str, ...]:
    """Return the values of an option or of an argument ("config set key"); none where any text may
    stand."""
    match name:
        case "-s" | "--against" | "list strategies name":
            return tuple(strategy.name for strategy in STRATEGIES)
        case "--format" | "--to" | "list formats name":
            return format_names(name != "--format")
        case "--set" | "--vary":
            return tuple(f"{setting.key}=" for setting in ALL_SETTINGS)
        case "config set key":
            return tuple(setting.key for setting in ALL_SETTINGS)
        case "--agent":
            return tuple(
                dict.fromkeys(
                    f"{one.agent.lower().replace(' ', '-')}" for one in SESSION_FOLDERS
                )
            )
        case "hook action":
            return "install", "remove", "status"
        case "hook name":
            return tuple(agent.name for agent in AGENTS)
        case "config prompts name":
            return tuple(prompt_names())
        case _:
            return ()


def _preamble(shell: str) -> str:
    """Return the function that lists the profiles as their files are when it is called."""
    folder = shlex.quote(str(ProfileStore().folder))
    names = f"{{ echo offline; ls {folder} 2>/dev/null | sed -n 's/\\.toml$//p'; }}"
    if shell == "fish":
        names = (
            f"echo offline; ls {folder} 2>/dev/null | string replace -rf '\\.toml$' ''"
        )
        return f"function _foldline_profiles; {names}; end\n"
    if shell == "zsh":
        return f"_foldline_profiles() {{ compadd -- $({names}) }}\n"
    return f'_foldline_profiles() {{ compgen -W "$({names})" -- "$1"; }}\n'
