"""Conversions that several exporters need: results and code as text, data URLs, extra fields."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from core.common.json_value import MISSING, Json
from core.formats.writing.raw_json import dump_json
from core.transcript.model import NO_EXTRA, Code, Media, Text, ToolResponse
from core.transcript.tool_result_content import answer_parts

_BACKTICKS = re.compile("`+")


def fields_without_notes(extra: Mapping[str, Json]) -> dict[str, Json]:
    """Return the extra fields of a record or block, without Foldline's notes (which start with $)."""
    return {key: value for key, value in extra.items() if not key.startswith("$")}


def result_as_text(block: ToolResponse) -> str:
    """Return a tool's answer as text: its texts, or its error if it has nothing else; a word per image."""
    parts = answer_parts(block)
    return "\n".join(part.text if isinstance(part, Text) else f"[{part.mime or 'image'}]" for part in parts)


def as_text(value: Json) -> str:
    """Return text as it is, the text parts of a list of blocks, anything else as compact JSON."""
    if isinstance(value, str):
        return value
    if value is None or value is MISSING:
        return ""
    if isinstance(value, list) and value and all(_is_text_part(part) for part in value):
        return "\n".join(part if isinstance(part, str) else part["text"] for part in value)
    return dump_json(value).decode()


def single_text(parts: Sequence[Json]) -> str | None:
    """Return the text of a content that is exactly one text part; None for any other."""
    part = parts[0] if len(parts) == 1 else None
    if not isinstance(part, dict) or part.keys() != {"type", "text"} or not _is_text_part(part):
        return None
    text: str = part["text"]
    return text


def _is_text_part(part: Json) -> bool:
    if isinstance(part, str):
        return True
    return isinstance(part, dict) and part.get("type") == "text" and isinstance(part.get("text"), str)


def code_fence(text: str, language: str = "") -> str:
    """Put text between code fences that are longer than any inside it."""
    longest = max(map(len, _BACKTICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{text.rstrip()}\n{fence}"


def code_text(block: Code) -> str:
    return code_fence(block.code, block.language)


def split_data_url(mime: str, data: str) -> tuple[str, str]:
    """Return type and base64 of a data URL; anything else unchanged."""
    prefix, comma, rest = data[:200].partition(";base64,")
    if data.startswith("data:") and comma:
        return prefix.removeprefix("data:") or mime, data[len(prefix) + len(comma) :] if rest or data else ""
    return mime, data


def image_detail_field(block: Media) -> dict[str, Json]:
    """Return the level of detail of an image as a field of OpenAI's APIs."""
    detail = block.extra.get("detail", block.extra.get("$source_extra", NO_EXTRA).get("detail"))
    return {"detail": detail} if isinstance(detail, str) else {}


def data_url(mime: str, data: str) -> str:
    """Return media as a URL: its own, else a data URL."""
    if data.startswith(("http://", "https://", "data:")):
        return data
    return f"data:{mime or 'application/octet-stream'};base64,{data}"
