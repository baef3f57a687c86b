"""Writes items of the Responses API: a request object, or new items in the source's container."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.common.json_value import Json
from core.formats.openai_responses.item_writer import RESPONSES_FORMATS, written_messages
from core.formats.openai_responses.items import item_type
from core.formats.writing.base import Exporter, ExporterOutput, ExportInput, ExportLosses, ExportOptions
from core.formats.writing.raw_json import json_output, unchanged_output
from core.formats.writing.tool_definitions import responses_tools
from core.formats.writing.unsupported_content import ExtraContent, count_extra_losses

NAME = "openai_responses"
_CODEX_FIELDS = ("internal_chat_message_metadata_passthrough", "metadata", "encrypted_content")
_ENCRYPTED_TYPES = ("reasoning", "compaction", "compaction_summary", "context_compaction")


def write(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Write items in the source's container if it is the API's, else as a request."""
    losses = ExportLosses("the Responses API")
    if (unchanged := unchanged_output(export_input, NAME)) is not None:
        return unchanged
    items = [
        item_write.item for message in written_messages(export_input, losses) for item_write in message.items
    ]
    if export_input.conversation.format != NAME:
        items = list(_without_codex_fields(items, losses))
    return json_output(export_input, NAME, losses, items, lambda: _request(export_input, items, losses))


def _without_codex_fields(items: Sequence[Json], losses: ExportLosses) -> Iterator[Json]:
    """Yield items of a rollout without what only Codex understands."""
    for item in items:
        kind = item_type(item)
        if kind == "reasoning" and not item.get("id") and not item.get("encrypted_content"):
            losses.count_left_out("reasoning without its encrypted content")
        elif kind == "agent_message":
            losses.count_changed("message of another agent as user")
            content = item.get("content")
            texts = [part for part in content if _is_text(part)] if isinstance(content, list) else content
            yield {"type": "message", "role": "user", "content": texts}
        elif isinstance(item, dict):
            removed = _CODEX_FIELDS[:2] if kind in _ENCRYPTED_TYPES else _CODEX_FIELDS
            yield {key: value for key, value in item.items() if key not in removed and value is not None}
        else:
            yield item


def _is_text(part: Json) -> bool:
    return isinstance(part, dict) and part.get("type") == "input_text"


def _request(export_input: ExportInput, items: Sequence[Json], losses: ExportLosses) -> dict[str, Json]:
    """Return a request: the first system text is ``instructions``, further ones are developer messages."""
    written_extra = (ExtraContent.SYSTEM, ExtraContent.TOOLS, ExtraContent.MODEL, ExtraContent.CALL_IDS)
    count_extra_losses(
        export_input, losses, *written_extra, family=export_input.conversation.format in RESPONSES_FORMATS
    )
    system = export_input.conversation.system
    value: dict[str, Json] = (
        {"model": export_input.conversation.model} if export_input.conversation.model else {}
    )
    if system.texts:
        value["instructions"] = system.texts[0]
    value["input"] = [*map(_developer_message, system.texts[1:]), *items]
    if system.tools:
        value["tools"] = responses_tools(system.tools, losses)
    return value


def _developer_message(text: str) -> Json:
    return {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": text}]}


EXPORTER = Exporter(
    NAME,
    ("responses",),
    "OpenAI Responses",
    ".json",
    "A request for OpenAI's Responses API: instructions, input items and tools.",
    write,
)
