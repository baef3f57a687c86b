"""Builds new events of OpenHands 0 and 1 from messages, and edits events of the source."""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.common.json_value import MISSING, Json
from core.formats.common.json_access import fields_of, list_of, nested, other_fields, string_of
from core.formats.common.json_parsing import parse_bytes
from core.formats.openhands.events import (
    REASONING_ITEM,
    REDACTED,
    affixes,
    model_response,
    without_affixes,
)
from core.formats.writing.api_requests import openai_tools
from core.formats.writing.export_messages import ExportLosses
from core.formats.writing.plain_text import (
    as_text,
    code_as_text,
    count_error_losses,
    data_url,
    dump_json,
    result_as_text,
)
from core.formats.writing.raw_json import deterministic_uuid
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
    """Makes events of version 1 with reproducible ids from place and content. ``call_events`` are
    the events of calls."""

    losses: ExportLosses
    time: str = _NO_TIME
    event_count: int = 0
    call_events: dict[str, str] = field(default_factory=dict)

    def event(
        self, kind: str, source: str, fields: Mapping[str, Json], time: str = ""
    ) -> dict[str, Json]:
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
        return self.event(
            "SystemPromptEvent", "agent", {"system_prompt": prompt, "tools": definitions}
        )

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
        """Yield one event for each call; all share the answer's id, the first holds thought and
        reasoning."""
        response_id = deterministic_uuid(_NAMESPACE, f"answer/{self.event_count}/{calls[0].id}").hex
        thoughts: dict[str, Json] = {
            "thought": [],
            "reasoning_content": None,
            "thinking_blocks": [],
        }
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
                "tool_call": {
                    "id": call.id,
                    "name": call.name,
                    "arguments": text,
                    "origin": "completion",
                },
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
    return (
        call.arguments if isinstance(call.arguments, dict) else {"value": as_text(call.arguments)}
    )


def content_json(
    blocks: Sequence[Block], losses: ExportLosses, *, same_format: bool = False
) -> list[Json]:
    """Return text and images as content parts; ``same_format``: the blocks came from an event of
    this format, which holds hidden reasoning in other fields."""
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
    """Return signed thinking as blocks, else all as plain reasoning; the format has one of the
    two."""
    thinking = [block for block in blocks if isinstance(block, Thinking)]
    signed = [block for block in thinking if isinstance(block.extra.get("signature"), str)]
    plain = [block.text for block in thinking if block not in signed and block.text]
    if signed:
        if plain:
            losses.count_left_out("thinking without a signature beside signed", len(plain))
        values = [(block.text, block.extra["signature"]) for block in signed]
        return {
            "thinking_blocks": [
                {"type": "thinking", "thinking": t, "signature": s} for t, s in values
            ]
        }
    if len(plain) > 1:
        losses.count_changed("several thoughts as one")
    return {"reasoning_content": "\n".join(plain)} if plain else {}


def v0_message_event(message: Message, time: str, losses: ExportLosses) -> dict[str, Json]:
    """Return a message as one event of version 0 with its text; results and calls would need the
    event of a tool."""
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
    return [
        data_url(block.mime, block.data) for block in message.blocks if isinstance(block, Media)
    ]


def text_of_message(message: Message) -> str:
    return "\n".join(as_text(block.text) for block in message.blocks if isinstance(block, Text))


def edited_event(
    value: dict[str, Json], message: Message, losses: ExportLosses, *, is_v1: bool, is_first: bool
) -> dict[str, Json] | None:
    """Return an event of the source after its message was edited; None if nothing of it is left.

    ``is_first``: it is the first event of its message, which holds the text.
    """
    if not is_v1:
        return _edited_v0_event(
            value, message, text_of_message(message) if is_first else "", is_first
        )
    if value.get("kind") == "MessageEvent":
        extended = [block for block in message.blocks if _is_extended(block)]
        others = [block for block in message.blocks if not _is_extended(block)]
        inner = _with_thoughts(fields_of(value.get("llm_message")), message.blocks)
        edited = {
            **value,
            "llm_message": {**inner, "content": content_json(others, losses, same_format=True)},
        }
        if extended or "extended_content" in value:
            edited["extended_content"] = content_json(extended, losses, same_format=True)
        return edited
    if value.get("kind") == "ActionEvent":
        content = content_json(message.blocks, losses, same_format=True) if is_first else []
        call = _call_of(message, value.get("tool_call_id"))
        if call is None:
            fields = message_fields({"role": "assistant", "content": content})
            return {**_common_fields(value), **fields, "kind": "MessageEvent"} if content else None
        thought = {"thought": content} if content or "thought" in value else {}
        return _with_arguments({**_with_thoughts(value, message.blocks), **thought}, call)
    return _edited_observation(value, message)


def _is_extended(block: Block) -> bool:
    return isinstance(block, Text) and block.extra.get("$field") == "extended_content"


def _call_of(message: Message, id_: Json) -> ToolCall | None:
    return next((call for call in tool_calls(message) if call.id == id_), None)


def _common_fields(value: Mapping[str, Json]) -> dict[str, Json]:
    return {name: value[name] for name in ("id", "timestamp", "source") if name in value}


