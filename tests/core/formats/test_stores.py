"""Agents' databases and folders, beside what is recorded of them: memory, running agents, real
samples."""

import json
import re
import shutil
import sqlite3
import tracemalloc
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from core.common.errors import InputError
from core.formats.common import compressed_files
from core.formats.discovery.find_sessions import SessionFile, find_sessions
from core.formats.discovery.session_contents import (
    last_message,
    measure_session,
    read_session_header,
)
from core.formats.registry import load_conversation
from core.transcript.model import tool_calls, tool_responses
from tests.conftest import SHARED
from tests.core.cli.running_cli import Cli
from tests.core.formats.test_recorded_readings import FOLDER, write_store

SAMPLES = SHARED / "stores"
COUNTS = json.loads((FOLDER / "files" / "store_counts.json").read_text("utf-8"))
"""By sample: format, messages, calls, results, recorded compactions; nothing for one without a
message. They agreed with independent counts of the raw JSON."""


def database(folder: Path, tables: str, **rows: Iterable[tuple[Any, ...]]) -> Path:
    """Write a database; values that are no text, number or bytes become JSON."""
    path = folder / "store.db"
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(tables)
        for table, values in rows.items():
            for row in values:
                plain = (
                    json.dumps(one) if isinstance(one, dict | list) else one
                    for one in row
                )
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


@pytest.fixture
def opencode(tmp_path: Path) -> Path:
    recorded = json.loads((FOLDER / "stores" / "opencode.json").read_text("utf-8"))[
        "cases"
    ][0]
    write_store(recorded["files"], tmp_path)
    return tmp_path / "store.db"


