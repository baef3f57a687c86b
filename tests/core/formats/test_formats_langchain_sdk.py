"""LangChain dumps in their three shapes, and UIMessages of the AI SDK."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.formats.common.open_document import read_source
from core.formats.registry import load_conversation
from core.transcript.model import (
    Speaker,
    ToolCall,
    ToolResponse,
    tool_calls,
    tool_responses,
)
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


def ui(role: str, *parts: Any, **fields: Any) -> dict[str, Any]:
    return {"id": fields.pop("id", "u1"), "role": role, "parts": list(parts), **fields}


def text(words: str) -> dict[str, Any]:
    return {"type": "text", "text": words, "state": "done"}


def tool(state: str, id: str = "c1", **fields: Any) -> dict[str, Any]:
    return {"type": "tool-tide", "toolCallId": id, "state": state, "input": {"port": "Brest"}, **fields}


START = {"type": "step-start"}


def test_several_chats_and_odd_messages(tmp_path: Path) -> None:
    chat = {"id": "chat-1", "messages": [ui("system", text("Be brief")), ui("user", text("hi")), {"role": 3}]}
    loaded = load_conversation(
        saved(tmp_path, [chat, {"id": "chat-2", "messages": [ui("assistant", START, text("yes"))]}])
    )
    assert (loaded.format, loaded.session_id, loaded.system.texts) == ("ai_sdk", "chat-1", ("Be brief",))
    assert loaded.messages[1].speaker is Speaker.UNKNOWN
    assert [one.title for one in loaded.listed] == ["chat-1", "chat-2"]
