"""Converts records of a Gemini CLI session, which hold calls with their results, to messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.common.json_value import Json
from core.formats.anthropic.blocks import split_by_speaker
from core.formats.common.import_notes import ImportNotes, opaque_flag
from core.formats.common.json_access import coerce_text, list_of, nested, number_of, other_fields
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
        return _answer(value, source, notes, answered_ids)
    if kind == "user":
        return _user(value, source, notes, answered_ids)
    if kind in SHOWN_ONLY:
        notes.skip(f"{kind}, shown only", line=source.line)
        return ()
    notes.skip(coerce_text(kind) or "without a type", line=source.line)
    notes.warn(source.line, f"a record of the type {coerce_text(kind)[:40]!r} is not known; it was skipped")
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
    answered_ids |= _response_ids(blocks)
    first = blocks[0] if blocks else None
    is_context = isinstance(first, Text) and first.text.lstrip().startswith(_CONTEXT)
    flags, extra = MessageFlag.META if is_context else MessageFlag.NONE, _extra(value)
    return tuple(
        _message(speaker, part_blocks, replace(source, part=part), value, flags, extra)
        for part, (speaker, part_blocks) in enumerate(split_by_speaker(blocks))
    )


def _answer(
    value: Mapping[str, Json], source: Source, notes: ImportNotes, answered_ids: set[str]
) -> tuple[Message, ...]:
    thoughts, calls = list_of(value.get("thoughts")), list_of(value.get("toolCalls"))
    blocks: list[Block] = [_thought(thought) for thought in thoughts]
    blocks += read_parts(value.get("content"), notes, source.line)
    results: list[Block] = []
    for call in calls:
        if isinstance(call, dict):
            known = (
                ("id", "name", "args", "result") if call.get("result") is not None else ("id", "name", "args")
            )
            id_, name = coerce_text(call.get("id")), coerce_text(call.get("name"))
            blocks.append(ToolCall(id_, name, call.get("args", {}), other_fields(call, known)))
            results += _results(call, id_, name, notes, source.line)
        else:
            notes.warn(source.line, "a tool call is not an object; kept as it is")
            blocks.append(Opaque("toolCall", call))
    answered_ids |= _response_ids(results)
    lists = [name for name, items in (("thoughts", thoughts), ("toolCalls", calls)) if items]
    message = _message(Speaker.AI, blocks, source, value, MessageFlag.NONE, _extra(value, *lists))
    if not results:
        return (message,)
    return message, _message(Speaker.TOOL, results, replace(source, part=1), value)


def _response_ids(blocks: Sequence[Block]) -> set[str]:
    return {block.call_id for block in blocks if isinstance(block, ToolResponse)} - {""}


def _message(
    speaker: Speaker,
    blocks: Sequence[Block],
    source: Source,
    value: Mapping[str, Json],
    flags: MessageFlag = MessageFlag.NONE,
    extra: Mapping[str, Json] = NO_EXTRA,
) -> Message:
    id_, time = coerce_text(value.get("id")), coerce_text(value.get("timestamp"))
    return Message(speaker, tuple(blocks), (source,), flags | opaque_flag(blocks), id_, time, extra)


def _extra(value: Mapping[str, Json], *lists: str) -> Mapping[str, Json]:
    extra = dict(other_fields(value, ("id", "timestamp", "type", "content", *lists)))
    content = value.get("content")
    if content is None:
        extra["$content"] = "null" if "content" in value else "absent"
    elif isinstance(content, str):
        extra["$content"] = "string"
    return extra or NO_EXTRA


def _thought(thought: Json) -> Block:
    """Return a thought with its heading; ``$thought`` holds it unchanged."""
    if not isinstance(thought, dict):
        return Opaque("thought", thought)
    texts = (coerce_text(thought.get(name)) for name in ("subject", "description"))
    return Thinking("\n".join(filter(None, texts)), {"$thought": thought})


def _results(call: Mapping[str, Json], id_: str, name: str, notes: ImportNotes, line: int) -> list[Block]:
    """Return the response of a call, and the other parts of its result."""
    result = call.get("result")
    if result is None:
        return []
    parts = read_parts(result, notes, line)
    response = next((part for part in parts if isinstance(part, ToolResponse)), None)
    others = [part for part in parts if part is not response]
    if response is None:
        texts = [part.text for part in parts if isinstance(part, Text)]
        others = [part for part in parts if not isinstance(part, Text)]
        form = "string" if isinstance(result, str) else "parts"
        response = ToolResponse(id_, name, "\n".join(texts), extra={"$result": form})
    elif response.call_id not in (id_, ""):
        function = {**response.extra.get("$function", {}), "id": response.call_id}
        response = replace(response, extra={**response.extra, "$function": function})
    tagged = [b if isinstance(b, Opaque) else replace(b, extra={**b.extra, "$of": id_}) for b in others]
    return [replace(response, call_id=id_, name=name or response.name), *tagged]
