"""``python -m tests.fuzz.commands [--inputs N] [--seed N] [--seconds N]``: damaged and odd
transcripts through the commands of the command line, in this process.

Each input goes through ``inspect``, ``lint``, ``repair``, ``compact``, ``convert`` and a report. A
find is a fault of Foldline's own, a refusal that is not one sentence, or a written file of which
the command says something else than ``lint``. Prints each find with its seed, then counts.
"""

import argparse
import math
import random
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from core.export.export import EXPORTERS
from core.formats.writing.format_capabilities import CAPABILITIES
from core.strategies.registry import STRATEGIES
from tests.core.formats.small_files import SMALL
from tests.fuzz.seeds import TARGETS, mutated
from tests.studies.promise import Tally, check_verdict
from tests.support.command_running import FAILED, CommandRun, own_home, run_command

_FORMATS = [one.name for one in EXPORTERS if not one.is_report]
_REPORTS = [one.name for one in EXPORTERS if one.is_report]
_REFUSED = 2


@dataclass(frozen=True, slots=True)
class Seed:
    """What inputs are made of: a small transcript and the words that its reader knows."""

    data: bytes
    words: Sequence[str]


def seeds() -> list[Seed]:
    found = [TARGETS[name] for name in SMALL if name in TARGETS]
    return [Seed(data, target.words()) for target in found for data in target.seeds()]


def damaged(seed: Seed, dice: random.Random) -> bytes:
    """Return a transcript with changed values, or with bytes that are changed, gone or doubled."""
    data = seed.data
    if dice.random() < 0.7:
        return mutated(data, dice, list(seed.words))
    at, length = dice.randrange(len(data)), dice.choice((1, 2, 8, 64))
    match dice.randrange(4):
        case 0:
            return data[:at]
        case 1:
            return data[:at] + data[at + length :]
        case 2:
            return data[:at] + data[at : at + length] * 2 + data[at + length :]
    return data[:at] + dice.randbytes(length) + data[at + length :]


def try_commands(path: Path, folder: Path, dice: random.Random, tally: Tally) -> None:
    """Run every command over a file; what they write is judged by ``lint``."""
    case = path.name
    if not _tried(
        run_command("inspect", str(path), "--json"), f"{case} · inspect", tally
    ):
        return
    _tried(run_command("lint", str(path)), f"{case} · lint", tally)
    copy = str(folder / "copy.json")
    strategy, limit = dice.choice(STRATEGIES).name, dice.choice((400, 2_000, 8_000))
    settings = ("-s", strategy, "--set", f"compression.context-limit={limit}")
    target, report = dice.choice(_FORMATS), dice.choice(_REPORTS)
    commands = (
        ("repair", str(path)),
        ("compact", str(path), *settings),
        ("compact", str(path), *settings, "--to", target),
        ("convert", str(path), "--to", target),
        ("convert", str(path), "--to", report),
    )
    for command in commands:
        Path(copy).unlink(missing_ok=True)
        said = f"{case} · {' '.join((command[0], *command[2:]))}"
        ran = run_command(*command, "-o", copy)
        is_written = _tried(ran, said, tally) and f"Wrote {copy}" in ran.err
        is_read = command[-2] != "--to" or command[-1] in CAPABILITIES
        if is_written and is_read:
            check_verdict(Path(copy), ran.err, said, tally)


def _tried(ran: CommandRun, case: str, tally: Tally) -> bool:
    """Note a fault, and return whether the command did its work."""
    tally.counts["commands"] += 1
    if FAILED in ran.err or "Traceback" in ran.err:
        tally.say(f"{case}: {ran.err.strip()[-400:]}")
        return False
    if ran.code != _REFUSED:
        return True
    tally.counts["refused in a sentence"] += 1
    last = ran.err.strip().rpartition("\n")[2]
    if not last.endswith((".", "?", ":")) and "\n" not in last and len(last) < 20:
        tally.say(f"{case}: {last!r} is no sentence")
    return False


def run_fuzz(inputs: int, seed: int, seconds: float = math.inf) -> Tally:
    """Try so many inputs, until the time is over; prints each find."""
    tally, beginnings, end = Tally(), seeds(), time.monotonic() + seconds
    with (
        tempfile.TemporaryDirectory(prefix="foldline-") as place,
        own_home(Path(place)),
    ):
        for number in range(seed, seed + inputs):
            if time.monotonic() > end:
                break
            dice = random.Random(number)
            path = Path(place) / f"input-{number}.json"
            path.write_bytes(damaged(dice.choice(beginnings), dice))
            tally.counts["inputs"] += 1
            try:
                try_commands(path, Path(place), dice, tally)
            except Exception as error:  # whatever passes the command line is a find
                tally.say(f"{path.name}: {type(error).__name__}: {error}")
            path.unlink()
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz.commands")
    parser.add_argument("--inputs", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=1, help="number of the first input")
    parser.add_argument(
        "--seconds", type=float, default=math.inf, help="end after that time"
    )
    tally = run_fuzz(**vars(parser.parse_args()))
    for name, count in tally.counts.items():
        print(f"{count:>8,}  {name}")
    print(f"{len(tally.contradictions):>8,}  finds")
    return 1 if tally.contradictions else 0


if __name__ == "__main__":
    sys.exit(main())
