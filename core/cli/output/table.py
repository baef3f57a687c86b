"""Text in columns: widths from the content, numbers to the right."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from unicodedata import combining, east_asian_width

from core.common.number_format import UNKNOWN, count

WIDTH = 100
"""Longest line of a report, in columns."""


_GAP = "  "


def display_width(text: str) -> int:
    """Return the columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def _pad(text: str, width: int, *, right: bool) -> str:
    blanks = " " * (width - display_width(text))
    return blanks + text if right else text + blanks


def _cell_text(cell: str | int | None) -> str:
    if isinstance(cell, str):
        return cell
    return UNKNOWN if cell is None else count(cell)


def aligned_table(
    rows: Sequence[Sequence[str | int | None]],
    right: Sequence[int] = (),
    *,
    head: Sequence[str] = (),
    indent: str = "  ",
) -> list[str]:
    """Return rows as aligned lines; ``right`` are the columns aligned right, ``head`` their titles.

    Numbers get thousands separators, None is a dash. The last column is wrapped where the line would be
    longer than WIDTH.
    """
    texts = [list(map(_cell_text, row)) for row in ((head, *rows) if head else rows)]
    count_of_columns = max(map(len, texts), default=0)
    for row in texts:
        row.extend([""] * (count_of_columns - len(row)))
    widths = [max(map(display_width, column)) for column in zip(*texts, strict=True)]
    return [line for row in texts for line in _lines(row, widths, right, indent)]


def _lines(row: Sequence[str], widths: Sequence[int], right: Sequence[int], indent: str) -> list[str]:
    *front, last_cell = row
    parts = [_pad(text, widths[column], right=column in right) for column, text in enumerate(front)]
    start = indent + "".join(part + _GAP for part in parts)
    if len(front) in right:
        return [(start + _pad(last_cell, widths[-1], right=True)).rstrip()]
    available = max(24, WIDTH - display_width(start))
    pieces = textwrap.wrap(last_cell, available, break_long_words=False, break_on_hyphens=False) or [""]
    continuation = [" " * display_width(start) + piece for piece in pieces[1:]]
    return [(start + pieces[0]).rstrip(), *continuation]


def titled_section(title: str, body: Sequence[str]) -> list[str]:
    """Return a blank line, a title, the body; empty where the body is empty."""
    return ["", title, *body] if body else []


def titled_table(
    title: str,
    rows: Sequence[Sequence[str | int | None]],
    right: Sequence[int] = (),
    head: Sequence[str] = (),
    more: Sequence[str] = (),
) -> list[str]:
    """Return a section whose body is a table with the lines ``more`` below; empty without rows."""
    return titled_section(title, [*aligned_table(rows, right, head=head), *more]) if rows else []


def more_line(count: int, way: str = "--json lists all") -> list[str]:
    """Return a line for ``count`` rows that are not listed; empty for none."""
    return [f"  and {count:,} more; {way}"] if count > 0 else []
