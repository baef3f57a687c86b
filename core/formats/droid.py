"""Reader for Factory Droid: its sessions, and the stream that ``droid exec`` prints."""

from __future__ import annotations

from core.common.json_value import MISSING
from core.formats.anthropic.blocks import read_content
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Evidence, Format, FormatScore, ReadRequest
from core.formats.common.json_access import (
    coerce_text,
    fields_of,
    nested,
    request_tokens,
    string_of,
)
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.refused_files import format_shapes
from core.formats.common.session_log import SessionLog, log_records, shape_score, side_file
from core.transcript.model import (
    Conversation,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
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
