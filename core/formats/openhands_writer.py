"""Writes OpenHands events: the source's own list with surviving and new events, or a new JSONL.

A compacted list has no recorded condensations, because it holds their result. Events without a
message (state updates) stay where they were. A condensation at the end names the events that it
removes from the model's view and the place of its summary in the rest; it can hold any strategy's
result but edits.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import TypeAlias

from core.common.json_value import MISSING, Json
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    list_of,
    nested,
    other_fields,
    parse_bytes,
    string_of,
)
from core.formats.common.message_lists import source_records
from core.formats.common.messages import ImportNotes
from core.formats.openhands import (
    REASONING_ITEM,
    REDACTED,
    OpenHandsReplay,
    affixes,
    event_name,
    event_values,
    is_summary,
    model_response,
    without_affixes,
)
from core.formats.writing.api_requests import openai_tools
from core.formats.writing.exporter import (
    ExporterOutput,
    ExportInput,
    ExportLosses,
    ExportMessage,
    OutputShape,
    export_messages,
    export_messages_beginning_with_user,
    record_starts,
)
from core.formats.writing.plain_text import (
    as_text,
    code_as_text,
    count_error_losses,
    data_url,
    dump_json,
    dump_lines,
    result_as_text,
)
from core.formats.writing.raw_json import (
    deterministic_uuid,
    rebuild_container,
    source_shape,
    transcript_exporter,
)
from core.formats.writing.recorded_compaction import (
    append_records,
    applied_compaction,
    boundary_warnings,
    cannot_append_error,
    kept_record_starts,
    kept_summary_starts,
    lost_summary_warning,
    summary_index,
    summary_text,
    valid_usage_starts,
    without_usage,
)
from core.transcript.compaction import Compaction
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
# Times of OpenHands have no zone.
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
        # Place and content instead of chance: the same export has the same bytes.
        name = (
            f"{self.event_count}/{kind}/{dump_json(fields).decode('utf-8', 'replace')}"
        )
        id_ = str(deterministic_uuid(_NAMESPACE, name))
        return {
            "id": id_,
            "timestamp": time or self.time,
            "source": source,
            **fields,
            "kind": kind,
        }

    def system_event(
        self, texts: Sequence[str], tools: Sequence[Json]
    ) -> dict[str, Json]:
        """Return the first event of a conversation: system prompt and tool definitions."""
        # The event has a place for one prompt only.
        if len(texts) > 1:
            self.losses.count_changed("several system prompts as one")
        prompt = {"type": "text", "text": "\n\n".join(texts)}
        definitions = openai_tools(tools, self.losses)
        return self.event(
            "SystemPromptEvent",
            "agent",
            {"system_prompt": prompt, "tools": definitions},
        )

    def message_events(self, message: Message) -> Iterator[dict[str, Json]]:
        """Yield the events of a message: its results, then its text and calls."""
        for response in tool_responses(message):
            yield self._observation(response, message.timestamp)
        others = [
            block for block in message.blocks if not isinstance(block, ToolResponse)
        ]
        calls = list(tool_calls(message))
        if calls and message.speaker is Speaker.AI:
            yield from self._actions(others, calls, message.timestamp)
        elif others or message.speaker is not Speaker.TOOL:
            if message.speaker is Speaker.UNKNOWN:
                self.losses.count_changed("message of an unknown role as user")
            content = content_json(others, self.losses)
            role, source = (
                names.get(message.speaker, "user") for names in (_ROLES, _SOURCES)
            )
            inner = {
                "role": role,
                "content": content,
                **_thinking_fields(others, self.losses),
            }
            yield self.event(
                "MessageEvent", source, message_fields(inner), message.timestamp
            )

    def _actions(
        self, blocks: Sequence[Block], calls: Sequence[ToolCall], time: str
    ) -> Iterator[dict[str, Json]]:
        """Yield one event for each call; all share the answer's id, the first holds thought and
        reasoning."""
        response_id = deterministic_uuid(
            # The id is all that tells a reader that calls were made at the same time.
            _NAMESPACE,
            f"answer/{self.event_count}/{calls[0].id}",
        ).hex
        thoughts: dict[str, Json] = {
            "thought": [],
            "reasoning_content": None,
            "thinking_blocks": [],
        }
        first_fields = {"thought": content_json(blocks, self.losses)}
        first_fields |= _thinking_fields(blocks, self.losses)
        for call in calls:
            text = dump_json(
                {} if call.arguments is MISSING else call.arguments
            ).decode()
            fields = {
                **thoughts,
                **first_fields,
                # Probably a kind of a tool must be known; that for MCP takes any name and
                # arguments.
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
            # Probably the field is required, also where the call was taken out.
            "action_id": action
            or str(deterministic_uuid(_NAMESPACE, f"call/{response.call_id}")),
        }
        return self.event("ObservationEvent", "environment", fields, time)


def message_fields(inner: Mapping[str, Json]) -> dict[str, Json]:
    return {"llm_message": inner, "activated_skills": [], "extended_content": []}


def arguments_object(call: ToolCall) -> dict[str, Json]:
    if isinstance(call.arguments, dict):
        return call.arguments
    return {"value": as_text(call.arguments)}


def content_json(
    blocks: Sequence[Block], losses: ExportLosses, *, same_format: bool = False
) -> list[Json]:
    """Return text and images as content parts; ``same_format``: the blocks came from an event of
    this format, which holds hidden reasoning in other fields."""
    parts: list[Json] = []
    for block in code_as_text(blocks, losses):
        match block:
            case Text() if block.text:
                cache = {
                    key: value
                    for key, value in block.extra.items()
                    if key == "cache_prompt"
                }
                parts.append({"type": "text", "text": block.text, **cache})
            case Media():
                parts.append(
                    {"type": "image", "image_urls": [data_url(block.mime, block.data)]}
                )
            case Opaque() if same_format and block.kind == "content":
                parts.append(block.raw)
            # Encrypted reasoning is written in fields of its own, so it is not lost here.
            case Opaque() if not (
                same_format and block.kind in (REDACTED, REASONING_ITEM)
            ):
                losses.count_left_out(block.kind or "unknown block")
    return parts


def _is_signed(block: Thinking) -> bool:
    return isinstance(block.extra.get("signature"), str)


def _signed_thinking(block: Thinking) -> Json:
    signature = block.extra["signature"]
    return {"type": "thinking", "thinking": block.text, "signature": signature}


def _thinking_fields(blocks: Sequence[Block], losses: ExportLosses) -> dict[str, Json]:
    """Return signed thinking as blocks, else all as plain reasoning; the format has one of the
    two."""
    thinking = [block for block in blocks if isinstance(block, Thinking)]
    signed = list(filter(_is_signed, thinking))
    plain = [block.text for block in thinking if block.text and not _is_signed(block)]
    if signed:
        if plain:
            losses.count_left_out(
                "thinking without a signature beside signed", len(plain)
            )
        return {"thinking_blocks": [*map(_signed_thinking, signed)]}
    if len(plain) > 1:
        losses.count_changed("several thoughts as one")
    if plain:
        return {"reasoning_content": "\n".join(plain)}
    return {}


def v0_message_event(
    message: Message, time: str, losses: ExportLosses
) -> dict[str, Json]:
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
        data_url(block.mime, block.data)
        for block in message.blocks
        if isinstance(block, Media)
    ]


def text_of_message(message: Message) -> str:
    return "\n".join(
        as_text(block.text) for block in message.blocks if isinstance(block, Text)
    )


def edited_event(
    value: dict[str, Json],
    message: Message,
    losses: ExportLosses,
    *,
    is_v1: bool,
    is_first: bool,
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
            "llm_message": {
                **inner,
                "content": content_json(others, losses, same_format=True),
            },
        }
        if extended or "extended_content" in value:
            edited["extended_content"] = content_json(
                extended, losses, same_format=True
            )
        return edited
    if value.get("kind") == "ActionEvent":
        if is_first:
            content = content_json(message.blocks, losses, same_format=True)
        else:
            content = []
        call = _call_of(message, value.get("tool_call_id"))
        if call is None:
            fields = message_fields({"role": "assistant", "content": content})
            if content:
                return {**_common_fields(value), **fields, "kind": "MessageEvent"}
            return None
        if content or "thought" in value:
            thought = {"thought": content}
        else:
            thought = {}
        return _with_arguments(
            {**_with_thoughts(value, message.blocks), **thought}, call
        )
    return _edited_observation(value, message)


def _is_extended(block: Block) -> bool:
    return isinstance(block, Text) and block.extra.get("$field") == "extended_content"


def _call_of(message: Message, id_: Json) -> ToolCall | None:
    return next((call for call in tool_calls(message) if call.id == id_), None)


def _common_fields(value: Mapping[str, Json]) -> dict[str, Json]:
    return {
        name: value[name] for name in ("id", "timestamp", "source") if name in value
    }


def _redacted_only(value: Mapping[str, Json], opaque: Sequence[Opaque]) -> list[Json]:
    """Return the thinking blocks of the event that only its provider can read, if they are kept."""
    redacted = [block.raw for block in opaque if block.kind == REDACTED]
    return [item for item in list_of(value.get("thinking_blocks")) if item in redacted]


def _with_thoughts(
    value: Mapping[str, Json], blocks: Sequence[Block]
) -> dict[str, Json]:
    """Return the event without the reasoning that the edit removed."""
    opaque = [block for block in blocks if isinstance(block, Opaque)]
    emptied: dict[str, Json] = {}
    # Reasoning that the edit removed would be sent again from these fields.
    if not any(isinstance(block, Thinking) for block in blocks):
        emptied = {
            "reasoning_content": None,
            "thinking_blocks": _redacted_only(value, opaque),
        }
    if not any(block.kind == REASONING_ITEM for block in opaque):
        emptied["responses_reasoning_item"] = None
    return {
        **value,
        **{name: empty for name, empty in emptied.items() if name in value},
    }


def _with_arguments(value: dict[str, Json], call: ToolCall) -> dict[str, Json]:
    tool_call = fields_of(value.get("tool_call"))
    function = fields_of(tool_call.get("function"))
    call_fields = function or tool_call
    if "arguments" in call_fields:
        changed = {
            **call_fields,
            "arguments": _arguments_in_source_form(call_fields["arguments"], call),
        }
        return {
            **value,
            "tool_call": {**tool_call, "function": changed} if function else changed,
        }
    action = value.get("action")
    if not isinstance(action, dict) or call.arguments == dict(
        other_fields(action, ("kind",))
    ):
        return value
    if "kind" in action:
        kind = {"kind": action["kind"]}
    else:
        kind = {}
    return {**value, "action": {**arguments_object(call), **kind}}


def _arguments_in_source_form(original: Json, call: ToolCall) -> Json:
    """Return the call's arguments in the source's form; a text with the same value stays
    unchanged."""
    if not isinstance(original, str):
        return call.arguments
    parsed = parse_bytes(original.encode("utf-8", "replace"))
    is_unchanged = call.arguments == (original if parsed.error else parsed.value)
    # A text in the model's own spacing keeps a prompt cache valid.
    if is_unchanged:
        return original
    return dump_json(call.arguments).decode()


def _edited_observation(
    value: dict[str, Json], message: Message
) -> dict[str, Json] | None:
    response = next(tool_responses(message), None)
    if response is None:
        return None
    text = result_as_text(response)
    observation = value.get("observation")
    for name in ("error", "rejection_reason"):
        if name in value:
            return {**value, name: text}
    if not isinstance(observation, dict):
        return {**value, "observation": text}
    name = (
        "content"
        if "content" in observation or "output" not in observation
        else "output"
    )
    content: Json = text
    if isinstance(observation.get(name), list):
        if isinstance(response.result, list):
            content = response.result
        else:
            content = [{"type": "text", "text": text}]
    # OpenHands adds these words again when it sends the observation.
    content = without_affixes(content, *affixes(observation))
    return {**value, "observation": {**observation, name: content}}


def _observed_text(message: Message) -> str:
    response = next(tool_responses(message), None)
    return result_as_text(response) if response else text_of_message(message)


def _said_arguments(
    value: Mapping[str, Json], message: Message, text: str
) -> dict[str, Json]:
    """Return the arguments of what was said, or said at the end, with other words."""
    args = fields_of(value.get("args"))
    if value.get("action") == "finish":
        name = "final_thought" if args.get("final_thought") else "thought"
        return {**args, name: text}
    if args.get("image_urls"):
        return {**args, "content": text, "image_urls": image_urls(message) or None}
    return {**args, "content": text}


def _edited_v0_event(
    value: dict[str, Json], message: Message, text: str, is_first: bool
) -> dict[str, Json] | None:
    if "observation" in value:
        return {**value, "content": _observed_text(message)}
    args = fields_of(value.get("args"))
    action = value.get("action")
    if action in ("message", "finish"):
        return {**value, "message": text, "args": _said_arguments(value, message, text)}
    id_ = (
        string_of(nested(value, "tool_call_metadata", "tool_call_id"))
        or f"event-{value.get('id')}"
    )
    call = _call_of(message, id_)
    if call is not None:
        has_thought = is_first or "thought" in args
        thought = {"thought": text} if has_thought else {}
        said = {"content": text} if is_first else {}
        return _edited_v0_call(value, call, {**args, **thought}, said)
    if text:
        return {**_common_fields(value), **v0_fields(text)}
    return None


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
    if choices:
        recorded = fields_of(nested(choices[0], "message"))
    else:
        recorded = {}
    calls = list_of(recorded.get("tool_calls"))
    changed: dict[str, Json] = {}
    for index, item in enumerate(calls):
        function = fields_of(nested(item, "function"))
        if nested(item, "id") == call.id and "arguments" in function:
            arguments = _arguments_in_source_form(function["arguments"], call)
            new_item = {**item, "function": {**function, "arguments": arguments}}
            changed = {"tool_calls": [*calls[:index], new_item, *calls[index + 1 :]]}
            break
    # Files without native calls have the arguments in the event alone.
    else:  # the answer does not hold the call
        if "thought" in args:
            thought = {"thought": args["thought"]}
        else:
            thought = {}
        args = {
            **(call.arguments if isinstance(call.arguments, dict) else {}),
            **thought,
        }
    changed |= response_fields
    if not choices or not isinstance(choices[0], dict) or not changed:
        return {**value, "args": args}
    answer = {
        **answer,
        "choices": [{**choices[0], "message": {**recorded, **changed}}, *choices[1:]],
    }
    metadata = {**value["tool_call_metadata"], "model_response": answer}
    return {**value, "args": args, "tool_call_metadata": metadata}


NAME = "openhands"
_CONDENSATIONS = (
    "Condensation",
    "CondensationRequest",
    "condensation",
    "condensation_request",
)
_STATE_EVENTS = ("null", "agent_state_changed", "recall")
_EventPosition: TypeAlias = tuple[int, int]
"""The place of an event: the first byte of its record, and its number in a record that is a
pair."""


@dataclass(slots=True)
class _OpenHandsOutput:
    """The events written so far; ``other_events`` are events without a message that are still to
    come."""

    builder: OpenHandsEventBuilder
    is_v1: bool
    other_events: dict[_EventPosition, dict[str, Json]] = field(default_factory=dict)
    events: list[dict[str, Json]] = field(default_factory=list)


def _edited(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    data = _rebuilt(export_input, _source_events(export_input, losses))
    return ExporterOutput(data, source_shape(export_input, NAME))


def _rebuilt(export_input: ExportInput, events: Sequence[Json]) -> bytes:
    conversation = export_input.conversation
    # The prompt is an event of the file like others; it must not be taken out twice.
    layout = {**conversation.layout, "system": ()}
    return rebuild_container(replace(conversation, layout=layout), events)


def _new_file(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    system = export_input.conversation.system
    builder = OpenHandsEventBuilder(losses)
    events: list[Json] = []
    if system.texts or system.tools:
        events.append(builder.system_event(system.texts, system.tools))
    for piece in export_messages_beginning_with_user(export_input, losses):
        events += builder.message_events(piece.message)
    return ExporterOutput(dump_lines(events), OutputShape.LINES)


def _source_events(
    export_input: ExportInput, losses: ExportLosses
) -> list[dict[str, Json]]:
    conversation = export_input.conversation
    # Probably counts behind the last valid report add up requests whose messages are gone.
    last_reported = max(valid_usage_starts(export_input), default=-1)
    events = {
        (source.start, source.part): value
        if source.start <= last_reported
        else without_usage(value, NAME)
        for value, source in event_values(source_records(conversation))
        if isinstance(value, dict)
    }
    of_messages = {
        position
        for message in conversation.messages
        for position in _event_positions(message)
    }
    out = _OpenHandsOutput(
        OpenHandsEventBuilder(losses), any("kind" in value for value in events.values())
    )
    for position, value in events.items():
        if event_name(value) in _CONDENSATIONS:
            # Condensations name events that may be gone, and their effect is in the messages
            # already.
            losses.count_left_out("recorded condensation")
        elif position not in of_messages:
            out.other_events[position] = value
    _write_events(out, {}, min(of_messages, default=(0, 0)))
    pending: dict[_EventPosition, dict[str, Json]] = {}
    for piece in export_messages_beginning_with_user(export_input, losses):
        if piece.origin is not None:
            positions = _event_positions(piece.origin)
        else:
            positions = ()
        if of_messages.issuperset(positions) and positions:
            values = {position: events[position] for position in positions}
            pending |= (
                values if piece.is_unchanged else _edited_events(piece, values, out)
            )
            continue
        _write_events(out, pending, max(pending, default=(0, 0)))
        pending = {}
        if out.is_v1:
            out.events += out.builder.message_events(piece.message)
        else:
            out.events.append(v0_message_event(piece.message, out.builder.time, losses))
    _write_events(out, pending, max(pending, default=(0, 0)))
    out.events += out.other_events.values()
    if out.is_v1:
        return out.events
    return _with_rising_ids(out.events)


def _with_rising_ids(events: Sequence[dict[str, Json]]) -> list[dict[str, Json]]:
    """Return the events of version 0 with rising ids: an id stays if possible, new events get the
    next, causes follow. States without their cause are left out; files without ids get none."""
    if not any("id" in event for event in events):
        return list(events)
    new_ids: dict[str, int] = {}
    last_id = -1
    renumbered: list[dict[str, Json]] = []
    for event in events:
        cause = event.get("cause")
        new_cause = new_ids.get(coerce_text(cause))
        # A state or a recall without its cause would answer an event that is gone.
        if (
            cause is not None
            and new_cause is None
            and event.get("observation") in _STATE_EVENTS
        ):
            continue
        old_id = event.get("id")
        # Probably OpenHands reads events by rising ids; a cause is found by its id.
        if isinstance(old_id, int) and old_id > last_id:
            last_id = old_id
        else:
            last_id = last_id + 1
        if isinstance(old_id, int):
            new_ids[coerce_text(old_id)] = last_id
        if cause is None:
            cause_field = {}
        else:
            cause_field = {"cause": new_cause}
        renumbered.append({"id": last_id} | event | {"id": last_id, **cause_field})
    return renumbered


def _event_positions(message: Message) -> tuple[_EventPosition, ...]:
    return tuple((source.start, source.part) for source in message.sources)


def _edited_events(
    piece: ExportMessage,
    values: Mapping[_EventPosition, dict[str, Json]],
    out: _OpenHandsOutput,
) -> dict[_EventPosition, dict[str, Json]]:
    first = next(iter(values))
    losses = out.builder.losses
    edited = {
        position: edited_event(
            value, piece.message, losses, is_v1=out.is_v1, is_first=position == first
        )
        for position, value in values.items()
    }
    return {position: value for position, value in edited.items() if value is not None}


def _write_events(
    out: _OpenHandsOutput,
    pending: Mapping[_EventPosition, dict[str, Json]],
    end: _EventPosition,
) -> None:
    """Write events of the source in file order, with the events without a message before
    ``end``."""
    between = {
        position: value
        for position, value in out.other_events.items()
        if position < end
    }
    out.other_events = {
        position: v
        for position, v in out.other_events.items()
        if position not in between
    }
    for _, value in sorted({**pending, **between}.items(), key=itemgetter(0)):
        out.events.append(value)
        out.builder.time = coerce_text(value.get("timestamp")) or out.builder.time
        if value.get("kind") == "ActionEvent":
            out.builder.call_events[coerce_text(value.get("tool_call_id"))] = (
                coerce_text(value.get("id"))
            )


def _has_id(event: Json) -> bool:
    return isinstance(event, dict) and "id" in event


def _with_boundary(export_input: ExportInput) -> ExporterOutput:
    """Write the source and the condensation: lines byte for byte, else its list with one event
    more.

    Raises InputError for another format and for events without ids.
    """
    conversation = export_input.conversation
    if export_input.is_from_format(NAME):
        records = source_records(conversation)
    else:
        records = ()
    if not records or not all(_has_id(record.value) for record in records):
        raise cannot_append_error(
            export_input, "a run of OpenHands whose events have ids"
        )

    def condensation(
        export_input: ExportInput, compaction: Compaction
    ) -> tuple[Sequence[Json], Sequence[str]]:
        event = _condensation_event(
            records, _condensation_fields(export_input, compaction, records)
        )
        is_lost = summary_text(compaction) and kept_summary_starts(export_input)
        lost_warnings = (lost_summary_warning("OpenHands"),) if is_lost else ()
        return (event,), (*boundary_warnings(export_input), *lost_warnings)

    compaction = applied_compaction(export_input)
    shape = source_shape(export_input, NAME)
    if compaction is None or (
        shape is OutputShape.LINES and "line" not in conversation.layout
    ):
        return replace(
            append_records(export_input, "condensation", condensation), shape=shape
        )
    events, warnings = condensation(export_input, compaction)
    values = [record.value for record in records]
    return ExporterOutput(
        _rebuilt(export_input, [*values, *events]), shape, tuple(warnings)
    )


def _condensation_fields(
    export_input: ExportInput, compaction: Compaction, records: Sequence[JsonRecord]
) -> dict[str, Json]:
    """Return the condensation that forgets what the compaction removed; the system prompt stays."""
    of_messages = record_starts(export_input.conversation.messages)
    kept = kept_record_starts(export_input)
    replay = OpenHandsReplay(notes=ImportNotes())
    for record in records:
        replay.add(record.value, record.source())
    ids = {record.start: record.value["id"] for record in records}
    forgotten: list[Json] = []
    remaining: list[int] = []
    for entry in replay.view:
        start = entry.message.sources[0].start
        if is_summary(entry):
            forgotten.append(entry.message.id)
        elif start in of_messages and start not in kept:
            forgotten.append(ids[start])
        else:
            remaining.append(start)
    text = summary_text(compaction)
    offset = None
    if text:
        first_index = max(0, summary_index(compaction))
        pieces = export_messages(export_input)[:first_index]
        starts = record_starts(piece.origin for piece in pieces if piece.origin)
        first = next(
            (index for index, at in enumerate(remaining) if at in of_messages),
            len(remaining),
        )
        offset = max(
            (index + 1 for index, at in enumerate(remaining) if at in starts),
            default=first,
        )
    return {
        "forgotten_event_ids": forgotten,
        "summary": text or None,
        "summary_offset": offset,
    }


def _condensation_event(
    records: Sequence[JsonRecord], fields: Mapping[str, Json]
) -> Mapping[str, Json]:
    values = [record.value for record in records]
    times = (coerce_text(value.get("timestamp")) for value in reversed(values))
    time = next(filter(None, times), "")
    if any("kind" in value for value in values):
        builder = OpenHandsEventBuilder(ExportLosses("OpenHands"), time)
        return builder.event("Condensation", "environment", fields)
    numbers = [value["id"] for value in values if isinstance(value["id"], int)]
    common_fields = {
        "id": max(numbers, default=-1) + 1,
        "timestamp": time,
        "source": "agent",
        "message": "",
    }
    return {**common_fields, "action": "condensation", "args": fields}


EXPORTER = transcript_exporter(
    (NAME,),
    "OpenHands",
    ".jsonl",
    "Events of OpenHands: the surviving ones as they were, with message events for what is new.",
    new=_new_file,
    edited=_edited,
    append=_with_boundary,
)
