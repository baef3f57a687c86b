"""Writes messages as items of the Responses API, and puts changed blocks into the items of their
source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from core.common.json_value import MISSING, Json
from core.formats.common.json_parsing import fields_of, nested
from core.formats.common.messages import ImportNotes
from core.formats.common.open_document import read_document
from core.formats.openai_responses_items import (
    FINAL_PHASE,
    argument_field,
    item_type,
    output_field,
    read_item,
    replacement_item,
)
from core.formats.writing.exporter import (
    RESPONSES_FAMILY,
    ExportInput,
    ExportLosses,
    export_messages,
    is_readable,
    matched_blocks,
)
from core.formats.writing.plain_text import (
    code_as_text,
    count_error_losses,
    data_url,
    dump_json,
    fields_without_notes,
    image_detail_field,
    opaque_json,
    result_as_text,
    split_data_url,
)
from core.formats.writing.raw_json import record_json
from core.transcript.model import (
    Block,
    Conversation,
    Media,
    Message,
    Opaque,
    Source,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
)
from core.transcript.tool_pairs import answer_parts

_LED_TO = ("message", "function_call", "custom_tool_call")
"""Items that reasoning may lead to, and that may go without an id."""
_ROLES = {Speaker.AI: "assistant", Speaker.SYSTEM: "developer"}


@dataclass(frozen=True, slots=True)
class ResponseItemWrite:
    """An item to write: its number in the source (None for a new one), and its JSON."""

    number: int | None
    item: Json


@dataclass(frozen=True, slots=True)
class WrittenResponseItems:
    """The items to write for one message. ``sources`` are those of its origin, by the number of
    each put; ``is_unchanged``: all items are unchanged. ``time`` is that of a message of another
    format."""

    items: tuple[ResponseItemWrite, ...]
    sources: tuple[Source, ...] = ()
    is_unchanged: bool = False
    time: str = ""


def written_messages(
    export_input: ExportInput, losses: ExportLosses
) -> list[WrittenResponseItems]:
    """Return the items of each message to write, in order. A new text before another answer is
    marked as the end of its own, so that a reader keeps the two apart."""
    written = [
        message for message in _written_messages(export_input, losses) if message.items
    ]
    for index, (message, next_message) in enumerate(pairwise(written)):
        last, following = (
            message.items[-1],
            # The next item is read as it was written, so that one rule decides what continues an
            # answer.
            read_item(next_message.items[0].item, ImportNotes(), 0),
        )
        is_text = (
            item_type(last.item) == "message" and last.item.get("role") == "assistant"
        )
        if last.number is None and is_text and following.speaker is Speaker.AI:
            final = ResponseItemWrite(None, {**last.item, "phase": FINAL_PHASE})
            written[index] = replace(
                message, items=(*message.items[:-1], final), is_unchanged=False
            )
    return written


def _written_messages(
    export_input: ExportInput, losses: ExportLosses
) -> Iterator[WrittenResponseItems]:
    conversation = export_input.conversation
    has_source = has_source_items(conversation)
    if has_source:
        data = read_document(conversation.document)
    else:
        data = b""
    for piece in export_messages(export_input):
        origin = piece.origin
        if not has_source or origin is None or not origin.sources:
            items = new_items(
                piece.message, conversation.format in RESPONSES_FAMILY, losses
            )
            yield WrittenResponseItems(
                tuple(ResponseItemWrite(None, item) for item in items),
                time=piece.message.timestamp,
            )
            continue
        source_items = items_at(data, origin.sources, conversation.document.name)
        if piece.is_unchanged:
            writes = [
                ResponseItemWrite(number, item)
                for number, item in enumerate(source_items)
            ]
        else:
            writes = _edited_items(source_items, origin.blocks, piece.message, losses)
        yield WrittenResponseItems(tuple(writes), origin.sources, piece.is_unchanged)


def has_source_items(conversation: Conversation) -> bool:
    """Return whether the records of the messages are items that can be read again; an event is
    none."""
    is_family = conversation.format in RESPONSES_FAMILY and is_readable(
        conversation.document
    )
    return is_family and not conversation.layout.get("events")


def items_at(data: bytes, sources: Sequence[Source], name: str) -> list[Json]:
    """Return the items of the source at these places. Raises InputError if the file changed."""
    return [_item_at(data, source, name) for source in sources]


def _item_at(data: bytes, source: Source, name: str) -> Json:
    value = record_json(data, source.start, source.end, name)
    if isinstance(value, dict):
        payload = value.get("payload")
    else:
        payload = None
    if not isinstance(payload, dict):
        return value
    if value.get("type") == "compacted":
        return replacement_item(payload, source.part)
    return payload


def new_items(message: Message, same_format: bool, losses: ExportLosses) -> list[Json]:
    """Return a message as new items. ``same_format``: its blocks came from such items. Results come
    first in a message of the user, because they belong to the answer before it."""
    if message.speaker is Speaker.UNKNOWN:
        losses.count_changed("message of an unknown role as user")
    # Blocks are ordered for input alone: in an answer the order is what the model wrote.
    blocks: Sequence[Block] = message.blocks
    if message.speaker is not Speaker.AI:
        blocks = sorted(blocks, key=lambda block: not isinstance(block, ToolResponse))
    items = list(
        _items(blocks, _ROLES.get(message.speaker, "user"), same_format, losses)
    )
    if not items:
        losses.count_left_out("message without content")
    return items


def _items(
    blocks: Sequence[Block], role: str, same_format: bool, losses: ExportLosses
) -> Iterator[Json]:
    parts: list[Json] = []
    for block in code_as_text(blocks, losses):
        if isinstance(block, Text | Media) or (
            # An opaque part belongs into a message, an opaque item stands by itself.
            isinstance(block, Opaque) and not _is_item(block.raw)
        ):
            part = _part(block, role, same_format, losses)
            parts += [] if part is None else [part]
            continue
        yield from _message_items(role, parts)
        parts = []
        item = _item(block, same_format, losses)
        if item is not None:
            yield item
    yield from _message_items(role, parts)


def _message_items(role: str, parts: Sequence[Json]) -> Iterator[Json]:
    """Yield the parts as messages in the shortest form that the API takes.

    A list of ``output_text`` belongs to a message with an id of the API; a new answer has none, and
    libraries that translate items refuse such a list without it. So each text is one message.
    """
    is_answer = role == "assistant"
    if is_answer or (len(parts) == 1 and _is_plain_text(parts[0])):
        for part in parts:
            if _is_plain_text(part):
                content = part["text"]
            else:
                content = [part]
            yield {"type": "message", "role": role, "content": content}
    elif parts:
        yield {"type": "message", "role": role, "content": parts}


def _is_plain_text(part: Json) -> bool:
    """Return whether a part says nothing but its text; empty lists of annotations say nothing."""
    fields = {name for name, value in fields_of(part).items() if value}
    return fields <= {"type", "text"} and isinstance(nested(part, "text"), str)


def _is_item(raw: Json) -> bool:
    """Return whether an opaque block is an item by itself, not a part of a message's content."""
    kind = item_type(raw)
    return (
        bool(kind)
        # A part of a message may be opaque, too; its type begins differently.
        and not kind.startswith("input_")
        and kind not in ("encrypted_content", "unknown")
    )


