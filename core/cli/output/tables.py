"""Tables and paragraphs of results: on a terminal they fit it, with words in colour unless NO_COLOR
is set; a pipe has all columns in full width."""

from __future__ import annotations

import os
import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TextIO, TypeVar
from unicodedata import combining, east_asian_width

from core.common.number_format import UNKNOWN, count, plural

if TYPE_CHECKING:
    from core.presentation.compare.model import ResultTable


_RESET = "\x1b[0m"
BOLD, RED, GREEN, YELLOW = "\x1b[1m", "\x1b[31m", "\x1b[32m", "\x1b[33m"
_COLOURS = {
    GREEN: ("kept", "excerpted", "Word for word", "passed", "✓"),
    YELLOW: ("summarised", "edited", "in part", "Not word for word", "warning", "◐"),
    RED: ("dropped", "pruned", "gone", "Gone", "error", "failed", "✕"),
}
_COLOUR_BY_WORD = {word: colour for colour, words in _COLOURS.items() for word in words}
_ALTERNATIVES = "|".join(map(re.escape, _COLOUR_BY_WORD))
_CELL = re.compile(rf"(?:(?<=  )|^)({_ALTERNATIVES})(?=:|  |$)|(?<=^  )([✓◐✕])(?= )")
"""A word that stands alone in a cell, or before a colon: no word of a transcript, which is one
among others."""


class HeadLine(str):
    """The head of a table or the title of a section."""

    __slots__ = ()


def has_colours(stream: TextIO) -> bool:
    """Return whether a stream is a terminal that shows colours, and nobody has turned them off."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    is_old_console = sys.platform == "win32" and "WT_SESSION" not in os.environ
    return stream.isatty() and not is_old_console


def coloured(line: str, *, is_head: bool = False) -> str:
    """Return a line of a report with its verdict words in colour, a head in bold."""
    if is_head:
        return f"{BOLD}{line}{_RESET}"
    return _CELL.sub(_in_colour, line)


def _in_colour(match: re.Match[str]) -> str:
    return f"{_COLOUR_BY_WORD[match[0]]}{match[0]}{_RESET}"


def coloured_error(text: str) -> str:
    """Return a sentence about an error in red."""
    return f"{RED}{text}{_RESET}"


_R = TypeVar("_R")
WIDTH = 100
"""Longest line of a report, in columns; a terminal may have fewer."""
_GAP = "  "
_LEAST_TERMINAL = 40
_LEAST_NAME, _LEAST_TEXT = 44, 16
"""Columns of a terminal below which no text of a table is elided, in its first column and in
others; columns are left out instead."""
_LEAST_WRAPPED = 24
_MOST_WRAPPED = 160
_ELLIPSIS = "…"
_MARKS = (
    ("=", "exact or reported"),
    ("≈", "an estimate"),
)
_EXACT = re.compile(r"(?:^|\s)=(?:\d| tokens)")


def terminal_columns() -> int | None:
    """Return the width of the terminal that results go to (COLUMNS, if it is set); None for a
    pipe."""
    if not sys.stdout.isatty():
        return None
    return max(_LEAST_TERMINAL, shutil.get_terminal_size().columns)


def _line_width() -> int:
    return min(WIDTH, terminal_columns() or WIDTH)


def paragraph(text: str, indent: str = "", hanging: str = "") -> list[str]:
    """Return a text as lines; ``hanging`` is added to the indent of all but the first."""
    return textwrap.wrap(
        text,
        _line_width(),
        initial_indent=indent,
        subsequent_indent=f"{indent}{hanging}",
        break_on_hyphens=False,
    )


def terminal_lines(text: str) -> list[str]:
    """Return a line as lines that fit the terminal, below each other; a word that is longer stays
    whole, and so does the line in a pipe."""
    columns = terminal_columns()
    if columns is None or display_width(text) <= columns:
        return [text]
    indent = text[: len(text) - len(text.lstrip())]
    return textwrap.wrap(
        text,
        columns,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def display_width(text: str) -> int:
    """Return the columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(map(_columns_of, text))


