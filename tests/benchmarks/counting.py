"""What reading and counting a large file costs, against a bare loop of the tokenizer over its texts."""

from __future__ import annotations

import json
import os
import pickle
import statistics
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.formats import load
from core.tokens import Counter, method_for

ONE, TWO, AGAIN = 0.45, 0.85, 0.3
"""Most that reading and counting may take: times a bare loop of tiktoken, times the slower of two such
loops over half of the texts each, and opening again, times the first opening. All are seconds of the
processor: on a machine that others use, too, those from beginning to end say little."""

_ROOT = Path(__file__).resolve().parents[2]
_TIMED = """
import json, resource, sys

def used():
    found = resource.getrusage(resource.RUSAGE_SELF)
    return found.ru_utime + found.ru_stime
"""
_OURS = """
from core.counts import count_messages
from core.formats import load
from core.tokens import counter_for
began = used()
conversation = load(sys.argv[1])
counts = count_messages(conversation, counter_for(conversation.model))
print(json.dumps([used() - began, sum(counts)]))
"""
_BARE = """
import pickle
from core.encodings import load_encoding
texts = pickle.load(open(sys.argv[1], "rb"))[int(sys.argv[2])::int(sys.argv[3])]
began = used()
encoding = load_encoding("o200k_base")
total = sum(len(encoding.encode_ordinary(text)) for text in texts)
print(json.dumps([used() - began, total]))
"""


@dataclass(frozen=True, slots=True)
class Cost:
    """Medians of rounds by turns, in seconds of the processor; ``characters`` are those that count."""

    ours: float
    bare: float
    two: float
    again: float
    characters: int


class _Collector(Counter):
    """Keeps the texts that would be counted."""

    def __init__(self) -> None:
        super().__init__(method_for(""))
        self.found: list[str] = []

    def text(self, text: str) -> int:
        if text:
            self.found.append(text)
        return 0


def measure(path: Path, home: Path, rounds: int) -> Cost:
    """Cold processes by turns; ``home`` takes the cache of counts and the texts."""
    texts = home / "texts"
    collector = _Collector()
    collector.messages(load(path).messages)
    with texts.open("wb") as file:
        pickle.dump(collector.found, file)
    found = [_round(path, texts, home / f"{path.stem}{number}") for number in range(rounds)]
    ours, bare, two, again = (statistics.median(column) for column in zip(*found, strict=True))
    return Cost(ours, bare, two, again, sum(map(len, collector.found)))


def _round(path: Path, texts: Path, home: Path) -> tuple[float, float, float, float]:
    first = _run([_OURS, str(path)], home)
    again = _run([_OURS, str(path)], home)
    bare = _run([_BARE, str(texts), "0", "1"], home)
    halves = [_start([_BARE, str(texts), number, "2"], home) for number in ("0", "1")]
    two = max(_end(half)[0] for half in halves)
    assert first[1] == again[1] >= bare[1], "counts differ"  # images are no text
    return first[0], bare[0], two, again[0]


def _start(command: Sequence[str], home: Path) -> subprocess.Popen[str]:
    environ = {**os.environ, "PYTHONPATH": str(_ROOT), "XDG_CACHE_HOME": str(home)}
    code, *arguments = command
    return subprocess.Popen(
        [sys.executable, "-c", _TIMED + code, *arguments], env=environ, stdout=subprocess.PIPE, text=True
    )


def _end(process: subprocess.Popen[str]) -> list[float]:
    out, _ = process.communicate(timeout=900)
    assert process.returncode == 0, "the measured process failed"
    numbers: list[float] = json.loads(out)
    return numbers


def _run(command: Sequence[str], home: Path) -> list[float]:
    return _end(_start(command, home))
