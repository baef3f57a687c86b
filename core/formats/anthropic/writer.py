"""Writes Anthropic messages: a request object, or new messages in the source's own container."""

from __future__ import annotations

from collections.abc import Sequence

from core.common.json_value import Json
from core.formats.anthropic.blocks import content_json
from core.formats.common.json_parsing import nested
from core.formats.writing.api_requests import (
    ApiMessageFormat,
    anthropic_tools,
    api_message_records,
    merged_records,
)
from core.formats.writing.export_messages import (
    ANTHROPIC_FAMILY,
    ExportInput,
    ExportLosses,
)
from core.formats.writing.raw_json import json_exporter
from core.transcript.model import Block, Message, Speaker, Text, Thinking, ToolResponse

NAME = "anthropic_messages"


def _records(export_input: ExportInput, losses: ExportLosses) -> Sequence[Json]:
    records = merged_records(export_input, _API_FORMAT, losses)
    if export_input.is_from_format(NAME):
        return _with_times(export_input, records)
    return records


def _request(
    export_input: ExportInput, records: Sequence[Json], losses: ExportLosses
) -> dict[str, Json]:
    """Return a request. It always has ``system``, so that it is not mistaken for another API's."""
    system, model = export_input.conversation.system, export_input.conversation.model
    value: dict[str, Json] = {"model": model} if model else {}
    texts = [{"type": "text", "text": text} for text in system.texts]
    value["system"] = system.texts[0] if len(texts) == 1 else texts
    if system.tools:
        value["tools"] = anthropic_tools(system.tools, losses)
    return {**value, "messages": list(records)}


def _content(
    message: Message, same_family: bool, losses: ExportLosses
) -> Sequence[Json]:
    blocks = [block for block in message.blocks if _is_taken(block, losses)]
    content = content_json(blocks, same_family=same_family, losses=losses)
    if message.speaker is Speaker.AI and any(
        isinstance(block, ToolResponse) for block in message.blocks
    ):
        losses.count_changed("tool result of the assistant")
    return content


def _is_taken(block: Block, losses: ExportLosses) -> bool:
    """Return False for what the API refuses, though sessions of its family hold it."""
    if isinstance(block, Text):
        return bool(block.text.strip())
    if not isinstance(block, Thinking) or block.extra.get("signature"):
        return True
    losses.count_left_out("thinking without a signature")
    return False


def _with_times(export_input: ExportInput, records: Sequence[Json]) -> Sequence[Json]:
    """If the source's messages carry a time (``ts``), give new ones that of the message before."""
    times = [
        message.extra["ts"]
        for message in export_input.conversation.messages
        if "ts" in message.extra
    ]
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


def message_records(message: Message, same_family: bool) -> list[Json]:
    """Return what a request has for a message alone; ``same_family``: its blocks came from such
    content."""
    return api_message_records(message, _API_FORMAT, same_family)


_API_FORMAT = ApiMessageFormat(
    name=NAME,
    family=ANTHROPIC_FAMILY,
    key="content",
    model="assistant",
    content=_content,
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
