"""Whether a written transcript says, opened again, what was to be written.

Both sides are rows of digests: who says which words, the calls with their ids and arguments, the results
of calls. How a format divides messages, and where it puts results among other messages, does not count;
no word, call or result may be missing, added, or given to another role.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, zip_longest

from core.common.json_value import MISSING
from core.formats.writing.base import ExportInput, ExportLosses, pieces, pieces_from_user
from core.formats.writing.format_capabilities import HOLDS, FormatCapabilities, held
from core.transcript.alignment import part_of
from core.transcript.model import Block, Message, Opaque, Progress, Speaker, ToolCall, no_progress

_ROLES = {Speaker.AI: "assistant", Speaker.SYSTEM: "system"}
_MASK = re.compile(r"\[redacted:[a-z0-9 -]+\]", re.IGNORECASE)


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
    """A block that says something; ``call`` is the id that pairs it here, ``id`` the one in the file."""

    message: int
    role: str
    kind: str
    text: str
    call: str
    id: str


def to_write(given: ExportInput, name: str) -> Iterator[Message]:
    """The messages of an export as its format holds them, in order; ``name`` is that of the format."""
    holds, own = HOLDS[name], given.comes_from(name)
    found = (
        pieces_from_user(given, ExportLosses(""))
        if holds.from_user and not given.is_whole_source
        else pieces(given)
    )
    for piece in found:
        if own and piece.unchanged:
            yield piece.message
        else:
            same = piece.origin is not None and given.conversation.format in (name, *holds.family)
            yield held(piece.message, holds, same=same)


def difference(
    expected: Iterable[Message],
    found: Sequence[Message],
    holds: FormatCapabilities,
    *,
    redacted: bool,
    progress: Progress = no_progress,
) -> str:
    """What the first difference is, as the end of a sentence; "" where there is none.

    ``redacted``: secrets in what was found may be written over. Cancelled comes out of ``progress``.
    """
    ours, theirs = _said(expected, holds, redacted), _said(found, holds, redacted)
    for one, other in zip_longest(ours, theirs):
        if other is not None:
            progress(other.message / len(found), "Comparing")
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


def _said(messages: Iterable[Message], holds: FormatCapabilities, keeps: bool) -> Iterator[RoundTripItem]:
    """What messages say, results right behind their calls, neighbouring words of a role as one."""
    for _, group in groupby(_in_order(_parts(messages)), key=_stretch):
        parts = list(group)
        text = "\n".join(part.text for part in parts)
        digest = hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        id_ = parts[0].id if holds.call_ids else ""
        yield RoundTripItem(
            parts[0].message, parts[0].kind, parts[0].role, digest, id_, text if keeps else ""
        )


def _stretch(part: _RoundTripBlock) -> object:
    """What words of one stretch share; calls and results stand alone."""
    return part.role if part.kind == "text" else id(part)


def _parts(messages: Iterable[Message]) -> Iterator[_RoundTripBlock]:
    """The blocks that say something, one by one."""
    for place, message in enumerate(messages):
        for block in message.blocks:
            found = part_of(_settled(block))
            if found is None or found[0] not in ("text", "call", "result") or isinstance(block, Opaque):
                continue
            kind, text, id_ = found
            role = "tool" if kind == "result" else _ROLES.get(message.speaker, "user")
            yield _RoundTripBlock(place, role, kind, text, id_, "" if "$made_id" in block.extra else id_)


def _settled(block: Block) -> Block:
    """A call as every format can hold it: with an object as its arguments."""
    if not isinstance(block, ToolCall) or isinstance(block.arguments, dict):
        return block
    nothing = block.arguments in (None, MISSING, "")
    return replace(block, arguments={} if nothing else {"arguments": block.arguments})


def _in_order(parts: Iterable[_RoundTripBlock]) -> Sequence[_RoundTripBlock]:
    """The same with the first result of a call right behind it, all others behind the answer before them."""
    calls: dict[str, int] = {}
    answer = -1
    placed: list[tuple[int, int, _RoundTripBlock]] = []
    for number, part in enumerate(parts):
        if part.kind == "call":
            calls[part.call] = number
        if part.role == "assistant":
            answer = number
        at = calls.pop(part.call, answer) if part.kind == "result" else number
        placed.append((at, number, part))
    return [part for _, _, part in sorted(placed, key=lambda one: one[:2])]
