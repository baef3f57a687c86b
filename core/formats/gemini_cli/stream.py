"""Reads what Gemini CLI prints without a window (``--output-format stream-json``): an event a line,
an answer in pieces."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from core.common.json_value import MISSING, Json
from core.formats.common.document import DocumentContainer, OpenedDocument
from core.formats.common.format import ReadRequest
from core.formats.common.json_access import coerce_text, fields_of, string_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.session_log import SessionLog, log_records
from core.transcript.model import Conversation, Speaker, Text, ToolCall, ToolResponse

_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI}
_EVENT_TYPES = ("init", "message", "tool_use", "tool_result", "error", "result")


_MIN_SHARE = 0.8  # of records that are events


def is_stream(file: OpenedDocument) -> bool:
    """Return whether lines are events, one of them with the model and the id of a session; who
    runs the agent may write lines of its own in front."""
    values = file.objects if file.container is DocumentContainer.LINES else ()
    count = sum(one.get("type") in _EVENT_TYPES for one in values)
    return any(map(_is_start, values)) and count >= _MIN_SHARE * len(values)


def _is_start(value: Mapping[str, Json]) -> bool:
    return value.get("type") == "init" and {"session_id", "model"} <= value.keys()


def read_stream(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = SessionLog()
    is_begun = False
    for record in log_records(
        replace(file, format=""), request, log
    ):  # some look like items of Responses
        is_begun = is_begun or _is_start(record.value)
        if is_begun:
            _add_event(record, log)
        else:
            log.notes.skip("in front of the stream", line=record.line)
    return log.conversation("gemini_cli", file)


def _add_event(record: JsonRecord, log: SessionLog) -> None:
    value, kind = record.value, string_of(record.value.get("type"))
    time, id_ = value.get("timestamp"), coerce_text(value.get("tool_id"))
    if kind == "message":
        _add_words(record, log)
    elif kind == "tool_use":
        call = ToolCall(id_, coerce_text(value.get("tool_name")), value.get("parameters", {}))
        log.extend(record, Speaker.AI, [call], time=time)
    elif kind == "tool_result":
        error = fields_of(value.get("error"))
        output = value.get("output", error.get("message", ""))
        failed = value.get("status") not in (None, "success")
        response = ToolResponse(
            id_, "", output, error.get("message", output) if failed else MISSING
        )
        log.extend(record, Speaker.TOOL, [response], time=time)
    else:
        if kind == "init":
            log.session_id, log.model = (
                coerce_text(value.get("session_id")),
                string_of(value.get("model")),
            )
        log.notes.skip(kind or "without a type", line=record.line)


def _add_words(record: JsonRecord, log: SessionLog) -> None:
    """Add a message, or the next piece of the answer."""
    value = record.value
    speaker = _SPEAKERS.get(string_of(value.get("role")), Speaker.UNKNOWN)
    text = Text(coerce_text(value.get("content")))
    last = log.messages[-1] if log.messages else None
    end = last.blocks[-1] if last and last.blocks else None
    if last and value.get("delta") is True and last.speaker is speaker and isinstance(end, Text):
        sources = tuple(dict.fromkeys((*last.sources, record.source())))
        blocks = (*last.blocks[:-1], Text(end.text + text.text))
        log.messages[-1] = replace(last, blocks=blocks, sources=sources)
    elif text.text:
        log.add(record, speaker, [text], time=value.get("timestamp"))
