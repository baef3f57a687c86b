"""Long results of a large file stay in it, without a visible difference."""

from __future__ import annotations

import gzip
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from core.common.errors import InputError
from core.export.export import export_history
from core.formats.common import text_ranges
from core.formats.common.text_ranges import MIN_FILE_SIZE, StoredTextResponse
from core.formats.registry import load_conversation
from core.formats.writing.base import ExportInput
from core.presentation.lists.row_texts import message_rows
from core.tokens.counter import counter_for
from core.transcript.model import Conversation, ToolResponse
from core.transcript.scopes import history_of_scope

LONG = "one line of a log, and a « quote »\n" * 100
TEXTS = (LONG, "short", "x" * 5_000, 'tab\t, "quotes" and \\ a backslash ' * 90, "日本語のテキスト " * 200)


def session(path: Path, texts: tuple[Any, ...] = TEXTS, *, ascii_only: bool = False) -> Path:
    lines: list[dict[str, Any]] = [{"role": "user", "content": "look"}]
    for number, text in enumerate(texts):
        call = {"type": "tool_use", "id": f"t{number}", "name": "Read", "input": {}}
        result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": text}
        lines += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    records = [
        {"type": one["role"], "uuid": f"u{n}", "parentUuid": None, "message": one, "toolUseResult": "kept"}
        for n, one in enumerate(lines)
    ]
    path.write_text(
        "".join(json.dumps(one, ensure_ascii=ascii_only) + "\n" for one in records), encoding="utf-8"
    )
    return path


def responses(conversation: Conversation) -> list[ToolResponse]:
    return [
        block
        for message in conversation.messages
        for block in message.blocks
        if isinstance(block, ToolResponse)
    ]


@pytest.fixture
def small(tmp_path: Path) -> Conversation:
    """The session with every text in memory."""
    return load_conversation(session(tmp_path / "t.jsonl"))


@pytest.fixture
def large(small: Conversation, monkeypatch: pytest.MonkeyPatch) -> Conversation:
    """The same file, treated as a large one."""
    monkeypatch.setattr(text_ranges, "MIN_FILE_SIZE", 0)
    assert small.document.path is not None
    return load_conversation(small.document.path)


def test_only_large_files_keep_their_results(small: Conversation, large: Conversation) -> None:
    assert MIN_FILE_SIZE > 100 << 20
    assert not any(isinstance(one, StoredTextResponse) for one in responses(small))
    assert [isinstance(one, StoredTextResponse) for one in responses(large)] == [
        True,
        False,
        True,
        True,
        True,
    ]
    assert [one.result for one in responses(large)] == list(TEXTS)
    assert {one.name for one in responses(large)} == {"Read"}


def test_nothing_tells_them_from_results_in_memory(small: Conversation, large: Conversation) -> None:
    assert large.messages == small.messages
    assert small.messages == large.messages
    counts = [list(map(counter_for("").message, one.messages)) for one in (small, large)]
    assert counts[0] == counts[1]
    assert message_rows(large.messages) == message_rows(small.messages)
    for to in ("claude_code", "openai_chat", "llxprt"):
        data = [
            export_history(ExportInput(one, history_of_scope(one, "all")), to).data for one in (small, large)
        ]
        assert data[0] == data[1]


def test_one_that_is_changed_holds_what_it_was_given(large: Conversation) -> None:
    first = responses(large)[0]
    assert replace(first, result="cleared").result == "cleared"
    assert replace(first, name="Bash").result == LONG
    assert first.result == LONG


def test_texts_longer_than_a_piece_are_put_together(
    large: Conversation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_ranges, "_PIECE_SIZE", 7)
    assert [one.result for one in responses(large)] == list(TEXTS)


def test_a_file_that_changed_is_said_to_have_changed(large: Conversation) -> None:
    path = large.document.path
    assert path is not None
    path.write_bytes(path.read_bytes().replace(b"log", b"dog"))
    with pytest.raises(InputError, match=r"t\.jsonl has changed since it was read"):
        _ = responses(large)[0].result
    assert responses(large)[2].result == TEXTS[2]
    path.write_text("")
    with pytest.raises(InputError):
        _ = responses(large)[3].result


def test_a_file_that_grew_or_was_renamed_still_gives_them(large: Conversation) -> None:
    path = large.document.path
    assert path is not None
    with path.open("a") as file:
        file.write("{}\n")
    path.rename(path.with_name("moved.jsonl"))
    assert [one.result for one in responses(large)] == list(TEXTS)


def test_what_is_written_otherwise_or_packed_stays_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(text_ranges, "MIN_FILE_SIZE", 0)
    escaped = load_conversation(session(tmp_path / "escaped.jsonl", (TEXTS[4],), ascii_only=True))
    (tmp_path / "packed.jsonl.gz").write_bytes(gzip.compress(session(tmp_path / "t.jsonl").read_bytes()))
    packed = load_conversation(tmp_path / "packed.jsonl.gz")
    for found in (escaped, packed):
        assert not any(isinstance(one, StoredTextResponse) for one in responses(found))
    assert [one.result for one in responses(packed)] == list(TEXTS)
