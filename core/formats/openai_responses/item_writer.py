"""Writes blocks as items of the Responses API, and puts changed blocks into the source's items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from core.common.json_value import MISSING, Json
from core.formats.common.import_notes import ImportNotes
from core.formats.openai_responses.items import argument_field, item_type, output_field, read_item
from core.formats.writing.base import ExportLosses
from core.formats.writing.plain_text import (
    code_text,
    count_error_losses,
    data_url,
    fields_without_notes,
    image_detail_field,
    result_as_text,
    split_data_url,
)
from core.formats.writing.raw_json import dump_json
from core.transcript.model import (
    Block,
    Code,
    Media,
    Message,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.tool_outcomes import answer_parts

RESPONSES_FORMATS = ("codex_rollout", "openai_responses")
"""Formats whose messages consist of such items, so that their blocks can be written unchanged."""

_ROLES = {Speaker.AI: "assistant", Speaker.SYSTEM: "developer"}


@dataclass(frozen=True, slots=True)
class ResponseItemWrite:
    """An item to write: its number in the source (None for a new one), and its JSON."""

    number: int | None
    item: Json


@dataclass(frozen=True, slots=True)
class _PlacedBlock:
    """A block at its position in an item of the source; ``is_unchanged`` if it is unchanged."""

    position: int
    block: Block
    is_unchanged: bool


def items_json(message: Message, *, same_format: bool, losses: ExportLosses) -> list[Json]:
    """Return a message as new items. ``same_format``: its blocks came from such items. Results come first
    in a message of the user, because they belong to the answer before it."""
    if message.speaker is Speaker.UNKNOWN:
        losses.count_changed("message of an unknown role as user")
    role = _ROLES.get(message.speaker, "user")
    blocks: Sequence[Block] = message.blocks
    if message.speaker is not Speaker.AI:
        blocks = sorted(blocks, key=lambda block: not isinstance(block, ToolResponse))
    items = list(_items(blocks, role, same_format, losses))
    if not items:
        losses.count_left_out("message without content")
    return items


def _items(blocks: Sequence[Block], role: str, same_format: bool, losses: ExportLosses) -> Iterator[Json]:
    parts: list[Json] = []
    for block in blocks:
        if isinstance(block, Text | Media | Code) or (isinstance(block, Opaque) and not _is_item(block.raw)):
            part = part_json(block, role, same_format, losses)
            parts += [] if part is None else [part]
            continue
        if parts:
            yield {"type": "message", "role": role, "content": parts}
            parts = []
        item = _item(block, same_format, losses)
        if item is not None:
            yield item
    if parts:
        yield {"type": "message", "role": role, "content": parts}


def _is_item(raw: Json) -> bool:
    """Return whether an opaque block is an item by itself, not a part of a message's content."""
    kind = item_type(raw)
    return bool(kind) and not kind.startswith("input_") and kind not in ("encrypted_content", "unknown")


def part_json(block: Block, role: str, same_format: bool, losses: ExportLosses) -> Json | None:
    """Return a part of a message's content; None if it is empty or has no place."""
    match block:
        case Text():
            return _text(block, role, same_format) if block.text else None
        case Code():
            losses.count_changed("code block as text")
            return _text(Text(code_text(block)), role, False)
        case Media() if role != "assistant":
            return _media(block, same_format)
        case Opaque() if same_format:
            return block.raw
        case Opaque():
            losses.count_left_out(block.kind or "unknown block")
        case Media():
            losses.count_left_out("media of the assistant")
    return None


def _text(block: Text, role: str, same_format: bool) -> Json:
    extra = fields_without_notes(block.extra) if same_format else {}
    if same_format and block.extra.get("$field") == "refusal":
        return {"type": "refusal", "refusal": block.text, **extra}
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": kind, "text": block.text, **extra}


