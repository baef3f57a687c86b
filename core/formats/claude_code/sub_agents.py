"""Sub-agents of a Claude Code session: side chains in its file, files beside it, and the calls
starting them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from core.common.json_value import Json
from core.formats.anthropic.blocks import plain_text
from core.formats.claude_code.messages import ATTACHMENT, is_command, read_attachment
from core.formats.common.json_parsing import (
    coerce_text,
    fields_of,
    list_of,
    nested,
    parse_bytes,
)
from core.formats.common.message_lists import first_words
from core.formats.common.messages import ImportNotes
from core.transcript.model import ListedConversation, Text

_PLAIN_NAME = re.compile(r"[\w-]+")
_STARTING_TOOLS = ("Task", "Agent")
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
                    words = _text(line)
                    self.task = "" if is_command((Text(words),)) else words
                self._add_results(line)
            case "progress":
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
        agent, parent = (
            coerce_text(line.get("agentId")),
            coerce_text(line.get("parentUuid")),
        )
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
    return max(1, len({nested(block, "type") == "tool_result" for block in content}))


def _content_blocks(line: Mapping[str, Json]) -> Iterator[Mapping[str, Json]]:
    return map(fields_of, list_of(nested(line, "message", "content")))


def _text(line: Mapping[str, Json]) -> str:
    return plain_text(nested(line, "message", "content"))
