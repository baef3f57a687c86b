"""Writes lines of a Claude Code message with changed blocks; unchanged parts stay as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.common.json_value import Json
from core.formats.anthropic.block_writer import block_json
from core.formats.claude_code.source_lines import ClaudeLine
from core.formats.writing.base import ExportLosses, ExportMessage
from core.transcript.model import Block, Message, ToolCall, ToolResponse


@dataclass(frozen=True, slots=True)
class _BlockPlace:
    """The place of a source block: the start of its line, and its position in that line's content."""

    start: int
    position: int


@dataclass(frozen=True, slots=True)
class _BlockWrite:
    """A block to write at a place; ``is_unchanged`` if it is unchanged."""

    place: _BlockPlace
    block: Block
    is_unchanged: bool


def edited_lines(
    group: Sequence[ExportMessage], by_start: Mapping[int, ClaudeLine], losses: ExportLosses
) -> dict[int, dict[str, Json] | None]:
    """Return the new value of each line of a record's messages, by start; None if the line stays. A line
    without blocks is absent. The agent's copy of a tool result (``toolUseResult``) is removed if the result
    was changed, because it holds what was taken out."""
    writes: list[_BlockWrite] = []
    starts: list[int] = []
    for piece in group:
        if piece.origin is not None:
            starts += [source.start for source in piece.origin.sources if source.start not in starts]
            writes += _block_writes(piece.message, piece.origin, by_start)
    lines: dict[int, dict[str, Json] | None] = {}
    for start in starts:
        line_writes = [write for write in writes if write.place.start == start]
        if line_writes or len(starts) == 1:
            lines[start] = _edited_line(by_start[start].value, line_writes, losses)
    return lines


def _block_writes(message: Message, origin: Message, by_start: Mapping[int, ClaudeLine]) -> list[_BlockWrite]:
    places = _places(origin, by_start)
    source_blocks = origin.blocks
    writes: list[_BlockWrite] = []
    search_start = 0
    for block in message.blocks:
        index = _source_index(
            block, source_blocks, search_start, len(message.blocks) == len(source_blocks), len(writes)
        )
        if index is not None:
            search_start = index + 1
        place_index = min(max(search_start - 1, 0), len(places) - 1)
        is_unchanged = index is not None and (source_blocks[index] is block or source_blocks[index] == block)
        writes.append(_BlockWrite(places[place_index], block, is_unchanged))
    return writes


def _source_index(
    block: Block, source_blocks: Sequence[Block], search_start: int, one_to_one: bool, number: int
) -> int | None:
    """Return which source block a block is or was: at its place, itself further on, or with the same id."""
    if one_to_one:
        return number
    for index in range(search_start, len(source_blocks)):
        if (
            source_blocks[index] is block
            or source_blocks[index] == block
            or _same_id(source_blocks[index], block)
        ):
            return index
    return None


def _same_id(old: Block, new: Block) -> bool:
    if isinstance(old, ToolCall) and isinstance(new, ToolCall):
        return old.id == new.id
    return isinstance(old, ToolResponse) and isinstance(new, ToolResponse) and old.call_id == new.call_id


def _places(origin: Message, by_start: Mapping[int, ClaudeLine]) -> list[_BlockPlace]:
    starts = [source.start for source in origin.sources]
    items = [
        (_BlockPlace(start, position), _is_result(item))
        for start in starts
        for position, item in enumerate(_items(by_start[start].value))
    ]
    if len(items) != len(origin.blocks):  # the record became a tool and a human message
        is_tool_message = any(isinstance(block, ToolResponse) for block in origin.blocks)
        items = [(place, is_result) for place, is_result in items if is_result == is_tool_message]
    places = [place for place, _ in items][: len(origin.blocks)]
    return places or [_BlockPlace(starts[0], 0)]


def _items(value: Mapping[str, Json]) -> Sequence[Json]:
    content = _message(value).get("content")
    return content if isinstance(content, list) else [content]


def _is_plain(value: Mapping[str, Json]) -> bool:
    return isinstance(_message(value).get("content"), str)


def _is_result(item: Json) -> bool:
    return isinstance(item, dict) and item.get("type") == "tool_result"


def _edited_line(
    value: dict[str, Json], writes: Sequence[_BlockWrite], losses: ExportLosses
) -> dict[str, Json] | None:
    items = _items(value)
    ordered_writes = sorted(writes, key=_position)
    if len(ordered_writes) == len(items) and all(write.is_unchanged for write in ordered_writes):
        return None
    content: list[Json] = []
    for write in ordered_writes:
        if write.is_unchanged and write.place.position < len(items) and not _is_plain(value):
            content.append(items[write.place.position])
        elif (block_value := block_json(write.block, same_family=True, losses=losses)) is not None:
            content.append(block_value)
    changed = {**value, "message": {**_message(value), "content": _content_like(items, content)}}
    if any(isinstance(write.block, ToolResponse) and not write.is_unchanged for write in ordered_writes):
        changed.pop("toolUseResult", None)
    return changed


def _position(write: _BlockWrite) -> int:
    return write.place.position


def _message(value: Mapping[str, Json]) -> Mapping[str, Json]:
    message = value.get("message")
    return message if isinstance(message, dict) else {}


def _content_like(items: Sequence[Json], content: list[Json]) -> Json:
    """Return a single text as a string if it was one."""
    single_block = content[0] if len(content) == 1 else None
    if (
        len(items) == 1
        and isinstance(items[0], str)
        and isinstance(single_block, dict)
        and "text" in single_block
    ):
        return single_block["text"]
    return content
