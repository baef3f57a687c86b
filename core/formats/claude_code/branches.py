"""Finds the branches of a Claude Code session, and checks the links between its lines."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from core.formats.anthropic.blocks import split_by_speaker
from core.formats.claude_code.messages import ClaudeRow, first_text, is_prompt
from core.formats.common.import_notes import ImportNotes
from core.formats.common.message_lists import first_words
from core.transcript.model import ConversationBranch, Source

_DEFAULT_BRANCH = ""
_END = 1 << 62


@dataclass(frozen=True, slots=True)
class ClaudeBranches:
    """The branches of a session, each by the prompt that it takes at its last fork: the default one, then
    one for each prompt that was edited and sent again, in file order; none if the session does not fork.
    ``prompt_by_uuid`` maps the uuids outside the default branch to the older prompt nearest above them."""

    prompts: tuple[ClaudeRow, ...] = ()
    prompt_by_uuid: Mapping[str, str] = field(default_factory=dict)

    def ends(self, branch: int) -> Mapping[str, int]:
        """For each owner of lines on a branch (from 1, the default), return the byte at which they end."""
        if branch == 1:
            return {_DEFAULT_BRANCH: _END}
        by_uuid = {prompt.uuid: prompt for prompt in self.prompts[1:]}
        prompt = self.prompts[branch - 1]
        ends = {prompt.uuid: _END}
        while (owner := self.prompt_by_uuid.get(prompt.parent, "")) and owner not in ends:
            ends[owner] = prompt.source.start
            prompt = by_uuid[owner]
        return {**ends, _DEFAULT_BRANCH: prompt.source.start}

    def contains(self, ends: Mapping[str, int], uuid: str, source: Source) -> bool:
        """Return whether a line is on the branch that ``ends`` describes."""
        return source.start < ends.get(self.prompt_by_uuid.get(uuid, _DEFAULT_BRANCH), 0)


def find_branches(rows: Sequence[ClaudeRow], parents: Mapping[str, str]) -> ClaudeBranches:
    """Return the branches of a session. A branch exists only where two prompts of the user share a parent in
    the file: each older one and all its descendants are a branch (product.md section 3.6). ``parents`` has
    the links of every line, including bookkeeping lines; of a repeated uuid the first."""
    prompts_by_parent: dict[str, dict[str, ClaudeRow]] = defaultdict(dict)
    for row in rows:
        if row.is_user and is_prompt(row) and row.parent in parents and parents.get(row.uuid) == row.parent:
            prompts_by_parent[row.parent].setdefault(row.uuid, row)
    forks = [list(siblings.values()) for siblings in prompts_by_parent.values() if len(siblings) > 1]
    older_prompts = {row.uuid: row for fork in forks for row in fork[:-1]}
    prompt_by_uuid = _nearest_older_prompts(parents, older_prompts)
    newest = [fork[-1] for fork in forks if not prompt_by_uuid.get(fork[-1].uuid)]
    if not newest:  # no fork, or a cycle puts the newest prompt below an older one
        return ClaudeBranches()
    prompts = sorted(older_prompts.values(), key=_start)
    return ClaudeBranches((max(newest, key=_start), *prompts), prompt_by_uuid)


def _start(row: ClaudeRow) -> int:
    return row.source.start


def _nearest_older_prompts(
    parents: Mapping[str, str], older_prompts: Mapping[str, ClaudeRow]
) -> dict[str, str]:
    """Return the nearest older prompt above each uuid that has one; each link is walked once."""
    prompt_by_uuid: dict[str, str] = {}
    for start in parents if older_prompts else ():
        path: list[str] = []
        uuid = start
        while uuid in parents and uuid not in prompt_by_uuid and uuid not in older_prompts:
            prompt_by_uuid[uuid] = _DEFAULT_BRANCH  # ends cycles
            path.append(uuid)
            uuid = parents[uuid]
        prompt_uuid = uuid if uuid in older_prompts else prompt_by_uuid.get(uuid, _DEFAULT_BRANCH)
        prompt_by_uuid.update(dict.fromkeys(path, prompt_uuid))
    return {uuid: prompt for uuid, prompt in prompt_by_uuid.items() if prompt} | {
        uuid: uuid for uuid in older_prompts
    }


def listed_branches(branches: ClaudeBranches, rows: Sequence[ClaudeRow]) -> tuple[ConversationBranch, ...]:
    """Return the branches for a picker, the default first; none if the session does not fork."""
    listed: list[ConversationBranch] = []
    for number, prompt in enumerate(branches.prompts, 1):
        ends = branches.ends(number)
        on_branch = [row for row in rows if branches.contains(ends, row.uuid, row.source)]
        title = first_words(first_text(prompt.blocks))
        listed.append(ConversationBranch(number, title, _message_count(on_branch), prompt.source.line))
    return tuple(listed)


def _message_count(rows: Sequence[ClaudeRow]) -> int:
    counts = (len(split_by_speaker(row.blocks)) if row.is_user else 1 for row in rows if not row.api_id)
    return len({row.api_id for row in rows if row.api_id}) + sum(counts)


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
