"""Faults of a request: a row per message and kind, and what a repair does about them."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.presentation.model import ChecksPage, FaultPage, FaultRow, StatusPage
from tests.core.app.recording_workspace import RecordingHandler


def _use(id: str, name: str) -> dict[str, Any]:
    return {"type": "tool_use", "id": id, "name": name, "input": {"path": "a"}}


def _result(id: str, text: str) -> dict[str, Any]:
    return {"type": "tool_result", "tool_use_id": id, "content": text}


def _said(role: str, *content: Any) -> dict[str, Any]:
    return {"role": role, "content": list(content)}


def _text(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _faults(tmp_path: Path, *messages: dict[str, Any]) -> FaultPage:
    path = tmp_path / "broken.json"
    path.write_text(json.dumps({"model": "claude-sonnet-4-5", "messages": messages}))
    page = RecordingHandler(path).panels(ChecksPage)[-1]
    return next(one.faults for one in page.reports if one.provider == "anthropic")


def _rows(page: FaultPage) -> list[FaultRow]:
    return [row for group in page.groups for row in group.rows]


def test_calls_without_results_are_one_row_of_their_message(tmp_path: Path) -> None:
    page = _faults(
        tmp_path,
        _said("user", _text("Go.")),
        _said("assistant", _use("t1", "Read"), _use("t2", "Read"), _use("t3", "Bash")),
        _said("user", _text("Stop.")),
    )
    (row,) = _rows(page)
    assert row.title == "3 calls in #2 have no result"
    assert row.about == "Read ×2, Bash"
    assert row.mend == "adds 3 results: “no result was recorded”"
    assert page.text == "1 fault, in the session and in the result. Repair mends it."
    assert (
        page.outlook
        == "Then valid for Anthropic. 3 of 3 messages stay as they are; this file is not touched."
    )


def test_the_status_counts_as_checks_does(tmp_path: Path) -> None:
    path = tmp_path / "broken.json"
    calls = _said("assistant", _use("t1", "Read"), _use("t2", "Read"))
    messages = [_said("user", _text("Go.")), calls, _said("user", _text("Stop."))]
    path.write_text(json.dumps({"model": "claude-sonnet-4-5", "messages": messages}))
    (status, *_) = RecordingHandler(path).panels(StatusPage)
    words = [part.text for part in status.parts if "fault" in part.text]
    assert words == ["1 fault for Anthropic, OpenAI, Responses, Gemini"]


def test_a_result_before_its_call_is_told_once(tmp_path: Path) -> None:
    page = _faults(
        tmp_path,
        _said("user", _text("Go.")),
        _said("assistant", _text("I go.")),
        _said("user", _result("t1", "213 passed")),
        _said("assistant", _use("t1", "Bash")),
        _said("user", _text("Next.")),
    )
    (row,) = _rows(page)
    assert row.title == "1 result in #3 stands before its call"
    assert row.mend == "moves it after #4"


def test_the_page_counts_what_stands_elsewhere_in_the_copy(tmp_path: Path) -> None:
    page = _faults(
        tmp_path,
        _said("user", _text("Go.")),
        _said("user", _result("t1", "213 passed")),
        _said("assistant", _use("t1", "Bash")),
        _said("user", _text("Next.")),
    )
    assert (
        "1 change is of the order: Save repaired copy lists what moves." in page.outlook
    )


def test_a_result_without_a_call_becomes_a_note(tmp_path: Path) -> None:
    page = _faults(
        tmp_path,
        _said("user", _text("Go.")),
        _said("assistant", _text("I go.")),
        _said("user", _result("t9", "lost")),
    )
    (row,) = _rows(page)
    assert row.title == "1 result in #3 has no call"
    assert row.mend == "keeps its text as a note of yours"
    assert "t9" in row.tip
    assert "t9" not in row.title


def test_calls_with_one_id_are_told_as_a_pair(tmp_path: Path) -> None:
    page = _faults(
        tmp_path,
        _said("user", _text("Go.")),
        _said("assistant", _use("t1", "Read"), _use("t1", "Bash")),
        _said("user", _result("t1", "a"), _result("t1", "b")),
    )
    row = next(row for row in _rows(page) if row.kind == "twin-id")
    assert row.title == "2 calls in #2 have one id"
    assert row.mend == "gives the second a new id"


def test_thinking_is_counted_and_its_repair_is_its_own(tmp_path: Path) -> None:
    thinking = {"type": "thinking", "thinking": "Look.", "signature": ""}
    page = _faults(
        tmp_path,
        _said("user", _text("Go.")),
        _said("assistant", thinking, thinking, _use("t1", "Read")),
        _said("user", _text("Stop.")),
    )
    row = next(row for row in _rows(page) if row.kind == "unsigned-thinking")
    assert row.title == "2 thinking blocks in #2 are not signed"
    assert row.mend == "removes that turn's thinking"


def test_of_two_results_only_the_lone_one_is_named(tmp_path: Path) -> None:
    page = _faults(
        tmp_path,
        _said("user", _text("Go.")),
        _said("assistant", _use("t1", "Read")),
        _said("user", _result("t1", "found"), _result("t9", "lost")),
    )
    (row,) = _rows(page)
    assert row.title == "1 result in #3 has no call"
    assert row.about == "lost"


def test_many_messages_with_one_fault_are_told_together(tmp_path: Path) -> None:
    turns = [
        turn
        for at in range(5)
        for turn in (
            _said("user", _text("Go.")),
            _said("assistant", _use(f"t{at}", "Read")),
        )
    ]
    page = _faults(tmp_path, *turns, _said("user", _text("Stop.")))
    (group,) = page.groups
    assert group.title == "5 calls in 5 messages have no result"
    assert len(group.rows) == 5


@pytest.mark.req("REPAIR-6")
def test_a_request_in_order_has_no_fault(tmp_path: Path) -> None:
    page = _faults(
        tmp_path, _said("user", _text("Go.")), _said("assistant", _text("Gone."))
    )
    assert (page.count, page.groups, page.outlook) == (0, (), "")
