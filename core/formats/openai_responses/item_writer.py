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
    data_url,
    detail_of,
    own_fields,
    plain_result,
    split_data_url,
)
from core.formats.writing.raw_json import dump_json
from core.formats.writing.tool_results import note_error
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
from core.transcript.tool_result_content import answer_parts

FAMILY = ("codex_rollout", "openai_responses")
"""Formats whose messages consist of such items, so that their blocks can be written unchanged."""

_ROLES = {Speaker.AI: "assistant", Speaker.SYSTEM: "developer"}


@dataclass(frozen=True, slots=True)
class ResponseItemWrite:
    """An item to write: its number in the source (None for a new one), and its JSON."""

    number: int | None
    item: Json


@dataclass(frozen=True, slots=True)
class _PlacedBlock:
    """A block at its position in an item of the source; ``same`` if it is unchanged."""

    position: int
    block: Block
    same: bool


def items_json(message: Message, *, same: bool, losses: ExportLosses) -> list[Json]:
    """Return a message as new items. ``same``: its blocks came from such items. Results come first in a
    message of the user, because they belong to the answer before it."""
    if message.speaker is Speaker.UNKNOWN:
        losses.change("message of an unknown role as user")
    role = _ROLES.get(message.speaker, "user")
    blocks: Sequence[Block] = message.blocks
    if message.speaker is not Speaker.AI:
        blocks = sorted(blocks, key=lambda block: not isinstance(block, ToolResponse))
    items = list(_items(blocks, role, same, losses))
    if not items:
        losses.leave_out("message without content")
    return items


def _items(blocks: Sequence[Block], role: str, same: bool, losses: ExportLosses) -> Iterator[Json]:
    parts: list[Json] = []
    for block in blocks:
        if isinstance(block, Text | Media | Code) or (isinstance(block, Opaque) and not _is_item(block.raw)):
            part = part_json(block, role, same, losses)
            parts += [] if part is None else [part]
            continue
        if parts:
            yield {"type": "message", "role": role, "content": parts}
            parts = []
        item = _item(block, same, losses)
        if item is not None:
            yield item
    if parts:
        yield {"type": "message", "role": role, "content": parts}


def _is_item(raw: Json) -> bool:
    """Return whether an opaque block is an item by itself, not a part of a message's content."""
    kind = item_type(raw)
    return bool(kind) and not kind.startswith("input_") and kind not in ("encrypted_content", "unknown")


def part_json(block: Block, role: str, same: bool, losses: ExportLosses) -> Json | None:
    """Return a part of a message's content; None if it is empty or has no place."""
    match block:
        case Text():
            return _text(block, role, same) if block.text else None
        case Code():
            losses.change("code block as text")
            return _text(Text(code_text(block)), role, False)
        case Media() if role != "assistant":
            return _media(block, same)
        case Opaque() if same:
            return block.raw
        case Opaque():
            losses.leave_out(block.kind or "unknown block")
        case Media():
            losses.leave_out("media of the assistant")
    return None


def _text(block: Text, role: str, same: bool) -> Json:
    extra = own_fields(block.extra) if same else {}
    if same and block.extra.get("$field") == "refusal":
        return {"type": "refusal", "refusal": block.text, **extra}
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": kind, "text": block.text, **extra}


def _media(block: Media, same: bool) -> Json:
    extra = own_fields(block.extra) if same else {}
    mime, data = split_data_url(block.mime, block.data)
    if mime.startswith("audio/"):
        sound = {"data": data, "format": mime.removeprefix("audio/")}
        return {"type": "input_audio", "input_audio": sound, **extra}
    is_file = block.extra.get("$source") == "input_file" if same else bool(mime)
    if is_file and not mime.startswith("image/"):
        named = {"filename": block.caption} if block.caption else {}
        field = block.extra.get("$field") if same else None
        if block.data.startswith(("http://", "https://")):
            field = field or "file_url"
        return {"type": "input_file", field or "file_data": data_url(mime, data), **named, **extra}
    url = data_url(mime or "image/png", data)
    return {"type": "input_image", "image_url": url, **detail_of(block), **extra}


def _item(block: Block, same: bool, losses: ExportLosses) -> Json | None:
    match block:
        case ToolCall():
            return _call(block, same)
        case ToolResponse():
            return _response(block, same, losses)
        case Thinking() if same and ("encrypted_content" in block.extra or "id" in block.extra):
            return _reasoning(block)
        case Thinking():
            losses.leave_out("thinking")
        case Opaque() if same:
            return block.raw
        case Opaque():
            losses.leave_out(block.kind or "unknown block")
    return None


def _reasoning(block: Thinking) -> Json:
    kind = "reasoning_text" if block.extra.get("$field") == "content" else "summary_text"
    field = block.extra.get("$field", "summary")
    texts = [{"type": kind, "text": block.text}] if block.text else []
    return {"type": "reasoning", "summary": [], field: texts, **own_fields(block.extra)}


def _call(block: ToolCall, same: bool) -> Json:
    kind = block.extra.get("$item", "function_call") if same else "function_call"
    extra = own_fields(block.extra) if same else {}
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


