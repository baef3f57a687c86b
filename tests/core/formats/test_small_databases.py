"""Databases of Crush, Zed and Kiro, built with their schemas."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import zstandard

from core.formats.registry import load_conversation
from tests.core.formats.small_files import SMALL
from tests.core.formats.test_stores import database, shape, summaries

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
