"""OpenAI chat: containers, system part, calls, reasoning, media, and extra fields."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import InputError
from core.common.json_value import Json
from core.formats.registry import load_conversation
from core.transcript.model import (
    Conversation,
    Opaque,
    ToolCall,
    ToolResponse,
    tool_calls,
)

TALK = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ok"}]


def read(folder: Path, value: Json, **options: Any) -> Conversation:
    path = folder / "chat.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return load_conversation(path, **options)


def _call(arguments: Json, **fields: Json) -> Json:
    function = {"name": "look", "arguments": arguments, **fields}
    return {"id": "c1", "type": "function", "function": function}


@pytest.mark.parametrize("glue", ["\n", ","])
def test_several_conversations(tmp_path: Path, glue: str) -> None:
    inner = glue.join(json.dumps({"id": n, "messages": [*TALK, *TALK[:n]]}) for n in range(3))
    text = inner if glue == "\n" else f"[{inner}]"
    second = read(tmp_path, text, conversation=2)
    assert (len(second.messages), second.number, second.siblings) == (3, 2, 3)
    assert second.layout["path"] == (["messages"] if glue == "\n" else [1, "messages"])
    assert len(read(tmp_path, text).messages) == 2
    with pytest.raises(InputError, match="3 conversations, not 4"):
        read(tmp_path, text, conversation=4)


def test_one_message_a_line(tmp_path: Path) -> None:
    assert len(read(tmp_path, "\n".join(json.dumps(message) for message in TALK)).messages) == 2


@pytest.mark.parametrize(
    ("given", "value", "extra"),
    [
        ('{"a":"é"}', {"a": "é"}, {}),
        ('{"a": 1}', {"a": 1}, {"$arguments": '{"a": 1}'}),
        ('{"a"', '{"a"', {"$arguments": '{"a"'}),
        ({"a": 1}, {"a": 1}, {"$object": True}),
    ],
)
def test_arguments(tmp_path: Path, given: Json, value: Json, extra: Json) -> None:
    message = {"role": "assistant", "content": None, "tool_calls": [_call(given)]}
    answer = {"role": "tool", "tool_call_id": "c1", "content": "42"}
    asked, told = read(tmp_path, [message, answer]).messages
    assert asked.blocks == (ToolCall("c1", "look", value, extra),)
    assert told.blocks == (ToolResponse("c1", "look", "42"),)


def test_a_call_in_a_part_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    part = {"type": "tool_call", "value": "look at Bonn"}
    conversation = read(tmp_path, [*TALK, {"role": "assistant", "content": [part]}])
    assert conversation.messages[2].blocks == (Opaque("tool_call", part),)
    assert [note.line for note in conversation.report.warnings] == [1]


def test_calls_outside_a_list_are_read_or_told(tmp_path: Path) -> None:
    calling = {"role": "assistant", "content": None, "tool_calls": _call("{}")}
    conversation = read(tmp_path, [*TALK, calling, {**calling, "tool_calls": "look"}])
    assert [len([*tool_calls(message)]) for message in conversation.messages] == [0, 0, 1, 0]
    assert [note.text for note in conversation.report.repaired] == [
        "tool_calls is an object; read as a list of one"
    ]
    assert [note.text for note in conversation.report.warnings] == ["tool_calls is not a list; kept as it is"]
