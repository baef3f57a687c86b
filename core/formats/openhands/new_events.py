"""Builds new events of OpenHands 0 and 1 from messages, and edits events of the source."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.common.json_value import MISSING, Json
from core.formats.openhands.events import REASONING_ITEM, REDACTED
from core.formats.writing.api_requests import openai_tools
from core.formats.writing.base import ExportLosses
from core.formats.writing.plain_text import (
    as_text,
    code_as_text,
    count_error_losses,
    data_url,
    result_as_text,
)
from core.formats.writing.raw_json import deterministic_uuid, dump_json
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
    tool_calls,
    tool_responses,
)
from core.transcript.tool_pairs import answer_parts

_NAMESPACE = uuid.uuid5(uuid.NAMESPACE_URL, "foldline:openhands")
_NO_TIME = "1970-01-01T00:00:00"
_ROLES = {Speaker.HUMAN: "user", Speaker.AI: "assistant", Speaker.SYSTEM: "system"}
_SOURCES = {Speaker.AI: "agent", Speaker.SYSTEM: "environment"}


@dataclass(slots=True)
class OpenHandsEventBuilder:
    """Makes events of version 1 with reproducible ids from place and content. ``call_events`` are the events
    of calls."""

    losses: ExportLosses
    time: str = _NO_TIME
    event_count: int = 0
    call_events: dict[str, str] = field(default_factory=dict)

    def event(self, kind: str, source: str, fields: Mapping[str, Json], time: str = "") -> dict[str, Json]:
        self.event_count += 1
        name = f"{self.event_count}/{kind}/{dump_json(fields).decode('utf-8', 'replace')}"
        id_ = str(deterministic_uuid(_NAMESPACE, name))
        return {"id": id_, "timestamp": time or self.time, "source": source, **fields, "kind": kind}

    def system_event(self, texts: Sequence[str], tools: Sequence[Json]) -> dict[str, Json]:
        """Return the first event of a conversation: system prompt and tool definitions."""
        if len(texts) > 1:
            self.losses.count_changed("several system prompts as one")
        prompt = {"type": "text", "text": "\n\n".join(texts)}
        definitions = openai_tools(tools, self.losses)
        return self.event("SystemPromptEvent", "agent", {"system_prompt": prompt, "tools": definitions})

    def message_events(self, message: Message) -> Iterator[dict[str, Json]]:
        """Yield the events of a message: its results, then its text and calls."""
        for response in tool_responses(message):
            yield self._observation(response, message.timestamp)
        others = [block for block in message.blocks if not isinstance(block, ToolResponse)]
        calls = list(tool_calls(message))
        if calls and message.speaker is Speaker.AI:
            yield from self._actions(others, calls, message.timestamp)
        elif others or message.speaker is not Speaker.TOOL:
            if message.speaker is Speaker.UNKNOWN:
                self.losses.count_changed("message of an unknown role as user")
            content = content_json(others, self.losses)
            role, source = (names.get(message.speaker, "user") for names in (_ROLES, _SOURCES))
            inner = {"role": role, "content": content, **_thinking_fields(others, self.losses)}
            yield self.event("MessageEvent", source, message_fields(inner), message.timestamp)

    def _actions(
        self, blocks: Sequence[Block], calls: Sequence[ToolCall], time: str
    ) -> Iterator[dict[str, Json]]:
        """Yield one event for each call; all share the answer's id, the first holds thought and reasoning."""
        response_id = deterministic_uuid(_NAMESPACE, f"answer/{self.event_count}/{calls[0].id}").hex
        thoughts: dict[str, Json] = {"thought": [], "reasoning_content": None, "thinking_blocks": []}
        first_fields = {"thought": content_json(blocks, self.losses)}
        first_fields |= _thinking_fields(blocks, self.losses)
        for call in calls:
            text = dump_json({} if call.arguments is MISSING else call.arguments).decode()
            fields = {
                **thoughts,
                **first_fields,
                "action": {"data": arguments_object(call), "kind": "MCPToolAction"},
                "tool_name": call.name,
                "tool_call_id": call.id,
                "tool_call": {"id": call.id, "name": call.name, "arguments": text, "origin": "completion"},
                "llm_response_id": response_id,
            }
            event = self.event("ActionEvent", "agent", fields, time)
            self.call_events[call.id] = event["id"]
            first_fields = {}
            yield event

    def _observation(self, response: ToolResponse, time: str) -> dict[str, Json]:
        count_error_losses(response, self.losses, counts_mark=False)
        result = {
            "content": content_json(answer_parts(response), self.losses),
            "is_error": response.error is not MISSING,
            "tool_name": response.name,
            "kind": "MCPToolObservation",
        }
        action = self.call_events.get(response.call_id)
        fields = {
            "tool_name": response.name,
            "tool_call_id": response.call_id,
            "observation": result,
            "action_id": action or str(deterministic_uuid(_NAMESPACE, f"call/{response.call_id}")),
        }
        return self.event("ObservationEvent", "environment", fields, time)


