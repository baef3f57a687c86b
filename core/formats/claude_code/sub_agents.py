"""Sub-agents of a Claude Code session: side chains in its file, files beside it, and the calls starting
them."""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.common.json_value import Json
from core.formats.anthropic.blocks import plain_text
from core.formats.claude_code.messages import is_command
from core.formats.common.json_access import coerce_text, fields_of, list_of, nested
from core.formats.common.json_parsing import parse_bytes
from core.formats.common.message_lists import first_words
from core.transcript.model import ListedConversation, Text

SUB_AGENT = "sub-agent"
_PLAIN_NAME = re.compile(r"[\w-]+")
_STARTING_TOOLS = ("Task", "Agent")
_HEAD_BYTES = 4_000_000  # of the first line of a sub-agent's file


@dataclass(slots=True)
class SubAgent:
    """One sub-agent: its id, its task, and the line that started it."""

    agent_id: str = ""
    task: str = ""
    parent_uuid: str = ""
    messages: int | None = 0
    path: Path | None = None
    started_at: str = ""
    api_ids: set[str] = field(default_factory=set)


@dataclass(slots=True)
class SubAgentIndex:
    """State of one pass over the lines. ``chains`` are numbered as their conversations, from 2."""

    chains: dict[int, SubAgent] = field(default_factory=dict)
    task: str = ""  # of the main conversation
    _task_by_call: dict[str, str] = field(default_factory=dict)  # by call id
    _first_call_by_task: dict[str, str] = field(default_factory=dict)  # by task
    _calls_by_line: dict[str, list[str]] = field(default_factory=dict)  # by uuid of the line
    _call_by_agent: dict[str, str] = field(default_factory=dict)
    _number_by_agent: dict[str, int] = field(default_factory=dict)  # of side chains
    _number_by_uuid: dict[str, int] = field(default_factory=dict)

    def add_main_line(self, line: Mapping[str, Json]) -> None:
        """Note the calls that start sub-agents, and the agents that their results name."""
        kind = line.get("type")
        if kind == "assistant":
            for block in _content_blocks(line):
                if block.get("name") in _STARTING_TOOLS and block.get("type") == "tool_use":
                    self._add_call(line, block)
        elif kind == "user":
            if not self.task and line.get("isMeta") is not True:
                words = _text(line)
                self.task = "" if is_command((Text(words),)) else words
            if agent := coerce_text(nested(line, "toolUseResult", "agentId")):
                for block in _content_blocks(line):
                    if "tool_use_id" in block:
                        self._call_by_agent.setdefault(agent, coerce_text(block["tool_use_id"]))
        elif kind == "progress":
            agent = coerce_text(nested(line, "data", "agentId"))
            if agent and (call := coerce_text(line.get("parentToolUseID"))):
                self._call_by_agent.setdefault(agent, call)

    def _add_call(self, line: Mapping[str, Json], block: Mapping[str, Json]) -> None:
        id_ = coerce_text(block.get("id"))
        self._task_by_call[id_] = coerce_text(nested(block, "input", "prompt")).strip()
        self._first_call_by_task.setdefault(self._task_by_call[id_], id_)
        self._calls_by_line.setdefault(coerce_text(line.get("uuid")), []).append(id_)

    def add_side_chain_line(self, line: Mapping[str, Json]) -> int:
        """Note a line of a side chain; return the number of its conversation, from 2 in file order."""
        number = self._chain_number(line)
        chain = self.chains.get(number)
        if chain is None:
            source = coerce_text(line.get("sourceToolAssistantUUID")) or coerce_text(line.get("parentUuid"))
            chain = self.chains[number] = SubAgent(coerce_text(line.get("agentId")), parent_uuid=source)
        if not chain.task and line.get("type") == "user":
            chain.task = _text(line)
        if chain.messages is not None:
            chain.messages += _new_message_count(line, chain.api_ids)
        return number

    def _chain_number(self, line: Mapping[str, Json]) -> int:
        agent, parent = coerce_text(line.get("agentId")), coerce_text(line.get("parentUuid"))
        number = self._number_by_agent.get(agent) if agent else self._number_by_uuid.get(parent)
        if number is None:
            number = len(self._number_by_agent) + 2
            self._number_by_agent[agent or f"chain {number}"] = number
        self._number_by_uuid[coerce_text(line.get("uuid"))] = number
        return number

    def agents_in_file(self) -> frozenset[str]:
        """Return the ids of the agents whose lines are in the file itself."""
        return frozenset(chain.agent_id for chain in self.chains.values() if chain.agent_id)

    def named_agents(self) -> frozenset[str]:
        """Return the ids of all agents that results and progress name."""
        return frozenset(self._call_by_agent)

    def list_entry(self, number: int, chain: SubAgent) -> ListedConversation:
        return ListedConversation(
            number, first_words(chain.task), chain.messages, SUB_AGENT, self._starting_call(chain)
        )

    def _starting_call(self, chain: SubAgent) -> str:
        """Return the call that started a sub-agent: by its id, by the line it follows, or by its task."""
        if chain.agent_id in self._call_by_agent:
            return self._call_by_agent[chain.agent_id]
        candidates = self._calls_by_line.get(chain.parent_uuid, [])
        if len(candidates) == 1:
            return candidates[0]
        task = chain.task.strip()
        if not task or not candidates:
            return self._first_call_by_task.get(task, "") if task else ""
        return next((id_ for id_ in candidates if self._task_by_call[id_] == task), "")


