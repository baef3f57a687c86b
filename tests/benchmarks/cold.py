"""Python code in cold processes: modules compiled before, folders of their own, JSON as the answer."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
_PATIENCE = 900.0
_QUIET = 1.0
"""Load of the machine below which a round may begin, if it comes to that soon."""


def environment(home: Path) -> dict[str, str]:
    """What a process gets: ``home`` takes its caches and its settings; no window is shown anywhere."""
    environ = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(ROOT), "HOME": str(home)}
    environ |= {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CACHE", "CONFIG", "STATE", "DATA")}
    environ["PYTHONPYCACHEPREFIX"] = str(home.parent / "compiled")
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    return environ


class ColdProcess:
    """One process that runs ``code``. It says "ready" when it likes, and waits to be told to go on."""

    def __init__(self, code: str, arguments: Sequence[object], home: Path) -> None:
        home.mkdir(parents=True, exist_ok=True)
        self._process = subprocess.Popen(
            [sys.executable, "-c", code, *map(str, arguments)],
            env=environment(home),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ready(self) -> Any:
        """Wait for its first line, which is what it has to tell before it goes on."""
        assert self._process.stdout is not None
        return json.loads(self._process.stdout.readline() or "null")

    def go(self) -> None:
        """Let it go on."""
        assert self._process.stdin is not None
        self._process.stdin.write("go\n")
        self._process.stdin.flush()

    def end(self) -> Any:
        """Its last line. Fails where the process did."""
        out, _ = self._process.communicate(timeout=_PATIENCE)
        assert self._process.returncode == 0, "the measured process failed"
        return json.loads(out.strip().rpartition("\n")[2])


def run(code: str, arguments: Sequence[object], home: Path) -> Any:
    """What a process that does not wait says at its end."""
    return ColdProcess(code, arguments, home).end()


def wait_for_quiet(patience: float) -> None:
    """Wait until little else runs here, at most so many seconds."""
    end = time.monotonic() + patience
    while os.getloadavg()[0] > _QUIET and time.monotonic() < end:
        time.sleep(2)
