"""Finds the branches of a Claude Code session, and checks the links between its lines."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import accumulate

from core.formats.anthropic.blocks import split_by_speaker
from core.formats.claude_code.messages import ClaudeRow, first_text, is_prompt
from core.formats.common.import_notes import ImportNotes
from core.formats.common.message_lists import first_words
from core.transcript.model import ConversationBranch

_DEFAULT_BRANCH = ""
_LAST_LINE = 1 << 62


@dataclass(frozen=True, slots=True)
class _OlderPrompt:
    """A prompt that was edited and sent again. ``branch_prompt`` is the older prompt on whose branch it
    is."""

    row: ClaudeRow
    branch_prompt: str


@dataclass(frozen=True, slots=True)
class ClaudeBranches:
    """The branches of a session: the default one, and one for each older prompt, in file order.
    ``prompt_by_uuid`` maps the uuids outside the default branch to the older prompt nearest above them;
    ``newest_prompt`` is the prompt that the default branch takes at the last fork."""

    older_prompts: tuple[_OlderPrompt, ...]
    prompt_by_uuid: Mapping[str, str]
    newest_prompt: ClaudeRow | None = None

    def end_lines(self, branch: int) -> Mapping[str, int]:
        """For each owner of lines on a branch (from 1, the default), return the line before which they
        end."""
        if branch == 1:
            return {_DEFAULT_BRANCH: _LAST_LINE}
        by_uuid = {prompt.row.uuid: prompt for prompt in self.older_prompts}
        prompt = self.older_prompts[branch - 2]
        ends = {prompt.row.uuid: _LAST_LINE}
        while prompt.branch_prompt and prompt.branch_prompt not in ends:  # links may form a cycle
            ends[prompt.branch_prompt] = prompt.row.source.line
            prompt = by_uuid[prompt.branch_prompt]
        return {**ends, _DEFAULT_BRANCH: prompt.row.source.line}

    def contains(self, end_lines: Mapping[str, int], uuid: str, line: int) -> bool:
        """Return whether a line is on the branch that ``end_lines`` describes."""
        return line < end_lines.get(self.prompt_by_uuid.get(uuid, _DEFAULT_BRANCH), 0)


def find_branches(rows: Sequence[ClaudeRow], parents: Mapping[str, str]) -> ClaudeBranches:
    """Return the branches of a session. A branch exists only where two prompts of the user share a parent in
    the file: each older one and all its descendants are a branch (product.md section 3.6). ``parents`` has
    the links of every line, including bookkeeping lines; of a repeated uuid the first."""
    prompts_by_parent: dict[str, dict[str, ClaudeRow]] = defaultdict(dict)
    for row in rows:
        if row.is_user and is_prompt(row) and row.parent in parents and parents.get(row.uuid) == row.parent:
            prompts_by_parent[row.parent].setdefault(row.uuid, row)
    forks = [list(siblings.values()) for siblings in prompts_by_parent.values() if len(siblings) > 1]
    if not forks:
        return ClaudeBranches((), {})
    older_prompts = {row.uuid: row for fork in forks for row in fork[:-1]}
    prompt_by_uuid = _nearest_older_prompts(parents, older_prompts)
    ordered = sorted(older_prompts.values(), key=lambda row: row.source.line)
    prompts = tuple(_OlderPrompt(row, prompt_by_uuid.get(row.parent, _DEFAULT_BRANCH)) for row in ordered)
    last = max(
        (fork[-1] for fork in forks if not prompt_by_uuid.get(fork[-1].uuid)),
        key=lambda row: row.source.line,
        default=None,
    )
    if last is None:  # a cycle puts the newest prompt below an older one
        return ClaudeBranches((), {})
    return ClaudeBranches(
        prompts, {uuid: prompt_uuid for uuid, prompt_uuid in prompt_by_uuid.items() if prompt_uuid}, last
    )


def _nearest_older_prompts(
    parents: Mapping[str, str], older_prompts: Mapping[str, ClaudeRow]
) -> dict[str, str]:
    """Return the nearest older prompt above each uuid, "" for none; each link is walked once."""
    prompt_by_uuid: dict[str, str] = {}
    for start in parents:
        path: list[str] = []
        uuid = start
        while uuid in parents and uuid not in prompt_by_uuid and uuid not in older_prompts:
            prompt_by_uuid[uuid] = _DEFAULT_BRANCH  # ends cycles
            path.append(uuid)
            uuid = parents[uuid]
        prompt_uuid = uuid if uuid in older_prompts else prompt_by_uuid.get(uuid, _DEFAULT_BRANCH)
        prompt_by_uuid.update(dict.fromkeys(path, prompt_uuid))
    return prompt_by_uuid | {uuid: uuid for uuid in older_prompts}


def listed_branches(branches: ClaudeBranches, rows: Sequence[ClaudeRow]) -> tuple[ConversationBranch, ...]:
    """Return the branches for a picker, the default first; none if the session does not fork."""
    if not branches.older_prompts:
        return ()
    lines, counts = _messages_by_owner(branches, rows)
    running_counts = {owner: [0, *accumulate(row_counts)] for owner, row_counts in counts.items()}
    count_before: dict[str, int] = {}
    newest = branches.newest_prompt
    title, line = (_title(newest), newest.source.line) if newest else ("", 0)
    listed = [ConversationBranch(1, title, sum(counts[_DEFAULT_BRANCH]), line)]
    for number, prompt in enumerate(branches.older_prompts, 2):
        fork_line = prompt.row.source.line
        shared_count = (
            running_counts[prompt.branch_prompt][bisect_left(lines[prompt.branch_prompt], fork_line)]
            if prompt.branch_prompt in running_counts
            else 0
        )
        count_before[prompt.row.uuid] = count_before.get(prompt.branch_prompt, 0) + shared_count
        total = count_before[prompt.row.uuid] + sum(counts[prompt.row.uuid])
        listed.append(ConversationBranch(number, _title(prompt.row), total, fork_line))
    return tuple(listed)


def _messages_by_owner(
    branches: ClaudeBranches, rows: Sequence[ClaudeRow]
) -> tuple[dict[str, list[int]], dict[str, list[int]]]:
    """By owner: the lines of its rows, and how many messages begin at each."""
    lines: dict[str, list[int]] = defaultdict(list)
    counts: dict[str, list[int]] = defaultdict(list)
    seen: set[tuple[str, str]] = set()
    for row in rows:
        owner = branches.prompt_by_uuid.get(row.uuid, _DEFAULT_BRANCH)
        lines[owner].append(row.source.line)
        counts[owner].append(0 if (owner, row.api_id) in seen else message_count(row))
        if row.api_id:
            seen.add((owner, row.api_id))
    return lines, counts


def message_count(row: ClaudeRow) -> int:
    return len(split_by_speaker(row.blocks)) if row.is_user else 1


def _title(row: ClaudeRow) -> str:
    return first_words(first_text(row.blocks))


def check_links(parents: Mapping[str, str], logical_children: Set[str], notes: ImportNotes) -> None:
    """Warn about cycles of parents. A boundary may come after lines that descend from its summary, so the
    link of a ``logical_children`` line closes no cycle."""
    checked: set[str] = set(logical_children)
    for start in parents:
        path: dict[str, None] = {}
        uuid = start
        while uuid in parents and uuid not in checked:
            if uuid in path:
                notes.warn(0, f"the parents of {uuid} form a cycle; lines stay in file order")
                break
            path[uuid] = None
            uuid = parents[uuid]
        checked.update(path)
