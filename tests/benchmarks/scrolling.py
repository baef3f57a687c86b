"""The list over a million messages: a step of scrolling until it is painted, and the plan of its
rows."""

from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks.cold import run
from tests.benchmarks.table import Claim

MESSAGES = 1_000_000
STEP_MS = 16.0
"""A step of scrolling: one frame of a screen."""
PLAN_LIMIT = 2.5
"""Most that the plan of both sides beside each other may take, as a multiple of those of each
alone."""

_INPUT = f"""
import json, statistics, time
from array import array
from core.presentation.lists.side_rows import AlignedInput, aligned_plan
from core.presentation.lists.row_plan import row_plan
from core.presentation.model import FATES

COUNT, FIFTH = {MESSAGES}, {MESSAGES} // 5
KEPT, EDITED, SUMMARISED, INSERTED = 0, 1, FATES.index("summarised"), len(FATES)
results = array("q", [*range(FIFTH), *[FIFTH] * (3 * FIFTH), *range(FIFTH + 1, 2 * FIFTH + 1)])
middle = AlignedInput(
    fates=bytes([KEPT] * FIFTH + [SUMMARISED] * (3 * FIFTH) + [KEPT] * FIFTH),
    results=results,
    origin=array("q", [*range(FIFTH + 1), *range(4 * FIFTH, COUNT)]),
    after_fates=bytes([KEPT] * FIFTH + [INSERTED] + [KEPT] * FIFTH),
    tokens=array("q", [10]) * COUNT,
)
edited = bytes([KEPT, EDITED] * (COUNT // 2))
dense = AlignedInput(
    fates=edited, results=array("q", range(COUNT)), origin=array("q", range(COUNT)), after_fates=edited,
    tokens=array("q", [10]) * COUNT,
)
"""
_PLAN = """
def spent(work):
    took = []
    for _ in range(5):
        began = time.process_time()
        work()
        took.append(time.process_time() - began)
    return statistics.median(took)

ratios = []
for given in (middle, dense):
    both = spent(lambda: aligned_plan(given))
    alone = spent(lambda: (
        row_plan(COUNT, given.fates, tokens=given.tokens), row_plan(len(given.origin), given.after_fates)
    ))
    ratios.append(both / alone)
print(json.dumps(max(ratios)))
"""
_SCROLL = """
from dataclasses import replace
from PySide6.QtCore import QCoreApplication, QEvent
from core.presentation.lists.aligned_rows import AlignedColumns
from core.presentation.model import MessageRows
from gui.app import build_app
from gui.inspect.lists.aligned_list import AlignedList
from gui.widgets.theme import body_font
from tests.gui.session_screen import session_screen

def grown(rows, count):
    return MessageRows.joined([rows] * (count // len(rows) + 1)).part(0, count)

app = build_app()
base = session_screen(messages=400)
cell = next(iter(base.aligned.cells.values()))
medians = []
for given, top in ((middle, FIFTH - 10), (dense, COUNT // 2)):
    lists = AlignedList()
    lists.setFont(body_font())
    lists.resize(856, 720)
    lists.show()
    columns = AlignedColumns(given.results, cells={FIFTH: cell} if given is middle else {})
    source, result = base.source, base.result
    lists.set_screen(replace(
        base,
        source=replace(source, rows=grown(source.rows, COUNT), fates=given.fates, cuts=(), partners={}),
        result=replace(
            result, rows=grown(result.rows, len(given.origin)), fates=given.after_fates,
            origin=given.origin, cuts=(),
        ),
        ruler=replace(base.ruler, runs=()), recorded=(), aligned=columns,
    ))
    app.processEvents()
    bar = lists.list.view.verticalScrollBar()
    bar.setValue(top * lists.list.view.row_pixels)
    app.processEvents()
    spent = []
    for step in range(100):
        began = time.perf_counter()
        bar.setValue(bar.value() + 10)
        QCoreApplication.sendEvent(lists, QEvent(QEvent.Type.UpdateRequest))
        spent.append(time.perf_counter() - began)
    medians.append(statistics.median(spent) * 1000)
    lists.close()
print(json.dumps(max(medians)))
"""


def measure(home: Path) -> Iterator[Claim]:
    home.mkdir(exist_ok=True)
    ratio = run(_INPUT + _PLAN, [], home / "plan")
    name = f"the rows of {MESSAGES:,} messages beside their result; the rows of each side alone = 1"
    yield Claim(name, f"{ratio:.2f}", ratio, PLAN_LIMIT)
    step = run(_INPUT + _SCROLL, [], home / "scroll")
    name = f"a step of scrolling over {MESSAGES:,} messages until it is painted, ms"
    yield Claim(name, f"{step:.1f} ms", step, STEP_MS, is_absolute=True)
