"""Events of OpenHands 0: actions and the observations that they caused (formats.md section 12)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import coerce_text, other_fields
from core.formats.common.json_access import fields_of, list_of, nested, string_of
from core.formats.openai_chat.messages import read_arguments
from core.formats.openhands.messages import Condensation, VisibleEvent, read_condensation, visible_event
from core.transcript.model import Block, Media, MessageFlag, Source, Speaker, Text, ToolCall, ToolResponse

_HIDDEN_EVENTS = (
    "null",
    "change_agent_state",
    "agent_state_changed",
    "recall",
    "pause",
    "resume",
    "stop",
    "start",
    "condensation_request",
)
"""Actions and observations that are in no request to the model."""
_MADE_ID = {"$made_id": True}


@dataclass(slots=True)
class EventLinks:
    """``calls``: the call of each event by its id ("" for a message); ``open_call_id``: the last unanswered
    call in files without ids; ``call_count``: calls so far."""

    calls: dict[str, str] = field(default_factory=dict)
    open_call_id: str = ""
    call_count: int = 0


def is_event(value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    has_name = isinstance(value.get("action"), str) or isinstance(value.get("observation"), str)
    return has_name and any(name in value for name in ("args", "content", "message"))


def event_name(value: Mapping[str, Json]) -> str:
    """Return the name of an event without a message, for the report."""
    names = (coerce_text(value.get(name)) for name in ("action", "observation"))
    return next(filter(None, names), "no action or observation")


def read_event(
    value: Mapping[str, Json], source: Source, links: EventLinks, is_requested: bool
) -> VisibleEvent | Condensation | None:
    """Convert an event; None for one that the model never sees."""
    action, args = value.get("action"), fields_of(value.get("args"))
    if action == "condensation":
        return read_condensation(value, args, source, is_requested)
    if not isinstance(action, str):
        return None if value.get("observation") in _HIDDEN_EVENTS else _observation(value, source, links)
    if action in _HIDDEN_EVENTS:
        return None
    if action == "system":
        return visible_event(value, source, None, ())
    by_user = value.get("source") == "user"
    if action in ("message", "finish"):
        return visible_event(value, source, Speaker.HUMAN if by_user else Speaker.AI, _message_blocks(value))
    if by_user:
        text = coerce_text(args.get("command")) or coerce_text(value.get("message"))
        links.calls[coerce_text(value.get("id"))] = ""
        blocks = (Text(text),) if text else ()
        return visible_event(value, source, Speaker.HUMAN, blocks, flags=MessageFlag.COMMAND)
    return _call(value, source, links)


def model_response(value: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the API's answer that an event came from; empty if it is not recorded."""
    return fields_of(nested(value, "tool_call_metadata", "model_response"))


def _message_blocks(value: Mapping[str, Json]) -> list[Block]:
    """Return the text of a message or of the action "finish", which is sent as text, not as a call."""
    args = fields_of(value.get("args"))
    names = ("final_thought", "thought") if value.get("action") == "finish" else ("content",)
    texts = (coerce_text(args.get(name)) for name in names)
    text = next((text for text in texts if text), coerce_text(value.get("message")))
    images = [Media("", url) for url in list_of(args.get("image_urls")) if isinstance(url, str)]
    return [*([Text(text)] if text else []), *images]


def _call(value: Mapping[str, Json], source: Source, links: EventLinks) -> VisibleEvent:
    metadata, args = fields_of(value.get("tool_call_metadata")), fields_of(value.get("args"))
    id_, extra = coerce_text(metadata.get("tool_call_id")), {}
    if not id_:
        links.call_count += 1
        id_, extra = f"event-{value.get('id', f'no-{links.call_count}')}", _MADE_ID
    name = coerce_text(metadata.get("function_name")) or coerce_text(value.get("action"))
    arguments = _arguments(model_response(value), id_)
    if arguments is MISSING:
        arguments = dict(other_fields(args, ("thought",)))
    links.open_call_id = id_
    if "id" in value:
        links.calls[coerce_text(value["id"])] = id_
    thought = coerce_text(args.get("thought"))
    blocks = (*((Text(thought),) if thought else ()), ToolCall(id_, name, arguments, extra))
    group = coerce_text(model_response(value).get("id"))
    return visible_event(value, source, Speaker.AI, blocks, group=group)


def _arguments(answer: Mapping[str, Json], id_: str) -> Json:
    for choice in list_of(answer.get("choices"))[:1]:
        for call in list_of(nested(choice, "message", "tool_calls")):
            function = fields_of(nested(call, "function"))
            if nested(call, "id") == id_ and "arguments" in function:
                return read_arguments(function["arguments"])[0]
    return MISSING


def _observation(value: Mapping[str, Json], source: Source, links: EventLinks) -> VisibleEvent | None:
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
        return visible_event(value, source, Speaker.HUMAN, (Text(text),), flags=flag) if text else None
    links.open_call_id = ""
    error = content if value.get("observation") == "error" else MISSING
    extra = _MADE_ID if id_.startswith("event-") else {}
    response = ToolResponse(id_, string_of(metadata.get("function_name")), content, error, extra)
    return visible_event(value, source, Speaker.TOOL, (response,))
