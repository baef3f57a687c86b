"""Converts one step of an ATIF trajectory to messages: words, calls and observations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.common.json_value import MISSING, Json
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import coerce_text, fields_of, list_of, nested, other_fields, string_of
from core.formats.common.json_ranges import JsonRecord
from core.formats.common.unreadable import opaque_flag, unreadable_message
from core.transcript.model import (
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

_SPEAKERS: Mapping[Json, Speaker] = {"user": Speaker.HUMAN, "agent": Speaker.AI, "system": Speaker.SYSTEM}
_KNOWN_FIELDS = ("source", "message", "tool_calls", "observation", "reasoning_content", "timestamp")


def step_messages(record: JsonRecord, notes: ImportNotes) -> list[Message]:
    """Return the messages of a step: two if tools answered in it, else one."""
    step = record.value
    if not isinstance(step, dict):
        return [unreadable_message(record, notes, "a step")]
    role = step.get("source")
    speaker = _SPEAKERS.get(role) if isinstance(role, str) else None
    if speaker is None:
        notes.warn(record.line, f"the source {str(role)[:40]!r} is not known; kept as unknown")
    thinking = string_of(step.get("reasoning_content"))
    blocks: tuple[Block, ...] = (*_text_blocks(step), *_calls(step, notes, record.line))
    blocks = (Thinking(thinking), *blocks) if thinking else blocks
    calls = [block.id for block in blocks if isinstance(block, ToolCall)]
    answers = _responses(observation_results(step), calls, notes, record.line)
    messages: list[Message] = []
    if blocks or not answers:
        messages.append(_message(record, speaker or Speaker.UNKNOWN, blocks, 0))
    if answers:
        messages.append(_message(record, Speaker.TOOL, answers, len(messages)))
    return messages


def _message(record: JsonRecord, speaker: Speaker, blocks: tuple[Block, ...], part: int) -> Message:
    step = record.value
    source = record.source(part)
    extra = other_fields(step, _KNOWN_FIELDS if isinstance(step.get("source"), str) else _KNOWN_FIELDS[1:])
    id_, timestamp = coerce_text(step.get("step_id")), coerce_text(step.get("timestamp"))
    return Message(speaker, blocks, (source,), opaque_flag(blocks), id_, timestamp, extra)


def compaction_mark(step: Json) -> Mapping[str, Json] | None:
    """Return the mark of a step that replaced the context before it, None for other steps."""
    mark = fields_of(nested(step, "extra", "context_management"))
    is_compaction = mark.get("boundary") == "replace" or mark.get("type") == "compaction"
    return mark if is_compaction else None


def observation_results(step: Json) -> Sequence[Json]:
    return list_of(nested(step, "observation", "results"))


def _text_blocks(step: Mapping[str, Json]) -> tuple[Block, ...]:
    message = step.get("message")
    if isinstance(message, str):
        return (Text(message),) if message else ()
    if isinstance(message, list):
        return tuple(_part(part) for part in message)
    return () if message is None else (Opaque("message", message),)


def _part(part: Json) -> Block:
    """Convert a content part: text or an image; a file beside the trajectory stays opaque."""
    if isinstance(part, str):
        return Text(part)
    if not isinstance(part, dict):
        return Opaque("unknown", part)
    if part.get("type") == "text" and isinstance(part.get("text"), str):
        return Text(part["text"], other_fields(part, ("type", "text")))
    source = fields_of(part.get("source"))
    path = source.get("path")
    if isinstance(path, str) and path.startswith(("http://", "https://", "data:")):
        return Media(coerce_text(source.get("media_type")), path, "", other_fields(part, ("type", "source")))
    return Opaque(coerce_text(part.get("type")) or "unknown", part)


def _calls(step: Mapping[str, Json], notes: ImportNotes, line: int) -> tuple[Block, ...]:
    blocks: list[Block] = []
    for call in list_of(step.get("tool_calls")):
        if isinstance(call, dict):
            extra = other_fields(call, ("tool_call_id", "function_name", "arguments"))
            id_, name = coerce_text(call.get("tool_call_id")), coerce_text(call.get("function_name"))
            blocks.append(ToolCall(id_, name, call.get("arguments", {}), extra))
        else:
            notes.warn(line, "a tool call is not an object; kept as it is")
            blocks.append(Opaque("tool_call", call))
    return tuple(blocks)


def _responses(
    results: Sequence[Json], calls: Sequence[str], notes: ImportNotes, line: int
) -> tuple[ToolResponse, ...]:
    """Return the responses of a step; one without a call id answers the step's next unanswered call."""
    named_ids = {coerce_text(nested(result, "source_call_id")) for result in results}
    unnamed_ids = [id_ for id_ in calls if id_ and id_ not in named_ids]
    responses: list[ToolResponse] = []
    for result in results:
        value = result if isinstance(result, dict) else {"content": result}
        extra = dict(other_fields(value, ("source_call_id", "content")))
        call_id = coerce_text(value.get("source_call_id"))
        if not call_id and unnamed_ids:
            call_id = unnamed_ids.pop(0)
            extra["$made_id"] = True
            notes.repair(line, f"a result names no call; it was taken as the answer to {call_id}")
        content = value.get("content", MISSING)
        if content is None or content is MISSING:
            extra["$content"] = "null" if content is None else "absent"
            content = ""
        responses.append(ToolResponse(call_id, "", content, MISSING, extra))
    return tuple(responses)
