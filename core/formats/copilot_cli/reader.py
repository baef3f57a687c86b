"""Reader for sessions of GitHub Copilot CLI: ``events.jsonl``, and the one JSON with ``timeline`` of 2025.

Events are linked by ``toolCallId``. Those of a sub-agent name the call that started it; each
sub-agent is a conversation of its own, the main one is the first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.common.json_value import MISSING, Json
from core.formats.common.document import DocumentContainer, OpenedDocument, iterate_records
from core.formats.common.format import Format, FormatScore, ReadRequest, RowPublisher
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import coerce_text, fields_of, other_fields, string_of
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import check_number, first_words
from core.formats.common.tool_linking import link_calls
from core.formats.copilot_cli.events import handle_event
from core.formats.copilot_cli.session import (
    CopilotConversation,
    CopilotSession,
    add_message,
    finish_conversation,
)
from core.transcript.model import (
    Block,
    Conversation,
    ListedConversation,
    Speaker,
    SystemPart,
    Text,
    ToolCall,
    ToolResponse,
)

_MESSAGE_EVENTS = ("session.start", "user.message", "assistant.message", "tool.execution_start")


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by the envelope of the events, or by the kinds of entry in a timeline."""
    if opened.container is DocumentContainer.OBJECT:
        return _timeline_score(opened.objects)
    events = [value for value in opened.objects if _is_event(value)]
    message_events = sum(1 for value in events if value["type"] in _MESSAGE_EVENTS)
    if not message_events:
        return 0.0, ""
    total = len(opened.head)
    return 0.98 * len(events) / total, f"type and data of events in {len(events)} of {total} lines"


def _is_event(value: Mapping[str, Json]) -> bool:
    kind = value.get("type")
    return isinstance(kind, str) and isinstance(value.get("data"), dict) and "timestamp" in value


def _timeline_score(objects: Sequence[Mapping[str, Json]]) -> FormatScore:
    entries = objects[0].get("timeline") if objects else None
    if not isinstance(entries, list) or not entries:
        return 0.0, ""
    known = sum(1 for entry in entries if isinstance(entry, dict) and entry.get("type") in ENTRY_KINDS)
    return 0.98 * known / len(entries), f"{known} of {len(entries)} entries of the timeline are known"


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one conversation of a session; InputError for an unknown number."""
    session = CopilotSession(ImportNotes())
    if opened.container is DocumentContainer.OBJECT and opened.json is not None:
        _read_timeline(session, opened.json.value, opened.json.arrays.get("timeline", ()))
    else:
        _read_events(session, opened, request)
    check_number(opened.document.name, request.conversation, len(session.conversations))
    return _conversation(opened, session, request.conversation)


def _read_events(session: CopilotSession, opened: OpenedDocument, request: ReadRequest) -> None:
    publisher, published = RowPublisher(request.on_messages), 0
    for record in iterate_records(opened, session.notes, request.progress, request.stop):
        session.notes.records += 1
        if isinstance(record.value, dict) and _is_event(record.value):
            handle_event(session, record)
        else:
            session.notes.warn(record.line, "the line is not an event of a session; it was skipped")
            session.notes.skip("not an event")
        conversation = _conversation_numbered(session, request.conversation) if publisher.is_due else None
        if conversation is not None:
            publisher.show(conversation.messages[published:])
            published = len(conversation.messages)
    for conversation in session.conversations.values():
        finish_conversation(conversation)


def _conversation_numbered(session: CopilotSession, number: int) -> CopilotConversation | None:
    conversations = list(session.conversations.values())
    return conversations[number - 1] if 1 <= number <= len(conversations) else None


def _read_timeline(session: CopilotSession, value: Mapping[str, Json], entries: Sequence[JsonRecord]) -> None:
    session.id = string_of(value.get("sessionId"))
    session.model = string_of(value.get("model") or value.get("selectedModel"))
    for record in session.notes.track_lines(entries):
        session.notes.records += 1
        handle_entry(session, record)


def _conversation(opened: OpenedDocument, session: CopilotSession, number: int) -> Conversation:
    conversation = list(session.conversations.values())[number - 1]
    is_main = number == 1
    container = opened.container.value
    other_message_count = sum(
        len(other.messages) for other in session.conversations.values() if other is not conversation
    )
    if other_message_count:
        session.notes.skip("message of another conversation", other_message_count)
    return Conversation(
        "copilot_cli",
        opened.document,
        link_calls(conversation.messages, session.notes),
        SystemPart(tuple(text for text in (conversation.system,) if text)),
        recorded=tuple(conversation.recorded),
        report=session.notes.report(),
        model=conversation.model or session.model,
        cwd=session.cwd,
        session_id=session.id,
        reported_context=conversation.tokens,
        reported_limit=session.limit if is_main else None,
        number=number,
        siblings=len(session.conversations),
        listed=_list_entries(session),
        title=session.title if is_main else conversation.title,
        layout={"container": container, "path": ["timeline"] if container == "object" else []},
    )


def _list_entries(session: CopilotSession) -> tuple[ListedConversation, ...]:
    if len(session.conversations) < 2:
        return ()
    return tuple(
        ListedConversation(
            number,
            conversation.title
            or (session.title if number == 1 else "")
            or first_words(conversation.task)
            or key,
            len(conversation.messages),
            "sub-agent" if number > 1 else "",
            conversation.call_id,
        )
        for number, (key, conversation) in enumerate(session.conversations.items(), 1)
    )


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


COPILOT_CLI = Format(
    "copilot_cli",
    "Copilot CLI",
    "Sessions of GitHub Copilot CLI: events.jsonl, and the JSON with a timeline of 2025;"
    " no real file with a compaction was seen.",
    score,
    read,
)
