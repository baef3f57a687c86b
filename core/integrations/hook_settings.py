"""Puts Foldline's hooks into an agent, into its settings or as an extension, and takes out exactly those."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.common.atomic_file import write_atomic
from core.common.errors import InputError, did_you_mean
from core.common.paths import RESOURCES
from core.integrations.hooks import HANDLERS

_TIMEOUT = 15  # seconds; the command ends itself before
_BACKUP = ".before-foldline"
_EXTENSION = RESOURCES / "extensions" / "compact_context.ts"
_OTHER_EXTENSION = "not as this version of Foldline writes it"
_EXTENSION_COMMAND = re.compile(rb"(?m)^const COMMAND: string\[\] = .*$")
_OWN = re.compile(r"foldline\S*\s+hook\s+\w+\s+--agent\s")


@dataclass(frozen=True, slots=True)
class HookAgent:
    """An agent with hooks. Its folder is that of the variable, else ``folder`` of the user's home.
    ``project_folder`` is that of a project, if it has another name."""

    name: str
    label: str
    folder_variable: str
    folder: str
    file: str
    matchers: Mapping[str, str]
    project_folder: str = ""

    @property
    def uses_extension(self) -> bool:
        """Whether the file is Foldline's own, rather than settings with hooks."""
        return self.file.endswith(_EXTENSION.suffix)

    def path(self, project: Path | None = None) -> Path:
        """Return the file of the user, or of a project."""
        if project is not None:
            return project / (self.project_folder or self.folder) / self.file
        given = os.environ.get(self.folder_variable, "").strip()
        return (Path(given) if given else Path.home() / self.folder) / self.file


AGENTS = (
    HookAgent("claude-code", "Claude Code", "CLAUDE_CONFIG_DIR", ".claude", "settings.json", {}),
    HookAgent("codex", "Codex", "CODEX_HOME", ".codex", "hooks.json", {"SessionStart": "compact"}),
    HookAgent("pi", "Pi", "PI_CODING_AGENT_DIR", ".pi/agent", "extensions/foldline.ts", {}, ".pi"),
    HookAgent(
        "opencode",
        "opencode",
        "OPENCODE_CONFIG_DIR",
        ".config/opencode",
        "plugin/foldline.ts",
        {},
        ".opencode",
    ),
)


def find_agent(name: str) -> HookAgent:
    """Return the agent of that name. Raises InputError that lists the known ones."""
    names = [agent.name for agent in AGENTS]
    if name not in names:
        raise InputError(
            f"Foldline has no hooks for {name!r}.", f"{did_you_mean(name, names)}Known: {', '.join(names)}."
        )
    return AGENTS[names.index(name)]


def with_hooks(agent: HookAgent, path: Path) -> tuple[bytes, bytes]:
    """Return the file as it is and with Foldline's hooks behind those that are there."""
    if agent.uses_extension:
        command = b"const COMMAND: string[] = " + json.dumps(_program()).encode()
        extension = _EXTENSION_COMMAND.sub(lambda _: command, _EXTENSION.read_bytes())
        return _read_extension(path), extension
    before, value = _read(path)
    hooks = _without_own(value).setdefault("hooks", {})
    if not isinstance(hooks, dict):
        raise InputError(f"{path}: hooks is no object.", "Correct the file first.")
    for event in HANDLERS[agent.name]:
        groups = hooks.setdefault(event, [])
        if not isinstance(groups, list):
            raise InputError(f"{path}: hooks.{event} is no list.", "Correct the file first.")
        matcher = {"matcher": agent.matchers[event]} if event in agent.matchers else {}
        handler = {"type": "command", "command": hook_command(agent.name, event), "timeout": _TIMEOUT}
        groups.append({**matcher, "hooks": [handler]})
    return before, _dump(value, before)


def without_hooks(agent: HookAgent, path: Path) -> tuple[bytes, bytes]:
    """Return the file as it is and without Foldline's hooks: the bytes of before if nothing else changed."""
    if agent.uses_extension:
        return _read_extension(path), b""
    before, value = _read(path)
    if not list(_own_commands(value)):
        return before, before
    value = _without_own(value)
    backup = _backup(path)
    if backup.is_file():
        earlier = backup.read_bytes()
        if (json.loads(earlier) if earlier.strip() else {}) == value:
            return before, earlier
    return before, _dump(value, before)


