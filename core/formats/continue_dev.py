"""Reader for sessions of Continue: history items with their messages, states of calls and
summaries.

What the person attached (``contextItems``) is sent in front of the message; the system prompt is
only in the log of what was sent (``promptLogs``).
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial

from core.common.json_value import MISSING, Json
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, ReaderEvidence, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    content_parts,
    fields_of,
    list_of,
    nested,
    string_of,
)
from core.formats.common.session_log import SessionLog, object_log, shape_score
from core.formats.openai_chat_messages import ROLES, read_call, read_part
from core.transcript.model import (
    Block,
    Conversation,
    MessageFlag,
    Speaker,
    Text,
    Thinking,
    ToolResponse,
)

_FAILED = ("errored", "canceled")
_SYSTEM = re.compile(r"<system>\n(.*?)\n\n<(?:user|assistant|tool)>\n", re.DOTALL)


def _read_continue(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = object_log(file, request, "history", session_id="sessionId")
    log.cwd = string_of(log.fields.get("workspaceDirectory")).removeprefix("file://")
    log.model = string_of(log.fields.get("chatModelTitle"))
    answered: set[str] = set()
    for record in log.records:
        _add_item(record, log, answered)
    return log.conversation("continue_dev", file)


def _said(record: JsonRecord, content: Json, log: SessionLog) -> list[Block]:
    """Return the reasoning and the parts of a message; empty texts are none."""
    parts = [read_part(part, log.notes, record.line) for part in content_parts(content)]
    blocks = [block for block in parts if not isinstance(block, Text) or block.text]
    if reasoning := string_of(nested(record.value.get("reasoning"), "text")):
        blocks.insert(0, Thinking(reasoning))
    return blocks


def _results(record: JsonRecord) -> Iterator[ToolResponse]:
    """Yield the results that are in the state of their calls."""
    for state in map(fields_of, list_of(record.value.get("toolCallStates"))):
        outputs = [
            string_of(nested(one, "content")) for one in list_of(state.get("output"))
        ]
        has_failed = state.get("status") in _FAILED
        # A call that still runs or waits for the person has a state and no output.
        if outputs or has_failed:
            text = "\n".join(outputs)
            call_id = coerce_text(state.get("toolCallId"))
            yield ToolResponse(call_id, "", text, text if has_failed else MISSING)


def _add_item(record: JsonRecord, log: SessionLog, answered: set[str]) -> None:
    """Add an item; results that are in the state of their calls are not read again as messages."""
    message = fields_of(record.value.get("message"))
    role = string_of(message.get("role"))
    content = message.get("content")
    id_ = string_of(message.get("id"))
    _add_system_prompt(record, log)
    _add_attached(record, log)
    blocks = _said(record, content, log)
    texts = [block.text for block in blocks if isinstance(block, Text)]
    if role == "thinking":
        log.add(record, Speaker.AI, [Thinking("\n".join(texts))], id=id_)
    elif role == "tool":
        call_id = coerce_text(message.get("toolCallId"))
        # Newer sessions hold a result twice: in the state of its call, and as a message of the
        # tool.
        if call_id in answered:
            log.notes.skip("repeated result", line=record.line)
        else:
            log.add(record, Speaker.TOOL, [ToolResponse(call_id, "", content)], id=id_)
    elif role == "system" and not log.messages:
        log.add_system(record, *texts)
    else:
        blocks += [
            read_call(call, log.notes, record.line)
            for call in list_of(message.get("toolCalls"))
        ]
        log.add(record, ROLES.get(role, Speaker.UNKNOWN), blocks, id=id_)
    results = [*_results(record)]
    answered |= {result.call_id for result in results}
    if results:
        log.add(record, Speaker.TOOL, results)
    if summary := string_of(record.value.get("conversationSummary")):
        log.compact(record, summary)  # it stands for this item too


def _add_system_prompt(record: JsonRecord, log: SessionLog) -> None:
    """Take the system prompt from the first request that is logged."""
    for sent in list_of(record.value.get("promptLogs")):
        found = _SYSTEM.match(string_of(nested(sent, "prompt")))
        # The prompt that was sent is known only from the log of requests.
        if found and not log.system:
            log.system.append(found[1])


def _add_attached(record: JsonRecord, log: SessionLog) -> None:
    """Add the files and other things that the person attached, unless the message repeats them;
    those of other messages are outputs of tools."""
    if nested(record.value, "message", "role") != "user":
        return
    content = fields_of(record.value.get("message")).get("content")
    said = "\n".join(string_of(nested(part, "text")) for part in content_parts(content))
    items = (
        string_of(nested(item, "content"))
        for item in list_of(record.value.get("contextItems"))
    )
    # Continue sends what the person attached with the message, and older versions also wrote it
    # into it.
    texts = [Text(text) for text in items if text.strip() and text.strip() not in said]
    if texts:
        log.add(
            record, Speaker.HUMAN, texts, flags=MessageFlag.META | MessageFlag.CONTEXT
        )


CONTINUE = Format(
    name="continue_dev",
    label="Continue",
    about="Sessions of Continue (JSON).",
    score=partial(
        shape_score,
        format="continue_dev",
        sign="sessionId and workspaceDirectory beside a history",
    ),
    read=_read_continue,
    evidence=ReaderEvidence.DESCRIPTION,
)
