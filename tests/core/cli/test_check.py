"""``foldline check``: bars for what later turns needed and for what is gone."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from core.api import check
from core.common.json_value import Json
from tests.core.cli.running_cli import CHAT, SESSION, Cli

ROWS = ("-s", "top-down-truncation", "--set", "context-limit=2000")


def _messages(*texts: str) -> list[dict[str, Json]]:
    return [{"role": "assistant" if at % 2 else "user", "content": text} for at, text in enumerate(texts)]


@pytest.fixture
def session(tmp_path: Path) -> Path:
    """Nine long exchanges, each with a file of its own; the last names two of the first again."""
    texts: list[str] = []
    for number in range(9):
        request = f"Look at src/part_{number}.py. Never touch lib/db.py. "
        texts += [request + "word " * 300, f"I have read src/part_{number}.py. " + "text " * 300]
    path = tmp_path / "session.json"
    texts += ["Go on.", "Now src/part_0.py and src/part_1.py are mended."]
    path.write_text(json.dumps(_messages(*texts)))
    return path


def test_a_session_below_a_bar_is_one_sentence_and_exit_code_1(cli: Cli, session: Path) -> None:
    assert cli.run("check", str(session), *ROWS) == 1
    sentence, end = cli.out.splitlines()
    assert sentence.startswith(f"{session}: of ")
    assert sentence.endswith("are still there, below 70 %.")
    assert end == "top-down-truncation: 1 of 1 session below the bar."
    words = ("check", str(session), *ROWS, "--min-needed", "0")
    assert (cli.run(*words), cli.run(*words, "--max-lost", "0")) == (0, 1)
    assert " losses, more than 0." in cli.out


def test_json_names_what_is_missing(cli: Cli, session: Path) -> None:
    found = cli.json("check", str(session), *ROWS)
    assert cli.code == 1
    assert (found["schema"], found["passed"]) == ("check/2", False)
    (file,) = found["files"]
    assert file["kept"] + len(file["missing"]) == file["needed"]
    assert {"src/part_0.py", "src/part_1.py"} <= set(file["missing"])
    assert file["tokens_after"] < file["tokens_before"]


def test_junit_tells_failures_from_files_that_are_no_transcript(cli: Cli, session: Path) -> None:
    folder = session.parent
    (folder / "notes.txt").write_text("no transcript")
    report = folder / ".check.xml"
    assert cli.run("check", str(folder), *ROWS, "--junit", str(report)) == 1
    assert "notes.txt: skipped" in cli.err
    suite = ElementTree.parse(report).getroot()
    assert [suite.get(key) for key in ("tests", "failures", "errors", "skipped")] == ["2", "1", "0", "1"]
    failure = suite.find("testcase[@name='session.json']/failure")
    assert failure is not None
    assert "src/part_0.py" in (failure.text or "")


def test_a_report_replaces_only_a_report(cli: Cli, session: Path) -> None:
    report, other = session.parent / "report.xml", session.parent / "notes.xml"
    for _ in range(2):
        cli.run("check", str(session), *ROWS, "--junit", str(report))
        assert b"<testsuite" in report.read_bytes()
    other.write_text("<?xml version='1.0'?><notes/>")
    assert "exists already" in cli.error_text("check", str(session), *ROWS, "--junit", str(other))
    assert other.read_text("utf-8") == "<?xml version='1.0'?><notes/>"


def test_what_changes_nothing_passes_and_is_counted(cli: Cli) -> None:
    assert cli.run("check", SESSION, "-s", "none", "--max-lost", "0") == 0
    assert cli.out == "none: 0 of 1 session below the bar; in 1 nothing was compacted.\n"


def test_bad_input_is_exit_code_2(cli: Cli, session: Path, tmp_path: Path) -> None:
    assert "is no share from 0 to 1" in cli.error_text("check", SESSION, "--min-needed", "70")
    assert "is below 0" in cli.error_text("check", SESSION, "--max-lost", "-1")
    assert "one of the files" in cli.error_text("check", str(session), "-s", "none", "--junit", str(session))
    assert "There is no strategy" in cli.error_text("check", CHAT, "-s", "pinned")
    folder = tmp_path / "empty"
    folder.mkdir()
    assert "holds no files" in cli.error_text("check", str(folder))
    (folder / "a.txt").write_text("x")
    assert cli.run("check", str(folder), "--quiet") == 2


def test_the_library_checks_messages() -> None:
    found = check(_messages("Open src/a_file.py. " * 99, "Done.", "Go on.", "src/a_file.py"), strategy="none")
    assert found.needed
    assert (found.missing, found.kept_share) == ((), 1.0)


def test_github_gets_an_annotation_for_each_file_below_a_bar(
    cli: Cli, session: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = session.parent
    monkeypatch.chdir(folder.parent)
    (folder / "notes, 100%.txt").write_text("no transcript")
    assert cli.run("check", folder.name, *ROWS, "--github") == 1
    lines = [line for line in cli.out.splitlines() if line.startswith("::")]
    failed = next(line for line in lines if line.startswith("::error"))
    assert failed.startswith(f"::error file={folder.name}/session.json,title=foldline check -s ")
    assert "later turns used" in failed
    assert "%0ANot there any more:%0Asrc/" in failed
    skipped = next(line for line in lines if line.startswith("::notice"))
    assert f"file={folder.name}/notes%2C 100%25.txt," in skipped
    assert "Leave one of them out" in cli.error_text("check", str(session), *ROWS, "--github", "--json")
