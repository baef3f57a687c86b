"""One item that a reader cannot stand ends no list: the others are there, and it says what was
wrong."""

import json
import shutil
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from core.app.services.sessions import SessionService
from core.cli.checked_files import CheckWork
from core.cli.output.console import CommandWorkspace
from core.common.crash_report import item_problem
from core.common.errors import Cancelled
from core.formats import registry
from core.formats.common.format import ReadRequest
from core.formats.registry import load_conversation
from core.integrations.hook_settings import find_agent, save, with_hooks
from core.presentation.session_rows import sessions_page
from core.settings_store.layers import SettingLayers
from core.trials.session_work import CompareWork
from core.trials.sessions import SessionJob, TrialSession, answer
from tests.conftest import SHARED
from tests.core.cli.running_cli import CHAT, SESSION, Cli

_BAD = "bad.jsonl"
_PROBLEM = "Foldline failed: ZeroDivisionError"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two sessions; reading one of them meets a fault of Foldline."""
    place = tmp_path / "sessions"
    place.mkdir()
    for name in ("good.jsonl", _BAD):
        shutil.copy(SESSION, place / name)
    read = registry.read_opened

    def failing(
        opened: Any, request: ReadRequest, *, format: str = ""
    ) -> registry.Loaded:
        if Path(opened.document.name).name == _BAD:
            raise ZeroDivisionError("a count of none")
        return read(opened, request, format=format)

    monkeypatch.setattr(registry, "read_opened", failing)
    return place


def test_sessions_and_watch_list_the_others(cli: Cli, folder: Path) -> None:
    for command in (("sessions", str(folder)), ("watch", str(folder), "--once")):
        assert cli.run(*command, "--json") == 0
        found = (
            json.loads(cli.out)["sessions"]
            if command[0] == "sessions"
            else _lines(cli.out)
        )
        problems = {Path(one["path"]).name: one["problem"] for one in found}
        assert problems.pop("good.jsonl") is None
        assert problems[_BAD].startswith(_PROBLEM)


def _lines(text: str) -> list[Any]:
    return [json.loads(line) for line in text.splitlines()]


def test_the_browser_lists_the_others(folder: Path) -> None:
    *_, listing = SessionService(CommandWorkspace()).sessions((str(folder),))
    page = sessions_page(listing)
    assert len(page.rows) == 2
    assert any(text.startswith(_PROBLEM) for text in page.problems)


def test_a_session_that_cannot_be_counted_keeps_its_first_words(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise OverflowError("a size")

    monkeypatch.setattr("core.formats.discovery.session_contents.sizes_of", fail)
    (folder / _BAD).unlink()
    (found,) = cli.json("sessions", str(folder))["sessions"]
    assert found["first_prompt"]
    assert found["problem"].startswith("Foldline failed: OverflowError")


def test_a_folder_is_compared_and_checked_without_it(folder: Path) -> None:
    values = SettingLayers().resolve()
    for name, problem in (("good.jsonl", ""), (_BAD, _PROBLEM)):
        path = str(folder / name)
        file = TrialSession(path=path, name=name, values=values)
        check = CheckWork(strategy="middle-out", min_needed=0.7, max_lost=None)
        compared = answer(SessionJob(file, CompareWork(("middle-out",))))
        checked = answer(SessionJob(file, check))
        for result in (compared, checked):
            assert result.problem[: len(_PROBLEM)] == problem
        assert checked.is_transcript


def test_a_file_of_a_zip_is_left_out_and_named(folder: Path) -> None:
    packed = folder.parent / "both.zip"
    with ZipFile(packed, "w") as archive:
        for name in ("good.json", _BAD):
            archive.write(CHAT, name)
    warnings = load_conversation(packed).report.warnings
    assert f"{_BAD} in the zip was not read: {_PROBLEM}" in " ".join(
        note.text for note in warnings
    )


def test_a_cancel_is_no_problem_of_an_item() -> None:
    with pytest.raises(Cancelled):
        item_problem(Cancelled())


def test_settings_of_an_agent_with_half_a_character_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"note": "\\ud800 \\u00fc"}')
    before, after = with_hooks(find_agent("claude-code"), path)
    save(path, before, after)
    assert json.loads(path.read_bytes())["note"] == "\ud800 ü"


@pytest.mark.skipif(not SHARED.is_dir(), reason="needs ../shared")
def test_a_count_of_400_digits_is_read_as_unknown(cli: Cli, tmp_path: Path) -> None:
    path = str(shutil.copy(SHARED / "faults" / "usage-1e400.jsonl", tmp_path))
    for command in (
        ("inspect",),
        ("compare",),
        ("convert", "--to", "html", "-o", str(tmp_path / "o.html")),
    ):
        assert cli.run(command[0], path, *command[1:]) == 0, cli.err
    assert cli.run("sessions", str(tmp_path)) == 0
    assert cli.run("watch", str(tmp_path), "--once") == 0
