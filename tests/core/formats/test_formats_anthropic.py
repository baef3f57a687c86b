"""Anthropic messages: system, split user messages, media, compaction blocks, Roo and Cline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.common.json_value import MISSING, Json
from core.export.export import export_history
from core.formats.registry import load_conversation
from core.lint.lint import lint_messages
from core.transcript.model import (
    Conversation,
    Media,
    MessageFlag,
    ServerTool,
    Speaker,
    Text,
    ToolCall,
    ToolResponse,
)
from tests.core.formats.exporting import compacted_export, unchanged_export
from tests.corpus_census import inspect_json

CALL = {"type": "tool_use", "id": "t1", "name": "look", "input": {}}


def read(folder: Path, value: Json) -> Conversation:
    path = folder / "messages.json"
    path.write_text(json.dumps(value), "utf-8")
    return load_conversation(path)


def user(*blocks: Any, **fields: Any) -> Json:
    return {"role": "user", "content": list(blocks), **fields}


def test_system_tools_and_split(tmp_path: Path) -> None:
    system = [{"type": "text", "text": "be brief", "cache_control": {"type": "ephemeral"}}]
    answer = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "42"}]}
    messages = [{"role": "assistant", "content": [CALL]}, user({"type": "text", "text": "and"}, answer)]
    conversation = read(tmp_path, {"system": system, "messages": messages, "tools": [{"name": "look"}]})
    assert conversation.format == "anthropic_messages"
    assert conversation.system.texts == ("be brief",)
    _, tool, human = conversation.messages
    assert tool.blocks == (ToolResponse("t1", "look", [{"type": "text", "text": "42"}], MISSING),)
    assert (human.speaker, human.sources[0].part, human.blocks) == (Speaker.HUMAN, 1, (Text("and"),))


@pytest.mark.parametrize(
    "block",
    [
        {"type": "search_result", "source": "u", "title": "t", "content": [{"type": "text", "text": "x"}]},
        {"type": "document", "source": {"type": "file", "file_id": "f"}},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
    ],
)
def test_a_bare_list_is_known_by_a_block_that_only_this_format_has(tmp_path: Path, block: Json) -> None:
    conversation = read(tmp_path, [user({"type": "text", "text": "hi"}, block), user()])
    assert conversation.format == "anthropic_messages"


def test_fields_that_are_not_read_are_kept(tmp_path: Path) -> None:
    block = {"type": "text", "text": "x", "citations": [1]}
    server = {"type": "server_tool_use", "id": "s", "name": "web", "input": {}}
    message = read(tmp_path, [user(block, server, odd=1)]).messages[0]
    said = (ToolCall("s", "web", {}),)
    assert message.blocks == (
        Text("x", {"citations": [1]}),
        ServerTool("server_tool_use", server, None, said),
    )
    assert (message.extra, message.flags) == ({"odd": 1}, MessageFlag.NONE)


SEARCH = [
    {"type": "text", "text": "I search."},
    {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "tides"}},
    {
        "type": "web_search_tool_result",
        "tool_use_id": "s1",
        "content": [{"type": "web_search_result", "title": "Tides", "encrypted_content": "QUJDRA=="}],
    },
    {"type": "text", "text": "There are 42."},
]


def test_a_tool_of_the_provider_and_its_answer_stay_in_their_message(tmp_path: Path) -> None:
    turns = [user({"type": "text", "text": "and?"}), {"role": "assistant", "content": SEARCH}] * 6
    source = read(tmp_path, {"system": "s", "messages": turns})
    _, call, reply, _ = source.messages[1].blocks
    assert isinstance(call, ServerTool)
    assert isinstance(reply, ServerTool)
    assert call.description == (ToolCall("s1", "web_search", {"query": "tides"}),)
    result = [{"type": "web_search_result", "title": "Tides"}]  # what is encrypted says nothing to anybody
    assert reply.description == (ToolResponse("s1", "web_search", result),)
    assert lint_messages(source.messages, "anthropic") == ()
    again = json.loads(export_history(compacted_export(source), "anthropic_messages").data)["messages"]
    assert [turn["content"] for turn in again if len(turn["content"]) == len(SEARCH)] == [SEARCH] * 2


def test_tools_of_the_provider_are_counted(tmp_path: Path) -> None:
    read(
        tmp_path,
        {
            "system": "s",
            "messages": [user({"type": "text", "text": "and?"}), {"role": "assistant", "content": SEARCH}],
        },
    )
    found = inspect_json(tmp_path / "messages.json")
    assert (found["tool_calls"], found["tool_responses"]) == (1, 1)
    assert found["tokens"]["by_block"]["tool_response"] > 0


def test_media(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "AA"}}
    page = {"type": "document", "title": "Plan", "source": {"type": "url", "url": "https://a.example/b.pdf"}}
    blocks = read(tmp_path, {"system": "s", "messages": [user(image, page)]}).messages[0].blocks
    assert blocks[0] == Media("image/png", "AA", "", {"type": "image", "$source": "base64"})
    assert blocks[1] == Media("", "https://a.example/b.pdf", "Plan", {"type": "document", "$source": "url"})


def test_a_compaction_block_is_a_recorded_compaction(tmp_path: Path) -> None:
    folded = {"type": "compaction", "content": None, "encrypted_content": "zz"}
    messages = [user({"type": "text", "text": "a"}), {"role": "assistant", "content": [folded]}]
    (recorded,) = read(tmp_path, messages).recorded
    assert (recorded.kind, recorded.position, recorded.summary) == ("opaque", 1, ())


def test_the_text_of_a_compaction_block_is_read_and_written_back(tmp_path: Path) -> None:
    folded = {"type": "compaction", "content": "What was done.", "encrypted_content": "zz"}
    messages = [
        user({"type": "text", "text": "a"}),
        {"role": "assistant", "content": [folded]},
        user({"type": "text", "text": "b"}),
    ]
    found = read(tmp_path, messages)
    assert [(one.kind, one.position) for one in found.recorded] == [("summary", 1)]
    assert found.messages[1].blocks[0].text == "What was done."  # type: ignore[union-attr]
    assert json.loads(export_history(unchanged_export(found), "anthropic").data)[1]["content"] == [folded]


def test_a_roo_summary_stays_a_message(corpus: Path) -> None:
    conversation = load_conversation(corpus / "anthropic_messages" / "09_roo-natural-already-condensed.json")
    flagged = [i for i, m in enumerate(conversation.messages) if m.flags & MessageFlag.RECORDED_SUMMARY]
    assert (len(conversation.messages), flagged) == (30, [1])
    assert conversation.messages[1].timestamp.startswith("2025-")
