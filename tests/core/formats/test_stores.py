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
from core.formats.discovery.session_contents import last_message, measure_session, read_session_header
from core.formats.registry import load_conversation
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
    monkeypatch.setattr("core.formats.discovery.session_contents.load_conversation", None)
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


CURSOR = "CREATE TABLE ItemTable(key, value); CREATE TABLE cursorDiskKV(key UNIQUE, value);"


def test_secrets_beside_the_sessions_of_cursor_are_not_read(tmp_path: Path) -> None:
    chat = {"name": "T", "conversation": [{"type": 1, "text": "hi"}]}
    keys = [("cursorAuth/accessToken", "secret")]
    path = database(tmp_path, CURSOR, cursorDiskKV=[("composerData:c1", chat)], ItemTable=keys)
    loaded = load_conversation(path)
    assert loaded.document.data
    assert b"secret" not in loaded.document.data
