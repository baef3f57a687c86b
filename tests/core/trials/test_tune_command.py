"""``foldline tune``: sessions of folders and files, a kill, a cluster, the settings file."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from core.common.json_value import Json
from core.common.paths import cache_dir
from core.losses.must_keep import FILE_NAME, TypedMusts, save_typed_musts
from core.settings.schema import PRESERVE, STRATEGY, TOP_PRESERVE
from core.settings_store.settings_file import SavedSettings
from core.trials.sessions import SessionJob, TrialSession, answer, opened_session
from core.trials.trial import Trial
from core.trials.tune_evaluation import TuneWork
from core.trials.tune_values import Evaluation
from tests.core.cli.running_cli import Cli
from tests.core.cli.test_cli_main import LAUNCH
from tests.core.strategies.strategy_running import values
from tests.core.trials.cluster import needs_dask, run_cluster
from tests.support.narrowing import known
from tests.support.sampling import sampled
from tests.support.source_tree import ROOT

NAME = "middle-out"
FEW = ("-s", NAME, "--runs", "6", "--engine", "cores:1")
_PATIENCE = 120.0


def chat(turns: int) -> list[Json]:
    plan = " ".join(f"Step {turn} needs the key_{turn}." for turn in range(turns))
    messages: list[Json] = [
        {"role": "user", "content": "Plan it."},
        {"role": "assistant", "content": plan},
    ]
    for turn in range(turns):
        messages.append(
            {"role": "user", "content": f"Go on with part {turn}. " + "Please. " * 30}
        )
        messages.append(
            {
                "role": "assistant",
                "content": f"Part {turn} uses key_{turn} and field_{turn}. " * 3,
            }
        )
    return messages


def write_sessions(folder: Path, count: int, turns: int = 20) -> Path:
    folder.mkdir(exist_ok=True)
    for number in range(count):
        (folder / f"s{number}.json").write_text(json.dumps(chat(turns + number)))
    return folder


@pytest.fixture
def sessions(tmp_path: Path) -> Path:
    return write_sessions(tmp_path / "sessions", 4)


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str]) -> Cli:
    return Cli(capsys)


def printed(cli: Cli, folder: str) -> str:
    cli.run("tune", folder, *FEW)
    return cli.out


def test_musts_are_counted_on_the_sessions_that_report(
    cli: Cli, sessions: Path
) -> None:
    (sessions / FILE_NAME).write_text("Plan it.\nNever said by anybody.\n")
    first = printed(cli, str(sessions))
    assert "must keep" in first
    assert "of 6 " in first  # one text that was said, two sessions, three points each
    (sessions / FILE_NAME).write_text("Plan it.\nGo on with part 5.\n")
    assert "of 12 " in printed(cli, str(sessions))  # what was known is judged again


@pytest.mark.req("TUNE-3")
def test_the_command_prints_a_table_and_writes_a_settings_file(
    cli: Cli, sessions: Path, tmp_path: Path
) -> None:
    (sessions / "short.json").write_text(json.dumps(chat(3)))
    out = tmp_path / "tuned.toml"
    found = cli.json("tune", str(sessions), *FEW, "-s", "pi", "-o", str(out), "--force")
    assert {one["strategy"] for one in found["strategies"]} == {NAME, "pi"}
    assert len(found["choosing"]) == len(found["reporting"]) == 2
    assert [one["file"] for one in found["left_out"]] == ["short.json"]
    assert found["strategies"][0]["interval"]["low"] <= found["strategies"][0]["share"]
    saved = SavedSettings(out).load()
    assert saved.problems == ()
    assert saved.values[STRATEGY] in (NAME, "pi")
    assert out.read_text().startswith("# Found by foldline tune")
    assert "exists" in cli.error_text("tune", str(sessions), *FEW, "-o", str(out))
    assert cli.run("tune", str(sessions), *FEW) == 4
    assert "2 sessions chose, 2 others report" in cli.out
    assert "Left out, 1 file" in cli.out
    assert "short.json" in cli.out


def test_files_are_taken_as_well_as_folders(
    cli: Cli, sessions: Path, tmp_path: Path
) -> None:
    more = tmp_path / "more.json"
    more.write_text(json.dumps(chat(25)))
    found = cli.json("tune", str(sessions), str(more), *FEW)
    assert {*found["choosing"], *found["reporting"]} == {
        *(f"sessions/s{number}.json" for number in range(4)),
        "more.json",
    }


def test_sessions_are_chosen_as_in_the_list_of_sessions(
    cli: Cli, sessions: Path
) -> None:
    for number in range(2):
        os.utime(sessions / f"s{number}.json", (1_600_000_000, 1_600_000_000))
    found = cli.json("tune", str(sessions), *FEW, "--since", "30d")
    assert {*found["choosing"], *found["reporting"]} == {"s2.json", "s3.json"}
    assert "no session of" in cli.error_text(
        "tune", str(sessions), *FEW, "--agent", "codex"
    )
    assert "None of 4 files" in cli.error_text(
        "tune", str(sessions), *FEW, "--search", "zebra crossing"
    )


@pytest.mark.req("TUNE-3")
def test_the_file_is_taken_by_set_from(
    cli: Cli, sessions: Path, tmp_path: Path
) -> None:
    out = tmp_path / "tuned.toml"
    cli.run("tune", str(sessions), *FEW, "-o", str(out), "--force")
    values = dict(SavedSettings(out).load().values)
    rows = cli.json("settings", "--set-from", str(out))["settings"]
    assert {one["key"]: one["value"] for one in rows if one["key"] in values} == values


@pytest.mark.req("TUNE-4")
def test_the_choice_for_one_session_names_it(
    cli: Cli, sessions: Path, tmp_path: Path
) -> None:
    own = tmp_path / "own.json"
    own.write_text(json.dumps(chat(22)))
    found = cli.json("tune", str(sessions), *FEW, "--for", str(own))
    assert found["for"] in found["choosing"]
    assert found["for"].endswith("/own.json")
    assert len(found["reporting"]) == 2
    own.write_text(json.dumps(chat(3)))
    assert "no past to choose by" in cli.error_text(
        "tune", str(sessions), *FEW, "--for", str(own)
    )


@pytest.mark.req("TUNE-1")
def test_the_cost_of_a_session_is_a_budget_where_its_model_has_a_price(
    cli: Cli, sessions: Path
) -> None:
    words = ("tune", str(sessions), *FEW, "--cost", "--budget", "0.5")
    assert "names no model" in cli.error_text(*words)
    found = cli.json(*words, "--model", "gpt-4o")
    (row,) = found["strategies"]
    assert found["budget"] == {"most": 0.5, "unit": "dollars"}
    assert 0 < row["cost"] < 0.5
    assert row["priced"] == row["default"]["priced"] == 2
    assert "needs a budget" in cli.error_text("tune", str(sessions), *FEW, "--cost")


@pytest.mark.req("TUNE-1")
def test_saved_settings_are_not_taken_for_defaults_and_those_given_are_held(
    cli: Cli, sessions: Path
) -> None:
    before = cli.json("tune", str(sessions), *FEW)
    SavedSettings().save({PRESERVE: 0.55})
    assert cli.json("tune", str(sessions), *FEW)["strategies"] == before["strategies"]
    held = cli.json("tune", str(sessions), *FEW, "--set", f"{PRESERVE}=0.55")
    assert set(held["strategies"][0]["settings"]) <= {TOP_PRESERVE}


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--budget", "none"), "is not a budget"),
        (("--runs", "0"), "is below 1"),
        (("--engine", "gpu"), "The engine must be cores"),
        (("nowhere",), "neither a file nor a folder"),
        (("-s", "midle-out"), f"Did you mean {NAME}"),
    ],
)
def test_bad_input_is_one_sentence(
    cli: Cli, sessions: Path, arguments: Sequence[str], words: str
) -> None:
    assert words in cli.error_text("tune", str(sessions), *arguments)


def test_one_file_is_refused_before_the_search(
    cli: Cli, sessions: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("core.app.services.tune.TuneService.tune")
    assert "1 file is too few to tune on" in cli.error_text(
        "tune", str(sessions / "s0.json"), *FEW
    )


@pytest.mark.req("TUNE-2")
def test_where_nothing_better_is_shown_nothing_is_written_but_by_force(
    cli: Cli, sessions: Path, tmp_path: Path
) -> None:
    out = tmp_path / "tuned.toml"
    words = ("tune", str(sessions), *FEW, "-o", str(out))
    assert cli.run(*words) == 4
    assert "Nothing better than the defaults of middle-out is shown" in cli.out
    assert "was not written" in cli.err
    assert not out.exists()
    forced = cli.json(*words, "--force")
    assert (cli.code, forced["shown"], forced["written"]) == (0, False, True)
    assert "although it was not shown to be better" in out.read_text()


def progress_lines() -> list[str]:
    files = list((cache_dir() / "tune").glob("*.jsonl"))
    return [line for file in files for line in file.read_text().splitlines() if line]


@pytest.mark.req("TUNE-3")
def test_a_kill_loses_at_most_the_session_in_work(cli: Cli, tmp_path: Path) -> None:
    sessions = write_sessions(tmp_path / "sessions", 6, 30)
    words = [sys.executable, "-c", LAUNCH, "tune", str(sessions), *FEW]
    with subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as running:
        end = time.monotonic() + _PATIENCE
        while len(progress_lines()) < 3 and time.monotonic() < end:
            time.sleep(0.01)
        running.send_signal(signal.SIGKILL)
    known = len(progress_lines())
    assert known >= 3
    resumed = cli.json("tune", str(sessions), *FEW)
    after = len(progress_lines())
    fresh = cli.json("tune", str(sessions), *FEW, "--fresh")
    assert resumed == fresh
    assert after == len(
        progress_lines()
    )  # what was in work was done once more, the rest was not
    assert known < after


@needs_dask
def test_the_cluster_gives_the_same_file(
    cli: Cli, sessions: Path, tmp_path: Path
) -> None:
    files = []
    with run_cluster(tmp_path) as engine:
        for number, where in enumerate((engine, "cores:2")):
            out = tmp_path / f"{number}.toml"
            runs = ("--runs", sampled("12", "4"))
            words = ("-s", NAME, *runs, "--engine", where, "--fresh")
            written = ("--force", "-o", str(out))
            assert cli.run("tune", str(sessions), *words, *written) == 0
            files.append((out.read_text(), cli.out))
    assert files[0] == files[1]


def test_texts_typed_in_the_window_count_in_the_window_alone(sessions: Path) -> None:
    path = sorted(sessions.iterdir())[0]
    file = TrialSession(path=str(path), name=path.name, values=values(), scope="all")
    save_typed_musts(opened_session(file).conversation, TypedMusts(("Plan it.",)))
    assert musts_counted(file) == 0
    assert musts_counted(replace(file, counts_typed=True)) == 3  # one at each point


def musts_counted(file: TrialSession) -> int:
    work = TuneWork((Trial(NAME),), with_musts=True)
    found: tuple[Evaluation, ...] = known(answer(SessionJob(file, work)).result)
    return found[0].musts
