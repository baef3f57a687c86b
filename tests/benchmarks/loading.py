"""What loading a large file does to the window: how late its ticks come, how soon rows show, what
memory it takes, how soon Cancel is answered."""

from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.cold import run

_CODE = """
import gc, json, os, sys, time
from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from gui.app import build_app, build_window, dispose_window
from gui.arguments import StartOptions
from gui.start_up import fill_window
from gui.saved_state import WindowState

def peak(pid):
    for line in open(f"/proc/{pid}/status"):
        if line.startswith("VmHWM"):
            return int(line.split()[1]) / 1024

class Probe(QObject):
    def __init__(self, space, cancel_while):
        super().__init__(space)
        self.space, self.cancel_while = space, cancel_while
        self.late, self.last, self.began = 0.0, time.perf_counter(), time.perf_counter()
        self.has_rows = False
        space.backend.rows.connect(self.rows)
        space.backend.opened.connect(self.opened)
        space.backend.idle.connect(self.idle)
        self.timer = QTimer(self, interval=4, timerType=Qt.TimerType.PreciseTimer)
        self.timer.timeout.connect(self.tick)
        self.timer.start()
        self.asked = 0.0

    def since(self):
        return time.perf_counter() - self.began

    def tick(self):
        now = time.perf_counter()
        self.late = max(self.late, (now - self.last) * 1000 - 4)
        self.last = now

    def rows(self, part):
        self.may_cancel("reading")
        if not self.has_rows:
            self.has_rows = True
            self.space.page.lists.list.view.viewport().installEventFilter(self)
        if told["first"] and self.since() > told["first"] + 0.3:  # the first rows bring up the page, once
            told["late"] = max(told["late"], self.late)
        self.late = 0.0

    def eventFilter(self, viewport, event):
        if event.type() == QEvent.Type.Paint:  # the rows are being painted
            viewport.removeEventFilter(self)
            told["first"] = self.since()
        return False

    def opened(self, opened):
        self.may_cancel("previewing")

    def may_cancel(self, now):
        if self.cancel_while == now:
            self.cancel_while = ""
            QTimer.singleShot(20, self.cancel)

    def cancel(self):
        self.asked = time.perf_counter()
        self.space.backend.cancel()

    def idle(self):
        self.space.backend.idle.disconnect(self.idle)  # a cancelled worker is idle twice
        if self.asked:
            told["cancel"] = (time.perf_counter() - self.asked) * 1000
        told["late"] = max(told["late"], self.late)
        self.space.page.finish()
        QTimer.singleShot(500, end)

def end():
    told["memory"] = peak(os.getpid()) + peak(space.backend._worker._process.pid)
    app.quit()

app = build_app()
window = build_window(app, StartOptions(theme="light"), WindowState(theme="light"), saves_state=False)
window.show()
space = fill_window(window)
gc.freeze()  # as gui.app does
path, cancel_while = sys.argv[1:]
told = {"late": 0.0, "first": 0.0, "cancel": 0.0}
def begin():
    global probe
    probe = Probe(space, cancel_while)
    space.open_path(path)

space.backend.start()
QTimer.singleShot(2000, begin if path else end)  # by then the worker waits, as it does for a person
app.exec()
dispose_window(window)
print(json.dumps(told))
"""


@dataclass(frozen=True, slots=True)
class Loaded:
    """One opening of a file in a window of its own, whose worker waits; 0 where something did not
    happen.

    Megabytes at the peak of both processes, milliseconds of the latest tick, seconds until the
    first rows are painted, milliseconds until Cancel is answered.
    """

    memory: float
    late: float
    first: float
    cancel: float


def load(path: Path | None, home: Path, cancel_while: str = "") -> Loaded:
    """Open a file, or nothing, in a window of a new process; cancel while "reading" or
    "previewing"."""
    return Loaded(**run(_CODE, [path or "", cancel_while], home))
