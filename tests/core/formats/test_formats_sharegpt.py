"""ShareGPT: entries, turns, calls and observations without ids."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.formats.common.open_document import read_source
from core.formats.registry import load_conversation
from core.transcript.model import Speaker, tool_calls
from core.transcript.tool_pairs import find_pairs
from tests.core.formats.exporting import corpus_files


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
