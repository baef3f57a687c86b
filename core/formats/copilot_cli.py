"""Reader for sessions of GitHub Copilot CLI: ``events.jsonl``, and the one JSON with ``timeline``
of 2025.

Events are linked by ``toolCallId``. Those of a sub-agent name the call that started it; each
sub-agent is a conversation of its own, the main one is the first.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple, TypeAlias

from core.common.json_value import MISSING, Json
from core.formats.common.document import (
    DocumentContainer,
    OpenedDocument,
    iterate_records,
)
from core.formats.common.format import Format, FormatScore, ReadRequest, RowPublisher
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    list_of,
    number_of,
    other_fields,
    string_of,
)
from core.formats.common.message_lists import check_number, first_words, numbered
from core.formats.common.messages import ImportNotes, record_messages
from core.formats.common.session_log import SessionLog, joined_answers
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Conversation,
    ListedConversation,
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
_REQUEST_FIELDS = ("toolCallId", "name", "arguments")


@dataclass(slots=True, kw_only=True)
class CopilotConversation(SessionLog):
    """The conversation of the main agent or a sub-agent. ``messages_before_event`` maps ids of
    events to the number of messages before them; ``pending_thinking`` wait for their message;
    ``compaction_start`` is where a compaction began; ``turn_end`` is the number of messages up to
    the answer of the current turn, if the log writes where turns begin."""

    call_ids: set[str] = field(default_factory=set)
    # Ids of calls taken from their start.
    started: set[str] = field(default_factory=set)
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
        self.call_ids.update(
            block.id for block in blocks if isinstance(block, ToolCall)
        )
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
            if self.has_turns:
                self.turn_end = len(self.messages)
            else:
                self.turn_end = None
            return
        self.call_ids.update(
            block.id for block in blocks if isinstance(block, ToolCall)
        )
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
    # Of sub-agents, by the call that started them.
    agent_names: dict[str, str] = field(default_factory=dict)
    # Those calls, by the id of the sub-agent.
    call_by_agent: dict[str, str] = field(default_factory=dict)
    id: str = ""
    model: str = ""
    cwd: str = ""
    title: str = ""
    limit: int | None = None

    def __post_init__(self) -> None:
        self.conversations = {"": CopilotConversation(notes=self.notes)}

    def add_event(self, record: JsonRecord) -> None:
        """Read one event; events without a message are counted."""
        event = record.value
        data = fields_of(record.value.get("data"))
        kind = string_of(event.get("type"))
        agent = string_of(event.get("agentId"))
        # Probably newer versions name the agent, older ones the call that started it.
        call = string_of(data.get("parentToolCallId")) or self.call_by_agent.get(
            agent, ""
        )
        # The start and end of a sub-agent are events of the main agent.
        if kind.startswith("subagent."):
            key = ""
        else:
            key = call or agent
        if key not in self.conversations:
            title = self.agent_names.get(key, "")
            self.conversations[key] = CopilotConversation(
                notes=self.notes, call_id=call, title=title
            )
        conversation = self.conversations[key]
        conversation.messages_before_event[string_of(event.get("id"))] = len(
            conversation.messages
        )
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
    # The harness sends words of its own as messages of the user.
    by_user = string_of(data.get("source")) in ("", "user")
    flags = MessageFlag.NONE if by_user else MessageFlag.META
    extra = other_fields(data, ("content",))
    conversation.add_blocks(record, Speaker.HUMAN, _text(content), flags, extra)
    if added := _added_words(
        string_of(content), string_of(data.get("transformedContent"))
    ):
        context = MessageFlag.META | MessageFlag.CONTEXT
        conversation.add_blocks(record, Speaker.HUMAN, (Text(added),), context)


def _added_words(said: str, sent: str) -> str:
    """Return the words that were sent around those of the person; all of them where the person's
    are not among them."""
    before, found, after = (
        sent.partition(said.strip()) if said.strip() else ("", "", sent)
    )
    if not found:
        before, after = "", sent
    return "\n".join(filter(None, (before.strip(), after.strip())))


def _notification(event: _Event) -> None:
    _, conversation, record, data = event
    text = _text(data.get("content"))
    extra = other_fields(data, ("content",))
    conversation.add_blocks(record, Speaker.HUMAN, text, MessageFlag.META, extra)


def _joined(parts: Sequence[Message]) -> Message:
    """Return the last message with the blocks of those before it."""
    return replace(
        parts[-1],
        blocks=tuple(block for part in parts for block in part.blocks),
        sources=tuple(source for part in parts for source in part.sources),
    )


def _assistant(event: _Event) -> None:
    _, conversation, record, data = event
    thinking = _thinking(data)
    requests = map(fields_of, list_of(data.get("toolRequests")))
    calls = [_call(request) for request in requests if request]
    # a call that was taken from its start, which some versions write first, stands there
    new_calls = [call for call in calls if call.id not in conversation.started]
    conversation.started -= {call.id for call in calls}
    blocks = (*thinking, *_text(data.get("content")), *new_calls)
    extra = other_fields(data, ("content", "toolRequests", *_REASONING))
    conversation.add_answer(record, blocks, extra)
    pending_thinking, conversation.pending_thinking = conversation.pending_thinking, []
    # Probably newer versions repeat the reasoning inside the message.
    if pending_thinking and not thinking:
        conversation.messages[-1] = _joined(
            [*pending_thinking, conversation.messages[-1]]
        )
    conversation.model = string_of(data.get("model")) or conversation.model


def _reasoning(event: _Event) -> None:
    """Hold reasoning of its own event for the next message."""
    _, conversation, record, data = event
    thinking = Thinking(
        string_of(data.get("content")), other_fields(data, ("content",))
    )
    parts = [(Speaker.AI, (thinking,))]
    conversation.pending_thinking += record_messages(
        record.source(), parts, MessageFlag.NONE, *_id_and_time(record)
    )


def _thinking(data: Mapping[str, Json]) -> tuple[Thinking, ...]:
    extra = {name: data[name] for name in _REASONING[1:] if data.get(name)}
    text = string_of(data.get("reasoningText"))
    # Encrypted reasoning has no text, but it is sent again and has a size.
    if text or extra:
        return (Thinking(text, extra or NO_EXTRA),)
    return ()


def _text(content: Json) -> tuple[Block, ...]:
    if content in ("", None):
        return ()
    if isinstance(content, str):
        return (Text(content),)
    return (Opaque("content", content),)


def _call(request: Mapping[str, Json]) -> ToolCall:
    id_ = coerce_text(request.get("toolCallId"))
    name = coerce_text(request.get("name"))
    return ToolCall(
        id_, name, request.get("arguments", {}), other_fields(request, _REQUEST_FIELDS)
    )


def _turn_started(event: _Event) -> None:
    event.conversation.has_turns, event.conversation.turn_end = True, None


def _tool_started(event: _Event) -> None:
    """Add a call that is in no message of the model: the user's own, or of an older log."""
    session, conversation, record, data = event
    id_ = coerce_text(data.get("toolCallId"))
    name = coerce_text(data.get("toolName"))
    if id_ in conversation.call_ids:
        return
    by_user = record.value.get("type") == "tool.user_requested"
    if not by_user:
        # A log of 2025 has calls in these events alone.
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
    # A failed call has its message in the error and no content.
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
    session.model = (
        string_of(data.get("newModel") or data.get("selectedModel")) or session.model
    )
    conversation.model = string_of(data.get("newModel")) or conversation.model
    session.limit = number_of(data.get("tokenLimit")) or session.limit
    tokens = number_of(data.get("currentTokens"))
    # Only some events tell the size; the last known one holds.
    conversation.reported_context = (
        conversation.reported_context if tokens is None else tokens
    )


