"""Export to ShareGPT: a dataset with one changed entry, a new one, and losses."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.export.export import export_history
from core.formats.registry import load_conversation
from core.formats.writing.export_messages import ExportInput
from core.transcript.model import Message, ToolCall
from tests.builders import ai, call, conversation, human, response, tool
from tests.core.formats.exporting import (
    compacted_export,
    corpus_files,
    edited_export,
    export_and_load,
    unchanged_export,
    with_text,
)

CALL: dict[str, Any] = {
    "from": "function_call",
    "value": '{"name": "tide", "arguments": {"port": "Brest"}}',
    "weight": 0,
}
TURNS = [
    {"from": "human", "value": "When is high tide?"},
    CALL,
    {"from": "observation", "value": "06:12 and a long table"},
    {"from": "gpt", "value": "At 06:12."},
]
OTHER = {"conversations": [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "hello"}], "score": 3}


def dataset(folder: Path, *, lines: bool = False) -> Path:
    entries = [OTHER, {"conversations": TURNS, "system": "Be brief", "tools": "[]", "id": 7}, OTHER]
    path = folder / "data"
    path.write_text("\n".join(map(json.dumps, entries)) if lines else json.dumps(entries))
    return path


def values(given: ExportInput) -> Any:
    return json.loads(export_history(given, "sharegpt").data)


def turns(*messages: Message) -> Any:
    return values(unchanged_export(conversation(*messages)))[0]["conversations"]


@pytest.mark.parametrize("path", corpus_files("sharegpt"))
def test_the_corpus_comes_back_with_one_entry_compacted(path: Path, tmp_path: Path) -> None:
    raw = json.loads(path.read_text("utf-8"))
    loaded = load_conversation(path, conversation=2)
    assert json.loads(export_history(unchanged_export(loaded), "sharegpt").data) == raw
    given = compacted_export(loaded)
    written = values(given)
    assert [one for at, one in enumerate(written) if at != 1] == [
        one for at, one in enumerate(raw) if at != 1
    ]
    assert written[1]["tools"] == raw[1]["tools"]
    assert len(export_and_load(given, "sharegpt", tmp_path, 2).messages) == len(given.messages)


@pytest.mark.parametrize("lines", [False, True])
def test_a_changed_turn_keeps_its_fields_and_all_other_entries_stay(lines: bool, tmp_path: Path) -> None:
    loaded = load_conversation(dataset(tmp_path, lines=lines), conversation=2)
    shorter = with_text(loaded.messages[2], 0, "06:12")
    call_ = loaded.messages[1].blocks[0]
    assert isinstance(call_, ToolCall)
    smaller = replace(loaded.messages[1], blocks=(replace(call_, arguments={}),))
    data = export_history(edited_export(loaded, {1: smaller, 2: shorter, 3: None}), "sharegpt").data
    written = [json.loads(line) for line in data.splitlines()] if lines else json.loads(data)
    assert (written[0], written[2]) == (OTHER, OTHER)
    assert {key: written[1][key] for key in ("system", "tools", "id")} == {
        "system": "Be brief",
        "tools": "[]",
        "id": 7,
    }
    assert written[1]["conversations"] == [
        TURNS[0],
        {**CALL, "value": '{"name":"tide","arguments":{}}'},
        {**TURNS[2], "value": "06:12"},
    ]


def test_parallel_calls_stand_before_their_own_results() -> None:
    both = ai("I look", call("tide", "a", port="Brest"), call("moon", "b"), call("sun", "c"))
    answers = tool(response("b", "moon", "full"), response("a", "tide", "06:12"))
    written = turns(human("hi"), both, answers, ai("done"))
    assert [one["from"] for one in written] == [
        "human",
        "gpt",
        "function_call",
        "observation",
        "function_call",
        "observation",
        "function_call",
        "gpt",
    ]
    assert json.loads(written[2]["value"])["name"] == "tide"
    assert written[3]["value"] == "06:12"
