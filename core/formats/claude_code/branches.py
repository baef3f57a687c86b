"""Finds the branches of a Claude Code session, and checks the links between its lines."""

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
    """A prompt that was edited and sent again. ``within`` is the older prompt on whose branch it is."""

    row: ClaudeRow
    within: str


@dataclass(frozen=True, slots=True)
class ClaudeBranches:
    """The branches of a session: the default one, and one for each older prompt, in file order. ``owner``
    maps the uuids outside the default branch to the older prompt nearest above them; ``newest`` is the prompt
    that the default branch takes at the last fork."""

    older: tuple[_OlderPrompt, ...]
    owner: Mapping[str, str]
    newest: ClaudeRow | None = None

    def until(self, branch: int) -> Mapping[str, int]:
        """For each owner of lines on a branch (from 1, the default), return the line before which they
        end."""
        if branch == 1:
            return {_DEFAULT: _END}
        by_uuid = {prompt.row.uuid: prompt for prompt in self.older}
        prompt = self.older[branch - 2]
        ends = {prompt.row.uuid: _END}
        while prompt.within and prompt.within not in ends:  # links may form a cycle
            ends[prompt.within] = prompt.row.source.line
            prompt = by_uuid[prompt.within]
        return {**ends, _DEFAULT: prompt.row.source.line}

    def holds(self, until: Mapping[str, int], uuid: str, line: int) -> bool:
        """Return whether a line is on the branch that ``until`` describes."""
        return line < until.get(self.owner.get(uuid, _DEFAULT), 0)


def find_branches(rows: Sequence[ClaudeRow], parents: Mapping[str, str]) -> ClaudeBranches:
    """Return the branches of a session. A branch exists only where two prompts of the user share a parent in
    the file: each older one and all its descendants are a branch (product.md section 3.6). ``parents`` has
    the links of every line, including bookkeeping lines; of a repeated uuid the first."""
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
    prompts = tuple(_OlderPrompt(row, owner.get(row.parent, _DEFAULT)) for row in ordered)
    last = max((fork[-1] for fork in forks if not owner.get(fork[-1].uuid)), key=_line, default=None)
    if last is None:  # a cycle puts the newest prompt below an older one
        return ClaudeBranches((), {})
    return ClaudeBranches(prompts, {uuid: head for uuid, head in owner.items() if head}, last)


def _owners(parents: Mapping[str, str], older: Mapping[str, ClaudeRow]) -> dict[str, str]:
    """Return the nearest older prompt above each uuid, "" for none; each link is walked once."""
    owner: dict[str, str] = {}
    for start in parents:
        path: list[str] = []
        uuid = start
        while uuid in parents and uuid not in owner and uuid not in older:
            owner[uuid] = _DEFAULT  # ends cycles
            path.append(uuid)
            uuid = parents[uuid]
        head = uuid if uuid in older else owner.get(uuid, _DEFAULT)
        owner.update(dict.fromkeys(path, head))
    return owner | {uuid: uuid for uuid in older}


def listed_branches(branches: ClaudeBranches, rows: Sequence[ClaudeRow]) -> tuple[ConversationBranch, ...]:
    """Return the branches for a picker, the default first; none if the session does not fork."""
    if not branches.older:
        return ()
    lines, counts = _messages_by_owner(branches, rows)
    sums = {owner: [0, *accumulate(some)] for owner, some in counts.items()}
    before: dict[str, int] = {}
    newest = branches.newest
    title, line = (_title(newest), newest.source.line) if newest else ("", 0)
    listed = [ConversationBranch(1, title, sum(counts[_DEFAULT]), line)]
    for number, prompt in enumerate(branches.older, 2):
        fork = prompt.row.source.line
        shared = sums[prompt.within][bisect_left(lines[prompt.within], fork)] if prompt.within in sums else 0
        before[prompt.row.uuid] = before.get(prompt.within, 0) + shared
        total = before[prompt.row.uuid] + sum(counts[prompt.row.uuid])
        listed.append(ConversationBranch(number, _title(prompt.row), total, fork))
    return tuple(listed)


def _messages_by_owner(
    branches: ClaudeBranches, rows: Sequence[ClaudeRow]
) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """By owner: the lines of its rows, and how many messages begin at each."""
    lines: dict[str, list[int]] = defaultdict(list)
    counts: dict[str, list[int]] = defaultdict(list)
    seen: set[tuple[str, str]] = set()
    for row in rows:
        owner = branches.owner.get(row.uuid, _DEFAULT)
        lines[owner].append(row.source.line)
        counts[owner].append(0 if (owner, row.api_id) in seen else message_count(row))
        if row.api_id:
            seen.add((owner, row.api_id))
    return lines, counts


def message_count(row: ClaudeRow) -> int:
    return len(by_speaker(row.blocks)) if row.user else 1


def _line(row: ClaudeRow) -> int:
    return row.source.line


def _title(row: ClaudeRow) -> str:
    return first_words(first_text(row.blocks))


def check_links(
    parents: Mapping[str, str], logical: Set[str], repeated: Iterable[tuple[int, str]], notes: ImportNotes
) -> None:
    """Warn about repeated uuids and about cycles of parents. A boundary may come after lines that descend
    from its summary, so a ``logical`` parent forms no cycle."""
    for line, uuid in repeated:
        notes.warn(line, f"the uuid {uuid} is repeated; both lines were read")
    done: set[str] = set()
    for start, parent in parents.items():
        if parent in done or parent not in parents:  # most lines follow their parent
            done.add(start)
            continue
        path: set[str] = set()
        uuid = start
        while uuid in parents and uuid not in done:
            if uuid in path:
                if logical.isdisjoint(_cycle(parents, uuid)):
                    notes.warn(0, f"the parents of {uuid} form a cycle; lines stay in file order")
                break
            path.add(uuid)
            uuid = parents[uuid]
        done |= path


def _cycle(parents: Mapping[str, str], start: str) -> Iterator[str]:
    uuid = start
    while True:
        yield uuid
        uuid = parents[uuid]
        if uuid == start:
            return
