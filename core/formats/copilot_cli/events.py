"""The events of a Copilot CLI session, and the conversations that they make up."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
from core.formats.common.messages import ImportNotes, record_messages
from core.formats.common.session_log import SessionLog
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Message,
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


@dataclass(slots=True, kw_only=True)
class CopilotConversation(SessionLog):
    """The conversation of the main agent or a sub-agent. ``messages_before_event`` maps ids of
    events to the number of messages before them; ``pending_thinking`` wait for their message;
    ``compaction_start`` is where a compaction began; ``turn_end`` is the number of messages up to
    the answer of the current turn, if the log writes where turns begin."""

    call_ids: set[str] = field(default_factory=set)
    started: set[str] = field(default_factory=set)  # ids of calls taken from their start
    messages_before_event: dict[str, int] = field(default_factory=dict)
    pending_thinking: list[Message] = field(default_factory=list)
    compaction_start: int | None = None
    has_turns: bool = False
    turn_end: int | None = None
    task: str = ""
    call_id: str = ""

    def add_blocks(
        self,
        record: JsonRecord,
        speaker: Speaker,
        blocks: Sequence[Block],
        flags: MessageFlag = MessageFlag.NONE,
        extra: Mapping[str, Json] = NO_EXTRA,
    ) -> None:
        """Add what an event or entry says, with its id and time."""
        self.call_ids.update(block.id for block in blocks if isinstance(block, ToolCall))
        id_, time = _id_and_time(record)
        self.add(record, speaker, blocks, id=id_, time=time, flags=flags, extra=extra)

    def add_answer(
        self, record: JsonRecord, blocks: Sequence[Block], extra: Mapping[str, Json]
    ) -> None:
        """Add what the model said. A turn is one request, so its messages without a result between
        them are one answer."""
        count = len(self.messages)
        if self.turn_end != count:
            self.add_blocks(record, Speaker.AI, blocks, extra=extra)
            self.turn_end = len(self.messages) if self.has_turns else None
            return
        self.call_ids.update(block.id for block in blocks if isinstance(block, ToolCall))
        self.extend_at(-1, record, blocks)
        last = self.messages[-1]
        self.messages[-1] = replace(last, extra={**extra, **last.extra})


def _id_and_time(record: JsonRecord) -> tuple[str, str]:
    value = fields_of(record.value)
    return string_of(value.get("id")), string_of(value.get("timestamp"))


@dataclass(slots=True, kw_only=True)
class CopilotSession:
    """A session: its conversations, the main one (key "") first, and the data of the whole."""

    notes: ImportNotes = field(default_factory=ImportNotes)
    conversations: dict[str, CopilotConversation] = field(init=False)
    agent_names: dict[str, str] = field(
        default_factory=dict
    )  # of sub-agents, by the call that started them
    call_by_agent: dict[str, str] = field(
        default_factory=dict
    )  # those calls, by the id of the sub-agent
    id: str = ""
    model: str = ""
    cwd: str = ""
    title: str = ""
    limit: int | None = None

    def __post_init__(self) -> None:
        self.conversations = {"": CopilotConversation(notes=self.notes)}

    def add_event(self, record: JsonRecord) -> None:
        """Read one event; events without a message are counted."""
        event, data = record.value, fields_of(record.value.get("data"))
        kind, agent = string_of(event.get("type")), string_of(event.get("agentId"))
        call = string_of(data.get("parentToolCallId")) or self.call_by_agent.get(agent, "")
        key = "" if kind.startswith("subagent.") else call or agent
        if key not in self.conversations:
            title = self.agent_names.get(key, "")
            self.conversations[key] = CopilotConversation(
                notes=self.notes, call_id=call, title=title
            )
        conversation = self.conversations[key]
        conversation.messages_before_event[string_of(event.get("id"))] = len(conversation.messages)
        handler = _MESSAGE_EVENTS.get(kind) or _OTHER_EVENTS.get(kind)
        if handler is not None:
            handler(_Event(self, conversation, record, data))
        if kind not in _MESSAGE_EVENTS:
            self.notes.skip(kind)


class _Event(NamedTuple):
    """An event with its conversation; ``data`` are its own fields."""

    session: CopilotSession
    conversation: CopilotConversation
    record: JsonRecord
    data: Mapping[str, Json]


def _user(event: _Event) -> None:
    """Add the user's text, then what the harness added to it in ``transformedContent``, which is
    what the model got."""
    _, conversation, record, data = event
    content = data.get("content")
    conversation.task = conversation.task or string_of(content)
    by_user = string_of(data.get("source")) in ("", "user")
    flags, extra = (
        MessageFlag.NONE if by_user else MessageFlag.META,
        other_fields(data, ("content",)),
    )
    conversation.add_blocks(record, Speaker.HUMAN, _text(content), flags, extra)
    if added := _added_words(string_of(content), string_of(data.get("transformedContent"))):
        context = MessageFlag.META | MessageFlag.CONTEXT
        conversation.add_blocks(record, Speaker.HUMAN, (Text(added),), context)


def _added_words(said: str, sent: str) -> str:
    """Return the words that were sent around those of the person; all of them where the person's
    are not among them."""
    before, found, after = sent.partition(said.strip()) if said.strip() else ("", "", sent)
    if not found:
        before, after = "", sent
    return "\n".join(filter(None, (before.strip(), after.strip())))


def _notification(event: _Event) -> None:
    _, conversation, record, data = event
    text, extra = _text(data.get("content")), other_fields(data, ("content",))
    conversation.add_blocks(record, Speaker.HUMAN, text, MessageFlag.META, extra)


def _assistant(event: _Event) -> None:
    _, conversation, record, data = event
    thinking, requests = _thinking(data), map(fields_of, list_of(data.get("toolRequests")))
    calls = [_call(request) for request in requests if request]
    # a call that was taken from its start, which some versions write first, stands there
    new_calls = [call for call in calls if call.id not in conversation.started]
    conversation.started -= {call.id for call in calls}
    blocks = (*thinking, *_text(data.get("content")), *new_calls)
    extra = other_fields(data, ("content", "toolRequests", *_REASONING))
    conversation.add_answer(record, blocks, extra)
    pending_thinking, conversation.pending_thinking = conversation.pending_thinking, []
    if pending_thinking and not thinking:
        parts = [*pending_thinking, conversation.messages[-1]]
        conversation.messages[-1] = replace(
            parts[-1],
            blocks=tuple(block for part in parts for block in part.blocks),
            sources=tuple(source for part in parts for source in part.sources),
        )
    conversation.model = string_of(data.get("model")) or conversation.model


def _reasoning(event: _Event) -> None:
    """Hold reasoning of its own event for the next message."""
    _, conversation, record, data = event
    thinking = Thinking(string_of(data.get("content")), other_fields(data, ("content",)))
    parts = [(Speaker.AI, (thinking,))]
    conversation.pending_thinking += record_messages(
        record.source(), parts, MessageFlag.NONE, *_id_and_time(record)
    )


def _thinking(data: Mapping[str, Json]) -> tuple[Thinking, ...]:
    extra = {name: data[name] for name in _REASONING[1:] if data.get(name)}
    text = string_of(data.get("reasoningText"))
    return (Thinking(text, extra or NO_EXTRA),) if text or extra else ()


def _text(content: Json) -> tuple[Block, ...]:
    if content in ("", None):
        return ()
    return (Text(content),) if isinstance(content, str) else (Opaque("content", content),)


def _call(request: Mapping[str, Json]) -> ToolCall:
    id_, name = coerce_text(request.get("toolCallId")), coerce_text(request.get("name"))
    return ToolCall(id_, name, request.get("arguments", {}), other_fields(request, _CALL_FIELDS))


def _turn_started(event: _Event) -> None:
    event.conversation.has_turns, event.conversation.turn_end = True, None


def _tool_started(event: _Event) -> None:
    """Add a call that is in no message of the model: the user's own, or of an older log."""
    session, conversation, record, data = event
    id_, name = coerce_text(data.get("toolCallId")), coerce_text(data.get("toolName"))
    if id_ in conversation.call_ids:
        return
    by_user = record.value.get("type") == "tool.user_requested"
    if not by_user:
        session.notes.repair(
            record.line, f"the call of {name or 'a tool'} was taken from its start"
        )
        conversation.started.add(id_)
    extra = other_fields(data, ("toolCallId", "toolName", "arguments"))
    call = ToolCall(id_, name, data.get("arguments", {}), extra)
    flags = MessageFlag.COMMAND if by_user else MessageFlag.NONE
    conversation.add_blocks(record, Speaker.AI, (call,), flags)


