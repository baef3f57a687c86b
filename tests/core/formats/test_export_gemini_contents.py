"""Gemini contents read and written: unchanged, edited, compacted."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from core.export.export import export_history
from core.formats.registry import load_conversation
from core.lint.lint import lint_messages
from core.transcript.model import Speaker, tool_calls, tool_responses
from tests.core.formats.converting import export_to
from tests.core.formats.exporting import compacted_export, edited_export, unchanged_export, with_text
from tests.core.formats.gemini_files import (
    answer,
    call_part,
    called,
    content_entry,
    contents,
    result_part,
    session,
    user,
)

CLI, API = "gemini_cli", "gemini"
CONTENTS = [
    content_entry("user", "Which tides?"),
    content_entry(
        "model", {"text": "hm", "thought": True}, {**call_part("read", path="a"), "thoughtSignature": "sig"}
    ),
    content_entry("user", result_part("read", "42")),
    content_entry("model", "Two."),
    content_entry("user", "Why?"),
    content_entry("model", "The moon."),
]


@pytest.mark.parametrize("wrap", [None, "contents", "history"])
def test_contents_keep_their_container_and_other_fields(tmp_path: Path, wrap: str | None) -> None:
    value: Any = {wrap: CONTENTS, "authType": "x", "tools": [{"googleSearch": {}}]} if wrap else CONTENTS
    source = contents(tmp_path, value)
    assert json.loads(export_history(unchanged_export(source), API).data) == value
    last = len(source.messages) - 1
    written = json.loads(export_history(edited_export(source, {last: None}), API).data)
    assert written == ({**value, wrap: CONTENTS[:-1]} if wrap else CONTENTS[:-1])


def test_an_edited_content_keeps_signatures_and_missing_ids(tmp_path: Path) -> None:
    source = contents(tmp_path, CONTENTS)
    shorter = replace(source.messages[1], blocks=source.messages[1].blocks[1:])
    pruned = with_text(source.messages[2], 0, "[pruned]")
    written = json.loads(export_history(edited_export(source, {1: shorter, 2: pruned}), API).data)
    assert written[1] == content_entry("model", {**call_part("read", path="a"), "thoughtSignature": "sig"})
    assert written[2] == content_entry("user", result_part("read", "[pruned]"))


def test_parts_that_are_not_understood_stay_beside_an_edit(tmp_path: Path) -> None:
    odd = {"toolCall": {"toolType": "GOOGLE_SEARCH", "id": "t"}}
    source = contents(
        tmp_path,
        [content_entry("user", "q"), content_entry("model", odd, "long"), content_entry("user", "q")],
    )
    exported = export_history(edited_export(source, {1: with_text(source.messages[1], 1, "short")}), API)
    assert (json.loads(exported.data)[1], exported.warnings) == (content_entry("model", odd, "short"), ())
    call = called("c1", path="a")
    asked = answer("g1", "", {**call, "result": [*call["result"], odd]})
    source = load_conversation(session(tmp_path, user("u1", "q"), asked, user("u2", "q")))
    exported = export_history(edited_export(source, {2: with_text(source.messages[2], 0, "cut")}), CLI)
    result = json.loads(exported.data)["messages"][1]["toolCalls"][0]["result"]
    assert (result[1:], exported.warnings) == ([odd], ())


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


def test_compacted_contents_are_a_valid_request(tmp_path: Path) -> None:
    path, _ = export_to(compacted_export(contents(tmp_path, {"contents": CONTENTS})), API, tmp_path)
    back = load_conversation(path)
    roles = [message.speaker is Speaker.AI for message in back.messages]
    assert all(one != other for one, other in pairwise(roles))
    assert lint_messages(back.messages, "gemini") == ()


def test_odd_entries_stay_as_they_are(tmp_path: Path) -> None:
    odd: list[Any] = ["", None, [], 7, {"role": ["x"], "parts": 3}, {"parts": [None, {}, "words"]}]
    source = contents(tmp_path, {"contents": [*CONTENTS, *odd]})
    last = len(source.messages) - len(odd) - 1
    written = json.loads(export_history(edited_export(source, {last: None}), API).data)["contents"]
    assert written == [*CONTENTS[:-1], *odd]
