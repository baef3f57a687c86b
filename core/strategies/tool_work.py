"""What each tool result of a history tells: which tool, which files it read or changed, whether it failed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TypeAlias

import orjson

from core.common.json_value import Json
from core.facts.file_accesses import file_accesses, moves_shell, resolve_path
from core.facts.file_calls import FileVerb, file_operations, shell_command
from core.facts.shell_actions import parse_command_line
from core.facts.shell_file_accesses import ENDLESS
from core.transcript.model import Block, Message, Speaker, ToolCall, ToolResponse, tool_calls
from core.transcript.tool_kinds import MANY, FileOperation
from core.transcript.tool_outcomes import answer_of, is_failed_result, result_text
from core.transcript.tool_pairs import ToolPairJoiner

ROOT = ""
"""Paths are told as the calls spell them, only normalised: a conversation may be of any machine."""

BlockPlace = tuple[int, int]
"""Message and block index."""

_CREATES = re.compile(r"\b(?:created|new file|wrote new)\b", re.IGNORECASE)
_TOLD = 400  # characters of a result in which a tool says what it did
_LONGEST_JSON = 2_000_000
_TEXT_KEYS = ("content", "data", "output", "text", "stdout", "result")
_PATH_KEYS = ("file_path", "path", "filePath")
_NUMBERED = re.compile(r"^[ \t]*(\d+)(?:\t|→| ?\| ?|: ?)", re.MULTILINE)
_LEAD = 3  # lines that a tool may put before the text
_TAGGED = re.compile(r"\s*<returncode>-?\d+</returncode>\s*<output>\n?(.*?)\n?</output>\s*\Z", re.DOTALL)
_REMINDER = re.compile(r"\s*<system-reminder>.*?</system-reminder>", re.DOTALL)
_SNIPPET = re.compile(r"^[ \t]*(\d+)(?:\t|→)", re.MULTILINE)
_LINE_KEYS = ("insert_line", "line_start", "start_line", "line_number", "line")


class FileChangeKind(StrEnum):
    """What was done to a file."""

    CREATED = "created"
    MODIFIED = "modified"
    DELETED = "deleted"


@dataclass(frozen=True, slots=True)
class ToolFileTouch:
    """One file that a call touched. ``change`` None: it was read. ``lines`` None: all, or not known."""

    path: str
    change: FileChangeKind | None = None
    lines: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class ToolWork:
    """What the result at a place tells; ``call`` is the place of its call, None where there is none."""

    place: BlockPlace
    call: BlockPlace | None
    name: str
    files: tuple[ToolFileTouch, ...] = ()
    failed: bool = False

    @property
    def is_read(self) -> bool:
        """True where files were read and none was changed."""
        return bool(self.files) and all(one.change is None for one in self.files)

    @property
    def is_change(self) -> bool:
        """True where a file was changed."""
        return any(one.change is not None for one in self.files)


_Key: TypeAlias = tuple[int, int, bool]
"""A response and its call, by identity, and whether the shell may have been in another folder."""


@dataclass(frozen=True, slots=True)
class _ToolReport:
    """What a result tells of itself, wherever it stands: ``files``, with True those that are new if nobody
    saw them before. ``response`` and ``call`` are what it was read from."""

    response: ToolResponse
    call: ToolCall | None
    name: str
    files: tuple[tuple[ToolFileTouch, bool], ...]
    failed: bool


class ToolWorkIndex:
    """What the tool results of one history tell, read once each: for those who look again as it changes.

    What the last two looks met is remembered: a run may look again at what it made of its history.
    """

    def __init__(self) -> None:
        self._told: dict[_Key, _ToolReport] = {}
        self._before: dict[_Key, _ToolReport] = {}

    def of(self, history: Sequence[Message]) -> Mapping[BlockPlace, ToolWork]:
        """The same as ``work_of``."""
        self._before, self._told = self._told, {}
        joiner = ToolPairJoiner()
        joiner.add(enumerate(history))
        calls = {(one.response, one.response_block): (one.call, one.call_block) for one in joiner.pairs}
        moved = _moved(history)
        seen: set[str] = set()
        found: dict[BlockPlace, ToolWork] = {}
        for index, message in enumerate(history):
            for position, block in enumerate(message.blocks):
                if isinstance(block, ToolResponse):
                    at = calls.get((index, position))
                    call = history[at[0]].blocks[at[1]] if at is not None else None
                    told = self._read(block, call, at is not None and at[0] > moved)
                    work = found[index, position] = _work(told, (index, position), at, seen)
                    seen.update(one.path for one in work.files if not work.failed)
        return found

    def _read(self, response: ToolResponse, call: Block | None, moved: bool) -> _ToolReport:
        key = id(response), id(call), moved
        known = self._told.get(key) or self._before.get(key)
        if known is None:  # it holds both, so that their ids stay theirs
            known = _told_by(response, call if isinstance(call, ToolCall) else None, moved)
        self._told[key] = known
        return known


def work_of(history: Sequence[Message]) -> Mapping[BlockPlace, ToolWork]:
    """What each tool result tells, by its place, in the order of the history.

    The tool is known by its call; a result without one is read by its own fields (LH, section 2.9).
    """
    return ToolWorkIndex().of(history)


def read_text(response: ToolResponse) -> tuple[str, int]:
    """The text of a file as a tool gave it, and the number of its first line (1 where not told).

    Line numbers, reminders of a harness and the envelope that some tools put around it are left out.
    """
    text = output_of(_REMINDER.sub("", _opened(answer_of(response)))).replace("\r\n", "\n")
    numbers = [(match.start(), match[1]) for match in _NUMBERED.finditer(text)]
    if not numbers or len(numbers) * 2 < text.count("\n", numbers[0][0]):
        return text, 1
    start, first = numbers[0]
    if text.count("\n", 0, start) > _LEAD:
        return text, 1
    return _NUMBERED.sub("", text[start:]), int(first)


def output_of(text: str) -> str:
    """The output without what some tools put around it: exit code, time, size."""
    tagged = _TAGGED.match(text)
    if tagged:
        return tagged[1]
    lead, mark, rest = text.partition("\nOutput:\n")
    return rest if mark and len(lead) < _TOLD else text


def response_at(history: Sequence[Message], place: BlockPlace) -> ToolResponse:
    """The response at a place of ``work_of``."""
    block = history[place[0]].blocks[place[1]]
    assert isinstance(block, ToolResponse)
    return block


def _moved(history: Sequence[Message]) -> int:
    """From which message on the agent's shell may be in another folder."""
    for index, message in enumerate(history):
        if message.speaker is Speaker.AI and any(map(moves_shell, tool_calls(message))):
            return index
    return len(history)


