"""ATIF: steps as messages, results without a call, sub-agents, recorded compactions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import InputError
from core.formats.common.open_document import read_source
from core.formats.registry import load_conversation, load_with_reason
from core.transcript.model import (
    Media,
    MessageFlag,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
    tool_calls,
    tool_responses,
)
from core.transcript.scopes import history_of_scope
from tests.core.formats.exporting import corpus_files


def step(source: str, message: Any = "", **fields: Any) -> dict[str, Any]:
    return {"step_id": fields.pop("id", 1), "source": source, "message": message, **fields}


def called(id: str, name: str = "bash", **arguments: Any) -> dict[str, Any]:
    return {"tool_call_id": id, "function_name": name, "arguments": arguments}


def seen(*results: Any) -> dict[str, Any]:
    return {"results": [{"content": one} if isinstance(one, str) else one for one in results]}


def trajectory(*steps: Any, **fields: Any) -> dict[str, Any]:
    agent = {"name": "terminus", "version": "2", "model_name": "big-1"}
    return {"schema_version": "ATIF-v1.7", "session_id": "s1", "agent": agent, "steps": [*steps]} | fields


def saved(folder: Path, value: Any) -> Path:
    path = folder / "trajectory.json"
    path.write_text(json.dumps(value, indent=1))
    return path


@pytest.mark.parametrize("path", corpus_files("atif"))
def test_counts_are_those_of_the_file(path: Path) -> None:
    raw = json.loads(path.read_text("utf-8"))
    steps = raw["steps"]
    leading = next(i for i, one in enumerate(steps) if one["source"] != "system")
    later = steps[leading:]
    results = [one["observation"]["results"] for one in later if "observation" in one]
    loaded = load_conversation(path)
    assert loaded.format == "atif"
    assert len(loaded.messages) == len(later) + len(results)
    assert len(loaded.system.texts) == leading
    assert len(loaded.system.tools) == len(raw["agent"].get("tool_definitions", ()))
    assert sum(len(list(tool_calls(m))) for m in loaded.messages) == sum(
        len(one.get("tool_calls", ())) for one in later
    )
    assert sum(len(list(tool_responses(m))) for m in loaded.messages) == sum(map(len, results))
    assert loaded.reported_context == steps[-1]["metrics"]["prompt_tokens"]


def test_a_step_with_results_is_two_messages_of_one_record(tmp_path: Path) -> None:
    acting = step("agent", "I look", reasoning_content="hm", tool_calls=[called("c1", command="ls")])
    acting["observation"] = seen({"source_call_id": "c1", "content": "a.py"})
    path = saved(tmp_path, trajectory(step("system", "be good"), step("user", "go"), acting))
    loaded = load_conversation(path)
    assert [message.speaker for message in loaded.messages] == [Speaker.HUMAN, Speaker.AI, Speaker.TOOL]
    assert [type(block).__name__ for block in loaded.messages[1].blocks] == ["Thinking", "Text", "ToolCall"]
    assert [message.sources[0].part for message in loaded.messages] == [0, 0, 1]
    assert json.loads(read_source(loaded.document, loaded.messages[2].sources[0])) == acting
    assert next(tool_responses(loaded.messages[2])) == ToolResponse("c1", "bash", "a.py")
    assert (loaded.model, loaded.session_id, loaded.system.texts) == ("big-1", "s1", ("be good",))


def test_results_that_name_no_call_answer_the_calls_of_their_step_in_order(tmp_path: Path) -> None:
    acting = step("agent", tool_calls=[called("c1"), called("c2"), called("c3")])
    acting["observation"] = seen("one", {"source_call_id": "c1", "content": "first"}, "two", "three")
    loaded = load_conversation(saved(tmp_path, trajectory(step("user", "go"), acting)))
    answers = list(tool_responses(loaded.messages[2]))
    assert [answer.call_id for answer in answers[:3]] == ["c2", "c1", "c3"]
    assert answers[3].extra["$made_id"]
    assert len(loaded.report.repaired) == 2


def test_parts_of_a_message(tmp_path: Path) -> None:
    parts = [
        {"type": "text", "text": "see"},
        {"type": "image", "source": {"media_type": "image/png", "path": "https://example.org/a.png"}},
        {"type": "image", "source": {"media_type": "image/png", "path": "images/b.png"}},
    ]
    message = load_conversation(saved(tmp_path, trajectory(step("user", parts)))).messages[0]
    assert message.blocks[:2] == (Text("see"), Media("image/png", "https://example.org/a.png"))
    assert message.flags & MessageFlag.OPAQUE


def test_the_step_of_a_compaction_is_recorded_and_no_message(tmp_path: Path) -> None:
    mark = {"context_management": {"type": "compaction", "boundary": "replace"}}
    folding = step("system", "Context was compacted", extra=mark, observation=seen("So far: nothing."))
    path = saved(tmp_path, trajectory(step("user", "go"), step("agent", "well"), folding, step("user", "on")))
    loaded = load_conversation(path)
    assert len(loaded.messages) == 3
    (compaction,) = loaded.recorded
    assert (compaction.kind, compaction.position) == ("summary", 2)
    assert compaction.summary[0].flags & MessageFlag.RECORDED_SUMMARY
    current = history_of_scope(loaded, "current")
    assert current.positions == (-1, 2)
    assert current.messages[0].blocks == (Text("So far: nothing."),)


def test_an_agent_that_compacts_by_a_call_keeps_that_call_in_the_session(tmp_path: Path) -> None:
    mark = {"context_management": {"boundary": "replace"}}
    folding = step("agent", tool_calls=[called("c1", "compact")], extra=mark)
    folding["observation"] = seen({"source_call_id": "c1", "content": "short"})
    loaded = load_conversation(saved(tmp_path, trajectory(step("user", "go"), folding, step("user", "on"))))
    assert len(loaded.messages) == 4
    assert loaded.recorded[0].position == 3
    assert history_of_scope(loaded, "current").positions == (-1, 3)


def test_sub_agents_are_conversations_with_the_call_that_started_them(tmp_path: Path) -> None:
    deep = trajectory(step("user", "deeper"), session_id="s3")
    inner = trajectory(step("user", "look into it"), step("agent", "done"), session_id="s2")
    inner["subagent_trajectories"] = [deep]
    asking = step("agent", tool_calls=[called("c1", "task")])
    ref = {"source_call_id": "c1", "content": "done", "subagent_trajectory_ref": [{"session_id": "s2"}]}
    asking["observation"] = seen(ref)
    path = saved(tmp_path, trajectory(step("user", "go"), asking, subagent_trajectories=[inner]))
    loaded = load_conversation(path)
    assert [(one.kind, one.call_id) for one in loaded.listed] == [
        ("", ""),
        ("sub-agent", "c1"),
        ("sub-agent", ""),
    ]
    second, third = load_conversation(path, conversation=2), load_conversation(path, conversation=3)
    assert (second.session_id, len(second.messages), second.number) == ("s2", 2, 2)
    assert json.loads(read_source(third.document, third.messages[0].sources[0])) == deep["steps"][0]
    with pytest.raises(InputError, match="holds 3 conversations, not 4"):
        load_conversation(path, conversation=4)


def test_lines_hold_a_trajectory_each_and_odd_ones_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    values = [trajectory(step("user", "one")), {"other": 1}, trajectory(step("user", "two"), 7)]
    path.write_text("\n".join(map(json.dumps, values)))
    loaded = load_conversation(path, conversation=2)
    assert (loaded.format, loaded.siblings, loaded.layout["line"]) == ("atif", 2, 3)
    assert loaded.messages[1].speaker is Speaker.UNKNOWN
    assert dict(loaded.report.skipped) == {"without steps": 1}


def test_what_goes_on_elsewhere_is_said(tmp_path: Path) -> None:
    given = trajectory(step("user", "go", is_copied_context=True), continued_trajectory_ref="t.cont-1.json")
    loaded = load_conversation(saved(tmp_path, given))
    assert "t.cont-1.json" in loaded.report.warnings[0].text
    assert loaded.messages[0].extra["is_copied_context"] is True


def test_a_call_that_is_no_object_is_kept(tmp_path: Path) -> None:
    loaded = load_conversation(
        saved(tmp_path, trajectory(step("user", "go"), step("agent", tool_calls=["odd", called("c")])))
    )
    kinds = [isinstance(block, ToolCall) for block in loaded.messages[1].blocks]
    assert kinds == [False, True]
    assert loaded.report.warnings


def test_a_version_cannot_reach_the_terminal(tmp_path: Path) -> None:
    value = trajectory(step("user", "hi"), schema_version="ATIF\x1b[31m")
    assert load_with_reason(saved(tmp_path, value))[2] == "schema_version ATIF [31m"
