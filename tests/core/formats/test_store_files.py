"""Sessions of agents in files, one small file per format: what is read of each."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import InputError
from core.formats.registry import load_conversation
from core.transcript.tool_pairs import find_pairs
from tests.core.formats.small_files import SMALL, written
from tests.core.formats.test_stores import shape, summaries

LOOK = [("human", "Which tides?"), ("ai", 'read {"path": "a.txt"}'), ("tool", "read: 42 tides")]
EXPECTED = {
    "cursor": ([("human", "look"), ("ai", "hm"), *LOOK[1:], ("ai", "")], []),
    "qwen_code": (
        [LOOK[0], ("ai", "hm"), LOOK[1], ("tool", "read: 42"), ("ai", "There are 42.")],
        [(3, "so far")],
    ),
    "kimi": (
        [LOOK[0], ("ai", "hm"), *LOOK[1:], ("ai", 'read {"path": "b.txt"}'), ("tool", "read: none !")],
        [(3, "so far")],
    ),
    "droid": ([*LOOK, ("ai", "There are 42.")], [(3, "so far")]),
    "antigravity": (
        [
            ("human", "look"),
            ("ai", "hm"),
            ("ai", 'view_file {"Path": "a.txt"}'),
            ("tool", "view_file: 42 tides"),
        ],
        [(3, "so far")],
    ),
    "grok_build": ([LOOK[0], ("ai", "hm"), ("ai", "I look."), *LOOK[1:]], []),
    "hermes": (
        [LOOK[0], ("ai", "I look."), *LOOK[1:], ("ai", "There are 42.")],
        [(3, "[CONTEXT COMPACTION] so far")],
    ),
    "chatgpt": ([*LOOK, ("ai", "There are 42.")], []),
    "claude_ai": ([*LOOK, ("ai", "Which tides?")], []),
    "vscode_chat": (
        [LOOK[0], ("ai", "I look."), ("ai", "read {}"), LOOK[2], ("ai", "There are 42.")],
        [(3, "so far")],
    ),
    "amp": ([*LOOK[:2], ("tool", "read: 42")], []),
    "otlp": ([*LOOK, ("ai", "There are 42."), ("ai", "There are 42.")], [(4, "so far")]),
    "observations": ([*LOOK, ("ai", "There are 42.")], []),
    "tau2": (LOOK, []),
    "agent_sdk": ([LOOK[0], ("ai", "hm"), *LOOK[1:]], [(3, "")]),
    "continue_dev": ([*LOOK, ("human", "and then?")], [(3, "so far")]),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_session_of_each_agent(tmp_path: Path, name: str) -> None:
    path = tmp_path / "session"
    path.write_bytes(written(SMALL[name]))
    loaded = load_conversation(path)
    assert (loaded.format, shape(loaded), summaries(loaded)) == (name, *EXPECTED[name])
    assert not find_pairs(loaded.messages).orphans
    assert not loaded.report.warnings
    own = {"qwen_code": 40, "vscode_chat": 40}
    own |= dict.fromkeys(("kimi", "amp", "observations", "tau2", "agent_sdk"), 35)
    assert [one.context for one in loaded.usage] == ([own[name]] if name in own else [])


def test_other_branches_are_listed(tmp_path: Path) -> None:
    for name in ("qwen_code", "chatgpt"):
        path = tmp_path / name
        path.write_bytes(written(SMALL[name]))
        assert len(load_conversation(path).branches) == 2
        assert shape(load_conversation(path, branch=2)) == [LOOK[0], ("ai", "lost")]
        with pytest.raises(InputError, match="has 2 branches, not 3"):
            load_conversation(path, branch=3)


def test_the_wire_and_context_of_the_older_kimi(tmp_path: Path) -> None:
    def wire(kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": 1_785_000_000.5, "message": {"type": kind, "payload": payload}}

    path = tmp_path / "wire.jsonl"
    call = {"id": "c", "function": {"name": "read", "arguments": '{"path": "a.txt"}'}}
    lines = [
        wire("TurnBegin", user_input="Which tides?"),
        wire("StepBegin", n=1),
        wire("ContentPart", type="think", think="hm"),
        wire("ToolCall", **call),
        wire("ToolResult", tool_call_id="c", return_value={"is_error": False, "output": "42 tides"}),
        wire("StatusUpdate", token_usage={"input_other": 5, "input_cache_read": 30, "output": 4}),
        wire("CompactionBegin"),
        wire("CompactionEnd"),
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    loaded = load_conversation(path)
    assert (shape(loaded), summaries(loaded)) == ([LOOK[0], ("ai", "hm"), *LOOK[1:]], [(3, "")])
    assert [one.context for one in loaded.usage] == [35]
    rows = [
        {"role": "_system_prompt", "content": "Be exact."},
        {"role": "user", "content": "Which tides?"},
        {
            "role": "assistant",
            "content": [{"type": "think", "think": "hm"}],
            "tool_calls": [{"type": "function", **call}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "42 tides"},
        {"role": "_usage", "token_count": 77},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    loaded = load_conversation(path)
    assert (shape(loaded), loaded.reported_context) == ([LOOK[0], ("ai", "hm"), *LOOK[1:]], 77)


# aider -------------------------------------------------------------------------------------------------


def test_a_chat_history_of_aider(tmp_path: Path) -> None:
    lines = [
        "",
        "# aider chat started at 2026-01-01 10:00:00",
        "#### hello",
        "# aider chat started at 2026-01-02 10:00:00",
        "",
        "> Model: m-1 with diff edit format",
        "> Git repo: .git",
        "",
        "#### look",
        "#### at a.txt",
        "",
        "There are",
        "",
        "42 tides.",
        "> Tokens: 1.2k sent, 30 received.",
        "",
    ]
    path = tmp_path / ".aider.chat.history.md"
    path.write_text("\n".join(lines))
    loaded = load_conversation(path)
    assert (loaded.format, loaded.model, loaded.cwd) == ("aider", "m-1", str(tmp_path))
    assert shape(loaded) == [("human", "look\nat a.txt"), ("ai", "There are\n\n42 tides.")]
    assert [(one.context, one.output) for one in loaded.usage] == [(1200, 30)]
    assert loaded.messages[0].sources[0].line == 9
    assert [one.title for one in loaded.listed] == ["2026-01-02 10:00:00", "2026-01-01 10:00:00"]
    assert shape(load_conversation(path, conversation=2)) == [("human", "hello")]


# Traces ------------------------------------------------------------------------------------------------

_ASKED = {"role": "user", "content": "Which tides?"}
_CALLS = {"tool_calls": [{"id": "c1", "function": {"name": "read", "arguments": '{"path": "a.txt"}'}}]}
_PHOENIX = {
    "openinference.span.kind": "LLM",
    "llm.model_name": "m-1",
    "llm.token_count.prompt": 35,
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": "Which tides?",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "read",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"path": "a.txt"}',
}
_OLD = {
    "gen_ai.operation.name": "chat",
    "gen_ai.prompt.0.role": "user",
    "gen_ai.prompt.0.content": "Which tides?",
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.tool_calls.0.id": "c1",
    "gen_ai.completion.0.tool_calls.0.name": "read",
    "gen_ai.completion.0.tool_calls.0.arguments": '{"path": "a.txt"}',
}
_RAW = {
    "openinference": {"span": {"kind": "LLM"}},
    "input": {"value": json.dumps({"messages": [_ASKED]})},
    "output": {"value": json.dumps({"choices": [{"message": {"role": "assistant", **_CALLS}}]})},
}
_LC_CALL = {"name": "read", "args": {"path": "a.txt"}, "id": "c1", "type": "tool_call"}
_LC = {
    "lc": 1,
    "type": "constructor",
    "id": ["langchain", "schema", "messages", "AIMessage"],
    "kwargs": {"content": "", "tool_calls": [_LC_CALL]},
}
_RUN_TREE = {
    "id": "r",
    "trace_id": "t",
    "run_type": "llm",
    "dotted_order": "1",
    "inputs": {"messages": [[{"type": "human", "data": {"content": "Which tides?"}}]]},
    "outputs": {"generations": [[{"message": _LC}]]},
}


@pytest.mark.parametrize("attributes", [_PHOENIX, _OLD, _RAW])
def test_each_convention_of_spans(tmp_path: Path, attributes: dict[str, Any]) -> None:
    span = {"name": "x", "context": {"trace_id": "t", "span_id": "1"}, "attributes": attributes}
    path = tmp_path / "spans.jsonl"
    path.write_text(json.dumps({**span, "start_time": "2026-07-01T10:00:00Z"}))
    loaded = load_conversation(path)
    assert (loaded.format, shape(loaded)) == ("otlp", LOOK[:2])


def test_runs_of_langsmith(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(map(json.dumps, [_RUN_TREE, {"run_type": "chain", "trace_id": "t"}])))
    loaded = load_conversation(path)
    assert (loaded.format, shape(loaded)) == ("observations", LOOK[:2])
    assert ("observation: chain", 1) in loaded.report.skipped
