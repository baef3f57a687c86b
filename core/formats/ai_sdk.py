"""Reader for UIMessages of the Vercel AI SDK: messages of parts, a call and its result in one part.

A message of several steps becomes an ai and a tool message for each.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from core.common.json_value import Json
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReaderEvidence, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    nested,
    other_fields,
    string_of,
)
from core.formats.common.message_lists import conversation_records, detection_sample
from core.formats.common.messages import (
    BlockShape,
    ImportNotes,
    record_messages,
    shaped_block,
    speaker_of,
    unreadable_message,
)
from core.transcript.model import (
    Block,
    Conversation,
    Media,
    Message,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_KEYS = ("messages",)
_AI_SDK_SPEAKERS = {
    "user": Speaker.HUMAN,
    "assistant": Speaker.AI,
    "system": Speaker.SYSTEM,
}
_SPECIFIC_PART_TYPES = (
    "step-start",
    "dynamic-tool",
    "tool-invocation",
    "source-url",
    "source-document",
)


def _score_ai_sdk(file: OpenedDocument) -> FormatScore:
    """Judge by roles with typed parts; parts of tools and steps are specific to this format."""
    sample = detection_sample(file, _KEYS)
    messages = [value for value in sample.records if _is_message(value)]
    if not messages:
        return 0.0, ""
    share = sample.share(len(messages))
    reason = f"role and parts in {sample.counted(len(messages))}"
    parts = [part for value in messages for part in value["parts"]]
    specific_types = {
        part["type"]
        for part in parts
        if part["type"] in _SPECIFIC_PART_TYPES
        # The name of the tool is part of the type.
        or (part["type"].startswith("tool-") and "toolCallId" in part)
    }
    if specific_types:
        return (0.97 * share, f"{reason}, {min(specific_types)}")
    return (0.85 * share, reason)


def _is_message(value: Json) -> bool:
    parts = nested(value, "parts")
    return (
        isinstance(parts, list)
        and value.get("role") in tuple(_AI_SDK_SPEAKERS)
        and all(isinstance(nested(part, "type"), str) for part in parts)
    )


def _read_ai_sdk(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one conversation. Leading system messages become the system part. Raises InputError."""
    loaded = conversation_records(file, _KEYS, request)
    messages = loaded.read_messages(_sdk_messages)
    fields = loaded.fields
    return replace(
        loaded.conversation("ai_sdk", messages),
        model=coerce_text(fields.get("model")),
        session_id=coerce_text(fields.get("id") or fields.get("chatId")),
        title=coerce_text(fields.get("title")),
    )


def _sdk_messages(record: JsonRecord, notes: ImportNotes) -> list[Message]:
    value = record.value
    parts = nested(value, "parts")
    if not isinstance(parts, list):
        return [unreadable_message(record, notes, "a message has no list of parts")]
    speaker = speaker_of(value.get("role"), _AI_SDK_SPEAKERS, notes, record.line)
    extra = other_fields(value, ("id", "role", "parts"))
    id_ = coerce_text(value.get("id"))
    if speaker is not Speaker.AI:
        return record_messages(
            record.source(), [(speaker, [*map(_block, parts)])], id=id_, extra=extra
        )
    split: list[tuple[Speaker, Sequence[Block]]] = []
    for model_blocks, responses in _steps(parts):
        split += (
            [(speaker, model_blocks)]
            if model_blocks or not (split or responses)
            else []
        )
        split += [(Speaker.TOOL, responses)] if responses else []
    return record_messages(record.source(), split, id=id_, extra=extra)


def _has_call(blocks: Iterable[Block]) -> bool:
    return any(isinstance(block, ToolCall) for block in blocks)


def _steps(parts: Sequence[Json]) -> list[tuple[list[Block], list[Block]]]:
    """Return the model's blocks and the tools' answers for each step.

    A new step begins at its mark, and when the model speaks again after a tool.
    """
    steps: list[tuple[list[Block], list[Block]]] = [([], [])]
    for part in parts:
        if nested(part, "type") == "step-start":
            steps.append(([], []))
            continue
        call, response = _call_and_response(part)
        speaks_again = not call and _has_call(steps[-1][0])
        if speaks_again:
            steps.append(([], []))
        said, answers = steps[-1]
        said.append(call or _block(part))
        if response:
            answers.append(response)
    return [step for step in steps if step[0]] or steps[:1]


def _old_call_and_response(
    old: Mapping[str, Json],
) -> tuple[ToolCall, ToolResponse | None]:
    """Return the call and the answer of a part as version 4 of the SDK writes it."""
    id_ = coerce_text(old.get("toolCallId"))
    name = coerce_text(old.get("toolName"))
    extra = other_fields(old, ("toolCallId", "toolName", "args", "result"))
    call = ToolCall(id_, name, old.get("args", {}), extra)
    # Other states are those of a call that is streamed or not answered yet.
    if old.get("state") != "result":
        return call, None
    return call, ToolResponse(id_, name, old.get("result"))


def _call_and_response(part: Json) -> tuple[ToolCall | None, ToolResponse | None]:
    kind = nested(part, "type")
    if kind == "tool-invocation" and isinstance(
        old := part.get("toolInvocation"), dict
    ):
        return _old_call_and_response(old)
    is_dynamic = kind == "dynamic-tool"
    if not is_dynamic and not string_of(kind).startswith("tool-"):
        return None, None
    id_ = coerce_text(part.get("toolCallId"))
    name = (
        coerce_text(part.get("toolName")) if is_dynamic else kind.removeprefix("tool-")
    )
    extra = other_fields(
        part, ("type", "toolCallId", "toolName", "input", "output", "errorText")
    )
    call = ToolCall(id_, name, part.get("input", part.get("rawInput", {})), extra)
    state = part.get("state")
    if state == "output-available":
        return call, ToolResponse(id_, name, part.get("output"))
    # The model is told that the person denied it, so this is a result.
    if state == "output-denied":
        text = (
            coerce_text(nested(part, "approval", "reason"))
            or "The person denied the call."
        )
        return call, ToolResponse(id_, name, text, text)
    if state == "output-error":
        text = coerce_text(part.get("errorText"))
        return call, ToolResponse(id_, name, text, text or "error")
    return call, None


def _block(part: Json) -> Block:
    kind = nested(part, "type")
    if kind == "reasoning":
        # Version 4 of the SDK calls it reasoning.
        name = "text" if isinstance(part.get("text"), str) else "reasoning"
        return shaped_block(
            part, {kind: BlockShape(Thinking, (name,), required=(name,))}
        )
    url = nested(part, "url") or nested(part, "data")
    if kind == "file" and isinstance(url, str):
        mime = part.get("mediaType", part.get("mimeType"))
        extra = other_fields(
            part, ("type", "url", "data", "mediaType", "mimeType", "filename")
        )
        return Media(coerce_text(mime), url, coerce_text(part.get("filename")), extra)
    return shaped_block(part, {"text": BlockShape(Text, ("text",), required=("text",))})


AI_SDK = Format(
    name="ai_sdk",
    label="Vercel AI SDK",
    about=(
        "Messages of parts as apps with the AI SDK store them, a call and its result in one part."
    ),
    score=_score_ai_sdk,
    read=_read_ai_sdk,
    evidence=ReaderEvidence.DESCRIPTION,
)
