"""Aligns two transcripts of one session by the content of their messages, whatever their formats. A
message is compared part by part in canonical form: speaker, texts, calls by name and arguments,
results by text. Ids, times, signatures, thinking beside other content, the order of keys, and how a
format splits or joins messages are ignored."""

from __future__ import annotations

import hashlib
import json
from array import array
from bisect import bisect_left
from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from core.common.json_value import MISSING, Json
from core.transcript.images import media_digest
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
from core.transcript.tool_pairs import answer_parts, answer_text


class AlignmentStatus(StrEnum):
    """The relation of a message to the other history."""

    SAME = "same"
    EDITED = "edited"  # with other content
    ALONE = "alone"  # without a counterpart


@dataclass(frozen=True, slots=True)
class Alignment:
    """Two aligned histories. ``second_index[i]`` is the index in the second history of message i of
    the first, -1 if it has none. ``moved`` counts messages that are the same at another place in
    the order."""

    second_index: array[int]
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
    """Align two histories in O(n log n). Repeated parts are paired by call id, then from the end,
    since compactions keep tails, or from the beginning if that moves fewer, as in a session that
    continued."""
    first_parts = list(_all_parts(first))
    second_parts = list(_all_parts(second))
    pairs, in_order = _pair_parts(first_parts, second_parts)
    moved = {
        first_parts[first_part].message
        for first_part, second_part in pairs.items()
        if second_part not in in_order
    }
    second_index = array("q", [-1] * len(first))
    first_index = array("q", [-1] * len(second))
    edited = _pair_edited(first_parts, second_parts, pairs)
    for first_part, second_part in sorted((pairs | edited).items()):
        first_message = first_parts[first_part].message
        second_message = second_parts[second_part].message
        if second_index[first_message] < 0:
            second_index[first_message] = second_message
        if first_index[second_message] < 0:
            first_index[second_message] = first_message
    return Alignment(
        second_index,
        _statuses(first_parts, frozenset(pairs), second_index),
        _statuses(second_parts, frozenset(pairs.values()), first_index),
        len(moved),
    )


def canonical_parts(message: Message) -> tuple[bytes, ...]:
    """Return the keys of a message's parts; messages of equal content have equal keys in any
    format."""
    return tuple(part.key for part in _message_parts(message, 0))


def _all_parts(messages: Sequence[Message]) -> Iterator[_MessagePart]:
    for index, message in enumerate(messages):
        yield from _message_parts(message, index)


def _message_parts(message: Message, index: int) -> Iterator[_MessagePart]:
    parts = [part for block in message.blocks for part in _parts(block)]
    # Most exports leave thinking out, and the message is the same without it.
    relevant = [part for part in parts if part[0] != "thinking"]
    for kind, value, call_id in relevant or parts or [("nothing", "", "")]:
        speaker = _sent_by(message.speaker, kind)
        digest = hashlib.blake2b(f"{speaker}\0{kind}\0".encode(), digest_size=16)
        digest.update(value.encode("utf-8", "surrogatepass"))
        yield _MessagePart(index, digest.digest(), kind, call_id)


def _sent_by(speaker: Speaker, kind: str) -> Speaker:
    """Return who a part is from, the same in every API."""
    if kind == "result":
        return Speaker.TOOL
    # Some APIs accept the media of a result from the user only.
    if kind == "media" and speaker is Speaker.HUMAN:
        return Speaker.TOOL
    return speaker


def _parts(block: Block) -> Iterator[tuple[str, str, str]]:
    """Yield the parts of a block. Images of a result are separate: some formats store them beside
    it."""
    part = canonical_block(block)
    if part is not None:
        yield part
    if isinstance(block, ToolResponse):
        media = (
            answer_part
            for answer_part in answer_parts(block)
            if isinstance(answer_part, Media)
        )
        yield from (
            ("media", media_digest(answer_part.data), "") for answer_part in media
        )


def canonical_block(block: Block) -> tuple[str, str, str] | None:
    """Return kind, canonical content and call id of a block; None for an empty one."""
    match block:
        case Text(text) | Code(text):
            trimmed = _plain(text)
            if trimmed:
                return ("text", trimmed, "")
            return None
        case Thinking(text):
            if text.strip():
                return ("thinking", _plain(text), "")
            return None
        case ToolCall():
            arguments = {} if block.arguments in (None, MISSING) else block.arguments
            return "call", f"{block.name}\0{_canonical_dump(arguments)}", block.id
        case ToolResponse():
            # A list of texts, or JSON and its text, are the same.
            text = _plain(answer_text(block))
            return (
                "result",
                _canonical_json(text) if text[:1] in ("{", "[") else text,
                block.call_id,
            )
        case Media():
            return "media", media_digest(block.data), ""
        case Opaque():
            return "opaque", _canonical_dump(block.raw), ""


def _plain(text: str) -> str:
    # An API or an editor may change the ends of lines and of texts.
    return text.replace("\r\n", "\n").strip()


def _canonical_json(text: str) -> str:
    """Return JSON text in canonical order and spacing; any other text unchanged."""
    try:
        return _canonical_dump(json.loads(text))
    except (ValueError, RecursionError):
        return text


def _canonical_dump(value: Json) -> str:
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    except (
        RecursionError,
        TypeError,
    ):  # nested too deep, or keys that cannot be sorted
        return repr(type(value))


