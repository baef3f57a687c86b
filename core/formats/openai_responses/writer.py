"""Writes items of the Responses API: a request object, or new items in the source's container."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from core.common.json_value import Json
from core.formats.openai_responses.item_writer import FAMILY
from core.formats.openai_responses.items import item_type
from core.formats.openai_responses.source_items import written_messages
from core.formats.writing.base import Exporter, ExporterOutput, ExportInput, ExportLosses, ExportOptions
from core.formats.writing.raw_json import dump_json, rebuild_container
from core.formats.writing.same_format import source_lines, unchanged_source
from core.formats.writing.tool_definitions import responses_tools
from core.formats.writing.unsupported_content import ExtraContent, leave_out_extra

NAME = "openai_responses"
_CODEX_ONLY = ("internal_chat_message_metadata_passthrough", "metadata", "encrypted_content")
_KEPT_SECRETS = ("reasoning", "compaction", "compaction_summary", "context_compaction")


def write(given: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Write items in the source's container if it is the API's, else as a request."""
    losses = ExportLosses("the Responses API")
    conversation = given.conversation
    same = given.comes_from(NAME)
    if (unchanged := unchanged_source(given, NAME)) is not None:
        return unchanged
    shape = source_lines(given, NAME)
    items = [put.item for message in written_messages(given, losses) for put in message.items]
    if same:
        data, _ = rebuild_container(conversation, items)
        return ExporterOutput(data, shape, losses.sentences())
    if conversation.format != NAME:
        items = list(_for_the_api(items, losses))
    value = _request(given, items, losses)
    return ExporterOutput(dump_json(value, pretty=True) + b"\n", shape, losses.sentences())


def _for_the_api(items: Sequence[Json], losses: ExportLosses) -> Iterator[Json]:
    """Yield items of a rollout without what only Codex understands."""
    for item in items:
        kind = item_type(item)
        if kind == "reasoning" and not item.get("id") and not item.get("encrypted_content"):
            losses.leave_out("reasoning without its encrypted content")
        elif kind == "agent_message":
            losses.change("message of another agent as user")
            content = item.get("content")
            texts = [part for part in content if _is_text(part)] if isinstance(content, list) else content
            yield {"type": "message", "role": "user", "content": texts}
        elif isinstance(item, dict):
            removed = _CODEX_ONLY[:2] if kind in _KEPT_SECRETS else _CODEX_ONLY
            yield {key: value for key, value in item.items() if key not in removed and value is not None}
        else:
            yield item


def _is_text(part: Json) -> bool:
    return isinstance(part, dict) and part.get("type") == "input_text"


def _request(given: ExportInput, items: Sequence[Json], losses: ExportLosses) -> dict[str, Json]:
    """Return a request: the first system text is ``instructions``, further ones are developer messages."""
    held = (ExtraContent.SYSTEM, ExtraContent.TOOLS, ExtraContent.MODEL, ExtraContent.CALL_IDS)
    leave_out_extra(given, losses, *held, family=given.conversation.format in FAMILY)
    system = given.conversation.system
    value: dict[str, Json] = {"model": given.conversation.model} if given.conversation.model else {}
    if system.texts:
        value["instructions"] = system.texts[0]
    value["input"] = [*map(_developer, system.texts[1:]), *items]
    if system.tools:
        value["tools"] = responses_tools(system.tools, losses)
    return value


def _developer(text: str) -> Json:
    return {"type": "message", "role": "developer", "content": [{"type": "input_text", "text": text}]}


EXPORTER = Exporter(
    NAME,
    ("responses",),
    "OpenAI Responses",
    ".json",
    "A request for OpenAI's Responses API: instructions, input items and tools.",
    write,
)
