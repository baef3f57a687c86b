"""Analysis of a shell command: its parts, the files it writes, reads and deletes, and a short name."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import lru_cache
from itertools import pairwise

from core.common.json_value import Json
from core.transcript.model import ToolCall
from core.transcript.tool_kinds import TOOL_KINDS, FileOperation

_TOKEN = re.compile(
    r"""
    (?P<blank>(?:[ \t]|\\\n)+)
  | (?P<comment>\#[^\n]*)
  | (?P<quiet>2>&1|2>>?[ \t]*/dev/null(?![^\s;&|]))
  | (?P<joint>&&|;|\n|\|(?![|&]))
  | (?P<here><<-?)
  | (?P<into>>>?(?![&|(>]))
  | (?P<word>(?:
        '[^']*'
      | "(?:[^"\\$`]|\\.)*"
      | \\[^\n]
      | [^\s;&|<>()'"\\$`*?\[\]{}~!]
    )+)
    """,
    re.VERBOSE | re.DOTALL,
)
_PIECE = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|\\(.)|([^'"\\]+)""", re.DOTALL)
_ESCAPED = re.compile(r'\\([\\"$`\n])')
_EXPANSION = re.compile(r"[$`\\]")
_MAX_LENGTH = 200_000  # characters; longer commands are not parsed


class UnclearCommandError(Exception):
    """The meaning of the command is not certain."""


@dataclass(slots=True)
class SimpleCommand:
    words: list[str] = field(default_factory=list)
    # ">" or ">>", and the file.
    redirections: list[tuple[str, str]] = field(default_factory=list)
    document: str | None = None


@dataclass(slots=True)
class ShellPipeline:
    """Programs joined by pipes, and the operator after them: "&&", ";", a line end, or "" at the
    end."""

    programs: list[SimpleCommand]
    operator: str = ""


def parse_shell(command: str) -> tuple[ShellPipeline, ...]:
    """Parse a command into its pipelines. Raises UnclearCommandError."""
    if len(command) > _MAX_LENGTH:
        raise UnclearCommandError
    pipelines: list[ShellPipeline] = []
    line = ShellPipeline([SimpleCommand()])
    for kind, text in _tokens(command):
        program = line.programs[-1]
        if kind == "joint" and text == "|":
            line.programs.append(SimpleCommand())
        elif kind == "joint":
            line.operator = text
            _add_pipeline(line, pipelines)
            line = ShellPipeline([SimpleCommand()])
        elif kind in (">", ">>"):
            program.redirections.append((kind, text))
        elif kind == "document":
            if program.document is not None:
                # Which of two documents a program reads depends on the shell.
                raise UnclearCommandError
            program.document = text
        else:
            program.words.append(text)
    _add_pipeline(line, pipelines)
    return tuple(pipelines)


def _add_pipeline(line: ShellPipeline, pipelines: list[ShellPipeline]) -> None:
    """Add a pipeline unless its line is empty; raise if an operand of an operator is missing."""
    is_empty = [not _has_content(program) for program in line.programs]
    if not any(is_empty):
        pipelines.append(line)
        return
    # "a |" and "&& b" are no commands; an empty line behind a line is nothing.
    if len(is_empty) > 1 or line.operator not in ("\n", ""):
        raise UnclearCommandError
    is_end = not line.operator
    if is_end and pipelines and pipelines[-1].operator == "&&":
        raise UnclearCommandError


def _has_content(program: SimpleCommand) -> bool:
    if program.words or program.redirections:
        return True
    return program.document is not None


