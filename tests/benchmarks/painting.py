"""The window at work: a toggle until it is painted, and a jump through a list of a million rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.claims import Claim
from tests.benchmarks.cold import run
from tests.benchmarks.session_file import write_messages

REPAINT = 1.5
"""Most that a toggle may take until it is painted, as a multiple of a bare repaint of the same widgets."""
TOGGLE_MS = {10_000: 16.0, 100_000: 33.0}
"""The same in milliseconds, by messages."""
JUMP = 1.2
"""Most that a frame after a jump may take among a million rows, as a multiple of one among a thousand."""
FEW, MANY = 1_000, 1_000_000

_TOGGLE = """
import json, statistics, sys, time
from PySide6.QtCore import QEventLoop, QTimer
from gui.app import build_app, build_window, dispose
from gui.arguments import Start
from gui.begin import fill
from gui.state import State

KEY = "compression.density.readWritePruning"
app = build_app()
window = build_window(app, Start(theme="light"), State(theme="light"), remembers=False)
window.resize(1600, 1000)
window.show()
space = fill(window)
space.open_path(sys.argv[1])
page, session = space.page, space.session

def settle():
    while not session.is_settled or page._turns.is_busy:
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 20)
    app.processEvents()

def repaint():
    for widget in (page.lists.before.view.viewport(), page.lists.after.view.viewport(), page.ruler):
        widget.repaint()

def wait(event):
    loop = QEventLoop()
    event.connect(loop.quit)
    loop.exec()
    event.disconnect(loop.quit)

while page.preview is None or not session.is_settled:
    app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 20)
session.set_value("compression.strategy", "high-density")
settle()
toggles, bare, shown = [], [], []
for number in range(2 + 2 * int(sys.argv[2])):
    settle()
    began = time.perf_counter()
    session.set_value(KEY, number % 2 == 0)
    wait(session.screen)
    arrived = time.perf_counter()
    repaint()
    painted = time.perf_counter()
    settle()
    middle = time.perf_counter()
    repaint()
    if number >= 2:  # both results are known from here on
        toggles.append(painted - began)
        shown.append(painted - arrived)
        bare.append(time.perf_counter() - middle)
print(json.dumps([statistics.median(one) * 1000 for one in (toggles, bare)]))
dispose(window)
"""
_JUMP = """
import json, random, statistics, sys, time
from array import array
from gui.app import build_app
from core.view.texts import Texts
from core.view.values import Rows
from gui.lists.message_list import MessageList
from gui.theme import theme

def rows(count):
    kinds = bytes([number % 4 for number in range(20)])
    texts = [f"message {number}: what was said about the upload and its retries" for number in range(1000)]
    times = count // 20
    return Rows(kinds * times, kinds * times, bytes(count), bytes(count), array("q", [120]) * count,
                Texts([""] * count), Texts([texts[number % 1000] for number in range(count)]))

app = build_app()
lists = []
for count in map(int, sys.argv[1:3]):
    one = MessageList("before")
    one.set_theme(theme("light"))
    one.resize(700, 800)
    one.set_rows(rows(count))
    one.show()
    lists.append(one)
app.processEvents()
dice = random.Random(7)
spent = [[], []]
for _ in range(120):
    for place, one in enumerate(lists):
        bar = one.view.verticalScrollBar()
        began = time.perf_counter()
        bar.setValue(dice.randrange(bar.maximum()))
        one.view.viewport().repaint()
        spent[place].append(time.perf_counter() - began)
print(json.dumps([statistics.median(one) * 1000 for one in spent]))
"""


def measure(home: Path) -> Iterator[Claim]:
    """All claims of this page."""
    for messages, limit in TOGGLE_MS.items():
        path = home / f"messages{messages}.jsonl"
        write_messages(path, messages)
        toggle, bare = run(_TOGGLE, [path, 5], home / f"toggle{messages}")
        name = f"toggle until painted, {messages:,} messages"
        yield Claim(f"{name}, ms", f"{toggle:.1f} ms", toggle, limit)
        yield Claim(
            f"{name}; a bare repaint = 1", f"{toggle:.1f} ms of {bare:.1f} ms", toggle / bare, REPAINT
        )
    few, many = run(_JUMP, [FEW, MANY], home / "jump")
    yield Claim(
        f"a frame after a jump, {MANY:,} rows; {FEW:,} rows = 1",
        f"{many:.2f} ms of {few:.2f} ms",
        many / few,
        JUMP,
    )
