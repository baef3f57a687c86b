"""Converts records of a Gemini CLI session, which hold calls with their results, to messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.common.json_value import Json
from core.formats.anthropic.blocks import coerce_text, other_fields, split_by_speaker
from core.formats.common.import_notes import ImportNotes, opaque_flag
from core.formats.common.json_access import list_of, nested, number_of
from core.formats.gemini.parts import read_parts
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Message,
    MessageFlag,
    Opaque,
    Source,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

SHOWN_ONLY = ("info", "warning", "error")
"""Types of rows that the user saw and the model never did."""

SNAPSHOT = "<state_snapshot>"
"""Text in every summary of Gemini CLI's compression."""

_CONTEXT = "<session_context>"


def read_record(
    value: Mapping[str, Json], source: Source, notes: ImportNotes, answered_ids: set[str]
) -> tuple[Message, ...]:
    """Return the messages of one record: none for rows that are only shown, an ai message and a tool
    message for an answer with calls.

    ``answered_ids`` collects the calls whose results were read; user records that repeat them are skipped.
    """
    kind = value.get("type")
    if kind == "gemini":
        return _model(value, source, notes, answered_ids)
    if kind == "user":
        return _user(value, source, notes, answered_ids)
    if kind in SHOWN_ONLY:
        notes.skip(f"{kind}, shown only", line=source.line)
    else:
        notes.skip(coerce_text(kind) or "without a type", line=source.line)
        notes.warn(
            source.line, f"a record of the type {coerce_text(kind)[:40]!r} is not known; it was skipped"
        )
    return ()


def record_text(value: Mapping[str, Json]) -> str:
    blocks = read_parts(value.get("content"), ImportNotes(), 0)
    return "\n".join(block.text for block in blocks if isinstance(block, Text))


def request_tokens(value: Mapping[str, Json]) -> int | None:
    """Return the reported size of the request that a record answers, in tokens."""
    size = number_of(nested(value, "tokens", "input"))
    return size if size and size > 0 and value.get("type") == "gemini" else None


def _user(
    value: Mapping[str, Json], source: Source, notes: ImportNotes, answered_ids: set[str]
) -> tuple[Message, ...]:
    all_blocks = read_parts(value.get("content"), notes, source.line)
    blocks = tuple(b for b in all_blocks if not (isinstance(b, ToolResponse) and b.call_id in answered_ids))
    if all_blocks and not blocks:
        notes.skip("tool results that are in their call's record already", line=source.line)
        return ()
    answered_ids.update(
        block.call_id for block in blocks if isinstance(block, ToolResponse) and block.call_id
    )
    flags = MessageFlag.NONE
    if blocks and isinstance(blocks[0], Text) and blocks[0].text.lstrip().startswith(_CONTEXT):
        flags = MessageFlag.META
    extra = _extra(value, ())
    return tuple(
        _message(speaker, part_blocks, replace(source, part=part), value, flags, extra)
        for part, (speaker, part_blocks) in enumerate(split_by_speaker(blocks))
    )


def _model(
    value: Mapping[str, Json], source: Source, notes: ImportNotes, answered_ids: set[str]
) -> tuple[Message, ...]:
    thoughts, calls = list_of(value.get("thoughts")), list_of(value.get("toolCalls"))
    blocks: list[Block] = [_thought(thought) for thought in thoughts]
    blocks += read_parts(value.get("content"), notes, source.line)
    results: list[Block] = []
    for call in calls:
        if isinstance(call, dict):
            blocks.append(_call(call))
            results += _results(call, notes, source.line)
        else:
            notes.warn(source.line, "a tool call is not an object; kept as it is")
            blocks.append(Opaque("toolCall", call))
    answered_ids.update(
        block.call_id for block in results if isinstance(block, ToolResponse) and block.call_id
    )
    lists = [name for name, items in (("thoughts", thoughts), ("toolCalls", calls)) if items]
    message = _message(Speaker.AI, tuple(blocks), source, value, MessageFlag.NONE, _extra(value, lists))
    if not results:
        return (message,)
    answer = _message(
        Speaker.TOOL, tuple(results), replace(source, part=1), value, MessageFlag.NONE, NO_EXTRA
    )
    return message, answer


def _message(
    speaker: Speaker,
    blocks: tuple[Block, ...],
    source: Source,
    value: Mapping[str, Json],
    flags: MessageFlag,
    extra: Mapping[str, Json],
) -> Message:
    id_, time = coerce_text(value.get("id")), coerce_text(value.get("timestamp"))
    return Message(speaker, blocks, (source,), flags | opaque_flag(blocks), id_, time, extra)


def _extra(value: Mapping[str, Json], lists: Sequence[str]) -> Mapping[str, Json]:
    extra = dict(other_fields(value, ("id", "timestamp", "type", "content", *lists)))
    content = value.get("content")
    if "content" not in value or content is None:
        extra["$content"] = "null" if "content" in value else "absent"
    elif isinstance(content, str):
        extra["$content"] = "string"
    return extra or NO_EXTRA


def _thought(thought: Json) -> Block:
    """Return a thought with its heading; ``$thought`` holds it unchanged."""
    if not isinstance(thought, dict):
        return Opaque("thought", thought)
    texts = (coerce_text(thought.get(name)) for name in ("subject", "description"))
    return Thinking("\n".join(text for text in texts if text), {"$thought": thought})


def _call(call: Mapping[str, Json]) -> ToolCall:
    known = ("id", "name", "args") if call.get("result") is None else ("id", "name", "args", "result")
    id_, name = coerce_text(call.get("id")), coerce_text(call.get("name"))
    return ToolCall(id_, name, call.get("args", {}), other_fields(call, known))


def _results(call: Mapping[str, Json], notes: ImportNotes, line: int) -> list[Block]:
    result = call.get("result")
    if result is None:
        return []
    id_, name = coerce_text(call.get("id")), coerce_text(call.get("name"))
    parts = read_parts(result, notes, line)
    response = next((part for part in parts if isinstance(part, ToolResponse)), None)
    other_parts = [part for part in parts if part is not response]
    if response is None:
        texts = [part.text for part in parts if isinstance(part, Text)]
        other_parts = [part for part in parts if not isinstance(part, Text)]
        result_form = "string" if isinstance(result, str) else "parts"
        response = ToolResponse(id_, name, "\n".join(texts), extra={"$result": result_form})
    elif response.call_id not in (id_, ""):
        function_extra = {**response.extra.get("$function", {}), "id": response.call_id}
        response = replace(response, extra={**response.extra, "$function": function_extra})
    response = replace(response, call_id=id_, name=name or response.name)
    return [response, *(_tagged_with_call(part, id_) for part in other_parts)]


def _tagged_with_call(block: Block, id_: str) -> Block:
    return block if isinstance(block, Opaque) else replace(block, extra={**block.extra, "$of": id_})
