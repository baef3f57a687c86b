"""Handlers for the events of a Copilot CLI session."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from core.common.json_value import MISSING, Json
from core.formats.common.json_access import (
    coerce_text,
    fields_of,
    list_of,
    number_of,
    other_fields,
    string_of,
)
from core.formats.common.json_parsing import JsonRecord
from core.formats.copilot_cli.session import (
    CopilotConversation,
    CopilotSession,
    add_message,
    event_conversation,
)
from core.transcript.model import (
    NO_EXTRA,
    Block,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_REASONING = ("reasoningText", "reasoningOpaque", "encryptedContent")
_CALL_FIELDS = ("toolCallId", "name", "arguments")


class _Event(NamedTuple):
    """An event with its conversation; ``data`` are its own fields."""

    session: CopilotSession
    conversation: CopilotConversation
    record: JsonRecord
    data: Mapping[str, Json]


Handler: TypeAlias = Callable[[_Event], None]


def handle_event(session: CopilotSession, record: JsonRecord) -> None:
    """Handle one event; events without a message are counted."""
    event = record.value
    data = fields_of(event.get("data"))
    kind = string_of(event.get("type"))
    conversation = (
        session.conversations[""]
        if kind.startswith("subagent.")
        else event_conversation(session, event, data)
    )
    conversation.messages_before_event[string_of(event.get("id"))] = len(conversation.messages)
    handler = _HANDLERS.get(kind)
    if handler is not None:
        handler(_Event(session, conversation, record, data))
    if handler is None or kind not in _MESSAGE_EVENTS:
        session.notes.skip(kind)


def _user(event: _Event) -> None:
    """Add the user's text; ``transformedContent``, with the additions of the harness, is extra."""
    _, conversation, record, data = event
    content = data.get("content")
    conversation.task = conversation.task or string_of(content)
    sent_by = string_of(data.get("source"))
    flags = MessageFlag.META if sent_by not in ("", "user") else MessageFlag.NONE
    extra = other_fields(data, ("content",))
    add_message(conversation, record, Speaker.HUMAN, _text(content), flags=flags, extra=extra)


def _assistant(event: _Event) -> None:
    _, conversation, record, data = event
    calls = [_call(item) for item in list_of(data.get("toolRequests")) if isinstance(item, dict)]
    thinking = _thinking(data)
    pending_thinking, conversation.pending_thinking = conversation.pending_thinking, []
    blocks = (*thinking, *_text(data.get("content")), *calls)
    extra = other_fields(data, ("content", "toolRequests", *_REASONING))
    add_message(conversation, record, Speaker.AI, blocks, extra=extra)
    if pending_thinking and not thinking:
        message = conversation.messages[-1]
        earlier_blocks = [block for item in pending_thinking for block in item.blocks]
        sources = tuple(source for item in pending_thinking for source in item.sources)
        conversation.messages[-1] = replace(
            message, blocks=(*earlier_blocks, *message.blocks), sources=(*sources, *message.sources)
        )
    conversation.model = string_of(data.get("model")) or conversation.model


def _reasoning(event: _Event) -> None:
    """Hold reasoning of its own event for the next message."""
    _, conversation, record, data = event
    temporary = CopilotConversation()
    add_message(
        temporary,
        record,
        Speaker.AI,
        (Thinking(string_of(data.get("content")), other_fields(data, ("content",))),),
    )
    conversation.pending_thinking.extend(temporary.messages)


def _thinking(data: Mapping[str, Json]) -> tuple[Thinking, ...]:
    extra = {name: data[name] for name in _REASONING[1:] if data.get(name)}
    text = string_of(data.get("reasoningText"))
    return (Thinking(text, extra or NO_EXTRA),) if text or extra else ()


def _text(content: Json) -> tuple[Block, ...]:
    if content in ("", None):
        return ()
    return (Text(content),) if isinstance(content, str) else (Opaque("content", content),)


def _call(request: Mapping[str, Json]) -> ToolCall:
    return ToolCall(
        coerce_text(request.get("toolCallId")),
        coerce_text(request.get("name")),
        request.get("arguments", {}),
        other_fields(request, _CALL_FIELDS),
    )


def _tool_started(event: _Event) -> None:
    """Add a call that is in no message of the model: the user's own, or of an older log."""
    session, conversation, record, data = event
    id_, name = coerce_text(data.get("toolCallId")), coerce_text(data.get("toolName"))
    if id_ in conversation.call_ids:
        return
    by_user = record.value.get("type") == "tool.user_requested"
    if not by_user:
        session.notes.repair(record.line, f"the call of {name or 'a tool'} was taken from its start")
    extra = other_fields(data, ("toolCallId", "toolName", "arguments"))
    call = ToolCall(id_, name, data.get("arguments", {}), extra)
    add_message(
        conversation, record, Speaker.AI, (call,), flags=MessageFlag.COMMAND if by_user else MessageFlag.NONE
    )


