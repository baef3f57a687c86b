"""Reader for UIMessages of the Vercel AI SDK: messages of parts, a call and its result in one part.

A message of several steps becomes an ai and a tool message for each (formats.md section 26).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.common.json_value import MISSING, Json
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes, opaque_flag
from core.formats.common.json_access import coerce_text, nested, other_fields
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import conversation_records, detection_sample
from core.formats.common.tool_linking import link_calls
from core.transcript.model import (
    Block,
    Conversation,
    Media,
    Message,
    MessageFlag,
    Opaque,
    Speaker,
    SystemPart,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    joined_text,
)

_KEYS = ("messages",)
_SPEAKERS: Mapping[Json, Speaker] = {"user": Speaker.HUMAN, "assistant": Speaker.AI, "system": Speaker.SYSTEM}
_SPECIFIC_PART_TYPES = ("step-start", "dynamic-tool", "tool-invocation", "source-url", "source-document")
_CALL_FIELDS = ("type", "toolCallId", "toolName", "input", "output", "errorText")
_DENIED_TEXT = "The person denied the call."


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by roles with typed parts; parts of tools and steps are specific to this format."""
    sample = detection_sample(opened, _KEYS)
    messages = [value for value in sample.records if _is_message(value)]
    if not messages:
        return 0.0, ""
    share = len(messages) / len(sample.records)
    reason = f"role and parts in {len(messages)} of {len(sample.records)} {sample.unit}"
    specific_types = sorted(
        {part["type"] for value in messages for part in value["parts"] if _is_specific_part(part)}
    )
    return (0.97 * share, f"{reason}, {specific_types[0]}") if specific_types else (0.85 * share, reason)


def _is_message(value: Json) -> bool:
    if not isinstance(value, dict) or value.get("role") not in ("user", "assistant", "system"):
        return False
    parts = value.get("parts")
    return isinstance(parts, list) and all(
        isinstance(part, dict) and isinstance(part.get("type"), str) for part in parts
    )


