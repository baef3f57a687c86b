"""Command line of the golden runner."""

import sys
from pathlib import Path

from tests.golden.runner import run_directory


def main(arguments: list[str]) -> int:
    """Run every case below the folder named; 0 all passed, 1 a case failed, 2 bad usage."""
    if len(arguments) != 1 or not Path(arguments[0]).is_dir():
        print(
            "usage: python -m tests.golden DIR   (a folder with golden cases)",
            file=sys.stderr,
        )
        return 2
    report = run_directory(Path(arguments[0]))
    for failure in report.failures:
        print(failure)
    skipped = ", ".join(
        f"{kind} ×{count}" for kind, count in sorted(report.skipped.items())
    )
    total = sum(report.skipped.values())
    print(
        f"{report.passed} passed, {len(report.failures)} failed, {total} skipped"
        + (f" ({skipped})" if skipped else "")
    )
    return 1 if report.failures else 0


sys.exit(main(sys.argv[1:]))
