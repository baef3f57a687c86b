"""Copilot CLI: events linked by tool call, sub-agents, compactions, rewinds, and the older timeline."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import InputError
from core.formats.registry import load_conversation
from core.transcript.model import Conversation, Message, MessageFlag, Text, Thinking, ToolCall, ToolResponse
from core.transcript.scopes import history_of_scope
from core.transcript.tool_pairs import find_pairs
from tests.core.unbroken import assert_pairs_hold

START = ("session.start", {"sessionId": "s1", "selectedModel": "m-1", "context": {"cwd": "/repo"}})


def read(folder: Path, *events: tuple[Any, ...], conversation: int = 1) -> Conversation:
    """A session of (type, data) or (type, data, further fields); the ids are e1, e2, …"""
    lines = [
        {"type": kind, "data": data, "id": f"e{number}", "timestamp": f"2026-07-01T10:00:{number:02}Z"}
        | (more[0] if more else {})
        for number, (kind, data, *more) in enumerate(events, 1)
    ]
    path = folder / "given.txt"
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return load_conversation(path, conversation=conversation)


def user(text: str, **data: Any) -> tuple[Any, ...]:
    return "user.message", {"content": text, **data}


def asked(id_: str, text: str = "", **data: Any) -> tuple[Any, ...]:
    request = {"toolCallId": id_, "name": "bash", "arguments": {"command": "ls"}, "type": "function"}
    return "assistant.message", {"content": text, "toolRequests": [request], **data}


def done(id_: str, **data: Any) -> tuple[Any, ...]:
    result = {"content": "a.py", "detailedContent": "a.py (shown)"}
    return "tool.execution_complete", {"toolCallId": id_, "success": True, "result": result, **data}


def texts(messages: tuple[Message, ...]) -> list[str]:
    return [block.text for message in messages for block in message.blocks if isinstance(block, Text)]


def test_events_become_messages(tmp_path: Path) -> None:
    conversation = read(
        tmp_path,
        START,
        ("system.message", {"role": "system", "content": "old prompt"}),
        ("system.message", {"role": "system", "content": "new prompt"}),
        user("look", transformedContent="<time/>look"),
        asked("c1", "I look.", reasoningText="hm", reasoningOpaque="xx", model="m-2"),
        ("tool.execution_start", {"toolCallId": "c1", "toolName": "bash", "arguments": {}}),
        done("c1", success=False, result=None, error={"message": "denied", "code": "no"}),
        ("system.notification", {"content": "a shell ended", "kind": {}}),
        user("from a skill", source="skill-x"),
        ("session.shutdown", {"currentTokens": 1234}),
        ("hook.start", {}),
    )
    assert [message.speaker.value for message in conversation.messages] == [
        "human",
        "ai",
        "tool",
        "human",
        "human",
    ]
    first, answer, result, notice, skill = conversation.messages
    assert first.extra == {"transformedContent": "<time/>look"}
    assert answer.blocks == (
        Thinking("hm", {"reasoningOpaque": "xx"}),
        Text("I look."),
        ToolCall("c1", "bash", {"command": "ls"}, {"type": "function"}),
    )
    assert result.blocks == (ToolResponse("c1", "bash", "denied", "denied"),)
    assert (notice.flags, skill.flags, answer.id) == (MessageFlag.META, MessageFlag.META, "e5")
    assert conversation.system.texts == ("new prompt",)
    assert (conversation.model, conversation.cwd, conversation.session_id) == ("m-2", "/repo", "s1")
    assert conversation.reported_context == 1234
    assert dict(conversation.report.skipped)["hook.start"] == 1


def test_reasoning_events_belong_to_the_next_message(tmp_path: Path) -> None:
    thought = ("assistant.reasoning", {"reasoningId": "r1", "content": "hm"})
    said = ("assistant.message", {"content": "yes"})
    twice = ("assistant.message", {"content": "no", "reasoningText": "hm"})
    conversation = read(tmp_path, START, user("?"), thought, said, thought, twice, thought)
    blocks = [message.blocks for message in conversation.messages[1:]]
    shared = Thinking("hm", {"reasoningId": "r1"})
    assert blocks == [(shared, Text("yes")), (Thinking("hm"), Text("no")), (shared,)]
    assert [source.line for source in conversation.messages[1].sources] == [3, 4]


def test_calls_that_no_message_asked_for(tmp_path: Path) -> None:
    own = ("tool.user_requested", {"toolCallId": "u1", "toolName": "bash", "arguments": {"command": "ls"}})
    start = ("tool.execution_start", {"toolCallId": "c9", "toolName": "view", "arguments": {}})
    conversation = read(tmp_path, START, user("?"), own, done("u1"), start, done("c9"))
    pairs = find_pairs(conversation.messages)
    assert (len(pairs.pairs), pairs.orphans) == (2, ())
    assert conversation.messages[1].flags == MessageFlag.COMMAND
    assert [note.text for note in conversation.report.repaired] == [
        "the call of view was taken from its start"
    ]


def test_a_compaction_runs_beside_the_session(tmp_path: Path) -> None:
    figures = {"preCompactionTokens": 900, "tokensRemoved": 600, "summaryContent": "all so far"}
    conversation = read(
        tmp_path,
        START,
        user("one"),
        ("assistant.message", {"content": "two"}),
        ("session.compaction_start", {"conversationTokens": 800}),
        user("three"),
        ("session.compaction_complete", {"success": True, "trigger": "manual", **figures}),
        ("assistant.message", {"content": "four"}),
        ("session.compaction_complete", {"success": False, "error": "no"}),
    )
    (recorded,) = conversation.recorded
    assert (recorded.position, recorded.kept, recorded.trigger) == (3, (2,), "manual")
    assert (recorded.tokens_before, recorded.tokens_after) == (900, 300)
    assert texts(conversation.messages) == ["one", "two", "three", "four"]
    assert texts(history_of_scope(conversation, "current").messages) == ["all so far", "three", "four"]


def test_a_truncation_takes_the_oldest(tmp_path: Path) -> None:
    figures = {
        "tokenLimit": 128_000,
        "preTruncationTokensInMessages": 94_000,
        "postTruncationTokensInMessages": 90_000,
        "messagesRemovedDuringTruncation": 1,
    }
    cut = ("session.truncation", figures)
    conversation = read(tmp_path, START, user("one"), user("two"), cut, user("three"), cut, user("four"))
    first, second = conversation.recorded
    assert (first.kind, first.kept, first.tokens_before, first.tokens_after) == (
        "truncate",
        (1,),
        94_000,
        90_000,
    )
    assert (second.kept, conversation.reported_limit) == ((2,), 128_000)
    assert texts(history_of_scope(conversation, "current").messages) == ["three", "four"]
    assert len(conversation.report.warnings) == 2


def test_a_rewind_takes_messages_back(tmp_path: Path) -> None:
    back = ("session.snapshot_rewind", {"upToEventId": "e3", "eventsRemoved": 2})
    lost = ("session.snapshot_rewind", {"upToEventId": "nowhere"})
    conversation = read(tmp_path, START, user("one"), user("two"), user("three"), back, user("four"), lost)
    assert texts(conversation.messages) == ["one", "four"]
    assert dict(conversation.report.skipped)["taken back by a rewind"] == 2
    assert "is not in the file" in conversation.report.warnings[0].text


def test_sub_agents_are_conversations(tmp_path: Path) -> None:
    child = {"parentToolCallId": "c1"}
    named = {"toolCallId": "c2", "agentName": "explore", "agentDisplayName": "Explore"}
    events = (
        START,
        user("go"),
        asked("c1"),
        ("assistant.message", {"content": "inside", **child}),
        done("c1"),
        ("subagent.started", named, {"agentId": "a-7"}),
        ("assistant.message", {"content": "deep"}, {"agentId": "a-7"}),
        ("session.title_changed", {"title": "A plan"}),
    )
    main = read(tmp_path, *events)
    assert (main.siblings, main.title, len(main.messages)) == (3, "A plan", 3)
    assert [(one.title, one.messages, one.kind, one.call_id) for one in main.listed] == [
        ("A plan", 3, "", ""),
        ("c1", 1, "sub-agent", "c1"),
        ("Explore", 1, "sub-agent", "c2"),
    ]
    assert texts(read(tmp_path, *events, conversation=2).messages) == ["inside"]
    assert texts(read(tmp_path, *events, conversation=3).messages) == ["deep"]
    with pytest.raises(InputError, match="holds 3 conversations, not 4"):
        read(tmp_path, *events, conversation=4)


def test_the_timeline_of_2025(tmp_path: Path) -> None:
    call = {"callId": "c1", "name": "bash", "arguments": {"command": "ls"}}
    timeline = [
        {"type": "user", "id": "t1", "timestamp": "2025-10-01T10:00:00Z", "text": "look"},
        {"type": "info", "text": "connected"},
        {"type": "copilot", "text": "I look."},
        {"type": "tool_call_requested", **call},
        {"type": "tool_call_completed", **call, "result": {"type": "success", "log": "a.py"}},
        {"type": "tool_call_completed", **call, "callId": "c2", "result": {"type": "failure", "log": "no"}},
    ]
    path = tmp_path / "given.txt"
    path.write_text(json.dumps({"sessionId": "s2", "timeline": timeline}, indent=2))
    conversation = load_conversation(path)
    speakers = [message.speaker.value for message in conversation.messages]
    assert (conversation.format, conversation.session_id) == ("copilot_cli", "s2")
    assert speakers == ["human", "ai", "ai", "tool", "ai", "tool"]
    assert conversation.messages[3].blocks == (ToolResponse("c1", "bash", "a.py", extra={"type": "success"}),)
    assert conversation.messages[5].sources[0].part == 1
    assert dict(conversation.report.skipped) == {"info": 1}
    assert_pairs_hold(conversation)
