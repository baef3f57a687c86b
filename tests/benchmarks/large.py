"""Files of 100 and 500 MB: time, first rows, ticks, cancel and memory."""

import pickle
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from core.formats.registry import load_conversation
from core.tokens.counter import TokenCounter, method_for
from core.transcript.model import Conversation
from tests.benchmarks import loading
from tests.benchmarks.cold import run, wait_for_quiet
from tests.benchmarks.session_file import write_session
from tests.benchmarks.table import Claim

_OURS = """
import json, sys, time
from core.app.events import IdleEvent, OpenRequest
from core.app.processes import WorkerProcess, next_reply
from core.app.rpc import call_of
from core.app.services.preview import OpenService
from core.presentation.model import RowsReadEvent

def open_counted(worker, events, path, messages):
    began, total, found = time.perf_counter(), 0, None
    worker.send(call_of(OpenService.open, OpenRequest(path)))
    for _, part in events:
        if isinstance(part, RowsReadEvent):
            rows = part.rows
            total = sum(rows.tokens) + (total if part.start else 0)  # rows come again when they are counted
            if part.start + len(rows) == messages and rows.tokens[-1] != -1:
                found = found or time.perf_counter() - began
        elif isinstance(part, IdleEvent) and found:
            return found, total

def main(path, messages):
    worker = WorkerProcess()
    pipe = worker.start()
    events = iter(lambda: next_reply(pipe), None)
    time.sleep(3)  # as while a person chooses a file
    first, again = [open_counted(worker, events, path, messages) for _ in range(2)]
    assert first[1] == again[1], "counts differ"
    print(json.dumps([first[0], again[0]]))
    worker.kill()
    worker.release()

if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
"""
_BARE = """
import json, pickle, sys, time
from core.tokens.counter import load_encoding
encoding = load_encoding("o200k_base")
texts = pickle.load(open(sys.argv[1], "rb"))
began = time.perf_counter()
for text in texts:
    encoding.encode_ordinary(text)
print(json.dumps(time.perf_counter() - began))
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """Medians of rounds by turns, in seconds: a waiting worker opens a file until every row has its
    tokens, then the same file again; a loop whose table is loaded counts its texts."""

    ours: float
    again: float
    bare: float


class _Collector(TokenCounter):
    """Keeps the texts that would be counted."""

    def __init__(self) -> None:
        super().__init__(method_for(""))
        self.found: list[str] = []

    def text(self, text: str) -> int:
        if text:
            self.found.append(text)
        return 0


def texts_of(conversation: Conversation) -> list[str]:
    """Every text of a conversation that counts, as often as it comes."""
    collector = _Collector()
    collector.messages(conversation.messages)
    return collector.found


def measure_counting(path: Path, home: Path, rounds: int) -> Cost:
    conversation = load_conversation(path)
    texts = home / "texts"
    texts.write_bytes(pickle.dumps(texts_of(conversation)))
    found = []
    for number in range(rounds):
        ours = run(_OURS, [path, len(conversation.messages)], home / f"open{number}")
        found.append((*ours, run(_BARE, [texts], home / f"bare{number}")))
    return Cost(*(statistics.median(column) for column in zip(*found, strict=True)))


ROUNDS = 5
TIMED_MB, LARGE_MB = 100, 500
_NOISE = 1.1
"""Two equal times differ by so much."""


def measure(home: Path) -> Iterator[Claim]:
    path = home / "timed.jsonl"
    write_session(path, TIMED_MB)
    cost = measure_counting(path, home, ROUNDS)
    name = f"open and count {TIMED_MB} MB; a bare loop of tiktoken = 1"
    yield Claim(
        name, f"{cost.ours:.2f} s of {cost.bare:.2f} s", cost.ours / cost.bare, 0.6
    )
    again = f"{cost.again:.2f} s of {cost.ours:.2f} s"
    yield Claim(
        "the same file again; the first time = 1", again, cost.again / cost.ours, _NOISE
    )
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
    yield Claim(
        f"first rows of {TIMED_MB} MB, s",
        f"{first:.2f} s",
        first,
        0.5,
        is_absolute=True,
    )
    late = median(one.late for one in loaded)
    name = f"latest tick of the window while {TIMED_MB} MB load, ms"
    yield Claim(name, f"{late:.1f} ms", late, 33.0, is_absolute=True)
    for name, when in (
        ("reading", "while reading"),
        ("previewing", "after that, until the preview"),
    ):
        slowest = median(
            loading.load(path, home / f"{name}{n}", name).cancel for n in range(ROUNDS)
        )
        yield Claim(
            f"cancel {when}, ms", f"{slowest:.0f} ms", slowest, 200.0, is_absolute=True
        )


def _memory(path: Path, home: Path) -> Claim:
    empty, full = loading.load(None, home / "empty"), loading.load(path, home / "large")
    megabytes = (full.memory - empty.memory) * 1.048576
    name = f"memory of all processes above an empty window, {LARGE_MB} MB; the file = 1"
    return Claim(
        name, f"{megabytes:.0f} MB", megabytes / (path.stat().st_size / 1e6), 1.0
    )
