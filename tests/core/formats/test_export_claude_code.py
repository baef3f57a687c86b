"""Claude Code sessions: kept lines are the source's own, links hold, new lines are new."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import InputError
from core.export.export import export_history
from core.formats.common.messages import INPUT_TOKEN_FIELDS
from core.formats.registry import load_conversation
from core.formats.writing.export_messages import ExportInput
from core.transcript.model import Conversation
from tests import forked_session
from tests.core.formats.exporting import (
    ACK,
    SUMMARY,
    compacted_export,
    corpus_files,
    edited_export,
    load_written,
    with_text,
)

COMPACTED = "claude_code/35_packmind-context-evaluator.jsonl"


def _lines(given: ExportInput, **options: Any) -> list[dict[str, Any]]:
    return [json.loads(line) for line in export_history(given, "claude_code", **options).data.splitlines()]


def _line(uuid: str, parent: str | None, kind: str, content: Any, **fields: Any) -> dict[str, Any]:
    message = {"role": kind, "content": content} | ({"id": f"m-{uuid}"} if kind == "assistant" else {})
    base = {"parentUuid": parent, "sessionId": "s", "type": kind, "uuid": uuid, "message": message}
    return base | {"timestamp": "2026-01-01T00:00:00Z", "mine": 1} | fields


def _call(id_: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": id_, "name": "Read", "input": {}, "caller": {"type": "direct"}}


def _result(id_: str, text: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id_, "content": text, "is_error": False}


@pytest.fixture
def session(tmp_path: Path) -> Conversation:
    """Two turns: a question, parallel calls over two lines with progress between, and an answer."""
    two = [_line("b", "a", "assistant", [_call("t1")]), _line("c", "b", "assistant", [_call("t2")])]
    two[1]["message"]["id"] = "m-b"
    return load_written(
        tmp_path,
        {"type": "custom-title", "customTitle": "T", "sessionId": "s"},
        _line("a", None, "user", "question"),
        two[0],
        {"type": "progress", "uuid": "p", "parentUuid": "b", "sessionId": "s"},
        _line("d", "b", "user", [_result("t1", "one")], toolUseResult={"stdout": "one"}),
        two[1],
        _line("e", "c", "user", [_result("t2", "two"), {"type": "text", "text": "also"}]),
        _line("f", "e", "assistant", [{"type": "text", "text": "answer"}]),
        _line("g", "f", "user", "next"),
        _line("h", "g", "assistant", [{"type": "text", "text": "end"}]),
        {"type": "summary", "summary": "T", "leafUuid": "f"},
    )


def test_an_edited_block_is_patched_and_its_rich_copy_goes(session: Conversation) -> None:
    result = session.messages[2]
    lines = _lines(edited_export(session, {2: with_text(result, 0, "…")}))
    assert len(lines) == 11
    patched = lines[4]
    assert patched["message"]["content"] == [_result("t1", "…")]
    assert patched["mine"] == 1
    assert "toolUseResult" not in patched


def test_only_the_human_half_of_a_line_may_stay(session: Conversation) -> None:
    lines = _lines(edited_export(session, {3: None}))
    (half,) = [line for line in lines if line.get("uuid") == "e"]
    assert half["message"]["content"] == [{"type": "text", "text": "also"}]


def test_what_goes_takes_its_progress_and_links_close_over_it(session: Conversation) -> None:
    lines = _lines(edited_export(session, dict.fromkeys(range(1, 6))))
    assert [line.get("uuid") for line in lines] == [None, "a", "g", "h", None]
    assert lines[2]["parentUuid"] == "a"
    assert lines[-1]["leafUuid"] == "h"


@pytest.mark.parametrize("path", corpus_files("claude_code"))
def test_every_link_leads_to_an_earlier_line(path: Path) -> None:
    conversation = load_conversation(path)
    if len(conversation.messages) < 3:
        pytest.skip("too few messages")
    lines = _lines(compacted_export(conversation))
    seen: set[str] = set()
    roots = 0
    for line in lines:
        if "parentUuid" in line and not line.get("isSidechain"):
            roots += line["parentUuid"] is None
            assert line["parentUuid"] is None or line["parentUuid"] in seen
        seen.add(line.get("uuid", ""))
    assert roots == 1


@pytest.mark.parametrize("path", corpus_files("claude_code"))
def test_kept_lines_are_verbatim_but_for_their_parent_and_what_their_request_took(path: Path) -> None:
    conversation = load_conversation(path)
    source = path.read_bytes().decode("utf-8", "replace").split("\n")
    there = {_without_parent(line) for line in source if line.strip()}
    new = [
        line
        for line in export_history(compacted_export(conversation), "claude_code")
        .data.decode("utf-8", "replace")
        .split("\n")
        if line and _without_parent(line) not in there
    ]
    assert sum(SUMMARY in line or ACK in line for line in new) == 2
    assert all("leafUuid" in line for line in new if SUMMARY not in line and ACK not in line)


def _without_parent(line: str) -> str:
    try:
        value = json.loads(line)
    except ValueError:
        return line
    if not isinstance(value, dict):
        return line
    message = value.get("message")
    if isinstance(message, dict) and isinstance(message.get("usage"), dict):
        known = {name: size for name, size in message["usage"].items() if name not in INPUT_TOKEN_FIELDS}
        value = {**value, "message": {**message, "usage": known}}
    return json.dumps({key: field for key, field in value.items() if key != "parentUuid"})


def test_the_source_with_a_boundary_behind_it(session: Conversation, tmp_path: Path) -> None:
    given = compacted_export(session)
    exported = export_history(given, "claude_code", append_boundary=True)
    source = session.document.path
    assert source is not None
    assert exported.data.startswith(source.read_bytes())
    boundary, summary = map(json.loads, exported.data.splitlines()[-2:])
    assert boundary["subtype"] == "compact_boundary"
    assert (boundary["parentUuid"], boundary["logicalParentUuid"]) == (None, "h")
    assert boundary["compactMetadata"]["preTokens"] == 150_000
    assert summary["isCompactSummary"] is True
    assert summary["parentUuid"] == boundary["uuid"]
    assert summary["message"]["content"] == SUMMARY


def test_a_boundary_for_the_whole_of_a_compacted_session_is_warned_of(corpus: Path) -> None:
    conversation = load_conversation(corpus / COMPACTED)
    for scope, is_said in (("all", True), ("current", False)):
        warnings = export_history(
            compacted_export(conversation, scope), "claude_code", append_boundary=True
        ).warnings
        assert any("--scope current" in warning for warning in warnings) is is_said


@pytest.mark.parametrize(("conversation", "branch"), [(1, 2), (2, 1), (3, 1)])
def test_a_boundary_is_for_what_the_agent_goes_on_with(
    tmp_path: Path, conversation: int, branch: int
) -> None:
    source = load_conversation(forked_session.write(tmp_path), conversation=conversation, branch=branch)
    with pytest.raises(InputError, match="continue"):
        export_history(compacted_export(source), "claude_code", append_boundary=True)


def test_a_changed_source_is_refused(session: Conversation) -> None:
    source = session.document.path
    assert source is not None
    source.write_text("{}")
    with pytest.raises(InputError, match="changed"):
        export_history(compacted_export(session), "claude_code")
