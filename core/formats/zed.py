"""Reader for the database of Zed (threads.db): each thread is one document, packed or not."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import zstandard

from core.common.json_value import MISSING, Json
from core.formats.common import compressed_files
from core.formats.common.databases import Database, json_of, large_cell_error
from core.formats.common.document import OpenedDocument
from core.formats.common.format import (
    Format,
    FormatScore,
    ReaderEvidence,
    ReadOnly,
    ReadRequest,
)
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    list_of,
    nested,
    string_of,
    sum_of,
)
from core.formats.common.messages import INPUT_TOKEN_FIELDS
from core.formats.common.session_log import SessionLog, object_log
from core.formats.common.stored_sessions import (
    SessionStore,
    StoredSession,
    read_stored,
    store_score,
)
from core.transcript.model import (
    Block,
    Conversation,
    Media,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)


def _sessions(database: Database) -> Iterator[StoredSession]:
    for row in database.rows(
        "threads", "id summary parent_id", "ORDER BY updated_at DESC, id"
    ):
        yield StoredSession(row["id"], row["summary"] or "", row["parent_id"] or "")


def _unpacked(data: Any) -> bytes:
    """Return the bytes of packed data, nothing if it is damaged. Raises InputError for more than a
    line."""
    try:
        with zstandard.ZstdDecompressor().stream_reader(data) as reader:
            # One byte more than allowed tells a thread that is too large from one that just fits.
            unpacked = bytes(reader.read(compressed_files.MAX_LINE_SIZE + 1))
    except (zstandard.ZstdError, TypeError):
        return b""
    if len(unpacked) > compressed_files.MAX_LINE_SIZE:
        raise large_cell_error("threads.db")
    return unpacked


def _session(
    database: Database, session: str
) -> tuple[Mapping[str, Json], Sequence[Json]]:
    row = database.row(
        "threads", "summary folder_paths data_type data", "WHERE id = ?", session
    )
    if row["data_type"] == "zstd":
        data = _unpacked(row["data"])
    else:
        data = row["data"]
    thread = dict(fields_of(json_of(data)))
    if "messages" in thread:
        messages = list_of(thread.pop("messages"))
    else:
        # Data that cannot be read count as one damaged record.
        messages = (MISSING,)
    fields = {
        **thread,
        "id": session,
        "title": row["summary"],
        "folder_paths": row["folder_paths"],
    }
    return fields, messages


_DATABASE = SessionStore("threads.data_type", "messages", _sessions, _session)


def _score_zed(file: OpenedDocument) -> FormatScore:
    return store_score(file, _DATABASE)


def _read_zed(file: OpenedDocument, request: ReadRequest) -> Conversation:
    return read_stored(file, request, (_DATABASE,), _read_thread)


def _read_thread(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = object_log(file, request, "messages")
    log.model = string_of(nested(log.fields, "model", "model"))
    # A thread may have several folders, one a line; the first one names it.
    log.cwd = string_of(log.fields.get("folder_paths")).partition("\n")[0]
    usage = fields_of(log.fields.get("request_token_usage"))
    prompt = ""
    for record in log.records:
        user = record.value.get("User")
        agent = record.value.get("Agent")
        if isinstance(user, dict):
            prompt = coerce_text(user.get("id"))
            log.add(record, Speaker.HUMAN, _blocks(user), id=prompt)
        elif isinstance(agent, dict):
            log.add(record, Speaker.AI, _blocks(agent))
            # Zed notes the usage of a request under the id of the prompt that led to it.
            tokens = fields_of(usage.get(prompt))
            log.report(
                sum_of(*map(tokens.get, INPUT_TOKEN_FIELDS)),
                tokens.get("output_tokens"),
            )
            # The results stand in the message of their calls, and are sent as one of the tool.
            if results := fields_of(agent.get("tool_results")):
                answers = [
                    _response(id_, fields_of(one)) for id_, one in results.items()
                ]
                log.add(record, Speaker.TOOL, answers)
        # Early threads have messages with a role and segments.
        elif "role" in record.value:
            _add_old(record, log)
        else:
            log.notes.skip(next(iter(record.value), "empty"), line=record.line)
    return log.conversation("zed", file)


def _blocks(message: Mapping[str, Json]) -> list[Block]:
    parts = filter(None, map(fields_of, list_of(message.get("content"))))
    return [_block(*next(iter(part.items()))) for part in parts]


def _block(kind: str, value: Json) -> Block:
    fields = fields_of(value)
    if kind == "Text":
        return Text(coerce_text(value))
    if kind == "Thinking":
        return Thinking(string_of(fields.get("text")))
    if kind == "ToolUse":
        # Presumably only the raw text is there while a call is streamed.
        arguments = fields.get("input", fields.get("raw_input", {}))
        return ToolCall(
            coerce_text(fields.get("id")), coerce_text(fields.get("name")), arguments
        )
    if kind == "Mention":
        return Text(string_of(fields.get("content")) or str(fields.get("uri", "")))
    if kind == "Image":
        # Presumably Zed sends every image as PNG: it stores no type.
        return Media("image/png", coerce_text(fields.get("source")))
    return Opaque(kind, value)


def _response(id_: str, result: Mapping[str, Json]) -> ToolResponse:
    content = result.get("content", result.get("output", ""))
    if isinstance(content, list):
        parts = content
    else:
        parts = [content]
    text = "\n".join(coerce_text(fields_of(part).get("Text", part)) for part in parts)
    error = text if result.get("is_error") else MISSING
    return ToolResponse(id_, coerce_text(result.get("tool_name")), text, error)


def _add_old(record: JsonRecord, log: SessionLog) -> None:
    """Add a message of an early thread, which has a role and segments."""
    speaker = {"user": Speaker.HUMAN, "assistant": Speaker.AI}.get(
        record.value["role"], Speaker.SYSTEM
    )
    blocks: list[Block] = [
        (Thinking if segment.get("type") == "thinking" else Text)(
            string_of(segment.get("text"))
        )
        for segment in map(fields_of, list_of(record.value.get("segments")))
    ]
    blocks += [_block("ToolUse", use) for use in list_of(record.value.get("tool_uses"))]
    log.add(record, speaker, blocks)
    results = map(fields_of, list_of(record.value.get("tool_results")))
    if answers := [
        _response(coerce_text(one.get("tool_use_id")), one) for one in results
    ]:
        log.add(record, Speaker.TOOL, answers)


ZED = Format(
    name="zed",
    label="Zed",
    about="Threads of Zed's agent in its database (threads.db).",
    score=_score_zed,
    read=_read_zed,
    evidence=ReaderEvidence.DESCRIPTION,
    read_only=ReadOnly.DATABASE,
)
