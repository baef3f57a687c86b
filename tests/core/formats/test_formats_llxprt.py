"""llxprt: history entries in golden shape, and recordings with compressed and rewind lines."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.common.json_value import MISSING, Json
from core.formats.registry import load_conversation
from core.transcript.model import Conversation, MessageFlag, Speaker, Text, ToolCall, ToolResponse
from core.transcript.scopes import history_of_scope


def entry(speaker: str, text: str, **fields: Any) -> Json:
    return {"speaker": speaker, "blocks": [{"type": "text", "text": text}], **fields}


def event(kind: str, **payload: Any) -> Json:
    return {"v": 1, "seq": 1, "ts": "2026-01-01T00:00:00Z", "type": kind, "payload": payload}


def content(speaker: str, text: str, **fields: Any) -> Json:
    return event("content", content=entry(speaker, text, **fields))


def recording(folder: Path, *events: Json) -> Conversation:
    start = event("session_start", sessionId="s1", cwd="/w", provider="p", model="m-1")
    path = folder / "session.jsonl"
    path.write_text("\n".join(json.dumps(value) for value in (start, *events)), "utf-8")
    return load_conversation(path)


def words(conversation: Conversation, scope: str = "all") -> list[str]:
    blocks = [block for message in history_of_scope(conversation, scope).messages for block in message.blocks]
    return [block.text for block in blocks if isinstance(block, Text)]


@pytest.mark.parametrize("wrapped", [False, True])
def test_history_entries(tmp_path: Path, wrapped: bool) -> None:
    call = {"type": "tool_call", "id": "c", "name": "look", "description": "d"}
    answer = {"type": "tool_response", "callId": "c", "toolName": "look", "error": None, "isComplete": True}
    entries = [entry("human", "hi", metadata={"timestamp": 0}), {"speaker": "ai", "blocks": [call]}]
    entries.append({"speaker": "tool", "blocks": [answer]})
    path = tmp_path / "h.json"
    path.write_text(json.dumps({"id": "x", "history": entries} if wrapped else entries), "utf-8")
    human, ai, tool = load_conversation(path).messages
    assert (human.speaker, human.timestamp) == (Speaker.HUMAN, "1970-01-01T00:00:00Z")
    assert ai.blocks == (ToolCall("c", "look", MISSING, {"description": "d"}),)
    assert tool.blocks == (ToolResponse("c", "look", MISSING, None, {"isComplete": True}),)


def test_a_plain_recording(tmp_path: Path) -> None:
    lines = [content("human", "hi"), event("provider_switch", model="m-2"), content("ai", "ok")]
    conversation = recording(tmp_path, *lines)
    assert words(conversation) == ["hi", "ok"]
    assert (conversation.session_id, conversation.cwd, conversation.model) == ("s1", "/w", "m-2")
    assert dict(conversation.report.skipped) == {"session_start": 1, "provider_switch": 1}


def test_a_block_that_cannot_be_read_is_told(tmp_path: Path) -> None:
    nameless = {"speaker": "ai", "blocks": [{"type": "tool_call", "id": 7}]}
    path = tmp_path / "h.json"
    path.write_text(json.dumps([entry("human", "hi"), nameless], indent=0), "utf-8")
    told = [
        load_conversation(path),
        recording(tmp_path, content("human", "hi"), event("content", content=nameless)),
    ]
    for conversation in told:
        assert ["a block is not known" in note.text for note in conversation.report.warnings] == [True]


def test_compressed_and_its_tail(tmp_path: Path) -> None:
    lines = [content("human", f"m{n}") for n in range(4)]
    folded = event("compressed", summary=entry("human", "sum"), itemsCompressed=2)
    ack, later = content("ai", "understood"), content("human", "m2")
    conversation = recording(tmp_path, *lines, folded, ack, lines[2], lines[3], later)
    assert words(conversation) == ["m0", "m1", "m2", "m3", "understood", "m2"]
    assert words(conversation, "current") == ["sum", "m2", "m3", "understood", "m2"]
    assert words(conversation, "before:1") == ["m0", "m1", "m2", "m3"]
    assert conversation.recorded[0].summary[0].flags == MessageFlag.RECORDED_SUMMARY


def test_rewind_takes_entries_back(tmp_path: Path) -> None:
    lines = [content("human", "a"), content("ai", "b"), event("rewind", itemsRemoved=1), content("ai", "c")]
    assert words(recording(tmp_path, *lines)) == ["a", "c"]


def test_rewind_over_a_compression(tmp_path: Path) -> None:
    folded = event("compressed", summary=entry("human", "sum"), itemsCompressed=1)
    lines = [content("human", "a"), content("ai", "b"), folded, content("ai", "b"), content("human", "c")]
    conversation = recording(tmp_path, *lines, event("rewind", itemsRemoved=3), content("human", "d"))
    assert words(conversation) == ["a", "b", "d"]
    assert conversation.recorded == ()


def test_every_golden_history_opens(golden: Path) -> None:
    for path in sorted((golden / "llxprt").glob("*.json")):
        expected = json.loads(path.read_text("utf-8"))["history"]
        conversation = load_conversation(path)
        assert (conversation.format, len(conversation.messages)) == ("llxprt", len(expected))