def _subagent(event: _Event) -> None:
    session, _, record, data = event
    call = string_of(data.get("toolCallId"))
    agent = string_of(record.value.get("agentId"))
    if agent:
        session.call_by_agent[agent] = call
    session.agent_names[call] = string_of(data.get("agentDisplayName")) or string_of(
        data.get("agentName")
    )
    # Probably the name may come after the first event of the sub-agent.
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
    # Probably older versions tell what was removed instead of what is left.
    if after is None and before is not None and removed is not None:
        after = max(0, before - removed)
    text = _text(data.get("summaryContent"))
    flag, parts = MessageFlag.RECORDED_SUMMARY, [(Speaker.HUMAN, text)]
    summary = (
        record_messages(record.source(), parts, flag, *_id_and_time(record))
        if text
        else ()
    )
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
    # The event is written for each request, also where nothing had to go.
    if not any(number_of(data.get(name)) for name in counts) and counts[0] in data:
        return
    boundary = len(conversation.messages)
    if conversation.recorded:
        last = conversation.recorded[-1]
    else:
        last = None
    if last:
        # What an earlier compaction kept is the oldest part of the context.
        context = (*last.kept, *range(last.boundary, boundary))
    else:
        context = tuple(range(boundary))
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
            record.line,
            "the rewind names an event that is not in the file; it was skipped",
        )
        return
    session.notes.skip("taken back by a rewind", len(conversation.messages) - count)
    # Copilot leaves the events of what was taken back in the file.
    del conversation.messages[count:]
    conversation.recorded = [
        compaction
        for compaction in conversation.recorded
        if compaction.boundary <= count
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


_KNOWN_EVENTS = (
    "session.start",
    "user.message",
    "assistant.message",
    "tool.execution_start",
)
_SPEAKERS = {"user": Speaker.HUMAN, "copilot": Speaker.AI}
_ENTRY_KINDS = (
    *_SPEAKERS,
    "tool_call_requested",
    "tool_call_completed",
    "info",
    "error",
    "warning",
)
_ENTRY_FIELDS = ("id", "timestamp", "type", "callId", "name", "arguments", "result")


def score(file: OpenedDocument) -> FormatScore:
    """Judge by the envelope of the events, or by the kinds of entry in a timeline."""
    if file.container is DocumentContainer.OBJECT:
        if file.objects:
            entries = list_of(file.objects[0].get("timeline"))
        else:
            entries = ()
        known = sum(fields_of(entry).get("type") in _ENTRY_KINDS for entry in entries)
        reason = f"{known} of {len(entries)} entries of the timeline are known"
        if entries:
            return (0.98 * known / len(entries), reason)
        return (0.0, "")
    events = [value for value in file.objects if _is_event(value)]
    if not any(value["type"] in _KNOWN_EVENTS for value in events):
        return 0.0, ""
    total = len(file.head)
    return 0.98 * len(
        events
    ) / total, f"type and data of events in {len(events)} of {total} lines"


def _is_event(value: Mapping[str, Json]) -> bool:
    kind = value.get("type")
    return (
        isinstance(kind, str)
        and isinstance(value.get("data"), dict)
        and "timestamp" in value
    )


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    session = CopilotSession()
    if file.container is DocumentContainer.OBJECT and file.json is not None:
        _read_timeline(session, file.json.value, file.json.arrays.get("timeline", ()))
    else:
        _read_events(session, file, request)
    check_number(file.document.name, request.conversation, len(session.conversations))
    return _conversation(file, session, request.conversation)


def _read_events(
    session: CopilotSession, file: OpenedDocument, request: ReadRequest
) -> None:
    publisher = RowPublisher(request.on_messages)
    for record in iterate_records(file, session.notes, request.progress, request.stop):
        session.notes.records += 1
        if isinstance(record.value, dict) and _is_event(record.value):
            session.add_event(record)
        else:
            session.notes.warn(
                record.line, "the line is not an event of a session; it was skipped"
            )
            session.notes.skip("not an event")
        if publisher.is_due:
            for conversation in list(session.conversations.values())[
                request.conversation - 1 :
            ][:1]:
                # the last answer may still grow
                publisher.show(conversation.messages, len(conversation.messages) - 1)
    for conversation in session.conversations.values():
        # Reasoning at the end waits for an answer that never came.
        conversation.messages += conversation.pending_thinking


def _listed(session: CopilotSession) -> tuple[ListedConversation, ...]:
    """Return the conversations of a session; the first is that with the person."""
    listed = []
    for number, (key, each) in enumerate(session.conversations.items(), 1):
        is_main = number == 1
        title = each.title or (session.title if is_main else "")
        title = title or first_words(each.task) or key
        count = len(joined_answers(each.messages, each.recorded)[0])
        kind = "" if is_main else "sub-agent"
        listed.append(ListedConversation(number, title, count, kind, each.call_id))
    return tuple(listed)


def _conversation(
    file: OpenedDocument, session: CopilotSession, number: int
) -> Conversation:
    conversations = list(session.conversations.values())
    conversation = conversations[number - 1]
    is_main = number == 1
    container = file.container.value
    if others := sum(len(other.messages) for other in conversations) - len(
        conversation.messages
    ):
        session.notes.skip("message of another conversation", others)
    return replace(
        numbered(
            conversation.conversation("copilot_cli", file), number, _listed(session)
        ),
        model=conversation.model or session.model,
        cwd=session.cwd,
        session_id=session.id,
        reported_context=conversation.reported_context,
        reported_limit=session.limit if is_main else None,
        title=session.title if is_main else conversation.title,
        layout={
            "container": container,
            "path": ["timeline"] if container == "object" else [],
        },
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
    entry = fields_of(record.value)
    conversation = session.conversations[""]
    kind = string_of(entry.get("type"))
    id_ = coerce_text(entry.get("callId"))
    name = coerce_text(entry.get("name"))
    call = ToolCall(
        id_, name, entry.get("arguments", {}), other_fields(entry, _ENTRY_FIELDS)
    )
    if kind in _SPEAKERS:
        text = string_of(entry.get("text"))
        conversation.task = conversation.task or text
        extra = other_fields(entry, ("id", "timestamp", "type", "text"))
        conversation.add_blocks(
            record, _SPEAKERS[kind], (Text(text),) if text else (), extra=extra
        )
    elif kind == "tool_call_requested":
        conversation.add_blocks(record, Speaker.AI, (call,))
    elif kind == "tool_call_completed":
        # A call may be completed without a request in the log.
        if id_ not in conversation.call_ids:
            conversation.add_blocks(record, Speaker.AI, (call,))
        result = fields_of(entry.get("result"))
        log = result.get("log", "")
        # A missing type is success in the older log.
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
