"""Constructs frequent values at a quarter of the cost of their constructors.

A frozen dataclass sets each field through a call. Here each value begins as an instance of a mutable class
with the same slots, whose class is then replaced; a test compares the results with the constructors'.
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


def text(content: str, extra: Mapping[str, Json] = NO_EXTRA) -> Text:
    value: Any = _Text()
    value.text = content
    value.extra = extra
    value.__class__ = Text
    ready: Text = value
    return ready


def call(id: str, name: str, arguments: Json, extra: Mapping[str, Json] = NO_EXTRA) -> ToolCall:
    value: Any = _ToolCall()
    value.id = id
    value.name = name
    value.arguments = arguments
    value.extra = extra
    value.__class__ = ToolCall
    ready: ToolCall = value
    return ready


def response(
    call_id: str, name: str, result: Json, error: Json = MISSING, extra: Mapping[str, Json] = NO_EXTRA
) -> ToolResponse:
    value: Any = _ToolResponse()
    value.call_id = call_id
    value.name = name
    value.result = result
    value.error = error
    value.extra = extra
    value.__class__ = ToolResponse
    ready: ToolResponse = value
    return ready


def source(line: int, start: int, end: int, part: int = 0) -> Source:
    value: Any = _Source()
    value.line = line
    value.start = start
    value.end = end
    value.part = part
    value.__class__ = Source
    ready: Source = value
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
    value: Any = _Message()
    value.speaker = speaker
    value.blocks = blocks
    value.sources = sources
    value.flags = flags
    value.id = id
    value.timestamp = timestamp
    value.extra = extra
    value.__class__ = Message
    ready: Message = value
    return ready
