"""Crash reports: a sentence for the user and a report without secrets."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from core.cli.command_names import is_command
from core.cli.main import run_command_line
from core.common.crash_report import MAX_REPORTS, crash_report, save_report
from core.common.errors import InputError
from core.common.paths import state_dir
from core.configuration.profile_store import ProfileStore
from core.export.export import find_exporter
from core.lint.lint import find_provider
from tests.core.cli.running_cli import Cli

KEY = "ghp_" + "a1B2" * 9


def fault(words: str = f"the token {KEY}") -> Exception:
    try:
        raise KeyError(words)
    except KeyError as error:
        return error


def test_a_report_names_version_and_place_and_no_secret(home: Path) -> None:
    text = crash_report(fault(f"{home}/x {KEY}"), "Open")
    assert text.startswith("Foldline ")
    assert "While: Open" in text
    assert "in fault" in text
    assert "[redacted:github-token]" in text
    assert KEY not in text
    assert str(home) not in text


def test_the_newest_reports_are_kept(tmp_path: Path) -> None:
    places = [save_report(f"report {number}", tmp_path) for number in range(MAX_REPORTS + 3)]
    left = sorted(tmp_path.iterdir())
    assert len(left) == MAX_REPORTS
    assert left[-1] == places[-1]
    assert left[-1].read_text() == f"report {MAX_REPORTS + 2}"


def test_a_fault_on_the_command_line_says_where_its_details_lie(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise RuntimeError(f"Bearer {KEY}")

    monkeypatch.setattr(import_module("core.cli.formats"), "format_rows", broken)
    output = cli.error_text("formats")
    (kept,) = (state_dir() / "faults").iterdir()
    assert str(kept) in output
    assert KEY not in output + kept.read_text()
    assert "While: foldline formats" in kept.read_text()


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
