"""Reader and exporter for llxprt: history entries (IContent) as JSON, a list or ``{history}``, and
session recordings."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace

from core.common.json_value import MISSING, Json
from core.common.number_format import to_milliseconds
from core.formats.common.document import OpenedDocument, iterate_records
from core.formats.common.format import Format, FormatScore, ReaderEvidence, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    fields_of,
    iso_timestamp,
    list_of,
    other_fields,
    string_of,
)
from core.formats.common.message_lists import (
    check_number,
    conversation_records,
    detection_sample,
    source_records,
)
from core.formats.common.messages import (
    BlockShape,
    ImportNotes,
    link_calls,
    opaque_flag,
    record_messages,
    shaped_block,
    speaker_of,
    unreadable_message,
)
from core.formats.common.session_log import SessionLog
from core.formats.writing.exporter import (
    ExporterOutput,
    ExportInput,
    ExportLosses,
    ExportMessage,
    OutputShape,
)
from core.formats.writing.plain_text import (
    dump_lines,
    fields_without_notes,
    opaque_json,
    split_data_url,
)
from core.formats.writing.raw_json import (
    json_file,
    pieces_with_records,
    rebuild_container,
    source_shape,
    transcript_exporter,
)
from core.transcript.model import (
    Block,
    Code,
    Conversation,
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
from core.transcript.provenance import FIELD

SPEAKERS = {"human": Speaker.HUMAN, "ai": Speaker.AI, "tool": Speaker.TOOL}


_SHAPES: Mapping[str, BlockShape] = {
    "text": BlockShape(Text, ("text",), required=("text",)),
    "tool_call": BlockShape(ToolCall, ("id", "name"), ("parameters",), ("id", "name")),
    "tool_response": BlockShape(
        ToolResponse, ("callId", "toolName"), ("result", "error"), ("callId",)
    ),
    "thinking": BlockShape(Thinking, ("thought",), required=("thought",)),
    "media": BlockShape(
        Media, ("mimeType", "data", "caption"), required=("mimeType", "data")
    ),
    "code": BlockShape(Code, ("code", "language"), required=("code",)),
}
_LEFT_OUT_IF_EMPTY = ("caption", "language")


def read_entry(
    entry: Mapping[str, Json], source: Source, notes: ImportNotes
) -> Message:
    """Return the message of an entry. Absent fields become MISSING; other metadata stay in
    extra."""
    blocks = tuple(
        shaped_block(block, _SHAPES) for block in list_of(entry.get("blocks"))
    )
    metadata = fields_of(entry.get("metadata"))
    flags = (
        MessageFlag.RECORDED_SUMMARY
        if metadata.get("isSummary") is True
        else MessageFlag.NONE
    )
    if opaque_flag(blocks):
        notes.warn(
            source.line, "a block is not known, or lacks its id or words; kept as it is"
        )
    speaker = SPEAKERS.get(string_of(entry.get("speaker")))
    is_known = {
        "speaker": speaker is not None,
        "blocks": isinstance(entry.get("blocks"), list),
    }
    id_ = string_of(metadata.get("id"))
    time = iso_timestamp(metadata.get("timestamp"))
    # Every other field goes back into an export, so only a field that was understood is left out.
    extra = other_fields(entry, [name for name, known in is_known.items() if known])
    return record_messages(
        source, [(speaker or Speaker.UNKNOWN, blocks)], flags, id_, time, extra
    )[0]


def block_json(block: Block, *, same_format: bool, losses: ExportLosses) -> Json | None:
    """Return one block, None if llxprt has no such block; ``same_format``: it came from llxprt."""
    if isinstance(block, Opaque):
        return opaque_json(block, same_format, losses)
    kind, shape = next(
        (kind, shape) for kind, shape in _SHAPES.items() if shape.block is type(block)
    )
    attributes = (getattr(block, attribute.name) for attribute in fields(block))
    value: dict[str, Json] = {"type": kind}
    for name, attribute in zip((*shape.texts, *shape.values), attributes, strict=False):
        if attribute is not MISSING and (attribute or name not in _LEFT_OUT_IF_EMPTY):
            value[name] = attribute
    if same_format:
        return {**value, **fields_without_notes(block.extra)}
    return value | _own_fields(block)


def _own_fields(block: Block) -> dict[str, Json]:
    match block:
        case ToolResponse() if block.error is not MISSING and not isinstance(
            block.error, str
        ):
            return {"error": "" if block.error is None else str(block.error)}
        case Thinking() if block.extra.get("signature"):
            return {"signature": block.extra["signature"], "sourceField": "thinking"}
        case Thinking() if block.extra.get("$field"):
            return {"sourceField": "reasoning_content"}
        case Media():
            mime, data = split_data_url(block.mime, block.data)
            # A data URL is an address to llxprt as well.
            is_url = data.startswith(("http://", "https://", "data:"))
            encoding = "url" if is_url else "base64"
            return {"mimeType": mime or "image/png", "data": data, "encoding": encoding}
    return {}


_SUMMARY = -1


@dataclass(slots=True, kw_only=True)
class _Compression:
    """A ``compressed`` line. ``candidates`` are earlier entries that may be written again, up to
    ``repeat_limit`` of them."""

    boundary: int
    summary: Message
    source: Source
    repeat_limit: int
    candidates: list[int]
    kept: list[int] = field(default_factory=list)
    is_active: bool = True


@dataclass(slots=True, kw_only=True)
class LlxprtRecording:
    """``history`` holds indices of messages, -1 for a summary."""

    notes: ImportNotes = field(default_factory=ImportNotes)
    session_start: Mapping[str, Json] = field(default_factory=dict)
    model: str = ""
    _messages: list[Message] = field(default_factory=list)
    _removed: set[int] = field(default_factory=set)
    _history: list[int] = field(default_factory=list)
    _compressions: list[_Compression] = field(default_factory=list)

    def add_line(self, record: JsonRecord) -> None:
        """Apply one line of the recording; unknown kinds are counted."""
        value = fields_of(record.value)
        source = record.source()
        kind = value.get("type")
        payload = value.get("payload")
        if not isinstance(kind, str) or not isinstance(payload, dict):
            self.notes.warn(
                record.line, "the line is not an event of a recording; it was skipped"
            )
            self.notes.skip("not an event")
        # Probably other lines use the same type for another payload.
        elif kind == "content" and isinstance(payload.get("content"), dict):
            self._add_content(read_entry(payload["content"], source, self.notes))
        elif kind == "compressed" and isinstance(payload.get("summary"), dict):
            self._add_compression(payload, source)
        elif kind == "rewind":
            self._rewind(payload.get("itemsRemoved"), record.line)
        else:
            self._add_other_event(kind, payload)

    def messages(self) -> tuple[list[Message], tuple[RecordedCompaction, ...]]:
        """Return the messages that were not rewound, and the compactions between them."""
        new_indices: list[int] = []
        messages: list[Message] = []
        for index, message in enumerate(self._messages):
            # A rewind may take back messages on either side of a compression.
            new_indices.append(len(messages))
            if index not in self._removed:
                messages.append(message)
        new_indices.append(len(messages))
        recorded = tuple(
            RecordedCompaction(
                kind="summary",
                boundary=new_indices[compression.boundary],
                summary=(compression.summary,),
                kept=tuple(
                    new_indices[index]
                    for index in compression.kept
                    if index not in self._removed
                ),
                source=compression.source,
            )
            for compression in self._compressions
            if compression.is_active
        )
        return messages, recorded

    def _add_content(self, message: Message) -> None:
        """Add a new entry; after a compression it may be a kept one, written again."""
        if self._compressions:
            compression = self._compressions[-1]
        else:
            compression = None
        if (
            compression
            and compression.is_active
            and len(compression.kept) < compression.repeat_limit
        ):
            # The kept entries come in their old order, so what stands before a match cannot come
            # any more.
            for offset, index in enumerate(compression.candidates):
                earlier = self._messages[index]
                if (
                    earlier.speaker is message.speaker
                    and earlier.blocks == message.blocks
                ):
                    del compression.candidates[: offset + 1]
                    compression.kept.append(index)
                    self._history.append(index)
                    return
        self._history.append(len(self._messages))
        self._messages.append(message)

    def _add_compression(self, payload: Mapping[str, Json], source: Source) -> None:
        """Add a compression; the kept entries are written again, unchanged, after its line."""
        items = payload.get("itemsCompressed")
        size = len(self._history)
        # Without a sound count any earlier entry may have been kept.
        if isinstance(items, int) and 0 < items <= size:
            repeat_limit = size - items
        else:
            repeat_limit = size
        summary = read_entry(payload["summary"], source, ImportNotes())
        summary = replace(summary, flags=summary.flags | MessageFlag.RECORDED_SUMMARY)
        candidates = [index for index in self._history if index != _SUMMARY]
        compression = _Compression(
            boundary=len(self._messages),
            summary=summary,
            source=source,
            repeat_limit=repeat_limit,
            candidates=candidates,
        )
        self._compressions.append(compression)
        self._history = [_SUMMARY]

    def _rewind(self, count: Json, line: int) -> None:
        if not isinstance(count, int) or count < 0:
            self.notes.warn(
                line,
                "the rewind does not say how many entries it took back; it was skipped",
            )
            return
        if self._compressions:
            compression = self._compressions[-1]
        else:
            compression = None
        for _ in range(min(count, len(self._history))):
            index = self._history.pop()
            # A rewind beyond a compression takes that back, too.
            if index == _SUMMARY and compression:
                compression.is_active = False
            elif compression and index in compression.kept:
                compression.kept.remove(index)
            else:
                self._removed.add(index)
        self.notes.skip("taken back by a rewind", count)

    def _add_other_event(self, kind: str, payload: Mapping[str, Json]) -> None:
        self.notes.skip(kind)
        if kind in ("session_start", "provider_switch"):
            self.model = string_of(payload.get("model")) or self.model
        if kind == "session_start":
            # Probably a fork repeats the start of its origin; the first one names this file.
            self.session_start = self.session_start or payload


_KEYS = ("history", "messages")
_EVENT_TYPES = (
    *(
        "session_start",
        "content",
        "compressed",
        "rewind",
        "provider_switch",
        "session_event",
    ),
    *(
        "session_metadata",
        "directories_changed",
        "checkpoint_created",
        "checkpoint_renamed",
    ),
    *("checkpoint_deleted", "session_forked", "session_named"),
)


def score(file: OpenedDocument) -> FormatScore:
    """Judge by speaker and blocks, or by the envelope of a recording."""
    if events := sum(map(_is_event, file.objects)):
        total = len(file.objects)
        return (
            0.98 * events / total,
            f"seq, type and payload of a recording in {events} of {total} lines",
        )
    sample = detection_sample(file, _KEYS)
    if entries := sum(map(_is_entry, sample.records)):
        total = len(sample.records)
        return 0.98 * sample.share(
            entries
        ), f"speaker and blocks in {entries} of {total} entries"
    is_empty = (
        sample.has_records
        and not sample.records
        and "history" in (file.objects or ({},))[0]
    )
    if is_empty:
        return (0.6, "an empty history")
    return (0.0, "")


def _is_event(value: Mapping[str, Json]) -> bool:
    return (
        value.get("type") in _EVENT_TYPES
        and "seq" in value
        and isinstance(value.get("payload"), dict)
    )


def _is_entry(value: Json) -> bool:
    return (
        isinstance(value, dict)
        and "speaker" in value
        and isinstance(value.get("blocks"), list)
    )


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    if any(map(_is_event, file.objects)):
        return _read_recording(file, request)
    loaded = conversation_records(file, _KEYS, request)
    messages = [_message(record, loaded.notes) for record in loaded.records]
    return loaded.conversation("llxprt", link_calls(messages, loaded.notes))


def _message(record: JsonRecord, notes: ImportNotes) -> Message:
    if not isinstance(record.value, dict):
        return unreadable_message(record, notes, "an entry is not an object")
    speaker_of(record.value.get("speaker"), SPEAKERS, notes, record.line, "speaker")
    return read_entry(record.value, record.source(), notes)


def _read_recording(file: OpenedDocument, request: ReadRequest) -> Conversation:
    check_number(file.document.name, request.conversation, 1)
    recording = LlxprtRecording()
    notes = recording.notes
    for record in iterate_records(file, notes, request.progress, request.stop):
        notes.records += 1
        recording.add_line(record)
    messages, recorded = recording.messages()
    start = fields_of(recording.session_start)
    cwd = start.get("cwd") or next(iter(list_of(start.get("workspaceDirs"))), "")
    log = SessionLog(
        answers_are_records=True,
        notes=notes,
        messages=messages,
        recorded=[*recorded],
        model=recording.model,
        cwd=string_of(cwd),
    )
    log.session_id = string_of(start.get("sessionId"))
    layout = {**file.layout, "opens_with": "session_start"}
    return replace(log.conversation("llxprt", file), layout=layout)


LLXPRT = Format(
    name="llxprt",
    label="llxprt",
    about="History entries of llxprt-code as JSON, and its session recordings (JSONL).",
    score=score,
    read=read,
    evidence=ReaderEvidence.DESCRIPTION,
)


NAME = "llxprt"
_SPEAKERS = {speaker: name for name, speaker in SPEAKERS.items()}
_HISTORY_TYPES = ("content", "compressed", "rewind")


def _edited(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    if export_input.conversation.layout.get("opens_with"):
        return ExporterOutput(_recording(export_input, losses), OutputShape.LINES)
    entries = [entry for _, entry in _entries(export_input, losses)]
    data = rebuild_container(export_input.conversation, entries)
    return ExporterOutput(data, source_shape(export_input, NAME))


def _new(export_input: ExportInput, losses: ExportLosses) -> ExporterOutput:
    entries = [entry for _, entry in _entries(export_input, losses)]
    return json_file(entries)


def _entries(
    export_input: ExportInput, losses: ExportLosses
) -> Iterator[tuple[ExportMessage, Json]]:
    same_format = export_input.is_from_format(NAME)
    is_recording = export_input.conversation.layout.get("opens_with")
    for piece, record in pieces_with_records(export_input, NAME):
        # In a recording an entry is inside of a line that has a number of its own.
        if same_format and piece.record and piece.is_unchanged and not is_recording:
            yield piece, record
        else:
            yield (
                piece,
                _entry(piece.message, same_format and piece.origin is not None, losses),
            )


def _entry(
    message: Message, same_format: bool, losses: ExportLosses
) -> dict[str, Json]:
    values = (
        block_json(block, same_format=same_format, losses=losses)
        for block in message.blocks
    )
    blocks = [block for block in values if block is not None]
    speaker = _SPEAKERS.get(message.speaker)
    if same_format:
        named = {"speaker": speaker} if speaker else {}
        return {**named, "blocks": blocks, **fields_without_notes(message.extra)}
    if speaker is None:
        losses.count_changed(f"{message.speaker.value} message as human")
    value: dict[str, Json] = {"speaker": speaker or "human", "blocks": blocks}
    if metadata := _metadata(message):
        value["metadata"] = metadata
    if FIELD in message.extra:
        value[FIELD] = message.extra[FIELD]
    return value


def _metadata(message: Message) -> dict[str, Json]:
    time = to_milliseconds(message.timestamp)
    known = {"id": message.id or None, "timestamp": time}
    return {name: value for name, value in known.items() if value is not None}


def _recording(export_input: ExportInput, losses: ExportLosses) -> bytes:
    """Return the recording's other lines and one content line per entry, renumbered.

    Compressions and rewinds are left out: the lines hold their result.
    """
    records = source_records(export_input.conversation)
    by_start = {
        record.start: record.value
        for record in records
        if isinstance(record.value, dict)
    }
    lines = [
        value for value in by_start.values() if value.get("type") not in _HISTORY_TYPES
    ]
    if lines:
        last_time = lines[-1].get("ts")
    else:
        last_time = None
    for piece, entry in _entries(export_input, losses):
        if piece.record:
            raw = by_start.get(piece.record[0], {})
        else:
            raw = {}
        # A summary becomes an ordinary entry, as its compression is not written.
        if raw.get("type") != "content":
            raw = {"v": 1, "seq": 0, "ts": last_time, "type": "content", "payload": {}}
        elif piece.is_unchanged:
            entry = raw["payload"]["content"]
        last_time = raw.get("ts", last_time)
        lines.append({**raw, "payload": {**raw["payload"], "content": entry}})
    return dump_lines({**line, "seq": number} for number, line in enumerate(lines, 1))


EXPORTER = transcript_exporter(
    (NAME,),
    "llxprt JSON",
    ".json",
    (
        "History entries of llxprt-code (speaker and blocks), or its recording where the source "
        "is one."
    ),
    new=_new,
    edited=_edited,
    kept_fields=(FIELD,),
    target="llxprt",
    has_provenance=True,
    carries_sizes=True,
)
