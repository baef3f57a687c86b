"""What each event of a Copilot CLI session says, one lane for the main agent and each sub-agent."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import other_fields, text_of
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import fields_of, list_of, number_of, string_of
from core.formats.common.json_ranges import JsonRecord
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Message,
    MessageFlag,
    Opaque,
    RecordedCompaction,
    Source,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

_REASONING = ("reasoningText", "reasoningOpaque", "encryptedContent")
_CALL = ("toolCallId", "name", "arguments")


@dataclass(slots=True)
class CopilotConversation:
    """One conversation. ``places`` maps ids of events to the number of messages before them;
    ``thoughts`` wait for the message that they belong to; ``folding`` is where a compaction began."""

    messages: list[Message] = field(default_factory=list)
    recorded: list[RecordedCompaction] = field(default_factory=list)
    called: set[str] = field(default_factory=set)
    places: dict[str, int] = field(default_factory=dict)
    thoughts: list[Message] = field(default_factory=list)
    folding: int | None = None
    system: str = ""
    model: str = ""
    title: str = ""
    task: str = ""
    call_id: str = ""
    tokens: int | None = None


@dataclass(slots=True)
class CopilotSession:
    """A session: its lanes, the main one (key "") first, and what is said of the whole."""

    notes: ImportNotes
    lanes: dict[str, CopilotConversation] = field(default_factory=lambda: {"": CopilotConversation()})
    names: dict[str, str] = field(default_factory=dict)  # of sub-agents, by the call that started them
    calls: dict[str, str] = field(default_factory=dict)  # those calls, by the id of the sub-agent
    id: str = ""
    model: str = ""
    cwd: str = ""
    title: str = ""
    limit: int | None = None


Handler = Callable[[CopilotSession, CopilotConversation, JsonRecord, Mapping[str, Json]], None]


def feed_event(session: CopilotSession, record: JsonRecord) -> None:
    """Take one event; those that are no messages are counted."""
    event = record.value
    data = fields_of(event.get("data"))
    kind = string_of(event.get("type"))
    lane = session.lanes[""] if kind.startswith("subagent.") else _lane(session, event, data)
    lane.places[string_of(event.get("id"))] = len(lane.messages)
    handler = _HANDLERS.get(kind)
    if handler is not None:
        handler(session, lane, record, data)
    if handler is None or kind not in _TALK:
        session.notes.skip(kind)


def finish_conversation(lane: CopilotConversation) -> None:
    """At the end of the file: thoughts that no message came for are messages of their own."""
    lane.messages.extend(lane.thoughts)
    lane.thoughts.clear()


def _lane(
    session: CopilotSession, event: Mapping[str, Json], data: Mapping[str, Json]
) -> CopilotConversation:
    agent = string_of(event.get("agentId"))
    call = string_of(data.get("parentToolCallId")) or session.calls.get(agent, "")
    key = call or agent
    if key not in session.lanes:
        session.lanes[key] = CopilotConversation(call_id=call, title=session.names.get(key, ""))
    return session.lanes[key]


def add_message(
    lane: CopilotConversation,
    record: JsonRecord,
    speaker: Speaker,
    blocks: tuple[Block, ...],
    *,
    flags: MessageFlag = MessageFlag.NONE,
    part: int = 0,
    extra: Mapping[str, Json] = NO_EXTRA,
) -> None:
    """Append the message of a record to a lane."""
    value = fields_of(record.value)
    source = Source(record.line, record.start, record.end, part)
    if any(isinstance(block, Opaque) for block in blocks):
        flags |= MessageFlag.OPAQUE
    lane.called.update(block.id for block in blocks if isinstance(block, ToolCall))
    id_, time = string_of(value.get("id")), string_of(value.get("timestamp"))
    lane.messages.append(Message(speaker, blocks, (source,), flags, id_, time, extra))


def _user(
    session: CopilotSession, lane: CopilotConversation, record: JsonRecord, data: Mapping[str, Json]
) -> None:
    """What the person typed; ``transformedContent``, with what the harness put around it, is extra."""
    content = data.get("content")
    lane.task = lane.task or string_of(content)
    sent_by = string_of(data.get("source"))
    flags = MessageFlag.META if sent_by not in ("", "user") else MessageFlag.NONE
    add_message(
        lane, record, Speaker.HUMAN, _text(content), flags=flags, extra=other_fields(data, ("content",))
    )


def _assistant(
    session: CopilotSession, lane: CopilotConversation, record: JsonRecord, data: Mapping[str, Json]
) -> None:
    calls = [_call(one) for one in list_of(data.get("toolRequests")) if isinstance(one, dict)]
    thought = _thinking(data)
    waiting, lane.thoughts = lane.thoughts, []
    blocks = (*thought, *_text(data.get("content")), *calls)
    extra = other_fields(data, ("content", "toolRequests", *_REASONING))
    add_message(lane, record, Speaker.AI, blocks, extra=extra)
    if waiting and not thought:
        message = lane.messages[-1]
        earlier = [block for one in waiting for block in one.blocks]
        sources = tuple(source for one in waiting for source in one.sources)
        lane.messages[-1] = replace(
            message, blocks=(*earlier, *message.blocks), sources=(*sources, *message.sources)
        )
    lane.model = string_of(data.get("model")) or lane.model


def _reasoning(
    session: CopilotSession, lane: CopilotConversation, record: JsonRecord, data: Mapping[str, Json]
) -> None:
    """Reasoning as an event of its own; a message that repeats it has it already."""
    found = CopilotConversation()
    add_message(
        found,
        record,
        Speaker.AI,
        (Thinking(string_of(data.get("content")), other_fields(data, ("content",))),),
    )
    lane.thoughts.extend(found.messages)


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
        text_of(request.get("toolCallId")),
        text_of(request.get("name")),
        request.get("arguments", {}),
        other_fields(request, _CALL),
    )


def _started(
    session: CopilotSession, lane: CopilotConversation, record: JsonRecord, data: Mapping[str, Json]
) -> None:
    """A call that no message of the model asked for: the person's own, or an older log."""
    id_, name = text_of(data.get("toolCallId")), text_of(data.get("toolName"))
    if id_ in lane.called:
        return
    by_person = record.value.get("type") == "tool.user_requested"
    if not by_person:
        session.notes.repair(record.line, f"the call of {name or 'a tool'} was taken from its start")
    extra = other_fields(data, ("toolCallId", "toolName", "arguments"))
    call = ToolCall(id_, name, data.get("arguments", {}), extra)
    add_message(
        lane, record, Speaker.AI, (call,), flags=MessageFlag.COMMAND if by_person else MessageFlag.NONE
    )


