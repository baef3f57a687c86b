"""The record of files and tasks of a conversation, which hybrid uses (LH). Derived from calls and
their results, never from a disk or a clock."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b

from core.common.number_format import to_milliseconds
from core.strategies.tool_work import (
    ToolFileTouch,
    ToolWork,
    find_tool_work,
    read_text,
    response_at,
)
from core.transcript.model import Message
from core.transcript.todos import IN_PROGRESS, Todo, todo_states
from core.transcript.tool_pairs import BlockPlace

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
