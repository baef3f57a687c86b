"""Reader for sessions of the Cline SDK: ``{version, agent, sessionId, messages, system_prompt}``.

``<id>.messages.json`` is the whole session. ``<id>.compaction.json`` beside it has the same shape and holds
the context after a compaction: kept messages, and either one summary of the model before them
(``metadata.kind`` ``compaction_summary``) or, from the strategy without a model (``compaction``),
``<SYSTEM_NOTICE>`` blocks beside the user's prompts. Both texts are recorded summaries, not messages of the
session. The compaction follows the messages that it kept. ``usageBefore`` sums the requests of the removed
messages; it is not the size of a context and is ignored.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.common.json_value import Json
from core.formats.anthropic.blocks import read_content, split_by_speaker
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes, opaque_flag, unreadable_message
from core.formats.common.json_access import (
    fields_of,
    iso_timestamp,
    nested,
    number_of,
    other_fields,
    request_tokens,
    string_of,
)
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import conversation_records, detection_sample
from core.formats.common.tool_linking import link_calls
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Conversation,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    Speaker,
    SystemPart,
    Text,
)

_KEYS = ("messages",)
_SESSION_FIELDS = ("sessionId", "agent", "system_prompt", "updated_at")
_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI, "system": Speaker.SYSTEM}
_CWD = re.compile(r"^[ \d.]*Working Directory: (.+?)\s*$", re.MULTILINE)
_FILE_TEMPLATE = '<file_content path="{}">\n{}\n</file_content>'


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by the fields beside the messages and by their roles."""
    sample = detection_sample(opened, _KEYS)
    found_fields = [name for name in _SESSION_FIELDS if name in sample.fields]
    if "sessionId" not in found_fields or len(found_fields) < 3:
        return 0.0, ""
    roles = sum(1 for value in sample.records if string_of(fields_of(value).get("role")) in _SPEAKERS)
    share = roles / len(sample.records) if sample.records else 1.0
    return 0.99 * share, f"{', '.join(found_fields)} beside {len(sample.records)} {sample.unit}"


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read a session or the result of its compaction; InputError for a file without messages."""
    notes = ImportNotes()
    conversation = conversation_records(opened, _KEYS, request, notes)
    notes.records = len(conversation.records)
    parts = [part for record in conversation.records for part in _parts(record, notes)]
    messages, recorded = split_compactions(parts, notes)
    prompt = string_of(conversation.fields.get("system_prompt"))
    cwd = _CWD.search(prompt)
    records_fields = [fields_of(record.value) for record in conversation.records]
    models = [nested(fields, "modelInfo", "id") for fields in reversed(records_fields)]
    return Conversation(
        "cline_session",
        opened.document,
        link_calls(messages, notes),
        SystemPart((prompt,) if prompt else ()),
        recorded=recorded,
        report=notes.report(),
        model=next(filter(None, map(string_of, models)), ""),
        cwd=cwd[1] if cwd else "",
        session_id=string_of(conversation.fields.get("sessionId")),
        reported_context=next(filter(None, map(_reported_tokens, reversed(records_fields))), None),
        number=conversation.number,
        siblings=conversation.siblings,
        listed=conversation.listed,
        layout=conversation.layout,
    )


def _reported_tokens(value: Mapping[str, Json]) -> int | None:
    metrics = fields_of(value.get("metrics"))
    return request_tokens(
        metrics.get("inputTokens"), metrics.get("cacheReadTokens"), metrics.get("cacheWriteTokens")
    )


def _parts(record: JsonRecord, notes: ImportNotes) -> list[ClineMessage]:
    value = record.value
    if not isinstance(value, dict):
        return [ClineMessage(unreadable_message(record, notes), {}, False)]
    speaker = _SPEAKERS.get(string_of(value.get("role")), Speaker.UNKNOWN)
    if speaker is Speaker.UNKNOWN:
        notes.warn(record.line, "the role of a message is not known; kept as unknown")
    read_blocks, content = read_content(value, notes, record.line)
    blocks = tuple(_file_as_text(block) for block in read_blocks)
    known = {"content"} | {name for name in ("id", "role") if isinstance(value.get(name), str)}
    extra = {**other_fields(value, known), **content} or NO_EXTRA
    if is_summary(value):
        return [_message(record, 0, speaker, blocks, extra, is_summary_message=True)]
    notices = tuple(block for block in blocks if is_notice(block))
    message_blocks = tuple(block for block in blocks if not is_notice(block))
    is_split = speaker is Speaker.HUMAN and message_blocks
    split = split_by_speaker(message_blocks) if is_split else ((speaker, message_blocks),)
    parts = [
        _message(record, place, part_speaker, part_blocks, extra)
        for place, (part_speaker, part_blocks) in enumerate(split)
        if part_blocks or not notices
    ]
    if notices:
        parts.append(_message(record, len(parts), speaker, notices, NO_EXTRA, is_summary_message=True))
    return parts


def _message(
    record: JsonRecord,
    part: int,
    speaker: Speaker,
    blocks: tuple[Block, ...],
    extra: Mapping[str, Json],
    *,
    is_summary_message: bool = False,
) -> ClineMessage:
    flags = opaque_flag(blocks) | (MessageFlag.RECORDED_SUMMARY if is_summary_message else MessageFlag.NONE)
    value = fields_of(record.value)
    source = record.source(part)
    time = iso_timestamp(value.get("ts"))
    message = Message(speaker, blocks, (source,), flags, string_of(value.get("id")), time, extra)
    return ClineMessage(message, value, is_summary_message)


def _file_as_text(block: Block) -> Block:
    """Convert a ``file`` block, which the user attached, to the text that the model gets."""
    if not isinstance(block, Opaque) or block.kind != "file":
        return block
    value = fields_of(block.raw)
    path, content = value.get("path"), value.get("content")
    if not isinstance(path, str) or not isinstance(content, str):
        return block
    return Text(
        _FILE_TEMPLATE.format(path, content), {**other_fields(value, ("type", "content")), "$field": "file"}
    )


_SUMMARY = "compaction_summary"
_NOTICE_COMPACTION = "compaction"
_PRESERVED = "preserved"
_NOTICE = "<SYSTEM_NOTICE>"
_NOTICE_WORDS = "context was compacted"


@dataclass(frozen=True, slots=True)
class ClineMessage:
    """A message and its record; ``is_summary``: it is a recorded summary."""

    message: Message
    record: Mapping[str, Json]
    is_summary: bool


def is_summary(record: Mapping[str, Json]) -> bool:
    return _metadata(record).get("kind") == _SUMMARY


def is_notice(block: Block) -> bool:
    return isinstance(block, Text) and block.text.startswith(_NOTICE) and _NOTICE_WORDS in block.text[:200]


def split_compactions(
    parts: Sequence[ClineMessage], notes: ImportNotes
) -> tuple[list[Message], tuple[RecordedCompaction, ...]]:
    """Return the messages without recorded summaries, and the compaction if the file has one."""
    messages = [part.message for part in parts if not part.is_summary]
    marked_message = next(
        (part for part in parts if _metadata(part.record).get("kind") in (_SUMMARY, _NOTICE_COMPACTION)), None
    )
    if marked_message is None and not any(part.is_summary for part in parts):
        return messages, ()
    end = _compaction_end(parts, marked_message)
    context_after: list[int | Message] = []
    count = 0
    for part in parts[:end]:
        context_after.append(part.message if part.is_summary else count)
        count += not part.is_summary
    metadata = _metadata(marked_message.record) if marked_message else {}
    removed = number_of(metadata.get("messagesRemoved"))
    if removed:
        notes.warn(0, f"messages that the compaction removed and this file does not have: {removed:,}")
    recorded = RecordedCompaction(
        "summary",
        count,
        _trigger(string_of(metadata.get("reason"))),
        number_of(metadata.get("tokensBefore")),
        summary=tuple(part.message for part in parts if part.is_summary),
        source=marked_message.message.sources[0] if marked_message else None,
        context_after=tuple(context_after),
        is_source_lost=True,
    )
    return messages, (recorded,)


def _compaction_end(parts: Sequence[ClineMessage], marked_message: ClineMessage | None) -> int:
    generated_at = number_of(_metadata(marked_message.record).get("generatedAt")) if marked_message else None
    if generated_at is not None:
        times = enumerate(number_of(part.record.get("ts")) or 0 for part in parts)
        return next((place for place, time in times if time > generated_at), len(parts))
    summary_places = (place for place, part in enumerate(parts) if part.is_summary or _is_kept(part.record))
    return max(summary_places, default=len(parts) - 1) + 1


def _is_kept(record: Mapping[str, Json]) -> bool:
    metadata = _metadata(record)
    return metadata.get("compaction") == _PRESERVED or metadata.get("kind") == _NOTICE_COMPACTION


def _metadata(record: Mapping[str, Json]) -> Mapping[str, Json]:
    return fields_of(record.get("metadata"))


def _trigger(reason: str) -> str:
    return next((word for word in ("manual", "auto") if word in reason), reason)


CLINE_SESSION = Format(
    "cline_session",
    "Cline",
    "Sessions of the Cline SDK (messages.json), and what a compaction left of one (compaction.json).",
    score,
    read,
)
