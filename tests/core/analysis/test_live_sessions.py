"""Running sessions: how full they are, how long until the trigger, what a compaction now would
do."""

import io
import json
import shutil
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from core.analysis.live_sessions import LiveSession, SessionWatch, measure_live
from core.common.errors import Cancelled
from core.formats.discovery.find_sessions import SessionFile
from core.presentation.model import ChecksPage
from core.settings_store.layers import SettingLayers
from tests.core.app.recording_workspace import RecordingHandler
from tests.core.cli.running_cli import SESSION, Cli
from tests.support.published_schemas import documented


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    shutil.copy(SESSION, tmp_path)
    return tmp_path


def session_file(path: Path, size: int = 1) -> SessionFile:
    return SessionFile(path, "", size, 0.0)


def test_a_session_is_measured_as_its_next_request_and_after_a_compaction(
    cli: Cli,
) -> None:
    live = measure_live(session_file(Path(SESSION)), SettingLayers().resolve())
    compacted = cli.json("compact", SESSION, "--scope", "current")
    assert (live.agent, live.compacted.strategy, live.problem) == (
        "Claude Code",
        "middle-out",
        "",
    )
    assert (
        live.size - live.compacted.size
        == compacted["before"]["tokens"] - compacted["after"]["tokens"]
    )
    assert live.requests_left == -(-(live.trigger - live.size) // live.pace)  # type: ignore[operator]
    assert live.compacted.gone == sum(
        one["gone"]
        for one in compacted["losses"]["kinds"]
        if one["kind"] in ("your message", "instruction", "open error")
    )


@pytest.mark.req("REPAIR-9")
def test_lint_inspect_checks_and_watch_say_what_no_compaction_removes(
    cli: Cli, tmp_path: Path
) -> None:
    path = tmp_path / "thrash.jsonl"
    boundary = {
        "type": "system",
        "subtype": "compact_boundary",
        "parentUuid": None,
        "sessionId": "s",
    }
    sizes = {
        "compactMetadata": {
            "trigger": "auto",
            "preTokens": 100_000,
            "postTokens": 95_000,
        }
    }
    rows = [
        json.dumps({**boundary, **sizes, "uuid": f"b{number}"}) for number in range(3)
    ]
    path.write_text("\n".join([Path(SESSION).read_text().rstrip(), *rows, ""]))
    live = cli.json("watch", str(tmp_path), "--once")
    assert live["thrashes"]
    assert "18k hidden tokens cannot be removed" in live["thrash"]
    cli.run("watch", str(tmp_path), "--once")
    assert "thrashes, 18k hidden tokens" in cli.out
    for command in ("lint", "inspect"):
        found = cli.json(command, str(path))
        findings = (
            found["findings"]
            if command == "lint"
            else found["lint"]["anthropic"]["findings"]
        )
        assert live["thrash"] in [one["text"] for one in findings]
    [checks] = RecordingHandler(path).panels(ChecksPage)
    assert live["thrash"] in [
        row.text for report in checks.reports for row in report.rows
    ]


@pytest.mark.parametrize(
    ("size", "pace", "trigger", "left"),
    [(90, 4, 100, 3), (100, 4, 100, 0), (90, 0, 100, None), (1, 1, None, None)],
)
def test_requests_until_the_trigger(
    size: int, pace: float, trigger: int | None, left: int | None
) -> None:
    assert (
        LiveSession(
            file=session_file(Path("a")), size=size, pace=pace, trigger=trigger
        ).requests_left
        == left
    )


def test_a_file_that_cannot_be_read_is_one_sentence(tmp_path: Path) -> None:
    broken = tmp_path / "a.jsonl"
    broken.write_text("no transcript")
    assert (
        "a.jsonl"
        in measure_live(session_file(broken), SettingLayers().resolve()).problem
    )


def test_a_session_is_measured_again_when_its_file_changed_and_not_at_once() -> None:
    files, now = (
        [session_file(Path("a")), session_file(Path("b"))],
        SimpleNamespace(seconds=0.0),
    )

    def measure(session: SessionFile) -> LiveSession:
        now.seconds += 1  # the next measurement of this session is 5 seconds away
        return LiveSession(file=session, size=session.size)

    watch = SessionWatch(lambda: now.seconds)
    assert [one.path.name for one in watch.look(files, measure)] == ["a", "b"]
    files[1] = session_file(Path("b"), 2)
    assert not list(watch.look(files, measure))
    now.seconds += 10
    assert list(watch.look(files, measure)) == [LiveSession(file=files[1], size=2)]


def test_lines_of_json_and_a_table(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli.run("watch", str(folder), "--once", "-s", "high-density", "--json")
    (line,) = cli.out.splitlines()
    live = json.loads(line)
    assert list(live) == [key for key, _ in documented("watch")]
    assert (live["schema"], live["strategy"]) == ("watch/2", "high-density")
    assert 0 < live["tokens_after"] < live["tokens"]
    cli.run("watch", str(folder), "--once")
    assert f"{live['tokens']:,}" in cli.out
    cli.run("watch", str(folder), "--once", "--minutes", "0")
    assert cli.out == "No session was written to in the last 0 minutes.\n"
    monkeypatch.setattr("time.sleep", lambda _: (_ for _ in ()).throw(Cancelled))
    assert cli.run("watch", str(folder)) == 130
    assert cli.out.count("Claude Code") == 1


def test_a_status_line_for_claude_code(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def given(value: object) -> None:
        monkeypatch.setattr(
            sys, "stdin", io.TextIOWrapper(io.BytesIO(json.dumps(value).encode()))
        )

    given({"session_id": "s", "transcript_path": str(folder / Path(SESSION).name)})
    cli.run("watch", "--status-line")
    assert cli.out.startswith("[ctx: 26%] ≈52,048 · trigger in ")
    assert cli.out.rstrip().endswith(", no losses")
    given({"session_id": "s"})
    assert "names no transcript" in cli.error_text("watch", "--status-line")
    assert "is not a folder" in cli.error_text("watch", "/no/such/folder")


def test_the_trigger_is_that_of_the_agent_where_a_preset_has_it() -> None:
    live = measure_live(session_file(Path(SESSION)), SettingLayers().resolve())
    assert live.limit is not None
    assert live.trigger == live.limit - 33_000  # Claude Code, by its preset
