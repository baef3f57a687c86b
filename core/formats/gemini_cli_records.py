"""Converts records of a Gemini CLI session, which hold calls with their results, to messages."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import replace

from core.common.json_value import Json
from core.formats.common.json_parsing import (
    coerce_text,
    fields_of,
    list_of,
    nested,
    number_of,
    other_fields,
)
from core.formats.common.messages import (
    BlockShape,
    ImportNotes,
    call_block,
    record_messages,
    split_by_speaker,
)
from core.formats.gemini_parts import read_parts
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

DISPLAY_ONLY = ("info", "warning", "error")
"""Types of rows that the user saw and the model never did."""

SNAPSHOT = "<state_snapshot>"
"""Text in every summary of Gemini CLI's compression."""

_API_ROLES = {"model": "gemini", "user": "user"}
_CONTEXT = "<session_context>"
_CALL = BlockShape(ToolCall, ("id", "name"), ("args",), default={})


def read_record(
    value: Mapping[str, Json],
    source: Source,
    notes: ImportNotes,
    answered_ids: set[str],
) -> list[Message]:
    """Return the messages of one record: none for rows that are only shown, an ai message and a
    tool message for an answer with calls.

    ``answered_ids`` collects the calls whose results were read; user records that repeat them are
    skipped.
    """
    kind = coerce_text(value.get("type"))
    # A record like one of the API.
    if "content" not in value and isinstance(value.get("parts"), list):
        value = {**value, "content": value["parts"]}
        kind = _API_ROLES.get(coerce_text(value.get("role")) or kind, kind)
    if kind in ("gemini", "user"):
        return (_answer if kind == "gemini" else _user)(
            value, source, notes, answered_ids
        )
    if kind in DISPLAY_ONLY:
        notes.skip(f"{kind}, shown only", line=source.line)
        return []
    notes.skip(kind or "without a type", line=source.line)
    notes.warn(
        source.line, f"a record of the type {kind[:40]!r} is not known; it was skipped"
    )
    return []


def record_text(value: Mapping[str, Json]) -> str:
    blocks = read_parts(value.get("content"), ImportNotes(), 0)
    return "\n".join(block.text for block in blocks if isinstance(block, Text))


def request_tokens(value: Mapping[str, Json]) -> int | None:
    """Return the reported size of the request that a record answers, in tokens."""
    size = number_of(nested(value, "tokens", "input"))
    # Presumably an answer that was cancelled reports 0.
    return size if size and size > 0 and value.get("type") == "gemini" else None


def content_key(value: Mapping[str, Json]) -> str:
    """Return what a record says as text, without ids, times, display fields and results.

    The CLI writes an answer first as text beside its thoughts and calls, and as parts that hold
    them when it writes the whole history.
    """
    texts: list[str] = []
    others: list[Json] = []
    for part in _content_parts(value):
        fields = fields_of(part)
        if isinstance(part, str) or isinstance(fields.get("text"), str):
            is_thought = fields.get("thought") is True
            texts += [] if is_thought else [coerce_text(fields.get("text", part))]
        elif "functionCall" not in fields:
            others.append(part)
    calls = dict.fromkeys(map(_call_key, _record_calls(value)))
    said = [value.get("type"), "".join(texts).strip(), others, list(calls)]
    return json.dumps(said, sort_keys=True)


def _content_parts(value: Mapping[str, Json]) -> Sequence[Json]:
    content = value.get("content")
    if content is None:
        return ()
    return content if isinstance(content, list) else [content]