def _media(block: Media, same_format: bool) -> Json:
    extra = fields_without_notes(block.extra) if same_format else {}
    mime, data = split_data_url(block.mime, block.data)
    if mime.startswith("audio/"):
        audio = {"data": data, "format": mime.removeprefix("audio/")}
        return {"type": "input_audio", "input_audio": audio, **extra}
    is_file = block.extra.get("$source") == "input_file" if same_format else bool(mime)
    if is_file and not mime.startswith("image/"):
        named = {"filename": block.caption} if block.caption else {}
        field = block.extra.get("$field") if same_format else None
        if block.data.startswith(("http://", "https://")):
            field = field or "file_url"
        return {"type": "input_file", field or "file_data": data_url(mime, data), **named, **extra}
    url = data_url(mime or "image/png", data)
    return {"type": "input_image", "image_url": url, **image_detail_field(block), **extra}


def _item(block: Block, same_format: bool, losses: ExportLosses) -> Json | None:
    match block:
        case ToolCall():
            return _call(block, same_format)
        case ToolResponse():
            return _response(block, same_format, losses)
        case Thinking() if same_format and ("encrypted_content" in block.extra or "id" in block.extra):
            return _reasoning(block)
        case Thinking():
            losses.count_left_out("thinking")
        case Opaque() if same_format:
            return block.raw
        case Opaque():
            losses.count_left_out(block.kind or "unknown block")
    return None


def _reasoning(block: Thinking) -> Json:
    kind = "reasoning_text" if block.extra.get("$field") == "content" else "summary_text"
    field = block.extra.get("$field", "summary")
    texts = [{"type": kind, "text": block.text}] if block.text else []
    return {"type": "reasoning", "summary": [], field: texts, **fields_without_notes(block.extra)}


def _call(block: ToolCall, same_format: bool) -> Json:
    kind = block.extra.get("$item", "function_call") if same_format else "function_call"
    extra = fields_without_notes(block.extra) if same_format else {}
    item: dict[str, Json] = {"type": kind, "call_id": block.id}
    if kind in ("function_call", "custom_tool_call"):
        item["name"] = block.name
    item[argument_field(kind, extra)] = arguments_json(block, kind)
    return {**item, **extra}


def arguments_json(block: ToolCall, kind: str) -> Json:
    """Return the arguments of a call as its type of item holds them: JSON as text, or the value."""
    if kind == "custom_tool_call":
        return block.arguments if isinstance(block.arguments, str) else dump_json(block.arguments).decode()
    if kind != "function_call":
        return block.arguments
    original = block.extra.get("$arguments")
    if isinstance(original, str) and (block.arguments == original or not isinstance(block.arguments, str)):
        return original
    if isinstance(block.arguments, str) and original is not None:
        return block.arguments
    return dump_json({} if block.arguments in (None, MISSING) else block.arguments).decode()


def _response(block: ToolResponse, same_format: bool, losses: ExportLosses) -> Json:
    kind = block.extra.get("$item", "function_call_output") if same_format else "function_call_output"
    extra = fields_without_notes(block.extra) if same_format else {}
    return {
        "type": kind,
        "call_id": block.call_id,
        output_field(kind): result_json(block, kind, same_format, losses),
        **extra,
    }


def result_json(block: ToolResponse, kind: str, same_format: bool, losses: ExportLosses) -> Json:
    """Return a tool's answer as its item holds it: text, or parts if it has images."""
    if output_field(kind) == "tools":
        if not isinstance(block.result, list):
            losses.count_changed("shortened list of found tools as an empty one")
        return block.result if isinstance(block.result, list) else []
    if same_format and (block.error is MISSING or block.result not in (None, "", MISSING)):
        return block.result
    count_error_losses(block, losses, counts_mark=True)
    parts = answer_parts(block)
    if any(isinstance(part, Media) for part in parts):
        return [_result_part(part) for part in parts]
    return result_as_text(block)


def _result_part(part: Text | Media) -> Json:
    return _text(part, "user", False) if isinstance(part, Text) else _media(part, False)


def edited_items(
    source_items: Sequence[Json], old: Sequence[Block], message: Message, losses: ExportLosses
) -> list[ResponseItemWrite]:
    """Return the source's items of a message with its new blocks; unchanged items stay as they are. An item
    without blocks is left out, and so is reasoning without a following item, which the API refuses."""
    counts = [len(read_item(raw, ImportNotes(), 0).blocks) for raw in source_items]
    placed_by_item, new_by_item = _place_blocks(counts, old, message.blocks)
    role = _ROLES.get(message.speaker, "user")
    writes: list[ResponseItemWrite] = []
    for number, raw in enumerate(source_items):
        if number in placed_by_item:
            writes.append(
                ResponseItemWrite(
                    number, _edited_item(raw, counts[number], placed_by_item[number], role, losses)
                )
            )
        elif not counts[number]:
            writes.append(ResponseItemWrite(number, raw))
        writes += [
            ResponseItemWrite(None, item) for item in _items(new_by_item.get(number, ()), role, True, losses)
        ]
    return _without_lone_reasoning(writes, source_items, losses)


