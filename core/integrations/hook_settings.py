"""Puts Foldline's hooks into an agent, into its settings or as an extension, and takes out exactly
those."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import stat
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from core.common.atomic_file import write_atomic
from core.common.errors import InputError, did_you_mean
from core.common.json_value import JSON_BLANKS, Json, json_fault_and_place
from core.common.paths import RESOURCES
from core.integrations.hooks import HANDLERS

# Edits JSON text where it is changed; every other character stays as it was.


_STRING = re.compile(r'"(?:[^"\\]|\\.)*+"')
_SCALAR = re.compile(r"[^\s,\]}]+")
_UNIT = re.compile(r"\n([ \t]+)\S")


@dataclass(frozen=True, slots=True)
class JsonPart:
    """A member of an object, which begins with its key, or an item of a list (key "")."""

    key: str
    start: int
    node: JsonNode


@dataclass(frozen=True, slots=True)
class JsonNode:
    """A value at characters [start, end) of a text."""

    start: int
    end: int
    parts: tuple[JsonPart, ...] = ()

    def member(self, key: str) -> int:
        """Return the index of a member, of several the last, as a reader takes it; -1 without
        one."""
        return max(
            (index for index, part in enumerate(self.parts) if part.key == key),
            default=-1,
        )


def parse_json_text(text: str) -> JsonNode:
    """Return where the values of a valid JSON text are. Raises RecursionError for deep nesting."""
    return _node(text, 0)


def _node(text: str, at: int) -> JsonNode:
    start = _skip(text, at)
    sign = text[start]
    if sign not in "{[":
        return JsonNode(start, _end(_STRING if sign == '"' else _SCALAR, text, start))
    parts: list[JsonPart] = []
    at = _skip(text, start + 1)
    while text[at] not in "}]":
        key, begin = "", at
        if sign == "{":
            end = _end(_STRING, text, at)
            key = json.loads(text[at:end])
            at = _skip(text, end) + 1
        node = _node(text, at)
        parts.append(JsonPart(key, begin, node))
        at = _skip(text, node.end)
        if text[at] == ",":
            at = _skip(text, at + 1)
    return JsonNode(start, at + 1, tuple(parts))


def _skip(text: str, at: int) -> int:
    return _end(JSON_BLANKS, text, at)


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    match = pattern.match(text, at)
    if match:
        return match.end()
    return at


def with_part(text: str, container: JsonNode, value: Json, key: str = "") -> str:
    """Return the text with one more part at the end of an object or a list, laid out as its others
    are."""
    line_break = "\r\n" if "\r\n" in text else "\n"
    found = _UNIT.search(text)
    if found:
        unit = found[1]
    else:
        unit = "  "
    if not container.parts:
        outer = _indent(text, container.start)
        inner = (
            line_break
            + outer
            + unit
            + _dumped(value, key, outer + unit, unit, line_break)
            + line_break
            + outer
        )
        return text[: container.start + 1] + inner + text[container.end - 1 :]
    last = container.parts[-1]
    if "\n" in text[container.start : last.start]:
        indent = _indent(text, last.start)
        added = f",{line_break}{indent}{_dumped(value, key, indent, unit, line_break)}"
    else:
        added = f", {_dumped(value, key)}"
    return text[: last.node.end] + added + text[last.node.end :]


def without_part(text: str, container: JsonNode, index: int) -> str:
    """Return the text without one part of an object or a list, and without what separated it."""
    parts = container.parts
    if index + 1 < len(parts):
        return text[: parts[index].start] + text[parts[index + 1].start :]
    if index:
        start = parts[index - 1].node.end
        end = parts[index].node.end
    else:
        start = container.start + 1
        end = container.end - 1
    return text[:start] + text[end:]


def _indent(text: str, at: int) -> str:
    line = text[text.rfind("\n", 0, at) + 1 : at]
    return line[: len(line) - len(line.lstrip(" \t"))]


def _dumped(
    value: Json, key: str, indent: str = "", unit: str = "", line_break: str = "\n"
) -> str:
    dumped = json.dumps(value, indent=unit or None, ensure_ascii=False).replace(
        "\n", line_break + indent
    )
    if key:
        return f"{json.dumps(key)}: {dumped}"
    return dumped


_TIMEOUT = 15  # seconds; the command ends itself before
_BACKUP = ".before-foldline"
_EXTENSION = RESOURCES / "extensions" / "compact_context.ts"
_OTHER_EXTENSION = "not as this version of Foldline writes it"
_EXTENSION_COMMAND = re.compile(rb"(?m)^const (COMMAND|OPTIONS): string\[\] = .*$")
_FOLDLINE_HOOK = re.compile(r"foldline\S*\s+hook\s+\w+\s+--agent\s")


_XDG_FOLDER = ".config/"  # replaced by XDG_CONFIG_HOME for the agents that use it


@dataclass(frozen=True, slots=True, kw_only=True)
class HookAgent:
    """An agent with hooks. Its folder is that of the variable, else ``folder`` of the user's home.
    ``project_folder`` is that of a project, if it has another name."""

    name: str
    label: str
    folder_variable: str
    folder: str
    file: str
    matchers: Mapping[str, str] = field(default_factory=dict)
    project_folder: str = ""

    @property
    def uses_extension(self) -> bool:
        """Whether the file is Foldline's own, rather than settings with hooks."""
        return self.file.endswith(_EXTENSION.suffix)

    def path(self, project: Path | None = None) -> Path:
        """Return the file of the user, or of a project."""
        if project is not None:
            return project / (self.project_folder or self.folder) / self.file
        folder = os.environ.get(self.folder_variable, "").strip()
        if folder:
            return Path(folder) / self.file
        base = os.environ.get("XDG_CONFIG_HOME", "").strip()
        inner = self.folder.removeprefix(_XDG_FOLDER)
        if base and inner != self.folder:
            return Path(base) / inner / self.file
        return Path.home() / self.folder / self.file


