"""Readers for messages of libraries: LangChain and LangGraph, Vercel's AI SDK.

A message of LangChain has one of three shapes (formats.md section 25): ``{type, data}``, ``{lc, type:
constructor, id, kwargs}``, or the fields alone, as LangGraph's server writes them. A message of the AI SDK
holds a call and its result in one part; one of several steps becomes an ai and a tool message for each (26).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import plain_text, read_block
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Evidence, Format, FormatScore, ReadRequest
from core.formats.common.json_access import (
    coerce_text,
    fields_of,
    list_of,
    nested,
    number_of,
    other_fields,
    string_of,
)
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import conversation_records, detection_sample, inner_document
from core.formats.common.messages import (
    BlockShape,
    ImportNotes,
    call_block,
    langchain_fields,
    record_messages,
    shaped_block,
    speaker_of,
    unreadable_message,
)
from core.formats.openai_chat.messages import function_call, read_call, read_part
from core.transcript.model import (
    Block,
    Conversation,
    Media,
    Message,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_LANGCHAIN_SPEAKERS: Mapping[str, Speaker] = {
    "human": Speaker.HUMAN,
    "ai": Speaker.AI,
    "system": Speaker.SYSTEM,
    "tool": Speaker.TOOL,
    "function": Speaker.TOOL,
}
_ROLES: Mapping[str, Speaker] = {"user": Speaker.HUMAN, "assistant": Speaker.AI, **_LANGCHAIN_SPEAKERS}
_OPENAI_PARTS = ("image_url", "input_audio", "file")
_CALL = BlockShape(ToolCall, ("id", "name"), ("args",), default=None)
_REASONING_FIELDS = ("reasoning_content", "reasoning")


def _messages(record: JsonRecord, notes: ImportNotes) -> Sequence[Message]:
    fields = langchain_fields(record.value)
    if fields is None:
        return [unreadable_message(record, notes, "a message has no known shape of LangChain")]
    if fields["type"] == "remove":
        notes.skip("remove", line=record.line)
        return []
    role = coerce_text(fields.get("role"))
    speaker = _LANGCHAIN_SPEAKERS.get(fields["type"]) or _ROLES.get(role)
    if speaker is None:
        notes.warn(record.line, f"the role {role[:40]!r} is not known; kept as unknown")
    known = {"type", "content"}
    blocks: tuple[Block, ...]
    if speaker is Speaker.TOOL:
        blocks = (_response(fields),)
        known |= {"tool_call_id", "name", "status"}
    else:
        calls = _calls(fields, notes, record.line) if speaker is Speaker.AI else ()
        blocks = (*_thoughts(fields), *_content(fields, calls, notes, record.line), *calls)
        known |= {"tool_calls", "invalid_tool_calls"}
    id_ = fields.get("id")
    extra = other_fields(fields, known | ({"id"} if isinstance(id_, str) else set()))
    parts = [(speaker or Speaker.UNKNOWN, blocks)]
    return record_messages(record.source(), parts, id=string_of(id_), extra=extra)


def _thoughts(fields: Mapping[str, Json]) -> tuple[Block, ...]:
    additional = fields_of(fields.get("additional_kwargs"))
    names = (name for name in _REASONING_FIELDS if string_of(additional.get(name)))
    return tuple(Thinking(additional[name], {"$field": name}) for name in names)[:1]


def _content(
    fields: Mapping[str, Json], calls: Sequence[Block], notes: ImportNotes, line: int
) -> tuple[Block, ...]:
    """Return the content without parts that repeat a call of ``tool_calls``."""
    content = fields.get("content")
    if isinstance(content, str):
        return (Text(content),) if content else ()
    if not isinstance(content, list):
        return () if content is None else (Opaque("content", content),)
    ids = {block.id for block in calls if isinstance(block, ToolCall)}
    return tuple(
        _part(part, notes, line)
        for part in content
        if nested(part, "type") not in ("tool_use", "tool_call", "function_call")
        or (part.get("call_id") or part.get("id")) not in tuple(ids)
    )


def _part(part: Json, notes: ImportNotes, line: int) -> Block:
    kind = nested(part, "type")
    if kind in _OPENAI_PARTS:
        return read_part(part, notes, line)
    if kind != "reasoning":
        return read_block(part, notes, line)
    text, summary = part.get("reasoning"), part.get("summary")
    if isinstance(text, str):
        return Thinking(text, other_fields(part, ("type", "reasoning")))
    if isinstance(summary, list):
        return Thinking(plain_text(summary), other_fields(part, ("type",)))
    return Opaque("reasoning", part)


def _calls(fields: Mapping[str, Json], notes: ImportNotes, line: int) -> tuple[Block, ...]:
    """Return the calls that LangChain parsed and those it could not, else the provider's own."""
    parsed = [*list_of(fields.get("tool_calls")), *list_of(fields.get("invalid_tool_calls"))]
    additional = fields_of(fields.get("additional_kwargs"))
    if parsed:
        return tuple(call_block(call, _CALL, notes, line, "type") for call in parsed)
    if isinstance(calls := additional.get("tool_calls"), list):
        return tuple(read_call(call, notes, line) for call in calls)
    legacy = additional.get("function_call")
    return (function_call(legacy, "", {"$legacy": True}),) if isinstance(legacy, dict) else ()


