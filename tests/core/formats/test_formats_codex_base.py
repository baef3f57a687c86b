"""Codex rollouts that continue another one: joined if it is in the same folder, else a warning."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from core.export.export import export_history
from core.formats.codex import history_base
from core.formats.common.open_document import read_source
from core.formats.registry import load_conversation
from tests.core.formats.codex_lines import answer, item, meta, user
from tests.core.formats.exporting import unchanged_export

PARENT, CHILD, LEAF = "aaaa-1", "bbbb-2", "cccc-3"
OLD = [meta(id=PARENT), *map(item, (user("one"), answer("two"), user("three"), answer("four")))]


def rollout(folder: Path, id_: str, *lines: Any) -> Path:
    path = folder / f"rollout-2026-09-11T08-00-00-{id_}.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def base(id_: str, lines: list[Any], count: int, **fields: Any) -> dict[str, Any]:
    """The end of a rollout of these lines after the first ``count``."""
    end = sum(len(json.dumps(line)) + 1 for line in lines[:count])
    return {"thread_id": id_, "end_ordinal_exclusive": count, "end_byte_offset": end, **fields}


def forked(folder: Path, **fields: Any) -> Path:
    own = meta(id=CHILD, history_base=base(PARENT, OLD, 3, **fields))
    return rollout(folder, CHILD, own, item(user("instead")), item(answer("yes")))


def words(path: Path) -> list[str]:
    return [block.text for message in load_conversation(path).messages for block in message.blocks]  # type: ignore[union-attr]


def test_the_history_that_lies_beside_it_stands_in_front(tmp_path: Path) -> None:
    rollout(tmp_path, PARENT, *OLD)
    path = forked(tmp_path)
    found = load_conversation(path)
    assert words(path) == ["one", "two", "instead", "yes"]
    assert (found.session_id, found.report.warnings) == (CHILD, ())
    assert "joined with 3 lines of rollout-" in found.report.repaired[0].text
    assert json.loads(read_source(found.document, found.messages[1].sources[0])) == OLD[2]


@pytest.mark.parametrize("known", ["end_byte_offset", "end_ordinal_exclusive"])
def test_either_mark_says_where_it_was_left(tmp_path: Path, known: str) -> None:
    rollout(tmp_path, PARENT, *OLD)
    assert words(forked(tmp_path, **{known: None})) == ["one", "two", "instead", "yes"]


def test_a_chain_of_rollouts_and_packed_ones(tmp_path: Path) -> None:
    parent = rollout(tmp_path, PARENT, *OLD)
    parent.with_name(f"{parent.name}.gz").write_bytes(gzip.compress(parent.read_bytes()))
    parent.unlink()
    middle = [json.loads(line) for line in forked(tmp_path).read_text().splitlines()]
    own = meta(id=LEAF, history_base=base(CHILD, middle, 2))
    assert words(rollout(tmp_path, LEAF, own, item(answer("no")))) == ["one", "two", "instead", "no"]


def test_an_export_stands_alone(tmp_path: Path) -> None:
    rollout(tmp_path, PARENT, *OLD)
    source = load_conversation(forked(tmp_path))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "out.jsonl").write_bytes(export_history(unchanged_export(source), "codex_rollout").data)
    again = load_conversation(elsewhere / "out.jsonl")
    assert (again.session_id, again.report.warnings) == (CHILD, ())
    assert [one.blocks for one in again.messages] == [one.blocks for one in source.messages]


def test_what_cannot_be_joined_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def why(**fields: Any) -> str:
        path = forked(tmp_path, **fields)
        assert words(path) == ["instead", "yes"]
        (note,) = load_conversation(path).report.warnings
        assert "continues another file's history (history_base), which is missing: " in note.text
        return note.text.rpartition(": ")[2]

    assert "its folder has no files named rollout-" in why()
    assert "does not name the other file" in why(thread_id="../" + PARENT)
    (tmp_path / "outside").mkdir()
    (tmp_path / f"rollout-x-{PARENT}.jsonl").symlink_to(rollout(tmp_path / "outside", PARENT, *OLD))
    assert "its folder has no files named rollout-" in why()
    rollout(tmp_path, PARENT, *OLD)
    broken = forked(tmp_path)
    broken.write_text("{broken\n" + broken.read_text())
    assert "its first line cannot be read" in load_conversation(broken).report.warnings[0].text
    broken.write_text(json.dumps([json.loads(line) for line in forked(tmp_path).read_text().splitlines()]))
    assert "its first line cannot be read" in load_conversation(broken).report.warnings[0].text
    assert "does not say how much" in why(end_byte_offset=None, end_ordinal_exclusive=None)
    assert "is shorter than it was" in why(end_byte_offset=1_000_000)
    assert "continues itself" in why(thread_id=CHILD)
    monkeypatch.setattr(history_base, "MAX_JOINED_SIZE", 100)
    rollout(tmp_path, PARENT, *OLD)
    assert "more than 0 MB" in why()
