"""Events of OpenHands 0: actions and the observations that they caused (formats.md section 12)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import other_fields, text_of
from core.formats.openai_chat.parts import read_arguments
from core.formats.openhands.messages import Condensation, VisibleEvent
from core.transcript.model import Block, Media, MessageFlag, Source, Speaker, Text, ToolCall, ToolResponse

_UNSEEN = ("null", "change_agent_state", "agent_state_changed", "recall", "pause", "resume", "stop", "start")
"""Actions and observations that are in no request to the model."""
_REQUEST = "condensation_request"
_MADE_ID = {"$made_id": True}
_MOST_EVENTS = 1_000_000  # that a condensation can name by its first and last event


@dataclass(slots=True)
class EventLinks:
    """``calls``: the call of each event by its id ("" for a message); ``waiting``: the last unanswered
    call in files without ids; ``call_count``: calls so far; ``is_requested``: the event before requested a
    condensation."""

    calls: dict[str, str] = field(default_factory=dict)
    waiting: str = ""
    call_count: int = 0
    is_requested: bool = False


def is_event(value: Json) -> bool:
    if not isinstance(value, dict):
        return False
    named = isinstance(value.get("action"), str) or isinstance(value.get("observation"), str)
    return named and any(name in value for name in ("args", "content", "message"))


def kind_of(value: Mapping[str, Json]) -> str:
    """Return the name of an event without a message, for the report."""
    return text_of(value.get("action")) or text_of(value.get("observation")) or "no action or observation"


def read_event(
    value: Mapping[str, Json], source: Source, links: EventLinks
) -> VisibleEvent | Condensation | None:
    """Convert an event; None for one that the model never sees."""
    action, observation = value.get("action"), value.get("observation")
    if action == "condensation":
        asked, links.is_requested = links.is_requested, False
        return _condensation(value, source, asked)
    links.is_requested = links.is_requested or action == _REQUEST
    if not isinstance(action, str):
        return None if observation in _UNSEEN else _observation(value, source, links)
    if action in _UNSEEN or action == _REQUEST:
        return None
    if action == "system":
        return _visible(value, source, None, ())
    by_user = value.get("source") == "user"
    if action == "message" or action == "finish":
        return _visible(value, source, Speaker.HUMAN if by_user else Speaker.AI, _words(value))
    if by_user:
        text = text_of(_args(value).get("command")) or text_of(value.get("message"))
        links.calls[text_of(value.get("id"))] = ""
        return _visible(value, source, Speaker.HUMAN, (Text(text),) if text else (), MessageFlag.COMMAND)
    return _call(value, source, links)


def system_texts(value: Mapping[str, Json]) -> tuple[str, ...]:
    text = _args(value).get("content")
    return (text,) if isinstance(text, str) and text else ()


def answer_of(value: Mapping[str, Json]) -> Mapping[str, Json]:
    """Return the API's answer that an event came from; empty if it is not recorded."""
    answer = _metadata(value).get("model_response")
    return answer if isinstance(answer, dict) else {}


def _visible(
    value: Mapping[str, Json],
    source: Source,
    speaker: Speaker | None,
    blocks: Sequence[Block],
    flags: MessageFlag = MessageFlag.NONE,
    group: str = "",
) -> VisibleEvent:
    time = text_of(value.get("timestamp"))
    return VisibleEvent(text_of(value.get("id")), speaker, tuple(blocks), source, group, flags, time)


def _args(value: Mapping[str, Json]) -> Mapping[str, Json]:
    args = value.get("args")
    return args if isinstance(args, dict) else {}


def _metadata(value: Mapping[str, Json]) -> Mapping[str, Json]:
    metadata = value.get("tool_call_metadata")
    return metadata if isinstance(metadata, dict) else {}


def _words(value: Mapping[str, Json]) -> list[Block]:
    """Return the text of a message or of the action "finish", which is sent as text, not as a call."""
    args = _args(value)
    names = ("final_thought", "thought") if value.get("action") == "finish" else ("content",)
    texts = (text_of(args.get(name)) for name in names)
    text = next((text for text in texts if text), text_of(value.get("message")))
    urls = args.get("image_urls")
    images = [Media("", url) for url in urls if isinstance(url, str)] if isinstance(urls, list) else []
    return [*([Text(text)] if text else []), *images]


def _call(value: Mapping[str, Json], source: Source, links: EventLinks) -> VisibleEvent:
    metadata, args = _metadata(value), _args(value)
    id_, extra = text_of(metadata.get("tool_call_id")), {}
    if not id_:
        links.call_count += 1
        id_, extra = f"event-{value.get('id', f'no-{links.call_count}')}", _MADE_ID
    name = text_of(metadata.get("function_name")) or text_of(value.get("action"))
    arguments = _arguments(answer_of(value), id_)
    if arguments is MISSING:
        arguments = dict(other_fields(args, ("thought",)))
    links.waiting = id_
    if "id" in value:
        links.calls[text_of(value["id"])] = id_
    thought = text_of(args.get("thought"))
    blocks = (*((Text(thought),) if thought else ()), ToolCall(id_, name, arguments, extra))
    return _visible(value, source, Speaker.AI, blocks, group=text_of(answer_of(value).get("id")))


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
    id_ = text_of(_metadata(value).get("tool_call_id"))
    caused = "cause" in value and value["cause"] is not None
    if not id_:
        id_ = links.calls.get(text_of(value["cause"]), "") if caused else ""
        if not caused and "id" not in value:
            id_ = links.waiting
    if not id_:
        flag = MessageFlag.COMMAND if caused and text_of(value["cause"]) in links.calls else MessageFlag.META
        text = text_of(content)
        return _visible(value, source, Speaker.HUMAN, (Text(text),), flag) if text else None
    links.waiting = ""
    error = content if value.get("observation") == "error" else MISSING
    extra = _MADE_ID if id_.startswith("event-") else {}
    response = ToolResponse(id_, text_of(_metadata(value).get("function_name")), content, error, extra)
    return _visible(value, source, Speaker.TOOL, (response,))


def _condensation(value: Mapping[str, Json], source: Source, asked: bool) -> Condensation:
    args = _args(value)
    ids = args.get("forgotten_event_ids")
    first, last = args.get("forgotten_events_start_id"), args.get("forgotten_events_end_id")
    if not isinstance(ids, list):
        ids = []
        if isinstance(first, int) and isinstance(last, int) and last - first < _MOST_EVENTS:
            ids = list(range(first, last + 1))
    offset = args.get("summary_offset")
    return Condensation(
        text_of(value.get("id")),
        frozenset(text_of(id_) for id_ in ids),
        text_of(args.get("summary")),
        offset if isinstance(offset, int) and offset >= 0 else None,
        source,
        text_of(value.get("timestamp")),
        asked,
    )
