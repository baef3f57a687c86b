"""``foldline compare``: a folder on all cores, resumed after an interruption, and one file."""

import csv
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from core.analysis.model import BASELINE
from core.app.services import folder as folder_service
from core.common.paths import cache_dir
from core.common.process_pool import JobFailure, ProcessPool
from core.presentation.compare.columns import CSV_COLUMNS
from core.strategies.middle_out import STRATEGY as MIDDLE_OUT
from core.strategies.registry import COMPACTION_STRATEGIES
from core.trials.session_work import CompareWork, FolderProgressFile
from core.trials.sessions import (
    SessionAnswer,
    SessionJob,
    TrialSession,
    answer,
    folder_files,
)
from tests.core.cli.running_cli import SESSION, Cli
from tests.core.cli.test_cli_main import LAUNCH
from tests.core.cli.test_cli_model import local
from tests.core.strategies.strategy_running import values
from tests.core.trials.chat_folder import chat
from tests.core.trials.cluster import needs_dask, run_cluster
from tests.support.loopback import run_loopback
from tests.support.source_tree import ROOT

TWO = ("-s", BASELINE, "-s", MIDDLE_OUT.name)
_PATIENCE = 120.0


def test_links_lead_to_files_and_never_in_a_circle(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "circle").symlink_to(folder, target_is_directory=True)
    (folder / "linked.json").symlink_to(folder / "a.json")
    (folder / "gone.json").symlink_to(folder / "nowhere.json")
    names = [path.name for path in folder_files(folder)[0]]
    assert names.count("a.json") == names.count("linked.json") == 1
    assert "gone.json" not in names


def test_every_transcript_is_compared_on_all_cores(cli: Cli, folder: Path) -> None:
    found = cli.json("compare", str(folder), *TWO)
    assert cli.code == 0
    files = [row["file"] for row in found["rows"]]
    assert files == [
        name for name in ("a.json", "b.json", "deep/c.json") for _ in range(2)
    ]
    assert [one["file"] for one in found["files"]["unread"]] == [
        "empty.jsonl",
        "notes.md",
    ]
    assert "notes.md is not a transcript" in cli.err
    assert "notes.md: notes.md" not in cli.err
    assert {one["name"]: one["files"] for one in found["means"]} == {
        BASELINE: 3,
        MIDDLE_OUT.name: 3,
    }
    assert found["engine"].startswith("cores:")


def test_the_table_has_a_line_per_file_and_name_and_the_means(
    cli: Cli, folder: Path, serial: list[str]
) -> None:
    assert cli.run("compare", str(folder), *TWO) == 0
    table, means = cli.out.split("\nMeans\n")
    files = [name for name in ("a.json", "b.json", "deep/c.json") for _ in range(2)]
    assert [line.split()[0] for line in table.splitlines()[1 : 1 + len(files)]] == files
    assert [line.split()[0] for line in means.splitlines()[1:]] == [
        BASELINE,
        MIDDLE_OUT.name,
    ]


def test_what_is_done_is_not_done_again(
    cli: Cli, folder: Path, serial: list[str]
) -> None:
    first = cli.json("compare", str(folder), *TWO)
    (folder / "b.json").write_text(chat(14, "other"))
    second = cli.json("compare", str(folder), *TWO)
    assert serial == [
        "a.json",
        "b.json",
        "empty.jsonl",
        "notes.md",
        "deep/c.json",
        "b.json",
    ]
    assert (first["files"]["resumed"], second["files"]["resumed"]) == (0, 4)
    assert "4 of 5 files were done before" in cli.err
    assert second["rows"][0] == first["rows"][0]
    assert second["rows"][2] != first["rows"][2]


@pytest.mark.parametrize(
    "option",
    [("--fresh",), ("--set", "compression.mode=reference"), ("--scope", "current")],
)
def test_other_settings_or_fresh_begin_anew(
    cli: Cli, folder: Path, serial: list[str], option: tuple[str, ...]
) -> None:
    cli.run("compare", str(folder), *TWO)
    cli.run("compare", str(folder), *TWO, *option)
    assert len(serial) == 10


