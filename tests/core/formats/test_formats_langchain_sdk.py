"""LangChain dumps in their three shapes, and UIMessages of the AI SDK."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.formats.common.open_document import read_source
from core.formats.registry import load_conversation
from core.transcript.model import (
    Media,
    Message,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    tool_calls,
    tool_responses,
)
from core.transcript.tool_pairs import find_pairs
from tests.core.formats.exporting import corpus_files


def saved(folder: Path, value: Any) -> Path:
    path = folder / "dump.json"
    path.write_text(json.dumps(value, indent=1))
    return path


def as_dict(kind: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "data": {"content": content, "additional_kwargs": {}, "type": kind, **fields}}


def dumped(name: str, content: Any, **fields: Any) -> dict[str, Any]:
    ids = ["langchain", "schema", "messages", name]
    return {"lc": 1, "type": "constructor", "id": ids, "kwargs": {"content": content, **fields}}


def flat(kind: str, content: Any, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "content": content, **fields}


CALL = {"name": "tide", "args": {"port": "Brest"}, "id": "c1", "type": "tool_call"}
NAMES = {"human": "HumanMessage", "ai": "AIMessageChunk", "system": "SystemMessage", "tool": "ToolMessage"}


def talk(make: Any) -> list[dict[str, Any]]:
    usage = {"usage_metadata": {"input_tokens": 77}, "response_metadata": {"model_name": "big-1"}}
    return [
        make("system", "Be brief"),
        make("human", "When is high tide?", id="m1"),
        make("ai", "", tool_calls=[CALL], **usage),
        make("tool", "06:12", tool_call_id="c1"),
        make("ai", "At 06:12."),
    ]


@pytest.mark.parametrize("path", corpus_files("langchain"))
def test_counts_are_those_of_the_file(path: Path) -> None:
    raw = [one["kwargs"] for one in json.loads(path.read_text("utf-8"))]
    loaded = load_conversation(path)
    assert (loaded.format, len(loaded.messages)) == ("langchain", len(raw))
    calls = [call["id"] for one in raw for call in one.get("tool_calls", ())]
    assert [call.id for m in loaded.messages for call in tool_calls(m)] == calls
    answers = [one["tool_call_id"] for one in raw if one["type"] == "tool"]
    assert [answer.call_id for m in loaded.messages for answer in tool_responses(m)] == answers
    assert loaded.reported_context == raw[-1]["usage_metadata"]["input_tokens"]


@pytest.mark.parametrize("make", [as_dict, lambda kind, *a, **k: dumped(NAMES[kind], *a, **k), flat])
@pytest.mark.parametrize("place", ["list", "messages", "values"])
def test_the_three_shapes_are_the_same_conversation(make: Any, place: str, tmp_path: Path) -> None:
    held = talk(make)
    shapes = {
        "list": held,
        "messages": {"messages": held},
        "values": {"values": {"messages": held}, "next": []},
    }
    loaded = load_conversation(saved(tmp_path, shapes[place]))
    assert loaded.format == "langchain"
    assert [message.speaker.value for message in loaded.messages] == ["human", "ai", "tool", "ai"]
    assert loaded.messages[1].blocks == (ToolCall("c1", "tide", {"port": "Brest"}),)
    assert loaded.messages[2].blocks == (ToolResponse("c1", "tide", "06:12"),)
    assert (loaded.system.texts, loaded.model, loaded.reported_context) == (("Be brief",), "big-1", 77)
    assert json.loads(read_source(loaded.document, loaded.messages[0].sources[0])) == held[1]


def test_a_call_that_content_repeats_is_one_call(tmp_path: Path) -> None:
    content = [
        {"type": "reasoning", "reasoning": "hm"},
        {"type": "text", "text": "I look"},
        {"type": "tool_use", "id": "c1", "name": "tide", "input": {"port": "Brest"}},
    ]
    message = load_conversation(
        saved(tmp_path, [as_dict("human", "hi"), as_dict("ai", content, tool_calls=[CALL])])
    ).messages[1]
    assert [type(block) for block in message.blocks] == [Thinking, Text, ToolCall]


def test_older_and_broken_calls_are_read_too(tmp_path: Path) -> None:
    own = {"id": "c1", "type": "function", "function": {"name": "tide", "arguments": "{}"}}
    older = as_dict("ai", "", tool_calls=[])
    older["data"]["additional_kwargs"] = {"tool_calls": [own]}
    broken = as_dict(
        "ai", "", invalid_tool_calls=[{"name": "tide", "args": "{port", "id": "c2", "error": "no"}]
    )
    messages = load_conversation(saved(tmp_path, [as_dict("human", "hi"), older, broken])).messages
    assert next(tool_calls(messages[1])).id == "c1"
    assert next(tool_calls(messages[2])).arguments == "{port"


def test_a_failed_tool_says_so_and_a_removal_is_no_message(tmp_path: Path) -> None:
    bad = as_dict("tool", "no such port", tool_call_id="c1", status="error")
    gone = as_dict("remove", "", id="m1")
    loaded = load_conversation(
        saved(tmp_path, [as_dict("human", "hi"), as_dict("ai", "", tool_calls=[CALL]), bad, gone])
    )
    assert next(tool_responses(loaded.messages[2])).error == "no such port"
    assert (len(loaded.messages), dict(loaded.report.skipped)) == (3, {"remove": 1})


def test_what_has_no_shape_is_kept(tmp_path: Path) -> None:
    chat = as_dict("chat", "so", role="narrator")
    loaded = load_conversation(
        saved(tmp_path, [as_dict("human", "hi"), as_dict("ai", "yes"), {"odd": 1}, chat])
    )
    assert [message.speaker for message in loaded.messages[2:]] == [Speaker.UNKNOWN, Speaker.UNKNOWN]
    assert len(loaded.report.warnings) == 2


def ui(role: str, *parts: Any, **fields: Any) -> dict[str, Any]:
    return {"id": fields.pop("id", "u1"), "role": role, "parts": list(parts), **fields}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words, "state": "done"}


def tool(state: str, id: str = "c1", **fields: Any) -> dict[str, Any]:
    return {"type": "tool-tide", "toolCallId": id, "state": state, "input": {"port": "Brest"}, **fields}


START = {"type": "step-start"}


def ui_messages(folder: Path, *parts: Any) -> tuple[Message, ...]:
    loaded = load_conversation(saved(folder, [ui("user", text("hi")), ui("assistant", *parts)]))
    assert loaded.format == "ai_sdk"
    return loaded.messages[1:]


def test_a_message_of_two_steps_is_an_exchange_and_an_answer(tmp_path: Path) -> None:
    parts = (START, {"type": "reasoning", "text": "hm"}, tool("output-available", output={"at": "06:12"}))
    messages = ui_messages(tmp_path, *parts, START, text("At 06:12."))
    assert [message.speaker.value for message in messages] == ["ai", "tool", "ai"]
    assert [message.sources[0].part for message in messages] == [0, 1, 2]
    assert messages[1].blocks == (ToolResponse("c1", "tide", {"at": "06:12"}),)


def test_text_after_a_tool_begins_a_step_where_none_is_marked(tmp_path: Path) -> None:
    messages = ui_messages(tmp_path, tool("output-available", output="06:12"), text("At 06:12."))
    assert [message.speaker.value for message in messages] == ["ai", "tool", "ai"]


@pytest.mark.parametrize(
    "state", ["input-streaming", "input-available", "approval-requested", "approval-responded"]
)
def test_a_tool_that_has_not_answered_is_a_call_alone(state: str, tmp_path: Path) -> None:
    messages = ui_messages(tmp_path, tool(state))
    assert len(find_pairs(messages).unanswered) == 1
    assert next(tool_calls(messages[0])).extra == {"state": state}


def test_errors_and_denials_are_failed_answers(tmp_path: Path) -> None:
    denied = tool("output-denied", "c2", approval={"id": "a", "approved": False, "reason": "not now"})
    messages = ui_messages(tmp_path, tool("output-error", errorText="no port"), denied)
    assert [answer.error for answer in tool_responses(messages[1])] == ["no port", "not now"]


def test_dynamic_tools_files_and_unknown_parts(tmp_path: Path) -> None:
    dynamic = {**tool("output-available", output=1), "type": "dynamic-tool", "toolName": "moon"}
    file = {
        "type": "file",
        "mediaType": "image/png",
        "url": "data:image/png;base64,AA==",
        "filename": "a.png",
    }
    messages = ui_messages(tmp_path, file, {"type": "data-chart", "data": 1}, dynamic)
    assert messages[0].blocks[0] == Media("image/png", "data:image/png;base64,AA==", "a.png")
    assert next(tool_calls(messages[0])).name == "moon"


def test_the_invocations_of_version_4(tmp_path: Path) -> None:
    old = {"state": "result", "toolCallId": "c1", "toolName": "tide", "args": {"a": 1}, "result": "06:12"}
    messages = ui_messages(tmp_path, {"type": "tool-invocation", "toolInvocation": old})
    assert len(find_pairs(messages).pairs) == 1


def test_several_chats_and_odd_messages(tmp_path: Path) -> None:
    chat = {"id": "chat-1", "messages": [ui("system", text("Be brief")), ui("user", text("hi")), {"role": 3}]}
    loaded = load_conversation(
        saved(tmp_path, [chat, {"id": "chat-2", "messages": [ui("assistant", START, text("yes"))]}])
    )
    assert (loaded.format, loaded.session_id, loaded.system.texts) == ("ai_sdk", "chat-1", ("Be brief",))
    assert loaded.messages[1].speaker is Speaker.UNKNOWN
    assert [one.title for one in loaded.listed] == ["chat-1", "chat-2"]
