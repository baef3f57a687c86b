"""A message in the inspector."""

import json
from pathlib import Path

import pytest

from core.formats.registry import load_conversation
from core.presentation.message_body import (
    MAX_BLOCK_LENGTH,
    displayable_text,
    message_body,
)
from core.transcript.model import Opaque
from tests.builders import ai, call, conversation, human, talk
from tests.core.presentation.test_view_screen import made


def test_blocks_are_texts_with_titles() -> None:
    blocks = (call("bash", "id1", command="ls"), Opaque("redacted_thinking", {"data": "x"}))
    message = ai("Hello", *blocks, thinking="hm")
    found = message_body(made(conversation(message, *talk(8))), "before", 0)
    assert [block.kind for block in found.blocks] == ["thinking", "text", "call", "opaque"]
    assert (found.blocks[2].title, found.blocks[2].text) == ("bash · id1", '{\n  "command": "ls"\n}')
    assert found.title == "#1 ai"


def test_long_texts_are_capped_unless_all_is_asked_for() -> None:
    one = made(conversation(human("line\n" * 40_000)))
    block = message_body(one, "before", 0).blocks[0]
    assert (block.shown_length, block.total) == (MAX_BLOCK_LENGTH, 200_000)
    assert message_body(one, "before", 0, is_complete=True).blocks[0].shown_length == 200_000


@pytest.mark.parametrize(
    ("said", "seen"),
    [
        ("a\0b", "a␀b"),
        ("\x1b[31mred", "␛[31mred"),
        ("ü\ud800x", "ü\ufffdx"),
        ("\ud83c\udf88", "🎈"),
        ("a\u202e[link](http://…)", "a⟨U+202E⟩[link](http://…)"),
        ("one\r\n\ttwo", "one\n\ttwo"),
        ("نام\u200cها 👩\u200d🔧", "نام\u200cها 👩\u200d🔧"),
    ],
)
def test_what_cannot_be_seen_or_turns_the_text_about_is_a_mark(said: str, seen: str) -> None:
    assert displayable_text(said) == seen


def test_the_raw_json_comes_from_the_file(tmp_path: Path) -> None:
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([{"role": "user", "content": "hi", "extra": 1}]))
    one = made(load_conversation(path))
    found = message_body(one, "before", 0)
    assert found.raw_title == "talk.json:1"
    assert json.loads(found.raw) == {"role": "user", "content": "hi", "extra": 1}
    path.write_text("[]")
    assert "has changed or was removed" in message_body(one, "before", 0).raw
