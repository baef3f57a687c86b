"""The record of files and tasks of a conversation, which hybrid uses (LH). Derived from calls and
their results, never from a disk or a clock."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import blake2b

import orjson

from core.common.json_value import Json
from core.common.number_format import to_milliseconds
from core.facts.file_accesses import (
    END_OF_FILE,
    file_accesses,
    may_change_shell_folder,
    resolve_path,
)
from core.facts.shell_actions import (
    FileVerb,
    file_operations,
    parse_command_line,
    shell_command,
)
from core.facts.tool_outcome import (
    Outcome,
    ToolOutcome,
    result_object,
    strip_output_frame,
    tool_outcome,
)
from core.transcript.model import (
    Message,
    Progress,
    Speaker,
    ToolCall,
    ToolResponse,
    no_progress,
    tool_calls,
)
from core.transcript.todos import IN_PROGRESS, Todo, todo_states
from core.transcript.tool_kinds import READ_MANY_FILES, FileOperation
from core.transcript.tool_pairs import (
    BlockPlace,
    ToolPairJoiner,
    response_content,
    result_text,
)

# Derives from each tool result which tool ran, which files it read or changed, and whether it
# failed.


# paths stay as the calls spell them, only normalised: a conversation may come from any machine
ROOT = ""
_CREATES = re.compile(r"\b(?:created|new file|wrote new)\b", re.IGNORECASE)
_REPORT_LENGTH = (
    400  # leading characters of a result in which a tool reports what it did
)
_MAX_JSON_CHARACTERS = 2_000_000
_TEXT_KEYS = ("content", "data", "output", "text", "stdout", "result")
_PATH_KEYS = ("file_path", "path", "filePath")
_NUMBERED = re.compile(r"^[ \t]*(\d+)(?:\t|→| ?\| ?|: ?)", re.MULTILINE)
_MAX_LEAD_LINES = 3  # lines that a tool may put before the text
_REMINDER = re.compile(r"\s*<system-reminder>.*?</system-reminder>", re.DOTALL)
_SNIPPET_LINE = re.compile(r"^[ \t]*(\d+)(?:\t|→)", re.MULTILINE)
_LINE_KEYS = ("insert_line", "line_start", "start_line", "line_number", "line")


UNKNOWN_OUTCOME = ToolOutcome(Outcome.UNKNOWN)


class FileChangeKind(StrEnum):
    CREATED = "created"
    MODIFIED = "modified"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class ToolFileTouch:
    """A file touched by a call. ``change`` None: it was read. ``lines`` None: all, or unknown."""

    path: str
    change: FileChangeKind | None = None
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class ToolWork:
    """The work behind the result at ``place``; ``call`` is the place of its call, None without
    one."""

    place: BlockPlace
    call: BlockPlace | None
    name: str
    files: tuple[ToolFileTouch, ...] = ()
    outcome: ToolOutcome = UNKNOWN_OUTCOME

    @property
    def failed(self) -> bool:
        """Whether it failed or reports an error, so that its output is no file and its change
        none."""
        return self.outcome.has_error

    @property
    def is_read(self) -> bool:
        return bool(self.files) and all(file.change is None for file in self.files)

    @property
    def is_change(self) -> bool:
        return any(file.change is not None for file in self.files)


def find_tool_work(
    history: Sequence[Message],
    touched: Set[str] = frozenset(),
    *,
    shell_moved: bool = False,
    progress: Progress = no_progress,
) -> Mapping[BlockPlace, ToolWork]:
    """Return the work behind each tool result by its place, in the order of the history. The call
    names the tool; a result without a call is read by its own fields. ``touched`` and
    ``shell_moved`` say what happened before: paths that were touched, and whether the shell may be
    in another folder."""
    joiner = ToolPairJoiner()
    joiner.add(enumerate(history))
    calls = {
        (item.response, item.response_block): (item.call, item.call_block)
        for item in joiner.pairs
    }
    movers = (index for index, message in enumerate(history) if moves_shell(message))
    if shell_moved:
        shell_moved_at = -1
    else:
        shell_moved_at = next(movers, len(history))
    touched_paths = set(touched)
    works: dict[BlockPlace, ToolWork] = {}
    for index, message in enumerate(history):
        progress(0.0, "Looking for the work of tools")
        for block_index, block in enumerate(message.blocks):
            if isinstance(block, ToolResponse):
                place = index, block_index
                call = calls.get(place)
                is_moved = call is not None and call[0] > shell_moved_at
                work = works[place] = _work(
                    history, place, call, is_moved, touched_paths
                )
                touched_paths.update(
                    item.path for item in work.files if not work.failed
                )
    return works


def read_text(response: ToolResponse) -> tuple[str, int]:
    """Return the text of a file from a tool result, and the number of its first line (1 if
    unknown)."""
    text = strip_output_frame(
        _REMINDER.sub("", _unwrapped(response_content(response)))
    ).replace("\r\n", "\n")
    numbers = [(match.start(), match[1]) for match in _NUMBERED.finditer(text)]
    if not numbers or len(numbers) * 2 < text.count("\n", numbers[0][0]):
        return text, 1
    start, first = numbers[0]
    if text.count("\n", 0, start) > _MAX_LEAD_LINES:
        return text, 1
    return _NUMBERED.sub("", text[start:]), int(first)


def response_at(history: Sequence[Message], place: BlockPlace) -> ToolResponse:
    block = history[place[0]].blocks[place[1]]
    assert isinstance(block, ToolResponse)
    return block


def moves_shell(message: Message) -> bool:
    """Return whether the agent's shell may be in another folder after the calls of a message."""
    return message.speaker is Speaker.AI and any(
        map(may_change_shell_folder, tool_calls(message))
    )