AGENTS = (
    HookAgent(
        name="claude-code",
        label="Claude Code",
        folder_variable="CLAUDE_CONFIG_DIR",
        folder=".claude",
        file="settings.json",
        matchers={"SessionStart": "compact"},
    ),
    HookAgent(
        name="codex",
        label="Codex",
        folder_variable="CODEX_HOME",
        folder=".codex",
        file="hooks.json",
        matchers={"SessionStart": "compact"},
    ),
    HookAgent(
        name="pi",
        label="Pi",
        folder_variable="PI_CODING_AGENT_DIR",
        folder=".pi/agent",
        file="extensions/foldline.ts",
        project_folder=".pi",
    ),
    HookAgent(
        name="opencode",
        label="opencode",
        folder_variable="OPENCODE_CONFIG_DIR",
        folder=".config/opencode",
        file="plugin/foldline.ts",
        project_folder=".opencode",
    ),
)


def find_agent(name: str) -> HookAgent:
    """Return the agent of that name. Raises InputError that lists the known ones."""
    names = [agent.name for agent in AGENTS]
    if name not in names:
        raise InputError(
            f"Foldline has no hooks for {name!r}.",
            f"{did_you_mean(name, names)}Known: {', '.join(names)}.",
        )
    return AGENTS[names.index(name)]


