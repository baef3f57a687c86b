"""Files of 100 and 500 MB: time, first rows, ticks, cancel and memory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from statistics import median

from tests.benchmarks import counting, loading
from tests.benchmarks.claims import Claim
from tests.benchmarks.cold import wait_for_quiet
from tests.benchmarks.session_file import write_session

ROUNDS = 5
TIMED_MB, LARGE_MB = 100, 500
_NOISE = 1.1
"""Two equal times differ by so much."""


def measure(home: Path) -> Iterator[Claim]:
    """All claims, one after the other."""
    path = home / "timed.jsonl"
    write_session(path, TIMED_MB)
    cost = counting.measure(path, home, ROUNDS)
    name = f"open and count {TIMED_MB} MB; a bare loop of tiktoken = 1"
    yield Claim(name, f"{cost.ours:.2f} s of {cost.bare:.2f} s", cost.ours / cost.bare, 0.6)
    again = f"{cost.again:.2f} s of {cost.ours:.2f} s"
    yield Claim("the same file again; the first time = 1", again, cost.again / cost.ours, _NOISE)
    yield from _watching(path, home)
    path.unlink()
    large = home / "large.jsonl"
    write_session(large, LARGE_MB)
    yield _memory(large, home)
    large.unlink()


def _watching(path: Path, home: Path) -> Iterator[Claim]:
    wait_for_quiet(60)
    loaded = [loading.load(path, home / f"watch{number}") for number in range(ROUNDS)]
    first = median(one.first for one in loaded)
    yield Claim(f"first rows of {TIMED_MB} MB, s", f"{first:.2f} s", first, 0.5, is_absolute=True)
    late = median(one.late for one in loaded)
    name = f"latest tick of the window while {TIMED_MB} MB load, ms"
    yield Claim(name, f"{late:.1f} ms", late, 33.0, is_absolute=True)
    for name, when in (("reading", "while reading"), ("previewing", "after that, until the preview")):
        slowest = median(loading.load(path, home / f"{name}{n}", name).cancel for n in range(ROUNDS))
        yield Claim(f"cancel {when}, ms", f"{slowest:.0f} ms", slowest, 200.0, is_absolute=True)


def _memory(path: Path, home: Path) -> Claim:
    empty, full = loading.load(None, home / "empty"), loading.load(path, home / "large")
    megabytes = (full.memory - empty.memory) * 1.048576
    name = f"memory of all processes above an empty window, {LARGE_MB} MB; the file = 1"
    return Claim(name, f"{megabytes:.0f} MB", megabytes / (path.stat().st_size / 1e6), 1.0)
