"""Reader for items of OpenAI's Responses API: a list, a request, a response, a list object, JSONL.

Items become messages by the rules of ``core.formats.openai_responses.items``: an answer of the model is one
message, however many items it was written in.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from core.common.json_value import Json
from core.formats.anthropic.blocks import text_of
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.message_lists import (
    ConversationRecords,
    DetectionSample,
    conversation_records,
    detection_sample,
)
from core.formats.common.tool_linking import link_calls
from core.formats.openai_responses.items import (
    ResponseItemHistory,
    is_known,
    item_compactions,
    item_type,
    read_item,
)
from core.transcript.model import Conversation, Message, RecordedCompaction, Source, Speaker, SystemPart, Text

_KEYS = ("input", "output", "data")
_PARTS = ("input_text", "output_text", "input_image", "input_file")
_COMPACTED = "response.compaction"
_OBJECTS = ("response", _COMPACTED)


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by the types of the items, and by the fields of a request or response around them."""
    seen = detection_sample(opened, _KEYS)
    named = seen.fields.get("object") in _OBJECTS
    objects = [value for value in seen.records if isinstance(value, dict) and "payload" not in value]
    if not seen.found or not objects:
        empty = seen.found and not seen.records and (named or _is_request(seen))
        return (0.6, "an empty list of items in a request or response") if empty else (0.0, "")
    own = sum(1 for value in objects if _is_own(value))
    items = sum(1 for value in objects if _is_item(value))
    share = items / len(seen.records)
    why = f"items of the Responses API in {own or items} of {len(seen.records)} {seen.unit}"
    if own or named:
        return 0.95 * share, why
    return (0.9 * share, f"{why}, under input") if _is_request(seen) else (0.0, "")


def _is_request(seen: DetectionSample) -> bool:
    """True for role and content alone, where the fields beside them are those of a request."""
    return bool({"instructions", "max_output_tokens", "previous_response_id", "model"} & seen.fields.keys())


def _is_item(value: Mapping[str, Json]) -> bool:
    """True for a message with a role and content, and for the types that the API has."""
    if item_type(value) == "message":
        return "role" in value and "content" in value
    return is_known(item_type(value)) and "role" not in value and "parentId" not in value


def _is_own(value: Mapping[str, Json]) -> bool:
    kind = value.get("type")
    if kind == "message" or (kind is None and "role" in value):
        content = value.get("content")
        parts = content if isinstance(content, list) else []
        return any(isinstance(part, dict) and part.get("type") in _PARTS for part in parts)
    if not isinstance(kind, str) or "parentId" in value:  # entries of Pi have parents
        return False
    return (
        kind in ("function_call", "function_call_output", "compaction", "item_reference")
        or (kind == "reasoning" and "summary" in value)
        or (kind.endswith(("_call", "_call_output")) and "role" not in value)
    )


def read(opened: OpenedDocument, request: ReadRequest) -> Conversation:
    """Read one conversation. Leading system and developer messages become the system part."""
    notes = ImportNotes()
    held = conversation_records(opened, _KEYS, request, notes)
    notes.records = len(held.records)
    talk, system = ResponseItemHistory(), ResponseItemHistory()
    messages, leading = talk.messages, system.messages
    ended = False
    for record in held.records:
        item = read_item(record.value, notes, record.line)
        source = Source(record.line, record.start, record.end)
        leads = item.speaker is Speaker.SYSTEM and not messages and bool(item.blocks)
        leads = leads and all(isinstance(block, Text) for block in item.blocks)
        (system if leads else talk).add(item, source, alone=ended)
        ended = item.ends
    talk.close()
    if isinstance(held.fields.get("output"), list):
        notes.warn(0, "the list output beside input was not read")
    return Conversation(
        "openai_responses",
        opened.document,
        link_calls(messages, notes),
        SystemPart(tuple(_texts(held, leading)), _tools(held)),
        recorded=tuple(_recorded(held, messages)),
        report=notes.report(),
        model=text_of(held.fields.get("model")),
        reported_context=_reported(held),
        number=held.number,
        siblings=held.siblings,
        listed=held.listed,
        layout={**held.layout, "system": [[s.line, s.start, s.end] for m in leading for s in m.sources]},
    )


def _texts(held: ConversationRecords, leading: list[Message]) -> Iterator[str]:
    instructions = held.fields.get("instructions")
    if isinstance(instructions, str) and instructions:
        yield instructions
    for message in leading:
        yield "\n".join(block.text for block in message.blocks if isinstance(block, Text))


def _tools(held: ConversationRecords) -> tuple[Json, ...]:
    tools = held.fields.get("tools")
    return tuple(tools) if isinstance(tools, list) else ()


def _recorded(held: ConversationRecords, messages: list[Message]) -> Iterator[RecordedCompaction]:
    """Compaction items; the answer of the compaction call holds what it left, and counts what was."""
    found = [compaction for _, compaction in item_compactions(messages)]
    if held.fields.get("object") == _COMPACTED:
        yield from (replace(one, tokens_before=_reported(held)) for one in found[-1:])
    else:
        yield from found


def _reported(held: ConversationRecords) -> int | None:
    usage = held.fields.get("usage")
    tokens = usage.get("input_tokens") if isinstance(usage, dict) else None
    return tokens if isinstance(tokens, int) and not isinstance(tokens, bool) else None


OPENAI_RESPONSES = Format(
    "openai_responses",
    "OpenAI Responses",
    "Items of the Responses API: a JSON list, {input, instructions}, responses, list objects, or JSONL.",
    score,
    read,
)
