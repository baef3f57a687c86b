"""Cline and Roo: SDK sessions, compaction files, display logs, tagged histories."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from core.formats.registry import load_conversation
from core.transcript.model import (
    Conversation,
    Media,
    Message,
    MessageFlag,
    Speaker,
    Text,
    Thinking,
    ToolResponse,
)
from core.transcript.scopes import history_of_scope
from tests.core.unbroken import assert_pairs_hold

NOTICE = "<SYSTEM_NOTICE>\nEarlier context was compacted. Files read:\nplan.md\n</SYSTEM_NOTICE>"


def read(folder: Path, value: Any) -> Conversation:
    path = folder / "given.txt"
    path.write_text(json.dumps(value), "utf-8")
    return load_conversation(path)


def texts(messages: tuple[Message, ...]) -> list[str]:
    return [block.text for message in messages for block in message.blocks if isinstance(block, Text)]


def said(role: str, *blocks: Any, **fields: Any) -> dict[str, Any]:
    content = [{"type": "text", "text": block} if isinstance(block, str) else block for block in blocks]
    return {"role": role, "content": content, **fields}


def session(*messages: Any, **fields: Any) -> dict[str, Any]:
    around = {"version": 1, "updated_at": "2026-07-01T10:00:00Z", "agent": "lead", "sessionId": "s1"}
    return {**around, "messages": list(messages), "system_prompt": "Be brief.", **fields}


def test_a_real_compaction_file_is_the_context_after_it(corpus: Path) -> None:
    path = corpus / "cline_session" / "02_cline-sdk-basic-compaction.json"
    conversation = load_conversation(path)
    raw = [block["text"] for m in json.loads(path.read_text())["messages"] for block in m["content"]]
    (recorded,) = conversation.recorded
    assert (recorded.position, recorded.trigger, recorded.tokens_before) == (10, "manual", None)
    assert texts(history_of_scope(conversation, "current").messages) == raw
    assert texts(recorded.summary) == [text for text in raw if text.startswith("<SYSTEM_NOTICE>")]
    assert not any("SYSTEM_NOTICE" in text for text in texts(conversation.messages))


def test_notices_are_summaries_beside_the_prompt(tmp_path: Path) -> None:
    first = said("user", "start", NOTICE, metadata={"kind": "compaction", "reason": "auto_compaction"})
    kept = said("assistant", "done", metadata={"compaction": "preserved"})
    conversation = read(tmp_path, session(first, kept, said("user", "later")))
    (recorded,) = conversation.recorded
    assert texts(conversation.messages) == ["start", "done", "later"]
    assert (recorded.position, recorded.trigger) == (2, "auto")
    assert [one if isinstance(one, int) else texts((one,))[0] for one in recorded.context_after] == [
        0,
        NOTICE,
        1,
    ]
    assert texts(history_of_scope(conversation, "current").messages) == ["start", NOTICE, "done", "later"]


def test_a_summary_record_is_no_message(tmp_path: Path) -> None:
    about = {"kind": "compaction_summary", "tokensBefore": 900, "generatedAt": 2000}
    summary = said("user", "Context summary:\nGoal: x", metadata=about)
    value = session(summary, said("user", "hello", ts=1000), said("assistant", "hi", ts=3000))
    conversation = read(tmp_path, value)
    (recorded,) = conversation.recorded
    assert texts(conversation.messages) == ["hello", "hi"]
    assert (recorded.position, recorded.tokens_before, recorded.tokens_after) == (1, 900, None)
    assert recorded.summary[0].flags == MessageFlag.RECORDED_SUMMARY
    assert texts(history_of_scope(conversation, "current").messages) == [
        "Context summary:\nGoal: x",
        "hello",
        "hi",
    ]


def test_files_model_and_folder_of_a_session(tmp_path: Path) -> None:
    file = {"type": "file", "path": "/repo/plan.md", "content": "one\ntwo"}
    call = {"type": "tool_use", "id": "t1", "name": "editor", "input": {}}
    answer = {"type": "tool_result", "tool_use_id": "t1", "name": "editor", "content": [{"query": "q"}]}
    used = {"inputTokens": 10, "cacheReadTokens": 400}
    value = session(
        said("user", "look", file),
        said("assistant", call, modelInfo={"id": "m-1"}, metrics=used, ts=1_700_000_000_000),
        said("user", answer),
        system_prompt="<env>\n1. Working Directory: /repo\n</env>",
    )
    conversation = read(tmp_path, value)
    attached = conversation.messages[0].blocks[1]
    assert attached == Text(
        '<file_content path="/repo/plan.md">\none\ntwo\n</file_content>',
        {"path": "/repo/plan.md", "$field": "file"},
    )
    assert (conversation.model, conversation.cwd, conversation.reported_context) == ("m-1", "/repo", 410)
    assert conversation.messages[1].timestamp == "2023-11-14T22:13:20Z"
    assert conversation.messages[2].speaker is Speaker.TOOL


def row(kind: str, text: Any = "", side: str = "say", **fields: Any) -> dict[str, Any]:
    shown = text if isinstance(text, str) else json.dumps(text)
    return {"ts": 1_758_000_000_000, "type": side, side: kind, "text": shown, **fields}


def test_rows_become_messages(tmp_path: Path) -> None:
    request = {"request": "<model>m-2</model> # Current Workspace Directory (/repo) Files", "tokensIn": 500}
    conversation = read(
        tmp_path,
        [
            row("text", "Fix it.", images=["data:image/png;base64,AA"]),
            row("api_req_started", request),
            row("reasoning", "hm", partial=True),
            row("text", "I run the tests."),
            row("command", "make test", side="ask"),
            row("command_output", "1 failed"),
            row("command_output", "2 passed", side="ask"),
            row("api_req_started", {"request": "", "tokensIn": 40, "cacheReads": 600}),
            row("use_mcp_server", {"serverName": "s", "toolName": "find", "arguments": '{"q": 1}'}, "ask"),
            row("mcp_server_request_started"),
            row("mcp_server_response", "found"),
            row("followup", {"question": "Which one?", "suggest": []}, "ask"),
            row("user_feedback", "The first."),
            row("api_req_failed", "overloaded", "ask"),
            row("resume_task", "", "ask"),
            {"note": 1},
        ],
    )
    shapes = [(m.speaker.value, [type(block).__name__ for block in m.blocks]) for m in conversation.messages]
    assert shapes == [
        ("human", ["Text", "Media"]),
        ("ai", ["Thinking", "Text", "ToolCall"]),
        ("tool", ["ToolResponse"]),
        ("ai", ["ToolCall"]),
        ("tool", ["ToolResponse"]),
        ("ai", ["Text"]),
        ("human", ["Text"]),
        ("ai", ["Text"]),
    ]
    assert conversation.messages[0].blocks[1] == Media("image/png", "data:image/png;base64,AA")
    assert conversation.messages[1].blocks[0] == Thinking("hm")
    assert len(conversation.messages[1].sources) == 3
    assert conversation.messages[2].blocks[0] == ToolResponse(
        "row-5", "execute_command", "1 failed\n2 passed"
    )
    assert texts(conversation.messages)[-3:] == ["Which one?", "The first.", "overloaded"]
    assert conversation.messages[-1].flags == MessageFlag.API_ERROR
    assert (conversation.model, conversation.cwd, conversation.reported_context) == ("m-2", "/repo", 640)
    assert dict(conversation.report.skipped)["not a row"] == 1


def test_tools_that_show_their_result_and_those_that_fail(tmp_path: Path) -> None:
    listing = {"tool": "listFilesTopLevel", "path": "src", "content": "a.py"}
    rows = [
        row("text", "go"),
        row("tool", listing, "ask"),
        row("tool", {"tool": "readFile", "path": "b.py"}, "ask", partial=True),
        row("error", "not found"),
        row("error", "the network is down"),
    ]
    conversation = read(tmp_path, rows)
    listed, failed = (m.blocks[0] for m in conversation.messages if m.speaker is Speaker.TOOL)
    assert listed == ToolResponse("row-2", "listFilesTopLevel", "a.py")
    assert failed == ToolResponse("row-3", "readFile", "not found", "not found")
    assert conversation.messages[1].sources[0].part == 0
    assert conversation.messages[2].sources[0].part == 1
    assert dict(conversation.report.skipped) == {"say error without a call": 1}
    assert [note.text for note in conversation.report.warnings] == ["the row was never finished: ask tool"]


def test_compactions_of_a_display_log(tmp_path: Path) -> None:
    sizes = {"prevContextTokens": 100, "newContextTokens": 40, "summary": "all so far"}
    cut = {"prevContextTokens": 90, "newContextTokens": 50, "messagesRemoved": 4}
    rows = [
        row("text", "go"),
        row("condense_context", contextCondense=sizes),
        row("condense_context", partial=True),
        row("text", "on"),
        row("sliding_window_truncation", contextTruncation=cut),
        row("user_feedback", "more"),
    ]
    conversation = read(tmp_path, rows)
    first, second = conversation.recorded
    assert (first.kind, first.position, first.tokens_before, first.tokens_after) == ("summary", 1, 100, 40)
    assert (second.kind, second.position, second.tokens_after) == ("truncate", 2, 50)
    assert texts(history_of_scope(conversation, "before:2").messages) == ["all so far", "on"]
    assert any("which messages" in note.text for note in conversation.report.warnings)


def test_a_range_left_out_of_the_requests_is_a_truncation(tmp_path: Path) -> None:
    def at(index: int, **fields: Any) -> dict[str, Any]:
        return {"conversationHistoryIndex": index, **fields}

    out = {"conversationHistoryDeletedRange": [2, 3]}
    rows = [
        row("task", "go", **at(-1)),
        row("text", "one", **at(0)),
        row("user_feedback", "two", **at(1)),
        row("text", "three", **at(2)),
        row("user_feedback", "four", **at(3, **out)),
        row("text", "five", **at(4, **out)),
    ]
    conversation = read(tmp_path, rows)
    (recorded,) = conversation.recorded
    assert (recorded.kind, recorded.position, recorded.kept) == ("truncate", 4, (0, 1))
    assert texts(history_of_scope(conversation, "current").messages) == ["go", "one", "four", "five"]


def test_a_real_summary_of_roo_is_a_recorded_compaction(corpus: Path) -> None:
    path = corpus / "anthropic_messages" / "09_roo-natural-already-condensed.json"
    raw = json.loads(path.read_text("utf-8"))
    place = next(index for index, message in enumerate(raw) if message.get("isSummary"))
    conversation = load_conversation(path)
    (recorded,) = conversation.recorded
    assert (recorded.kind, recorded.position, recorded.kept) == ("summary", place, tuple(range(place)))
    assert recorded.is_source_lost
    assert history_of_scope(conversation, "current").messages == conversation.messages
    assert_pairs_hold(conversation)


def test_tagged_messages_of_roo_are_out_of_the_context(tmp_path: Path) -> None:
    messages = [
        said("user", "a", ts=1, condenseParent="c1"),
        said("assistant", "b", ts=2, condenseParent="c1"),
        said("user", "sum 1", ts=3, isSummary=True, condenseId="c1", condenseParent="c2"),
        said("assistant", "c", ts=4, condenseParent="c2"),
        said("user", "d", ts=5, condenseParent="gone"),
        said("user", "sum 2", ts=6, isSummary=True, condenseId="c2"),
        said("assistant", "e", ts=7, truncationParent="t1"),
        said("user", "cut", ts=8, isTruncationMarker=True, truncationId="t1"),
        said("assistant", "f", ts=9),
    ]
    conversation = read(tmp_path, messages)
    assert [(one.kind, one.position) for one in conversation.recorded] == [
        ("summary", 2),
        ("summary", 5),
        ("truncate", 7),
    ]
    assert texts(history_of_scope(conversation, "before:2").messages) == ["sum 1", "c", "d"]
    assert texts(history_of_scope(conversation, "before:3").messages) == ["d", "sum 2", "e"]
    assert texts(history_of_scope(conversation, "current").messages) == ["d", "sum 2", "cut", "f"]
    assert len(conversation.messages) == len(messages)


def test_a_compaction_of_the_api_that_failed_is_none(tmp_path: Path) -> None:
    empty = {"type": "compaction", "content": None}
    done = {"type": "compaction", "content": "all so far"}
    value = [said("user", "a"), said("assistant", empty), said("user", "b"), said("assistant", done, "c")]
    (recorded,) = read(tmp_path, value).recorded
    assert (recorded.kind, recorded.position, recorded.kept) == ("summary", 3, ())
