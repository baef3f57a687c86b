"""The database of Cursor's CLI (store.db): one session, whose messages are named by hash in its root blob."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.common.json_value import MISSING, Json
from core.formats.common.databases import Database, json_of
from core.formats.common.document import OpenedDocument
from core.formats.common.format import ReadRequest
from core.formats.common.json_access import coerce_text, content_parts, fields_of, string_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.session_log import SessionLog, object_log
from core.formats.common.stored_sessions import SessionStore, StoredSession
from core.formats.openai_chat.messages import ROLES, read_part
from core.transcript.model import Block, Conversation, Speaker, Text, Thinking, ToolCall, ToolResponse

_HASH_FIELD = b"\x0a\x20"
"""Tag and length of a hash in the root blob: field 1, 32 bytes."""


def _meta(database: Database) -> Mapping[str, Json]:
    """Return the description of the session, which is JSON written as hexadecimal digits."""
    text = coerce_text(database.row("meta", "value", "WHERE key = '0'")["value"])
    try:
        return fields_of(json_of(bytes.fromhex(text)))
    except ValueError:
        return fields_of(json_of(text))


def _sessions(database: Database) -> Iterator[StoredSession]:
    meta = _meta(database)
    yield StoredSession(string_of(meta.get("agentId")) or "session", string_of(meta.get("name")))


def _session(database: Database, session: str) -> tuple[Mapping[str, Json], Iterator[Json]]:
    meta = _meta(database)
    return {"chat": meta}, _messages(database, string_of(meta.get("latestRootBlobId")))


def _messages(database: Database, root_id: str) -> Iterator[Json]:
    root = database.row("blobs", "data", "WHERE id = ?", root_id)["data"]
    at = 0
    while isinstance(root, bytes) and root.startswith(_HASH_FIELD, at):
        id_ = root[at + 2 : at + 34].hex()
        at += 34
        message = json_of(database.row("blobs", "data", "WHERE id = ?", id_)["data"])
        yield message if isinstance(message, dict) else MISSING


STORE = SessionStore("blobs.data meta.key", "messages", _sessions, _session)


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    log = object_log(opened, request, "messages")
    meta = fields_of(log.fields.get("chat"))
    log.title, log.model = string_of(meta.get("name")), string_of(meta.get("lastUsedModel"))
    log.session_id = string_of(meta.get("agentId"))
    for record in log.records:
        _add(record, log)
    return log.conversation("cursor", opened)


def _add(record: JsonRecord, log: SessionLog) -> None:
    speaker, content = ROLES.get(string_of(record.value.get("role"))), record.value.get("content")
    blocks = [_block(part, log, record.line) for part in content_parts(content)]
    if speaker is None:
        log.notes.skip("without a role", line=record.line)
    elif speaker is Speaker.SYSTEM and not log.messages:
        log.add_system(record, *(block.text for block in blocks if isinstance(block, Text)))
    else:
        log.add(record, speaker, blocks, id=string_of(record.value.get("id")))


def _block(part: Json, log: SessionLog, line: int) -> Block:
    fields = fields_of(part)
    kind, id_, name = (
        fields.get("type"),
        coerce_text(fields.get("toolCallId")),
        coerce_text(fields.get("toolName")),
    )
    if kind == "tool-call":
        return ToolCall(id_, name, fields.get("args", {}))
    if kind == "tool-result":
        return ToolResponse(id_, name, fields.get("result", ""))
    if kind == "reasoning":
        return Thinking(string_of(fields.get("text")))
    return read_part(part, log.notes, line)