def test_a_large_database_takes_the_memory_of_one_session(tmp_path: Path) -> None:
    big = "x" * 100_000
    messages = [(f"m{n}", f"s{n % 50}", n, {"role": "user"}) for n in range(500)]
    parts = [
        (f"p{n}", f"m{n}", f"s{n % 50}", {"type": "text", "text": big})
        for n in range(500)
    ]
    sessions = [(f"s{n}", None, "/repo", "T", None, n, n) for n in range(50)]
    path = database(tmp_path, OPENCODE, session=sessions, message=messages, part=parts)
    load_conversation(path)
    tracemalloc.start()
    loaded = load_conversation(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (loaded.siblings, len(loaded.messages)) == (50, 10)
    assert path.stat().st_size > 3 * peak


def test_the_newest_records_of_a_running_agent_are_read_and_nothing_is_written(
    opencode: Path, tmp_path: Path
) -> None:
    with closing(sqlite3.connect(opencode)) as agent:
        agent.execute("PRAGMA journal_mode = WAL")
        agent.execute("UPDATE session SET title = 'just now' WHERE id = 'ses_2'")
        agent.commit()
        before = {
            one.name: one.read_bytes()
            for one in tmp_path.iterdir()
            if not one.name.endswith("-shm")
        }
        assert load_conversation(opencode).title == "just now"
        agent.execute(
            "UPDATE session SET title = 'after' WHERE id = 'ses_2'"
        )  # no lock is left
        agent.rollback()
        assert {
            one.name: one.read_bytes()
            for one in tmp_path.iterdir()
            if not one.name.endswith("-shm")
        } == before
        left = tmp_path / "left"
        left.mkdir()
        for name in ("store.db", "store.db-wal"):
            (left / name).write_bytes(before[name])
    assert load_conversation(left / "store.db").title == "just now"
    assert sorted(one.name for one in left.iterdir()) == ["store.db", "store.db-wal"]


def test_what_a_killed_agent_left_half_done_is_put_back_in_a_copy(
    opencode: Path, tmp_path: Path
) -> None:
    """A hot journal: the pages that a transaction had changed, with the database half changed."""
    with closing(sqlite3.connect(opencode, isolation_level=None)) as agent:
        agent.execute("PRAGMA journal_mode = DELETE")
        agent.execute("PRAGMA cache_size = 1")
        agent.execute("CREATE TABLE filler(text)")
        agent.execute("BEGIN")
        agent.execute("UPDATE session SET title = 'never committed'")
        agent.executemany(
            "INSERT INTO filler VALUES (?)", [("x" * 4000,)] * 200
        )  # spills to the file
        left = tmp_path / "left"
        left.mkdir()
        for name in ("store.db", "store.db-journal"):
            (left / name).write_bytes((tmp_path / name).read_bytes())
        assert b"never committed" in (left / "store.db").read_bytes()
        agent.execute("ROLLBACK")
        title = load_conversation(opencode).title
    before = {one.name: one.read_bytes() for one in left.iterdir()}
    assert load_conversation(left / "store.db").title == title != "never committed"
    assert {one.name: one.read_bytes() for one in left.iterdir()} == before


def test_a_database_that_changes_while_it_is_copied_is_refused(
    opencode: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opencode.with_name("store.db-wal").write_bytes(b"frames")
    copy = shutil.copyfileobj

    def copy_late(source: BinaryIO, target: BinaryIO) -> None:
        copy(source, target)
        with Path(source.name).open("ab") as agent:
            agent.write(b"x")

    monkeypatch.setattr(shutil, "copyfileobj", copy_late)
    with pytest.raises(InputError, match=r"has unfinished changes in store\.db-wal"):
        load_conversation(opencode)


def test_a_cell_has_the_limit_of_a_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    part = ("p1", "m1", "s1", {"type": "text", "text": "x" * 3_000})
    session, message = (
        ("s1", None, "/repo", "T", None, 1, 1),
        ("m1", "s1", 1, {"role": "user"}),
    )
    path = database(
        tmp_path, OPENCODE, session=[session], message=[message], part=[part]
    )
    assert len(load_conversation(path).messages) == 1
    monkeypatch.setattr(compressed_files, "MAX_LINE_SIZE", 2_000)
    with pytest.raises(InputError, match=r"A row of store\.db is larger than 0 MB"):
        load_conversation(path)


def test_a_database_is_one_row_of_the_sessions(
    opencode: Path, tmp_path: Path, cli: Cli
) -> None:
    opencode.rename(tmp_path / "opencode.db")
    (row,) = cli.json("sessions", str(tmp_path), "--json")["sessions"]
    shown = [row[name] for name in ("agent", "first_prompt", "project", "messages")]
    assert shown == ["opencode", "(newest of 3) look", "repo", 3]
    assert (
        last_message(find_sessions(tmp_path, (), extra_folders=[tmp_path]).sessions[0])
        == "look"
    )


def test_a_large_store_is_counted_where_its_first_prompt_was_read(
    opencode: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = SessionFile(opencode, "opencode", 10**9, 1.0)
    assert read_session_header(session).prompt == "(newest of 3) look"
    monkeypatch.setattr(
        "core.formats.discovery.session_contents.load_conversation", None
    )
    sizes = measure_session(session)
    assert sizes is not None
    assert sizes.messages == 3


@pytest.mark.parametrize("harm", ["empty", "torn", "foreign"])
def test_a_database_without_conversations_is_refused_in_a_sentence(
    tmp_path: Path, harm: str
) -> None:
    path = database(
        tmp_path, "CREATE TABLE birds(name)" if harm == "foreign" else OPENCODE
    )
    if harm == "torn":
        path.write_bytes(path.read_bytes()[:5000])
    words = {
        "empty": "holds no conversation yet",
        "torn": "cannot be read",
        "foreign": "not one of an agent that Foldline knows",
    }
    with pytest.raises(InputError, match=words[harm]) as error:
        load_conversation(path)
    assert error.value.hint


CURSOR = (
    "CREATE TABLE ItemTable(key, value); CREATE TABLE cursorDiskKV(key UNIQUE, value);"
)


def test_secrets_beside_the_sessions_of_cursor_are_not_read(tmp_path: Path) -> None:
    chat = {"name": "T", "conversation": [{"type": 1, "text": "hi"}]}
    keys = [("cursorAuth/accessToken", "secret")]
    path = database(
        tmp_path, CURSOR, cursorDiskKV=[("composerData:c1", chat)], ItemTable=keys
    )
    loaded = load_conversation(path)
    assert loaded.document.data
    assert b"secret" not in loaded.document.data


@pytest.mark.parametrize("name", COUNTS)
def test_a_sample_has_the_counts_of_its_raw_json(name: str) -> None:
    if not (path := SAMPLES / name).is_file():
        pytest.skip("needs the samples in ../shared")
    if not COUNTS[name]:
        with pytest.raises(
            InputError, match=r"no message in it, only \d records?, which"
        ):
            load_conversation(path)
        return
    loaded = load_conversation(path)
    calls = sum(1 for message in loaded.messages for _ in tool_calls(message))
    results = sum(1 for message in loaded.messages for _ in tool_responses(message))
    assert [
        loaded.format,
        len(loaded.messages),
        calls,
        results,
        len(loaded.recorded),
    ] == COUNTS[name]


REFUSED = {
    "posit-assistant/**/*": "Posit Assistant|not a transcript",
    "qwenpaw/**/*.json": "QwenPaw",
    "opencode/**/m*_*/*.json": "storage folder|not a transcript",
    "opencode/**/msg_*.json": "storage folder|not a transcript",
    "omnigent/*.json": "not a transcript|no conversation",
    "*/**/*s.json": "not a transcript",
    "*/**/*[aey].json": "not a transcript",
    "*/**/*.meta.json": "not a transcript",
}
"""What is no session alone: parts of one, files beside one, and agents that Foldline does not
read."""
NOT_OPENED = {
    "origins.tsv",
    "README.md",
    "sketches.sql",
    "migration",
    "small.md",
    "zed-legacy-threads.sql",
}


def test_every_sample_is_counted_or_refused_by_name() -> None:
    if not SAMPLES.is_dir():
        pytest.skip("needs the samples in ../shared")
    counted = {SAMPLES / name for name in (*COUNTS, "cursor/test-store.db")}
    left = {
        path
        for path in SAMPLES.rglob("*")
        if path.is_file() and path.name not in NOT_OPENED
    } - counted
    for pattern, words in REFUSED.items():
        for path in left.intersection(SAMPLES.glob(pattern)):
            with pytest.raises(InputError, match=words):
                load_conversation(path)
            left.discard(path)
    assert not left


def test_the_oldest_table_of_zed_is_read(tmp_path: Path) -> None:
    if not (schema := SAMPLES / "zed/zed-legacy-threads.sql").is_file():
        pytest.skip("needs the samples in ../shared")
    document = {"messages": [{"User": {"content": [{"Text": "Hi"}]}}]}
    rows = [("a", "T", "2026-08-01", "json", document)]
    assert (
        len(
            load_conversation(
                database(tmp_path, schema.read_text("utf-8"), threads=rows)
            ).messages
        )
        == 1
    )


def test_the_sketch_of_each_database_is_read(tmp_path: Path) -> None:
    if not (sketches := SAMPLES / "sketches.sql").is_file():
        pytest.skip("needs the samples in ../shared")
    _, *parts = re.split(
        r"^-- @db (\S+).*$", sketches.read_text("utf-8"), flags=re.MULTILINE
    )
    found: dict[str, tuple[str, int]] = {}
    for name, script in zip(parts[::2], parts[1::2], strict=True):
        (tmp_path / name).mkdir()
        loaded = load_conversation(database(tmp_path / name, script))
        found[name] = loaded.format, loaded.siblings
    assert found == {
        "cursor_vscdb": ("cursor", 2),
        "cursor_cli": ("cursor", 1),
        "opencode_v1": ("opencode", 2),
        "opencode_v2": ("opencode", 2),
        "goose": ("goose", 2),
        "hermes": ("hermes", 2),
        "crush": ("crush", 2),
        "zed": ("zed", 2),
        "kiro_cli_v1": ("kiro", 2),
    }


def test_a_cli_store_of_cursor_without_messages_is_empty() -> None:
    if not (path := SAMPLES / "cursor/test-store.db").is_file():
        pytest.skip("needs the samples in ../shared")
    loaded = load_conversation(path)
    assert (loaded.format, loaded.messages, loaded.title) == (
        "cursor",
        (),
        "Test Session",
    )
