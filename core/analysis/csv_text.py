"""CSV tables: RFC 4180 in UTF-8 with a byte order mark, which spreadsheets expect."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

Cell = str | int | float | None
"""None is an empty cell: unknown or absent."""


def csv_bytes(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> bytes:
    """Return titles and rows as CSV. Cells are not escaped: never pass text of a transcript."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\r\n")
    table.writerow(columns)
    table.writerows(rows)
    return text.getvalue().encode("utf-8-sig")