def _response(block: ToolResponse, same: bool, losses: ExportLosses) -> Json:
    kind = block.extra.get("$item", "function_call_output") if same else "function_call_output"
    extra = own_fields(block.extra) if same else {}
    return {
        "type": kind,
        "call_id": block.call_id,
        output_field(kind): result_json(block, kind, same, losses),
        **extra,
    }


def result_json(block: ToolResponse, kind: str, same: bool, losses: ExportLosses) -> Json:
    """Return a tool's answer as its item holds it: text, or parts if it has images."""
    if output_field(kind) == "tools":
        if not isinstance(block.result, list):
            losses.change("shortened list of found tools as an empty one")
        return block.result if isinstance(block.result, list) else []
    if same and (block.error is MISSING or block.result not in (None, "", MISSING)):
        return block.result
    note_error(block, losses, mark=True)
    parts = answer_parts(block)
    if any(isinstance(part, Media) for part in parts):
        return [_result_part(part) for part in parts]
    return plain_result(block)


def _result_part(part: Text | Media) -> Json:
    return _text(part, "user", False) if isinstance(part, Text) else _media(part, False)


def edited_items(
    raws: Sequence[Json], old: Sequence[Block], message: Message, losses: ExportLosses
) -> list[ResponseItemWrite]:
    """Return the source's items of a message with its new blocks; unchanged items stay as they are. An item
    without blocks is left out, and so is reasoning without a following item, which the API refuses."""
    counts = [len(read_item(raw, ImportNotes(), 0).blocks) for raw in raws]
    kept, added = _placed(counts, old, message.blocks)
    role = _ROLES.get(message.speaker, "user")
    puts: list[ResponseItemWrite] = []
    for number, raw in enumerate(raws):
        if number in kept:
            puts.append(ResponseItemWrite(number, _patched(raw, counts[number], kept[number], role, losses)))
        elif not counts[number]:
            puts.append(ResponseItemWrite(number, raw))
        puts += [ResponseItemWrite(None, item) for item in _items(added.get(number, ()), role, True, losses)]
    return _without_lone_reasoning(puts, raws, losses)


def _placed(
    counts: Sequence[int], old: Sequence[Block], new: Sequence[Block]
) -> tuple[dict[int, list[_PlacedBlock]], dict[int, list[Block]]]:
    """By the number of the item: the blocks that are or were in it, and the new ones behind it."""
    places = [(number, position) for number, count in enumerate(counts) for position in range(count)]
    kept: dict[int, list[_PlacedBlock]] = {}
    added: dict[int, list[Block]] = {}
    at = 0
    for new_index, block in enumerate(new):
        index = new_index if len(new) == len(old) else _find(block, old, at)
        if index is None or index >= len(places):
            number = places[min(max(at - 1, 0), len(places) - 1)][0] if places else 0
            added.setdefault(number, []).append(block)
            continue
        at = index + 1
        number, position = places[index]
        same = old[index] is block or old[index] == block
        kept.setdefault(number, []).append(_PlacedBlock(position, block, same))
    return kept, added


def _find(block: Block, old: Sequence[Block], at: int) -> int | None:
    for index in range(at, len(old)):
        if old[index] is block or old[index] == block or _same_id(old[index], block):
            return index
    return None


def _same_id(old: Block, new: Block) -> bool:
    if isinstance(old, ToolCall) and isinstance(new, ToolCall):
        return old.id == new.id
    return isinstance(old, ToolResponse) and isinstance(new, ToolResponse) and old.call_id == new.call_id


def _patched(raw: Json, count: int, kept: Sequence[_PlacedBlock], role: str, losses: ExportLosses) -> Json:
    if len(kept) == count and all(placed.same for placed in kept):
        return raw
    kind = item_type(raw)
    if kind in ("message", "agent_message"):
        return {**raw, "content": _content(raw.get("content"), kept, role, losses)}
    block = kept[0].block
    if isinstance(block, ToolCall):
        return {**raw, argument_field(kind, raw): arguments_json(block, kind)}
    if (
        isinstance(block, ToolResponse)
        and output_field(kind) == "tools"
        and not isinstance(block.result, list)
    ):
        losses.change("shortened list of found tools as it was")  # the model may still call these tools
        return raw
    if isinstance(block, ToolResponse):
        return {**raw, output_field(kind): result_json(block, kind, True, losses)}
    return _item(block, True, losses) or raw


def _content(content: Json, kept: Sequence[_PlacedBlock], role: str, losses: ExportLosses) -> Json:
    """Return the content of a message with its changed parts; a single text stays a string if it was one."""
    if not isinstance(content, list):
        block = kept[0].block
        return block.text if isinstance(block, Text) else content
    parts: list[Json] = []
    for placed in kept:
        old, block = content[placed.position], placed.block
        if placed.same:
            parts.append(old)
        elif isinstance(block, Text) and isinstance(old, Mapping) and isinstance(old.get("text"), str):
            parts.append({**old, "text": block.text})
        elif (part := part_json(block, role, True, losses)) is not None:
            parts.append(part)
    return parts


def _without_lone_reasoning(
    puts: list[ResponseItemWrite], raws: Sequence[Json], losses: ExportLosses
) -> list[ResponseItemWrite]:
    if raws and item_type(raws[-1]) == "reasoning":
        return puts
    while puts and item_type(puts[-1].item) == "reasoning":
        puts.pop()
        losses.leave_out("reasoning without the item that it led to")
    return puts
