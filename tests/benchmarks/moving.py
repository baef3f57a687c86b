"""The window under the hand: a cut that is dragged, and a list that is scrolled."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.claims import Claim
from tests.benchmarks.cold import run
from tests.benchmarks.painting import FEW_SHOWN, JUMP, LISTS, NEW_MS, WINDOW
from tests.benchmarks.session_file import write_messages

MOVE_MS = 16.0
"""Most milliseconds that the window may take from a move of the mouse until its cut is painted there."""
DRAGGED = (1_000, 10_000, 100_000)
FEW, SCROLLED = 1_000, (100_000, 1_000_000)

_DRAG = """
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent

LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
ruler = page.ruler
session.set_value("compression.strategy", "middle-out")
settle()
paint()
frame = ruler._frame()
handle = frame.content.screen.handles[1]
height = 28

def place(share):
    index = handle.index - round(share * len(frame.content.screen.before))
    return frame.x(frame.content.before.sums[index])

def send(kind, x):
    here = QPointF(x, height)
    app.sendEvent(ruler, QMouseEvent(kind, here, ruler.mapToGlobal(here), LEFT, LEFT, NONE))

def wait_for_screen():
    loop = QEventLoop()
    session.recalled.connect(loop.quit)
    if not screens:
        loop.exec()

screens, seen, moves, answers = [], [], [], []
session.recalled.connect(screens.append)  # lists and ruler have it
session._settle.setInterval(3_600_000)  # as long as the button is down: these events are no real mouse's
send(QEvent.Type.MouseButtonPress, place(0))
for number in range(1, 31):
    del screens[:]
    x = place(0.3 * number / 30)
    began = time.perf_counter()
    send(QEvent.Type.MouseMove, x)
    paint()
    moves.append(time.perf_counter() - began)
    assert ruler._moves.grips()[1].index != handle.index, "the cut has moved"
    wait_for_screen()
    paint()
    answers.append(time.perf_counter() - began)
    seen += screens
assert all(one.draft for one in seen), "no move was taken for the last"
print(json.dumps([statistics.median(one) * 1000 for one in (moves, answers)]))
dispose(window)
"""
_SCROLL = """
spent = [[], []]
for _ in range(200):
    for place, one in enumerate(lists):
        bar = one.view.verticalScrollBar()
        began = time.perf_counter()
        bar.setValue(bar.value() + 3 * bar.singleStep())
        one.view.viewport().repaint()
        spent[place].append(time.perf_counter() - began)
assert all(one.view.verticalScrollBar().value() > 0 for one in lists), "they have scrolled"
print(json.dumps([statistics.median(one) * 1000 for one in spent]))
"""


def measure(home: Path) -> Iterator[Claim]:
    """All claims of this part."""
    for messages in DRAGGED:
        path = home / f"dragged{messages}.jsonl"
        write_messages(path, messages)
        move, draft = run(WINDOW + _DRAG, [path], home / f"drag{messages}")
        name = f"a cut that is dragged, {messages:,} messages"
        yield Claim(f"{name}, until it is painted where the hand is, ms", f"{move:.1f} ms", move, MOVE_MS)
        limit = NEW_MS if messages <= FEW_SHOWN else None
        yield Claim(f"{name}, until what it would do is painted, ms", f"{draft:.0f} ms", draft, limit)
    for rows in SCROLLED:
        few, many = run(LISTS + _SCROLL, [FEW, rows], home / f"scroll{rows}")
        yield Claim(
            f"a frame of scrolling, {rows:,} rows; {FEW:,} rows = 1",
            f"{many:.2f} ms of {few:.2f} ms",
            many / few,
            JUMP,
        )
