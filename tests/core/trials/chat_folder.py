"""A folder of transcripts, and its comparison without further processes."""

import json
import pickle
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from core.app.services import folder as folder_service
from core.trials.sessions import SessionAnswer, SessionJob, answer


def chat(count: int, words: str) -> str:
    roles = ("user", "assistant")
    return json.dumps(
        [{"role": roles[i % 2], "content": f"{i} {words} " * 30} for i in range(count)]
    )


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    place = tmp_path / "sessions"
    (place / "deep" / ".hidden").mkdir(parents=True)
    for number, name in enumerate(
        ("a.json", "b.json", "deep/c.json", "deep/.hidden/d.json", ".e.json")
    ):
        (place / name).write_text(chat(12, f"talk {number}"))
    (place / "notes.md").write_text("# Notes\n")
    (place / "empty.jsonl").write_text("")
    return place


@pytest.fixture
def serial(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Run the jobs in this process, as another one would get them; return the names of those that
    ran."""
    ran: list[str] = []

    def results(
        engine: str, jobs: Sequence[SessionJob]
    ) -> Iterator[tuple[int, SessionAnswer[Any]]]:
        for place, job in enumerate(jobs):
            ran.append(job.file.name)
            yield place, answer(pickle.loads(pickle.dumps(job)))

    monkeypatch.setattr(folder_service, "answers", results)
    return ran
