"""Measures every claim and prints the tables; exit 1 where one is missed, or could not be measured.

``--write`` puts each page's table into the results as soon as it is measured, ``--only NAME`` measures
one page and leaves the tables of the others as they were.
"""

import argparse
import os
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tests.benchmarks import (
    backtest,
    commands,
    large,
    linear,
    painting,
    replay,
    start,
    strategies,
    whole_commands,
)
from tests.benchmarks.cold import ROOT, wait_for_quiet
from tests.benchmarks.table import Claim, facts, machine_factor, row, with_part

PAGE = ROOT / "tests" / "studies" / "results.md"

Measure = Callable[[Path], Iterator[Claim]]
"""Measures one page; the folder, which is there and empty, takes its files."""

PAGES: Mapping[str, Measure] = {
    "start": start.measure,
    "linear": linear.measure,
    "strategies": strategies.measure,
    "painting": painting.measure,
    "replay": replay.measure,
    "backtest": backtest.measure,
    "commands": commands.measure,
    "large": large.measure,
    "sizes": whole_commands.measure,
    "million": whole_commands.measure_million,
    "suite": commands.measure_suite,
}


def main(
    arguments: list[str], pages: Mapping[str, Measure] = PAGES, help_page: Path = PAGE
) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.benchmarks", description=__doc__
    )
    parser.add_argument(
        "--write",
        action="store_true",
        help="put the tables into tests/studies/results.md",
    )
    parser.add_argument(
        "--only", choices=pages, metavar="PAGE", help=f"one of {', '.join(pages)}"
    )
    parser.add_argument(
        "--patience",
        type=float,
        default=300.0,
        metavar="SECONDS",
        help="wait so long for a quiet machine",
    )
    asked = parser.parse_args(arguments)
    wait_for_quiet(asked.patience)
    began = time.monotonic()
    names = [asked.only] if asked.only else list(pages)
    missed = [
        _page(name, pages[name], help_page if asked.write else None) for name in names
    ]
    print(
        f"\n{sum(missed)} missed, after {(time.monotonic() - began) / 60:.0f} minutes."
    )
    return int(sum(missed) > 0)


def _page(name: str, measure: Measure, help_page: Path | None) -> int:
    """Measure one page, print it and write it; how many of its claims were missed."""
    print(f"\n{name}", flush=True)
    load, rows, missed, factor = os.getloadavg()[0], [], 0, machine_factor()
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder) / name
        home.mkdir()
        try:
            for made in measure(home):
                claim = made.on_machine(factor)
                rows.append(row(claim))
                missed += claim.is_missed
                print(rows[-1], flush=True)
        except Exception:  # the pages after it are measured all the same
            traceback.print_exc(file=sys.stdout)
            return missed + 1
    told = facts(load, factor)
    print(told, flush=True)
    if help_page is not None:
        text = with_part(help_page.read_text(encoding="utf-8"), name, told, rows)
        help_page.write_text(text, encoding="utf-8")
    return missed


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
