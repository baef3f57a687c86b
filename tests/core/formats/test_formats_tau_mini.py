"""tau-bench and mini-swe-agent: runs as conversations, calls only where the API saw them."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import InputError
from core.formats.registry import load_conversation
from core.transcript.model import MessageFlag, Speaker, Text
from tests.core.formats.research import bash, corpus_of, counts, load_conversations, saved

END = "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"


def _values(path: Path) -> list[Any]:
    text = path.read_text("utf-8")
    return json.loads(text) if text.startswith("[") else list(map(json.loads, text.splitlines()))


def _talk(messages: list[Any]) -> tuple[int, int, int, int, int]:
    calls = [call["id"] for message in messages for call in message.get("tool_calls") or ()]
    results = [message["tool_call_id"] for message in messages if message["role"] == "tool"]
    loose = [(Counter(one) - Counter(other)).total() for one, other in ((calls, results), (results, calls))]
    leading = 1 if messages[0]["role"] == "system" else 0
    return len(messages) - leading, len(calls), len(results), loose[0], loose[1]


@pytest.mark.parametrize("path", corpus_of("tau_bench"))
def test_counts_of_real_tau_files(path: Path) -> None:
    for value, conversation in zip(_values(path), load_conversations(path), strict=True):
        if "traj" in value:
            assert counts(conversation) == _talk(value["traj"])
        else:
            turns = re.findall(r"(?m)^(user|assistant|tool): ?", value["messages_display"])
            tools = turns.count("tool")
            assert counts(conversation) == (len(turns), 0, tools, 0, tools)
        listed = conversation.listed[conversation.number - 1]
        assert (listed.number, listed.messages) == (conversation.number, len(conversation.messages))
        assert conversation.format == "tau_bench"


def _tau(task: int, trial: int, words: str = "Hi.") -> Any:
    messages = [{"role": "system", "content": "policy"}, {"role": "user", "content": words}]
    return {"task_id": task, "trial": trial, "reward": 1.0, "info": {}, "traj": messages}


@pytest.mark.parametrize("lines", [True, False])
def test_runs_are_listed_by_task_and_trial(tmp_path: Path, lines: bool) -> None:
    path = saved(tmp_path, [_tau(0, 0), _tau(0, 1, "Hello.")], lines=lines)
    second = load_conversation(path, conversation=2)
    listed = [(one.title, one.messages) for one in second.listed]
    assert listed == [("task 0, trial 0", 1), ("task 0, trial 1", 1)]
    assert (second.title, second.system.texts) == ("task 0, trial 1", ("policy",))
    assert second.messages[0].blocks == (Text("Hello."),)
    with pytest.raises(InputError, match="2 conversations, not 3"):
        load_conversation(path, conversation=3)


def test_an_example_shows_results_without_calls(tmp_path: Path) -> None:
    text = "user: Cancel it.\nPlease.\nassistant: None\ntool: done\nassistant: It is cancelled."
    path = saved(tmp_path, [{"messages_display": text}] * 2, lines=True)
    conversation = load_conversation(path, conversation=2)
    speakers = [message.speaker for message in conversation.messages]
    assert speakers == [Speaker.HUMAN, Speaker.AI, Speaker.TOOL, Speaker.AI]
    assert conversation.messages[0].blocks == (Text("Cancel it.\nPlease."),)
    assert conversation.messages[1].blocks == ()
    assert [source.part for message in conversation.messages for source in message.sources] == [0, 1, 2, 3]
    assert conversation.listed[0].title == "Cancel it. Please."
    assert "without the calls" in conversation.report.warnings[0].text


def test_a_version_2_run_has_calls(tmp_path: Path) -> None:
    acted = {"actions": [{"command": "ls", "tool_call_id": "c1"}], "timestamp": 1776064266.5}
    messages = [
        {"role": "system", "content": "You use a shell."},
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": "Look.", "tool_calls": [bash("c1", "ls")], "extra": acted},
        {"role": "tool", "tool_call_id": "c1", "content": "<returncode>0</returncode>"},
        {"role": "exit", "content": "diff", "extra": {"exit_status": "Submitted"}},
    ]
    info = {"config": {"model": {"model_name": "m"}}, "exit_status": "Submitted", "submission": "diff"}
    value = {"info": info, "messages": messages, "trajectory_format": "mini-swe-agent-1.1"}
    conversation = load_conversation(saved(tmp_path, {**value, "instance_id": "i-1"}))
    assert counts(conversation) == (4, 1, 1, 0, 0)
    assert (conversation.model, conversation.title) == ("m", "i-1")
    assert conversation.messages[1].timestamp == "2026-04-13T07:11:06.500000Z"
    last = conversation.messages[-1]
    assert (last.speaker, last.flags, last.extra["role"]) == (Speaker.SYSTEM, MessageFlag.META, "exit")


def test_a_version_1_run_has_text(tmp_path: Path) -> None:
    messages = [
        {"role": "system", "content": f"One bash block in each answer. To end: `{END}`"},
        {"role": "user", "content": "Fix it."},
        {"role": "assistant", "content": "```bash\nls\n```", "extra": {"actions": [{"command": "ls"}]}},
        {"role": "user", "content": "<returncode>0</returncode>\n<output>a.py</output>"},
        {"role": "assistant", "content": f"```bash\n{END}\n```"},
    ]
    conversation = load_conversation(saved(tmp_path, messages))
    assert conversation.format == "mini_swe_agent"
    assert counts(conversation) == (4, 0, 0, 0, 0)
    assert [message.flags for message in conversation.messages] == [
        MessageFlag.NONE,
        MessageFlag.NONE,
        MessageFlag.META,
        MessageFlag.NONE,
    ]