def _tokens(command: str) -> Iterator[tuple[str, str]]:
    """Yield words, operators with their word, and here-documents at the place of their operator.
    The text of a here-document begins after the line of its operator."""
    line: list[tuple[str, str]] = []
    pending_documents: list[tuple[int, str, str]] = []
    position = 0
    previous_character = "\n"
    while position < len(command):
        match = _TOKEN.match(command, position)
        if match is None or (
            # A # inside of a word is no comment.
            match.lastgroup == "comment" and previous_character not in " \t\n;"
        ):
            raise UnclearCommandError
        position = match.end()
        kind = match.lastgroup
        text = match[0]
        previous_character = text[-1]
        if kind == "word":
            line.append(("word", unquote(text)))
        elif kind in ("into", "here"):
            target, position = _target(command, position)
            if kind == "here":
                pending_documents.append((len(line), text, target))
            line.append((text, unquote(target)))
        elif kind == "joint":
            if text == "\n":
                position = _insert_documents(command, position, line, pending_documents)
                pending_documents = []
            line.append(("joint", text))
            if text == "\n":
                yield from line
                line = []
    if pending_documents:
        # A document without its end was cut off.
        raise UnclearCommandError
    yield from line


def _target(command: str, position: int) -> tuple[str, int]:
    """Return the raw word after an operator, and where it ends."""
    while (
        command[position : position + 1] in (" ", "\t")
        and command[position : position + 1]
    ):
        position += 1
    match = _TOKEN.match(command, position)
    if match is None or match.lastgroup != "word":
        raise UnclearCommandError
    return match[0], match.end()


def _insert_documents(
    command: str,
    position: int,
    line: list[tuple[str, str]],
    pending_documents: Sequence[tuple[int, str, str]],
) -> int:
    """Insert the here-documents that begin at ``position`` into ``line``; return the end of the
    last."""
    for place, operator, delimiter in pending_documents:
        end_line = unquote(delimiter)
        body: list[str] = []
        while True:
            if position >= len(command):
                raise UnclearCommandError
            line_end = command.find("\n", position)
            if line_end < 0:
                line_end = len(command)
            text = command[position:line_end]
            # A tab in front belongs to the script only with this operator.
            if operator == "<<-":
                text = text.lstrip("\t")
            position = min(line_end + 1, len(command))
            if text == end_line:
                break
            body.append(text)
        document = "\n".join(body)
        # A shell replaces variables in such a document, and their values are not known.
        if delimiter == end_line and _EXPANSION.search(document):
            raise UnclearCommandError
        line[place] = ("document", document)
    return position


def unquote(text: str) -> str:
    """Return a word as the program receives it."""
    return "".join(_piece(match) for match in _PIECE.finditer(text))


def _piece(match: re.Match[str]) -> str:
    single_quoted, double_quoted, escaped, plain = match.groups()
    if double_quoted is not None:
        return _ESCAPED.sub(
            lambda found: "" if found[1] == "\n" else found[1], double_quoted
        )
    return next(part for part in (single_quoted, escaped, plain) if part is not None)


