"""What reading and counting a large file takes, against bare loops of tiktoken over its texts."""

from __future__ import annotations

import pickle
import statistics
from dataclasses import dataclass
from pathlib import Path

from core.formats.registry import load_conversation
from core.tokens.counter import TokenCounter, method_for
from core.transcript.model import Conversation
from tests.benchmarks.cold import ColdProcess, run

ONE, TWO, AGAIN = 0.45, 0.85, 0.3
"""Most that reading and counting may take: times a bare loop of tiktoken, times the slower of two such
loops side by side over half of the texts each, and opening again, times the first opening."""

_OURS = """
import json, sys, time
from core.app.messages import IdleEvent, OpenFileCommand
from core.presentation.model import RowsReadEvent
from core.app.rpc import call_of
from core.app.services.preview import PreviewService
from core.app.processes import WorkerProcess, worker_replies

def main(path, messages, is_warm):
    worker = WorkerProcess()
    began = time.perf_counter()
    events = worker_replies(worker.start())
    if is_warm:
        worker.send(call_of(PreviewService.undo))
        while not isinstance(next(events)[1], IdleEvent):
            pass
        time.sleep(1.5)  # while a person chooses a file, the process that counts loads its table
        began = time.perf_counter()
    worker.send(OpenFileCommand(path))
    counted = told = total = 0
    while not told:
        part = next(events)[1]
        if not isinstance(part, RowsReadEvent):
            continue
        rows, now = part.rows, time.perf_counter() - began
        total = sum(rows.tokens) + (total if part.start else 0)  # rows come again as more is known of them
        if part.start + len(rows) == messages and rows.tokens[-1] != -1:
            counted = counted or now
            told = now if rows.lead[-1] or rows.text[-1] else 0
    print(json.dumps([counted, told, total]))
    while is_warm and not isinstance(next(events)[1], IdleEvent):
        pass  # until it has kept what it counted
    worker.kill()
    worker.release()

if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), sys.argv[3] == "warm")
"""
_BARE = """
import json, pickle, sys, time
began = float(sys.argv[1])
from core.tokens.encodings import load_encoding
encoding = load_encoding("o200k_base")
loaded = time.perf_counter() - began
texts = pickle.load(open(sys.argv[2], "rb"))[int(sys.argv[3])::int(sys.argv[4])]
print(json.dumps(loaded), flush=True)
input()
began = time.perf_counter()
total = sum(len(encoding.encode_ordinary(text)) for text in texts)
print(json.dumps([began, time.perf_counter(), loaded, total]))
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """Medians of rounds by turns, in seconds from beginning to end. ``ours`` is a file asked of a worker
    that waits, until every row has its tokens, ``bare`` and ``two`` loops whose table is loaded; ``cold``
    ones begin with their processes. ``again`` is the same file asked once more, ``rows_ready`` that until
    every row has its text, too."""

    ours: float
    bare: float
    two: float
    again: float
    rows_ready: float
    cold: float
    cold_bare: float
    characters: int

    @property
    def size(self) -> str:
        """How much text there was, as the table has it."""
        return f"{self.characters / 1e6:.1f} MB of text"


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


def measure(path: Path, home: Path, rounds: int) -> Cost:
    """Cold processes by turns; ``home`` takes the cache of counts and the texts."""
    conversation = load_conversation(path)
    texts, kept = texts_of(conversation), home / "texts"
    with kept.open("wb") as file:
        pickle.dump(texts, file)
    count, found = len(conversation.messages), []
    for number in range(rounds):
        found.append(_round(path, kept, count, home / f"{path.stem}{number}", number % 2 == 1))
    columns = [statistics.median(column) for column in zip(*found, strict=True)]
    return Cost(*columns, characters=sum(map(len, texts)))  # type: ignore[misc]


def _round(path: Path, texts: Path, count: int, home: Path, is_turned: bool) -> tuple[float, ...]:
    # folders side by side: what the first round compiles serves all, see ``environment``
    bare = _bare(texts, home) if is_turned else None
    cold = run(_OURS, [path, count, "cold"], home.with_name(f"{home.name}-cold"))
    first = run(_OURS, [path, count, "warm"], home)
    again = run(_OURS, [path, count, "warm"], home)
    one, two, cold_bare = bare or _bare(texts, home)
    assert cold[2] == first[2] == again[2], "counts differ"
    return first[0], one, two, again[0], again[1], cold[0], cold_bare


def _bare(texts: Path, home: Path) -> tuple[float, float, float]:
    """Seconds of one loop, of the slower of two, and of one from the start of its process."""
    (one,) = _loops(texts, home, 1)
    two = _loops(texts, home, 2)
    slowest = max(end for _, end, _ in two) - min(begin for begin, _, _ in two)
    return one[1] - one[0], slowest, one[2] + one[1] - one[0]


def _loops(texts: Path, home: Path, count: int) -> list[tuple[float, float, float]]:
    """When each of some loops began and ended, and how long its process took to be ready."""
    import time

    loops = [
        ColdProcess(_BARE, [time.perf_counter(), texts, number, count], home.with_name(f"{home.name}-bare"))
        for number in range(count)
    ]
    for loop in loops:
        loop.ready()
    for loop in loops:
        loop.go()
    return [(begin, end, loaded) for begin, end, loaded, _ in (loop.end() for loop in loops)]
