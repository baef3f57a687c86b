"""Sorts the rows of a comparison and picks the first pair A and B."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from core.presentation.compare.model import DONE, FIDELITY, NAME, TOKENS, CompareCell, CompareTableRow


class SortableRow(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def cells(self) -> tuple[CompareCell, ...]: ...


def row_order(
    lines: Sequence[CompareTableRow], column: int = FIDELITY, *, descending: bool = True
) -> list[int]:
    """Return row indices: the baseline, recorded ones, then the others by a column."""
    first_indices = [index for index, line in enumerate(lines) if line.rank < 2]
    other_indices = [index for index, line in enumerate(lines) if line.rank == 2]
    first_indices.sort(key=lambda index: lines[index].rank)
    return first_indices + sorted_by_column(lines, other_indices, column, descending=descending)


def sorted_by_column(
    rows: Sequence[SortableRow], indices: Sequence[int], column: int, *, descending: bool
) -> list[int]:
    """Return indices into ``rows`` sorted by a column; unknown values last, stable."""
    if column == NAME:
        return sorted(indices, key=lambda index: rows[index].name, reverse=descending)
    indices_with_value = [index for index in indices if rows[index].cells[column].key is not None]
    indices_without_value = [index for index in indices if rows[index].cells[column].key is None]
    indices_with_value.sort(key=lambda index: rows[index].cells[column].key or 0.0, reverse=descending)
    return indices_with_value + indices_without_value


def default_pair(
    lines: Sequence[CompareTableRow], front: Sequence[str] = (), current_strategy: str = ""
) -> tuple[str, str]:
    """Return the first pair, "" for none. A is the recorded row, else the current strategy
    ``current_strategy``, else the smallest; B the best row of the ``front``, else the best of all. Rows
    without effect are left out."""
    done = [
        lines[index] for index in row_order(lines) if lines[index].state == DONE and lines[index].is_in_scope
    ]
    comparable = [line for line in done if line.fidelity is not None and not line.trouble]
    recorded = [line.name for line in comparable if line.rank == 1]
    best = [line.name for line in comparable if line.rank == 2]
    if not best or len(best) + len(recorded) < 2:
        return "", ""
    candidates = sorted(best, key=lambda name: name not in front)  # stable: best of the front first
    a = (
        recorded[0]
        if recorded
        else current_strategy
        if current_strategy in best
        else _smallest(comparable, candidates[0])
    )
    return a, next(name for name in candidates if name != a)


def _smallest(lines: Sequence[CompareTableRow], excluded: str) -> str:
    """Return the name of the smallest row except ``excluded``."""
    candidates = [line for line in lines if line.rank == 2 and line.name != excluded]
    return min(candidates, key=lambda line: line.cells[TOKENS].key or 0.0).name
