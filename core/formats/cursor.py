"""Reader for Cursor: agent transcripts (JSONL or text), and the databases of window and CLI.

A transcript has no ids, times or usage, and mostly no results of tools. In one as text a line with
a role begins a message, markers begin its other parts.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from textwrap import dedent
from urllib.parse import unquote

from core.common.json_value import MISSING, Json
from core.formats.anthropic_blocks import plain_text, read_block
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
    content_parts,
    fields_of,
    json_or_text,
    list_of,
    nested,
    number_of,
    string_of,
)
from core.formats.common.message_lists import check_number
from core.formats.common.open_document import read_all
from core.formats.common.session_log import (
    SessionLog,
    log_records,
    object_log,
    shape_score,
    side_file,
    without_element,
)
from core.formats.common.stored_sessions import (
    SessionStore,
    StoredSession,
    read_stored,
    store_score,
)
from core.formats.openai_chat_messages import ROLES, read_part
from core.transcript.model import (
    Block,
    Conversation,
    MessageFlag,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_VARINT, _FIXED_64, _BYTES, _FIXED_32 = 0, 1, 2, 5  # wire types of Protocol Buffers
_PREFIX = "composerData:"
_TOOL, _COMPACTION = 15, 22
_OLD_CHATS = "workbench.panel.aichat.view.aichat.chatdata"
_OLD_SESSIONS = "composer.composerData"
_LISTED = (
    ("title", "name"),
    ("updated", "lastUpdatedAt"),
    ("children", "subagentComposerIds"),
    ("old_children", "subComposerIds"),
)
_SESSION_FIELDS = ("name", "createdAt", "contextTokensUsed", "contextTokenLimit")


def _sessions(database: Database) -> Iterator[StoredSession]:
    """List the sessions by the end of their work; the fields are taken from their JSON by the
    database."""
    # Probably sessions move over to this table, and an empty one has none yet.
    if "composerHeaders.composerId" in database.columns and database.has_rows(
        "composerHeaders"
    ):
        order = "ORDER BY lastUpdatedAt DESC, composerId"
        for row in database.rows("composerHeaders", "composerId value", order):
            value = json_of(row["value"])
            about = fields_of(nested(value, "subagentInfo"))
            parent = string_of(about.get("parentComposerId"))
            call = string_of(about.get("toolCallId"))
            yield StoredSession(
                row["composerId"], string_of(nested(value, "name")), parent, call
            )
        return
    fields = {
        # A row may hold anything; json_extract ends the query at one that is no JSON.
        name: f"CASE WHEN json_valid(value) THEN json_extract(value, '$.{path}') END"
        for name, path in _LISTED
    }
    condition = (
        # A range of keys uses the index, which a pattern does not.
        "WHERE key >= 'composerData:' AND key < 'composerData;' AND value IS NOT NULL "
        f"ORDER BY {fields['updated']} DESC, key"
    )
    rows = [*database.rows("cursorDiskKV", "key", condition, **fields)]
    parents = {
        child: row["key"].removeprefix(_PREFIX)
        for row in rows
        for child in list_of(json_of(row["children"] or row["old_children"]))
        if isinstance(child, str)
    }
    for row in rows:
        id_ = row["key"].removeprefix(_PREFIX)
        yield StoredSession(id_, coerce_text(row["title"]), parents.get(id_, ""))


def _session(
    database: Database, session: str
) -> tuple[Mapping[str, Json], Iterator[Json]]:
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


def _bubbles(
    database: Database, session: str, value: Mapping[str, Json]
) -> Iterator[Json]:
    yield from list_of(value.get("conversation"))
    headers = list_of(value.get("fullConversationHeadersOnly"))
    keys = [
        f"bubbleId:{session}:{coerce_text(fields_of(header).get('bubbleId'))}"
        for header in headers
    ]
    # In the newest versions the session names its messages by their hash in one state.
    if not keys and "conversation" not in value:
        keys = [
            f"agentKv:blob:{hash_.hex()}"
            for hash_ in _hashes(string_of(value.get("conversationState")))
        ]
    for key in keys:
        bubble = json_of(
            database.row("cursorDiskKV", "value", "WHERE key = ?", key)["value"]
        )
        yield bubble if isinstance(bubble, dict) else MISSING


def _hashes(state: str) -> Iterator[bytes]:
    """Yield the hashes in a state, which is a message in base64 after a tilde."""
    try:
        # The state has no padding; more of it than needed does no harm.
        data = b64decode(state.removeprefix("~") + "==")
    except (binascii.Error, ValueError):
        return
    yield from _message_hashes(message_fields(data))


def _child_calls(session: Json) -> Mapping[str, str]:
    """Return the calls that started sub-agents, by the session of the sub-agent."""
    calls: dict[str, str] = {}
    for bubble in list_of(nested(session, "bubbles")):
        child = nested(
            json_or_text(nested(bubble, "toolFormerData", "result")), "agentId"
        )
        if isinstance(child, str):
            calls[child] = coerce_text(nested(bubble, "toolFormerData", "toolCallId"))
    return calls


def _old_tabs(database: Database) -> Mapping[str, Mapping[str, Json]]:
    """Return the sessions of 2024, which are in one value each of the workspace's database."""
    tabs: dict[str, Mapping[str, Json]] = {}
    for key, names in (
        (_OLD_SESSIONS, ("allComposers", "composerId")),
        (_OLD_CHATS, ("tabs", "tabId")),
    ):
        value = json_of(
            database.row("ItemTable", "value", "WHERE key = ?", key)["value"]
        )
        for tab in map(fields_of, list_of(nested(value, names[0]))):
            if list_of(tab.get("conversation", tab.get("bubbles"))):
                tabs[coerce_text(tab.get(names[1]))] = tab
    return tabs


