"""Reader for sessions of GitHub Copilot CLI: ``events.jsonl``, and the one JSON with ``timeline``
of 2025.

Events are linked by ``toolCallId``. Those of a sub-agent name the call that started it; each
sub-agent is a conversation of its own, the main one is the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.common.json_value import MISSING, Json
from core.formats.common.document import DocumentContainer, OpenedDocument, iterate_records
from core.formats.common.format import Format, FormatScore, ReadRequest, RowPublisher
from core.formats.common.joined_answers import joined_answers
from core.formats.common.json_access import coerce_text, fields_of, list_of, other_fields, string_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import check_number, first_words, numbered
from core.formats.copilot_cli.events import CopilotSession
from core.transcript.model import (
    Conversation,
    ListedConversation,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
)

_MESSAGE_EVENTS = ("session.start", "user.message", "assistant.message", "tool.execution_start")
_SPEAKERS = {"user": Speaker.HUMAN, "copilot": Speaker.AI}
_ENTRY_KINDS = (
    *_SPEAKERS,
    "tool_call_requested",
    "tool_call_completed",
    "info",
    "error",
    "warning",
)
_CALL_FIELDS = ("id", "timestamp", "type", "callId", "name", "arguments", "result")


def score(file: OpenedDocument) -> FormatScore:
    """Judge by the envelope of the events, or by the kinds of entry in a timeline."""
    if file.container is DocumentContainer.OBJECT:
        entries = list_of(file.objects[0].get("timeline")) if file.objects else ()
        known = sum(fields_of(entry).get("type") in _ENTRY_KINDS for entry in entries)
        reason = f"{known} of {len(entries)} entries of the timeline are known"
        return (0.98 * known / len(entries), reason) if entries else (0.0, "")
    events = [value for value in file.objects if _is_event(value)]
    if not any(value["type"] in _MESSAGE_EVENTS for value in events):
        return 0.0, ""
    total = len(file.head)
    return 0.98 * len(events) / total, f"type and data of events in {len(events)} of {total} lines"


def _is_event(value: Mapping[str, Json]) -> bool:
    kind = value.get("type")
    return isinstance(kind, str) and isinstance(value.get("data"), dict) and "timestamp" in value


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    session = CopilotSession()
    if file.container is DocumentContainer.OBJECT and file.json is not None:
        _read_timeline(session, file.json.value, file.json.arrays.get("timeline", ()))
    else:
        _read_events(session, file, request)
    check_number(file.document.name, request.conversation, len(session.conversations))
    return _conversation(file, session, request.conversation)


def _read_events(session: CopilotSession, file: OpenedDocument, request: ReadRequest) -> None:
    publisher = RowPublisher(request.on_messages)
    for record in iterate_records(file, session.notes, request.progress, request.stop):
        session.notes.records += 1
        if isinstance(record.value, dict) and _is_event(record.value):
            session.add_event(record)
        else:
            session.notes.warn(record.line, "the line is not an event of a session; it was skipped")
            session.notes.skip("not an event")
        if publisher.is_due:
            for conversation in list(session.conversations.values())[request.conversation - 1 :][
                :1
            ]:
                # the last answer may still grow
                publisher.show(conversation.messages, len(conversation.messages) - 1)
    for conversation in session.conversations.values():
        conversation.messages += conversation.pending_thinking


def _conversation(file: OpenedDocument, session: CopilotSession, number: int) -> Conversation:
    conversations = list(session.conversations.values())
    conversation = conversations[number - 1]
    is_main, container = number == 1, file.container.value
    if others := sum(len(other.messages) for other in conversations) - len(conversation.messages):
        session.notes.skip("message of another conversation", others)
    listed = tuple(
        ListedConversation(
            list_number,
            each.title
            or (session.title if list_number == 1 else "")
            or first_words(each.task)
            or key,
            len(joined_answers(each.messages, each.recorded)[0]),
            "sub-agent" if list_number > 1 else "",
            each.call_id,
        )
        for list_number, (key, each) in enumerate(session.conversations.items(), 1)
    )
    return replace(
        numbered(conversation.conversation("copilot_cli", file), number, listed),
        model=conversation.model or session.model,
        cwd=session.cwd,
        session_id=session.id,
        reported_context=conversation.reported_context,
        reported_limit=session.limit if is_main else None,
        title=session.title if is_main else conversation.title,
        layout={"container": container, "path": ["timeline"] if container == "object" else []},
    )


def _read_timeline(
    session: CopilotSession, value: Mapping[str, Json], entries: Sequence[JsonRecord]
) -> None:
    session.id = string_of(value.get("sessionId"))
    session.model = string_of(value.get("model") or value.get("selectedModel"))
    for record in session.notes.track_lines(entries):
        session.notes.records += 1
        _read_entry(session, record)


def _read_entry(session: CopilotSession, record: JsonRecord) -> None:
    entry, conversation = fields_of(record.value), session.conversations[""]
    kind = string_of(entry.get("type"))
    id_, name = coerce_text(entry.get("callId")), coerce_text(entry.get("name"))
    call = ToolCall(id_, name, entry.get("arguments", {}), other_fields(entry, _CALL_FIELDS))
    if kind in _SPEAKERS:
        text = string_of(entry.get("text"))
        conversation.task = conversation.task or text
        extra = other_fields(entry, ("id", "timestamp", "type", "text"))
        conversation.add_blocks(record, _SPEAKERS[kind], (Text(text),) if text else (), extra=extra)
    elif kind == "tool_call_requested":
        conversation.add_blocks(record, Speaker.AI, (call,))
    elif kind == "tool_call_completed":
        if id_ not in conversation.call_ids:
            conversation.add_blocks(record, Speaker.AI, (call,))
        result = fields_of(entry.get("result"))
        log = result.get("log", "")
        error = log if result.get("type") not in ("success", None) else MISSING
        response = ToolResponse(id_, name, log, error, other_fields(result, ("log",)))
        conversation.add_blocks(record, Speaker.TOOL, (response,))
    else:
        session.notes.skip(kind or "without a type")


COPILOT_CLI = Format(
    name="copilot_cli",
    label="Copilot CLI",
    about="Sessions of GitHub Copilot CLI: events.jsonl, and the JSON with a timeline of 2025;"
    " no real file with a compaction was seen.",
    score=score,
    read=read,
)
