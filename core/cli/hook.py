"""``foldline hook``: what an agent calls around a compaction, and how that is set up."""

from __future__ import annotations

import difflib
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType

from core.cli.arguments import (
    CommandParser,
    CommonOptions,
    add_flag,
    add_number,
    add_text,
    parse_options,
    parser_for,
)
from core.cli.output.console import print_lines
from core.common.errors import InputError, did_you_mean
from core.integrations import hook_settings
from core.integrations.hooks import MAX_TOKENS, answer, log, read_event
from core.settings_store.settings_file import settings_of_file
from core.strategies.names import EXCERPT

ABOUT = (
    "Keep facts over a compaction of Claude Code or Codex: before it a copy of the transcript is kept, "
    "after it the agent gets back, as excerpts, what its summary lost. Pi and opencode get an extension "
    "that compacts the context with excerpt, or as --set-from says."
)
_SETTING_UP = ("install", "remove", "status")
_CODEX_NEXT = (
    "Codex skips new hooks until you review them: start codex and type /hooks."
)
_DEADLINE = 10.0  # seconds


def run(arguments: Sequence[str]) -> int:
    if "--agent" in arguments:
        return _run_for_agent(arguments)
    return _run(arguments)


def command_parser() -> CommandParser:
    parser = parser_for("hook", ABOUT, json=False)
    parser.add_argument(
        "action",
        metavar="|".join(_SETTING_UP),
        help="or an event of the agent, with --agent",
    )
    parser.add_argument(
        "name",
        metavar="AGENT",
        nargs="?",
        default="",
        help="claude-code, codex, pi or opencode",
    )
    add_text(
        parser,
        "--agent",
        "NAME",
        "the agent that calls; its event comes on standard input",
    )
    add_flag(
        parser, "--dry-run", "show the change of the agent's settings; save nothing"
    )
    add_flag(parser, "--project", "the settings of this folder, not the user's")
    add_text(
        parser,
        "--set-from",
        "FILE",
        "the settings with which the extension of pi or opencode compacts",
    )
    add_number(
        parser,
        "--max-tokens",
        MAX_TOKENS,
        f"size of the facts that are given (default {MAX_TOKENS})",
    )
    return parser


def _run(arguments: Sequence[str]) -> int:
    options = parse_options(command_parser(), arguments)
    if options.action in _SETTING_UP:
        return _set_up(options)
    if not options.agent:
        hint = did_you_mean(options.action, _SETTING_UP)
        raise InputError(
            f"foldline hook does not take {options.action!r}.",
            f"{hint}Write {', '.join(_SETTING_UP)}, or the event of an agent with --agent NAME.",
        )
    agent = hook_settings.find_agent(options.agent)
    text = answer(
        agent.name,
        read_event(options.action, sys.stdin.buffer.read()),
        options.max_tokens,
    )
    if text:
        print(text, flush=True)
    log(f"{agent.name} {options.action}: {len(text):,} characters")
    return 0


def _run_for_agent(arguments: Sequence[str]) -> int:
    """Answer an event. Whatever happens, the agent goes on: exit 0, and the fault is in the log."""
    has_alarm = hasattr(
        signal, "SIGALRM"
    )  # without it the agent's own limit ends the hook
    try:
        if has_alarm:
            signal.signal(signal.SIGALRM, _stop)
            signal.setitimer(signal.ITIMER_REAL, _DEADLINE)
        _run(arguments)
    except BaseException as error:
        log(f"{' '.join(arguments)}: {type(error).__name__}")
    finally:
        if has_alarm:
            signal.setitimer(signal.ITIMER_REAL, 0)
    return 0


def _stop(number: int, frame: FrameType | None) -> None:
    raise TimeoutError


def _set_up(options: CommonOptions) -> int:
    if options.name:
        agents = [hook_settings.find_agent(options.name)]
    else:
        agents = list(hook_settings.AGENTS)
    compacts = options.action == "install" and all(
        agent.uses_extension for agent in agents
    )
    if options.set_from and not compacts:
        works = "hook install pi and hook install opencode"
        raise InputError(f"--set-from works only with {works}.", "Leave it out.")
    if options.action == "status":
        print_lines(line for agent in agents for line in _status(agent, options))
        return 0
    if not options.name:
        raise InputError(
            f"foldline hook {options.action} needs the name of an agent.",
            f"Add one of: {', '.join(agent.name for agent in agents)}.",
        )
    (agent,) = agents
    path = agent.path(Path.cwd() if options.project else None)
    is_install = options.action == "install"
    if is_install:
        before, after = hook_settings.with_hooks(
            agent, path, _extension_options(options)
        )
    else:
        before, after = hook_settings.without_hooks(agent, path)
    if before == after:
        print_lines(
            [
                f"{path} is unchanged: Foldline's hooks are {'there' if is_install else 'not there'}."
            ]
        )
    elif options.dry_run:
        old, new = (
            (data or b"").decode(errors="replace").splitlines()
            for data in (before, after)
        )
        print_lines(
            difflib.unified_diff(old, new, str(path), f"{path} after", lineterm="")
        )
    else:
        hook_settings.save(path, before, after)
        print_lines(
            [
                f"{_verb(agent, is_install)} {path}.",
                *([_CODEX_NEXT] if agent.name == "codex" and is_install else []),
            ]
        )
    return 0


def _extension_options(options: CommonOptions) -> list[str]:
    """Return the option that names the file of settings, else the recommended strategy;
    InputError for a file that cannot be used."""
    if not options.set_from:
        return ["-s", EXCERPT]
    path = Path(options.set_from).absolute()
    settings_of_file(path)
    return ["--set-from", str(path)]


def _verb(agent: hook_settings.HookAgent, is_install: bool) -> str:
    if agent.uses_extension:
        return "Wrote" if is_install else "Deleted"
    return "Added to" if is_install else "Removed from"


def _status(agent: hook_settings.HookAgent, options: CommonOptions) -> list[str]:
    path = agent.path(Path.cwd() if options.project else None)
    if agent.uses_extension:
        return [f"{agent.label}: {hook_settings.extension_state(path)} ({path})."]
    events = hook_settings.installed_events(path)
    if not events:
        return [f"{agent.label}: not installed ({path})."]
    lines = [f"{agent.label}: installed for {', '.join(events)} ({path})."]
    if agent.name == "codex" and (unreviewed := hook_settings.unreviewed_events(path)):
        lines.append(
            f"  Not reviewed yet: {', '.join(unreviewed)}. Start codex and type /hooks."
        )
    return lines
