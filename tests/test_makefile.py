"""The first ``make`` prints what it does while it installs."""

import shutil
import subprocess
import sys

import pytest

from tests.source_tree import ROOT


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
def test_make_run_says_what_it_does_before_each_long_step() -> None:
    command = ["make", "--dry-run", "--always-make", "run", f"PYTHON={sys.executable}"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    lines = done.stdout.splitlines()
    assert "--quiet" not in done.stdout
    for step in ("-m venv", "-m pip install", "foldline resources"):
        at = next(number for number, line in enumerate(lines) if step in line)
        assert lines[at - 1].startswith("echo "), step