def _old_sessions(database: Database) -> Iterator[StoredSession]:
    # Probably the oldest stands first in the value.
    for id_, tab in reversed([*_old_tabs(database).items()]):
        yield StoredSession(id_, string_of(tab.get("chatTitle", tab.get("name"))))


def _old_session(
    database: Database, session: str
) -> tuple[Mapping[str, Json], Sequence[Json]]:
    tab = _old_tabs(database)[session]
    fields = {"id": session, "name": tab.get("chatTitle", tab.get("name"))}
    return fields, list_of(tab.get("conversation", tab.get("bubbles")))


# CLI

_HASH, _FOLDER = 1, 9
"""Numbers of the fields of a root: a message's hash, and the working folder."""
_HASH_SIZE = 32


def _meta(database: Database) -> Mapping[str, Json]:
    """Return the description of the session, which is JSON written as hexadecimal digits."""
    text = coerce_text(database.row("meta", "value", "WHERE key = '0'")["value"])
    try:
        return fields_of(json_of(bytes.fromhex(text)))
    # The digits are JSON of an unknown version where they are no hexadecimal ones.
    except ValueError:
        return fields_of(json_of(text))


def _cli_sessions(database: Database) -> Iterator[StoredSession]:
    meta = _meta(database)
    yield StoredSession(
        string_of(meta.get("agentId")) or "session", string_of(meta.get("name"))
    )


def _cli_session(
    database: Database, session: str
) -> tuple[Mapping[str, Json], Iterator[Json]]:
    meta = _meta(database)
    root = database.row(
        "blobs", "data", "WHERE id = ?", string_of(meta.get("latestRootBlobId"))
    )["data"]
    if isinstance(root, bytes):
        fields = message_fields(root)
    else:
        fields = []
    folder = next(
        (
            value
            for number, value in fields
            if number == _FOLDER and isinstance(value, bytes)
        ),
        b"",
    )
    chat = {
        **meta,
        "cwd": folder.decode("utf-8", "replace"),
        "context": _context(fields),
    }
    ids = (value.hex() for value in _message_hashes(fields))
    messages = (
        database.row("blobs", "data", "WHERE id = ?", id_)["data"] for id_ in ids
    )
    return {"chat": chat}, (json_of(message) for message in messages)


def _message_hashes(root: Sequence[tuple[int, int | bytes]]) -> Iterator[bytes]:
    """Yield the hashes of the messages that a root names, in order."""
    for number, value in root:
        # Other fields with this number hold text; only a hash has this length.
        if number == _HASH and isinstance(value, bytes) and len(value) == _HASH_SIZE:
            yield value


def _tokens_by_part(sizes: Sequence[tuple[int, int | bytes]]) -> dict[str, int]:
    tokens: dict[str, int] = {}
    # Numbers of fields were found by looking: Cursor publishes no schema.
    for number, part in sizes:
        if number != 3 or not isinstance(part, bytes):
            continue
        fields = dict(message_fields(part))
        name = fields.get(1)
        count = fields.get(3, 0)
        if isinstance(name, bytes) and isinstance(count, int):
            tokens[name.decode("utf-8", "replace")] = count
    return tokens