def _completed(
    session: CopilotSession, lane: CopilotConversation, record: JsonRecord, data: Mapping[str, Json]
) -> None:
    """What the tool answered: ``content`` is what the model got, ``detailedContent`` what was shown."""
    result, error = fields_of(data.get("result")), data.get("error")
    failed = data.get("success") is False or error is not None
    message = fields_of(error).get("message", error)
    content = result.get("content", message if failed and message is not None else "")
    response = ToolResponse(
        text_of(data.get("toolCallId")),
        string_of(data.get("toolName")),
        content,
        (message if message is not None else content) if failed else MISSING,
        other_fields(data, ("toolCallId", "toolName", "result", "error", "success")),
    )
    add_message(lane, record, Speaker.TOOL, (response,))


def _system(
    session: CopilotSession, lane: CopilotConversation, record: JsonRecord, data: Mapping[str, Json]
) -> None:
    """The system prompt; a later one, after the session was taken up again, replaces it."""
    lane.system = string_of(data.get("content")) or lane.system


def _notification(
    session: CopilotSession, lane: CopilotConversation, record: JsonRecord, data: Mapping[str, Json]
) -> None:
    extra = other_fields(data, ("content",))
    add_message(lane, record, Speaker.HUMAN, _text(data.get("content")), flags=MessageFlag.META, extra=extra)


def _session(
    session: CopilotSession, lane: CopilotConversation, record: JsonRecord, data: Mapping[str, Json]
) -> None:
    """Events that say something of the whole session, under whichever name they say it."""
    context = fields_of(data.get("context")) or data
    session.id = string_of(data.get("sessionId")) or session.id
    session.cwd = session.cwd or string_of(context.get("cwd"))
    session.title = string_of(data.get("title")) or session.title
    session.model = string_of(data.get("newModel") or data.get("selectedModel")) or session.model
    lane.model = string_of(data.get("newModel")) or lane.model
    session.limit = number_of(data.get("tokenLimit")) or session.limit
    tokens = number_of(data.get("currentTokens"))
    lane.tokens = lane.tokens if tokens is None else tokens


