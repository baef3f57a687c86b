"""What of a profile decides its summaries: a kept summary and a kept comparison ask the same."""

from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest

from core.app.view_state import ViewState
from core.settings.profile import Profile
from core.trials.session_work import FolderProgressFile
from core.trials.sessions import TrialSession
from tests.core.strategies.strategy_running import values

WRITER = Profile(name="w", provider="ollama", model="m")
OTHER: dict[str, Any] = {
    "name": "x",
    "provider": "openai",
    "model": "n",
    "base_url": "http://127.0.0.1:9",
    "key_env": "KEY",
    "key_ring": "ring",
    "parameters": {"temperature": 1},
    "timeout": 1.0,
    "total_timeout": 1.0,
    "stream": False,
    "settings": {"compression.mode": "reference"},
    "fault": "broken",
}
DECIDES = {"name", "provider", "model", "base_url", "parameters"}


@pytest.mark.parametrize("name", [one.name for one in fields(Profile)])
def test_a_profile_decides_kept_summaries_and_kept_rows_alike(
    name: str, tmp_path: Path
) -> None:
    other = replace(WRITER, **{name: OTHER[name]})
    view = ViewState()
    summary_differs = view.summary_key(WRITER) != view.summary_key(other)
    rows_differ = kept_rows(tmp_path, WRITER) != kept_rows(tmp_path, other)
    assert summary_differs is rows_differ is (name in DECIDES)


def kept_rows(folder: Path, profile: Profile) -> Path:
    file = TrialSession(
        path=str(folder / "a.json"), name="a.json", values=values(), profiles=(profile,)
    )
    return FolderProgressFile(folder, file, ())._path
