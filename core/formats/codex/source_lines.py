"""Reads the lines of a Codex rollout again, and decides which of them an export keeps.

The session's own lines (``session_meta``, ``turn_context``, ``world_state`` and unknown ones) always stay.
An event stays with the message that it shows: the next one if Codex writes the event first, else the one
before. Token counts and recorded compactions describe a history that no longer exists, so they are dropped.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from core.common.json_value import Json
from core.formats.common.json_parsing import parse_bytes
from core.formats.common.json_ranges import parse_json_document
from core.formats.common.open_document import document_lines
from core.formats.common.source_bytes import read_document
from core.formats.openai_responses.items import item_type
from core.formats.writing.raw_json import dump_json
from core.transcript.model import Conversation

_EVENTS_BEFORE_MESSAGE = ("agent_message", "agent_reasoning", "agent_reasoning_raw_content")
_DROPPED_EVENTS = ("token_count", "context_compacted")


@dataclass(frozen=True, slots=True)
class CodexLine:
    """One line that is an object: the byte it starts at, its bytes, its value."""

    start: int
    data: bytes
    value: dict[str, Json]


@dataclass(frozen=True, slots=True)
class CodexLines:
    """All lines of a rollout. ``session_lines`` are those that always stay, in order; ``lines_before``
    and ``lines_after`` those that go with a message line, by its start."""

    by_start: Mapping[int, CodexLine]
    session_lines: Sequence[CodexLine]
    lines_before: Mapping[int, Sequence[CodexLine]]
    lines_after: Mapping[int, Sequence[CodexLine]]
    has_payloads: bool


def read_lines(conversation: Conversation) -> tuple[CodexLine, ...]:
    """Return all lines that are objects, in file order. Raises InputError if the file changed."""
    data = read_document(conversation.document)
    if conversation.layout.get("container") == "array":
        records = parse_json_document(data).records or ()
        return tuple(
            CodexLine(record.start, dump_json(record.value), record.value)
            for record in records
            if isinstance(record.value, dict)
        )
    lines: list[CodexLine] = []
    for line in document_lines(conversation.document):
        value = parse_bytes(line.data).value
        if isinstance(value, dict):
            lines.append(CodexLine(line.start, line.data, value))
    return tuple(lines)


def classify_lines(lines: Sequence[CodexLine], message_line_starts: Collection[int]) -> CodexLines:
    """Sort lines by their role in an export; ``message_line_starts`` are the starts of message lines."""
    session_lines: list[CodexLine] = []
    lines_before: dict[int, list[CodexLine]] = {}
    lines_after: dict[int, list[CodexLine]] = {}
    waiting_events: list[CodexLine] = []
    last_message_line: CodexLine | None = None
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


def _payload_type(line: CodexLine) -> str:
    payload = line.value.get("payload")
    kind = payload.get("type") if isinstance(payload, dict) else None
    return kind if isinstance(kind, str) else ""


def _shows_message(event: CodexLine, message: CodexLine | None) -> bool:
    """Return whether an event has the text of the message before it."""
    item = message.value.get("payload") if message else None
    content = item.get("content") if isinstance(item, dict) else None
    texts = (
        [part.get("text") for part in content if isinstance(part, dict)] if isinstance(content, list) else []
    )
    return event.value["payload"].get("message") in texts


def _is_kept_event(line: CodexLine) -> bool:
    if line.value.get("type") == "event_msg":
        return _payload_type(line) not in _DROPPED_EVENTS
    return "record_type" in line.value or _payload_type(line) == "ghost_snapshot"


def _is_session_line(line: CodexLine) -> bool:
    """Return whether a line is about the session as a whole, items and recorded compactions aside."""
    if "payload" in line.value:
        return line.value.get("type") not in ("response_item", "compacted", "event_msg")
    return "record_type" not in line.value and not item_type(line.value)


def item_line(item: Json, timestamp: str, *, wrapped: bool) -> dict[str, Json]:
    if not wrapped:
        return {**item}
    return {"timestamp": timestamp, "type": "response_item", "payload": item}


def changed_line(line: CodexLine, item: Json) -> dict[str, Json]:
    return {**line.value, "payload": item} if "payload" in line.value else item
