"""Two transcripts of one session side by side: which messages are the same, whatever they wear.

A message is compared piece by piece in a canonical form: who speaks, its texts, its calls by name
and arguments, its results by their text. Ids, times, signatures, thinking beside other content, the
order of keys, and how a format splits or joins messages do not count.
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
    """What became of a message on the other side."""

    SAME = "same"
    EDITED = "edited"  # there, with other content
    ALONE = "alone"  # not there


@dataclass(frozen=True, slots=True)
class Alignment:
    """Two histories aligned by identity.

    ``there[i]`` is the index in the second history of message i of the first, -1 where it is alone;
    ``here`` the same the other way round. ``moved`` counts messages that are the same, elsewhere in
    the order.
    """

    there: array[int]
    here: array[int]
    first: tuple[AlignmentStatus, ...]
    second: tuple[AlignmentStatus, ...]
    moved: int


@dataclass(frozen=True, slots=True)
class _MessagePart:
    """A part of a message that is compared as one: its message, its key, and the call it belongs to."""

    message: int
    key: bytes
    kind: str
    call_id: str = ""


def align_histories(first: Sequence[Message], second: Sequence[Message]) -> Alignment:
    """Align two histories. Of repeated pieces those of one call are paired, then the last ones, since
    compactions keep tails, or the first ones where that moves fewer, as in a session that went on.

    Time grows as n log n with the pieces.
    """
    ours, theirs = list(_pieces(first)), list(_pieces(second))
    pairs, in_order = _pairs(ours, theirs)
    moved = {ours[at].message for at, to in pairs.items() if to not in in_order}
    edited = _edited(ours, theirs, pairs)
    return _whole(first, second, ours, theirs, pairs, edited, len(moved))


def canonical_parts(message: Message) -> tuple[bytes, ...]:
    """What a message is, without its clothes: equal for messages of equal content in any format."""
    return tuple(piece.key for piece in _of_message(message, 0))


def _pieces(messages: Sequence[Message]) -> Iterator[_MessagePart]:
    for index, message in enumerate(messages):
        yield from _of_message(message, index)


def _of_message(message: Message, index: int) -> Iterator[_MessagePart]:
    parts = [part for block in message.blocks for part in _parts(block)]
    spoken = [part for part in parts if part[0] != "thinking"]
    for kind, value, call_id in spoken or parts or [("nothing", "", "")]:
        speaker = Speaker.TOOL if kind == "result" or _is_given(kind, message) else message.speaker
        digest = hashlib.blake2b(f"{speaker}\0{kind}\0".encode(), digest_size=16)
        digest.update(value.encode("utf-8", "surrogatepass"))
        yield _MessagePart(index, digest.digest(), kind, call_id)


def _is_given(kind: str, message: Message) -> bool:
    """True for media that the model was shown: some APIs take those of a result from the user only."""
    return kind == "media" and message.speaker is Speaker.HUMAN


def _parts(block: Block) -> Iterator[tuple[str, str, str]]:
    """What a block says. Images of a result are parts of their own: some formats keep them beside it."""
    part = part_of(block)
    if part is not None:
        yield part
    if isinstance(block, ToolResponse):
        media = (one for one in answer_parts(block) if isinstance(one, Media))
        yield from (("media", media_digest(one.data), "") for one in media)


def part_of(block: Block) -> tuple[str, str, str] | None:
    """Kind, canonical content and call id of a block; None for one that says nothing."""
    match block:
        case Text(text) | Code(text):
            plain = _plain(text)
            return ("text", plain, "") if plain else None
        case Thinking(text):
            return ("thinking", _plain(text), "") if text.strip() else None
        case ToolCall():
            nothing = block.arguments is None or block.arguments is MISSING
            return "call", f"{block.name}\0{_json({} if nothing else block.arguments)}", block.id
        case ToolResponse():
            return "result", _answer(block), block.call_id
        case Media():
            return "media", media_digest(block.data), ""
        case Opaque():
            return "opaque", _json(block.raw), ""


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


def _answer(block: ToolResponse) -> str:
    """The words of a result in any clothes: a list of texts, or JSON and its text, are the same."""
    text = _plain(answer_text(block))
    return _sorted(text) if text[:1] in ("{", "[") else text


def _sorted(text: str) -> str:
    """JSON in the one canonical order and spacing; any other text as it is."""
    try:
        return _json(json.loads(text))
    except (ValueError, RecursionError):
        return text


def _json(value: Json) -> str:
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), default=str)
    except (RecursionError, TypeError):  # nested too deep, or keys that cannot be sorted
        return repr(type(value))


def _pairs(
    ours: Sequence[_MessagePart], theirs: Sequence[_MessagePart]
) -> tuple[dict[int, int], frozenset[int]]:
    """Positions of equal pieces, and those of the second history that are in the order of the first."""
    calls = _equal(_named(ours), _named(theirs), {}, is_last=True)
    keys = [one.key for one in ours], [one.key for one in theirs]
    best = _equal(*keys, calls, is_last=True)
    in_order = _in_order(best)
    if len(in_order) < len(best):
        other = _equal(*keys, calls, is_last=False)
        if len(found := _in_order(other)) > len(in_order):
            return other, found
    return best, in_order


def _equal(
    ours: Sequence[object], theirs: Sequence[object], known: Mapping[int, int], *, is_last: bool
) -> dict[int, int]:
    """What is known and the positions of equal keys: the last with the last, or the first with the first."""
    taken = frozenset(known.values())
    waiting: dict[object, deque[int]] = defaultdict(deque)
    for to, key in enumerate(theirs):
        if key is not None and to not in taken:
            waiting[key].append(to)
    pairs = dict(known)
    places = range(len(ours))
    for at in reversed(places) if is_last else places:
        if at not in known and (queue := waiting.get(ours[at])):
            pairs[at] = queue.pop() if is_last else queue.popleft()
    return pairs


def _named(pieces: Sequence[_MessagePart]) -> list[tuple[bytes, str] | None]:
    """What a piece of a call is by content and id; None for all other pieces."""
    return [(one.key, one.call_id) if one.call_id else None for one in pieces]


def _in_order(pairs: Mapping[int, int]) -> frozenset[int]:
    return _longest_ascending([pairs[at] for at in sorted(pairs)])


def _longest_ascending(values: Sequence[int]) -> frozenset[int]:
    """The longest ascending run among distinct numbers, not necessarily of neighbours."""
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
    ours: Sequence[_MessagePart], theirs: Sequence[_MessagePart], pairs: dict[int, int]
) -> dict[int, int]:
    """Positions of pieces that changed: results of one call, and the only one between equal neighbours."""
    taken = set(pairs.values())
    by_call = {
        (piece.kind, piece.call_id): at
        for at, piece in enumerate(theirs)
        if piece.call_id and at not in taken
    }
    edited: dict[int, int] = {}
    for at, piece in enumerate(ours):
        if at in pairs:
            continue
        to = by_call.get((piece.kind, piece.call_id)) if piece.call_id else None
        if to is None:
            to = _between(ours, theirs, pairs, at)
        if to is not None and to not in taken:
            edited[at] = to
            taken.add(to)
    return edited


def _between(
    ours: Sequence[_MessagePart], theirs: Sequence[_MessagePart], pairs: dict[int, int], at: int
) -> int | None:
    """Where a piece stands whose neighbours are equal and enclose just one of the same kind."""
    left = pairs.get(at - 1, -2) if at else -1
    right = pairs.get(at + 1, -2) if at + 1 < len(ours) else len(theirs)
    if left == -2 or right != left + 2 or theirs[left + 1].kind != ours[at].kind:
        return None
    return left + 1


def _whole(
    first: Sequence[Message],
    second: Sequence[Message],
    ours: Sequence[_MessagePart],
    theirs: Sequence[_MessagePart],
    pairs: dict[int, int],
    edited: dict[int, int],
    moved: int,
) -> Alignment:
    there, here = array("q", [-1] * len(first)), array("q", [-1] * len(second))
    for at, to in sorted((pairs | edited).items()):
        a, b = ours[at].message, theirs[to].message
        there[a] = b if there[a] < 0 else there[a]
        here[b] = a if here[b] < 0 else here[b]
    back = frozenset(pairs.values())
    return Alignment(
        there,
        here,
        _matches(len(first), ours, frozenset(pairs), there),
        _matches(len(second), theirs, back, here),
        moved,
    )


def _matches(
    count: int, pieces: Sequence[_MessagePart], equal: frozenset[int], partner: array[int]
) -> tuple[AlignmentStatus, ...]:
    changed = {piece.message for at, piece in enumerate(pieces) if at not in equal}
    return tuple(
        AlignmentStatus.ALONE
        if partner[index] < 0
        else AlignmentStatus.EDITED
        if index in changed
        else AlignmentStatus.SAME
        for index in range(count)
    )
