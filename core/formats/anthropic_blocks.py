"""Reads and writes content of Anthropic messages, for all formats whose records hold such content."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from sys import intern
from typing import TYPE_CHECKING

from core.common.json_value import MISSING, Json
from core.formats.common.json_parsing import (
    coerce_text,
    number_of,
    other_fields,
    string_of,
)
from core.formats.common.messages import ImportNotes, bare_part
from core.formats.writing.plain_text import (
    code_as_text,
    count_error_losses,
    fields_without_notes,
    object_arguments,
    result_as_text,
    split_data_url,
)
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Media,
    Opaque,
    ServerTool,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.tool_pairs import answer_parts

if TYPE_CHECKING:
    from core.formats.writing.exporter import ExportLosses


# Null, a text and no field at all are different bytes, though the same to the model.
_STRING, _NULL, _ABSENT = ({"$content": form} for form in ("string", "null", "absent"))
# The API runs these tools itself, so no client answers them.
_SERVER_CALLS = ("server_tool_use", "mcp_tool_use")
_SERVER_RESULT = "_tool_result"
_TYPE_NAMES: Mapping[type, str] = {
    int: "a number",
    float: "a number",
    bool: "true or false",
    dict: "an object",
}


def read_content(
    record: Mapping[str, Json], notes: ImportNotes, line: int
) -> tuple[tuple[Block, ...], Mapping[str, Json]]:
    """Return the blocks of a record's ``content``, and the note on its shape (FORMATS.md)."""
    content = record.get("content", MISSING)
    if isinstance(content, str):
        return (Text(content),), _STRING
    if isinstance(content, list):
        return tuple([read_block(block, notes, line) for block in content]), NO_EXTRA
    if content is None:
        return (), _NULL
    if content is MISSING:
        notes.warn(line, "the message has no content; kept as it is")
        return (), _ABSENT
    notes.warn(
        line,
        f"content is {_TYPE_NAMES.get(type(content), 'of an unknown kind')}; kept as it is",
    )
    return (Opaque("content", content),), NO_EXTRA


def read_block(block: Json, notes: ImportNotes, line: int) -> Block:
    """Read one content block; an unknown one becomes Opaque."""
    if isinstance(block, dict):
        kind = block.get("type")
        if isinstance(kind, str):
            reader = _READERS.get(kind)
        else:
            reader = None
        if reader is not None:
            result = reader(block)
        else:
            result = _read_server_tool(block, coerce_text(kind))
        return result or Opaque(
            kind if isinstance(kind, str) and kind else "unknown", block
        )
    return bare_part(block, notes, line, "content block")


def writes_hour_cache(usage: Mapping[str, Json], previous: bool) -> bool:
    """Return whether a request writes the prompt cache for an hour; ``previous`` if it wrote
    none."""
    cache_creation = usage.get("cache_creation")
    if not isinstance(cache_creation, dict):
        return previous
    parts = (
        cache_creation.get(name)
        for name in ("ephemeral_1h_input_tokens", "ephemeral_5m_input_tokens")
    )
    hour_tokens, short_tokens = (number_of(part) or 0 for part in parts)
    # A request may write neither; then the last one that wrote tells how the client caches.
    return hour_tokens > short_tokens or (previous and hour_tokens == short_tokens)


def plain_text(result: Json) -> str:
    """Return the text of a result: itself, or its text blocks joined by line breaks."""
    if isinstance(result, str):
        return result
    if not isinstance(result, list):
        return coerce_text(result)
    texts = (part.get("text") if isinstance(part, dict) else part for part in result)
    return "\n".join(text for text in texts if isinstance(text, str))


def _read_text(block: Mapping[str, Json]) -> Block | None:
    content = block.get("text")
    if not isinstance(content, str):
        return None
    return Text(
        content, NO_EXTRA if len(block) == 2 else other_fields(block, ("type", "text"))
    )


def _read_compaction(block: Mapping[str, Json]) -> Block | None:
    content = block.get("content")
    # A failed compaction has null here.
    if isinstance(content, str):
        return Text(content, other_fields(block, ("content",)))
    return None


def _read_thinking(block: Mapping[str, Json]) -> Block | None:
    content = block.get("thinking")
    if isinstance(content, str):
        return Thinking(content, other_fields(block, ("type", "thinking")))
    return None


