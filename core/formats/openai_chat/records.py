"""Reads messages of OpenAI's chat shape, for all readers whose records are such messages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import coerce_text
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_ranges import JsonRecord
from core.formats.common.tool_linking import link_calls
from core.formats.openai_chat.parts import function_call, read_call, read_parts
from core.transcript.model import (
    Block,
    Message,
    MessageFlag,
    Opaque,
    Source,
    Speaker,
    Text,
    Thinking,
    ToolResponse,
)

ROLES: Mapping[str, Speaker] = {
    "user": Speaker.HUMAN,
    "assistant": Speaker.AI,
    "tool": Speaker.TOOL,
    "function": Speaker.TOOL,
    "ipython": Speaker.TOOL,
    "system": Speaker.SYSTEM,
    "developer": Speaker.SYSTEM,
}
_USUAL_ROLE = {Speaker.HUMAN: "user", Speaker.AI: "assistant", Speaker.TOOL: "tool", Speaker.SYSTEM: "system"}
_REASONING_FIELDS = ("reasoning_content", "reasoning")


@dataclass(frozen=True, slots=True)
class OpenAIMessages:
    """The messages of some records. ``system`` are the texts of the leading system and developer records,
    ``system_places`` their places (``layout["system"]``, see base.py)."""

    messages: tuple[Message, ...]
    system: tuple[str, ...]
    system_places: list[list[int]]


def read_messages(
    records: Iterable[JsonRecord], notes: ImportNotes, roles: Mapping[str, Speaker] = ROLES
) -> OpenAIMessages:
    """Read all messages of one conversation, linked, with leading system and developer records apart.
    ``roles`` maps roles to speakers, for formats with roles of their own."""
    messages: list[Message] = []
    texts: list[str] = []
    system_places: list[list[int]] = []
    for record in records:
        message = read_record(record, notes, roles)
        if message.speaker is Speaker.SYSTEM and not messages:
            texts.append("\n".join(block.text for block in message.blocks if isinstance(block, Text)))
            system_places.append([record.line, record.start, record.end])
        else:
            messages.append(message)
    return OpenAIMessages(link_calls(messages, notes), tuple(texts), system_places)


def read_record(record: JsonRecord, notes: ImportNotes, roles: Mapping[str, Speaker] = ROLES) -> Message:
    """Read the message of a record; unknown parts are kept, with a warning."""
    value, source = record.value, (Source(record.line, record.start, record.end),)
    if not isinstance(value, dict):
        notes.warn(record.line, "a message is not an object; kept as it is")
        return Message(Speaker.UNKNOWN, (Opaque("message", value),), source, MessageFlag.OPAQUE)
    speaker = _speaker(value, notes, record.line, roles)
    extra = {key: field for key, field in value.items() if key not in ("role", "content")}
    role = value.get("role")
    if "role" in value and role != _USUAL_ROLE.get(speaker):
        extra["role"] = role
    if speaker is Speaker.TOOL:
        blocks = _response(value, extra)
    else:
        blocks = _content(value, extra, notes, record.line)
        if speaker is Speaker.AI:
            blocks = (*_thoughts(value, extra), *blocks, *_calls(value, extra, notes, record.line))
    opaque = MessageFlag.OPAQUE if any(isinstance(block, Opaque) for block in blocks) else MessageFlag.NONE
    id_ = extra.pop("id") if isinstance(value.get("id"), str) else ""
    return Message(speaker, blocks, source, opaque, id_, "", extra)


def _speaker(
    value: Mapping[str, Json], notes: ImportNotes, line: int, roles: Mapping[str, Speaker]
) -> Speaker:
    if "role" not in value:
        notes.warn(line, "a message has no role; kept as unknown")
        return Speaker.UNKNOWN
    role = value["role"]
    role_name = role[0] if isinstance(role, list) and len(role) == 1 else role
    speaker = roles.get(role_name) if isinstance(role_name, str) else None
    if speaker is not None and role_name is not role:
        notes.warn(line, "the role is a list; the one in it was taken")
    if speaker is None:
        role_text = json.dumps(role, ensure_ascii=False)[:40]
        notes.warn(line, f"the role {role_text} is not known; kept as unknown")
    return speaker or Speaker.UNKNOWN


def _content(
    value: Mapping[str, Json], extra: dict[str, Json], notes: ImportNotes, line: int
) -> tuple[Block, ...]:
    content = value.get("content", MISSING)
    if isinstance(content, list):
        return read_parts(content, notes, line)
    if content is None or content is MISSING:
        extra["$content"] = "null" if content is None else "absent"
        return ()
    if isinstance(content, str):
        extra["$content"] = "string"
        return (Text(content),) if content else ()
    notes.warn(line, "content is neither text nor a list; kept as it is")
    return (Opaque("content", content),)


def _thoughts(value: Mapping[str, Json], extra: dict[str, Json]) -> tuple[Block, ...]:
    for name in _REASONING_FIELDS:
        if isinstance(value.get(name), str) and value[name]:
            del extra[name]
            return (Thinking(value[name], {"$field": name}),)
    return ()


def _calls(
    value: Mapping[str, Json], extra: dict[str, Json], notes: ImportNotes, line: int
) -> tuple[Block, ...]:
    calls = value.get("tool_calls")
    if isinstance(calls, list) and calls:
        del extra["tool_calls"]
        return tuple(read_call(call, notes, line) for call in calls)
    if isinstance(calls, dict) and calls:
        del extra["tool_calls"]
        notes.repair(line, "tool_calls is an object; read as a list of one")
        return (read_call(calls, notes, line),)
    if calls:
        notes.warn(line, "tool_calls is not a list; kept as it is")
    legacy = value.get("function_call")
    if isinstance(legacy, dict):
        del extra["function_call"]
        return (function_call(legacy, "", {"$legacy": True}),)
    return ()


def _response(value: Mapping[str, Json], extra: dict[str, Json]) -> tuple[Block, ...]:
    """Return the one response of a tool message. A null or absent content is an empty text."""
    response_extra: dict[str, Json] = {}
    call_id = extra.pop("tool_call_id", None)
    if call_id is not None and not isinstance(call_id, str):
        response_extra["tool_call_id"] = call_id
    if value.get("role") == "function":
        response_extra["$legacy"] = True
    name = value.get("name")
    if isinstance(name, str):
        del extra["name"]
    content = value.get("content", MISSING)
    if content is None or content is MISSING:
        response_extra["$content"] = "null" if content is None else "absent"
        content = ""
    return (ToolResponse(coerce_text(call_id), coerce_text(name), content, MISSING, response_extra),)
