"""Lines of a comparison as CSV on standard output."""

from __future__ import annotations

import csv
import sys
from collections.abc import Iterable

from core.analysis.compare_lines import CSV_HEAD, Line, csv_cells


def write_csv(lines: Iterable[Line]) -> None:
    """A line of titles, then a line for each; what is not known is an empty cell."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(CSV_HEAD)
    writer.writerows(map(csv_cells, lines))