def _work(told: _ToolReport, place: BlockPlace, at: BlockPlace | None, seen: Set[str]) -> ToolWork:
    """The work of a result at a place, behind which the paths of ``seen`` were touched."""
    files = tuple(
        [
            replace(one, change=FileChangeKind.CREATED) if is_first and one.path not in seen else one
            for one, is_first in told.files
        ]
    )
    return ToolWork(place, at if told.call is not None else None, told.name, files, told.failed)


def _told_by(response: ToolResponse, call: ToolCall | None, moved: bool) -> _ToolReport:
    bad = is_failed_result(response) or result_object(answer_of(response)).get("success") is False
    if call is None:
        return _ToolReport(response, None, response.name, tuple((one, False) for one in _told(response)), bad)
    files = tuple(_touched(call, response, moved))
    return _ToolReport(response, call, call.name or response.name, files, bad)


def _touched(call: ToolCall, response: ToolResponse, moved: bool) -> Iterator[tuple[ToolFileTouch, bool]]:
    """The files of a call; with True those that were written whole and are new if nobody saw them."""
    deleted = set(_deleted(call))
    if call.name == MANY and isinstance(call.arguments, dict):
        paths = call.arguments.get("paths")
        yield from (
            (ToolFileTouch(resolve_path(one, ROOT)), False) for one in paths or () if isinstance(one, str)
        )
        return
    for access in file_accesses(call, ROOT, moved=moved):
        if access.act is FileOperation.READ:
            lines = access.lines if access.lines and access.lines[1] < ENDLESS else None
            yield ToolFileTouch(access.path, None, lines), False
        elif access.path not in deleted:
            whole = access.act is FileOperation.WRITE
            told = whole and bool(_CREATES.search(_opened(answer_of(response))[:_TOLD]))
            change = FileChangeKind.CREATED if told else FileChangeKind.MODIFIED
            yield ToolFileTouch(access.path, change, _lines(call, access.lines, response)), whole and not told
    yield from ((ToolFileTouch(path, FileChangeKind.DELETED), False) for path in sorted(deleted))


