"""ATIF: steps as messages, results without a call, sub-agents, recorded compactions."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.formats.registry import load_conversation, load_with_reason
from core.transcript.model import (
    Speaker,
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


def test_an_agent_that_compacts_by_a_call_keeps_that_call_in_the_session(tmp_path: Path) -> None:
    mark = {"context_management": {"boundary": "replace"}}
    folding = step("agent", tool_calls=[called("c1", "compact")], extra=mark)
    folding["observation"] = seen({"source_call_id": "c1", "content": "short"})
    loaded = load_conversation(saved(tmp_path, trajectory(step("user", "go"), folding, step("user", "on"))))
    assert len(loaded.messages) == 4
    assert loaded.recorded[0].position == 3
    assert history_of_scope(loaded, "current").positions == (-1, 3)


def test_lines_hold_a_trajectory_each_and_odd_ones_are_skipped(tmp_path: Path) -> None:
    path = tmp_path / "many.jsonl"
    values = [trajectory(step("user", "one")), {"other": 1}, trajectory(step("user", "two"), 7)]
    path.write_text("\n".join(map(json.dumps, values)))
    loaded = load_conversation(path, conversation=2)
    assert (loaded.format, loaded.siblings, loaded.layout["line"]) == ("atif", 2, 3)
    assert loaded.messages[1].speaker is Speaker.UNKNOWN
    assert dict(loaded.report.skipped) == {"without steps": 1}


def test_a_version_cannot_reach_the_terminal(tmp_path: Path) -> None:
    value = trajectory(step("user", "hi"), schema_version="ATIF\x1b[31m")
    assert load_with_reason(saved(tmp_path, value))[2] == "schema_version ATIF [31m"