def _tool_completed(event: _Event) -> None:
    """Add the tool's answer: ``content`` went to the model, ``detailedContent`` was shown."""
    _, conversation, record, data = event
    result, error = fields_of(data.get("result")), data.get("error")
    failed = data.get("success") is False or error is not None
    message = fields_of(error).get("message", error)
    content = result.get("content", message if failed and message is not None else "")
    response = ToolResponse(
        coerce_text(data.get("toolCallId")),
        string_of(data.get("toolName")),
        content,
        (message if message is not None else content) if failed else MISSING,
        other_fields(data, ("toolCallId", "toolName", "result", "error", "success")),
    )
    add_message(conversation, record, Speaker.TOOL, (response,))


def _system(event: _Event) -> None:
    event.conversation.system = string_of(event.data.get("content")) or event.conversation.system


def _notification(event: _Event) -> None:
    _, conversation, record, data = event
    extra = other_fields(data, ("content",))
    text = _text(data.get("content"))
    add_message(conversation, record, Speaker.HUMAN, text, flags=MessageFlag.META, extra=extra)


def _update_session(event: _Event) -> None:
    session, conversation, _, data = event
    context = fields_of(data.get("context")) or data
    session.id = string_of(data.get("sessionId")) or session.id
    session.cwd = session.cwd or string_of(context.get("cwd"))
    session.title = string_of(data.get("title")) or session.title
    session.model = string_of(data.get("newModel") or data.get("selectedModel")) or session.model
    conversation.model = string_of(data.get("newModel")) or conversation.model
    session.limit = number_of(data.get("tokenLimit")) or session.limit
    tokens = number_of(data.get("currentTokens"))
    conversation.tokens = conversation.tokens if tokens is None else tokens


def _subagent(event: _Event) -> None:
    session, _, record, data = event
    call, agent = string_of(data.get("toolCallId")), string_of(record.value.get("agentId"))
    if agent:
        session.call_by_agent[agent] = call
    session.agent_names[call] = string_of(data.get("agentDisplayName")) or string_of(data.get("agentName"))
    if call in session.conversations and call:
        session.conversations[call].title = session.agent_names[call]


def _compaction_started(event: _Event) -> None:
    event.conversation.compaction_start = len(event.conversation.messages)
    _update_session(event)


def _compacted(event: _Event) -> None:
    """Record a compaction; it runs beside the session, so messages since its start are kept."""
    _, conversation, record, data = event
    start, conversation.compaction_start = conversation.compaction_start, None
    if data.get("success") is False:
        return
    position = len(conversation.messages)
    before, removed = (number_of(data.get("preCompactionTokens")), number_of(data.get("tokensRemoved")))
    after = number_of(data.get("postCompactionTokens"))
    if after is None and before is not None and removed is not None:
        after = max(0, before - removed)
    summary_conversation = CopilotConversation()
    text = _text(data.get("summaryContent"))
    if text:
        add_message(summary_conversation, record, Speaker.HUMAN, text, flags=MessageFlag.RECORDED_SUMMARY)
    conversation.recorded.append(
        RecordedCompaction(
            "summary",
            position,
            string_of(data.get("trigger")),
            before,
            after,
            tuple(summary_conversation.messages),
            tuple(range(position if start is None else start, position)),
            record.source(),
        )
    )


def _truncated(event: _Event) -> None:
    """Record a truncation; the event only counts what was removed, so the oldest messages are taken."""
    session, conversation, record, data = event
    _update_session(event)
    position = len(conversation.messages)
    last = conversation.recorded[-1] if conversation.recorded else None
    context = (*last.kept, *range(last.position, position)) if last else tuple(range(position))
    removed = number_of(data.get("messagesRemovedDuringTruncation")) or 0
    session.notes.warn(
        record.line, f"messages truncated: {removed:,}; the log does not say which: the oldest are taken"
    )
    conversation.recorded.append(
        RecordedCompaction(
            "truncate",
            position,
            "",
            number_of(data.get("preTruncationTokensInMessages")),
            number_of(data.get("postTruncationTokensInMessages")),
            kept=context[removed:],
            source=record.source(),
        )
    )


def _rewound(event: _Event) -> None:
    """Remove the messages after the event that the session was rewound to."""
    session, conversation, record, data = event
    message_count = conversation.messages_before_event.get(string_of(data.get("upToEventId")))
    if message_count is None:
        session.notes.warn(record.line, "the rewind names an event that is not in the file; it was skipped")
        return
    session.notes.skip("taken back by a rewind", len(conversation.messages) - message_count)
    del conversation.messages[message_count:]
    conversation.recorded = [
        compaction for compaction in conversation.recorded if compaction.position <= message_count
    ]


_MESSAGE_EVENTS: Mapping[str, Handler] = {
    "user.message": _user,
    "assistant.message": _assistant,
    "tool.execution_complete": _tool_completed,
    "assistant.reasoning": _reasoning,
    "system.notification": _notification,
}
_HANDLERS: Mapping[str, Handler] = {
    **_MESSAGE_EVENTS,
    "tool.execution_start": _tool_started,
    "tool.user_requested": _tool_started,
    "system.message": _system,
    "subagent.started": _subagent,
    "session.compaction_start": _compaction_started,
    "session.compaction_complete": _compacted,
    "session.truncation": _truncated,
    "session.snapshot_rewind": _rewound,
    "session.start": _update_session,
    "session.resume": _update_session,
    "session.model_change": _update_session,
    "session.context_changed": _update_session,
    "session.title_changed": _update_session,
    "session.usage_info": _update_session,
    "session.shutdown": _update_session,
}