def _deleted(call: ToolCall) -> Iterator[str]:
    for verb, path in file_operations(call):
        if verb is FileVerb.DELETED:
            yield resolve_path(path, ROOT)
    command = shell_command(call)
    if "rm " in command:
        yield from (resolve_path(path, ROOT) for path in parse_command_line(command).deleted)


def _lines(call: ToolCall, named: tuple[int, int] | None, response: ToolResponse) -> tuple[int, int] | None:
    """The lines that a change touched: as the call says, else as the result shows them."""
    if named is not None:
        return named if named[1] < ENDLESS else None
    arguments = call.arguments if isinstance(call.arguments, dict) else {}
    start = next((value for key in _LINE_KEYS if isinstance(value := arguments.get(key), int)), None)
    if start is not None:
        text = next(
            (value for key in ("content", "new_str", "text") if isinstance(value := arguments.get(key), str)),
            "",
        )
        return start, start + max(0, len(text.splitlines()) - 1)
    numbers = [int(number) for number in _SNIPPET.findall(result_text(response.result)[:20_000])]
    return (numbers[0], numbers[-1]) if numbers and numbers[0] <= numbers[-1] else None


def _told(response: ToolResponse) -> Iterator[ToolFileTouch]:
    """The file that a result without a call names itself: read where its content is there, too."""
    fields = _object(answer_of(response))
    path = next((value for key in _PATH_KEYS if isinstance(value := fields.get(key), str) and value), None)
    if path is not None:
        read = any(isinstance(fields.get(key), str) for key in _TEXT_KEYS)
        yield ToolFileTouch(resolve_path(path, ROOT), None if read else FileChangeKind.MODIFIED)


def result_object(value: Json) -> Mapping[str, Json]:
    """The fields of a result that is a JSON object, or the text of one; empty for any other."""
    if isinstance(value, list):
        value = result_text(value)
    if isinstance(value, str) and value.lstrip()[:1] == "{" and len(value) <= _LONGEST_JSON:
        try:
            value = orjson.loads(value)
        except orjson.JSONDecodeError:
            return {}
    return value if isinstance(value, dict) else {}


def _object(value: Json) -> Mapping[str, Json]:
    """The same, or the object inside its field ``data``, where that is one."""
    outer = result_object(value)
    inner = outer.get("data")
    return (result_object(inner) if isinstance(inner, str | dict) else {}) or outer


def _opened(value: Json) -> str:
    """The text of a result, out of its envelope where it has one; text that is a JSON string is read."""
    if isinstance(value, list):
        return "\n".join(filter(None, map(_opened, value)))
    fields = _object(value)
    text = next((found for key in _TEXT_KEYS if isinstance(found := fields.get(key), str)), None)
    if text is None:
        text = result_text(value)
    if text[:1] == text[-1:] == '"' and len(text) <= _LONGEST_JSON:
        try:
            inner = orjson.loads(text)
        except orjson.JSONDecodeError:
            return text
        return inner if isinstance(inner, str) else text
    return text
