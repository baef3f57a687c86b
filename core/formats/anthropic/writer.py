"""Writes Anthropic messages: a request object, or new messages in the source's own container."""

from __future__ import annotations

from collections.abc import Sequence

from core.common.json_value import Json
from core.formats.anthropic.block_writer import content_json
from core.formats.writing.alternating_roles import ApiMessage, ApiMessageFormat, api_messages, by_turns
from core.formats.writing.base import (
    Exporter,
    ExporterOutput,
    ExportInput,
    ExportLosses,
    ExportMessage,
    ExportOptions,
    OutputShape,
    following_records,
)
from core.formats.writing.plain_text import only_text, own_fields
from core.formats.writing.raw_json import dump_json, rebuild_container
from core.formats.writing.same_format import source_lines, unchanged_source
from core.formats.writing.text_documents import FAMILY
from core.formats.writing.tool_definitions import anthropic_tools
from core.formats.writing.unsupported_content import ExtraContent, leave_out_extra
from core.transcript.model import Message, Speaker, ToolResponse

NAME = "anthropic_messages"


def write(given: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Write messages in the source's container if it is Anthropic's, else as a request."""
    losses = ExportLosses("Anthropic")
    same = given.comes_from(NAME)
    if (unchanged := unchanged_source(given, NAME)) is not None:
        return unchanged
    turns = by_turns(api_messages(given, _API_FORMAT, losses), _API_FORMAT, following_records(given, NAME))
    records = [_API_FORMAT.value(turn) for turn in turns]
    if same:
        data, _ = rebuild_container(given.conversation, _timed(given, records))
        return ExporterOutput(data, source_lines(given, NAME), losses.sentences())
    value = _request(given, records, losses)
    return ExporterOutput(dump_json(value, pretty=True) + b"\n", OutputShape.JSON, losses.sentences())


def _request(given: ExportInput, records: Sequence[Json], losses: ExportLosses) -> dict[str, Json]:
    """Return a request. It always has ``system``, so that it is not mistaken for another API's."""
    held = (ExtraContent.SYSTEM, ExtraContent.TOOLS, ExtraContent.MODEL, ExtraContent.CALL_IDS)
    leave_out_extra(given, losses, *held, family=given.conversation.format in FAMILY)
    system = given.conversation.system
    value: dict[str, Json] = {}
    if given.conversation.model:
        value["model"] = given.conversation.model
    texts = [{"type": "text", "text": text} for text in system.texts]
    value["system"] = system.texts[0] if len(texts) == 1 else texts
    if system.tools:
        value["tools"] = anthropic_tools(system.tools, losses)
    value["messages"] = list(records)
    return value


def _built(group: Sequence[ExportMessage], format_name: str, losses: ExportLosses) -> ApiMessage:
    head = group[0]
    own = head.origin is not None and format_name == NAME
    content: list[Json] = []
    for piece in group:
        shaped = piece.origin is not None and format_name in FAMILY
        content += content_json(piece.message.blocks, same=shaped, losses=losses)
    _note_role(head.message, losses)
    role = _role(head.message)
    fields = own_fields(head.message.extra) if own else {}
    if own and head.message.id:
        fields.setdefault("id", head.message.id)
    place = head.record if own else None
    text = only_text(content) if own and _is_plain(head.message) else None
    if text is not None:
        return ApiMessage(role, text, fields, first=place, last=place)
    return ApiMessage(role, content, fields, first=place, last=place)


def _is_plain(message: Message) -> bool:
    return message.extra.get("$content") == "string"


def _role(message: Message) -> str:
    return "assistant" if message.speaker is Speaker.AI else "user"


def _note_role(message: Message, losses: ExportLosses) -> None:
    if message.speaker is Speaker.SYSTEM:
        losses.change("system message as user")
    elif message.speaker is Speaker.UNKNOWN and "role" not in message.extra:
        losses.change("message of an unknown role as user")
    elif message.speaker is Speaker.AI and any(isinstance(block, ToolResponse) for block in message.blocks):
        losses.change("tool result of the assistant")


def _is_result(part: Json) -> bool:
    return isinstance(part, dict) and part.get("type") == "tool_result"


def _timed(given: ExportInput, records: Sequence[Json]) -> Sequence[Json]:
    """If the source's messages carry a time (``ts``), give new ones that of the message before."""
    times = [message.extra["ts"] for message in given.conversation.messages if "ts" in message.extra]
    if len(times) * 2 <= len(given.conversation.messages):
        return records
    timed: list[Json] = []
    last: Json = times[0]
    for record in records:
        if isinstance(record, dict):
            last = record.get("ts", last)
            record = {**record, "ts": last}
        timed.append(record)
    return timed


def _of_text(text: str) -> Json:
    return {"type": "text", "text": text}


_API_FORMAT = ApiMessageFormat(NAME, "content", _role, _built, _is_result, _of_text)

EXPORTER = Exporter(
    NAME,
    ("anthropic",),
    "Anthropic messages",
    ".json",
    "A request for Anthropic's messages API: system, tools and messages.",
    write,
)
