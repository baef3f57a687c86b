"""Aligns the columns of similar tables on a help page."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtGui import QFontMetricsF, QTextBlock, QTextLength, QTextTable

_PADDING = 12
"""Horizontal padding of a cell in pixels."""
_MAX_WIDTH = 42
"""Average characters: wider columns are laid out by Qt."""


def align_tables(tables: Sequence[QTextTable]) -> None:
    """Give equal widths to tables with the same first head; the last column takes the rest."""
    kinds: dict[tuple[str, int], list[QTextTable]] = {}
    for table in tables:
        head = table.cellAt(0, 0).firstCursorPosition().block().text()
        kinds.setdefault((head, table.columns()), []).append(table)
    for (_, columns), same_tables in kinds.items():
        widths = [max(_width(table, column) for table in same_tables) for column in range(columns - 1)]
        letter = QFontMetricsF(same_tables[0].document().defaultFont()).averageCharWidth()
        if len(same_tables) > 1 and max(widths, default=0.0) <= _MAX_WIDTH * letter:
            for table in same_tables:
                _set_widths(table, widths)


def _set_widths(table: QTextTable, widths: Sequence[float]) -> None:
    fixed = [QTextLength(QTextLength.Type.FixedLength, width) for width in widths]
    shape = table.format()
    shape.setColumnWidthConstraints([*fixed, QTextLength(QTextLength.Type.VariableLength, 0)])
    table.setFormat(shape)


def _width(table: QTextTable, column: int) -> float:
    """Return the pixels of the widest cell of a column."""
    cells = (table.cellAt(row, column).firstCursorPosition().block() for row in range(table.rows()))
    return max(map(_advance, cells), default=0.0) + _PADDING


def _advance(block: QTextBlock) -> float:
    width, iterator = 0.0, block.begin()
    while not iterator.atEnd():
        piece = iterator.fragment()
        width += QFontMetricsF(piece.charFormat().font()).horizontalAdvance(piece.text())
        iterator += 1
    return width
