"""Agents' databases and folders: each schema is built here, as the tables of real stores are."""

from __future__ import annotations

import json
import sqlite3
import tracemalloc
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import zstandard

from core.common.errors import InputError
from core.formats.discovery.find_sessions import find_sessions
from core.formats.discovery.session_words import last_message
from core.formats.registry import load_conversation
from core.transcript.model import Conversation, Text, ToolCall, ToolResponse
from core.transcript.tool_pairs import find_pairs
from tests.core.cli.running_cli import Cli
from tests.core.formats.small_files import SMALL, written


def database(folder: Path, tables: str, **rows: Iterable[tuple[Any, ...]]) -> Path:
    """Write a database; values that are no text, number or bytes become JSON."""
    path = folder / "store.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(tables)
        for table, values in rows.items():
            for row in values:
                plain = (json.dumps(one) if isinstance(one, dict | list) else one for one in row)
                places = ", ".join("?" * len(row))
                connection.execute(f"INSERT INTO {table} VALUES ({places})", (*plain,))
        connection.commit()
    return path


def shape(conversation: Conversation) -> list[tuple[str, str]]:
    """Return the speakers with their texts, calls and results."""
    found = []
    for message in conversation.messages:
        for block in message.blocks:
            text = getattr(block, "text", "")
            if isinstance(block, ToolCall):
                text = f"{block.name} {json.dumps(block.arguments)}"
            elif isinstance(block, ToolResponse):
                text = f"{block.name}: {block.result}{' !' if isinstance(block.error, str) else ''}"
            found.append((message.speaker.value, text))
    return found


def summaries(conversation: Conversation) -> list[tuple[int, str]]:
    return [
        (one.position, "".join(b.text for m in one.summary for b in m.blocks if isinstance(b, Text)))
        for one in conversation.recorded
    ]


# opencode ---------------------------------------------------------------------------------------------

OPENCODE = """
CREATE TABLE session(id PRIMARY KEY, parent_id, directory, title, revert, time_created, time_updated);
CREATE TABLE message(id PRIMARY KEY, session_id, time_created, data);
CREATE TABLE part(id PRIMARY KEY, message_id, session_id, data);
CREATE INDEX of_message ON message(session_id);
CREATE INDEX of_part ON part(session_id);
"""
_RUN = {"status": "completed", "input": {"command": "ls"}, "output": "a.py"}
_SESSIONS = [
    ("ses_1", None, "/repo", "older", None, 1, 2),
    ("ses_2", None, "/repo", "newer", {"messageID": "msg_4"}, 3, 9),
    ("ses_3", "ses_2", "/repo", "helper", None, 4, 10),
]
_TOKENS = {"input": 5, "output": 2, "cache": {"read": 40, "write": 1}}
_MESSAGES = [
    ("msg_2", "ses_2", 2, {"role": "assistant", "modelID": "m-1", "tokens": _TOKENS}),
    ("msg_1", "ses_2", 1, {"role": "user"}),
    ("msg_3", "ses_2", 3, b"{torn"),
    ("msg_4", "ses_2", 4, {"role": "user"}),
]
_PARTS = [
    ("prt_1", "msg_1", "ses_2", {"type": "text", "text": "look"}),
    ("prt_3", "msg_2", "ses_2", {"type": "tool", "callID": "c", "tool": "bash", "state": _RUN}),
    ("prt_2", "msg_2", "ses_2", {"type": "reasoning", "text": "hm"}),
    (
        "prt_4",
        "msg_2",
        "ses_2",
        {
            "type": "tool",
            "callID": "d",
            "tool": "task",
            "state": {**_RUN, "metadata": {"sessionId": "ses_3"}},
        },
    ),
    ("prt_5", "msg_4", "ses_2", {"type": "text", "text": "taken back"}),
]


