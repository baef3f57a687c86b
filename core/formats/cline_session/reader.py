"""Reader for sessions of the Cline SDK: ``{version, agent, sessionId, messages, system_prompt}``.

``<id>.messages.json`` is the whole session. ``<id>.compaction.json`` beside it has the same shape and holds
the result of a compaction (core.formats.cline_session.compactions).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from core.common.json_value import Json
from core.formats.anthropic.blocks import read_content, split_by_speaker
from core.formats.cline_session.compactions import ClineMessage, is_notice, is_summary, split_compactions
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import (
    fields_of,
    iso_timestamp,
    nested,
    other_fields,
    request_tokens,
    string_of,
)
from core.formats.common.json_ranges import JsonRecord
from core.formats.common.message_lists import conversation_records, detection_sample
from core.formats.common.tool_linking import link_calls
from core.formats.common.unreadable import opaque_flag, unreadable_message
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Conversation,
    Message,
    MessageFlag,
    Opaque,
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
    return Conversation(
        "cline_session",
        opened.document,
        link_calls(messages, notes),
        SystemPart((prompt,) if prompt else ()),
        recorded=recorded,
        report=notes.report(),
        model=next(filter(None, map(_model, reversed(records_fields))), ""),
        cwd=cwd[1] if cwd else "",
        session_id=string_of(conversation.fields.get("sessionId")),
        reported_context=next(filter(None, map(_reported_tokens, reversed(records_fields))), None),
        number=conversation.number,
        siblings=conversation.siblings,
        listed=conversation.listed,
        layout=conversation.layout,
    )


def _model(value: Mapping[str, Json]) -> str:
    return string_of(nested(value, "modelInfo", "id"))


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


CLINE_SESSION = Format(
    "cline_session",
    "Cline",
    "Sessions of the Cline SDK (messages.json), and what a compaction left of one (compaction.json).",
    score,
    read,
)
