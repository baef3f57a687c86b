"""Whether a written transcript says, opened again, what was to be written.

Both sides are rows of digests: who says which words, the calls with their ids and arguments, the results
of calls. How a format divides messages, and where it puts results among other messages, does not count;
no word, call or result may be missing, added, or given to another role.

Each side is made message by message, first for the order of its parts and then for what they say, so that
no more than a few messages of it are held at once.
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
_HELD = 4
"""Messages that are held at once: results are compared right behind their calls."""
_BLOCKS = 1 << 24
"""More blocks than a message has."""
_MASK = re.compile(r"\[redacted:[a-z0-9 -]+\]", re.IGNORECASE)
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class Side(Generic[_T]):
    """One of the two that are compared: ``whole`` makes a message of what is given, ``outline`` one with
    the same blocks and ids whose texts may be others."""

    given: Sequence[_T]
    whole: Callable[[_T], Message]
    outline: Callable[[_T], Message]


@dataclass(frozen=True, slots=True)
class RoundTripItem:
    """A stretch of words of one role, a call, or a result: the message it begins in (from 0), its kind,
    the digest of its content, its id where it has one. ``text`` is kept for what redaction may change."""

    message: int
    kind: str
    role: str
    digest: bytes
    id: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True)
class _RoundTripBlock:
    """A block that says something: the number of its message, its place, and what it says."""

    message: int
    place: int
    role: str
    kind: str
    text: str
    id: str


def to_write(given: ExportInput, name: str) -> Side[ExportMessage]:
    """The messages of an export as its format holds them, in order; ``name`` is that of the format."""
    holds = HOLDS[name]
    found = (
        export_messages_from_user(given, ExportLosses(""))
        if holds.from_user and not given.is_whole_source
        else export_messages(given)
    )
    make = partial(_as_held, given, name)
    return Side(found, make, make)


def _as_held(given: ExportInput, name: str, piece: ExportMessage) -> Message:
    if piece.unchanged and given.comes_from(name):
        return piece.message
    same = piece.origin is not None and given.conversation.format in (name, *HOLDS[name].family)
    return adapted_message(piece.message, HOLDS[name], same=same)


def as_read(messages: Sequence[Message], whole: Callable[[Message], Message] | None = None) -> Side[Message]:
    """Messages that were read; ``whole`` gives back texts that were left in their file."""
    return Side(messages, whole or _itself, _itself)


def _itself(message: Message) -> Message:
    return message


def first_difference(
    expected: Side[_T],
    found: Side[Message],
    holds: FormatCapabilities,
    *,
    redacted: bool,
    progress: Progress = no_progress,
) -> str:
    """What the first difference is, as the end of a sentence; "" where there is none.

    ``redacted``: secrets in what was found may be written over. Cancelled comes out of ``progress``.
    """
    ours, theirs = _said(expected, holds, redacted, progress), _said(found, holds, redacted, progress)
    for one, other in zip_longest(ours, theirs):
        if one is None:
            return f"message {other.message + 1:,} of the file, {_what(other)}, was not to be written"
        if other is None:
            return f"{_what(one)} of message {one.message + 1:,} is not in the file"
        if words := _differs(one, other):
            return f"message {one.message + 1:,}: {words}"
    return ""


def _what(one: RoundTripItem) -> str:
    return {"call": "a tool call", "result": "a tool result"}.get(one.kind, f"words of the {one.role}")


def _differs(one: RoundTripItem, other: RoundTripItem) -> str:
    if one.role != other.role:
        return f"the role is {other.role} instead of {one.role}"
    if one.kind != other.kind:
        return f"{_what(other)} in the place of {_what(one)}"
    if one.digest != other.digest and not _is_covered(one.text, other.text):
        return f"{_what(one)} with other content"
    if one.id and one.id != other.id and not _is_covered(one.id, other.id):
        return f"the id of {_what(one)} is another one"
    return ""


def _is_covered(text: str, covered: str) -> bool:
    """True where a text is another one but for stretches that were written over."""
    parts = _MASK.split(covered)
    if len(parts) == 1 or not (text.startswith(parts[0]) and text.endswith(parts[-1])):
        return False
    at = 0
    for part in parts:
        at = text.find(part, at)
        if at < 0:
            return False
        at += len(part)
    return True


def _said(
    side: Side[_T], holds: FormatCapabilities, keeps: bool, progress: Progress
) -> Iterator[RoundTripItem]:
    """What messages say, results right behind their calls, neighbouring words of a role as one."""
    for _, group in groupby(_parts(side, progress), key=_stretch):
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


def _stretch(part: _RoundTripBlock) -> object:
    """What words of one stretch share; calls and results stand alone."""
    return part.role if part.kind == "text" else part.place


def _parts(side: Side[_T], progress: Progress) -> Iterator[_RoundTripBlock]:
    """The blocks that say something, in the order in which they are compared."""
    message = lru_cache(_HELD)(lambda number: side.whole(side.given[number]))
    for place in _in_order(side, progress):
        number, index = divmod(place, _BLOCKS)
        progress(number / len(side.given), "Comparing")
        block = message(number).blocks[index]
        if found := part_of(_settled(block)):
            kind, text, id_ = found
            own = id_ if isinstance(block, ToolCall | ToolResponse) and "$made_id" not in block.extra else ""
            yield _RoundTripBlock(number, place, _role(kind, message(number)), kind, text, own)


def _role(kind: str, message: Message) -> str:
    return "tool" if kind == "result" else _ROLES.get(message.speaker, "user")


def _settled(block: Block) -> Block:
    """A call as every format can hold it: with an object as its arguments."""
    if not isinstance(block, ToolCall) or isinstance(block.arguments, dict):
        return block
    nothing = block.arguments in (None, MISSING, "")
    return replace(block, arguments={} if nothing else {"arguments": block.arguments})


def _in_order(side: Side[_T], progress: Progress) -> Sequence[int]:
    """The places of the blocks that say something, the first result of a call right behind it, all other
    results behind the answer before them. A place is message times _BLOCKS plus block."""
    calls: dict[str, int] = {}
    answer = -1
    places, behind = array("q"), array("q")
    for number, one in enumerate(side.given):
        progress(0.0, "Comparing")
        message = side.outline(one)
        for index, block in enumerate(message.blocks):
            own = len(places)
            match block:
                case ToolResponse():
                    behind.append(calls.pop(block.call_id, answer))
                case ToolCall():
                    calls[block.id] = own
                    behind.append(own)
                case Text(text) | Code(text) if text.strip():
                    behind.append(own)
                case _:
                    continue
            places.append(number * _BLOCKS + index)
            if message.speaker is Speaker.AI and not isinstance(block, ToolResponse):
                answer = own
    return array("q", map(places.__getitem__, sorted(range(len(places)), key=behind.__getitem__)))
