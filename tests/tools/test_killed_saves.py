"""A save that is killed at any point leaves the old file or the new one, and no other file that is
read."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support.source_tree import ROOT
from tests.tools.killed_saves import KINDS

_UNIX = pytest.mark.skipif(
    not hasattr(os, "fork"), reason="this system has no fork and no kill -9"
)

_WRITER = """
import sys
from pathlib import Path
from core.common.atomic_file import write_atomic
print("ready", flush=True)
while True:
    for letter in (b"a", b"b"):
        write_atomic(Path(sys.argv[1]), letter * 4_000_000, overwrite=True)
"""


@_UNIX
def test_kill_9_before_every_line_of_a_save(tmp_path: Path) -> None:
    words = [sys.executable, "-m", "tests.tools.killed_saves", str(tmp_path)]
    done = subprocess.run(
        words, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    found = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["kind"] for one in found] == [kind.name for kind in KINDS]
    for one in found:
        assert one["neither"] == [], one
        assert one["old"] > 5, one
        assert one["new"] > 0 or one["kind"] == "installed prompts", one
        assert one["old"] + one["new"] == one["killed"]


@_UNIX
def test_kill_9_at_any_time_of_a_large_save(tmp_path: Path) -> None:
    path = tmp_path / "out.jsonl"
    path.write_bytes(b"a" * 4_000_000)
    for pause in (0.0, 0.003, 0.01, 0.02, 0.03):
        words = [sys.executable, "-c", _WRITER, str(path)]
        with subprocess.Popen(words, cwd=ROOT, stdout=subprocess.PIPE) as writing:
            assert writing.stdout is not None
            assert writing.stdout.readline() == b"ready\n"
            time.sleep(pause)
            writing.send_signal(signal.SIGKILL)
        data = path.read_bytes()
        assert len(data) == 4_000_000
        assert data in (data[:1] * 4_000_000,)