def _columns_of(char: str) -> int:
    if combining(char):
        return 0
    if east_asian_width(char) in "WF":
        return 2
    return 1


def elided(text: str, width: int) -> str:
    """Return the text in at most ``width`` columns of a terminal, without its middle where it is
    longer."""
    if display_width(text) <= width:
        return text
    end = len(text) - (width - 1) // 2
    while display_width(text[end:]) > (width - 1) // 2:
        end += 1
    start = width - 1
    while display_width(text[:start]) + 1 + display_width(text[end:]) > width:
        start -= 1
    return f"{text[:start]}{_ELLIPSIS}{text[end:]}"


def _pad(text: str, width: int, *, right: bool) -> str:
    blanks = " " * (width - display_width(text))
    if right:
        return blanks + text
    return text + blanks


def _cell_text(cell: str | int | None) -> str:
    if isinstance(cell, str):
        return cell
    if cell is None:
        return UNKNOWN
    return count(cell)


def aligned_table(
    rows: Iterable[Sequence[str | int | None]],
    right: Sequence[int] = (),
    *,
    head: Sequence[str] = (),
    indent: str = "  ",
    drop: Sequence[int] = (),
) -> list[str]:
    """Return rows as aligned lines; ``right`` are the columns aligned right, ``head`` their titles.

    Numbers get thousands separators, None is a dash. A text in the last column is wrapped where the
    line would be longer than WIDTH, or than the terminal. On a narrow terminal the longest texts
    lose their middle; then columns are left out, those of ``drop`` first, then from the right, the
    wrapped one at last, and a line says which.
    """
    texts = [list(map(_cell_text, row)) for row in ((head, *rows) if head else rows)]
    count_of_columns = max(map(len, texts), default=0)
    for row in texts:
        row.extend([""] * (count_of_columns - len(row)))
    widths = [max(map(display_width, column)) for column in zip(*texts, strict=True)]
    columns, fitted = _fitting(widths, right, len(indent), drop)
    fitted_right = [index for index, column in enumerate(columns) if column in right]
    kept = [fitted[column] for column in columns]
    lines: list[str] = []
    for number, row in enumerate(texts):
        cells = [elided(row[column], fitted[column]) for column in columns]
        made = _lines(cells, kept, fitted_right, indent)
        lines += map(HeadLine, made) if head and not number else made
    return [*lines, *_left_out(columns, count_of_columns, head, indent)]


