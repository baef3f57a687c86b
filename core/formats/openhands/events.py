"""Reads the events of OpenHands: actions and their observations in version 0, records with a
``kind`` in version 1."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import plain_text
from core.formats.common.json_access import (
    coerce_text,
    fields_of,
    list_of,
    nested,
    other_fields,
    string_of,
)
from core.formats.common.messages import MADE_ID, record_messages
from core.formats.openai_chat.messages import ROLES, read_arguments
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Media,
    Message,
    MessageFlag,
    Opaque,
    Source,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

SYSTEM_PROMPT, STATE_UPDATE = "SystemPromptEvent", "ConversationStateUpdateEvent"
REDACTED, REASONING_ITEM = "redacted_thinking", "reasoning"
"""Kinds of encrypted reasoning: a block, and an item of the Responses API."""
_V1_KINDS = (
    *(SYSTEM_PROMPT, "MessageEvent", "ActionEvent", "ObservationEvent", "AgentErrorEvent"),
    *("UserRejectObservation", "Condensation", "CondensationRequest", STATE_UPDATE),
)
"""The kinds that identify such a file; others are counted and skipped."""
_HIDDEN_V0_EVENTS = (
    *("null", "change_agent_state", "agent_state_changed", "recall"),
    *("pause", "resume", "stop", "start", "condensation_request"),
)
"""Actions and observations that are in no request to the model."""


@dataclass(slots=True, eq=False)
class OpenHandsEvent:
    """One event that the model sees, as a message. Events of one ``group`` are one message of the
    conversation: the parallel calls of one answer. ``slot`` is the place of that message; -1 for a
    system prompt or a summary, which are in the model's view only."""

    message: Message
    group: str = ""
    slot: int = -1


def visible_event(
    value: Mapping[str, Json],
    source: Source,
    speaker: Speaker,
    blocks: Sequence[Block],
    *,
    group: str = "",
    flags: MessageFlag = MessageFlag.NONE,
) -> OpenHandsEvent:
    id_, time = coerce_text(value.get("id")), coerce_text(value.get("timestamp"))
    return OpenHandsEvent(record_messages(source, [(speaker, blocks)], flags, id_, time)[0], group)


def is_v1_event(value: Json) -> bool:
    return isinstance(value, dict) and value.get("kind") in _V1_KINDS and "source" in value