def test_an_opencode_database_lists_its_sessions_newest_first(tmp_path: Path) -> None:
    path = database(tmp_path, OPENCODE, session=_SESSIONS, message=_MESSAGES, part=_PARTS)
    newest = load_conversation(path)
    assert shape(newest) == [
        ("human", "look"),
        ("ai", "hm"),
        ("ai", 'bash {"command": "ls"}'),
        ("ai", 'task {"command": "ls"}'),
        ("tool", "bash: a.py"),
        ("tool", "task: a.py"),
    ]
    assert [(one.title, one.kind, one.call_id) for one in newest.listed] == [
        ("newer", "", ""),
        ("older", "", ""),
        ("helper", "sub-agent", "d"),
    ]
    assert (newest.model, newest.cwd, newest.session_id, newest.reported_context) == (
        "m-1",
        "/repo",
        "ses_2",
        46,
    )
    assert ("record that is not JSON", 1) in newest.report.skipped
    assert load_conversation(path, conversation=2).title == "older"
    with pytest.raises(InputError, match="holds 3 conversations, not 4"):
        load_conversation(path, conversation=4)


def test_of_two_generations_of_opencode_the_filled_one_is_read(tmp_path: Path) -> None:
    new = "CREATE TABLE session_v2(id, parent_id, directory, title, time_created, time_updated);"
    new += "CREATE TABLE session_message(id, session_id, type, seq, time_created, data);"
    path = database(tmp_path, OPENCODE + new, session=_SESSIONS, message=_MESSAGES, part=_PARTS)
    assert load_conversation(path).siblings == 3
    tool = {
        "type": "tool",
        "id": "c",
        "name": "bash",
        "state": {"status": "error", "input": {}, "error": {"message": "no"}},
    }
    rows = [
        ("a", "ses_2", "user", 1, 1, {"text": "look"}),
        (
            "c",
            "ses_2",
            "compaction",
            3,
            3,
            {"status": "completed", "reason": "manual", "summary": "so far ", "recent": "tail"},
        ),
        (
            "b",
            "ses_2",
            "assistant",
            2,
            2,
            {"content": [{"type": "text", "text": "yes"}, tool], "model": {"id": "m-2"}},
        ),
        ("d", "ses_2", "idle", 4, 4, {}),
    ]
    (tmp_path / "new").mkdir()
    path = database(
        tmp_path / "new",
        OPENCODE + new,
        session=_SESSIONS,
        session_v2=[("ses_2", None, "/repo", "T", 1, 2)],
        session_message=rows,
    )
    loaded = load_conversation(path)
    assert (loaded.siblings, loaded.model, summaries(loaded)) == (1, "m-2", [(3, "so far tail")])
    assert shape(loaded)[:3] == [("human", "look"), ("ai", "yes"), ("ai", "bash {}")]
    assert ("part: idle", 1) in loaded.report.skipped


def test_opencode_files_are_one_session(tmp_path: Path) -> None:
    session = {"id": "ses_1", "projectID": "p", "directory": "/repo", "title": "T"}
    files = {
        "session/p/ses_1.json": session,
        "message/ses_1/msg_1.json": {"id": "msg_1", "role": "user", "time": {"created": 1}},
        "message/ses_1/msg_0.json": {"id": "msg_0", "role": "assistant", "time": {"created": 2}},
        "part/msg_1/prt_1.json": {"type": "text", "text": "look"},
        "part/msg_0/prt_1.json": {"type": "tool", "callID": "c", "tool": "bash", "state": _RUN},
    }
    for name, value in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(json.dumps(value))
    loaded = load_conversation(tmp_path / "session/p/ses_1.json")
    assert shape(loaded) == [("human", "look"), ("ai", 'bash {"command": "ls"}'), ("tool", "bash: a.py")]
    assert (loaded.format, loaded.title) == ("opencode", "T")


