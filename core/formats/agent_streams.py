"""Readers for agents that write as they go: Claude Agent SDK, Factory Droid, Antigravity's CLI, aider.

The SDK writes a line for each block of an answer. In Antigravity's steps calls and results have no ids; a
result belongs to the first call that has none yet. In aider's chat history (.aider.chat.history.md) each
start is a conversation; lines of the user begin with ``####``, those of aider itself with ``>``; all others
are the answer, so that such lines in an answer are mistaken for them. Its summaries are not in the file.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from functools import partial
from itertools import groupby

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import read_content
from core.formats.common.document import DocumentContainer, OpenedDocument
from core.formats.common.format import Evidence, Format, FormatScore, ReadOnly, ReadRequest
from core.formats.common.json_access import (
    coerce_text,
    fields_of,
    list_of,
    nested,
    number_of,
    request_tokens,
    string_of,
    sum_of,
)
from core.formats.common.json_parsing import JsonRecord, json_or_text
from core.formats.common.message_lists import check_number, first_words, numbered
from core.formats.common.messages import INPUT_TOKEN_FIELDS
from core.formats.common.open_document import read_all
from core.formats.common.refused_files import format_shapes
from core.formats.common.session_log import SessionLog, log_records, shape_score, side_file
from core.transcript.model import (
    Block,
    Conversation,
    ListedConversation,
    MessageFlag,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_SDK_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI}


def _read_sdk(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    log = SessionLog()
    for record in log_records(opened, request, log):
        kind = string_of(record.value.get("type"))
        log.session_id = log.session_id or string_of(record.value.get("session_id"))
        if record.value.get("parent_tool_use_id"):
            log.notes.skip("record of a sub-agent", line=record.line)
        elif kind in _SDK_SPEAKERS:
            _add_answer(record, log)
        else:
            _note_system(record, log, kind)
    return log.conversation("agent_sdk", opened)


def _add_answer(record: JsonRecord, log: SessionLog) -> None:
    message = fields_of(record.value.get("message"))
    id_, usage = string_of(message.get("id")), fields_of(message.get("usage"))
    blocks, _ = read_content(message, log.notes, record.line)
    speaker = _SDK_SPEAKERS[record.value["type"]]
    last = log.messages[-1] if log.messages else None
    if last is not None and id_ and last.id == id_:
        log.extend(record, last.speaker, blocks)
    else:
        is_generated = record.value.get("isSynthetic") is True
        flags = MessageFlag.META if is_generated else MessageFlag.NONE
        log.add(record, speaker, blocks, id=id_, time=record.value.get("timestamp"), flags=flags)
    model = string_of(message.get("model"))
    log.model = model or log.model
    log.report(sum_of(*map(usage.get, INPUT_TOKEN_FIELDS)), usage.get("output_tokens"), model)


def _note_system(record: JsonRecord, log: SessionLog, kind: str) -> None:
    """Take model and folder from the first record, compactions from those of the system."""
    value, subtype = record.value, coerce_text(record.value.get("subtype"))
    if subtype == "init":
        log.model, log.cwd = string_of(value.get("model")), string_of(value.get("cwd"))
        log.tools = [{"name": name} for name in list_of(value.get("tools")) if isinstance(name, str)]
    if subtype == "compact_boundary":
        about = fields_of(value.get("compact_metadata", value.get("compactMetadata")))
        before = number_of(about.get("pre_tokens", about.get("preTokens")))
        log.compact(record, trigger=string_of(about.get("trigger")), before=before)
    else:
        log.notes.skip(" ".join(filter(None, (kind, subtype))) or "without a type", line=record.line)


AGENT_SDK = Format(
    "agent_sdk",
    "Claude Agent SDK",
    "The stream of the Claude Agent SDK and of Claude Code's headless mode (stream-json).",
    partial(shape_score, format="agent_sdk", sign="type and session_id of a stream"),
    _read_sdk,
    evidence=Evidence.DESCRIPTION,
    read_only=ReadOnly.RECORD,
)


_DROID_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI, "system": Speaker.SYSTEM}


def _score_droid(opened: OpenedDocument) -> FormatScore:
    """Judge by the line at the top of a session, or by the records of a stream."""
    first = opened.objects[0] if opened.objects else {}
    if first.get("type") == "session_start" and format_shapes("droid").match(first):
        return 0.99, "session_start at the top"
    if any(isinstance(value.get("message"), dict) for value in opened.objects):
        return 0.0, ""
    return shape_score(opened, "droid", "records of its stream")


def _read_droid(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    log = SessionLog()
    for record in log_records(opened, request, log):
        _add_droid(record, log)
    path = opened.document.path
    settings = side_file(opened, f"{path.stem}.settings.json") if path else {}
    log.model = string_of(settings.get("model")) or log.model
    return log.conversation("droid", opened)


def _add_droid(record: JsonRecord, log: SessionLog) -> None:
    value, kind = record.value, string_of(record.value.get("type"))
    id_, time = string_of(value.get("id")), value.get("timestamp")
    call_id = coerce_text(value.get("toolCallId", value.get("id")))
    log.session_id = log.session_id or coerce_text(value.get("session_id", value.get("sessionId")))
    if kind == "message":
        message = value.get("message")
        if isinstance(message, dict):
            blocks, _ = read_content(message, log.notes, record.line)
        else:
            message, blocks = value, (Text(string_of(value.get("text"))),)
        speaker = _DROID_SPEAKERS.get(string_of(message.get("role")), Speaker.UNKNOWN)
        log.add(record, speaker, blocks, id=id_, time=time)
    elif kind == "tool_call":
        call = ToolCall(call_id, coerce_text(value.get("toolName")), value.get("parameters", {}))
        log.add(record, Speaker.AI, [call], id=id_, time=time)
    elif kind == "tool_result":
        result = value.get("value", "")
        error = result if value.get("isError") is True else MISSING
        log.add(record, Speaker.TOOL, [ToolResponse(call_id, "", result, error)], id=id_, time=time)
    elif kind == "completion":
        if text := string_of(value.get("finalText")):
            log.add(record, Speaker.AI, [Text(text)], id=id_, time=time)
        usage = fields_of(value.get("usage"))
        size = request_tokens(usage.get("inputTokens"), usage.get("cacheReadTokens"))
        log.reported_context = size or log.reported_context
    elif kind == "compaction_state":
        summary = value.get("summary")
        log.compact(record, string_of(summary) or string_of(nested(summary, "body")))
    else:
        if kind in ("session_start", "system"):
            log.cwd, log.model = string_of(value.get("cwd")), string_of(value.get("model"))
            log.title = string_of(value.get("sessionTitle")) or string_of(value.get("title"))
        if kind == "session_start":
            log.session_id = id_
        log.notes.skip(kind or "without a type", line=record.line)


DROID = Format(
    "droid",
    "Factory Droid",
    "Sessions of Factory Droid (JSONL), and the stream of its headless mode.",
    _score_droid,
    _read_droid,
    evidence=Evidence.FIXTURE,
)


_REQUEST = re.compile(r"<USER_REQUEST>\s*(.*?)\s*</USER_REQUEST>", re.DOTALL)
_FAILED = ("ERROR", "FAILED")


def _read_antigravity(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    log, open_calls = SessionLog(), deque[ToolCall]()
    for record in log_records(opened, request, log):
        _add_step(record, log, open_calls)
    if path := opened.document.path:
        folders = path.absolute().parents
        log.session_id = folders[2].name if len(folders) > 2 and folders[0].name == "logs" else ""
    return log.conversation("antigravity", opened)


def _add_step(record: JsonRecord, log: SessionLog, open_calls: deque[ToolCall]) -> None:
    value = record.value
    kind, content = string_of(value.get("type")), string_of(value.get("content"))
    time = value.get("created_at")
    if kind == "USER_INPUT":
        found = _REQUEST.search(content)
        log.add(record, Speaker.HUMAN, [Text(found[1] if found else content)], time=time)
    elif kind == "PLANNER_RESPONSE":
        calls = [
            ToolCall(f"step-{record.line}-{number}", coerce_text(call.get("name")), _arguments(call))
            for number, call in enumerate(map(fields_of, list_of(value.get("tool_calls"))))
        ]
        open_calls.extend(calls)
        thought = string_of(value.get("thinking"))
        said: list[Block] = [Thinking(thought)] if thought else []
        said += [Text(content)] if content else []
        log.add(record, Speaker.AI, [*said, *calls], time=time)
    elif kind == "CHECKPOINT":
        log.compact(record, content)
    elif value.get("source") == "SYSTEM":
        if content:
            log.add(record, Speaker.HUMAN, [Text(content)], time=time, flags=MessageFlag.META)
        else:
            log.notes.skip(kind, line=record.line)
    else:
        call = open_calls.popleft() if open_calls else None
        name = call.name if call else kind.lower()
        error = content if value.get("status") in _FAILED else MISSING
        response = ToolResponse(call.id if call else f"step-{record.line}", name, content, error)
        log.extend(record, Speaker.TOOL, [response], time=time)


def _arguments(call: Mapping[str, Json]) -> Json:
    """Return the arguments; each value is JSON in a text."""
    arguments = call.get("args", {})
    if not isinstance(arguments, dict):
        return arguments
    return {name: json_or_text(value) for name, value in arguments.items()}


ANTIGRAVITY = Format(
    "antigravity",
    "Antigravity",
    "Transcripts of Antigravity's CLI (JSONL): steps of user, model and system.",
    partial(shape_score, format="antigravity", sign="step_index, source, type and status"),
    _read_antigravity,
    evidence=Evidence.FIXTURE,
)


_START = "# aider chat started at "
_TOKENS = re.compile(r"^> Tokens: ([\d.,]+)(k?) sent.*?, ([\d.,]+)(k?) received")
_MODEL = re.compile(r"^> (?:Main model|Model|Models): (\S+)")


def _score_aider(opened: OpenedDocument) -> FormatScore:
    is_history = opened.container is DocumentContainer.TEXT and opened.first_line.startswith(_START)
    return (1.0, "begins with the start of a chat of aider") if is_history else (0.0, "")


def _read_aider(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one chat; the newest, which is the last one in the file, is number 1."""
    chats: list[tuple[str, list[JsonRecord]]] = []
    at = 0
    for number, data in enumerate(read_all(opened.document).split(b"\n"), 1):
        line = data.decode("utf-8", "replace").rstrip("\r")
        if line.startswith(_START):
            chats.append((line.removeprefix(_START), []))
        elif chats:
            chats[-1][1].append(JsonRecord(number, at, at + len(data), line))
        at += len(data) + 1
    chats.reverse()
    check_number(opened.document.name, request.conversation, len(chats))
    started_at, lines = chats[request.conversation - 1]
    log = SessionLog(title=started_at)
    for kind, run in groupby(lines, key=lambda record: _kind(record.value)):
        _add_said(kind, [*run], log)
    log.cwd = str(opened.document.path.absolute().parent) if opened.document.path else ""
    listed = [ListedConversation(n, first_words(title)) for n, (title, _) in enumerate(chats, 1)]
    return numbered(log.conversation("aider", opened), request.conversation, listed)


