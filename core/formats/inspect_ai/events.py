"""Reads tool definitions, usage and compactions from the events of an Inspect sample."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from core.common.json_value import Json
from core.formats.anthropic.blocks import text_of
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import fields_of
from core.formats.common.json_ranges import JsonRecord
from core.formats.common.usage_reports import inspect_usage
from core.formats.inspect_ai.messages import is_leading_system, read_message
from core.transcript.model import Message, MessageFlag, RecordedCompaction, ReportedUsage, Speaker

_KINDS = {"summary": "summary", "edit": "microcompact", "trim": "truncate"}


def events_of(sample: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """Return all events in order; before October 2024 they were in ``transcript``."""
    transcript = sample.get("transcript")
    events = sample.get("events") or (transcript.get("events") if isinstance(transcript, dict) else None)
    return [event for event in events if isinstance(event, dict)] if isinstance(events, list) else []


def tools_of(events: Sequence[Mapping[str, Json]]) -> tuple[Json, ...]:
    tools = next((event.get("tools") for event in events if event.get("event") == "model"), None)
    return tuple(tools) if isinstance(tools, list) else ()


def reported_usage(
    events: Sequence[Mapping[str, Json]], messages: Sequence[Message], values: Sequence[Json]
) -> Iterator[ReportedUsage]:
    """Yield the reports of requests whose answers are among the messages, in their order; ``values`` are
    the raw values of the messages."""
    places = {_key(value): index for index, value in enumerate(values)}
    usage_by_place: dict[int, ReportedUsage] = {}
    for event in events:
        place = places.get(_key(_output(event)), -1) if event.get("event") == "model" else -1
        output = fields_of(event.get("output"))
        prompt, written = inspect_usage(output.get("usage"))
        if place >= 0 and messages[place].speaker is Speaker.AI and prompt and prompt > 0:
            usage_by_place[place] = ReportedUsage(place, prompt, written, text_of(output.get("model")))
    yield from (usage_by_place[place] for place in sorted(usage_by_place))


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
    places = {_key(value): index for index, value in enumerate(values)}
    compactions: list[RecordedCompaction] = []
    for number, event in enumerate(events):
        if event.get("event") != "compaction":
            continue
        after = next((e for e in events[number:] if e.get("event") == "model"), {})
        position = places.get(_key(_output(after)), len(messages) if not after else -1)
        left = _remaining(_input(after, pool), position, places, messages, values)
        if position < 0:
            notes.skip("compaction of another agent")
        else:
            compactions.append(_recorded(event, position, left))
    return tuple(compactions)


def _recorded(
    event: Mapping[str, Json], position: int, left: tuple[int | Message, ...]
) -> RecordedCompaction:
    kind = _KINDS.get(text_of(event.get("type")), "replace")
    new = [m for m in left if isinstance(m, Message)]
    summary = tuple(new) if kind == "summary" else ()
    return RecordedCompaction(
        kind,
        position,
        trigger="auto",
        tokens_before=_count(event.get("tokens_before")),
        tokens_after=_count(event.get("tokens_after")),
        summary=summary,
        context_after=left,
    )


def _remaining(
    given: Sequence[Json],
    position: int,
    places: Mapping[str, int],
    messages: Sequence[Message],
    values: Sequence[Json],
) -> tuple[int | Message, ...]:
    """Return the messages of a request: unchanged ones by index, new and changed ones whole."""
    left: list[int | Message] = []
    for value in given:
        index = places.get(_key(value), -1)
        if 0 <= index < position and _content_key(value) == _content_key(values[index]):
            left.append(index)
        elif left or not is_leading_system(value):
            message = read_message(JsonRecord(0, 0, 0, value), ImportNotes())
            flag = MessageFlag.RECORDED_SUMMARY if index < 0 else messages[index].flags
            left.append(Message(message.speaker, message.blocks, (), flag, message.id, "", message.extra))
    return tuple(left)


def _input(event: Mapping[str, Json], pool: Sequence[Json]) -> list[Json]:
    """Return the input of a request: given in full, or as ranges of the message pool."""
    given, ranges = event.get("input"), event.get("input_refs")
    if given or not isinstance(ranges, list):
        return given if isinstance(given, list) else []
    pairs = (pair for pair in ranges if isinstance(pair, list) and len(pair) == 2)
    known = [(start, end) for start, end in pairs if isinstance(start, int) and isinstance(end, int)]
    return [message for start, end in known for message in pool[start:end]]


def _output(event: Mapping[str, Json]) -> Json:
    output = event.get("output")
    choices = output.get("choices") if isinstance(output, dict) else None
    first = choices[0] if isinstance(choices, list) and choices else None
    return first.get("message") if isinstance(first, dict) else None


def _key(value: Json) -> str:
    """Return the identity of a message: its id, in old logs its text."""
    id_ = value.get("id") if isinstance(value, dict) else None
    return id_ if isinstance(id_, str) and id_ else _content_key(value)


def _content_key(value: Json) -> str:
    if not isinstance(value, dict):
        return json.dumps(value)
    names = ("role", "content", "tool_calls", "tool_call_id")
    return json.dumps([value.get(name) for name in names], sort_keys=True)


def _count(value: Json) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) else None
