"""Every golden case of the reference passes whose part is implemented."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.golden import localharness
from tests.golden.runner import first_difference, run_directory

_LLXPRT = pytest.mark.req(
    "REQ-CS-002.1", "REQ-CS-004.4", "REQ-HD-013.7", "REQ-HD-001.5"
)


@pytest.mark.parametrize(
    ("system", "least"),
    [pytest.param("llxprt", 2001, marks=_LLXPRT), ("ion", 24), ("localharness", 27)],
)
def test_every_case_of_the_references_passes(
    golden: Path, system: str, least: int
) -> None:
    report = run_directory(golden / system)
    assert report.failures == []
    assert report.passed >= least
    assert not report.skipped


@pytest.mark.parametrize(
    "intent", [{"unchanged": [4], "may_change": []}, {"deleted": [2]}]
)
def test_a_localharness_case_is_held_against_its_intent(
    golden: Path, intent: dict[str, list[int]]
) -> None:
    case = json.loads(
        (golden / "localharness/early_stop_oldest_first.json").read_text()
    )
    assert localharness.failure(case) == ""
    assert localharness.failure(case | {"intent": case["intent"] | intent})


def test_a_difference_is_found_and_named() -> None:
    assert (
        first_difference({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]})
        == ".a[1].b: expected 2, got 3"
    )
    assert first_difference({"a": None}, {}) == ".a: missing"
    assert first_difference({"a": 1.0, "b": True}, {"b": True, "a": 1}) == ""


def test_a_wrong_case_fails_the_run(tmp_path: Path) -> None:
    case = (
        '{"id":"x","category":"c","history":[],"cases":[{"name":"x#0",'
        '"input":{"variant":"todo","strategy":"continuation"},"output":{"text":"wrong"}}]}'
    )
    (tmp_path / "x.json").write_text(case)
    done = subprocess.run(
        [sys.executable, "-m", "tests.golden", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert "x#0: .text: expected 'wrong'" in done.stdout
    assert "0 passed, 1 failed, 0 skipped" in done.stdout


def test_files_of_other_systems_are_skipped_by_name(tmp_path: Path) -> None:
    folder = tmp_path / "ion"
    folder.mkdir()
    (folder / "a.json").write_text('{"messages": []}')
    report = run_directory(tmp_path)
    assert (report.passed, dict(report.skipped)) == (0, {"ion": 1})
