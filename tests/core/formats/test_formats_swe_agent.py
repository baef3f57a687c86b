"""SWE-agent: history and queries, calls and text actions, several runs in a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.formats.registry import load_conversation
from core.transcript.model import Message, MessageFlag, Text, ToolCall, ToolResponse
from core.transcript.scopes import history_of_scope
from tests.core.formats.research import corpus_of, counts, saved, swe_record, swe_run


@pytest.mark.parametrize("path", corpus_of("swe_agent"))
def test_what_the_history_processors_took_out_of_real_runs(path: Path) -> None:
    value = json.loads(path.read_text("utf-8"))
    sent = [_texts(step.get("query") or step.get("messages") or []) for step in value["trajectory"]]
    whole = _texts(value["history"])
    elided = [{i for i, text in enumerate(one) if text != whole[i]} for one in sent]
    growing = [now for before, now in zip([set(), *elided], elided, strict=False) if now - before]
    recorded = load_conversation(path).recorded
    new = [{i + 1 for i, one in enumerate(one.context_after) if isinstance(one, Message)} for one in recorded]
    assert new == growing


def _texts(records: list[Any]) -> list[str]:
    contents = [record["content"] for record in records]
    return [one if isinstance(one, str) else "\n".join(part["text"] for part in one) for one in contents]


def test_the_trajectory_is_not_read_twice(tmp_path: Path) -> None:
    config = json.dumps({"agent": {"model": {"name": "m"}}, "problem_statement": {"id": "issue-7"}})
    conversation = load_conversation(saved(tmp_path, swe_run(3, replay_config=config)))
    assert counts(conversation) == (7, 3, 3, 0, 0)
    assert (conversation.model, conversation.title) == ("m", "issue-7")
    assert conversation.layout["path"] == ["history"]
    assert conversation.recorded == ()


def test_calls_and_results_of_a_step(tmp_path: Path) -> None:
    conversation = load_conversation(saved(tmp_path, swe_run(1)))
    task, action, answer = conversation.messages
    text, call = action.blocks
    assert text == Text("Look at 0.")
    assert isinstance(call, ToolCall)
    assert (call.id, call.name, call.arguments) == ("c0", "bash", {"command": "cat 0"})
    assert action.extra["action"] == "cat 0"
    assert answer.blocks == (ToolResponse("c0", "bash", "line 0"),)
    assert answer.extra["tool_call_ids"] == ["c0"]
    assert task.flags is MessageFlag.NONE


def test_actions_in_the_text_are_text(tmp_path: Path) -> None:
    run = swe_run(0)
    run["history"] += [
        swe_record("assistant", "List.\n<command>ls</command>", "action", thought="List.", action="ls"),
        swe_record("user", "a.py", "observation"),
        swe_record("assistant", "Done.", "action", thought="Done.", action="submit"),
    ]
    conversation = load_conversation(saved(tmp_path, run))
    assert counts(conversation) == (4, 0, 0, 0, 0)
    flags = [message.flags for message in conversation.messages]
    assert flags == [MessageFlag.NONE, MessageFlag.NONE, MessageFlag.META, MessageFlag.NONE]


@pytest.mark.parametrize("name", ["query", "messages"])
def test_an_elided_observation_is_a_recorded_compaction(tmp_path: Path, name: str) -> None:
    run = swe_run(3)
    for step in run["trajectory"]:
        step[name] = step.pop("query")
    last = run["trajectory"][2][name]
    last[3] = {**last[3], "content": "Old environment output: (1 lines omitted)"}
    conversation = load_conversation(saved(tmp_path, run))
    (recorded,) = conversation.recorded
    assert (recorded.kind, recorded.position) == ("microcompact", 5)
    assert [one if isinstance(one, int) else -1 for one in recorded.context_after] == [0, 1, -1, 3, 4]
    current = history_of_scope(conversation, "current").messages
    assert [response.result for response in _results(current)] == [
        "Old environment output: (1 lines omitted)",
        "line 1",
        "line 2",
    ]
    assert {response.name for response in _results(current)} == {"bash"}
    before = history_of_scope(conversation, "before:1").messages
    assert [response.result for response in _results(before)] == ["line 0", "line 1"]


def _results(messages: tuple[Message, ...]) -> list[ToolResponse]:
    return [block for message in messages for block in message.blocks if isinstance(block, ToolResponse)]


def test_a_query_that_does_not_line_up_is_noted(tmp_path: Path) -> None:
    run = swe_run(2)
    del run["trajectory"][1]["query"][2]
    conversation = load_conversation(saved(tmp_path, run))
    assert conversation.recorded == ()
    assert "do not match the history" in conversation.report.warnings[0].text