def _part(
    block: Block, role: str, same_format: bool, losses: ExportLosses
) -> Json | None:
    match block:
        case Text():
            if block.text:
                return _text(block, role, same_format)
            return None

        case Media() if role != "assistant":
            return _media(block, same_format)
        # The API takes images as input only.
        case Media():
            losses.count_left_out("media of the assistant")
        case Opaque():
            return opaque_json(block, same_format, losses)
    return None


def _extra(
    block: Text | Media | ToolCall | ToolResponse, same_format: bool
) -> dict[str, Json]:
    if same_format:
        return fields_without_notes(block.extra)
    return {}


def _text(block: Text, role: str, same_format: bool) -> Json:
    if same_format and block.extra.get("$field") == "refusal":
        return {"type": "refusal", "refusal": block.text, **_extra(block, True)}
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": kind, "text": block.text, **_extra(block, same_format)}


def _media(block: Media, same_format: bool) -> Json:
    extra = _extra(block, same_format)
    mime, data = split_data_url(block.mime, block.data)
    if mime.startswith("audio/"):
        audio = {"data": data, "format": mime.removeprefix("audio/")}
        return {"type": "input_audio", "input_audio": audio, **extra}
    # A file of the source stays one, even where its type is that of an image.
    if same_format:
        is_file = block.extra.get("$source") == "input_file"
    else:
        is_file = bool(mime)
    if is_file and not mime.startswith("image/"):
        if block.caption:
            # Probably the API refuses some files without a name, so a known one is passed on.
            named = {"filename": block.caption}
        else:
            named = {}
        is_link = block.data.startswith(("http://", "https://"))
        field = (block.extra.get("$field") if same_format else None) or (
            "file_url" if is_link else "file_data"
        )
        return {"type": "input_file", field: data_url(mime, data), **named, **extra}
    url = data_url(mime or "image/png", data)
    return {
        "type": "input_image",
        "image_url": url,
        **image_detail_field(block),
        **extra,
    }


