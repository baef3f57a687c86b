"""Lines of a Claude Code session as rows, and the messages and request sizes made of them."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from core.common.json_value import Json
from core.formats.anthropic.blocks import read_content, split_by_speaker
from core.formats.common.import_notes import ImportNotes, opaque_flag
from core.formats.common.json_access import coerce_text, number_of, sum_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.tool_linking import with_call
from core.formats.common.usage_reports import INPUT_TOKEN_FIELDS
from core.transcript.model import (
    Block,
    Message,
    MessageFlag,
    Opaque,
    ReportedUsage,
    Source,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
)

_COMMANDS = (
    *("<command-name>", "<command-message>", "<command-args>"),
    *("<local-command-stdout>", "<local-command-stderr>", "<local-command-caveat>"),
    *("<bash-input>", "<bash-stdout>", "<bash-stderr>", "<user-memory-input>"),
)
_FLAG_FIELDS = (
    ("isMeta", MessageFlag.META),
    ("isApiErrorMessage", MessageFlag.API_ERROR),
    ("isCompactSummary", MessageFlag.RECORDED_SUMMARY),
)
_NOT_A_PROMPT = MessageFlag.META | MessageFlag.COMMAND | MessageFlag.API_ERROR | MessageFlag.RECORDED_SUMMARY
_GENERATED_STARTS = ("[Request interrupted", "<task-notification>", "<system-reminder>")


class ClaudeRow(NamedTuple):  # faster than a dataclass; there is one per line
    """One user or assistant line. ``api_id`` joins the lines of one assistant message."""

    is_user: bool
    uuid: str
    parent: str
    blocks: tuple[Block, ...]
    source: Source
    flags: MessageFlag
    timestamp: str
    api_id: str
    extra: Mapping[str, Json]


def read_row(record: JsonRecord, notes: ImportNotes) -> ClaudeRow:
    """Read a user or assistant line; never fails."""
    number, start, end, line = record
    uuid, parent, timestamp = line.get("uuid"), line.get("parentUuid"), line.get("timestamp")
    message = line.get("message")
    user = line.get("type") == "user"
    id_: Json = None
    if isinstance(message, dict):
        blocks, extra = read_content(message, notes, number)
        id_ = None if user else message.get("id")
    else:
        notes.warn(number, "the message is not an object; kept as it is")
        blocks, extra = (Opaque("message", message),), {}
    fields = (
        user,
        uuid if isinstance(uuid, str) else coerce_text(uuid),
        parent if isinstance(parent, str) else coerce_text(parent),
        blocks,
        Source(number, start, end),
        _flags(line, user, blocks),
        timestamp if isinstance(timestamp, str) else coerce_text(timestamp),
        id_ if isinstance(id_, str) else coerce_text(id_),
        extra,
    )
    return tuple.__new__(ClaudeRow, fields)  # at half the cost of ClaudeRow(…)


def is_command(blocks: tuple[Block, ...]) -> bool:
    """Return whether the first text is a slash command, a shell command of the user, or its output."""
    command_text = first_text(blocks)
    return command_text.startswith("<") and command_text.startswith(_COMMANDS)


def is_prompt(row: ClaudeRow) -> bool:
    """Return whether the user typed it: no tool result, generated row, command or interruption."""
    if not row.is_user:
        return False
    if row.flags & _NOT_A_PROMPT or any(isinstance(block, ToolResponse) for block in row.blocks):
        return False
    return bool(row.blocks) and not first_text(row.blocks).startswith(_GENERATED_STARTS)


def first_text(blocks: tuple[Block, ...]) -> str:
    """Return the first text of some blocks, without leading blanks."""
    for block in blocks:
        if isinstance(block, Text):
            return block.text.lstrip()
    return ""


def _flags(line: Mapping[str, Json], user: bool, blocks: tuple[Block, ...]) -> MessageFlag:
    flags = opaque_flag(blocks)
    for name, flag in _FLAG_FIELDS:
        if line.get(name) is True:
            flags |= flag
    return flags | MessageFlag.COMMAND if user and is_command(blocks) else flags


def row_messages(row: ClaudeRow, blocks: tuple[Block, ...]) -> list[Message]:
    """Return the messages of one line: two for a user line that holds tool results and more. ``blocks`` are
    its own, with tool names where known."""
    _, uuid, _, _, source, flags, timestamp, api_id, extra = row
    if not row.is_user:
        return [Message(Speaker.AI, blocks, (source,), flags, api_id or uuid, timestamp, extra)]
    if len(blocks) == 1:  # the usual case
        speaker = Speaker.TOOL if isinstance(blocks[0], ToolResponse) else Speaker.HUMAN
        return [Message(speaker, blocks, (source,), flags, uuid, timestamp, extra)]
    result: list[Message] = []
    for part, (speaker, part_blocks) in enumerate(split_by_speaker(blocks)):
        part_source = Source(source.line, source.start, source.end, part) if part else source
        result.append(Message(speaker, part_blocks, (part_source,), flags, uuid, timestamp, extra))
    return result


def with_line(message: Message, row: ClaudeRow, blocks: tuple[Block, ...]) -> Message:
    return Message(
        message.speaker,
        message.blocks + blocks,
        (*message.sources, row.source),
        message.flags | row.flags,
        message.id,
        message.timestamp,
        message.extra,
    )


class ClaudeMessageBuilder:
    """Builds messages row by row: the lines of one answer become one message, at its first line. Results get
    the names of earlier calls at once, so that no message is rebuilt for that."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self.messages_before = array("q")
        """Number of messages before each row, including rows that were left out."""
        self._first_messages = array("q")  # per row: its first message, -1 if it was left out
        self._calls: dict[str, ToolCall] = {}  # the latest by id
        self._answer_indices: dict[str, int] = {}
        self._last_answer = -1  # the answer of the last row
        self._shown_count = 0

    def add(self, row: ClaudeRow) -> None:
        api_id, messages = row.api_id, self.messages
        next_index = index = len(messages)
        blocks = self._with_tool_names(row.blocks)
        self._last_answer = -1
        if api_id:
            index = self._last_answer = self._answer_indices.setdefault(api_id, next_index)
        if index == next_index:
            messages.extend(row_messages(row, blocks))
        else:
            messages[index] = with_line(messages[index], row, blocks)
        self.messages_before.append(next_index)
        self._first_messages.append(index)

    def skip_row(self) -> None:
        """Skip the next row, which is not on this branch."""
        self.messages_before.append(len(self.messages))
        self._first_messages.append(-1)

    def message_range(self, row: int) -> range:
        """Return the messages of a row by its number; none if it was left out."""
        first, end = self._first_messages[row], self.messages_before[row]
        if first < end:  # part of an earlier answer, or left out
            return range(max(first, 0), first + 1)
        return range(
            first,
            self.messages_before[row + 1] if row + 1 < len(self.messages_before) else len(self.messages),
        )

    def _with_tool_names(self, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
        """Return the blocks of a row with its results named, and remember its calls."""
        named_blocks: list[Block] | None = None
        for index, block in enumerate(blocks):
            if isinstance(block, ToolCall):
                self._calls[block.id] = block
            elif isinstance(block, ToolResponse) and block.call_id and not block.name:
                call = self._calls.get(block.call_id)
                if call is not None and call.name:
                    named_blocks = named_blocks or list(blocks)
                    named_blocks[index] = with_call(block, call)
        return blocks if named_blocks is None else tuple(named_blocks)

    def new_messages(self) -> list[Message]:
        """Return the messages since the last call, without an answer that may continue."""
        start, end = self._shown_count, len(self.messages)
        if self._last_answer >= start:
            end = self._last_answer
        self._shown_count = max(start, end)
        return self.messages[start:end]


def reported_input_tokens(usage: Mapping[str, Json]) -> int | None:
    """Return the tokens of a request; None if they are not reported."""
    return sum_of(*(usage.get(name) for name in INPUT_TOKEN_FIELDS))


@dataclass(slots=True)
class ClaudeUsageReports:
    """Reports by the row with the first line of their answer. The first line has the size of the request;
    later ones repeat it, and the last has the whole output."""

    last_usage: Mapping[str, Json] = field(default_factory=dict)
    _rows: dict[str, int] = field(default_factory=dict)
    _reports: dict[int, tuple[int, int | None, str]] = field(default_factory=dict)

    def add(self, row: int, api_id: str, usage: Mapping[str, Json], model: str) -> None:
        """Note the usage of a line; ``api_id`` is that of its answer, "" for a line by itself."""
        self.last_usage = usage
        row = self._rows.setdefault(api_id, row) if api_id else row
        tokens, output = reported_input_tokens(usage), number_of(usage.get("output_tokens"))
        if tokens:
            earlier = self._reports.get(row)
            self._reports[row] = (earlier[0] if earlier else tokens, output, model)

    def reported_usage(self, builder: ClaudeMessageBuilder) -> tuple[ReportedUsage, ...]:
        """Return the reports of the requests on a branch, in the order of their answers."""
        reports_with_ranges = ((builder.message_range(row), report) for row, report in self._reports.items())
        return tuple(
            ReportedUsage(message_range.start, *report)
            for message_range, report in reports_with_ranges
            if message_range
        )
