"""Tables of the tools of the reference and of popular agents: which read and write files, and
how."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

REFERENCE_READS = frozenset(
    {"read_file", "read_line_range", "read_many_files", "ast_read_file"}
)
"""REQ-HD-005.2."""

REFERENCE_WRITES = frozenset(
    {"write_file", "ast_edit", "replace", "insert_at_line", "delete_line_range"}
)
"""REQ-HD-005.3."""

READ_MANY_FILES = "read_many_files"

PATH_KEYS = ("file_path", "absolute_path", "path")
"""Arguments that name a file, highest precedence first (REQ-HD-005.4)."""


class FileOperation(StrEnum):
    READ = "read"
    WRITE = "write"  # the whole file
    EDIT = "edit"  # a part of it


@dataclass(frozen=True, slots=True, kw_only=True)
class FileToolSyntax:
    """The arguments of one tool; of several names of an argument the first one given counts.
    ``paths`` name the file, ``path_lists`` a list of files, each a path or an object with one.
    ``first`` and ``last`` name the lines, counted from 1 and inclusive, ``lines`` both as a list;
    ``offset`` and ``limit`` a start and a count. ``replaced`` names the text that an edit removes.
    ``commands`` maps values of the argument ``command`` to an operation, for tools with several.
    ``in_shell``: relative paths start at the working folder of the agent's shell."""

    operation: FileOperation
    paths: tuple[str, ...] = PATH_KEYS
    first: tuple[str, ...] = ()
    last: tuple[str, ...] = ()
    lines: str = ""
    offset: str = ""
    limit: str = ""
    replaced: tuple[str, ...] = ()
    path_lists: tuple[str, ...] = ()
    commands: Mapping[str, FileOperation] | None = None
    in_shell: bool = False


_ANY_PATH = (*PATH_KEYS, "filePath")
_OLD_TEXT = ("old_string", "oldString", "old_str", "oldText", "old_text")
_EDITOR = FileToolSyntax(
    operation=FileOperation.READ,
    paths=("path",),
    lines="view_range",
    replaced=("old_str",),
    commands={
        "view": FileOperation.READ,
        "create": FileOperation.WRITE,
        "write": FileOperation.WRITE,
        "str_replace": FileOperation.EDIT,
        "insert": FileOperation.EDIT,
        "undo_edit": FileOperation.EDIT,
    },
)
_PART = FileToolSyntax(
    operation=FileOperation.READ,
    paths=_ANY_PATH,
    first=("start_line", "startLine"),
    last=("end_line", "endLine"),
    offset="offset",
    limit="limit",
    path_lists=("files", "args"),
)
_READ = FileToolSyntax(
    operation=FileOperation.READ, paths=_ANY_PATH, offset="offset", limit="limit"
)
_READ_LINES = FileToolSyntax(
    operation=FileOperation.READ, first=("start_line",), last=("end_line",)
)
_WRITE = FileToolSyntax(operation=FileOperation.WRITE, paths=_ANY_PATH)
_EDIT = FileToolSyntax(
    operation=FileOperation.EDIT, paths=_ANY_PATH, replaced=_OLD_TEXT
)
_EDITS = FileToolSyntax(
    operation=FileOperation.EDIT, paths=_ANY_PATH, path_lists=("args",)
)
_NOTEBOOK = ("notebook_path",)

_SOME_EDIT = FileToolSyntax(operation=FileOperation.EDIT)


def _named(names: str, syntax: FileToolSyntax) -> Mapping[str, FileToolSyntax]:
    return dict.fromkeys(names.split(), syntax)


