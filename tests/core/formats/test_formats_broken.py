"""Malformed files of the kinds that users meet."""

from __future__ import annotations

import codecs
import json
import re
from pathlib import Path

import pytest

from core.common.errors import InputError
from core.formats.registry import load_conversation
from core.transcript.model import Conversation, Text
from core.transcript.tool_pairs import find_pairs
from tests.core.formats.small_files import SMALL, written


@pytest.fixture
def broken(corpus: Path) -> Path:
    return corpus / "broken"


def _warnings(conversation: Conversation) -> list[tuple[int, str]]:
    return [(note.line, note.text) for note in conversation.report.warnings]


def _lines(conversation: Conversation) -> list[int]:
    return [note.line for note in conversation.report.warnings]


def _refused(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        load_conversation(path)
    assert path.name in caught.value.message
    assert caught.value.hint
    return caught.value.message


def test_deep_nesting(broken: Path) -> None:
    conversation = load_conversation(broken / "08_deep_nesting_one_line.jsonl")
    assert len(conversation.messages) == 3
    assert _warnings(conversation) == [(2, "nested too deeply; the line was skipped")]


def test_duplicate_keys(broken: Path) -> None:
    conversation = load_conversation(broken / "10_duplicate_keys.json")
    assert [message.blocks for message in conversation.messages] == [(Text("only this survives last-wins"),)]
    assert (1, 'the field "messages" is repeated; the last value was used') in _warnings(conversation)


def test_result_without_call(broken: Path) -> None:
    assert find_pairs(load_conversation(broken / "16_result_without_call.json").messages).orphans == (
        (1, "call_missing"),
    )


@pytest.mark.parametrize("name", ["openai_chat", "pi_agent", "llxprt", "openhands"])
def test_an_empty_id_is_told(name: str, tmp_path: Path) -> None:
    path = tmp_path / "small"
    path.write_bytes(
        re.sub(rb'("(?:tool_call_id|toolCallId|callId)": ?)"[^"]+"', rb'\1""', written(SMALL[name]))
    )
    told = {note.text for note in load_conversation(path).report.repaired}
    assert told == {"a call or result has no id; they are paired in order"}


def test_non_object_lines(broken: Path) -> None:
    conversation = load_conversation(broken / "25_non_object_lines.jsonl")
    assert len(conversation.messages) == 2
    assert _lines(conversation) == [2, 3, 4, 5, 6, 7]


def test_line_separators_in_strings(broken: Path) -> None:
    conversation = load_conversation(broken / "30_u2028_in_string.jsonl")
    assert len(conversation.messages) == 4
    assert not conversation.report.warnings


def test_parent_cycle(broken: Path) -> None:
    conversation = load_conversation(broken / "31_parent_cycle.jsonl")
    assert len(conversation.messages) == 3
    texts = " ".join(text for _, text in _warnings(conversation))
    assert "cycle" in texts
    assert "is repeated" in texts


@pytest.mark.parametrize("kind", [{}, [], 7, None])
@pytest.mark.parametrize(
    "record",
    [
        {"role": "assistant", "content": [{"type": "KIND"}], "tool_calls": [{"function": {}}]},
        {"speaker": "human", "blocks": [{"type": "KIND"}]},
        {"type": "KIND", "role": "user", "content": "x"},
    ],
)
def test_a_type_that_is_no_text_is_never_fatal(tmp_path: Path, record: object, kind: object) -> None:
    path = tmp_path / "odd.json"
    path.write_text(f"[{json.dumps(record)}]".replace('"KIND"', json.dumps(kind)))
    assert len(load_conversation(path).messages) == 1


def test_two_byte_order_marks_cost_no_message(tmp_path: Path) -> None:
    for name, text in (
        ("lines", '{"role": "user", "content": "a"}\n{"role": "user", "content": "b"}\n'),
        ("array", '[{"role": "user", "content": "a"}, {"role": "user", "content": "b"}]'),
    ):
        path = tmp_path / name
        path.write_bytes(2 * codecs.BOM_UTF8 + text.encode())
        assert len(load_conversation(path).messages) == 2


def test_a_payload_that_is_no_object_is_told_with_its_line(tmp_path: Path) -> None:
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi"}]}
    lines = [{"type": "response_item", "payload": one} for one in (said, "message", said)]
    path = tmp_path / "rollout.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    loaded = load_conversation(path)
    assert len(loaded.messages) == 2
    assert [(note.line, note.text) for note in loaded.report.warnings] == [
        (2, "the payload is not an object; the line was skipped")
    ]
