"""Read-write pruning: a read goes when its content stands, newer, elsewhere (REQ-HD-005).

Beyond the reference: only a successful write of the whole file supersedes every earlier read; an
edit only a read whose lines all lie inside those it replaced; a call that reads several files goes
only when all of them are superseded; calls and responses go as pairs.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from core.compaction import FateKind, Step
from core.conversation import Message, Speaker, ToolCall, ToolResponse
from core.density.accesses import Access, accesses, moves_shell
from core.density.base import NOTHING, READ_WRITE_RULE, Pass, is_substance, many_superseded_by
from core.density.tool_kinds import MANY, REFERENCE_READS, Act
from core.outcomes import failed, result_text
from core.pairs import Pairs, find_pairs

_EDITS_TRIED = 50
"""Later edits of a file that are held against one read; keeps the pass linear."""

_LINE_NUMBER = re.compile(r"^\s*\d+(?:\t|→|\||: ?)", re.MULTILINE)
_REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Touch:
    """One file access: where (message, block) it stands, what it does, and the response to it."""

    message: int
    block: int
    access: Access
    response: ToolResponse | None
    name: str


@dataclass(frozen=True, slots=True)
class _Files:
    """Reads in order, those of one call together; successful whole writes and edits by path, by
    ascending message."""

    reads: tuple[tuple[_Touch, ...], ...]
    writes: Mapping[str, list[int]]
    edits: Mapping[str, list[_Touch]]


@dataclass(frozen=True, slots=True)
class _Stale:
    """A read that can go, and why: the step's sentence, the message that took its place, the fix."""

    message: int
    block: int
    newer: int
    reason: str
    fix: str


def prune(messages: Sequence[Message], root: str) -> Pass:
    """Drop reads that a later, successful write or covering edit made stale, with their responses."""
    pairs = find_pairs(messages)
    files = _files(messages, pairs, root)
    stale = [found for reads in files.reads if (found := _stale_call(reads, files)) is not None]
    stale += _stale_many(messages, files, root)
    return _apply(messages, pairs, stale) if stale else NOTHING


def stale_calls(messages: Sequence[Message], root: str) -> Mapping[tuple[int, int], int]:
    """The read calls (message and block) that later writes or edits made stale, and the message of the
    last of these."""
    pairs = find_pairs(messages)
    files = _files(messages, pairs, root)
    found = [one for reads in files.reads if (one := _stale_call(reads, files)) is not None]
    return {(one.message, one.block): one.newer for one in (*found, *_stale_many(messages, files, root))}


def _files(messages: Sequence[Message], pairs: Pairs, root: str) -> _Files:
    responses = _responses(messages, pairs)
    reads: list[tuple[_Touch, ...]] = []
    writes: dict[str, list[int]] = defaultdict(list)
    edits: dict[str, list[_Touch]] = defaultdict(list)
    moved = False
    for index, message in enumerate(messages):
        if message.speaker is not Speaker.AI:
            continue
        for position, call in enumerate(message.blocks):
            if not isinstance(call, ToolCall):
                continue
            response = responses.get((index, position))
            found = accesses(call, root, moved=moved)
            moved = moved or moves_shell(call)
            touches = tuple(_Touch(index, position, access, response, call.name) for access in found)
            if touches and all(touch.access.act is Act.READ for touch in touches):
                reads.append(touches)
            elif response is not None and not failed(response):
                _note_changes(touches, writes, edits)
    return _Files(tuple(reads), writes, edits)


def _note_changes(
    touches: Sequence[_Touch], writes: dict[str, list[int]], edits: dict[str, list[_Touch]]
) -> None:
    for touch in touches:
        if touch.access.act is Act.WRITE:
            writes[touch.access.path].append(touch.message)
        elif touch.access.act is Act.EDIT:
            edits[touch.access.path].append(touch)


def _responses(messages: Sequence[Message], pairs: Pairs) -> Mapping[tuple[int, int], ToolResponse]:
    found: dict[tuple[int, int], ToolResponse] = {}
    for pair in pairs.pairs:
        block = messages[pair.response].blocks[pair.response_block]
        if isinstance(block, ToolResponse):
            found.setdefault((pair.call, pair.call_block), block)
    return found


