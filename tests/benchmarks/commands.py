"""What a command costs from the start of its process."""

from __future__ import annotations

import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.common.paths import SAMPLES
from tests.benchmarks.claims import Claim
from tests.benchmarks.cold import environment
from tests.benchmarks.start import SAMPLE

_ROUNDS = 11
_INSPECT = "import sys; from gui.launcher import main; sys.exit(main())"
_TIKTOKEN = """
from core.tokens.encodings import load_encoding
load_encoding("o200k_base").encode_ordinary("One sentence is counted here.")
"""


def measure(home: Path) -> Iterator[Claim]:
    """All claims of this page."""
    inspect, bare = ("-c", _INSPECT, "inspect", str(SAMPLES / SAMPLE)), ("-c", _TIKTOKEN)
    rounds = [(_seconds(inspect, home), _seconds(bare, home)) for _ in range(_ROUNDS + 1)][1:]
    ours, theirs = (statistics.median(column) * 1000 for column in zip(*rounds, strict=True))
    name = "foldline inspect of a small file; a process that counts a sentence with tiktoken = 1"
    ratio = statistics.median(a / b for a, b in rounds)
    yield Claim(name, f"{ours:.0f} ms of {theirs:.0f} ms", ratio, 1.5)


def _seconds(words: Sequence[str], home: Path) -> float:
    began = time.perf_counter()
    subprocess.run([sys.executable, *words], env=environment(home), check=True, capture_output=True)
    return time.perf_counter() - began
