"""Sub-agents of Claude Code: separate conversations, each with the call that started it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import InputError
from core.transcript.model import ListedConversation
from tests.core.formats.test_formats_claude_code import Line, ai, read, result, text, use, user, words

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
