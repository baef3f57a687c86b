"""Reads content of Anthropic messages as blocks, for all readers whose records hold such content."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from sys import intern

from core.common.json_value import MISSING, Json
from core.formats.common.import_notes import ImportNotes
from core.formats.common.json_access import coerce_text, other_fields, string_of
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Media,
    Opaque,
    ServerTool,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

STRING_CONTENT: Mapping[str, Json] = {"$content": "string"}
NULL_CONTENT: Mapping[str, Json] = {"$content": "null"}
ABSENT_CONTENT: Mapping[str, Json] = {"$content": "absent"}
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
    """Return the blocks of a record's ``content``, and the note on its shape (see format.py)."""
    content = record.get("content", MISSING)
    if isinstance(content, str):
        return (Text(content),), STRING_CONTENT
    if isinstance(content, list):
        if len(content) == 1:  # the usual case
            return (read_block(content[0], notes, line),), NO_EXTRA
        return tuple([read_block(block, notes, line) for block in content]), NO_EXTRA
    if content is None:
        return (), NULL_CONTENT
    if content is MISSING:
        notes.warn(line, "the message has no content; kept as it is")
        return (), ABSENT_CONTENT
    notes.warn(line, f"content is {_TYPE_NAMES.get(type(content), 'of an unknown kind')}; kept as it is")
    return (Opaque("content", content),), NO_EXTRA


def read_block(block: Json, notes: ImportNotes, line: int) -> Block:
    """Read one content block; an unknown one becomes Opaque."""
    if isinstance(block, dict):
        kind = block.get("type")
        reader = _READERS.get(kind) if isinstance(kind, str) else None
        result = reader(block) if reader is not None else _server_tool(block, coerce_text(kind))
        return result or Opaque(kind if isinstance(kind, str) and kind else "unknown", block)
    if isinstance(block, str):
        return Text(block, {"$string": True})
    notes.warn(line, "a content block is not an object; kept as it is")
    return Opaque("unknown", block)


def split_by_speaker(blocks: Sequence[Block]) -> tuple[tuple[Speaker, tuple[Block, ...]], ...]:
    """Split a user record's blocks: tool responses first, as ``responses``; all others as ``others``."""
    if len(blocks) == 1:
        return ((Speaker.TOOL if isinstance(blocks[0], ToolResponse) else Speaker.HUMAN, tuple(blocks)),)
    responses = tuple(block for block in blocks if isinstance(block, ToolResponse))
    if not responses:
        return ((Speaker.HUMAN, tuple(blocks)),)
    others = tuple(block for block in blocks if not isinstance(block, ToolResponse))
    return ((Speaker.TOOL, responses), (Speaker.HUMAN, others)) if others else ((Speaker.TOOL, responses),)


def writes_hour_cache(usage: Mapping[str, Json], previous: bool) -> bool:
    """Return whether a request writes the prompt cache for an hour; ``previous`` if it wrote none."""
    cache_creation = usage.get("cache_creation")
    if not isinstance(cache_creation, dict):
        return previous
    parts = (cache_creation.get(name) for name in ("ephemeral_1h_input_tokens", "ephemeral_5m_input_tokens"))
    hour_tokens, short_tokens = (part if isinstance(part, int) else 0 for part in parts)
    return hour_tokens > short_tokens or (previous and hour_tokens == short_tokens)


def _text(block: Mapping[str, Json]) -> Block | None:
    content = block.get("text")
    if not isinstance(content, str):
        return None
    return Text(content, NO_EXTRA if len(block) == 2 else other_fields(block, ("type", "text")))


def _compaction(block: Mapping[str, Json]) -> Block | None:
    content = block.get("content")
    return Text(content, other_fields(block, ("content",))) if isinstance(content, str) else None


def _thinking(block: Mapping[str, Json]) -> Block | None:
    content = block.get("thinking")
    return Thinking(content, other_fields(block, ("type", "thinking"))) if isinstance(content, str) else None


def _call(block: Mapping[str, Json]) -> ToolCall:
    id_, name = block.get("id"), block.get("name")
    arguments = block.get("input", {})
    if isinstance(arguments, dict) and type(path := arguments.get("file_path")) is str:
        arguments["file_path"] = intern(path)  # a session repeats the same paths
    known = ["type", "input"] + ["id"] * isinstance(id_, str) + ["name"] * isinstance(name, str)
    return ToolCall(coerce_text(id_), intern(coerce_text(name)), arguments, other_fields(block, known))


def _response(block: Mapping[str, Json]) -> ToolResponse:
    id_, result = block.get("tool_use_id"), block.get("content", "")
    failed = block.get("is_error") is True
    known = ["type", "content"] + ["tool_use_id"] * isinstance(id_, str) + ["is_error"] * failed
    extra = other_fields(block, known)
    if "content" not in block:
        extra = {**extra, "$content": "absent"}
    return ToolResponse(coerce_text(id_), "", result, plain_text(result) if failed else MISSING, extra)


def _server_tool(block: Mapping[str, Json], kind: str) -> Block | None:
    """Read a call of a tool that Anthropic runs, or its answer without the encrypted parts."""
    if kind in _SERVER_CALLS:
        call = ToolCall(coerce_text(block.get("id")), coerce_text(block.get("name")), block.get("input", {}))
        return ServerTool(kind, block, None, (call,))
    if not kind.endswith(_SERVER_RESULT):
        return None
    result = _without_encrypted_fields(block.get("content", ""))
    failed = block.get("is_error") is True or (isinstance(result, dict) and "error_code" in result)
    error = result if failed else MISSING
    name = kind.removesuffix(_SERVER_RESULT)
    answer = ToolResponse(coerce_text(block.get("tool_use_id")), name, result, error)
    return ServerTool(kind, block, None, (answer,))


def _without_encrypted_fields(value: Json) -> Json:
    """Return a value without the fields that only the provider can read."""
    if isinstance(value, list):
        return [_without_encrypted_fields(item) for item in value]
    if isinstance(value, dict):
        return {
            name: _without_encrypted_fields(item)
            for name, item in value.items()
            if not name.startswith("encrypted")
        }
    return value


def plain_text(result: Json) -> str:
    """Return the text of a result: itself, or its text blocks joined by line breaks."""
    if isinstance(result, str):
        return result
    if not isinstance(result, list):
        return coerce_text(result)
    texts = (part.get("text") if isinstance(part, dict) else part for part in result)
    return "\n".join(text for text in texts if isinstance(text, str))


def _media(block: Mapping[str, Json]) -> Block | None:
    source = block.get("source")
    if not isinstance(source, dict):
        return None
    kind = source.get("type")
    data = source.get("data") if kind in ("base64", "text") else source.get("url")
    if not isinstance(data, str):
        return Opaque(coerce_text(block.get("type")), block)
    mime = source.get("media_type")
    extra: dict[str, Json] = dict(other_fields(block, ("source", "title")))
    extra["$source"] = kind
    used_fields = (
        ("type", "data", "media_type") if kind in ("base64", "text") else ("type", "url", "media_type")
    )
    if other_source_fields := other_fields(source, used_fields):
        extra["$source_extra"] = dict(other_source_fields)
    caption = block.get("title")
    if "title" in block and not isinstance(caption, str):
        extra["title"] = caption
    return Media(string_of(mime), data, string_of(caption), extra)


_READERS: Mapping[str, Callable[[Mapping[str, Json]], Block | None]] = {
    "text": _text,
    "compaction": _compaction,
    "thinking": _thinking,
    "tool_use": _call,
    "tool_result": _response,
    "image": _media,
    "document": _media,
}
"""By type of block; they return None if the block does not have the fields of its type."""
