"""The window at work: a toggle until it is painted, and a jump through a list of a million rows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.claims import Claim
from tests.benchmarks.cold import run
from tests.benchmarks.session_file import write_messages

REPAINT = 1.5
"""Most that a toggle may take until it is painted, as a multiple of a bare repaint of the same widgets."""
TOGGLE_MS = {1_000: 16.0, 10_000: 16.0, 100_000: 33.0}
"""The same in milliseconds, by messages."""
FEW_SHOWN, NEW_MS = 10_000, 100.0
"""Messages of which a result is computed, and most milliseconds until it is painted: up to a tenth of a
second an answer is felt as the doing of one's own hand. For more messages it is told."""
JUMP = 1.2
"""Most that a frame after a jump may take among a million rows, as a multiple of one among a thousand."""
FEW, MANY = 1_000, 1_000_000

WINDOW = """
import json, statistics, sys, time
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop, QObject
from gui.app import build_app, build_window, dispose_window
from gui.arguments import StartOptions
from gui.start_up import fill_window
from gui.saved_state import WindowState

SWITCH = "compression.density.readWritePruning"
app = build_app()
window = build_window(app, StartOptions(theme="light"), WindowState(theme="light"), remembers=False)
window.resize(1600, 1000)
window.show()
space = fill_window(window)
space.open_path(sys.argv[1])
page, session = space.page, space.session
lists = (page.lists.before, page.lists.after)
widgets = (*(one.view.viewport() for one in lists), page.ruler)

def settle():
    while not session.is_settled or page._turns.is_busy:
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 20)
    app.processEvents()

def paint():
    # the frame that a screen would ask for: all that has changed in the window
    QCoreApplication.sendEvent(window, QEvent(QEvent.Type.UpdateRequest))

def shown():
    content = page.ruler._content
    return [one.model.content.fates for one in lists] + [content.strip.codes, content.after.codes]

class Painted(QObject):
    count = 0
    def eventFilter(self, watched, event):
        self.count += event.type() == QEvent.Type.Paint
        return False

while page.preview is None or not session.is_settled:
    app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 20)
session.set_value("compression.strategy", "high-density")
settle()
"""
_TOGGLE = """
screens, resets = [], []
session.screen.connect(screens.append)
for one in lists:
    one.model.modelReset.connect(lambda: resets.append(1))
for number in range(6):  # both results are shown, each behind the other
    session.set_value(SWITCH, number % 2 == 0)
    settle()
    paint()

def toggle(number):
    before = shown()
    began = time.perf_counter()
    session.set_value(SWITCH, number % 2 == 0)
    paint()
    spent = time.perf_counter() - began
    after = shown()
    assert all(one != other for one, other in zip(before[:3], after[:3])), "the other result is shown"
    del screens[:], resets[:]
    settle()
    assert len(screens) == 1 and not resets, "the worker's answer has changed nothing"
    assert all(one is other for one, other in zip(after, shown()))
    return spent

watch = Painted()
for widget in widgets:
    widget.installEventFilter(watch)
toggle(0)
assert watch.count >= len(widgets), "the lists and the ruler are painted"
for widget in widgets:
    widget.removeEventFilter(watch)
toggle(1)
toggles, bare = [], []
for number in range(2 * int(sys.argv[2])):
    toggles.append(toggle(number))
    paint()
    for widget in widgets:
        widget.update()
    began = time.perf_counter()
    paint()
    bare.append(time.perf_counter() - began)
print(json.dumps([statistics.median(one) * 1000 for one in (toggles, bare)]))
dispose(window)
"""
_NEW = """
loop, spent = QEventLoop(), []
session.recalled.connect(loop.quit)  # lists and ruler have it
for number in range(7):  # each time over another tail, so that no result has been there before
    session.set_value("compression-preserve-threshold", 0.1 + 0.05 * number)
    settle()
    paint()
    before = shown()
    began = time.perf_counter()
    session.set_value(SWITCH, number % 2 == 1)
    assert not session.is_ahead, "never shown before"
    loop.exec()
    paint()
    spent.append(time.perf_counter() - began)
    assert all(one != other for one, other in zip(before[:3], shown())), "another result"
    settle()
print(json.dumps(statistics.median(spent) * 1000))
dispose(window)
"""
LISTS = """
import json, random, statistics, sys, time
from array import array
from gui.app import build_app
from core.presentation.packed_texts import PackedTexts
from core.presentation.model import MessageRows
from gui.inspect.lists.message_list import MessageList
from gui.widgets.theme import theme

def rows(count):
    kinds = bytes([number % 4 for number in range(20)])
    texts = [f"message {number}: what was said about the upload and its retries" for number in range(1000)]
    times = count // 20
    return MessageRows(kinds * times, kinds * times, bytes(count), bytes(count), array("q", [120]) * count,
                PackedTexts([""] * count), PackedTexts([texts[number % 1000] for number in range(count)]))

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
"""
_JUMP = """
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
        toggle, bare = run(WINDOW + _TOGGLE, [path, 10], home / f"toggle{messages}")
        name = f"toggle between known results until painted, {messages:,} messages"
        yield Claim(f"{name}, ms", f"{toggle:.1f} ms", toggle, limit)
        yield Claim(
            f"{name}; a bare repaint = 1", f"{toggle:.1f} ms of {bare:.1f} ms", toggle / bare, REPAINT
        )
        new = run(WINDOW + _NEW, [path], home / f"new{messages}")
        name = f"toggle to a result never shown before until painted, {messages:,} messages, ms"
        yield Claim(name, f"{new:.0f} ms", new, NEW_MS if messages <= FEW_SHOWN else None)
    few, many = run(LISTS + _JUMP, [FEW, MANY], home / "jump")
    yield Claim(
        f"a frame after a jump, {MANY:,} rows; {FEW:,} rows = 1",
        f"{many:.2f} ms of {few:.2f} ms",
        many / few,
        JUMP,
    )
