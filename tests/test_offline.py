"""Everything works without a network; neither window nor worker opens a socket."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.cli.command_names import COMMANDS
from core.common.paths import bundled_samples

ROOT = Path(__file__).resolve().parent.parent

# Imported by every Python of the run before anything else, the window's worker included.
_BLOCKED = """
import os, socket

def _tell(what):
    with open(os.environ["SOCKET_LOG"], "a") as log:
        log.write(what + "\\n")
    raise OSError("no network here")

class _Socket(socket.socket):
    def __init__(self, family=socket.AF_INET, *args, **kwargs):
        if family in (socket.AF_INET, socket.AF_INET6):
            _tell(f"socket {family}")
        super().__init__(family, *args, **kwargs)

socket.socket = _Socket
socket.getaddrinfo = lambda *args, **kwargs: _tell(f"look-up {args}")
socket.create_connection = lambda *args, **kwargs: _tell(f"connect {args}")
"""


@pytest.fixture
def blocked(tmp_path: Path) -> dict[str, str]:
    (tmp_path / "sitecustomize.py").write_text(_BLOCKED)
    (tmp_path / "log").write_text("")
    paths = os.pathsep.join((str(tmp_path), str(ROOT)))
    return {
        **os.environ,
        "PYTHONPATH": paths,
        "SOCKET_LOG": str(tmp_path / "log"),
        "QT_QPA_PLATFORM": "offscreen",
    }


def foldline(environment: dict[str, str], *words: str) -> subprocess.CompletedProcess[str]:
    run = "import sys; from gui.launcher import main; sys.exit(main())"
    command = [sys.executable, "-c", run, *words]
    return subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=120,
        check=False,
    )


def test_the_block_is_real(blocked: dict[str, str]) -> None:
    words = [sys.executable, "-c", "import socket; socket.create_connection(('127.0.0.1', 9))"]
    assert subprocess.run(words, env=blocked, capture_output=True, check=False).returncode == 1
    assert "connect" in Path(blocked["SOCKET_LOG"]).read_text()


RUNS = (
    "inspect FILE --json",
    "facts FILE --json",
    "compact FILE -o OUT",
    "compare FILE -s middle-out",
    "compare FOLDER -s middle-out",
    "replay FILE -s middle-out",
    "sweep FILE -s tiered --vary compaction.target=0.3,0.6",
    "probe FILE -s middle-out --dry-run",
    "check FILE -s pi",
    "lint FILE",
    "convert FILE --to html -o OUT",
    *("sessions FOLDER", "strategies", "formats", "settings", "profiles", "models", "prompts install"),
    *("watch FOLDER --once", "hook status", "mcp"),
    "shot FILE -o OUT.png",
)


def test_every_command_is_tried() -> None:
    assert list(dict.fromkeys(line.split()[0] for line in RUNS)) == list(COMMANDS)


@pytest.mark.parametrize("line", RUNS)
def test_no_socket_is_tried(blocked: dict[str, str], tmp_path: Path, line: str) -> None:
    (tmp_path / "talks").mkdir()
    shutil.copy(bundled_samples()[1].path, tmp_path / "talks")
    named = {
        "FILE": str(bundled_samples()[0].path),
        "FOLDER": str(tmp_path / "talks"),
        "OUT": str(tmp_path / "out"),
        "OUT.png": str(tmp_path / "a.png"),
    }
    words = line.split()
    done = foldline(blocked, *(named.get(word, word) for word in words))
    assert done.returncode == 0, done.stderr
    assert Path(blocked["SOCKET_LOG"]).read_text() == ""
