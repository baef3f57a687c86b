"""Writes lines of a Claude Code message with changed blocks; unchanged parts stay as they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from core.common.json_value import Json
from core.formats.anthropic.block_writer import block_json
from core.formats.common.json_access import fields_of, nested
from core.formats.writing.base import ExportLosses, ExportMessage
from core.formats.writing.raw_json import SourceLine
from core.transcript.model import Block, Message, ToolCall, ToolResponse


class _BlockWrite(NamedTuple):
    """A block to write, with the start of its line and its position in that line's content."""

    start: int
    position: int
    block: Block
    is_unchanged: bool


def edited_lines(
    group: Sequence[ExportMessage], by_start: Mapping[int, SourceLine], losses: ExportLosses
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
        line_writes = [write for write in writes if write.start == start]
        if line_writes or len(starts) == 1:
            lines[start] = _edited_line(by_start[start].value, line_writes, losses)
    return lines


def _block_writes(message: Message, origin: Message, by_start: Mapping[int, SourceLine]) -> list[_BlockWrite]:
    """Give each block the place of the source block that it is or was, else that of the block before it."""
    places, source_blocks = _places(origin, by_start), origin.blocks
    is_one_to_one = len(message.blocks) == len(source_blocks)
    writes: list[_BlockWrite] = []
    next_index = 0
    for number, block in enumerate(message.blocks):
        indices = range(number, number + 1) if is_one_to_one else range(next_index, len(source_blocks))
        index = next((i for i in indices if is_one_to_one or _is_same(source_blocks[i], block)), None)
        if index is not None:
            next_index = index + 1
        place = places[min(max(next_index - 1, 0), len(places) - 1)]
        writes.append(_BlockWrite(*place, block, index is not None and source_blocks[index] == block))
    return writes


def _is_same(old: Block, new: Block) -> bool:
    if isinstance(old, ToolCall) and isinstance(new, ToolCall):
        return old.id == new.id
    if isinstance(old, ToolResponse) and isinstance(new, ToolResponse):
        return old.call_id == new.call_id
    return old == new


def _places(origin: Message, by_start: Mapping[int, SourceLine]) -> list[tuple[int, int]]:
    items = [
        (source.start, position, item)
        for source in origin.sources
        for position, item in enumerate(_items(by_start[source.start].value))
    ]
    if len(items) != len(origin.blocks):  # the record became a tool and a human message
        is_tool_message = any(isinstance(block, ToolResponse) for block in origin.blocks)
        items = [item for item in items if (nested(item[2], "type") == "tool_result") == is_tool_message]
    places = [(start, position) for start, position, _ in items[: len(origin.blocks)]]
    return places or [(origin.sources[0].start, 0)]


def _items(value: Mapping[str, Json]) -> Sequence[Json]:
    content = nested(value, "message", "content")
    return content if isinstance(content, list) else [content]


def _edited_line(
    value: dict[str, Json], writes: Sequence[_BlockWrite], losses: ExportLosses
) -> dict[str, Json] | None:
    items = _items(value)
    ordered_writes = sorted(writes, key=lambda write: write.position)
    if len(ordered_writes) == len(items) and all(write.is_unchanged for write in ordered_writes):
        return None
    is_plain = isinstance(nested(value, "message", "content"), str)
    content: list[Json] = []
    for write in ordered_writes:
        if write.is_unchanged and write.position < len(items) and not is_plain:
            content.append(items[write.position])
        elif (block_value := block_json(write.block, same_family=True, losses=losses)) is not None:
            content.append(block_value)
    text = nested(content[0], "text") if is_plain and len(content) == 1 else None
    message = {**fields_of(value.get("message")), "content": content if text is None else text}
    changed = {**value, "message": message}
    if any(isinstance(write.block, ToolResponse) and not write.is_unchanged for write in ordered_writes):
        changed.pop("toolUseResult", None)
    return changed
