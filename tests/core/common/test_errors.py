"""Error messages with suggestions for mistyped names."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from core.cli.command_names import is_command
from core.cli.main import run_command_line
from core.common.errors import InputError
from core.configuration.profile_store import ProfileStore
from core.export.export import find_exporter
from core.lint.lint import find_provider


@pytest.mark.parametrize(
    ("find", "name", "meant"),
    [
        (find_provider, "opnai", "openai"),
        (find_exporter, "markdwon", "markdown"),
        (ProfileStore().load, "ofline", "offline"),
    ],
)
def test_unknown_names_come_with_the_nearest(find: Callable[[str], object], name: str, meant: str) -> None:
    with pytest.raises(InputError) as caught:
        find(name)
    assert caught.value.hint.startswith(f"Did you mean {meant}? Known")


def test_a_mistyped_command_is_no_file_to_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert is_command(["comapct", "session.jsonl"])
    assert run_command_line(["comapct", "session.jsonl"]) == 2
    assert "There is no command and no file comapct. Did you mean compact?" in capsys.readouterr().err
    assert run_command_line(["help"]) == 2
    assert "Did you mean --help?" in capsys.readouterr().err
    Path("comapct").touch()
    assert not is_command(["comapct"])
    assert not is_command(["replays.jsonl"])