def _work(
    history: Sequence[Message],
    place: BlockPlace,
    call_place: BlockPlace | None,
    shell_moved: bool,
    touched_paths: Set[str],
) -> ToolWork:
    """Return the work at a place, after the paths in ``touched_paths`` were touched."""
    response = response_at(history, place)
    if call_place is not None:
        call = history[call_place[0]].blocks[call_place[1]]
    else:
        call = None
    if not isinstance(call, ToolCall):
        outcome = tool_outcome(None, response)
        files = tuple(_file_of_result(response))
        return ToolWork(place, None, response.name, files, outcome)
    outcome = tool_outcome(call, response)
    files = tuple(
        replace(file, change=FileChangeKind.CREATED)
        if is_first and file.path not in touched_paths
        else file
        for file, is_first in _touched_files(call, response, shell_moved)
    )
    return ToolWork(place, call_place, call.name or response.name, files, outcome)


def _touched_files(
    call: ToolCall, response: ToolResponse, shell_moved: bool
) -> Iterator[tuple[ToolFileTouch, bool]]:
    """Yield the files of a call; True marks files written whole, which are new unless touched
    before."""
    if call.name == READ_MANY_FILES and isinstance(call.arguments, dict):
        for path in call.arguments.get("paths") or ():
            if isinstance(path, str):
                yield ToolFileTouch(resolve_path(path, ROOT)), False
        return
    deleted = set(_deleted_paths(call))
    for access in file_accesses(call, ROOT, shell_moved=shell_moved):
        if access.operation is FileOperation.READ:
            yield ToolFileTouch(access.path, None, _known_lines(access.lines)), False
        elif access.path not in deleted:
            is_write = access.operation is FileOperation.WRITE
            created = is_write and _says_created(response)
            change = FileChangeKind.CREATED if created else FileChangeKind.MODIFIED
            lines = _changed_lines(call, access.lines, response)
            yield ToolFileTouch(access.path, change, lines), is_write and not created
    for path in sorted(deleted):
        yield ToolFileTouch(path, FileChangeKind.DELETED), False


def _known_lines(lines: tuple[int, int] | None) -> tuple[int, int] | None:
    """Return the lines, None where they reach to an end that is not known."""
    return lines if lines is not None and lines[1] < END_OF_FILE else None


def _says_created(response: ToolResponse) -> bool:
    report = _unwrapped(response_content(response))[:_REPORT_LENGTH]
    return _CREATES.search(report) is not None


def _deleted_paths(call: ToolCall) -> Iterator[str]:
    for verb, path in file_operations(call):
        if verb is FileVerb.DELETED:
            yield resolve_path(path, ROOT)
    command = shell_command(call)
    if "rm " in command:
        yield from (
            resolve_path(path, ROOT) for path in parse_command_line(command).deleted
        )


def _written_lines(call: ToolCall) -> tuple[int, int] | None:
    """Return the lines that the text of a call takes from the line that the call names."""
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    starts = map(arguments.get, _LINE_KEYS)
    start = next((value for value in starts if isinstance(value, int)), None)
    if start is None:
        return None
    texts = map(arguments.get, ("content", "new_str", "text"))
    text = next((value for value in texts if isinstance(value, str)), "")
    return start, start + max(0, len(text.splitlines()) - 1)


