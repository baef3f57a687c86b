"""Reads messages of OpenAI's chat shape, for all readers whose records are such messages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence

import orjson

from core.common.json_value import MISSING, Json
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    other_fields,
    parse_clean_json,
    parse_text,
    string_of,
)
from core.formats.common.message_lists import ConversationRecords
from core.formats.common.messages import (
    ImportNotes,
    bare_part,
    opaque_flag,
    unreadable_message,
)
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Media,
    Message,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

CALL_PART = "tool_call"
"""The type of a content part that holds a call, as LLaMA-Factory writes it."""


def read_parts(
    content: Iterable[Json], notes: ImportNotes, line: int
) -> tuple[Block, ...]:
    blocks: list[Block] = []
    for part in content:
        is_call = isinstance(part, dict) and part.get("type") == CALL_PART
        blocks += (
            _part_calls(part, notes, line)
            if is_call
            else (read_part(part, notes, line),)
        )
    return tuple(blocks)


def _text_part(part: Mapping[str, Json]) -> Text | None:
    kind = part.get("type")
    if kind == "text" and isinstance(part.get("text"), str):
        return Text(part["text"], other_fields(part, ("type", "text")))
    # Variants of the shape have the text under another name.
    for name in ("value", "refusal"):
        if kind in ("text", name) and isinstance(part.get(name), str):
            return Text(
                part[name], {**other_fields(part, ("type", name)), "$field": name}
            )
    return None


def read_part(part: Json, notes: ImportNotes, line: int) -> Block:
    """Read one part of a content list; an unknown one becomes Opaque."""
    if not isinstance(part, dict):
        return bare_part(part, notes, line)
    kind = part.get("type")
    if text := _text_part(part):
        return text
    # Probably only datasets write reasoning as a part of the content.
    if kind == "reasoning" and isinstance(part.get("value"), str):
        return Thinking(
            part["value"], {**other_fields(part, ("type", "value")), "$field": "value"}
        )
    if not isinstance(kind, str):
        return Opaque("unknown", part)
    inner = part.get(kind)
    if isinstance(inner, dict) and kind in ("image_url", "input_audio", "file"):
        return _media(part, kind, inner)
    return Opaque(kind or "unknown", part)


def _part_calls(
    part: Mapping[str, Json], notes: ImportNotes, line: int
) -> tuple[Block, ...]:
    value = part.get("value")
    # LLaMA-Factory writes the call as JSON in a text.
    if isinstance(value, str):
        try:
            value = parse_text(value)
        except ValueError:
            value = None
    if isinstance(value, list):
        values = value
    else:
        values = [value]
    calls = [
        call
        for call in values
        if isinstance(call, dict) and isinstance(call.get("name"), str)
    ]
    # A half understood part would lose the rest, so all of it stays.
    if not calls or len(calls) < len(values):
        notes.warn(
            line, "the call in a content part is not JSON with a name; kept as it is"
        )
        return (Opaque(CALL_PART, part),)
    return tuple(
        function_call(call, coerce_text(call.get("id")), {"$field": "value"})
        for call in calls
    )


def _media(part: Mapping[str, Json], kind: str, inner: Mapping[str, Json]) -> Block:
    name = {"image_url": "url", "input_audio": "data", "file": "file_data"}[kind]
    data = inner.get(name)
    if not isinstance(data, str):
        return Opaque(kind, part)
    # The format is that of sound; images and files have their type in the data URL.
    audio_format = inner.get("format")
    if isinstance(audio_format, str):
        mime = f"audio/{audio_format}"
    else:
        mime = _data_url_mime(data)
    caption = inner.get("filename")
    extra: dict[str, Json] = {**other_fields(part, ("type", kind)), "$source": kind}
    if others := other_fields(inner, (name,)):
        extra["$source_extra"] = dict(others)
    return Media(mime, data, string_of(caption), extra)


def _data_url_mime(data: str) -> str:
    if data.startswith("data:"):
        return data[5:].split(";", 1)[0].split(",", 1)[0]
    return ""


def read_call(call: Json, notes: ImportNotes, line: int) -> Block:
    if not isinstance(call, dict):
        notes.warn(line, "a tool call is not an object; kept as it is")
        return Opaque("tool_call", call)
    function = call.get("function")
    # A custom tool has raw text as input and no function.
    if not isinstance(function, dict):
        custom = call.get("custom")
        if isinstance(custom, dict):
            name = custom.get("name")
        else:
            name = call.get("name")
        if isinstance(custom, dict):
            custom_input = custom.get("input")
        else:
            custom_input = None
        return ToolCall(
            coerce_text(call.get("id")),
            coerce_text(name),
            custom_input,
            other_fields(call, ("id",)),
        )
    known = {"function"} | ({"id"} if isinstance(call.get("id"), str) else set())
    if call.get("type") == "function":
        # Probably proxies leave the type out; a missing one must not be written back.
        known.add("type")
    return function_call(
        function, coerce_text(call.get("id")), other_fields(call, known)
    )


def function_call(
    function: Mapping[str, Json], id_: str, extra: Mapping[str, Json]
) -> ToolCall:
    """Return a call from its ``function`` object; arguments that are not JSON stay text."""
    name = function.get("name")
    arguments, arguments_extra = read_arguments(function.get("arguments"))
    known = {"arguments"} | ({"name"} if isinstance(name, str) else set())
    merged: dict[str, Json] = {**extra, **arguments_extra}
    if others := other_fields(function, known):
        merged["$function"] = dict(others)
    return ToolCall(id_, coerce_text(name), arguments, merged or NO_EXTRA)


def read_arguments(raw: Json) -> tuple[Json, Mapping[str, Json]]:
    """Return the arguments as a value, and notes to restore the original text (FORMATS.md)."""
    if not isinstance(raw, str):
        return raw, {"$object": True}
    value = parse_clean_json(raw)
    # Compact JSON of the arguments is the usual case, and then no copy of the text is kept.
    if value is not MISSING:
        return value, NO_EXTRA if orjson.dumps(value) == raw.encode() else {
            "$arguments": raw
        }
    try:
        value = parse_text(raw)
    except ValueError:
        return raw, {"$arguments": raw}
    # A text that Python writes the same way needs no copy either.
    is_reproduced = json.dumps(value, ensure_ascii=False, separators=(",", ":")) == raw
    return value, NO_EXTRA if is_reproduced else {"$arguments": raw}


ROLES: Mapping[str, Speaker] = {
    "user": Speaker.HUMAN,
    "assistant": Speaker.AI,
    "tool": Speaker.TOOL,
    "function": Speaker.TOOL,
    # Llama's chat template gives this role to tools.
    "ipython": Speaker.TOOL,
    "system": Speaker.SYSTEM,
    "developer": Speaker.SYSTEM,
}
_USUAL_ROLE = {
    Speaker.HUMAN: "user",
    Speaker.AI: "assistant",
    Speaker.TOOL: "tool",
    Speaker.SYSTEM: "system",
}
REASONING_FIELDS = ("reasoning_content", "reasoning")


def read_messages(
    loaded: ConversationRecords,
    roles: Mapping[str, Speaker] = ROLES,
    records: Sequence[JsonRecord] | None = None,
) -> tuple[Message, ...]:
    """Read all messages of one conversation, linked; leading system and developer records go to its
    system part. ``roles`` maps roles to speakers, for formats with roles of their own."""
    return loaded.read_messages(
        lambda record, notes: (read_record(record, notes, roles),), records
    )


def read_record(
    record: JsonRecord, notes: ImportNotes, roles: Mapping[str, Speaker] = ROLES
) -> Message:
    """Read the message of a record; unknown parts are kept, with a warning."""
    value = record.value
    source = (record.source(),)
    if not isinstance(value, dict):
        return unreadable_message(record, notes)
    speaker = _speaker(value, notes, record.line, roles)
    extra = {
        # All fields but those read go back into an export of the same format.
        key: field
        for key, field in value.items()
        if key not in ("role", "content")
    }
    role = value.get("role")
    if "role" in value and role != _USUAL_ROLE.get(speaker):
        extra["role"] = role
    if speaker is Speaker.TOOL:
        blocks = _response(value, extra)
    else:
        blocks = _content(value, extra, notes, record.line)
        if speaker is Speaker.AI:
            blocks = (
                *_thoughts(value, extra),
                *blocks,
                *_calls(value, extra, notes, record.line),
            )
    opaque = opaque_flag(blocks)
    if isinstance(value.get("id"), str):
        id_ = extra.pop("id")
    else:
        id_ = ""
    return Message(
        speaker=speaker,
        blocks=blocks,
        sources=source,
        flags=opaque,
        id=id_,
        timestamp="",
        extra=extra,
    )


def _speaker(
    value: Mapping[str, Json],
    notes: ImportNotes,
    line: int,
    roles: Mapping[str, Speaker],
) -> Speaker:
    if "role" not in value:
        notes.warn(line, "a message has no role; kept as unknown")
        return Speaker.UNKNOWN
    role = value["role"]
    # Probably a dataset has the role in a list of one.
    if isinstance(role, list) and len(role) == 1:
        role_name = role[0]
    else:
        role_name = role
    if isinstance(role_name, str):
        speaker = roles.get(role_name)
    else:
        speaker = None
    if speaker is not None and role_name is not role:
        notes.warn(line, "the role is a list; the one in it was taken")
    if speaker is None:
        role_text = json.dumps(role, ensure_ascii=False)[:40]
        notes.warn(line, f"the role {role_text} is not known; kept as unknown")
    # An empty role is no human one: a guess would put words into the person's mouth.
    return speaker or Speaker.UNKNOWN


def _content(
    value: Mapping[str, Json], extra: dict[str, Json], notes: ImportNotes, line: int
) -> tuple[Block, ...]:
    content = value.get("content", MISSING)
    if isinstance(content, list):
        return read_parts(content, notes, line)
    if content is None or content is MISSING:
        # Null, an empty text and no field at all are different bytes, though the same to the
        # model.
        extra["$content"] = "null" if content is None else "absent"
        return ()
    if isinstance(content, str):
        extra["$content"] = "string"
        if content:
            return (Text(content),)
        return ()
    notes.warn(line, "content is neither text nor a list; kept as it is")
    return (Opaque("content", content),)


def _thoughts(value: Mapping[str, Json], extra: dict[str, Json]) -> tuple[Block, ...]:
    # Servers of open models add one of these fields; OpenAI itself has none.
    for name in REASONING_FIELDS:
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
    # Probably from a converter: the API always writes a list.
    if isinstance(calls, dict) and calls:
        del extra["tool_calls"]
        notes.repair(line, "tool_calls is an object; read as a list of one")
        return (read_call(calls, notes, line),)
    if calls:
        notes.warn(line, "tool_calls is not a list; kept as it is")
    # In some files the old field is null beside tool_calls, so only an object counts.
    legacy = value.get("function_call")
    if isinstance(legacy, dict):
        del extra["function_call"]
        return (function_call(legacy, "", {"$legacy": True}),)
    return ()


def _response(value: Mapping[str, Json], extra: dict[str, Json]) -> tuple[Block, ...]:
    response_extra: dict[str, Json] = {}
    # A call id that is no text cannot link anything, but must be written back.
    call_id = extra.pop("tool_call_id", None)
    if call_id is not None and not isinstance(call_id, str):
        response_extra["tool_call_id"] = call_id
    # The old API has no ids for calls.
    if value.get("role") == "function":
        response_extra["$legacy"] = True
    name = value.get("name")
    if isinstance(name, str):
        del extra["name"]
    content = value.get("content", MISSING)
    if content is None or content is MISSING:
        response_extra["$content"] = "null" if content is None else "absent"
        content = ""
    return (
        ToolResponse(
            coerce_text(call_id), coerce_text(name), content, MISSING, response_extra
        ),
    )
