"""Builds events of OpenHands 1: new ones, and edited ones of the source."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeGuard

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import other_fields
from core.formats.common.json_access import fields_of, list_of
from core.formats.common.json_parsing import parse_bytes
from core.formats.writing.base import ExportLosses
from core.formats.writing.plain_text import (
    as_text,
    code_text,
    count_error_losses,
    data_url,
    fields_without_notes,
    result_as_text,
)
from core.formats.writing.raw_json import deterministic_uuid, dump_json
from core.formats.writing.tool_definitions import openai_tools
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
    tool_calls,
    tool_responses,
)
from core.transcript.tool_result_content import answer_parts

_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "foldline:openhands")
_NO_TIME = "1970-01-01T00:00:00"
_ROLES = {Speaker.HUMAN: "user", Speaker.AI: "assistant", Speaker.SYSTEM: "system"}
_SOURCES = {Speaker.AI: "agent", Speaker.SYSTEM: "environment"}
_REDACTED, _ITEM = "redacted_thinking", "reasoning"
"""The reader's kinds of encrypted reasoning: a block, and an item of the Responses API."""


@dataclass(slots=True)
class OpenHandsEventBuilder:
    """Makes events with reproducible ids from place and content. ``call_events`` are the events of calls."""

    losses: ExportLosses
    time: str = _NO_TIME
    event_count: int = 0
    call_events: dict[str, str] = field(default_factory=dict)

    def event(self, kind: str, source: str, fields: Mapping[str, Json], time: str = "") -> dict[str, Json]:
        self.event_count += 1
        id_ = str(
            deterministic_uuid(
                _NAMESPACE, f"{self.event_count}/{kind}/{dump_json(fields).decode('utf-8', 'replace')}"
            )
        )
        return {"id": id_, "timestamp": time or self.time, "source": source, **fields, "kind": kind}


def system_event(
    builder: OpenHandsEventBuilder, texts: Sequence[str], tools: Sequence[Json]
) -> dict[str, Json]:
    """Return the first event of a conversation: system prompt and tool definitions."""
    if len(texts) > 1:
        builder.losses.count_changed("several system prompts as one")
    prompt = {"type": "text", "text": "\n\n".join(texts)}
    definitions = openai_tools(tools, builder.losses)
    return builder.event("SystemPromptEvent", "agent", {"system_prompt": prompt, "tools": definitions})


def new_events(builder: OpenHandsEventBuilder, message: Message) -> Iterator[dict[str, Json]]:
    """Yield the events of a message: its results, then its text and calls."""
    for response in tool_responses(message):
        yield _observation(builder, response, message.timestamp)
    others = [block for block in message.blocks if not isinstance(block, ToolResponse)]
    calls = list(tool_calls(message))
    if calls and message.speaker is Speaker.AI:
        yield from _actions(builder, others, calls, message.timestamp)
    elif others or message.speaker is not Speaker.TOOL:
        yield _message(builder, message.speaker, others, message.timestamp)


def _message(
    builder: OpenHandsEventBuilder, speaker: Speaker, blocks: Sequence[Block], time: str
) -> dict[str, Json]:
    if speaker is Speaker.UNKNOWN:
        builder.losses.count_changed("message of an unknown role as user")
    inner: dict[str, Json] = {
        "role": _ROLES.get(speaker, "user"),
        "content": content_json(blocks, builder.losses),
    }
    inner |= _thinking_fields(blocks, builder.losses)
    fields = {"llm_message": inner, "activated_skills": [], "extended_content": []}
    return builder.event("MessageEvent", _SOURCES.get(speaker, "user"), fields, time)


