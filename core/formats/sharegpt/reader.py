"""Reader for ShareGPT datasets: entries with ``conversations`` of ``from`` and ``value``.

An entry is a conversation. Calls and observations have no ids; an observation answers the call before it
(formats.md section 9).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from core.common.json_value import MISSING, Json
from core.formats.anthropic.blocks import coerce_text, other_fields
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes, opaque_flag
from core.formats.common.json_parsing import JsonRecord, parse_text
from core.formats.common.message_lists import (
    ConversationRecords,
    conversation_records,
    detection_sample,
    first_words,
)
from core.formats.common.tool_linking import link_calls
from core.transcript.model import (
    Block,
    Conversation,
    Message,
    MessageFlag,
    Opaque,
    Speaker,
    SystemPart,
    Text,
    ToolCall,
    ToolResponse,
)

_KEYS = ("conversations", "conversation")
_CALL_ROLE = "function_call"
_SPEAKERS: Mapping[str, Speaker] = {
    "human": Speaker.HUMAN,
    "user": Speaker.HUMAN,
    "gpt": Speaker.AI,
    "chatgpt": Speaker.AI,
    "assistant": Speaker.AI,
    "model": Speaker.AI,
    _CALL_ROLE: Speaker.AI,
    "observation": Speaker.TOOL,
    "function_response": Speaker.TOOL,
    "tool": Speaker.TOOL,
    "system": Speaker.SYSTEM,
}
SPEAKER_NAMES: Mapping[Speaker, str] = {
    Speaker.HUMAN: "human",
    Speaker.AI: "gpt",
    Speaker.TOOL: "observation",
    Speaker.SYSTEM: "system",
}
"""The usual name of each speaker; other names stay in the message's ``extra``."""


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by ``from`` and ``value`` of turns in ``conversations``."""
    sample = detection_sample(opened, _KEYS)
    turns = [value for value in sample.records if isinstance(value, dict) and _is_turn(value)]
    if not turns:
        return 0.0, ""
    share = len(turns) / len(sample.records)
    return 0.95 * share, f"from and value in {len(turns)} of {len(sample.records)} entries"


def _is_turn(value: Mapping[str, Json]) -> bool:
    return "value" in value and isinstance(value.get("from"), str)


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one entry; the user's first words are its title. Raises InputError."""
    notes = ImportNotes()
    raw = conversation_records(opened, _KEYS, request, notes)
    notes.records = len(raw.records)
    texts, system, start = _system_texts(raw)
    messages = [_message(record, notes) for record in raw.records[start:]]
    return Conversation(
        "sharegpt",
        opened.document,
        link_calls(_with_ids(messages)),
        SystemPart(tuple(texts), _tools(raw, notes)),
        report=notes.report(),
        model=coerce_text(raw.fields.get("model")),
        session_id=coerce_text(raw.fields.get("id")),
        number=raw.number,
        siblings=raw.siblings,
        listed=raw.listed,
        title=next((first_words(_text(m)) for m in messages if m.speaker is Speaker.HUMAN), ""),
        layout={**raw.layout, "system": system},
    )


def _system_texts(raw: ConversationRecords) -> tuple[list[str], list[list[int]], int]:
    """Return the system prompt: the entry's own field, then leading turns of the system."""
    system_field = raw.fields.get("system")
    texts = [system_field] if isinstance(system_field, str) and system_field else []
    system: list[list[int]] = []
    for record in raw.records:
        turn = record.value
        if (
            not isinstance(turn, dict)
            or turn.get("from") != "system"
            or not isinstance(turn.get("value"), str)
        ):
            break
        texts.append(turn["value"])
        system.append([record.line, record.start, record.end])
    return texts, system, len(system)


