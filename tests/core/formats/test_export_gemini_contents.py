"""Gemini contents read and written: unchanged, edited, compacted."""

from __future__ import annotations

import json
from pathlib import Path

from core.export.export import export_history
from core.transcript.model import tool_calls, tool_responses
from tests.core.formats.exporting import edited_export
from tests.core.formats.gemini_files import call_part, content_entry, contents, result_part

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
