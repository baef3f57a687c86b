"""Builds parts of Gemini's API, for all exporters whose records hold such parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from core.common.json_value import MISSING, Json
from core.formats.writing.base import ExportLosses
from core.formats.writing.plain_text import code_text, fields_without_notes, result_as_text, split_data_url
from core.formats.writing.tool_results import count_error_losses, result_media
from core.transcript.model import Block, Code, Media, Opaque, Text, Thinking, ToolCall, ToolResponse
from core.transcript.tool_result_content import answer_text

GEMINI_FORMATS = frozenset({"gemini", "gemini_cli"})
"""Source formats with such parts, whose extra fields are written, too."""

_SIGNATURE = "thoughtSignature"
_NON_PART_KINDS = ("message", "thought", "toolCall")
"""Kinds of opaque blocks that are not parts: records, thoughts and calls that are not objects."""


def parts_json(blocks: Iterable[Block], *, same_format: bool, losses: ExportLosses) -> list[Json]:
    """Return the parts of a content; ``same_format``: the blocks came from such parts."""
    return [part for block in blocks for part in part_json(block, same_format=same_format, losses=losses)]


def part_json(block: Block, *, same_format: bool, losses: ExportLosses) -> list[Json]:
    """Return the part of one block, for a response with images followed by their parts."""
    match block:
        case Text():
            return _text(block, same_format)
        case Thinking():
            return _thinking(block, same_format, losses)
        case ToolCall():
            return [_call(block, same_format, losses)]
        case ToolResponse():
            images = _images(block, same_format)
            if not same_format:
                count_error_losses(block, losses, counts_mark=False)
            if images:
                losses.count_changed("media of a tool result as parts beside it")
            return [{"functionResponse": response_json(block, same_format=same_format)}, *images]
        case Media():
            return [_media(block, same_format)]
        case Code():
            return [_code(block, same_format, losses)]
        case Opaque():
            if same_format and (isinstance(block.raw, dict) or block.kind not in _NON_PART_KINDS):
                return [block.raw]
            losses.count_left_out(block.kind or "unknown block")
            return []


def response_json(block: ToolResponse, *, same_format: bool) -> dict[str, Json]:
    """Return a ``functionResponse``; its response is an object, so text goes under output or error."""
    value: dict[str, Json] = {
        "id": block.call_id,
        "name": block.name,
        "response": _response_value(block, same_format),
    }
    if same_format and block.extra.get("$made_id"):
        del value["id"]
    return {**value, **block.extra.get("$function", {})} if same_format else value


def _response_value(block: ToolResponse, same_format: bool) -> Json:
    if same_format and "$response" in block.extra:
        return {block.extra["$response"]: block.result}
    if block.error is not MISSING and not same_format:
        return {"error": result_as_text(block)}
    if isinstance(block.result, dict):
        return block.result
    if isinstance(block.result, list) and not same_format:
        return {"output": answer_text(block)}
    return {"output": "" if block.result in (None, MISSING) else block.result}


def _images(block: ToolResponse, same_format: bool) -> list[Json]:
    return [] if same_format else [_data_part(media.mime, media.data) for media in result_media(block)]


def _with_extra(value: dict[str, Json], extra: Mapping[str, Json], same_format: bool) -> dict[str, Json]:
    return {**value, **fields_without_notes(extra)} if same_format else value


def _text(block: Text, same_format: bool) -> list[Json]:
    if not same_format:
        return [{"text": block.text}] if block.text.strip() else []
    if block.extra.get("$string"):
        return [block.text]
    kind = block.extra.get("$source")
    if kind:
        inner = {"output": block.text, **block.extra.get("$source_extra", {})}
        return [_with_extra({kind: inner}, block.extra, same_format)]
    return [_with_extra({"text": block.text}, block.extra, same_format)]


def _thinking(block: Thinking, same_format: bool, losses: ExportLosses) -> list[Json]:
    """Return a thought; with the signature only if Gemini gave it."""
    if same_format and "thought" in block.extra:
        return [_with_extra({"text": block.text}, block.extra, same_format)]
    signature = block.extra.get(_SIGNATURE)
    if not block.text and not signature:
        losses.count_left_out("thinking without words")
        return []
    return [{"text": block.text, "thought": True, **({_SIGNATURE: signature} if signature else {})}]


def _call(block: ToolCall, same_format: bool, losses: ExportLosses) -> Json:
    arguments = {} if block.arguments is MISSING else block.arguments
    if not same_format and not isinstance(arguments, dict):
        losses.count_changed("call arguments that are no object")
        arguments = {} if arguments in (None, "") else {"arguments": arguments}
    inner: dict[str, Json] = {"id": block.id, "name": block.name, "args": arguments}
    if same_format and block.extra.get("$made_id"):
        del inner["id"]
    value: dict[str, Json] = {
        "functionCall": {**inner, **block.extra.get("$function", {})} if same_format else inner
    }
    if same_format:
        return {**value, **fields_without_notes(block.extra)}
    return {**value, _SIGNATURE: block.extra[_SIGNATURE]} if _SIGNATURE in block.extra else value


def _media(block: Media, same_format: bool) -> Json:
    kind = block.extra.get("$source")
    if same_format and kind in ("inlineData", "fileData"):
        name = "data" if kind == "inlineData" else "fileUri"
        inner: dict[str, Json] = {"mimeType": block.mime} if block.mime else {}
        inner |= {name: block.data, **({"displayName": block.caption} if block.caption else {})}
        return _with_extra(
            {kind: {**inner, **block.extra.get("$source_extra", {})}}, block.extra, same_format
        )
    return _data_part(block.mime, block.data)


def _data_part(mime: str, data: str) -> Json:
    mime, data = split_data_url(mime, data)
    if data.startswith(("http://", "https://", "gs://")):
        return {"fileData": {**({"mimeType": mime} if mime else {}), "fileUri": data}}
    return {"inlineData": {"mimeType": mime or "image/png", "data": data}}


def _code(block: Code, same_format: bool, losses: ExportLosses) -> Json:
    if same_format and block.extra.get("$source"):
        inner = {"code": block.code, **({"language": block.language} if block.language else {})}
        value = {"executableCode": {**inner, **block.extra.get("$source_extra", {})}}
        return _with_extra(value, block.extra, same_format)
    losses.count_changed("code block as text")
    return {"text": code_text(block)}
