"""The second count knows paths alone, and what a reader loses is counted."""

import json
from pathlib import Path
from typing import Any

from tests.studies.readers import PATHS, figures_of, leaves, plain_count, table

CALL = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
CHAT: list[dict[str, Any]] = [
    {"role": "user", "content": "Which tides are high?"},
    {"role": "assistant", "content": None, "tool_calls": [CALL, {**CALL, "id": "c2"}]},
    {"role": "tool", "tool_call_id": "c1", "content": "42"},
    {"role": "assistant", "content": "They are high at noon."},
]


def chat(folder: Path, value: object = CHAT) -> Path:
    path = folder / "chat.json"
    path.write_text(json.dumps(value))
    return path


def test_paths_tell_objects_by_their_kind() -> None:
    assert list(leaves({"messages": [{"role": "user", "content": "hi"}]})) == [
        (".messages[user].role", "user"),
        (".messages[user].content", "hi"),
    ]


def test_the_second_count_pairs_ids_by_their_paths(tmp_path: Path) -> None:
    texts, pairs = plain_count(chat(tmp_path), PATHS["openai_chat"])
    assert texts == ["Which tides are high?", "They are high at noon."]
    assert pairs == {"calls": 2, "results": 1, "open": 1, "orphans": 0}


def test_the_reader_and_the_paths_agree(tmp_path: Path) -> None:
    name, figures = figures_of(chat(tmp_path)) or ("", None)
    assert figures is not None
    assert (name, figures.words, figures.lost) == ("openai_chat", 9, 0)
    assert figures.pairs == figures.plain
    assert figures.rows == {"human": 1, "ai": 2, "tool": 1}


def test_words_that_no_message_has_are_lost(tmp_path: Path) -> None:
    sent = {
        "model": "m",
        "messages": CHAT,
        "history": [CHAT[0] | {"content": "one two three"}],
    }
    _, figures = figures_of(chat(tmp_path, sent)) or ("", None)
    assert figures is not None
    assert figures.lost == 3


def test_a_cell_that_changed_has_both_figures() -> None:
    row = dict.fromkeys(
        ("files", "words", "lost", "human", "harness", "summary", "ai", "tool"), 1
    )
    pairs = ("calls", "results", "open", "orphans")
    row |= dict.fromkeys(pairs, 2) | {f"plain {name}": 3 for name in pairs}
    lines = table({"kimi": row}, {"kimi": row | {"lost": 1_000}})
    assert lines[2] == (
        "| kimi | 1 | 1 | 1,000 → 1 | 1 | 1 | 1 | 1 | 1 | 2 / 3 | 2 / 3 | 2 / 3 | 2 / 3 |"
    )
