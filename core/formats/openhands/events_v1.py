"""Events of OpenHands 1 (its SDK): records with a ``kind`` (formats.md section 11)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import coerce_text, other_fields, plain_text
from core.formats.openai_chat.parts import read_arguments
from core.formats.openhands.messages import Condensation, VisibleEvent
from core.transcript.model import (
    Block,
    Media,
    MessageFlag,
    Opaque,
    Source,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

SYSTEM_PROMPT = "SystemPromptEvent"
CONDENSATION_REQUEST = "CondensationRequest"
STATE_UPDATE = "ConversationStateUpdateEvent"
EVENT_KINDS = (
    SYSTEM_PROMPT,
    "MessageEvent",
    "ActionEvent",
    "ObservationEvent",
    "AgentErrorEvent",
    "UserRejectObservation",
    "Condensation",
    CONDENSATION_REQUEST,
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
    value: Mapping[str, Json], source: Source, *, is_requested: bool
) -> VisibleEvent | Condensation | None:
    """Convert an event; None for one that the model never sees.

    ``is_requested``: the event before requested a condensation.
    """
    if value.get("kind") == "Condensation":
        return _condensation(value, source, is_requested)
    reader = _READERS.get(coerce_text(value.get("kind")))
    return reader(value, source) if reader else None


def system_texts(value: Mapping[str, Json]) -> tuple[str, ...]:
    """Return the texts of a system prompt event: the prompt and its additions for this run."""
    parts = (value.get("system_prompt"), value.get("dynamic_context"))
    texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return tuple(text for text in texts if isinstance(text, str) and text)


def token_usage(value: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the token usage of the agent's own model in a state update; empty if there is none."""
    state = value.get("value")
    stats = state.get("stats", state) if isinstance(state, dict) else None
    metrics = stats.get("usage_to_metrics") if isinstance(stats, dict) else None
    agent_metrics = (
        [metric for name, metric in metrics.items() if name != "condenser"]
        if isinstance(metrics, dict)
        else []
    )
    tokens = (
        agent_metrics[0].get("accumulated_token_usage")
        if agent_metrics and isinstance(agent_metrics[0], dict)
        else None
    )
    return {**tokens, "model": agent_metrics[0].get("model_name")} if isinstance(tokens, dict) else {}


def _visible_event(
    value: Mapping[str, Json],
    source: Source,
    speaker: Speaker | None,
    blocks: Sequence[Block],
    group: str = "",
) -> VisibleEvent:
    flags = MessageFlag.OPAQUE if any(isinstance(block, Opaque) for block in blocks) else MessageFlag.NONE
    time = coerce_text(value.get("timestamp"))
    return VisibleEvent(coerce_text(value.get("id")), speaker, tuple(blocks), source, group, flags, time)


def _system(value: Mapping[str, Json], source: Source) -> VisibleEvent:
    return _visible_event(value, source, None, ())


def _message(value: Mapping[str, Json], source: Source) -> VisibleEvent:
    inner = value.get("llm_message")
    inner = inner if isinstance(inner, dict) else {}
    role = inner.get("role")
    speaker = _ROLES.get(role, Speaker.UNKNOWN) if isinstance(role, str) else Speaker.UNKNOWN
    blocks = [*_thoughts(inner), *_content(inner.get("content"))]
    blocks += [_mark_extended(block) for block in _content(value.get("extended_content"))]
    return _visible_event(value, source, speaker, blocks)


def _mark_extended(block: Block) -> Block:
    return (
        Text(block.text, {**block.extra, "$field": "extended_content"}) if isinstance(block, Text) else block
    )


def _action(value: Mapping[str, Json], source: Source) -> VisibleEvent:
    blocks = [*_thoughts(value), *_content(value.get("thought")), _call(value)]
    return _visible_event(value, source, Speaker.AI, blocks, coerce_text(value.get("llm_response_id")))