def _tool_completed(event: _Event) -> None:
    """Add the tool's answer: ``content`` went to the model, ``detailedContent`` was shown."""
    _, conversation, record, data = event
    error = data.get("error")
    failed = data.get("success") is False or error is not None
    message = fields_of(error).get("message", error)
    default = message if failed and message is not None else ""
    content = fields_of(data.get("result")).get("content", default)
    failure: Json = MISSING
    if failed:
        failure = content if message is None else message
    response = ToolResponse(
        coerce_text(data.get("toolCallId")),
        string_of(data.get("toolName")),
        content,
        failure,
        other_fields(data, ("toolCallId", "toolName", "result", "error", "success")),
    )
    conversation.add_blocks(record, Speaker.TOOL, (response,))


def _system(event: _Event) -> None:
    if text := string_of(event.data.get("content")):
        event.conversation.system = [text]


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
    conversation.reported_context = conversation.reported_context if tokens is None else tokens


def _subagent(event: _Event) -> None:
    session, _, record, data = event
    call, agent = string_of(data.get("toolCallId")), string_of(record.value.get("agentId"))
    if agent:
        session.call_by_agent[agent] = call
    session.agent_names[call] = string_of(data.get("agentDisplayName")) or string_of(
        data.get("agentName")
    )
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
    boundary = len(conversation.messages)
    names = ("preCompactionTokens", "postCompactionTokens", "tokensRemoved")
    before, after, removed = (number_of(data.get(name)) for name in names)
    if after is None and before is not None and removed is not None:
        after = max(0, before - removed)
    text = _text(data.get("summaryContent"))
    flag, parts = MessageFlag.RECORDED_SUMMARY, [(Speaker.HUMAN, text)]
    summary = record_messages(record.source(), parts, flag, *_id_and_time(record)) if text else ()
    conversation.recorded.append(
        RecordedCompaction(
            kind="summary",
            boundary=boundary,
            trigger=string_of(data.get("trigger")),
            tokens_before=before,
            tokens_after=after,
            summary=tuple(summary),
            kept=tuple(range(boundary if start is None else start, boundary)),
            source=record.source(),
        )
    )


