"""Items of the Responses API: containers, the system part, compaction items, odd records."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from core.formats.registry import load_conversation
from core.transcript.model import (
    MessageFlag,
    Speaker,
    tool_calls,
    tool_responses,
)
from core.transcript.scopes import history_of_scope
from tests.core.formats.codex_lines import answer, call, compaction, output, reasoning, user
from tests.core.formats.exporting import corpus_files, load_written

TALK = [
    user("hi"),
    reasoning("rs"),
    answer("I look"),
    call("a"),
    call("b"),
    output("a"),
    output("b"),
    answer("x"),
]
TOOL = {"type": "function", "name": "exec_command", "parameters": {}}


@pytest.mark.parametrize(
    "value",
    [
        TALK,
        {"model": "gpt-5.4", "instructions": "Be brief.", "input": TALK, "tools": [TOOL]},
        {"object": "response", "output": TALK, "usage": {"input_tokens": 70}},
        {"object": "list", "data": TALK, "has_more": False},
        [{"input": TALK}, {"input": TALK}],
    ],
    ids=["array", "request", "response", "list", "several"],
)
def test_containers(value: Any, tmp_path: Path) -> None:
    found = load_written(tmp_path, value, lines=False)
    assert found.format == "openai_responses"
    assert [message.speaker.value for message in found.messages] == ["human", "ai", "tool", "tool", "ai"]
    assert len(found.messages[1].sources) == 4
    assert found.siblings == (2 if "input" in str(value)[:10] and isinstance(value, list) else 1)


def test_lines_of_requests_and_lines_of_items(tmp_path: Path) -> None:
    several = load_written(tmp_path, {"input": TALK}, {"input": [user("other")]})
    assert (several.format, several.siblings, len(several.listed)) == ("openai_responses", 2, 2)
    items = load_written(tmp_path, *TALK)
    assert (items.format, items.siblings, len(items.messages)) == ("openai_responses", 1, 5)


def test_what_the_provider_compacted_is_not_current(tmp_path: Path) -> None:
    found = load_written(tmp_path, [user("one"), answer("yes"), compaction(), user("two")], lines=False)
    (one,) = found.recorded
    assert (one.kind, one.position) == ("opaque", 2)
    assert found.messages[2].flags == MessageFlag.RECORDED_SUMMARY | MessageFlag.OPAQUE
    assert history_of_scope(found, "current").positions == (2, 3)
    assert history_of_scope(found, "before:1").positions == (0, 1)


def test_messages_kept_before_a_compaction_item_are_current(tmp_path: Path) -> None:
    found = load_written(tmp_path, [user("one"), user("two"), compaction(), answer("on")], lines=False)
    assert history_of_scope(found, "current").positions == (0, 1, 2, 3)
    assert (found.recorded[0].position, found.recorded[0].kept) == (2, (0, 1))


def test_a_result_that_is_a_list_is_an_item_and_no_conversation(tmp_path: Path) -> None:
    seen = output("c1", [{"type": "input_text", "text": "a.txt"}])
    for lines in (False, True):
        items = [user("hi"), call("c1"), seen, answer("One file.")]
        found = load_written(tmp_path, *(items if lines else [items]), lines=lines)
        assert (found.format, found.siblings, len(found.messages)) == ("openai_responses", 1, 4)


def test_odd_items_are_kept_with_a_warning(tmp_path: Path) -> None:
    odd: list[Any] = [{"type": "brand_new"}, 7, {"type": "message", "role": "robot", "content": "beep"}]
    found = load_written(tmp_path, [*TALK, *odd], lines=False)
    assert [m.speaker for m in found.messages[-3:]] == [Speaker.UNKNOWN] * 3
    assert [note.text for note in found.report.warnings] == [
        'an item of type "brand_new" is not known; kept as it is',
        "an item without a type is not known; kept as it is",
        "the role of a message is not known; kept as unknown",
    ]


@pytest.mark.parametrize("path", corpus_files("openai_responses"))
def test_counts_of_real_items(path: Path) -> None:
    value = json.loads(path.read_text("utf-8"))
    items = value.get("input") or value["data"]
    mine = [
        one.get("role") == "assistant" or one.get("type") in ("reasoning", "function_call") for one in items
    ]
    found = load_conversation(path)
    assert found.format == "openai_responses"
    joined = sum(1 for before, now in pairwise(mine) if before and now)
    assert len(found.messages) == len(items) - joined
    kinds = [one.get("type") for one in items]
    assert sum(1 for m in found.messages for _ in tool_calls(m)) == kinds.count("function_call")
    assert sum(1 for m in found.messages for _ in tool_responses(m)) == kinds.count("function_call_output")
    assert len(found.recorded) == kinds.count("compaction")
