"""Content of Anthropic messages as blocks; shared by the readers whose records hold such content."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from sys import intern

from core.conversation import (
    MISSING,
    NO_EXTRA,
    Block,
    Json,
    Media,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.formats.notes import Notes
from core.formats.shelf import Shelved, ShelvedResponse

STRING_CONTENT: Mapping[str, Json] = {"$content": "string"}
NULL_CONTENT: Mapping[str, Json] = {"$content": "null"}
ABSENT_CONTENT: Mapping[str, Json] = {"$content": "absent"}
_TYPES: Mapping[type, str] = {int: "a number", float: "a number", bool: "true or false", dict: "an object"}


def read_content(
    record: Mapping[str, Json], notes: Notes, line: int
) -> tuple[tuple[Block, ...], Mapping[str, Json]]:
    """The blocks of a record's ``content`` and the note on how it was held (see base.py)."""
    content = record.get("content", MISSING)
    if isinstance(content, str):
        return (Text(content),), STRING_CONTENT
    if isinstance(content, list):
        return tuple(read_block(block, notes, line) for block in content), NO_EXTRA
    if content is None:
        return (), NULL_CONTENT
    if content is MISSING:
        notes.warn(line, "the message has no content; kept as it is")
        return (), ABSENT_CONTENT
    notes.warn(line, f"content is {_TYPES.get(type(content), 'of an unknown kind')}; kept as it is")
    return (Opaque("content", content),), NO_EXTRA


def read_block(block: Json, notes: Notes, line: int) -> Block:
    """One content block; what is not understood stays whole, as Opaque."""
    if isinstance(block, str):
        return Text(block, {"$string": True})
    if not isinstance(block, dict):
        notes.warn(line, "a content block is not an object; kept as it is")
        return Opaque("unknown", block)
    kind = block.get("type")
    if kind == "text" and isinstance(block.get("text"), str):
        return Text(block["text"], rest(block, ("type", "text")))
    if kind == "compaction" and isinstance(block.get("content"), str):
        return Text(block["content"], rest(block, ("content",)))
    if kind == "thinking" and isinstance(block.get("thinking"), str):
        return Thinking(block["thinking"], rest(block, ("type", "thinking")))
    if kind == "tool_use":
        return _call(block)
    if kind == "tool_result":
        return _response(block)
    if kind in ("image", "document") and isinstance(block.get("source"), dict):
        return _media(block)
    return Opaque(kind if isinstance(kind, str) and kind else "unknown", block)


def by_speaker(blocks: Sequence[Block]) -> tuple[tuple[Speaker, tuple[Block, ...]], ...]:
    """A user record's blocks: tool responses first, as ``tool``; all others as ``human``."""
    if len(blocks) == 1:
        return ((Speaker.TOOL if isinstance(blocks[0], ToolResponse) else Speaker.HUMAN, tuple(blocks)),)
    tool = tuple(block for block in blocks if isinstance(block, ToolResponse))
    if not tool:
        return ((Speaker.HUMAN, tuple(blocks)),)
    human = tuple(block for block in blocks if not isinstance(block, ToolResponse))
    return ((Speaker.TOOL, tool), (Speaker.HUMAN, human)) if human else ((Speaker.TOOL, tool),)


def rest(record: Mapping[str, Json], known: Collection[str]) -> Mapping[str, Json]:
    """The fields of a record that are not ``known``; the one empty mapping where there are none."""
    extra = {key: value for key, value in record.items() if key not in known}
    return extra or NO_EXTRA


def text_of(value: Json) -> str:
    """An id or name as text: as it is, "" for null or absent, else as JSON writes it."""
    if isinstance(value, str):
        return value
    return "" if value is None or value is MISSING else str(value)


def _call(block: Mapping[str, Json]) -> ToolCall:
    id_, name = block.get("id"), block.get("name")
    known = ["type", "input"]
    if isinstance(id_, str):
        known.append("id")
    if isinstance(name, str):
        known.append("name")
        name = intern(name)
    given = block.get("input", {})
    if isinstance(given, dict) and type(path := given.get("file_path")) is str:
        given["file_path"] = intern(path)  # a session speaks of the same files again and again
    return ToolCall(text_of(id_), text_of(name), given, rest(block, known))


def _response(block: Mapping[str, Json]) -> ToolResponse:
    id_, result = block.get("tool_use_id"), block.get("content", "")
    known = ["type", "content"]
    if isinstance(id_, str):
        known.append("tool_use_id")
    failed = block.get("is_error") is True
    if failed:
        known.append("is_error")
    extra = rest(block, known)
    if "content" not in block:
        extra = {**extra, "$content": "absent"}
    kind = ShelvedResponse if type(result) is Shelved else ToolResponse
    return kind(text_of(id_), "", result, plain_text(result) if failed else MISSING, extra)


def plain_text(result: Json) -> str:
    """The text of a result: itself, or that of its text blocks joined by line breaks."""
    if isinstance(result, str):
        return result
    if not isinstance(result, list):
        return text_of(result)
    texts = (part.get("text") if isinstance(part, dict) else part for part in result)
    return "\n".join(text for text in texts if isinstance(text, str))


def _media(block: Mapping[str, Json]) -> Block:
    source = block["source"]
    kind = source.get("type")
    data = source.get("data") if kind in ("base64", "text") else source.get("url")
    if not isinstance(data, str):
        return Opaque(text_of(block.get("type")), block)
    mime = source.get("media_type")
    extra: dict[str, Json] = dict(rest(block, ("source", "title")))
    extra["$source"] = kind
    used = ("type", "data", "media_type") if kind in ("base64", "text") else ("type", "url", "media_type")
    if others := rest(source, used):
        extra["$source_extra"] = dict(others)
    caption = block.get("title")
    if "title" in block and not isinstance(caption, str):
        extra["title"] = caption
    return Media(
        mime if isinstance(mime, str) else "", data, caption if isinstance(caption, str) else "", extra
    )
