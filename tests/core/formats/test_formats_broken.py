"""Malformed files of the kinds that users meet."""

from __future__ import annotations

import codecs
import json
import re
from pathlib import Path

import pytest

from core.formats.registry import load_conversation
from core.transcript.model import Conversation, Text
from tests.core.formats.small_files import SMALL, written


@pytest.fixture
def broken(corpus: Path) -> Path:
    return corpus / "broken"


def _warnings(conversation: Conversation) -> list[tuple[int, str]]:
    return [(note.line, note.text) for note in conversation.report.warnings]


def test_duplicate_keys(broken: Path) -> None:
    conversation = load_conversation(broken / "10_duplicate_keys.json")
    assert [message.blocks for message in conversation.messages] == [(Text("only this survives last-wins"),)]
    assert (1, 'the field "messages" is repeated; the last value was used') in _warnings(conversation)


@pytest.mark.parametrize("name", ["openai_chat", "pi_agent", "llxprt", "openhands"])
def test_an_empty_id_is_told(name: str, tmp_path: Path) -> None:
    path = tmp_path / "small"
    path.write_bytes(
        re.sub(rb'("(?:tool_call_id|toolCallId|callId)": ?)"[^"]+"', rb'\1""', written(SMALL[name]))
    )
    told = {note.text for note in load_conversation(path).report.repaired}
    assert told == {"a call or result has no id; they are paired in order"}


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
