"""Claude Code sessions: merged lines, split rows, flags, branches, side chains, compactions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import InputError
from core.formats.common import format
from core.formats.common.format import MessageObserver, ignore_messages
from core.formats.registry import load_conversation
from core.transcript.model import Conversation, ListedConversation, Message, Text

Line = dict[str, Any]


def user(uuid: str, parent: str | None, content: Any = "go on", **fields: Any) -> Line:
    message = {"role": "user", "content": content}
    return {"type": "user", "uuid": uuid, "parentUuid": parent, "message": message, **fields}


def ai(uuid: str, parent: str | None, *blocks: Line, id: str = "", **fields: Any) -> Line:
    usage = {"input_tokens": 5, "cache_read_input_tokens": 70, "cache_creation_input_tokens": 1}
    message = {"id": id or f"msg_{uuid}", "model": "m-1", "content": list(blocks), "usage": usage}
    return {"type": "assistant", "uuid": uuid, "parentUuid": parent, "message": message, **fields}


def boundary(uuid: str, **metadata: Any) -> Line:
    line = {"type": "system", "subtype": "compact_boundary", "uuid": uuid, "parentUuid": None}
    return {**line, "compactMetadata": {"trigger": "auto", **metadata}}


def summary(uuid: str, parent: str) -> Line:
    return user(uuid, parent, "what happened", isCompactSummary=True)


def text(words: str) -> Line:
    return {"type": "text", "text": words}


def use(id: str, **fields: Any) -> Line:
    return {"type": "tool_use", "id": id, "name": "Bash", "input": {"command": "ls"}, **fields}


def result(id: str, content: Any = "out", **fields: Any) -> Line:
    return {"type": "tool_result", "tool_use_id": id, "content": content, **fields}


def read(
    folder: Path,
    *lines: Line,
    conversation: int = 1,
    branch: int = 1,
    seen: MessageObserver = ignore_messages,
) -> Conversation:
    path = folder / "session.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")
    return load_conversation(path, conversation=conversation, branch=branch, on_messages=seen)


def words(conversation: Conversation) -> list[str]:
    blocks = [block for message in conversation.messages for block in message.blocks]
    return [block.text for block in blocks if isinstance(block, Text)]


def test_each_message_is_handed_on_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(format, "_INTERVAL", 0.0)
    asked, more = ai("a", "u", text("look"), use("t1"), id="m"), ai("c", "b", text("and on"), id="m")
    lines = [user("u", None), asked, user("b", "a", [result("t1")]), more, user("d", "c"), user("e", "d")]
    handed: list[Message] = []
    conversation = read(tmp_path, *lines, seen=handed.extend)
    assert [one.sources[0] for one in handed] == [one.sources[0] for one in conversation.messages]
    same = [one is other for one, other in zip(handed, conversation.messages, strict=True)]
    assert same == [True, False, True, True, True]  # the second got a line more


SIDE: Line = {"isSidechain": True}


def task(id: str, prompt: str) -> Line:
    return use(id, name="Task", input={"prompt": prompt})


def listed(folder: Path, *lines: Line) -> list[ListedConversation]:
    return list(read(folder, *lines).listed)


def test_side_chains_are_listed_with_title_messages_and_kind(tmp_path: Path) -> None:
    side = [user("s1", None, "look  around\nquietly", **SIDE), ai("s2", "s1", use("x"), id="m", **SIDE)]
    more = [ai("s3", "s2", text("and"), id="m", **SIDE), user("s4", "s3", [result("x"), text("go")], **SIDE)]
    first, second = listed(tmp_path, user("u", None, "the main task"), *side, *more)
    assert first == ListedConversation(1, "the main task", 1)
    assert second == ListedConversation(2, "look around quietly", 4, "sub-agent")
    assert len(read(tmp_path, user("u", None), *side, *more, conversation=2).messages) == 4


@pytest.mark.parametrize(
    ("side", "answer"),
    [
        ({"agentId": "a1"}, {"toolUseResult": {"agentId": "a1"}}),
        ({"sourceToolAssistantUUID": "c2"}, {}),
        ({}, {}),
    ],
    ids=["by the id of the agent", "by the line it hangs on", "by its task"],
)
def test_the_call_that_started_a_sub_agent_is_known(tmp_path: Path, side: Line, answer: Line) -> None:
    calls = [ai("c1", None, task("t1", "another")), ai("c2", "c1", task("t2", "count the files"))]
    chain = user("s", None, "count the files", **SIDE, **side)
    lines = [*calls, chain, user("r", "c2", [result("t2")], **answer)]
    assert listed(tmp_path, *lines)[1].call_id == "t2"


def write(path: Path, *lines: Line) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(json.dumps(line) for line in lines), "utf-8")


def agent(id: str, *words: str, **fields: Any) -> list[Line]:
    return [
        user(f"{id}{number}", None, word, agentId=id, **SIDE, **fields) for number, word in enumerate(words)
    ]


def test_files_of_sub_agents_follow_the_side_chains(tmp_path: Path) -> None:
    folder = tmp_path / "session" / "subagents"
    write(folder / "agent-b.jsonl", *agent("b", "second", "more", timestamp="2026-01-02"))
    write(folder / "agent-a.jsonl", *agent("a", "third", timestamp="2026-01-03"))
    write(tmp_path / "agent-old.jsonl", *agent("old", "first", timestamp="2026-01-01"))
    write(tmp_path / "agent-strange.jsonl", *agent("strange", "of another session"))
    answer = user("r", "c", [result("t")], toolUseResult={"agentId": "old"})
    lines = [ai("c", None, task("t", "first")), answer, *agent("in", "inside")]
    found = listed(tmp_path, *lines)
    assert [one.title for one in found] == ["", "inside", "first", "second", "third"]
    assert [one.call_id for one in found] == ["", "", "t", "", ""]
    opened = read(tmp_path, *lines, conversation=4)
    assert words(opened) == ["second", "more"]
    assert (opened.number, opened.siblings, opened.document.name) == (4, 5, "agent-b.jsonl")
    assert [one.messages for one in opened.listed] == [None, 1, None, 2, None]
    with pytest.raises(InputError, match="holds 5 conversations, not 6"):
        read(tmp_path, *lines, conversation=6)
