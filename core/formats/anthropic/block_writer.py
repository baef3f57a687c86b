"""Writes blocks in Anthropic's shape, for all exporters whose records hold such content."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from core.common.json_value import MISSING, Json
from core.formats.writing.base import ExportLosses
from core.formats.writing.plain_text import code_text, own_fields, plain_result, split_data_url
from core.formats.writing.tool_results import note_error
from core.transcript.model import Block, Code, Media, Opaque, Text, Thinking, ToolCall, ToolResponse
from core.transcript.tool_result_content import answer_parts


def content_json(blocks: Iterable[Block], *, same: bool, losses: ExportLosses) -> list[Json]:
    """Return the content list of a message; ``same``: the blocks came from such content."""
    found = (block_json(block, same=same, losses=losses) for block in blocks)
    return [value for value in found if value is not None]


def block_json(block: Block, *, same: bool, losses: ExportLosses) -> Json | None:
    """Return one block, or None if Anthropic has no place for it."""
    match block:
        case Text():
            return _text(block, same)
        case Thinking():
            return _thinking(block, same, losses)
        case ToolCall():
            return _call(block, same, losses)
        case ToolResponse():
            return _response(block, same, losses)
        case Media():
            return _media(block, same, losses)
        case Code():
            losses.change("code block as text")
            return {"type": "text", "text": code_text(block)}
        case Opaque():
            if same and isinstance(block.raw, dict) and block.kind not in ("message", "content"):
                return block.raw
            losses.leave_out(block.kind or "unknown block")
            return None


def _extended(value: dict[str, Json], extra: Mapping[str, Json], same: bool) -> dict[str, Json]:
    return {**value, **own_fields(extra)} if same else value


def _text(block: Text, same: bool) -> Json | None:
    if not same and not block.text.strip():
        return None
    if same and block.extra.get("type") == "compaction":
        return _extended({"content": block.text}, block.extra, same)
    return _extended({"type": "text", "text": block.text}, block.extra, same)


def _thinking(block: Thinking, same: bool, losses: ExportLosses) -> Json | None:
    signature = block.extra.get("signature")
    value: dict[str, Json] = {"type": "thinking", "thinking": block.text}
    if same:
        return _extended(value, block.extra, same)
    if not signature:
        losses.leave_out("thinking without a signature")
        return None
    return {**value, "signature": signature}


def _call(block: ToolCall, same: bool, losses: ExportLosses) -> Json:
    arguments = block.arguments
    if not same and not isinstance(arguments, dict):
        losses.change("call arguments that are no object")
        arguments = {} if arguments in (None, "", MISSING) else {"arguments": arguments}
    value: dict[str, Json] = {"type": "tool_use", "id": block.id, "name": block.name, "input": arguments}
    if same and block.extra.get("$made_id"):
        del value["id"]
    return _extended(value, block.extra, same)


def _response(block: ToolResponse, same: bool, losses: ExportLosses) -> Json:
    value: dict[str, Json] = {"type": "tool_result", "tool_use_id": block.call_id}
    if same and block.extra.get("$made_id"):
        del value["tool_use_id"]
    content = block.result if same else _result(block, losses)
    if not (same and block.extra.get("$content") == "absent" and content == ""):
        value["content"] = content
    if block.error is not MISSING:
        value["is_error"] = True
    return _extended(value, block.extra, same)


def _result(block: ToolResponse, losses: ExportLosses) -> Json:
    """Return text, or blocks if there are images or documents."""
    note_error(block, losses, mark=False)
    parts = answer_parts(block)
    if not any(isinstance(part, Media) for part in parts):
        return plain_result(block)
    return [found for part in parts if (found := block_json(part, same=False, losses=losses)) is not None]


def _media(block: Media, same: bool, losses: ExportLosses) -> Json:
    mime, data = split_data_url(block.mime, block.data)
    known = mime.startswith("image/") or mime in ("application/pdf", "text/plain", "")
    if not same and not known:
        losses.leave_out(f"{mime} data")
        return {"type": "text", "text": f"[{mime}{': ' + block.caption if block.caption else ''}]"}
    kind = "document" if mime in ("application/pdf", "text/plain") else "image"
    source = _source(mime, data)
    if same and block.extra.get("$source"):
        source["type"] = block.extra["$source"]
        source |= block.extra.get("$source_extra", {})
    value: dict[str, Json] = {"type": kind, "source": source}
    if block.caption and (kind == "document" or same):
        value["title"] = block.caption
    return _extended(value, block.extra, same)


def _source(mime: str, data: str) -> dict[str, Json]:
    mime, data = split_data_url(mime, data)
    if data.startswith(("http://", "https://")):
        return {"type": "url", "url": data}
    return {"type": "base64", "media_type": mime or "image/png", "data": data}
