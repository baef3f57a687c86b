"""The state of reading a Copilot CLI session: its conversations and what is known of the whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from core.common.json_value import Json
from core.formats.common.import_notes import ImportNotes, opaque_flag
from core.formats.common.json_access import fields_of, string_of
from core.formats.common.json_parsing import JsonRecord
from core.transcript.model import NO_EXTRA, Block, Message, MessageFlag, RecordedCompaction, Speaker, ToolCall


@dataclass(slots=True)
class CopilotConversation:
    """The conversation of the main agent or a sub-agent. ``messages_before_event`` maps ids of events to
    the number of messages before them; ``pending_thinking`` wait for their message; ``compaction_start``
    is where a compaction began."""

    messages: list[Message] = field(default_factory=list)
    recorded: list[RecordedCompaction] = field(default_factory=list)
    call_ids: set[str] = field(default_factory=set)
    messages_before_event: dict[str, int] = field(default_factory=dict)
    pending_thinking: list[Message] = field(default_factory=list)
    compaction_start: int | None = None
    system: str = ""
    model: str = ""
    title: str = ""
    task: str = ""
    call_id: str = ""
    tokens: int | None = None


@dataclass(slots=True)
class CopilotSession:
    """A session: its conversations, the main one (key "") first, and the data of the whole."""

    notes: ImportNotes
    conversations: dict[str, CopilotConversation] = field(default_factory=lambda: {"": CopilotConversation()})
    agent_names: dict[str, str] = field(default_factory=dict)  # of sub-agents, by the call that started them
    call_by_agent: dict[str, str] = field(default_factory=dict)  # those calls, by the id of the sub-agent
    id: str = ""
    model: str = ""
    cwd: str = ""
    title: str = ""
    limit: int | None = None


def finish_conversation(conversation: CopilotConversation) -> None:
    conversation.messages.extend(conversation.pending_thinking)
    conversation.pending_thinking.clear()


def event_conversation(
    session: CopilotSession, event: Mapping[str, Json], data: Mapping[str, Json]
) -> CopilotConversation:
    agent = string_of(event.get("agentId"))
    call = string_of(data.get("parentToolCallId")) or session.call_by_agent.get(agent, "")
    key = call or agent
    if key not in session.conversations:
        session.conversations[key] = CopilotConversation(call_id=call, title=session.agent_names.get(key, ""))
    return session.conversations[key]


def add_message(
    conversation: CopilotConversation,
    record: JsonRecord,
    speaker: Speaker,
    blocks: tuple[Block, ...],
    *,
    flags: MessageFlag = MessageFlag.NONE,
    part: int = 0,
    extra: Mapping[str, Json] = NO_EXTRA,
) -> None:
    value = fields_of(record.value)
    source = record.source(part)
    conversation.call_ids.update(block.id for block in blocks if isinstance(block, ToolCall))
    id_, time = string_of(value.get("id")), string_of(value.get("timestamp"))
    message = Message(speaker, blocks, (source,), flags | opaque_flag(blocks), id_, time, extra)
    conversation.messages.append(message)