def _kind(line: str) -> str:
    return next((mark for mark in ("#### ", "> ") if line.startswith(mark) or line == mark.strip()), "")


def _add_said(kind: str, lines: list[JsonRecord], log: SessionLog) -> None:
    """Add consecutive lines of one kind."""
    text = "\n".join(line.value.removeprefix(kind) for line in lines).strip()
    if not text:
        return
    log.notes.records += 1
    first, last = lines[0], lines[-1]
    whole = JsonRecord(first.line, first.start, last.end, None)
    if kind == "> ":
        log.notes.skip("notice of aider", line=first.line)
        for line in lines:
            _read_notice(line.value, log)
    else:
        log.add(whole, Speaker.HUMAN if kind else Speaker.AI, [Text(text)])


def _read_notice(line: str, log: SessionLog) -> None:
    if model := _MODEL.match(line):
        log.model = model[1]
    tokens = _TOKENS.match(line)
    if tokens and log.messages:
        log.report(_count(tokens[1], tokens[2]), _count(tokens[3], tokens[4]))


def _count(digits: str, unit: str) -> int:
    try:
        return int(float(digits.replace(",", "").rstrip(".")) * (1000 if unit else 1))
    except ValueError:
        return 0


AIDER = Format(
    "aider",
    "aider",
    "The chat history of aider (.aider.chat.history.md).",
    _score_aider,
    _read_aider,
    evidence=Evidence.DESCRIPTION,
)
