"""Reads a step of a trajectory as messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.common.json_value import MISSING, Json
from core.formats.common.json_access import (
    coerce_text,
    fields_of,
    list_of,
    nested,
    other_fields,
    string_of,
)
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.messages import (
    BlockShape,
    ImportNotes,
    call_block,
    record_messages,
    shaped_block,
    speaker_of,
    unreadable_message,
)
from core.transcript.model import (
    Block,
    Media,
    Message,
    MessageFlag,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

SPEAKERS = {"user": Speaker.HUMAN, "agent": Speaker.AI, "system": Speaker.SYSTEM}
_KNOWN_FIELDS = ("source", "message", "tool_calls", "observation", "reasoning_content", "timestamp")


def step_messages(record: JsonRecord, notes: ImportNotes) -> list[Message]:
    """Return the messages of a step: two if tools answered in it, else one."""
    step = record.value
    if not isinstance(step, dict):
        return [unreadable_message(record, notes, "a step is not an object")]
    role = step.get("source")
    speaker = speaker_of(role, SPEAKERS, notes, record.line, "source")
    thinking = string_of(step.get("reasoning_content"))
    calls = (
        call_block(call, _CALL, notes, record.line) for call in list_of(step.get("tool_calls"))
    )
    blocks = [*([Thinking(thinking)] if thinking else []), *message_blocks(step), *calls]
    results = observation_results(step)
    has_calls = any(isinstance(block, ToolCall) for block in blocks) or any(
        map(_names_call, results)
    )
    answers = _responses(results, blocks, notes, record.line) if has_calls else []
    commentary = [] if has_calls else [block for result in results for block in _commentary(result)]
    extra = other_fields(step, _KNOWN_FIELDS if isinstance(role, str) else _KNOWN_FIELDS[1:])
    id_, time = coerce_text(step.get("step_id")), coerce_text(step.get("timestamp"))
    is_said = bool(blocks) or not (answers or commentary)
    parts: list[tuple[Speaker, Sequence[Block]]] = [(speaker, blocks)] if is_said else []
    parts += [(Speaker.TOOL, answers)] if answers else []
    messages = record_messages(record.source(), parts, id=id_, time=time, extra=extra)
    if commentary:
        source, spoken = replace(record.source(), part=len(parts)), [(Speaker.HUMAN, commentary)]
        messages += record_messages(
            source, spoken, MessageFlag.META, id_, time, {} if is_said else extra
        )
    return messages


def observation_results(step: Json) -> Sequence[Json]:
    return list_of(nested(step, "observation", "results"))


def sub_agent_refs(result: Json) -> Sequence[Mapping[str, Json]]:
    """Return what a result says of the trajectories of sub-agents: one reference or a list."""
    refs = nested(result, "subagent_trajectory_ref")
    return [*map(fields_of, refs if isinstance(refs, list) else (refs,))]


def _names_call(result: Json) -> bool:
    return bool(coerce_text(nested(result, "source_call_id")))


def _commentary(result: Json) -> Sequence[Block]:
    """Return what a result says that answers no call; nothing for one that only names a sub-agent's
    file."""
    return _parts(result.get("content") if isinstance(result, dict) else result, "observation")


def message_blocks(step: Mapping[str, Json]) -> Sequence[Block]:
    return _parts(step.get("message"), "message")


def _parts(content: Json, kind: str) -> Sequence[Block]:
    if isinstance(content, list):
        return [_part(part) for part in content]
    if isinstance(content, str) and content:
        return [Text(content)]
    return [] if content in (None, "") else [Opaque(kind, content)]


_TEXT = {"text": BlockShape(Text, ("text",), required=("text",))}
_CALL = BlockShape(ToolCall, ("tool_call_id", "function_name"), ("arguments",), default={})


def _part(part: Json) -> Block:
    """Convert a content part: text or an image; a file beside the trajectory stays opaque."""
    path = nested(part, "source", "path")
    if isinstance(path, str) and path.startswith(("http://", "https://", "data:")):
        mime = coerce_text(nested(part, "source", "media_type"))
        return Media(mime, path, "", other_fields(part, ("type", "source")))
    return Text(part) if isinstance(part, str) else shaped_block(part, _TEXT)


def _responses(
    results: Sequence[Json], blocks: Sequence[Block], notes: ImportNotes, line: int
) -> list[ToolResponse]:
    """Return the responses of a step; one without a call id answers the step's next unanswered
    call."""
    named_ids = {coerce_text(nested(result, "source_call_id")) for result in results} | {""}
    calls = [block.id for block in blocks if isinstance(block, ToolCall)]
    unnamed_ids = [id_ for id_ in calls if id_ not in named_ids]
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
    return responses
