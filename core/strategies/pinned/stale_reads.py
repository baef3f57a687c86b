"""Replaces reads by one line each once their lines were written or read again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from core.strategies.density.read_write_pruning import stale_calls
from core.strategies.draft import HistoryDraft, with_edited
from core.strategies.pinned.context import PinnedContext
from core.strategies.pinned.placeholder_lines import covered_line, stale_line
from core.strategies.presets.tool_results import with_text
from core.strategies.tool_work import ROOT, BlockPlace, ToolWork, find_tool_work, response_at
from core.transcript.compaction import FateKind, FateStep
from core.transcript.model import Message
from core.transcript.tool_outcomes import response_content, result_text

STALE_RULE = "stale read"
COVERED_RULE = "superseded read"
_REASONS = {
    STALE_RULE: "The file was changed since, in #{number}: what it shows is old.",
    COVERED_RULE: "Read again in #{number}, which shows every line of it.",
}
_SIZE_RATIO = 2  # a later read of less than half the size shows something else


@dataclass(frozen=True, slots=True)
class _SupersededRead:
    """A useless read: the result's place, the superseding message (a draft position), and the new text."""

    place: BlockPlace
    newer: int
    text: str
    rule: str


def shorten_superseded_reads(run: PinnedContext, draft: HistoryDraft) -> HistoryDraft:
    """Replace reads superseded by a later write, edit or read by one line with path and hash."""
    messages = draft.messages
    work = find_tool_work(messages)
    superseded = [*_stale_reads(messages, work), *_covered_reads(messages, work)]
    changes: dict[int, tuple[Message, FateStep]] = {}
    for read in superseded:
        position, block = read.place
        origin = draft.entries[position].origins[0]
        current = changes[position][0] if position in changes else messages[position]
        shortened = with_text(current, block, read.text)
        if run.is_changeable(origin) and run.tokens(shortened) < run.tokens(current):
            newer = run.context.source_index(draft.entries[read.newer].origins[0])
            reason = _REASONS[read.rule].format(number=newer + 1)
            changes[position] = shortened, FateStep(read.rule, FateKind.EDITED, reason, (newer,))
    return with_edited(draft, changes) if changes else draft


def _stale_reads(messages: Sequence[Message], work: Mapping[BlockPlace, ToolWork]) -> list[_SupersededRead]:
    calls = stale_calls(messages, ROOT)
    found = []
    for read in work.values():
        newer = calls.get(read.call) if read.call is not None else None
        if newer is not None and not read.failed and newer > read.place[0]:
            found.append(_SupersededRead(read.place, newer, stale_line(messages, read), STALE_RULE))
    return found


def _covered_reads(messages: Sequence[Message], work: Mapping[BlockPlace, ToolWork]) -> list[_SupersededRead]:
    """Return reads of lines that a later read shows."""
    later: defaultdict[str, list[tuple[tuple[int, int] | None, int, int]]] = defaultdict(list)
    found = []
    for read in reversed(tuple(work.values())):
        if read.failed or not read.is_read:
            continue
        size = len(result_text(response_content(response_at(messages, read.place))))
        covers = [_covering_read(later[file.path], file.lines, size) for file in read.files]
        newer_messages = [place for place in covers if place is not None]
        if newer_messages and len(newer_messages) == len(covers):
            newer = min(newer_messages)
            found.append(_SupersededRead(read.place, newer, covered_line(messages, read), COVERED_RULE))
        for file in read.files:
            later[file.path].append((file.lines, read.place[0], size // len(read.files)))
    return found


def _covering_read(
    later: Sequence[tuple[tuple[int, int] | None, int, int]], lines: tuple[int, int] | None, size: int
) -> int | None:
    """Return the message of a later read that shows these lines; a much shorter one does not count."""
    for other_lines, message, later_size in later:
        covers_all = other_lines is None or (
            lines is not None and other_lines[0] <= lines[0] and lines[1] <= other_lines[1]
        )
        if covers_all and later_size * _SIZE_RATIO >= size:
            return message
    return None
