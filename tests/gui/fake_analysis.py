"""Made-up pages of Compare, Replay and Sweep, and a worker's handler that answers with them, one step per
command."""

from __future__ import annotations

import time
from array import array
from collections.abc import Iterator

from core.app.events import FileExportedEvent, OpenRequest
from core.app.rpc import remote
from core.app.worker import EventEmitter, InterruptReason
from core.common.errors import InputError
from core.presentation.compare.model import (
    BEATEN,
    COLUMNS,
    DONE,
    FAILED,
    FRONT,
    RECORDED,
    WAITING,
    CompareCell,
    ComparePage,
    ComparePoint,
    CompareTableRow,
    PairPage,
    PairRow,
)
from core.presentation.model import PickerChoice
from core.presentation.plots import exact_axis, plot_axis, short_labels, whole_labels
from core.presentation.replay.model import COLUMNS as REPLAY_COLUMNS
from core.presentation.replay.model import ReplayCompactionMark, ReplayPage, ReplayTrackRow
from core.presentation.sweep.model import SweepAxis, SweepKey, SweepPage, SweepPointRow
from tests.gui.fake_services import FakeHandler

NAMES = ("none", "recorded 1", "middle-out", "one-shot", "high-density", "broken")
_FIGURES = {  # tokens, fidelity
    "none": (171_904, 1.0),
    "recorded 1": (38_420, 0.52),
    "middle-out": (71_158, 0.74),
    "one-shot": (37_046, 0.58),
    "high-density": (70_455, 0.91),
}
_FRONT = ("none", "high-density", "one-shot")
TURNS = 164


def compare_line(name: str, state: str = DONE) -> CompareTableRow:
    """A line of the table; without figures unless it is done."""
    rank = 0 if name == "none" else 1 if name.startswith("recorded") else 2
    number = int(name.rpartition(" ")[2]) if rank == 1 else 0
    if state != DONE:
        cells = (CompareCell(name), *(CompareCell("") for _ in COLUMNS[1:]))
        return CompareTableRow(
            name, rank, state, cells, number=number, trouble="It could not run." if state == FAILED else ""
        )
    tokens, fidelity = _FIGURES[name]
    texts = [CompareCell(f"{tokens:,}", tokens), CompareCell("−50.0 %", -0.5), CompareCell("158", 158)]
    texts.append(CompareCell(f"{fidelity:.2f}", fidelity))
    texts += [CompareCell("5 of 9", 0.5, "error"), *(CompareCell("9 of 9", 1.0) for _ in range(2))]
    texts += [CompareCell("–"), CompareCell("0", 0), CompareCell("1", 1), CompareCell("$0.00", 0.0)]
    texts += [CompareCell("8 calls", 8), CompareCell("ok", 0, "ok"), CompareCell("88 ms", 0.088)]
    tags = ("as it is",) if rank == 0 else ("auto",) if rank == 1 else ()
    return CompareTableRow(name, rank, DONE, (CompareCell(name), *texts), tags, fidelity, "", number)


def compare_page(names: tuple[str, ...] = NAMES, done: int = len(NAMES)) -> ComparePage:
    """A comparison with ``done`` rows."""
    states = [FAILED if name == "broken" else DONE for name in names[:done]]
    states += [WAITING] * (len(names) - len(states))
    lines = tuple(compare_line(name, state) for name, state in zip(names, states, strict=True))
    points = []
    for line in lines:
        if line.state == DONE:
            shape = RECORDED if line.number else FRONT if line.name in _FRONT else BEATEN
            points.append(ComparePoint(line.name, *_FIGURES[line.name], shape))
    front = [place for place, point in enumerate(points) if point.shape == FRONT]
    return ComparePage(
        f"{done} results",
        "over 388 messages · ≈171,904 tokens · all summaries offline, nothing was sent",
        lines,
        COLUMNS,
        tuple(points),
        tuple(sorted(front, key=lambda place: points[place].tokens)),
        plot_axis(0, 171_904, short_labels, 9, title="tokens after"),
        plot_axis(0.5, 1.0, short_labels, 6, title="weighted fidelity"),
        names,
        tuple(PickerChoice(name, name, "", "strategies") for name in NAMES[1:]),
        f"{done} of {len(names)} done in 1.2 s",
        "* The price of the recorded call is not in the file.",
        "all",
        done == len(names),
    )


def pair_page(a: str, b: str) -> PairPage:
    """Three facts that A lost, one that B lost."""
    rows = [
        PairRow("a", "constraint", "never run migrations against staging directly", "#14", 13, False),
        PairRow("a", "file modified", "billing/proration.py", "#203", 202, True),
        PairRow("a", "error", "IntegrityError: duplicate key invoice_no", "#270, open", 269, True),
        PairRow("b", "url", "https://example.org/spec", "#12", 11, False),
    ]
    return PairPage(a, b, 3, 1, "constraints 1 · files modified 1", tuple(rows), "all")


