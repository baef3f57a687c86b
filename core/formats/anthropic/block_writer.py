"""Writes blocks in Anthropic's shape, for all exporters whose records hold such content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from core.common.json_value import MISSING, Json
from core.formats.writing.base import ExportLosses
from core.formats.writing.plain_text import (
    code_text,
    count_error_losses,
    fields_without_notes,
    result_as_text,
    split_data_url,
)
from core.transcript.model import Block, Code, Media, Opaque, Text, Thinking, ToolCall, ToolResponse
from core.transcript.tool_outcomes import answer_parts


def content_json(blocks: Iterable[Block], *, same_family: bool, losses: ExportLosses) -> list[Json]:
    """Return the content list of a message; ``same_family``: the blocks came from such content."""
    values = (block_json(block, same_family=same_family, losses=losses) for block in blocks)
    return [value for value in values if value is not None]


def block_json(block: Block, *, same_family: bool, losses: ExportLosses) -> Json | None:
    """Return one block, or None if Anthropic has no place for it."""
    match block:
        case Text():
            return _text(block, same_family)
        case Thinking():
            return _thinking(block, same_family, losses)
        case ToolCall():
            return _call(block, same_family, losses)
        case ToolResponse():
            return _response(block, same_family, losses)
        case Media():
            return _media(block, same_family, losses)
        case Code():
            losses.count_changed("code block as text")
            return {"type": "text", "text": code_text(block)}
        case Opaque():
            if same_family and isinstance(block.raw, dict) and block.kind not in ("message", "content"):
                return block.raw
            losses.count_left_out(block.kind or "unknown block")
            return None


def _with_extra_fields(
    value: dict[str, Json], extra: Mapping[str, Json], same_family: bool
) -> dict[str, Json]:
    return {**value, **fields_without_notes(extra)} if same_family else value


def _text(block: Text, same_family: bool) -> Json | None:
    if not same_family and not block.text.strip():
        return None
    if same_family and block.extra.get("type") == "compaction":
        return _with_extra_fields({"content": block.text}, block.extra, same_family)
    return _with_extra_fields({"type": "text", "text": block.text}, block.extra, same_family)


def _thinking(block: Thinking, same_family: bool, losses: ExportLosses) -> Json | None:
    signature = block.extra.get("signature")
    value: dict[str, Json] = {"type": "thinking", "thinking": block.text}
    if same_family:
        return _with_extra_fields(value, block.extra, same_family)
    if not signature:
        losses.count_left_out("thinking without a signature")
        return None
    return {**value, "signature": signature}


def _call(block: ToolCall, same_family: bool, losses: ExportLosses) -> Json:
    arguments = block.arguments
    if not same_family and not isinstance(arguments, dict):
        losses.count_changed("call arguments that are no object")
        arguments = {} if arguments in (None, "", MISSING) else {"arguments": arguments}
    value: dict[str, Json] = {"type": "tool_use", "id": block.id, "name": block.name, "input": arguments}
    if same_family and block.extra.get("$made_id"):
        del value["id"]
    return _with_extra_fields(value, block.extra, same_family)


def _response(block: ToolResponse, same_family: bool, losses: ExportLosses) -> Json:
    value: dict[str, Json] = {"type": "tool_result", "tool_use_id": block.call_id}
    if same_family and block.extra.get("$made_id"):
        del value["tool_use_id"]
    content = block.result if same_family else _result(block, losses)
    if not (same_family and block.extra.get("$content") == "absent" and content == ""):
        value["content"] = content
    if block.error is not MISSING:
        value["is_error"] = True
    return _with_extra_fields(value, block.extra, same_family)


def _result(block: ToolResponse, losses: ExportLosses) -> Json:
    """Return text, or blocks if there are images or documents."""
    count_error_losses(block, losses, counts_mark=False)
    parts = answer_parts(block)
    if not any(isinstance(part, Media) for part in parts):
        return result_as_text(block)
    return [
        value for part in parts if (value := block_json(part, same_family=False, losses=losses)) is not None
    ]


def _media(block: Media, same_family: bool, losses: ExportLosses) -> Json:
    mime, data = split_data_url(block.mime, block.data)
    is_supported = mime.startswith("image/") or mime in ("application/pdf", "text/plain", "")
    if not same_family and not is_supported:
        losses.count_left_out(f"{mime} data")
        return {"type": "text", "text": f"[{mime}{': ' + block.caption if block.caption else ''}]"}
    kind = "document" if mime in ("application/pdf", "text/plain") else "image"
    source = _source(mime, data)
    if same_family and block.extra.get("$source"):
        source["type"] = block.extra["$source"]
        source |= block.extra.get("$source_extra", {})
    value: dict[str, Json] = {"type": kind, "source": source}
    if block.caption and (kind == "document" or same_family):
        value["title"] = block.caption
    return _with_extra_fields(value, block.extra, same_family)


def _source(mime: str, data: str) -> dict[str, Json]:
    mime, data = split_data_url(mime, data)
    if data.startswith(("http://", "https://")):
        return {"type": "url", "url": data}
    return {"type": "base64", "media_type": mime or "image/png", "data": data}
