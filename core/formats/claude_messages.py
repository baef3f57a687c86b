"""From the lines of a Claude Code session to messages."""

from __future__ import annotations

from collections.abc import Sequence

from core.conversation import Flag, Message, Source, Speaker
from core.formats.anthropic_blocks import by_speaker
from core.formats.claude_rows import Row


def row_messages(row: Row) -> list[Message]:
    """The messages of one line: two for a user line that holds tool results and more."""
    if not row.user:
        id_ = row.api_id or row.uuid
        return [Message(Speaker.AI, row.blocks, (row.source,), row.flags, id_, row.timestamp, row.extra)]
    result: list[Message] = []
    for part, (speaker, blocks) in enumerate(by_speaker(row.blocks)):
        line, start, end = row.source.line, row.source.start, row.source.end
        source = Source(line, start, end, part) if part else row.source
        result.append(Message(speaker, blocks, (source,), row.flags, row.uuid, row.timestamp, row.extra))
    return result


def joined(message: Message, row: Row) -> Message:
    """An assistant message with one more of its lines."""
    return Message(  # in full: there are as many as lines, and dataclasses.replace is slow
        message.speaker,
        message.blocks + row.blocks,
        (*message.sources, row.source),
        message.flags if row.flags is Flag.NONE else message.flags | row.flags,
        message.id,
        message.timestamp,
        message.extra,
    )


def finished(rows: Sequence[Row], start: int) -> tuple[list[Message], int]:
    """The messages of the rows from ``start`` on, and where the next begin.

    An assistant message whose lines may go on is left for the next time.
    """
    end = len(rows)
    while end > start and rows[end - 1].api_id and rows[end - 1].api_id == rows[-1].api_id:
        end -= 1
    messages: list[Message] = []
    last = ""
    for row in rows[start:end]:
        if row.api_id and row.api_id == last:
            messages[-1] = joined(messages[-1], row)
        else:
            messages.extend(row_messages(row))
        last = row.api_id
    return messages, end
