"""The screen while a transcript is read and counted: rows without fates, and progress."""

from __future__ import annotations

from array import array

from core.common import number_format
from core.presentation.model import FATES, NO_ROWS, MessageRows, Screen
from core.presentation.ruler.model import RulerMarks
from core.transcript.compaction import FateKind

COUNTING = "counting"
"""Shown until a total is known."""

_KEPT = FATES.index(FateKind.KEPT.value)


def rows_so_far(rows: MessageRows) -> str:
    """Return "1,204 messages so far"."""
    return f"{number_format.plural(len(rows), 'message')} so far"


def expected_tokens(rows: MessageRows, tokens: int) -> int:
    """Extrapolate the total from the counted rows, which have ``tokens``."""
    counted_rows = len(rows) - rows.tokens.count(-1)
    return tokens * len(rows) // counted_rows if counted_rows else 0


def partial_screen(rows: MessageRows) -> Screen:
    """Return a screen of rows only, without cuts and result."""
    count, marks = len(rows), RulerMarks(before_total=COUNTING, after_total=COUNTING)
    columns = rows, NO_ROWS, bytes([_KEPT]) * count, b"", array("q"), dict[int, tuple[int, ...]]()
    return Screen("", True, *columns, (), (), (), bytes(count + 1), marks, rows_so_far(rows), (), ())
