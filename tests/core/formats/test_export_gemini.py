"""Export to Gemini CLI and Gemini contents: unchanged, compacted, and from other formats."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.export.export import export_history
from core.formats.registry import load_conversation
from core.formats.writing.base import ExportInput
from core.lint.lint import lint_messages
from core.transcript.model import Code, Conversation, Media, Opaque, Speaker, SystemPart, Thinking
from tests.builders import ai, call, conversation, human, response, system, tool
from tests.core.formats.exporting import edited_export, unchanged_export, with_text
from tests.core.formats.gemini_files import HEAD, answer, called, log, repeated, row, session, user

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


def again(given: ExportInput, to: str, folder: Path) -> Conversation:
    """Export and read the result."""
    path = folder / "exported"
    path.write_bytes(export_history(given, to).data)
    return load_conversation(path)


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


def test_a_patched_record_is_written_as_it_became(tmp_path: Path) -> None:
    awaited = answer("g1", "I look.", called("c1", output=None))
    patch = {"$patch": {"id": "g1", "toolCalls": [{"id": "c1", "result": DONE["result"]}]}}
    source = load_conversation(log(tmp_path, RECORDS[1], awaited, patch, *RECORDS[5:]))
    back = again(edited_export(source, {len(source.messages) - 1: None}), CLI, tmp_path)
    assert back.messages[2].blocks == source.messages[2].blocks


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


def test_a_log_is_written_without_what_was_rewritten_and_taken_back(tmp_path: Path) -> None:
    summary = user("s", "<state_snapshot>read</state_snapshot>")
    lines = [*RECORDS[1:3], {"$set": {"lastUpdated": "later", "messages": [summary]}}]
    lines += [user("u9", "wrong"), {"$rewindTo": "u9"}, user("u5", "next"), answer("g5", "done")]
    source = load_conversation(log(tmp_path, *lines))
    written = export_history(unchanged_export(source, "current"), CLI).data
    found = [json.loads(line) for line in written.splitlines()]
    assert found == [HEAD, {"$set": {"lastUpdated": "later"}}, summary, lines[-2], lines[-1]]
    back = again(unchanged_export(load_conversation(source.document.path or "", branch=2)), CLI, tmp_path)
    assert back.messages[-1].id == "u9"


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
    back = again(unchanged_export(source), CLI, tmp_path)
    assert [message.speaker for message in back.messages][:3] == [Speaker.HUMAN, Speaker.AI, Speaker.TOOL]
    assert lint_messages(back.messages, "gemini") == ()


def test_a_request_from_elsewhere() -> None:
    schema = {"type": "object", "properties": {}}
    tools = ({"name": "read", "description": "Reads.", "input_schema": schema}, 7)
    image = [
        {"type": "text", "text": "a map"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}},
    ]
    signed = replace(ai("x"), blocks=(Thinking("hm", {"signature": "theirs"}), Code("1+1", "python")))
    source = conversation(
        human("look", Media("image/png", "QUJD"), Media("image/png", "https://tides.example/a.png")),
        ai("", call("read", "a"), call("read", "b")), tool(response("a", "read", image)), human("note"),
        tool(response("b", "read", {"rows": 3})), signed, system("rule"), human("", Opaque("odd", 1)),
        system=SystemPart(("Be kind.",), tools),
    )  # fmt: skip
    exported = export_history(unchanged_export(source), API)
    value = json.loads(exported.data)
    assert value["systemInstruction"] == {"parts": [{"text": "Be kind."}]}
    assert value["tools"] == [
        {"functionDeclarations": [{"name": "read", "description": "Reads.", "parametersJsonSchema": schema}]}
    ]
    assert [content["role"] for content in value["contents"]] == ["user", "model", "user", "model", "user"]
    assert value["contents"][0]["parts"][1:] == [
        {"inlineData": {"mimeType": "image/png", "data": "QUJD"}},
        {"fileData": {"mimeType": "image/png", "fileUri": "https://tides.example/a.png"}},
    ]
    results = value["contents"][2]["parts"]
    assert [part.get("functionResponse", {}).get("response") for part in results] == [
        {"output": "a map"},
        {"rows": 3},
        None,
        None,
    ]
    assert results[2] == {"inlineData": {"mimeType": "image/png", "data": "QUJD"}}
    assert exported.warnings == (
        "Left out because Gemini has no place for it: odd, message without content, tool definition.",
        "Written differently for Gemini: media of a tool result as parts beside it, code block as text, "
        "system message as user.",
    )
