"""Export to Pi: unchanged, compacted, and from other formats."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from core.export.export import export_history
from core.formats.registry import load_conversation
from tests.core.formats.exporting import (
    compacted_export,
    edited_export,
    export_and_load,
    unchanged_export,
    with_text,
)
from tests.core.formats.pi_files import HEAD, TALK, answer, chained, entry, session, user

NAME = "pi_agent"
SESSION = [entry("model_change", modelId="claude-sonnet-4-5"), *TALK]


def lines(data: bytes) -> list[Any]:
    return [json.loads(line) for line in data.splitlines()]


def shape(messages: Any) -> list[Any]:
    """Return what reading the export has to give."""
    return [(m.speaker, m.blocks, m.flags) for m in messages]


@pytest.mark.parametrize("linked", [False, True])
def test_taking_out_the_last_message_leaves_the_other_entries_as_they_were(
    tmp_path: Path, linked: bool
) -> None:
    entries = chained(*SESSION) if linked else SESSION
    source = load_conversation(session(tmp_path, *entries))
    written = export_history(edited_export(source, {len(source.messages) - 1: None}), NAME).data
    assert lines(written) == [HEAD, *entries[:-1]]


def test_a_compacted_tree_is_chained_anew(tmp_path: Path) -> None:
    compacted = entry("compaction", summary="earlier", firstKeptEntryId="e2", tokensBefore=9)
    label = entry("label", targetId="e6", label="gone")
    source = load_conversation(session(tmp_path, *chained(*SESSION[:8], compacted, label, *SESSION[8:])))
    given = compacted_export(source)
    head, *found = lines(export_history(given, NAME).data)
    assert head == HEAD
    assert [one["parentId"] for one in found] == [None, *(one["id"] for one in found[:-1])]
    assert len({one["id"] for one in found}) == len(found)
    assert {"model_change", "session_info"} <= {one["type"] for one in found}
    assert "compaction" not in {one["type"] for one in found}
    back = export_and_load(given, NAME, tmp_path)
    assert shape(back.messages) == shape(given.messages)
    assert (back.cwd, back.title) == (HEAD["cwd"], "Tides")


def test_an_edited_result_keeps_its_entry_but_not_its_details(tmp_path: Path) -> None:
    source = load_conversation(session(tmp_path, *SESSION))
    found = lines(
        export_history(edited_export(source, {2: with_text(source.messages[2], 0, "[pruned]")}), NAME).data
    )
    message = found[4]["message"]
    assert message["content"] == [{"type": "text", "text": "[pruned]"}]
    assert "details" not in message
    assert (message["toolCallId"], message["isError"]) == ("c1", False)


def test_a_branch_and_what_a_compaction_left_can_be_written_alone(tmp_path: Path) -> None:
    trunk = chained(user("one"), answer("two"), user("three"), answer("four"))
    path = session(tmp_path, *trunk, user("better", "b1", "e2"), answer("good", "b2", "b1"))
    assert lines(export_history(unchanged_export(load_conversation(path, branch=2)), NAME).data) == [
        HEAD,
        *trunk,
    ]
    folded_ = entry("compaction", summary="sum", firstKeptEntryId="e3", tokensBefore=9)
    source = load_conversation(session(tmp_path, *chained(*trunk, folded_, user("five"))))
    back = export_and_load(unchanged_export(source, "current"), NAME, tmp_path)
    assert shape(back.messages) == shape(unchanged_export(source, "current").messages)
