"""Writes blocks for OpenAI's chat API: content, calls and reasoning of one message."""

from __future__ import annotations

import json
from collections.abc import Iterable

from core.common.json_value import MISSING, Json
from core.formats.openai_chat.messages import CALL_PART
from core.formats.writing.export_messages import ExportLosses
from core.formats.writing.plain_text import (
    code_as_text,
    data_url,
    dump_json,
    fields_without_notes,
    image_detail_field,
    opaque_json,
    single_text,
    split_data_url,
)
from core.transcript.model import Block, Media, Opaque, Text, Thinking, ToolCall

_PART_FIELDS = {"image_url": "url", "input_audio": "data", "file": "file_data"}


def content_json(
    blocks: Iterable[Block],
    *,
    same_format: bool,
    losses: ExportLosses,
    content_form: str | None = None,
) -> Json:
    """Return the ``content`` of a message: a text if that is all, a list of parts, or None.
    ``same_format``: the blocks came from such a message; ``content_form`` is the shape of its
    content ("string", "null", "absent"; None for a list)."""
    parts: list[Json] = []
    for block in code_as_text(blocks, losses):
        if isinstance(block, Opaque) and block.kind == "content" and same_format:
            return block.raw
        part = _part(block, same_format, losses)
        if part is not None:
            parts.append(part)
    if content_form is None:
        return parts
    if not parts:
        return None
    text = single_text(parts)
    return parts if text is None else text


def _part(block: Block, same_format: bool, losses: ExportLosses) -> Json | None:
    match block:
        case Text():
            return _text(block, same_format)
        case Media():
            return (
                _source_media(block) if same_format and "$source" in block.extra else _media(block)
            )

        case Thinking() if same_format and block.extra.get("$field") == "value":
            return {"type": "reasoning", "value": block.text, **fields_without_notes(block.extra)}
        case ToolCall() if same_format and _is_in_content_part(block):
            return {"type": CALL_PART, "value": dump_json(_named_call(block)).decode()}
        case Opaque() if block.kind != CALL_PART or _is_call_part(block):
            return opaque_json(block, same_format, losses)
    return None


def _text(block: Text, same_format: bool) -> Json | None:
    if not same_format:
        return {"type": "text", "text": block.text} if block.text else None
    if block.extra.get("$string"):
        return block.text
    field = block.extra.get("$field")
    if field == "refusal":
        return {"type": "refusal", "refusal": block.text, **fields_without_notes(block.extra)}
    return {"type": "text", field or "text": block.text, **fields_without_notes(block.extra)}


def _source_media(block: Media) -> Json:
    kind = block.extra["$source"]
    inner = {**block.extra.get("$source_extra", {}), _PART_FIELDS.get(kind, "data"): block.data}
    return {"type": kind, kind: inner, **fields_without_notes(block.extra)}


def _media(block: Media) -> Json:
    mime, data = split_data_url(block.mime, block.data)
    if mime.startswith("audio/"):
        return {
            "type": "input_audio",
            "input_audio": {"data": data, "format": mime.removeprefix("audio/")},
        }
    if mime and not mime.startswith("image/"):
        inner = {"file_data": data_url(mime, data)}
        return {
            "type": "file",
            "file": {**inner, **({"filename": block.caption} if block.caption else {})},
        }
    url = data_url(mime or "image/png", data)
    return {"type": "image_url", "image_url": {"url": url, **image_detail_field(block)}}


def calls_json(blocks: Iterable[Block], *, same_format: bool) -> dict[str, Json]:
    """Return ``tool_calls`` (or the old ``function_call``) of a message; empty if it has none."""
    calls: list[Json] = []
    for block in blocks:
        if isinstance(block, ToolCall) and not (same_format and _is_in_content_part(block)):
            if same_format and block.extra.get("$legacy"):
                return {"function_call": _function(block, same_format)}
            calls.append(_call(block, same_format))
        elif (
            same_format
            and isinstance(block, Opaque)
            and block.kind == CALL_PART
            and not _is_call_part(block)
        ):
            calls.append(block.raw)
    return {"tool_calls": calls} if calls else {}


def _is_in_content_part(block: ToolCall) -> bool:
    """Return whether a call is in a content part (``read_parts`` of
    core.formats.openai_chat.messages)."""
    return block.extra.get("$field") == "value"


def _is_call_part(block: Opaque) -> bool:
    return isinstance(block.raw, dict) and block.raw.get("type") == CALL_PART


def _named_call(block: ToolCall) -> dict[str, Json]:
    return {"name": block.name, "arguments": block.arguments, **block.extra.get("$function", {})}


def _call(block: ToolCall, same_format: bool) -> Json:
    value: dict[str, Json] = {
        "id": block.id,
        "type": "function",
        "function": _function(block, same_format),
    }
    if not same_format:
        return value
    extra = fields_without_notes(block.extra)
    if block.extra.get("$made_id"):
        del value["id"]
    if extra.get("type", "function") != "function":
        del value["function"]
    return {**value, **extra}


def _function(block: ToolCall, same_format: bool) -> Json:
    value: dict[str, Json] = {"name": block.name, "arguments": _arguments(block, same_format)}
    return {**value, **block.extra.get("$function", {})} if same_format else value


def _arguments(block: ToolCall, same_format: bool) -> Json:
    """Return the source's own text if it still has the same value, else compact JSON."""
    if same_format and block.extra.get("$object"):
        return block.arguments
    original = block.extra.get("$arguments")
    if same_format and isinstance(original, str) and _has_value(original, block.arguments):
        return original
    if isinstance(block.arguments, str) and same_format and original is not None:
        return block.arguments
    return dump_json({} if block.arguments in (None, MISSING) else block.arguments).decode()


def _has_value(text: str, value: Json) -> bool:
    try:
        return bool(json.loads(text, strict=False) == value)
    except (ValueError, RecursionError):
        return bool(text == value)


def thoughts_json(
    blocks: Iterable[Block], *, same_format: bool, losses: ExportLosses
) -> dict[str, Json]:
    """Return the field with reasoning if the source had one; other thinking is left out."""
    fields: dict[str, Json] = {}
    for block in blocks:
        if isinstance(block, Thinking) and not (
            same_format and block.extra.get("$field") == "value"
        ):
            field = block.extra.get("$field") if same_format else block.extra.get("sourceField")
            if field in ("reasoning_content", "reasoning"):
                fields[field] = block.text
            else:
                losses.count_left_out("thinking")
    return fields
