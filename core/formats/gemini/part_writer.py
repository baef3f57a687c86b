"""Builds parts of Gemini's API, for all exporters whose records hold such parts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from core.common.json_value import MISSING, Json
from core.formats.writing.base import ExportLosses
from core.formats.writing.plain_text import code_text, own_fields, plain_result, split_data_url
from core.formats.writing.tool_results import note_error, result_media
from core.transcript.model import Block, Code, Media, Opaque, Text, Thinking, ToolCall, ToolResponse
from core.transcript.tool_result_content import answer_text

FAMILY = frozenset({"gemini", "gemini_cli"})
"""Source formats with such parts, whose extra fields are written, too."""

_SIGNATURE = "thoughtSignature"
_WHOLE = ("message", "thought", "toolCall")
"""Kinds of opaque blocks that are not parts: records, thoughts and calls that are not objects."""


def parts_json(blocks: Iterable[Block], *, same: bool, losses: ExportLosses) -> list[Json]:
    """Return the parts of a content; ``same``: the blocks came from such parts."""
    return [part for block in blocks for part in part_json(block, same=same, losses=losses)]


def part_json(block: Block, *, same: bool, losses: ExportLosses) -> list[Json]:
    """Return the part of one block, for a response with images followed by their parts."""
    match block:
        case Text():
            return _text(block, same)
        case Thinking():
            return _thinking(block, same, losses)
        case ToolCall():
            return [_call(block, same, losses)]
        case ToolResponse():
            images = _images(block, same)
            if not same:
                note_error(block, losses, mark=False)
            if images:
                losses.change("media of a tool result as parts beside it")
            return [{"functionResponse": response_json(block, same=same)}, *images]
        case Media():
            return [_media(block, same)]
        case Code():
            return [_code(block, same, losses)]
        case Opaque():
            if same and (isinstance(block.raw, dict) or block.kind not in _WHOLE):
                return [block.raw]
            losses.leave_out(block.kind or "unknown block")
            return []


def response_json(block: ToolResponse, *, same: bool) -> dict[str, Json]:
    """Return a ``functionResponse``; its response is an object, so text goes under output or error."""
    value: dict[str, Json] = {"id": block.call_id, "name": block.name, "response": _answer(block, same)}
    if same and block.extra.get("$made_id"):
        del value["id"]
    return {**value, **block.extra.get("$function", {})} if same else value


def _answer(block: ToolResponse, same: bool) -> Json:
    if same and "$response" in block.extra:
        return {block.extra["$response"]: block.result}
    if block.error is not MISSING and not same:
        return {"error": plain_result(block)}
    if isinstance(block.result, dict):
        return block.result
    if isinstance(block.result, list) and not same:
        return {"output": answer_text(block)}
    return {"output": "" if block.result in (None, MISSING) else block.result}


def _images(block: ToolResponse, same: bool) -> list[Json]:
    return [] if same else [_data(media.mime, media.data) for media in result_media(block)]


def _with_extra(value: dict[str, Json], extra: Mapping[str, Json], same: bool) -> dict[str, Json]:
    return {**value, **own_fields(extra)} if same else value


def _text(block: Text, same: bool) -> list[Json]:
    if not same:
        return [{"text": block.text}] if block.text.strip() else []
    if block.extra.get("$string"):
        return [block.text]
    kind = block.extra.get("$source")
    if kind:
        inner = {"output": block.text, **block.extra.get("$source_extra", {})}
        return [_with_extra({kind: inner}, block.extra, same)]
    return [_with_extra({"text": block.text}, block.extra, same)]


def _thinking(block: Thinking, same: bool, losses: ExportLosses) -> list[Json]:
    """Return a thought; with the signature only if Gemini gave it."""
    if same and "thought" in block.extra:
        return [_with_extra({"text": block.text}, block.extra, same)]
    signature = block.extra.get(_SIGNATURE)
    if not block.text and not signature:
        losses.leave_out("thinking without words")
        return []
    return [{"text": block.text, "thought": True, **({_SIGNATURE: signature} if signature else {})}]


def _call(block: ToolCall, same: bool, losses: ExportLosses) -> Json:
    arguments = {} if block.arguments is MISSING else block.arguments
    if not same and not isinstance(arguments, dict):
        losses.change("call arguments that are no object")
        arguments = {} if arguments in (None, "") else {"arguments": arguments}
    inner: dict[str, Json] = {"id": block.id, "name": block.name, "args": arguments}
    if same and block.extra.get("$made_id"):
        del inner["id"]
    value: dict[str, Json] = {
        "functionCall": {**inner, **block.extra.get("$function", {})} if same else inner
    }
    if same:
        return {**value, **own_fields(block.extra)}
    return {**value, _SIGNATURE: block.extra[_SIGNATURE]} if _SIGNATURE in block.extra else value


def _media(block: Media, same: bool) -> Json:
    kind = block.extra.get("$source")
    if same and kind in ("inlineData", "fileData"):
        name = "data" if kind == "inlineData" else "fileUri"
        inner: dict[str, Json] = {"mimeType": block.mime} if block.mime else {}
        inner |= {name: block.data, **({"displayName": block.caption} if block.caption else {})}
        return _with_extra({kind: {**inner, **block.extra.get("$source_extra", {})}}, block.extra, same)
    return _data(block.mime, block.data)


def _data(mime: str, data: str) -> Json:
    mime, data = split_data_url(mime, data)
    if data.startswith(("http://", "https://", "gs://")):
        return {"fileData": {**({"mimeType": mime} if mime else {}), "fileUri": data}}
    return {"inlineData": {"mimeType": mime or "image/png", "data": data}}


def _code(block: Code, same: bool, losses: ExportLosses) -> Json:
    if same and block.extra.get("$source"):
        inner = {"code": block.code, **({"language": block.language} if block.language else {})}
        value = {"executableCode": {**inner, **block.extra.get("$source_extra", {})}}
        return _with_extra(value, block.extra, same)
    losses.change("code block as text")
    return {"text": code_text(block)}
