"""What commands on very large and on very many sessions take, beside a cheaper command on the
same."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.benchmarks.cold import ROOT, environment
from tests.benchmarks.session_file import write_messages, write_session
from tests.benchmarks.table import Claim

COMPACTED_MB = 476
FEW, MANY = 100_000, 1_000_000
SESSIONS = 15_000
_PATIENCE = 1500.0
_FOLDLINE = "import sys; from gui.launcher import main; sys.exit(main())"


@dataclass(frozen=True, slots=True)
class _Usage:
    """Processor seconds and megabytes (of a million bytes) at the peak of one process."""

    seconds: float
    megabytes: float


def _used(arguments: Sequence[object], home: Path) -> _Usage:
    """Run a command of Foldline in a cold process; fail where it does."""
    home.mkdir(parents=True, exist_ok=True)
    words = [sys.executable, "-c", _FOLDLINE, *map(str, arguments)]
    process = subprocess.Popen(
        words,
        env=environment(home),
        cwd=ROOT,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    end = time.monotonic() + _PATIENCE
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            break
        if time.monotonic() > end:
            process.kill()
            raise TimeoutError(f"{arguments[0]} takes longer than {_PATIENCE:.0f} s")
        time.sleep(0.05)
    if process.returncode:
        raise RuntimeError(f"{arguments[0]} ended with {process.returncode}")
    return _Usage(usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024 / 1e6)


def measure(home: Path) -> Iterator[Claim]:
    yield from _compaction(home)
    yield _many_sessions(home)


def _compaction(home: Path) -> Iterator[Claim]:
    path, out = home / "session.jsonl", home / "out.jsonl"
    write_session(path, COMPACTED_MB)
    size = path.stat().st_size / 1e6
    small = home / "small.jsonl"
    write_messages(small, 40)
    words = "-s", "high-density", "-o", out
    for command in (["inspect", small], ["compact", small, *words]):
        _used(command, home / "warm")  # compiles the modules
    out.unlink()
    inspect = _used(["inspect", path], home / "inspect")
    compact = _used(["compact", path, *words], home / "compact")
    for one in (path, out):
        one.unlink()
    name = f"compact -s high-density -o of {COMPACTED_MB} MB, with its check"
    memory = f"{compact.megabytes:.0f} MB of {size:.0f} MB"
    yield Claim(f"{name}, memory; the file = 1", memory, compact.megabytes / size, 1.5)
    seconds = f"{compact.seconds:.1f} s of {inspect.seconds:.1f} s"
    yield Claim(
        f"{name}, time; inspect of it = 1",
        seconds,
        compact.seconds / inspect.seconds,
        2.5,
    )


def _many_sessions(home: Path) -> Claim:
    folder = home / "sessions"
    folder.mkdir()
    write_messages(folder / "0.jsonl", 20)
    for number in range(1, SESSIONS):
        shutil.copy(folder / "0.jsonl", folder / f"{number}.jsonl")
    sessions = _used(["sessions", folder], home / "list")
    watch = _used(["watch", folder, "--once"], home / "watch")
    shutil.rmtree(folder)
    name = f"watch --once over {SESSIONS:,} recent sessions; sessions over them = 1"
    return Claim(
        name,
        f"{watch.seconds:.1f} s of {sessions.seconds:.1f} s",
        watch.seconds / sessions.seconds,
        3.0,
    )


def measure_million(home: Path) -> Iterator[Claim]:
    costs = []
    for count in (FEW, MANY):
        path = home / f"{count}.jsonl"
        write_messages(path, count)
        costs.append(
            _used(["inspect", path], home / f"inspect{count}").seconds / count * 1e6
        )
        path.unlink()
    few, many = costs
    name = f"inspect, a message of {MANY:,}; of {FEW:,} = 1"
    yield Claim(
        name, f"{FEW:,}: {few:.0f} µs; {MANY:,}: {many:.0f} µs", many / few, 1.5
    )
