"""OpenAI chat: containers, system part, calls, reasoning, media, and extra fields."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import InputError
from core.common.json_value import Json
from core.export.export import export_history
from core.formats.registry import load_conversation
from core.transcript.model import (
    Conversation,
    Media,
    Opaque,
    Speaker,
    Text,
    Thinking,
    ToolCall,
    ToolResponse,
    tool_calls,
    with_blocks,
)
from core.transcript.tool_pairs import find_pairs
from tests.core.formats.exporting import compacted_export

TALK = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "ok"}]


def read(folder: Path, value: Json, **options: Any) -> Conversation:
    path = folder / "chat.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return load_conversation(path, **options)


def _call(arguments: Json, **fields: Json) -> Json:
    function = {"name": "look", "arguments": arguments, **fields}
    return {"id": "c1", "type": "function", "function": function}


def test_system_and_tools_are_apart(tmp_path: Path) -> None:
    tools = [{"type": "function", "function": {"name": "look"}}]
    first = [
        {"role": "system", "content": "be brief"},
        {"role": "developer", "content": [{"type": "text", "text": "d"}]},
    ]
    later = [{"role": "system", "content": "note"}]
    value = {"model": "m", "messages": first + TALK + later, "tools": tools, "usage": {"prompt_tokens": 9}}
    conversation = read(tmp_path, value)
    assert conversation.system.texts == ("be brief", "d")
    assert conversation.system.tools == tuple(tools)
    assert [message.speaker for message in conversation.messages] == [
        Speaker.HUMAN,
        Speaker.AI,
        Speaker.SYSTEM,
    ]
    assert (conversation.model, conversation.reported_context) == ("m", 9)
    assert conversation.layout["path"] == ["messages"]


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


def test_unknown_fields_are_kept(tmp_path: Path) -> None:
    call = {**_call("{}", strict=True), "index": 0}
    (message,) = read(tmp_path, [{"role": "assistant", "tool_calls": [call], "refusal": None}]).messages
    assert message.extra == {"refusal": None, "$content": "absent"}
    assert message.blocks[0] == ToolCall("c1", "look", {}, {"index": 0, "$function": {"strict": True}})


def test_legacy_function_calls_are_paired(tmp_path: Path) -> None:
    asked = {"role": "assistant", "content": None, "function_call": {"name": "look", "arguments": "{}"}}
    told = {"role": "function", "name": "look", "content": "42"}
    call, response = (message.blocks[0] for message in read(tmp_path, [asked, told]).messages)
    assert isinstance(call, ToolCall)
    assert isinstance(response, ToolResponse)
    assert call.id == response.call_id
    assert call.extra["$legacy"]
    assert call.extra["$made_id"]


def test_parts_and_thoughts(tmp_path: Path) -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA", "detail": "low"}}
    user = {"role": "user", "content": [{"type": "text", "text": "see"}, image]}
    reply = {"role": "assistant", "reasoning_content": "hm", "content": "ok"}
    seen, said = read(tmp_path, [user, reply]).messages
    extra = {"$source": "image_url", "$source_extra": {"detail": "low"}}
    assert seen.blocks == (Text("see"), Media("image/png", "data:image/png;base64,AA", "", extra))
    assert said.blocks == (Thinking("hm", {"$field": "reasoning_content"}), Text("ok"))


def test_a_refusal_in_a_talk_with_calls_is_still_chat(tmp_path: Path) -> None:
    refused = {"role": "assistant", "content": [{"type": "refusal", "refusal": "No."}]}
    asked = {"role": "assistant", "content": None, "tool_calls": [_call("{}")]}
    told = {"role": "tool", "tool_call_id": "c1", "content": "42"}
    conversation = read(tmp_path, [*7 * TALK, asked, told, refused, TALK[0]])
    assert conversation.format == "openai_chat"


def test_a_forced_format_that_does_not_fit(tmp_path: Path) -> None:
    with pytest.raises(InputError, match='no list "messages"'):
        read(tmp_path, {"a": 1}, format="openai_chat")


def test_calls_and_reasoning_in_content_parts(tmp_path: Path) -> None:
    call = {"type": "tool_call", "value": json.dumps({"name": "look", "arguments": {"city": "Bonn"}})}
    content = [{"type": "reasoning", "value": "I need to look."}, call]
    reply = {"role": "tool", "content": [{"type": "text", "value": "sunny"}]}
    conversation = read(tmp_path, [TALK[0], {"role": "assistant", "content": content}, reply, TALK[1]])
    thought, found = conversation.messages[1].blocks
    assert isinstance(thought, Thinking)
    assert isinstance(found, ToolCall)
    assert (thought.text, found.name, found.arguments) == ("I need to look.", "look", {"city": "Bonn"})
    assert len(find_pairs(conversation.messages).pairs) == 1
    edited = with_blocks(conversation.messages[1], (thought, replace(found, arguments={"city": "Köln"})))
    again = json.loads(
        export_history(compacted_export(conversation, keep=0.75, edits={1: edited}), "openai_chat").data
    )
    shown = {"type": "tool_call", "value": '{"name":"look","arguments":{"city":"Köln"}}'}
    assert again[1] == {"role": "assistant", "content": [content[0], shown]}


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
