"""ShareGPT: entries, turns, calls and observations without ids."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.formats.common.open_document import read_source
from core.formats.registry import load_conversation
from core.transcript.model import MessageFlag, Speaker, Text, ToolCall, tool_calls, tool_responses
from core.transcript.tool_pairs import find_pairs
from tests.core.formats.exporting import corpus_files

CALL = {"from": "function_call", "value": '{"name": "tide", "arguments": {"port": "Brest"}}'}


def turn(name: str, value: Any) -> dict[str, Any]:
    return {"from": name, "value": value}


def entry(*turns: Any, **fields: Any) -> dict[str, Any]:
    return {"conversations": list(turns), **fields}


def saved(folder: Path, *entries: Any, lines: bool = False) -> Path:
    path = folder / "data"
    path.write_text("\n".join(map(json.dumps, entries)) if lines else json.dumps(entries))
    return path


@pytest.mark.parametrize("path", corpus_files("sharegpt"))
def test_counts_are_those_of_the_file(path: Path) -> None:
    raw = json.loads(path.read_text("utf-8"))
    first = load_conversation(path)
    assert (first.format, first.siblings) == ("sharegpt", len(raw))
    assert [one.messages for one in first.listed] == [len(one["conversations"]) for one in raw]
    for number in range(1, len(raw) + 1, 23):
        turns = raw[number - 1]["conversations"]
        loaded = load_conversation(path, conversation=number)
        names = [one["from"] for one in turns]
        pairs = find_pairs(loaded.messages)
        assert len(loaded.messages) == len(turns)
        assert sum(len(list(tool_calls(m))) for m in loaded.messages) == names.count("function_call")
        assert len(pairs.pairs) == names.count("observation")
        assert not pairs.orphans
        assert len(loaded.system.tools) == len(json.loads(raw[number - 1]["tools"]))
        sources = [json.loads(read_source(loaded.document, m.sources[0])) for m in loaded.messages]
        assert sources == turns


def test_an_observation_answers_the_call_before_it(tmp_path: Path) -> None:
    lost = turn("function_call", '{"name": "lost", "arguments": {}}')
    path = saved(
        tmp_path, entry(turn("human", "hi"), lost, turn("human", "well?"), CALL, turn("tool", "6 m"))
    )
    loaded = load_conversation(path)
    (pair,) = find_pairs(loaded.messages).pairs
    assert (pair.call, pair.response) == (3, 4)
    (answer,) = tool_responses(loaded.messages[4])
    assert (answer.name, answer.result) == ("tide", "6 m")
    assert loaded.messages[4].extra == {"from": "tool"}


def test_several_calls_of_one_turn_are_answered_in_order(tmp_path: Path) -> None:
    both = turn("function_call", '[{"name": "a", "arguments": 1}, {"name": "b", "arguments": 2}]')
    path = saved(
        tmp_path, entry(turn("human", "hi"), both, turn("observation", "1"), turn("observation", "2"))
    )
    messages = load_conversation(path).messages
    assert [call.name for call in tool_calls(messages[1])] == ["a", "b"]
    assert [next(tool_responses(message)).name for message in messages[2:]] == ["a", "b"]


def test_system_prompt_and_tools_come_from_the_entry_and_from_leading_turns(tmp_path: Path) -> None:
    tools = json.dumps([{"name": "tide"}])
    given = entry(turn("system", "and kind"), turn("human", "hi"), system="Be brief", tools=tools, id="e7")
    loaded = load_conversation(saved(tmp_path, given, given))
    assert loaded.system.texts == ("Be brief", "and kind")
    assert loaded.system.tools == ({"name": "tide"},)
    assert (len(loaded.messages), loaded.listed[0].title, loaded.listed[0].messages) == (1, "e7", 1)


def test_lines_hold_an_entry_each(tmp_path: Path) -> None:
    path = saved(tmp_path, entry(turn("human", "one")), entry(turn("user", "two")), lines=True)
    second = load_conversation(path, conversation=2)
    assert (second.format, second.title, second.layout["line"]) == ("sharegpt", "two", 2)


@pytest.mark.parametrize(
    ("odd", "speaker"),
    [
        ("text", Speaker.UNKNOWN),
        (turn("narrator", "so"), Speaker.UNKNOWN),
        (turn("gpt", {"a": 1}), Speaker.AI),
        (turn("function_call", "tide(Brest)"), Speaker.AI),
        (turn("human", None), Speaker.HUMAN),
        (turn("observation", None), Speaker.TOOL),
    ],
)
def test_odd_turns_are_kept(odd: Any, speaker: Speaker, tmp_path: Path) -> None:
    loaded = load_conversation(saved(tmp_path, entry(turn("human", "hi"), odd, turn("gpt", "ok"))))
    assert loaded.messages[1].speaker is speaker
    assert bool(loaded.report.warnings) is (odd not in (turn("human", None), turn("observation", None)))
    assert len(loaded.messages) == 3


def test_a_call_that_is_no_json_stays_text(tmp_path: Path) -> None:
    message = load_conversation(
        saved(tmp_path, entry(turn("human", "hi"), turn("function_call", "tide(Brest)")))
    ).messages[1]
    assert [type(block) for block in message.blocks] == [Text]
    assert not message.flags & MessageFlag.OPAQUE
    assert not any(isinstance(block, ToolCall) for block in message.blocks)
