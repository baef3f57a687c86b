"""Reads messages of Inspect samples, and tool definitions, usage and compactions from their events."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import coerce_text, other_fields, plain_text
from core.formats.common.import_notes import ImportNotes, opaque_flag, unreadable_message
from core.formats.common.json_access import fields_of, list_of, nested, number_of, string_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.usage_reports import inspect_usage
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Media,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    ReportedUsage,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_ATTACHMENT_REFERENCE = re.compile(r"attachment://([0-9a-f]+)")
_ROLES = {
    "user": Speaker.HUMAN,
    "assistant": Speaker.AI,
    "tool": Speaker.TOOL,
    "system": Speaker.SYSTEM,
}
_MEDIA = ("image", "audio", "video", "document")


def resolve_attachments(value: Json, attachments: Mapping[str, Json]) -> Json:
    """Return a value with every reference to an attachment replaced; missing ones stay."""
    if isinstance(value, str):
        return _ATTACHMENT_REFERENCE.sub(lambda match: _resolve_attachment(match, attachments), value)
    if isinstance(value, list):
        return [resolve_attachments(item, attachments) for item in value]
    if isinstance(value, dict):
        return {key: resolve_attachments(item, attachments) for key, item in value.items()}
    return value


def _resolve_attachment(match: re.Match[str], attachments: Mapping[str, Json]) -> str:
    text = attachments.get(match[1])
    return text if isinstance(text, str) else match[0]


def is_leading_system(value: Json) -> bool:
    """Return whether a record belongs to the system prompt, if all before it do."""
    return isinstance(value, dict) and value.get("role") == "system"


def read_message(record: JsonRecord, notes: ImportNotes) -> Message:
    value, source = record.value, (record.source(),)
    if not isinstance(value, dict):
        return unreadable_message(record, notes)
    role = value.get("role")
    speaker = _ROLES.get(role, Speaker.UNKNOWN) if isinstance(role, str) else Speaker.UNKNOWN
    if speaker is Speaker.UNKNOWN:
        notes.warn(record.line, f"the role {coerce_text(role)[:40]!r} is not known; kept as unknown")
    known = {"role", "content", "id"}
    if speaker is Speaker.TOOL:
        known |= {"tool_call_id", "function", "error"}
        blocks: tuple[Block, ...] = (_response(value),)
    else:
        calls = value.get("tool_calls")
        known |= {"tool_calls"}
        blocks = (*_content(value.get("content")), *map(_call, list_of(calls)))
    flags = opaque_flag(blocks)
    if "attachment://" in str(value.get("content")):
        notes.warn(record.line, "an attachment that the message names is not in the file")
    return Message(
        speaker, blocks, source, flags, coerce_text(value.get("id")), "", other_fields(value, known)
    )


def _content(content: Json) -> tuple[Block, ...]:
    if isinstance(content, str):
        return (Text(content),) if content else ()
    if not isinstance(content, list):
        return () if content is None else (Opaque("content", content),)
    return tuple(_part(part) for part in content)


def _part(part: Json) -> Block:
    kind = part.get("type") if isinstance(part, dict) else None
    if isinstance(part, str):
        return Text(part)
    if kind == "text" and isinstance(part.get("text"), str):
        return Text(part["text"], other_fields(part, ("type", "text")))
    if kind == "reasoning" and isinstance(part.get("reasoning"), str):
        if part.get("redacted") is True:
            return Opaque("redacted_thinking", part)
        return Thinking(part["reasoning"], other_fields(part, ("type", "reasoning")))
    if kind in _MEDIA and isinstance(part.get(kind), str):
        return _media(part, kind)
    return Opaque(coerce_text(kind) or "unknown", part)


def _media(part: Mapping[str, Json], kind: str) -> Media:
    data = part[kind]
    mime_type = part.get("mime_type")
    if data.startswith("data:"):
        mime_type = data[5:100].split(";", 1)[0].split(",", 1)[0]
    mime = (
        mime_type
        if isinstance(mime_type, str) and mime_type
        else f"{kind}/{coerce_text(part.get('format')) or '*'}"
    )
    return Media(
        mime, data, coerce_text(part.get("filename")), other_fields(part, ("type", kind, "filename"))
    )


def _call(call: Json) -> Block:
    if not isinstance(call, dict):
        return Opaque("tool_call", call)
    known = {"id", "function", "arguments"} | ({"type"} if call.get("type") == "function" else set())
    return ToolCall(
        coerce_text(call.get("id")),
        coerce_text(call.get("function")),
        call.get("arguments"),
        other_fields(call, known),
    )


def _response(value: Mapping[str, Json]) -> ToolResponse:
    """Return the result, and the error if there was one: its message or the whole object."""
    error = value.get("error")
    text = error.get("message") if isinstance(error, dict) else error
    content = value.get("content", "")
    return ToolResponse(
        coerce_text(value.get("tool_call_id")),
        coerce_text(value.get("function")),
        "" if content is None else content,
        MISSING if error is None else text if isinstance(text, str) else plain_text(error),
        {"error": error} if isinstance(error, dict) else NO_EXTRA,
    )


_KINDS = {"summary": "summary", "edit": "microcompact", "trim": "truncate"}


def sample_events(sample: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """Return all events in order; before October 2024 they were in ``transcript``."""
    transcript = sample.get("transcript")
    events = sample.get("events") or (transcript.get("events") if isinstance(transcript, dict) else None)
    return [event for event in events if isinstance(event, dict)] if isinstance(events, list) else []


def offered_tools(events: Sequence[Mapping[str, Json]]) -> tuple[Json, ...]:
    tools = next((event.get("tools") for event in events if event.get("event") == "model"), None)
    return tuple(tools) if isinstance(tools, list) else ()


def reported_usage(
    events: Sequence[Mapping[str, Json]], messages: Sequence[Message], values: Sequence[Json]
) -> Iterator[ReportedUsage]:
    """Yield the reports of requests whose answers are among the messages, in their order; ``values`` are
    the raw values of the messages."""
    positions = {_message_key(value): index for index, value in enumerate(values)}
    usage_by_position: dict[int, ReportedUsage] = {}
    for event in events:
        position = (
            positions.get(_message_key(_output_message(event)), -1) if event.get("event") == "model" else -1
        )
        output = fields_of(event.get("output"))
        prompt, output_tokens = inspect_usage(output.get("usage"))
        if position >= 0 and messages[position].speaker is Speaker.AI and prompt and prompt > 0:
            usage_by_position[position] = ReportedUsage(
                position, prompt, output_tokens, coerce_text(output.get("model"))
            )
    yield from (usage_by_position[position] for position in sorted(usage_by_position))


def event_compactions(
    events: Sequence[Mapping[str, Json]],
    pool: Sequence[Json],
    messages: Sequence[Message],
    values: Sequence[Json],
    notes: ImportNotes,
) -> tuple[RecordedCompaction, ...]:
    """Return each compaction event, with the input of the next request as its result.

    ``values`` are the raw values of ``messages``, ``pool`` the messages that ``input_refs`` refer to.
    Compactions of other agents in the sample are counted.
    """
    positions = {_message_key(value): index for index, value in enumerate(values)}
    compactions: list[RecordedCompaction] = []
    for number, event in enumerate(events):
        if event.get("event") != "compaction":
            continue
        next_request = next((e for e in events[number:] if e.get("event") == "model"), {})
        position = positions.get(
            _message_key(_output_message(next_request)), len(messages) if not next_request else -1
        )
        context_after = _request_messages(
            _request_input(next_request, pool), position, positions, messages, values
        )
        if position < 0:
            notes.skip("compaction of another agent")
        else:
            compactions.append(_recorded_compaction(event, position, context_after))
    return tuple(compactions)


def _recorded_compaction(
    event: Mapping[str, Json], position: int, context_after: tuple[int | Message, ...]
) -> RecordedCompaction:
    kind = _KINDS.get(coerce_text(event.get("type")), "replace")
    new_messages = [m for m in context_after if isinstance(m, Message)]
    summary = tuple(new_messages) if kind == "summary" else ()
    return RecordedCompaction(
        kind,
        position,
        trigger="auto",
        tokens_before=number_of(event.get("tokens_before")),
        tokens_after=number_of(event.get("tokens_after")),
        summary=summary,
        context_after=context_after,
    )


def _request_messages(
    input_values: Sequence[Json],
    position: int,
    positions: Mapping[str, int],
    messages: Sequence[Message],
    values: Sequence[Json],
) -> tuple[int | Message, ...]:
    """Return the messages of a request: unchanged ones by index, new and changed ones whole."""
    request_messages: list[int | Message] = []
    for value in input_values:
        index = positions.get(_message_key(value), -1)
        if 0 <= index < position and _content_key(value) == _content_key(values[index]):
            request_messages.append(index)
        elif request_messages or not is_leading_system(value):
            message = read_message(JsonRecord(0, 0, 0, value), ImportNotes())
            flag = MessageFlag.RECORDED_SUMMARY if index < 0 else messages[index].flags
            request_messages.append(
                Message(message.speaker, message.blocks, (), flag, message.id, "", message.extra)
            )
    return tuple(request_messages)


def _request_input(event: Mapping[str, Json], pool: Sequence[Json]) -> Sequence[Json]:
    """Return the input of a request: given in full, or as ranges of the message pool."""
    full_input, ranges = event.get("input"), event.get("input_refs")
    if full_input or not isinstance(ranges, list):
        return list_of(full_input)
    pairs = (pair for pair in ranges if isinstance(pair, list) and len(pair) == 2)
    index_ranges = [(start, end) for start, end in pairs if isinstance(start, int) and isinstance(end, int)]
    return [message for start, end in index_ranges for message in pool[start:end]]


def _output_message(event: Mapping[str, Json]) -> Json:
    choices = list_of(nested(event.get("output"), "choices"))
    return nested(choices[0], "message") if choices else None


def _message_key(value: Json) -> str:
    """Return the identity of a message: its id, in old logs its text."""
    return string_of(nested(value, "id")) or _content_key(value)


def _content_key(value: Json) -> str:
    if not isinstance(value, dict):
        return json.dumps(value)
    names = ("role", "content", "tool_calls", "tool_call_id")
    return json.dumps([value.get(name) for name in names], sort_keys=True)
