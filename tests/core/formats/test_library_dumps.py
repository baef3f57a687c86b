"""Histories that libraries of agents write themselves open, each shape as its package wrote it."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

from core.common.json_value import MISSING
from core.formats.registry import load_conversation
from core.transcript.model import (
    Conversation,
    Media,
    Message,
    MessageFlag,
    ServerTool,
    Speaker,
    joined_text,
    tool_calls,
    tool_responses,
)
from tests.core.formats.small_files import saved


def pairs(conversation: Conversation) -> list[tuple[str, Any]]:
    """Return each call with the result of its id."""
    results = {
        one.call_id: one for m in conversation.messages for one in tool_responses(m)
    }
    calls = [call for message in conversation.messages for call in tool_calls(message)]
    return [(call.name, results[call.id].result) for call in calls]


def said(messages: tuple[Message, ...]) -> list[tuple[str, str]]:
    return [(m.speaker.value, text) for m in messages if (text := joined_text(m))]


# Pydantic AI


def request(*parts: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"kind": "request", "parts": [*parts], "instructions": None, **fields}


def response(*parts: dict[str, Any]) -> dict[str, Any]:
    return {
        "kind": "response",
        "parts": [*parts],
        "model_name": "m-1",
        "usage": {"input_tokens": 9},
    }


def part(kind: str, content: Any = None, **fields: Any) -> dict[str, Any]:
    return {"part_kind": kind, "content": content, **fields}


ASKED = request(part("system-prompt", "Be exact."), part("user-prompt", "Which tides?"))
CALL_PARTS = [
    {"part_kind": "tool-call", "tool_name": "read", "args": args, "tool_call_id": id_}
    for id_, args in (("c1", '{"path": "a"}'), ("c2", {"path": "b"}))
]


def test_pydantic_ai_pairs_returns_and_retries(tmp_path: Path) -> None:
    returned = part("tool-return", {"tides": 42}, tool_name="read", tool_call_id="c1")
    retried = part("retry-prompt", "no such path", tool_name="read", tool_call_id="c2")
    loaded = load_conversation(
        saved(tmp_path, [ASKED, response(*CALL_PARTS), request(returned, retried)])
    )
    assert loaded.format == "pydantic_ai"
    assert pairs(loaded) == [("read", {"tides": 42}), ("read", "no such path")]
    errors = [one.error for one in tool_responses(loaded.messages[-1])]
    assert errors == [MISSING, "no such path"]
    assert loaded.system.texts == ("Be exact.",)
    assert loaded.model == "m-1"


def test_a_retry_without_a_tool_is_of_the_harness(tmp_path: Path) -> None:
    answer = response(part("text", "42"))
    loaded = load_conversation(
        saved(
            tmp_path, [ASKED, answer, request(part("retry-prompt", "Answer in JSON."))]
        )
    )
    assert loaded.messages[-1].flags & MessageFlag.META


def test_instructions_of_pydantic_ai_are_system_prompt(tmp_path: Path) -> None:
    asked = request(part("user-prompt", "Which tides?"), instructions="Stay short.")
    loaded = load_conversation(saved(tmp_path, [asked, response(part("text", "42"))]))
    assert loaded.system.texts == ("Stay short.",)


def test_images_and_server_tools_of_pydantic_ai(tmp_path: Path) -> None:
    image = {"kind": "binary", "data": "YWJj", "media_type": "image/png"}
    link = {
        "kind": "image-url",
        "url": "https://example.org/a.png",
        "media_type": "image/png",
    }
    asked = request(part("user-prompt", ["What is this?", image, link]))
    server = [
        {
            "part_kind": "builtin-tool-call",
            "tool_name": "web_search",
            "tool_call_id": "b",
        },
        part("builtin-tool-return", {"r": 1}, tool_name="web_search", tool_call_id="b"),
    ]
    loaded = load_conversation(
        saved(tmp_path, [asked, response(*server, part("text", "A pear."))])
    )
    media = [
        block.data for block in loaded.messages[0].blocks if isinstance(block, Media)
    ]
    assert media == ["YWJj", "https://example.org/a.png"]
    assert [type(block) for block in loaded.messages[1].blocks[:2]] == [
        ServerTool,
        ServerTool,
    ]
    assert joined_text(loaded.messages[1]) == "A pear."


# Agent Framework


def message(role: Any, *contents: dict[str, Any], **fields: Any) -> dict[str, Any]:
    return {"type": "message", "role": role, "contents": [*contents], **fields}


HISTORY = [
    message("user", {"type": "text", "text": "Which tides?"}),
    message(
        "assistant",
        {"type": "text", "text": "I look."},
        {
            "type": "function_call",
            "call_id": "c1",
            "name": "read",
            "arguments": '{"path":"a"}',
        },
    ),
    message("tool", {"type": "function_result", "call_id": "c1", "result": "42"}),
]
STATES = {
    "list": HISTORY,
    "lines": tuple(HISTORY),
    "session": {
        "type": "session",
        "session_id": "s",
        "state": {"memory": {"messages": HISTORY}},
    },
    "thread": {
        "service_thread_id": None,
        "chat_message_store_state": {"messages": HISTORY},
    },
}


def test_the_agent_framework_is_read_in_each_container(tmp_path: Path) -> None:
    for name, state in STATES.items():
        loaded = load_conversation(saved(tmp_path, state, f"{name}.json"))
        assert loaded.format == "agent_framework", name
        assert pairs(loaded) == [("read", "42")], name
        assert said(loaded.messages) == [
            ("human", "Which tides?"),
            ("ai", "I look."),
        ], name


def test_a_role_of_earlier_versions_is_an_object(tmp_path: Path) -> None:
    old = message({"type": "role", "value": "user"}, {"type": "text", "text": "hi"})
    loaded = load_conversation(saved(tmp_path, [{**old, "type": "chat_message"}]))
    assert said(loaded.messages) == [("human", "hi")]


def test_excluded_messages_are_a_recorded_truncation(tmp_path: Path) -> None:
    excluded = {**HISTORY[0], "additional_properties": {"_excluded": True}}
    loaded = load_conversation(saved(tmp_path, [excluded, *HISTORY]))
    assert [(one.kind, one.boundary, one.kept) for one in loaded.recorded] == [
        ("truncate", 1, ())
    ]


# Google ADK


def event(
    author: str, time: float, *parts: dict[str, Any], **fields: Any
) -> dict[str, Any]:
    role = "model" if author == "agent" else "user"
    content = {"role": role, "parts": [*parts]}
    return {
        "author": author,
        "invocationId": f"i{time}",
        "timestamp": time,
        "content": content,
    } | fields


CALL = {"functionCall": {"id": "c1", "name": "read", "args": {}}}
RESULT = {
    "functionResponse": {"id": "c1", "name": "read", "response": {"result": "42"}}
}
EVENTS = [
    event("user", 1.0, {"text": "Which tides?"}),
    event("agent", 2.0, {"text": "I look."}, CALL),
    event("agent", 3.0, RESULT) | {"content": {"role": "user", "parts": [RESULT]}},
    event("agent", 4.0, {"text": "There are 42."}),
]


def test_events_of_adk_are_read_by_either_names(tmp_path: Path) -> None:
    session = {"id": "s", "appName": "tides", "events": EVENTS}
    python = json.loads(
        json.dumps(session)
        .replace("functionCall", "function_call")
        .replace("functionResponse", "function_response")
        .replace("invocationId", "invocation_id")
    )
    for name, value in {
        "json": session,
        "python": python,
        "lines": tuple(EVENTS),
    }.items():
        loaded = load_conversation(saved(tmp_path, value, f"{name}.json"))
        speakers = [one.speaker for one in loaded.messages]
        assert loaded.format == "google_adk", name
        assert speakers == [Speaker.HUMAN, Speaker.AI, Speaker.TOOL, Speaker.AI], name
        assert pairs(loaded) == [("read", "42")], name


def test_a_compaction_of_adk_stands_for_the_events_of_its_times(tmp_path: Path) -> None:
    summary = {"role": "model", "parts": [{"text": "So far."}]}
    compaction = {
        "startTimestamp": 1.0,
        "endTimestamp": 3.0,
        "compactedContent": summary,
    }
    compacted = event("user", 5.0) | {
        "content": None,
        "actions": {"compaction": compaction},
    }
    events = [*EVENTS, compacted, event("user", 6.0, {"text": "and then?"})]
    loaded = load_conversation(saved(tmp_path, {"id": "s", "events": events}))
    assert [(one.boundary, one.kept) for one in loaded.recorded] == [(4, (3,))]
    assert said(loaded.recorded[0].summary) == [("human", "So far.")]


def test_pieces_of_a_streamed_answer_are_counted(tmp_path: Path) -> None:
    piece = event("agent", 3.5, {"text": "There"}, partial=True)
    loaded = load_conversation(
        saved(tmp_path, {"events": [*EVENTS[:3], piece, EVENTS[3]]})
    )
    assert said(loaded.messages)[-1] == ("ai", "There are 42.")
    assert dict(loaded.report.skipped) == {"piece of an answer": 1}


# openai-agents


def test_the_database_of_openai_agents_opens(tmp_path: Path) -> None:
    items = [
        {"role": "user", "content": "Which tides?"},
        {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": "42"},
    ]
    with closing(sqlite3.connect(tmp_path / "sessions.db")) as database:
        database.executescript(
            "CREATE TABLE agent_sessions(session_id, created_at, updated_at);"
            "CREATE TABLE agent_messages(id INTEGER PRIMARY KEY, session_id, message_data);"
            "INSERT INTO agent_sessions VALUES ('s1', 1, 1)"
        )
        rows = [("s1", json.dumps(item)) for item in items]
        database.executemany(
            "INSERT INTO agent_messages(session_id, message_data) VALUES (?, ?)", rows
        )
        database.commit()
    loaded = load_conversation(tmp_path / "sessions.db")
    assert (loaded.format, loaded.session_id) == ("openai_responses", "s1")
    assert pairs(loaded) == [("read", "42")]