def _read_call(block: Mapping[str, Json]) -> ToolCall:
    id_ = block.get("id")
    name = block.get("name")
    arguments = block.get("input", {})
    if isinstance(arguments, dict) and type(path := arguments.get("file_path")) is str:
        arguments["file_path"] = intern(path)  # a session repeats the same paths
    # A name that is no text stays among the other fields, so that it is written back.
    known = (
        ["type", "input"]
        + ["id"] * isinstance(id_, str)
        + ["name"] * isinstance(name, str)
    )
    return ToolCall(
        coerce_text(id_),
        intern(coerce_text(name)),
        arguments,
        other_fields(block, known),
    )


def _read_response(block: Mapping[str, Json]) -> ToolResponse:
    id_ = block.get("tool_use_id")
    result = block.get("content", "")
    # The API takes false and a missing field as success.
    failed = block.get("is_error") is True
    known = (
        ["type", "content"]
        + ["tool_use_id"] * isinstance(id_, str)
        + ["is_error"] * failed
    )
    extra = other_fields(block, known)
    if "content" not in block:
        extra = {**extra, **_ABSENT}
    return ToolResponse(
        coerce_text(id_), "", result, plain_text(result) if failed else MISSING, extra
    )


def _read_server_tool(block: Mapping[str, Json], kind: str) -> Block | None:
    """Read a call of a tool that Anthropic runs, or its answer without the encrypted parts."""
    if kind in _SERVER_CALLS:
        call = ToolCall(
            coerce_text(block.get("id")),
            coerce_text(block.get("name")),
            block.get("input", {}),
        )
        return ServerTool(kind, block, None, (call,))
    if not kind.endswith(_SERVER_RESULT):
        return None
    # Search results hold pages in an encrypted form that only Anthropic reads.
    result = _without_encrypted_fields(block.get("content", ""))
    # A tool of the API fails with an error code inside its result.
    failed = block.get("is_error") is True or (
        isinstance(result, dict) and "error_code" in result
    )
    name = kind.removesuffix(_SERVER_RESULT)
    error = result if failed else MISSING
    answer = ToolResponse(coerce_text(block.get("tool_use_id")), name, result, error)
    return ServerTool(kind, block, None, (answer,))


def _without_encrypted_fields(value: Json) -> Json:
    """Return a value without the fields that only the provider can read."""
    if isinstance(value, list):
        return [_without_encrypted_fields(item) for item in value]
    if not isinstance(value, dict):
        return value
    shown = {
        name: item for name, item in value.items() if not name.startswith("encrypted")
    }
    return {name: _without_encrypted_fields(item) for name, item in shown.items()}


def _read_media(block: Mapping[str, Json]) -> Block | None:
    source = block.get("source")
    if not isinstance(source, dict):
        return None
    kind = source.get("type")
    # A document may be given as plain text, in the field that else holds base64.
    name = "data" if kind in ("base64", "text") else "url"
    data = source.get(name)
    if not isinstance(data, str):
        return Opaque(coerce_text(block.get("type")), block)
    caption = block.get("title")
    extra: dict[str, Json] = {
        **other_fields(block, ("source", "title")),
        "$source": kind,
    }
    if other_source_fields := other_fields(source, ("type", name, "media_type")):
        extra["$source_extra"] = dict(other_source_fields)
    if "title" in block and not isinstance(caption, str):
        extra["title"] = caption
    return Media(string_of(source.get("media_type")), data, string_of(caption), extra)


_READERS: Mapping[str, Callable[[Mapping[str, Json]], Block | None]] = {
    "text": _read_text,
    "compaction": _read_compaction,
    "thinking": _read_thinking,
    "tool_use": _read_call,
    "tool_result": _read_response,
    "image": _read_media,
    "document": _read_media,
}
"""By type of block; they return None if the block does not have the fields of its type."""


def content_json(
    blocks: Iterable[Block], *, same_family: bool, losses: ExportLosses
) -> list[Json]:
    """Return the content list of a message; ``same_family``: the blocks came from such content."""
    values = (
        _block_json(block, same_family, losses)
        for block in code_as_text(blocks, losses)
    )
    return [value for value in values if value is not None]


