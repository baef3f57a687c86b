"""Reported request sizes of files, and the answer that each report belongs to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.common.json_value import Json
from core.formats.registry import load_conversation
from core.transcript.model import ReportedUsage
from tests.core.formats import codex_lines as codex


def reports(path: Path, *lines: Json, whole: Json = None, **fields: Any) -> list[tuple[int, int, int | None]]:
    """Return index of the answer, request and answer in tokens for a file with these lines or this value."""
    text = json.dumps(whole) if whole is not None else "\n".join(map(json.dumps, lines))
    path.write_text(text)
    return [(one.message_index, one.context, one.output) for one in load_conversation(path, **fields).usage]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "session.jsonl"


def claude(kind: str, uuid: str, message: Json, **fields: Json) -> Json:
    return {"type": kind, "uuid": uuid, "parentUuid": None, "sessionId": "s", "message": message, **fields}


def said(id_: str, read: int, output: int, **block: Json) -> Json:
    usage = {"input_tokens": 3, "cache_read_input_tokens": read, "output_tokens": output}
    part = block or {"type": "text", "text": "ok"}
    return {"id": id_, "role": "assistant", "model": "claude-opus-4-6", "content": [part], "usage": usage}


def test_claude_code_by_the_first_line_of_an_answer_without_side_chains(path: Path) -> None:
    call = {"type": "tool_use", "id": "t", "name": "Read", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "t", "content": "text"}
    error = {**said("m9", 5, 5), "model": "<synthetic>"}
    assert reports(
        path,
        claude("user", "a", {"role": "user", "content": "Go on."}),
        claude("assistant", "b", said("m1", 20_000, 1)),
        claude("assistant", "c", said("m1", 20_000, 90, **call)),
        claude("user", "d", {"role": "user", "content": [result]}),
        claude("assistant", "e", said("x", 700, 7), isSidechain=True, agentId="z"),
        claude("assistant", "f", error),
        claude("assistant", "g", said("m2", 21_000, 40)),
    ) == [(1, 20_003, 90), (4, 21_003, 40)]


def test_codex_by_answer_not_by_line(path: Path) -> None:
    assert reports(
        path,
        codex.meta(),
        codex.user("Look."),
        codex.reasoning("r"),
        codex.call("1"),
        codex.output("1"),
        counted(5_000, 1),
        codex.call("2"),
        codex.output("2"),
        counted(6_000, 2),
        counted(6_000, 2),
        codex.answer("Done."),
        counted(7_000, 3),
    ) == [(1, 5_000, 9), (3, 6_000, 9), (5, 7_000, 9)]


def test_codex_as_old_versions_wrote_it_before_the_answer(path: Path) -> None:
    assert reports(
        path,
        codex.meta(),
        codex.user("Look."),
        counted(5_000, 1),
        codex.call("1"),
        codex.output("1"),
        counted(6_000, 2),
        codex.answer("Done."),
    ) == [(1, 5_000, 9), (3, 6_000, 9)]


def counted(asked: int, number: int) -> Json:
    usage = {"input_tokens": asked, "output_tokens": 9, "total_tokens": asked + 9}
    info = {"last_token_usage": usage, "total_token_usage": {"total_tokens": 10_000 * number}}
    return codex.event("token_count", info=info)


def test_gemini_cli(path: Path) -> None:
    tokens = {"input": 11_855, "output": 81, "cached": 9_000, "total": 11_936}
    answer = {"id": "2", "type": "gemini", "content": "Yes.", "model": "gemini-3-flash", "tokens": tokens}
    messages = [{"id": "1", "type": "user", "content": "Is it?"}, answer]
    whole = {"sessionId": "s", "projectHash": "h", "messages": messages}
    assert reports(path, whole=whole, format="gemini_cli") == [(1, 11_855, 81)]


def test_pi(path: Path) -> None:
    usage = {"input": 10, "output": 40, "cacheRead": 1_600, "cacheWrite": 77}
    answer = {"role": "assistant", "content": [{"type": "text", "text": "Hi."}], "usage": usage}
    assert reports(
        path,
        {"type": "session", "id": "s"},
        {"type": "message", "message": {"role": "user", "content": "Hello"}},
        {"type": "message", "message": answer},
        format="pi_agent",
    ) == [(1, 1_687, 40)]


def test_mini_swe_agent(path: Path) -> None:
    usage = {"prompt_tokens": 1_540, "completion_tokens": 85}
    answer = {"role": "assistant", "content": "ls", "extra": {"response": {"usage": usage}}}
    messages = [{"role": "system", "content": "s"}, {"role": "user", "content": "Fix it."}, answer]
    whole = {"trajectory_format": "mini-swe-agent-1", "info": {}, "messages": messages}
    assert reports(path, whole=whole) == [(1, 1_540, 85)]


def test_atif(path: Path) -> None:
    metrics = {"prompt_tokens": 900, "completion_tokens": 50}
    steps = [
        {"step_id": 1, "source": "user", "message": "Do it."},
        {"step_id": 2, "source": "agent", "message": "Done.", "metrics": metrics},
    ]
    assert reports(path, whole={"schema_version": "ATIF-v1.4", "steps": steps}) == [(1, 900, 50)]


def test_goose_of_its_last_request_alone(path: Path) -> None:
    assert reports(
        path,
        {"working_dir": "/w", "input_tokens": 8_000, "output_tokens": 12},
        {"role": "user", "created": 1, "content": [{"type": "text", "text": "Hello"}]},
        {"role": "assistant", "created": 2, "content": [{"type": "text", "text": "Hi."}]},
        format="goose",
    ) == [(1, 8_000, 12)]


@pytest.mark.parametrize(
    ("folder", "name", "expected"),
    [
        ("pi_agent", "02_pi-large-session.jsonl", 439),
        ("openhands", "01_openhands-sdk-events.jsonl", 2),
        ("openhands", "03_openhands-basic-traj.json", 2),
        ("inspect_ai", "09_docent-ctf.json", 3),
        ("mini_swe_agent", "06_mini-pvlib-python-1606.traj.json", 76),
        ("codex_rollout", "13_agentv.jsonl", 182),
        ("claude_code", "36_entire-cli.jsonl", 134),
    ],
)
def test_requests_that_real_files_report(corpus: Path, folder: str, name: str, expected: int) -> None:
    found = load_conversation(corpus / folder / name).usage
    assert len(found) == expected
    assert [one.message_index for one in found] == sorted({one.message_index for one in found})


def test_a_report_names_its_model(path: Path) -> None:
    path.write_text(json.dumps(claude("assistant", "b", said("m1", 20_000, 1))))
    assert load_conversation(path, format="claude_code").usage == (
        ReportedUsage(0, 20_003, 1, "claude-opus-4-6"),
    )
