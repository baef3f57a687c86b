"""Reads tool definitions, usage and compactions from the events of an Inspect sample."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from core.common.json_value import Json
from core.formats.anthropic.blocks import coerce_text
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import fields_of
from core.formats.common.json_ranges import JsonRecord
from core.formats.common.usage_reports import inspect_usage
from core.formats.inspect_ai.messages import is_leading_system, read_message
from core.transcript.model import Message, MessageFlag, RecordedCompaction, ReportedUsage, Speaker

_KINDS = {"summary": "summary", "edit": "microcompact", "trim": "truncate"}


def sample_events(sample: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """Return all events in order; before October 2024 they were in ``transcript``."""
    transcript = sample.get("transcript")
    events = sample.get("events") or (transcript.get("events") if isinstance(transcript, dict) else None)
    return [event for event in events if isinstance(event, dict)] if isinstance(events, list) else []


def offered_tools(events: Sequence[Mapping[str, Json]]) -> tuple[Json, ...]:
    tools = next((event.get("tools") for event in events if event.get("event") == "model"), None)
    return tuple(tools) if isinstance(tools, list) else ()


def reported_usage(
    events: Sequence[Mapping[str, Json]], messages: Sequence[Message], values: Sequence[Json]
) -> Iterator[ReportedUsage]:
    """Yield the reports of requests whose answers are among the messages, in their order; ``values`` are
    the raw values of the messages."""
    positions = {_message_key(value): index for index, value in enumerate(values)}
    usage_by_position: dict[int, ReportedUsage] = {}
    for event in events:
        position = (
            positions.get(_message_key(_output_message(event)), -1) if event.get("event") == "model" else -1
        )
        output = fields_of(event.get("output"))
        prompt, output_tokens = inspect_usage(output.get("usage"))
        if position >= 0 and messages[position].speaker is Speaker.AI and prompt and prompt > 0:
            usage_by_position[position] = ReportedUsage(
                position, prompt, output_tokens, coerce_text(output.get("model"))
            )
    yield from (usage_by_position[position] for position in sorted(usage_by_position))


def event_compactions(
    events: Sequence[Mapping[str, Json]],
    pool: Sequence[Json],
    messages: Sequence[Message],
    values: Sequence[Json],
    notes: ImportNotes,
) -> tuple[RecordedCompaction, ...]:
    """Return each compaction event, with the input of the next request as its result.

    ``values`` are the raw values of ``messages``, ``pool`` the messages that ``input_refs`` refer to.
    Compactions of other agents in the sample are counted.
    """
    positions = {_message_key(value): index for index, value in enumerate(values)}
    compactions: list[RecordedCompaction] = []
    for number, event in enumerate(events):
        if event.get("event") != "compaction":
            continue
        next_request = next((e for e in events[number:] if e.get("event") == "model"), {})
        position = positions.get(
            _message_key(_output_message(next_request)), len(messages) if not next_request else -1
        )
        context_after = _request_messages(
            _request_input(next_request, pool), position, positions, messages, values
        )
        if position < 0:
            notes.skip("compaction of another agent")
        else:
            compactions.append(_recorded_compaction(event, position, context_after))
    return tuple(compactions)


def _recorded_compaction(
    event: Mapping[str, Json], position: int, context_after: tuple[int | Message, ...]
) -> RecordedCompaction:
    kind = _KINDS.get(coerce_text(event.get("type")), "replace")
    new_messages = [m for m in context_after if isinstance(m, Message)]
    summary = tuple(new_messages) if kind == "summary" else ()
    return RecordedCompaction(
        kind,
        position,
        trigger="auto",
        tokens_before=_int_or_none(event.get("tokens_before")),
        tokens_after=_int_or_none(event.get("tokens_after")),
        summary=summary,
        context_after=context_after,
    )


def _request_messages(
    input_values: Sequence[Json],
    position: int,
    positions: Mapping[str, int],
    messages: Sequence[Message],
    values: Sequence[Json],
) -> tuple[int | Message, ...]:
    """Return the messages of a request: unchanged ones by index, new and changed ones whole."""
    request_messages: list[int | Message] = []
    for value in input_values:
        index = positions.get(_message_key(value), -1)
        if 0 <= index < position and _content_key(value) == _content_key(values[index]):
            request_messages.append(index)
        elif request_messages or not is_leading_system(value):
            message = read_message(JsonRecord(0, 0, 0, value), ImportNotes())
            flag = MessageFlag.RECORDED_SUMMARY if index < 0 else messages[index].flags
            request_messages.append(
                Message(message.speaker, message.blocks, (), flag, message.id, "", message.extra)
            )
    return tuple(request_messages)


def _request_input(event: Mapping[str, Json], pool: Sequence[Json]) -> list[Json]:
    """Return the input of a request: given in full, or as ranges of the message pool."""
    full_input, ranges = event.get("input"), event.get("input_refs")
    if full_input or not isinstance(ranges, list):
        return full_input if isinstance(full_input, list) else []
    pairs = (pair for pair in ranges if isinstance(pair, list) and len(pair) == 2)
    index_ranges = [(start, end) for start, end in pairs if isinstance(start, int) and isinstance(end, int)]
    return [message for start, end in index_ranges for message in pool[start:end]]


def _output_message(event: Mapping[str, Json]) -> Json:
    output = event.get("output")
    choices = output.get("choices") if isinstance(output, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return first.get("message") if isinstance(first, dict) else None


def _message_key(value: Json) -> str:
    """Return the identity of a message: its id, in old logs its text."""
    id_ = value.get("id") if isinstance(value, dict) else None
    return id_ if isinstance(id_, str) and id_ else _content_key(value)


def _content_key(value: Json) -> str:
    if not isinstance(value, dict):
        return json.dumps(value)
    names = ("role", "content", "tool_calls", "tool_call_id")
    return json.dumps([value.get(name) for name in names], sort_keys=True)


def _int_or_none(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