def is_v0_event(value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    has_name = isinstance(value.get("action"), str) or isinstance(value.get("observation"), str)
    return has_name and any(name in value for name in ("args", "content", "message"))


def event_name(value: Mapping[str, Json]) -> str:
    names = (coerce_text(value.get(name)) for name in ("kind", "action", "observation"))
    return next(filter(None, names), "no action or observation")


def condensation_fields(value: Mapping[str, Json]) -> Mapping[str, Json] | None:
    """Return what a condensation forgets and adds; None for another event."""
    if "kind" in value:
        return value if value["kind"] == "Condensation" else None
    return fields_of(value.get("args")) if value.get("action") == "condensation" else None


def system_part(value: Mapping[str, Json]) -> tuple[list[str], Json] | None:
    """Return the texts of a system prompt event, with its additions for this run, and its tools."""
    if value.get("kind") == SYSTEM_PROMPT:
        parts = (value.get("system_prompt"), value.get("dynamic_context"))
        texts = [part.get("text") if isinstance(part, dict) else part for part in parts]
        return [text for text in texts if isinstance(text, str) and text], value.get("tools")
    if "kind" not in value and value.get("action") == "system":
        text = string_of(nested(value, "args", "content"))
        return [text] if text else [], nested(value, "args", "tools")
    return None


def read_v1_event(value: Mapping[str, Json], source: Source) -> OpenHandsEvent | None:
    """Convert an event of version 1; None for one that the model never sees."""
    error: Json = MISSING
    match value.get("kind"):
        case "SystemPromptEvent":
            return visible_event(value, source, Speaker.SYSTEM, ())
        case "MessageEvent":
            inner = fields_of(value.get("llm_message"))
            blocks = [*_thoughts(inner), *_content(inner.get("content"))]
            blocks += (
                Text(block.text, {**block.extra, "$field": "extended_content"})
                if isinstance(block, Text)
                else block
                for block in _content(value.get("extended_content"))
            )
            speaker = ROLES.get(string_of(inner.get("role")), Speaker.UNKNOWN)
            return visible_event(value, source, speaker, blocks)
        case "ActionEvent":
            blocks = [*_thoughts(value), *_content(value.get("thought")), _v1_call(value)]
            group = coerce_text(value.get("llm_response_id"))
            return visible_event(value, source, Speaker.AI, blocks, group=group)
        case "ObservationEvent":
            result = observation = value.get("observation")
            if isinstance(observation, dict):
                others = dict(other_fields(observation, ("kind",)))
                result = observation.get("content", observation.get("output", others))
                result = _with_affixes(result, *affixes(observation))
                error = plain_text(result) if observation.get("is_error") is True else MISSING
        case "AgentErrorEvent":
            result = error = value.get("error", "")
        case "UserRejectObservation":
            result = error = value.get("rejection_reason", "")
        case _:
            return None
    id_, name = coerce_text(value.get("tool_call_id")), coerce_text(value.get("tool_name"))
    return visible_event(value, source, Speaker.TOOL, (ToolResponse(id_, name, result, error),))


def affixes(observation: Mapping[str, Json]) -> tuple[str, str]:
    """Return what the model is told before and behind the content of an observation."""
    metadata = fields_of(observation.get("metadata"))
    return string_of(metadata.get("prefix")), string_of(metadata.get("suffix"))


def _with_affixes(content: Json, prefix: str, suffix: str) -> Json:
    if not (prefix or suffix):
        return content
    return _changed_ends(content, lambda text: prefix + text, lambda text: text + suffix)


def without_affixes(content: Json, prefix: str, suffix: str) -> Json:
    """Return the content of an observation as its event has it."""
    return _changed_ends(
        content, lambda text: text.removeprefix(prefix), lambda text: text.removesuffix(suffix)
    )


def _changed_ends(content: Json, first: Callable[[str], str], last: Callable[[str], str]) -> Json:
    """Change the beginning and the end of a text, or of the first and the last text of content
    parts."""
    if isinstance(content, str):
        return last(first(content))
    parts = list(list_of(content))
    texts = [n for n, part in enumerate(parts) if isinstance(nested(part, "text"), str)]
    if not texts:
        return content
    for place, change in ((texts[0], first), (texts[-1], last)):
        parts[place] = {**parts[place], "text": change(parts[place]["text"])}
    return parts


def token_usage(value: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the token usage of the agent's own model in a state update; empty if there is none."""
    state = fields_of(value.get("value"))
    metrics = fields_of(nested(state.get("stats", state), "usage_to_metrics"))
    own = fields_of(next((metric for name, metric in metrics.items() if name != "condenser"), None))
    tokens = own.get("accumulated_token_usage")
    return {**tokens, "model": own.get("model_name")} if isinstance(tokens, dict) else {}


def _v1_call(value: Mapping[str, Json]) -> ToolCall:
    call = fields_of(value.get("tool_call"))
    function = fields_of(call.get("function")) or call
    name = coerce_text(value.get("tool_name")) or coerce_text(function.get("name"))
    id_ = coerce_text(value.get("tool_call_id")) or coerce_text(call.get("id"))
    if "arguments" in function:
        return ToolCall(id_, name, *read_arguments(function["arguments"]))
    return ToolCall(id_, name, dict(other_fields(fields_of(value.get("action")), ("kind",))))


def _thoughts(value: Mapping[str, Json]) -> list[Block]:
    """Return signed thinking blocks if there are any, else the plain reasoning."""
    thoughts: list[Block] = []
    for block in list_of(value.get("thinking_blocks")):
        if isinstance(nested(block, "thinking"), str):
            thoughts.append(Thinking(block["thinking"], other_fields(block, ("type", "thinking"))))
        else:
            thoughts.append(Opaque(REDACTED, block))
    if not thoughts and (plain := string_of(value.get("reasoning_content"))):
        thoughts.append(Thinking(plain, {"$field": "reasoning_content"}))
    if value.get("responses_reasoning_item"):
        thoughts.append(Opaque(REASONING_ITEM, value["responses_reasoning_item"]))
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


@dataclass(slots=True)
class EventLinks:
    """Links between events of version 0. ``calls``: the call of each event by its id ("" for a
    message); ``open_call_id``: the last unanswered call in files without ids; ``call_count``: calls
    so far."""

    calls: dict[str, str] = field(default_factory=dict)
    open_call_id: str = ""
    call_count: int = 0


def read_v0_event(
    value: Mapping[str, Json], source: Source, links: EventLinks
) -> OpenHandsEvent | None:
    """Convert an event of version 0; None for one that the model never sees."""
    action = value.get("action")
    if not isinstance(action, str):
        return (
            None
            if value.get("observation") in _HIDDEN_V0_EVENTS
            else _v0_response(value, source, links)
        )
    if action in _HIDDEN_V0_EVENTS:
        return None
    by_user = value.get("source") == "user"
    if action == "system":
        return visible_event(value, source, Speaker.SYSTEM, ())
    if action in ("message", "finish"):
        return visible_event(
            value, source, Speaker.HUMAN if by_user else Speaker.AI, _v0_message(value)
        )
    if by_user:
        text = coerce_text(nested(value, "args", "command")) or coerce_text(value.get("message"))
        links.calls[coerce_text(value.get("id"))] = ""
        blocks = (Text(text),) if text else ()
        return visible_event(value, source, Speaker.HUMAN, blocks, flags=MessageFlag.COMMAND)
    return _v0_call(value, source, links)


def model_response(value: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the API's answer that an event of version 0 came from; empty if it is not recorded."""
    return fields_of(nested(value, "tool_call_metadata", "model_response"))


def _v0_message(value: Mapping[str, Json]) -> list[Block]:
    args = fields_of(value.get("args"))
    names = ("final_thought", "thought") if value.get("action") == "finish" else ("content",)
    texts = (coerce_text(args.get(name)) for name in names)
    text = next(filter(None, texts), coerce_text(value.get("message")))
    images = [Media("", url) for url in list_of(args.get("image_urls")) if isinstance(url, str)]
    return [*([Text(text)] if text else []), *images]


def _v0_call(value: Mapping[str, Json], source: Source, links: EventLinks) -> OpenHandsEvent:
    metadata, args = fields_of(value.get("tool_call_metadata")), fields_of(value.get("args"))
    id_, extra = coerce_text(metadata.get("tool_call_id")), NO_EXTRA
    if not id_:
        links.call_count += 1
        id_, extra = f"event-{value.get('id', f'no-{links.call_count}')}", MADE_ID
    name = coerce_text(metadata.get("function_name")) or coerce_text(value.get("action"))
    answer = model_response(value)
    arguments: Json = dict(other_fields(args, ("thought",)))
    for choice in list_of(answer.get("choices"))[:1]:
        for call in list_of(nested(choice, "message", "tool_calls")):
            function = fields_of(nested(call, "function"))
            if nested(call, "id") == id_ and "arguments" in function:
                arguments = read_arguments(function["arguments"])[0]
                break
    links.open_call_id = id_
    if "id" in value:
        links.calls[coerce_text(value["id"])] = id_
    thought = coerce_text(args.get("thought"))
    blocks = (*((Text(thought),) if thought else ()), ToolCall(id_, name, arguments, extra))
    return visible_event(value, source, Speaker.AI, blocks, group=coerce_text(answer.get("id")))


def _v0_response(
    value: Mapping[str, Json], source: Source, links: EventLinks
) -> OpenHandsEvent | None:
    """Convert the answer to a call; without a call it is a note of the harness."""
    content, metadata = value.get("content", ""), fields_of(value.get("tool_call_metadata"))
    cause = None if value.get("cause") is None else coerce_text(value["cause"])
    id_ = coerce_text(metadata.get("tool_call_id"))
    if not id_ and cause is not None:
        id_ = links.calls.get(cause, "")
    elif not id_ and "id" not in value:
        id_ = links.open_call_id
    if not id_:
        flag = MessageFlag.COMMAND if cause in links.calls else MessageFlag.META
        text = coerce_text(content)
        return (
            visible_event(value, source, Speaker.HUMAN, (Text(text),), flags=flag) if text else None
        )
    links.open_call_id = ""
    error = content if value.get("observation") == "error" else MISSING
    extra = MADE_ID if id_.startswith("event-") else {}
    response = ToolResponse(id_, string_of(metadata.get("function_name")), content, error, extra)
    return visible_event(value, source, Speaker.TOOL, (response,))
