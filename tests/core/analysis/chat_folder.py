"""A folder of transcripts."""

import json
from pathlib import Path

import pytest


def chat(count: int, words: str) -> str:
    roles = ("user", "assistant")
    return json.dumps([{"role": roles[i % 2], "content": f"{i} {words} " * 30} for i in range(count)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "sessions"
    (place / "deep" / ".hidden").mkdir(parents=True)
    for number, name in enumerate(("a.json", "b.json", "deep/c.json", "deep/.hidden/d.json", ".e.json")):
        (place / name).write_text(chat(12, f"talk {number}"))
    (place / "notes.md").write_text("# Notes\n")
    (place / "empty.jsonl").write_text("")
    return place
