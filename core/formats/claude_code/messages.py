"""Builds messages from the lines of a Claude Code session."""

from __future__ import annotations

from array import array

from core.formats.anthropic.blocks import split_by_speaker
from core.formats.claude_code.rows import ClaudeRow
from core.formats.common.tool_linking import with_call
from core.transcript.model import Block, Message, MessageFlag, Source, Speaker, ToolCall, ToolResponse

_NO_FLAGS = MessageFlag.NONE


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
        message.flags if row.flags is _NO_FLAGS else message.flags | row.flags,
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
