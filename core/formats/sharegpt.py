"""Reader for ShareGPT datasets: entries with ``conversations`` of ``from`` and ``value``.

An entry is a conversation. Calls and observations have no ids; an observation answers the call
before it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.common.json_value import MISSING, Json
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadOnly, ReadRequest
from core.formats.common.json_parsing import (
    JsonRecord,
    coerce_text,
    fields_of,
    list_of,
    other_fields,
    parse_text,
    string_of,
)
from core.formats.common.message_lists import (
    conversation_records,
    detection_sample,
    first_words,
)
from core.formats.common.messages import (
    ImportNotes,
    link_calls,
    opaque_flag,
    unreadable_message,
)
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Conversation,
    Message,
    Opaque,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
    with_blocks,
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


def score(file: OpenedDocument) -> FormatScore:
    """Judge by ``from`` and ``value`` of turns in ``conversations``."""
    sample = detection_sample(file, _KEYS)
    records = map(fields_of, sample.records)
    turns = sum(
        "value" in turn and isinstance(turn.get("from"), str) for turn in records
    )
    if not turns:
        return 0.0, ""
    return 0.95 * sample.share(
        turns
    ), f"from and value in {turns} of {len(sample.records)} entries"


def read(file: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one entry; the user's first words are its title. Raises InputError."""
    loaded = conversation_records(file, _KEYS, request)
    fields, notes = loaded.fields, loaded.notes
    if prompt := string_of(fields.get("system")):
        loaded.system_texts.append(prompt)
    messages: list[Message] = []
    for record in loaded.records:
        turn = fields_of(record.value)
        if (
            not messages
            and turn.get("from") == "system"
            and isinstance(turn.get("value"), str)
        ):
            loaded.add_system(record, turn["value"])
        else:
            messages.append(_message(record, notes))
    title = next(
        (first_words(_text(m)) for m in messages if m.speaker is Speaker.HUMAN), ""
    )
    return replace(
        loaded.conversation(
            "sharegpt",
            link_calls(_with_ids(messages)),
            _tools(fields.get("tools"), notes),
        ),
        model=coerce_text(fields.get("model")),
        session_id=coerce_text(fields.get("id")),
        title=title,
    )


def _tools(tools: Json, notes: ImportNotes) -> Sequence[Json]:
    # Most datasets hold the tools as JSON in a text.
    if isinstance(tools, str) and tools.strip():
        try:
            tools = parse_text(tools)
        except ValueError:
            notes.warn(
                0,
                "the tools of the conversation are text that is not JSON; kept as text",
            )
            return (tools,)
    return list_of(tools)


def _text(message: Message) -> str:
    return " ".join(block.text for block in message.blocks if isinstance(block, Text))


def _message(record: JsonRecord, notes: ImportNotes) -> Message:
    turn = record.value
    if not isinstance(turn, dict):
        return unreadable_message(record, notes, "a turn is not an object", "turn")
    name = turn.get("from")
    if isinstance(name, str):
        speaker = _SPEAKERS.get(name)
    else:
        speaker = None
    if speaker is None:
        notes.warn(
            record.line,
            f'"from" is {str(name)[:40]!r}, which is not known; kept as unknown',
        )
    speaker = speaker or Speaker.UNKNOWN
    extra = dict(other_fields(turn, ("from", "value")))
    # Datasets name the same speakers differently, and an export writes the name that was there.
    if "from" in turn and name not in (SPEAKER_NAMES.get(speaker), _CALL_ROLE):
        extra["from"] = name
    blocks = _blocks(turn, speaker, notes, record.line)
    return Message(
        speaker=speaker,
        blocks=blocks,
        sources=(record.source(),),
        flags=opaque_flag(blocks),
        extra=extra,
    )


def _blocks(
    turn: Mapping[str, Json], speaker: Speaker, notes: ImportNotes, line: int
) -> tuple[Block, ...]:
    value = turn.get("value", MISSING)
    is_empty = value is None or value is MISSING
    if speaker is Speaker.TOOL:
        if not is_empty:
            return (ToolResponse("", "", value, MISSING, NO_EXTRA),)
        note = "null" if value is None else "absent"
        return (ToolResponse("", "", "", MISSING, {"$content": note}),)
    if is_empty or value == "":
        # An empty call is a fault of the dataset; it is said and kept as text.
        if value == "" and turn.get("from") == _CALL_ROLE:
            return _calls("", notes, line)
        return ()
    if isinstance(value, str):
        if turn.get("from") == _CALL_ROLE:
            return _calls(value, notes, line)
        return (Text(value),)
    notes.warn(line, "value is not text; kept as it is")
    return (Opaque("value", value),)


def _calls(value: str, notes: ImportNotes, line: int) -> tuple[Block, ...]:
    try:
        parsed = parse_text(value)
    except ValueError:
        parsed = None
    if isinstance(parsed, list):
        calls = parsed
    else:
        calls = [parsed]
    if not calls or not all(
        isinstance(call, dict) and isinstance(call.get("name"), str) for call in calls
    ):
        notes.warn(line, "a function call is not JSON with a name; kept as text")
        return (Text(value, {"$field": _CALL_ROLE}),)
    return tuple(
        ToolCall(
            "",
            call["name"],
            call.get("arguments", {}),
            other_fields(call, ("name", "arguments")),
        )
        for call in calls
    )


def _with_ids(messages: Sequence[Message]) -> list[Message]:
    linked: list[Message] = []
    open_call_ids: list[str] = []
    for index, message in enumerate(messages):
        blocks: list[Block] = []
        if message.speaker is not Speaker.TOOL:
            open_call_ids = []
        for block_index, block in enumerate(message.blocks):
            # The format has no ids: a result answers the first open call in front of it.
            id_ = f"no-id-{index}-{block_index}"
            if isinstance(block, ToolCall):
                open_call_ids.append(id_)
                block = replace(block, id=id_, extra={**block.extra, "$made_id": True})
            elif isinstance(block, ToolResponse):
                if open_call_ids:
                    id_ = open_call_ids.pop(0)
                block = replace(
                    block, call_id=id_, extra={**block.extra, "$made_id": True}
                )
            blocks.append(block)
        linked.append(with_blocks(message, tuple(blocks)))
    return linked


SHAREGPT = Format(
    name="sharegpt",
    label="ShareGPT",
    about="Datasets whose entries hold conversations of from and value, as JSON or JSONL.",
    score=score,
    read=read,
    read_only=ReadOnly.RECORD,
)
