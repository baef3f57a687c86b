"""The tree of a Claude Code session: the ways through it, and whether its links are sound."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate

from core.formats.anthropic.blocks import by_speaker
from core.formats.claude_code.rows import ClaudeRow, first_text, is_prompt
from core.formats.common.conversation_list import first_words
from core.formats.common.import_notes import ImportNotes
from core.transcript.model import ConversationBranch

_DEFAULT = ""
_END = 1 << 62


@dataclass(frozen=True, slots=True)
class _OlderPrompt:
    """A prompt that was taken back and asked anew. ``within`` is the older prompt on whose way it lies."""

    row: ClaudeRow
    within: str


@dataclass(frozen=True, slots=True)
class ClaudeBranches:
    """The ways through a session: the default one, and one for each older prompt, in file order.

    ``owner`` maps the uuids that are not on the default way to the older prompt nearest above them;
    ``newest`` is the prompt that the default way takes at the last fork.
    """

    older: tuple[_OlderPrompt, ...]
    owner: Mapping[str, str]
    newest: ClaudeRow | None = None

    def until(self, branch: int) -> Mapping[str, int]:
        """For each owner of the lines of a branch (from 1, the default), the line before which they end."""
        if branch == 1:
            return {_DEFAULT: _END}
        by_uuid = {one.row.uuid: one for one in self.older}
        one = self.older[branch - 2]
        found = {one.row.uuid: _END}
        while one.within and one.within not in found:  # links may lead round in a circle
            found[one.within] = one.row.source.line
            one = by_uuid[one.within]
        return {**found, _DEFAULT: one.row.source.line}

    def holds(self, until: Mapping[str, int], uuid: str, line: int) -> bool:
        """True where a line is on the way that ``until`` describes."""
        return line < until.get(self.owner.get(uuid, _DEFAULT), 0)


def find_branches(rows: Sequence[ClaudeRow], parents: Mapping[str, str]) -> ClaudeBranches:
    """The ways through a session.

    A branch exists only where two prompts of a person share a parent in the file: the older ones
    and all that descends from them are ways of their own (product.md section 3.6). ``parents``
    holds the links of every line, those of bookkeeping lines too; of a uuid that comes again the first.
    """
    heads: dict[str, dict[str, ClaudeRow]] = defaultdict(dict)
    for row in rows:
        if row.user and is_prompt(row) and row.parent in parents and parents.get(row.uuid) == row.parent:
            heads[row.parent].setdefault(row.uuid, row)
    forks = [list(some.values()) for some in heads.values() if len(some) > 1]
    if not forks:
        return ClaudeBranches((), {})
    older = {row.uuid: row for fork in forks for row in fork[:-1]}
    owner = _owners(parents, older)
    ordered = sorted(older.values(), key=_line)
    found = tuple(_OlderPrompt(row, owner.get(row.parent, _DEFAULT)) for row in ordered)
    last = max((fork[-1] for fork in forks if not owner.get(fork[-1].uuid)), key=_line, default=None)
    if last is None:  # links that lead round in a circle, so that the newest prompt hangs below an older one
        return ClaudeBranches((), {})
    return ClaudeBranches(found, {uuid: head for uuid, head in owner.items() if head}, last)


def _owners(parents: Mapping[str, str], older: Mapping[str, ClaudeRow]) -> dict[str, str]:
    """The nearest older prompt above each uuid, "" for none; walks every link once."""
    owner: dict[str, str] = {}
    for start in parents:
        path: list[str] = []
        uuid = start
        while uuid in parents and uuid not in owner and uuid not in older:
            owner[uuid] = _DEFAULT  # for links that lead round in a circle
            path.append(uuid)
            uuid = parents[uuid]
        head = uuid if uuid in older else owner.get(uuid, _DEFAULT)
        owner.update(dict.fromkeys(path, head))
    return owner | {uuid: uuid for uuid in older}


def listed_branches(ways: ClaudeBranches, rows: Sequence[ClaudeRow]) -> tuple[ConversationBranch, ...]:
    """The ways as a picker shows them, the default first; none where the session does not fork."""
    if not ways.older:
        return ()
    lines, counts = _messages_by_owner(ways, rows)
    sums = {owner: [0, *accumulate(some)] for owner, some in counts.items()}
    before: dict[str, int] = {}
    newest = ways.newest
    title, line = (_title(newest), newest.source.line) if newest else ("", 0)
    found = [ConversationBranch(1, title, sum(counts[_DEFAULT]), line)]
    for number, one in enumerate(ways.older, 2):
        at = one.row.source.line
        shared = sums[one.within][bisect_left(lines[one.within], at)] if one.within in sums else 0
        before[one.row.uuid] = before.get(one.within, 0) + shared
        total = before[one.row.uuid] + sum(counts[one.row.uuid])
        found.append(ConversationBranch(number, _title(one.row), total, at))
    return tuple(found)


def _messages_by_owner(
    ways: ClaudeBranches, rows: Sequence[ClaudeRow]
) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """By owner: the lines of its rows, and how many messages begin at each."""
    lines: dict[str, list[int]] = defaultdict(list)
    counts: dict[str, list[int]] = defaultdict(list)
    seen: set[tuple[str, str]] = set()
    for row in rows:
        owner = ways.owner.get(row.uuid, _DEFAULT)
        lines[owner].append(row.source.line)
        counts[owner].append(0 if (owner, row.api_id) in seen else message_count(row))
        if row.api_id:
            seen.add((owner, row.api_id))
    return lines, counts


def message_count(row: ClaudeRow) -> int:
    """How many messages a row alone becomes."""
    return len(by_speaker(row.blocks)) if row.user else 1


def _line(row: ClaudeRow) -> int:
    return row.source.line


def _title(row: ClaudeRow) -> str:
    return first_words(first_text(row.blocks))


def check_links(
    parents: Mapping[str, str], logical: Set[str], repeated: Iterable[tuple[int, str]], notes: ImportNotes
) -> None:
    """Warn about uuids that come twice and about parents that lead round in a circle.

    A boundary may come after the very lines that hang on its summary: what it names as its ``logical``
    parent makes no circle.
    """
    for line, uuid in repeated:
        notes.warn(line, f"the uuid {uuid} comes again; both lines were read")
    done: set[str] = set()
    for start, parent in parents.items():
        if parent in done or parent not in parents:  # nearly always: lines follow each other
            done.add(start)
            continue
        path: set[str] = set()
        uuid = start
        while uuid in parents and uuid not in done:
            if uuid in path:
                if logical.isdisjoint(_circle(parents, uuid)):
                    notes.warn(0, f"the parents of {uuid} lead round in a circle; lines are in file order")
                break
            path.add(uuid)
            uuid = parents[uuid]
        done |= path


def _circle(parents: Mapping[str, str], start: str) -> Iterator[str]:
    """The uuids of a circle, from one of them on."""
    uuid = start
    while True:
        yield uuid
        uuid = parents[uuid]
        if uuid == start:
            return
