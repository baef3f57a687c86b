"""Conversion of messages to and from llxprt's IContent, the neutral form. JSON output and golden
cases use it. Fields that Foldline does not interpret are kept in ``extra``; a field of an
unexpected type is kept there and wins on writing."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from core.common.json_value import MISSING, Json
from core.transcript.model import (
    Block,
    Code,
    Media,
    Message,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_SPEAKERS = {speaker.value: speaker for speaker in Speaker}


def message_from_entry(entry: Mapping[str, Json]) -> Message:
    """Convert an IContent entry; an unknown speaker keeps its name in ``extra``."""
    name = entry.get("speaker")
    speaker = _SPEAKERS.get(name, Speaker.UNKNOWN) if isinstance(name, str) else Speaker.UNKNOWN
    blocks = entry.get("blocks", MISSING)
    known = [] if speaker is Speaker.UNKNOWN else ["speaker"]
    extra = _fields_except(entry, (*known, "blocks") if isinstance(blocks, list) else known)
    if speaker is Speaker.UNKNOWN:
        extra.setdefault("speaker", MISSING)
    if blocks is MISSING:
        extra["blocks"] = MISSING
    found = tuple(map(block_from_entry, blocks)) if isinstance(blocks, list) else ()
    return Message(speaker=speaker, blocks=found, extra=extra)


def message_entry(message: Message) -> dict[str, Json]:
    fields = {
        "speaker": message.speaker.value,
        "blocks": [block_entry(block) for block in message.blocks],
    }
    return _present({**fields, **message.extra})


def _fields_except(entry: Mapping[str, Json], known: Sequence[str]) -> dict[str, Json]:
    return {key: value for key, value in entry.items() if key not in known}


def _text(extra: dict[str, Json], key: str) -> str:
    """Remove and return a text field of ``extra``; another type stays, an absent field is marked
    there."""
    if not isinstance(extra.setdefault(key, MISSING), str):
        return ""
    return str(extra.pop(key))


def _optional_text(extra: dict[str, Json], key: str) -> str:
    """Remove and return an optional text field of ``extra`` if it is not empty."""
    value = extra.get(key)
    return str(extra.pop(key)) if isinstance(value, str) and value else ""


def _id(extra: dict[str, Json], key: str) -> str:
    """Remove and return an id of ``extra``; one that is not a text stays there and is paired by its
    JSON."""
    value = extra.get(key)
    if key not in extra or value is None or isinstance(value, str):
        return _text(extra, key)
    return json.dumps(value, ensure_ascii=False)


def block_from_entry(entry: Json) -> Block:
    """Convert an IContent block; an unknown type or shape becomes opaque."""
    if not isinstance(entry, dict):
        return Opaque("not an object", entry)
    extra = _fields_except(entry, ("type",))
    match entry.get("type"):
        case "text":
            return Text(_text(extra, "text"), extra)
        case "tool_call":
            id_, name = _id(extra, "id"), _text(extra, "name")
            return ToolCall(id_, name, extra.pop("parameters", MISSING), extra)
        case "tool_response":
            id_, name = _id(extra, "callId"), _text(extra, "toolName")
            return ToolResponse(
                id_, name, extra.pop("result", MISSING), extra.pop("error", MISSING), extra
            )
        case "thinking":
            return Thinking(_text(extra, "thought"), extra)
        case "media":
            mime, data = _text(extra, "mimeType"), _text(extra, "data")
            return Media(mime, data, _optional_text(extra, "caption"), extra)
        case "code":
            return Code(_text(extra, "code"), _optional_text(extra, "language"), extra)
        case kind:
            return Opaque(str(kind), entry)


def block_entry(block: Block) -> Json:
    """Convert a block to IContent; missing fields stay missing."""
    fields: dict[str, Json]
    match block:
        case Text():
            fields = {"type": "text", "text": block.text}
        case ToolCall():
            fields = {
                "type": "tool_call",
                "id": block.id,
                "name": block.name,
                "parameters": block.arguments,
            }
        case ToolResponse():
            fields = {"type": "tool_response", "callId": block.call_id, "toolName": block.name}
            fields |= {"result": block.result, "error": block.error}
        case Thinking():
            fields = {"type": "thinking", "thought": block.text}
        case Media():
            fields = {"type": "media", "mimeType": block.mime, "data": block.data}
            fields |= {"caption": block.caption} if block.caption else {}
        case Code():
            fields = {"type": "code", "code": block.code}
            fields |= {"language": block.language} if block.language else {}
        case Opaque():
            return block.raw
    return _present({**fields, **block.extra})


def _present(fields: Mapping[str, Json]) -> dict[str, Json]:
    return {key: value for key, value in fields.items() if value is not MISSING}