def _subagent(
    session: CopilotSession, lane: CopilotConversation, record: JsonRecord, data: Mapping[str, Json]
) -> None:
    """The name of a sub-agent and the call that started it."""
    call, agent = string_of(data.get("toolCallId")), string_of(record.value.get("agentId"))
    if agent:
        session.calls[agent] = call
    session.names[call] = string_of(data.get("agentDisplayName")) or string_of(data.get("agentName"))
    if call in session.lanes and call:
        session.lanes[call].title = session.names[call]


def _fold_started(
    session: CopilotSession, lane: CopilotConversation, record: JsonRecord, data: Mapping[str, Json]
) -> None:
    lane.folding = len(lane.messages)
    _session(session, lane, record, data)


def _folded(
    session: CopilotSession, lane: CopilotConversation, record: JsonRecord, data: Mapping[str, Json]
) -> None:
    """A compaction runs beside the session: what was said since it began came through it."""
    began, lane.folding = lane.folding, None
    if data.get("success") is False:
        return
    position = len(lane.messages)
    before, removed = number_of(data.get("preCompactionTokens")), number_of(data.get("tokensRemoved"))
    after = number_of(data.get("postCompactionTokens"))
    if after is None and before is not None and removed is not None:
        after = max(0, before - removed)
    summaries = CopilotConversation()
    text = _text(data.get("summaryContent"))
    if text:
        add_message(summaries, record, Speaker.HUMAN, text, flags=MessageFlag.RECORDED_SUMMARY)
    lane.recorded.append(
        RecordedCompaction(
            "summary",
            position,
            string_of(data.get("trigger")),
            before,
            after,
            tuple(summaries.messages),
            tuple(range(position if began is None else began, position)),
            Source(record.line, record.start, record.end),
        )
    )


def _truncated(
    session: CopilotSession, lane: CopilotConversation, record: JsonRecord, data: Mapping[str, Json]
) -> None:
    """The event counts what was removed and does not name it: taken as the oldest of the context."""
    _session(session, lane, record, data)
    position = len(lane.messages)
    last = lane.recorded[-1] if lane.recorded else None
    context = (*last.kept, *range(last.position, position)) if last else tuple(range(position))
    removed = number_of(data.get("messagesRemovedDuringTruncation")) or 0
    session.notes.warn(
        record.line, f"messages truncated: {removed:,}; the log does not say which: the oldest are taken"
    )
    lane.recorded.append(
        RecordedCompaction(
            "truncate",
            position,
            "",
            number_of(data.get("preTruncationTokensInMessages")),
            number_of(data.get("postTruncationTokensInMessages")),
            kept=context[removed:],
            source=Source(record.line, record.start, record.end),
        )
    )


def _rewound(
    session: CopilotSession, lane: CopilotConversation, record: JsonRecord, data: Mapping[str, Json]
) -> None:
    """The session was taken back to before an event; what came after is no part of it."""
    place = lane.places.get(string_of(data.get("upToEventId")))
    if place is None:
        session.notes.warn(record.line, "the rewind names an event that is not in the file; it was skipped")
        return
    session.notes.skip("taken back by a rewind", len(lane.messages) - place)
    del lane.messages[place:]
    lane.recorded = [one for one in lane.recorded if one.position <= place]


_TALK: Mapping[str, Handler] = {
    "user.message": _user,
    "assistant.message": _assistant,
    "tool.execution_complete": _completed,
    "assistant.reasoning": _reasoning,
    "system.notification": _notification,
}
_HANDLERS: Mapping[str, Handler] = {
    **_TALK,
    "tool.execution_start": _started,
    "tool.user_requested": _started,
    "system.message": _system,
    "subagent.started": _subagent,
    "session.compaction_start": _fold_started,
    "session.compaction_complete": _folded,
    "session.truncation": _truncated,
    "session.snapshot_rewind": _rewound,
    **dict.fromkeys(
        (
            "session.start",
            "session.resume",
            "session.model_change",
            "session.context_changed",
            "session.title_changed",
            "session.usage_info",
            "session.shutdown",
        ),
        _session,
    ),
}
