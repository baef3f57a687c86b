"""Reader for sessions of Continue: history items with their messages, states of calls and
summaries."""

from __future__ import annotations

from functools import partial

from core.common.json_value import MISSING
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, ReaderEvidence, ReadRequest
from core.formats.common.json_access import (
    coerce_text,
    content_parts,
    fields_of,
    list_of,
    nested,
    string_of,
)
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.session_log import SessionLog, object_log, shape_score
from core.formats.openai_chat.messages import ROLES, read_call, read_part
from core.transcript.model import (
    Block,
    Conversation,
    Speaker,
    Text,
    Thinking,
    ToolResponse,
)

_FAILED = ("errored", "canceled")


def _read_continue(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = object_log(file, request, "history", session_id="sessionId")
    log.cwd = string_of(log.fields.get("workspaceDirectory")).removeprefix("file://")
    log.model = string_of(log.fields.get("chatModelTitle"))
    answered: set[str] = set()
    for record in log.records:
        _add_item(record, log, answered)
    return log.conversation("continue_dev", file)


def _add_item(record: JsonRecord, log: SessionLog, answered: set[str]) -> None:
    """Add an item; results that are in the state of their calls are not read again as messages."""
    message = fields_of(record.value.get("message"))
    role, content, id_ = (
        string_of(message.get("role")),
        message.get("content"),
        string_of(message.get("id")),
    )
    if summary := string_of(record.value.get("conversationSummary")):
        log.compact(record, summary)
    blocks: list[Block] = [
        read_part(part, log.notes, record.line) for part in content_parts(content)
    ]
    blocks = [block for block in blocks if not isinstance(block, Text) or block.text]
    if role == "thinking":
        texts = (block.text for block in blocks if isinstance(block, Text))
        log.add(record, Speaker.AI, [Thinking("\n".join(texts))], id=id_)
    elif role == "tool":
        call_id = coerce_text(message.get("toolCallId"))
        if call_id in answered:
            log.notes.skip("repeated result", line=record.line)
        else:
            log.add(record, Speaker.TOOL, [ToolResponse(call_id, "", content)], id=id_)
    elif role == "system" and not log.messages:
        log.add_system(record, *(block.text for block in blocks if isinstance(block, Text)))
    else:
        blocks += [
            read_call(call, log.notes, record.line) for call in list_of(message.get("toolCalls"))
        ]
        log.add(record, ROLES.get(role, Speaker.UNKNOWN), blocks, id=id_)
    results: list[Block] = []
    for state in map(fields_of, list_of(record.value.get("toolCallStates"))):
        outputs = [string_of(nested(one, "content")) for one in list_of(state.get("output"))]
        if outputs or state.get("status") in _FAILED:
            text, call_id = "\n".join(outputs), coerce_text(state.get("toolCallId"))
            answered.add(call_id)
            error = text if state.get("status") in _FAILED else MISSING
            results.append(ToolResponse(call_id, "", text, error))
    if results:
        log.add(record, Speaker.TOOL, results)


CONTINUE = Format(
    name="continue_dev",
    label="Continue",
    about="Sessions of Continue (JSON).",
    score=partial(
        shape_score, format="continue_dev", sign="sessionId and workspaceDirectory beside a history"
    ),
    read=_read_continue,
    evidence=ReaderEvidence.DESCRIPTION,
)
