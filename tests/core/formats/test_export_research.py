"""Export to SWE-agent and OpenHands: unchanged, compacted, and from other formats."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.export.export import export_history
from core.formats.registry import load_conversation
from core.transcript.model import Conversation, Message, Text
from tests.core.formats.exporting import (
    ACK,
    SUMMARY,
    compacted_export,
    edited_export,
    export_and_load,
    with_text,
)
from tests.core.formats.research import V1_PARALLEL, corpus_of, saved, swe_run, v0_run, v1, v1_run

WRITTEN = corpus_of("swe_agent", "openhands")


def _values(data: bytes) -> list[Any]:
    text = data.decode("utf-8")
    try:
        return [json.loads(text)]
    except ValueError:
        return [json.loads(line) for line in text.splitlines() if line.strip()]


def _plain(messages: Sequence[Message]) -> list[Any]:
    return [(m.speaker, m.blocks, m.flags, m.id, m.extra) for m in messages]


def _files(folder: Path) -> dict[str, Conversation]:
    """Small files of every container that can be written."""
    made = {
        "swe": saved(folder, swe_run(6), name="swe"),
        "swe lines": saved(folder, [swe_run(6, instance_id="a"), swe_run(1)], lines=True, name="swe-lines"),
        "v0": saved(folder, v0_run(5), name="v0"),
        "v0 runs": saved(
            folder, [{"history": v0_run(5), "error": None}, {"history": v0_run(1)}], lines=True, name="r"
        ),
        "v1": saved(folder, v1_run(5), lines=True, name="v1"),
        "v1 list": saved(folder, {"instance_id": "i", "history": v1_run(5)}, name="v1-list"),
        "parallel": saved(folder, V1_PARALLEL, lines=True, name="parallel"),
    }
    return {name: load_conversation(path) for name, path in made.items()}


@pytest.mark.parametrize("path", WRITTEN)
def test_without_the_last_message_all_else_is_as_it_was(path: Path, tmp_path: Path) -> None:
    conversation = load_conversation(path)
    last = len(conversation.messages) - 1
    again = export_and_load(edited_export(conversation, {last: None}), conversation.format, tmp_path)
    assert _plain(again.messages) == _plain(conversation.messages[:last])
    assert (again.system, again.model) == (conversation.system, conversation.model)


def test_steps_stay_with_their_actions(tmp_path: Path) -> None:
    conversation = _files(tmp_path)["swe"]
    message = with_text(conversation.messages[2], 0, "shorter")
    given = edited_export(conversation, {2: message, 3: None, 4: None})
    written = export_history(given, "swe_agent")
    (value,) = _values(written.data)
    assert [step["action"] for step in value["trajectory"]] == ["cat 0", "cat 2", "cat 3", "cat 4", "cat 5"]
    assert value["trajectory"][0]["observation"] == "shorter"
    assert value["trajectory"][1]["observation"] == "line 2"
    assert not any("query" in step for step in value["trajectory"])
    assert "(query)" in written.warnings[0]
    assert (value["environment"], value["info"]["submission"]) == ("e", "diff")
    assert value["history"][3]["content"] == "shorter"
    assert value["history"][3]["tool_call_ids"] == ["c0"]


def test_an_edited_action_follows_in_its_step(tmp_path: Path) -> None:
    conversation = _files(tmp_path)["swe"]
    without = replace(conversation.messages[1], blocks=(Text("Only words."),))
    (value,) = _values(export_history(edited_export(conversation, {1: without, 2: None}), "swe_agent").data)
    record, step = value["history"][2], value["trajectory"][0]
    assert (record["content"], record["thought"], record["action"]) == ("Only words.", "Only words.", "")
    assert record["tool_calls"] is None
    assert (step["response"], step["action"]) == ("Only words.", "")


def test_ids_and_causes_of_version_0_stay_consistent(tmp_path: Path) -> None:
    (events,) = _values(export_history(compacted_export(_files(tmp_path)["v0"]), "openhands").data)
    ids = [event["id"] for event in events]
    assert ids == sorted(set(ids))
    by_id = {event["id"]: event for event in events}
    for event in events:
        if event.get("observation") == "run":
            cause = by_id[event["cause"]]
            assert cause["tool_call_metadata"]["tool_call_id"] == event["tool_call_metadata"]["tool_call_id"]
    assert [event["args"]["content"] for event in events if event.get("action") == "message"][1:] == [
        SUMMARY,
        ACK,
    ]


def test_state_updates_of_version_1_stay_and_condensations_go(tmp_path: Path) -> None:
    events = v1_run(4)
    fields = {"forgotten_event_ids": ["a0", "o0"], "summary": "Once.", "summary_offset": 2}
    events.insert(5, v1("Condensation", "k", "environment", **fields))
    conversation = load_conversation(saved(tmp_path, events, lines=True))
    written = export_history(compacted_export(conversation), "openhands")
    kinds = [event["kind"] for event in _values(written.data)]
    assert kinds.count("ConversationStateUpdateEvent") == 4
    assert "Condensation" not in kinds
    assert "recorded condensation" in written.warnings[0]
    ids = [event["id"] for event in _values(written.data)]
    assert len(ids) == len(set(ids))
