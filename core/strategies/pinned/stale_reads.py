"""The life of a read: one whose lines were written since, or read again, becomes one line."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.strategies.density.read_write_pruning import stale_calls
from core.strategies.draft import HistoryDraft, with_edited
from core.strategies.pinned.context import PinnedContext
from core.strategies.pinned.placeholder_lines import covered_line, stale_line
from core.strategies.presets.tool_results import with_text
from core.strategies.tool_work import ROOT, BlockPlace, ToolWork, response_at
from core.transcript.compaction import FateKind, FateStep
from core.transcript.model import Message
from core.transcript.tool_outcomes import answer_of, result_text

STALE = "stale read"
COVERED = "superseded read"
_REASONS = {
    STALE: "The file was changed since, in #{number}: what it shows is old.",
    COVERED: "Read again in #{number}, which shows every line of it.",
}
_SAME = 2  # a later read that says less than half as much shows something else


@dataclass(frozen=True, slots=True)
class _SupersededRead:
    """A read that is of no more use: the result's place, the message that took its place (positions in the
    draft), the new text."""

    place: BlockPlace
    newer: int
    text: str
    rule: str


def retire_reads(bench: PinnedContext, draft: HistoryDraft) -> HistoryDraft:
    """Reads that a later write, edit or read superseded as one line each, with path and hash."""
    messages = draft.messages
    work = bench.memory.works.of(messages)
    ended = [*_stale(messages, work), *_covered(messages, work)]
    changes: dict[int, tuple[Message, FateStep]] = {}
    for one in ended:
        position, block = one.place
        origin = draft.entries[position].origins[0]
        now = changes[position][0] if position in changes else messages[position]
        new = with_text(now, block, one.text)
        if bench.is_free(origin) and bench.tokens(new) < bench.tokens(now):
            newer = bench.context.source_of(draft.entries[one.newer].origins[0])
            reason = _REASONS[one.rule].format(number=newer + 1)
            changes[position] = new, FateStep(one.rule, FateKind.EDITED, reason, (newer,))
    return with_edited(draft, changes) if changes else draft


def _stale(messages: Sequence[Message], work: Mapping[BlockPlace, ToolWork]) -> list[_SupersededRead]:
    calls = stale_calls(messages, ROOT)
    found = []
    for one in work.values():
        newer = calls.get(one.call) if one.call is not None else None
        if newer is not None and not one.failed and newer > one.place[0]:
            found.append(_SupersededRead(one.place, newer, stale_line(messages, one), STALE))
    return found


def _covered(messages: Sequence[Message], work: Mapping[BlockPlace, ToolWork]) -> list[_SupersededRead]:
    """Reads all of whose lines a later read shows."""
    later: defaultdict[str, list[tuple[tuple[int, int] | None, int, int]]] = defaultdict(list)
    found = []
    for one in reversed(tuple(work.values())):
        if one.failed or not one.is_read:
            continue
        size = len(result_text(answer_of(response_at(messages, one.place))))
        covers = [_covering(later[file.path], file.lines, size) for file in one.files]
        known = [place for place in covers if place is not None]
        if known and len(known) == len(covers):
            newer = min(known)
            found.append(_SupersededRead(one.place, newer, covered_line(messages, one), COVERED))
        for file in one.files:
            later[file.path].append((file.lines, one.place[0], size // len(one.files)))
    return found


def _covering(
    later: Sequence[tuple[tuple[int, int] | None, int, int]], lines: tuple[int, int] | None, size: int
) -> int | None:
    """The message of a later read that holds these lines; one that is much shorter says something else."""
    for other, message, long in later:
        whole = other is None or (lines is not None and other[0] <= lines[0] and lines[1] <= other[1])
        if whole and long * _SAME >= size:
            return message
    return None