def _reasoning(block: Thinking) -> Json:
    field = block.extra.get("$field", "summary")
    kind = "reasoning_text" if field == "content" else "summary_text"
    # A summary must be there, even if it is empty.
    texts = [{"type": kind, "text": block.text}] if block.text else []
    return {
        "type": "reasoning",
        "summary": [],
        field: texts,
        **fields_without_notes(block.extra),
    }


def _item(block: Block, same_format: bool, losses: ExportLosses) -> Json | None:
    match block:
        case ToolCall():
            if same_format:
                kind = block.extra.get("$item", "function_call")
            else:
                kind = "function_call"
            extra = _extra(block, same_format)
            if kind in ("function_call", "custom_tool_call"):
                named = {"name": block.name}
            else:
                named = {}
            field = argument_field(kind, extra)
            return {
                "type": kind,
                "call_id": block.id,
                **named,
                field: _arguments(block, kind),
                **extra,
            }
        case ToolResponse():
            default = "function_call_output"
            if same_format:
                kind = block.extra.get("$item", default)
            else:
                kind = default
            result = _result(block, kind, same_format, losses)
            extra = _extra(block, same_format)
            return {
                "type": kind,
                "call_id": block.call_id,
                output_field(kind): result,
                **extra,
            }
        # Reasoning without its id or encrypted form is refused, and nobody else's is accepted.
        case Thinking() if same_format and (
            "encrypted_content" in block.extra or "id" in block.extra
        ):
            return _reasoning(block)
        case Thinking():
            losses.count_left_out("thinking")
        case Opaque():
            return opaque_json(block, same_format, losses)
    return None


def _arguments(block: ToolCall, kind: str) -> Json:
    is_text = isinstance(block.arguments, str)
    if kind == "custom_tool_call":
        if is_text:
            return block.arguments
        return dump_json(block.arguments).decode()
    # A local shell call has an action, which is an object and no text.
    if kind != "function_call":
        return block.arguments
    original = block.extra.get("$arguments")
    # The model's own spacing keeps the prompt cache valid.
    if isinstance(original, str) and (block.arguments == original or not is_text):
        return original
    if is_text and original is not None:
        return block.arguments
    return dump_json(
        {} if block.arguments in (None, MISSING) else block.arguments
    ).decode()


def _result(
    block: ToolResponse, kind: str, same_format: bool, losses: ExportLosses
) -> Json:
    if output_field(kind) == "tools":
        # A list of tools cannot be cut to a text.
        if not isinstance(block.result, list):
            losses.count_changed("shortened list of found tools as an empty one")
        return block.result if isinstance(block.result, list) else []
    if same_format and (
        block.error is MISSING or block.result not in (None, "", MISSING)
    ):
        return block.result
    count_error_losses(block, losses, counts_mark=True)
    parts = answer_parts(block)
    # A list of parts is needed for images alone; a text is taken by every client.
    if not any(isinstance(part, Media) for part in parts):
        return result_as_text(block)
    return [
        _text(part, "user", False) if isinstance(part, Text) else _media(part, False)
        for part in parts
    ]


_Placed = dict[int, Block]
"""Blocks of an item of the source by their place in it."""


def _edited_items(
    source_items: Sequence[Json],
    old: Sequence[Block],
    message: Message,
    losses: ExportLosses,
) -> list[ResponseItemWrite]:
    """Return the source's items of a message with its new blocks; unchanged items stay as they are.
    An item without blocks is left out, and so is reasoning without a following item, which the API
    refuses."""
    item_blocks = [read_item(raw, ImportNotes(), 0).blocks for raw in source_items]
    places = [
        (number, block_index)
        for number, blocks in enumerate(item_blocks)
        for block_index in range(len(blocks))
    ]
    placed, new = _place_blocks(places, old, message.blocks)
    role = _ROLES.get(message.speaker, "user")
    writes: list[ResponseItemWrite] = []
    start = 0
    for number, raw in enumerate(source_items):
        old_blocks = old[start : start + len(item_blocks[number])]
        start += len(item_blocks[number])
        if number in placed:
            item = _edited_item(raw, old_blocks, placed[number], role, losses)
            writes.append(ResponseItemWrite(number, item))
        # An item without blocks, as empty reasoning, is part of the answer and stays in it.
        elif not item_blocks[number]:
            writes.append(ResponseItemWrite(number, raw))
        new_items = _items(new.get(number, ()), role, True, losses)
        writes += [ResponseItemWrite(None, item) for item in new_items]
    # Reasoning that ended an answer in the source, too, was accepted there.
    if not source_items or item_type(source_items[-1]) != "reasoning":
        _remove_last_reasoning(writes, losses)
    kept = {write.number for write in writes}
    is_lost = any(
        item_type(raw) == "reasoning" and number not in kept
        for number, raw in enumerate(source_items)
    )
    return list(map(_without_id, writes)) if is_lost else writes


