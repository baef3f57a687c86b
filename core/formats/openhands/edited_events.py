"""Edits events of the source after their messages were edited, for OpenHands 0 and 1."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.common.json_value import Json
from core.formats.common.json_access import coerce_text, fields_of, list_of, nested, other_fields, string_of
from core.formats.common.json_parsing import parse_bytes
from core.formats.openhands.events import REASONING_ITEM, REDACTED, model_response
from core.formats.openhands.new_events import (
    arguments_object,
    content_json,
    image_urls,
    message_fields,
    text_of_message,
    v0_fields,
)
from core.formats.writing.base import ExportLosses
from core.formats.writing.plain_text import result_as_text
from core.formats.writing.raw_json import dump_json
from core.transcript.model import Block, Message, Opaque, Text, Thinking, ToolCall, tool_calls, tool_responses

_STATE_EVENTS = ("null", "agent_state_changed", "recall")


def edited_event(
    value: dict[str, Json], message: Message, losses: ExportLosses, *, is_v1: bool, is_first: bool
) -> dict[str, Json] | None:
    """Return an event of the source after its message was edited; None if nothing of it is left.

    ``is_first``: it is the first event of its message, which holds the text.
    """
    if not is_v1:
        return _edited_v0_event(value, message, text_of_message(message) if is_first else "", is_first)
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
        changed = {**call_fields, "arguments": _arguments_in_source_form(call_fields["arguments"], call)}
        return {**value, "tool_call": {**tool_call, "function": changed} if function else changed}
    action = value.get("action")
    if not isinstance(action, dict) or call.arguments == dict(other_fields(action, ("kind",))):
        return value
    kind = {"kind": action["kind"]} if "kind" in action else {}
    return {**value, "action": {**arguments_object(call), **kind}}


def _arguments_in_source_form(original: Json, call: ToolCall) -> Json:
    """Return the call's arguments in the source's form; a text with the same value stays unchanged."""
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
        content = response.result if isinstance(response.result, list) else [{"type": "text", "text": text}]
    return {**value, "observation": {**observation, name: content}}


def _edited_v0_event(
    value: dict[str, Json], message: Message, text: str, is_first: bool
) -> dict[str, Json] | None:
    if "observation" in value:
        response = next(tool_responses(message), None)
        return {**value, "content": result_as_text(response) if response else text_of_message(message)}
    args, action = fields_of(value.get("args")), value.get("action")
    if action == "message":
        images = {"image_urls": image_urls(message) or None} if args.get("image_urls") else {}
        return {**value, "message": text, "args": {**args, "content": text, **images}}
    if action == "finish":
        name = "final_thought" if args.get("final_thought") else "thought"
        return {**value, "message": text, "args": {**args, name: text}}
    id_ = string_of(nested(value, "tool_call_metadata", "tool_call_id")) or f"event-{value.get('id')}"
    call = _call_of(message, id_)
    if call is not None:
        thought = {"thought": text} if is_first or "thought" in args else {}
        return _edited_v0_call(value, call, {**args, **thought}, {"content": text} if is_first else {})
    return {**_common_fields(value), **v0_fields(text)} if text else None


def _edited_v0_call(
    value: dict[str, Json], call: ToolCall, args: dict[str, Json], response_fields: Mapping[str, Json]
) -> dict[str, Json]:
    """Return the event of an edited call. A recorded answer of the model holds the call's arguments;
    ``response_fields`` are fields of that answer."""
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
    answer = {**answer, "choices": [{**choices[0], "message": {**recorded, **changed}}, *choices[1:]]}
    metadata = {**value["tool_call_metadata"], "model_response": answer}
    return {**value, "args": args, "tool_call_metadata": metadata}


def with_rising_ids(events: Sequence[dict[str, Json]]) -> list[dict[str, Json]]:
    """Return the events of version 0 with rising ids: an id stays if possible, new events get the next,
    causes follow. States without their cause are left out; files without ids get none."""
    if not any("id" in event for event in events):
        return list(events)
    new_ids: dict[str, int] = {}
    last_id = -1
    renumbered: list[dict[str, Json]] = []
    for event in events:
        cause = event.get("cause")
        new_cause = new_ids.get(coerce_text(cause))
        if cause is not None and new_cause is None and event.get("observation") in _STATE_EVENTS:
            continue
        old_id = event.get("id")
        last_id = old_id if isinstance(old_id, int) and old_id > last_id else last_id + 1
        if isinstance(old_id, int):
            new_ids[coerce_text(old_id)] = last_id
        cause_field = {} if cause is None else {"cause": new_cause}
        renumbered.append({"id": last_id} | event | {"id": last_id, **cause_field})
    return renumbered