def _is_specific_part(part: Mapping[str, Json]) -> bool:
    return part["type"] in _SPECIFIC_PART_TYPES or (part["type"].startswith("tool-") and "toolCallId" in part)


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one conversation. Leading system messages become the system part. Raises InputError."""
    notes = ImportNotes()
    conversation = conversation_records(opened, _KEYS, request, notes)
    notes.records = len(conversation.records)
    messages: list[Message] = []
    texts: list[str] = []
    system_sources: list[list[int]] = []
    for record in conversation.records:
        record_messages = list(_messages(record, notes))
        if not messages and record_messages and record_messages[0].speaker is Speaker.SYSTEM:
            texts.append(joined_text(record_messages[0]))
            system_sources.append([record.line, record.start, record.end])
        else:
            messages += record_messages
    return Conversation(
        "ai_sdk",
        opened.document,
        link_calls(messages, notes),
        SystemPart(tuple(texts)),
        report=notes.report(),
        model=coerce_text(conversation.fields.get("model")),
        session_id=coerce_text(conversation.fields.get("id") or conversation.fields.get("chatId")),
        number=conversation.number,
        siblings=conversation.siblings,
        listed=conversation.listed,
        title=coerce_text(conversation.fields.get("title")),
        layout={**conversation.layout, "system": system_sources},
    )


def _messages(record: JsonRecord, notes: ImportNotes) -> Iterator[Message]:
    value = record.value
    parts = nested(value, "parts")
    if not isinstance(parts, list):
        notes.warn(record.line, "a message has no list of parts; kept as it is")
        block = Opaque("message", value)
        yield Message(Speaker.UNKNOWN, (block,), (record.source(),), MessageFlag.OPAQUE)
        return
    role = value.get("role")
    speaker = _SPEAKERS.get(role) if isinstance(role, str) else None
    if speaker is None:
        notes.warn(record.line, f"the role {str(role)[:40]!r} is not known; kept as unknown")
    extra = other_fields(value, ("id", "role", "parts"))
    message_index = 0
    for model_blocks, responses in _steps(parts) if speaker is Speaker.AI else [([*map(_block, parts)], [])]:
        for part_speaker, blocks in ((speaker or Speaker.UNKNOWN, model_blocks), (Speaker.TOOL, responses)):
            if blocks or (not message_index and not responses):
                source, id_ = record.source(message_index), coerce_text(value.get("id"))
                yield Message(part_speaker, tuple(blocks), (source,), opaque_flag(blocks), id_, "", extra)
                message_index += 1


_Step = tuple[list[Block], list[Block]]


def _steps(parts: Sequence[Json]) -> list[_Step]:
    """Return the model's blocks and the tools' answers for each step.

    A new step begins at its mark, and when the model speaks again after a tool.
    """
    steps: list[_Step] = [([], [])]
    for part in parts:
        call_and_response = _call_and_response(part)
        is_step_start = nested(part, "type") == "step-start"
        if is_step_start or (
            call_and_response is None and any(isinstance(block, ToolCall) for block in steps[-1][0])
        ):
            steps.append(([], []))
        if is_step_start:
            continue
        if call_and_response is None:
            steps[-1][0].append(_block(part))
        else:
            call, answer = call_and_response
            steps[-1][0].append(call)
            steps[-1][1].extend(() if answer is None else (answer,))
    return [step for step in steps if step[0]] or steps[:1]


def _call_and_response(part: Json) -> tuple[ToolCall, ToolResponse | None] | None:
    """Return the call of a tool part and its answer, if it has one; None for other parts."""
    kind = nested(part, "type")
    if kind == "tool-invocation" and isinstance(part.get("toolInvocation"), dict):
        return _call_of_version_4(part["toolInvocation"])
    if kind != "dynamic-tool" and not (isinstance(kind, str) and kind.startswith("tool-")):
        return None
    id_ = coerce_text(part.get("toolCallId"))
    name = coerce_text(part.get("toolName")) if kind == "dynamic-tool" else kind.removeprefix("tool-")
    arguments = part.get("input", part.get("rawInput", {}))
    return ToolCall(id_, name, arguments, other_fields(part, _CALL_FIELDS)), _response(part, id_, name)


def _response(part: Mapping[str, Json], id_: str, name: str) -> ToolResponse | None:
    state = part.get("state")
    if state == "output-available":
        return ToolResponse(id_, name, part.get("output"))
    if state == "output-error":
        text = coerce_text(part.get("errorText"))
        return ToolResponse(id_, name, text, text or "error")
    if state == "output-denied":
        reason = coerce_text(nested(part, "approval", "reason")) or _DENIED_TEXT
        return ToolResponse(id_, name, reason, reason)
    return None


def _call_of_version_4(value: Mapping[str, Json]) -> tuple[ToolCall, ToolResponse | None]:
    """Read a tool part of version 4 of the SDK."""
    id_, name = coerce_text(value.get("toolCallId")), coerce_text(value.get("toolName"))
    call = ToolCall(
        id_, name, value.get("args", {}), other_fields(value, ("toolCallId", "toolName", "args", "result"))
    )
    return call, ToolResponse(id_, name, value.get("result")) if value.get("state") == "result" else None


def _block(part: Json) -> Block:
    kind = nested(part, "type")
    if not isinstance(part, dict):
        return Opaque("unknown", part)
    if kind == "text" and isinstance(part.get("text"), str):
        return Text(part["text"], other_fields(part, ("type", "text")))
    if kind == "reasoning":
        name = "text" if isinstance(part.get("text"), str) else "reasoning"
        if isinstance(part.get(name), str):
            return Thinking(part[name], other_fields(part, ("type", name)))
    url = part.get("url", part.get("data", MISSING))
    if kind == "file" and isinstance(url, str):
        mime = part.get("mediaType", part.get("mimeType"))
        extra = other_fields(part, ("type", "url", "data", "mediaType", "mimeType", "filename"))
        return Media(coerce_text(mime), url, coerce_text(part.get("filename")), extra)
    return Opaque(coerce_text(kind) or "unknown", part)


AI_SDK = Format(
    "ai_sdk",
    "Vercel AI SDK",
    "Messages of parts as apps with the AI SDK store them, a call and its result in one part.",
    score,
    read,
    real_file_seen=False,
)
