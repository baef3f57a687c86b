"""Converts an opencode record to messages, step by step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import coerce_text, other_fields
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import fields_of, iso_timestamp, list_of, number_of, string_of, sum_of
from core.formats.common.json_ranges import JsonRecord
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Media,
    Message,
    MessageFlag,
    Opaque,
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
    source = Source(record.line, record.start, record.end)
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
    opaque = MessageFlag.OPAQUE if any(isinstance(block, Opaque) for block in blocks) else MessageFlag.NONE
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
