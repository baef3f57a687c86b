"""Writes Codex rollouts: surviving source lines, and lines for new messages.

The session's own lines (``session_meta``, ``turn_context``, ``world_state`` and unknown ones) always stay.
An event stays with the message that it shows: the next one if Codex writes the event first, else the one
before. Token counts and recorded compactions describe a history that no longer exists, so they are dropped.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from uuid import NAMESPACE_URL

from core.common.json_value import Json
from core.formats.common.json_access import list_of, nested, string_of
from core.formats.common.open_document import read_document
from core.formats.openai_responses.item_writer import RESPONSES_FORMATS
from core.formats.openai_responses.items import item_type
from core.formats.openai_responses.source_items import WrittenResponseItems as Items
from core.formats.openai_responses.source_items import written_messages
from core.formats.writing.base import (
    Exporter,
    ExporterOutput,
    ExportInput,
    ExportLosses,
    ExportOptions,
    OutputShape,
)
from core.formats.writing.raw_json import (
    SourceLine,
    deterministic_uuid,
    dump_json,
    dump_lines,
    record_json,
    source_lines,
    source_shape,
    unchanged_output,
)
from core.formats.writing.recorded_compaction import (
    applied_compaction,
    cannot_append_error,
    summary_index,
    summary_text,
)
from core.formats.writing.tool_definitions import codex_tools
from core.formats.writing.unsupported_content import ExtraContent, count_extra_losses
from core.transcript.model import Conversation

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


NAME = "codex_rollout"
_NO_TIME = "1970-01-01T00:00:00.000Z"
_VERSION = "0.0.0"  # Codex requires one; it did not write this session


@dataclass(slots=True)
class _CodexOutput:
    """The lines written so far. ``session_lines_written`` counts the session's own lines among them,
    ``time`` is that of the last line that had one, ``written_starts`` holds the starts of message lines
    written."""

    source: CodexLines
    lines: list[bytes | dict[str, Json]] = field(default_factory=list)
    session_lines_written: int = 0
    time: str = _NO_TIME
    written_starts: set[int] = field(default_factory=set)


def write(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Write the rollout, or a new one from another format; with a boundary, append to the source."""
    losses = ExportLosses("Codex")
    if options.append_boundary:
        return _with_boundary(export_input, losses)
    if not export_input.is_from_format(NAME):
        return _new_rollout(export_input, losses)
    if (unchanged := unchanged_output(export_input, NAME)) is not None:
        return unchanged
    return _edited_rollout(export_input, losses)


