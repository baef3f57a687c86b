"""Reader for the database of Crush (crush.db). The context after a compaction begins with its
summary, a row that is marked or, in earlier versions, named by its session; then a sub-agent's id
is that of its call."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from core.common.json_value import MISSING, Json
from core.formats.common.databases import Database, json_of
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
    string_of,
)
from core.formats.common.session_log import SessionLog, object_log
from core.formats.common.stored_sessions import (
    SessionStore,
    StoredSession,
    read_stored,
    store_score,
)
from core.formats.openai_chat_messages import read_arguments
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

_SPEAKERS = {
    "user": Speaker.HUMAN,
    "assistant": Speaker.AI,
    "tool": Speaker.TOOL,
    "system": Speaker.SYSTEM,
}


def _crush_sessions(database: Database) -> Iterator[StoredSession]:
    for row in database.rows(
        "sessions",
        "id title parent_session_id",
        "ORDER BY updated_at DESC, created_at DESC, id",
    ):
        id_ = coerce_text(row["id"])
        parent = row["parent_session_id"] or ""
        # The session of a sub-agent is named after the message and the call that started it.
        _, joint, call_id = id_.partition("$$")
        yield StoredSession(
            row["id"],
            row["title"] or "",
            parent,
            call_id if joint or not parent else id_,
        )


def _crush_session(
    database: Database, session: str
) -> tuple[Mapping[str, Json], Iterator[Json]]:
    names = "id title prompt_tokens completion_tokens summary_message_id"
    return database.row("sessions", names, "WHERE id = ?", session), _crush_messages(
        database, session
    )


def _crush_messages(database: Database, session: str) -> Iterator[Json]:
    names = "id role parts model provider created_at is_summary_message"
    order = "WHERE session_id = ? ORDER BY created_at, rowid"  # times are seconds, ids are random
    for row in database.rows("messages", names, order, session):
        parts = json_of(row["parts"])
        yield {**row, "parts": parts} if isinstance(parts, list) else MISSING


_CRUSH = SessionStore(
    "sessions.message_count messages.parts", "messages", _crush_sessions, _crush_session
)


def _score_crush(file: OpenedDocument) -> FormatScore:
    return store_score(file, _CRUSH)


def _read_crush(file: OpenedDocument, request: ReadRequest) -> Conversation:
    return read_stored(file, request, (_CRUSH,), _read_crush_session)


def _read_crush_session(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = object_log(file, request, "messages")
    for record in log.records:
        _add_crush(record, log)
    # No session names its folder: the database stands in it.
    log.cwd = _project(file)
    return log.conversation("crush", file)


def _project(file: OpenedDocument) -> str:
    """Return the project whose folder .crush holds the database."""
    if file.document.path:
        folder = file.document.path.absolute().parent
    else:
        folder = None
    if folder and folder.name == ".crush":
        return str(folder.parent)
    return ""


def _add_crush(record: JsonRecord, log: SessionLog) -> None:
    value = record.value
    blocks: list[Block] = []
    for part in map(fields_of, list_of(value.get("parts"))):
        block = _block(coerce_text(part.get("type")), fields_of(part.get("data")))
        if block is None:
            log.notes.skip(f"part: {coerce_text(part.get('type'))}", line=record.line)
        else:
            blocks.append(block)
    id_ = string_of(value.get("id"))
    if value.get("is_summary_message") or (
        id_ and id_ == log.fields.get("summary_message_id")
    ):
        log.compact(
            record, *(block.text for block in blocks if isinstance(block, Text))
        )
        return
    log.model = string_of(value.get("model")) or log.model
    speaker = _SPEAKERS.get(string_of(value.get("role")), Speaker.UNKNOWN)
    log.add(record, speaker, blocks, id=id_, time=value.get("created_at"))


def _block(kind: str, data: Mapping[str, Json]) -> Block | None:
    """Return the block of a part; None for one that is no content."""
    if kind == "text":
        return Text(string_of(data.get("text")))
    if kind == "reasoning":
        return Thinking(string_of(data.get("thinking")))
    if kind == "tool_call":
        arguments, extra = read_arguments(data.get("input", "{}"))
        return ToolCall(
            coerce_text(data.get("id")), coerce_text(data.get("name")), arguments, extra
        )
    if kind == "tool_result":
        result = data.get("content", "")
        error = result if data.get("is_error") is True else MISSING
        id_ = coerce_text(data.get("tool_call_id"))
        name = coerce_text(data.get("name"))
        return ToolResponse(id_, name, result, error)
    if kind == "image_url":
        return Media("", coerce_text(data.get("url", data.get("URL"))))
    if kind == "binary":
        mime = coerce_text(data.get("MIMEType", data.get("mime_type")))
        return Media(mime, coerce_text(data.get("Data", data.get("data"))))
    if kind == "shell_command":
        return Text(
            f"$ {coerce_text(data.get('command'))}\n{coerce_text(data.get('output'))}"
        )
    if kind == "finish":
        # The end of an answer says why it ended, nothing that was sent.
        return None
    return Opaque(kind or "unknown", dict(data))


CRUSH = Format(
    name="crush",
    label="Crush",
    about="Sessions of Crush in the database of a project (.crush/crush.db).",
    score=_score_crush,
    read=_read_crush,
    evidence=ReaderEvidence.DESCRIPTION,
    read_only=ReadOnly.DATABASE,
)
