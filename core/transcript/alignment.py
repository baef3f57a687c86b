"""Aligns two transcripts of one session by the content of their messages, whatever their formats.

A message is compared part by part in canonical form: speaker, texts, calls by name and arguments,
results by text. Ids, times, signatures, thinking beside other content, the order of keys, and how a
format splits or joins messages are ignored.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from core.common.json_value import MISSING, Json
from core.transcript.image_tokens import media_digest
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
from core.transcript.tool_result_content import answer_parts, answer_text


class AlignmentStatus(StrEnum):
    """The relation of a message to the other history."""

    SAME = "same"
    EDITED = "edited"  # with other content
    ALONE = "alone"  # without a counterpart


@dataclass(frozen=True, slots=True)
class Alignment:
    """Two aligned histories.

    ``second_index[i]`` is the index in the second history of message i of the first, -1 if it has none;
    ``first_index`` is the reverse. ``moved`` counts messages that are the same at another place in the order.
    """

    second_index: array[int]
    first_index: array[int]
    first: tuple[AlignmentStatus, ...]
    second: tuple[AlignmentStatus, ...]
    moved: int


@dataclass(frozen=True, slots=True)
class _MessagePart:
    """A unit of comparison: its message, its key, and the call it belongs to."""

    message: int
    key: bytes
    kind: str
    call_id: str = ""


def align_histories(first: Sequence[Message], second: Sequence[Message]) -> Alignment:
    """Align two histories in O(n log n).

    Repeated parts are paired by call id, then from the end, since compactions keep tails, or from the
    beginning if that moves fewer, as in a session that continued.
    """
    first_parts, second_parts = list(_all_parts(first)), list(_all_parts(second))
    pairs, in_order = _pairs(first_parts, second_parts)
    moved = {first_parts[at].message for at, to in pairs.items() if to not in in_order}
    edited = _edited(first_parts, second_parts, pairs)
    return _alignment(first, second, first_parts, second_parts, pairs, edited, len(moved))


def canonical_parts(message: Message) -> tuple[bytes, ...]:
    """Return the keys of a message's parts; messages of equal content have equal keys in any format."""
    return tuple(part.key for part in _message_parts(message, 0))


def _all_parts(messages: Sequence[Message]) -> Iterator[_MessagePart]:
    for index, message in enumerate(messages):
        yield from _message_parts(message, index)


def _message_parts(message: Message, index: int) -> Iterator[_MessagePart]:
    parts = [part for block in message.blocks for part in _parts(block)]
    relevant = [part for part in parts if part[0] != "thinking"]
    for kind, value, call_id in relevant or parts or [("nothing", "", "")]:
        speaker = Speaker.TOOL if kind == "result" or _is_user_media(kind, message) else message.speaker
        digest = hashlib.blake2b(f"{speaker}\0{kind}\0".encode(), digest_size=16)
        digest.update(value.encode("utf-8", "surrogatepass"))
        yield _MessagePart(index, digest.digest(), kind, call_id)


def _is_user_media(kind: str, message: Message) -> bool:
    """Return True for media shown to the model: some APIs accept those of a result from the user only."""
    return kind == "media" and message.speaker is Speaker.HUMAN


def _parts(block: Block) -> Iterator[tuple[str, str, str]]:
    """Yield the parts of a block. Images of a result are separate: some formats store them beside it."""
    part = part_of(block)
    if part is not None:
        yield part
    if isinstance(block, ToolResponse):
        media = (one for one in answer_parts(block) if isinstance(one, Media))
        yield from (("media", media_digest(one.data), "") for one in media)


def part_of(block: Block) -> tuple[str, str, str] | None:
    """Return kind, canonical content and call id of a block; None for an empty one."""
    match block:
        case Text(text) | Code(text):
            plain = _plain(text)
            return ("text", plain, "") if plain else None
        case Thinking(text):
            return ("thinking", _plain(text), "") if text.strip() else None
        case ToolCall():
            nothing = block.arguments is None or block.arguments is MISSING
            return "call", f"{block.name}\0{_canonical_dump({} if nothing else block.arguments)}", block.id
        case ToolResponse():
            return "result", _answer(block), block.call_id
        case Media():
            return "media", media_digest(block.data), ""
        case Opaque():
            return "opaque", _canonical_dump(block.raw), ""


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def _answer(block: ToolResponse) -> str:
    """Return the canonical text of a result; a list of texts, or JSON and its text, are the same."""
    text = _plain(answer_text(block))
    return _canonical_json(text) if text[:1] in ("{", "[") else text


def _canonical_json(text: str) -> str:
    """Return JSON text in canonical order and spacing; any other text unchanged."""
    try:
        return _canonical_dump(json.loads(text))
    except (ValueError, RecursionError):
        return text


def _canonical_dump(value: Json) -> str:
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    except (RecursionError, TypeError):  # nested too deep, or keys that cannot be sorted
        return repr(type(value))


