"""What a command costs from the start of its process."""

import os
import shutil
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from core.common.paths import SAMPLES
from tests.benchmarks.cold import ROOT, environment
from tests.benchmarks.session_file import write_session
from tests.benchmarks.start import SAMPLE
from tests.benchmarks.table import Claim

_ROUNDS = 11
_FOLDLINE = "import sys; from gui.launcher import main; sys.exit(main())"
_TIKTOKEN = """
from core.tokens.counter import load_encoding
load_encoding("o200k_base").encode_ordinary("One sentence is counted here.")
"""


def measure(home: Path) -> Iterator[Claim]:
    """All claims of this page; the one about claude-code-log only where that program is
    installed."""
    inspect = (sys.executable, "-c", _FOLDLINE, "inspect", str(SAMPLES / SAMPLE))
    ours, theirs, ratio = _paired(
        inspect, (sys.executable, "-c", _TIKTOKEN), home, _ROUNDS
    )
    name = "foldline inspect of a small file; a process that counts a sentence with tiktoken = 1"
    yield Claim(name, f"{ours * 1000:.0f} ms of {theirs * 1000:.0f} ms", ratio, 1.5)
    other = shutil.which(
        "claude-code-log",
        path=os.pathsep.join((str(Path(sys.executable).parent), os.defpath)),
    )
    if other is None:
        print(
            "Not measured: a compaction as HTML beside claude-code-log (.[bench]).",
            flush=True,
        )
        return
    session = home / "session.jsonl"
    write_session(session, 4)
    compact = (
        sys.executable,
        "-c",
        _FOLDLINE,
        *f"compact {session} -s middle-out --to html -o -".split(),
    )
    ours, theirs, ratio = _paired(
        compact, (other, str(session), "--no-cache", "-o", "-"), home, _ROUNDS // 2
    )
    name = (
        "foldline compact --to html of 4 MB; claude-code-log, which counts nothing = 1"
    )
    yield Claim(name, f"{ours:.1f} s of {theirs:.1f} s", ratio, 1.0)


def measure_suite(home: Path) -> Iterator[Claim]:
    began = time.perf_counter()
    subprocess.run(["make", "test"], cwd=ROOT, check=True, capture_output=True)
    seconds = time.perf_counter() - began
    yield Claim("make test", f"{seconds:.0f} s", seconds, 240.0, is_absolute=True)


def _paired(
    ours: Sequence[str], theirs: Sequence[str], home: Path, rounds: int
) -> tuple[float, float, float]:
    """Return the median seconds of two commands run in turn, and the median of their ratios."""
    seconds = [
        (_seconds(ours, home), _seconds(theirs, home)) for _ in range(rounds + 1)
    ][1:]
    medians = [statistics.median(column) for column in zip(*seconds, strict=True)]
    return medians[0], medians[1], statistics.median(a / b for a, b in seconds)


def _seconds(words: Sequence[str], home: Path) -> float:
    began = time.perf_counter()
    subprocess.run(words, env=environment(home), check=True, capture_output=True)
    return time.perf_counter() - began
