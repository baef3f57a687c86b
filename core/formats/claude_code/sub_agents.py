"""Sub-agents of a Claude Code session: side chains in its file, files beside it, and the calls starting
them."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from core.common.json_value import Json
from core.formats.anthropic.blocks import plain_text, text_of
from core.formats.claude_code.rows import is_command
from core.formats.common.conversation_list import first_words
from core.formats.common.json_parsing import parse_bytes
from core.transcript.model import ListedConversation, Text

SUB_AGENT = "sub-agent"
_STARTERS = ("Task", "Agent")
_HEAD_BYTES = 4_000_000  # of the first line of a sub-agent's file


@dataclass(slots=True)
class SubAgent:
    """One sub-agent: its id, its task, and the line that started it."""

    agent: str = ""
    task: str = ""
    parent: str = ""
    messages: int | None = 0
    path: Path | None = None
    began: str = ""
    api_ids: set[str] = field(default_factory=set)


@dataclass(slots=True)
class SubAgentIndex:
    """State of one pass over the lines. ``chains`` are numbered as their conversations, from 2."""

    chains: dict[int, SubAgent] = field(default_factory=dict)
    task: str = ""  # of the main conversation
    _tasks: dict[str, str] = field(default_factory=dict)  # by call id
    _first_call: dict[str, str] = field(default_factory=dict)  # by task
    _calls_of: dict[str, list[str]] = field(default_factory=dict)  # by uuid of the line
    _by_agent: dict[str, str] = field(default_factory=dict)

    def add_main(self, line: Mapping[str, Json]) -> None:
        """Note the calls that start sub-agents, and the agents that their results name."""
        kind = line.get("type")
        if kind == "assistant":
            message = line.get("message")
            content = message.get("content") if type(message) is dict else None
            for block in content if type(content) is list else ():
                if type(block) is dict and block.get("name") in _STARTERS and block.get("type") == "tool_use":
                    self._add_call(line, block)
        elif kind == "user":
            if not self.task and line.get("isMeta") is not True:
                words = _text(line)
                self.task = "" if is_command((Text(words),)) else words
            result = line.get("toolUseResult")
            if isinstance(result, dict) and (agent := text_of(result.get("agentId"))):
                call_ids = [text_of(part["tool_use_id"]) for part in _blocks(line) if "tool_use_id" in part]
                if call_ids:
                    self._by_agent.setdefault(agent, call_ids[0])
        elif kind == "progress" and isinstance(line.get("data"), dict):
            agent, call = text_of(line["data"].get("agentId")), text_of(line.get("parentToolUseID"))
            if agent and call:
                self._by_agent.setdefault(agent, call)

    def _add_call(self, line: Mapping[str, Json], block: Mapping[str, Json]) -> None:
        given = block.get("input")
        id_ = text_of(block.get("id"))
        self._tasks[id_] = text_of(given.get("prompt")).strip() if isinstance(given, dict) else ""
        self._first_call.setdefault(self._tasks[id_], id_)
        self._calls_of.setdefault(text_of(line.get("uuid")), []).append(id_)

    def add_side(self, number: int, line: Mapping[str, Json]) -> None:
        chain = self.chains.get(number)
        if chain is None:
            source = text_of(line.get("sourceToolAssistantUUID")) or text_of(line.get("parentUuid"))
            chain = self.chains[number] = SubAgent(text_of(line.get("agentId")), parent=source)
        if not chain.task and line.get("type") == "user":
            chain.task = _text(line)
        if chain.messages is not None:
            chain.messages += _new_messages(line, chain.api_ids)

    def known(self) -> frozenset[str]:
        """Return the ids of the agents whose lines are in the file itself."""
        return frozenset(chain.agent for chain in self.chains.values() if chain.agent)

    def named(self) -> frozenset[str]:
        """Return the ids of all agents that results and progress name."""
        return frozenset(self._by_agent)

    def listed(self, number: int, chain: SubAgent) -> ListedConversation:
        return ListedConversation(
            number, first_words(chain.task), chain.messages, SUB_AGENT, self._starter(chain)
        )

    def _starter(self, chain: SubAgent) -> str:
        """Return the call that started a sub-agent: by its id, by the line it follows, or by its task."""
        if chain.agent in self._by_agent:
            return self._by_agent[chain.agent]
        near = self._calls_of.get(chain.parent, [])
        if len(near) == 1:
            return near[0]
        task = chain.task.strip()
        if not task or not near:
            return self._first_call.get(task, "") if task else ""
        return next((id_ for id_ in near if self._tasks[id_] == task), "")


def sub_agent_files(
    path: Path | None, known: Collection[str], named: Collection[str]
) -> tuple[SubAgent, ...]:
    """Return the sub-agents with files of their own, oldest first. They are in ``SESSION/subagents/`` beside
    ``SESSION.jsonl``; older versions put them beside it, where only those count that the session names.
    ``known`` ones are in the session's file already."""
    if path is None:
        return ()
    own = path.parent / path.stem / "subagents"
    files = sorted(own.glob("agent-*.jsonl")) if os.path.isdir(own) else []
    files += [path.parent / f"agent-{agent}.jsonl" for agent in sorted(named) if _is_name(agent)]
    chains = [_agent_of_file(file) for file in files if os.path.isfile(file)]
    return tuple(sorted((one for one in chains if one.agent not in known), key=_age))


def _is_name(agent: str) -> bool:
    return agent.replace("-", "").replace("_", "").isalnum()


def _age(chain: SubAgent) -> tuple[str, str]:
    return chain.began, chain.agent


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
    source = text_of(line.get("sourceToolAssistantUUID"))
    began = text_of(line.get("timestamp"))
    return SubAgent(text_of(line.get("agentId")) or agent, _text(line), source, None, path, began)


def _new_messages(line: Mapping[str, Json], api_ids: set[str]) -> int:
    message = line.get("message")
    if line.get("type") == "assistant":
        id_ = text_of(message.get("id")) if isinstance(message, dict) else ""
        if id_ in api_ids:
            return 0
        if id_:
            api_ids.add(id_)
        return 1
    if line.get("type") != "user" or line.get("isCompactSummary") is True:
        return 0
    content = message.get("content") if isinstance(message, dict) else None
    kinds = {_is_result(block) for block in content} if isinstance(content, list) else set()
    return max(1, len(kinds))


def _is_result(block: Json) -> bool:
    return isinstance(block, dict) and block.get("type") == "tool_result"


def _blocks(line: Mapping[str, Json]) -> list[dict[str, Json]]:
    message = line.get("message")
    content = message.get("content") if isinstance(message, dict) else None
    return [one for one in content if isinstance(one, dict)] if isinstance(content, list) else []


def _text(line: Mapping[str, Json]) -> str:
    message = line.get("message")
    return plain_text(message.get("content")) if isinstance(message, dict) else ""
