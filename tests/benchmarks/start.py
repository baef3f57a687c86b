"""How soon is the empty window painted? Cold starts of Foldline against those of a bare QMainWindow."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.claims import Claim

LIMIT = 1.25
"""Most that the first paint may take, as a multiple of an empty PySide6 window's."""

_ROUNDS = 11
_ROOT = Path(__file__).resolve().parents[2]
_EMPTY = """
import os, sys
from PySide6.QtWidgets import QApplication, QMainWindow

class Window(QMainWindow):
    def paintEvent(self, event):
        super().paintEvent(event)
        os._exit(0)

app = QApplication(sys.argv[:1])
window = Window()
window.resize(1600, 1000)
window.show()
app.exec()
"""
_OURS = """
import os, sys
sys.argv = ["foldline"]
import gui.launcher, gui.app

def end():
    os._exit(0)

def beginning(window, start):
    window.painted.connect(end)

gui.app.Beginning = beginning
gui.launcher.main()
"""


def _seconds(code: str, home: str) -> float:
    """From the start of a process to the end of its first paint, off screen, with compiled modules."""
    environ = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONPATH": str(_ROOT), "HOME": home}
    for name in ("PYTHONDONTWRITEBYTECODE", "XDG_STATE_HOME"):
        environ.pop(name, None)
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", code], env=environ, check=True, stderr=subprocess.DEVNULL, timeout=60
    )
    return time.perf_counter() - start


def measure() -> Iterator[Claim]:
    """The bare window and ours: medians of starts by turns."""
    with tempfile.TemporaryDirectory() as home:
        for code in (_EMPTY, _OURS):
            _seconds(code, home)  # compiles
        pairs = [(_seconds(_EMPTY, home), _seconds(_OURS, home)) for _ in range(_ROUNDS)]
    bare, ours = (statistics.median(side) * 1000 for side in zip(*pairs, strict=True))
    ratio = statistics.median(b / a for a, b in pairs)
    yield Claim("first paint; an empty window = 1", f"{ours:.0f} ms of {bare:.0f} ms", ratio, LIMIT)
