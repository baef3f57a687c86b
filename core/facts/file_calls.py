"""Names and operations of file tools and shell tools, by the name of the tool and its arguments."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import lru_cache

from core.common.json_value import Json
from core.transcript.model import ToolCall
from core.transcript.tool_kinds import TOOL_KINDS, FileOperation


class FileVerb(StrEnum):
    READ = "read"
    WRITTEN = "written"
    EDITED = "edited"
    DELETED = "deleted"
    ASKED = "change asked for"  # nothing in the result says that it was made


_OTHERS = {  # known by name only
    **dict.fromkeys(("readmanyfiles", "fileread"), FileVerb.READ),
    **dict.fromkeys(("fileedit", "editnotebook", "batchdesign"), FileVerb.EDITED),
    **dict.fromkeys(("filewrite", "savefile"), FileVerb.WRITTEN),
    **dict.fromkeys(("deletefile", "removefile"), FileVerb.DELETED),
}
_VERBS = {
    FileOperation.READ: FileVerb.READ,
    FileOperation.WRITE: FileVerb.WRITTEN,
    FileOperation.EDIT: FileVerb.EDITED,
}
_EDITOR_COMMANDS = {
    "view": FileVerb.READ,
    "create": FileVerb.WRITTEN,
    "str_replace": FileVerb.EDITED,
    "insert": FileVerb.EDITED,
    "undo_edit": FileVerb.EDITED,
}
_SHELL_NAMES = """
bash shell runshellcommand executecommand execcommand terminal localshell runterminalcmd zsh powershell
runterminalcommand executebash runcommand shellcommand containerexec runinterminal
"""
_SHELL = frozenset(_SHELL_NAMES.split())
_PATH_KEYS = (
    "file_path",
    "absolute_path",
    "path",
    "notebook_path",
    "filePath",
    "filename",
    "target_file",
)
_LIST_KEYS = ("paths", "files", "replacements")
_PATCH_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+?)\s*$", re.MULTILINE)
_PATCH_MOVE = re.compile(r"^\*\*\* Move to: (.+?)\s*$", re.MULTILINE)
_OPEN_FILE = re.compile(
    (
        r"(?:Text replaced|File updated)\. Please review the changes.*?\[File: ([^\n]+?) \(\d+ "
        r"lines total\)\]"
    ),
    re.DOTALL,
)
"""What SWE-agent answers to an edit of the file that is open, which the call does not name."""
_PATCH_VERBS = {
    "Add": FileVerb.WRITTEN,
    "Update": FileVerb.EDITED,
    "Delete": FileVerb.DELETED,
}


@lru_cache(maxsize=1024)
def normalised_tool_name(name: str) -> str:
    """Return a tool's name without server prefix, separators and capitals."""
    return re.sub(r"[^a-z0-9]", "", name.rsplit("__", 1)[-1].lower())


_KINDS: Mapping[str, FileVerb] = _OTHERS | {
    normalised_tool_name(name): _VERBS[syntax.operation]
    for name, syntax in TOOL_KINDS.items()
    if not syntax.commands
}


def shell_command(call: ToolCall) -> str:
    """Return the command line of a shell call; "" for other tools and for patches sent through the
    shell."""
    if normalised_tool_name(call.name) not in _SHELL or _patch_text(call):
        return ""
    arguments = call.arguments
    if isinstance(arguments, str):
        return arguments
    if not isinstance(arguments, Mapping):
        return ""
    for key in ("command", "cmd", "script", "input", "code"):
        value = arguments.get(key)
        if isinstance(value, list) and value:
            if value[:1] and "c" in str(value[1:2]):
                return str(value[-1])
            return " ".join(map(str, value))
        if isinstance(value, str):
            return value
    return ""


def tool_verb(tool: str) -> FileVerb | None:
    """Return the operation of a tool on the file it is given, by its name alone; None for
    others."""
    return _KINDS.get(normalised_tool_name(tool))


def file_operations(call: ToolCall) -> Iterator[tuple[FileVerb, str]]:
    """Yield operation and path of each file that a call changes or reads; shell commands give
    none."""
    patch = _patch_text(call)
    if patch:
        for match in _PATCH_FILE.finditer(patch):
            yield _PATCH_VERBS[match[1]], match[2]
        for match in _PATCH_MOVE.finditer(patch):
            yield FileVerb.WRITTEN, match[1]
        return
    arguments = call.arguments
    if not isinstance(arguments, Mapping):
        return
    verb = _verb(call, arguments)
    if verb is None:
        return
    if path := _path(arguments):
        yield verb, path
    for key in _LIST_KEYS:
        listed = arguments.get(key)
        for item in listed if isinstance(listed, list) else ():
            name = _path(item) if isinstance(item, Mapping) else item
            if isinstance(name, str) and name and "*" not in name:
                yield verb, name


def _path(arguments: Mapping[str, Json]) -> str:
    return next(
        (value for key in _PATH_KEYS if isinstance(value := arguments.get(key), str)),
        "",
    )


def edited_open_file(call: ToolCall, answer: str) -> str:
    """Return the file that an edit without a path changed, as its answer says; "" if it says
    none."""
    if tool_verb(call.name) is FileVerb.EDITED:
        match = _OPEN_FILE.match(answer.lstrip())
    else:
        match = None
    if match:
        return match[1]
    return ""


def _verb(call: ToolCall, arguments: Mapping[str, Json]) -> FileVerb | None:
    name = normalised_tool_name(call.name)
    if "editor" in name or "editbasedtool" in name or name == "strreplacebasededittool":
        if "command" not in arguments and "new_text" in arguments:
            return FileVerb.EDITED
        return _EDITOR_COMMANDS.get(str(arguments.get("command", "")))
    return _KINDS.get(name)


def _patch_text(call: ToolCall) -> str:
    """Return the text of an apply_patch call in any argument; "" if there is none."""
    arguments = call.arguments
    values = arguments.values() if isinstance(arguments, Mapping) else (arguments,)
    for value in values:
        if isinstance(value, list):
            text = "\n".join(map(str, value))
        else:
            text = value
        if isinstance(text, str) and "*** Begin Patch" in text:
            return text
    return ""


def argument_texts(value: Json) -> Iterator[str]:
    """Yield the texts in the arguments of a call."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping | list):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from argument_texts(item)
