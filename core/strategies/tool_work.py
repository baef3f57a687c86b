"""Derives from each tool result which tool ran, which files it read or changed, and whether it
failed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum

import orjson

from core.common.json_value import Json
from core.facts.file_accesses import (
    END_OF_FILE,
    file_accesses,
    may_change_shell_folder,
    resolve_path,
)
from core.facts.file_calls import FileVerb, file_operations, shell_command
from core.facts.shell_actions import parse_command_line
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
from core.transcript.tool_kinds import READ_MANY_FILES, FileOperation
from core.transcript.tool_pairs import (
    BlockPlace,
    ToolPairJoiner,
    response_content,
    result_text,
)

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
    deleted = set(_deleted_paths(call))
    if call.name == READ_MANY_FILES and isinstance(call.arguments, dict):
        paths = [
            path for path in call.arguments.get("paths") or () if isinstance(path, str)
        ]
        yield from ((ToolFileTouch(resolve_path(path, ROOT)), False) for path in paths)
        return
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
    first, last = int(shown[0]), int(shown[-1])
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
