"""Writes items of the Responses API: a request object, or new items in the source's container."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from core.common.json_value import Json
from core.formats.common.json_parsing import nested
from core.formats.openai_responses.item_writer import (
    items_at,
    new_items,
    written_messages,
)
from core.formats.openai_responses.items import item_type
from core.formats.writing.api_requests import responses_tools
from core.formats.writing.export_messages import ExportInput, ExportLosses
from core.formats.writing.raw_json import json_exporter
from core.transcript.model import Conversation, Message

NAME = "openai_responses"
_CODEX_FIELDS = (
    "internal_chat_message_metadata_passthrough",
    "metadata",
    "encrypted_content",
)
_CALL_TYPES = ("function_call", "custom_tool_call")
_ENCRYPTED_TYPES = (
    "reasoning",
    "compaction",
    "compaction_summary",
    "context_compaction",
)


def _records(export_input: ExportInput, losses: ExportLosses) -> Sequence[Json]:
    items = [
        write.item
        for message in written_messages(export_input, losses)
        for write in message.items
    ]
    is_own = export_input.conversation.format == NAME
    if is_own:
        return items
    return list(_without_codex_fields(items, losses))


def _without_codex_fields(
    items: Sequence[Json], losses: ExportLosses
) -> Iterator[Json]:
    """Yield items of a rollout without what only Codex understands."""
    for item in items:
        kind = item_type(item)
        if (
            kind == "reasoning"
            and not item.get("id")
            and not item.get("encrypted_content")
        ):
            losses.count_left_out("reasoning without its encrypted content")
        elif kind == "agent_message":
            if texts := _readable(item.get("content")):
                losses.count_changed("message of another agent as user")
                yield {"type": "message", "role": "user", "content": texts}
            else:
                losses.count_left_out("encrypted message of another agent")
        elif isinstance(item, dict):
            yield _plain_item(item, kind)
        else:
            yield item


def _plain_item(item: Mapping[str, Json], kind: str) -> dict[str, Json]:
    """Return an item without the fields of Codex and those without a value."""
    removed = _CODEX_FIELDS[:2] if kind in _ENCRYPTED_TYPES else _CODEX_FIELDS
    present = {key: value for key, value in item.items() if value is not None}
    kept = {key: value for key, value in present.items() if key not in removed}
    if kind in _CALL_TYPES and "call_id" not in kept and "id" in kept:
        kept["call_id"] = kept["id"]  # some servers only write the id, and answer it
    return kept


def _readable(content: Json) -> Json:
    """Return the content without encrypted parts, which only the provider of Codex can read."""
    if not isinstance(content, list):
        return content
    return [part for part in content if nested(part, "type") == "input_text"]


def source_records(
    data: bytes, message: Message, conversation: Conversation
) -> list[Json]:
    """Return what a request has for a message as it is in the file. Raises InputError if that
    changed."""
    items = items_at(data, message.sources, conversation.document.name)
    is_own = conversation.format == NAME
    if is_own:
        return items
    return list(_without_codex_fields(items, ExportLosses("")))


def message_records(message: Message, same_family: bool) -> list[Json]:
    """Return what a request has for a message alone; ``same_family``: its blocks came from such
    items."""
    losses = ExportLosses("")
    return list(_without_codex_fields(new_items(message, same_family, losses), losses))


def _request(
    export_input: ExportInput, items: Sequence[Json], losses: ExportLosses
) -> dict[str, Json]:
    """Return a request: the first system text is ``instructions``, further ones are developer
    messages."""
    system, model = export_input.conversation.system, export_input.conversation.model
    value: dict[str, Json] = {"model": model} if model else {}
    if system.texts:
        value["instructions"] = system.texts[0]
    further = [[{"type": "input_text", "text": text}] for text in system.texts[1:]]
    messages = (
        {"type": "message", "role": "developer", "content": content}
        for content in further
    )
    value["input"] = [*messages, *items]
    return value | (
        {"tools": responses_tools(system.tools, losses)} if system.tools else {}
    )


EXPORTER = json_exporter(
    (NAME, "responses"),
    "OpenAI Responses",
    "the Responses API",
    "A request for OpenAI's Responses API: instructions, input items and tools.",
    records=_records,
    request=_request,
)
