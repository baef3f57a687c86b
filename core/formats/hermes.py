"""Reader for Hermes: its database (state.db) and its sessions in JSON or lines, which begin with
the tools; messages are like those of OpenAI.

A compaction in place marks all rows before it and writes those that stay again; a compaction into a
child session begins the child with its summary. Rows that are neither active nor replaced were
taken back by the user.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from core.common.json_value import MISSING, Json
from core.formats.common.databases import Database, json_of
from core.formats.common.document import DocumentContainer, OpenedDocument
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
    iso_timestamp,
    list_of,
    nested,
    string_of,
)
from core.formats.common.message_lists import conversation_records
from core.formats.common.session_log import SessionLog, log_records
from core.formats.common.stored_sessions import (
    SessionStore,
    StoredSession,
    read_stored,
    store_score,
)
from core.formats.openai_chat_messages import read_record
from core.transcript.model import (
    Conversation,
    Message,
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
        "sessions",
        "id title parent_session_id model_config",
        "ORDER BY started_at DESC, id DESC",
    ):
        # A session also has a parent where it was only continued.
        is_child = nested(json_of(row["model_config"]), "_delegate_from") is not None
        yield StoredSession(
            row["id"], row["title"] or "", row["parent_session_id"] if is_child else ""
        )


def _hermes_session(
    database: Database, session: str
) -> tuple[Mapping[str, Json], Iterator[Json]]:
    names = "id model model_config system_prompt title started_at"
    row = database.row("sessions", names, "WHERE id = ?", session)
    config = json_of(row.pop("model_config"))
    row |= {"session_id": row.pop("id"), "session_start": row.pop("started_at")}
    return {**row, "model_config": fields_of(config)}, _hermes_messages(
        database, session
    )


def _hermes_messages(database: Database, session: str) -> Iterator[Json]:
    # Rows may share a time, and the id tells which came first.
    condition = "WHERE session_id = ? ORDER BY timestamp, id"
    for row in database.rows("messages", _MESSAGE_COLUMNS, condition, session):
        calls, content = row["tool_calls"], row["content"]
        value = {name: value for name, value in row.items() if value is not None}
        if calls is not None:
            value["tool_calls"] = json_of(calls)
        # Content with parts is stored as JSON in the column of texts.
        if (
            isinstance(content, str)
            and content.startswith("[{")
            and isinstance(json_of(content), list)
        ):
            value["content"] = json_of(content)
        yield MISSING if value.get("tool_calls") is MISSING else value


_SAID_COLUMNS = ("role", "content", "tool_call_id", "tool_calls", "tool_name")
"""What a row and its copy have in common."""

_HERMES = SessionStore(
    "sessions.source messages.tool_calls", "messages", _hermes_sessions, _hermes_session
)


def _score_hermes(file: OpenedDocument) -> FormatScore:
    """Judge a database by its tables, JSON by the fields around the messages."""
    if file.container is DocumentContainer.DATABASE:
        return store_score(file, _HERMES)
    if file.objects:
        first = file.objects[0]
    else:
        first = {}
    if file.container is DocumentContainer.LINES and any(map(_is_meta, file.objects)):
        return 0.99, "a line with the role session_meta"
    is_session = {"session_id", "session_start", "messages"} <= first.keys()
    if is_session:
        return (0.99, "session_id and session_start beside messages")
    return (0.0, "")


def _is_meta(value: Mapping[str, Json]) -> bool:
    return value.get("role") == _META_ROLE


def _read_hermes(file: OpenedDocument, request: ReadRequest) -> Conversation:
    if file.container is DocumentContainer.DATABASE:
        return read_stored(file, request, (_HERMES,), _read_hermes_session)
    if file.container is DocumentContainer.LINES:
        return _read_lines(file, request)
    return _read_hermes_session(file, request)


@dataclass(slots=True, kw_only=True)
class _HermesLog(SessionLog):
    """``replaced`` are the indices of messages that a compaction in place took out, ``places`` the
    indices of messages by what their rows say. ``next_copy`` is the first message that the next row
    may repeat; None outside of a compaction's copies. ``head`` are kept messages whose copies stand
    before the summary, ``tail`` those whose copies stand behind it."""

    replaced: set[int] = field(default_factory=set)
    places: dict[str, list[int]] = field(default_factory=dict)
    next_copy: int | None = None
    head: list[int] = field(default_factory=list)
    tail: list[int] = field(default_factory=list)

    def original_of(self, row: Mapping[str, Json]) -> int | None:
        """Return the index of the message that a row repeats, None if it is a new one.

        A compaction in place marks all rows and writes those that stay again, in their order,
        around its summary.
        """
        if self.next_copy is None:
            return None
        places = self.places.get(_row_key(row), [])
        # Copies keep their order, so what stands before the last match is not looked at.
        at = bisect_left(places, self.next_copy)
        if at == len(places):
            self.next_copy = None
            return None
        self.next_copy = places[at] + 1
        return places[at]

    def add_copy(self, index: int, *, is_replaced: bool) -> None:
        """Note that a compaction kept a message."""
        if not is_replaced:
            self.replaced.discard(index)
        if self.recorded:
            last = self.recorded[-1]
        else:
            last = None
        # Nothing came behind the summary yet, so the copy belongs to its tail.
        if last is not None and last.boundary == len(self.messages):
            self.tail.append(index)
        else:
            self.head.append(index)

    def end_copies(self) -> None:
        """Give the last compaction the messages whose copies stand behind its summary."""
        if self.tail:
            last = self.recorded[-1]
            kept = tuple(dict.fromkeys((*last.kept, *self.tail)))
            self.recorded[-1] = replace(last, kept=kept)
            self.tail.clear()

    def add_summary(self, record: JsonRecord, text: str) -> None:
        self.end_copies()
        kept = {
            index for index in range(len(self.messages)) if index not in self.replaced
        }
        # Without earlier rows the file begins behind a compaction.
        is_source_lost = not self.messages
        self.compact(record, text, kept=sorted(kept.union(self.head)))
        self.recorded[-1] = replace(self.recorded[-1], is_source_lost=is_source_lost)
        self.next_copy = max(self.head, default=-1) + 1
        self.head.clear()

    def add_message(self, record: JsonRecord, message: Message) -> None:
        self.end_copies()
        index = len(self.messages)
        if record.value.get("compacted"):
            self.replaced.add(index)
        self.places.setdefault(_row_key(record.value), []).append(index)
        self.messages.append(message)


def _row_key(row: Mapping[str, Json]) -> str:
    return repr([row.get(name) for name in _SAID_COLUMNS])


def _read_hermes_session(file: OpenedDocument, request: ReadRequest) -> Conversation:
    loaded = conversation_records(file, ("messages",), request)
    loaded.notes.records = len(loaded.records)
    fields = loaded.fields
    log = _HermesLog(notes=loaded.notes, loaded=loaded)
    log.title = string_of(fields.get("title"))
    log.session_id = coerce_text(fields.get("session_id"))
    _add_rows(log.records, log)
    log.model = string_of(fields.get("model"))
    log.cwd = string_of(nested(fields, "model_config", "cwd"))
    log.tools = list_of(fields.get("tools"))
    if prompt := string_of(fields.get("system_prompt")):
        # The prompt of the session stands before what the rows add.
        log.system.insert(0, prompt)
    return log.conversation("hermes", file)


def _read_lines(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = _HermesLog()
    _add_rows(log_records(file, request, log), log)
    if file.document.path:
        log.session_id = file.document.path.stem
    else:
        log.session_id = ""
    return log.conversation("hermes", file)


def _add_rows(records: Iterable[JsonRecord], log: _HermesLog) -> None:
    """Add the rows; copies that a compaction in place made of what it kept count once."""
    was_replaced = False
    for record in records:
        value = record.value
        if _is_meta(value):
            log.tools = list_of(value.get("tools")) or log.tools
            log.model = string_of(value.get("model")) or log.model
            log.notes.skip(_META_ROLE, line=record.line)
            continue
        is_replaced = bool(value.get("compacted"))
        # A row that is not active and was not compacted was taken back by the person.
        if value.get("active") == 0 and not is_replaced:
            log.notes.skip("taken back", line=record.line)
            continue
        # The first row that is not marked begins the copies.
        if was_replaced and not is_replaced:
            log.next_copy = 0
        was_replaced = is_replaced
        _add_row(record, log)
    log.end_copies()


def _add_row(record: JsonRecord, log: _HermesLog) -> None:
    value = record.value
    message = read_record(record, log.notes)
    message = replace(message, timestamp=iso_timestamp(value.get("timestamp")))
    text = joined_text(message)
    if value.get("_compressed_summary") or text.startswith(_SUMMARY_START):
        log.add_summary(record, text)
    elif message.speaker is Speaker.SYSTEM and not log.messages:
        log.add_system(record, text)
    elif (original := log.original_of(value)) is not None:
        log.add_copy(original, is_replaced=bool(value.get("compacted")))
        log.notes.skip("copy that a compaction made", line=record.line)
    else:
        log.add_message(record, message)


HERMES = Format(
    name="hermes",
    label="Hermes",
    about="Sessions of Hermes: its database (state.db), and its files in JSON and JSONL.",
    score=_score_hermes,
    read=_read_hermes,
    evidence=ReaderEvidence.FIXTURE,
    read_only=ReadOnly.DATABASE,
)
