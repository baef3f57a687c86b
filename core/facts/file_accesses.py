"""File accesses of tool calls: the tool table applied to their arguments."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from core.common.json_value import Json
from core.facts.shell_file_accesses import (
    END_OF_FILE,
    ShellFileUse,
    changes_folder,
    patched_files,
    shell_file_uses,
)
from core.transcript.model import ToolCall
from core.transcript.tool_kinds import (
    COMMAND_KEYS,
    FOLDER_KEYS,
    FRESH_SHELL_TOOLS,
    PATCH_TOOLS,
    PATH_KEYS,
    SHELL_TOOLS,
    TOOL_KINDS,
    FileOperation,
    FileToolSyntax,
)

_COMMANDS = "commands"
_TAGGED = re.compile(r"<file>(.*?)</file>", re.DOTALL)
_TAG = re.compile(r"<path>\s*(.*?)\s*</path>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class FileAccess:
    """An access of one call to one file, with a resolved path. ``lines`` are inclusive, from 1;
    None: the whole file (a read) or unknown (an edit). ``replaced`` is the text that an edit
    removes, "" if unknown."""

    path: str
    operation: FileOperation
    lines: tuple[int, int] | None = None
    replaced: str = ""


def path_argument(arguments: Json, keys: tuple[str, ...] = PATH_KEYS) -> str | None:
    """Return the file that arguments name: the first key with a value decides (REQ-HD-005.4). An
    empty text or a number as that value names no file."""
    if not isinstance(arguments, dict):
        return None
    for key in keys:
        value = arguments.get(key)
        if value is not None:
            return value if isinstance(value, str) and value else None
    return None


def resolve_path(path: str, root: str) -> str:
    """Return a path made absolute against the workspace root and normalised lexically. No links,
    case folding, home folder or trimming (REQ-HD-005.5, .11)."""
    joined = path if path.startswith("/") or not root else f"{root}/{path}"
    normal = posixpath.normpath(joined)
    return normal[1:] if normal.startswith("//") else normal


def key_argument(arguments: Json) -> str | None:
    """Return the argument that identifies a call: a path, else a command (REQ-HD-008.3)."""
    path = path_argument(arguments) or path_argument(arguments, ("notebook_path",))
    if path or not isinstance(arguments, dict):
        return path
    for key in COMMAND_KEYS:
        value = arguments.get(key)
        if isinstance(value, list):
            value = " ".join(part for part in value if isinstance(part, str))
        if isinstance(value, str) and value.strip():
            return " ".join(value.split())[:80]
    return None


def file_accesses(
    call: ToolCall, root: str, *, shell_moved: bool = False
) -> tuple[FileAccess, ...]:
    """Return the files that a call accesses; none for unknown tools and malformed arguments
    (REQ-HD-013.5). ``shell_moved``: the agent's shell may have left the workspace, so that relative
    paths are unknown."""
    if call.name in PATCH_TOOLS:
        return _patch_accesses(call.arguments, root)
    if call.name in SHELL_TOOLS or call.name in FRESH_SHELL_TOOLS:
        return tuple(_shell_accesses(call, root, shell_moved and call.name in SHELL_TOOLS))
    syntax = TOOL_KINDS.get(call.name)
    if syntax is None or not isinstance(call.arguments, dict):
        return ()
    operation: FileOperation | None = syntax.operation
    if syntax.commands is not None:
        operation = syntax.commands.get(str(call.arguments.get("command")))
    if operation is None:
        return ()
    replaced = _first(call.arguments, syntax.replaced) if operation is FileOperation.EDIT else ""
    text = replaced if isinstance(replaced, str) else ""
    return tuple(
        FileAccess(resolve_path(path, root), operation, lines, text)
        for path, lines in _named_files(syntax, call.arguments)
        if path.startswith("/") or not (shell_moved and syntax.in_shell)
    )


def may_change_shell_folder(call: ToolCall) -> bool:
    if call.name not in SHELL_TOOLS or not isinstance(call.arguments, dict):
        return False
    return any(
        isinstance(command, str) and changes_folder(command)
        for command in _commands(call.arguments)
    )


def _named_files(
    syntax: FileToolSyntax, arguments: Mapping[str, Json]
) -> Iterator[tuple[str, tuple[int, int] | None]]:
    path = path_argument(arguments, syntax.paths)
    if path is not None:
        yield path, _lines(syntax, arguments)
        return
    value = _first(arguments, syntax.path_lists)
    if isinstance(value, str):
        for part in _TAGGED.findall(value):
            yield from ((found[1], None) for found in [_TAG.search(part)] if found and found[1])
        return
    if isinstance(value, dict):
        value = value.get("file")
    for entry in value if isinstance(value, list) else [value]:
        file_entry = entry if isinstance(entry, dict) else {"path": entry}
        path = path_argument(file_entry, ("path", "filePath"))
        if path is not None:
            yield path, _lines(syntax, file_entry)


def _first(arguments: Mapping[str, Json], names: Sequence[str]) -> Json:
    return next((arguments[name] for name in names if arguments.get(name) is not None), None)


def _lines(syntax: FileToolSyntax, arguments: Mapping[str, Json]) -> tuple[int, int] | None:
    first, last = _first(arguments, syntax.first), _first(arguments, syntax.last)
    if (
        syntax.lines
        and isinstance(arguments.get(syntax.lines), list)
        and len(arguments[syntax.lines]) == 2
    ):
        first, last = arguments[syntax.lines]
    if isinstance(first, int) or isinstance(last, int):
        low = first if isinstance(first, int) else 1
        return low, last if isinstance(last, int) and last >= low else END_OF_FILE
    offset, limit = arguments.get(syntax.offset), arguments.get(syntax.limit)
    if isinstance(offset, int) or isinstance(limit, int):
        # Some agents count the offset from 0, some from 1: both are covered.
        low = max(offset, 1) if isinstance(offset, int) else 1
        extra_line = 1 if isinstance(offset, int) and offset > 0 else 0
        return low, low + limit - 1 + extra_line if isinstance(limit, int) else END_OF_FILE
    return None


def _shell_accesses(call: ToolCall, root: str, shell_moved: bool) -> Iterator[FileAccess]:
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    folder = path_argument(arguments, FOLDER_KEYS)
    is_folder_known = not shell_moved or (folder is not None and folder.startswith("/"))
    base = resolve_path(folder, root) if folder else root
    commands = [shell_file_uses(command) for command in _commands(arguments)]
    for use in commands[0] if len(commands) == 1 else _combined_uses(commands):
        if is_folder_known or use.path.startswith("/"):
            yield FileAccess(resolve_path(use.path, base), use.operation, use.lines)


def _combined_uses(commands: Sequence[Sequence[ShellFileUse]]) -> list[ShellFileUse]:
    """Return the file uses of several commands with one result; reads count only if nothing else
    ran. It is unknown whether each command succeeded, so none counts as a write of the whole
    file."""
    uses = [use for command_uses in commands for use in command_uses]
    if all(commands) and all(use.operation is FileOperation.READ for use in uses):
        return uses
    return [
        replace(use, operation=FileOperation.EDIT)
        for use in uses
        if use.operation is not FileOperation.READ
    ]


def _commands(arguments: Mapping[str, Json]) -> list[str | list[str]]:
    """Return the commands of a call: a text, a list of words, or several texts."""
    command_list = arguments.get(_COMMANDS)
    if isinstance(command_list, list):
        return [command for command in command_list if isinstance(command, str)]
    value = _first(arguments, COMMAND_KEYS)
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return [value]
    return [value] if isinstance(value, str) else []


def _patch_accesses(arguments: Json, root: str) -> tuple[FileAccess, ...]:
    """Return the files of a patch, which may be the argument itself or inside it."""
    texts = arguments.values() if isinstance(arguments, dict) else (arguments,)
    patched = next(
        (files for text in texts if isinstance(text, str) and (files := patched_files(text))), ()
    )
    return tuple(FileAccess(resolve_path(path, root), operation) for path, operation in patched)
