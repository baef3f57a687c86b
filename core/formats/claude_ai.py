"""Reader for exports of Claude.ai: conversations with flat lists of messages (conversations.json)."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby

from core.common.json_value import Json
from core.formats.anthropic.blocks import read_block
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadOnly, ReadRequest
from core.formats.common.json_access import fields_of, list_of, other_fields, string_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.session_log import SessionLog, object_log, shape_score
from core.transcript.model import Block, Conversation, Speaker, Text, ToolResponse

_SPEAKERS = {"human": Speaker.HUMAN, "assistant": Speaker.AI}
_FLAGS = ("start_timestamp", "stop_timestamp", "citations", "flags")
"""Fields of every block that say nothing."""


def score(opened: OpenedDocument) -> FormatScore:
    return shape_score(opened, "claude_ai", "uuid and chat_messages")


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one conversation. Results follow their calls; what is said after them is a message of its own."""
    log = object_log(opened, request, "chat_messages", title="name", session_id="uuid")
    for record in log.records:
        value = record.value
        speaker = _SPEAKERS.get(string_of(value.get("sender")), Speaker.UNKNOWN)
        id_, time = string_of(value.get("uuid")), value.get("created_at")
        blocks = _blocks(record, log)
        if not blocks:
            log.notes.skip("empty message", line=record.line)
        for is_result, group in groupby(blocks, key=lambda block: isinstance(block, ToolResponse)):
            log.add(record, Speaker.TOOL if is_result else speaker, [*group], id=id_, time=time)
    return log.conversation("claude_ai", opened)


def _blocks(record: JsonRecord, log: SessionLog) -> list[Block]:
    """Return the content, or the flat text if there is none, and the texts of attachments."""
    value: Mapping[str, Json] = record.value
    parts = [other_fields(fields_of(part), _FLAGS) for part in list_of(value.get("content"))]
    blocks = [read_block(dict(part), log.notes, record.line) for part in parts]
    text = string_of(value.get("text"))
    if text and all(isinstance(block, Text) and not block.text for block in blocks):
        blocks = [Text(text)]
    for attachment in map(fields_of, list_of(value.get("attachments"))):
        if content := string_of(attachment.get("extracted_content")):
            blocks.append(Text(content, {"file_name": attachment.get("file_name")}))
    return [block for block in blocks if not isinstance(block, Text) or block.text]


CLAUDE_AI = Format(
    "claude_ai",
    "Claude.ai",
    "Exports of Claude.ai: conversations.json, or the zip that holds it.",
    score,
    read,
    real_file_seen=False,
    read_only=ReadOnly.RECORD,
)