def _changed_lines(
    call: ToolCall, call_lines: tuple[int, int] | None, response: ToolResponse
) -> tuple[int, int] | None:
    """Return the lines that a change touched, from the call, else from the result."""
    if call_lines is not None:
        return _known_lines(call_lines)
    if (written := _written_lines(call)) is not None:
        return written

    shown = _SNIPPET_LINE.findall(result_text(response.result)[:20_000])
    if not shown:
        return None
    first = int(shown[0])
    last = int(shown[-1])
    if first <= last:
        return (first, last)
    return None


def _file_of_result(response: ToolResponse) -> Iterator[ToolFileTouch]:
    """Yield the file named by a result without a call: a read if the result holds content too."""
    fields = _payload_fields(response_content(response))
    path = next(
        (
            value
            for key in _PATH_KEYS
            if isinstance(value := fields.get(key), str) and value
        ),
        None,
    )
    if path is not None:
        is_read = any(isinstance(fields.get(key), str) for key in _TEXT_KEYS)
        yield ToolFileTouch(
            resolve_path(path, ROOT), None if is_read else FileChangeKind.MODIFIED
        )


def _payload_fields(value: Json) -> Mapping[str, Json]:
    """Return the fields of the object in the field ``data``, else of the result itself."""
    outer = result_object(value)
    inner = outer.get("data")
    return (result_object(inner) if isinstance(inner, str | dict) else {}) or outer


def _unwrapped(value: Json) -> str:
    """Return the text of a result without its envelope; a JSON string is decoded."""
    if isinstance(value, list):
        return "\n".join(filter(None, map(_unwrapped, value)))
    fields = _payload_fields(value)
    text = next(
        (found for key in _TEXT_KEYS if isinstance(found := fields.get(key), str)), None
    )
    if text is None:
        text = result_text(value)
    if text[:1] == text[-1:] == '"' and len(text) <= _MAX_JSON_CHARACTERS:
        try:
            inner = orjson.loads(text)
        except orjson.JSONDecodeError:
            return text
        return inner if isinstance(inner, str) else text
    return text


MAX_SUMMARY = 200  # characters of the summary line of a file
_MIN_LINES = 8  # shorter texts have no summary line
_MAX_NAMES = 12  # names in a summary line
_PROSE = (".md", ".mdx", ".markdown", ".rst", ".adoc", ".txt")
_TABLES = (".toml", ".ini", ".cfg", ".conf")
_HEADING = re.compile(r"^#{1,3}[ \t]+(?P<name>\S[^\n]{0,78})", re.MULTILINE)
_TABLE = re.compile(r"^\[+(?P<name>[^\]\n]{1,60})\]+[ \t]*$", re.MULTILINE)
_MODIFIERS = (
    r"(?:(?:export|default|pub(?:\([a-z]+\))?|public|private|protected|internal|static|async|abstract|final|"
    r"sealed|override|inline|extern|unsafe|declare|open|data)[ \t]+)*"
)
_KINDS = (
    r"(?:def|class|fn|func|fun|function\*?|struct|enum|interface|trait|impl(?:<[^>\n]{1,40}>)?|module|object|"
    r"namespace|protocol|macro_rules!|test)"
)
_DEFINITION = (
    rf"{_MODIFIERS}(?:{_KINDS}[ \t]+(?:\([^)\n]{{1,60}}\)[ \t]*)?(?P<name>[A-Za-z_]\w*|\"[^\"\n]{{1,60}}\")"
    r"|type[ \t]+(?P<type>[A-Za-z_]\w*)(?:<[^>\n]{1,40}>)?[ \t]*(?:=|struct\b|interface\b)"
    r"|(?:const|let|var)[ \t]+(?P<const>[A-Za-z_$]\w*)[^=\n]{0,60}=[ \t]*"
    r"(?:struct|enum|union|async|function|class|\())"
)
_FUNCTION = (  # C-like languages: a type, a name, and arguments not followed by a semicolon
    r"(?:\w[\w:<>*&]{0,60}[ \t*&]{1,8}){1,4}(?P<plain>[A-Za-z_][\w:~]{0,60})[ \t]?"
    r"\([^;\n]{0,200}\)[^;\n=]{0,40}$"
)
_CODE = re.compile(rf"^{_DEFINITION}", re.MULTILINE)
_C = re.compile(rf"^(?:{_DEFINITION}|{_FUNCTION})", re.MULTILINE)
_C_FILES = (
    ".c",
    ".h",
    ".cc",
    ".cpp",
    ".cxx",
    ".hpp",
    ".hh",
    ".m",
    ".mm",
    ".java",
    ".cs",
    ".dart",
    ".cu",
)
_PATTERNS = ((_PROSE, _HEADING), (_TABLES, _TABLE), (_C_FILES, _C))
_NO_NAMES = frozenset(
    {
        "if",
        "for",
        "while",
        "switch",
        "return",
        "else",
        "catch",
        "new",
        "in",
        "and",
        "or",
        "not",
    }
)