def test_ctrl_c_ends_with_130_and_keeps_what_is_done(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(
        engine: str, jobs: Sequence[SessionJob]
    ) -> Iterator[tuple[int, SessionAnswer[Any]]]:
        yield 0, answer(jobs[0])
        raise KeyboardInterrupt

    monkeypatch.setattr(folder_service, "answers", interrupted)
    assert cli.run("compare", str(folder), *TWO) == 130
    assert "1 of 5 files are done and kept" in cli.err
    assert cli.run("compare", str(folder), *TWO) == 130
    assert "2 of 5 files are done and kept" in cli.err


def test_a_file_whose_process_died_is_told_and_tried_again(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def dying(
        _: ProcessPool, jobs: Sequence[SessionJob], patience: float
    ) -> Iterator[tuple[int, SessionAnswer[Any] | JobFailure]]:
        for place, job in enumerate(jobs):
            died = job.file.name == "a.json"
            yield place, JobFailure("Its process ended.") if died else answer(job)

    monkeypatch.setattr(ProcessPool, "run_polling", dying)
    for left in (5, 1):
        found = cli.json("compare", str(folder), *TWO)
        assert found["files"]["resumed"] == 5 - left
        assert {"file": "a.json", "reason": "Its process ended."} in found["files"][
            "unread"
        ]


def ledger_lines() -> list[str]:
    found: list[str] = []
    for path in (cache_dir() / "compare").glob("*.jsonl"):
        for line in path.read_text("utf-8").splitlines():
            try:
                found.append(json.loads(line)["name"])
            except ValueError:
                continue  # being written
    return found


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="this system has no kill -9")
def test_a_killed_run_goes_on_where_it_was(
    cli: Cli, folder: Path, serial: list[str]
) -> None:
    words = (
        sys.executable,
        "-c",
        LAUNCH,
        "compare",
        str(folder),
        *TWO,
        "--engine",
        "cores:1",
    )
    with subprocess.Popen(
        words, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as running:
        deadline = time.monotonic() + _PATIENCE
        while not ledger_lines() and running.poll() is None:
            assert time.monotonic() < deadline, "nothing was noted"
            time.sleep(0.02)
        os.kill(running.pid, signal.SIGKILL)
    done = set(ledger_lines())
    assert done
    found = cli.json("compare", str(folder), *TWO, "--engine", "cores:1")
    assert found["files"]["resumed"] == len(done)
    assert Counter(ledger_lines()) == Counter(
        [*(row["file"] for row in found["rows"][::2]), "empty.jsonl", "notes.md"]
    )


def test_a_line_that_was_cut_off_costs_its_file_alone(
    cli: Cli, folder: Path, serial: list[str]
) -> None:
    cli.run("compare", str(folder), *TWO)
    (path,) = (cache_dir() / "compare").glob("*.jsonl")
    path.write_bytes(path.read_bytes()[:-40])
    serial.clear()
    assert cli.run("compare", str(folder), *TWO) == 0
    assert serial == ["deep/c.json"]
    serial.clear()
    assert cli.run("compare", str(folder), *TWO) == 0
    assert serial == []


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--engine", "gpu"), "The engine must be cores, cores:N or dask://HOST:PORT"),
        (
            ("--engine", "dask://nowhere"),
            "The engine must be cores, cores:N or dask://HOST:PORT",
        ),
        (("--against", BASELINE, MIDDLE_OUT.name), "--against works on one file"),
        (("--left", "x"), "--left works on one file"),
        (("--aim", "20k"), "--aim works on one file"),
        (("--conversation", "2"), "--conversation works on one file"),
        (("-s", "midle-out"), f"Did you mean {MIDDLE_OUT.name}"),
        (("--format", "nope"), "foldline list formats"),
        (("--set", "compression.mod=safe"), "compression.mode"),
    ],
)
def test_bad_input_is_one_sentence(
    cli: Cli, folder: Path, arguments: tuple[str, ...], words: str
) -> None:
    assert words in cli.error_text("compare", str(folder), *arguments)


@pytest.mark.parametrize("count", [1, 3], ids=["a file", "a folder"])
def test_a_model_writes_for_every_file_after_one_price(
    cli: Cli, folder: Path, serial: list[str], count: int
) -> None:
    with run_loopback() as server:
        local(server)
        found = cli.json(
            "compare",
            SESSION if count == 1 else str(folder),
            *TWO,
            "--profile",
            "local",
        )
    assert found["summaries"] == "local"
    assert cli.err.count("nothing to pay") == 1
    assert [row["calls"] for row in found["rows"]] == [0, 1] * count
    assert len(server.log) == count


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[str]:
    with run_cluster(tmp_path) as name:
        yield name


