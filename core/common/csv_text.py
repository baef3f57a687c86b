"""Tables as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

Cell = str | int | float | None
"""None is an empty cell: unknown or absent."""


def csv_bytes(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> bytes:
    """Return titles and rows as CSV (RFC 4180, with the mark of UTF-8 that Excel needs). Text of a
    transcript must pass ``escape_formula``."""
    text = io.StringIO(newline="")
    table = csv.writer(text, lineterminator="\r\n")
    table.writerow(columns)
    table.writerows(rows)
    return text.getvalue().encode("utf-8-sig", "replace")


_FORMULA_STARTS = (*"=+-@", *"＝＋－＠", "\t", "\r")
"""Some spreadsheets take the wide forms for the narrow ones."""


def escape_formula(text: str) -> str:
    """Return the text with an apostrophe if a spreadsheet would run it as a formula."""
    if text.startswith(_FORMULA_STARTS):
        return f"'{text}"
    return text