def _pair_parts(
    first_parts: Sequence[_MessagePart], second_parts: Sequence[_MessagePart]
) -> tuple[dict[int, int], frozenset[int]]:
    """Return pairs of equal parts, and the second positions of those in the order of the first."""
    first_calls, second_calls = (
        [(part.key, part.call_id) if part.call_id else None for part in parts]
        for parts in (first_parts, second_parts)
    )
    # An id of a call is certain; equal words may be said twice.
    calls = _pair_equal(first_calls, second_calls, {}, is_last=True)
    keys = [part.key for part in first_parts], [part.key for part in second_parts]
    from_end = _pair_equal(*keys, calls, is_last=True)
    in_order = _in_order(from_end)
    # Paired from the end, something seems to have moved: a session that only went on is paired from
    # its beginning.
    if len(in_order) < len(from_end):
        from_start = _pair_equal(*keys, calls, is_last=False)
        if len(found := _in_order(from_start)) > len(in_order):
            return from_start, found
    return from_end, in_order


def _pair_equal(
    first_parts: Sequence[object],
    second_parts: Sequence[object],
    known: Mapping[int, int],
    *,
    is_last: bool,
) -> dict[int, int]:
    """Return ``known`` and further pairs of equal keys, paired from the end or from the
    beginning."""
    paired_second = frozenset(known.values())
    unpaired: dict[object, deque[int]] = defaultdict(deque)
    for second_index, key in enumerate(second_parts):
        if key is not None and second_index not in paired_second:
            unpaired[key].append(second_index)
    pairs = dict(known)
    first_indices = range(len(first_parts))
    for first_index in reversed(first_indices) if is_last else first_indices:
        if first_index in known:
            continue
        candidates = unpaired.get(first_parts[first_index])
        if candidates:
            pairs[first_index] = candidates.pop() if is_last else candidates.popleft()
    return pairs


def _in_order(pairs: Mapping[int, int]) -> frozenset[int]:
    """Return the longest ascending subsequence of the second positions, ordered by the first
    ones."""
    values = [pairs[first_index] for first_index in sorted(pairs)]
    tails: list[int] = []
    tail_indices: list[int] = []
    predecessors: list[int] = []
    for index, value in enumerate(values):
        length = bisect_left(tails, value)
        predecessors.append(tail_indices[length - 1] if length else -1)
        if length == len(tails):
            tails.append(value)
            tail_indices.append(index)
        else:
            tails[length], tail_indices[length] = value, index
    found: set[int] = set()
    if tail_indices:
        index = tail_indices[-1]
    else:
        index = -1
    while index >= 0:
        found.add(values[index])
        index = predecessors[index]
    return frozenset(found)


def _pair_edited(
    first_parts: Sequence[_MessagePart],
    second_parts: Sequence[_MessagePart],
    pairs: dict[int, int],
) -> dict[int, int]:
    """Pair changed parts: results of one call, and single parts between equal neighbours."""
    paired_second = set(pairs.values())
    by_call = {
        (part.kind, part.call_id): second_index
        for second_index, part in enumerate(second_parts)
        if part.call_id and second_index not in paired_second
    }
    edited: dict[int, int] = {}
    for first_index, part in enumerate(first_parts):
        if first_index in pairs:
            continue
        second_index: int | None = None
        if part.call_id:
            second_index = by_call.get((part.kind, part.call_id))
        if second_index is None:
            second_index = _counterpart_between(
                first_parts, second_parts, pairs, first_index
            )
        if second_index is not None and second_index not in paired_second:
            edited[first_index] = second_index
            paired_second.add(second_index)
    return edited


def _counterpart_between(
    first_parts: Sequence[_MessagePart],
    second_parts: Sequence[_MessagePart],
    pairs: dict[int, int],
    index: int,
) -> int | None:
    """Return the counterpart of a part whose neighbours are equal and enclose one part of the same
    kind."""
    if index:
        left = pairs.get(index - 1, -2)
    else:
        left = -1
    if index + 1 < len(first_parts):
        right = pairs.get(index + 1, -2)
    else:
        right = len(second_parts)
    if (
        left == -2
        # Exactly one part stands between the same neighbours.
        or right != left + 2
        or second_parts[left + 1].kind != first_parts[index].kind
    ):
        return None
    return left + 1


def _statuses(
    parts: Sequence[_MessagePart], equal: frozenset[int], partners: array[int]
) -> tuple[AlignmentStatus, ...]:
    changed = {part.message for index, part in enumerate(parts) if index not in equal}
    statuses = []
    for index, partner in enumerate(partners):
        if partner < 0:
            statuses.append(AlignmentStatus.ALONE)
        elif index in changed:
            statuses.append(AlignmentStatus.EDITED)
        else:
            statuses.append(AlignmentStatus.SAME)
    return tuple(statuses)


_FIRST = 2  # messages that identify a conversation
_DIGITS = 24


def session_file(messages: Sequence[Message], folder: Path) -> Path:
    """Return the file in a folder that belongs to a session."""
    digest = hashlib.sha256(
        "".join(map(message_digest, messages[:_FIRST])).encode()
    ).hexdigest()
    return folder / f"{digest[:_DIGITS]}.json"


def message_digest(message: Message) -> str:
    whole = hashlib.sha256()
    for piece in canonical_parts(message):
        whole.update(len(piece).to_bytes(8, "big") + piece)
    return whole.hexdigest()[:_DIGITS]