_HEREDOC = re.compile(r"<<-?\s*(['\"]?)(\w+)\1")
# Commits carry their message in a document inside of quotes.
_COMMIT_TEXT = re.compile(
    r"""(["'])\$\(cat <<-?\s*['"]?(\w+)['"]?\n\s*(.+?)\n.*?\n\s*\2\s*\)\1""", re.DOTALL
)
_QUOTED = re.compile(
    r"(?P<comment>(?<![^\s;&|(])#[^\n]*)|\"(?:[^\"\\]|\\.)*\"|'[^']*'", re.DOTALL
)
_HIDDEN = re.compile("\x00(\\d+)\x00")  # the place of a quoted text
_SPLIT = re.compile(r"&&|\|\||;|\n|(?<!>)\|&?|(?<![>&\d])&(?![>&])")
SED_IN_PLACE = re.compile(r"-[nErsz]*i.*|--in-place.*")
"""The option by which sed edits a file; letters of other options may stand together with i."""
_IN_PLACE = {
    "sed": SED_IN_PLACE,
    "perl": re.compile(r"-[lanpw0]*i\S*"),
}
# An option of sed and perl whose value is no file.
_SCRIPT = re.compile(r"-\w*[ef]|--expression|--file")
_OUTPUT = {
    "curl": re.compile(r"-[a-zA-Z]*o|--output"),
    "wget": re.compile(r"-[a-zA-Z]*O|--output-document"),
}
"""Options that name the file to write."""
_OUTPUT_IS = re.compile(r"--output(?:-document)?=(.+)")
_PATCHED = re.compile(r"^patching file '?([^'\n]+?)'?\r?$", re.MULTILINE)
_REDIRECT = re.compile(r"(?<![<\d&=-])>>?\s*([^\s;&|<>()$`\"']+)")
_PIPE = re.compile(r"(?<![|>])\|(?!\|)")
# Redirections of errors say nothing of what a command does.
_NOISE = re.compile(r"\s*(?:\d?>&\d|&>\s*/dev/null|\d?>\s*/dev/null)")
_ENVIRONMENT = re.compile(
    r"^(?:[A-Z_][A-Z0-9_]*=\S*\s+|(?:sudo|time|timeout\s+\S+|env|command|nohup)\s+)+"
)
_READ_ONLY_NAMES = """
cd ls cat head tail echo pwd grep rg egrep find which sed awk wc sort uniq true false sleep export set type
printf tree file stat diff less test [ do done for if then fi while read source xargs tee cut tr jq nl date
ps ss lsof seq df du free uname hostname env whoami else esac case return exit kill mkdir touch
"""
_READ_ONLY = frozenset(_READ_ONLY_NAMES.split())
_GIT_READ_ONLY = frozenset(
    {
        "add",
        "status",
        "log",
        "diff",
        "show",
        "branch",
        "rev-parse",
        "blame",
        "remote",
        "fetch",
        "ls-files",
    }
)
_READERS = frozenset({"cat", "head", "tail", "less", "nl", "bat"})
_PATH = re.compile(r"^[\w@~./+\-]*[\w\-]\.\w{1,8}$|^[\w@~.+\-]*/[\w@~./+\-]*[\w\-]$")


_MAX_CACHED = 2000  # most characters of a cached command; longer ones contain texts


@dataclass(frozen=True, slots=True, kw_only=True)
class ShellCommand:
    """A parsed shell command. ``name`` is the command on one line; ``parts`` are its working
    commands, without read-only ones; ``written`` and ``read`` are paths as written in the command;
    ``is_read_only``: it has only read-only commands, so that its output says nothing of success;
    ``piped``: the exit code is that of the last program."""

    name: str
    parts: tuple[str, ...]
    written: tuple[str, ...] = ()
    read: tuple[str, ...] = ()
    deleted: tuple[str, ...] = ()
    is_read_only: bool = False
    piped: bool = False


def parse_command_line(command: str) -> ShellCommand:
    """Parse a shell command by heuristics; never fails. Histories repeat their commands."""
    if len(command) <= _MAX_CACHED:
        return _cached(command)
    return _parsed(command)


def _parsed(command: str) -> ShellCommand:
    # The message of a commit is data, and its words must not be read as commands.
    text = _COMMIT_TEXT.sub(lambda match: f'"{match[3].strip()}"', command)
    # Quoted texts go first: they may hold operators and names of files.
    text, quoted = _without_quotes(_without_heredocs(text.replace("\x00", "")))
    text = _NOISE.sub("", text)
    hidden = [
        (_ENVIRONMENT.sub("", segment.strip()), is_piped)
        for segment, is_piped in _segments(text)
    ]
    written, read, deleted = _touched_files(hidden, quoted)
    own = [segment for segment, is_piped in hidden if segment and not is_piped]
    segments = [_with_quotes(segment, quoted) for segment in own]
    working = [segment for segment in segments if _is_working(segment)]
    named_segments = (
        # What only reads is the name of a command where it does nothing else.
        working
        or [segment for segment in segments if not segment.startswith("cd ")]
        or segments
    )
    parts = tuple(
        dict.fromkeys(
            _one_line(_with_quotes(_REDIRECT.sub("", segment), quoted))
            for segment in own
            if _is_working(_with_quotes(segment, quoted))
        )
    )
    return ShellCommand(
        name=_one_line(" && ".join(named_segments)),
        parts=parts,
        written=tuple(written),
        read=tuple(read),
        deleted=tuple(deleted),
        is_read_only=not working,
        # The exit code is that of the last program of a pipe.
        piped=bool(_PIPE.search(text)),
    )


