"""The database of Cursor's window (state.vscdb), in which a session consists of bubbles.

The headers of a session are the only order of its bubbles; a bubble that is not among them was edited away.
A bubble holds a call with its result. Keys that hold secrets are never read.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.common.json_value import MISSING, Json
from core.formats.common.databases import Database, json_of
from core.formats.common.document import OpenedDocument
from core.formats.common.format import ReadRequest
from core.formats.common.json_access import coerce_text, fields_of, list_of, nested, number_of, string_of
from core.formats.common.json_parsing import JsonRecord, json_or_text
from core.formats.common.session_log import SessionLog, object_log
from core.formats.common.stored_sessions import SessionStore, StoredSession
from core.transcript.model import Block, Conversation, Speaker, Text, Thinking, ToolCall, ToolResponse

_PREFIX = "composerData:"
_TOOL, _COMPACTION = 15, 22
_OLD_CHATS, _OLD_SESSIONS = "workbench.panel.aichat.view.aichat.chatdata", "composer.composerData"
_SESSION_FIELDS = ("name", "createdAt", "contextTokensUsed", "contextTokenLimit")


def _sessions(database: Database) -> Iterator[StoredSession]:
    """List the sessions by the end of their work; the fields are taken from their JSON by the database."""
    if "composerHeaders.composerId" in database.columns and database.has_rows("composerHeaders"):
        for row in database.rows(
            "composerHeaders", "composerId value", "ORDER BY lastUpdatedAt DESC, composerId"
        ):
            value = json_of(row["value"])
            parent = string_of(nested(value, "subagentInfo", "parentComposerId"))
            yield StoredSession(row["composerId"], string_of(nested(value, "name")), parent)
        return
    updated = "json_extract(value, '$.lastUpdatedAt')"
    condition = (
        "WHERE key >= 'composerData:' AND key < 'composerData;' AND value IS NOT NULL "
        f"ORDER BY CASE WHEN json_valid(value) THEN {updated} END DESC, key"
    )
    title = "CASE WHEN json_valid(value) THEN json_extract(value, '$.name') END"
    for row in database.rows("cursorDiskKV", "key", condition, title=title):
        yield StoredSession(row["key"].removeprefix(_PREFIX), coerce_text(row["title"]))


def _session(database: Database, session: str) -> tuple[Mapping[str, Json], Iterator[Json]]:
    row = database.row("cursorDiskKV", "value", "WHERE key = ?", f"{_PREFIX}{session}")
    value = fields_of(json_of(row["value"]))
    own = {name: value.get(name) for name in _SESSION_FIELDS}
    fields = {
        "id": session,
        **own,
        "model": nested(value, "modelConfig", "modelName"),
        "cwd": nested(value, "workspaceIdentifier", "uri", "fsPath"),
        "summary": value.get("latestConversationSummary"),
    }
    return fields, _bubbles(database, session, value)


def _bubbles(database: Database, session: str, value: Mapping[str, Json]) -> Iterator[Json]:
    yield from list_of(value.get("conversation"))
    for header in map(fields_of, list_of(value.get("fullConversationHeadersOnly"))):
        key = f"bubbleId:{session}:{coerce_text(header.get('bubbleId'))}"
        bubble = json_of(database.row("cursorDiskKV", "value", "WHERE key = ?", key)["value"])
        yield bubble if isinstance(bubble, dict) else MISSING


def _old_tabs(database: Database) -> Mapping[str, Mapping[str, Json]]:
    """Return the sessions of 2024, which are in one value each of the workspace's database."""
    tabs: dict[str, Mapping[str, Json]] = {}
    for key, names in ((_OLD_SESSIONS, ("allComposers", "composerId")), (_OLD_CHATS, ("tabs", "tabId"))):
        value = json_of(database.row("ItemTable", "value", "WHERE key = ?", key)["value"])
        for tab in map(fields_of, list_of(nested(value, names[0]))):
            if list_of(tab.get("conversation", tab.get("bubbles"))):
                tabs[coerce_text(tab.get(names[1]))] = tab
    return tabs


def _old_sessions(database: Database) -> Iterator[StoredSession]:
    for id_, tab in reversed([*_old_tabs(database).items()]):
        yield StoredSession(id_, string_of(tab.get("chatTitle", tab.get("name"))))


def _old_session(database: Database, session: str) -> tuple[Mapping[str, Json], Sequence[Json]]:
    tab = _old_tabs(database)[session]
    fields = {"id": session, "name": tab.get("chatTitle", tab.get("name"))}
    return fields, list_of(tab.get("conversation", tab.get("bubbles")))


STORES = (
    SessionStore("cursorDiskKV.key", "bubbles", _sessions, _session, filled_table="cursorDiskKV"),
    SessionStore("ItemTable.key", "bubbles", _old_sessions, _old_session),
)


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read a session that one of the stores has written as an object."""
    log = object_log(opened, request, "bubbles", title="name")
    fields = log.fields
    log.model, log.cwd = string_of(fields.get("model")), string_of(fields.get("cwd"))
    log.reported_context = number_of(fields.get("contextTokensUsed"))
    log.reported_limit = number_of(fields.get("contextTokenLimit"))
    for record in log.records:
        _add(record, log, fields.get("summary"))
    return log.conversation("cursor", opened)


def _add(record: JsonRecord, log: SessionLog, summary: Json) -> None:
    bubble = record.value
    time, id_ = bubble.get("createdAt"), string_of(bubble.get("bubbleId"))
    if bubble.get("capabilityType") == _COMPACTION:
        text = string_of(bubble.get("text")) or _words(summary)
        log.compact(record, text)
        return
    thinking = bubble.get("thinking")
    thought = string_of(thinking) or string_of(nested(thinking, "text"))
    blocks: list[Block] = [Thinking(thought)] if thought else []
    if text := string_of(bubble.get("text")) or string_of(nested(bubble, "errorDetails", "message")):
        blocks.append(Text(text))
    tool = fields_of(bubble.get("toolFormerData"))
    is_user = bubble.get("type") in (1, "user")
    if not tool:
        if blocks:
            log.add(record, Speaker.HUMAN if is_user else Speaker.AI, blocks, id=id_, time=time)
        else:
            log.notes.skip("empty bubble", line=record.line)
    else:
        call_id, name = coerce_text(tool.get("toolCallId")), coerce_text(tool.get("name"))
        arguments = json_or_text(tool.get("rawArgs")) or json_or_text(tool.get("params")) or {}
        log.add(record, Speaker.AI, [*blocks, ToolCall(call_id, name, arguments)], id=id_, time=time)
        result, error = tool.get("result"), tool.get("error")
        if result is not None or error is not None:
            failed = error is not None or tool.get("status") == "error"
            answer = json_or_text(error if result is None else result)
            response = ToolResponse(call_id, name, answer, json_or_text(error) if failed else MISSING)
            log.add(record, Speaker.TOOL, [response], id=id_, time=time)
    tokens = fields_of(bubble.get("tokenCount"))
    if log.messages:
        log.report(tokens.get("inputTokens"), tokens.get("outputTokens"))


def _words(summary: Json) -> str:
    """Return the longest text in a summary, whose shape differs between versions."""
    if isinstance(summary, dict):
        return max(map(_words, summary.values()), key=len, default="")
    return string_of(summary)
