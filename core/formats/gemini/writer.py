"""Writes Gemini contents: a request object, or the source's own container with new contents."""

from __future__ import annotations

from collections.abc import Sequence

from core.common.json_value import Json
from core.formats.gemini.parts import parts_json
from core.formats.writing.api_requests import ApiMessage, ApiMessageFormat, gemini_tools, merged_records
from core.formats.writing.base import GEMINI_FAMILY, ExportInput, ExportLosses, ExportMessage
from core.formats.writing.format_capabilities import count_extra_losses
from core.formats.writing.plain_text import fields_without_notes
from core.formats.writing.raw_json import json_exporter
from core.transcript.model import Message, Speaker

NAME = "gemini"
_RESULT_FIELDS = ("functionResponse", "function_response")


def _request(export_input: ExportInput, contents: Sequence[Json], losses: ExportLosses) -> dict[str, Json]:
    count_extra_losses(export_input, losses, NAME)
    system = export_input.conversation.system
    texts = {"systemInstruction": {"parts": [{"text": text} for text in system.texts]}}
    tools = gemini_tools(system.tools, losses) if system.tools else []
    return {
        **(texts if system.texts else {}),
        "contents": list(contents),
        **({"tools": tools} if tools else {}),
    }


def _build_message(group: Sequence[ExportMessage], format_name: str, losses: ExportLosses) -> ApiMessage:
    first = group[0]
    same_format = first.origin is not None and format_name == NAME
    parts: list[Json] = []
    for piece in group:
        from_gemini = piece.origin is not None and format_name in GEMINI_FAMILY
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


_MESSAGE_FORMAT = ApiMessageFormat(
    NAME,
    "parts",
    _role,
    _build_message,
    is_result=lambda part: isinstance(part, dict) and not part.keys().isdisjoint(_RESULT_FIELDS),
    text_part=lambda text: {"text": text},
)

EXPORTER = json_exporter(
    (NAME,),
    "Gemini contents",
    "Gemini",
    "A request for the Gemini API: systemInstruction, contents and tools.",
    records=lambda export_input, losses: merged_records(export_input, _MESSAGE_FORMAT, losses),
    request=_request,
)
