"""The database of Cursor's CLI (store.db): one session, whose messages are named by hash in its root blob.

The root also holds the folder and what the parts of the context take.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.common.json_value import Json
from core.formats.common.databases import Database, json_of
from core.formats.common.document import OpenedDocument
from core.formats.common.format import ReadRequest
from core.formats.common.json_access import (
    coerce_text,
    content_parts,
    fields_of,
    nested,
    number_of,
    string_of,
)
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.session_log import SessionLog, object_log
from core.formats.common.stored_sessions import SessionStore, StoredSession
from core.formats.openai_chat.messages import ROLES, read_part
from core.transcript.model import Block, Conversation, Speaker, Text, Thinking, ToolCall, ToolResponse

_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5  # wire types of Protocol Buffers

_HASH, _FOLDER = 1, 9
"""Numbers of the fields of a root: a message's hash, and the working folder."""
_HASH_SIZE = 32


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
    root = database.row("blobs", "data", "WHERE id = ?", string_of(meta.get("latestRootBlobId")))["data"]
    fields = message_fields(root) if isinstance(root, bytes) else []
    folder = next((value for number, value in fields if number == _FOLDER and isinstance(value, bytes)), b"")
    chat = {**meta, "cwd": folder.decode("utf-8", "replace"), "context": _context(fields)}
    ids = (value.hex() for value in message_hashes(fields))
    messages = (database.row("blobs", "data", "WHERE id = ?", id_)["data"] for id_ in ids)
    return {"chat": chat}, (json_of(message) for message in messages)


def message_hashes(root: Sequence[tuple[int, int | bytes]]) -> Iterator[bytes]:
    """Yield the hashes of the messages that a root names, in order."""
    for number, value in root:
        if number == _HASH and isinstance(value, bytes) and len(value) == _HASH_SIZE:
            yield value


def _context(root: Sequence[tuple[int, int | bytes]]) -> Json:
    """Return the sizes in the root, known by parts (3) that add up to the total (1) of a window (2)."""
    for _, value in root:
        sizes = message_fields(value) if isinstance(value, bytes) else []
        by_number = dict(sizes)
        parts = [
            dict(message_fields(part)) for number, part in sizes if number == 3 and isinstance(part, bytes)
        ]
        tokens = {
            name.decode("utf-8", "replace"): count
            for part in parts
            if isinstance(name := part.get(1), bytes) and isinstance(count := part.get(3, 0), int)
        }
        if tokens and sum(tokens.values()) == by_number.get(1) and isinstance(by_number.get(2), int):
            window = by_number[2]
            return {"total": sum(tokens.values()), "window": int(window), "parts": {**tokens}}
    return None


STORE = SessionStore("blobs.data meta.key", "messages", _sessions, _session)
_SUMMARY_PART = "summarized_conversation"


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    log = object_log(opened, request, "messages")
    meta = fields_of(log.fields.get("chat"))
    log.title, log.model = string_of(meta.get("name")), string_of(meta.get("lastUsedModel"))
    log.session_id, log.cwd = string_of(meta.get("agentId")), string_of(meta.get("cwd"))
    context = meta.get("context")
    log.reported_context = number_of(nested(context, "total"))
    log.reported_limit = number_of(nested(context, "window"))
    if tokens := number_of(nested(context, "parts", _SUMMARY_PART)):
        log.notes.warn(0, f"the context holds a summary of {tokens:,} tokens; the store does not say of what")
    for record in log.records:
        add_message(record, log)
    return log.conversation("cursor", opened)


def add_message(record: JsonRecord, log: SessionLog) -> None:
    """Add a message that has a role and content."""
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


def message_fields(data: bytes) -> list[tuple[int, int | bytes]]:
    """Return numbers and values of the fields of a message of Protocol Buffers, read without its schema;
    nothing for bytes that are no message."""
    fields: list[tuple[int, int | bytes]] = []
    at = 0
    try:
        while at < len(data):
            tag, at = _varint(data, at)
            number, wire = tag >> 3, tag & 7
            if wire == _VARINT:
                value, at = _varint(data, at)
                fields.append((number, value))
                continue
            if wire == _BYTES:
                length, at = _varint(data, at)
            else:
                length = {_FIXED_64: 8, _FIXED_32: 4}[wire]
            if not number or at + length > len(data):
                return []
            fields.append((number, data[at : at + length]))
            at += length
    except (IndexError, KeyError):
        return []
    return fields


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at
