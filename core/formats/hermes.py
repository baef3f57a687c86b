"""Reader for Hermes: its database (state.db) and its sessions in JSON or lines, which begin with
the tools; messages are like those of OpenAI.

A compaction in place marks the rows that it replaced, a compaction into a child session begins the
child with its summary. Rows that are neither active nor replaced were taken back by the user.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from core.common.json_value import MISSING, Json
from core.formats.common.databases import Database, json_of
from core.formats.common.document import DocumentContainer, OpenedDocument
from core.formats.common.format import Format, FormatScore, ReaderEvidence, ReadOnly, ReadRequest
from core.formats.common.json_access import fields_of, iso_timestamp, list_of, nested, string_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.session_log import SessionLog, log_records, object_log
from core.formats.common.stored_sessions import (
    SessionStore,
    StoredSession,
    read_stored,
    store_score,
)
from core.formats.openai_chat.messages import read_record
from core.transcript.model import (
    Conversation,
    Speaker,
    joined_text,
)

_META_ROLE = "session_meta"
_SUMMARY_START = "[CONTEXT COMPACTION"
_MESSAGE_COLUMNS = (
    "id role content tool_call_id tool_calls tool_name timestamp reasoning reasoning_content "
    "_compressed_summary active compacted"
)


def _hermes_sessions(database: Database) -> Iterator[StoredSession]:
    for row in database.rows(
        "sessions", "id title parent_session_id model_config", "ORDER BY started_at DESC, id DESC"
    ):
        is_child = nested(json_of(row["model_config"]), "_delegate_from") is not None
        yield StoredSession(
            row["id"], row["title"] or "", row["parent_session_id"] if is_child else ""
        )


def _hermes_session(database: Database, session: str) -> tuple[Mapping[str, Json], Iterator[Json]]:
    names = "id model model_config system_prompt title started_at"
    row = database.row("sessions", names, "WHERE id = ?", session)
    config = json_of(row.pop("model_config"))
    row |= {"session_id": row.pop("id"), "session_start": row.pop("started_at")}
    return {**row, "model_config": fields_of(config)}, _hermes_messages(database, session)


def _hermes_messages(database: Database, session: str) -> Iterator[Json]:
    condition = "WHERE session_id = ? ORDER BY timestamp, id"
    for row in database.rows("messages", _MESSAGE_COLUMNS, condition, session):
        calls, content = row["tool_calls"], row["content"]
        value = {name: value for name, value in row.items() if value is not None}
        if calls is not None:
            value["tool_calls"] = json_of(calls)
        if (
            isinstance(content, str)
            and content.startswith("[{")
            and isinstance(json_of(content), list)
        ):
            value["content"] = json_of(content)
        yield MISSING if value.get("tool_calls") is MISSING else value


_HERMES = SessionStore(
    "sessions.source messages.tool_calls", "messages", _hermes_sessions, _hermes_session
)


def _score_hermes(file: OpenedDocument) -> FormatScore:
    """Judge a database by its tables, JSON by the fields around the messages."""
    if file.container is DocumentContainer.DATABASE:
        return store_score(file, _HERMES)
    first = file.objects[0] if file.objects else {}
    if file.container is DocumentContainer.LINES and any(map(_is_meta, file.objects)):
        return 0.99, "a line with the role session_meta"
    is_session = {"session_id", "session_start", "messages"} <= first.keys()
    return (0.99, "session_id and session_start beside messages") if is_session else (0.0, "")


def _is_meta(value: Mapping[str, Json]) -> bool:
    return value.get("role") == _META_ROLE


def _read_hermes(file: OpenedDocument, request: ReadRequest) -> Conversation:
    if file.container is DocumentContainer.DATABASE:
        return read_stored(file, request, (_HERMES,), _read_hermes_session)
    if file.container is DocumentContainer.LINES:
        return _read_lines(file, request)
    return _read_hermes_session(file, request)


def _read_hermes_session(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = object_log(file, request, "messages", session_id="session_id")
    fields, replaced = log.fields, set[int]()
    for record in log.records:
        _add_hermes(record, log, replaced)
    log.model = string_of(fields.get("model"))
    log.cwd = string_of(nested(fields, "model_config", "cwd"))
    log.tools = list_of(fields.get("tools"))
    if prompt := string_of(fields.get("system_prompt")):
        log.system.insert(0, prompt)
    return log.conversation("hermes", file)


def _read_lines(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log, replaced = SessionLog(), set[int]()
    for record in log_records(file, request, log):
        if _is_meta(record.value):
            log.tools = list_of(record.value.get("tools")) or log.tools
            log.model = string_of(record.value.get("model")) or log.model
        _add_hermes(record, log, replaced)
    log.session_id = file.document.path.stem if file.document.path else ""
    return log.conversation("hermes", file)


def _add_hermes(record: JsonRecord, log: SessionLog, replaced: set[int]) -> None:
    """Add a message; ``replaced`` are the indices of those that a compaction in place took out."""
    value = record.value
    if _is_meta(value):
        log.notes.skip(_META_ROLE, line=record.line)
        return
    if value.get("active") == 0 and not value.get("compacted"):
        log.notes.skip("taken back", line=record.line)
        return
    message = read_record(record, log.notes)
    message = replace(message, timestamp=iso_timestamp(value.get("timestamp")))
    text = joined_text(message)
    if value.get("_compressed_summary") or text.startswith(_SUMMARY_START):
        kept = [index for index in range(len(log.messages)) if index not in replaced]
        is_source_lost = not log.messages
        log.compact(record, text, kept=kept)
        log.recorded[-1] = replace(log.recorded[-1], is_source_lost=is_source_lost)
    elif message.speaker is Speaker.SYSTEM and not log.messages:
        log.add_system(record, text)
    else:
        if value.get("compacted"):
            replaced.add(len(log.messages))
        log.messages.append(message)


HERMES = Format(
    name="hermes",
    label="Hermes",
    about="Sessions of Hermes: its database (state.db), and its files in JSON and JSONL.",
    score=_score_hermes,
    read=_read_hermes,
    evidence=ReaderEvidence.FIXTURE,
    read_only=ReadOnly.DATABASE,
)
