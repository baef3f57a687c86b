"""Converts history entries of llxprt (IContent) to messages."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime

from core.common.json_value import MISSING, Json
from core.formats.common.import_notes import ImportNotes
from core.transcript.model import (
    NO_EXTRA,
    Block,
    Code,
    Media,
    Message,
    MessageFlag,
    Opaque,
    Source,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)

SPEAKERS: Mapping[str, Speaker] = {"human": Speaker.HUMAN, "ai": Speaker.AI, "tool": Speaker.TOOL}


def read_item(
    item: Mapping[str, Json], sources: tuple[Source, ...] = (), notes: ImportNotes | None = None
) -> Message:
    """Return the message of an entry. Absent fields of blocks become MISSING; other metadata stay in extra.

    ``notes`` receives warnings of unreadable blocks.
    """
    blocks = item.get("blocks")
    converted = tuple(read_block(block) for block in blocks) if isinstance(blocks, list) else ()
    metadata = item.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    flags = MessageFlag.RECORDED_SUMMARY if metadata.get("isSummary") is True else MessageFlag.NONE
    if any(isinstance(block, Opaque) for block in converted):
        flags |= MessageFlag.OPAQUE
        if notes is not None:
            notes.warn(sources[0].line, "a block is not known, or lacks its id or words; kept as it is")
    speaker = item.get("speaker")
    message_speaker = SPEAKERS.get(speaker, Speaker.UNKNOWN) if isinstance(speaker, str) else Speaker.UNKNOWN
    dropped = ("speaker", "blocks") if message_speaker is not Speaker.UNKNOWN else ("blocks",)
    extra = {key: value for key, value in item.items() if key not in dropped}
    if not isinstance(blocks, list) and "blocks" in item:
        extra["blocks"] = blocks
    id_ = metadata.get("id")
    return Message(
        message_speaker,
        converted,
        sources,
        flags,
        id_ if isinstance(id_, str) else "",
        _iso_time(metadata.get("timestamp")),
        extra or NO_EXTRA,
    )


def read_block(block: Json) -> Block:
    """Convert one block; one of an unknown type or with a broken field is Opaque."""
    if not isinstance(block, dict):
        return Opaque("unknown", block)
    kind = block.get("type")
    reader = _READERS.get(kind) if isinstance(kind, str) else None
    result = reader(block) if reader else None
    return result or Opaque(kind if isinstance(kind, str) and kind else "unknown", block)


def _are_texts(block: Mapping[str, Json], names: Sequence[str]) -> bool:
    return all(isinstance(block.get(name), str) for name in names)


def _extra_fields(block: Mapping[str, Json], *known: str) -> Mapping[str, Json]:
    extra = {key: value for key, value in block.items() if key != "type" and key not in known}
    return extra or NO_EXTRA


def _text(block: Mapping[str, Json]) -> Block | None:
    return Text(block["text"], _extra_fields(block, "text")) if _are_texts(block, ("text",)) else None


def _call(block: Mapping[str, Json]) -> Block | None:
    if not _are_texts(block, ("id", "name")):
        return None
    extra = _extra_fields(block, "id", "name", "parameters")
    return ToolCall(block["id"], block["name"], block.get("parameters", MISSING), extra)


def _response(block: Mapping[str, Json]) -> Block | None:
    if not _are_texts(block, ("callId",)):
        return None
    name = block.get("toolName")
    known = (
        ("callId", "toolName", "result", "error") if isinstance(name, str) else ("callId", "result", "error")
    )
    return ToolResponse(
        block["callId"],
        name if isinstance(name, str) else "",
        block.get("result", MISSING),
        block.get("error", MISSING),
        _extra_fields(block, *known),
    )


def _thinking(block: Mapping[str, Json]) -> Block | None:
    return (
        Thinking(block["thought"], _extra_fields(block, "thought"))
        if _are_texts(block, ("thought",))
        else None
    )


def _media(block: Mapping[str, Json]) -> Block | None:
    if not _are_texts(block, ("mimeType", "data")):
        return None
    caption = block.get("caption")
    known = ("mimeType", "data", "caption") if isinstance(caption, str) else ("mimeType", "data")
    extra = _extra_fields(block, *known)
    return Media(block["mimeType"], block["data"], caption if isinstance(caption, str) else "", extra)


def _code(block: Mapping[str, Json]) -> Block | None:
    if not _are_texts(block, ("code",)):
        return None
    language = block.get("language")
    known = ("code", "language") if isinstance(language, str) else ("code",)
    return Code(block["code"], language if isinstance(language, str) else "", _extra_fields(block, *known))


_READERS: Mapping[str, Callable[[Mapping[str, Json]], Block | None]] = {
    "text": _text,
    "tool_call": _call,
    "tool_response": _response,
    "thinking": _thinking,
    "media": _media,
    "code": _code,
}


def _iso_time(milliseconds: Json) -> str:
    if isinstance(milliseconds, str):
        return milliseconds
    if isinstance(milliseconds, bool) or not isinstance(milliseconds, int | float):
        return ""
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat().replace("+00:00", "Z")
    except (OverflowError, ValueError, OSError):
        return ""
