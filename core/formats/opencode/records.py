"""Converts opencode records to messages, step by step, and finds the compactions among them.

A compaction is a user record with a ``compaction`` part, answered by an assistant record with ``summary``;
neither is a message of the session. An unfinished summary compacted nothing. Earlier versions wrote the
summary without the user record. Results are cleared one by one, each with its time in
``state.time.compacted``; those between the same two records are one pruning, after the last record of that
time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import coerce_text, other_fields
from core.formats.common.import_notes import ImportNotes, opaque_flag
from core.formats.common.json_access import fields_of, iso_timestamp, list_of, number_of, string_of, sum_of
from core.formats.common.json_parsing import JsonRecord
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Media,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    Source,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

COMPACTION = "compaction"
_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI}
_PART_ID_FIELDS = ("id", "messageID", "sessionID", "type")
_INFO_FIELDS = ("id", "role", "sessionID")
_UNSENT_MIME_TYPES = ("text/plain", "application/x-directory")


@dataclass(frozen=True, slots=True)
class OpencodeRecord:
    """A record with its messages; ``marker`` requests a compaction, ``cleared_calls`` are (time, call id)."""

    info: Mapping[str, Json]
    messages: tuple[Message, ...]
    source: Source
    marker: Mapping[str, Json] | None = None
    cleared_calls: tuple[tuple[int, str], ...] = ()

    @property
    def is_assistant(self) -> bool:
        return self.info.get("role") == "assistant"

    @property
    def is_summary(self) -> bool:
        return self.is_assistant and self.info.get("summary") is True

    @property
    def tokens(self) -> int | None:
        """The reported size of the answered request."""
        token_fields = fields_of(self.info.get("tokens"))
        cache = fields_of(token_fields.get("cache"))
        return sum_of(token_fields.get("input"), cache.get("read"), cache.get("write"))


@dataclass(slots=True)
class _Step:
    blocks: list[Block] = field(default_factory=list)
    answers: list[Block] = field(default_factory=list)


def read_entry(record: JsonRecord, notes: ImportNotes) -> OpencodeRecord:
    """Return the messages of a record; parts without content are counted."""
    source = record.source()
    value = record.value if isinstance(record.value, dict) else None
    if value is None or not isinstance(value.get("info"), dict):
        notes.warn(record.line, "a message has no info; kept as it is")
        message = Message(Speaker.UNKNOWN, (Opaque("message", record.value),), (source,), MessageFlag.OPAQUE)
        return OpencodeRecord(NO_EXTRA, (message,), source)
    steps = [_Step()]
    parts = [part for part in list_of(value.get("parts")) if isinstance(part, dict)]
    for part in parts:
        if part.get("type") == "step-start" and steps[-1].answers:
            steps.append(_Step())
        _add_part(part, steps[-1], notes, record.line)
    info = value["info"]
    marker = next((part for part in parts if part.get("type") == COMPACTION), None)
    cleared = tuple(_cleared_call(part) for part in parts if _cleared_call(part)[0])
    return OpencodeRecord(info, _messages(info, steps, source, parts, notes), source, marker, cleared)


def _messages(
    info: Mapping[str, Json], steps: list[_Step], source: Source, parts: list[Json], notes: ImportNotes
) -> tuple[Message, ...]:
    role = string_of(info.get("role"))
    if role not in _SPEAKERS:
        notes.warn(source.line, f'the role "{role}" is not known; kept as unknown')
    extra = other_fields(info, _INFO_FIELDS if role in _SPEAKERS else ("id", "sessionID"))
    flags = _flags(role, parts)
    if not any(step.blocks for step in steps) and (error := _error(info)):
        steps[0].blocks.append(Text(error))
        flags |= MessageFlag.API_ERROR
    result: list[Message] = []
    for step in steps:
        speaker = _SPEAKERS.get(role, Speaker.UNKNOWN)
        for part_speaker, blocks in ((speaker, step.blocks), (Speaker.TOOL, step.answers)):
            if blocks or not result:
                part_source = Source(source.line, source.start, source.end, len(result))
                result.append(_message(part_speaker, tuple(blocks), part_source, flags, info, extra))
    return tuple(result)


def _message(
    speaker: Speaker,
    blocks: tuple[Block, ...],
    source: Source,
    flags: MessageFlag,
    info: Mapping[str, Json],
    extra: Mapping[str, Json],
) -> Message:
    opaque = opaque_flag(blocks)
    time = iso_timestamp(fields_of(info.get("time")).get("created"))
    return Message(speaker, blocks, (source,), flags | opaque, string_of(info.get("id")), time, extra)


def _flags(role: str, parts: list[Json]) -> MessageFlag:
    """Return META for a user record with only synthetic texts, which the harness wrote."""
    texts = [part for part in parts if part.get("type") == "text"]
    by_harness = role == "user" and texts and all(part.get("synthetic") is True for part in texts)
    return MessageFlag.META if by_harness else MessageFlag.NONE


def _error(info: Mapping[str, Json]) -> str:
    error = fields_of(info.get("error"))
    return string_of(fields_of(error.get("data")).get("message")) or string_of(error.get("name"))


def _add_part(part: Mapping[str, Json], step: _Step, notes: ImportNotes, line: int) -> None:
    kind = string_of(part.get("type"))
    if kind in ("text", "reasoning") and isinstance(part.get("text"), str):
        extra = other_fields(part, (*_PART_ID_FIELDS, "text"))
        step.blocks.append(Text(part["text"], extra) if kind == "text" else Thinking(part["text"], extra))
    elif kind == "file" and isinstance(part.get("url"), str) and part.get("mime") not in _UNSENT_MIME_TYPES:
        extra = other_fields(part, (*_PART_ID_FIELDS, "mime", "url", "filename"))
        mime, name = string_of(part.get("mime")), string_of(part.get("filename"))
        step.blocks.append(Media(mime, part["url"], name, extra))
    elif kind == "tool":
        _add_tool_part(part, step)
    elif kind != COMPACTION:
        # A text file is sent as a synthetic text beside its part; the others are bookkeeping.
        notes.skip(f"part: {kind or 'without a type'}", line=line)


def _add_tool_part(part: Mapping[str, Json], step: _Step) -> None:
    state = fields_of(part.get("state"))
    id_, name = coerce_text(part.get("callID")), coerce_text(part.get("tool"))
    extra = other_fields(part, (*_PART_ID_FIELDS, "callID", "tool", "state"))
    step.blocks.append(ToolCall(id_, name, state.get("input", {}), extra))
    details = other_fields(state, ("input", "output", "error", "raw"))
    if state.get("status") == "completed":
        step.answers.append(ToolResponse(id_, name, state.get("output", ""), MISSING, details))
    elif state.get("status") == "error":
        error = state.get("error", "")
        step.answers.append(ToolResponse(id_, name, error, error, details))


def _cleared_call(part: Mapping[str, Json]) -> tuple[int, str]:
    time = fields_of(fields_of(part.get("state")).get("time"))
    return number_of(time.get("compacted")) or 0, coerce_text(part.get("callID"))


_TimedCompaction: TypeAlias = tuple[int, RecordedCompaction]
"""The time of a compaction in milliseconds, and the compaction."""


def opencode_compactions(
    entries: Sequence[OpencodeRecord], notes: ImportNotes
) -> tuple[list[Message], tuple[RecordedCompaction, ...]]:
    """Return the messages without those of compactions, and the compactions in order."""
    markers = {string_of(entry.info.get("id")): entry for entry in entries if entry.marker is not None}
    messages: list[Message] = []
    message_indices: dict[str, int] = {}
    starts: list[int] = []
    compactions: list[_TimedCompaction] = []
    marker_position = 0
    context: int | None = None
    for entry in entries:
        id_ = string_of(entry.info.get("id"))
        message_indices.setdefault(id_, len(messages))
        starts.append(len(messages))
        if entry.marker is not None:
            marker_position = len(messages)
            notes.skip("request for a summary", line=entry.source.line)
        elif entry.is_summary and _is_finished(entry):
            marker = markers.get(string_of(entry.info.get("parentID")))
            position = marker_position if marker else len(messages)
            compactions.append(
                (_created_at(entry), _compaction(entry, marker, position, context, message_indices))
            )
        elif entry.is_summary:
            notes.skip("summary that was not finished", line=entry.source.line)
        else:
            messages.extend(entry.messages)
            context = entry.tokens or context
    compactions.extend(_prunings(entries, [*starts[1:], len(messages)]))
    return messages, tuple(compaction for _, compaction in sorted(compactions, key=_compaction_order))


def _compaction_order(timed_compaction: _TimedCompaction) -> tuple[int, int]:
    return timed_compaction[1].position, timed_compaction[0]


def _created_at(entry: OpencodeRecord) -> int:
    return number_of(fields_of(entry.info.get("time")).get("created")) or 0


def _is_finished(entry: OpencodeRecord) -> bool:
    finished = entry.info.get("finish") or fields_of(entry.info.get("time")).get("completed")
    return bool(finished) and not entry.info.get("error")


def _compaction(
    entry: OpencodeRecord,
    marker: OpencodeRecord | None,
    position: int,
    context: int | None,
    message_indices: Mapping[str, int],
) -> RecordedCompaction:
    """Build a compaction; ``tokens_before`` is the last request before it, the size after is unknown."""
    options: Mapping[str, Json] = fields_of(marker.marker) if marker else {}
    first_kept = message_indices.get(string_of(options.get("tail_start_id")), position)
    summary = tuple(replace(m, flags=m.flags | MessageFlag.RECORDED_SUMMARY) for m in entry.messages)
    auto = options.get("auto")
    trigger = "auto" if auto is True else "manual" if auto is False else ""
    kept = tuple(range(first_kept, position))
    return RecordedCompaction("summary", position, trigger, context, None, summary, kept, entry.source)


def _prunings(entries: Sequence[OpencodeRecord], next_messages: Sequence[int]) -> Iterator[_TimedCompaction]:
    """Yield prunings; ``next_messages`` holds for each record the index of the first message after it."""
    prunings: dict[int, list[tuple[int, str]]] = {}
    for entry in entries:
        for cleared in entry.cleared_calls:
            prunings.setdefault(_last_record_at(entries, cleared[0]), []).append(cleared)
    for last_record, calls in prunings.items():
        ids = tuple(call_id for _, call_id in sorted(calls, key=_cleared_at))
        time = min(map(_cleared_at, calls))
        yield time, RecordedCompaction("microcompact", next_messages[last_record], "auto", cleared=ids)


def _last_record_at(entries: Sequence[OpencodeRecord], time: int) -> int:
    """Return the last record at a time, or the last of all if none has a time."""
    numbers = range(len(entries) - 1, -1, -1)
    return next((number for number in numbers if 0 < _created_at(entries[number]) <= time), len(entries) - 1)


def _cleared_at(cleared: tuple[int, str]) -> int:
    return cleared[0]
