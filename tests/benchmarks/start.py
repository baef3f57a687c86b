"""How soon is the window painted, and how soon the first preview of a file? Cold starts, off
screen.

The first paint is compared with that of a bare QMainWindow. The preview is that of the largest
sample, from the start of the process until lists and ruler are painted with it.
"""

import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from tempfile import NamedTemporaryFile

from core.common.paths import SAMPLES
from tests.benchmarks.cold import environment
from tests.benchmarks.table import Claim

SAMPLE = "fix-flaky-upload.jsonl"

_ROUNDS, _PREVIEWS = 11, 5
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
import gui.entry, gui.launcher

load = gui.entry.load_qt

def end():
    os._exit(0)

def beginning(window, start, worker):
    window.painted.connect(end)

def loaded():  # what comes before it is as in every start
    load()
    import gui.app
    gui.app.WindowStartup = beginning

sys.argv = ["foldline"]
gui.entry.load_qt = loaded
gui.launcher.main()
"""
_PREVIEW = """
import os, sys
import gui.entry, gui.launcher

load = gui.entry.load_qt

def loaded():
    load()
    import gui.app

    class Watched(gui.app.WindowStartup):
        def _on_painted(self):
            super()._on_painted()
            from gui.inspect.inspect_page import InspectPage
            from gui.backend import BackendClient
            self.page = self._window.findChild(InspectPage)
            self._window.findChild(BackendClient).screen.connect(self.end)  # after the page

        def end(self, screen):
            self.page.finish()
            self._window.repaint()
            os._exit(0)

    gui.app.WindowStartup = Watched

if __name__ == "__main__":
    sys.argv = ["foldline", {path!r}]
    gui.entry.load_qt = loaded
    gui.launcher.main()
"""


def _seconds(script: str, home: Path) -> float:
    """Return the seconds from the start of a process to its end, off screen, with compiled
    modules."""
    shutil.rmtree(home / "cache", ignore_errors=True)
    with NamedTemporaryFile(
        "w", suffix=".py"
    ) as file:  # workers read it, too, which they cannot with -c
        file.write(script)
        file.flush()
        start = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, file.name],
            env=environment(home),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        code = process.wait()  # with a timeout it would look at 114, 164, 214 ms only
        seconds = time.perf_counter() - start
        process.communicate()  # what it started has ended, too, and does not disturb the next
    assert code == 0, "the measured process failed"
    return seconds


def measure(home: Path) -> Iterator[Claim]:
    preview = _PREVIEW.format(path=str(SAMPLES / SAMPLE))
    for code in (_EMPTY, _OURS, preview):
        _seconds(code, home)  # compiles
    pairs = [(_seconds(_EMPTY, home), _seconds(_OURS, home)) for _ in range(_ROUNDS)]
    bare, ours = (statistics.median(side) * 1000 for side in zip(*pairs, strict=True))
    ratio = statistics.median(b / a for a, b in pairs)
    yield Claim(
        "first paint; an empty window = 1",
        f"{ours:.0f} ms of {bare:.0f} ms",
        ratio,
        1.5,
    )
    shown = statistics.median(_seconds(preview, home) for _ in range(_PREVIEWS))
    yield Claim(
        "foldline FILE until its preview is shown, s",
        f"{shown:.2f} s",
        shown,
        1.5,
        is_absolute=True,
    )