def _place_blocks(
    counts: Sequence[int], old: Sequence[Block], new: Sequence[Block]
) -> tuple[dict[int, list[_PlacedBlock]], dict[int, list[Block]]]:
    """By the number of the item: the blocks that are or were in it, and the new ones behind it."""
    positions = [(number, position) for number, count in enumerate(counts) for position in range(count)]
    placed_by_item: dict[int, list[_PlacedBlock]] = {}
    new_by_item: dict[int, list[Block]] = {}
    next_index = 0
    for new_index, block in enumerate(new):
        index = new_index if len(new) == len(old) else _find_source_block(block, old, next_index)
        if index is None or index >= len(positions):
            number = positions[min(max(next_index - 1, 0), len(positions) - 1)][0] if positions else 0
            new_by_item.setdefault(number, []).append(block)
            continue
        next_index = index + 1
        number, position = positions[index]
        is_unchanged = old[index] is block or old[index] == block
        placed_by_item.setdefault(number, []).append(_PlacedBlock(position, block, is_unchanged))
    return placed_by_item, new_by_item


def _find_source_block(block: Block, old: Sequence[Block], start: int) -> int | None:
    for index in range(start, len(old)):
        if old[index] is block or old[index] == block or _same_id(old[index], block):
            return index
    return None


def _same_id(old: Block, new: Block) -> bool:
    if isinstance(old, ToolCall) and isinstance(new, ToolCall):
        return old.id == new.id
    return isinstance(old, ToolResponse) and isinstance(new, ToolResponse) and old.call_id == new.call_id


def _edited_item(
    raw: Json, count: int, placed_blocks: Sequence[_PlacedBlock], role: str, losses: ExportLosses
) -> Json:
    if len(placed_blocks) == count and all(placed.is_unchanged for placed in placed_blocks):
        return raw
    kind = item_type(raw)
    if kind in ("message", "agent_message"):
        return {**raw, "content": _edited_content(raw.get("content"), placed_blocks, role, losses)}
    block = placed_blocks[0].block
    if isinstance(block, ToolCall):
        return {**raw, argument_field(kind, raw): arguments_json(block, kind)}
    if (
        isinstance(block, ToolResponse)
        and output_field(kind) == "tools"
        and not isinstance(block.result, list)
    ):
        losses.count_changed(
            "shortened list of found tools as it was"
        )  # the model may still call these tools
        return raw
    if isinstance(block, ToolResponse):
        return {**raw, output_field(kind): result_json(block, kind, True, losses)}
    return _item(block, True, losses) or raw


def _edited_content(
    content: Json, placed_blocks: Sequence[_PlacedBlock], role: str, losses: ExportLosses
) -> Json:
    """Return the content of a message with its changed parts; a single text stays a string if it was one."""
    if not isinstance(content, list):
        block = placed_blocks[0].block
        return block.text if isinstance(block, Text) else content
    parts: list[Json] = []
    for placed in placed_blocks:
        old, block = content[placed.position], placed.block
        if placed.is_unchanged:
            parts.append(old)
        elif isinstance(block, Text) and isinstance(old, Mapping) and isinstance(old.get("text"), str):
            parts.append({**old, "text": block.text})
        elif (part := part_json(block, role, True, losses)) is not None:
            parts.append(part)
    return parts


def _without_lone_reasoning(
    writes: list[ResponseItemWrite], source_items: Sequence[Json], losses: ExportLosses
) -> list[ResponseItemWrite]:
    if source_items and item_type(source_items[-1]) == "reasoning":
        return writes
    while writes and item_type(writes[-1].item) == "reasoning":
        writes.pop()
        losses.count_left_out("reasoning without the item that it led to")
    return writes
