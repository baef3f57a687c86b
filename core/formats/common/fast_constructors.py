"""Makes the values of which a file has tens of thousands at a quarter of what their constructors cost.

A frozen dataclass sets each field through a call. Here each value begins as an open twin with the same
slots and then becomes what it is; a test compares them with what the constructors make.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from core.common.json_value import MISSING, Json
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Message,
    MessageFlag,
    Source,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
)


class _Text:
    __slots__ = Text.__slots__


class _ToolCall:
    __slots__ = ToolCall.__slots__


class _ToolResponse:
    __slots__ = ToolResponse.__slots__


class _Source:
    __slots__ = Source.__slots__


class _Message:
    __slots__ = Message.__slots__


def text(words: str, extra: Mapping[str, Json] = NO_EXTRA) -> Text:
    """A Text."""
    made: Any = _Text()
    made.text = words
    made.extra = extra
    made.__class__ = Text
    ready: Text = made
    return ready


def call(id: str, name: str, arguments: Json, extra: Mapping[str, Json] = NO_EXTRA) -> ToolCall:
    """A ToolCall."""
    made: Any = _ToolCall()
    made.id = id
    made.name = name
    made.arguments = arguments
    made.extra = extra
    made.__class__ = ToolCall
    ready: ToolCall = made
    return ready


def response(
    call_id: str, name: str, result: Json, error: Json = MISSING, extra: Mapping[str, Json] = NO_EXTRA
) -> ToolResponse:
    """A ToolResponse."""
    made: Any = _ToolResponse()
    made.call_id = call_id
    made.name = name
    made.result = result
    made.error = error
    made.extra = extra
    made.__class__ = ToolResponse
    ready: ToolResponse = made
    return ready


def source(line: int, start: int, end: int, part: int = 0) -> Source:
    """A Source."""
    made: Any = _Source()
    made.line = line
    made.start = start
    made.end = end
    made.part = part
    made.__class__ = Source
    ready: Source = made
    return ready


def message(
    speaker: Speaker,
    blocks: tuple[Block, ...],
    sources: tuple[Source, ...],
    flags: MessageFlag,
    id: str,
    timestamp: str,
    extra: Mapping[str, Json],
) -> Message:
    """A Message."""
    made: Any = _Message()
    made.speaker = speaker
    made.blocks = blocks
    made.sources = sources
    made.flags = flags
    made.id = id
    made.timestamp = timestamp
    made.extra = extra
    made.__class__ = Message
    ready: Message = made
    return ready
