"""Text in columns: widths from the content, numbers to the right."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from unicodedata import combining, east_asian_width

GAP = "  "
WIDTH = 100
"""Longest line of a report, in columns."""


def display_width(text: str) -> int:
    """Return the columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(0 if combining(char) else 2 if east_asian_width(char) in "WF" else 1 for char in text)


def _pad(text: str, width: int, *, right: bool) -> str:
    blanks = " " * (width - display_width(text))
    return blanks + text if right else text + blanks


def aligned_table(
    rows: Sequence[Sequence[str]], right: Sequence[int] = (), *, head: Sequence[str] = (), indent: str = "  "
) -> list[str]:
    """Return rows as aligned lines; ``right`` are the columns aligned right, ``head`` their titles.

    The last column is wrapped where the line would be longer than WIDTH.
    """
    all_rows = [list(head), *map(list, rows)] if head else [list(row) for row in rows]
    if not all_rows:
        return []
    count = max(map(len, all_rows))
    for row in all_rows:
        row.extend([""] * (count - len(row)))
    widths = [max(display_width(row[column]) for row in all_rows) for column in range(count)]
    result: list[str] = []
    for row in all_rows:
        result += _line(row, widths, right, indent)
    return result


def _line(row: Sequence[str], widths: Sequence[int], right: Sequence[int], indent: str) -> list[str]:
    *front, last_cell = row
    last_column = len(front)
    parts = [_pad(text, widths[column], right=column in right) for column, text in enumerate(front)]
    start = indent + "".join(part + GAP for part in parts)
    if last_column in right:
        return [(start + _pad(last_cell, widths[last_column], right=True)).rstrip()]
    available = max(24, WIDTH - display_width(start))
    pieces = textwrap.wrap(last_cell, available, break_long_words=False, break_on_hyphens=False) or [""]
    continuation = [" " * display_width(start) + piece for piece in pieces[1:]]
    return [(start + pieces[0]).rstrip(), *continuation]


def titled_section(title: str, body: Sequence[str]) -> list[str]:
    """Return a blank line, a title, the body; empty where the body is empty."""
    return ["", title, *body] if body else []


def more_line(count: int, way: str = "--json lists all") -> list[str]:
    """Return a line for ``count`` rows that are not listed; empty for none."""
    return [f"  and {count:,} more; {way}"] if count > 0 else []
