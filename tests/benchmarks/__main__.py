"""Measures every claim and prints the table; exit 1 where one is missed.

``--write`` puts the table into the help, ``--only NAME`` measures one page of it.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from tests.benchmarks import large, linear, painting, spreading, start
from tests.benchmarks.claims import Claim
from tests.benchmarks.cold import ROOT, wait_for_quiet

PAGE = ROOT / "resources" / "help" / "performance.md"
CORPUS = ROOT.parent / "shared" / "corpus"
HEAD = "| what | measured | figure | limit | verdict |\n| --- | --- | --- | --- | --- |\n"
_TABLE = re.compile(r"(?<=<!-- bench -->\n).*?(?=<!-- /bench -->)", re.DOTALL)
_QUIET = 300.0


def pages(home: Path) -> dict[str, Iterator[Claim]]:
    """All claims by page; ``home`` takes their files."""
    return {
        "start": start.measure(),
        "linear": linear.measure(),
        "painting": painting.measure(home / "painting"),
        "spreading": spreading.measure(home / "spreading"),
        "large": large.measure(home / "large", CORPUS),
    }


def row(claim: Claim) -> str:
    """One line of the table."""
    least = "at least " if claim.at_least else ""
    verdict = "met" if claim.is_met else "missed"
    return f"| {claim.name} | {claim.measured} | {claim.figure:.2f} | {least}{claim.limit:g} | {verdict} |"


def machine() -> str:
    """The machine, as far as the figures depend on it."""
    found = re.search(r"model name\s*:\s*(.+)", _read("/proc/cpuinfo"))
    name = re.sub(r"\s+(?:\d.*|Processor.*|CPU.*)$", "", found[1]) if found else "unknown processors"
    return f"{os.cpu_count()} processors ({name}), Python {sys.version.split()[0]}, off screen"


def _read(path: str) -> str:
    try:
        return Path(path).read_text(encoding="utf-8")
    except OSError:
        return ""


def main(arguments: list[str]) -> int:
    """Measure, print, and write where it was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--write", action="store_true", help="put the table into the help")
    parser.add_argument("--only", default="", metavar="PAGE", help="measure one page of the table")
    asked = parser.parse_args(arguments)
    wait_for_quiet(_QUIET)
    before, rows, missed = os.getloadavg()[0], [], 0
    with tempfile.TemporaryDirectory() as folder:
        for name, claims in pages(Path(folder)).items():
            (Path(folder) / name).mkdir()
            for claim in claims if asked.only in ("", name) else ():
                rows.append(row(claim))
                missed += not claim.is_met
                print(rows[-1], flush=True)
    facts = f"{date.today()}, {machine()}; load {before:.1f} before, {os.getloadavg()[0]:.1f} after."
    print(f"\n{facts}\n{missed} of {len(rows)} missed.")
    if asked.write and not asked.only:
        text = PAGE.read_text(encoding="utf-8")
        table = f"{facts}\n\n{HEAD}" + "\n".join(rows) + "\n"
        PAGE.write_text(_TABLE.sub(table.replace("\\", "\\\\"), text), encoding="utf-8")
    return int(missed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
