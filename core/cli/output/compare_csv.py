"""Rows of a comparison as CSV on standard output."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable

from core.analysis.compare.flat_rows import CSV_COLUMNS, FolderCompareRow, csv_cells
from core.cli.output.console import write_bytes


def write_csv(lines: Iterable[FolderCompareRow]) -> None:
    """Write a line of titles, then a line for each row; an unknown value is an empty cell."""
    output = io.StringIO()
    writer = csv.writer(output, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    writer.writerows(map(csv_cells, lines))
    write_bytes(output.getvalue().encode("utf-8", "backslashreplace"))
