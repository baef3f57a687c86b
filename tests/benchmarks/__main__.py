"""Prints the table of measured claims: target, figure, verdict; exit 1 where one is missed."""

from __future__ import annotations

import sys

from tests.benchmarks import large, start
from tests.benchmarks.linear import LARGE, LIMIT, SMALL, measure


def main() -> int:
    """Measure and print."""
    print(f"Cost per message in µs at {SMALL:,} and {LARGE:,} messages; at most {LIMIT:g} times as much.\n")
    print(f"{'stage':26} {f'at {SMALL:,}':>11} {f'at {LARGE:,}':>11} {'ratio':>7}  verdict")
    lines = measure()
    for line in lines:
        verdict = "met" if line.ratio <= LIMIT else "MISSED"
        print(f"{line.name:26} {line.small:11.2f} {line.large:11.2f} {line.ratio:7.2f}  {verdict}")
    bare, ours, ratio = start.measure()
    verdict = "met" if ratio <= start.LIMIT else "MISSED"
    print(
        f"\nFirst paint in ms, a bare QMainWindow against Foldline; at most {start.LIMIT:g} times as long.\n"
    )
    print(f"{'first paint':26} {bare:11.0f} {ours:11.0f} {ratio:7.2f}  {verdict}")
    print(f"\nLarge files; {large.facts()}.\n")
    print(f"{'what':44} {'measured':>22} {'figure':>8} {'at most':>8}  verdict")
    is_met = True
    for claim in large.measure():
        verdict, is_met = "met" if claim.is_met else "MISSED", is_met and claim.is_met
        print(
            f"{claim.name:44} {claim.measured:>22} {claim.figure:8.2f} {claim.limit:8.2f}  {verdict}",
            flush=True,
        )
    return int(not is_met or ratio > start.LIMIT or any(line.ratio > LIMIT for line in lines))


sys.exit(main())
