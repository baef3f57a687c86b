"""What commands that run trials print is what was recorded, as text, JSON and CSV.

Each case is a file of ``recorded``, without times. ``python -m
tests.core.trials.test_recorded_outputs [NAME ...]`` records all again, or some; look at the
difference before you commit it."""

import csv
import json
import re
import shutil
import sys
import tempfile
from collections.abc import Sequence
from contextlib import redirect_stderr, redirect_stdout
from io import BytesIO, StringIO, TextIOWrapper
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest

from core.cli.main import run_command_line
from core.common.paths import SAMPLES
from tests.core.trials.test_tune_command import write_sessions
from tests.support.sampling import sampled

FOLDER = Path(__file__).parent / "recorded"
NAMES = ("-s", "none,middle-out,pi,tiered")
SMALL = ("--set", "compression.context-limit=30000")
KEEP = "compression.preserve-threshold=0.1:0.5:0.2"
CASES: dict[str, Sequence[str]] = {
    "compare": ("compare", "fix-flaky-upload.jsonl", *NAMES, "-s", "recorded", *SMALL),
    "compare_priced": ("compare", "tide-tables.jsonl", *NAMES, "--scope", "all"),
    "compare_pair": (
        "compare",
        "support-desk.json",
        *NAMES,
        "--against",
        "pi",
        "middle-out",
    ),
    "compare_aim": (
        "compare",
        "fix-flaky-upload.jsonl",
        "-s",
        "high-density,excerpt,pi,recorded",
        "--aim",
        "20k",
    ),
    "folder": ("compare", ".", *NAMES, *SMALL),
    "sweep": ("sweep", "fix-flaky-upload.jsonl", "-s", "middle-out", "--vary", KEEP),
    "sweep_unpriced": (
        "sweep",
        "support-desk.json",
        "-s",
        "middle-out",
        "--vary",
        KEEP,
    ),
    "backtest": ("backtest", "fix-flaky-upload.jsonl", *NAMES, *SMALL),
    "backtest_short": ("backtest", "tide-tables.jsonl", *NAMES),
    "backtest_folder": ("backtest", ".", *NAMES, *SMALL),
    "tune": (
        "tune",
        "sessions",
        "-s",
        "middle-out,pi",
        "--runs",
        "6",
        "--engine",
        "cores:1",
    ),
    "check": ("check", "fix-flaky-upload.jsonl", "-s", "middle-out"),
    "check_folder": ("check", ".", "-s", "tiered", *SMALL),
}
FORMS = {"txt": (), "json": ("--json",), "csv": ("--csv",)}
_OF_CSV = ("compare", "folder")
_TIME = re.compile(r" *\b[\d.]+ (ms|s|min)\b")
_BLANKS = re.compile(r"(?<=\S) {2,}")


def cases() -> list[tuple[str, str]]:
    """Return the name and the form of each recording."""
    pairs = [(name, form) for name in CASES for form in ("txt", "json")]
    return pairs + [(name, "csv") for name in _OF_CSV]


def by_turns() -> list[tuple[str, str]]:
    """Return cases with each name in one form, and each command in all of its forms."""
    turns = [*zip(CASES, cycle(["txt", "json"]))]
    return [*turns, ("tune", "json"), *((name, "csv") for name in _OF_CSV)]


def printed(name: str, form: str, folder: Path) -> str:
    """Return the exit code and what a command prints in a folder with the samples, without
    times."""
    words = [*CASES[name], *FORMS[form]]
    words[1] = str(folder / words[1])
    out = TextIOWrapper(BytesIO(), "utf-8", newline="")
    with redirect_stdout(out), redirect_stderr(StringIO()):
        code = run_command_line(words)
    out.flush()
    out.seek(0)
    text = out.read()
    if form == "json":
        text = json.dumps(
            _without_times(json.loads(text)), indent=1, ensure_ascii=False
        )
    if form == "csv":
        text = _csv_without_times(text.removeprefix("\ufeff"))
    text = f"exit code {code}\n{text}"
    return _without_widths(text).replace(str(folder), "FOLDER")


def _without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {
            key: _without_times(item)
            for key, item in value.items()
            if not key.endswith("seconds")
        }
    return list(map(_without_times, value)) if isinstance(value, list) else value


def _csv_without_times(text: str) -> str:
    rows = list(csv.DictReader(StringIO(text)))
    out = StringIO()
    columns = [column for column in rows[0] if column != "seconds"]
    table = csv.DictWriter(out, columns, extrasaction="ignore", lineterminator="\n")
    table.writeheader()
    table.writerows(rows)
    return out.getvalue()


def _without_widths(text: str) -> str:
    """Return a text without times, and without the blanks that a column of times makes."""
    lines = (
        _BLANKS.sub("  ", _TIME.sub("", line)).rstrip() for line in text.splitlines()
    )
    return "".join(f"{line}\n" for line in lines)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return filled(tmp_path / "samples")


def filled(folder: Path) -> Path:
    shutil.copytree(SAMPLES, folder)
    (folder / "index.tsv").unlink()
    write_sessions(folder / "sessions", 4)
    return folder


@pytest.mark.req("BACK-1", "TUNE-1")
@pytest.mark.parametrize(("name", "form"), sampled(cases(), by_turns()))
def test_a_command_prints_what_was_recorded(name: str, form: str, folder: Path) -> None:
    assert printed(name, form, folder) == (FOLDER / f"{name}.{form}").read_text("utf-8")


def main(names: Sequence[str]) -> None:
    for name, form in cases():
        if names and name not in names:
            continue
        with tempfile.TemporaryDirectory() as place:
            text = printed(name, form, filled(Path(place) / "samples"))
        (FOLDER / f"{name}.{form}").write_text(text, "utf-8")
        print(name, form, file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1:])
