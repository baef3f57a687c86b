"""Writes Anthropic messages: a request object, or new messages in the source's own container."""

from __future__ import annotations

from collections.abc import Sequence

from core.common.json_value import Json
from core.formats.anthropic.blocks import content_json
from core.formats.common.json_access import nested
from core.formats.writing.api_requests import ApiMessage, ApiMessageFormat, anthropic_tools, merged_records
from core.formats.writing.base import ANTHROPIC_FAMILY, ExportInput, ExportLosses, ExportMessage
from core.formats.writing.format_capabilities import count_extra_losses
from core.formats.writing.plain_text import fields_without_notes, single_text
from core.formats.writing.raw_json import json_exporter
from core.transcript.model import Message, Speaker, ToolResponse

NAME = "anthropic_messages"


def _records(export_input: ExportInput, losses: ExportLosses) -> Sequence[Json]:
    records = merged_records(export_input, _API_FORMAT, losses)
    return _with_times(export_input, records) if export_input.is_from_format(NAME) else records


def _request(export_input: ExportInput, records: Sequence[Json], losses: ExportLosses) -> dict[str, Json]:
    """Return a request. It always has ``system``, so that it is not mistaken for another API's."""
    count_extra_losses(export_input, losses, NAME)
    system, model = export_input.conversation.system, export_input.conversation.model
    value: dict[str, Json] = {"model": model} if model else {}
    texts = [{"type": "text", "text": text} for text in system.texts]
    value["system"] = system.texts[0] if len(texts) == 1 else texts
    if system.tools:
        value["tools"] = anthropic_tools(system.tools, losses)
    return {**value, "messages": list(records)}


def _build_message(group: Sequence[ExportMessage], format_name: str, losses: ExportLosses) -> ApiMessage:
    first = group[0]
    is_source_record = first.origin is not None and format_name == NAME
    content: list[Json] = []
    for piece in group:
        is_same_family = piece.origin is not None and format_name in ANTHROPIC_FAMILY
        content += content_json(piece.message.blocks, same_family=is_same_family, losses=losses)
    _count_role_loss(first.message, losses)
    role = _role(first.message)
    fields = fields_without_notes(first.message.extra) if is_source_record else {}
    if is_source_record and first.message.id:
        fields.setdefault("id", first.message.id)
    record_range = first.record if is_source_record else None
    is_plain = first.message.extra.get("$content") == "string"
    text = single_text(content) if is_source_record and is_plain else None
    return ApiMessage(
        role, content if text is None else text, fields, first_record=record_range, last_record=record_range
    )


def _role(message: Message) -> str:
    return "assistant" if message.speaker is Speaker.AI else "user"


def _count_role_loss(message: Message, losses: ExportLosses) -> None:
    if message.speaker is Speaker.SYSTEM:
        losses.count_changed("system message as user")
    elif message.speaker is Speaker.UNKNOWN and "role" not in message.extra:
        losses.count_changed("message of an unknown role as user")
    elif message.speaker is Speaker.AI and any(isinstance(block, ToolResponse) for block in message.blocks):
        losses.count_changed("tool result of the assistant")


def _with_times(export_input: ExportInput, records: Sequence[Json]) -> Sequence[Json]:
    """If the source's messages carry a time (``ts``), give new ones that of the message before."""
    times = [message.extra["ts"] for message in export_input.conversation.messages if "ts" in message.extra]
    if len(times) * 2 <= len(export_input.conversation.messages):
        return records
    records_with_times: list[Json] = []
    last_time: Json = times[0]
    for record in records:
        if isinstance(record, dict):
            last_time = record.get("ts", last_time)
            record = {**record, "ts": last_time}
        records_with_times.append(record)
    return records_with_times


_API_FORMAT = ApiMessageFormat(
    NAME,
    "content",
    _role,
    _build_message,
    is_result=lambda part: nested(part, "type") == "tool_result",
    text_part=lambda text: {"type": "text", "text": text},
)

EXPORTER = json_exporter(
    (NAME, "anthropic"),
    "Anthropic messages",
    "Anthropic",
    "A request for Anthropic's messages API: system, tools and messages.",
    records=_records,
    request=_request,
)
