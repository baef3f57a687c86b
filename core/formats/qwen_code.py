"""Reader for Qwen Code: a tree of records whose messages are contents of Gemini.

The chain from the last record to the root is the active branch, each other leaf a branch of its
own. Lines of one uuid are one message. After a compression its record holds what the model sees
from then on.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, ReaderEvidence, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    fields_of,
    list_of,
    nested,
    number_of,
    string_of,
)
from core.formats.common.message_lists import check_branch, check_number, numbered
from core.formats.common.session_log import (
    RecordTree,
    SessionLog,
    listed_branches,
    log_records,
    shape_score,
)
from core.formats.gemini_parts import read_parts
from core.transcript.model import (
    Block,
    Conversation,
    ListedConversation,
    Message,
    MessageFlag,
    Speaker,
    joined_text,
)

_SPEAKERS = {
    "user": Speaker.HUMAN,
    "assistant": Speaker.AI,
    "tool_result": Speaker.TOOL,
}
_GENERATED = ("notification", "cron", "hook")
"""Subtypes of user records that the user did not write."""


def _read_qwen(file: OpenedDocument, request: ReadRequest) -> Conversation:
    log = SessionLog()
    agents = _records_by_agent(file, request, log)
    check_number(file.document.name, request.conversation, len(agents))
    main = [*agents.values()][request.conversation - 1]
    if others := sum(map(len, agents.values())) - len(main):
        log.notes.skip("record of another agent", others)
    tree = RecordTree()
    for record in main:
        # Artifacts have a uuid and a parent, and would look like the newest branch.
        if not string_of(record.value.get("subtype")).startswith("session_artifact"):
            parent = string_of(record.value.get("parentUuid"))
            tree.add(_id(record), parent, record.line)
    chains = tree.chains()
    check_branch(file.document.name, request.branch, len(chains))
    chain = chains[request.branch - 1] if chains else set()
    for record in main:
        if _id(record) in chain:
            _add_qwen(record, log)
        elif _id(record) in tree.parents:
            log.notes.skip("on another branch", line=record.line)
        else:
            log.notes.skip(string_of(record.value.get("subtype")), line=record.line)
    listed = [
        ListedConversation(number, agent, None, "sub-agent" if agent else "")
        for number, agent in enumerate(agents, 1)
    ]
    spoken = [record for record in main if record.value.get("message")]
    branches = listed_branches(chains, spoken, _id, _text)
    conversation = log.conversation("qwen_code", file)
    conversation = replace(conversation, branches=branches, branch=request.branch)
    return numbered(conversation, request.conversation, listed)


def _records_by_agent(
    file: OpenedDocument, request: ReadRequest, log: SessionLog
) -> dict[str, list[JsonRecord]]:
    """Return the records of the main agent, "", and of each sub-agent by its id."""
    agents: dict[str, list[JsonRecord]] = {"": []}
    for record in log_records(file, replace(request, conversation=1), log):
        agent = ""
        # Sub-agents write into the file of their session.
        if record.value.get("isSidechain") is True:
            agent = string_of(record.value.get("agentId")) or "agent"
        agents.setdefault(agent, []).append(record)
    # A sub-agent may have a file of its own.
    if not agents[""] and len(agents) > 1:
        del agents[""]
    return agents


def _id(record: JsonRecord) -> str:
    return string_of(record.value.get("uuid"))


def _text(record: JsonRecord) -> str:
    return joined_text(
        Message(speaker=Speaker.HUMAN, blocks=_blocks(record, SessionLog()))
    )


def _blocks(record: JsonRecord, log: SessionLog) -> tuple[Block, ...]:
    return read_parts(nested(record.value, "message", "parts"), log.notes, record.line)


def _add_qwen(record: JsonRecord, log: SessionLog) -> None:
    value = record.value
    kind = string_of(record.value.get("type"))
    log.session_id = log.session_id or string_of(value.get("sessionId"))
    log.cwd = string_of(value.get("cwd")) or log.cwd
    subtype = string_of(value.get("subtype"))
    payload = fields_of(value.get("systemPayload"))
    if kind == "system" and subtype == "chat_compression":
        _add_compression(record, log)
        return
    if kind not in _SPEAKERS:
        if (kind, subtype) == ("system", "custom_title"):
            # Each new title is a record of its own, and the last one counts.
            log.title = string_of(payload.get("customTitle"))
        if kind == "system":
            shown = subtype or kind
        else:
            shown = kind
        log.notes.skip(shown or "without a type", line=record.line)
        return
    log.model = string_of(value.get("model")) or log.model
    log.reported_limit = number_of(value.get("contextWindowSize")) or log.reported_limit
    uuid = string_of(value.get("uuid"))
    blocks = _blocks(record, log)
    if log.messages:
        last = log.messages[-1]
    else:
        last = None
    # Several lines with one uuid are one message.
    if last is not None and last.id == uuid:
        log.extend(record, last.speaker, blocks)
    else:
        flags = MessageFlag.META if subtype in _GENERATED else MessageFlag.NONE
        log.add(
            record,
            _SPEAKERS[kind],
            blocks,
            id=uuid,
            time=value.get("timestamp"),
            flags=flags,
        )
    usage = fields_of(value.get("usageMetadata"))
    log.report(usage.get("promptTokenCount"), usage.get("candidatesTokenCount"))


def _add_compression(record: JsonRecord, log: SessionLog) -> None:
    """Note a compression: contents that equal an earlier message stayed, the others are its
    summary."""
    payload = fields_of(record.value.get("systemPayload"))
    context: list[int | Message] = []
    for content in map(fields_of, list_of(payload.get("compressedHistory"))):
        # The record holds the whole context as it was sent on, not the summary alone.
        blocks = read_parts(content.get("parts"), log.notes, record.line)
        speaker = Speaker.AI if content.get("role") == "model" else Speaker.HUMAN
        same = (
            index
            for index, message in enumerate(log.messages)
            if message.blocks == blocks
        )
        new = Message(
            speaker=speaker,
            blocks=blocks,
            sources=(record.source(),),
            flags=MessageFlag.RECORDED_SUMMARY,
        )
        context.append(next(same, new))
    sizes = fields_of(payload.get("info"))
    before = number_of(sizes.get("originalTokenCount"))
    after = number_of(sizes.get("newTokenCount"))
    log.compact(record, before=before, after=after, context_after=context)
    summary = tuple(message for message in context if isinstance(message, Message))
    kept = tuple(index for index in context if isinstance(index, int))
    log.recorded[-1] = replace(log.recorded[-1], summary=summary, kept=kept)


QWEN_CODE = Format(
    name="qwen_code",
    label="Qwen Code",
    about="Sessions of Qwen Code (JSONL); those of earlier versions are sessions of Gemini CLI.",
    score=partial(shape_score, format="qwen_code", sign="uuid and message.parts"),
    read=_read_qwen,
    evidence=ReaderEvidence.FIXTURE,
)
