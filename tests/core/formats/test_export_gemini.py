"""Export to Gemini CLI and Gemini contents: unchanged, compacted, and from other formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.export.export import export_history
from core.formats.registry import load_conversation
from core.formats.writing.export_messages import ExportInput
from core.lint.lint import lint_messages
from core.transcript.model import Speaker, tool_calls, tool_responses
from tests.builders import ai, call, conversation, human, response, tool
from tests.core.formats.exporting import edited_export, export_and_load, unchanged_export, with_text
from tests.core.formats.gemini_files import (
    HEAD,
    answer,
    call_part,
    called,
    content_entry,
    contents,
    log,
    repeated,
    result_part,
    row,
    session,
    user,
)

CLI, API = "gemini_cli", "gemini"
DONE = called("c1", path="tides.txt")
RECORDS = [
    row("info", "first of all"),
    user("u1", "Which tides?", displayContent=[{"text": "tides?"}]),
    answer(
        "g1", "I look.", DONE, thoughts=[{"subject": "S", "description": "d", "timestamp": "t"}], tokens={}
    ),
    repeated("u2", DONE),
    row("warning"),
    answer("g2", "Two."),
    user("u3", "Why?"),
    answer("g3", [{"text": "The moon."}], thoughts=[]),
    user("u4", "And the sun?"),
    answer("g4", "A little."),
]


def records(given: ExportInput) -> list[Any]:
    """Export and return the records of the session object."""
    found = json.loads(export_history(given, CLI).data)["messages"]
    assert isinstance(found, list)
    return found


@pytest.mark.parametrize("write", [session, log])
def test_taking_out_the_last_message_leaves_the_other_records_as_they_were(
    tmp_path: Path, write: Any
) -> None:
    source = load_conversation(write(tmp_path, *RECORDS))
    written = export_history(edited_export(source, {len(source.messages) - 1: None}), CLI).data
    one = [json.loads(written)] if write is session else [json.loads(line) for line in written.splitlines()]
    left = [record for record in RECORDS[:-1] if record["id"] != "u2"]
    assert one == ([{**HEAD, "messages": left}] if write is session else [HEAD, *left])


def test_an_edited_result_keeps_its_record_but_not_what_shows_the_old_one(tmp_path: Path) -> None:
    source = load_conversation(session(tmp_path, *RECORDS))
    (written,) = (
        one
        for one in records(edited_export(source, {2: with_text(source.messages[2], 0, "[pruned]")}))
        if one["id"] == "g1"
    )
    assert written["toolCalls"] == [
        {
            "id": "c1",
            "name": "read_file",
            "args": {"path": "tides.txt"},
            "status": "success",
            "result": [
                {"functionResponse": {"id": "c1", "name": "read_file", "response": {"output": "[pruned]"}}}
            ],
        }
    ]
    expected = {key: value for key, value in RECORDS[2].items() if key != "toolCalls"}
    assert {key: value for key, value in written.items() if key != "toolCalls"} == expected


def test_a_session_from_elsewhere_joins_calls_and_results(tmp_path: Path) -> None:
    two = ai("both", call("read", "a", path="x"), call("list", "b"), thinking="hm")
    source = conversation(
        human("q"), two, tool(response("a", "read", "1")), human("wait"),
        tool(response("b", "list", None, error="no")), ai("end"),
        system="rule", model="m-1", format="claude_code",
    )  # fmt: skip
    exported = export_history(unchanged_export(source), CLI)
    value = json.loads(exported.data)
    assert [record["type"] for record in value["messages"]] == ["user", "gemini", "user", "gemini"]
    model = value["messages"][1]
    assert [one["description"] for one in model["thoughts"]] == ["hm"]
    assert [one["status"] for one in model["toolCalls"]] == ["success", "error"]
    assert model["toolCalls"][1]["result"][0]["functionResponse"]["response"] == {"error": "no"}
    assert exported.warnings == ("Left out because Gemini CLI has no place for it: system prompt.",)
    back = export_and_load(unchanged_export(source), CLI, tmp_path)
    assert [message.speaker for message in back.messages][:3] == [Speaker.HUMAN, Speaker.AI, Speaker.TOOL]
    assert lint_messages(back.messages, "gemini") == ()


CLI, API = "gemini_cli", "gemini"


def test_parts_that_are_a_text_or_one_part_are_joined_and_others_stay_apart(tmp_path: Path) -> None:
    talk = [content_entry("user", "q"), {"role": "user", "parts": "why"}, content_entry("model", "a")]
    one, odd = {"role": "user", "parts": {"text": "so"}}, {"role": "user", "parts": 7}
    source = contents(tmp_path, {"contents": [*talk, one, content_entry("model", "b"), odd]})
    written = json.loads(export_history(edited_export(source, {2: None}), API).data)["contents"]
    assert written == [
        content_entry("user", "q"),
        content_entry("user", "why", "so"),
        content_entry("model", "b"),
        odd,
    ]
    written = json.loads(export_history(edited_export(source, {4: None}), API).data)["contents"]
    assert written == [*talk, one, odd]


def test_results_without_an_id_leave_those_with_one_to_their_calls(tmp_path: Path) -> None:
    asked = content_entry("model", call_part("read", path="a"), call_part("read", "x", path="b"))
    told = content_entry("user", result_part("read", "of a"), result_part("read", "of b", "x"))
    for results in (
        told["parts"],
        told["parts"][::-1],
        [result_part("read", "of a"), result_part("read", "of b")],
    ):
        source = contents(tmp_path, [content_entry("user", "q"), asked, content_entry("user", *results)])
        calls = [one.id for one in tool_calls(source.messages[1])]
        found = {one.call_id: one.result for one in tool_responses(source.messages[2])}
        assert [found[id] for id in calls] == ["of a", "of b"]
