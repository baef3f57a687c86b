"""Reader for Grok Build: the current context of a session (chat_history.jsonl) with the files beside it."""

from __future__ import annotations

from dataclasses import replace

from core.common.json_value import Json
from core.formats.anthropic.blocks import plain_text
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.json_access import (
    coerce_text,
    fields_of,
    list_of,
    nested,
    number_of,
    other_fields,
    string_of,
)
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.session_log import SessionLog, log_records, shape_score, side_file
from core.formats.openai_chat.messages import function_call, read_part
from core.transcript.model import (
    Block,
    Conversation,
    Media,
    MessageFlag,
    ServerTool,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_SPOKEN = ("", "interjection")
"""Reasons of user records that the user typed."""


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by the records of its history; those of the system and reasoning are shared with others."""
    result, reason = shape_score(opened, "grok_build", "records of its history")
    return (max(result, 0.6) if result else 0.0), reason


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    log = SessionLog()
    for record in log_records(replace(opened, format=""), request, log):  # some look like items of Responses
        _add(record, log)
    summary, signals = side_file(opened, "summary.json"), side_file(opened, "signals.json")
    log.session_id = string_of(nested(summary, "info", "id"))
    log.cwd = string_of(nested(summary, "info", "cwd"))
    log.model = log.model or string_of(summary.get("current_model_id"))
    log.title = string_of(summary.get("generated_title")) or string_of(summary.get("session_summary"))
    log.reported_context = number_of(signals.get("contextTokensUsed"))
    log.reported_limit = number_of(signals.get("contextWindowTokens"))
    if count := number_of(signals.get("compactionCount")):
        times = "once" if count == 1 else f"{count} times"
        log.notes.warn(0, f"the session was compacted {times}; the file holds the context after that")
    return log.conversation("grok_build", opened)


def _add(record: JsonRecord, log: SessionLog) -> None:
    value, content = record.value, record.value.get("content")
    kind = string_of(value.get("type")) or string_of(value.get("role"))
    if kind == "system" and not log.messages:
        log.add_system(record, plain_text(content))
    elif kind in ("user", "system"):
        is_spoken = coerce_text(value.get("synthetic_reason")) in _SPOKEN
        flags = MessageFlag.NONE if is_spoken else MessageFlag.META
        log.add(record, Speaker.HUMAN, _content(content, log, record.line), flags=flags)
    elif kind == "reasoning":
        text = plain_text(value.get("summary"))
        _say(record, [Thinking(text, {"encrypted_content": value.get("encrypted_content")})], log)
    elif kind == "backend_tool_call":
        tool = fields_of(value.get("kind"))
        call = ToolCall(
            coerce_text(tool.get("id")), coerce_text(tool.get("tool_type")), tool.get("action", {})
        )
        _say(record, [ServerTool(kind, value, None, (call,))], log)
    elif kind == "assistant":
        log.model = string_of(value.get("model_id")) or log.model
        calls = [
            function_call(other_fields(call.get("function", call), ("id",)), coerce_text(call.get("id")), {})
            for call in map(fields_of, list_of(value.get("tool_calls")))
        ]
        _say(record, [*_content(content, log, record.line), *calls], log)
    elif kind in ("tool_result", "tool"):
        response = ToolResponse(coerce_text(value.get("tool_call_id")), "", content)
        log.extend(record, Speaker.TOOL, [response])
    else:
        log.notes.skip(kind or "without a type", line=record.line)


def _say(record: JsonRecord, blocks: list[Block], log: SessionLog) -> None:
    """Add to the answer that began with its reasoning, else as a new one."""
    last = log.messages[-1] if log.messages else None
    is_begun = last is not None and all(isinstance(block, Thinking | ServerTool) for block in last.blocks)
    (log.extend if is_begun else log.add)(record, Speaker.AI, blocks)


def _content(content: Json, log: SessionLog, line: int) -> list[Block]:
    if isinstance(content, str):
        return [Text(content)] if content else []
    return [
        Media("", string_of(part.get("url")))
        if isinstance(part, dict) and part.get("type") == "image"
        else read_part(part, log.notes, line)
        for part in list_of(content)
    ]


GROK_BUILD = Format(
    "grok_build",
    "Grok Build",
    "The current context of a Grok Build session (chat_history.jsonl).",
    score,
    read,
    real_file_seen=False,
    is_fixture_seen=True,
)
