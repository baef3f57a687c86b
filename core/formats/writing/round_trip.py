"""Compares a written transcript, opened again, with the export.

Both sides become digests of words by role, calls with ids and arguments, and results. How a format divides
messages, and where it puts results among other messages, does not count; no word, call or result may be
missing, added, or of another role.

Each side is read message by message, first for the order of its parts and then for their content, so that
only a few messages are in memory at once.
"""

from __future__ import annotations

import hashlib
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from itertools import groupby, zip_longest
from typing import Generic, TypeVar

from core.common.json_value import MISSING
from core.formats.writing.base import (
    ExportInput,
    ExportLosses,
    ExportMessage,
    export_messages,
    export_messages_from_user,
)
from core.formats.writing.format_capabilities import CAPABILITIES, FormatCapabilities, adapted_message
from core.transcript.alignment import canonical_block
from core.transcript.model import (
    Block,
    Code,
    Message,
    Progress,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
    no_progress,
)

_ROLES = {Speaker.AI: "assistant", Speaker.SYSTEM: "system"}
_CACHED_MESSAGES = 4  # messages in memory at once: results are compared right behind their calls
_MAX_BLOCKS = 1 << 24  # more blocks than a message has
_MASK = re.compile(r"\[redacted:[a-z0-9 -]+\]", re.IGNORECASE)
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Side(Generic[_T]):
    """One side of the comparison: ``full_message`` makes the message, ``outline_message`` one with the
    same blocks and ids whose texts may differ."""

    messages: Sequence[_T]
    full_message: Callable[[_T], Message]
    outline_message: Callable[[_T], Message]


@dataclass(frozen=True, slots=True)
class RoundTripItem:
    """Consecutive words of one role, a call, or a result, with the digest of its content. ``message`` is the
    message it begins in (from 0); ``text`` is kept for what redaction may change."""

    message: int
    kind: str
    role: str
    digest: bytes
    id: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class _RoundTripBlock:
    """A block with content, the number of its message, and its place."""

    message: int
    place: int
    role: str
    kind: str
    text: str
    id: str


def expected_side(export_input: ExportInput, name: str) -> Side[ExportMessage]:
    """Return the messages of an export as the format ``name`` holds them."""
    capabilities = CAPABILITIES[name]
    messages = (
        export_messages_from_user(export_input, ExportLosses(""))
        if capabilities.starts_with_user and not export_input.is_whole_source
        else export_messages(export_input)
    )
    adapt = partial(_adapted, export_input, name)
    return Side(messages, adapt, adapt)


def _adapted(export_input: ExportInput, name: str, export_message: ExportMessage) -> Message:
    if export_message.is_unchanged and export_input.is_from_format(name):
        return export_message.message
    same_family = export_message.origin is not None and export_input.conversation.format in (
        name,
        *CAPABILITIES[name].family,
    )
    return adapted_message(export_message.message, CAPABILITIES[name], same_family=same_family)


def read_side(
    messages: Sequence[Message], full_message: Callable[[Message], Message] | None = None
) -> Side[Message]:
    """Return messages that were read; ``full_message`` restores texts that were left in their file."""
    return Side(messages, full_message or _same_message, _same_message)


def _same_message(message: Message) -> Message:
    return message


def first_difference(
    expected: Side[_T],
    written: Side[Message],
    capabilities: FormatCapabilities,
    *,
    redacted: bool,
    progress: Progress = no_progress,
) -> str:
    """Return the first difference as the end of a sentence; "" if there is none. ``redacted``: secrets in
    ``written`` may be redacted. ``progress`` may raise Cancelled."""
    options = capabilities, redacted, progress
    for expected_item, found_item in zip_longest(_items(expected, *options), _items(written, *options)):
        if expected_item is None:
            return (
                f"message {found_item.message + 1:,} of the file, {_kind_name(found_item)}, "
                f"was not to be written"
            )
        if found_item is None:
            return f"{_kind_name(expected_item)} of message {expected_item.message + 1:,} is not in the file"
        if difference := _item_difference(expected_item, found_item):
            return f"message {expected_item.message + 1:,}: {difference}"
    return ""


def _kind_name(item: RoundTripItem) -> str:
    return {"call": "a tool call", "result": "a tool result"}.get(item.kind, f"words of the {item.role}")


