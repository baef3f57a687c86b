"""Reads the lines of a Codex rollout again, and decides which of them an export keeps.

The session's own lines (``session_meta``, ``turn_context``, ``world_state`` and unknown ones) always stay.
An event stays with the message that it shows: the next one if Codex writes the event first, else the one
before. Token counts and recorded compactions describe a history that no longer exists, so they are dropped.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from core.common.json_value import Json
from core.formats.common.json_access import list_of, nested, string_of
from core.formats.openai_responses.items import item_type
from core.formats.writing.raw_json import SourceLine

_EVENTS_BEFORE_MESSAGE = ("agent_message", "agent_reasoning", "agent_reasoning_raw_content")
_DROPPED_EVENTS = ("token_count", "context_compacted")


@dataclass(frozen=True, slots=True)
class CodexLines:
    """All lines of a rollout. ``session_lines`` are those that always stay, in order; ``lines_before``
    and ``lines_after`` those that go with a message line, by its start."""

    by_start: Mapping[int, SourceLine]
    session_lines: Sequence[SourceLine]
    lines_before: Mapping[int, Sequence[SourceLine]]
    lines_after: Mapping[int, Sequence[SourceLine]]
    has_payloads: bool


def classify_lines(lines: Sequence[SourceLine], message_line_starts: Collection[int]) -> CodexLines:
    """Sort lines by their role in an export; ``message_line_starts`` are the starts of message lines."""
    session_lines: list[SourceLine] = []
    lines_before: dict[int, list[SourceLine]] = {}
    lines_after: dict[int, list[SourceLine]] = {}
    waiting_events: list[SourceLine] = []
    last_message_line: SourceLine | None = None
    for line in lines:
        if line.start in message_line_starts:
            if waiting_events:
                lines_before[line.start], waiting_events = waiting_events, []
            last_message_line = line
        elif _is_session_line(line):
            session_lines.append(line)
        elif not _is_kept_event(line):
            continue
        elif _payload_type(line) in _EVENTS_BEFORE_MESSAGE and not _shows_message(line, last_message_line):
            waiting_events.append(line)
        elif last_message_line is None:
            session_lines.append(line)
        else:
            lines_after.setdefault(last_message_line.start, []).append(line)
    by_start = {line.start: line for line in lines}
    return CodexLines(
        by_start, session_lines, lines_before, lines_after, any("payload" in line.value for line in lines)
    )


def _payload_type(line: SourceLine) -> str:
    return string_of(nested(line.value, "payload", "type"))


def _shows_message(event: SourceLine, message: SourceLine | None) -> bool:
    """Return whether an event has the text of the message before it."""
    content = list_of(nested(message.value, "payload", "content")) if message else ()
    return event.value["payload"].get("message") in [nested(part, "text") for part in content]


def _is_kept_event(line: SourceLine) -> bool:
    if line.value.get("type") == "event_msg":
        return _payload_type(line) not in _DROPPED_EVENTS
    return "record_type" in line.value or _payload_type(line) == "ghost_snapshot"


def _is_session_line(line: SourceLine) -> bool:
    """Return whether a line is about the session as a whole, items and recorded compactions aside."""
    if "payload" in line.value:
        return line.value.get("type") not in ("response_item", "compacted", "event_msg")
    return "record_type" not in line.value and not item_type(line.value)


def item_line(item: Json, timestamp: str, *, wrapped: bool) -> dict[str, Json]:
    if not wrapped:
        return {**item}
    return {"timestamp": timestamp, "type": "response_item", "payload": item}


def changed_line(line: SourceLine, item: Json) -> dict[str, Json]:
    return {**line.value, "payload": item} if "payload" in line.value else item