def _with_thoughts(value: Mapping[str, Json], blocks: Sequence[Block]) -> dict[str, Json]:
    """Return the event without the reasoning that the edit removed."""
    opaque = [block for block in blocks if isinstance(block, Opaque)]
    emptied: dict[str, Json] = {}
    if not any(isinstance(block, Thinking) for block in blocks):
        redacted = [block.raw for block in opaque if block.kind == REDACTED]
        remaining = [item for item in list_of(value.get("thinking_blocks")) if item in redacted]
        emptied = {"reasoning_content": None, "thinking_blocks": remaining}
    if not any(block.kind == REASONING_ITEM for block in opaque):
        emptied["responses_reasoning_item"] = None
    return {**value, **{name: empty for name, empty in emptied.items() if name in value}}


def _with_arguments(value: dict[str, Json], call: ToolCall) -> dict[str, Json]:
    tool_call = fields_of(value.get("tool_call"))
    function = fields_of(tool_call.get("function"))
    call_fields = function or tool_call
    if "arguments" in call_fields:
        changed = {
            **call_fields,
            "arguments": _arguments_in_source_form(call_fields["arguments"], call),
        }
        return {**value, "tool_call": {**tool_call, "function": changed} if function else changed}
    action = value.get("action")
    if not isinstance(action, dict) or call.arguments == dict(other_fields(action, ("kind",))):
        return value
    kind = {"kind": action["kind"]} if "kind" in action else {}
    return {**value, "action": {**arguments_object(call), **kind}}


def _arguments_in_source_form(original: Json, call: ToolCall) -> Json:
    """Return the call's arguments in the source's form; a text with the same value stays
    unchanged."""
    if not isinstance(original, str):
        return call.arguments
    parsed = parse_bytes(original.encode("utf-8", "replace"))
    is_unchanged = call.arguments == (original if parsed.error else parsed.value)
    return original if is_unchanged else dump_json(call.arguments).decode()


def _edited_observation(value: dict[str, Json], message: Message) -> dict[str, Json] | None:
    response = next(tool_responses(message), None)
    if response is None:
        return None
    text, observation = result_as_text(response), value.get("observation")
    for name in ("error", "rejection_reason"):
        if name in value:
            return {**value, name: text}
    if not isinstance(observation, dict):
        return {**value, "observation": text}
    name = "content" if "content" in observation or "output" not in observation else "output"
    content: Json = text
    if isinstance(observation.get(name), list):
        content = (
            response.result
            if isinstance(response.result, list)
            else [{"type": "text", "text": text}]
        )
    content = without_affixes(content, *affixes(observation))
    return {**value, "observation": {**observation, name: content}}


def _edited_v0_event(
    value: dict[str, Json], message: Message, text: str, is_first: bool
) -> dict[str, Json] | None:
    if "observation" in value:
        response = next(tool_responses(message), None)
        return {
            **value,
            "content": result_as_text(response) if response else text_of_message(message),
        }
    args, action = fields_of(value.get("args")), value.get("action")
    if action == "message":
        images = {"image_urls": image_urls(message) or None} if args.get("image_urls") else {}
        return {**value, "message": text, "args": {**args, "content": text, **images}}
    if action == "finish":
        name = "final_thought" if args.get("final_thought") else "thought"
        return {**value, "message": text, "args": {**args, name: text}}
    id_ = (
        string_of(nested(value, "tool_call_metadata", "tool_call_id")) or f"event-{value.get('id')}"
    )
    call = _call_of(message, id_)
    if call is not None:
        thought = {"thought": text} if is_first or "thought" in args else {}
        return _edited_v0_call(
            value, call, {**args, **thought}, {"content": text} if is_first else {}
        )
    return {**_common_fields(value), **v0_fields(text)} if text else None


def _edited_v0_call(
    value: dict[str, Json],
    call: ToolCall,
    args: dict[str, Json],
    response_fields: Mapping[str, Json],
) -> dict[str, Json]:
    """Return the event of an edited call. A recorded answer of the model holds the call's
    arguments; ``response_fields`` are fields of that answer."""
    answer = model_response(value)
    choices = list_of(answer.get("choices"))
    recorded = fields_of(nested(choices[0], "message")) if choices else {}
    calls = list_of(recorded.get("tool_calls"))
    changed: dict[str, Json] = {}
    for index, item in enumerate(calls):
        function = fields_of(nested(item, "function"))
        if nested(item, "id") == call.id and "arguments" in function:
            arguments = _arguments_in_source_form(function["arguments"], call)
            new_item = {**item, "function": {**function, "arguments": arguments}}
            changed = {"tool_calls": [*calls[:index], new_item, *calls[index + 1 :]]}
            break
    else:  # the answer does not hold the call
        thought = {"thought": args["thought"]} if "thought" in args else {}
        args = {**(call.arguments if isinstance(call.arguments, dict) else {}), **thought}
    changed |= response_fields
    if not choices or not isinstance(choices[0], dict) or not changed:
        return {**value, "args": args}
    answer = {
        **answer,
        "choices": [{**choices[0], "message": {**recorded, **changed}}, *choices[1:]],
    }
    metadata = {**value["tool_call_metadata"], "model_response": answer}
    return {**value, "args": args, "tool_call_metadata": metadata}