def _response(fields: Mapping[str, Json]) -> ToolResponse:
    content = fields.get("content", MISSING)
    result = "" if content is None or content is MISSING else content
    error = plain_text(result) or "error" if fields.get("status") == "error" else MISSING
    name = fields.get("name")
    return ToolResponse(coerce_text(fields.get("tool_call_id")), string_of(name), result, error)


_KEYS = ("messages",)
_STATE_KEYS = ("values", "channel_values")
_SHAPES: Mapping[str, float] = {"type and data": 0.95, "lc constructor": 0.98, "type and content": 0.6}


def _score_langchain(opened: OpenedDocument) -> FormatScore:
    """Judge by the shapes of messages; the fields alone count less."""
    sample = detection_sample(_find_state(opened)[0], _KEYS)
    shapes = [shape for value in sample.records if (shape := _shape(value))]
    if not shapes:
        return 0.0, ""
    best_shape = max(shapes, key=lambda shape: _SHAPES[shape])
    share = _SHAPES[best_shape] * sample.share(len(shapes))
    return share, f"{best_shape} in {sample.counted(len(shapes))}"


def _shape(value: Json) -> str:
    if langchain_fields(value) is None:
        return ""
    if value.get("lc"):
        return "lc constructor"
    if isinstance(value.get("data"), dict):
        return "type and data"
    return "" if "role" in value else "type and content"