# Histories run the same commands hundreds of times.
_cached = lru_cache(maxsize=4096)(_parsed)


def patched_files(command: ShellCommand, output: str) -> tuple[str, ...]:
    """Return the files that the program patch says it patched."""
    is_patch = any(part.split()[0] == "patch" for part in command.parts)
    if is_patch:
        return tuple(_PATCHED.findall(output))
    return ()


def _one_line(text: str) -> str:
    line = " ".join(text.split())
    if len(line) <= 120:
        return line
    return f"{line[:119].rstrip()}…"


def _without_heredocs(text: str) -> str:
    lines: list[str] = []
    end_mark = ""
    for line in text.splitlines():
        if end_mark:
            end_mark = "" if line.strip() == end_mark else end_mark
            continue
        lines.append(line)
        match = _HEREDOC.search(line)
        if match:
            end_mark = match[2]
        else:
            end_mark = ""
    return "\n".join(lines)


def _without_quotes(text: str) -> tuple[str, list[str]]:
    """Return a text without its comments, with a mark in the place of each quoted text, and these
    texts."""
    quoted: list[str] = []

    def hide(match: re.Match[str]) -> str:
        if match["comment"]:
            return ""
        quoted.append(match[0])
        return f"\x00{len(quoted) - 1}\x00"

    return _QUOTED.sub(hide, text), quoted


def _segments(text: str) -> Iterator[tuple[str, bool]]:
    """Yield the commands, split at operators, and whether a pipe feeds them."""
    position, is_piped = 0, False
    for match in _SPLIT.finditer(text):
        yield text[position : match.start()], is_piped
        is_piped = match[0].startswith("|") and match[0] != "||"
        position = match.end()
    yield text[position:], is_piped


def _with_quotes(text: str, quoted: list[str]) -> str:
    return _HIDDEN.sub(lambda match: quoted[int(match[1])], text)


def _is_working(segment: str) -> bool:
    words = segment.split()
    program = words[0].rsplit("/", 1)[-1]
    # Options may stand between git and its verb.
    if "git" in words[:2]:
        verbs = [
            word
            for word in words[words.index("git") + 1 :]
            if not word.startswith(("-", "/"))
        ]
        return bool(verbs) and verbs[0] not in _GIT_READ_ONLY
    # Without the option for it sed prints and changes nothing.
    if program == "sed":
        return _edits_in_place(words)
    if program == "gh":
        return any(
            word in ("create", "merge", "edit", "close", "comment", "POST")
            for word in words[1:6]
        )
    # An assignment and a line of a script are no commands.
    return program not in _READ_ONLY and "=" not in words[0] and program[:1].isalnum()


def _touched_files(
    segments: list[tuple[str, bool]], quoted: list[str]
) -> tuple[list[str], list[str], list[str]]:
    """Return the files that commands write, read and delete; what a pipe feeds reads none."""
    written: list[str] = []
    read: list[str] = []
    deleted: list[str] = []
    for segment, is_piped in segments:
        targets = [_word(word, quoted) for word in _REDIRECT.findall(segment)]
        written += filter(_is_file, targets)
        words = [_word(word, quoted) for word in _REDIRECT.sub("", segment).split()]
        if not words:
            continue
        paths = list(filter(_is_file, words[1:]))
        # What a pipe feeds has no file to read.
        if _reads_files(words):
            read += [] if is_piped else paths
        elif _moves_files(words):
            written += paths[-1:]
            # Of a copy the sources stay where they are.
            deleted += paths[:-1] if words[0] != "cp" else []
        elif words[0] == "rm" or words[:2] == ["git", "rm"]:
            deleted += paths
        else:
            written += filter(_is_file, _written_files(words))
    return written, read, deleted