def _item_difference(expected_item: RoundTripItem, found_item: RoundTripItem) -> str:
    if expected_item.role != found_item.role:
        return f"the role is {found_item.role} instead of {expected_item.role}"
    if expected_item.kind != found_item.kind:
        return f"{_kind_name(found_item)} instead of {_kind_name(expected_item)}"
    if expected_item.digest != found_item.digest and not _equals_redacted(
        expected_item.text, found_item.text
    ):
        return f"{_kind_name(expected_item)} with other content"
    if (
        expected_item.id
        and expected_item.id != found_item.id
        and not _equals_redacted(expected_item.id, found_item.id)
    ):
        return f"the id of {_kind_name(expected_item)} is another one"
    return ""


def _equals_redacted(text: str, redacted: str) -> bool:
    parts = _MASK.split(redacted)
    if len(parts) == 1 or not (text.startswith(parts[0]) and text.endswith(parts[-1])):
        return False
    position = 0
    for part in parts:
        position = text.find(part, position)
        if position < 0:
            return False
        position += len(part)
    return True


def _items(
    side: Side[_T], capabilities: FormatCapabilities, keeps_text: bool, progress: Progress
) -> Iterator[RoundTripItem]:
    """Yield the content: results right behind their calls, neighbouring words of a role joined."""
    parts = _parts(side, progress)
    for _, group in groupby(parts, key=lambda part: part.role if part.kind == "text" else part.place):
        first_part, texts = None, []
        digest = hashlib.blake2b(digest_size=16)
        for part in group:
            first_part = first_part or part
            digest.update(f"{part.text}\n".encode("utf-8", "surrogatepass"))
            if keeps_text:
                texts.append(part.text)
        if first_part is not None:
            id_ = first_part.id if capabilities.call_ids else ""
            yield RoundTripItem(
                first_part.message, first_part.kind, first_part.role, digest.digest(), id_, "\n".join(texts)
            )


def _parts(side: Side[_T], progress: Progress) -> Iterator[_RoundTripBlock]:
    """Yield the blocks with content in the order in which they are compared."""
    read_message = lru_cache(_CACHED_MESSAGES)(lambda number: side.full_message(side.messages[number]))
    for place in _ordered_places(side, progress):
        number, index = divmod(place, _MAX_BLOCKS)
        progress(number / len(side.messages), "Comparing")
        block = read_message(number).blocks[index]
        if part := canonical_block(_with_object_arguments(block)):
            kind, text, id_ = part
            block_id = (
                id_ if isinstance(block, ToolCall | ToolResponse) and "$made_id" not in block.extra else ""
            )
            yield _RoundTripBlock(number, place, _role_name(kind, read_message(number)), kind, text, block_id)


def _role_name(kind: str, message: Message) -> str:
    return "tool" if kind == "result" else _ROLES.get(message.speaker, "user")


def _with_object_arguments(block: Block) -> Block:
    """Return a call as every format can hold it: with an object as its arguments."""
    if not isinstance(block, ToolCall) or isinstance(block.arguments, dict):
        return block
    is_empty = block.arguments in (None, MISSING, "")
    return replace(block, arguments={} if is_empty else {"arguments": block.arguments})


def _ordered_places(side: Side[_T], progress: Progress) -> Sequence[int]:
    """Return the places of the blocks with content: the first result of a call right behind it, all other
    results behind the answer before them. A place is the message number times _BLOCKS plus the block's
    index."""
    calls: dict[str, int] = {}
    answer_place = -1
    places, sort_keys = array("q"), array("q")
    for number, source in enumerate(side.messages):
        progress(0.0, "Comparing")
        message = side.outline_message(source)
        for index, block in enumerate(message.blocks):
            place = len(places)
            match block:
                case ToolResponse():
                    sort_keys.append(calls.pop(block.call_id, answer_place))
                case ToolCall():
                    calls[block.id] = place
                    sort_keys.append(place)
                case Text(text) | Code(text) if text.strip():
                    sort_keys.append(place)
                case _:
                    continue
            places.append(number * _MAX_BLOCKS + index)
            if message.speaker is Speaker.AI and not isinstance(block, ToolResponse):
                answer_place = place
    return array("q", map(places.__getitem__, sorted(range(len(places)), key=sort_keys.__getitem__)))
