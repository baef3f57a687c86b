"""Writes Gemini contents: a request object, or the source's own container with new contents."""

from __future__ import annotations

from collections.abc import Sequence

from core.common.json_value import Json
from core.formats.gemini.parts import GEMINI_FORMATS, parts_json
from core.formats.writing.alternating_roles import ApiMessage, ApiMessageFormat, api_messages, merge_by_role
from core.formats.writing.base import (
    Exporter,
    ExporterOutput,
    ExportInput,
    ExportLosses,
    ExportMessage,
    ExportOptions,
    next_records,
)
from core.formats.writing.plain_text import fields_without_notes
from core.formats.writing.raw_json import json_output, unchanged_output
from core.formats.writing.tool_definitions import gemini_tools
from core.formats.writing.unsupported_content import ExtraContent, count_extra_losses
from core.transcript.model import Message, Speaker

NAME = "gemini"


def write(export_input: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Write the contents in the source's container if it is Gemini's, else as a request."""
    losses = ExportLosses("Gemini")
    if (unchanged := unchanged_output(export_input, NAME)) is not None:
        return unchanged
    turns = merge_by_role(
        api_messages(export_input, _MESSAGE_FORMAT, losses), _MESSAGE_FORMAT, next_records(export_input, NAME)
    )
    contents = [_MESSAGE_FORMAT.message_json(turn) for turn in turns]
    return json_output(export_input, NAME, losses, contents, lambda: _request(export_input, contents, losses))


def _request(export_input: ExportInput, contents: Sequence[Json], losses: ExportLosses) -> dict[str, Json]:
    written_extra = (ExtraContent.SYSTEM, ExtraContent.TOOLS, ExtraContent.CALL_IDS)
    count_extra_losses(
        export_input, losses, *written_extra, family=export_input.conversation.format in GEMINI_FORMATS
    )
    system = export_input.conversation.system
    value: dict[str, Json] = {}
    if system.texts:
        value["systemInstruction"] = {"parts": [{"text": text} for text in system.texts]}
    value["contents"] = list(contents)
    if system.tools and (tools := gemini_tools(system.tools, losses)):
        value["tools"] = tools
    return value


def _build_message(group: Sequence[ExportMessage], format_name: str, losses: ExportLosses) -> ApiMessage:
    first = group[0]
    same_format = first.origin is not None and format_name == NAME
    parts: list[Json] = []
    for piece in group:
        from_gemini = piece.origin is not None and format_name in GEMINI_FORMATS
        parts += parts_json(piece.message.blocks, same_format=from_gemini, losses=losses)
    if first.message.speaker is Speaker.SYSTEM and not same_format:
        losses.count_changed("system message as user")
    elif first.message.speaker is Speaker.UNKNOWN and not same_format:
        losses.count_changed("message of an unknown role as user")
    record_range = first.record if same_format else None
    fields = fields_without_notes(first.message.extra) if same_format else {}
    return ApiMessage(
        _role(first.message), parts, fields, first_record=record_range, last_record=record_range
    )


def _role(message: Message) -> str:
    return "model" if message.speaker is Speaker.AI else "user"


def _is_result(part: Json) -> bool:
    return isinstance(part, dict) and ("functionResponse" in part or "function_response" in part)


def _text_part(text: str) -> Json:
    return {"text": text}


_MESSAGE_FORMAT = ApiMessageFormat(NAME, "parts", _role, _build_message, _is_result, _text_part)

EXPORTER = Exporter(
    NAME,
    (),
    "Gemini contents",
    ".json",
    "A request for the Gemini API: systemInstruction, contents and tools.",
    write,
)
