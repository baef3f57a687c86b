"""What an export does once, and holds no longer than it needs it, however large it is."""

import tracemalloc
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from core.common.json_value import Json
from core.common.redaction import Secret, find_secrets
from core.export import checked_saving, export
from core.formats.writing.exporter import ExportOptions
from core.transcript.alignment import canonical_block
from core.transcript.model import Block, CarriedSizes
from core.transcript.provenance import SIZES_FIELD
from tests.core.formats.exporting import (
    compacted_export,
    load_written,
    unchanged_export,
)
from tests.support.builders import ai, human


def _line(role: str, block: dict[str, Json], **fields: Json) -> dict[str, Json]:
    return {"type": role, "message": {"role": role, "content": [block]}, **fields}


def test_a_text_that_is_twice_in_a_line_is_searched_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Claude Code writes each result twice, so a large export would take twice as long."""
    searched: list[str] = []

    def find(text: str) -> tuple[Secret, ...]:
        searched.append(text)
        return find_secrets(text)

    monkeypatch.setattr(export, "find_secrets", find)
    monkeypatch.setattr(
        export, "_MAX_REMEMBERED", 4_000
    )  # characters; the export is longer
    said = "Nothing is to be seen here. " * 100
    talk = load_written(
        tmp_path,
        _line("user", {"type": "text", "text": "Look."}, uuid="u1"),
        _line(
            "assistant",
            {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}},
            uuid="u2",
        ),
        _line(
            "user",
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": said},
            uuid="u3",
            toolUseResult={"stdout": said, "stderr": ""},
        ),
    )
    made = export.export_history(unchanged_export(talk), "claude_code")
    assert made.data.count(said.encode()) == 2
    assert searched.count(said) == 1


def test_the_check_makes_canonical_texts_as_it_compares(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made: list[Block] = []

    def canonical(block: Block) -> tuple[str, str, str] | None:
        made.append(block)
        return canonical_block(block)

    monkeypatch.setattr(checked_saving, "canonical_block", canonical)
    ours = [
        one
        for number in range(100)
        for one in (human(f"ask {number}"), ai(f"answer {number}"))
    ]
    difference = partial(checked_saving.first_difference, redacted=False)
    assert (
        difference(ours, [human("other"), *ours[1:]])
        == "message 1: words of the user with other content"
    )
    assert len(made) < 10
    assert not difference(ours, ours)


def test_a_large_session_is_joined_once(tmp_path: Path) -> None:
    """It carries its calibration in the first line, which is made before all lines are one."""
    said = "Nothing is to be seen here. " * 20_000
    turns = (("user", "assistant")[number % 2] for number in range(16))
    lines = [
        _line(role, {"type": "text", "text": f"{number} {said}"}, uuid=f"u{number}")
        for number, role in enumerate(turns)
    ]
    made = compacted_export(load_written(tmp_path, *lines), keep=0.45)
    made = replace(made, sizes=CarriedSizes(factor=1.2, overhead=100))
    write = export.find_exporter("claude_code").write
    write(made, ExportOptions())  # reads and imports what is read and imported once
    tracemalloc.start()
    data = write(made, ExportOptions()).data
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert SIZES_FIELD.encode() in data.partition(b"\n")[0]
    assert peak < 2.5 * len(data)
