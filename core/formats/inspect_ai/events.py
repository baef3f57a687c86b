"""Reads the events of Inspect samples: offered tools, reported usage and compactions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.common.json_value import Json
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import coerce_text, fields_of, list_of, nested, number_of, string_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.usage_reports import inspect_usage
from core.formats.inspect_ai.messages import is_system, read_message
from core.transcript.model import Message, MessageFlag, RecordedCompaction, ReportedUsage, Speaker

_KINDS = {"summary": "summary", "edit": "microcompact", "trim": "truncate"}


class InspectEvents:
    """The events of a sample with the messages of its conversation; ``values`` are the raw values of
    ``messages``."""

    def __init__(
        self, events: Sequence[Mapping[str, Json]], messages: Sequence[Message], values: Sequence[Json]
    ) -> None:
        self._events, self._messages, self._values = events, messages, values
        self._indices = {_message_key(value): index for index, value in enumerate(values)}

    def usage(self) -> Iterator[ReportedUsage]:
        """Yield the reports of requests whose answers are among the messages, in their order."""
        usage_by_index: dict[int, ReportedUsage] = {}
        for event in self._events:
            index = self._answer_index(event) if event.get("event") == "model" else -1
            output = fields_of(event.get("output"))
            size, output_tokens = inspect_usage(output.get("usage"))
            if index >= 0 and self._messages[index].speaker is Speaker.AI and size and size > 0:
                model = coerce_text(output.get("model"))
                usage_by_index[index] = ReportedUsage(index, size, output_tokens, model)
        yield from (usage_by_index[index] for index in sorted(usage_by_index))

    def compactions(self, pool: Sequence[Json], notes: ImportNotes) -> Iterator[RecordedCompaction]:
        """Yield each compaction event, with the input of the next request as its result. ``pool`` are the
        messages that ``input_refs`` refer to; compactions of other agents in the sample are counted."""
        for number, event in enumerate(self._events):
            if event.get("event") != "compaction":
                continue
            request = next((e for e in self._events[number:] if e.get("event") == "model"), None)
            position = self._answer_index(request) if request else len(self._messages)
            if position < 0:
                notes.skip("compaction of another agent")
                continue
            context_after = tuple(self._context(_request_input(request or {}, pool), position))
            kind = _KINDS.get(coerce_text(event.get("type")), "replace")
            new_messages = tuple(message for message in context_after if isinstance(message, Message))
            yield RecordedCompaction(
                kind,
                position,
                trigger="auto",
                tokens_before=number_of(event.get("tokens_before")),
                tokens_after=number_of(event.get("tokens_after")),
                summary=new_messages if kind == "summary" else (),
                context_after=context_after,
            )

    def _answer_index(self, event: Mapping[str, Json]) -> int:
        """Return the index of the message that answers a request; -1 if it is not in the conversation."""
        choices = list_of(nested(event.get("output"), "choices"))
        return self._indices.get(_message_key(nested(choices[0], "message") if choices else None), -1)

    def _context(self, input_values: Sequence[Json], position: int) -> Iterator[int | Message]:
        """Yield the messages of a request: unchanged ones by index, new and changed ones whole."""
        is_start = True
        for value in input_values:
            index = self._indices.get(_message_key(value), -1)
            if 0 <= index < position and _content_key(value) == _content_key(self._values[index]):
                yield index
            elif is_start and is_system(value):
                continue
            else:
                message = read_message(JsonRecord(0, 0, 0, value), ImportNotes())
                flags = MessageFlag.RECORDED_SUMMARY if index < 0 else self._messages[index].flags
                yield replace(message, sources=(), flags=flags)
            is_start = False


def sample_events(sample: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """Return all events in order; before October 2024 they were in ``transcript``."""
    events = sample.get("events") or nested(sample, "transcript", "events")
    return [event for event in list_of(events) if isinstance(event, dict)]


def offered_tools(events: Sequence[Mapping[str, Json]]) -> Sequence[Json]:
    return list_of(next((event.get("tools") for event in events if event.get("event") == "model"), None))


def _request_input(event: Mapping[str, Json], pool: Sequence[Json]) -> Sequence[Json]:
    """Return the input of a request: given in full, or as ranges of the message pool."""
    full_input, ranges = event.get("input"), event.get("input_refs")
    if full_input or not isinstance(ranges, list):
        return list_of(full_input)
    pairs = (pair for pair in ranges if isinstance(pair, list) and len(pair) == 2)
    index_ranges = [(start, end) for start, end in pairs if isinstance(start, int) and isinstance(end, int)]
    return [message for start, end in index_ranges for message in pool[start:end]]


def _message_key(value: Json) -> str:
    """Return the identity of a message: its id, in old logs its text."""
    return string_of(nested(value, "id")) or _content_key(value)


def _content_key(value: Json) -> str:
    if not isinstance(value, dict):
        return json.dumps(value)
    names = ("role", "content", "tool_calls", "tool_call_id")
    return json.dumps([value.get(name) for name in names], sort_keys=True)
