"""Reader for goose: an exported session (``conversation``), and the JSONL of earlier versions.

A compaction of goose hides messages from the model and adds others that only the model sees
(``metadata.agentVisible``, ``userVisible``); earlier versions wrote a ``conversationCompacted`` block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import coerce_text, other_fields, plain_text, split_by_speaker
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes, opaque_flag
from core.formats.common.json_access import fields_of, iso_timestamp, list_of, number_of, string_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import ConversationRecords, conversation_records, detection_sample
from core.formats.common.tool_linking import link_calls
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Conversation,
    Media,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    ReportedUsage,
    Speaker,
    SystemPart,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

COMPACTED_KEY = "$compacted"
"""Note in ``extra`` of a message: the conversation was compacted before it."""

GOOSE_CONTENT_TYPES = (
    "toolRequest",
    "toolResponse",
    "frontendToolRequest",
    "toolConfirmationRequest",
    "actionRequired",
    "redactedThinking",
    "systemNotification",
    "conversationCompacted",
)
"""Content types that only goose has."""

_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI, "system": Speaker.SYSTEM}
_UNSENT_TYPES = ("toolConfirmationRequest", "actionRequired", "systemNotification", "conversationCompacted")


def read_messages(record: JsonRecord, notes: ImportNotes) -> list[Message]:
    """Return the messages of a record: tool results apart from the user's words."""
    value = record.value
    if not isinstance(value, dict):
        notes.warn(record.line, "a message is not an object; kept as it is")
        return [_message(record, 0, Speaker.UNKNOWN, (Opaque("message", value),), NO_EXTRA)]
    speaker = _SPEAKERS.get(string_of(value.get("role")).lower(), Speaker.UNKNOWN)
    if speaker is Speaker.UNKNOWN:
        notes.warn(record.line, "the role of a message is not known; kept as unknown")
    content = value.get("content")
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else list_of(content)
    kinds = [string_of(fields_of(block).get("type")) for block in parts]
    for kind in kinds:
        if kind in _UNSENT_TYPES:
            notes.skip(f"content: {kind}", line=record.line)
    blocks = tuple(
        _block(block) for block, kind in zip(parts, kinds, strict=True) if kind not in _UNSENT_TYPES
    )
    if parts and not blocks and "conversationCompacted" not in kinds:
        return []
    known = ("content", "role", "created") + (("id",) if isinstance(value.get("id"), str) else ())
    extra = dict(other_fields(value, known))
    if "conversationCompacted" in kinds:
        extra[COMPACTED_KEY] = True
    parts_by_speaker = split_by_speaker(blocks) if speaker is Speaker.HUMAN else ((speaker, blocks),)
    return [
        _message(record, part, part_speaker, part_blocks, extra)
        for part, (part_speaker, part_blocks) in enumerate(parts_by_speaker)
    ]


def _message(
    record: JsonRecord, part: int, speaker: Speaker, blocks: tuple[Block, ...], extra: Mapping[str, Json]
) -> Message:
    value = fields_of(record.value)
    flags = opaque_flag(blocks)
    source = record.source(part)
    time = iso_timestamp(value.get("created"))
    return Message(speaker, blocks, (source,), flags, string_of(value.get("id")), time, extra or NO_EXTRA)


def _block(block: Json) -> Block:
    fields = fields_of(block)
    kind = string_of(fields.get("type"))
    if kind == "text" and isinstance(fields.get("text"), str):
        return Text(fields["text"], other_fields(fields, ("type", "text")))
    if kind in ("thinking", "reasoning"):
        name = "thinking" if kind == "thinking" else "text"
        return Thinking(string_of(fields.get(name)), other_fields(fields, ("type", name)))
    if kind == "image" and isinstance(fields.get("data"), str):
        return Media(
            string_of(fields.get("mimeType")),
            fields["data"],
            "",
            other_fields(fields, ("type", "data", "mimeType")),
        )
    if kind in ("toolRequest", "frontendToolRequest"):
        return _call(fields)
    if kind == "toolResponse":
        return _response(fields)
    return Opaque(kind or "unknown", block)


def _call(fields: Mapping[str, Json]) -> ToolCall:
    """Read a call; one that goose could not parse has its error instead of a name."""
    wrapped = fields_of(fields.get("toolCall"))
    value = fields_of(wrapped.get("value")) or wrapped
    name, arguments = coerce_text(value.get("name")), value.get("arguments", {})
    return ToolCall(coerce_text(fields.get("id")), name, arguments, other_fields(fields, ("type", "id")))


def _response(fields: Mapping[str, Json]) -> ToolResponse:
    wrapped = fields.get("toolResult")
    outer = fields_of(wrapped)
    value = outer.get("value", wrapped if isinstance(wrapped, list) else "")
    inner = fields_of(value)
    result = inner.get("content", value) if inner else value
    if outer.get("status") == "error":
        result = outer.get("error", "")
    failed = outer.get("status") == "error" or inner.get("isError") is True
    error = plain_text(result) if failed else MISSING
    return ToolResponse(
        coerce_text(fields.get("id")), "", result, error, other_fields(fields, ("type", "id", "toolResult"))
    )


