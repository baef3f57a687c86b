"""Converts history entries of llxprt (IContent) to messages, and replays its recordings."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import other_fields
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import fields_of, iso_timestamp, string_of
from core.formats.common.json_parsing import JsonRecord
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Code,
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

SPEAKERS: Mapping[str, Speaker] = {"human": Speaker.HUMAN, "ai": Speaker.AI, "tool": Speaker.TOOL}


def read_item(
    item: Mapping[str, Json], sources: tuple[Source, ...] = (), notes: ImportNotes | None = None
) -> Message:
    """Return the message of an entry. Absent fields of blocks become MISSING; other metadata stay in extra.

    ``notes`` receives warnings of unreadable blocks.
    """
    blocks = item.get("blocks")
    converted = tuple(read_block(block) for block in blocks) if isinstance(blocks, list) else ()
    metadata = fields_of(item.get("metadata"))
    flags = MessageFlag.RECORDED_SUMMARY if metadata.get("isSummary") is True else MessageFlag.NONE
    if any(isinstance(block, Opaque) for block in converted):
        flags |= MessageFlag.OPAQUE
        if notes is not None:
            notes.warn(sources[0].line, "a block is not known, or lacks its id or words; kept as it is")
    speaker = item.get("speaker")
    message_speaker = SPEAKERS.get(speaker, Speaker.UNKNOWN) if isinstance(speaker, str) else Speaker.UNKNOWN
    dropped = ("speaker", "blocks") if message_speaker is not Speaker.UNKNOWN else ("blocks",)
    extra = {key: value for key, value in item.items() if key not in dropped}
    if not isinstance(blocks, list) and "blocks" in item:
        extra["blocks"] = blocks
    id_ = metadata.get("id")
    return Message(
        message_speaker,
        converted,
        sources,
        flags,
        string_of(id_),
        iso_timestamp(metadata.get("timestamp")),
        extra or NO_EXTRA,
    )


def read_block(block: Json) -> Block:
    """Convert one block; one of an unknown type or with a broken field is Opaque."""
    if not isinstance(block, dict):
        return Opaque("unknown", block)
    kind = block.get("type")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    result = reader(block) if reader else None
    return result or Opaque(kind if isinstance(kind, str) and kind else "unknown", block)


def _are_texts(block: Mapping[str, Json], names: Sequence[str]) -> bool:
    return all(isinstance(block.get(name), str) for name in names)


def _text(block: Mapping[str, Json]) -> Block | None:
    return (
        Text(block["text"], other_fields(block, ("type", "text"))) if _are_texts(block, ("text",)) else None
    )


def _call(block: Mapping[str, Json]) -> Block | None:
    if not _are_texts(block, ("id", "name")):
        return None
    extra = other_fields(block, ("type", "id", "name", "parameters"))
    return ToolCall(block["id"], block["name"], block.get("parameters", MISSING), extra)


def _response(block: Mapping[str, Json]) -> Block | None:
    if not _are_texts(block, ("callId",)):
        return None
    name = block.get("toolName")
    known = (
        ("callId", "toolName", "result", "error") if isinstance(name, str) else ("callId", "result", "error")
    )
    return ToolResponse(
        block["callId"],
        string_of(name),
        block.get("result", MISSING),
        block.get("error", MISSING),
        other_fields(block, ("type", *known)),
    )


def _thinking(block: Mapping[str, Json]) -> Block | None:
    return (
        Thinking(block["thought"], other_fields(block, ("type", "thought")))
        if _are_texts(block, ("thought",))
        else None
    )


def _media(block: Mapping[str, Json]) -> Block | None:
    if not _are_texts(block, ("mimeType", "data")):
        return None
    caption = block.get("caption")
    known = ("mimeType", "data", "caption") if isinstance(caption, str) else ("mimeType", "data")
    extra = other_fields(block, ("type", *known))
    return Media(block["mimeType"], block["data"], string_of(caption), extra)


def _code(block: Mapping[str, Json]) -> Block | None:
    if not _are_texts(block, ("code",)):
        return None
    language = block.get("language")
    known = ("code", "language") if isinstance(language, str) else ("code",)
    return Code(block["code"], string_of(language), other_fields(block, ("type", *known)))


_READERS: Mapping[str, Callable[[Mapping[str, Json]], Block | None]] = {
    "text": _text,
    "tool_call": _call,
    "tool_response": _response,
    "thinking": _thinking,
    "media": _media,
    "code": _code,
}


@dataclass(slots=True)
class _CompressedLine:
    """A ``compressed`` line. ``candidates`` are earlier entries that may be written again."""

    position: int
    summary: Message
    source: Source
    repeat_limit: int  # how many entries may be written again
    candidates: list[int]
    kept: list[int] = field(default_factory=list)
    is_active: bool = True


@dataclass(slots=True)
class LlxprtReplay:
    """``history`` holds indices of messages, -1 for a summary."""

    notes: ImportNotes
    messages: list[Message] = field(default_factory=list)
    removed: set[int] = field(default_factory=set)
    history: list[int] = field(default_factory=list)
    compactions: list[_CompressedLine] = field(default_factory=list)
    session_start: Mapping[str, Json] = field(default_factory=dict)
    model: str = ""


def apply_recording_line(replay: LlxprtReplay, record: JsonRecord) -> None:
    """Apply one line of the recording; unknown kinds are counted."""
    value = record.value
    kind = value.get("type") if isinstance(value, dict) else None
    payload = value.get("payload") if isinstance(value, dict) else None
    if not isinstance(kind, str) or not isinstance(payload, dict):
        replay.notes.warn(record.line, "the line is not an event of a recording; it was skipped")
        replay.notes.skip("not an event")
        return
    source = record.source()
    if kind == "content" and isinstance(payload.get("content"), dict):
        _add_content(replay, read_item(payload["content"], (source,), replay.notes))
    elif kind == "compressed" and isinstance(payload.get("summary"), dict):
        _add_compression(replay, payload, source)
    elif kind == "rewind":
        _rewind(replay, payload.get("itemsRemoved"), record.line)
    else:
        _add_other_event(replay, kind, payload)


def recording_messages(replay: LlxprtReplay) -> tuple[list[Message], tuple[RecordedCompaction, ...]]:
    """Return the messages that were not rewound, and the compactions between them."""
    new_indices: list[int] = []
    messages: list[Message] = []
    for index, message in enumerate(replay.messages):
        new_indices.append(len(messages))
        if index not in replay.removed:
            messages.append(message)
    new_indices.append(len(messages))
    recorded = tuple(
        RecordedCompaction(
            "summary",
            new_indices[compression.position],
            summary=(compression.summary,),
            kept=tuple(new_indices[index] for index in compression.kept if index not in replay.removed),
            source=compression.source,
        )
        for compression in replay.compactions
        if compression.is_active
    )
    return messages, recorded


def _add_content(replay: LlxprtReplay, message: Message) -> None:
    """Add a new entry; after a compression it may be a kept one, written again."""
    repeated = _repeated_entry(replay, message)
    if repeated is not None:
        replay.compactions[-1].kept.append(repeated)
        replay.history.append(repeated)
        return
    replay.history.append(len(replay.messages))
    replay.messages.append(message)


def _repeated_entry(replay: LlxprtReplay, message: Message) -> int | None:
    compression = replay.compactions[-1] if replay.compactions else None
    if compression is None or not compression.is_active or len(compression.kept) >= compression.repeat_limit:
        return None
    for offset, index in enumerate(compression.candidates):
        earlier = replay.messages[index]
        if earlier.speaker is message.speaker and earlier.blocks == message.blocks:
            del compression.candidates[: offset + 1]
            return index
    return None


def _add_compression(replay: LlxprtReplay, payload: Mapping[str, Json], source: Source) -> None:
    """Add a compression; the kept entries are written again, unchanged, after its line."""
    items = payload.get("itemsCompressed")
    earlier_entries = [index for index in replay.history if index >= 0]
    compressed_count = items if isinstance(items, int) and 0 < items <= len(replay.history) else 0
    summary = read_item(payload["summary"], (source,))
    summary = replace(summary, flags=summary.flags | MessageFlag.RECORDED_SUMMARY)
    repeat_limit = len(replay.history) - compressed_count
    replay.compactions.append(
        _CompressedLine(len(replay.messages), summary, source, repeat_limit, earlier_entries)
    )
    replay.history = [-1]


def _rewind(replay: LlxprtReplay, count: Json, line: int) -> None:
    if not isinstance(count, int) or count < 0:
        replay.notes.warn(line, "the rewind does not say how many entries it took back; it was skipped")
        return
    for _ in range(min(count, len(replay.history))):
        index = replay.history.pop()
        compression = replay.compactions[-1] if replay.compactions else None
        if index == -1 and compression:
            compression.is_active = False
        elif compression and index in compression.kept:
            compression.kept.remove(index)
        else:
            replay.removed.add(index)
    replay.notes.skip("taken back by a rewind", count)


def _add_other_event(replay: LlxprtReplay, kind: str, payload: Mapping[str, Json]) -> None:
    replay.notes.skip(kind)
    model = payload.get("model")
    if kind in ("session_start", "provider_switch") and isinstance(model, str):
        replay.model = model
    if kind == "session_start" and not replay.session_start:
        replay.session_start = payload