def _actions(
    builder: OpenHandsEventBuilder, blocks: Sequence[Block], calls: Sequence[ToolCall], time: str
) -> Iterator[dict[str, Json]]:
    """Yield one event for each call; all share the answer's id, the first one holds thought and reasoning."""
    response_id = deterministic_uuid(_NAMESPACE, f"answer/{builder.event_count}/{calls[0].id}").hex
    first_fields = {"thought": content_json(blocks, builder.losses)} | _thinking_fields(
        blocks, builder.losses
    )
    for call in calls:
        arguments = call.arguments if isinstance(call.arguments, dict) else {"value": as_text(call.arguments)}
        text = dump_json(call.arguments if call.arguments is not MISSING else {}).decode()
        event = builder.event(
            "ActionEvent",
            "agent",
            {
                "thought": [],
                "reasoning_content": None,
                "thinking_blocks": [],
                **first_fields,
                "action": {"data": arguments, "kind": "MCPToolAction"},
                "tool_name": call.name,
                "tool_call_id": call.id,
                "tool_call": {"id": call.id, "name": call.name, "arguments": text, "origin": "completion"},
                "llm_response_id": response_id,
            },
            time,
        )
        builder.call_events[call.id] = event["id"]
        first_fields = {}
        yield event


def _observation(builder: OpenHandsEventBuilder, response: ToolResponse, time: str) -> dict[str, Json]:
    failed = response.error is not MISSING
    count_error_losses(response, builder.losses, counts_mark=False)
    content = content_json(answer_parts(response), builder.losses)
    result = {"content": content, "is_error": failed, "tool_name": response.name}
    fields = {
        "tool_name": response.name,
        "tool_call_id": response.call_id,
        "observation": {**result, "kind": "MCPToolObservation"},
        "action_id": builder.call_events.get(response.call_id)
        or str(deterministic_uuid(_NAMESPACE, f"call/{response.call_id}")),
    }
    return builder.event("ObservationEvent", "environment", fields, time)


def content_json(blocks: Sequence[Block], losses: ExportLosses, *, same_format: bool = False) -> list[Json]:
    """Return text and images as content parts; ``same_format``: the blocks came from an event of this format,
    which holds hidden reasoning in other fields."""
    parts: list[Json] = []
    for block in blocks:
        match block:
            case Text() if block.text:
                parts.append(
                    {"type": "text", "text": block.text, **fields_without_notes(_cache_fields(block))}
                )
            case Code():
                losses.count_changed("code block as text")
                parts.append({"type": "text", "text": code_text(block)})
            case Media():
                parts.append({"type": "image", "image_urls": [data_url(block.mime, block.data)]})
            case Opaque() if same_format and block.kind == "content":
                parts.append(block.raw)
            case Opaque() if not (same_format and block.kind in (_REDACTED, _ITEM)):
                losses.count_left_out(block.kind or "unknown block")
    return parts


def _cache_fields(block: Text) -> Mapping[str, Json]:
    return {key: value for key, value in block.extra.items() if key == "cache_prompt"}


def _thinking_fields(blocks: Sequence[Block], losses: ExportLosses) -> dict[str, Json]:
    """Return signed thinking as blocks, else all as plain reasoning; the format has one of the two."""
    thinking = [block for block in blocks if isinstance(block, Thinking)]
    signed = [block for block in thinking if isinstance(block.extra.get("signature"), str)]
    plain = [block.text for block in thinking if block not in signed and block.text]
    fields: dict[str, Json] = {}
    if signed:
        fields["thinking_blocks"] = [
            {"type": "thinking", "thinking": block.text, "signature": block.extra["signature"]}
            for block in signed
        ]
        if plain:
            losses.count_left_out("thinking without a signature beside signed", len(plain))
    elif plain:
        fields["reasoning_content"] = "\n".join(plain)
        if len(plain) > 1:
            losses.count_changed("several thoughts as one")
    return fields


def edited_event(value: dict[str, Json], message: Message, losses: ExportLosses, *, is_first: bool) -> Json:
    """Return an event of the source after its message was edited; None if nothing of it is left.

    ``is_first``: it is the first event of its message, which holds the text.
    """
    kind = value.get("kind")
    if kind == "MessageEvent":
        content = content_json([b for b in message.blocks if not _is_extended(b)], losses, same_format=True)
        extended = content_json([b for b in message.blocks if _is_extended(b)], losses, same_format=True)
        inner = _with_thoughts(fields_of(value.get("llm_message")), message.blocks)
        extended_field = {"extended_content": extended} if extended or "extended_content" in value else {}
        return {**value, "llm_message": {**inner, "content": content}, **extended_field}
    if kind == "ActionEvent":
        return _edited_action(value, message, losses, is_first)
    return _edited_answer(value, message)


