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

from core.common.errors import InputError
from core.formats.discovery.find_sessions import SessionFile, find_sessions
from core.formats.discovery.session_sizes import measure_session
from core.formats.discovery.session_words import last_message, read_session_header
from core.formats.registry import load_conversation
from core.transcript.model import Conversation, Text, ToolCall, ToolResponse
from tests.core.cli.running_cli import Cli


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


def test_a_large_store_is_counted_where_its_first_prompt_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = database(tmp_path, OPENCODE, session=_SESSIONS, message=_MESSAGES, part=_PARTS)
    session = SessionFile(path, "opencode", 10**9, 1.0)
    assert read_session_header(session).prompt == "(newest of 3) look"
    monkeypatch.setattr("core.formats.discovery.session_sizes.load_conversation", None)
    sizes = measure_session(session)
    assert sizes is not None
    assert sizes.messages == 3


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
