"""Finds which files a tool call or a shell command reads, writes, edits or deletes, by the table of
tools."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from core.common.json_value import Json
from core.facts.shell_actions import (
    SED_IN_PLACE,
    ShellPipeline,
    SimpleCommand,
    UnclearCommandError,
    parse_shell,
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

END_OF_FILE = 1 << 60
_MAX_CACHED = 2000  # most characters of a cached command; longer ones contain texts
_SHELLS = frozenset({"bash", "sh", "zsh", "dash"})
_SCRIPT = re.compile(r"-[a-z]*c")
_KEYWORD_LIST = """
. ! [[ alias bg builtin case command coproc declare do done elif else esac eval exec exit export fg fi for
function if in popd pushd return select shift source then time trap unset until wait while
"""
_SHELL_KEYWORDS = frozenset(_KEYWORD_LIST.split())
_FOLDER_CHANGE = re.compile(r"(?:^|[\s;&|({])(?:cd|pushd|popd)(?=$|[\s;&|)}])")
_RANGE = re.compile(r"(\d+)(?:,(\d+|\$))?p")
_COUNT = re.compile(r"-n?(\d+)|--lines=(\d+)")
_FROM = re.compile(r"\+(\d+)")


@dataclass(frozen=True, slots=True)
class ShellFileUse:
    """A use of one file by a command. ``path`` may be relative. ``lines`` are inclusive, from 1;
    None: the whole file, or unknown."""

    path: str
    operation: FileOperation
    lines: tuple[int, int] | None = None


def shell_file_uses(command: str | Sequence[str]) -> tuple[ShellFileUse, ...]:
    """Return the reads of a command or list of arguments if it only reads, else its writes and
    edits."""
    if isinstance(command, str) and len(command) <= _MAX_CACHED:
        return _cached(command)
    return _uncached(command)


def _uncached(command: str | Sequence[str]) -> tuple[ShellFileUse, ...]:
    try:
        return _uses(_pipelines(command))
    except UnclearCommandError:
        return ()


_cached = lru_cache(maxsize=4096)(_uncached)


def changes_folder(command: str) -> bool:
    return bool(_FOLDER_CHANGE.search(command))


def _pipelines(command: str | Sequence[str]) -> tuple[ShellPipeline, ...]:
    """Return the pipelines of a command; for a shell with a script, those of the script."""
    if isinstance(command, str):
        pipelines = parse_shell(command)
    else:
        if command:
            pipelines = (ShellPipeline([SimpleCommand(list(command))]),)
        else:
            pipelines = ()
    if len(pipelines) == 1 and len(pipelines[0].programs) == 1:
        # Codex calls a shell with the whole script as one argument.
        words, program = pipelines[0].programs[0].words, pipelines[0].programs[0]
        is_shell = bool(words) and words[0].rsplit("/", 1)[-1] in _SHELLS
        is_script = (
            is_shell and len(words) == 3 and _SCRIPT.fullmatch(words[1]) is not None
        )
        if is_script and not program.redirections and program.document is None:
            return parse_shell(words[2])
    return pipelines


def _uses(lines: Sequence[ShellPipeline]) -> tuple[ShellFileUse, ...]:
    reads: list[ShellFileUse] = []
    changes: list[ShellFileUse] = []
    # Only then does the exit code of the call cover every step.
    strict = bool(lines) and _stops_at_errors(lines[0])
    folder, is_known = "", True
    for index, line in enumerate(lines):
        words = line.programs[0].words
        # What runs in a loop or behind a condition is not known.
        if words and words[0] in _SHELL_KEYWORDS:
            raise UnclearCommandError
        if words[:1] == ["cd"]:
            folder = _folder_after(folder, line, strict=strict)
            continue
        uses = _pipeline_uses(line)
        if uses is None:
            is_known = False
            # A program that is not known may do anything, but its redirection still writes.
            uses = _redirection_targets(line)
        is_certain = strict or _stops_where_one_fails(lines[index:])
        for use in uses:
            resolved = replace(use, path=_join(folder, use.path))
            # A read of a command that failed shows nothing, so it claims nothing.
            if use.operation is FileOperation.READ:
                reads.append(resolved)
            elif is_certain:
                changes.append(resolved)
            else:
                # The whole content is known only of a write that surely happened.
                changes.append(replace(resolved, operation=FileOperation.EDIT))
    if changes:
        return tuple(changes)
    if is_known:
        return tuple(reads)
    return ()


def _stops_at_errors(line: ShellPipeline) -> bool:
    """Return True for ``set -e`` and the like: the exit code then covers every step."""
    words = line.programs[0].words
    return (
        len(line.programs) == 1
        and words[:1] == ["set"]
        and any(word.startswith("-") and "e" in word for word in words[1:])
    )


def _folder_after(folder: str, line: ShellPipeline, *, strict: bool) -> str:
    """Return the folder after ``cd``; raise UnclearCommandError if its failure would not stop the
    command."""
    words = line.programs[0].words
    # Behind another operator the rest runs in the old folder where cd fails.
    certain = len(line.programs) == 1 and (line.operator in ("&&", "") or strict)
    if len(words) != 2 or words[1].startswith("-") or not certain:
        raise UnclearCommandError
    return _join(folder, words[1])


def _join(folder: str, path: str) -> str:
    if path.startswith("/") or not folder:
        return path
    return f"{folder}/{path}"


def _is_file(path: str) -> bool:
    return bool(path) and not path.startswith(("/dev/", "/proc/", "-", "&"))


def _redirection_targets(line: ShellPipeline) -> list[ShellFileUse]:
    """Return the files that a line writes, whatever its programs do."""
    paths = [path for program in line.programs for _, path in program.redirections]
    return [ShellFileUse(path, FileOperation.EDIT) for path in paths if _is_file(path)]


def _stops_where_one_fails(lines: Sequence[ShellPipeline]) -> bool:
    """Return whether the success of the last line says that all ran."""
    return all(line.operator in ("&&", "") for line in lines[:-1])


def _pipeline_uses(line: ShellPipeline) -> list[ShellFileUse] | None:
    # Longer pipes change the text in ways that are not followed.
    if len(line.programs) > 2 or any(
        not program.words for program in line.programs[1:]
    ):
        return None
    first = line.programs[0]
    if len(line.programs) == 2:
        return _piped(first, line.programs[1])
    if first.words[:1] == ["tee"] and all(
        path == "/dev/null" for _, path in first.redirections
    ):
        if first.document is not None:
            return _tee(first)
        return None
    if first.redirections:
        return _redirected(first)
    if first.words[:1] == ["apply_patch"]:
        return _patch(first)
    if first.words:
        reader = _PROGRAMS.get(first.words[0])
    else:
        reader = None
    if reader is not None:
        return reader(first)
    return None


def _piped(first: SimpleCommand, second: SimpleCommand) -> list[ShellFileUse] | None:
    """Return the file whose lines the second program shows, or the files that ``tee`` writes."""
    if first.redirections or second.redirections or second.document is not None:
        return None
    if second.words[0] == "tee":
        # Only what is written out as text is known; the output of a program is not.
        return _tee(second) if _is_literal(first) else None
    # Only these show lines of the file as they are.
    if second.words[0] not in ("head", "tail", "sed"):
        return None
    reader = {"cat": _cat, "nl": _nl}.get(first.words[0] if first.words else "")
    whole_file_reads = reader(first) if reader is not None else None
    # Of several files in a row it is not known whose lines are shown.
    if whole_file_reads is None or len(whole_file_reads) != 1:
        return None
    path = whole_file_reads[0].path
    lines = _PROGRAMS[second.words[0]](SimpleCommand([*second.words, path]))
    if lines is None or len(lines) != 1:
        return None
    return lines if lines[0].operation is FileOperation.READ else None


def _redirected(program: SimpleCommand) -> list[ShellFileUse] | None:
    """Return the file to which a redirection writes: a whole write with ``>``, an edit with
    ``>>``."""
    operator, path = program.redirections[0]
    if len(program.redirections) != 1 or not _is_file(path):
        return None
    # Only a text of the command itself is known to be the whole file.
    is_whole_write = operator == ">" and _is_literal(program)
    return [
        ShellFileUse(
            path, FileOperation.WRITE if is_whole_write else FileOperation.EDIT
        )
    ]


def _is_literal(program: SimpleCommand) -> bool:
    """Return True if the output of a program is a text in the command itself."""
    if program.words:
        name = program.words[0]
    else:
        name = ""
    if program.document is not None:
        return program.words == ["cat"]
    return name in ("echo", "printf", ":", "true", "")


def _patch(program: SimpleCommand) -> list[ShellFileUse] | None:
    if program.document is not None:
        text = program.document
    else:
        text = "\n".join(program.words[1:2])
    return [
        ShellFileUse(path, operation) for path, operation in patched_files(text)
    ] or None


def _files(
    words: Sequence[str], operation: FileOperation, lines: tuple[int, int] | None = None
) -> list[ShellFileUse] | None:
    if not words or not all(map(_is_file, words)):
        return None
    return [ShellFileUse(word, operation, lines) for word in words]


def _cat(program: SimpleCommand) -> list[ShellFileUse] | None:
    if program.document is not None:
        return None
    flags = [word for word in program.words[1:] if word.startswith("-")]
    if any(not re.fullmatch(r"-[AbeEntTuv]+", flag) for flag in flags):
        return None
    return _files(
        [word for word in program.words[1:] if word not in flags], FileOperation.READ
    )


def _nl(program: SimpleCommand) -> list[ShellFileUse] | None:
    words = [
        word
        for word in program.words[1:]
        if not re.fullmatch(r"-b ?[at]|-w ?\d+|-s.", word)
    ]
    return _files(words, FileOperation.READ)


def _head(program: SimpleCommand) -> list[ShellFileUse] | None:
    count, words = _counted(program.words[1:])
    if count is None:
        return None
    return _files(words, FileOperation.READ, (1, int(count or 10)))


def _tail(program: SimpleCommand) -> list[ShellFileUse] | None:
    """Return the files of ``tail``; line numbers are known only for ``-n +N``."""
    words = program.words[1:]
    # Lines from the end have no number as long as the length of the file is not known.
    if words[:1] == ["-n"] and len(words) > 1:
        begins = _FROM.fullmatch(words[1])
    else:
        begins = None
    if begins:
        return _files(
            words[2:], FileOperation.READ, (max(1, int(begins[1])), END_OF_FILE)
        )
    count, words = _counted(words)
    if count is None:
        return None
    return _files(words, FileOperation.READ)


def _counted(words: Sequence[str]) -> tuple[str | None, list[str]]:
    """Return the line count of the options ("" for none, None if unclear), and the files."""
    rest = list(words)
    if not rest or not rest[0].startswith("-"):
        return "", rest
    if rest[0] == "-n" and len(rest) > 1 and rest[1].isdecimal():
        return rest[1], rest[2:]
    match = _COUNT.fullmatch(rest[0])
    if match:
        return (match[1] or match[2], rest[1:])
    return (None, [])


def _sed(program: SimpleCommand) -> list[ShellFileUse] | None:
    """Return files shown by ``sed -n 'A,Bp'`` or edited by ``sed -i``."""
    words = program.words[1:]
    if any(map(SED_IN_PLACE.fullmatch, words)):
        return _edited(words)
    # Without -n sed prints every line, whatever its script is.
    if len(words) < 3 or words[0] != "-n":
        return None
    ranges: list[tuple[int, int]] = []
    for part in words[1].split(";"):
        found = _RANGE.fullmatch(part.strip())
        if found is None:
            return None
        first, last = found[1], found[2]
        end = END_OF_FILE if last == "$" else int(last or first)
        ranges.append((int(first), end))
    span = (min(low for low, _ in ranges), max(max(pair) for pair in ranges))
    return _files(words[2:], FileOperation.READ, span)


def _edited(words: Sequence[str]) -> list[ShellFileUse] | None:
    """Return the files of an edit in place: the words that are neither options nor the script."""
    # Without the option -e the first word is the script.
    arguments = [word for word in words if word and not word.startswith("-")]
    return _files(arguments[1:], FileOperation.EDIT)


def _perl(program: SimpleCommand) -> list[ShellFileUse] | None:
    words = program.words[1:]
    if any(re.fullmatch(r"-\w*i\S*", word) for word in words):
        return _edited(words)
    return None


def _tee(program: SimpleCommand) -> list[ShellFileUse] | None:
    words = program.words[1:]
    if words[:1] in (["-a"], ["--append"]):
        return _files(words[1:], FileOperation.EDIT)
    return _files(words, FileOperation.WRITE)


def _nothing(program: SimpleCommand) -> list[ShellFileUse]:
    """Return no uses, for programs that print only what the command says."""
    return []


_PROGRAMS: Mapping[str, Callable[[SimpleCommand], list[ShellFileUse] | None]] = {
    "cat": _cat,
    "nl": _nl,
    "head": _head,
    "tail": _tail,
    "sed": _sed,
    "perl": _perl,
    **dict.fromkeys(("echo", "printf", "true", ":", "set"), _nothing),
}


_BEGIN = "*** Begin Patch"
_HEADS: Mapping[str, FileOperation] = {
    # A new file replaces whatever was there.
    "*** Add File: ": FileOperation.WRITE,
    "*** Update File: ": FileOperation.EDIT,
    "*** Delete File: ": FileOperation.WRITE,
    "*** Move to: ": FileOperation.EDIT,
}
"""Prefixes of a patch's sections. A deleted file's content is as stale as a rewritten one's."""


def patched_files(text: str) -> tuple[tuple[str, FileOperation], ...]:
    """Return paths as written in the patch, and the operation on each; empty if the text is not a
    patch."""
    if _BEGIN not in text:
        return ()
    return tuple(
        (line[len(prefix) :].strip(), operation)
        for line in text.splitlines()
        for prefix, operation in _HEADS.items()
        if line.startswith(prefix)
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
    if path.startswith("/") or not root:
        joined = path
    else:
        joined = f"{root}/{path}"
    # No links are followed: the files of the session may not be on this machine.
    normal = posixpath.normpath(joined)
    # POSIX keeps two slashes in front, though no agent means them.
    if normal.startswith("//"):
        return normal[1:]
    return normal


def key_argument(arguments: Json) -> str | None:
    """Return the argument that identifies a call: a path, else a command (REQ-HD-008.3)."""
    path = path_argument(arguments) or path_argument(arguments, ("notebook_path",))
    if path or not isinstance(arguments, dict):
        return path
    for key in COMMAND_KEYS:
        value = arguments.get(key)
        # Codex gives a command as the list of its words.
        if isinstance(value, list):
            value = " ".join(part for part in value if isinstance(part, str))
        words = value.split() if isinstance(value, str) else []
        if words:
            # A long command is told apart by its beginning.
            return " ".join(words)[:80]
    return None


def file_accesses(
    call: ToolCall, root: str, *, shell_moved: bool = False
) -> tuple[FileAccess, ...]:
    """Return the files that a call accesses; none for unknown tools and malformed arguments
    (REQ-HD-013.5). ``shell_moved``: the agent's shell may have left the workspace, so that relative
    paths are unknown."""
    if call.name in PATCH_TOOLS:
        return _patch_accesses(call.arguments, root)
    if call.name in SHELL_TOOLS:
        return tuple(_shell_accesses(call, root, shell_moved))
    # These begin each command in a new shell, which is in the workspace.
    if call.name in FRESH_SHELL_TOOLS:
        return tuple(_shell_accesses(call, root, False))
    syntax = TOOL_KINDS.get(call.name)
    if syntax is None or not isinstance(call.arguments, dict):
        return ()
    operation: FileOperation | None = syntax.operation
    if syntax.commands is not None:
        operation = syntax.commands.get(str(call.arguments.get("command")))
    if operation is None:
        return ()
    replaced: Json = ""
    if operation is FileOperation.EDIT:
        replaced = _first(call.arguments, syntax.replaced)
    text = replaced if isinstance(replaced, str) else ""
    # In a shell that has moved, a relative path may be another file.
    needs_whole_path = shell_moved and syntax.in_shell
    return tuple(
        FileAccess(resolve_path(path, root), operation, lines, text)
        for path, lines in _named_files(syntax, call.arguments)
        if path.startswith("/") or not needs_whole_path
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
    # Roo writes its arguments as XML inside of a text.
    if isinstance(value, str):
        for part in _TAGGED.findall(value):
            found = _TAG.search(part)
            if found and found[1]:
                yield found[1], None
        return
    # Probably older versions of a tool wrap the list once more.
    if isinstance(value, dict):
        value = value.get("file")
    for entry in value if isinstance(value, list) else [value]:
        if isinstance(entry, dict):
            file_entry = entry
        else:
            file_entry = {"path": entry}
        path = path_argument(file_entry, ("path", "filePath"))
        if path is not None:
            yield path, _lines(syntax, file_entry)


def _first(arguments: Mapping[str, Json], names: Sequence[str]) -> Json:
    return next(
        (arguments[name] for name in names if arguments.get(name) is not None), None
    )


def _lines(
    syntax: FileToolSyntax, arguments: Mapping[str, Json]
) -> tuple[int, int] | None:
    first = _first(arguments, syntax.first)
    last = _first(arguments, syntax.last)
    if syntax.lines:
        pair = arguments.get(syntax.lines)
    else:
        pair = None
    if isinstance(pair, list) and len(pair) == 2:
        first, last = pair
    if isinstance(first, int) or isinstance(last, int):
        return _lines_between(first, last)
    offset = arguments.get(syntax.offset)
    limit = arguments.get(syntax.limit)
    if isinstance(offset, int) or isinstance(limit, int):
        return _lines_from(offset, limit)
    return None


def _lines_between(first: Json, last: Json) -> tuple[int, int]:
    low = first if isinstance(first, int) else 1
    if isinstance(last, int) and last >= low:
        return low, last
    return low, END_OF_FILE


def _lines_from(offset: Json, limit: Json) -> tuple[int, int]:
    low, extra_line = 1, 0
    if isinstance(offset, int):
        low = max(offset, 1)
        # Some agents count the offset from 0, some from 1: both are covered.
        extra_line = 1 if offset > 0 else 0
    if not isinstance(limit, int):
        return low, END_OF_FILE
    return low, low + limit - 1 + extra_line


def _shell_accesses(
    call: ToolCall, root: str, shell_moved: bool
) -> Iterator[FileAccess]:
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    folder = path_argument(arguments, FOLDER_KEYS)
    # A folder in the arguments puts the shell where it says.
    is_folder_known = not shell_moved or (folder is not None and folder.startswith("/"))
    if folder:
        base = resolve_path(folder, root)
    else:
        base = root
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
    # A list of texts is one command of words, not several commands.
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return [value]
    if isinstance(value, str):
        return [value]
    return []


def _patch_accesses(arguments: Json, root: str) -> tuple[FileAccess, ...]:
    """Return the files of a patch, which may be the argument itself or inside it."""
    texts = arguments.values() if isinstance(arguments, dict) else (arguments,)
    patched = next(
        (
            files
            for text in texts
            if isinstance(text, str) and (files := patched_files(text))
        ),
        (),
    )
    return tuple(
        FileAccess(resolve_path(path, root), operation) for path, operation in patched
    )