def with_hooks(
    agent: HookAgent, path: Path, options: Sequence[str] = ()
) -> tuple[bytes | None, bytes | None]:
    """Return the file as it is and with Foldline's hooks behind those that are there; None for no
    file. ``options`` are those of ``foldline compact`` that an extension gives."""
    if agent.uses_extension:
        lists = {b"COMMAND": _program(), b"OPTIONS": options}

        def filled(line: re.Match[bytes]) -> bytes:
            return b"const %s: string[] = %s" % (
                line[1],
                json.dumps(lists[line[1]]).encode(),
            )

        return _read_extension(path), _EXTENSION_COMMAND.sub(
            filled, _EXTENSION.read_bytes()
        )
    file = _read(path)
    commands = [
        (event, hook_command(agent.name, event)) for event in HANDLERS[agent.name]
    ]
    if sorted(_foldline_commands(file.value)) == sorted(commands):
        return file.data, file.data
    text = _without_foldline(file.text)
    for event, line in commands:
        if event in agent.matchers:
            matcher = {"matcher": agent.matchers[event]}
        else:
            matcher = {}
        handler = {"type": "command", "command": line, "timeout": _TIMEOUT}
        text = _with_group(path, text, event, {**matcher, "hooks": [handler]})
    return file.data, file.encoded(text)


def without_hooks(agent: HookAgent, path: Path) -> tuple[bytes | None, bytes | None]:
    """Return the file as it is and without Foldline's hooks; None for no file.

    The second is what was there before them, if nothing else has changed since.
    """
    if agent.uses_extension:
        return _read_extension(path), None
    file = _read(path)
    if not list(_foldline_commands(file.value)):
        return file.data, file.data
    text = _without_foldline(file.text)
    value = json.loads(text)
    backup = _backup(path)
    if backup.is_file():
        earlier = backup.read_bytes()
        if (json.loads(earlier) if earlier.strip() else {}) == value:
            return file.data, earlier
    elif not value:
        return file.data, None
    return file.data, file.encoded(text)


def save(path: Path, before: bytes | None, after: bytes | None) -> None:
    """Replace the file at once and keep what it was; None for no file."""
    if after == before:
        return
    if after is None:
        path.unlink()
        _backup(path).unlink(missing_ok=True)
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    is_install = before is None or not _FOLDLINE_HOOK.search(
        before.decode(errors="replace")
    )
    if is_install and before is not None and not _EXTENSION_COMMAND.search(before):
        backup = _backup(path)
        backup.touch(
            mode=stat.S_IMODE(path.stat().st_mode)
        )  # it may hold keys that others must not read
        write_atomic(backup, before, overwrite=True)
    write_atomic(path, after, overwrite=True)
    if not is_install and not _FOLDLINE_HOOK.search(after.decode(errors="replace")):
        _backup(path).unlink(missing_ok=True)


def installed_events(path: Path) -> tuple[str, ...]:
    """Return the events for which a file names Foldline's hooks."""
    return tuple(
        dict.fromkeys(event for event, _ in _foldline_commands(_read(path).value))
    )


def unreviewed_events(path: Path) -> tuple[str, ...]:
    """Return the events whose hook Codex would skip, as nobody has reviewed it there yet
    (/hooks)."""
    config = path.parent / "config.toml"
    if config.is_file():
        text = config.read_text(encoding="utf-8", errors="replace")
    else:
        text = ""
    return tuple(
        event
        for event in installed_events(path)
        if f"{path}:{re.sub(r'(?<!^)(?=[A-Z])', '_', event).lower()}:" not in text
    )


def hook_command(agent: str, event: str) -> str:
    """Return the command line of a hook, with the absolute path of this Foldline."""
    return shlex.join([*_program(), "hook", event, "--agent", agent])


def _program() -> list[str]:
    program = (
        sys.argv[0]
        if Path(sys.argv[0]).stem == "foldline"
        else shutil.which("foldline")
    )
    if program:
        return [os.path.abspath(program)]
    return [sys.executable, "-m", "foldline"]


def extension_state(path: Path) -> str:
    """Return "installed", "not installed", or that another extension is there."""
    try:
        return "not installed" if _read_extension(path) is None else "installed"
    except InputError:
        return _OTHER_EXTENSION


def _read_extension(path: Path) -> bytes | None:
    """Return Foldline's extension, None if it is not there. Raises InputError if it was edited."""
    if path.exists():
        data = path.read_bytes()
    else:
        data = None
    if data is not None and _EXTENSION_COMMAND.sub(b"", data) != _EXTENSION_COMMAND.sub(
        b"", _EXTENSION.read_bytes()
    ):
        raise InputError(f"{path} is {_OTHER_EXTENSION}.", "Move or delete it first.")
    return data


