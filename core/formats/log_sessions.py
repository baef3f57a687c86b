"""Readers for agents whose session is a log: Grok Build and Qwen Code.

Grok has the current context (chat_history.jsonl), or the whole course (updates.jsonl), in which an answer
comes in pieces; with the files beside them. Qwen has a tree of records whose messages are contents of Gemini.
The chain from the last record to the root is the active branch, each other leaf a branch of its own. Lines of
one uuid are one message. After a compression its record holds what the model sees from then on.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import plain_text
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Evidence, Format, FormatScore, ReadRequest
from core.formats.common.json_access import (
    coerce_text,
    fields_of,
    list_of,
    nested,
    number_of,
    other_fields,
    string_of,
)
from core.formats.common.json_parsing import JsonRecord
from core.formats.common.message_lists import check_branch, check_number, first_words, numbered
from core.formats.common.session_log import SessionLog, log_records, shape_score, side_file
from core.formats.gemini.parts import read_parts
from core.formats.openai_chat.messages import function_call, read_part
from core.transcript.model import (
    Block,
    Conversation,
    ConversationBranch,
    ListedConversation,
    Media,
    Message,
    MessageFlag,
    ServerTool,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    joined_text,
)

_SPOKEN = ("", "interjection")
"""Reasons of user records that the user typed."""


def _score_grok(opened: OpenedDocument) -> FormatScore:
    """Judge by the records of its history; those of the system and reasoning are shared with others."""
    result, reason = shape_score(opened, "grok_build", "records of its history")
    return (max(result, 0.6) if result else 0.0), reason


def _read_grok(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    log = SessionLog()
    is_course = False
    for record in log_records(replace(opened, format=""), request, log):  # some look like items of Responses
        if update := fields_of(nested(record.value, "params", "update")):
            is_course = True
            _add_update(record, update, log)
        else:
            _add_grok(record, log)
    summary, signals = side_file(opened, "summary.json"), side_file(opened, "signals.json")
    log.session_id = string_of(nested(summary, "info", "id"))
    log.cwd = string_of(nested(summary, "info", "cwd"))
    log.model = log.model or string_of(summary.get("current_model_id"))
    log.title = string_of(summary.get("generated_title")) or string_of(summary.get("session_summary"))
    log.reported_context = number_of(signals.get("contextTokensUsed"))
    log.reported_limit = number_of(signals.get("contextWindowTokens"))
    if (count := number_of(signals.get("compactionCount"))) and not is_course:
        times = "once" if count == 1 else f"{count} times"
        whole = "the file holds the context after that, updates.jsonl the whole course"
        log.notes.warn(0, f"compacted {times}; {whole}")
    return log.conversation("grok_build", opened)


def _add_grok(record: JsonRecord, log: SessionLog) -> None:
    value, content = record.value, record.value.get("content")
    kind = string_of(value.get("type")) or string_of(value.get("role"))
    if kind == "system" and not log.messages:
        log.add_system(record, plain_text(content))
    elif kind in ("user", "system"):
        is_spoken = coerce_text(value.get("synthetic_reason")) in _SPOKEN
        flags = MessageFlag.NONE if is_spoken else MessageFlag.META
        log.add(record, Speaker.HUMAN, _content(content, log, record.line), flags=flags)
    elif kind == "reasoning":
        text = plain_text(value.get("summary"))
        _say(record, [Thinking(text, {"encrypted_content": value.get("encrypted_content")})], log)
    elif kind == "backend_tool_call":
        tool = fields_of(value.get("kind"))
        id_, name = coerce_text(tool.get("id")), coerce_text(tool.get("tool_type"))
        call = ToolCall(id_, name, tool.get("action", {}))
        _say(record, [ServerTool(kind, value, None, (call,))], log)
    elif kind == "assistant":
        log.model = string_of(value.get("model_id")) or log.model
        calls = [
            function_call(other_fields(call.get("function", call), ("id",)), coerce_text(call.get("id")), {})
            for call in map(fields_of, list_of(value.get("tool_calls")))
        ]
        _say(record, [*_content(content, log, record.line), *calls], log)
    elif kind in ("tool_result", "tool"):
        response = ToolResponse(coerce_text(value.get("tool_call_id")), "", content)
        log.extend(record, Speaker.TOOL, [response])
    else:
        log.notes.skip(kind or "without a type", line=record.line)


_CHUNKS: Mapping[str, tuple[Speaker, type[Text] | type[Thinking]]] = {
    "user_message_chunk": (Speaker.HUMAN, Text),
    "agent_message_chunk": (Speaker.AI, Text),
    "agent_thought_chunk": (Speaker.AI, Thinking),
}


def _add_update(record: JsonRecord, update: Mapping[str, Json], log: SessionLog) -> None:
    """Add an event of the course; the pieces of a text are joined."""
    kind, time = string_of(update.get("sessionUpdate")), record.value.get("timestamp")
    id_ = coerce_text(update.get("toolCallId"))
    if kind in _CHUNKS:
        speaker, block = _CHUNKS[kind]
        text = plain_text([update.get("content")])
        last = log.messages[-1] if log.messages else None
        if last and last.speaker is speaker and isinstance(end := last.blocks[-1], block):
            joined = replace(end, text=end.text + text)
            log.messages[-1] = replace(last, blocks=(*last.blocks[:-1], joined))
        else:
            log.extend(record, speaker, [block(text)], time=time)
    elif kind == "tool_call":
        name = string_of(update.get("title")) or string_of(update.get("kind"))
        log.extend(record, Speaker.AI, [ToolCall(id_, name, update.get("rawInput", {}))], time=time)
    elif kind == "tool_call_update" and update.get("status") in ("completed", "failed"):
        result = update.get("rawOutput", update.get("content", ""))
        error = plain_text(result) if update["status"] == "failed" else MISSING
        log.extend(record, Speaker.TOOL, [ToolResponse(id_, "", result, error)], time=time)
    elif kind == "compaction_checkpoint":
        log.compact(record)
    else:
        log.notes.skip(kind or "without a type", line=record.line)


def _say(record: JsonRecord, blocks: list[Block], log: SessionLog) -> None:
    """Add to the answer that began with its reasoning, else as a new one."""
    last = log.messages[-1] if log.messages else None
    is_begun = last is not None and all(isinstance(block, Thinking | ServerTool) for block in last.blocks)
    (log.extend if is_begun else log.add)(record, Speaker.AI, blocks)


def _content(content: Json, log: SessionLog, line: int) -> list[Block]:
    if isinstance(content, str):
        return [Text(content)] if content else []
    return [
        Media("", string_of(part.get("url")))
        if isinstance(part, dict) and part.get("type") == "image"
        else read_part(part, log.notes, line)
        for part in list_of(content)
    ]


GROK_BUILD = Format(
    "grok_build",
    "Grok Build",
    "Sessions of Grok Build: the current context (chat_history.jsonl) and the whole course (updates.jsonl); "
    "of the latter only a description was seen.",
    _score_grok,
    _read_grok,
    evidence=Evidence.FIXTURE,
)


_SPEAKERS = {"user": Speaker.HUMAN, "assistant": Speaker.AI, "tool_result": Speaker.TOOL}
_GENERATED = ("notification", "cron", "hook")
"""Subtypes of user records that the user did not write."""


@dataclass(slots=True)
class _Tree:
    parents: dict[str, str] = field(default_factory=dict)
    last_lines: dict[str, int] = field(default_factory=dict)  # by uuid

    def add(self, record: JsonRecord) -> None:
        uuid = string_of(record.value.get("uuid"))
        self.parents.setdefault(uuid, string_of(record.value.get("parentUuid")))
        self.last_lines[uuid] = record.line

    def leaves(self) -> list[str]:
        """Return the records that none follows, the last one first."""
        inner = {*self.parents.values()}
        return sorted(self.parents.keys() - inner, key=self.last_lines.__getitem__, reverse=True)

    def chain(self, leaf: str) -> set[str]:
        chain: set[str] = set()
        while leaf and leaf not in chain:
            chain.add(leaf)
            leaf = self.parents.get(leaf, "")
        return chain


def _read_qwen(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    log, tree = SessionLog(), _Tree()
    agents: dict[str, list[JsonRecord]] = {"": []}
    for record in log_records(opened, replace(request, conversation=1), log):
        is_agent = record.value.get("isSidechain") is True
        agent = (string_of(record.value.get("agentId")) or "agent") if is_agent else ""
        agents.setdefault(agent, []).append(record)
    if not agents[""] and len(agents) > 1:
        del agents[""]  # the file of a sub-agent
    check_number(opened.document.name, request.conversation, len(agents))
    main = [*agents.values()][request.conversation - 1]
    if others := sum(map(len, agents.values())) - len(main):
        log.notes.skip("record of another agent", others)
    for record in main:
        if not string_of(record.value.get("subtype")).startswith("session_artifact"):
            tree.add(record)
    leaves = tree.leaves()
    check_branch(opened.document.name, request.branch, len(leaves))
    chains = [tree.chain(leaf) for leaf in leaves]
    branches = tuple(_branch(number, chain, chains, main) for number, chain in enumerate(chains, 1))
    chain = chains[request.branch - 1] if chains else set()
    for record in main:
        uuid = string_of(record.value.get("uuid"))
        if uuid in chain:
            _add_qwen(record, log)
        elif uuid in tree.parents:
            log.notes.skip("on another branch", line=record.line)
        else:
            log.notes.skip(string_of(record.value.get("subtype")), line=record.line)
    conversation = log.conversation("qwen_code", opened)
    listed = [
        ListedConversation(number, agent, None, "sub-agent" if agent else "")
        for number, agent in enumerate(agents, 1)
    ]
    branches = branches if len(branches) > 1 else ()
    conversation = replace(conversation, branches=branches, branch=request.branch)
    return numbered(conversation, request.conversation, listed)


def _branch(
    number: int, chain: set[str], chains: Sequence[set[str]], records: Sequence[JsonRecord]
) -> ConversationBranch:
    """Describe a branch by its first prompt that not all branches have."""
    shared = set.intersection(*chains)
    spoken = [record for record in records if record.value.get("message")]
    own = [record for record in spoken if string_of(record.value.get("uuid")) in chain]
    later = [record for record in own if record.value["uuid"] not in shared] or own
    texts = (joined_text(Message(Speaker.HUMAN, _blocks(record, SessionLog()))) for record in later)
    line = later[0].line if later else 0
    return ConversationBranch(number, first_words(next(filter(None, texts), "")), len(own), line)


def _blocks(record: JsonRecord, log: SessionLog) -> tuple[Block, ...]:
    return read_parts(nested(record.value, "message", "parts"), log.notes, record.line)


def _add_qwen(record: JsonRecord, log: SessionLog) -> None:
    value, kind = record.value, string_of(record.value.get("type"))
    log.session_id = log.session_id or string_of(value.get("sessionId"))
    log.cwd = string_of(value.get("cwd")) or log.cwd
    subtype, payload = string_of(value.get("subtype")), fields_of(value.get("systemPayload"))
    if kind == "system" and subtype == "chat_compression":
        _add_compression(record, log)
        return
    if kind not in _SPEAKERS:
        if (kind, subtype) == ("system", "custom_title"):
            log.title = string_of(payload.get("customTitle"))
        shown = (subtype or kind) if kind == "system" else kind
        log.notes.skip(shown or "without a type", line=record.line)
        return
    log.model = string_of(value.get("model")) or log.model
    log.reported_limit = number_of(value.get("contextWindowSize")) or log.reported_limit
    uuid, blocks = string_of(value.get("uuid")), _blocks(record, log)
    last = log.messages[-1] if log.messages else None
    if last is not None and last.id == uuid:
        log.extend(record, last.speaker, blocks)
    else:
        flags = MessageFlag.META if subtype in _GENERATED else MessageFlag.NONE
        log.add(record, _SPEAKERS[kind], blocks, id=uuid, time=value.get("timestamp"), flags=flags)
    usage = fields_of(value.get("usageMetadata"))
    log.report(usage.get("promptTokenCount"), usage.get("candidatesTokenCount"))


def _add_compression(record: JsonRecord, log: SessionLog) -> None:
    """Note a compression: contents that equal an earlier message stayed, the others are its summary."""
    payload = fields_of(record.value.get("systemPayload"))
    context: list[int | Message] = []
    for content in map(fields_of, list_of(payload.get("compressedHistory"))):
        blocks = read_parts(content.get("parts"), log.notes, record.line)
        speaker = Speaker.AI if content.get("role") == "model" else Speaker.HUMAN
        same = (index for index, message in enumerate(log.messages) if message.blocks == blocks)
        new = Message(speaker, blocks, (record.source(),), MessageFlag.RECORDED_SUMMARY)
        context.append(next(same, new))
    sizes = fields_of(payload.get("info"))
    before, after = number_of(sizes.get("originalTokenCount")), number_of(sizes.get("newTokenCount"))
    log.compact(record, before=before, after=after, context_after=context)
    summary = tuple(message for message in context if isinstance(message, Message))
    kept = tuple(index for index in context if isinstance(index, int))
    log.recorded[-1] = replace(log.recorded[-1], summary=summary, kept=kept)


QWEN_CODE = Format(
    "qwen_code",
    "Qwen Code",
    "Sessions of Qwen Code (JSONL); those of earlier versions are sessions of Gemini CLI.",
    partial(shape_score, format="qwen_code", sign="uuid and message.parts"),
    _read_qwen,
    evidence=Evidence.FIXTURE,
)
