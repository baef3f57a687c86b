"""Events of OpenHands 1 (its SDK): records with a ``kind`` (formats.md section 11)."""

from __future__ import annotations

from collections.abc import Mapping

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import coerce_text, other_fields, plain_text
from core.formats.common.json_access import fields_of, list_of, nested, string_of
from core.formats.openai_chat.messages import read_arguments
from core.formats.openhands.messages import Condensation, VisibleEvent, read_condensation, visible_event
from core.transcript.model import (
    Block,
    Media,
    Opaque,
    Source,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

SYSTEM_PROMPT, STATE_UPDATE = "SystemPromptEvent", "ConversationStateUpdateEvent"
EVENT_KINDS = (
    SYSTEM_PROMPT,
    "MessageEvent",
    "ActionEvent",
    "ObservationEvent",
    "AgentErrorEvent",
    "UserRejectObservation",
    "Condensation",
    "CondensationRequest",
    STATE_UPDATE,
)
"""The kinds that identify such a file; others are counted and skipped."""
_ROLES = {
    "user": Speaker.HUMAN,
    "assistant": Speaker.AI,
    "tool": Speaker.TOOL,
    "system": Speaker.SYSTEM,
    "developer": Speaker.SYSTEM,
}


def read_event(
    value: Mapping[str, Json], source: Source, is_requested: bool
) -> VisibleEvent | Condensation | None:
    """Convert an event; None for one that the model never sees."""
    match value.get("kind"):
        case "SystemPromptEvent":
            return visible_event(value, source, None, ())
        case "MessageEvent":
            inner = fields_of(value.get("llm_message"))
            blocks = [*_thoughts(inner), *_content(inner.get("content"))]
            blocks += map(_mark_extended, _content(value.get("extended_content")))
            speaker = _ROLES.get(string_of(inner.get("role")), Speaker.UNKNOWN)
            return visible_event(value, source, speaker, blocks)
        case "ActionEvent":
            blocks = [*_thoughts(value), *_content(value.get("thought")), _call(value)]
            group = coerce_text(value.get("llm_response_id"))
            return visible_event(value, source, Speaker.AI, blocks, group=group)
        case "ObservationEvent":
            return _observation(value, source)
        case "AgentErrorEvent":
            return _response(value, source, value.get("error", ""), value.get("error", ""))
        case "UserRejectObservation":
            reason = value.get("rejection_reason", "")
            return _response(value, source, reason, reason)
        case "Condensation":
            return read_condensation(value, value, source, is_requested)
    return None


def system_texts(value: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the texts of a system prompt event: the prompt and its additions for this run."""
    parts = (value.get("system_prompt"), value.get("dynamic_context"))
    texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return tuple(text for text in texts if isinstance(text, str) and text)


def token_usage(value: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the token usage of the agent's own model in a state update; empty if there is none."""
    state = fields_of(value.get("value"))
    metrics = fields_of(nested(state.get("stats", state), "usage_to_metrics"))
    own = fields_of(next((metric for name, metric in metrics.items() if name != "condenser"), None))
    tokens = own.get("accumulated_token_usage")
    return {**tokens, "model": own.get("model_name")} if isinstance(tokens, dict) else {}


def _mark_extended(block: Block) -> Block:
    return (
        Text(block.text, {**block.extra, "$field": "extended_content"}) if isinstance(block, Text) else block
    )


def _call(value: Mapping[str, Json]) -> ToolCall:
    call = fields_of(value.get("tool_call"))
    function = fields_of(call.get("function")) or call
    name = coerce_text(value.get("tool_name")) or coerce_text(function.get("name"))
    id_ = coerce_text(value.get("tool_call_id")) or coerce_text(call.get("id"))
    if "arguments" in function:
        arguments, notes = read_arguments(function["arguments"])
        return ToolCall(id_, name, arguments, notes)
    return ToolCall(id_, name, dict(other_fields(fields_of(value.get("action")), ("kind",))))


def _thoughts(value: Mapping[str, Json]) -> list[Block]:
    """Return signed thinking blocks if there are any, else the plain reasoning."""
    thoughts: list[Block] = []
    for block in list_of(value.get("thinking_blocks")):
        if isinstance(block, dict) and isinstance(block.get("thinking"), str):
            thoughts.append(Thinking(block["thinking"], other_fields(block, ("type", "thinking"))))
        else:
            thoughts.append(Opaque("redacted_thinking", block))
    plain = string_of(value.get("reasoning_content"))
    if not thoughts and plain:
        thoughts.append(Thinking(plain, {"$field": "reasoning_content"}))
    if value.get("responses_reasoning_item"):
        thoughts.append(Opaque("reasoning", value["responses_reasoning_item"]))
    return thoughts


def _content(content: Json) -> list[Block]:
    if isinstance(content, str):
        return [Text(content)] if content else []
    blocks: list[Block] = []
    for part in list_of(content):
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            blocks.append(Text(part["text"], other_fields(part, ("type", "text"))))
        elif isinstance(part, dict) and isinstance(part.get("image_urls"), list):
            blocks += [Media("", url) for url in part["image_urls"] if isinstance(url, str)]
        else:
            blocks.append(Opaque("content", part))
    return blocks


def _observation(value: Mapping[str, Json], source: Source) -> VisibleEvent:
    observation = value.get("observation")
    if not isinstance(observation, dict):
        return _response(value, source, observation, MISSING)
    others = dict(other_fields(observation, ("kind",)))
    result = observation.get("content", observation.get("output", others))
    failed = observation.get("is_error") is True
    return _response(value, source, result, plain_text(result) if failed else MISSING)


def _response(value: Mapping[str, Json], source: Source, result: Json, error: Json) -> VisibleEvent:
    id_, name = coerce_text(value.get("tool_call_id")), coerce_text(value.get("tool_name"))
    return visible_event(value, source, Speaker.TOOL, (ToolResponse(id_, name, result, error),))