TOOL_KINDS: Mapping[str, FileToolSyntax] = {
    # llxprt and Gemini; Cline, Roo, LangChain's agents and VS Code read with the first name too;
    # then Roo
    **_named("read_file read_files", _PART),
    # llxprt; then VS Code
    **_named("read_line_range view_file open_file", _READ_LINES),
    # llxprt, Claude Code, Pi and opencode, Cline and Roo, servers of files over MCP
    **_named("ast_read_file Read read readFile read_text_file", _READ),
    # llxprt, Claude Code, Pi and opencode, Cline and Roo, VS Code
    **_named("write_file Write write write_to_file newFileCreated create_file", _WRITE),
    # llxprt, Claude Code, Pi and opencode, Cline and Roo, VS Code and other names in use
    **_named("replace ast_edit Edit edit replace_in_file search_replace editor", _EDIT),
    **_named("edit_file replace_string_in_file str_replace", _EDIT),
    # edits of llxprt, Claude Code, Cline and Roo whose arguments tell neither lines nor text
    **_named(
        "insert_at_line MultiEdit insert_content editedExistingFile appliedDiff",
        _SOME_EDIT,
    ),
    # the same of opencode, LocalHarness and VS Code
    **_named(
        "multiedit insert_lines insert_edit_into_file",
        FileToolSyntax(operation=FileOperation.EDIT, paths=_ANY_PATH),
    ),
    "delete_line_range": FileToolSyntax(
        operation=FileOperation.EDIT, first=("start_line",), last=("end_line",)
    ),
    "NotebookRead": FileToolSyntax(operation=FileOperation.READ, paths=_NOTEBOOK),
    "NotebookEdit": FileToolSyntax(operation=FileOperation.EDIT, paths=_NOTEBOOK),
    # Anthropic's text editor tools, and those of OpenHands, SWE-agent, Copilot and goose of the
    # same shape
    **_named(
        "str_replace_editor str_replace_based_edit_tool file_editor text_editor",
        _EDITOR,
    ),
    "developer__text_editor": _EDITOR,
    "view": FileToolSyntax(
        operation=FileOperation.READ, paths=("path",), lines="view_range"
    ),  # Copilot CLI
    # SWE-agent; its other edits concern the file that is open, whose name they do not give
    "open": FileToolSyntax(
        operation=FileOperation.READ, paths=("path",), in_shell=True
    ),
    "create": FileToolSyntax(
        operation=FileOperation.WRITE, paths=("path", "filename"), in_shell=True
    ),
    **_named("apply_diff search_and_replace", _EDITS),  # Cline and Roo
    "view_image": FileToolSyntax(operation=FileOperation.READ),  # Codex
    "replace_lines": FileToolSyntax(  # LocalHarness
        operation=FileOperation.EDIT,
        paths=_ANY_PATH,
        first=("start_line", "line_start"),
        last=("end_line", "line_end"),
    ),
    "read_multiple_files": FileToolSyntax(
        operation=FileOperation.READ, paths=(), path_lists=("paths",)
    ),
    "multi_replace_string_in_file": FileToolSyntax(
        operation=FileOperation.EDIT, path_lists=("replacements",)
    ),
}
"""Tools whose arguments name files and lines; ``file_accesses`` parses patches and shell
commands."""

PATCH_TOOLS = frozenset({"apply_patch", "ApplyPatch", "patch"})
"""Tools whose argument is a patch that names its files."""

_SHELL_TOOLS = "bash Bash execute_bash execute_command run_command run_commands run_in_terminal terminal"
SHELL_TOOLS = frozenset(_SHELL_TOOLS.split())
"""Tools that run a shell command, some in a shell that stays open between calls."""

FRESH_SHELL_TOOLS = frozenset(
    {
        "shell",
        "shell_command",
        "exec_command",
        "local_shell",
        "container.exec",
        "run_shell_command",
        "developer__shell",
    }
)
"""Tools that run every command in the folder that the call names, else in the workspace."""

FOLDER_KEYS = ("workdir", "cwd", "directory", "dir_path", "working_directory")
"""Arguments with the working folder of a command."""

COMMAND_KEYS = ("command", "cmd", "script")
"""Arguments with a shell command, for one-line results (REQ-HD-008.3)."""


@dataclass(frozen=True, slots=True)
class InclusionSyntax:
    """A syntax by which agents include a file in a human message. ``opener`` and ``closer`` are
    regular expressions; the opener's group ``path`` names the file, its optional group ``lines``
    the part of the file. Different parts are different inclusions."""

    opener: str
    closer: str


INCLUSIONS: tuple[InclusionSyntax, ...] = (
    InclusionSyntax(
        r"^--- (?P<path>[^\r\n]+) ---\r?$", r"--- End of content ---"
    ),  # llxprt
    InclusionSyntax(
        r"^Content from @(?P<path>[^\r\n]+):\r?$", r"^--- End of content ---\r?$"
    ),  # Gemini
    InclusionSyntax(
        r'<file_content path="(?P<path>[^"\n]+)">', r"</file_content>"
    ),  # Cline, Roo
    InclusionSyntax(
        r'<final_file_content path="(?P<path>[^"\n]+)">', r"</final_file_content>"
    ),  # Cline
    InclusionSyntax(
        r'<file>\s*<path>(?P<path>[^<\n]+)</path>\s*<content(?: lines="(?P<lines>[^"\n]*)")?>',
        r"</file>",
    ),  # Roo
    InclusionSyntax(r'<file path="(?P<path>[^"\n]+)">', r"</file>"),  # opencode, Cursor
    InclusionSyntax(r'<file name="(?P<path>[^"\n]+)">', r"</file>"),  # Pi
    InclusionSyntax(
        r"^# AGENTS\.md instructions for (?P<path>[^\n]+)\n+<INSTRUCTIONS>$",
        r"^</INSTRUCTIONS>$",
    ),  # Codex
)
"""The first is the reference's (REQ-HD-006.1)."""
