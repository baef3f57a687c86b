"""Files of 100 and 500 MB: time, first rows, ticks, cancel and memory, each with its target."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks import counting, loading
from tests.benchmarks.session_file import write_session

TIMED_MB, LARGE_MB = 100, 500
_ROUNDS = 5
CANCEL_MS = 200.0
TOGETHER, WINDOW = 0.5, 0.2
"""Most memory above an empty window, as a share of the file: of window and worker, of the window."""
FIRST = 0.2
"""Latest that the first rows may show, as a share of the time until the preview."""


@dataclass(frozen=True, slots=True)
class Claim:
    """One line of the table: what was measured, how it reads, the figure and the most it may be."""

    name: str
    measured: str
    figure: float
    limit: float

    @property
    def is_met(self) -> bool:
        """True where the figure is within its limit."""
        return self.figure <= self.limit


def measure() -> Iterator[Claim]:
    """All claims, one after the other; files and caches go when they are done."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        path = home / "timed.jsonl"
        write_session(path, TIMED_MB)
        yield from _counting(path, home)
        lean = home / "lean.jsonl"
        write_session(lean, TIMED_MB, lean=True)
        yield from _counting(lean, home)
        yield from _watching(path, home)
        large = home / "large.jsonl"
        write_session(large, LARGE_MB)
        yield from _large(large, home)


def facts() -> str:
    """The machine, as far as the figures depend on it."""
    return f"{os.cpu_count()} processors, off screen"


def _counting(path: Path, home: Path) -> Iterator[Claim]:
    cost = counting.measure(path, home, _ROUNDS)
    size = f"{TIMED_MB} MB, {cost.characters / 1e6:.0f} MB text"
    for name, part, whole, limit in (
        (f"read and count {size}, loop = 1", cost.ours, cost.bare, counting.ONE),
        ("the same, one of two loops = 1", cost.ours, cost.two, counting.TWO),
        ("open it again, first time = 1", cost.again, cost.ours, counting.AGAIN),
    ):
        yield Claim(name, f"{part:.2f} s of {whole:.2f} s", part / whole, limit)


def _watching(path: Path, home: Path) -> Iterator[Claim]:
    loaded = [loading.load(path, home / f"watch{number}") for number in range(_ROUNDS)]
    late = min(one.late for one in loaded)  # what else runs here can only make a tick later
    yield Claim(f"latest tick while {TIMED_MB} MB load, ms", f"{late:.1f} ms", late, loading.LATE_MS)
    best = min(loaded, key=_first_share)
    yield Claim(
        "first rows, preview = 1",
        f"{best.first or 0:.2f} s of {best.whole or 0:.2f} s",
        _first_share(best),
        FIRST,
    )
    for name in ("reading", "counting"):
        cancelled = [loading.load(path, home / f"{name}{number}", name) for number in range(_ROUNDS)]
        slowest = min(one.cancel or 0.0 for one in cancelled)
        yield Claim(f"cancel while {name}, ms", f"{slowest:.0f} ms", slowest, CANCEL_MS)


def _first_share(loaded: loading.Loaded) -> float:
    return (loaded.first or 0.0) / (loaded.whole or 1.0)


def _large(path: Path, home: Path) -> Iterator[Claim]:
    empty, full = loading.load(None, home), loading.load(path, home / "large")
    window, worker = full.window - empty.window, full.worker - empty.worker
    file = path.stat().st_size / 1e6
    together = (window + worker) * 1.048576 / file
    yield Claim(f"memory for {LARGE_MB} MB, file = 1", f"{window + worker:.0f} MB", together, TOGETHER)
    yield Claim("of that the window", f"{window:.0f} MB", window * 1.048576 / file, WINDOW)
    yield Claim(f"busy between ticks, {LARGE_MB} MB, ms", f"{full.busy:.1f} ms", full.busy, loading.LATE_MS)
    first = f"{full.first or 0:.1f} s of {full.whole or 0:.1f} s"
    yield Claim(f"first rows of {LARGE_MB} MB, preview = 1", first, _first_share(full), FIRST)