def save(path: Path, before: bytes, after: bytes) -> None:
    """Replace the file at once and keep what it was; a file that would be empty is removed."""
    if after == before:
        return
    if not after.strip():
        path.unlink()
        _backup(path).unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    is_install = not _OWN.search(before.decode(errors="replace"))
    if is_install and before and not _EXTENSION_COMMAND.search(before):
        backup = _backup(path)
        backup.touch(mode=stat.S_IMODE(path.stat().st_mode))  # it may hold keys that others must not read
        write_atomic(backup, before, overwrite=True)
    write_atomic(path, after, overwrite=True)
    if not is_install and not _OWN.search(after.decode(errors="replace")):
        _backup(path).unlink(missing_ok=True)


def installed_events(path: Path) -> tuple[str, ...]:
    """Return the events for which a file names Foldline's hooks."""
    return tuple(dict.fromkeys(event for event, _ in _own_commands(_read(path)[1])))


def unreviewed_events(path: Path) -> tuple[str, ...]:
    """Return the events whose hook Codex would skip, as nobody has reviewed it there yet (/hooks)."""
    config = path.parent / "config.toml"
    text = config.read_text(encoding="utf-8", errors="replace") if config.is_file() else ""
    return tuple(
        event
        for event in installed_events(path)
        if f"{path}:{re.sub(r'(?<!^)(?=[A-Z])', '_', event).lower()}:" not in text
    )


def hook_command(agent: str, event: str) -> str:
    """Return the command line of a hook, with the absolute path of this Foldline."""
    return shlex.join([*_program(), "hook", event, "--agent", agent])


def _program() -> list[str]:
    program = sys.argv[0] if Path(sys.argv[0]).stem == "foldline" else shutil.which("foldline")
    return [os.path.abspath(program)] if program else [sys.executable, "-m", "foldline"]


def extension_state(path: Path) -> str:
    """Return "installed", "not installed", or that another extension is there."""
    try:
        return "installed" if _read_extension(path) else "not installed"
    except InputError:
        return _OTHER_EXTENSION


def _read_extension(path: Path) -> bytes:
    """Return Foldline's extension, nothing if it is not there. Raises InputError if it was edited."""
    data = path.read_bytes() if path.exists() else b""
    if data and _EXTENSION_COMMAND.sub(b"", data) != _EXTENSION_COMMAND.sub(b"", _EXTENSION.read_bytes()):
        raise InputError(f"{path} is {_OTHER_EXTENSION}.", "Move or delete it first.")
    return data


def _backup(path: Path) -> Path:
    return path.with_name(path.name + _BACKUP)


def _read(path: Path) -> tuple[bytes, dict[str, Any]]:
    if not path.exists():
        return b"", {}
    data = path.read_bytes()
    try:
        value = json.loads(data) if data.strip() else {}
    except ValueError as error:
        raise InputError(f"{path} is no valid JSON: {error}.", "Correct the file first.") from error
    if not isinstance(value, dict):
        raise InputError(f"{path} is no JSON object.", "Correct the file first.")
    return data, value


def _handlers(value: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Yield event, group and handler of every well-formed hook."""
    hooks = value.get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for group in groups if isinstance(groups, list) else ():
            handlers = group.get("hooks") if isinstance(group, dict) else None
            for handler in handlers if isinstance(handlers, list) else ():
                if isinstance(handler, dict):
                    yield event, group, handler


def _own_commands(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for event, _, handler in _handlers(value):
        command = handler.get("command")
        if isinstance(command, str) and _OWN.search(command.replace("-m foldline", "foldline")):
            yield event, command


def _without_own(value: dict[str, Any]) -> dict[str, Any]:
    """Remove own handlers, and the groups, events and table that are empty without them."""
    own = set(_own_commands(value))
    for event in {event for event, _ in own}:
        groups = value["hooks"][event]
        for group in list(groups):
            if not isinstance(group, dict) or not isinstance(group.get("hooks"), list):
                continue
            others = [one for one in group["hooks"] if (event, one.get("command")) not in own]
            if not others and group["hooks"]:
                groups.remove(group)
            group["hooks"] = others
        if not groups:
            del value["hooks"][event]
    if own and not value["hooks"]:
        del value["hooks"]
    return value


def _dump(value: Mapping[str, Any], before: bytes) -> bytes:
    """Return the value as JSON with the indent of the file."""
    if not value:
        return b""
    indent = re.search(rb"\n([ \t]+)\"", before)
    text = json.dumps(value, indent=indent[1].decode() if indent else 2, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace") + b"\n"  # of half a character this is the escape in JSON
