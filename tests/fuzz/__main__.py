"""``python -m tests.fuzz [--seconds N] [NAME ...]``: fuzz readers, each in a process of its own.

Prints a line per target: inputs tried, coverage (edges of the code that were reached), finds. Finds
are made small, tried again without instrumentation, and kept in a folder that is named at the end.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from tests.fuzz.finds import Failure, attempt, minimised
from tests.fuzz.seeds import TARGETS
from tests.support.source_tree import ROOT

_COVERED = re.compile(rb"cov: (\d+) ft: (\d+)")
_GRACE = 900.0
"""Seconds for what is no fuzzing: to instrument all of core takes minutes on a busy machine."""


@dataclass(frozen=True, slots=True)
class Outcome:
    name: str
    inputs: int
    seconds: int
    edges: int
    finds: tuple[Failure, ...]
    trouble: str = ""
    """Why the process did not end as it should; its input, where libFuzzer kept one, lies beside
    the log."""


def main() -> int:
    """The exit code: 1 where there are finds."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"{', '.join(TARGETS)}; default: all"
    )
    parser.add_argument(
        "--seconds", type=float, default=60.0, help="for each target (default: 60)"
    )
    parser.add_argument(
        "--seed",
        type=int,
        default=1,
        help="another one tries other inputs (default: 1)",
    )
    parser.add_argument(
        "--keep", default="", help="folder for finds (default: a temporary one)"
    )
    options = parser.parse_args()
    place = Path(options.keep or tempfile.mkdtemp(prefix="foldline-fuzz-"))
    found = 0
    print(f"{'target':22} {'inputs':>9} {'seconds':>8} {'edges':>7}  finds", flush=True)
    for name in options.names or TARGETS:
        outcome = fuzzed(name, options.seconds, options.seed, place / name)
        found += len(outcome.finds) + bool(outcome.trouble)
        print(_line(outcome), flush=True)
    print(f"finds: {found}, in {place}")
    return 1 if found else 0


def fuzzed(name: str, seconds: float, seed: int, folder: Path) -> Outcome:
    folder.mkdir(parents=True, exist_ok=True)
    words = [
        sys.executable,
        "-m",
        "tests.fuzz.child",
        name,
        str(seconds),
        str(folder),
        str(seed),
    ]
    home = {
        "HOME": str(folder),
        "XDG_CONFIG_HOME": str(folder),
        "XDG_CACHE_HOME": os.devnull,
    }
    memory = "/dev/shm" if Path("/dev/shm").is_dir() else str(folder)
    environment = os.environ | home | {"TMPDIR": os.environ.get("TMPDIR", memory)}
    log = folder / "log"
    with log.open("wb") as file:
        trouble = _ran(words, environment, file, seconds + _GRACE)
    edges = [int(match[1]) for match in _COVERED.finditer(log.read_bytes())]
    if trouble:
        return Outcome(
            name,
            0,
            round(seconds),
            max(edges, default=0),
            (),
            f"{trouble}; {log} says why",
        )
    figures = json.loads((folder / "figures.json").read_text())
    return Outcome(
        name,
        figures["inputs"],
        figures["seconds"],
        max(edges, default=0),
        _finds(name, folder),
    )


def _ran(
    words: list[str], environment: dict[str, str], log: BinaryIO, patience: float
) -> str:
    """Run the process; what went wrong with it, else nothing."""
    try:
        done = subprocess.run(
            words,
            cwd=ROOT,
            env=environment,
            stdout=log,
            stderr=log,
            timeout=patience,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"it did not end within {patience:.0f} s"
    return f"it ended with {done.returncode}" if done.returncode else ""


def _finds(name: str, folder: Path) -> tuple[Failure, ...]:
    run, kept = TARGETS[name].run, []
    for path in sorted(folder.glob("*.find")):
        again = attempt(run, path.read_bytes())
        if again is None:  # slow only under the fuzzer
            path.rename(path.with_suffix(".gone"))
            continue
        small = minimised(run, again)
        path.with_suffix(".small").write_bytes(small.data)
        kept.append(small)
    return tuple(kept)


def _line(outcome: Outcome) -> str:
    figures = f"{outcome.name:22} {outcome.inputs:>9,} {outcome.seconds:>8,} {outcome.edges:>7,}"
    kinds = "".join(f"\n    {find.kind}: {find.data[:120]!r}" for find in outcome.finds)
    trouble = f"\n    {outcome.trouble}" if outcome.trouble else ""
    return f"{figures}  {len(outcome.finds)}{kinds}{trouble}"


if __name__ == "__main__":
    sys.exit(main())