def _pairs(
    first_parts: Sequence[_MessagePart], second_parts: Sequence[_MessagePart]
) -> tuple[dict[int, int], frozenset[int]]:
    """Return pairs of equal parts, and the second positions of those in the order of the first."""
    calls = _equal(_named(first_parts), _named(second_parts), {}, is_last=True)
    keys = [one.key for one in first_parts], [one.key for one in second_parts]
    from_end = _equal(*keys, calls, is_last=True)
    in_order = _in_order(from_end)
    if len(in_order) < len(from_end):
        from_start = _equal(*keys, calls, is_last=False)
        if len(found := _in_order(from_start)) > len(in_order):
            return from_start, found
    return from_end, in_order


def _equal(
    first_parts: Sequence[object], second_parts: Sequence[object], known: Mapping[int, int], *, is_last: bool
) -> dict[int, int]:
    """Return ``known`` and further pairs of equal keys, paired from the end or from the beginning."""
    taken = frozenset(known.values())
    waiting: dict[object, deque[int]] = defaultdict(deque)
    for to, key in enumerate(second_parts):
        if key is not None and to not in taken:
            waiting[key].append(to)
    pairs = dict(known)
    places = range(len(first_parts))
    for at in reversed(places) if is_last else places:
        if at not in known and (queue := waiting.get(first_parts[at])):
            pairs[at] = queue.pop() if is_last else queue.popleft()
    return pairs


def _named(parts: Sequence[_MessagePart]) -> list[tuple[bytes, str] | None]:
    """Return key and call id of parts that belong to a call; None for all others."""
    return [(one.key, one.call_id) if one.call_id else None for one in parts]


def _in_order(pairs: Mapping[int, int]) -> frozenset[int]:
    return _longest_ascending([pairs[at] for at in sorted(pairs)])


def _longest_ascending(values: Sequence[int]) -> frozenset[int]:
    """Return the longest ascending subsequence of distinct numbers."""
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for at, value in enumerate(values):
        place = bisect_left(tails, value)
        before.append(ends[place - 1] if place else -1)
        if place == len(tails):
            tails.append(value)
            ends.append(at)
        else:
            tails[place], ends[place] = value, at
    found: set[int] = set()
    at = ends[-1] if ends else -1
    while at >= 0:
        found.add(values[at])
        at = before[at]
    return frozenset(found)


def _edited(
    first_parts: Sequence[_MessagePart], second_parts: Sequence[_MessagePart], pairs: dict[int, int]
) -> dict[int, int]:
    """Pair changed parts: results of one call, and single parts between equal neighbours."""
    taken = set(pairs.values())
    by_call = {
        (part.kind, part.call_id): at
        for at, part in enumerate(second_parts)
        if part.call_id and at not in taken
    }
    edited: dict[int, int] = {}
    for at, part in enumerate(first_parts):
        if at in pairs:
            continue
        to = by_call.get((part.kind, part.call_id)) if part.call_id else None
        if to is None:
            to = _between(first_parts, second_parts, pairs, at)
        if to is not None and to not in taken:
            edited[at] = to
            taken.add(to)
    return edited


def _between(
    first_parts: Sequence[_MessagePart], second_parts: Sequence[_MessagePart], pairs: dict[int, int], at: int
) -> int | None:
    """Return the counterpart of a part whose neighbours are equal and enclose one part of the same kind."""
    left = pairs.get(at - 1, -2) if at else -1
    right = pairs.get(at + 1, -2) if at + 1 < len(first_parts) else len(second_parts)
    if left == -2 or right != left + 2 or second_parts[left + 1].kind != first_parts[at].kind:
        return None
    return left + 1


def _alignment(
    first: Sequence[Message],
    second: Sequence[Message],
    first_parts: Sequence[_MessagePart],
    second_parts: Sequence[_MessagePart],
    pairs: dict[int, int],
    edited: dict[int, int],
    moved: int,
) -> Alignment:
    there, here = array("q", [-1] * len(first)), array("q", [-1] * len(second))
    for at, to in sorted((pairs | edited).items()):
        a, b = first_parts[at].message, second_parts[to].message
        there[a] = b if there[a] < 0 else there[a]
        here[b] = a if here[b] < 0 else here[b]
    back = frozenset(pairs.values())
    return Alignment(
        there,
        here,
        _statuses(len(first), first_parts, frozenset(pairs), there),
        _statuses(len(second), second_parts, back, here),
        moved,
    )


def _statuses(
    count: int, parts: Sequence[_MessagePart], equal: frozenset[int], partner: array[int]
) -> tuple[AlignmentStatus, ...]:
    changed = {part.message for at, part in enumerate(parts) if at not in equal}
    return tuple(
        AlignmentStatus.ALONE
        if partner[index] < 0
        else AlignmentStatus.EDITED
        if index in changed
        else AlignmentStatus.SAME
        for index in range(count)
    )