def _call_json(
    block: ToolCall, same_family: bool, losses: ExportLosses
) -> dict[str, Json]:
    arguments = block.arguments if same_family else object_arguments(block, losses)
    return {"type": "tool_use", "id": block.id, "name": block.name, "input": arguments}


def _block_json(block: Block, same_family: bool, losses: ExportLosses) -> Json | None:
    """Return one block, or None if Anthropic has no place for it."""
    value: dict[str, Json] | None
    match block:
        case Opaque():
            return _opaque_json(block, same_family, losses)
        case Text():
            value = _text_json(block, same_family)
        case Thinking():
            value = _thinking_json(block, same_family, losses)
        case ToolCall():
            value = _call_json(block, same_family, losses)
        case ToolResponse():
            value = _response_json(block, same_family, losses)
        case _:
            return _media_json(block, same_family, losses)
    if value is None or not same_family:
        return value
    # The id was made for a block without one.
    if block.extra.get("$made_id"):
        del value["tool_use_id" if isinstance(block, ToolResponse) else "id"]
    return {**value, **fields_without_notes(block.extra)}


def _opaque_json(block: Opaque, same_family: bool, losses: ExportLosses) -> Json | None:
    is_block = isinstance(block.raw, dict) and block.kind not in ("message", "content")
    if same_family and is_block:
        return block.raw
    losses.count_left_out(block.kind or "unknown block")
    return None


def _text_json(block: Text, same_family: bool) -> dict[str, Json] | None:
    if same_family and block.extra.get("type") == "compaction":
        return {"content": block.text}  # its type comes back with the other fields
    # The API refuses a text block without words.
    if not same_family and not block.text.strip():
        return None
    return {"type": "text", "text": block.text}


def _thinking_json(
    block: Thinking, same_family: bool, losses: ExportLosses
) -> dict[str, Json] | None:
    value: dict[str, Json] = {"type": "thinking", "thinking": block.text}
    if same_family:
        return value
    signature = block.extra.get("signature")
    # The API refuses thinking without the signature that it gave.
    if not signature:
        losses.count_left_out("thinking without a signature")
        return None
    return {**value, "signature": signature}


def _response_json(
    block: ToolResponse, same_family: bool, losses: ExportLosses
) -> dict[str, Json]:
    value: dict[str, Json] = {"type": "tool_result", "tool_use_id": block.call_id}
    content = block.result
    if not same_family:  # a text, or blocks if there are images or documents
        count_error_losses(block, losses, counts_mark=False)
        parts = answer_parts(block)
        has_media = any(isinstance(part, Media) for part in parts)
        if has_media:
            content = content_json(parts, same_family=False, losses=losses)
        else:
            content = result_as_text(block)
    # An absent result is the same to the API as an empty one, but not the same bytes.
    if not (same_family and block.extra.get("$content") == "absent" and content == ""):
        value["content"] = content
    return value | ({} if block.error is MISSING else {"is_error": True})


def _own_source_fields(block: Media) -> dict[str, Json]:
    if not block.extra.get("$source"):
        return {}
    return {"type": block.extra["$source"], **block.extra.get("$source_extra", {})}


def _may_be_image(mime: str) -> bool:
    return mime.startswith("image/") or mime == ""


def _media_source(mime: str, data: str) -> dict[str, Json]:
    # The API fetches links itself, of web addresses only.
    if data.startswith(("http://", "https://")):
        return {"type": "url", "url": data}
    return {"type": "base64", "media_type": mime or "image/png", "data": data}


def _media_json(block: Block, same_family: bool, losses: ExportLosses) -> Json:
    assert isinstance(block, Media), "code became text"
    mime, data = split_data_url(block.mime, block.data)
    is_document = mime in ("application/pdf", "text/plain")
    # The API takes images, PDF and plain text, nothing else.
    if not (same_family or is_document or _may_be_image(mime)):
        losses.count_left_out(f"{mime} data")
        caption = f": {block.caption}" if block.caption else ""
        return {"type": "text", "text": f"[{mime}{caption}]"}
    source = _media_source(mime, data)
    if same_family:
        source |= _own_source_fields(block)
    value: dict[str, Json] = {
        "type": "document" if is_document else "image",
        "source": source,
    }
    # Images have no title in the API.
    if block.caption and (is_document or same_family):
        value["title"] = block.caption
    if same_family:
        return {**value, **fields_without_notes(block.extra)}
    return value