def _tools(raw: ConversationRecords, notes: ImportNotes) -> tuple[Json, ...]:
    tools = raw.fields.get("tools")
    if isinstance(tools, str) and tools.strip():
        try:
            tools = parse_text(tools)
        except ValueError:
            notes.warn(0, "the tools of the conversation are text that is not JSON; kept as text")
            return (tools,)
    return tuple(tools) if isinstance(tools, list) else ()


def _text(message: Message) -> str:
    return " ".join(block.text for block in message.blocks if isinstance(block, Text))


def _message(record: JsonRecord, notes: ImportNotes) -> Message:
    turn, source = record.value, (record.source(),)
    if not isinstance(turn, dict):
        notes.warn(record.line, "a turn is not an object; kept as it is")
        return Message(Speaker.UNKNOWN, (Opaque("turn", turn),), source, MessageFlag.OPAQUE)
    name = turn.get("from")
    speaker = _SPEAKERS.get(name) if isinstance(name, str) else None
    if speaker is None:
        notes.warn(record.line, f'"from" is {str(name)[:40]!r}, which is not known; kept as unknown')
    speaker = speaker or Speaker.UNKNOWN
    extra = dict(other_fields(turn, ("from", "value")))
    if "from" in turn and name not in (SPEAKER_NAMES.get(speaker), _CALL_ROLE):
        extra["from"] = name
    blocks = _blocks(turn, speaker, notes, record.line)
    opaque = opaque_flag(blocks)
    return Message(speaker, blocks, source, opaque, extra=extra)


def _blocks(turn: Mapping[str, Json], speaker: Speaker, notes: ImportNotes, line: int) -> tuple[Block, ...]:
    value = turn.get("value", MISSING)
    if speaker is Speaker.TOOL:
        if value is None or value is MISSING:
            return (ToolResponse("", "", "", MISSING, {"$content": "null" if value is None else "absent"}),)
        return (ToolResponse("", "", value),)
    if isinstance(value, str):
        if turn.get("from") == _CALL_ROLE:
            return _calls(value, notes, line)
        return (Text(value),) if value else ()
    if value is None or value is MISSING:
        return ()
    notes.warn(line, "value is not text; kept as it is")
    return (Opaque("value", value),)


def _calls(value: str, notes: ImportNotes, line: int) -> tuple[Block, ...]:
    try:
        parsed = parse_text(value)
    except ValueError:
        parsed = None
    calls = parsed if isinstance(parsed, list) else [parsed]
    if not calls or not all(isinstance(call, dict) and isinstance(call.get("name"), str) for call in calls):
        notes.warn(line, "a function call is not JSON with a name; kept as text")
        return (Text(value, {"$field": _CALL_ROLE}),)
    return tuple(
        ToolCall("", call["name"], call.get("arguments", {}), other_fields(call, ("name", "arguments")))
        for call in calls
    )


def _with_ids(messages: Sequence[Message]) -> list[Message]:
    """Give every call an id, and every observation that of the first open call before it."""
    linked: list[Message] = []
    open_call_ids: list[str] = []
    for index, message in enumerate(messages):
        blocks: list[Block] = []
        if message.speaker is not Speaker.TOOL:
            open_call_ids = []
        for block_index, block in enumerate(message.blocks):
            id_ = f"no-id-{index}-{block_index}"
            if isinstance(block, ToolCall):
                open_call_ids.append(id_)
                block = ToolCall(id_, block.name, block.arguments, {**block.extra, "$made_id": True})
            elif isinstance(block, ToolResponse):
                id_ = open_call_ids.pop(0) if open_call_ids else id_
                block = ToolResponse(id_, "", block.result, MISSING, {**block.extra, "$made_id": True})
            blocks.append(block)
        unchanged_fields = (message.sources, message.flags, message.id, message.timestamp, message.extra)
        linked.append(Message(message.speaker, tuple(blocks), *unchanged_fields))
    return linked


SHAREGPT = Format(
    "sharegpt",
    "ShareGPT",
    "Datasets whose entries hold conversations of from and value, as JSON or JSONL.",
    score,
    read,
)