def message_fields(inner: Mapping[str, Json]) -> dict[str, Json]:
    return {"llm_message": inner, "activated_skills": [], "extended_content": []}


def arguments_object(call: ToolCall) -> dict[str, Json]:
    return call.arguments if isinstance(call.arguments, dict) else {"value": as_text(call.arguments)}


def content_json(blocks: Sequence[Block], losses: ExportLosses, *, same_format: bool = False) -> list[Json]:
    """Return text and images as content parts; ``same_format``: the blocks came from an event of this format,
    which holds hidden reasoning in other fields."""
    parts: list[Json] = []
    for block in code_as_text(blocks, losses):
        match block:
            case Text() if block.text:
                cache = {key: value for key, value in block.extra.items() if key == "cache_prompt"}
                parts.append({"type": "text", "text": block.text, **cache})
            case Media():
                parts.append({"type": "image", "image_urls": [data_url(block.mime, block.data)]})
            case Opaque() if same_format and block.kind == "content":
                parts.append(block.raw)
            case Opaque() if not (same_format and block.kind in (REDACTED, REASONING_ITEM)):
                losses.count_left_out(block.kind or "unknown block")
    return parts


def _thinking_fields(blocks: Sequence[Block], losses: ExportLosses) -> dict[str, Json]:
    """Return signed thinking as blocks, else all as plain reasoning; the format has one of the two."""
    thinking = [block for block in blocks if isinstance(block, Thinking)]
    signed = [block for block in thinking if isinstance(block.extra.get("signature"), str)]
    plain = [block.text for block in thinking if block not in signed and block.text]
    if signed:
        if plain:
            losses.count_left_out("thinking without a signature beside signed", len(plain))
        values = [(block.text, block.extra["signature"]) for block in signed]
        return {"thinking_blocks": [{"type": "thinking", "thinking": t, "signature": s} for t, s in values]}
    if len(plain) > 1:
        losses.count_changed("several thoughts as one")
    return {"reasoning_content": "\n".join(plain)} if plain else {}


def v0_message_event(message: Message, time: str, losses: ExportLosses) -> dict[str, Json]:
    """Return a message as one event of version 0 with its text; results and calls would need the event of a
    tool."""
    for _ in tool_calls(message):
        losses.count_left_out("call of a new message")
    text = text_of_message(message)
    for response in tool_responses(message):
        losses.count_changed("result of a new message as text")
        text = f"{text}\n{result_as_text(response)}".strip()
    source = "agent" if message.speaker is Speaker.AI else "user"
    return {
        "timestamp": message.timestamp or time,
        "source": source,
        **v0_fields(text, image_urls(message)),
    }


def v0_fields(text: str, urls: Sequence[Json] = ()) -> dict[str, Json]:
    args = {"content": text, "image_urls": [*urls] or None, "wait_for_response": False}
    return {"message": text, "action": "message", "args": args}


def image_urls(message: Message) -> list[Json]:
    return [data_url(block.mime, block.data) for block in message.blocks if isinstance(block, Media)]


def text_of_message(message: Message) -> str:
    return "\n".join(as_text(block.text) for block in message.blocks if isinstance(block, Text))
