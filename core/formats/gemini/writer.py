"""Writes Gemini contents: a request object, or the source's own container with new contents."""

from __future__ import annotations

from collections.abc import Sequence

from core.common.json_value import Json
from core.formats.gemini.parts import parts_json
from core.formats.writing.api_requests import (
    ApiMessageFormat,
    api_message_records,
    gemini_tools,
    merged_records,
)
from core.formats.writing.export_messages import (
    GEMINI_FAMILY,
    ExportInput,
    ExportLosses,
)
from core.formats.writing.raw_json import json_exporter
from core.transcript.model import Message

NAME = "gemini"
_RESULT_FIELDS = ("functionResponse", "function_response")


def _request(
    export_input: ExportInput, contents: Sequence[Json], losses: ExportLosses
) -> dict[str, Json]:
    system = export_input.conversation.system
    texts = {"systemInstruction": {"parts": [{"text": text} for text in system.texts]}}
    if system.tools:
        tools = gemini_tools(system.tools, losses)
    else:
        tools = []
    return {
        **(texts if system.texts else {}),
        "contents": list(contents),
        **({"tools": tools} if tools else {}),
    }


_MESSAGE_FORMAT = ApiMessageFormat(
    name=NAME,
    family=GEMINI_FAMILY,
    key="parts",
    model="model",
    content=lambda message, same_family, losses: parts_json(
        message.blocks, same_format=same_family, losses=losses
    ),
    is_result=lambda part: (
        isinstance(part, dict) and not part.keys().isdisjoint(_RESULT_FIELDS)
    ),
    text_part=lambda text: {"text": text},
)


def message_records(message: Message, same_family: bool) -> list[Json]:
    """Return what a request has for a message alone; ``same_family``: its blocks came from such
    parts."""
    return api_message_records(message, _MESSAGE_FORMAT, same_family)


EXPORTER = json_exporter(
    (NAME,),
    "Gemini contents",
    "Gemini",
    "A request for the Gemini API: systemInstruction, contents and tools.",
    records=lambda export_input, losses: merged_records(
        export_input, _MESSAGE_FORMAT, losses
    ),
    request=_request,
)