def sub_agent_files(
    path: Path | None, known_agents: Collection[str], named_agents: Collection[str]
) -> tuple[SubAgent, ...]:
    """Return the sub-agents with files of their own, oldest first. They are in ``SESSION/subagents/`` beside
    ``SESSION.jsonl``; older versions put them beside it, where only those count that the session names.
    ``known_agents`` ones are in the session's file already."""
    if path is None:
        return ()
    folder = path.parent / path.stem / "subagents"
    files = sorted(folder.glob("agent-*.jsonl")) if os.path.isdir(folder) else []
    files += [
        path.parent / f"agent-{agent}.jsonl" for agent in sorted(named_agents) if _PLAIN_NAME.fullmatch(agent)
    ]
    chains = [_agent_of_file(file) for file in files if os.path.isfile(file)]
    other_chains = (chain for chain in chains if chain.agent_id not in known_agents)
    return tuple(sorted(other_chains, key=lambda chain: (chain.started_at, chain.agent_id)))


def _agent_of_file(path: Path) -> SubAgent:
    """Return a sub-agent from the first line of its file; an unreadable one is known by its name."""
    agent = path.stem.removeprefix("agent-")
    try:
        with path.open("rb") as file:
            line = parse_bytes(file.readline(_HEAD_BYTES)).value
    except OSError:
        line = None
    if not isinstance(line, dict):
        return SubAgent(agent, path.name, messages=None, path=path)
    source = coerce_text(line.get("sourceToolAssistantUUID"))
    started_at = coerce_text(line.get("timestamp"))
    return SubAgent(coerce_text(line.get("agentId")) or agent, _text(line), source, None, path, started_at)


def _new_message_count(line: Mapping[str, Json], api_ids: set[str]) -> int:
    if line.get("type") == "assistant":
        id_ = coerce_text(nested(line, "message", "id"))
        is_known = id_ in api_ids
        api_ids.update([id_] if id_ else [])
        return 0 if is_known else 1
    if line.get("type") != "user" or line.get("isCompactSummary") is True:
        return 0
    content = list_of(nested(line, "message", "content"))
    return max(1, len({nested(block, "type") == "tool_result" for block in content}))


def _content_blocks(line: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    return filter(None, map(fields_of, list_of(nested(line, "message", "content"))))


def _text(line: Mapping[str, Json]) -> str:
    return plain_text(nested(line, "message", "content"))
