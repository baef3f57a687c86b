"""Builds events of OpenHands 0: new ones, edited ones of the source, and their ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.common.json_value import Json
from core.formats.anthropic.blocks import coerce_text
from core.formats.common.json_access import fields_of, list_of, nested, string_of
from core.formats.openhands.writer_v1 import arguments_in_source_form
from core.formats.writing.base import ExportLosses
from core.formats.writing.plain_text import as_text, data_url, result_as_text
from core.transcript.model import Media, Message, Speaker, Text, ToolCall, tool_calls, tool_responses

_STATE_EVENTS = ("null", "agent_state_changed", "recall")


def new_events(message: Message, time: str, losses: ExportLosses) -> Iterator[dict[str, Json]]:
    """Yield a message as one event with its text; results and calls would need the event of a tool."""
    text, urls = _text(message), _images(message)
    source = "agent" if message.speaker is Speaker.AI else "user"
    for block in message.blocks:
        if isinstance(block, ToolCall):
            losses.count_left_out("call of a new message")
    for response in tool_responses(message):
        losses.count_changed("result of a new message as text")
        text = f"{text}\n{result_as_text(response)}".strip()
    args = {"content": text, "image_urls": urls or None, "wait_for_response": False}
    timestamp = message.timestamp or time
    yield {"timestamp": timestamp, "source": source, "message": text, "action": "message", "args": args}


def edited_event(value: dict[str, Json], message: Message, *, is_first: bool) -> Json:
    """Return an event of the source after its message was edited; None if nothing of it is left.

    ``is_first``: it is the first event of its message, which holds the text.
    """
    if "observation" in value:
        response = next(tool_responses(message), None)
        return {**value, "content": result_as_text(response) if response else _text(message)}
    args = fields_of(value.get("args"))
    text = _text(message) if is_first else ""
    if value.get("action") == "message":
        images = {"image_urls": _images(message) or None} if args.get("image_urls") else {}
        return {**value, "message": text, "args": {**args, "content": text, **images}}
    if value.get("action") == "finish":
        name = "final_thought" if args.get("final_thought") else "thought"
        return {**value, "message": text, "args": {**args, name: text}}
    call = next((call for call in tool_calls(message) if call.id == _call_id(value)), None)
    if call is not None:
        thought = {"thought": text} if is_first or "thought" in args else {}
        return _edited_call(value, call, {**args, **thought}, {"content": text} if is_first else {})
    if not text:
        return None
    common_fields = {name: value[name] for name in ("id", "timestamp", "source") if name in value}
    message_args = {"content": text, "image_urls": None, "wait_for_response": False}
    return {**common_fields, "message": text, "action": "message", "args": message_args}


def _call_id(value: dict[str, Json]) -> str:
    return string_of(nested(value, "tool_call_metadata", "tool_call_id")) or f"event-{value.get('id')}"


def _edited_call(
    value: dict[str, Json], call: ToolCall, args: dict[str, Json], response_fields: Mapping[str, Json]
) -> dict[str, Json]:
    """Return the event of an edited call. A recorded answer of the model holds the call's arguments;
    ``response_fields`` are fields of that answer."""
    metadata = fields_of(value.get("tool_call_metadata"))
    answer = fields_of(metadata.get("model_response"))
    choices = list_of(answer.get("choices"))
    recorded = fields_of(fields_of(choices[0]).get("message")) if choices else {}
    message, has_call = _with_edited_arguments(recorded, call)
    if not has_call:
        thought = {"thought": args["thought"]} if "thought" in args else {}
        args = {**(call.arguments if isinstance(call.arguments, dict) else {}), **thought}
    if not choices or not isinstance(choices[0], dict) or not (response_fields or has_call):
        return {**value, "args": args}
    answer = {**answer, "choices": [{**choices[0], "message": {**message, **response_fields}}, *choices[1:]]}
    return {**value, "args": args, "tool_call_metadata": {**metadata, "model_response": answer}}


def _with_edited_arguments(message: Mapping[str, Json], call: ToolCall) -> tuple[Mapping[str, Json], bool]:
    calls = list_of(message.get("tool_calls"))
    for index, item in enumerate(calls):
        function = fields_of(fields_of(item).get("function"))
        if fields_of(item).get("id") == call.id and "arguments" in function:
            changed_function = {
                **function,
                "arguments": arguments_in_source_form(function["arguments"], call),
            }
            changed = {**item, "function": changed_function}
            return {**message, "tool_calls": [*calls[:index], changed, *calls[index + 1 :]]}, True
    return message, False


def _images(message: Message) -> list[Json]:
    return [data_url(block.mime, block.data) for block in message.blocks if isinstance(block, Media)]


def _text(message: Message) -> str:
    return "\n".join(as_text(block.text) for block in message.blocks if isinstance(block, Text))


def with_rising_ids(events: Sequence[dict[str, Json]]) -> list[Json]:
    """Return the events with rising ids: an id stays if possible, new events get the next, causes follow.

    States without their cause are left out; files without ids get none.
    """
    if not any("id" in event for event in events):
        return list(events)
    new_ids: dict[str, int] = {}
    last_id = -1
    renumbered: list[Json] = []
    for event in events:
        cause = event.get("cause")
        new_cause = new_ids.get(coerce_text(cause))
        if cause is not None and new_cause is None and event.get("observation") in _STATE_EVENTS:
            continue
        old_id = event.get("id")
        last_id = old_id if isinstance(old_id, int) and old_id > last_id else last_id + 1
        if isinstance(old_id, int):
            new_ids[coerce_text(old_id)] = last_id
        value: dict[str, Json] = {"id": last_id} | event | {"id": last_id}
        if cause is not None:
            value["cause"] = new_cause
        renumbered.append(value)
    return renumbered