def _edited_rollout(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    """Write lines of kept messages with those that go along, edited lines, and new lines."""
    conversation = export_input.conversation
    lines = source_lines(conversation)
    system = {start for _, start, _ in conversation.layout.get("system", ())}
    message_line_starts = system | {source.start for m in conversation.messages for source in m.sources}
    out = _CodexOutput(classify_lines(lines, message_line_starts))
    for start in sorted(system):
        _write_line(out, start, None)
    _write_session_lines(
        out, min(message_line_starts, default=None)
    )  # the opening lines stay in front of new items
    for message in written_messages(export_input, losses):
        _write_message(out, message)
    _write_session_lines(out, None)
    first_line = read_document(conversation.document).partition(b"\n")[0]
    newline = b"\r\n" if first_line.endswith(b"\r") else b"\n"
    return ExporterOutput(
        _output_bytes(out, conversation, newline),
        source_shape(export_input, NAME),
        _warnings(export_input, losses),
    )


def _write_message(out: _CodexOutput, message: Items) -> None:
    for written_item in message.items:
        source = message.sources[written_item.number] if written_item.number is not None else None
        line = out.source.by_start.get(source.start) if source else None
        if source is None or line is None or line.value.get("type") == "compacted":
            item = normal_item(written_item.item)
            out.lines.append(item_line(item, out.time, wrapped=out.source.has_payloads))
        else:
            _write_line(out, source.start, None if message.is_unchanged else written_item.item)


def _write_line(out: _CodexOutput, start: int, item: Json) -> None:
    """Write a line of the source with those that go along; ``item`` None if it is unchanged."""
    line = out.source.by_start[start]
    _write_session_lines(out, start)
    is_first_write = start not in out.written_starts
    out.written_starts.add(start)
    if is_first_write:
        out.lines += [event.data for event in out.source.lines_before.get(start, ())]
    out.lines.append(line.data if item is None else changed_line(line, item))
    if is_first_write:
        out.lines += [event.data for event in out.source.lines_after.get(start, ())]
    out.time = line.text("timestamp") or out.time


def _write_session_lines(out: _CodexOutput, start: int | None) -> None:
    """Write the session's own lines up to a byte of the source, or all that are left."""
    while out.session_lines_written < len(out.source.session_lines):
        line = out.source.session_lines[out.session_lines_written]
        if start is not None and line.start > start:
            return
        out.lines.append(line.data)
        out.time = line.text("timestamp") or out.time
        out.session_lines_written += 1


def _output_bytes(out: _CodexOutput, conversation: Conversation, newline: bytes) -> bytes:
    line_bytes = [line if isinstance(line, bytes) else dump_json(line) for line in out.lines]
    if conversation.layout.get("container") == "array":
        return b"[\n" + b",\n".join(line_bytes) + b"\n]\n"
    return b"".join(line + newline for line in line_bytes)


def _warnings(export_input: ExportInput, losses: ExportLosses) -> tuple[str, ...]:
    count = sum(
        1
        for compaction in export_input.conversation.recorded
        if compaction.context_after or compaction.summary
    )
    if not count:
        return losses.warnings()
    phrase = "compaction is" if count == 1 else "compactions are"
    return (
        *losses.warnings(),
        f"{count:,} recorded {phrase} not repeated; the export is a history of its own.",
    )


def normal_item(item: Json) -> Json:
    """Return an item as Codex reads it: with a type, and message content as parts."""
    if item_type(item) != "message":
        return item
    content = item.get("content")
    kind = "output_text" if item.get("role") == "assistant" else "input_text"
    parts = [{"type": kind, "text": content}] if isinstance(content, str) else content or []
    return {"type": "message", **item, "content": parts}


def _new_rollout(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    conversation = export_input.conversation
    family = conversation.format in RESPONSES_FORMATS
    count_extra_losses(export_input, losses, *ExtraContent, family=family)
    written_items = written_messages(export_input, losses)
    time = next((m.timestamp for m in export_input.messages if m.timestamp), _NO_TIME)
    lines: list[Json] = [_session_meta(conversation, time, losses)]
    if conversation.model:
        lines.append({"timestamp": time, "type": "turn_context", "payload": _turn_context(conversation)})
    for text in conversation.system.texts[1:]:
        content = [{"type": "input_text", "text": text}]
        lines.append(
            item_line({"type": "message", "role": "developer", "content": content}, time, wrapped=True)
        )
    for message in written_items:
        time = message.time or time
        lines += [
            item_line(normal_item(written_item.item), time, wrapped=True) for written_item in message.items
        ]
    return ExporterOutput(dump_lines(lines), OutputShape.LINES, losses.warnings())


def _session_meta(conversation: Conversation, time: str, losses: ExportLosses) -> Json:
    id_ = str(deterministic_uuid(NAMESPACE_URL, conversation.session_id or conversation.document.name))
    payload: dict[str, Json] = {
        "id": id_,
        "timestamp": time,
        "cwd": conversation.cwd or "/",
        "originator": "foldline",
        "cli_version": _VERSION,
    }
    if conversation.system.texts:
        payload["base_instructions"] = {"text": conversation.system.texts[0]}
    if conversation.system.tools:
        payload["dynamic_tools"] = codex_tools(conversation.system.tools, losses)
    return {"timestamp": time, "type": "session_meta", "payload": payload}


def _turn_context(conversation: Conversation) -> Mapping[str, Json]:
    """Return turn settings with Codex's cautious defaults, because the model's name needs them."""
    return {
        "cwd": conversation.cwd or "/",
        "approval_policy": "on-request",
        "sandbox_policy": {"type": "read-only"},
        "model": conversation.model,
        "summary": "auto",
    }


def _with_boundary(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    """Return the source byte for byte, then one more compaction as Codex records it. Raises InputError for
    another source format."""
    conversation, compaction = export_input.conversation, applied_compaction(export_input)
    if source_shape(export_input, NAME) is OutputShape.JSON or not conversation.layout["wrapped"]:
        raise cannot_append_error(export_input, "a Codex rollout in JSONL")
    data = read_document(conversation.document)
    if compaction is None:
        return ExporterOutput(
            data, OutputShape.LINES, ("Nothing was compacted, so no compaction was appended.",)
        )
    name = conversation.document.name
    system_records = [
        record_json(data, start, separator, name) for _, start, separator in conversation.layout["system"]
    ]
    items = [value.get("payload", value) for value in system_records]
    items += [
        normal_item(written_item.item)
        for message in written_messages(export_input, losses)
        for written_item in message.items
    ]
    time = next((m.timestamp for m in reversed(conversation.messages) if m.timestamp), _NO_TIME)
    # without a message of its own, the items hold the summary
    message_text = summary_text(compaction) if summary_index(compaction) >= 0 else ""
    payload = {"message": message_text, "replacement_history": items}
    separator = b"" if not data or data.endswith(b"\n") else b"\n"
    new_lines = (
        {"timestamp": time, "type": "compacted", "payload": payload},
        {"timestamp": time, "type": "event_msg", "payload": {"type": "context_compacted"}},
    )
    return ExporterOutput(data + separator + dump_lines(new_lines), OutputShape.LINES, losses.warnings())


EXPORTER = Exporter(
    NAME,
    ("codex",),
    "Codex",
    ".jsonl",
    "A rollout of the Codex CLI: the surviving lines unchanged, with lines for new messages.",
    write,
    has_boundary=True,
)
