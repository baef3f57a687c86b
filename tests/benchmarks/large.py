"""Files of 100 and 500 MB: time, exactness, first rows, ticks, cancel and memory, each with its target."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tests.benchmarks import counting, loading
from tests.benchmarks.claims import Claim
from tests.benchmarks.cold import wait_for_quiet
from tests.benchmarks.real_file import write_joined
from tests.benchmarks.session_file import write_session

TIMED_MB, LARGE_MB = 100, 500
ROUNDS = 5
CANCEL_MS = 200.0
AT_ONCE_MS = 100.0
"""What passes sooner after a click seems to happen with it."""
TOGETHER, WINDOW = 0.5, 0.2
"""Most memory above an empty window, as a share of the file: of window and worker, of the window."""
FIRST = 0.2
"""Latest that the first rows may show, as a share of the time until the preview."""


def measure(home: Path, corpus: Path) -> Iterator[Claim]:
    """All claims, one after the other. Real sessions are taken from ``corpus``, where it is."""
    path = home / "timed.jsonl"
    write_session(path, TIMED_MB)
    yield from _counting(path, home)
    lean = home / "lean.jsonl"
    write_session(lean, TIMED_MB, lean=True)
    yield from _counting(lean, home)
    lean.unlink()
    yield from _real(home, corpus)
    yield from _watching(path, home)
    path.unlink()
    large = home / "large.jsonl"
    write_session(large, LARGE_MB)
    yield from _large(large, home)
    large.unlink()


def _counting(path: Path, home: Path) -> Iterator[Claim]:
    cost = counting.measure(path, home, ROUNDS)
    yield from _first_time(f"{_size(path) / 1e6:.0f} MB", cost)
    for name, part, whole, limit in (
        (
            "open it again until every row has its tokens; the first time = 1",
            cost.again,
            cost.ours,
            counting.AGAIN,
        ),
        ("the same until every row has its text, too; the first time = 1", cost.rows_ready, cost.ours, None),
        ("from starting all processes; a bare loop so = 1", cost.cold, cost.cold_bare, counting.ONE),
    ):
        yield Claim(name, f"{part:.2f} s of {whole:.2f} s", part / whole, limit)


def _first_time(what: str, cost: counting.Cost) -> Iterator[Claim]:
    one, two = f"{cost.ours:.2f} s of {cost.bare:.2f} s", f"{cost.ours:.2f} s of {cost.two:.2f} s"
    yield Claim(
        f"read and count {what} with {cost.size}; a bare loop = 1", one, cost.ours / cost.bare, counting.ONE
    )
    yield Claim(
        "the same; the slower of two bare loops side by side = 1", two, cost.ours / cost.two, counting.TWO
    )


def _real(home: Path, corpus: Path) -> Iterator[Claim]:
    """All real sessions of one agent as one large file, and the largest of them alone."""
    sessions = sorted((corpus / "claude_code").glob("*.jsonl"), key=_size)
    if not sessions:
        return
    joined = home / "real.jsonl"
    write_joined(joined, sessions, TIMED_MB)
    cost = counting.measure(joined, home, ROUNDS)
    joined.unlink()
    yield from _first_time(f"{TIMED_MB} MB of {len(sessions)} real sessions, again and again,", cost)
    cost = counting.measure(sessions[-1], home, ROUNDS)
    name = f"read and count a real session of {_size(sessions[-1]) / 1e6:.1f} MB, in ms; this much is at once"
    yield Claim(name, f"{cost.ours * 1000:.0f} ms", cost.ours * 1000, AT_ONCE_MS)


def _size(path: Path) -> int:
    return path.stat().st_size


def _watching(path: Path, home: Path) -> Iterator[Claim]:
    loaded = []
    for number in range(ROUNDS):
        wait_for_quiet(60)
        loaded.append(loading.load(path, home / f"watch{number}"))
    late = min(one.late for one in loaded)  # what else runs here can only make a tick later
    yield Claim(f"latest tick while {TIMED_MB} MB load, in ms", f"{late:.1f} ms", late, loading.LATE_MS)
    best = min(loaded, key=_first_share)
    first = f"{best.first or 0:.2f} s of {best.whole or 0:.2f} s"
    yield Claim(f"first rows of {TIMED_MB} MB; the whole preview = 1", first, _first_share(best), FIRST)
    for name, when in (("reading", "while reading"), ("previewing", "after that, until the preview")):
        cancelled = [loading.load(path, home / f"{name}{number}", name) for number in range(ROUNDS)]
        slowest = min(one.cancel or 0.0 for one in cancelled)
        yield Claim(f"cancel {when}, in ms", f"{slowest:.0f} ms", slowest, CANCEL_MS)


def _first_share(loaded: loading.Loaded) -> float:
    return (loaded.first or 0.0) / (loaded.whole or 1.0)


def _large(path: Path, home: Path) -> Iterator[Claim]:
    empty, full = loading.load(None, home / "empty"), loading.load(path, home / "large")
    window, worker = full.window - empty.window, full.worker - empty.worker
    file = path.stat().st_size / 1e6
    together = (window + worker) * 1.048576 / file
    name = f"memory of all processes above an empty window, {LARGE_MB} MB; the file = 1"
    yield Claim(name, f"{window + worker:.0f} MB", together, TOGETHER)
    yield Claim("of that the window", f"{window:.0f} MB", window * 1.048576 / file, WINDOW)
    busy = f"the window's work between two ticks while {LARGE_MB} MB load, in ms"
    yield Claim(busy, f"{full.busy:.1f} ms", full.busy, loading.LATE_MS)
    first = f"{full.first or 0:.1f} s of {full.whole or 0:.1f} s"
    yield Claim(f"first rows of {LARGE_MB} MB; the whole preview = 1", first, _first_share(full), FIRST)
