"""Python code in cold processes: modules compiled before, folders of their own, JSON as the
answer."""

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
    """What a process gets: ``home`` takes its caches and its settings; no window is shown
    anywhere."""
    environ = {
        **os.environ,
        "QT_QPA_PLATFORM": "offscreen",
        "PYTHONPATH": str(ROOT),
        "HOME": str(home),
    }
    environ |= {
        f"XDG_{name}_HOME": str(home / name.lower())
        for name in ("CACHE", "CONFIG", "STATE", "DATA")
    }
    environ["PYTHONPYCACHEPREFIX"] = str(home.parent / "compiled")
    environ.pop("PYTHONDONTWRITEBYTECODE", None)
    return environ


def run(code: str, arguments: Sequence[object], home: Path) -> Any:
    """Return what a process that runs ``code`` prints in its last line; fail where the process
    does."""
    home.mkdir(parents=True, exist_ok=True)
    words = [sys.executable, "-c", code, *map(str, arguments)]
    done = subprocess.run(
        words,
        env=environment(home),
        stdout=subprocess.PIPE,
        text=True,
        check=True,
        timeout=_PATIENCE,
    )
    return json.loads(done.stdout.strip().rpartition("\n")[2])


def wait_for_quiet(patience: float) -> None:
    """Wait until little else runs here, at most so many seconds."""
    end = time.monotonic() + patience
    while os.getloadavg()[0] > _QUIET and time.monotonic() < end:
        time.sleep(2)