def _without_id(write: ResponseItemWrite) -> ResponseItemWrite:
    """Return an item without the id by which the API knows the reasoning that led to it.

    "Item 'fc_…' of type 'function_call' was provided without its required 'reasoning' item"
    (cline/cline#12242); without the id it is taken (NousResearch/hermes-agent#97445)."""
    item = write.item
    if not isinstance(item, dict) or item_type(item) not in _LED_TO:
        return write
    fields = {key: value for key, value in item.items() if key != "id"}
    return ResponseItemWrite(write.number, fields)


def _remove_last_reasoning(
    writes: list[ResponseItemWrite], losses: ExportLosses
) -> None:
    while writes and item_type(writes[-1].item) == "reasoning":
        writes.pop()
        losses.count_left_out("reasoning without the item that it led to")


def _place_blocks(
    places: Sequence[tuple[int, int]], old: Sequence[Block], new: Sequence[Block]
) -> tuple[dict[int, _Placed], dict[int, list[Block]]]:
    """By the number of the item: the blocks that are or were in it, and the new ones behind it."""
    placed: dict[int, _Placed] = {}
    added: dict[int, list[Block]] = {}
    if places:
        last = places[0][0]
    else:
        last = 0
    for block, index in matched_blocks(old, new):
        if index is None or index >= len(places):
            added.setdefault(last, []).append(block)
        else:
            last, block_index = places[index]
            placed.setdefault(last, {})[block_index] = block
    return placed, added


def _edited_content(
    raw: Mapping[str, Json],
    old: Sequence[Block],
    placed: _Placed,
    role: str,
    losses: ExportLosses,
) -> Json:
    content = raw.get("content")
    if isinstance(content, list):
        return _edited_parts(content, old, placed, role, losses)
    block = next(iter(placed.values()))
    return block.text if isinstance(block, Text) else content


def _edited_item(
    raw: Json, old: Sequence[Block], placed: _Placed, role: str, losses: ExportLosses
) -> Json:
    if len(placed) == len(old) and all(
        old[block_index] == block for block_index, block in placed.items()
    ):
        return raw
    kind = item_type(raw)
    block = next(iter(placed.values()))
    if kind in ("message", "agent_message"):
        return {**raw, "content": _edited_content(raw, old, placed, role, losses)}
    if isinstance(block, ToolCall):
        # The repair takes an id that another item has.
        fields = {
            key: one for key, one in raw.items() if key != "id" or key in block.extra
        }
        return {
            **fields,
            **_pair_fields(raw, block),
            argument_field(kind, raw): _arguments(block, kind),
        }
    if not isinstance(block, ToolResponse):
        return _item(block, True, losses) or raw
    if output_field(kind) == "tools" and not isinstance(block.result, list):
        # the model may still call these tools
        losses.count_changed("shortened list of found tools as it was")
        return raw
    result = _result(block, kind, True, losses)
    return {**raw, **_pair_fields(raw, block), output_field(kind): result}


def _pair_fields(
    raw: Mapping[str, Json], block: ToolCall | ToolResponse
) -> dict[str, Json]:
    """Return id and name of an edited item, which the repair may have changed; an id that only the
    reader made is not written."""
    id_ = block.id if isinstance(block, ToolCall) else block.call_id
    # The API refuses an id that it does not know in one half of a pair.
    fields: dict[str, Json] = {} if "$made_id" in block.extra else {"call_id": id_}
    if isinstance(block, ToolCall) and "name" in raw:
        fields["name"] = block.name
    return fields


def _edited_parts(
    content: Sequence[Json],
    old: Sequence[Block],
    placed: _Placed,
    role: str,
    losses: ExportLosses,
) -> list[Json]:
    parts: list[Json] = []
    for block_index, block in zip(
        placed, code_as_text(placed.values(), losses), strict=True
    ):
        part = content[block_index]
        if old[block_index] == block:
            parts.append(part)
        elif (
            isinstance(block, Text)
            and isinstance(part, Mapping)
            and isinstance(part.get("text"), str)
        ):
            parts.append({**part, "text": block.text})
        elif (new_part := _part(block, role, True, losses)) is not None:
            parts.append(new_part)
    return parts
