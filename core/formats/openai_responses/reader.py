"""Reader for items of OpenAI's Responses API: a list, a request, a response, a list object, JSONL.

Items become messages by the rules of ``core.formats.openai_responses.items``: an answer of the model is one
message, however many items it has.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from core.common.json_value import Json
from core.formats.anthropic.blocks import coerce_text
from core.formats.common.document import OpenedDocument
from core.formats.common.format import Format, FormatScore, ReadRequest
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import list_of, nested, number_of
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
from core.transcript.model import Conversation, Message, RecordedCompaction, Speaker, SystemPart, Text

_KEYS = ("input", "output", "data")
_PART_TYPES = ("input_text", "output_text", "input_image", "input_file")
_COMPACTED = "response.compaction"
_OBJECT_TYPES = ("response", _COMPACTED)


def score(opened: OpenedDocument) -> FormatScore:
    """Judge by the types of the items, and by the fields of a request or response around them."""
    sample = detection_sample(opened, _KEYS)
    is_response = sample.fields.get("object") in _OBJECT_TYPES
    objects = [value for value in sample.records if isinstance(value, dict) and "payload" not in value]
    if not sample.has_records or not objects:
        empty = sample.has_records and not sample.records and (is_response or _is_request(sample))
        return (0.6, "an empty list of items in a request or response") if empty else (0.0, "")
    api_items = sum(1 for value in objects if _is_api_only_item(value))
    items = sum(1 for value in objects if _is_item(value))
    share = items / len(sample.records)
    reason = f"items of the Responses API in {api_items or items} of {len(sample.records)} {sample.unit}"
    if api_items or is_response:
        return 0.95 * share, reason
    return (0.9 * share, f"{reason}, under input") if _is_request(sample) else (0.0, "")


def _is_request(sample: DetectionSample) -> bool:
    """Return whether the fields around the items are those of a request."""
    return bool({"instructions", "max_output_tokens", "previous_response_id", "model"} & sample.fields.keys())


def _is_item(value: Mapping[str, Json]) -> bool:
    """Return whether it is a message with a role and content, or has a type of the API."""
    if item_type(value) == "message":
        return "role" in value and "content" in value
    return is_known(item_type(value)) and "role" not in value and "parentId" not in value


def _is_api_only_item(value: Mapping[str, Json]) -> bool:
    kind = value.get("type")
    if kind == "message" or (kind is None and "role" in value):
        content = value.get("content")
        parts = list_of(content)
        return any(isinstance(part, dict) and part.get("type") in _PART_TYPES for part in parts)
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
    loaded = conversation_records(opened, _KEYS, request, notes)
    notes.records = len(loaded.records)
    history, system = ResponseItemHistory(), ResponseItemHistory()
    messages, system_messages = history.messages, system.messages
    answer_ended = False
    for record in loaded.records:
        item = read_item(record.value, notes, record.line)
        source = record.source()
        is_leading = item.speaker is Speaker.SYSTEM and not messages and bool(item.blocks)
        is_leading = is_leading and all(isinstance(block, Text) for block in item.blocks)
        (system if is_leading else history).add(item, source, starts_message=answer_ended)
        answer_ended = item.ends_answer
    history.close()
    if isinstance(loaded.fields.get("output"), list):
        notes.warn(0, "the list output beside input was not read")
    return Conversation(
        "openai_responses",
        opened.document,
        link_calls(messages, notes),
        SystemPart(tuple(_texts(loaded, system_messages)), _tools(loaded)),
        recorded=tuple(_recorded_compactions(loaded, messages)),
        report=notes.report(),
        model=coerce_text(loaded.fields.get("model")),
        reported_context=_reported_context(loaded),
        number=loaded.number,
        siblings=loaded.siblings,
        listed=loaded.listed,
        layout={
            **loaded.layout,
            "system": [[s.line, s.start, s.end] for m in system_messages for s in m.sources],
        },
    )


def _texts(loaded: ConversationRecords, system_messages: list[Message]) -> Iterator[str]:
    instructions = loaded.fields.get("instructions")
    if isinstance(instructions, str) and instructions:
        yield instructions
    for message in system_messages:
        yield "\n".join(block.text for block in message.blocks if isinstance(block, Text))


def _tools(loaded: ConversationRecords) -> tuple[Json, ...]:
    return tuple(list_of(loaded.fields.get("tools")))


def _recorded_compactions(
    loaded: ConversationRecords, messages: list[Message]
) -> Iterator[RecordedCompaction]:
    """Yield compaction items; a response of the compact endpoint reports the tokens before."""
    compactions = [compaction for _, compaction in item_compactions(messages)]
    if loaded.fields.get("object") == _COMPACTED:
        yield from (replace(item, tokens_before=_reported_context(loaded)) for item in compactions[-1:])
    else:
        yield from compactions


def _reported_context(loaded: ConversationRecords) -> int | None:
    return number_of(nested(loaded.fields.get("usage"), "input_tokens"))


OPENAI_RESPONSES = Format(
    "openai_responses",
    "OpenAI Responses",
    "Items of the Responses API: a JSON list, {input, instructions}, responses, list objects, or JSONL.",
    score,
    read,
)