@dataclass(frozen=True, slots=True)
class FileSection:
    """A titled range of a file's lines, from 1, both ends included."""

    title: str
    start: int
    end: int


def file_sections(path: str, text: str, first: int = 1) -> tuple[FileSection, ...]:
    """Return the definitions or headings of a text with their lines, ``first`` being its first line
    number. Only unindented ones count; a section ends where the next one begins."""
    found = list(_section_starts(path, text, first))
    last = first + text.count("\n") - text.endswith("\n")
    ends = [*(start - 1 for _, start in found[1:]), last][: len(found)]
    return tuple(
        FileSection(name, start, max(start, end))
        for (name, start), end in zip(found, ends, strict=True)
    )


def file_outline(path: str, text: str, parts: Sequence[FileSection]) -> str:
    """Return one line of at most 200 characters about what a file defines or covers; "" without
    names."""
    names = sorted(
        dict.fromkeys(part.title for part in parts),
        key=lambda name: name.startswith("_"),
    )
    if not names or text.count("\n") < _MIN_LINES:
        return ""
    verb = "covers" if path.lower().endswith((*_PROSE, *_TABLES)) else "defines"
    listed = names[:_MAX_NAMES]
    while len(listed) > 1 and len(_name_list(verb, listed, len(names))) > MAX_SUMMARY:
        listed.pop()
    return _name_list(verb, listed, len(names))[:MAX_SUMMARY]


def key_sections(
    parts: Sequence[FileSection], max_count: int
) -> tuple[FileSection, ...]:
    """Return the ``max_count`` longest sections of more than one line, in the order of the file."""
    longest = sorted(
        (part for part in parts if part.end > part.start),
        key=lambda part: part.start - part.end,
    )
    return tuple(sorted(longest[:max_count], key=lambda part: part.start))


def _name_list(verb: str, names: Sequence[str], all_names: int) -> str:
    if all_names > len(names):
        more = f" and {all_names - len(names)} more"
    else:
        more = ""
    return f"{verb} {', '.join(names)}{more}"


def _section_starts(path: str, text: str, first: int) -> Iterator[tuple[str, int]]:
    """Yield names with their line numbers."""
    lower = path.lower()
    pattern = next(
        (pattern for ends, pattern in _PATTERNS if lower.endswith(ends)), _CODE
    )
    line, seen = first, 0
    for match in pattern.finditer(text):
        name = (
            (match[match.lastgroup] if match.lastgroup else "")
            .strip()
            .strip('#"')
            .strip()
        )
        if not name or name in _NO_NAMES:
            continue
        line += text.count("\n", seen, match.start())
        seen = match.start()
        yield " ".join(name.split()), line


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadFile:
    """The newest read of a file. ``hash`` is a 64-bit digest of its text, ``lines`` its line count
    and ``ranges`` the line ranges read (empty: the whole file). ``summary`` is the curator's text
    about the file, "" where there is none. ``message`` is the index of the result in the history,
    ``timestamp`` in ms since 1970, None where unknown. ``conversation_hash`` is a digest of the
    messages that the summary was written for, None where unknown."""

    path: str
    hash: int
    lines: int
    ranges: tuple[tuple[int, int], ...] = ()
    summary: str = ""
    sections: tuple[FileSection, ...] = ()
    message: int = -1
    timestamp: int | None = None
    conversation_hash: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileModification:
    """A change of a file: ``kind`` is created, modified or deleted, ``lines`` the touched range,
    None where unknown. ``todo`` is the text (or id) of the task that was active then, "" for
    none."""

    path: str
    kind: str
    timestamp: int | None = None
    lines: tuple[int, int] | None = None
    todo: str = ""
    summary: str = ""
    message: int = -1


@dataclass(frozen=True, slots=True)
class FileTracker:
    """Files read by path, modifications oldest first, the active task and the files touched for it.
    ``newest_time`` is the newest timestamp of the conversation in ms, the base of ages; None:
    unknown."""

    read_files: Mapping[str, ReadFile]
    modifications: tuple[FileModification, ...] = ()
    active_todo: str = ""
    files_touched: tuple[str, ...] = ()
    newest_time: int | None = None


