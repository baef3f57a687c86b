"""Reader for Kiro: the database of its CLI, the JSON of a conversation in it, both kinds of later
sessions (JSONL), and the chats of its window."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from core.common.json_value import MISSING, Json
from core.formats.anthropic_blocks import plain_text
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
    list_of,
    nested,
    string_of,
)
from core.formats.common.session_log import (
    SessionLog,
    log_records,
    object_log,
    shape_score,
    side_file,
)
from core.formats.common.stored_sessions import (
    SessionStore,
    StoredSession,
    read_stored,
    store_score,
)
from core.transcript.model import (
    Block,
    Conversation,
    MessageFlag,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_SPEAKERS = {
    "Prompt": Speaker.HUMAN,
    "AssistantMessage": Speaker.AI,
    "ToolResults": Speaker.TOOL,
}
_FAILED = ("error", "Error")


def _sessions(database: Database) -> Iterator[StoredSession]:
    for row in database.rows(
        "conversations_v2",
        "key conversation_id",
        "ORDER BY updated_at DESC, conversation_id",
    ):
        yield StoredSession(row["conversation_id"], row["key"] or "")


def _session(
    database: Database, session: str
) -> tuple[Mapping[str, Json], Sequence[Json]]:
    row = database.row(
        "conversations_v2", "key value", "WHERE conversation_id = ?", session
    )
    value = fields_of(json_of(row["value"]))
    # The value also holds a transcript, which is a copy of the history.
    names = ("model_info", "latest_summary")
    fields = {
        "conversation_id": session,
        "cwd": row["key"],
        **{n: value.get(n) for n in names},
    }
    return fields, list_of(value["history"]) if "history" in value else (MISSING,)


_DATABASE = SessionStore("conversations_v2.value", "history", _sessions, _session)


def score(file: OpenedDocument) -> FormatScore:
    """Judge a database by its tables, JSON by its turns, lines by their kinds."""
    if file.container is DocumentContainer.DATABASE:
        return store_score(file, _DATABASE)
    return shape_score(file, "kiro", "conversation_id and history, or kind and data")


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    if file.container is DocumentContainer.DATABASE:
        return read_stored(file, request, (_DATABASE,), _read_history)
    if any("history" in value for value in file.objects):
        return _read_history(file, request)
    if any("chat" in value for value in file.objects):
        return _read_chat(file, request)
    if any("payload" in value for value in file.objects):
        return _read_events(file, request)
    return _read_lines(file, request)


def _read_history(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = object_log(file, request, "history", session_id="conversation_id")
    log.cwd = string_of(log.fields.get("cwd"))
    log.model = string_of(nested(log.fields, "model_info", "model_id"))
    records = list(log.records)
    if records and (summary := _latest_summary(log.fields)):
        log.compact(records[0], summary)
        # The turns that it summarised are deleted.
        log.recorded[-1] = replace(log.recorded[-1], source=None, is_source_lost=True)
    for record in records:
        _add_turn(record, log)
    return log.conversation("kiro", file)


def _latest_summary(fields: Mapping[str, Json]) -> str:
    """Return what is sent in front of the turns that are left, "" before the first compaction."""
    # The summary stands first in a pair, with the figures of the request that wrote it.
    texts = list_of(fields.get("latest_summary"))[:1]
    if texts:
        return string_of(texts[0])
    return ""


def _add_turn(record: JsonRecord, log: SessionLog) -> None:
    """Add a turn: what user or tools said, and the answer."""
    user = fields_of(record.value.get("user"))
    assistant = fields_of(record.value.get("assistant"))
    content = fields_of(user.get("content"))
    time = user.get("timestamp")
    cwd = nested(user, "env_context", "env_state", "current_working_directory")
    log.cwd = log.cwd or string_of(cwd)
    # The hooks' words are sent in front of the prompt and are no words of the person.
    if context := string_of(user.get("additional_context")):
        flags = MessageFlag.META | MessageFlag.CONTEXT
        log.add(record, Speaker.HUMAN, [Text(context)], time=time, flags=flags)
    if prompt := string_of(nested(content, "Prompt", "prompt")):
        log.add(record, Speaker.HUMAN, [Text(prompt)], time=time)
    for kind in ("ToolUseResults", "CancelledToolUses"):
        results = [
            _result(fields_of(one))
            for one in list_of(nested(content, kind, "tool_use_results"))
        ]
        if results:
            log.add(record, Speaker.TOOL, results, time=time)
    # Who cancels calls may say something instead, behind their results.
    if prompt := string_of(nested(content, "CancelledToolUses", "prompt")):
        log.add(record, Speaker.HUMAN, [Text(prompt)], time=time)
    for kind, answer in assistant.items():
        blocks = [*_answer_blocks(fields_of(answer))]
        if blocks:
            id_ = string_of(nested(answer, "message_id"))
            log.add(record, Speaker.AI, blocks, id=id_, time=time)
        else:
            log.notes.skip(f"empty answer: {kind}", line=record.line)


def _answer_blocks(fields: Mapping[str, Json]) -> Iterator[Block]:
    if text := string_of(fields.get("content")):
        yield Text(text)
    for use in map(fields_of, list_of(fields.get("tool_uses"))):
        id_ = coerce_text(use.get("id"))
        name = coerce_text(use.get("name"))
        yield ToolCall(id_, name, use.get("args", {}))


def _result(result: Mapping[str, Json]) -> ToolResponse:
    values = [
        part.get("Text", part.get("Json", part)) if isinstance(part, dict) else part
        for part in list_of(result.get("content"))
    ]
    return _response(result.get("tool_use_id"), values, result.get("status"))


def _response(id_: Json, values: Sequence[Json], status: Json) -> ToolResponse:
    """Return a result of several values; if all are texts, joined."""
    are_texts = all(isinstance(value, str) for value in values)
    result = "\n".join(values) if are_texts else values
    error = plain_text(result) if status in _FAILED else MISSING
    return ToolResponse(coerce_text(id_), "", result, error)


def _read_lines(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = SessionLog()
    for record in log_records(file, request, log):
        kind = string_of(record.value.get("kind"))
        data = fields_of(record.value.get("data"))
        if kind in _SPEAKERS:
            blocks = _line_blocks(list_of(data.get("content")))
            log.add(
                record, _SPEAKERS[kind], blocks, id=string_of(data.get("message_id"))
            )
        else:
            log.notes.skip(kind or "without a kind", line=record.line)
    if file.document.path:
        # The lines name neither folder nor title; the file beside them does.
        about = side_file(file, f"{file.document.path.stem}.json")
    else:
        about = {}
    log.session_id = string_of(about.get("session_id"))
    log.cwd = string_of(about.get("cwd"))
    log.title = string_of(about.get("title"))
    return log.conversation("kiro", file)


def _line_blocks(parts: Sequence[Json]) -> list[Block]:
    blocks: list[Block] = []
    for part in map(fields_of, parts):
        kind = part.get("kind")
        data = part.get("data")
        fields = fields_of(data)
        if kind == "text":
            blocks.append(Text(coerce_text(data)))
        elif kind == "toolUse":
            id_ = coerce_text(fields.get("toolUseId"))
            name = coerce_text(fields.get("name"))
            blocks.append(ToolCall(id_, name, fields.get("input", {})))
        elif kind == "toolResult":
            parts_of = list_of(fields.get("content"))
            values = [
                one.get("data") if isinstance(one, dict) else one for one in parts_of
            ]
            blocks.append(
                _response(fields.get("toolUseId"), values, fields.get("status"))
            )
        else:
            blocks.append(Opaque(coerce_text(kind) or "unknown", part))
    return blocks


_CHAT_SPEAKERS = {"human": Speaker.HUMAN, "bot": Speaker.AI, "tool": Speaker.TOOL}


def _read_chat(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read a chat of the window; what a tool said there names no call."""
    log = object_log(file, request, "chat", session_id="executionId")
    for record in log.records:
        speaker = _CHAT_SPEAKERS.get(string_of(record.value.get("role")))
        content = record.value.get("content")
        if speaker is None:
            log.notes.skip("without a known role", line=record.line)
        elif speaker is Speaker.TOOL:
            log.add(
                record,
                speaker,
                # Nothing in a chat of the window says which call a result belongs to.
                [ToolResponse("", "", "" if content is None else content)],
            )
        elif text := plain_text(content):
            log.add(record, speaker, [Text(text)])
        else:
            log.notes.skip("empty message", line=record.line)
    return log.conversation("kiro", file)


