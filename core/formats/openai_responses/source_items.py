"""Reads the items of messages from a rollout or Responses file again for an export."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from core.common.json_value import Json
from core.formats.common.import_notes import ImportNotes
from core.formats.common.open_document import read_document
from core.formats.openai_responses.item_writer import (
    RESPONSES_FORMATS,
    ResponseItemWrite,
    edited_items,
    items_json,
)
from core.formats.openai_responses.items import FINAL_PHASE, item_type, read_item, replacement_item
from core.formats.writing.base import ExportInput, ExportLosses, ExportMessage, export_messages
from core.formats.writing.raw_json import record_json
from core.transcript.model import Conversation, Message, Source, Speaker


@dataclass(frozen=True, slots=True)
class WrittenResponseItems:
    """The items to write for one message. ``sources`` are those of its origin, by the number of each put;
    ``is_unchanged``: all items are unchanged. ``time`` is that of a message of another format."""

    items: tuple[ResponseItemWrite, ...]
    sources: tuple[Source, ...] = ()
    is_unchanged: bool = False
    time: str = ""


def written_messages(export_input: ExportInput, losses: ExportLosses) -> list[WrittenResponseItems]:
    """Return the items of each message to write, in order. A new text before another answer is marked as the
    end of its own, so that a reader keeps the two apart."""
    written = [message for message in _written_messages(export_input, losses) if message.items]
    for index, (message, next_message) in enumerate(pairwise(written)):
        last, first = message.items[-1], next_message.items[0]
        if last.number is None and _is_answer(first.item) and _is_text(last.item):
            final = ResponseItemWrite(None, {**last.item, "phase": FINAL_PHASE})
            written[index] = replace(message, items=(*message.items[:-1], final), is_unchanged=False)
    return written


def _is_answer(item: Json) -> bool:
    return read_item(item, ImportNotes(), 0).speaker is Speaker.AI


def _is_text(item: Json) -> bool:
    return item_type(item) == "message" and item.get("role") == "assistant"


def _written_messages(export_input: ExportInput, losses: ExportLosses) -> Iterator[WrittenResponseItems]:
    from_responses = any(map(export_input.is_from_format, RESPONSES_FORMATS))
    data = read_document(export_input.conversation.document) if from_responses else b""
    for piece in export_messages(export_input):
        if (
            not from_responses
            or piece.origin is None
            or not _has_items(piece.origin, export_input.conversation)
        ):
            same_format = export_input.conversation.format in RESPONSES_FORMATS
            items = items_json(piece.message, same_format=same_format, losses=losses)
            yield WrittenResponseItems(
                tuple(ResponseItemWrite(None, item) for item in items), time=piece.message.timestamp
            )
        else:
            yield _source_message_items(
                piece, piece.origin, data, export_input.conversation.document.name, losses
            )


def _has_items(message: Message, conversation: Conversation) -> bool:
    """Return whether a message has items; those read from events of an old rollout have none."""
    return bool(message.sources) and not conversation.layout.get("events")


def _source_message_items(
    piece: ExportMessage, origin: Message, data: bytes, name: str, losses: ExportLosses
) -> WrittenResponseItems:
    items = [item_at(data, source, name) for source in origin.sources]
    if piece.is_unchanged:
        return WrittenResponseItems(
            tuple(ResponseItemWrite(n, raw) for n, raw in enumerate(items)), origin.sources, True
        )
    return WrittenResponseItems(
        tuple(edited_items(items, origin.blocks, piece.message, losses)), origin.sources
    )


def item_at(data: bytes, source: Source, name: str) -> Json:
    """Return the item of a source: the record, its payload, or an item of a compaction's new history."""
    value = record_json(data, source.start, source.end, name)
    payload = value.get("payload") if isinstance(value, dict) else None
    if not isinstance(payload, dict):
        return value
    return replacement_item(payload, source.part) if value.get("type") == "compacted" else payload