_KEYS = ("conversation",)
_HEADER_FIELDS = ("working_dir", "tools", "description", "extension_data")


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by the content types that only goose has, else by the fields around plain messages."""
    sample = detection_sample(opened, _KEYS)
    messages = [value for value in sample.records if "role" in fields_of(value)]
    total = len(sample.records)
    header = {**sample.fields, **(fields_of(sample.records[0]) if sample.records else {})}
    header_fields = [name for name in _HEADER_FIELDS if name in header]
    if not messages:
        return (
            (0.6, "an empty conversation") if sample.fields and "working_dir" in header_fields else (0.0, "")
        )
    goose_messages = sum(1 for value in messages if _has_goose_content(value))
    share = (len(messages) + (total > len(messages) and bool(header_fields))) / total
    if goose_messages:
        return (
            0.98 * share,
            f"toolRequest, toolResponse and the like in {goose_messages} of {total} {sample.unit}",
        )
    all_dated = all(isinstance(value.get("created"), int) for value in messages)
    if all_dated and header_fields:
        return 0.97 * share, f"created in each of the {sample.unit}, {', '.join(header_fields)}"
    return (0.7 * share, f"created in each of the {sample.unit}") if all_dated else (0.0, "")


def _has_goose_content(value: Mapping[str, Json]) -> bool:
    blocks = list_of(value.get("content"))
    return any(isinstance(block, dict) and block.get("type") in GOOSE_CONTENT_TYPES for block in blocks)


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one session; InputError for an unknown number."""
    notes = ImportNotes()
    raw = conversation_records(opened, _KEYS, request, notes)
    notes.records = len(raw.records)
    header, records = _split_header(raw, notes)
    all_messages = [message for record in records for message in read_messages(record, notes)]
    messages, recorded = _compactions(all_messages)
    config = fields_of(header.get("model_config"))
    return Conversation(
        "goose",
        opened.document,
        link_calls(messages, notes),
        SystemPart((), tuple(list_of(header.get("tools")))),
        recorded=recorded,
        report=notes.report(),
        model=string_of(config.get("model_name")),
        cwd=string_of(header.get("working_dir")),
        session_id=string_of(header.get("id")),
        reported_context=number_of(header.get("input_tokens")) or number_of(header.get("total_tokens")),
        reported_limit=number_of(config.get("context_limit")),
        usage=_usage(header, messages, string_of(config.get("model_name"))),
        number=raw.number,
        siblings=raw.siblings,
        listed=raw.listed,
        title=string_of(header.get("name")) or string_of(header.get("description")),
        layout=raw.layout,
    )


def _usage(header: Mapping[str, Json], messages: Sequence[Message], model: str) -> tuple[ReportedUsage, ...]:
    """Return the usage of the last request, the only one that a session records."""
    prompt, answers = number_of(header.get("input_tokens")), range(len(messages) - 1, -1, -1)
    last_answer = next((index for index in answers if messages[index].speaker is Speaker.AI), None)
    if not prompt or last_answer is None:
        return ()
    return (ReportedUsage(last_answer, prompt, number_of(header.get("output_tokens")), model),)


def _split_header(
    raw: ConversationRecords, notes: ImportNotes
) -> tuple[Mapping[str, Json], Sequence[JsonRecord]]:
    """Return the session's fields, around the messages or in the first line of JSONL, and the messages."""
    first = raw.records[0].value if raw.records else None
    if isinstance(first, dict) and "role" not in first:
        notes.skip("session fields", line=raw.records[0].line)
        return {**raw.fields, **first}, raw.records[1:]
    return raw.fields, raw.records


def _compactions(all_messages: Sequence[Message]) -> tuple[list[Message], tuple[RecordedCompaction, ...]]:
    """Return the messages without those added by compactions, and the compactions.

    If some messages are hidden from the model, consecutive messages hidden from the user are a summary and a
    continuation; the prompt repeated after them stays. ``kept`` are the earlier messages that the model sees.
    """
    any_hidden = any(not _is_visible(m, "agentVisible") for m in all_messages)
    messages: list[Message] = []
    recorded: list[RecordedCompaction] = []
    runs = [(visible, list(group)) for visible, group in groupby(all_messages, key=_is_user_visible)]
    for number, (visible, run) in enumerate(runs):
        if visible or not any_hidden:
            for message in run:
                if not any_hidden and message.extra.get(COMPACTED_KEY):
                    recorded.append(RecordedCompaction("summary", len(messages), source=message.sources[0]))
                if message.blocks or not message.extra.get(COMPACTED_KEY):
                    messages.append(message)
            continue
        next_message = runs[number + 1][1][0] if number + 1 < len(runs) else None
        if next_message is not None and run[0].blocks == next_message.blocks:
            messages.append(run.pop(0))
        if run:
            recorded.append(_compaction(messages, run))
    return messages, tuple(recorded)


def _compaction(messages: Sequence[Message], summary: Sequence[Message]) -> RecordedCompaction:
    kept = tuple(index for index, m in enumerate(messages) if _is_visible(m, "agentVisible"))
    flagged = tuple(replace(m, flags=m.flags | MessageFlag.RECORDED_SUMMARY) for m in summary)
    return RecordedCompaction(
        "summary", len(messages), summary=flagged, kept=kept, source=summary[0].sources[0]
    )


def _is_user_visible(message: Message) -> bool:
    return _is_visible(message, "userVisible")


def _is_visible(message: Message, field_name: str) -> bool:
    return fields_of(message.extra.get("metadata")).get(field_name) is not False


GOOSE = Format(
    "goose",
    "goose",
    "Sessions of goose: the JSON of its export command, and the JSONL files of earlier versions.",
    score,
    read,
    real_file_seen=False,
)
