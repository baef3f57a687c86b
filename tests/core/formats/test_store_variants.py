"""Further shapes in which agents keep sessions: text, blobs, events, files of several agents."""

from __future__ import annotations

import json
from base64 import b64encode
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from core.formats.registry import load_conversation
from tests.core.formats.small_files import SMALL, written
from tests.core.formats.test_stores import CURSOR, database, shape, summaries

_CALLED = [
    ("human", "look"),
    ("ai", "hm"),
    ("ai", 'read {"path": "a.txt"}'),
    ("tool", "read: 42"),
    ("ai", "done"),
]


def _lines(folder: Path, name: str, *values: Any) -> Path:
    path = folder / name
    path.write_text("\n".join(map(json.dumps, values)), "utf-8")
    return path


def test_a_transcript_of_cursor_as_text(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(
        "user:\n<user_query>look</user_query>\nassistant:\n[Thinking] hm\n[Tool call] read\n  path=a.txt\n"
        "[Tool result]\n  42\ndone\n\nuser:\nand b\nassistant:\n[Tool call] patch\n  *** Begin\n  +x\n"
    )
    loaded = load_conversation(path)
    more = [("human", "and b"), ("ai", 'patch {"input": "*** Begin\\n+x"}')]
    assert (loaded.format, shape(loaded)) == ("cursor", [*_CALLED, *more])
    first = loaded.messages[1].sources[0]
    assert path.read_bytes()[first.start : first.end] == b"[Thinking] hm"


def _field(number: int, value: bytes | int) -> bytes:
    def varint(value: int) -> bytes:
        return bytes([value]) if value < 128 else bytes([value & 127 | 128]) + varint(value >> 7)

    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


_BLOBS = {
    "01" * 32: {"role": "user", "content": "look"},
    "02" * 32: {"role": "assistant", "content": [{"type": "text", "text": "done"}]},
}


def test_the_context_of_a_session_of_cursors_cli(tmp_path: Path) -> None:
    parts = [(b"tools", 700), (b"summarized_conversation", 300)]
    sizes = _field(1, 1000) + _field(2, 200_000)
    sizes += b"".join(_field(3, _field(1, name) + _field(3, count)) for name, count in parts)
    root = b"".join(_field(1, bytes.fromhex(id_)) for id_ in _BLOBS) + _field(5, sizes) + _field(9, b"/w")
    meta = json.dumps({"agentId": "a1", "latestRootBlobId": "ff"}).encode().hex()
    tables = "CREATE TABLE blobs(id, data); CREATE TABLE meta(key, value);"
    path = database(tmp_path, tables, blobs=[*_BLOBS.items(), ("ff", root)], meta=[("0", meta)])
    loaded = load_conversation(path)
    assert shape(loaded) == [("human", "look"), ("ai", "done")]
    assert (loaded.reported_context, loaded.reported_limit, loaded.cwd) == (1000, 200_000, "/w")
    assert "300 tokens" in loaded.report.warnings[0].text


def test_a_cursor_session_of_blobs_and_its_sub_agent(tmp_path: Path) -> None:
    state = "~" + b64encode(b"".join(_field(1, bytes.fromhex(id_)) for id_ in _BLOBS)).decode().rstrip("=")
    task = {"name": "task", "toolCallId": "t", "rawArgs": "{}", "result": '{"agentId": "c3"}'}
    rows = [(f"agentKv:blob:{id_}", value) for id_, value in _BLOBS.items()]
    rows += [
        ("composerData:c1", {"name": "blobs", "lastUpdatedAt": 9, "conversationState": state}),
        (
            "composerData:c2",
            {"lastUpdatedAt": 10, "subagentComposerIds": ["c3"], "conversation": [{"toolFormerData": task}]},
        ),
        ("composerData:c3", {"name": "helper", "conversation": [{"type": 1, "text": "x"}]}),
    ]
    loaded = load_conversation(path := database(tmp_path, CURSOR, cursorDiskKV=rows))
    assert [(one.kind, one.call_id) for one in loaded.listed] == [("", ""), ("", ""), ("sub-agent", "t")]
    assert shape(load_conversation(path, conversation=2)) == [("human", "look"), ("ai", "done")]


def test_the_course_of_a_session_of_grok(tmp_path: Path) -> None:
    def update(kind: str, **fields: Any) -> Any:
        return {"timestamp": 1_785_000_000, "params": {"update": {"sessionUpdate": kind, **fields}}}

    def text(words: str) -> Any:
        return {"type": "text", "text": words}

    path = _lines(
        tmp_path,
        "updates.jsonl",
        update("user_message_chunk", content=text("lo")),
        update("user_message_chunk", content=text("ok")),
        update("agent_thought_chunk", content=text("hm")),
        update("tool_call", toolCallId="c", title="read", rawInput={"path": "a.txt"}),
        update("tool_call_update", toolCallId="c", status="in_progress"),
        update("tool_call_update", toolCallId="c", status="completed", rawOutput="42"),
        update("compaction_checkpoint"),
        update("agent_message_chunk", content=text("done")),
    )
    loaded = load_conversation(path)
    assert (shape(loaded), summaries(loaded)) == (_CALLED, [(3, "")])
    assert dict(loaded.report.skipped) == {"tool_call_update": 1}
    assert loaded.messages[0].timestamp.startswith("2026-07-25")


def test_later_sessions_of_kiro(tmp_path: Path) -> None:
    def event(kind: str, **payload: Any) -> Any:
        return {"id": kind, "timestamp": "2026-08-01T10:00:00Z", "payload": {"type": kind, **payload}}

    (tmp_path / "session.json").write_text(
        json.dumps({"id": "s", "workspacePaths": ["/w"], "modelId": "m-1"})
    )
    path = _lines(
        tmp_path,
        "messages.jsonl",
        event("turn_start"),
        event("user", content="look"),
        event("assistant", operationType="Reasoning", content="hm"),
        event("tool_call", toolCallId="c", toolName="read", args={"path": "a.txt"}),
        event("tool_result", toolCallId="c", content="42"),
        event("assistant", operationType="Summary", content="so far"),
        event("assistant", operationType="Say", content="done"),
    )
    loaded = load_conversation(path)
    assert (loaded.format, shape(loaded), summaries(loaded)) == ("kiro", _CALLED, [(3, "so far")])
    assert (loaded.cwd, loaded.model, dict(loaded.report.skipped)) == ("/w", "m-1", {"turn_start": 1})
    chat = {
        "executionId": "e",
        "chat": [{"role": "human", "content": "look"}, {"role": "bot", "content": "done"}],
    }
    loaded = load_conversation(_lines(tmp_path, "a.chat", chat))
    assert (loaded.format, shape(loaded)) == ("kiro", [("human", "look"), ("ai", "done")])


def test_sub_agents_in_a_file_of_qwen_are_conversations(tmp_path: Path) -> None:
    def row(uuid: str, text: str, **fields: Any) -> Any:
        message = {"role": "user", "parts": [{"text": text}]}
        return {"uuid": uuid, "parentUuid": None, "type": "user", "message": message, **fields}

    path = _lines(tmp_path, "a.jsonl", row("1", "look"), row("2", "help", isSidechain=True, agentId="a7"))
    loaded = load_conversation(path)
    assert (shape(loaded), [one.kind for one in loaded.listed]) == ([("human", "look")], ["", "sub-agent"])
    assert dict(loaded.report.skipped) == {"record of another agent": 1}
    assert shape(load_conversation(path, conversation=2)) == [("human", "help")]


def test_earlier_contexts_of_kimi_are_named(tmp_path: Path) -> None:
    rows = ({"role": "_system_prompt", "content": "Be exact."}, {"role": "user", "content": "look"})
    _lines(tmp_path, "context_1.jsonl", *rows)
    loaded = load_conversation(_lines(tmp_path, "context.jsonl", *rows))
    assert "context_1.jsonl" in loaded.report.warnings[0].text


@pytest.mark.parametrize(
    ("name", "files", "count"),
    [
        ("chatgpt", ("conversations-000.json", "conversations-001.json"), 2),
        ("claude_ai", ("conversations.json",), 1),
    ],
)
def test_an_export_is_read_from_its_zip(
    tmp_path: Path, name: str, files: tuple[str, ...], count: int
) -> None:
    path = tmp_path / "export.zip"
    with ZipFile(path, "w") as archive:
        for file in files:
            archive.writestr(file, written(SMALL[name]))
        archive.writestr("file-a.png", b"\x89PNG\r\n")
    loaded = load_conversation(path, conversation=count)
    assert (loaded.format, loaded.siblings, len(loaded.messages)) == (name, count, 4)
    assert dict(loaded.report.skipped) == {"file in the zip that is no transcript: file-a.png": 1}


def test_early_parts_of_opencode_lie_side_by_side(tmp_path: Path) -> None:
    files = {
        "session/p/s1.json": {"id": "s1", "projectID": "p", "directory": "/w"},
        "message/s1/m1.json": {"id": "m1", "role": "user", "time": {"created": 1}},
        "part/p1.json": {"messageID": "m1", "sessionID": "s1", "type": "text", "text": "look"},
        "part/p2.json": {"messageID": "other", "sessionID": "s2", "type": "text", "text": "x"},
    }
    for name, value in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(json.dumps(value))
    assert shape(load_conversation(tmp_path / "session/p/s1.json")) == [("human", "look")]
