"""The window at work: a switch until its result is painted, and a cut that is dragged."""

from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks import scrolling
from tests.benchmarks.cold import run
from tests.benchmarks.session_file import write_messages
from tests.benchmarks.table import Claim

MESSAGES = 10_000

_WINDOW = """
import json, statistics, sys, time
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QPointF, Qt
from PySide6.QtGui import QMouseEvent
from gui.app import build_app, build_window, dispose_window
from gui.arguments import StartOptions
from gui.start_up import fill_window
from gui.saved_state import WindowState

SWITCH = "compression.density.read-write-pruning"
app = build_app()
window = build_window(app, StartOptions(theme="light"), WindowState(theme="light"), saves_state=False)
window.resize(1600, 1000)
window.show()
space = fill_window(window)
space.open_path(sys.argv[1])
page, backend = space.page, space.backend
screens, loop = [], QEventLoop()

def settle():
    while page.preview is None or not backend.is_up_to_date or page._scheduler.is_busy:
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 20)
    app.processEvents()
    paint()
    del screens[:]

def paint():
    # the frame that a screen would ask for: all that has changed in the window
    QCoreApplication.sendEvent(window, QEvent(QEvent.Type.UpdateRequest))

def wait_for_screen():
    if not screens:
        loop.exec()
    paint()

settle()
backend.screen.connect(screens.append)  # after the page, which has shown it by then
backend.screen.connect(loop.quit)
"""
_SWITCH = """
backend.set_value("compression.strategy", "high-density")
settle()
spent = []
for number in range(6):  # each time over another tail, so that no result has been there before
    backend.set_value("compression.preserve-threshold", 0.1 + 0.05 * number)
    settle()
    began = time.perf_counter()
    backend.set_value(SWITCH, number % 2 == 1)
    wait_for_screen()
    spent.append(time.perf_counter() - began)
    settle()
print(json.dumps(statistics.median(spent[1:]) * 1000))
dispose_window(window)
"""
_DRAG = """
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
ruler = page.ruler
backend.set_value("compression.strategy", "middle-out")
settle()
frame = ruler.frame()
handle = frame.content.screen.ruler.handles[1]

def send(kind, share):
    index = handle.index - round(share * len(frame.content.screen.source.rows))
    here = QPointF(frame.x(frame.content.before.sums[index]), sum(frame.lanes.bands) / 2)
    app.sendEvent(ruler, QMouseEvent(kind, here, ruler.mapToGlobal(here), LEFT, LEFT, NONE))

moves, answers = [], []
backend._settle.setInterval(3_600_000)  # as long as the button is down: these events are no real mouse's
send(QEvent.Type.MouseButtonPress, 0)
assert ruler.moves.moving_name == handle.name, "the pointer holds the cut"
for number in range(1, 31):
    del screens[:]
    began = time.perf_counter()
    send(QEvent.Type.MouseMove, 0.3 * number / 30)
    paint()
    moves.append(time.perf_counter() - began)
    assert ruler.moves.current_index(handle) != handle.index, "the cut has moved"
    wait_for_screen()
    answers.append(time.perf_counter() - began)
print(json.dumps([statistics.median(one) * 1000 for one in (moves, answers)]))
dispose_window(window)
"""


def measure(home: Path) -> Iterator[Claim]:
    path = home / "messages.jsonl"
    write_messages(path, MESSAGES)
    shown = run(_WINDOW + _SWITCH, [path], home / "switch")
    name = f"a switch until its result is painted, {MESSAGES:,} messages, ms"
    yield Claim(name, f"{shown:.0f} ms", shown, 150.0, is_absolute=True)
    move, answer = run(_WINDOW + _DRAG, [path], home / "drag")
    name = f"a dragged cut, {MESSAGES:,} messages, until"
    yield Claim(
        f"{name} its handle is painted, ms",
        f"{move:.1f} ms",
        move,
        16.0,
        is_absolute=True,
    )
    yield Claim(
        f"{name} its sums are painted, ms",
        f"{answer:.0f} ms",
        answer,
        100.0,
        is_absolute=True,
    )
    yield from scrolling.measure(home / "scrolling")