def test_a_large_database_takes_the_memory_of_one_session(tmp_path: Path) -> None:
    big = "x" * 100_000
    messages = [(f"m{n}", f"s{n % 50}", n, {"role": "user"}) for n in range(500)]
    parts = [(f"p{n}", f"m{n}", f"s{n % 50}", {"type": "text", "text": big}) for n in range(500)]
    sessions = [(f"s{n}", None, "/repo", "T", None, n, n) for n in range(50)]
    path = database(tmp_path, OPENCODE, session=sessions, message=messages, part=parts)
    load_conversation(path)
    tracemalloc.start()
    loaded = load_conversation(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (loaded.siblings, len(loaded.messages)) == (50, 10)
    assert path.stat().st_size > 3 * peak


# Containers --------------------------------------------------------------------------------------------


def test_the_newest_records_of_a_running_agent_are_read_and_nothing_is_written(tmp_path: Path) -> None:
    path = database(tmp_path, OPENCODE, session=_SESSIONS, message=_MESSAGES, part=_PARTS)
    with closing(sqlite3.connect(path)) as agent:
        agent.execute("PRAGMA journal_mode = WAL")
        agent.execute("UPDATE session SET title = 'just now' WHERE id = 'ses_2'")
        agent.commit()
        before = {one.name: one.read_bytes() for one in tmp_path.iterdir() if not one.name.endswith("-shm")}
        assert load_conversation(path).title == "just now"
        agent.execute("UPDATE session SET title = 'after' WHERE id = 'ses_2'")  # no lock is left
        agent.rollback()
        assert {
            one.name: one.read_bytes() for one in tmp_path.iterdir() if not one.name.endswith("-shm")
        } == before
        left = tmp_path / "left"
        left.mkdir()
        for name in ("store.db", "store.db-wal"):
            (left / name).write_bytes(before[name])
    assert load_conversation(left / "store.db").title == "just now"
    assert sorted(one.name for one in left.iterdir()) == ["store.db", "store.db-wal"]


def test_a_database_is_one_row_of_the_sessions(tmp_path: Path, cli: Cli) -> None:
    database(tmp_path, OPENCODE, session=_SESSIONS, message=_MESSAGES, part=_PARTS).rename(
        tmp_path / "opencode.db"
    )
    (row,) = cli.json("sessions", str(tmp_path), "--json")["sessions"]
    assert (row["agent"], row["first_prompt"], row["project"], row["messages"]) == (
        "opencode",
        "(newest of 3) look",
        "repo",
        3,
    )
    assert last_message(find_sessions(tmp_path, (), extra_folders=[tmp_path]).sessions[0]) == "look"


@pytest.mark.parametrize("harm", ["empty", "torn", "foreign"])
def test_a_database_without_conversations_is_refused_in_a_sentence(tmp_path: Path, harm: str) -> None:
    path = database(tmp_path, "CREATE TABLE birds(name)" if harm == "foreign" else OPENCODE)
    if harm == "torn":
        path.write_bytes(path.read_bytes()[:5000])
    words = {
        "empty": "holds no conversation yet",
        "torn": "cannot be read",
        "foreign": "no agent whose tables",
    }
    with pytest.raises(InputError, match=words[harm]) as error:
        load_conversation(path)
    assert error.value.hint


# goose -------------------------------------------------------------------------------------------------

GOOSE = """
CREATE TABLE sessions(id, name, working_dir, updated_at, total_tokens, model_config_json, parent_session_id);
CREATE TABLE messages(id INTEGER, session_id, role, content_json, created_timestamp, metadata_json);
CREATE TABLE usage_ledger(session_id, created_timestamp, model, input_tokens, output_tokens, is_compaction);
"""


def test_a_goose_database(tmp_path: Path) -> None:
    call = {
        "type": "toolRequest",
        "id": "t",
        "toolCall": {"status": "success", "value": {"name": "sh", "arguments": {}}},
    }
    result = {
        "type": "toolResponse",
        "id": "t",
        "toolResult": {"status": "success", "value": {"content": "a"}},
    }
    path = database(
        tmp_path,
        GOOSE,
        sessions=[
            ("1", "T", "/repo", 1, 9, {"model_name": "m-1"}, None),
            ("2", "U", "/repo", 2, 0, None, "1"),
        ],
        messages=[
            (3, "1", "user", [result], 30, {"userVisible": True, "agentVisible": False}),
            (1, "1", "user", [{"type": "text", "text": "look"}], 10, {"agentVisible": False}),
            (2, "1", "assistant", [call], 20, {"agentVisible": False}),
            (
                4,
                "1",
                "user",
                [{"type": "text", "text": "so far"}],
                40,
                {"userVisible": False, "agentVisible": True},
            ),
            (5, "1", "assistant", [{"type": "text", "text": "done"}], 50, None),
        ],
        usage_ledger=[("1", 21, "m-1", 100, 5, 0), ("1", 41, "m-1", 300, 5, 1), ("1", 51, "m-1", 60, 5, 0)],
    )
    loaded = load_conversation(path)
    assert shape(loaded) == [("human", "look"), ("ai", "sh {}"), ("tool", "sh: a"), ("ai", "done")]
    assert summaries(loaded) == [(3, "so far")]
    assert [(one.message_index, one.context) for one in loaded.usage] == [(1, 100), (3, 60)]
    assert (loaded.model, [one.kind for one in loaded.listed]) == ("m-1", ["", "sub-agent"])


# Cursor ------------------------------------------------------------------------------------------------

CURSOR = "CREATE TABLE ItemTable(key, value); CREATE TABLE cursorDiskKV(key UNIQUE, value);"
_HEADERS = [
    {"bubbleId": "b1", "type": 1},
    {"bubbleId": "b3", "type": 2},
    {"bubbleId": "b2", "type": 2},
    {"bubbleId": "b4"},
]
_COMPOSER = {
    "name": "T",
    "lastUpdatedAt": 9,
    "fullConversationHeadersOnly": _HEADERS,
    "modelConfig": {"modelName": "m-1"},
    "latestConversationSummary": {"summary": {"summary": "so far"}},
}
_TOOL = {
    "name": "read",
    "toolCallId": "t",
    "status": "completed",
    "rawArgs": '{"path": "a"}',
    "result": '"42"',
}


def test_a_cursor_session_is_what_its_headers_name(tmp_path: Path) -> None:
    bubbles = {
        "b1": {"type": 1, "text": "look"},
        "b2": {"type": 2, "capabilityType": 22},
        "b3": {
            "type": 2,
            "text": "",
            "thinking": {"text": "hm"},
            "toolFormerData": _TOOL,
            "tokenCount": {"inputTokens": 7, "outputTokens": 2},
        },
        "b4": b"{torn",
        "gone": {"type": 2, "text": "edited away"},
    }
    rows = [(f"bubbleId:c1:{name}", value) for name, value in bubbles.items()]
    rows += [
        ("composerData:c1", _COMPOSER),
        ("composerData:c2", None),
        ("composerData:c3", {"name": "older", "conversation": [{"type": 1, "text": "hi"}]}),
    ]
    loaded = load_conversation(
        path := database(
            tmp_path, CURSOR, cursorDiskKV=rows, ItemTable=[("cursorAuth/accessToken", "secret")]
        )
    )
    assert shape(loaded) == [
        ("human", "look"),
        ("ai", "hm"),
        ("ai", 'read {"path": "a"}'),
        ("tool", "read: 42"),
    ]
    assert (summaries(loaded), [one.title for one in loaded.listed]) == ([(3, "so far")], ["T", "older"])
    assert ("record that is not JSON", 1) in loaded.report.skipped
    assert b"secret" not in (loaded.document.data or b"")
    assert shape(load_conversation(path, conversation=2)) == [("human", "hi")]


def test_chats_of_an_early_cursor(tmp_path: Path) -> None:
    chats = {
        "tabs": [
            {
                "tabId": "t",
                "chatTitle": "T",
                "bubbles": [{"type": "user", "text": "a"}, {"type": "ai", "text": "b"}],
            }
        ]
    }
    path = database(tmp_path, CURSOR, ItemTable=[("workbench.panel.aichat.view.aichat.chatdata", chats)])
    loaded = load_conversation(path)
    assert (loaded.title, shape(loaded)) == ("T", [("human", "a"), ("ai", "b")])


def test_a_session_of_cursors_cli(tmp_path: Path) -> None:
    call = {"type": "tool-call", "toolCallId": "t", "toolName": "read", "args": {}}
    result = {"type": "tool-result", "toolCallId": "t", "toolName": "read", "result": "42"}
    messages = [
        {"role": "system", "content": "Be exact."},
        {"role": "user", "content": "look"},
        {"role": "assistant", "content": [call]},
        {"role": "tool", "content": [result]},
    ]
    ids = [f"{number:064x}" for number in range(len(messages))]
    blobs = [(id_, json.dumps(one).encode()) for id_, one in zip(ids, messages, strict=True)]
    root = b"".join(b"\x0a\x20" + bytes.fromhex(id_) for id_ in ids) + b"\x4a\x02/w"
    meta = json.dumps({"agentId": "a1", "name": "T", "latestRootBlobId": "ff"}).encode().hex()
    path = database(
        tmp_path,
        "CREATE TABLE blobs(id, data); CREATE TABLE meta(key, value);",
        blobs=[*blobs, ("ff", root)],
        meta=[("0", meta)],
    )
    loaded = load_conversation(path)
    assert shape(loaded) == [("human", "look"), ("ai", "read {}"), ("tool", "read: 42")]
    assert (loaded.system.texts, loaded.session_id) == (("Be exact.",), "a1")


# Hermes, Crush, Zed, Kiro ------------------------------------------------------------------------------

HERMES = """
CREATE TABLE sessions(id, source, model, model_config, system_prompt, parent_session_id, started_at, title);
CREATE TABLE messages(id, session_id, role, content, tool_call_id, tool_calls, timestamp,
    _compressed_summary, active, compacted);
"""


def test_a_hermes_database(tmp_path: Path) -> None:
    call = [{"id": "c", "type": "function", "function": {"name": "terminal", "arguments": "{}"}}]
    rows = [
        (1, "s", "user", "look", None, None, 1.0, 0, 0, 1),
        (2, "s", "assistant", None, None, call, 2.0, 0, 0, 1),
        (3, "s", "tool", "ok", "c", None, 3.0, 0, 0, 1),
        (4, "s", "user", "typo", None, None, 4.0, 0, 0, 0),
        (5, "s", "user", "kept", None, None, 5.0, 0, 1, 0),
        (6, "s", "user", "so far", None, None, 6.0, 1, 1, 0),
        (7, "s", "assistant", "x", None, "{torn", 7.0, 0, 1, 0),
    ]
    sessions = [
        ("s", "cli", "m-1", {}, "Be exact.", None, 1.0, "T"),
        ("d", "cli", "m-1", {"_delegate_from": "s"}, None, "s", 2.0, "sub"),
    ]
    loaded = load_conversation(database(tmp_path, HERMES, sessions=sessions, messages=rows))
    assert shape(loaded) == [
        ("human", "look"),
        ("ai", "terminal {}"),
        ("tool", "terminal: ok"),
        ("human", "kept"),
    ]
    assert (summaries(loaded), loaded.recorded[0].kept) == ([(4, "so far")], (3,))
    assert (loaded.system.texts, [one.kind for one in loaded.listed]) == (("Be exact.",), ["", "sub-agent"])
    assert dict(loaded.report.skipped) == {"taken back": 1, "record that is not JSON": 1}


CRUSH = """
CREATE TABLE sessions(id, parent_session_id, title, message_count, updated_at, created_at);
CREATE TABLE messages(id, session_id, role, parts, model, created_at, is_summary_message);
"""


def test_a_crush_database(tmp_path: Path) -> None:
    call = {"type": "tool_call", "data": {"id": "t", "name": "ls", "input": '{"path": "."}'}}
    result = {"type": "tool_result", "data": {"tool_call_id": "t", "content": "no", "is_error": True}}
    rows = [
        ("m1", "s", "user", [{"type": "text", "data": {"text": "look"}}], None, 1_785_000_000, 0),
        (
            "m2",
            "s",
            "assistant",
            [{"type": "reasoning", "data": {"thinking": "hm"}}, call, {"type": "finish", "data": {}}],
            "m-1",
            1_785_000_001,
            0,
        ),
        ("m3", "s", "tool", [result], None, 1_785_000_002, 0),
        ("m4", "s", "assistant", [{"type": "text", "data": {"text": "so far"}}], "m-1", 1_785_000_003, 1),
    ]
    sessions = [("s", None, "T", 4, 9, 1), ("m2$$t", "s", "sub", 0, 10, 2)]
    loaded = load_conversation(database(tmp_path, CRUSH, sessions=sessions, messages=rows))
    assert shape(loaded) == [
        ("human", "look"),
        ("ai", "hm"),
        ("ai", 'ls {"path": "."}'),
        ("tool", "ls: no !"),
    ]
    assert (summaries(loaded), loaded.listed[1].call_id, loaded.model) == ([(3, "so far")], "t", "m-1")
    assert loaded.messages[0].timestamp.startswith("2026-07-25")


@pytest.mark.parametrize("packed", [True, False])
def test_a_zed_database(tmp_path: Path, packed: bool) -> None:
    use = {"ToolUse": {"id": "t", "name": "read", "input": {"path": "a"}}}
    results = {"t": {"tool_name": "read", "is_error": False, "content": {"Text": "42"}}}
    agent = {"content": [{"Thinking": {"text": "hm"}}, {"Text": "I look."}, use], "tool_results": results}
    messages = [{"User": {"id": "u1", "content": [{"Text": "look"}]}}, {"Agent": agent}, "Resume"]
    usage = {"u1": {"input_tokens": 40, "output_tokens": 4}}
    text = json.dumps(
        {"messages": messages, "model": {"model": "m-1"}, "request_token_usage": usage}
    ).encode()
    data = zstandard.ZstdCompressor().compress(text) if packed else text
    rows = [
        ("a", "T", "2026-08-01", "zstd" if packed else "json", data),
        ("b", "torn", "2026-07-01", "zstd", b"\x28\xb5"),
    ]
    path = database(tmp_path, "CREATE TABLE threads(id, summary, updated_at, data_type, data)", threads=rows)
    loaded = load_conversation(path)
    assert shape(loaded) == [
        ("human", "look"),
        ("ai", "hm"),
        ("ai", "I look."),
        ("ai", 'read {"path": "a"}'),
        ("tool", "read: 42"),
    ]
    assert (loaded.model, [(one.message_index, one.context) for one in loaded.usage]) == ("m-1", [(1, 40)])
    assert load_conversation(path, conversation=2).report.skipped == (("record that is not JSON", 1),)


def test_a_kiro_database(tmp_path: Path) -> None:
    rows = [("/w", "k1", json.dumps(SMALL["kiro"]), 1, 3), ("/w", "k2", "{bad", 1, 2)]
    path = database(
        tmp_path,
        "CREATE TABLE conversations_v2(key, conversation_id, value, created_at, updated_at)",
        conversations_v2=rows,
    )
    loaded = load_conversation(path)
    assert shape(loaded) == [
        ("human", "Which tides?"),
        ("ai", "read {}"),
        ("tool", "read: 42 tides"),
        ("ai", "There are 42."),
    ]
    assert (loaded.cwd, loaded.siblings) == ("/w", 2)


# Files -------------------------------------------------------------------------------------------------

LOOK = [("human", "Which tides?"), ("ai", 'read {"path": "a.txt"}'), ("tool", "read: 42 tides")]
EXPECTED = {
    "cursor": ([("human", "look"), ("ai", "hm"), *LOOK[1:], ("ai", "")], []),
    "qwen_code": (
        [LOOK[0], ("ai", "hm"), LOOK[1], ("tool", "read: 42"), ("ai", "There are 42.")],
        [(3, "so far")],
    ),
    "kimi": (
        [LOOK[0], ("ai", "hm"), *LOOK[1:], ("ai", 'read {"path": "b.txt"}'), ("tool", "read: none !")],
        [(3, "so far")],
    ),
    "droid": ([*LOOK, ("ai", "There are 42.")], [(3, "so far")]),
    "antigravity": (
        [
            ("human", "look"),
            ("ai", "hm"),
            ("ai", 'view_file {"Path": "a.txt"}'),
            ("tool", "view_file: 42 tides"),
        ],
        [(3, "so far")],
    ),
    "grok_build": ([LOOK[0], ("ai", "hm"), ("ai", "I look."), *LOOK[1:]], []),
    "hermes": (
        [LOOK[0], ("ai", "I look."), *LOOK[1:], ("ai", "There are 42.")],
        [(3, "[CONTEXT COMPACTION] so far")],
    ),
    "chatgpt": ([*LOOK, ("ai", "There are 42.")], []),
    "claude_ai": ([*LOOK, ("ai", "Which tides?")], []),
    "vscode_chat": (
        [LOOK[0], ("ai", "I look."), ("ai", "read {}"), LOOK[2], ("ai", "There are 42.")],
        [(3, "so far")],
    ),
    "amp": ([*LOOK[:2], ("tool", "read: 42")], []),
    "otlp": ([*LOOK, ("ai", "There are 42."), ("ai", "There are 42.")], [(4, "so far")]),
    "observations": ([*LOOK, ("ai", "There are 42.")], []),
    "tau2": (LOOK, []),
    "agent_sdk": ([LOOK[0], ("ai", "hm"), *LOOK[1:]], [(3, "")]),
    "continue_dev": ([*LOOK, ("human", "and then?")], [(3, "so far")]),
}


@pytest.mark.parametrize("name", EXPECTED)
def test_a_session_of_each_agent(tmp_path: Path, name: str) -> None:
    path = tmp_path / "session"
    path.write_bytes(written(SMALL[name]))
    loaded = load_conversation(path)
    assert (loaded.format, shape(loaded), summaries(loaded)) == (name, *EXPECTED[name])
    assert not find_pairs(loaded.messages).orphans
    assert not loaded.report.warnings
    own = {"qwen_code": 40, "vscode_chat": 40}
    own |= dict.fromkeys(("kimi", "amp", "observations", "tau2", "agent_sdk"), 35)
    assert [one.context for one in loaded.usage] == ([own[name]] if name in own else [])


def test_other_branches_are_listed(tmp_path: Path) -> None:
    for name in ("qwen_code", "chatgpt"):
        path = tmp_path / name
        path.write_bytes(written(SMALL[name]))
        assert len(load_conversation(path).branches) == 2
        assert shape(load_conversation(path, branch=2)) == [LOOK[0], ("ai", "lost")]


def test_the_wire_and_context_of_the_older_kimi(tmp_path: Path) -> None:
    def wire(kind: str, **payload: Any) -> dict[str, Any]:
        return {"timestamp": 1_785_000_000.5, "message": {"type": kind, "payload": payload}}

    path = tmp_path / "wire.jsonl"
    call = {"id": "c", "function": {"name": "read", "arguments": '{"path": "a.txt"}'}}
    lines = [
        wire("TurnBegin", user_input="Which tides?"),
        wire("StepBegin", n=1),
        wire("ContentPart", type="think", think="hm"),
        wire("ToolCall", **call),
        wire("ToolResult", tool_call_id="c", return_value={"is_error": False, "output": "42 tides"}),
        wire("StatusUpdate", token_usage={"input_other": 5, "input_cache_read": 30, "output": 4}),
        wire("CompactionBegin"),
        wire("CompactionEnd"),
    ]
    path.write_text("\n".join(map(json.dumps, lines)))
    loaded = load_conversation(path)
    assert (shape(loaded), summaries(loaded)) == ([LOOK[0], ("ai", "hm"), *LOOK[1:]], [(3, "")])
    assert [one.context for one in loaded.usage] == [35]
    rows = [
        {"role": "_system_prompt", "content": "Be exact."},
        {"role": "user", "content": "Which tides?"},
        {
            "role": "assistant",
            "content": [{"type": "think", "think": "hm"}],
            "tool_calls": [{"type": "function", **call}],
        },
        {"role": "tool", "tool_call_id": "c", "content": "42 tides"},
        {"role": "_usage", "token_count": 77},
    ]
    path.write_text("\n".join(map(json.dumps, rows)))
    loaded = load_conversation(path)
    assert (shape(loaded), loaded.reported_context) == ([LOOK[0], ("ai", "hm"), *LOOK[1:]], 77)


# aider -------------------------------------------------------------------------------------------------


def test_a_chat_history_of_aider(tmp_path: Path) -> None:
    lines = [
        "",
        "# aider chat started at 2026-01-01 10:00:00",
        "#### hello",
        "# aider chat started at 2026-01-02 10:00:00",
        "",
        "> Model: m-1 with diff edit format",
        "> Git repo: .git",
        "",
        "#### look",
        "#### at a.txt",
        "",
        "There are",
        "",
        "42 tides.",
        "> Tokens: 1.2k sent, 30 received.",
        "",
    ]
    path = tmp_path / ".aider.chat.history.md"
    path.write_text("\n".join(lines))
    loaded = load_conversation(path)
    assert (loaded.format, loaded.model, loaded.cwd) == ("aider", "m-1", str(tmp_path))
    assert shape(loaded) == [("human", "look\nat a.txt"), ("ai", "There are\n\n42 tides.")]
    assert [(one.context, one.output) for one in loaded.usage] == [(1200, 30)]
    assert loaded.messages[0].sources[0].line == 9
    assert [one.title for one in loaded.listed] == ["2026-01-02 10:00:00", "2026-01-01 10:00:00"]
    assert shape(load_conversation(path, conversation=2)) == [("human", "hello")]


# Traces ------------------------------------------------------------------------------------------------

_ASKED = {"role": "user", "content": "Which tides?"}
_CALLS = {"tool_calls": [{"id": "c1", "function": {"name": "read", "arguments": '{"path": "a.txt"}'}}]}
_PHOENIX = {
    "openinference.span.kind": "LLM",
    "llm.model_name": "m-1",
    "llm.token_count.prompt": 35,
    "llm.input_messages.0.message.role": "user",
    "llm.input_messages.0.message.content": "Which tides?",
    "llm.output_messages.0.message.role": "assistant",
    "llm.output_messages.0.message.tool_calls.0.tool_call.id": "c1",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.name": "read",
    "llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": '{"path": "a.txt"}',
}
_OLD = {
    "gen_ai.operation.name": "chat",
    "gen_ai.prompt.0.role": "user",
    "gen_ai.prompt.0.content": "Which tides?",
    "gen_ai.completion.0.role": "assistant",
    "gen_ai.completion.0.tool_calls.0.id": "c1",
    "gen_ai.completion.0.tool_calls.0.name": "read",
    "gen_ai.completion.0.tool_calls.0.arguments": '{"path": "a.txt"}',
}
_RAW = {
    "openinference": {"span": {"kind": "LLM"}},
    "input": {"value": json.dumps({"messages": [_ASKED]})},
    "output": {"value": json.dumps({"choices": [{"message": {"role": "assistant", **_CALLS}}]})},
}
_LC_CALL = {"name": "read", "args": {"path": "a.txt"}, "id": "c1", "type": "tool_call"}
_LC = {
    "lc": 1,
    "type": "constructor",
    "id": ["langchain", "schema", "messages", "AIMessage"],
    "kwargs": {"content": "", "tool_calls": [_LC_CALL]},
}
_RUN_TREE = {
    "id": "r",
    "trace_id": "t",
    "run_type": "llm",
    "dotted_order": "1",
    "inputs": {"messages": [[{"type": "human", "data": {"content": "Which tides?"}}]]},
    "outputs": {"generations": [[{"message": _LC}]]},
}


@pytest.mark.parametrize("attributes", [_PHOENIX, _OLD, _RAW])
def test_each_convention_of_spans(tmp_path: Path, attributes: dict[str, Any]) -> None:
    span = {"name": "x", "context": {"trace_id": "t", "span_id": "1"}, "attributes": attributes}
    path = tmp_path / "spans.jsonl"
    path.write_text(json.dumps({**span, "start_time": "2026-07-01T10:00:00Z"}))
    loaded = load_conversation(path)
    assert (loaded.format, shape(loaded)) == ("otlp", LOOK[:2])


def test_runs_of_langsmith(tmp_path: Path) -> None:
    path = tmp_path / "runs.jsonl"
    path.write_text("\n".join(map(json.dumps, [_RUN_TREE, {"run_type": "chain", "trace_id": "t"}])))
    loaded = load_conversation(path)
    assert (loaded.format, shape(loaded)) == ("observations", LOOK[:2])
    assert ("observation: chain", 1) in loaded.report.skipped
