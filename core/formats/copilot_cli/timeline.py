"""Handles entries of the ``timeline`` that Copilot CLI wrote in 2025, one JSON file per session."""

from __future__ import annotations

from collections.abc import Mapping

from core.common.json_value import MISSING, Json
from core.formats.common.json_access import coerce_text, fields_of, other_fields, string_of
from core.formats.common.json_ranges import JsonRecord
from core.formats.copilot_cli.session import CopilotSession, add_message
from core.transcript.model import Block, Speaker, Text, ToolCall, ToolResponse

ENTRY_KINDS = ("user", "copilot", "tool_call_requested", "tool_call_completed", "info", "error", "warning")
"""The known kinds of entries."""

_SPEAKERS = {"user": Speaker.HUMAN, "copilot": Speaker.AI}
_KNOWN_FIELDS = ("id", "timestamp", "type", "callId", "name", "arguments", "result")


def handle_entry(session: CopilotSession, record: JsonRecord) -> None:
    entry = fields_of(record.value)
    kind = string_of(entry.get("type"))
    conversation = session.conversations[""]
    if kind in _SPEAKERS:
        text = string_of(entry.get("text"))
        conversation.task = conversation.task or text
        blocks: tuple[Block, ...] = (Text(text),) if text else ()
        add_message(
            conversation,
            record,
            _SPEAKERS[kind],
            blocks,
            extra=other_fields(entry, ("id", "timestamp", "type", "text")),
        )
    elif kind == "tool_call_requested":
        add_message(conversation, record, Speaker.AI, (_call(entry),))
    elif kind == "tool_call_completed":
        is_known_call = coerce_text(entry.get("callId")) in conversation.call_ids
        if not is_known_call:
            add_message(conversation, record, Speaker.AI, (_call(entry),))
        add_message(conversation, record, Speaker.TOOL, (_response(entry),), part=0 if is_known_call else 1)
    else:
        session.notes.skip(kind or "without a type")


def _call(entry: Mapping[str, Json]) -> ToolCall:
    id_, name = coerce_text(entry.get("callId")), coerce_text(entry.get("name"))
    return ToolCall(id_, name, entry.get("arguments", {}), other_fields(entry, _KNOWN_FIELDS))


def _response(entry: Mapping[str, Json]) -> ToolResponse:
    result = fields_of(entry.get("result"))
    log = result.get("log", "")
    failed = result.get("type") not in ("success", None)
    id_, name = coerce_text(entry.get("callId")), coerce_text(entry.get("name"))
    return ToolResponse(id_, name, log, log if failed else MISSING, other_fields(result, ("log",)))
