"""Reads the raw events of an OpenHands file, each with its place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from core.common.json_value import Json
from core.formats.common.json_parsing import parse_bytes
from core.formats.common.json_ranges import JsonRecord, parse_json_document
from core.formats.common.open_document import document_lines
from core.formats.common.source_bytes import read_document, read_line
from core.transcript.model import Conversation, Message

EventPosition: TypeAlias = tuple[int, int]
"""The place of an event: the first byte of its record, and its number in a record that is a pair."""


@dataclass(frozen=True, slots=True)
class OpenHandsEvent:
    position: EventPosition
    value: dict[str, Json]

    @property
    def is_condensation(self) -> bool:
        kind = self.value.get("kind") or self.value.get("action")
        return kind in ("Condensation", "CondensationRequest", "condensation", "condensation_request")


def read_events(conversation: Conversation) -> tuple[OpenHandsEvent, ...]:
    """Return all events of the conversation's list, in file order; InputError if the file changed."""
    events: list[OpenHandsEvent] = []
    for record in read_records(conversation):
        values = record.value if isinstance(record.value, list) else [record.value]
        for part, value in enumerate(values):
            if isinstance(value, dict):
                events.append(OpenHandsEvent((record.start, part), value))
    return tuple(events)


def event_positions(message: Message) -> tuple[EventPosition, ...]:
    return tuple((source.start, source.part) for source in message.sources)


def read_records(conversation: Conversation) -> Sequence[JsonRecord]:
    """Return the records of the conversation's list: events, or the pairs of old runs."""
    layout, data = conversation.layout, read_document(conversation.document)
    path = layout.get("path", ())
    if layout.get("container") == "jsonl" and "line" not in layout:
        lines = document_lines(conversation.document)
        return [
            JsonRecord(line_.number, line_.start, line_.end, parse_bytes(line_.data).value) for line_ in lines
        ]
    if "line" in layout:
        line = read_line(conversation.document, layout["line"])
        return parse_json_document(line.data, line=line.number, start=line.start).arrays[path[-1]]
    parsed = parse_json_document(data)
    if len(path) < 2:
        return parsed.arrays[path[0]] if path else parsed.records or ()
    run = (parsed.records or ())[path[0]]
    inner = data[run.start : run.end]
    return parse_json_document(inner, line=run.line, start=run.start).arrays[path[-1]]
