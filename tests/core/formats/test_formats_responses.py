"""Items of the Responses API: containers, the system part, compaction items, odd records."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from core.export.export import export_history
from core.formats.registry import load_conversation
from core.transcript.model import (
    MessageFlag,
    ServerTool,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
    tool_calls,
    tool_responses,
    with_blocks,
    with_result,
)
from core.transcript.scopes import history_of_scope
from tests.core.formats.codex_lines import answer, call, compaction, developer, output, reasoning, user
from tests.core.formats.exporting import compacted_export, corpus_files, load_written

TALK = [
    user("hi"),
    reasoning("rs"),
    answer("I look"),
    call("a"),
    call("b"),
    output("a"),
    output("b"),
    answer("x"),
]
TOOL = {"type": "function", "name": "exec_command", "parameters": {}}


@pytest.mark.parametrize(
    "value",
    [
        TALK,
        {"model": "gpt-5.4", "instructions": "Be brief.", "input": TALK, "tools": [TOOL]},
        {"object": "response", "output": TALK, "usage": {"input_tokens": 70}},
        {"object": "list", "data": TALK, "has_more": False},
        [{"input": TALK}, {"input": TALK}],
    ],
    ids=["array", "request", "response", "list", "several"],
)
def test_containers(value: Any, tmp_path: Path) -> None:
    found = load_written(tmp_path, value, lines=False)
    assert found.format == "openai_responses"
    assert [message.speaker.value for message in found.messages] == ["human", "ai", "tool", "tool", "ai"]
    assert len(found.messages[1].sources) == 4
    assert found.siblings == (2 if "input" in str(value)[:10] and isinstance(value, list) else 1)


def test_lines_of_requests_and_lines_of_items(tmp_path: Path) -> None:
    several = load_written(tmp_path, {"input": TALK}, {"input": [user("other")]})
    assert (several.format, several.siblings, len(several.listed)) == ("openai_responses", 2, 2)
    items = load_written(tmp_path, *TALK)
    assert (items.format, items.siblings, len(items.messages)) == ("openai_responses", 1, 5)


def test_what_stands_beside_the_items(tmp_path: Path) -> None:
    value = {
        "model": "gpt-5.4",
        "instructions": "Be brief.",
        "input": [developer("Be kind."), *TALK, developer("Be quick.")],
        "tools": [TOOL],
        "usage": {"input_tokens": 70},
    }
    found = load_written(tmp_path, value, lines=False)
    assert (found.model, found.reported_context) == ("gpt-5.4", 70)
    assert (found.system.texts, found.system.tools) == (("Be brief.", "Be kind."), (TOOL,))
    assert found.messages[-1].speaker is Speaker.SYSTEM


def test_roles_and_texts_alone_are_a_request_by_what_is_beside_them(tmp_path: Path) -> None:
    plain = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ok"}]
    found = load_written(tmp_path, {"model": "m", "instructions": "x", "input": plain}, lines=False)
    assert (found.format, len(found.messages)) == ("openai_responses", 2)
    assert load_written(tmp_path, plain, lines=False).format == "openai_chat"


def test_a_final_answer_ends_an_answer(tmp_path: Path) -> None:
    found = load_written(tmp_path, [user("hi"), answer("a", phase="final_answer"), answer("b")], lines=False)
    assert len(found.messages) == 3


def test_what_the_provider_compacted_is_not_current(tmp_path: Path) -> None:
    found = load_written(tmp_path, [user("one"), answer("yes"), compaction(), user("two")], lines=False)
    (one,) = found.recorded
    assert (one.kind, one.position) == ("opaque", 2)
    assert found.messages[2].flags == MessageFlag.RECORDED_SUMMARY | MessageFlag.OPAQUE
    assert history_of_scope(found, "current").positions == (2, 3)
    assert history_of_scope(found, "before:1").positions == (0, 1)


def test_messages_kept_before_a_compaction_item_are_current(tmp_path: Path) -> None:
    found = load_written(tmp_path, [user("one"), user("two"), compaction(), answer("on")], lines=False)
    assert history_of_scope(found, "current").positions == (0, 1, 2, 3)
    assert (found.recorded[0].position, found.recorded[0].kept) == (2, (0, 1))


def test_the_answer_of_the_compaction_call(tmp_path: Path) -> None:
    value = {
        "object": "response.compaction",
        "output": [user("one"), compaction()],
        "usage": {"input_tokens": 9_000},
    }
    found = load_written(tmp_path, value, lines=False)
    (one,) = found.recorded
    assert (one.position, one.tokens_before) == (1, 9_000)
    assert len(history_of_scope(found, "current").messages) == 2


def test_a_result_that_is_a_list_is_an_item_and_no_conversation(tmp_path: Path) -> None:
    seen = output("c1", [{"type": "input_text", "text": "a.txt"}])
    for lines in (False, True):
        items = [user("hi"), call("c1"), seen, answer("One file.")]
        found = load_written(tmp_path, *(items if lines else [items]), lines=lines)
        assert (found.format, found.siblings, len(found.messages)) == ("openai_responses", 1, 4)


def test_odd_items_are_kept_with_a_warning(tmp_path: Path) -> None:
    odd: list[Any] = [{"type": "brand_new"}, 7, {"type": "message", "role": "robot", "content": "beep"}]
    found = load_written(tmp_path, [*TALK, *odd], lines=False)
    assert [m.speaker for m in found.messages[-3:]] == [Speaker.UNKNOWN] * 3
    assert [note.text for note in found.report.warnings] == [
        'an item of type "brand_new" is not known; kept as it is',
        "an item without a type is not known; kept as it is",
        "the role of a message is not known; kept as unknown",
    ]


def test_calls_of_the_providers_tools_and_their_results_stay_whole(tmp_path: Path) -> None:
    inside = {"type": "mcp_call", "id": "mcp_1", "name": "ask", "arguments": "{}", "output": "42"}
    found = load_written(tmp_path, [user("hi"), inside, answer("42")], lines=False)
    server, words = found.messages[1].blocks
    assert isinstance(server, ServerTool)
    assert (server.raw, isinstance(words, Text)) == (inside, True)
    assert server.description == (ToolCall("mcp_1", "ask", {}), ToolResponse("mcp_1", "ask", "42"))


@pytest.mark.parametrize(
    ("item", "arguments", "result"),
    [
        (
            {"type": "web_search_call", "action": {"query": "tides"}, "status": "completed"},
            {"query": "tides"},
            "completed",
        ),
        (
            {"type": "file_search_call", "queries": ["tides"], "results": [{"text": "42"}]},
            ["tides"],
            [{"text": "42"}],
        ),
        (
            {"type": "code_interpreter_call", "code": "1+1", "outputs": [{"logs": "2"}]},
            "1+1",
            [{"logs": "2"}],
        ),
        ({"type": "image_generation_call", "result": "QUJD", "status": "completed"}, {}, "completed"),
    ],
)
def test_what_tools_of_the_provider_were_asked_and_answered(
    tmp_path: Path, item: dict[str, Any], arguments: Any, result: Any
) -> None:
    found = load_written(tmp_path, [user("hi"), {"id": "x", **item}, answer("42")], lines=False)
    server = found.messages[1].blocks[0]
    assert isinstance(server, ServerTool)
    call, reply = server.description
    assert isinstance(call, ToolCall)
    assert isinstance(reply, ToolResponse)
    assert (call.id, call.arguments, reply.call_id, reply.result) == ("x", arguments, "x", result)


def test_tools_that_were_found_are_a_result_and_are_never_lost(tmp_path: Path) -> None:
    asked = {"type": "tool_search_call", "call_id": "t", "arguments": {"query": "ship"}}
    tools = {"type": "tool_search_output", "call_id": "t", "tools": [{"type": "function", "name": "ship"}]}
    source = load_written(tmp_path, [user("hi"), asked, tools, answer("42")], lines=False)
    (reply,) = tool_responses(source.messages[2])
    assert reply.result == tools["tools"]
    shortened = with_blocks(source.messages[2], (with_result(reply, "cleared"),))
    given = compacted_export(source, keep=0.75, edits={2: shortened})
    exported = export_history(given, "openai_responses")
    assert tools in json.loads(exported.data)
    assert any("found tools" in text for text in exported.warnings)


def test_calls_without_an_id_are_paired_by_their_place(tmp_path: Path) -> None:
    served = {"execution": "server", "call_id": None}
    asked = {"type": "tool_search_call", "arguments": {"q": 1}, **served}
    found = load_written(
        tmp_path, [user("hi"), asked, {"type": "tool_search_output", "tools": [], **served}], lines=False
    )
    (one,) = tool_calls(found.messages[1])
    (reply,) = tool_responses(found.messages[2])
    assert one.id == reply.call_id != ""


@pytest.mark.parametrize("path", corpus_files("openai_responses"))
def test_counts_of_real_items(path: Path) -> None:
    value = json.loads(path.read_text("utf-8"))
    items = value.get("input") or value["data"]
    mine = [
        one.get("role") == "assistant" or one.get("type") in ("reasoning", "function_call") for one in items
    ]
    found = load_conversation(path)
    assert found.format == "openai_responses"
    joined = sum(1 for before, now in pairwise(mine) if before and now)
    assert len(found.messages) == len(items) - joined
    kinds = [one.get("type") for one in items]
    assert sum(1 for m in found.messages for _ in tool_calls(m)) == kinds.count("function_call")
    assert sum(1 for m in found.messages for _ in tool_responses(m)) == kinds.count("function_call_output")
    assert len(found.recorded) == kinds.count("compaction")