def _read_langchain(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one conversation. Leading system messages become the system part. Raises InputError."""
    state, path = _find_state(opened)
    loaded = conversation_records(state, _KEYS, request)
    loaded.layout["path"] = [*path, *loaded.layout["path"]]
    messages = loaded.read_messages(_messages)
    last_first = [fields_of(langchain_fields(record.value)) for record in reversed(loaded.records)]
    metadata = (fields_of(fields.get("response_metadata")) for fields in last_first)
    models = (string_of(item.get("model_name") or item.get("model")) for item in metadata)
    sizes = (number_of(nested(fields.get("usage_metadata"), "input_tokens")) for fields in last_first)
    return replace(
        loaded.conversation("langchain", messages),
        document=opened.document,
        model=next(filter(None, models), ""),
        session_id=coerce_text(loaded.fields.get("thread_id")),
        reported_context=next((size for size in sizes if size is not None), None),
    )


def _find_state(opened: OpenedDocument) -> tuple[OpenedDocument, tuple[str, ...]]:
    root = opened.json
    if root is None or not isinstance(root.value, dict) or isinstance(root.value.get("messages"), list):
        return opened, ()
    for key in _STATE_KEYS:
        record = root.objects.get(key)
        if record is not None and isinstance(record.value.get("messages"), list):
            inner = inner_document(opened, record)
            return replace(opened, head=(inner.value,), json=inner), (key,)
    return opened, ()


LANGCHAIN = Format(
    "langchain",
    "LangChain",
    "Message dumps of LangChain and states of LangGraph with a list of messages.",
    _score_langchain,
    _read_langchain,
)


_AI_SDK_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI, "system": Speaker.SYSTEM}
_SPECIFIC_PART_TYPES = ("step-start", "dynamic-tool", "tool-invocation", "source-url", "source-document")


def _score_ai_sdk(opened: OpenedDocument) -> FormatScore:
    """Judge by roles with typed parts; parts of tools and steps are specific to this format."""
    sample = detection_sample(opened, _KEYS)
    messages = [value for value in sample.records if _is_message(value)]
    if not messages:
        return 0.0, ""
    share, reason = sample.share(len(messages)), f"role and parts in {sample.counted(len(messages))}"
    parts = [part for value in messages for part in value["parts"]]
    specific_types = {
        part["type"]
        for part in parts
        if part["type"] in _SPECIFIC_PART_TYPES or (part["type"].startswith("tool-") and "toolCallId" in part)
    }
    return (0.97 * share, f"{reason}, {min(specific_types)}") if specific_types else (0.85 * share, reason)


def _is_message(value: Json) -> bool:
    parts = nested(value, "parts")
    return (
        isinstance(parts, list)
        and value.get("role") in tuple(_AI_SDK_SPEAKERS)
        and all(isinstance(nested(part, "type"), str) for part in parts)
    )


def _read_ai_sdk(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one conversation. Leading system messages become the system part. Raises InputError."""
    loaded = conversation_records(opened, _KEYS, request)
    messages, fields = loaded.read_messages(_sdk_messages), loaded.fields
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
    extra, id_ = other_fields(value, ("id", "role", "parts")), coerce_text(value.get("id"))
    if speaker is not Speaker.AI:
        return record_messages(record.source(), [(speaker, [*map(_block, parts)])], id=id_, extra=extra)
    split: list[tuple[Speaker, Sequence[Block]]] = []
    for model_blocks, responses in _steps(parts):
        split += [(speaker, model_blocks)] if model_blocks or not (split or responses) else []
        split += [(Speaker.TOOL, responses)] if responses else []
    return record_messages(record.source(), split, id=id_, extra=extra)


def _steps(parts: Sequence[Json]) -> list[tuple[list[Block], list[Block]]]:
    """Return the model's blocks and the tools' answers for each step.

    A new step begins at its mark, and when the model speaks again after a tool.
    """
    steps: list[tuple[list[Block], list[Block]]] = [([], [])]
    for part in parts:
        call, response = _call_and_response(part)
        is_step_start = nested(part, "type") == "step-start"
        if is_step_start or (not call and any(isinstance(block, ToolCall) for block in steps[-1][0])):
            steps.append(([], []))
        if not is_step_start:
            steps[-1][0].append(call or _block(part))
            steps[-1][1].extend([response] if response else [])
    return [step for step in steps if step[0]] or steps[:1]


def _call_and_response(part: Json) -> tuple[ToolCall | None, ToolResponse | None]:
    kind = nested(part, "type")
    if kind == "tool-invocation" and isinstance(old := part.get("toolInvocation"), dict):
        id_, name = coerce_text(old.get("toolCallId")), coerce_text(old.get("toolName"))
        extra = other_fields(old, ("toolCallId", "toolName", "args", "result"))
        response = ToolResponse(id_, name, old.get("result")) if old.get("state") == "result" else None
        return ToolCall(id_, name, old.get("args", {}), extra), response
    if kind != "dynamic-tool" and not (isinstance(kind, str) and kind.startswith("tool-")):
        return None, None
    id_ = coerce_text(part.get("toolCallId"))
    name = coerce_text(part.get("toolName")) if kind == "dynamic-tool" else kind.removeprefix("tool-")
    extra = other_fields(part, ("type", "toolCallId", "toolName", "input", "output", "errorText"))
    call = ToolCall(id_, name, part.get("input", part.get("rawInput", {})), extra)
    state, text = part.get("state"), coerce_text(part.get("errorText"))
    if state == "output-available":
        return call, ToolResponse(id_, name, part.get("output"))
    if state == "output-denied":
        text = coerce_text(nested(part, "approval", "reason")) or "The person denied the call."
    is_failed = state in ("output-error", "output-denied")
    return call, ToolResponse(id_, name, text, text or "error") if is_failed else None


def _block(part: Json) -> Block:
    kind = nested(part, "type")
    if kind == "reasoning":
        name = "text" if isinstance(part.get("text"), str) else "reasoning"
        return shaped_block(part, {kind: BlockShape(Thinking, (name,), required=(name,))})
    url = nested(part, "url") or nested(part, "data")
    if kind == "file" and isinstance(url, str):
        mime = part.get("mediaType", part.get("mimeType"))
        extra = other_fields(part, ("type", "url", "data", "mediaType", "mimeType", "filename"))
        return Media(coerce_text(mime), url, coerce_text(part.get("filename")), extra)
    return shaped_block(part, {"text": BlockShape(Text, ("text",), required=("text",))})


AI_SDK = Format(
    "ai_sdk",
    "Vercel AI SDK",
    "Messages of parts as apps with the AI SDK store them, a call and its result in one part.",
    _score_ai_sdk,
    _read_ai_sdk,
    evidence=Evidence.DESCRIPTION,
)
