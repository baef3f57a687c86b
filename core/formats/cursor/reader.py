"""Reader for Cursor: agent transcripts (JSONL or text), and the databases of window and CLI.

A transcript has no ids, times or usage, and mostly no results of tools.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import plain_text, read_block
from core.formats.common.document import DocumentContainer, OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadOnly, ReadRequest
from core.formats.common.json_access import coerce_text, list_of, nested, string_of
from core.formats.common.message_lists import check_number
from core.formats.common.session_log import SessionLog, log_records, shape_score
from core.formats.common.stored_sessions import read_stored, store_score
from core.formats.cursor import bubbles, chats, texts
from core.transcript.model import Block, Conversation, Speaker, Text, Thinking, ToolCall, ToolResponse

_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)
_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI}
_STORES = (*bubbles.STORES, chats.STORE)


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by messages with a role but no type; a database by its tables."""
    if opened.container is DocumentContainer.DATABASE:
        return store_score(opened, *_STORES)
    if opened.container is DocumentContainer.TEXT:
        return (0.9, "lines with a role") if texts.is_transcript(opened) else (0.0, "")
    return shape_score(opened, "cursor", "role and message.content")


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    if opened.container is DocumentContainer.DATABASE:
        return read_stored(opened, request, _STORES, read_stored_session)
    if opened.container is DocumentContainer.TEXT:
        return _read_text(opened, request)
    log = SessionLog()
    for record in log_records(opened, request, log):
        speaker = _SPEAKERS.get(string_of(record.value.get("role")))
        if speaker is None:
            log.notes.skip(coerce_text(record.value.get("type")) or "without a role", line=record.line)
            continue
        content = nested(record.value, "message", "content")
        parts = [content] if isinstance(content, str) else list_of(content)
        blocks = [_block(part, log, record.line) for part in parts]
        log.add(record, speaker, blocks, time=record.value.get("timestamp"))
    return log.conversation("cursor", opened)


def _read_text(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    check_number(opened.document.name, request.conversation, 1)
    log = SessionLog()
    for record, speaker, begins, block in texts.parts(opened):
        log.notes.records += 1
        own = _block({"type": "text", "text": block.text}, log, record.line) if type(block) is Text else block
        (log.add if begins else log.extend)(record, speaker, [own])
    return log.conversation("cursor", opened)


def read_stored_session(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    return chats.read(opened, request) if "chat" in opened.head[0] else bubbles.read(opened, request)


def _block(part: Json, log: SessionLog, line: int) -> Block:
    fields: Mapping[str, Json] = part if isinstance(part, dict) else {"type": "text", "text": part}
    kind = string_of(fields.get("type")).replace("-", "_")
    if kind == "text" and isinstance(fields.get("text"), str):
        found = _QUERY.search(fields["text"])
        if fields["text"].strip() == "[REDACTED]":
            return Thinking("", {"redacted": True})
        return Text(found[1] if found else fields["text"])
    if kind in ("tool_use", "tool_call"):
        arguments = fields.get("input", fields.get("args", {}))
        return ToolCall(coerce_text(fields.get("id")), coerce_text(fields.get("name")), arguments)
    if kind == "tool_result":
        result, name = fields.get("content", ""), coerce_text(fields.get("name"))
        error = plain_text(result) if fields.get("is_error") is True else MISSING
        return ToolResponse(coerce_text(fields.get("tool_use_id", fields.get("id"))), name, result, error)
    return read_block(fields, log.notes, line)


CURSOR = Format(
    "cursor",
    "Cursor",
    "Sessions of Cursor: agent transcripts (JSONL or text), the databases of its window (state.vscdb) and "
    "CLI (store.db); for the databases only a description was seen.",
    score,
    read,
    real_file_seen=False,
    is_fixture_seen=True,
    read_only=ReadOnly.DATABASE,
)
