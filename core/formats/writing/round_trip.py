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
from core.formats.writing.format_capabilities import HOLDS, FormatCapabilities, adapted_message
from core.transcript.alignment import part_of
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
_HELD = 4  # messages in memory at once: results are compared right behind their calls
_BLOCKS = 1 << 24  # more blocks than a message has
_MASK = re.compile(r"\[redacted:[a-z0-9 -]+\]", re.IGNORECASE)
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Side(Generic[_T]):
    """One side of the comparison: ``whole`` makes the message, ``outline`` one with the same blocks and ids
    whose texts may differ."""

    given: Sequence[_T]
    whole: Callable[[_T], Message]
    outline: Callable[[_T], Message]


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


def to_write(given: ExportInput, name: str) -> Side[ExportMessage]:
    """Return the messages of an export as the format ``name`` holds them."""
    holds = HOLDS[name]
    found = (
        export_messages_from_user(given, ExportLosses(""))
        if holds.from_user and not given.is_whole_source
        else export_messages(given)
    )
    make = partial(_adapted, given, name)
    return Side(found, make, make)


def _adapted(given: ExportInput, name: str, piece: ExportMessage) -> Message:
    if piece.unchanged and given.comes_from(name):
        return piece.message
    same = piece.origin is not None and given.conversation.format in (name, *HOLDS[name].family)
    return adapted_message(piece.message, HOLDS[name], same=same)


def as_read(messages: Sequence[Message], whole: Callable[[Message], Message] | None = None) -> Side[Message]:
    """Return messages that were read; ``whole`` restores texts that were left in their file."""
    return Side(messages, whole or _unchanged, _unchanged)


def _unchanged(message: Message) -> Message:
    return message


def first_difference(
    expected: Side[_T],
    found: Side[Message],
    holds: FormatCapabilities,
    *,
    redacted: bool,
    progress: Progress = no_progress,
) -> str:
    """Return the first difference as the end of a sentence; "" if there is none. ``redacted``: secrets in
    ``found`` may be redacted. ``progress`` may raise Cancelled."""
    options = holds, redacted, progress
    for ours, theirs in zip_longest(_items(expected, *options), _items(found, *options)):
        if ours is None:
            return f"message {theirs.message + 1:,} of the file, {_kind_name(theirs)}, was not to be written"
        if theirs is None:
            return f"{_kind_name(ours)} of message {ours.message + 1:,} is not in the file"
        if difference := _item_difference(ours, theirs):
            return f"message {ours.message + 1:,}: {difference}"
    return ""


def _kind_name(item: RoundTripItem) -> str:
    return {"call": "a tool call", "result": "a tool result"}.get(item.kind, f"words of the {item.role}")


def _item_difference(ours: RoundTripItem, theirs: RoundTripItem) -> str:
    if ours.role != theirs.role:
        return f"the role is {theirs.role} instead of {ours.role}"
    if ours.kind != theirs.kind:
        return f"{_kind_name(theirs)} instead of {_kind_name(ours)}"
    if ours.digest != theirs.digest and not _equals_redacted(ours.text, theirs.text):
        return f"{_kind_name(ours)} with other content"
    if ours.id and ours.id != theirs.id and not _equals_redacted(ours.id, theirs.id):
        return f"the id of {_kind_name(ours)} is another one"
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
    side: Side[_T], holds: FormatCapabilities, keeps: bool, progress: Progress
) -> Iterator[RoundTripItem]:
    """Yield the content: results right behind their calls, neighbouring words of a role joined."""
    for _, group in groupby(_parts(side, progress), key=_group_key):
        first, texts = None, []
        digest = hashlib.blake2b(digest_size=16)
        for part in group:
            first = first or part
            digest.update(_bytes(f"{part.text}\n"))
            if keeps:
                texts.append(part.text)
        if first is not None:
            id_ = first.id if holds.call_ids else ""
            yield RoundTripItem(first.message, first.kind, first.role, digest.digest(), id_, "\n".join(texts))


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _group_key(part: _RoundTripBlock) -> object:
    """Return the key of words that belong together; calls and results are on their own."""
    return part.role if part.kind == "text" else part.place


def _parts(side: Side[_T], progress: Progress) -> Iterator[_RoundTripBlock]:
    """Yield the blocks with content in the order in which they are compared."""
    message = lru_cache(_HELD)(lambda number: side.whole(side.given[number]))
    for place in _ordered_places(side, progress):
        number, index = divmod(place, _BLOCKS)
        progress(number / len(side.given), "Comparing")
        block = message(number).blocks[index]
        if found := part_of(_with_arguments(block)):
            kind, text, id_ = found
            own = id_ if isinstance(block, ToolCall | ToolResponse) and "$made_id" not in block.extra else ""
            yield _RoundTripBlock(number, place, _role(kind, message(number)), kind, text, own)


def _role(kind: str, message: Message) -> str:
    return "tool" if kind == "result" else _ROLES.get(message.speaker, "user")


def _with_arguments(block: Block) -> Block:
    """Return a call as every format can hold it: with an object as its arguments."""
    if not isinstance(block, ToolCall) or isinstance(block.arguments, dict):
        return block
    nothing = block.arguments in (None, MISSING, "")
    return replace(block, arguments={} if nothing else {"arguments": block.arguments})


def _ordered_places(side: Side[_T], progress: Progress) -> Sequence[int]:
    """Return the places of the blocks with content: the first result of a call right behind it, all other
    results behind the answer before them. A place is the message number times _BLOCKS plus the block's
    index."""
    calls: dict[str, int] = {}
    answer = -1
    places, sort_keys = array("q"), array("q")
    for number, source in enumerate(side.given):
        progress(0.0, "Comparing")
        message = side.outline(source)
        for index, block in enumerate(message.blocks):
            place = len(places)
            match block:
                case ToolResponse():
                    sort_keys.append(calls.pop(block.call_id, answer))
                case ToolCall():
                    calls[block.id] = place
                    sort_keys.append(place)
                case Text(text) | Code(text) if text.strip():
                    sort_keys.append(place)
                case _:
                    continue
            places.append(number * _BLOCKS + index)
            if message.speaker is Speaker.AI and not isinstance(block, ToolResponse):
                answer = place
    return array("q", map(places.__getitem__, sorted(range(len(places)), key=sort_keys.__getitem__)))
