"""Reader for sessions of Craft Agents (session.jsonl): a header, then a row for each step.

A row of a tool holds the call and its result. Rows of a sub-agent name the call that started it.
"""

from __future__ import annotations

from core.common.json_value import MISSING
from core.formats.common.document import DocumentContainer, OpenedDocument
from core.formats.common.format import Format, FormatScore, ReaderEvidence, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    other_fields,
    string_of,
)
from core.formats.common.open_document import format_shapes
from core.formats.common.session_log import SessionLog, log_records
from core.transcript.model import (
    Block,
    Conversation,
    Opaque,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
)

_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI}
_ROW_FIELDS = ("id", "type", "timestamp", "content")
_ENDED = ("completed", "error")
"""States of a tool whose row has a result."""


def _score_craft(file: OpenedDocument) -> FormatScore:
    """Judge by the header and the rows of tools; other rows only have a type and a content."""
    own = sum(map(format_shapes("craft_agents").match, file.objects))
    if file.container is not DocumentContainer.LINES or not own:
        return 0.0, ""
    rows = sum("type" in value and "content" in value for value in file.objects)
    count = max(own, min(rows + 1, len(file.objects)))
    total = len(file.objects)
    return 0.97 * count / total, f"header or rows of tools in {own} of {total} lines"


def _read_craft(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = SessionLog()
    for record in log_records(file, request, log):
        value = record.value
        kind = string_of(record.value.get("type"))
        if "workspaceRootPath" in value:
            log.session_id = coerce_text(value.get("id"))
            log.title = string_of(value.get("name"))
            log.model = string_of(value.get("model"))
            log.cwd = string_of(value.get("sdkCwd")) or string_of(
                value["workspaceRootPath"]
            )
            log.notes.skip("session header", line=record.line)
        elif value.get("parentToolUseId"):
            log.notes.skip("row of a sub-agent", line=record.line)
        elif kind == "tool":
            _add_tool(record, log)
        elif kind in _SPEAKERS:
            _add_words(record, log, _SPEAKERS[kind])
        else:
            log.notes.skip(kind or "without a type", line=record.line)
    return log.conversation("craft_agents", file)


def _add_words(record: JsonRecord, log: SessionLog, speaker: Speaker) -> None:
    value = record.value
    content = record.value.get("content")
    blocks: tuple[Block, ...] = ()
    if isinstance(content, str):
        if content:
            blocks = (Text(content),)
        else:
            blocks = ()
    elif content is not None:
        blocks = (Opaque("content", content),)
    extra = other_fields(value, _ROW_FIELDS)
    id_ = coerce_text(value.get("id"))
    time = value.get("timestamp")
    log.add(record, speaker, blocks, id=id_, time=time, extra=extra)


def _add_tool(record: JsonRecord, log: SessionLog) -> None:
    """Add the call and, unless it still runs, its result; the content of the row is what the window
    shows meanwhile."""
    value = record.value
    id_ = coerce_text(value.get("toolUseId"))
    name = coerce_text(value.get("toolName"))
    call = ToolCall(id_, name, value.get("toolInput", {}))
    time = value.get("timestamp")
    log.add(record, Speaker.AI, (call,), id=coerce_text(value.get("id")), time=time)
    if "toolResult" in value or value.get("toolStatus") in _ENDED:
        result = value.get("toolResult", "")
        if value.get("isError") is True:
            error = result or "error"
        else:
            error = MISSING
        log.add(
            record, Speaker.TOOL, (ToolResponse(id_, name, result, error),), time=time
        )


CRAFT_AGENTS = Format(
    name="craft_agents",
    label="Craft Agents",
    about="Sessions of Craft Agents (session.jsonl).",
    score=_score_craft,
    read=_read_craft,
    evidence=ReaderEvidence.DESCRIPTION,
)