def _backup(path: Path) -> Path:
    return path.with_name(path.name + _BACKUP)


@dataclass(frozen=True, slots=True)
class _SettingsFile:
    """An agent's settings: the bytes (None for no file), their text, an empty object if there is
    none."""

    data: bytes | None
    text: str
    value: dict[str, Any]
    encoding: str

    def encoded(self, text: str) -> bytes:
        return text.encode(self.encoding, "surrogatepass")


def _read(path: Path) -> _SettingsFile:
    """Raises InputError for a file that cannot be read or is no JSON object."""
    if not path.exists():
        return _SettingsFile(None, "{}\n", {}, "utf-8")
    try:
        data = path.read_bytes()
        encoding = json.detect_encoding(data)
        text = data.decode(encoding, "surrogatepass")
        text = text if text.strip() else "{}\n"
        value = json.loads(text)
        parse_json_text(text)
    except OSError as error:
        raise InputError(
            f"{path} cannot be read: {(error.strerror or str(error)).lower()}.",
            "Check the permissions of the file.",
        ) from error
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path} is not JSON: {json_fault_and_place(error)}.",
            "Correct the file first.",
        ) from error
    if not isinstance(value, dict):
        raise InputError(f"{path} is not a JSON object.", "Correct the file first.")
    return _SettingsFile(data, text, value, encoding)


def _foldline_handlers(value: Mapping[str, Any]) -> Iterator[tuple[str, int, int, str]]:
    """Yield the event, the indices of group and handler, and the command of every hook of
    Foldline."""
    hooks = value.get("hooks")
    for event, groups in hooks.items() if isinstance(hooks, dict) else ():
        for group_index, group in enumerate(groups if isinstance(groups, list) else ()):
            if isinstance(group, dict):
                handlers = group.get("hooks")
            else:
                handlers = None
            for index, handler in enumerate(
                handlers if isinstance(handlers, list) else ()
            ):
                if isinstance(handler, dict):
                    command = handler.get("command")
                else:
                    command = None
                if isinstance(command, str) and _FOLDLINE_HOOK.search(
                    command.replace("-m foldline", "foldline")
                ):
                    yield event, group_index, index, command


def _foldline_commands(value: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    return ((event, command) for event, _, _, command in _foldline_handlers(value))


def _without_foldline(text: str) -> str:
    """Remove Foldline's handlers, and the groups, events and table that are empty without them."""
    while place := next(_foldline_handlers(json.loads(text)), None):
        event, group, handler, _ = place
        node = parse_json_text(text)
        levels = []
        for step in ("hooks", event, group, "hooks", handler):
            if isinstance(step, str):
                index = node.member(step)
            else:
                index = step
            levels.append((node, index))
            node = node.parts[index].node
        table, events, groups, _, handlers = levels
        for level in (handlers, groups, events, table):
            if len(level[0].parts) > 1 or level is table:
                text = without_part(text, *level)
                break
    return text


def _with_group(path: Path, text: str, event: str, group: Json) -> str:
    """Add a group of hooks to an event. Raises InputError if the hooks that are there are
    malformed."""
    hooks = json.loads(text).get("hooks", {})
    if not isinstance(hooks, dict):
        raise InputError(
            f'In {path}, "hooks" is not an object.', "Correct the file first."
        )
    if not isinstance(hooks.get(event, []), list):
        raise InputError(
            f'In {path}, "hooks.{event}" is not a list.', "Correct the file first."
        )
    root = parse_json_text(text)
    if (index := root.member("hooks")) < 0:
        return with_part(text, root, {event: [group]}, "hooks")
    table = root.parts[index].node
    if (index := table.member(event)) < 0:
        return with_part(text, table, [group], event)
    return with_part(text, table.parts[index].node, group)