def _reads_files(words: list[str]) -> bool:
    return words[0] in _READERS or words[:2] == ["sed", "-n"]


def _moves_files(words: list[str]) -> bool:
    return words[0] in ("mv", "cp") or words[:2] == ["git", "mv"]


def _word(hidden: str, quoted: list[str]) -> str:
    if "\x00" in hidden:
        return unquote(_with_quotes(hidden, quoted))
    return hidden


def _written_files(words: list[str]) -> list[str]:
    """Return the words that name what a program writes."""
    if words[0] == "tee":
        return words[1:]
    if words[:2] == ["git", "restore"]:
        # The index is changed, the file is not.
        if "--staged" in words or "-S" in words:
            return []
        return words[2:]
    if words[:2] == ["git", "checkout"] and "--" in words:
        return words[words.index("--") + 1 :]
    option = _OUTPUT.get(words[0])
    if option is not None:
        return _outputs(words, option)
    if _edits_in_place(words):
        return _edited_files(words)
    return []


def _outputs(words: list[str], option: re.Pattern[str]) -> list[str]:
    """Return what ``--output=FILE`` names, then what follows an option such as ``-o``."""
    matches = map(_OUTPUT_IS.fullmatch, words)
    named = [match[1] for match in matches if match]
    return named + [after for word, after in pairwise(words) if option.fullmatch(word)]


def _edited_files(words: list[str]) -> list[str]:
    """Return the arguments of an editing program, without its script."""
    arguments = []
    for before, word in pairwise(words):
        is_option = word.startswith("-") or _SCRIPT.fullmatch(before)
        if word and not is_option:
            arguments.append(word)
    # Without an option for it, the script is the first argument.
    has_script_option = any(map(_SCRIPT.fullmatch, words))
    if has_script_option:
        return arguments
    return arguments[1:]


def _edits_in_place(words: list[str]) -> bool:
    option = _IN_PLACE.get(words[0])
    return option is not None and any(map(option.fullmatch, words[1:]))


def _is_file(word: str) -> bool:
    return bool(_PATH.match(word)) and not word.startswith(
        ("/dev/", "/proc/", "-", "//")
    )


# Names and operations of file tools and shell tools, by the name of the tool and its arguments.


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
    # Servers of MCP put their name in front, and agents differ in writing.
    return re.sub(r"[^a-z0-9]", "", name.rsplit("__", 1)[-1].lower())


_KINDS: Mapping[str, FileVerb] = _OTHERS | {
    normalised_tool_name(name): _VERBS[syntax.operation]
    for name, syntax in TOOL_KINDS.items()
    if not syntax.commands
}


def shell_command(call: ToolCall) -> str:
    """Return the command line of a shell call; "" for other tools and for patches sent through the
    shell."""
    # Some agents send patches through the shell; those are edits of files.
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
            # Codex gives a list such as bash -lc COMMAND.
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
        if isinstance(listed, list):
            yield from ((verb, name) for name in _listed_names(listed))


def _listed_names(items: Sequence[Json]) -> Iterator[str]:
    for item in items:
        name = _path(item) if isinstance(item, Mapping) else item
        # A pattern names no file.
        if isinstance(name, str) and name and "*" not in name:
            yield name


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
    # The editors of several agents share the commands and differ in name.
    if "editor" in name or "editbasedtool" in name or name == "strreplacebasededittool":
        # One version has no command, only the new text.
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
        # apply_patch comes as a tool, as a shell command or as a list of words.
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
