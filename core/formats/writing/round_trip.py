"""Compares a written transcript, opened again, with the export.

Both sides become words by role, calls with ids and arguments, and results. How a format divides
messages, and where it puts results among other messages, does not count; no word, call or result may be
missing, added, or of another role.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest
from operator import attrgetter

from core.common.json_value import MISSING
from core.formats.writing.base import (
    ExportInput,
    ExportLosses,
    export_messages,
    export_messages_from_user,
)
from core.formats.writing.format_capabilities import CAPABILITIES, adapted_message
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
_MASK = re.compile(r"\[redacted:[a-z0-9 -]+\]", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Item:
    """A block with content, or consecutive words of one role: its message (from 0), role, kind ("text",
    "call" or "result"), canonical text, and id. Items are compared in the order of ``place``."""

    place: int
    message: int
    role: str
    kind: str
    text: str
    id: str

    @property
    def name(self) -> str:
        return {"call": "a tool call", "result": "a tool result"}.get(self.kind, f"words of the {self.role}")


def expected_messages(export_input: ExportInput, name: str) -> list[Message]:
    """Return the messages of an export as the format ``name`` holds them."""
    capabilities, source_format = CAPABILITIES[name], export_input.conversation.format
    pieces = (
        export_messages_from_user(export_input, ExportLosses(""))
        if capabilities.starts_with_user and not export_input.is_whole_source
        else export_messages(export_input)
    )
    is_family, is_same_format = (
        source_format in (name, *capabilities.family),
        export_input.is_from_format(name),
    )
    return [
        piece.message
        if piece.is_unchanged and is_same_format
        else adapted_message(piece.message, capabilities, same_family=is_family and piece.origin is not None)
        for piece in pieces
    ]


def first_difference(
    expected: Sequence[Message],
    written: Sequence[Message],
    name: str,
    *,
    redacted: bool,
    progress: Progress = no_progress,
) -> str:
    """Return the first difference as the end of a sentence; "" if there is none. ``name`` is the format of
    ``written``; ``redacted``: secrets in it may be redacted. ``progress`` may raise Cancelled."""
    has_ids = CAPABILITIES[name].call_ids
    for ours, theirs in zip_longest(_items(expected, progress), _items(written, progress)):
        if ours is None:
            return f"message {theirs.message + 1:,} of the file, {theirs.name}, was not to be written"
        if theirs is None:
            return f"{ours.name} of message {ours.message + 1:,} is not in the file"
        if difference := _item_difference(ours, theirs, has_ids, redacted):
            return f"message {ours.message + 1:,}: {difference}"
    return ""


def _item_difference(ours: _Item, theirs: _Item, has_ids: bool, redacted: bool) -> str:
    if ours.role != theirs.role:
        return f"the role is {theirs.role} instead of {ours.role}"
    if ours.kind != theirs.kind:
        return f"{theirs.name} instead of {ours.name}"
    if ours.text != theirs.text and not (redacted and _equals_redacted(ours.text, theirs.text)):
        return f"{ours.name} with other content"
    if has_ids and ours.id not in ("", theirs.id) and not _equals_redacted(ours.id, theirs.id):
        return f"the id of {ours.name} is another one"
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


def _items(messages: Sequence[Message], progress: Progress) -> Iterator[_Item]:
    """Yield the content: results right behind their calls, neighbouring words of a role joined."""
    items = sorted(_placed_items(messages, progress), key=attrgetter("place"))
    for (kind, _), group in groupby(items, key=lambda item: (item.kind, item.kind == "text" and item.role)):
        if kind == "text":
            words = list(group)
            yield replace(words[0], text="\n".join(item.text for item in words))
        else:
            yield from group


def _placed_items(messages: Sequence[Message], progress: Progress) -> Iterable[_Item]:
    """Yield the blocks with content; the place of a result is that of its call, of any further result that of
    the answer before it."""
    calls: dict[str, int] = {}
    answer_place, place = -1, 0
    for number, message in enumerate(messages):
        progress(number / len(messages), "Comparing")
        for block in message.blocks:
            if not isinstance(block, Text | Code | ToolCall | ToolResponse):
                continue
            if not (part := canonical_block(_with_object_arguments(block))):
                continue
            kind, text, id_ = part
            if isinstance(block, ToolResponse):
                item_place = calls.pop(block.call_id, answer_place)
            else:
                item_place = place
                answer_place = place if message.speaker is Speaker.AI else answer_place
                if isinstance(block, ToolCall):
                    calls[block.id] = place
            role = "tool" if kind == "result" else _ROLES.get(message.speaker, "user")
            id_ = "" if "$made_id" in block.extra else id_
            yield _Item(item_place, number, role, kind, text, id_)
            place += 1


def _with_object_arguments(block: Block) -> Block:
    """Return a call as every format can hold it: with an object as its arguments."""
    if not isinstance(block, ToolCall) or isinstance(block.arguments, dict):
        return block
    is_empty = block.arguments in (None, MISSING, "")
    return replace(block, arguments={} if is_empty else {"arguments": block.arguments})