def _is_extended(block: Block) -> bool:
    return isinstance(block, Text) and block.extra.get("$field") == "extended_content"


def _edited_action(value: dict[str, Json], message: Message, losses: ExportLosses, is_first: bool) -> Json:
    call = next((c for c in tool_calls(message) if c.id == value.get("tool_call_id")), None)
    content = content_json(message.blocks, losses, same_format=True) if is_first else []
    if call is None:
        if not content:
            return None
        inner = {"role": "assistant", "content": content}
        common_fields = {name: value[name] for name in ("id", "timestamp", "source") if name in value}
        return {
            **common_fields,
            "llm_message": inner,
            "activated_skills": [],
            "extended_content": [],
            "kind": "MessageEvent",
        }
    thought = {"thought": content} if content or "thought" in value else {}
    return _with_arguments({**_with_thoughts(value, message.blocks), **thought}, call)


def _with_thoughts(value: Mapping[str, Json], blocks: Sequence[Block]) -> dict[str, Json]:
    emptied: dict[str, Json] = {}
    if not any(isinstance(block, Thinking) for block in blocks):
        redacted = [block.raw for block in blocks if _is_opaque(block, _REDACTED)]
        remaining = [item for item in list_of(value.get("thinking_blocks")) if item in redacted]
        emptied = {"reasoning_content": None, "thinking_blocks": remaining}
    if not any(_is_opaque(block, _ITEM) for block in blocks):
        emptied["responses_reasoning_item"] = None
    return {**value, **{name: empty for name, empty in emptied.items() if name in value}}


def _is_opaque(block: Block, kind: str) -> TypeGuard[Opaque]:
    return isinstance(block, Opaque) and block.kind == kind


def _edited_answer(value: dict[str, Json], message: Message) -> Json:
    response = next(tool_responses(message), None)
    if response is None:
        return None
    text = result_as_text(response)
    for name in ("error", "rejection_reason"):
        if name in value:
            return {**value, name: text}
    observation = value.get("observation")
    if not isinstance(observation, dict):
        return {**value, "observation": text}
    name = "content" if "content" in observation or "output" not in observation else "output"
    content: Json = text
    if isinstance(observation.get(name), list):
        content = response.result if isinstance(response.result, list) else [{"type": "text", "text": text}]
    return {**value, "observation": {**observation, name: content}}


def arguments_in_source_form(original: Json, call: ToolCall) -> Json:
    """Return the call's arguments in the source's form; a text with the same value stays unchanged."""
    if not isinstance(original, str):
        return call.arguments
    parsed = parse_bytes(original.encode("utf-8", "replace"))
    is_unchanged = call.arguments == (original if parsed.error else parsed.value)
    return original if is_unchanged else dump_json(call.arguments).decode()


def _with_arguments(value: dict[str, Json], call: ToolCall) -> dict[str, Json]:
    """Return an ActionEvent with the call's arguments, in its tool call or else in its action."""
    tool_call = fields_of(value.get("tool_call"))
    function = fields_of(tool_call.get("function"))
    call_fields = function or tool_call
    if "arguments" in call_fields:
        changed = {**call_fields, "arguments": arguments_in_source_form(call_fields["arguments"], call)}
        return {**value, "tool_call": {**tool_call, "function": changed} if function else changed}
    action = value.get("action")
    if not isinstance(action, dict) or call.arguments == dict(other_fields(action, ("kind",))):
        return value
    arguments = call.arguments if isinstance(call.arguments, dict) else {"value": as_text(call.arguments)}
    return {**value, "action": {**arguments, **({"kind": action["kind"]} if "kind" in action else {})}}