def _call(value: Mapping[str, Json]) -> ToolCall:
    call = value.get("tool_call")
    call = call if isinstance(call, dict) else {}
    function = call.get("function")
    function = function if isinstance(function, dict) else call
    name = coerce_text(value.get("tool_name")) or coerce_text(function.get("name"))
    id_ = coerce_text(value.get("tool_call_id")) or coerce_text(call.get("id"))
    if "arguments" in function:
        arguments, notes = read_arguments(function["arguments"])
        return ToolCall(id_, name, arguments, notes)
    action = value.get("action")
    action_arguments = dict(other_fields(action, ("kind",))) if isinstance(action, dict) else {}
    return ToolCall(id_, name, action_arguments)


def _thoughts(value: Mapping[str, Json]) -> list[Block]:
    """Return signed thinking blocks if there are any, else the plain reasoning."""
    thoughts: list[Block] = []
    blocks = value.get("thinking_blocks")
    for block in blocks if isinstance(blocks, list) else ():
        if isinstance(block, dict) and isinstance(block.get("thinking"), str):
            thoughts.append(Thinking(block["thinking"], other_fields(block, ("type", "thinking"))))
        else:
            thoughts.append(Opaque("redacted_thinking", block))
    plain = value.get("reasoning_content")
    if not thoughts and isinstance(plain, str) and plain:
        thoughts.append(Thinking(plain, {"$field": "reasoning_content"}))
    if value.get("responses_reasoning_item"):
        thoughts.append(Opaque("reasoning", value["responses_reasoning_item"]))
    return thoughts


def _content(content: Json) -> list[Block]:
    if isinstance(content, str):
        return [Text(content)] if content else []
    blocks: list[Block] = []
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            blocks.append(Text(part["text"], other_fields(part, ("type", "text"))))
        elif isinstance(part, dict) and isinstance(part.get("image_urls"), list):
            blocks += [Media("", url) for url in part["image_urls"] if isinstance(url, str)]
        else:
            blocks.append(Opaque("content", part))
    return blocks


def _observation(value: Mapping[str, Json], source: Source) -> VisibleEvent:
    observation = value.get("observation")
    result: Json = observation
    failed = False
    if isinstance(observation, dict):
        others = dict(other_fields(observation, ("kind",)))
        result = observation.get("content", observation.get("output", others))
        failed = observation.get("is_error") is True
    return _response(value, source, result, plain_text(result) if failed else MISSING)


def _error(value: Mapping[str, Json], source: Source) -> VisibleEvent:
    return _response(value, source, value.get("error", ""), value.get("error", ""))


def _rejection(value: Mapping[str, Json], source: Source) -> VisibleEvent:
    reason = value.get("rejection_reason", "")
    return _response(value, source, reason, reason)


def _response(value: Mapping[str, Json], source: Source, result: Json, error: Json) -> VisibleEvent:
    id_, name = coerce_text(value.get("tool_call_id")), coerce_text(value.get("tool_name"))
    return _visible_event(value, source, Speaker.TOOL, (ToolResponse(id_, name, result, error),))


def _condensation(value: Mapping[str, Json], source: Source, is_requested: bool) -> Condensation:
    ids = value.get("forgotten_event_ids")
    offset = value.get("summary_offset")
    return Condensation(
        coerce_text(value.get("id")),
        frozenset(coerce_text(id_) for id_ in ids) if isinstance(ids, list) else frozenset(),
        coerce_text(value.get("summary")),
        offset if isinstance(offset, int) and offset >= 0 else None,
        source,
        coerce_text(value.get("timestamp")),
        is_requested,
    )


_READERS: Mapping[str, Callable[[Mapping[str, Json], Source], VisibleEvent]] = {
    SYSTEM_PROMPT: _system,
    "MessageEvent": _message,
    "ActionEvent": _action,
    "ObservationEvent": _observation,
    "AgentErrorEvent": _error,
    "UserRejectObservation": _rejection,
}