def _read_events(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read a session of version 3, with the file that describes it."""
    log = SessionLog()
    for record in log_records(file, request, log):
        _add_event(record, fields_of(record.value.get("payload")), log)
    about = side_file(file, "session.json")
    log.session_id = string_of(about.get("id"))
    log.title = string_of(about.get("title"))
    log.model = string_of(about.get("modelId"))
    folders = [*list_of(about.get("workspacePaths")), *list_of(about.get("rootPaths"))]
    log.cwd = next((folder for folder in folders if isinstance(folder, str)), "")
    return log.conversation("kiro", file)


def _answer_to_call(
    payload: Mapping[str, Json], id_: str, is_agent: bool
) -> ToolResponse:
    return ToolResponse(id_, "", payload.get("response" if is_agent else "content", ""))


def _said(text: str, operation: Json) -> Text | Thinking:
    return Thinking(text) if operation == "Reasoning" else Text(text)


def _started_call(payload: Mapping[str, Json], id_: str, is_agent: bool) -> ToolCall:
    if is_agent:
        name = coerce_text(payload.get("subAgentName"))
        prompt = payload.get("prompt")
        return ToolCall(id_, name, {"prompt": prompt})
    return ToolCall(id_, coerce_text(payload.get("toolName")), payload.get("args", {}))


def _add_event(
    record: JsonRecord, payload: Mapping[str, Json], log: SessionLog
) -> None:
    kind = string_of(payload.get("type"))
    text = string_of(payload.get("content"))
    known: dict[str, Json] = {
        "id": string_of(record.value.get("id")),
        "time": record.value.get("timestamp"),
    }
    is_agent = kind.startswith("sub_agent")
    # A sub-agent is shown as a call, which its session identifies.
    id_ = coerce_text(payload.get("subSessionId" if is_agent else "toolCallId"))
    operation = payload.get("operationType", "Say")
    if kind == "user" and text:
        log.add(record, Speaker.HUMAN, [Text(text)], **known)
    # Kiro writes its summary as one more answer.
    elif kind == "assistant" and operation == "Summary":
        log.compact(record, text)
    elif kind == "assistant" and text:
        log.extend(record, Speaker.AI, [_said(text, operation)], **known)
    elif kind in ("tool_call", "sub_agent_start"):
        log.extend(record, Speaker.AI, [_started_call(payload, id_, is_agent)], **known)
    elif kind in ("tool_result", "sub_agent_complete"):
        log.extend(
            record, Speaker.TOOL, [_answer_to_call(payload, id_, is_agent)], **known
        )
    else:
        log.notes.skip(kind or "without a type", line=record.line)


KIRO = Format(
    name="kiro",
    label="Kiro",
    about="Sessions of Kiro: the database of its CLI (data.sqlite3), both kinds of later JSONL, and chats "
    "of its "
    "window (.chat); of the last three only descriptions were seen.",
    score=score,
    read=read,
    evidence=ReaderEvidence.FIXTURE,
    read_only=ReadOnly.DATABASE,
)
