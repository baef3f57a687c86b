"""The tables of the results: a part for each page of the bench, replaced by itself."""

from __future__ import annotations

import os
import re
import statistics
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

HEAD = (
    "| what | measured | figure | limit | verdict |\n| --- | --- | --- | --- | --- |\n"
)


def row(claim: Claim) -> str:
    return (
        f"| {claim.name} | {claim.measured} | {claim.figure:.2f} | {claim.limit:g} | "
        f"{claim.verdict} |"
    )


def facts(before: float, factor: float) -> str:
    """When and where a part was measured; ``before`` is the machine's load when it began."""
    load = f"load {before:.1f} before, {os.getloadavg()[0]:.1f} after"
    return f"{date.today()}, {_machine()}; {load}; limits in s and ms × {factor:.2f}."


_LOOP_SECONDS = 0.153
"""What the loop takes on a machine where ``foldline FILE`` takes 1.5 s."""


def machine_factor() -> float:
    """How much slower than that machine this one is, by a fixed loop of plain Python: the median of
    five."""
    return statistics.median(_loop_seconds() for _ in range(5)) / _LOOP_SECONDS


def _loop_seconds() -> float:
    began, total = time.process_time(), 0
    for number in range(3_000_000):
        total += number * number % 7
    return time.process_time() - began


def with_part(text: str, name: str, facts_text: str, rows: Sequence[str]) -> str:
    """The text of the page with another part between its two marks. Raises ValueError where it has
    none."""
    part = re.compile(
        rf"(?<=<!-- bench {name} -->\n).*?(?=<!-- /bench {name} -->)", re.DOTALL
    )
    if not part.search(text):
        raise ValueError(f"There is no place for the part {name}.")
    made = f"{facts_text}\n\n{HEAD}" + "".join(f"{one}\n" for one in rows)
    return part.sub(lambda _: made, text)


def _machine() -> str:
    found = re.search(r"model name\s*:\s*(.+)", _read("/proc/cpuinfo"))
    name = (
        re.sub(r"\s+(?:\d.*|Processor.*|CPU.*)$", "", found[1])
        if found
        else "unknown processors"
    )
    return f"{os.cpu_count()} processors ({name}), Python {sys.version.split()[0]}, off screen"


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""


TOLERANCE = 2.0
"""An absolute limit fails at this multiple: other work on the machine decides the rest."""


@dataclass(frozen=True, slots=True)
class Claim:
    """What was measured, how it reads, the figure and its limit; an absolute one is no ratio."""

    name: str
    measured: str
    figure: float
    limit: float
    is_absolute: bool = False

    def on_machine(self, factor: float) -> Claim:
        return (
            replace(self, limit=round(self.limit * factor, 2))
            if self.is_absolute
            else self
        )

    @property
    def is_missed(self) -> bool:
        return self.figure > self.limit * (TOLERANCE if self.is_absolute else 1.0)

    @property
    def verdict(self) -> str:
        if self.is_missed:
            return "missed"
        return (
            "met"
            if self.figure <= self.limit
            else f"over, fails above {self.limit * TOLERANCE:g}"
        )
