"""Reads history entries of llxprt (IContent) as messages, and writes their blocks."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from core.common.json_value import MISSING, Json
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import fields_of, iso_timestamp, list_of, other_fields, string_of
from core.formats.writing.base import ExportLosses
from core.formats.writing.plain_text import fields_without_notes, split_data_url
from core.transcript.model import (
    Block,
    Code,
    Media,
    Message,
    MessageFlag,
    Opaque,
    Source,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

SPEAKERS = {"human": Speaker.HUMAN, "ai": Speaker.AI, "tool": Speaker.TOOL}


@dataclass(frozen=True, slots=True)
class _Shape:
    """The fields of a block in the order of its attributes: texts that it must have, texts that it may have,
    and values of any type."""

    block: type[Any]
    required: tuple[str, ...]
    optional: tuple[str, ...] = ()
    values: tuple[str, ...] = ()


_SHAPES: Mapping[str, _Shape] = {
    "text": _Shape(Text, ("text",)),
    "tool_call": _Shape(ToolCall, ("id", "name"), (), ("parameters",)),
    "tool_response": _Shape(ToolResponse, ("callId",), ("toolName",), ("result", "error")),
    "thinking": _Shape(Thinking, ("thought",)),
    "media": _Shape(Media, ("mimeType", "data"), ("caption",)),
    "code": _Shape(Code, ("code",), ("language",)),
}
_KINDS: Mapping[type[Any], str] = {shape.block: kind for kind, shape in _SHAPES.items()}
_LEFT_OUT_IF_EMPTY = ("caption", "language")


def read_entry(entry: Mapping[str, Json], source: Source, notes: ImportNotes) -> Message:
    """Return the message of an entry. Absent fields become MISSING; other metadata stay in extra."""
    blocks = tuple(map(read_block, list_of(entry.get("blocks"))))
    metadata = fields_of(entry.get("metadata"))
    flags = MessageFlag.RECORDED_SUMMARY if metadata.get("isSummary") is True else MessageFlag.NONE
    if any(isinstance(block, Opaque) for block in blocks):
        flags |= MessageFlag.OPAQUE
        notes.warn(source.line, "a block is not known, or lacks its id or words; kept as it is")
    speaker = SPEAKERS.get(string_of(entry.get("speaker")))
    is_known = {"speaker": speaker is not None, "blocks": isinstance(entry.get("blocks"), list)}
    id_, time = string_of(metadata.get("id")), iso_timestamp(metadata.get("timestamp"))
    extra = other_fields(entry, [name for name, known in is_known.items() if known])
    return Message(speaker or Speaker.UNKNOWN, blocks, (source,), flags, id_, time, extra)


def read_block(value: Json) -> Block:
    """Convert one block; one of an unknown type or with a broken field is Opaque."""
    kind = string_of(value.get("type")) if isinstance(value, dict) else ""
    shape = _SHAPES.get(kind)
    if shape is None or not all(isinstance(value.get(name), str) for name in shape.required):
        return Opaque(kind or "unknown", value)
    optional = [name for name in shape.optional if isinstance(value.get(name), str)]
    attributes: list[Any] = [value[name] for name in shape.required]
    attributes += [string_of(value.get(name)) for name in shape.optional]
    attributes += [value.get(name, MISSING) for name in shape.values]
    extra = other_fields(value, ("type", *shape.required, *optional, *shape.values))
    block: Block = shape.block(*attributes, extra)
    return block


def block_json(block: Block, *, same_format: bool, losses: ExportLosses) -> Json | None:
    """Return one block, None if llxprt has no such block; ``same_format``: it came from llxprt."""
    if isinstance(block, Opaque):
        if same_format:
            return block.raw
        losses.count_left_out(block.kind or "unknown block")
        return None
    kind = _KINDS[type(block)]
    shape = _SHAPES[kind]
    names = (*shape.required, *shape.optional, *shape.values)
    attributes = [getattr(block, attribute.name) for attribute in fields(block)]
    value: dict[str, Json] = {"type": kind}
    for name, attribute in zip(names, attributes, strict=False):
        if attribute is not MISSING and (attribute or name not in _LEFT_OUT_IF_EMPTY):
            value[name] = attribute
    return {**value, **fields_without_notes(block.extra)} if same_format else value | _own_fields(block)


def _own_fields(block: Block) -> dict[str, Json]:
    """Return the fields that a block of another format needs."""
    match block:
        case ToolResponse() if block.error is not MISSING and not isinstance(block.error, str):
            return {"error": "" if block.error is None else str(block.error)}
        case Thinking() if block.extra.get("signature"):
            return {"signature": block.extra["signature"], "sourceField": "thinking"}
        case Thinking() if block.extra.get("$field"):
            return {"sourceField": "reasoning_content"}
        case Media():
            mime, data = split_data_url(block.mime, block.data)
            is_url = data.startswith(("http://", "https://", "data:"))
            encoding = "url" if is_url else "base64"
            return {"mimeType": mime or "image/png", "data": data, "encoding": encoding}
    return {}