def _fitting(
    widths: Sequence[int], right: Sequence[int], indent: int, drop: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Return the columns that the terminal has room for, and the widths of all columns."""
    columns = list(range(len(widths)))
    available = terminal_columns()
    wrapped = [column for column in columns[-1:] if column not in right]
    others = [
        column for column in reversed(columns[1:]) if column not in (*drop, *wrapped)
    ]
    dropped = [*drop, *others, *wrapped]
    while available is not None:
        fitted = _shrunk(widths, columns, right, available - indent)
        if fitted is not None or len(columns) < 2:
            return columns, fitted or list(widths)
        columns.remove(dropped.pop(0))
    return columns, list(widths)


def _shrunk(
    widths: Sequence[int], columns: Sequence[int], right: Sequence[int], available: int
) -> list[int] | None:
    """Return widths with which these columns fit, None if the texts cannot be short enough. The
    last column, if it is a text, is wrapped."""
    fitted = list(widths)
    wrapped = next((one for one in columns[-1:] if one not in right), None)
    needed = sum(fitted[one] for one in columns if one != wrapped)
    if wrapped is not None:
        needed += min(fitted[wrapped], _LEAST_WRAPPED)
    over = needed + len(_GAP) * (len(columns) - 1) - available
    least = [_LEAST_TEXT if one else _LEAST_NAME for one in range(len(widths))]
    shortenable = (one for one in columns if one not in right and one != wrapped)
    texts = [one for one in shortenable if fitted[one] > least[one]]
    while over > 0:
        if not texts:
            return None
        longest = max(texts, key=fitted.__getitem__)
        fitted[longest] -= 1
        over -= 1
        if fitted[longest] == least[longest]:
            texts.remove(longest)
    return fitted


def _left_out(
    columns: Sequence[int], count_of_columns: int, head: Sequence[str], indent: str
) -> list[str]:
    missing = [column for column in range(count_of_columns) if column not in columns]
    if not missing:
        return []
    titles = [head[column] for column in missing if column < len(head) and head[column]]
    names = ", ".join(titles) or plural(len(missing), "column")
    return paragraph(
        f"Left out on this narrow terminal: {names}. A pipe has them.", indent
    )


def _lines(
    row: Sequence[str], widths: Sequence[int], right: Sequence[int], indent: str
) -> list[str]:
    *front, last_cell = row
    parts = [
        _pad(text, widths[column], right=column in right)
        for column, text in enumerate(front)
    ]
    start = indent + "".join(part + _GAP for part in parts)
    if len(front) in right:
        return [(start + _pad(last_cell, widths[-1], right=True)).rstrip()]
    line = min(_MOST_WRAPPED, terminal_columns() or WIDTH)
    available = max(_LEAST_WRAPPED, line - display_width(start))
    pieces = textwrap.wrap(
        last_cell,
        available,
        break_long_words=terminal_columns() is not None,
        break_on_hyphens=False,
    ) or [""]
    continuation = [" " * display_width(start) + piece for piece in pieces[1:]]
    return [(start + pieces[0]).rstrip(), *continuation]


def titled_section(title: str, body: Sequence[str]) -> list[str]:
    """Return a blank line, a title, the body; empty where the body is empty."""
    if body:
        return ["", HeadLine(title), *body]
    return []


def titled_table(
    title: str,
    rows: Sequence[Sequence[str | int | None]],
    right: Sequence[int] = (),
    head: Sequence[str] = (),
    more: Sequence[str] = (),
) -> list[str]:
    """Return a section whose body is a table with the lines ``more`` below; empty without rows."""
    if rows:
        return titled_section(title, [*aligned_table(rows, right, head=head), *more])
    return []


def more_line(count: int) -> list[str]:
    """Return a line for ``count`` rows that are not listed; empty for none."""
    if count > 0:
        return [f"  and {count:,} more; --json lists all"]
    return []


def result_head(table: ResultTable[_R], mark: str = "") -> list[str]:
    """Return the labels of the columns that the window shows too, the optional ones included."""
    return [one.label.format(mark=mark).strip() for one in table.columns]


def marks_text(lines: Iterable[str]) -> str:
    """Return what the marks of the sizes in these lines mean, "" where they have none."""
    text = "\n".join(lines)
    seen = {"=": _EXACT.search(text) is not None, "≈": "≈" in text}
    return ", ".join(f"{mark} {words}" for mark, words in _MARKS if seen[mark])


def legend(
    table: ResultTable[_R], rows: Sequence[_R], lines: Sequence[str]
) -> list[str]:
    """Return what the signs in the ``lines`` of a table mean, and why columns have dashes."""
    said = [
        f"{UNKNOWN} {', '.join(shown)}: {reason}"
        for reason, labels in table.unknown(rows).items()
        if (shown := [label for label in labels if label in lines[0]])
    ]
    signs = filter(None, [marks_text(lines)])
    return [line for text in (*said, *signs) for line in paragraph(text, "", "  ")]


def result_cells(table: ResultTable[_R], row: _R) -> list[str]:
    """Return the texts of a result as the window writes them, dashes where it has no figures."""
    has_figures = not table.error(row)
    return [one.cell(row).text if has_figures else UNKNOWN for one in table.columns]
