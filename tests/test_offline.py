"""Everything works without a network; neither window nor worker opens a socket."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from core.cli.command_names import COMMAND_NAMES, find_command
from core.common.paths import bundled_samples
from tests.support.source_tree import ROOT

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


# In one process, so that what they need is loaded once.
_RUN_EACH = """
import json, os, sys
from pathlib import Path
from gui.launcher import main

log, found = Path(os.environ["SOCKET_LOG"]), {}
for line, words in json.loads(sys.argv.pop()).items():
    log.write_text("")
    sys.argv[1:] = words
    found[line] = main(), log.read_text()
log.with_name("found").write_text(json.dumps(found))
"""

RUNS = (
    "inspect FILE --json",
    "inspect FILE --facts --json",
    "compact FILE -o OUT",
    "compare FILE -s middle-out",
    "compare FOLDER -s middle-out",
    "compare --backtest FILE -s middle-out",
    "compare --backtest FOLDER -s hybrid",
    "tune FOLDER -s middle-out --runs 2 --force -o OUT.toml",
    "replay FILE -s middle-out",
    "compare FILE -s tiered --vary compression.tiered.target=0.3,0.6",
    "ask FILE -s middle-out --dry-run",
    "check FILE -s pi",
    "lint FILE",
    "lint --fix FILE",
    "undo SESSION -o OUT.jsonl",
    "convert FILE --to html -o OUT.html",
    *("sessions FOLDER", "list strategies", "list formats", "config list"),
    "config set compression.strategy middle-out",
    *("config profiles", "list models", "config prompts install"),
    *(
        "watch FOLDER --once",
        "supplement FILE --summary FILE",
        "hook status",
        "mcp",
        "completion bash",
    ),
    "shot FILE -o OUT.png",
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("blocked")
    (folder / "sitecustomize.py").write_text(_BLOCKED)
    (folder / "log").write_text("")
    (folder / "talks").mkdir()
    for sample in bundled_samples()[:2]:
        shutil.copy(sample.path, folder / "talks")
    return folder


def run(folder: Path, code: str, *words: str) -> subprocess.CompletedProcess[str]:
    path = os.pathsep.join((str(folder), str(ROOT)))
    environment = {**os.environ, "PYTHONPATH": path, "QT_QPA_PLATFORM": "offscreen"}
    environment["SOCKET_LOG"] = str(folder / "log")
    command = [sys.executable, "-c", code, *words]
    return subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=600,
    )


def test_the_block_is_real(folder: Path) -> None:
    done = run(folder, "import socket; socket.create_connection(('127.0.0.1', 9))")
    assert done.returncode == 1
    assert "connect" in (folder / "log").read_text()


def test_every_command_is_tried() -> None:
    assert {find_command(line.split())[0] for line in RUNS} == set(COMMAND_NAMES)


def run_each(folder: Path) -> dict[str, list[object]]:
    """Return by command its exit code, and what it tried of the network."""
    samples = [str(one.path) for one in bundled_samples()[:2]]
    named = {"FILE": samples[1], "SESSION": samples[0], "FOLDER": str(folder / "talks")}
    suffixes = ("", ".html", ".png", ".toml", ".jsonl")
    named |= {f"OUT{suffix}": str(folder / f"out{suffix}") for suffix in suffixes}
    runs = {line: [named.get(word, word) for word in line.split()] for line in RUNS}
    done = run(folder, _RUN_EACH, json.dumps(runs))
    assert done.returncode == 0, done.stderr
    found: dict[str, list[object]] = json.loads((folder / "found").read_text())
    return found


def test_no_socket_is_tried(folder: Path) -> None:
    # Not a test for each command: processes that shared them would each run all.
    assert run_each(folder) == {line: [0, ""] for line in RUNS}