def _record_calls(value: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """Return the calls beside the content and in it, where the same ones may stand again."""
    beside = map(fields_of, list_of(value.get("toolCalls")))
    parts = (fields_of(part) for part in _content_parts(value))
    inside = (part["functionCall"] for part in parts if "functionCall" in part)
    return [*beside, *map(fields_of, inside)]


def _call_key(call: Mapping[str, Json]) -> str:
    fields = [call.get(name) for name in ("id", "name", "args")]
    return json.dumps(fields, sort_keys=True)


def call_ids(value: Mapping[str, Json]) -> Set[str]:
    return {coerce_text(call.get("id")) for call in _record_calls(value)}


def is_said(value: Mapping[str, Json]) -> bool:
    """Return whether a record is more than a row that is only shown, or results alone: in a history
    that is written again, results are joined and repeated."""
    if value.get("type") in DISPLAY_ONLY:
        return False
    parts = _content_parts(value)
    results = [part for part in parts if "functionResponse" in fields_of(part)]
    return not results or len(results) < len(parts)


def results_of(values: Iterable[Mapping[str, Json]]) -> dict[str, Json]:
    """Return the result of each call in records, from the first place that has it."""
    results: dict[str, Json] = {}
    for value in values:
        for call in map(fields_of, list_of(value.get("toolCalls"))):
            id_, result = coerce_text(call.get("id")), call.get("result")
            if result is not None:
                own = _responses(list_of(result)).get(id_, result)
                # The CLI sends a text in this form.
                sent = {"output": own} if isinstance(own, str) else own
                results.setdefault(id_, sent)
        for id_, result in _responses(_content_parts(value)).items():
            results.setdefault(id_, result)
    return results


def _responses(parts: Iterable[Json]) -> dict[str, Json]:
    """Return the responses among the parts of a content by the id of their call."""
    fields = (fields_of(part).get("functionResponse") for part in parts)
    responses = [one for one in fields if isinstance(one, dict)]
    return {coerce_text(one.get("id")): one.get("response") for one in responses}


def _user(
    value: Mapping[str, Json],
    source: Source,
    notes: ImportNotes,
    answered_ids: set[str],
) -> list[Message]:
    all_blocks = read_parts(value.get("content"), notes, source.line)
    blocks = tuple(
        b
        for b in all_blocks
        # Gemini CLI writes results twice: in the record of their call, and as the user's next
        # record.
        if not (isinstance(b, ToolResponse) and b.call_id in answered_ids)
    )
    if all_blocks and not blocks:
        notes.skip(
            "tool results that are in their call's record already", line=source.line
        )
        return []
    answered_ids |= _response_ids(blocks)
    if blocks:
        first = blocks[0]
    else:
        first = None
    # The CLI opens each session with what it says of date, system and folder.
    is_context = isinstance(first, Text) and first.text.lstrip().startswith(_CONTEXT)
    flags = MessageFlag.META if is_context else MessageFlag.NONE
    return record_messages(
        source, split_by_speaker(blocks), flags, *_id_and_time(value), _extra(value)
    )


def _answer(
    value: Mapping[str, Json],
    source: Source,
    notes: ImportNotes,
    answered_ids: set[str],
) -> list[Message]:
    thoughts = list_of(value.get("thoughts"))
    calls = list_of(value.get("toolCalls"))
    ids = {coerce_text(nested(call, "id")) for call in calls}
    blocks: list[Block] = [_thought(thought) for thought in thoughts]
    blocks += [
        block
        for block in read_parts(value.get("content"), notes, source.line)
        if not _is_told_beside(block, thoughts, ids)
    ]
    results: list[Block] = []
    for call in calls:
        # A call that was cancelled has a result of null, which is written back.
        ignored = () if nested(call, "result") is None else ("result",)
        block = call_block(call, _CALL, notes, source.line, *ignored, kind="toolCall")
        blocks.append(block)
        if isinstance(block, ToolCall):
            read = _results(call, block.id, block.name, notes, source.line)
            results += [one for one in read if not _is_other_result(one, block.id, ids)]
    answered_ids |= _response_ids(results)
    lists = [
        name for name, items in (("thoughts", thoughts), ("toolCalls", calls)) if items
    ]
    parts: list[tuple[Speaker, list[Block]]] = [(Speaker.AI, blocks)]
    parts += [(Speaker.TOOL, results)] if results else []
    messages = record_messages(source, parts, MessageFlag.NONE, *_id_and_time(value))
    return [replace(messages[0], extra=_extra(value, *lists)), *messages[1:]]


def _is_told_beside(block: Block, thoughts: Sequence[Json], ids: Set[str]) -> bool:
    """Return whether a part of the content is a thought or call that the record holds beside it,
    as it does once the CLI has written its history again."""
    if isinstance(block, Thinking):
        return bool(thoughts)
    return isinstance(block, ToolCall) and block.id in ids


def _is_other_result(block: Block, id_: str, ids: Set[str]) -> bool:
    """Return whether a result is that of another call of the record: a history that is written
    again has all of them in each call."""
    if not isinstance(block, ToolResponse) or block.call_id == id_:
        return False
    return block.call_id in ids


def _id_and_time(value: Mapping[str, Json]) -> tuple[str, str]:
    return coerce_text(value.get("id")), coerce_text(value.get("timestamp"))


def _response_ids(blocks: Sequence[Block]) -> set[str]:
    return {block.call_id for block in blocks if isinstance(block, ToolResponse)} - {""}


def _extra(value: Mapping[str, Json], *lists: str) -> Mapping[str, Json]:
    known = ("id", "timestamp", "type", "content", *lists)
    extra = dict(
        other_fields(
            value, known if "parts" not in value else (*known, "parts", "role")
        )
    )
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
    # A thought is a heading and a text; sent to another model it is one text.
    return Thinking("\n".join(filter(None, texts)), {"$thought": thought})


def _results(
    call: Mapping[str, Json], id_: str, name: str, notes: ImportNotes, line: int
) -> list[Block]:
    result = call.get("result")
    if result is None:
        return []
    parts = read_parts(result, notes, line)
    responses = [part for part in parts if isinstance(part, ToolResponse)]
    response = next((part for part in responses if part.call_id == id_), None)
    response = response or next(iter(responses), None)
    others: list[Block]
    if response is None:
        response = _made_response(result, parts, id_, name)
        others = [part for part in parts if not isinstance(part, Text)]
    else:
        others = [part for part in parts if part is not response]
        # An id of its own is written back, and the call is found by that of its record.
        if response.call_id not in (id_, ""):
            response = _with_own_id(response)
    # What stands beside the response is written back into the result of its call.
    beside = [_tagged(block, id_) for block in others]
    return [replace(response, call_id=id_, name=name or response.name), *beside]


def _made_response(
    result: Json, parts: Sequence[Block], id_: str, name: str
) -> ToolResponse:
    """Return the response of a call whose result has none, only texts."""
    texts = [part.text for part in parts if isinstance(part, Text)]
    form = "string" if isinstance(result, str) else "parts"
    return ToolResponse(id_, name, "\n".join(texts), extra={"$result": form})


def _with_own_id(response: ToolResponse) -> ToolResponse:
    function = {**response.extra.get("$function", {}), "id": response.call_id}
    return replace(response, extra={**response.extra, "$function": function})


def _tagged(block: Block, id_: str) -> Block:
    # An opaque block has no place for a note.
    if isinstance(block, Opaque):
        return block
    return replace(block, extra={**block.extra, "$of": id_})
