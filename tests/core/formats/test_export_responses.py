"""Codex rollouts and Responses items exported and read again: what is kept, new and left out."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import CompactionFailed, InputError
from core.export.checked_saving import write_export
from core.export.export import export_history
from core.formats.registry import load_conversation
from core.formats.writing.export_messages import ExportInput
from core.lint.lint import lint_messages
from core.preview.options import PreviewOptions, StageCache
from core.preview.preview import compute_preview
from core.transcript.model import Conversation, Message
from core.transcript.scopes import history_of_scope
from core.transcript.tool_pairs import find_pairs
from tests.builders import conversation, human
from tests.core.formats import codex_lines as codex
from tests.core.formats.codex_lines import SESSION, answer, compacted, compaction, item, meta, user
from tests.core.formats.exporting import (
    SUMMARY,
    compacted_export,
    corpus_files,
    edited_export,
    export_and_load,
    load_written,
    strategies_for,
    unchanged_export,
    with_text,
)
from tests.core.strategies.strategy_running import values

FILES = corpus_files("codex_rollout", "openai_responses")
TARGETS = ("openai_responses", "codex_rollout")
ITEMS = [one["payload"] for one in SESSION if one["type"] == "response_item"]
REQUEST = {"model": "gpt-5.4", "instructions": "Be exact.", "store": False, "input": ITEMS}


def _values(data: bytes) -> list[Any]:
    text = data.decode()
    try:
        return [json.loads(text)]
    except ValueError:
        return [json.loads(line) for line in text.split("\n") if line.strip()]


def _kinds(lines: list[Any]) -> list[str]:
    return [one["payload"].get("type") or one["type"] for one in lines]


def test_a_shortened_list_of_found_tools_is_saved_as_it_was(tmp_path: Path) -> None:
    call = item({"type": "tool_search_call", "call_id": "s1", "arguments": {"query": "tides"}})
    tools = [{"type": "function", "name": "tide_table"}]
    found = item({"type": "tool_search_output", "call_id": "s1", "tools": tools})
    source = load_written(tmp_path, meta(), user("Find it"), call, found)
    edited = edited_export(source, {2: with_text(source.messages[2], 0, "[cleared]")})
    exported = export_history(edited, "codex_rollout")
    write_export(exported, tmp_path / "saved.jsonl", overwrite=False, source=None)
    saved = load_conversation(tmp_path / "saved.jsonl")
    assert [one.blocks for one in saved.messages] == [one.blocks for one in source.messages]


@pytest.mark.parametrize("path", FILES)
def test_no_strategy_parts_a_pair_or_makes_an_error(path: Path, tmp_path: Path) -> None:
    source, stages = load_conversation(path), StageCache()
    options = PreviewOptions("current", checks=False)
    past = history_of_scope(source, options.scope).messages
    for name in strategies_for(path):
        chosen = values(compression__strategy=name, context_limit=20_000)
        try:
            made = compute_preview(source, chosen, options, stages)
        except CompactionFailed:  # its summary request has no room
            continue
        result = made.compaction.messages
        assert _loose(result) <= _loose(past)
        assert _errors(result, past) <= _errors(past)
        given = ExportInput(source, made.history, made.compaction)
        again = export_and_load(given, source.format, tmp_path)
        assert _loose(again.messages) <= _loose(past)
        assert _errors(again.messages) <= _errors(past)


def _loose(messages: tuple[Message, ...]) -> set[str]:
    pairs = find_pairs(messages)
    return {id_ for _, id_ in (*pairs.unanswered, *pairs.orphans)}


def _errors(messages: tuple[Message, ...], source: tuple[Message, ...] = ()) -> set[str]:
    return {
        one.rule for one in lint_messages(messages, "responses", source=source) if one.severity == "error"
    }


def _source(folder: Path, to: str) -> Conversation:
    return (
        load_written(folder, *SESSION)
        if to == "codex_rollout"
        else load_written(folder, REQUEST, lines=False)
    )


@pytest.mark.parametrize("to", TARGETS)
def test_an_item_goes_with_its_last_block_and_takes_lone_reasoning_along(to: str, tmp_path: Path) -> None:
    source = _source(tmp_path, to)
    first = source.messages[1]
    one_call = replace(first, blocks=(*first.blocks[:2], first.blocks[3]))
    found = export_history(edited_export(source, {1: one_call, 2: None}), to)
    assert b'"c1"' not in found.data
    assert b"rs_1" in found.data
    thought = replace(first, blocks=first.blocks[:1])
    found = export_history(edited_export(source, {1: thought, 2: None, 3: None}), to)
    assert b"rs_1" not in found.data
    assert "reasoning without the item that it led to" in found.warnings[0]


def test_old_rollouts_keep_their_shape_and_line_ends(tmp_path: Path) -> None:
    header = {"id": "old-1", "timestamp": "2025-06-01T00:00:00Z", "instructions": None}
    records = [
        header,
        user("one"),
        {"record_type": "state"},
        answer("yes"),
        user("two"),
        answer("no"),
        user("x"),
    ]
    path = tmp_path / "old.jsonl"
    path.write_bytes(b"".join(json.dumps(one).encode() + b"\r\n" for one in records))
    data = export_history(compacted_export(load_conversation(path)), "codex").data
    lines = data.split(b"\r\n")
    assert len(lines) == data.count(b"\n") + 1
    assert json.loads(lines[0]) == header
    assert all("payload" not in one for one in _values(data))
    assert SUMMARY.encode() in data


FOLDED = (
    meta(),
    item(codex.developer("Rules.")),
    item(user("one")),
    item(answer("yes")),
    compacted(codex.developer("Rules."), user("one"), user("new"), compaction()),
    item(answer("on")),
    item(user("two")),
    item(answer("two, yes")),
)


def test_what_a_compaction_left_is_written_as_a_history_of_its_own(tmp_path: Path) -> None:
    source = load_written(tmp_path, *FOLDED)
    exported = export_history(unchanged_export(source, "current"), "codex")
    assert "1 recorded compaction is not repeated" in exported.warnings[0]
    kinds = _kinds(_values(exported.data))
    assert kinds == ["session_meta", *["message"] * 3, "compaction", *["message"] * 3]
    path = tmp_path / "again.jsonl"
    path.write_bytes(exported.data)
    assert (
        len(history_of_scope(load_conversation(path), "current").messages)
        == len(history_of_scope(source, "current").messages)
        == 6
    )


def test_a_compaction_can_be_appended_as_codex_records_it(tmp_path: Path) -> None:
    source = load_written(tmp_path, *SESSION)
    given = compacted_export(source)
    data = export_history(given, "codex", append_boundary=True).data
    assert data.startswith(Path(source.document.path or "").read_bytes())
    path = tmp_path / "again.jsonl"
    path.write_bytes(data)
    again = load_conversation(path)
    assert len(again.messages) == len(source.messages)
    (one,) = again.recorded
    assert (one.kind, one.position) == ("summary", len(source.messages))
    current = history_of_scope(again, "current").messages
    assert [m.blocks for m in current] == [m.blocks for m in given.messages]
    with pytest.raises(InputError, match="not a Codex rollout"):
        export_history(unchanged_export(conversation(human("q"))), "codex", append_boundary=True)