def _stale_call(reads: Sequence[_Touch], files: _Files) -> _Stale | None:
    """Why a call can go: each file that it read is superseded."""
    found = [_stale(read, files) for read in reads]
    known = [one for one in found if one is not None]
    if len(known) != len(found):
        return None
    last = max(known, key=lambda one: one.newer)
    if len(known) == 1:
        return last
    reason = f"All {len(known)} files that it read are superseded, the last in #{last.newer + 1}."
    return replace(last, reason=reason)


def _stale(read: _Touch, files: _Files) -> _Stale | None:
    fix = "" if read.name in REFERENCE_READS else "RW-03"
    path = read.access.path
    writes = files.writes.get(path, [])
    if writes and writes[-1] > read.message:
        newer = writes[-1]
        what = "the file was written again, whole, and the write succeeded"
        return _Stale(
            read.message, read.block, newer, f"Superseded by the write in #{newer + 1}: {what}.", fix
        )
    later = files.edits.get(path, [])
    start = bisect_right(later, read.message, key=_message_of)
    for place, edit in enumerate(later[start : start + _EDITS_TRIED]):
        if _covers(edit, read, first=place == 0):
            newer = edit.message
            what = "it replaced every line that was read, and succeeded"
            return _Stale(
                read.message, read.block, newer, f"Superseded by the edit in #{newer + 1}: {what}.", fix
            )
    return None


def _message_of(touch: _Touch) -> int:
    return touch.message


def _covers(edit: _Touch, read: _Touch, *, first: bool) -> bool:
    """True where every line of the read lies inside what the edit replaced.

    By line numbers only for the first edit after the read: an earlier one may have moved the lines.
    """
    if first and edit.access.lines and read.access.lines:
        low, high = edit.access.lines
        return low <= read.access.lines[0] and read.access.lines[1] <= high
    if not edit.access.replaced or read.response is None:
        return False
    text = result_text(read.response.result)
    if len(text) > 2 * len(edit.access.replaced) + 2000:
        return False
    plain = _LINE_NUMBER.sub("", _REMINDER.sub("", text)).strip()
    return bool(plain) and plain in edit.access.replaced


def _stale_many(messages: Sequence[Message], files: _Files, root: str) -> list[_Stale]:
    """Reads of several files at once: stale where all are concrete and all rewritten (REQ-HD-005.9)."""
    latest = {path: indices[-1] for path, indices in files.writes.items()}
    found: list[_Stale] = []
    for index, message in enumerate(messages):
        if message.speaker is not Speaker.AI:
            continue
        for position, call in enumerate(message.blocks):
            if isinstance(call, ToolCall) and call.name == MANY:
                newer = many_superseded_by(call.arguments, index, latest, root)
                if newer is not None:
                    reason = f"All its files were written again, whole, the last in #{newer + 1}."
                    found.append(_Stale(index, position, newer, reason, ""))
    return found


def _apply(messages: Sequence[Message], pairs: Pairs, stale: Sequence[_Stale]) -> Pass:
    """Take out the stale calls and every response joined to one of them, block by block."""
    why = {(read.message, read.block): read for read in stale}
    gone: dict[int, dict[int, _Stale]] = defaultdict(dict)
    for read in stale:
        gone[read.message][read.block] = read
    count = 0
    for pair in pairs.pairs:
        reason = why.get((pair.call, pair.call_block))
        if reason is not None:
            gone[pair.response][pair.response_block] = reason
            count += 1
    removals: list[int] = []
    replacements: dict[int, Message] = {}
    steps: dict[int, Step] = {}
    for index, blocks in sorted(gone.items()):
        message = messages[index]
        rest = tuple(block for place, block in enumerate(message.blocks) if place not in blocks)
        first = next(iter(blocks.values()))
        kept = any(map(is_substance, rest))
        if kept:
            replacements[index] = replace(message, blocks=rest)
        else:
            removals.append(index)
        kind = FateKind.EDITED if kept else FateKind.PRUNED
        fix = first.fix or ("RW-04" if rest and not kept else "")
        steps[index] = Step(READ_WRITE_RULE, kind, first.reason, (first.newer,), fix)
    return Pass(tuple(removals), replacements, steps, count)