@needs_dask
def test_the_cluster_gives_what_the_cores_give(
    cli: Cli, folder: Path, engine: str
) -> None:
    there = cli.json("compare", str(folder), *TWO, "--engine", engine)
    here = cli.json("compare", str(folder), *TWO, "--fresh")
    assert there["engine"] == engine
    assert (there["files"], there["means"][0]["files"]) == (here["files"], 3)
    timeless = [
        [row | {"seconds": 0} for row in found["rows"]] for found in (there, here)
    ]
    assert timeless[0] == timeless[1]


def test_without_the_extra_it_says_how_to_get_it(
    cli: Cli, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    error = cli.error_text("compare", str(folder), "--engine", "dask://127.0.0.1:9")
    assert "foldline-slim[dask]" in error


@pytest.mark.skipif(sys.platform != "linux", reason="names there are text")
def test_a_name_that_is_no_utf_8_is_compared_and_kept(
    cli: Cli, tmp_path: Path, serial: list[str]
) -> None:
    name = os.fsdecode(b"caf\xe9.json")
    (tmp_path / name).write_text(chat(12, "talk"))
    for _ in range(2):
        assert [
            row["file"] for row in cli.json("compare", str(tmp_path), *TWO)["rows"]
        ] == [name] * 2
    assert serial == [name]


def names(text: str) -> list[str]:
    """Return the first words of a table's lines."""
    return [line.split("  ")[0].removesuffix(" *") for line in text.splitlines()]


def test_the_table_has_a_line_for_everything(cli: Cli) -> None:
    assert cli.run("compare", SESSION) == 0
    assert {*COMPACTION_STRATEGIES, "recorded 1"} <= set(names(cli.out))
    assert "all summaries offline" in cli.out
    assert "What the agent did, and what its preset would have done" in cli.out
    assert "%  " not in cli.err  # progress is for terminals


def test_csv_has_a_cell_for_every_column(cli: Cli) -> None:
    assert cli.run("compare", SESSION, *TWO, "--csv") == 0
    head, *lines = csv.reader(io.StringIO(cli.out))
    assert tuple(head) == CSV_COLUMNS
    assert [line[1] for line in lines] == [BASELINE, MIDDLE_OUT.name]
    assert {len(line) for line in lines} == {len(head)}


def test_two_rows_are_set_against_each_other(cli: Cli) -> None:
    found = cli.json("compare", SESSION, *TWO, "--against", MIDDLE_OUT.name, BASELINE)[
        "against"
    ]
    assert (found["a"], found["b"], found["lost_in_b"]) == (
        MIDDLE_OUT.name,
        BASELINE,
        [],
    )
    assert {"kind", "text", "first", "last", "in_the_other"} == set(
        found["lost_in_a"][0]
    )
    assert (
        cli.run("compare", SESSION, *TWO, "--against", MIDDLE_OUT.name, BASELINE) == 0
    )
    assert (
        f"Gone with {MIDDLE_OUT.name}, not with {BASELINE}: {len(found['lost_in_a'])} facts"
        in cli.out
    )


def test_a_row_that_there_will_not_be_is_refused_before_any_run(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_module("core.cli.compare"), "CompareService", None)
    for name in ("nobody", "recorded 9"):
        told = cli.error_text("compare", SESSION, *TWO, "--against", BASELINE, name)
        assert told.startswith(
            f"--against: there is no row {name!r}. The rows are: {BASELINE}, {MIDDLE_OUT.name}."
        )


def test_a_kept_row_has_all_that_it_had(folder: Path) -> None:
    file = TrialSession(path=str(folder / "a.json"), name="a.json", values=values())
    names = (MIDDLE_OUT.name,)
    result = answer(SessionJob(file, CompareWork(names)))
    progress_file = FolderProgressFile(folder, file, names)
    progress_file.add_result(file, result)
    assert result.result is not None
    assert result.result[0].cost is not None
    assert progress_file.finished_results([file]) == {0: result}