MAX_MODIFICATIONS = 20  # newest changes that the tracker keeps


def track_history(history: Sequence[Message]) -> FileTracker:
    """Return the tracker: successful calls only, the newest read of each file and the newest
    changes."""
    return build_tracker(history, find_tool_work(history))


def _task_at(states: Sequence[tuple[int, str]], message: int) -> str:
    """Return the task in progress at a message; "" before the first list."""
    known = bisect_right(states, message, key=lambda state: state[0])
    return states[known - 1][1] if known else ""


def build_tracker(
    history: Sequence[Message], work: Mapping[BlockPlace, ToolWork]
) -> FileTracker:
    states = [(index, _task_of(todos)) for index, todos in todo_states(history)]
    active = states[-1][1] if states else ""
    times = list(map(_time_of, history))
    newest: dict[str, tuple[ToolWork, ToolFileTouch]] = {}
    changes: deque[FileModification] = deque(maxlen=MAX_MODIFICATIONS)
    touched: dict[str, str] = {}
    for tool_work in work.values():
        if tool_work.failed:
            continue
        message = tool_work.place[0]
        task = _task_at(states, message)
        for file in tool_work.files:
            touched[file.path] = task
            if file.change is None:
                newest[file.path] = tool_work, file
            else:
                time = _time(times, tool_work)
                changes.append(
                    FileModification(
                        path=file.path,
                        kind=file.change,
                        timestamp=time,
                        lines=file.lines,
                        todo=task,
                        message=message,
                    )
                )
    return FileTracker(
        _NewestReads(history, newest, times),
        tuple(changes),
        active,
        tuple(path for path, task in touched.items() if active and task == active),
        _newest_time(times),
    )


def _task_of(todos: Iterable[Todo]) -> str:
    """Return the first item that is being worked on, "" without any."""
    return next((todo.content for todo in todos if todo.status == IN_PROGRESS), "")


def _newest_time(times: Iterable[int | None]) -> int | None:
    return max((time for time in times if time is not None), default=None)


def _time_of(message: Message) -> int | None:
    if message.timestamp:
        return to_milliseconds(message.timestamp)
    return None


class _NewestReads(Mapping[str, ReadFile]):
    """The newest read of each file, computed on access, since a run needs few of them."""

    def __init__(
        self,
        history: Sequence[Message],
        newest: Mapping[str, tuple[ToolWork, ToolFileTouch]],
        times: Sequence[int | None],
    ) -> None:
        self._history, self._newest, self._times = history, newest, times
        self._cache: dict[str, ReadFile] = {}

    def __getitem__(self, path: str) -> ReadFile:
        if path not in self._cache:
            work, file = self._newest[path]
            self._cache[path] = read_file(
                self._history, work, file, _time(self._times, work)
            )
        return self._cache[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._newest)

    def __len__(self) -> int:
        return len(self._newest)


def read_file(
    history: Sequence[Message],
    work: ToolWork,
    file: ToolFileTouch,
    time: int | None = None,
) -> ReadFile:
    """Return the record of one read; a result that shows several files has no sections."""
    text, first = read_text(response_at(history, work.place))
    if file.lines is not None and first == 1:
        first = file.lines[0]
    if text:
        lines = text.count("\n") + (not text.endswith("\n"))
    else:
        lines = 0
    is_only_file = len(work.files) == 1
    if is_only_file:
        parts = file_sections(file.path, text, first)
    else:
        parts = ()
    if file.lines:
        requested = file.lines[1] - file.lines[0] + 1
    else:
        requested = 0
    partial = first > 1 or 0 < requested <= lines
    return ReadFile(
        path=file.path,
        hash=text_digest(text),
        lines=lines,
        ranges=((first, first + max(0, lines - 1)),)
        if partial and is_only_file
        else (),
        summary=file_outline(file.path, text, parts),
        sections=parts,
        message=work.place[0],
        timestamp=time,
    )


def text_digest(text: str) -> int:
    """Return a 64-bit digest to compare the text of two reads."""
    return int.from_bytes(
        blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    )


def last_change(
    tracker: FileTracker, path: str, message: int = -1
) -> FileModification | None:
    """Return the change of a file made in ``message``, else the newest known one."""
    changes = [change for change in tracker.modifications if change.path == path]
    return next(
        (change for change in changes if change.message == message),
        changes[-1] if changes else None,
    )


def _time(times: Sequence[int | None], work: ToolWork) -> int | None:
    """Return the time of a result, else of its call."""
    time = times[work.place[0]]
    if time is None and work.call is not None:
        return times[work.call[0]]
    return time