def replay_page(names: tuple[str, ...] = NAMES[:1] + NAMES[2:5], done: int = 4) -> ReplayPage:
    """A replay of 164 turns with ``done`` lines; all but the first compact at 63 and 120."""
    lines, marks = [], []
    for place, name in enumerate(names):
        if place >= done:
            lines.append(ReplayTrackRow(name, WAITING, array("q"), ()))
            continue
        sizes = array("q", (1_900 * turn for turn in range(1, TURNS + 1)))
        turns = (63 + place, 120 + place) if place else ()
        for turn in turns:
            before = sizes[turn - 1]
            for later in range(turn - 1, TURNS):
                sizes[later] -= 60_000
            marks.append(
                ReplayCompactionMark(
                    turn, place, before, sizes[turn - 1], "— context compacted (120k → 60k tokens) —"
                )
            )
        totals = tuple(CompareCell(text, 0.0) for text in (str(len(turns)), "2", "16.9M", "0", "0", "$8.66"))
        over = next((turn for turn, size in enumerate(sizes, 1) if size > 200_000), 0)
        lines.append(ReplayTrackRow(name, DONE, sizes, totals, turns, over, name))
    return ReplayPage(
        f"{TURNS} turns · ≈ tokens of each request",
        TURNS,
        tuple(lines),
        tuple(sorted(marks, key=lambda one: (one.turn, one.line))),
        200_000,
        "limit 200,000",
        170_000,
        "trigger 170,000",
        exact_axis(1, TURNS, whole_labels, 9, title="turn", integers_only=True),
        exact_axis(0, 240_000, short_labels, 6),
        "≈",
        REPLAY_COLUMNS,
        names,
        tuple(PickerChoice(name, name, "", "strategies") for name in NAMES[2:5]),
        f"{done} of {len(names)} replayed in 0.4 s",
        "all",
        done == len(names),
    )


KEYS = (
    SweepKey("compression-top-preserve-threshold", "Keep top", "Share of the oldest.", "0.1:0.5:0.1"),
    SweepKey("compression-preserve-threshold", "Keep bottom", "Share of the newest.", "0.2,0.4"),
)


def sweep_page(vary: tuple[str, ...], done: int = 99) -> SweepPage:
    """One or two settings; five values of the first, two of the second. "bad" in a value is a problem."""
    if any("bad" in text for text in vary):
        scale = plot_axis(0, 1, whole_labels)
        return SweepPage("middle-out", "", KEYS, vary, (), (), scale, scale, (), "", True, "It is no number.")
    axes = [SweepAxis(KEYS[0].key, "Keep top", ("10 %", "20 %", "30 %", "40 %", "50 %"), 1)]
    if len(vary) == 2:
        axes.append(SweepAxis(KEYS[1].key, "Keep bottom", ("20 %", "40 %"), 0))
    points = []
    for first in range(5):
        for second in range(2 if len(axes) == 2 else 1):
            at = (first, second)[: len(axes)]
            values = (0.1 * (first + 1), 0.2 * (second + 1))
            settings = tuple((one.key, values[place]) for place, one in enumerate(axes))
            tokens, fidelity = 20_000 + 10_000 * first + 5_000 * second, 0.7 + 0.05 * first
            title = f"Keep top {axes[0].values[first]}"
            cells = (
                *(one.values[at[place]] for place, one in enumerate(axes)),
                f"{tokens:,}",
                f"{fidelity:.2f}",
            )
            points.append(SweepPointRow(at, settings, tokens, fidelity, title, f"≈{tokens:,} tokens", cells))
    shown = tuple(points[:done])
    return SweepPage(
        "middle-out",
        "middle-out · ≈80,056 tokens before",
        KEYS,
        vary,
        tuple(axes),
        shown,
        plot_axis(0, 65_000, short_labels, 5),
        plot_axis(0.7, 1.0, short_labels, 5),
        (*(one.label for one in axes), "tokens after", "fidelity"),
        f"{len(shown)} of {len(points)} done in 0.3 s",
        len(shown) == len(points),
    )


class FakeAnalysisHandler(FakeHandler):
    """A FakeHandler that also compares, replays and sweeps: a row, a line, two points per step."""

    def __init__(self, emit: EventEmitter, interrupted: InterruptReason) -> None:
        super().__init__(emit, interrupted)
        self.services = {
            **self.services,
            **dict.fromkeys(("CompareService", "ReplayService", "SweepService"), self),
        }
        self._path = ""

    @remote(latest=True, opens_file=True)
    def open(self, command: OpenRequest) -> None:
        self._path = command.path
        super().open(command)

    @remote(latest=True)
    def compare(self, names: tuple[str, ...]) -> Iterator[ComparePage]:
        names = names or NAMES
        for done in range(len(names) + 1):
            time.sleep(0.05 if "slow" in self._path else 0)
            yield compare_page(names, done)

    @remote()
    def pair(self, a: str, b: str) -> PairPage:
        return pair_page(a, b)

    @remote()
    def open_pair(self, a: str, b: str) -> None:
        self._show()

    @remote(latest=True)
    def replay(self, names: tuple[str, ...]) -> Iterator[ReplayPage]:
        if "mute" in self._path:
            raise InputError("No model answers in this conversation.", "Open another one.")
        for done in range(5):
            yield replay_page(done=done)

    @remote()
    def open_turn(self, name: str, turn: int) -> None:
        self._show()

    @remote(latest=True)
    def sweep(self, vary: tuple[str, ...]) -> Iterator[SweepPage]:
        ranges = vary or (f"{KEYS[0].key}={KEYS[0].values}",)
        page = sweep_page(ranges, 0)
        for done in range(0, 12, 2):
            yield page
            if page.is_over:
                break
            page = sweep_page(ranges, done + 2)

    @remote()
    def save_table(self, path: str) -> FileExportedEvent:
        return FileExportedEvent(path, "Wrote it.")