def _truncated(event: _Event) -> None:
    """Record a truncation that removed something; the event only counts what was removed, so the
    oldest messages are taken."""
    session, conversation, record, data = event
    _update_session(event)
    counts = ("messagesRemovedDuringTruncation", "tokensRemovedDuringTruncation")
    if not any(number_of(data.get(name)) for name in counts) and counts[0] in data:
        return
    boundary = len(conversation.messages)
    last = conversation.recorded[-1] if conversation.recorded else None
    context = (*last.kept, *range(last.boundary, boundary)) if last else tuple(range(boundary))
    removed = number_of(data.get("messagesRemovedDuringTruncation")) or 0
    session.notes.warn(
        record.line,
        f"messages truncated: {removed:,}; the log does not say which: the oldest are taken",
    )
    names = ("preTruncationTokensInMessages", "postTruncationTokensInMessages")
    before, after = (number_of(data.get(name)) for name in names)
    conversation.recorded.append(
        RecordedCompaction(
            kind="truncate",
            boundary=boundary,
            tokens_before=before,
            tokens_after=after,
            kept=context[removed:],
            source=record.source(),
        )
    )


def _rewound(event: _Event) -> None:
    """Remove the messages after the event that the session was rewound to."""
    session, conversation, record, data = event
    count = conversation.messages_before_event.get(string_of(data.get("upToEventId")))
    if count is None:
        session.notes.warn(
            record.line, "the rewind names an event that is not in the file; it was skipped"
        )
        return
    session.notes.skip("taken back by a rewind", len(conversation.messages) - count)
    del conversation.messages[count:]
    conversation.recorded = [
        compaction for compaction in conversation.recorded if compaction.boundary <= count
    ]


_Handler: TypeAlias = Callable[[_Event], None]
_MESSAGE_EVENTS: Mapping[str, _Handler] = {
    "user.message": _user,
    "assistant.message": _assistant,
    "tool.execution_complete": _tool_completed,
    "assistant.reasoning": _reasoning,
    "system.notification": _notification,
}
_SESSION_EVENTS = (
    *(
        "start",
        "resume",
        "model_change",
        "context_changed",
        "title_changed",
        "usage_info",
        "shutdown",
    ),
)
_OTHER_EVENTS: Mapping[str, _Handler] = {
    "assistant.turn_start": _turn_started,
    "tool.execution_start": _tool_started,
    "tool.user_requested": _tool_started,
    "system.message": _system,
    "subagent.started": _subagent,
    "session.compaction_start": _compaction_started,
    "session.compaction_complete": _compacted,
    "session.truncation": _truncated,
    "session.snapshot_rewind": _rewound,
    **{f"session.{name}": _update_session for name in _SESSION_EVENTS},
}
