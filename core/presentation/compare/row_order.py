"""The order of a comparison's rows, and the marks A and B."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from core.presentation.compare.model import DONE, FIDELITY, NAME, TOKENS, CompareCell, CompareTableRow


class SortableRow(Protocol):
    """What can be put in order: a name, and a cell for each column."""

    @property
    def name(self) -> str: ...

    @property
    def cells(self) -> tuple[CompareCell, ...]: ...


def row_order(
    lines: Sequence[CompareTableRow], column: int = FIDELITY, *, descending: bool = True
) -> list[int]:
    """Indices of the lines: the baseline, what was recorded, then the others by a column."""
    fixed = [index for index, line in enumerate(lines) if line.rank < 2]
    free = [index for index, line in enumerate(lines) if line.rank == 2]
    fixed.sort(key=lambda index: lines[index].rank)
    return fixed + by_column(lines, free, column, descending=descending)


def by_column(
    rows: Sequence[SortableRow], places: Sequence[int], column: int, *, descending: bool
) -> list[int]:
    """Places in ``rows`` in the order of a column, NAME that of the names.

    What is not known comes last either way; equal ones stay as they were.
    """
    if column == NAME:
        return sorted(places, key=lambda place: rows[place].name, reverse=descending)
    known = [place for place in places if rows[place].cells[column].key is not None]
    unknown = [place for place in places if rows[place].cells[column].key is None]
    known.sort(key=lambda place: rows[place].cells[column].key or 0.0, reverse=descending)
    return known + unknown


def first_pair(lines: Sequence[CompareTableRow], front: Sequence[str] = (), now: str = "") -> tuple[str, str]:
    """The pair to begin with, "" for none: what is at hand against the best that could be had instead.

    A is what the agent recorded, else the strategy that is chosen ``now``, else the one that saves most;
    B the one on the ``front`` that keeps most, else the best of all. Rows that changed nothing are neither.
    """
    here = [lines[index] for index in row_order(lines) if lines[index].state == DONE and lines[index].is_here]
    known = [line for line in here if line.fidelity is not None and not line.trouble]
    recorded = [line.name for line in known if line.rank == 1]
    best = [line.name for line in known if line.rank == 2]
    if not best or len(best) + len(recorded) < 2:
        return "", ""
    ahead = sorted(best, key=lambda name: name not in front)  # stable: the best of the front comes first
    a = recorded[0] if recorded else now if now in best else _smallest(known, ahead[0])
    return a, next(name for name in ahead if name != a)


def _smallest(lines: Sequence[CompareTableRow], but: str) -> str:
    """The name of the row with the fewest tokens beside one."""
    own = [line for line in lines if line.rank == 2 and line.name != but]
    return min(own, key=lambda line: line.cells[TOKENS].key or 0.0).name
