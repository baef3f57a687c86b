"""What of a Claude Code session's rows is its history: without copies, in order, on one branch; and
which of them are those of sub-agents."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, TypeVar

from core.common.json_value import Json
from core.formats.anthropic_blocks import plain_text
from core.formats.claude_code_messages import (
    ATTACHMENT,
    ClaudeRow,
    is_command,
    is_prompt,
    is_slash_command,
    prompt_title,
    read_attachment,
)
from core.formats.common.json_parsing import (
    coerce_text,
    fields_of,
    list_of,
    nested,
    parse_bytes,
)
from core.formats.common.message_lists import first_words
from core.formats.common.messages import ImportNotes, split_by_speaker
from core.transcript.model import (
    ConversationBranch,
    ListedConversation,
    LostParent,
    MessageFlag,
    Source,
    Text,
)

# What of a Claude Code session's rows is its history: without copies, in order, on one branch.


_DEFAULT_BRANCH = ""
_END = 1 << 62
_START = ""  # what the first line of a history follows
_ASIDES = MessageFlag.COMMAND | MessageFlag.META
_MAX_STEPS = 100_000  # from a prompt up to the message that it follows; ends cycles
_Item = TypeVar("_Item")


@dataclass(slots=True)
class ClaudeLinks:
    """The links between the lines of a conversation. ``parents`` has every line with a uuid, in
    file order, ``logical_children`` those with only a ``logicalParentUuid`` (boundaries),
    ``other_starts`` the bytes of those that are no messages and no compactions.
    ``is_out_of_order``: a line comes before its parent."""

    parents: dict[str, str] = field(default_factory=dict)
    logical_children: set[str] = field(default_factory=set)
    other_starts: dict[str, int] = field(default_factory=dict)
    is_out_of_order: bool = False
    # Parents, with who names them.
    _awaited: dict[str, int] = field(default_factory=dict)

    def add(self, uuid: str, parent: str, logical_parent: str, line: int) -> None:
        """Add a line whose uuid is new."""
        if parent and parent not in self.parents:
            self._awaited.setdefault(parent, line)
        if uuid in self._awaited:
            self.is_out_of_order = True
        # A boundary cuts the chain that a resume walks, yet it continues the history.
        if not parent and logical_parent:
            self.logical_children.add(uuid)
        self.parents[uuid] = parent or logical_parent

    def lost_parents(self, rows: Sequence[ClaudeRow], start: int) -> list[LostParent]:
        """Return the lines whose parent is not in the file, with how many of the ``rows`` behind
        the byte ``start`` a resume reaches: those that hang on the same line as the last one."""
        lost = {
            up: line for up, line in self._awaited.items() if up not in self.parents
        }
        if not lost:
            return []
        tops = dict[str, str]()
        own: list[str] = []
        for row in rows:
            if row.source.start >= start and row.uuid in self.parents:
                self._note_top(row.uuid, tops)
                own.append(tops[row.uuid])
        # A resume begins at the last line; one that hangs on no lost parent reaches all.
        if not own or not own[-1]:
            return []
        reached, total = own.count(own[-1]), len(own)
        if reached == total:
            return []
        named = set(own)
        lines = sorted(line for up, line in lost.items() if up in named)
        return [LostParent(line, reached, total) for line in lines]

    def _note_top(self, start: str, tops: dict[str, str]) -> None:
        """Note for a line, and those on the way, what its oldest ancestor names as parent; each
        link is walked once."""
        path: list[str] = []
        uuid = start
        while uuid in self.parents and uuid not in tops:
            tops[uuid] = ""  # ends cycles
            path.append(uuid)
            # A resume does not walk beyond a boundary.
            if uuid in self.logical_children:
                uuid = ""
            else:
                uuid = self.parents[uuid]
        tops.update(dict.fromkeys(path, tops.get(uuid, uuid)))

    def in_order(self, rows: Sequence[ClaudeRow]) -> list[ClaudeRow]:
        """Return the rows in file order, but each behind its parent."""
        real = {
            uuid: "" if uuid in self.logical_children else up
            for uuid, up in self.parents.items()
        }
        ranks = {
            uuid: rank
            for rank, (uuid, _) in enumerate(
                in_parent_order(real.items(), lambda one: one)
            )
        }
        keyed: list[tuple[int, ClaudeRow]] = []
        last_rank = -1
        for row in rows:
            # A row without a uuid stays behind the row that it followed.
            last_rank = ranks.get(row.uuid, last_rank)
            keyed.append((last_rank, row))
        return [row for _, row in sorted(keyed, key=lambda one: one[0])]


def in_parent_order(
    items: Iterable[_Item], link: Callable[[_Item], tuple[str, str]]
) -> list[_Item]:
    """Return the items in their order, but none before its parent; ``link`` gives uuid and parent
    of one. Items of a cycle of parents, and those below it, wait for no parent."""
    waiting: dict[str, list[_Item]] = defaultdict(list)
    records = list(items)
    known = {link(item)[0] for item in records} - {""}
    placed = set[str]()
    ordered: list[_Item] = []
    for item in records:
        uuid, parent = link(item)
        if parent in known and parent not in placed and parent != uuid:
            waiting[parent].append(item)
            continue
        # Chains of parents are as long as the session; recursion would end at Python's limit.
        stack = [item]
        while stack:
            ordered.append(current := stack.pop())
            placed.add(link(current)[0])
            stack += reversed(waiting.pop(link(current)[0], []))
    cyclic = {link(item)[0] for items in waiting.values() for item in items}
    if not cyclic:
        return ordered
    return in_parent_order(
        records,
        lambda item: (link(item)[0], "" if link(item)[0] in cyclic else link(item)[1]),
    )


@dataclass(frozen=True, slots=True)
class ClaudeBranches:
    """The branches of a session, each by the prompt that it takes at its last fork: the default
    one, then one for each prompt that was edited and sent again, in file order; none if the session
    does not fork. ``prompt_by_uuid`` maps the uuids outside the default branch to the older prompt
    nearest above them."""

    prompts: tuple[ClaudeRow, ...] = ()
    prompt_by_uuid: Mapping[str, str] = field(default_factory=dict)

    def ends(self, branch: int) -> Mapping[str, int]:
        """For each owner of lines on a branch (from 1, the default), return the byte at which they
        end."""
        if branch == 1:
            return {_DEFAULT_BRANCH: _END}
        by_uuid = {prompt.uuid: prompt for prompt in self.prompts[1:]}
        prompt = self.prompts[branch - 1]
        ends = {prompt.uuid: _END}
        while (
            owner := self.prompt_by_uuid.get(prompt.parent, "")
        ) and owner not in ends:
            ends[owner] = prompt.source.start
            prompt = by_uuid[owner]
        return {**ends, _DEFAULT_BRANCH: prompt.source.start}

    def contains(self, ends: Mapping[str, int], uuid: str, source: Source) -> bool:
        """Return whether a line is on the branch that ``ends`` describes."""
        return source.start < ends.get(
            self.prompt_by_uuid.get(uuid, _DEFAULT_BRANCH), 0
        )


def find_branches(rows: Sequence[ClaudeRow], links: ClaudeLinks) -> ClaudeBranches:
    """Return the branches of a session. A branch exists only where two prompts of the user follow
    the same message, or both begin a history (after ``/clear``, say); a slash command that the
    model answered is a prompt: each older one and all its
    descendants are a branch, withdrawn by the newer one. Of a repeated uuid the first link
    counts."""
    prompts_by_fork = _prompts_by_fork(rows, links)
    forks = [
        list(siblings.values())
        for siblings in prompts_by_fork.values()
        if len(siblings) > 1
    ]
    older_prompts = {row.uuid: row for fork in forks for row in fork[:-1]}
    if older_prompts:
        # A prompt on which nothing hangs withdraws nothing where a file does not link its lines.
        continued = set(links.parents.values())
        unlinked = prompts_by_fork[_START].keys() - continued
        older_prompts = {
            uuid: row for uuid, row in older_prompts.items() if uuid not in unlinked
        }
    prompt_by_uuid = _nearest_older_prompts(links.parents, older_prompts)
    newest = []
    for fork in forks:
        is_branch = any(row.uuid in older_prompts for row in fork)
        if is_branch and not prompt_by_uuid.get(fork[-1].uuid):
            newest.append(fork[-1])
    if not newest:  # no fork, or a cycle puts the newest prompt below an older one
        return ClaudeBranches()
    prompts = sorted(older_prompts.values(), key=_start)
    return ClaudeBranches((max(newest, key=_start), *prompts), prompt_by_uuid)


def _prompts_by_fork(
    rows: Sequence[ClaudeRow], links: ClaudeLinks
) -> defaultdict[str, dict[str, ClaudeRow]]:
    """Return by the uuid of a message the prompts of the user that follow it, by theirs."""
    prompts = defaultdict[str, dict[str, ClaudeRow]](dict)
    # ``&`` of flags is slow, and most rows have none.
    flagged = [row for row in rows if row.flags is not MessageFlag.NONE]
    asides = {row.uuid for row in flagged if row.flags & _ASIDES}
    answered = _answered_commands(rows, links, asides)
    for row in rows:
        # Probably a queued prompt hangs on the line of a result and would look like an edited
        # prompt.
        if not row.is_user or row.is_attachment:
            continue
        if row.uuid in answered or is_prompt(row):
            fork = _fork_point(row, links, asides)
            if fork is not None:
                prompts[fork].setdefault(row.uuid, row)
    return prompts


def _fork_point(row: ClaudeRow, links: ClaudeLinks, asides: Set[str]) -> str | None:
    """Return the uuid of the message that a prompt follows, past commands and lines that are no
    messages; None if it is not in the file."""
    parents, uuid = links.parents, row.parent
    # No link, or that of another line.
    if not row.uuid or parents.get(row.uuid) != uuid:
        return None
    steps = 0
    while steps < _MAX_STEPS and _is_aside(uuid, links, asides):
        uuid = parents[uuid]
        steps += 1
    return uuid if uuid in parents or uuid == _START else None


def _answered_commands(
    rows: Sequence[ClaudeRow], links: ClaudeLinks, asides: Set[str]
) -> frozenset[str]:
    """Return the uuids of the slash commands that the model answered: they are prompts, as others
    are not."""
    commands = {
        row.uuid for row in rows if row.uuid in asides and is_slash_command(row)
    }
    answered: set[str] = set()
    for row in rows if commands else ():
        uuid = "" if row.is_user else row.parent
        steps = 0
        while (
            uuid not in commands
            and steps < _MAX_STEPS
            and _is_aside(uuid, links, asides)
        ):
            uuid = links.parents[uuid]
            steps += 1
        if uuid in commands:
            answered.add(uuid)
    return frozenset(answered)


def _is_aside(uuid: str, links: ClaudeLinks, asides: Set[str]) -> bool:
    return uuid in links.parents and (uuid in links.other_starts or uuid in asides)


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
        while (
            uuid in parents and uuid not in prompt_by_uuid and uuid not in older_prompts
        ):
            prompt_by_uuid[uuid] = _DEFAULT_BRANCH  # ends cycles
            path.append(uuid)
            uuid = parents[uuid]
        if uuid in older_prompts:
            prompt_uuid = uuid
        else:
            prompt_uuid = prompt_by_uuid.get(uuid, _DEFAULT_BRANCH)
        prompt_by_uuid.update(dict.fromkeys(path, prompt_uuid))
    return {uuid: prompt for uuid, prompt in prompt_by_uuid.items() if prompt} | {
        uuid: uuid for uuid in older_prompts
    }


def listed_branches(
    branches: ClaudeBranches, rows: Sequence[ClaudeRow]
) -> tuple[ConversationBranch, ...]:
    """Return the branches for a picker, the default first; none if the session does not fork."""
    listed: list[ConversationBranch] = []
    for number, prompt in enumerate(branches.prompts, 1):
        ends = branches.ends(number)
        on_branch = [
            row
            for row in rows
            if branches.contains(ends, row.uuid or row.parent, row.source)
        ]
        title = prompt_title(prompt)
        listed.append(
            ConversationBranch(
                number, title, _message_count(on_branch), prompt.source.line
            )
        )
    return tuple(listed)


def _message_count(rows: Sequence[ClaudeRow]) -> int:
    counts = (
        len(split_by_speaker(row.blocks)) if row.is_user else 1
        for row in rows
        if not row.api_id
    )
    # One answer is spread over several lines with the same id.
    return len({row.api_id for row in rows if row.api_id}) + sum(counts)


def check_links(links: ClaudeLinks, notes: ImportNotes) -> None:
    """Warn about cycles of parents. A boundary may come after lines that descend from its summary,
    so the link of a ``logical_children`` line closes no cycle."""
    parents = links.parents
    checked = set(links.logical_children)
    for start, parent in parents.items():
        if parent in checked:  # nearly always
            checked.add(start)
            continue
        path: dict[str, None] = {}
        uuid = start
        while uuid in parents and uuid not in checked:
            if uuid in path:
                notes.warn(
                    0, f"the parents of {uuid} form a cycle; lines stay in file order"
                )
                break
            path[uuid] = None
            uuid = parents[uuid]
        checked.update(path)


# Sub-agents of a Claude Code session: side chains in its file, files beside it, and the calls
# starting them.


# The name becomes part of a path: a session must not name a file outside its folder.
_PLAIN_NAME = re.compile(r"[\w-]+")
# Probably the tool was renamed: older sessions call Task, newer ones Agent.
_STARTING_TOOLS = ("Task", "Agent")
# The first line may hold a prompt with images; a list of names is not worth more bytes.
_HEAD_BYTES = 4_000_000  # of the first line of a sub-agent's file


@dataclass(slots=True, kw_only=True)
class SubAgent:
    """One sub-agent: its id, its task, and the line that started it."""

    agent_id: str = ""
    task: str = ""
    parent_uuid: str = ""
    messages: int | None = 0
    path: Path | None = None
    started_at: str = ""
    api_ids: set[str] = field(default_factory=set)


class _Call(NamedTuple):
    """A call that started a sub-agent."""

    id: str
    line_uuid: str
    task: str


@dataclass(slots=True)
class SubAgentIndex:
    """State of one pass over the lines. ``chains`` are numbered as their conversations, from 2."""

    chains: dict[int, SubAgent] = field(default_factory=dict)
    task: str = ""  # of the main conversation
    _calls: list[_Call] = field(default_factory=list)
    _call_by_agent: dict[str, str] = field(default_factory=dict)
    _number_by_agent: dict[str, int] = field(default_factory=dict)
    _number_by_uuid: dict[str, int] = field(default_factory=dict)

    def add_main_line(self, line: Mapping[str, Json]) -> None:
        """Note the calls that start sub-agents, and the agents that their results name."""
        match line.get("type"):
            case "assistant":
                self._add_calls(line)
            case "user":
                if not self.task and line.get("isMeta") is not True:
                    # A slash command says nothing of the task.
                    words = _text(line)
                    self.task = "" if is_command((Text(words),)) else words
                self._add_results(line)
            case "progress":
                # An agent that was interrupted has no result that names it; its progress lines
                # do.
                agent = coerce_text(nested(line, "data", "agentId"))
                call = coerce_text(line.get("parentToolUseID"))
                if agent and call:
                    self._call_by_agent.setdefault(agent, call)

    def _add_calls(self, line: Mapping[str, Json]) -> None:
        for block in _content_blocks(line):
            if block.get("name") in _STARTING_TOOLS and block.get("type") == "tool_use":
                task = coerce_text(nested(block, "input", "prompt")).strip()
                uuid = coerce_text(line.get("uuid"))
                self._calls.append(_Call(coerce_text(block.get("id")), uuid, task))

    def _add_results(self, line: Mapping[str, Json]) -> None:
        agent = coerce_text(nested(line, "toolUseResult", "agentId"))
        if not agent:
            return
        for block in _content_blocks(line):
            if "tool_use_id" in block:
                self._call_by_agent.setdefault(agent, coerce_text(block["tool_use_id"]))

    def add_side_chain_line(self, line: Mapping[str, Json]) -> int:
        """Note a line of a side chain; return the number of its conversation, from 2 in file
        order."""
        agent = coerce_text(line.get("agentId"))
        parent = coerce_text(line.get("parentUuid"))
        # Older side chains have no agent id; only their parents tell them apart.
        if agent:
            number = self._number_by_agent.get(agent)
        else:
            number = self._number_by_uuid.get(parent)
        if number is None:
            number = len(self.chains) + 2
            self._number_by_agent[agent] = number
            source = coerce_text(line.get("sourceToolAssistantUUID")) or parent
            self.chains[number] = SubAgent(agent_id=agent, parent_uuid=source)
        self._number_by_uuid[coerce_text(line.get("uuid"))] = number
        chain = self.chains[number]
        if not chain.task and line.get("type") == "user":
            chain.task = _text(line)
        chain.messages = (chain.messages or 0) + _new_message_count(line, chain.api_ids)
        return number

    def list_entry(self, number: int, chain: SubAgent) -> ListedConversation:
        call = self._starting_call(chain)
        return ListedConversation(
            number, first_words(chain.task), chain.messages, "sub-agent", call
        )

    def _starting_call(self, chain: SubAgent) -> str:
        """Return the call that started a sub-agent: by its id, by the line it follows, or by its
        task."""
        if chain.agent_id in self._call_by_agent:
            return self._call_by_agent[chain.agent_id]
        beside = [call for call in self._calls if call.line_uuid == chain.parent_uuid]
        # Agents that run at the same time are started by one answer, so its line fits all of
        # them.
        if len(beside) == 1:
            return beside[0].id
        task = chain.task.strip()
        return next(
            (call.id for call in beside or self._calls if task and call.task == task),
            "",
        )

    def agents_with_files(self, path: Path | None) -> list[SubAgent]:
        """Return the sub-agents that only have files of their own, oldest first. They are in
        ``SESSION/subagents/`` beside ``SESSION.jsonl``; older versions put them beside it, where
        only those count that the session names."""
        if path is None:
            return []
        folder = path.parent / path.stem / "subagents"
        if folder.is_dir():
            files = sorted(folder.glob("agent-*.jsonl"))
        else:
            files = []
        named_agents = sorted(filter(_PLAIN_NAME.fullmatch, self._call_by_agent))
        files += [path.parent / f"agent-{agent}.jsonl" for agent in named_agents]
        agents_in_file = {
            chain.agent_id for chain in self.chains.values() if chain.agent_id
        }
        agents = (_agent_of_file(file) for file in files if file.is_file())
        others = (agent for agent in agents if agent.agent_id not in agents_in_file)
        return sorted(others, key=lambda agent: (agent.started_at, agent.agent_id))


def _agent_of_file(path: Path) -> SubAgent:
    agent = path.stem.removeprefix("agent-")
    try:
        with path.open("rb") as file:
            line = parse_bytes(file.readline(_HEAD_BYTES)).value
    except OSError:
        line = None
    # Probably the first line is cut while the agent still writes it.
    if not isinstance(line, dict):
        return SubAgent(agent_id=agent, task=path.name, messages=None, path=path)
    names = ("agentId", "sourceToolAssistantUUID", "timestamp")
    agent_id, source, started_at = (coerce_text(line.get(name)) for name in names)
    return SubAgent(
        agent_id=agent_id or agent,
        task=_text(line),
        parent_uuid=source,
        messages=None,
        path=path,
        started_at=started_at,
    )


def _new_message_count(line: Mapping[str, Json], api_ids: set[str]) -> int:
    if line.get("type") == "assistant":
        id_ = coerce_text(nested(line, "message", "id"))
        is_known = id_ in api_ids
        api_ids.update([id_] if id_ else [])
        return 0 if is_known else 1
    if line.get("type") == ATTACHMENT:
        return 1 if read_attachment(line, ImportNotes(), 0) else 0
    if line.get("type") != "user" or line.get("isCompactSummary") is True:
        return 0
    content = list_of(nested(line, "message", "content"))
    # A line with results and words becomes two messages.
    return max(1, len({nested(block, "type") == "tool_result" for block in content}))


def _content_blocks(line: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    return map(fields_of, list_of(nested(line, "message", "content")))


def _text(line: Mapping[str, Json]) -> str:
    return plain_text(nested(line, "message", "content"))