def _context(root: Sequence[tuple[int, int | bytes]]) -> Json:
    """Return the sizes in the root, known by parts (3) that add up to the total (1) of a window
    (2)."""
    for _, value in root:
        if isinstance(value, bytes):
            sizes = message_fields(value)
        else:
            sizes = []
        total = dict(sizes).get(1)
        window = dict(sizes).get(2)
        tokens = _tokens_by_part(sizes)
        # A sum that fits proves that the fields were understood.
        if tokens and sum(tokens.values()) == total and isinstance(window, int):
            return {"total": total, "window": window, "parts": {**tokens}}
    return None


STORES = (
    SessionStore(
        "cursorDiskKV.key", "bubbles", _sessions, _session, _child_calls, "cursorDiskKV"
    ),
    SessionStore("ItemTable.key", "bubbles", _old_sessions, _old_session),
    SessionStore("blobs.data meta.key", "messages", _cli_sessions, _cli_session),
)


def read_session(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read a session that one of the stores has written as an object."""
    is_of_cli = "chat" in file.head[0]
    if is_of_cli:
        return _read_messages(file, request)
    return _read_bubbles(file, request)


def _read_bubbles(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = object_log(file, request, "bubbles", title="name")
    fields = log.fields
    log.model = string_of(fields.get("model"))
    log.cwd = string_of(fields.get("cwd"))
    workspace = string_of(side_file(file, "workspace.json").get("folder"))
    # Probably the folder is in a file beside the database in older versions.
    log.cwd = log.cwd or unquote(workspace.removeprefix("file://"))
    log.reported_context = number_of(fields.get("contextTokensUsed"))
    log.reported_limit = number_of(fields.get("contextTokenLimit"))
    for record in log.records:
        if "role" in record.value:
            _add_message(record, log)
        else:
            _add_bubble(record, log, fields.get("summary"))
    return log.conversation("cursor", file)


def _add_bubble(record: JsonRecord, log: SessionLog, summary: Json) -> None:
    bubble = record.value
    time = bubble.get("createdAt")
    id_ = string_of(bubble.get("bubbleId"))
    if bubble.get("capabilityType") == _COMPACTION:
        text = string_of(bubble.get("text")) or _words(summary)
        log.compact(record, text)
        return
    thinking = bubble.get("thinking")
    thought = string_of(thinking) or string_of(nested(thinking, "text"))
    blocks: list[Block] = [Thinking(thought)] if thought else []
    if text := string_of(bubble.get("text")) or string_of(
        nested(bubble, "errorDetails", "message")
    ):
        blocks.append(Text(text))
    # Probably a number stands for the person in one version, a word in another.
    tool = fields_of(bubble.get("toolFormerData"))
    is_user = bubble.get("type") in (1, "user")
    if not tool:
        if blocks:
            log.add(
                record,
                Speaker.HUMAN if is_user else Speaker.AI,
                blocks,
                id=id_,
                time=time,
            )
        else:
            log.notes.skip("empty bubble", line=record.line)
    else:
        call_id = coerce_text(tool.get("toolCallId"))
        name = coerce_text(tool.get("name"))
        arguments = (
            # Probably the raw arguments are the words of the model, params what Cursor made of
            # them.
            json_or_text(tool.get("rawArgs")) or json_or_text(tool.get("params")) or {}
        )
        log.add(
            record,
            Speaker.AI,
            [*blocks, ToolCall(call_id, name, arguments)],
            id=id_,
            time=time,
        )
        result = tool.get("result")
        error = tool.get("error")
        if result is not None or error is not None:
            failed = error is not None or tool.get("status") == "error"
            answer = json_or_text(error if result is None else result)
            response = ToolResponse(
                call_id, name, answer, json_or_text(error) if failed else MISSING
            )
            log.add(record, Speaker.TOOL, [response], id=id_, time=time)
    tokens = fields_of(bubble.get("tokenCount"))
    if log.messages:
        log.report(tokens.get("inputTokens"), tokens.get("outputTokens"))


def _words(summary: Json) -> str:
    """Return the longest text in a summary, whose shape differs between versions."""
    if isinstance(summary, dict):
        return max(map(_words, summary.values()), key=len, default="")
    return string_of(summary)


_SUMMARY_PART = "summarized_conversation"


def _read_messages(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = object_log(file, request, "messages")
    meta = fields_of(log.fields.get("chat"))
    log.title = string_of(meta.get("name"))
    log.model = string_of(meta.get("lastUsedModel"))
    log.session_id = string_of(meta.get("agentId"))
    log.cwd = string_of(meta.get("cwd"))
    context = meta.get("context")
    log.reported_context = number_of(nested(context, "total"))
    log.reported_limit = number_of(nested(context, "window"))
    if tokens := number_of(nested(context, "parts", _SUMMARY_PART)):
        log.notes.warn(
            0,
            f"the context holds a summary of {tokens:,} tokens; the store does not say of what",
        )
    for record in log.records:
        _add_message(record, log)
    return log.conversation("cursor", file)


def _add_message(record: JsonRecord, log: SessionLog) -> None:
    """Add a message that has a role and content."""
    speaker = ROLES.get(string_of(record.value.get("role")))
    content = record.value.get("content")
    blocks = [_stored_block(part, log, record.line) for part in content_parts(content)]
    if speaker is None:
        log.notes.skip("without a role", line=record.line)
    # Only in front: a system message in between is part of the conversation.
    elif speaker is Speaker.SYSTEM and not log.messages:
        log.add_system(
            record, *(block.text for block in blocks if isinstance(block, Text))
        )
    else:
        log.add(record, speaker, blocks, id=string_of(record.value.get("id")))


def _stored_block(part: Json, log: SessionLog, line: int) -> Block:
    # The parts are those of the AI SDK.
    fields = fields_of(part)
    kind = fields.get("type")
    id_ = coerce_text(fields.get("toolCallId"))
    name = coerce_text(fields.get("toolName"))
    if kind == "tool-call":
        return ToolCall(id_, name, fields.get("args", {}))
    if kind == "tool-result":
        return ToolResponse(id_, name, fields.get("result", ""))
    if kind == "reasoning":
        return Thinking(string_of(fields.get("text")))
    return read_part(part, log.notes, line)


def message_fields(data: bytes) -> list[tuple[int, int | bytes]]:
    """Return numbers and values of the fields of a message of Protocol Buffers, read without its
    schema; nothing for bytes that are no message."""
    fields: list[tuple[int, int | bytes]] = []
    at = 0
    try:
        while at < len(data):
            tag, at = _varint(data, at)
            number = tag >> 3
            wire = tag & 7
            if wire == _VARINT:
                value, at = _varint(data, at)
                fields.append((number, value))
                continue
            if wire == _BYTES:
                length, at = _varint(data, at)
            else:
                length = {_FIXED_64: 8, _FIXED_32: 4}[wire]
            if not number or at + length > len(data):
                # A length beyond the end, or the number 0, is text and no message.
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
        at = at + 1
        shift = shift + 7
        if byte < 0x80:
            return value, at


_QUERY = re.compile(r"<user_query>\s*(.*?)\s*</user_query>", re.DOTALL)
_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI}
_TEXT_ROLES = {"user:": Speaker.HUMAN, "assistant:": Speaker.AI}
_MARKER = re.compile(r"\[(Thinking|Tool call|Tool result)\] ?(.*)")
_PAIR = re.compile(r"\s*([A-Za-z_]\w*)\s*=\s?(.*)", re.DOTALL)


def score(file: OpenedDocument) -> FormatScore:
    """Judge by messages with a role but no type; a database by its tables."""
    if file.container is DocumentContainer.DATABASE:
        return store_score(file, *STORES)
    if file.container is DocumentContainer.TEXT:
        if _is_text_transcript(file):
            return (0.9, "lines with a role")
        return (0.0, "")
    return shape_score(file, "cursor", "role and message.content")


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    if file.container is DocumentContainer.DATABASE:
        return read_stored(file, request, STORES, read_session)
    if file.container is DocumentContainer.TEXT:
        return _read_text(file, request)
    log = SessionLog()
    for record in log_records(file, request, log):
        speaker = _SPEAKERS.get(string_of(record.value.get("role")))
        if speaker is None:
            log.notes.skip(
                coerce_text(record.value.get("type")) or "without a role",
                line=record.line,
            )
            continue
        content = nested(record.value, "message", "content")
        time = record.value.get("timestamp")
        texts = [string_of(nested(part, "text")) for part in content_parts(content)]
        # What Cursor wrote around the query is no word of the person.
        if contexts := [
            Text(around)
            for text in texts
            if (around := without_element(_QUERY, text)[1])
        ]:
            log.add(record, Speaker.HUMAN, contexts, time=time, flags=MessageFlag.META)
        blocks = [_block(part, log, record.line) for part in content_parts(content)]
        log.add(record, speaker, blocks, time=time)
    return log.conversation("cursor", file)


def _read_text(file: OpenedDocument, request: ReadRequest) -> Conversation:
    check_number(file.document.name, request.conversation, 1)
    log = SessionLog()
    for record, speaker, begins, block in _text_parts(file):
        log.notes.records += 1
        if type(block) is Text:
            own = _block({"type": "text", "text": block.text}, log, record.line)
        else:
            own = block
        (log.add if begins else log.extend)(record, speaker, [own])
    return log.conversation("cursor", file)


def _block(part: Json, log: SessionLog, line: int) -> Block:
    fields: Mapping[str, Json] = (
        part if isinstance(part, dict) else {"type": "text", "text": part}
    )
    # Probably one version writes a dash, others an underscore.
    kind = string_of(fields.get("type")).replace("-", "_")
    if kind == "text" and isinstance(fields.get("text"), str):
        # Probably Cursor writes this in place of reasoning that it must not show.
        if fields["text"].strip() == "[REDACTED]":
            return Thinking("", {"redacted": True})
        return Text(without_element(_QUERY, fields["text"])[0])
    if kind in ("tool_use", "tool_call"):
        arguments = fields.get("input", fields.get("args", {}))
        return ToolCall(
            coerce_text(fields.get("id")), coerce_text(fields.get("name")), arguments
        )
    if kind == "tool_result":
        result = fields.get("content", "")
        name = coerce_text(fields.get("name"))
        error = plain_text(result) if fields.get("is_error") is True else MISSING
        return ToolResponse(
            coerce_text(fields.get("tool_use_id", fields.get("id"))),
            name,
            result,
            error,
        )
    return read_block(fields, log.notes, line)


def _is_text_transcript(file: OpenedDocument) -> bool:
    """Return whether a text begins with a role and has an answer."""
    if file.first_line.strip() not in _TEXT_ROLES:
        return False
    # A role alone may begin any text; an answer makes it a transcript.
    return any(
        line.strip() == b"assistant:" for line in read_all(file.document).split(b"\n")
    )


def _text_parts(
    file: OpenedDocument,
) -> Iterator[tuple[JsonRecord, Speaker, bool, Block]]:
    """Yield the blocks with their lines, their speaker, and whether they begin a message."""
    speaker, kind, title = Speaker.UNKNOWN, "", ""
    lines: list[tuple[int, int, int, str]] = []
    at, is_first = 0, False

    def block() -> Iterator[tuple[JsonRecord, Speaker, bool, Block]]:
        text = "\n".join(line for *_, line in lines)
        block = _text_block(kind, title, text)
        if block is not None and lines:
            place = JsonRecord(lines[0][0], lines[0][1], lines[-1][2], None)
            said_by = Speaker.TOOL if kind == "Tool result" else speaker
            yield place, said_by, is_first, block

    for number, data in enumerate(read_all(file.document).split(b"\n"), 1):
        line = data.decode("utf-8", "replace").rstrip("\r")
        marker = _MARKER.match(line)
        is_role = line in _TEXT_ROLES
        # Bodies of tools are indented; a line that is not ends them.
        is_unindented = bool(line.strip()) and not line[0].isspace()
        ends_body = bool(kind and lines) and is_unindented
        if is_role or marker or ends_body:
            yield from block()
            is_first = is_role or (is_first and not lines)
            kind, title = (marker[1], marker[2].strip()) if marker else ("", "")
            speaker = _TEXT_ROLES.get(line, speaker)
            lines = []
        if not is_role:
            lines.append((number, at, at + len(data), "" if marker else line))
        at += len(data) + 1
    yield from block()


def _text_block(kind: str, title: str, text: str) -> Block | None:
    """Return the block of a part, None for an empty text."""
    body = dedent(text).strip()
    if kind == "Tool call":
        return ToolCall("", title, _arguments(body))
    if kind == "Tool result":
        return ToolResponse("", "", "\n".join(filter(None, (title, body))))
    if kind == "Thinking":
        return Thinking("\n".join(filter(None, (title, body))))
    if body:
        return Text(body)
    return None


def _arguments(body: str) -> Json:
    """Return JSON, else names with values, else the whole text, such as a patch, as ``input``."""
    if body.startswith("{") and isinstance(value := json_or_text(body), dict):
        return value
    arguments: dict[str, Json] = {}
    name = ""
    for line in body.splitlines():
        if pair := _PAIR.fullmatch(line):
            name = pair[1]
            arguments[name] = pair[2]
        elif name:
            arguments[name] = f"{arguments[name]}\n{line}"
        else:
            return {"input": body}
    return {
        key: value.rstrip() if isinstance(value, str) else value
        for key, value in arguments.items()
    }


CURSOR = Format(
    name="cursor",
    label="Cursor",
    about="Sessions of Cursor: agent transcripts (JSONL or text), the databases of its window "
    "(state.vscdb) and "
    "CLI (store.db); for the databases only a description was seen.",
    score=score,
    read=read,
    evidence=ReaderEvidence.FIXTURE,
    read_only=ReadOnly.DATABASE,
)
