"""From the lines of a Claude Code session to messages."""

from __future__ import annotations

from core.conversation import Flag, Message, Speaker, ToolResponse
from core.formats import making
from core.formats.anthropic_blocks import by_speaker
from core.formats.claude_rows import Row

_NO_FLAGS = Flag.NONE


def row_messages(row: Row) -> list[Message]:
    """The messages of one line: two for a user line that holds tool results and more."""
    _, uuid, _, blocks, source, flags, timestamp, api_id, extra = row
    if not row.user:
        return [making.message(Speaker.AI, blocks, (source,), flags, api_id or uuid, timestamp, extra)]
    if len(blocks) == 1:  # nearly always
        speaker = Speaker.TOOL if isinstance(blocks[0], ToolResponse) else Speaker.HUMAN
        return [making.message(speaker, blocks, (source,), flags, uuid, timestamp, extra)]
    result: list[Message] = []
    for part, (speaker, some) in enumerate(by_speaker(blocks)):
        place = making.source(source.line, source.start, source.end, part) if part else source
        result.append(making.message(speaker, some, (place,), flags, uuid, timestamp, extra))
    return result


def joined(message: Message, row: Row) -> Message:
    """An assistant message with one more of its lines."""
    return making.message(
        message.speaker,
        message.blocks + row.blocks,
        (*message.sources, row.source),
        message.flags if row.flags is _NO_FLAGS else message.flags | row.flags,
        message.id,
        message.timestamp,
        message.extra,
    )


class Talk:
    """Messages that grow row by row: the lines of one answer are one of them, at its first line."""

    def __init__(self) -> None:
        self.messages: list[Message] = []
        self._answers: dict[str, int] = {}
        self._last = -1  # the answer that the last row belongs to
        self._shown = 0

    def add(self, row: Row) -> int:
        """Add a row; returns the index of its first message."""
        api_id, messages = row.api_id, self.messages
        place = len(messages)
        if not api_id:
            self._last = -1
            messages.extend(row_messages(row))
            return place
        known = self._last = self._answers.setdefault(api_id, place)
        if known == place:
            messages.extend(row_messages(row))
        else:
            messages[known] = joined(messages[known], row)
        return known

    def fresh(self) -> list[Message]:
        """The messages since the last call; an answer whose lines may go on is left for the next time."""
        start, end = self._shown, len(self.messages)
        if self._last >= start:
            end = self._last
        self._shown = max(start, end)
        return self.messages[start:end]
