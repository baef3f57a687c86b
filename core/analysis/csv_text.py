"""Tables of an analysis as CSV: RFC 4180 in UTF-8 with a byte order mark, which spreadsheets look for."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

Cell = str | int | float | None
"""None is an empty cell: not known, or not there."""


def csv_bytes(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> bytes:
    """A line of titles and the rows. Cells are ours, none is a text of a transcript."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\r\n")
    table.writerow(columns)
    table.writerows(rows)
    return text.getvalue().encode("utf-8-sig")
