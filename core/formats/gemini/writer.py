"""Writes Gemini contents: a request object, or the source's own container with new contents."""

from __future__ import annotations

from collections.abc import Sequence

from core.common.json_value import Json
from core.formats.gemini.part_writer import FAMILY, parts_json
from core.formats.writing.alternating_roles import ApiMessage, ApiMessageFormat, api_messages, by_turns
from core.formats.writing.base import (
    Exporter,
    ExporterOutput,
    ExportInput,
    ExportLosses,
    ExportMessage,
    ExportOptions,
    following_records,
)
from core.formats.writing.plain_text import own_fields
from core.formats.writing.raw_json import dump_json, rebuild_container
from core.formats.writing.same_format import source_lines, unchanged_source
from core.formats.writing.tool_definitions import gemini_tools
from core.formats.writing.unsupported_content import ExtraContent, leave_out_extra
from core.transcript.model import Message, Speaker

NAME = "gemini"


def write(given: ExportInput, options: ExportOptions) -> ExporterOutput:
    """Write the contents in the source's container if it is Gemini's, else as a request."""
    losses = ExportLosses("Gemini")
    same = given.comes_from(NAME)
    if (whole := unchanged_source(given, NAME)) is not None:
        return whole
    shape = source_lines(given, NAME)
    turns = by_turns(api_messages(given, _SHAPE, losses), _SHAPE, following_records(given, NAME))
    contents = [_SHAPE.value(turn) for turn in turns]
    if same:
        return ExporterOutput(rebuild_container(given.conversation, contents)[0], shape, losses.sentences())
    value = _request(given, contents, losses)
    return ExporterOutput(dump_json(value, pretty=True) + b"\n", shape, losses.sentences())


def _request(given: ExportInput, contents: Sequence[Json], losses: ExportLosses) -> dict[str, Json]:
    left_out = (ExtraContent.SYSTEM, ExtraContent.TOOLS, ExtraContent.CALL_IDS)
    leave_out_extra(given, losses, *left_out, family=given.conversation.format in FAMILY)
    system = given.conversation.system
    value: dict[str, Json] = {}
    if system.texts:
        value["systemInstruction"] = {"parts": [{"text": text} for text in system.texts]}
    value["contents"] = list(contents)
    if system.tools and (tools := gemini_tools(system.tools, losses)):
        value["tools"] = tools
    return value


def _build_message(group: Sequence[ExportMessage], format_name: str, losses: ExportLosses) -> ApiMessage:
    head = group[0]
    own = head.origin is not None and format_name == NAME
    parts: list[Json] = []
    for piece in group:
        shaped = piece.origin is not None and format_name in FAMILY
        parts += parts_json(piece.message.blocks, same=shaped, losses=losses)
    if head.message.speaker is Speaker.SYSTEM and not own:
        losses.change("system message as user")
    elif head.message.speaker is Speaker.UNKNOWN and not own:
        losses.change("message of an unknown role as user")
    place = head.record if own else None
    fields = own_fields(head.message.extra) if own else {}
    return ApiMessage(_role(head.message), parts, fields, first=place, last=place)


def _role(message: Message) -> str:
    return "model" if message.speaker is Speaker.AI else "user"


def _is_result(part: Json) -> bool:
    return isinstance(part, dict) and ("functionResponse" in part or "function_response" in part)


def _text_part(text: str) -> Json:
    return {"text": text}


_SHAPE = ApiMessageFormat(NAME, "parts", _role, _build_message, _is_result, _text_part)

EXPORTER = Exporter(
    NAME,
    (),
    "Gemini contents",
    ".json",
    "A request for the Gemini API: systemInstruction, contents and tools.",
    write,
)
