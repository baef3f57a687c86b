"""Undo of a compaction: the session as it was before, in its own format, or a sentence why not."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.app.services.undo import plan_undo
from core.common.errors import InputError
from core.formats.registry import load_conversation
from core.transcript.scopes import history_of_scope
from tests.core.cli.running_cli import CHAT, RECORDING, SESSION, Cli


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def codex_line(kind: str, payload: dict[str, Any]) -> str:
    return json.dumps(
        {"timestamp": "2026-01-01T00:00:00Z", "type": kind, "payload": payload}
    )


def said(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


@pytest.fixture
def rollout(tmp_path: Path) -> Path:
    """A rollout of Codex with two compactions."""
    first, second = said("user", "Summary one."), said("user", "Summary two.")
    lines = [
        codex_line(
            "session_meta",
            {"id": "s", "cwd": "/p", "timestamp": "2026-01-01T00:00:00Z"},
        ),
        codex_line("response_item", said("user", "Where is the port?")),
        codex_line("response_item", said("assistant", "In db.py.")),
        codex_line("compacted", {"message": "", "replacement_history": [first]}),
        codex_line("response_item", said("user", "Go on.")),
        codex_line("response_item", said("assistant", "Done.")),
        codex_line("compacted", {"message": "", "replacement_history": [second]}),
        codex_line("response_item", said("user", "And now?")),
    ]
    path = tmp_path / "rollout-2026-01-01T00-00-00-s.jsonl"
    path.write_text("\n".join((*lines, "")))
    return path


def texts(path: Path) -> list[str]:
    messages = load_conversation(path).messages
    return [
        getattr(block, "text", "") for message in messages for block in message.blocks
    ]


@pytest.mark.parametrize("source", [SESSION, RECORDING])
def test_the_copy_holds_what_was_before(cli: Cli, tmp_path: Path, source: str) -> None:
    copy = tmp_path / "before.jsonl"
    assert cli.run("undo", source, "-o", str(copy)) == 0
    before, written = load_conversation(source), load_conversation(copy)
    expected = history_of_scope(before, "before:1").messages
    assert len(written.messages) == len(expected)
    assert (written.format, written.recorded) == (before.format, ())
    assert cli.run("lint", str(copy)) == 0


def test_the_newest_compaction_is_undone_by_default(
    cli: Cli, tmp_path: Path, rollout: Path
) -> None:
    copy = tmp_path / "copy.jsonl"
    assert cli.run("undo", str(rollout), "-o", str(copy)) == 0
    assert texts(copy) == ["Summary one.", "Go on.", "Done."]
    assert "1 message after the compaction is left out." in cli.err


def test_an_earlier_compaction_is_undone_by_its_number(
    cli: Cli, tmp_path: Path, rollout: Path
) -> None:
    copy = tmp_path / "copy.jsonl"
    assert cli.run("undo", str(rollout), "-n", "1", "-o", str(copy)) == 0
    assert texts(copy) == ["Where is the port?", "In db.py."]
    assert "not repeated" not in cli.err


def test_the_answer_that_became_the_summary_is_left_out(
    cli: Cli, tmp_path: Path, rollout: Path
) -> None:
    lines = rollout.read_text().splitlines()
    lines.insert(3, codex_line("response_item", said("assistant", "Summary one.")))
    rollout.write_text("\n".join((*lines, "")))
    copy = tmp_path / "copy.jsonl"
    assert cli.run("undo", str(rollout), "-n", "1", "-o", str(copy)) == 0
    assert texts(copy) == ["Where is the port?", "In db.py."]


def test_a_session_without_compactions_is_refused(cli: Cli, tmp_path: Path) -> None:
    error = cli.error_text("undo", CHAT, "-o", str(tmp_path / "x.json"))
    assert "there is nothing to undo" in error


def test_what_the_file_does_not_hold_is_refused(tmp_path: Path) -> None:
    summary = {
        "role": "assistant",
        "content": "All so far.",
        "isSummary": True,
        "ts": 2,
    }
    path = tmp_path / "roo.json"
    path.write_text(json.dumps([{"role": "user", "content": "hi", "ts": 1}, summary]))
    with pytest.raises(
        InputError, match="no longer holds what was there before its compaction 1"
    ):
        plan_undo(load_conversation(path))


def test_the_source_is_never_written(cli: Cli, rollout: Path) -> None:
    before = rollout.read_bytes()
    assert cli.run("undo", str(rollout), "-o", str(rollout), "--yes") == 2
    assert rollout.read_bytes() == before


def test_a_session_of_pi_is_written_as_it_was_before(cli: Cli, tmp_path: Path) -> None:
    talk = [
        ("user", "Where is the port?"),
        ("assistant", "In db.py."),
        ("user", "Go on."),
    ]
    lines: list[dict[str, Any]] = [
        {
            "type": "session",
            "version": 3,
            "id": "s",
            "timestamp": "2026-01-01",
            "cwd": "/p",
        }
    ]
    for at, (role, text) in enumerate(talk):
        message = {"role": role, "content": [{"type": "text", "text": text}]}
        entry = {
            "id": f"e{at}",
            "parentId": f"e{at - 1}" if at else None,
            "timestamp": "2026-01-01",
        }
        lines.append({"type": "message", **entry, "message": message})
    summary = {
        "summary": "The port is in db.py.",
        "firstKeptEntryId": "e2",
        "tokensBefore": 900,
    }
    lines.insert(3, {"type": "compaction", "id": "c", "parentId": "e1", **summary})
    lines[-1]["parentId"] = "c"
    path, copy = tmp_path / "session.jsonl", tmp_path / "before.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    assert cli.run("undo", str(path), "-o", str(copy)) == 0
    assert texts(copy) == ["Where is the port?", "In db.py."]
    assert load_conversation(copy).format == "pi_agent"


def opencode_session(folder: Path) -> Path:
    """An export of opencode with a compaction after two messages."""

    def record(number: int, role: str, part: dict[str, Any], **info: Any) -> Any:
        ids = {"id": f"m{number}", "sessionID": "s"}
        time = {"created": number, "completed": number}
        part = {"id": f"p{number}", "messageID": f"m{number}", "sessionID": "s", **part}
        return {"info": {**ids, "role": role, "time": time, **info}, "parts": [part]}

    def text(words: str) -> dict[str, Any]:
        return {"type": "text", "text": words}

    answer = {"modelID": "m", "providerID": "p", "finish": "stop"}
    records = [
        record(1, "user", text("Where is the port?")),
        record(2, "assistant", text("In db.py."), **answer),
        record(3, "user", {"type": "compaction", "auto": True}),
        record(4, "assistant", text("Summary one."), **answer, summary=True),
        record(5, "user", text("Go on.")),
        record(6, "assistant", text("Done."), **answer),
    ]
    head = {"id": "s", "title": "t", "version": "1.0", "directory": "/p"}
    path = folder / "opencode.json"
    info = {**head, "time": {"created": 1, "updated": 6}}
    path.write_text(json.dumps({"info": info, "messages": records}))
    return path


def gemini_session(folder: Path) -> Path:
    """A session of Gemini CLI that was rewritten to a summary after two messages."""

    def row(number: int, kind: str, words: str) -> dict[str, Any]:
        time = f"2026-05-01T08:00:0{number}.000Z"
        text = words if kind == "gemini" else [{"text": words}]
        return {"id": f"r{number}", "timestamp": time, "type": kind, "content": text}

    summary = "<state_snapshot>Summary one.</state_snapshot>"
    lines = [
        {
            "sessionId": "s",
            "projectHash": "f" * 64,
            "startTime": "2026-05-01T08:00:00Z",
        },
        row(1, "user", "Where is the port?"),
        row(2, "gemini", "In db.py."),
        {"$set": {"messages": [row(3, "user", summary)]}},
        row(4, "user", "Go on."),
        row(5, "gemini", "Done."),
    ]
    path = folder / "session-2026-05-01T08-00-s.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)) + "\n")
    return path


@pytest.mark.parametrize("made", [opencode_session, gemini_session])
def test_a_session_of_a_small_agent_is_undone(
    cli: Cli, tmp_path: Path, made: Callable[[Path], Path]
) -> None:
    source, copy = made(tmp_path), tmp_path / f"before{made(tmp_path).suffix}"
    assert cli.run("undo", str(source), "-o", str(copy)) == 0
    assert texts(copy) == ["Where is the port?", "In db.py."]
    written = load_conversation(copy)
    assert (written.format, written.recorded) == (load_conversation(source).format, ())
    assert "2 messages after the compaction are left out." in cli.err


def test_a_format_that_is_only_read_is_refused_with_another_way() -> None:
    session = replace(load_conversation(SESSION), format="goose")
    with pytest.raises(InputError, match="does not write goose") as refused:
        plan_undo(session)
    assert "foldline convert FILE --scope before:1" in refused.value.hint
