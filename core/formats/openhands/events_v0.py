"""Events of OpenHands 0: actions and the observations that they caused (formats.md section 12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import coerce_text, other_fields
from core.formats.openai_chat.parts import read_arguments
from core.formats.openhands.messages import Condensation, VisibleEvent
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
)
"""Actions and observations that are in no request to the model."""
_CONDENSATION_REQUEST = "condensation_request"
_MADE_ID = {"$made_id": True}
_MAX_EVENTS = 1_000_000  # that a condensation can name by its first and last event


@dataclass(slots=True)
class EventLinks:
    """``calls``: the call of each event by its id ("" for a message); ``open_call_id``: the last unanswered
    call in files without ids; ``call_count``: calls so far; ``is_requested``: the event before requested a
    condensation."""

    calls: dict[str, str] = field(default_factory=dict)
    open_call_id: str = ""
    call_count: int = 0
    is_requested: bool = False


def is_event(value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    has_name = isinstance(value.get("action"), str) or isinstance(value.get("observation"), str)
    return has_name and any(name in value for name in ("args", "content", "message"))


def event_name(value: Mapping[str, Json]) -> str:
    """Return the name of an event without a message, for the report."""
    return (
        coerce_text(value.get("action"))
        or coerce_text(value.get("observation"))
        or "no action or observation"
    )


def read_event(
    value: Mapping[str, Json], source: Source, links: EventLinks
) -> VisibleEvent | Condensation | None:
    """Convert an event; None for one that the model never sees."""
    action, observation = value.get("action"), value.get("observation")
    if action == "condensation":
        is_requested, links.is_requested = links.is_requested, False
        return _condensation(value, source, is_requested)
    links.is_requested = links.is_requested or action == _CONDENSATION_REQUEST
    if not isinstance(action, str):
        return None if observation in _HIDDEN_EVENTS else _observation(value, source, links)
    if action in _HIDDEN_EVENTS or action == _CONDENSATION_REQUEST:
        return None
    if action == "system":
        return _visible_event(value, source, None, ())
    by_user = value.get("source") == "user"
    if action == "message" or action == "finish":
        return _visible_event(value, source, Speaker.HUMAN if by_user else Speaker.AI, _message_blocks(value))
    if by_user:
        text = coerce_text(_args(value).get("command")) or coerce_text(value.get("message"))
        links.calls[coerce_text(value.get("id"))] = ""
        return _visible_event(
            value, source, Speaker.HUMAN, (Text(text),) if text else (), MessageFlag.COMMAND
        )
    return _call(value, source, links)


def system_texts(value: Mapping[str, Json]) -> tuple[str, ...]:
    text = _args(value).get("content")
    return (text,) if isinstance(text, str) and text else ()


def model_response(value: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the API's answer that an event came from; empty if it is not recorded."""
    answer = _metadata(value).get("model_response")
    return answer if isinstance(answer, dict) else {}


def _visible_event(
    value: Mapping[str, Json],
    source: Source,
    speaker: Speaker | None,
    blocks: Sequence[Block],
    flags: MessageFlag = MessageFlag.NONE,
    group: str = "",
) -> VisibleEvent:
    time = coerce_text(value.get("timestamp"))
    return VisibleEvent(coerce_text(value.get("id")), speaker, tuple(blocks), source, group, flags, time)


def _args(value: Mapping[str, Json]) -> Mapping[str, Json]:
    args = value.get("args")
    return args if isinstance(args, dict) else {}


def _metadata(value: Mapping[str, Json]) -> Mapping[str, Json]:
    metadata = value.get("tool_call_metadata")
    return metadata if isinstance(metadata, dict) else {}


def _message_blocks(value: Mapping[str, Json]) -> list[Block]:
    """Return the text of a message or of the action "finish", which is sent as text, not as a call."""
    args = _args(value)
    names = ("final_thought", "thought") if value.get("action") == "finish" else ("content",)
    texts = (coerce_text(args.get(name)) for name in names)
    text = next((text for text in texts if text), coerce_text(value.get("message")))
    urls = args.get("image_urls")
    images = [Media("", url) for url in urls if isinstance(url, str)] if isinstance(urls, list) else []
    return [*([Text(text)] if text else []), *images]


def _call(value: Mapping[str, Json], source: Source, links: EventLinks) -> VisibleEvent:
    metadata, args = _metadata(value), _args(value)
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
    return _visible_event(
        value, source, Speaker.AI, blocks, group=coerce_text(model_response(value).get("id"))
    )


def _arguments(answer: Mapping[str, Json], id_: str) -> Json:
    choices = answer.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    calls = message.get("tool_calls") if isinstance(message, dict) else None
    for call in calls if isinstance(calls, list) else ():
        function = call.get("function") if isinstance(call, dict) else None
        if isinstance(function, dict) and call.get("id") == id_ and "arguments" in function:
            return read_arguments(function["arguments"])[0]
    return MISSING


def _observation(value: Mapping[str, Json], source: Source, links: EventLinks) -> VisibleEvent | None:
    """Convert the answer to a call; without a call it is a note of the harness."""
    content = value.get("content", "")
    id_ = coerce_text(_metadata(value).get("tool_call_id"))
    has_cause = "cause" in value and value["cause"] is not None
    if not id_:
        id_ = links.calls.get(coerce_text(value["cause"]), "") if has_cause else ""
        if not has_cause and "id" not in value:
            id_ = links.open_call_id
    if not id_:
        flag = (
            MessageFlag.COMMAND
            if has_cause and coerce_text(value["cause"]) in links.calls
            else MessageFlag.META
        )
        text = coerce_text(content)
        return _visible_event(value, source, Speaker.HUMAN, (Text(text),), flag) if text else None
    links.open_call_id = ""
    error = content if value.get("observation") == "error" else MISSING
    extra = _MADE_ID if id_.startswith("event-") else {}
    response = ToolResponse(id_, coerce_text(_metadata(value).get("function_name")), content, error, extra)
    return _visible_event(value, source, Speaker.TOOL, (response,))


def _condensation(value: Mapping[str, Json], source: Source, is_requested: bool) -> Condensation:
    args = _args(value)
    ids = args.get("forgotten_event_ids")
    first, last = args.get("forgotten_events_start_id"), args.get("forgotten_events_end_id")
    if not isinstance(ids, list):
        ids = []
        if isinstance(first, int) and isinstance(last, int) and last - first < _MAX_EVENTS:
            ids = list(range(first, last + 1))
    offset = args.get("summary_offset")
    return Condensation(
        coerce_text(value.get("id")),
        frozenset(coerce_text(id_) for id_ in ids),
        coerce_text(args.get("summary")),
        offset if isinstance(offset, int) and offset >= 0 else None,
        source,
        coerce_text(value.get("timestamp")),
        is_requested,
    )
